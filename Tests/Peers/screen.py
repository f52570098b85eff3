#!/usr/bin/env python3
"""Runs a command on a terminal of its own, ends it in some way, and says what the terminal was left with.

usage: screen.py ENDING COMMAND...     ENDING: interrupt, terminate, hang-up, by-itself, stop, resize
prints: how the command ended; whether keys are echoed while it ran and afterwards; whether what was written ends with the screen as it was; then what a scenario adds
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ENTER = b"\x1b[?1049h"
# Attributes off, line wrap on, cursor on, the usual screen (XTerm Control Sequences).
LEAVE = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

ending, command = sys.argv[1], sys.argv[2:]
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
written = b""


def size(lines, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def echoes():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def read(seconds):
    """What comes within the time; false at the end of the terminal."""
    global written
    if not select.select([terminal], [], [], seconds)[0]:
        return True
    try:
        part = os.read(terminal, 65536)
    except OSError:
        return False
    written += part
    return bool(part)


def wait_for(text, start=0):
    end = time.monotonic() + 30
    while text not in written[start:]:
        if time.monotonic() > end or not read(0.1):
            raise SystemExit(f"never written: {text!r}, but {written[start:]!r}")


size(10, 60)
wait_for(b"cardpresent monitor")
during = echoes()
extra = []
if ending == "resize":
    mark = len(written)
    size(5, 40)
    # The kernel sends SIGWINCH. Cleared, then five lines of forty columns.
    wait_for(b"\x1b[5;1H" + b" " * 40, mark)
    extra.append("redrawn" if b"\x1b[2J" in written[mark:] and b"\x1b[6;1H" not in written[mark:] else "not redrawn")
if ending == "stop":
    mark = len(written)
    os.write(terminal, b"\x1a")
    while not os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1]):
        pass
    wait_for(LEAVE, mark)
    extra.append("clean while stopped" if written.endswith(LEAVE) and echoes() else "not clean while stopped")
    mark = len(written)
    os.kill(process, signal.SIGCONT)
    wait_for(ENTER, mark)
    wait_for(b"cardpresent monitor", mark)
if ending in ("interrupt", "stop", "resize"):
    os.write(terminal, b"\x03")
elif ending == "terminate":
    os.kill(process, signal.SIGTERM)
elif ending == "hang-up":
    os.kill(process, signal.SIGHUP)
while read(30):
    pass
status = os.waitpid(process, 0)[1]
how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
print(", ".join([how, f"echo {during} then {echoes()}", "clean" if written.endswith(LEAVE) and ENTER in written else f"not clean: {written[-80:]!r}"] + extra))

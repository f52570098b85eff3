#!/usr/bin/env python3
"""Writes code-tables.tsv beside it: for parts 1 to 10 of ISO/IEC 8859 the code point of every byte.

The tables are Python's codecs, held against those of iconv, a second implementation. Control characters, which the parts of
the standard leave to others, count as no character.
"""
import pathlib
import subprocess

rows = []
for part in range(1, 11):
    for byte in range(256):
        try:
            text = bytes([byte]).decode(f"iso8859_{part}")
        except UnicodeDecodeError:
            text = ""
        other = subprocess.run(
            ["iconv", "-f", f"ISO-8859-{part}", "-t", "UTF-32BE"], input=bytes([byte]), capture_output=True
        ).stdout.decode("utf-32-be")
        if text != other:
            raise SystemExit(f"part {part}, byte {byte:02X}: Python has {text!r}, iconv {other!r}")
        is_control = byte < 0x20 or 0x7F <= byte < 0xA0
        rows.append(f"{part}\t{byte:02X}\t{'-' if is_control or not text else f'{ord(text):04X}'}")

(pathlib.Path(__file__).resolve().parent / "code-tables.tsv").write_text(
    "# part of ISO/IEC 8859, byte, code point or - for no character; from Python's codecs and iconv, see generate.py\n"
    + "\n".join(rows) + "\n")

#!/usr/bin/env python3
"""The reader's side of vpcd, written from the description of its protocol alone: listens on loopback, and speaks to the card that connects.

usage: vpcd.py FOLDER SCENARIO      writes the port to FOLDER/port, moves the card through the pipe FOLDER/hand, ends the process FOLDER/pid at the end
"""
import os
import pathlib
import signal
import socket
import struct
import sys
import time

folder = pathlib.Path(sys.argv[1])
SELECT_PSE = bytes.fromhex("00A404000E315041592E5359532E444446303100")


class Slot:
    """One card in the reader."""

    def __init__(self, listener):
        self.link, _ = listener.accept()
        self.link.settimeout(30)

    def tell(self, message):
        self.link.sendall(struct.pack(">H", len(message)) + message)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.link.recv(count - len(data))
            if not part:
                raise EOFError("the card is gone")
            data += part
        return data

    def ask(self, message):
        self.tell(message)
        return self.read(struct.unpack(">H", self.read(2))[0])

    def answer_to_reset(self):
        return self.ask(b"\x04")

    def is_gone(self):
        try:
            return self.link.recv(1) == b""
        except ConnectionResetError:
            return True


def said(words):
    """Waits for words in what the command has said."""
    for _ in range(600):
        if words in (folder / "said").read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"never said: {words}; but {(folder / 'said').read_text()}")


def hand(line):
    with open(folder / "hand", "w") as pipe:
        pipe.write(line + "\n")


def power(slot):
    slot.tell(b"\x01")
    return slot


def life(listener):
    slot = Slot(listener)
    atr = slot.answer_to_reset()
    assert atr[0] == 0x3B and atr[-6:-1] == b"CPVC1", atr.hex()
    check = 0
    for byte in atr[1:]:
        check ^= byte
    assert check == 0 and atr[4] & 0x0F == 1, "T=1, with its check byte"
    power(slot)
    fci = slot.ask(SELECT_PSE)
    assert fci[:1] == b"\x6F" and fci[-2:] == b"\x90\x00", fci.hex()
    # An extended command, and one whose lengths do not fit.
    assert slot.ask(bytes.fromhex("00A404000000 0E315041592E5359532E4444463031 0000".replace(" ", ""))) == fci
    assert slot.ask(bytes.fromhex("00A4040010A000")) == bytes.fromhex("6700")
    # Selected before the reset, not after it.
    name = bytes.fromhex("00A4040007A000000003101000")
    options = bytes.fromhex("80A8000002830000")
    assert slot.ask(name)[-2:] == b"\x90\x00"
    slot.tell(b"\x02")
    assert slot.ask(options) == bytes.fromhex("6985")
    assert slot.ask(name)[-2:] == b"\x90\x00" and slot.ask(options)[-2:] == b"\x90\x00"
    slot.tell(b"\x00")
    assert slot.answer_to_reset() == atr, "a card without power is still there"
    # Messages in pieces and together.
    power(slot)
    whole = struct.pack(">H", len(SELECT_PSE)) + SELECT_PSE
    for byte in whole:
        slot.link.sendall(bytes([byte]))
    assert slot.read(2 + len(fci)) == struct.pack(">H", len(fci)) + fci
    slot.link.sendall(whole + whole)
    assert slot.read(2 * (2 + len(fci))) == 2 * (struct.pack(">H", len(fci)) + fci)

    hand("remove")
    assert slot.is_gone()
    said("the card is removed")
    hand("insert")
    slot = Slot(listener)
    assert power(slot).ask(SELECT_PSE) == fci

    # vpcd ends, and comes back.
    port = listener.getsockname()[1]
    listener.close()
    slot.link.close()
    said("the connection to vpcd is lost")
    slot = Slot(listening(port))
    assert slot.answer_to_reset() == atr
    assert power(slot).ask(SELECT_PSE) == fci


def faults(listener):
    """The card of the profile is silent at its first READ RECORD after a reset, and gone at its second GET DATA."""
    for _ in range(2):
        slot = power(Slot(listener))
        assert slot.ask(SELECT_PSE)[-2:] == b"\x90\x00"
        slot.tell(bytes.fromhex("00B2010C00"))
        assert slot.is_gone(), "a silent card leaves the reader, which would wait for ever"
    slot = power(Slot(listener))
    counter = bytes.fromhex("80CA9F3600")
    first = slot.ask(counter)
    slot.tell(b"\x02")
    assert slot.ask(counter) == first, "the fault count restarts"
    slot.tell(counter)
    assert slot.is_gone()
    said("the card is removed, as its profile says")
    hand("insert")
    assert power(Slot(listener)).ask(counter) == first


def value(data, tag):
    """The value of a tag of two bytes with a length of one byte, wherever it is."""
    at = data.index(tag) + len(tag)
    return data[at + 1:at + 1 + data[at]]


def tap(listener):
    """A card in a reader's field: the answer to reset of PC/SC part 3, the directory PPSE, a cryptogram with the processing options."""
    slot = power(Slot(listener))
    atr = slot.answer_to_reset()
    # Part 3, 3.1.3.2.3: the number of historical bytes in the low half of T0, TD1 80, TD2 01, and the check byte.
    assert atr[:4] == bytes([0x3B, 0x80 | len(atr) - 5, 0x80, 0x01]), atr.hex()
    check = 0
    for byte in atr[1:]:
        check ^= byte
    assert check == 0, atr.hex()
    assert slot.ask(SELECT_PSE) == bytes.fromhex("6A82"), "the contacts' directory is not in the field"
    # Part 3, 3.2.2.1.3: the identifier of the card, a random one, and its historical bytes; class FF is not for the card.
    identifier = slot.ask(bytes.fromhex("FFCA000000"))
    assert len(identifier) == 6 and identifier[0] == 0x08 and identifier[-2:] == b"\x90\x00", identifier.hex()
    assert slot.ask(bytes.fromhex("FFCA000004")) == identifier, "the same at every question"
    assert slot.ask(bytes.fromhex("FFCA010000")) == b"CPVC1\x90\x00"
    assert slot.ask(bytes.fromhex("FFCA000002")) == bytes.fromhex("6C04")
    assert slot.ask(bytes.fromhex("FFCA000010")) == identifier[:-2] + bytes.fromhex("6282")
    assert slot.ask(bytes.fromhex("FFCA020000")) == bytes.fromhex("6B00")
    assert slot.ask(bytes.fromhex("FFB0000010")) == bytes.fromhex("6D00")
    directory = slot.ask(bytes.fromhex("00A404000E325041592E5359532E444446303100"))
    assert directory[-2:] == b"\x90\x00" and bytes.fromhex("4F07A0000000031010") in directory, directory.hex()
    fci = slot.ask(bytes.fromhex("00A4040007A000000003101000"))
    assert fci[-2:] == b"\x90\x00", fci.hex()
    # TTQ: EMV mode, online PIN, signature, an online cryptogram is required; 1.00 in euro.
    known = {
        "9F66": "36804000", "9F02": "000000000100", "5F2A": "0978", "9F1A": "0276", "9A": "261121", "9C": "00", "9F37": "01020304",
    }
    requested, data, at = value(fci, bytes.fromhex("9F38")), b"", 0
    while at < len(requested):
        end = at + (2 if requested[at] & 0x1F == 0x1F else 1)
        data += bytes.fromhex(known.get(requested[at:end].hex().upper(), "00" * requested[end]))
        at = end + 1
    command = b"\x83" + bytes([len(data)]) + data
    answer = slot.ask(bytes.fromhex("80A80000") + bytes([len(command)]) + command + b"\x00")
    assert answer[:1] == b"\x77" and answer[-2:] == b"\x90\x00", answer.hex()
    assert len(value(answer, bytes.fromhex("9F26"))) == 8, answer.hex()


def listening(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    listener.settimeout(60)
    return listener


def main():
    listener = listening(0)
    (folder / "port.new").write_text(str(listener.getsockname()[1]))
    (folder / "port.new").rename(folder / "port")
    try:
        {"life": life, "faults": faults, "tap": tap}[sys.argv[2]](listener)
        print("all as it should be")
    finally:
        os.kill(int((folder / "pid").read_text()), signal.SIGTERM)


main()

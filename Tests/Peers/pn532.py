"""A PN532 on a pseudoterminal with a card of type A in its field (NXP UM0701-02, 6 and 7; ISO/IEC 14443-4), which has no application.

usage: pn532.py PORT [VERSIONS]     PORT becomes a link to the terminal. It ends when the field goes off after a card was released, or
                                    when it has reported its firmware version so often.
"""
import os
import sys
import tty

ACKNOWLEDGMENT = bytes.fromhex("0000FF00FF00")
host, chip = os.openpty()
tty.setraw(host)
tty.setraw(chip)
os.symlink(os.ttyname(chip), sys.argv[1])


def frame(data):
    return b"\x00\x00\xff" + bytes([len(data), -len(data) & 0xFF]) + data + bytes([-sum(data) & 0xFF, 0])


class Card:
    """The card's side of blocks. It asks for more time before each answer."""

    def __init__(self):
        self.number = 1
        self.command = b""
        self.answer = b""

    def take(self, block):
        if block == b"\xe0\x80":
            return bytes.fromhex("0578807002")
        if block[0] & 0xE2 == 0x02:
            self.number ^= 1
            self.command += block[1:]
            if block[0] & 0x10:
                return bytes([0xA2 | self.number])
            self.answer, self.command = (b"\x6a\x82" if self.command[:2] == b"\x00\xa4" else b"\x6d\x00"), b""
            return b"\xf2\x03"
        if block == b"\xf2\x03":
            return bytes([0x02 | self.number]) + self.answer
        return block if block == b"\xc2" else b""


def obey(command):
    global card, released
    code, rest = command[0], command[1:]
    if code == 0x02:
        return bytes.fromhex("32010607")
    if code == 0x4A and rest[1] == 0x00:
        card = Card()
        return bytes.fromhex("01010004200408112233")
    if code == 0x4A:
        return b"\x00"
    if code == 0x42:
        reply = card.take(rest)
        return b"\x00" + reply if reply else b"\x01"
    if code == 0x52:
        released = True
        return b"\x00"
    return b""


card, released = Card(), False
versions = int(sys.argv[2]) if len(sys.argv) > 2 else -1
window = b""
while True:
    window = window[-2:] + os.read(host, 1)
    if window[-2:] != b"\x00\xff":
        continue
    length, check = os.read(host, 1)[0], os.read(host, 1)[0]
    if length + check & 0xFF:
        continue
    data = b""
    while len(data) < length + 1:
        data += os.read(host, length + 1 - len(data))
    assert sum(data) & 0xFF == 0 and data[0] == 0xD4, data.hex()
    os.write(host, ACKNOWLEDGMENT + frame(bytes([0xD5, data[1] + 1]) + obey(data[1:-1])))
    window = b""
    versions -= data[1] == 0x02
    if versions == 0:
        break
    if released and data[1:4] == b"\x32\x01\x00":
        break

"""An ID TECH NEO reader on a pseudoterminal with a card in its field (NEO 2 interface developer's guide 80139403-002), whose issuer must be asked.

usage: neo.py PORT     PORT becomes a link to the terminal. It ends after the card was read, when the line falls silent.
"""
import binascii
import os
import select
import sys
import tty

TAG = b"ViVOtech2\0"
# The published test card of the payment systems; its kernel wants a signature.
CARD = bytes.fromhex(
    "01" "5A084761739001010119" "5F2403491231" "5F340101" "8407A0000000031010" "500456495341" "9F270180" "9F26081122334455667788"
    "9F36020001" "9F100706011103A00000" "82022000" "9F370401020304" "95050000000000" "FFEE0104DF520101")
host, reader = os.openpty()
tty.setraw(host)
tty.setraw(reader)
os.symlink(os.ttyname(reader), sys.argv[1])


def read(count):
    data = b""
    while len(data) < count:
        data += os.read(host, count - len(data))
    return data


def say(command, status, data=b""):
    body = TAG + bytes([command, status]) + len(data).to_bytes(2, "big") + data
    os.write(host, body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "big"))


has_read = False
while select.select([host], [], [], 3 if has_read else 30)[0]:
    head = read(14)
    data = read(int.from_bytes(head[12:14], "big"))
    assert head[:10] == TAG, head.hex()
    assert read(2) == binascii.crc_hqx(head + data, 0xFFFF).to_bytes(2, "little"), "the checksum is wrong"
    command, subcommand = head[10], head[11]
    if (command, subcommand) == (0x02, 0x40):
        # Amount, currency 978 and both interfaces.
        for required in ("9C0100", "9F0206000000001234", "5F2A020978", "DFEF370103"):
            assert bytes.fromhex(required) in data, data.hex()
        say(command, 0x0E, b"\x01")
        say(command, 0x23, CARD)
        has_read = True
    else:
        say(command, 0x00, b"NEO v1.00" if command == 0x29 else b"")
sys.exit(0 if has_read else 1)

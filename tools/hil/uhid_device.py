#!/usr/bin/env python3
"""A human interface device of /dev/uhid (Linux, Documentation/hid/uhid.rst), on the Bluetooth bus: a swipe reader that numbers its reports.

Input reports 1 (63 bytes) and 2 (7), output report 1 (31), which comes back as input report 1, feature report 3 (15), which is kept.
On standard input: plug, unplug, input HEX (the report's number first), quit.
"""
import os
import struct
import sys
import threading

DESTROY, START, OUTPUT, GET_REPORT, GET_ANSWER, CREATE, INPUT, SET_REPORT, SET_ANSWER = 1, 2, 6, 9, 10, 11, 12, 13, 14
BUS_BLUETOOTH = 5


def report(number, length, kind):
    """Values of a byte: report id, count, then the input (81), output (91) or feature (B1) item."""
    return bytes([0x85, number, 0x95, length, 0x09, 0x20, kind, 2])


DESCRIPTOR = (bytes.fromhex("0600FF0901A101150026FF007508") + report(1, 63, 0x81) + report(1, 31, 0x91) + report(2, 7, 0x81) + report(3, 15, 0xB1) + b"\xC0")


class Reader:
    vendor, product, name, address = 0x0801, 0x0014, "Emulated wireless reader", "00:11:22:33:44:55"

    def __init__(self):
        self.feature = bytes([3]) + bytes(15)
        self.node = -1

    def plug(self):
        self.node = os.open("/dev/uhid", os.O_RDWR)
        os.write(self.node, struct.pack("<I128s64s64sHHIIII4096s", CREATE, self.name.encode(), b"uhid", self.address.encode(), len(DESCRIPTOR), BUS_BLUETOOTH,
                                        self.vendor, self.product, 0x100, 0, DESCRIPTOR))
        threading.Thread(target=self.serve, args=(self.node,), daemon=True).start()

    def unplug(self):
        os.write(self.node, struct.pack("<I", DESTROY))

    def input(self, data):
        os.write(self.node, struct.pack("<IH4096s", INPUT, len(data), data))

    def serve(self, node):
        while True:
            event = os.read(node, 4400)
            kind = struct.unpack_from("<I", event)[0]
            if kind == OUTPUT:
                length = struct.unpack_from("<H", event, 4 + 4096)[0]
                self.input(event[4:4 + length].ljust(64, b"\0"))
            elif kind == GET_REPORT:
                request, number = struct.unpack_from("<IB", event, 4)
                known = number == self.feature[0]
                os.write(node, struct.pack("<IIHH4096s", GET_ANSWER, request, 0 if known else 5, len(self.feature), self.feature))
            elif kind == SET_REPORT:
                request, _, _, length = struct.unpack_from("<IBBH", event, 4)
                self.feature = event[12:12 + length]
                os.write(node, struct.pack("<IIH", SET_ANSWER, request, 0))


def main():
    reader = Reader()
    reader.plug()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "plug":
            reader.plug()
        elif word == "unplug":
            reader.unplug()
        elif word == "input":
            reader.input(bytes.fromhex(rest))
        elif word == "quit":
            return


if __name__ == "__main__":
    main()

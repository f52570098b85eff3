#!/usr/bin/env python3
"""USB devices in user space, plugged into the guest's vhci-hcd through a socket pair: no hardware, no network, a real device node.

usbip_device.py KIND [PORT]      KIND: ccid-t1, ccid-extended, ccid-short, ccid-served, ccid-field, ccid-identifier, acm, abecs, miura, hid-337, hid-887, acr122, pn533, pn532,
                                 pn532-card, pn531, dynaflex, tdynamo, miura-tap, neo
On standard input: plug, unplug, cycle COUNT SECONDS (plugged in, seconds, out, so many times), unplug-at COUNT (before that many transfers with data
have ended), swipe HEX, swipes HEX (again every half second), insert, remove, leave-at COUNT (the card leaves within its answer to that block), mute, quit.
On standard output: what the device receives: "line RATE STOP PARITY BITS", "lines BITS", "feature HEX"; "goes" at the transfer of unplug-at, "left" at the
block of leave-at.
The card behind the CCID readers is a small one of its own: SELECT gives an FCI, 00CA a long answer, 00EE a wait, anything else 6D00. That of ccid-served
and of abecs is served by `cardpresent card serve --vpcd --vpcd-address 127.0.0.1:PORT`, PORT 35963 and 35964; miura has a stripe. In the field of acr122,
pn533 and pn532 (a serial line) is the card that is served with --tap at 35965, 35966 and 35967; or, of pn532, the pn532-card of another process.
In that of ccid-field it is the one at 35969; dynaflex, tdynamo, miura-tap and neo, which have kernels of their own, share the one at 35968.
"""
import collections
import os
import queue
import socket
import struct
import sys
import threading
import time

import kernels
import nfc
import pinpads

STALL = -32
CARD_PORTS = {"ccid-served": 35963, "abecs": 35964, "acr122": 35965, "pn533": 35966, "pn532": 35967, "dynaflex": 35968, "tdynamo": 35968,
              "miura-tap": 35968, "neo": 35968, "ccid-field": 35969}


class Device:
    """The engine: control requests, pipes, and the USB/IP messages that carry them (Linux, Documentation/usb/usbip_protocol.rst)."""

    vendor, product, version, classes, strings, speed = 0x1209, 1, 0x100, (0, 0, 0), ["", "CardPresent", "Device", "1"], 3

    def __init__(self):
        self.waiting = collections.defaultdict(collections.deque)
        self.ready = collections.defaultdict(collections.deque)
        self.lock = threading.RLock()
        self.link = None
        self.port, self.transfers, self.last_transfer = 0, 0, None

    def is_last(self):
        """Counts a transfer with data. Instead of the one that `unplug-at` names, the device goes."""
        self.transfers += 1
        if self.transfers != self.last_transfer:
            return False
        print("goes", flush=True)
        threading.Thread(target=self.unplug, args=(self.port,), daemon=True).start()
        return True

    # What a kind of device says and does.
    def interfaces(self):
        raise NotImplementedError

    def control(self, kind, request, value, index, length, data):
        return None

    def received(self, endpoint, data):
        pass

    def restart(self):
        pass

    # Descriptors.
    def device_descriptor(self):
        return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, *self.classes, 64, self.vendor, self.product, self.version, 1, 2, 3, 1)

    def configuration(self):
        count, body = self.interfaces()
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), count, 1, 0, 0x80, 50) + body

    def string(self, number):
        if number == 0:
            return b"\x04\x03\x09\x04"
        if number >= len(self.strings):
            return None
        text = self.strings[number].encode("utf-16-le")
        return bytes([len(text) + 2, 3]) + text

    def standard(self, kind, request, value):
        if kind == 0x80 and request == 6:
            which = value >> 8
            if which == 1:
                return self.device_descriptor()
            if which == 2:
                return self.configuration()
            if which == 3:
                return self.string(value & 0xFF)
            return None
        if kind & 0x80 and request == 0:
            return b"\0\0"
        return b"" if request in (1, 3, 9, 11) else None

    def setup(self, packet, data):
        kind, request, value, index, length = struct.unpack("<BBHHH", packet)
        answer = self.standard(kind, request, value) if kind & 0x60 == 0 else None
        if answer is None:
            answer = self.control(kind, request, value, index, length, data)
        return answer if answer is None else answer[:length]

    # Pipes.
    def push(self, endpoint, data):
        with self.lock:
            self.ready[endpoint].append(data)
            self.pump(endpoint)

    def pump(self, endpoint):
        while self.ready[endpoint] and self.waiting[endpoint]:
            number, length = self.waiting[endpoint].popleft()
            data = self.ready[endpoint].popleft()
            if len(data) > length:
                self.ready[endpoint].appendleft(data[length:])
                data = data[:length]
            if self.is_last():
                return
            self.answer(number, 0, data)

    def answer(self, number, status, data=b"", actual=None):
        head = struct.pack(">IIIIIiiiii8x", 3, number, 0, 0, 0, status, len(data) if actual is None else actual, 0, 0, 0)
        self.link.sendall(head + data)

    def exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.link.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def serve(self):
        try:
            while True:
                head = self.exactly(48)
                command, number, _, direction, endpoint = struct.unpack_from(">IIIII", head)
                if command == 1:
                    length = struct.unpack_from(">i", head, 24)[0]
                    data = self.exactly(length) if direction == 0 and length > 0 else b""
                    with self.lock:
                        self.submit(number, direction, endpoint, length, head[40:48], data)
                elif command == 2:
                    self.unlink(number, struct.unpack_from(">I", head, 20)[0])
        except (EOFError, OSError):
            pass

    def submit(self, number, direction, endpoint, length, packet, data):
        if endpoint == 0:
            answer = self.setup(packet, data)
            if packet[0] & 0x60 and self.is_last():
                return
            if answer is None:
                self.answer(number, STALL)
            elif packet[0] & 0x80:
                self.answer(number, 0, answer)
            else:
                self.answer(number, 0, b"", len(data))
        elif direction == 1:
            self.waiting[endpoint].append((number, length))
            self.pump(endpoint)
        elif not self.is_last():
            self.answer(number, 0, b"", length)
            self.received(endpoint, data)

    def unlink(self, number, target):
        status = 0
        with self.lock:
            for queue in self.waiting.values():
                for entry in list(queue):
                    if entry[0] == target:
                        queue.remove(entry)
                        status = -104
            self.link.sendall(struct.pack(">IIIIIi24x", 4, number, 0, 0, 0, status))

    def plug(self, port):
        ours, theirs = socket.socketpair()
        self.link = ours
        self.port, self.last_transfer = port, None
        self.waiting.clear()
        self.ready.clear()
        self.restart()
        threading.Thread(target=self.serve, daemon=True).start()
        # The port is busy until the kernel has let go of the device before: seconds, on a busy machine.
        for attempt in range(6000):
            try:
                tell_vhci("attach", f"{port} {theirs.fileno()} {0x10000 + port + 2} {self.speed}")
                break
            except OSError:
                if attempt == 5999:
                    raise
                time.sleep(0.01)
        theirs.close()

    def unplug(self, port):
        tell_vhci("detach", str(port))
        self.link.close()


def tell_vhci(attribute, line):
    """One write(2). A text file writes again when it is closed after an error: that write may take a port that has become free, and nobody hears of it."""
    file = os.open(f"/sys/devices/platform/vhci_hcd.0/{attribute}", os.O_WRONLY)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def bulk(*addresses):
    return b"".join(bytes([7, 5, address, 2, 0, 2, 0]) for address in addresses)


class Card:
    """Whole commands to whole answers."""

    def __init__(self):
        self.long = bytes(range(256)) * 8

    def answer(self, command):
        if command[:2] == b"\x00\xa4":
            return bytes.fromhex("6F1B8407A0000000031010A510500B56495341204352454449548701019000")
        if command[:2] == b"\x00\xca":
            requested = command[-1] or 256
            if len(command) == 7:
                requested = command[5] << 8 | command[6] or 65536
            return self.long[:requested] + b"\x90\x00"
        if command[:2] == b"\x00\xee":
            time.sleep(0.3)
            return b"\x90\x00"
        if command[:2] == b"\x00\xd6":
            return struct.pack(">H", len(command)) + b"\x90\x00"
        return b"\x6d\x00"


def served_card(kind):
    return pinpads.ServedCard(socket.create_server(("127.0.0.1", CARD_PORTS[kind])))


class T1Card:
    """The card's side of T=1 (ISO/IEC 7816-3), which asks for more time, and now and then damages a block to see whether it is asked for again."""

    size = 32

    def __init__(self, card):
        self.card = card
        self.reset()

    def reset(self):
        self.sends, self.expects, self.command, self.answers, self.field, self.count, self.pending = 0, 0, b"", [], 32, 0, None
        self.last = b""

    def block(self, control, data=b""):
        body = bytes([0, control, len(data)]) + data
        check = 0
        for byte in body:
            check ^= byte
        self.last = body + bytes([check])
        return self.last

    def exchange(self, block):
        self.count += 1
        check = 0
        for byte in block:
            check ^= byte
        if check or len(block) != block[2] + 4:
            return self.block(0x80 | self.expects << 4 | 1)
        control, data = block[1], block[3:-1]
        answer = self.take(control, data)
        # Every seventh block is damaged on its way.
        return answer[:-1] + bytes([answer[-1] ^ 1]) if self.count % 7 == 0 and control & 0xC0 != 0x80 else answer

    def take(self, control, data):
        if control == 0xC1:
            self.field = data[0]
            return self.block(0xE1, data)
        if control == 0xC0:
            self.sends, self.expects, self.command, self.answers = 0, 0, b"", []
            return self.block(0xE0)
        if control == 0xE3:
            return self.deliver()
        if control & 0xC0 == 0x80:
            number = control >> 4 & 1
            if self.answers and number != self.sends:
                # The block before has come.
                self.sends ^= 1
                self.answers.pop(0)
                return self.next()
            return self.last if number == self.sends or not self.answers else self.next()
        if control & 0x80 == 0:
            if control >> 6 & 1 != self.expects:
                return self.block(0x80 | self.expects << 4)
            self.expects ^= 1
            self.command += data
            if self.answers:
                # A block of the next command: the last block of the answer has come.
                self.sends, self.answers = self.sends ^ 1, []
            if control & 0x20:
                return self.block(0x80 | self.expects << 4)
            answer = self.card.answer(self.command)
            self.command = b""
            self.answers = [answer[index:index + self.field] for index in range(0, len(answer), self.field)]
            self.pending = True
            return self.block(0xC3, b"\x02")
        return self.block(0x80 | self.expects << 4 | 2)

    def deliver(self):
        self.pending = False
        return self.next()

    def next(self):
        more = 0x20 if len(self.answers) > 1 else 0
        return self.block(self.sends << 6 | more, self.answers[0])


class Ccid(Device):
    vendor, product, strings = 0x08E6, 0x3437, ["", "CardPresent", "Emulated CCID", "C1"]
    features, largest = 0x000404BE, 65556
    atr = bytes.fromhex("3B8F8001804F0CA000000306030001000000006A")

    def __init__(self):
        super().__init__()
        self.card, self.present, self.active, self.mute, self.buffer = Card(), True, False, False, b""
        self.parts, self.rest = b"", b""

    def interfaces(self):
        body = struct.pack("<BBHBBIIIBIIBIIIIIBBHBB", 54, 0x21, 0x110, 0, 7, 3, 4000, 4000, 0, 10752, 344086, 0, 254, 0, 0, self.features, self.largest, 0xFF, 0xFF, 0, 0, 1)
        return 1, bytes([9, 4, 0, 0, 3, 11, 0, 0, 0]) + body + bulk(0x81, 0x02) + bytes([7, 5, 0x83, 3, 8, 0, 8])

    def control(self, kind, request, value, index, length, data):
        return b"" if (kind, request) == (0x21, 1) else None

    def received(self, endpoint, data):
        self.buffer += data
        while len(self.buffer) >= 10:
            kind, length, slot, sequence = struct.unpack_from("<BIBB", self.buffer)
            if len(self.buffer) < 10 + length:
                return
            specific, body, self.buffer = self.buffer[7:10], self.buffer[10:10 + length], self.buffer[10 + length:]
            threading.Thread(target=self.obey, args=(kind, slot, sequence, specific, body), daemon=True).start()

    def obey(self, kind, slot, sequence, specific, body):
        icc = 2 if not self.present else 0 if self.active else 1

        def reply(answer, data=b"", status=icc, error=0, parameter=0):
            self.push(1, struct.pack("<BIBBBBB", answer, len(data), slot, sequence, status, error, parameter) + data)

        if self.mute:
            return
        if kind == 0x62:
            if not self.present:
                return reply(0x80, b"", 0x42, 0xFE)
            self.active = True
            self.started()
            return reply(0x80, self.atr, 0)
        if kind == 0x63:
            self.active = False
            return reply(0x81, b"", 1 if self.present else 2)
        if kind == 0x6F:
            if icc:
                return reply(0x80, b"", 0x40 | icc, 0xFE)
            if body[:2] == b"\x00\xee" or body[3:5] == b"\x00\xee":
                reply(0x80, b"", 0x80, 3)
            answer, parameter = self.transfer(body, struct.unpack("<H", specific[1:])[0])
            return reply(0x80, answer, 0, 0, parameter)
        if kind in (0x6C, 0x6D, 0x61):
            return reply(0x82, body or bytes.fromhex("1110000A00FE00"), icc, 0, 1)
        if kind == 0x72 or kind == 0x65:
            return reply(0x81)
        reply(0x81, b"", 0x40 | icc, 0)

    def started(self):
        pass

    def transfer(self, body, level):
        return self.card.answer(body), 0

    def set_present(self, present):
        self.present, self.active = present, False
        self.push(3, b"\x50" + (b"\x03" if present else b"\x02"))


class CcidT1(Ccid):
    product, strings, features, largest = 0x3438, ["", "CardPresent", "Emulated CCID T=1", "C2"], 0x000100BA, 271

    def __init__(self):
        super().__init__()
        # T0: TD1 follows. TD1: T=1, TD2 follows. TD2: T=1, TA3 (IFSC 32) and TB3 (BWI 4, CWI 5) follow. Then the check byte.
        answer = bytes([0x80, 0x81, 0x31, 0x20, 0x45])
        check = 0
        for byte in answer:
            check ^= byte
        self.atr = b"\x3B" + answer + bytes([check])
        self.blocks = T1Card(self.card)

    def started(self):
        self.blocks.reset()

    def transfer(self, body, level):
        return self.blocks.exchange(body), 0


class CcidExtended(Ccid):
    """Extended APDUs, in messages of 271 bytes, so that they go in parts both ways."""

    product, strings, largest = 0x3439, ["", "CardPresent", "Emulated CCID extended", "C3"], 271

    def transfer(self, body, level):
        if level == 0x10:
            return self.part()
        self.parts = body if level in (0, 1) else self.parts + body
        if level in (1, 3):
            return b"", 0x10
        self.rest = self.card.answer(self.parts)
        return self.part(True)

    def part(self, first=False):
        data, self.rest = self.rest[:261], self.rest[261:]
        if first:
            return data, 1 if self.rest else 0
        return data, 3 if self.rest else 2


class CcidShort(Ccid):
    product, strings, features, largest = 0x343A, ["", "CardPresent", "Emulated CCID short", "C4"], 0x000204BA, 271


class CcidServed(CcidShort):
    """Short APDUs to a card that another process serves."""

    product, strings = 0x343B, ["", "CardPresent", "Emulated CCID served", "C5"]

    def __init__(self):
        super().__init__()
        self.card = served_card("ccid-served")
        self.atr = self.card.atr()

    def started(self):
        self.card.reset()

    def restart(self):
        self.active, self.buffer = False, b""


class CcidField(CcidT1):
    """A field whose reader leaves the blocks of T=1 to the host (PC/SC part 3), and takes its time for GET PROCESSING OPTIONS."""

    product, strings = 0x343C, ["", "CardPresent", "Emulated CCID field", "C6"]

    def __init__(self):
        super().__init__()
        self.card, self.leaves_at = served_card("ccid-field"), 0
        self.atr, self.blocks = self.card.atr(), T1Card(self.card)

    def started(self):
        self.card.reset()
        super().started()

    def obey(self, kind, slot, sequence, specific, body):
        if kind == 0x6F:
            self.leaves_at -= 1
            if self.leaves_at == 0:
                self.set_present(False)
                print("left", flush=True)
            elif body[3:5] == b"\x80\xa8":
                # Time extension, and a late answer (CCID 1.1, 6.2.1).
                self.push(1, struct.pack("<BIBBBBB", 0x80, 0, slot, sequence, 0x80, 3, 0))
                time.sleep(1)
        super().obey(kind, slot, sequence, specific, body)


class CcidIdentifier(CcidShort):
    """A field with a card whose identifier the reader tells without asking it (PC/SC part 3, 3.2.2.1.3)."""

    product, strings, atr = 0x343D, ["", "CardPresent", "Emulated CCID field", "C7"], bytes.fromhex("3B80800101")

    def transfer(self, body, level):
        return (bytes.fromhex("08A1B2C39000"), 0) if body[:2] == b"\xff\xca" else super().transfer(body, level)


class Acm(Device):
    vendor, product, classes, strings = 0x079B, 0x0028, (2, 0, 0), ["", "CardPresent", "Emulated pinpad", "T1"]
    line = struct.pack("<IBBB", 9600, 0, 0, 8)

    def interfaces(self):
        return 2, bytes([9, 4, 0, 0, 1, 2, 2, 1, 0, 5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1, 7, 5, 0x81, 3, 16, 0, 9,
                         9, 4, 1, 0, 2, 10, 0, 0, 0]) + bulk(0x82, 0x02)

    def control(self, kind, request, value, index, length, data):
        if (kind, request) == (0x21, 0x20):
            self.line = data
            print("line", *struct.unpack("<IBBB", data), flush=True)
            return b""
        if (kind, request) == (0xA1, 0x21):
            return self.line
        if (kind, request) == (0x21, 0x22):
            # Its own lines follow ours: DSR is DTR (bit 0), carrier RTS (bit 1). SERIAL_STATE of CDC PSTN 1.2, 6.5.4.
            print("lines", value, flush=True)
            self.push(1, struct.pack("<BBHHHH", 0xA1, 0x20, 0, 0, 2, (value & 1) << 1 | value >> 1 & 1))
            return b""
        return b"" if (kind, request) == (0x21, 0x23) else None

    def received(self, endpoint, data):
        self.push(2, data)


class Played(Device):
    """A device that `played` plays: it takes its time for what it receives, and more can be written meanwhile."""

    def __init__(self, endpoint):
        super().__init__()
        self.played = self.protocol(lambda data: self.push(endpoint, data))
        self.written = queue.SimpleQueue()
        threading.Thread(target=self.live, daemon=True).start()

    def received(self, endpoint, data):
        self.written.put(data)

    def live(self):
        while True:
            data = self.written.get()
            if data is None:
                self.played.restart()
                continue
            try:
                self.played.received(data)
            except OSError:
                pass  # Unplugged before it could answer.

    def restart(self):
        self.written.put(None)


class PlayedLine(Played, Acm):
    """A device on a virtual serial port."""

    def __init__(self):
        super().__init__(2)


class AbecsPad(PlayedLine):
    vendor, product, strings = 0x1753, 0xC902, ["", "Gertec", "Emulated PIN pad", "P1"]

    @staticmethod
    def protocol(say):
        return pinpads.Abecs(say, served_card("abecs"))


class Acr122(Ccid):
    """A PN532 behind pseudo-APDUs (ACS, ACR122U API 2.04)."""

    vendor, product, strings, features = 0x072F, 0x2200, ["", "ACS", "ACR122U PICC Interface", "N1"], 0x00020000

    def __init__(self):
        super().__init__()
        self.chip = nfc.Chip(served_card("acr122"))

    def obey(self, kind, slot, sequence, specific, body):
        if kind != 0x6B:
            return super().obey(kind, slot, sequence, specific, body)
        answer = b"\x63\x00"
        if body[:3] == b"\xFF\x00\x48":
            answer = b"ACR122U207"
        elif body[:3] == b"\xFF\x00\x51":
            answer = b"\x90\x00"
        elif body[:4] == b"\xFF\x00\x00\x00" and body[5:6] == b"\xD4":
            answer = b"\xD5" + self.chip.perform(body[6:]) + b"\x90\x00"
        self.push(1, struct.pack("<BIBBBBB", 0x83, len(answer), slot, sequence, 0, 0, 0) + answer)

    def set_present(self, present):
        self.chip.present = present


class Field:
    """A device with a chip of `nfc.py` behind its frames."""

    def set_present(self, present):
        self.played.chip.present = present


class Pn533(Field, Played):
    vendor, product, strings = 0x04CC, 0x2533, ["", "NXP", "PN533", "N2"]

    def __init__(self):
        super().__init__(4)

    @staticmethod
    def protocol(say):
        return nfc.Frames(nfc.Chip(served_card("pn533"), 0x33), say)

    def interfaces(self):
        return 1, bytes([9, 4, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0]) + bulk(0x04, 0x84)


class Pn531(Device):
    """A device that no driver uses."""

    vendor, product, strings = 0x04CC, 0x0531, ["", "", "", ""]

    def interfaces(self):
        return 1, bytes([9, 4, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0]) + bulk(0x04, 0x84)


class Pn532(Field, PlayedLine):
    vendor, product, strings = 0x1209, 0x0020, ["", "CardPresent", "Emulated PN532", "N3"]

    @staticmethod
    def protocol(say):
        return nfc.Frames(nfc.Chip(served_card("pn532")), say)


class Pn532Card(PlayedLine):
    """A PN532 in the field of the one above: a card to it."""

    vendor, product, strings = 0x1209, 0x0021, ["", "CardPresent", "Emulated PN532", "N4"]

    @staticmethod
    def protocol(say):
        return nfc.Frames(nfc.CardChip(socket.create_connection(("127.0.0.1", CARD_PORTS["pn532"]))), say)


class MiuraPad(PlayedLine):
    vendor, product, strings = 0x1209, 0x0010, ["", "CardPresent", "Emulated MPI", "M1"]

    @staticmethod
    def protocol(say):
        # A published test card; service code 101, so that no chip goes before the stripe.
        return pinpads.Miura(say, b";4761739001010119=49121010000000000?")


class MiuraTap(PlayedLine):
    vendor, product, strings = 0x1209, 0x0011, ["", "CardPresent", "Emulated MPI field", "M2"]

    @staticmethod
    def protocol(say):
        return kernels.Miura(say, served_card("miura-tap"))


class HidReader(Device):
    """A swipe reader of MagTek's: one long input report, a feature report. A feature report that begins with EE comes back as it is."""

    vendor, speed = 0x0801, 2
    feature = b""

    def control(self, kind, request, value, index, length, data):
        if (kind, request) == (0x81, 6):
            return self.report_descriptor() if value >> 8 == 0x22 else None
        if (kind, request, value >> 8) == (0x21, 9, 3):
            print("feature", data.hex(), flush=True)
            # A command and its result: code 0, four bytes "V1.0", then zeros.
            self.feature = data if data[:1] == b"\xee" else bytes([0, 4]) + b"V1.0"
            return b""
        if (kind, request, value >> 8) == (0xA1, 1, 3):
            return self.feature.ljust(self.feature_length, b"\0")
        return b"" if (kind, request) == (0x21, 10) else None

    def report_descriptor(self):
        count = struct.pack("<H", self.report_length)
        return (bytes.fromhex("0600FF0901A101150026FF0075080920") + b"\x96" + count + bytes.fromhex("820201") + bytes.fromhex("0920")
                + bytes([0x95, self.feature_length]) + bytes.fromhex("B20201C0"))

    def interfaces(self):
        return 1, bytes([9, 4, 0, 0, 1, 3, 0, 0, 0]) + struct.pack("<BBHBBBH", 9, 0x21, 0x111, 0, 1, 0x22, len(self.report_descriptor())) + bytes([7, 5, 0x81, 3, 64, 0, 1])

    def swipe(self, report):
        self.push(1, report.ljust(self.report_length, b"\0"))


class SureSwipe(HidReader):
    product, strings, report_length, feature_length = 0x0002, ["", "Mag-Tek", "USB Swipe Reader", "S1"], 337, 24


class MagneSafe(HidReader):
    product, strings, report_length, feature_length = 0x0011, ["", "Mag-Tek", "USB MagneSafe", "S2"], 887, 60


class PlayedHid(Played, HidReader):
    """A device behind reports: what the host sends comes in output reports."""

    def __init__(self):
        super().__init__(1)

    def control(self, kind, request, value, index, length, data):
        if (kind, request, value >> 8) == (0x21, 9, 2):
            self.received(0, data)
            return b""
        return super().control(kind, request, value, index, length, data)

    def report_descriptor(self):
        """Items of one byte each: usages, then for each report its number (none for 0), its length and its kinds (HID 1.11, 6.2.2)."""
        items = bytes.fromhex("0600FF0901A101150026FF007508")
        for number, length, kinds in self.reports:
            items += (bytes([0x85, number]) if number else b"") + bytes([0x95, length])
            items += b"".join(bytes([9, 0x20, kind, 2]) for kind in kinds)
        return items + b"\xC0"


INPUT, OUTPUT, FEATURE = 0x81, 0x91, 0xB1


class DynaFlex(PlayedHid):
    product, strings, reports = 0x2020, ["", "MagTek", "DynaFlex", "D1"], [(0, 64, (INPUT, OUTPUT))]

    @staticmethod
    def protocol(say):
        return kernels.DynaFlex(say, served_card("dynaflex"))


class TDynamo(PlayedHid):
    product, strings, reports = 0x001C, ["", "MagTek", "tDynamo", "D2"], [(1, 60, (INPUT, FEATURE)), (2, 63, (INPUT,))]

    @staticmethod
    def protocol(say):
        return kernels.TDynamo(say, served_card("tdynamo"))

    def control(self, kind, request, value, index, length, data):
        if (kind, request, value) == (0x21, 9, 0x0301):
            command = self.played.command(data[1:])
            if command:
                self.received(0, command)
            return b""
        if (kind, request, value) == (0xA1, 1, 0x0301):
            return b"\x01" + self.played.answer.ljust(60, b"\0")
        return super().control(kind, request, value, index, length, data)


class Neo(PlayedHid):
    vendor, product, strings = 0x0ACD, 0x3530, ["", "ID TECH", "VP3300", "D3"]
    reports = [(number, 63, (INPUT, OUTPUT)) for number in (1, 2, 3, 4)]

    @staticmethod
    def protocol(say):
        return kernels.NEO(say, served_card("neo"))


KINDS = {"ccid-t1": CcidT1, "ccid-extended": CcidExtended, "ccid-short": CcidShort, "ccid-served": CcidServed, "acm": Acm, "abecs": AbecsPad,
         "miura": MiuraPad, "hid-337": SureSwipe, "hid-887": MagneSafe, "ccid-field": CcidField, "ccid-identifier": CcidIdentifier,
         "dynaflex": DynaFlex, "tdynamo": TDynamo,
         "miura-tap": MiuraTap, "neo": Neo, "acr122": Acr122, "pn531": Pn531, "pn533": Pn533,
         "pn532": Pn532, "pn532-card": Pn532Card}


def swipe_again(device, report):
    """Somebody swipes every half second: what comes before a program waits is lost."""
    while True:
        try:
            if device.waiting[1]:
                device.swipe(report)
        except OSError:
            pass  # Unplugged meanwhile.
        time.sleep(0.5)


def main():
    device = KINDS[sys.argv[1]]()
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    device.plug(port)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "plug":
            device.plug(port)
        elif word == "unplug":
            device.unplug(port)
        elif word == "cycle":
            count, seconds = rest.split()
            for _ in range(int(count)):
                device.plug(port)
                time.sleep(float(seconds))
                device.unplug(port)
            print("cycled", count, flush=True)
        elif word == "swipe":
            device.swipe(bytes.fromhex(rest))
        elif word == "swipes":
            threading.Thread(target=swipe_again, args=(device, bytes.fromhex(rest)), daemon=True).start()
        elif word == "unplug-at":
            device.transfers, device.last_transfer = 0, int(rest)
        elif word == "leave-at":
            device.leaves_at = int(rest)
        elif word in ("insert", "remove"):
            device.set_present(word == "insert")
        elif word == "mute":
            device.mute = not device.mute
        elif word == "quit":
            os._exit(0)


if __name__ == "__main__":
    main()

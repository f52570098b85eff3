"""Readers whose own kernels take taps, from their side of the line, for usbip_device.py: MagTek's DynaFlex and tDynamo, Miura, ID TECH NEO.

One small kernel, `Tap`, is behind them all. It knows cards that answer GET PROCESSING OPTIONS with their cryptogram (EMV Contactless Book C-3) alone."""
import datetime
import os
import subprocess

import pinpads


def objects(data):
    """Tag and value of each data object, those in templates too (ISO/IEC 7816-4, BER-TLV)."""
    index = 0
    while index < len(data):
        if data[index] == 0:
            # Filler between objects.
            index += 1
            continue
        end = index + 1
        if data[index] & 0x1F == 0x1F:
            while data[end] & 0x80:
                end += 1
            end += 1
        tag, length, end = data[index:end], data[end], end + 1
        if length & 0x80:
            count = length & 0x7F
            length, end = int.from_bytes(data[end:end + count], "big"), end + count
        value, index = data[end:end + length], end + length
        yield tag.hex().upper(), value
        if tag[0] & 0x20:
            yield from objects(value)


def tlv(tag, value):
    count = len(value)
    length = bytes([count]) if count < 128 else bytes([0x81, count]) if count < 256 else b"\x82" + count.to_bytes(2, "big")
    return bytes.fromhex(tag) + length + value


class Tap:
    """A tap that goes to the issuer: the card's data objects and the terminal's."""

    DIRECTORY = bytes.fromhex("00A404000E325041592E5359532E444446303100")

    def __init__(self, card, request):
        """`request`: the values of 9F02, 9F03, 9C and 5F2A by tag."""
        terminal = {
            # TTQ: EMV mode, contacts, online PIN, signature; a cryptogram for the issuer is required.
            "9F66": bytes.fromhex("36804000"), "9F02": bytes(6), "9F03": bytes(6), "9F1A": b"\x02\x80", "95": bytes(5), "5F2A": b"\x09\x78",
            "9A": bytes.fromhex(datetime.date.today().strftime("%y%m%d")), "9C": b"\0", "9F37": os.urandom(4)} | request
        card.reset()
        name = self.last(card.answer(self.DIRECTORY), "4F")
        answer = card.answer(bytes.fromhex("00A40400") + bytes([len(name)]) + name + b"\0")
        values = b"".join(terminal.get(tag, bytes(length)) for tag, length in self.list(self.last(answer, "9F38")))
        options = card.answer(b"\x80\xa8\0\0" + bytes([len(values) + 2, 0x83, len(values)]) + values + b"\0")
        del terminal["9F66"]
        self.objects = {"84": name} | terminal | {tag: value for tag, value in objects(options[:-2]) if not int(tag[:2], 16) & 0x20}

    @staticmethod
    def last(answer, tag):
        return dict(objects(answer[:-2]))[tag]

    @staticmethod
    def list(data):
        """The tags and lengths of a PDOL."""
        index = 0
        while index < len(data):
            size = 2 if data[index] & 0x1F == 0x1F else 1
            yield data[index:index + size].hex().upper(), data[index + size]
            index += size + 1

    def encoded(self, leaves_out=()):
        return b"".join(tlv(tag, value) for tag, value in self.objects.items() if tag not in leaves_out)


class Device:
    """What the readers share: they answer through `say`, and get a card that is held to them from the start on."""

    def __init__(self, say, card):
        self.say, self.card = say, card
        self.restart()

    def restart(self):
        self.buffer = b""


class MagTek(Device):
    """What MagTek's readers share: card data in the DynaPro format (DynaFlex family programmer's manual, table 4.52)."""

    SERIAL = bytes.fromhex("992690E116120710")
    # ANSI X9.24-1:2009, annex A.4: base key 0123456789ABCDEFFEDCBA9876543210, counter 8, variant of the PIN.
    KSN, KEY = bytes.fromhex("FFFF9876543210E00008"), "27F66D5244FF621EAA6F6120EDEB427F"
    SECRET = ("57", "5A", "5F20", "9F1F")

    def card_data(self, request):
        """The online request of a tap."""
        tap = Tap(self.card, request)
        clear = tlv("FC", tap.encoded())
        hidden = subprocess.run(["openssl", "enc", "-des-ede-cbc", "-K", self.KEY, "-iv", "0" * 16, "-nopad"],
                                input=clear + bytes(-len(clear) % 8), capture_output=True, check=True).stdout
        number = tap.objects["57"].hex().upper().split("D")
        shown = f";{number[0][:4]}{'0' * (len(number[0]) - 8)}{number[0][-4:]}={number[1][:4]}0000000000000?"
        arqc = tap.encoded(self.SECRET) + tlv("DFDF53", b"\0") + tlv("DFDF4D", shown.encode()) + tlv("DFDF52", b"\x06")
        arqc += tlv("F8", tlv("DFDF59", hidden) + tlv("DFDF56", self.KSN) + tlv("DFDF57", b"\x81") + tlv("DFDF58", bytes([-len(clear) % 8])))
        data = tlv("F9", tlv("DFDF54", self.KSN) + tlv("DFDF55", b"\x82") + tlv("DFDF25", self.SERIAL) + tlv("FA", tlv("70", arqc)))
        return len(data).to_bytes(2, "big") + data + bytes(-(len(data) + 2) % 8 + 4)

    @staticmethod
    def approves(answer):
        return dict(objects(answer)).get("8A") == b"00"


class DynaFlex(MagTek):
    """Messages of the MMS framework in reports of 64 bytes (DynaFlex family programmer's manual, tables 2.11 to 2.15)."""

    CONTACTLESS = 0x20

    def received(self, packet):
        kind = packet[0]
        if kind == 0:
            return self.take(packet[2:2 + packet[1]])
        if kind == 1:
            self.buffer = packet[5:64]
        elif kind == 2:
            self.buffer += packet[3:64]
        elif kind == 3:
            self.take(self.buffer + packet[2:2 + packet[1]])

    def send(self, message):
        if len(message) <= 62:
            return self.say((bytes([0, len(message)]) + message).ljust(64, b"\0"))
        self.say(b"\x01" + len(message).to_bytes(4, "big") + message[:59])
        rest, number = message[59:], 1
        while len(rest) > 62:
            self.say(b"\x02" + number.to_bytes(2, "big") + rest[:61])
            rest, number = rest[61:], number + 1
        self.say((bytes([3, len(rest)]) + rest).ljust(64, b"\0"))

    def notify(self, code, detail, payload=b""):
        code = bytes.fromhex(code)
        self.send(b"\xaa\0" + tlv("81", b"\x83\0" + code) + tlv("82", bytes(detail)) + (tlv("84", code + payload) if payload else b""))

    def take(self, message):
        parts = dict(objects(message[2:]))
        head, payload = parts["81"], parts.get("84", b"\0\0")[2:]
        answer = b""
        # Get property (command D101): kind, numbers, and the last number as the tag of the value.
        if head[2:4] == b"\xd1\x01":
            asked, name = dict(objects(payload)), b"DynaFlex"
            value = asked["89"][:1] + bytes([len(name)]) + name
            answer = tlv("84", head[2:4] + tlv("85", asked["85"]) + tlv("87", asked["87"]) + tlv("89", value))
        self.send(b"\xaa\0" + tlv("81", b"\x82" + head[1:4]) + tlv("82", bytes(4)) + answer)
        if head[2:4] == b"\x10\x01":
            asked = dict(objects(payload))
            self.notify("0101", [self.CONTACTLESS, 1, 2, 0])
            self.notify("0101", [self.CONTACTLESS, 8, 2, 2], self.card_data(dict(objects(asked["86"]))))
        elif head[2:4] == b"\x10\x04":
            self.notify("0105", [self.CONTACTLESS, 2, 6 if self.approves(dict(objects(payload))["84"]) else 0x80, 0])


class TDynamo(MagTek):
    """Extended commands in feature reports, notifications in input report 2 (eDynamo programmer's manual D998200115-17, 7.2 and 8)."""

    def __init__(self, say, card):
        super().__init__(say, card)
        self.answer = b""

    def command(self, report):
        """A feature report without its number; the answer stays in `answer`. Its notifications come after it."""
        # Get property (command 00) of any property.
        if report[0] == 0:
            self.answer = b"\0\x0a1000003354"
            return None
        packet = report[2:2 + report[1]]
        offset, number, length = (int.from_bytes(packet[index:index + 2], "big") for index in (0, 2, 4))
        self.buffer = (b"" if offset == 0 else self.buffer) + packet[6:]
        if len(self.buffer) < length:
            self.answer = b"\x0b\0"
            return None
        # Card types: bit 2 is the field.
        is_refused = number == 0x0300 and not self.buffer[1] & 0x04
        self.answer = bytes.fromhex("0A060000038E0000" if is_refused else "0A06000000000000")
        return None if is_refused else (number, self.buffer)

    def received(self, command):
        number, data = command
        if number == 0x0300:
            self.notify(0x0300, bytes([0, 60, 1, 0, 0]))
            self.notify(0x0301, b"PRESENT CARD")
            self.notify(0x0300, bytes([9, 60, 2, 0, 0]))
            self.notify(0x0303, self.card_data({"9F02": data[3:9], "9C": data[9:10], "9F03": data[10:16], "5F2A": data[16:18]}))
        elif number == 0x0303:
            approved = self.approves(data[2:])
            self.notify(0x0300, bytes([3, 0, 0x2C, 0, 0]))
            result = tlv("FE", tlv("FA", tlv("F0", tlv("F1", tlv("DFDF1A", b"\0" if approved else b"\x01")))))
            self.notify(0x0304, b"\0" + len(result).to_bytes(2, "big") + result)

    def notify(self, identifier, data):
        for offset in range(0, len(data), 55):
            part = data[offset:offset + 55]
            head = b"".join(number.to_bytes(2, "big") for number in (len(part), offset, identifier, len(data)))
            self.say((b"\x02" + head + part).ljust(64, b"\0"))


class Miura(pinpads.Miura):
    """The PIN pad with a card in its field, and nobody who swipes one."""

    def __init__(self, say, card):
        super().__init__(say, b"")
        self.card = card

    def take(self, command):
        name = command[:2]
        if name == b"\xd0\x60":
            if command[2] & 1:
                self.send(self.tlv("E1", self.tlv("48", b"\0\0")), unsolicited=True)
            return None
        if name == b"\xde\xc1":
            request = dict(objects(command[5:5 + command[4]]))
            tap = Tap(self.card, {tag: value for tag, value in request.items() if tag in ("9F02", "9F03", "9C", "5F2A")})
            return self.send(tlv("E4", tap.encoded()))
        if name == b"\xde\xd2":
            approved = dict(objects(command[5:5 + command[4]])).get("8A") == b"00"
            return self.send(tlv("E3" if approved else "E5", b""))
        return super().take(command)


class NEO(Device):
    """Frames of the ViVOtech protocol (80139403-002, "Protocol 2") in numbered reports of 63 bytes: 1 alone, 2 first, 3 middle, 4 last."""

    TAG = b"ViVOtech2\0"

    def received(self, report):
        self.buffer = (b"" if report[0] in (1, 2) else self.buffer) + report[1:]
        if report[0] in (1, 4):
            frame, self.buffer = self.buffer, b""
            self.take(frame[10], frame[11], frame[14:14 + int.from_bytes(frame[12:14], "big")])

    def send(self, command, status, data=b""):
        body = self.TAG + bytes([command, status]) + len(data).to_bytes(2, "big") + data
        frame = body + pinpads.crc(body, 0xFFFF).to_bytes(2, "big")
        for start in range(0, len(frame), 63):
            is_last = start + 63 >= len(frame)
            number = (1 if is_last else 2) if start == 0 else (4 if is_last else 3)
            self.say(bytes([number]) + frame[start:start + 63].ljust(63, b"\0"))

    def take(self, command, subcommand, data):
        if (command, subcommand) != (2, 0x40):
            return self.send(command, 0)
        request = dict(objects(data[1:]))
        # A card is found; attribution 01: in the field, with EMV data.
        self.send(command, 0x0E, b"\x01")
        tap = Tap(self.card, {tag: value for tag, value in request.items() if tag in ("9F02", "9F03", "9C", "5F2A")})
        self.send(command, 0x23, b"\x01" + tap.encoded() + tlv("DF52", b"\0"))

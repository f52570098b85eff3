"""PIN pads from their own side of the line, for usbip_device.py: bytes in, bytes out. Written from the protocols' descriptions alone."""
import threading
import time


class ServedCard:
    """The card of `cardpresent card serve --vpcd`, which connects to `port` and expects to be polled (vsmartcard, vpcd's protocol)."""

    OFF, ON, RESET, ANSWER_TO_RESET = b"\x00", b"\x01", b"\x02", b"\x04"

    def __init__(self, listener):
        self.lock = threading.Lock()
        self.listener = listener
        self.link, _ = listener.accept()
        threading.Thread(target=self.poll, daemon=True).start()

    def poll(self):
        while True:
            self.atr()
            time.sleep(0.4)

    def tell(self, message):
        with self.lock:
            self.link.sendall(len(message).to_bytes(2, "big") + message)

    def ask(self, message):
        with self.lock:
            self.link.sendall(len(message).to_bytes(2, "big") + message)
            return self.read(int.from_bytes(self.read(2), "big"))

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.link.recv(count - len(data))
            if not part:
                raise EOFError("the card is gone")
            data += part
        return data

    def atr(self):
        return self.ask(self.ANSWER_TO_RESET)

    def power_on(self):
        self.tell(self.ON)
        return self.atr()

    def power_off(self):
        self.tell(self.OFF)

    def reset(self):
        self.tell(self.RESET)

    def answer(self, command):
        return self.ask(command)


def crc(data, register=0):
    """x^16 + x^12 + x^5 + 1, from 0 as ABECS 2.12, 7.2, has it."""
    for byte in data:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ (0x1021 if register & 0x8000 else 0)) & 0xFFFF
    return register


class Abecs:
    """A PIN pad of the Brazilian specification (ABECS Pinpad 2.12) with a chip card in it."""

    SYN, ETB, ESCAPE = 0x16, 0x17, 0x13
    CHIP_PRESENT = b"92"

    def __init__(self, say, card):
        self.say, self.card = say, card
        self.restart()

    def restart(self):
        self.packet, self.last = None, b""

    def received(self, data):
        for byte in data:
            if self.packet is None:
                if byte == self.SYN:
                    self.packet = bytearray()
                elif byte == 0x18:
                    self.say(b"\x04")
                elif byte == 0x15:
                    self.say(self.last)
                continue
            self.packet.append(byte)
            if len(self.packet) >= 3 and self.packet[-3] == self.ETB:
                packet, self.packet = bytes(self.packet), None
                self.take(packet)

    def take(self, packet):
        data, escaped = bytearray(), False
        for byte in packet[:-3]:
            if escaped:
                data.append(byte - 0x20)
            elif byte != self.ESCAPE:
                data.append(byte)
            escaped = byte == self.ESCAPE and not escaped
        if crc(data + bytes([self.ETB])) != int.from_bytes(packet[-2:], "big"):
            return self.say(b"\x15")
        self.say(b"\x06")
        answer = self.answer(bytes(data[:3]), bytes(data[3:]))
        body = b"".join(bytes([self.ESCAPE, byte + 0x20]) if byte in (self.SYN, self.ETB, self.ESCAPE) else bytes([byte]) for byte in answer)
        self.last = bytes([self.SYN]) + body + bytes([self.ETB]) + crc(answer + bytes([self.ETB])).to_bytes(2, "big")
        self.say(self.last)

    def answer(self, name, rest):
        if name in (b"OPN", b"CLO", b"DEX", b"DSP", b"RMC"):
            return name + b"000"
        if name == b"CEX":
            # The options are six digits: keys, stripe, chip, contactless, two reserved.
            options = rest[-6:]
            event = b"\x80\x40" + (2).to_bytes(2, "big") + self.CHIP_PRESENT
            return name + (b"000%03d" % len(event) + event if options[2:3] == b"1" else b"012")
        if name == b"CHP":
            return self.chip(rest[3:])
        return b"ERR010"

    def chip(self, block):
        operation, digits = block[1:2], block[5:]
        if operation == b"0":
            self.card.power_off()
            return b"CHP000003000"
        answer = self.card.power_on() if operation == b"1" else self.card.answer(bytes.fromhex(digits.decode()))
        text = answer.hex().upper().encode()
        return b"CHP000%03d%03d" % (len(text) + 3, len(answer)) + text


class Miura:
    """A PIN pad with the Miura payment interface (MPI) and somebody who swipes a card on each request."""

    def __init__(self, say, track):
        self.say, self.track = say, track
        self.restart()

    def restart(self):
        self.buffer, self.apdu = b"", b""

    def received(self, data):
        self.buffer += data
        while len(self.buffer) >= 3 and len(self.buffer) >= self.buffer[2] + 4:
            size = self.buffer[2] + 4
            packet, self.buffer = self.buffer[:size], self.buffer[size:]
            check = 0
            for byte in packet:
                check ^= byte
            if check == 0:
                self.apdu += packet[3:-1]
                if not packet[1] & 1:
                    command, self.apdu = self.apdu, b""
                    self.take(command)

    def send(self, body, status=b"\x90\x00", unsolicited=False):
        message = body + status
        while message:
            count = 253 if len(message) == 255 else min(254, len(message))
            part, message = message[:count], message[count:]
            packet = bytes([1, (1 if message else 0) | (0x40 if unsolicited else 0), len(part)]) + part
            check = 0
            for byte in packet:
                check ^= byte
            self.say(packet + bytes([check]))

    @staticmethod
    def tlv(tag, value):
        return bytes.fromhex(tag) + bytes([len(value)]) + value

    def take(self, command):
        name = command[:2]
        if name == b"\xd0\x00":
            software = self.tlv("EF", self.tlv("DF0D", b"M000-MPI") + self.tlv("DF7F", b"1-50"))
            return self.send(self.tlv("E1", self.tlv("9F1E", b"01234567") + software))
        if name == b"\xd0\x62":
            return self.send(self.tlv("E1", self.tlv("DFA209", b"\x02") + self.tlv("DFA20A", b"\x57")))
        if name == b"\xd0\x60":
            if command[2] & 1:
                self.send(self.tlv("E1", self.tlv("48", b"\0\0")), unsolicited=True)
                self.send(self.tlv("E1", self.tlv("48", b"\0\x01") + self.tlv("5F22", self.track)), unsolicited=True)
            return None
        return self.send(b"") if name in (b"\xd0\xff", b"\xd2\x01") else self.send(b"", b"\x6d\x00")

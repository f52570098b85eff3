"""A contactless card (ISO/IEC 14443-4), the chip PN532 in whose field it is, and a PN532 as such a card (NXP UM0701-02), for emulated readers."""
import threading

WTX, DESELECT = 0xF2, 0xC2
# FSCI 8: 256 bytes. TA: 106 kbit/s. TB: a waiting time of 39 ms and no guard time. TC: neither NAD nor CID.
ANSWER_TO_SELECT = bytes.fromhex("0578807002")


class ContactlessCard:
    """The card's side of ISO/IEC 14443-4 above `card`, which is reset and answers to APDUs. It asks for more time before each answer to GENERATE AC."""

    sizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]

    def __init__(self, card):
        self.card = card
        self.off()

    def off(self):
        self.size, self.number, self.command, self.parts, self.last, self.pending = 0, 1, b"", [], None, None

    def take(self, block):
        """The card's answer; nothing if it is silent."""
        if not self.size:
            if len(block) != 2 or block[0] != 0xE0:
                return None
            # FSD less the control byte and the check sum.
            self.size = self.sizes[min(block[1] >> 4, 8)] - 3
            self.card.reset()
            return ANSWER_TO_SELECT
        control, data = block[0], block[1:]
        if control & 0xE2 == 0x02:
            # Rule D: with each I-block the card's number changes.
            self.number ^= 1
            self.command += data
            if control & 0x10:
                return self.say(bytes([0xA2 | self.number]))
            command, self.command = self.command, b""
            if command[1:2] == b"\xAE":
                self.pending = command
                return self.say(bytes([WTX, 1]))
            return self.answer(command)
        if control & 0xE6 == 0xA2:
            if control & 0x10 and control & 1 != self.number:
                return self.say(bytes([0xA2 | self.number]))
            # Rules 11 to 13: the same number asks for the last block again, the other one confirms it.
            if control & 1 == self.number:
                return self.last
            self.number ^= 1
            return self.next() if self.parts else None
        if control == WTX and self.pending is not None:
            command, self.pending = self.pending, None
            return self.answer(command)
        if control == DESELECT:
            self.off()
            return bytes([DESELECT])
        return None

    def answer(self, command):
        answer = self.card.answer(command)
        self.parts = [answer[index:index + self.size] for index in range(0, len(answer), self.size)]
        return self.next()

    def next(self):
        part = self.parts.pop(0)
        return self.say(bytes([(0x12 if self.parts else 0x02) | self.number]) + part)

    def say(self, block):
        self.last = block
        return block


class Chip:
    """A PN532, or a PN533. Every ninth block of the card comes damaged."""

    def __init__(self, card, kind=0x32):
        self.card, self.kind, self.present, self.field, self.blocks = ContactlessCard(card), kind, True, False, 0

    def perform(self, command):
        """A command without TFI; the answer without it too."""
        code, data = command[0], command[1:]
        answer = bytes([code + 1])
        if code == 0x02:
            return answer + bytes([self.kind, 1, 6, 7])
        if code in (0x12, 0x14, 0x52):
            return answer + (b"\0" if code == 0x52 else b"")
        if code == 0x32:
            if data[0] == 1:
                self.field = bool(data[1] & 1)
                self.card.off()
            return answer
        if code == 0x4A:
            found = self.present and self.field and data[1] == 0
            # Target, SENS_RES, SEL_RES with ISO/IEC 14443-4, NFCID1.
            return answer + (bytes.fromhex("0101000420") + bytes.fromhex("0408A1B2C3") if found else b"\0")
        if code == 0x42:
            block = self.card.take(data) if self.present and self.field else None
            if block is None:
                return answer + b"\x01"
            self.blocks += 1
            return answer + b"\x02" if self.blocks % 9 == 0 and block[0] & 0xC0 != 0xC0 else answer + b"\0" + block
        return b"\x7F"

    def abort(self):
        """Nothing is in progress: `perform` comes to its end."""


class CardChip:
    """A PN532 that is a card in the field of a terminal (7.3.14 to 7.3.17): its host says what the card answers.

    The terminal's chip is at the other end of `link`, and takes this one for a card of vsmartcard's vpcd."""

    RESET, ASKS_FOR_ATR = b"\x02", b"\x04"
    ANSWER_TO_RESET = bytes.fromhex("3B80800101")

    def __init__(self, link):
        self.link, self.state, self.field = link, threading.Condition(), False
        self.number, self.tapped, self.activated, self.over, self.command = 0, False, False, False, None
        threading.Thread(target=self.live, daemon=True).start()

    def live(self):
        messages = self.link.makefile("rb")
        while head := messages.read(2):
            message = messages.read(int.from_bytes(head, "big"))
            if message == self.ASKS_FOR_ATR:
                self.tell(self.ANSWER_TO_RESET)
                continue
            with self.state:
                if len(message) == 1:
                    # The last tap is over, and RATS of the next one is answered.
                    self.over, self.activated, self.command = self.tapped, message == self.RESET, None
                else:
                    self.command = message
                self.state.notify_all()

    def tell(self, message):
        self.link.sendall(len(message).to_bytes(2, "big") + message)

    def perform(self, command):
        """A command without TFI; the answer without it too, or nothing if it comes later."""
        code, data = command[0], command[1:]
        self.abort()
        if code == 0x8C:
            return self.later(lambda: self.activated, self.activation)
        if code == 0x86:
            return self.later(lambda: self.over or self.command is not None, self.data)
        with self.state:
            if code == 0x8E:
                if not self.tapped or self.over:
                    return b"\x8F\x29"
                self.tell(data)
                return b"\x8F\0"
            if code == 0x52:
                self.tapped = False
        answers = {0x02: bytes([0x32, 1, 6, 7]), 0x06: b"\0", 0x08: b"", 0x12: b"", 0x14: b"", 0x32: b"", 0x52: b"\0"}
        return bytes([code + 1]) + answers[code] if code in answers else b"\x7F"

    def activation(self):
        self.activated, self.tapped, self.over = False, True, False
        # Mode: 106 kbit/s, ISO/IEC 14443-4; the terminal's RATS.
        return bytes.fromhex("8D08E080")

    def data(self):
        if self.over:
            self.over, self.tapped = False, False
            return b"\x87\x29"
        command, self.command = self.command, None
        return b"\x87\0" + command

    def later(self, is_ready, answer):
        number = self.number

        def wait():
            with self.state:
                self.state.wait_for(lambda: self.number != number or is_ready())
                if self.number == number:
                    self.say(answer())

        threading.Thread(target=wait, daemon=True).start()

    def abort(self):
        with self.state:
            self.number += 1
            self.state.notify_all()


class Frames:
    """The chip's frames (UM0701-02, 6.2.1) on a line: bytes in, and `write` gets those that come out."""

    def __init__(self, chip, write):
        self.chip, self.write, self.buffer, self.lock, self.last = chip, write, b"", threading.Lock(), b""
        chip.say = self.say

    def restart(self):
        self.buffer, self.chip.field = b"", False

    def received(self, data):
        with self.lock:
            self.buffer += data
            while self.step():
                pass

    def step(self):
        start = self.buffer.find(b"\x00\xFF")
        if start < 0:
            self.buffer = self.buffer[-1:]
            return False
        rest = self.buffer[start + 2:]
        if len(rest) < 2:
            return False
        if rest[:2] in (b"\x00\xFF", b"\xFF\x00"):
            # Acknowledgment: the end of what is in progress. Refusal: the answer again.
            self.buffer = rest[2:]
            if rest[:2] == b"\x00\xFF":
                self.chip.abort()
            elif self.last:
                self.write(self.last)
            return True
        head = 2
        if rest[:2] == b"\xFF\xFF":
            if len(rest) < 5:
                return False
            head = 5
        length = rest[2] << 8 | rest[3] if head == 5 else rest[0]
        if len(rest) < head + length + 1:
            return False
        body, self.buffer = rest[head:head + length], rest[head + length + 1:]
        if (sum(body) + rest[head + length]) & 0xFF or body[:1] != b"\xD4":
            return True
        self.write(b"\x00\x00\xFF\x00\xFF\x00")
        answer = self.chip.perform(body[1:])
        if answer is not None:
            self.say(answer)
        return True

    def say(self, answer):
        self.last = self.frame(answer if answer == b"\x7F" else b"\xD5" + answer)
        self.write(self.last)

    @staticmethod
    def frame(body):
        length = bytes([len(body), -len(body) & 0xFF])
        if len(body) > 255:
            length = bytes([0xFF, 0xFF, len(body) >> 8, len(body) & 0xFF, -(len(body) >> 8) - (len(body) & 0xFF) & 0xFF])
        return b"\x00\x00\xFF" + length + body + bytes([-sum(body) & 0xFF, 0])

"""Draws taps at random and says how each must end: configuration, card and outcome of Visa's and Mastercard's kernels.

The rules are those of docs/conformance-contactless.md, written down here a second time, from the books' side, and share no
code or table with the kernels. The cards are bytes: directory, application, records with certificates, and signatures by
keys that are made here. What a signature covers is computed before the reader sends it, so a reader that sends anything else
does not verify it.

usage: tap-peer.py SEED COUNT: JSON lines, the authority's keys first.
"""
import hashlib
import json
import random
import sys

import owhf2

COUNTRY, OTHER_COUNTRY = 250, 840
EURO, DOLLAR = 978, 840
AID = {3: "A0000000031010", 2: "A0000000041010"}
PAN_OF = {3: "4761739001010119", 2: "5413330089600119"}


# TLV and keys

def tlv(tag, value):
    value = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
    size = len(value)
    length = bytes([size]) if size < 128 else bytes([0x81, size]) if size < 256 else bytes([0x82, size >> 8, size & 255])
    return bytes.fromhex(tag) + length + value


def is_prime(n, rng):
    if any(n % p == 0 for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for _ in range(24):
        x = pow(rng.randrange(2, n - 1), d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


class Key:
    """RSA with exponent 3."""

    def __init__(self, size, rng):
        def prime(bits):
            while True:
                p = rng.getrandbits(bits) | 3 << (bits - 2) | 1
                if p % 3 == 2 and is_prime(p, rng):
                    return p
        while True:
            p, q = prime(size * 4), prime(size * 4)
            if p != q and (p * q).bit_length() == size * 8:
                break
        self.size, self.n, self.p, self.q = size, p * q, p, q
        self.exponents = pow(3, -1, p - 1), pow(3, -1, q - 1)
        self.inverse = pow(q, -1, p)
        self.modulus = self.n.to_bytes(size, "big")

    def sign(self, block):
        assert len(block) == self.size
        number = int.from_bytes(block, "big")
        first, second = pow(number, self.exponents[0], self.p), pow(number, self.exponents[1], self.q)
        return (second + (first - second) * self.inverse % self.p * self.q).to_bytes(self.size, "big")


def certificate(signer, header, key, static=b""):
    """EMV 4.4 Book 2, tables 2 and 14: the certificate, and the rest of the key."""
    room = signer.size - 22 - len(header) - 4
    left = key.modulus[:room] + b"\xBB" * max(0, room - key.size)
    rest = key.modulus[room:]
    content = header + b"\x01\x01" + bytes([key.size, 1]) + left
    digest = hashlib.sha1(content + rest + b"\x03" + static).digest()
    return signer.sign(b"\x6A" + content + digest + b"\xBC"), rest


def signed(key, form, dynamic, terminal):
    """Signed dynamic application data: EMV 4.4 Book 2, tables 17 and 22."""
    content = bytes([form, 1, len(dynamic)]) + dynamic
    content += b"\xBB" * (key.size - 22 - len(content))
    return key.sign(b"\x6A" + content + hashlib.sha1(content + terminal).digest() + b"\xBC")


def bcd(number, size):
    return bytes.fromhex(f"{number:0{size * 2}d}")


# What reader and terminal are set to

OFFLINE_ONLY, ONLINE_ONLY = (0x23, 0x26, 0x36, 0x13, 0x16), (0x21, 0x24, 0x34, 0x11, 0x14)
TYPES = (0x22, 0x22, 0x22, 0x25, 0x21, 0x23, 0x26, 0x24, 0x12)


def around(rng, limit):
    return max(0, limit + rng.choice((-1, 0, 1)))


def limits(rng):
    drawn = {"transactionLimit": 20000, "floorLimit": 5000, "cvmRequiredLimit": 8000, "terminalFloorLimit": 3000}
    drawn = {key: value for key, value in drawn.items() if rng.random() < 0.75}
    drawn["statusCheck"] = rng.choice((None, False, True))
    drawn["zeroAmount"] = rng.choice((None, False, True))
    return drawn


def pre_process(amount, limits, ttq):
    """Book B, 3.1.1.1 to 3.1.1.12; None if the combination is not allowed."""
    if ttq is not None:
        ttq = bytes([ttq[0], ttq[1] & 0x3F, ttq[2], ttq[3]])
    allowed = True
    check = limits["statusCheck"] is True and amount == 100
    zero = False
    if amount == 0:
        if limits["zeroAmount"] is False:
            allowed = False
        else:
            zero = True
    if "transactionLimit" in limits and amount >= limits["transactionLimit"]:
        allowed = False
    floor = limits.get("floorLimit", limits.get("terminalFloorLimit"))
    over_floor = floor is not None and amount > floor
    over_cvm = "cvmRequiredLimit" in limits and amount >= limits["cvmRequiredLimit"]
    if ttq is not None:
        second = ttq[1]
        if over_floor or check:
            second |= 0x80
        if zero:
            if ttq[0] & 0x08:
                allowed = False
            else:
                second |= 0x80
        if over_cvm:
            second |= 0x40
        ttq = bytes([ttq[0], second, ttq[2], ttq[3]])
    return ttq if allowed and ttq is not None else b"" if allowed else None


# Cards

def application(kernel, pdol, extra=b""):
    return tlv("6F", tlv("84", AID[kernel]) + tlv("A5", tlv("50", b"CARD".hex()) + (tlv("9F38", pdol) if pdol else b"") + extra)) + b"\x90\x00"


def directory(kernel):
    entry = tlv("61", tlv("4F", AID[kernel]) + tlv("87", "01"))
    name = b"2PAY.SYS.DDF01".hex()
    return tlv("6F", tlv("84", name) + tlv("A5", tlv("BF0C", entry))) + b"\x90\x00"


class Authority:
    def __init__(self, rng):
        self.ca, self.issuer, self.card = Key(144, rng), Key(128, rng), Key(112, rng)
        self.issuers = {
            kernel: certificate(self.ca, b"\x02" + bytes.fromhex(PAN_OF[kernel][:8]) + b"\x12\x30\x00\x00\x01", self.issuer)
            for kernel in PAN_OF}

    def objects(self, kernel, static, chain):
        """Records with certificates. `chain`: good, bad, or none."""
        if chain == "none":
            return {}
        pan = bytes.fromhex(PAN_OF[kernel] + "FFFF")
        issuer, rest = self.issuers[kernel]
        card, card_rest = certificate(self.issuer, b"\x04" + pan + b"\x12\x30\x00\x00\x02", self.card, static)
        if chain == "bad":
            card = bytes([card[0] ^ 1]) + card[1:]
        return {1: tlv("8F", "05") + tlv("92", rest) + tlv("9F32", "03"), 2: tlv("90", issuer),
                3: tlv("9F47", "03") + tlv("9F48", card_rest), 4: tlv("9F46", card)}


def date(rng, kind):
    return {"past": "260308", "today": "260309", "future": "491231"}[kind]


# Visa

def visa(rng, authority):
    ttq = bytearray(4)
    ttq[0] = 0x20 | rng.choice((0, 0x10)) | rng.choice((0, 0, 0x08)) | rng.choice((0, 0x04)) | rng.choice((0, 0x02)) | rng.choice((0, 0x01))
    ttq[2] = rng.choice((0, 0x40))
    kind = rng.choice((0x00, 0x00, 0x00, 0x20, 0x01, 0x09))
    own = limits(rng)
    amount = rng.choice((0, 100, 1000, around(rng, 3000), around(rng, 5000), around(rng, 8000), around(rng, 20000), 15000))
    kind = 0x00 if kind == 0x09 and amount == 0 else kind
    terminal = rng.choice(TYPES)
    sent = pre_process(amount, own, bytes(ttq))
    number = rng.randbytes(4)
    is_listed = rng.random() < 0.1
    case = {"kernel": 3, "ttq": bytes(ttq).hex(), "limits": own, "amount": amount, "kind": kind, "terminalType": terminal,
            "number": number.hex(), "isListed": is_listed, "capabilities": "000000"}
    if sent is None:
        return {**case, "card": None, "expect": {"status": "tryAnotherInterface", "message": 0x18}}
    if terminal in ONLINE_ONLY:
        sent = bytes([sent[0], sent[1] | 0x80, sent[2], sent[3]])

    information = rng.choice((0x00, 0x40, 0x40, 0x40, 0x80, 0x80, 0xC0))
    ctq = None
    if rng.random() < 0.85:
        ctq = bytes([rng.choice((0, 0x80)) | rng.choice((0, 0x40)) | rng.choice((0, 0x20)) | rng.choice((0, 0x10)) | rng.choice((0, 0x08))
                     | rng.choice((0, 0x04)) | rng.choice((0, 0x02)), rng.choice((0, 0x80))])
    has_dda = rng.random() < 0.8
    expiry = rng.choice(("past", "today", "future", "future", None))
    usage = rng.choice((None, "FFC0", "0000", "A800"))
    country = rng.choice((COUNTRY, OTHER_COUNTRY, None))
    authentication = rng.choice(("good", "good", "good", "bad signature", "bad chain", "version 00", "no related data", "none"))
    related_ctq = rng.choice((True, True, False))
    names_pan = rng.random() < 0.5
    if rng.random() < 0.5:
        # A card as most are.
        information, has_dda, expiry, usage, authentication, related_ctq = 0x40, True, "future", None, "good", True
        ctq = ctq and bytes([ctq[0] & 0x7F, ctq[1]])

    related = None
    if authentication not in ("none", "no related data"):
        version = 0 if authentication == "version 00" else 1
        inside = (ctq or b"\0\0") if related_ctq else bytes([(ctq or b"\0\0")[0] ^ 0x40, (ctq or b"\0\0")[1]])
        related = bytes([version]) + rng.randbytes(4) + inside
    amount_bytes, currency = bcd(amount, 6), bcd(EURO, 2)
    # A signed record: number, expiry date, usage and country.
    static = b""
    if names_pan:
        static += tlv("5A", PAN_OF[3])
    if expiry:
        static += tlv("5F24", date(rng, expiry))
    if usage:
        static += tlv("9F07", usage)
    if country:
        static += tlv("5F28", bcd(country, 2))
    chain = "none" if authentication == "none" else "bad" if authentication == "bad chain" else "good"
    records = {}
    locator = b""
    keys = authority.objects(3, static, chain)
    if keys:
        locator += bytes([0x10, 1, len(keys), 0])
        records.update({f"{p1:02X}14": tlv("70", value) for p1, value in keys.items()})
    if related is not None:
        records["010C"] = tlv("70", tlv("9F69", related))
        locator = bytes([0x08, 1, 1, 0]) + locator
    records["011C"] = tlv("70", static)
    locator += bytes([0x18, 1, 1, 1])

    iad = bytes([0x06, 0x01, 0x0A, 0x03, 0x80 | (information >> 2 & 0x30), 0x00, 0x00])
    options = tlv("82", "2000" if has_dda else "0000") + tlv("94", locator)
    options += tlv("57", PAN_OF[3] + "D4912201000000000F") + tlv("5F34", "01") + tlv("9F10", iad) + tlv("9F26", "0102030405060708")
    if rng.random() < 0.8:
        options += tlv("9F27", bytes([information]))
    options += tlv("9F36", "0007")
    if ctq is not None:
        options += tlv("9F6C", ctq)
    if authentication != "none":
        form = 0x05 if information == 0x40 else 0x95
        signature = signed(authority.card, form, b"\x02\x00\x07", number + amount_bytes + currency + (related or b""))
        if authentication == "bad signature":
            signature = bytes([signature[0] ^ 1]) + signature[1:]
        options += tlv("9F4B", signature)
    pdol = "9F66049F02069F03069F1A0295055F2A029A039C019F3704"
    case["card"] = {"directory": directory(3).hex(), "application": application(3, pdol).hex(),
                    "options": (tlv("77", options) + b"\x90\x00").hex(),
                    "records": {key: (value + b"\x90\x00").hex() for key, value in records.items()}, "cryptogram": None}
    case["expect"] = visa_outcome(sent, kind, terminal, is_listed, information, ctq, has_dda, expiry, usage, country, authentication,
                                  related, amount)
    case["expect"]["ttq"] = sent.hex()
    return case


def visa_outcome(ttq, kind, terminal, is_listed, information, ctq, has_dda, expiry, usage, country, authentication, related, amount):
    def ended(status, message, cvm=None):
        return {"status": status, "message": message, "cvm": cvm}

    declined = ended("declined", 0x07)
    other = ended("tryAnotherInterface", 0x1D)
    has_contacts, bits = ttq[0] & 0x10, ctq or b"\0\0"
    can_go_online = not ttq[0] & 0x08 and terminal not in OFFLINE_ONLY
    # 5.4.3
    if information == 0xC0:
        return declined
    if kind == 0x20:
        online = True
    elif information == 0x00:
        return declined
    else:
        online = information == 0x80 or bool(ttq[1] & 0x80)
    # 5.5, for offline approvals; where several apply the strictest counts
    if not online:
        if is_listed:
            return declined
        if kind in (0x01, 0x09):
            # 5.5.1.3 and 5.5.1.4: a card that says nothing of its usage, or of its country, allows nothing.
            first, second = bytes.fromhex(usage) if usage is not None and country is not None else b"\0\0"
            is_domestic = country == COUNTRY
            if kind == 0x01:
                allowed = first & (0x80 if is_domestic else 0x40)
            else:
                allowed = second & (0x80 if is_domestic else 0x40)
            if not allowed:
                return other if has_contacts and bits[0] & (0x04 if kind == 0x01 else 0x02) else declined
        if expiry in (None, "past"):
            if not (bits[0] & 0x08 and can_go_online):
                return declined
            online = True
    # 5.6
    is_signed = authentication != "none"
    asked = not online or (ttq[0] & 0x01 and has_dda and is_signed)
    if asked:
        good = has_dda and authentication == "good"
        if not good:
            if bits[0] & 0x20 and can_go_online:
                online = True
            else:
                return other if bits[0] & 0x10 and has_contacts else declined
    # 5.7
    required = ttq[1] & 0x40
    cvm = "none"
    if ctq is None:
        if required:
            if ttq[0] & 0x02:
                cvm = "signature"
            elif ttq[2] & 0x40 and ttq[0] & 0x04:
                cvm = "onlinePIN"
            else:
                return declined
    elif bits[0] & 0x80 and ttq[0] & 0x04:
        cvm = "onlinePIN"
    elif bits[1] & 0x80:
        genuine = related[5:7] == bits if related is not None else information == 0x80
        if not genuine:
            return declined
        cvm = "consumerDevice"
    elif bits[0] & 0x40 and ttq[0] & 0x02:
        cvm = "signature"
    elif required:
        return declined
    if cvm == "onlinePIN":
        online = True
    # 5.8
    if online:
        return ended("onlineRequest", 0x1B, cvm) if can_go_online else declined
    return ended("approved", 0x1A if cvm == "signature" else 0x03, cvm)


# Data storage of Mastercard

OPERATOR = "7A45123EE59C7F40"
LISTS = ("DF6008DF6108DF6201DF63A0", "DF6008DF6108DF6201DF63A0", "DF6201DF63A0", "DF63209F3704", "DF6108DF6204", None)


class Storage:
    """What the card has for the operator, what the terminal writes, and what comes of both."""

    def __init__(self, rng):
        self.version = rng.choice((1, 1, 2, 2, 0))
        self.identifier = rng.choice((PAN_OF[2] + "01",) * 19 + (PAN_OF[2] + "02",))
        self.list = rng.choice(LISTS)
        size = 16 if self.version == 2 else 8
        self.before = rng.randbytes(size)
        self.signed_before = rng.choice(("same",) * 8 + ("other", "none"))
        self.signed_after = rng.choice(("other",) * 6 + ("same", "same", "none"))
        self.second = self.before if self.signed_before == "same" else rng.randbytes(size)
        self.third = self.second if self.signed_after == "same" else rng.randbytes(size)
        self.management = rng.choice((0x80, 0x40, None))
        self.report = rng.choice(("slot", "slot", "free", "free", "slot without summary", "free without number"))
        self.write = None
        if rng.random() < 0.8:
            self.write = {
                "info": rng.choice((0x80, 0x40, 0x48)), "cryptogram": rng.choice((0x40, 0x80, 0x00, 0x40, 0x80, 0x00, None)),
                "instructions": rng.choice((0x00, 0x04, 0x20, 0x40, 0x60, 0xE6, 0x02, 0x00, 0x04, None)),
                "cardInput": rng.choice((None, rng.randbytes(8).hex(), rng.randbytes(8).hex())),
                "terminalInput": rng.choice((None, rng.randbytes(8).hex(), rng.randbytes(8).hex(), rng.randbytes(8).hex(), "0102")),
                "data": rng.choice((None, rng.randbytes(rng.randrange(1, 161)).hex(), rng.randbytes(rng.randrange(1, 40)).hex()))}

    def information(self, signs_declines):
        """Tags 9F5D and 9F5E in the answer to SELECT."""
        return tlv("9F5D", bytes([0x10 | self.version, signs_declines, 0])) + tlv("9F5E", self.identifier)

    def options(self):
        """What the answer to GET PROCESSING OPTIONS has."""
        found = b""
        if self.report == "free":
            found += tlv("9F5F", "C0") + tlv("9F7F", "01020304")
        if self.report == "free without number":
            found += tlv("9F5F", "C0")
        if self.report.startswith("slot"):
            found += tlv("9F54", b"STORED".hex())
            if self.management is not None:
                found += tlv("9F6F", bytes([self.management]))
        if self.report != "slot without summary":
            found += tlv("9F7D", self.before)
        return found

    def is_read(self):
        return self.version in (1, 2) and self.report in ("slot", "free")

    def signed(self):
        """Table 6.8: what is behind the cryptogram under the card's signature."""
        if self.signed_before == "none":
            return b""
        return self.second if self.signed_after == "none" else self.second + self.third

    def values(self, number):
        """The values of DSDOL: the last is as long as it is, zeros if it is absent."""
        write = self.write
        digest = bytes(8)
        if write["terminalInput"]:
            releases = self.report == "slot" and self.management == 0x80 and write["info"] & 0x40
            operator = bytes(8) if releases else bytes.fromhex(OPERATOR)
            function = owhf2.owhf2 if self.version == 1 else owhf2.owhf2_aes
            digest = function(bytes.fromhex(self.identifier), operator, bytes.fromhex(write["terminalInput"]))
        known = {"DF60": bytes.fromhex(write["cardInput"] or ""), "DF61": digest, "DF62": bytes([write["info"]]),
                 "DF63": bytes.fromhex(write["data"] or ""), "9F37": number}
        entries = [(self.list[at:at + 4], int(self.list[at + 4:at + 6], 16)) for at in range(0, len(self.list), 6)]
        result = b""
        for position, (tag, length) in enumerate(entries):
            value = known[tag][:length]
            is_last = position == len(entries) - 1
            result += value if value and is_last else value + bytes(length - len(value))
        return result

    def command(self, asked):
        """7.6: the cryptogram to ask for, whether the slot is written, or the error that ends the tap."""
        write = self.write
        if write is None or self.list is None:
            return asked, False, None
        if write["cryptogram"] is None or write["instructions"] is None or len(write["terminalInput"] or "00" * 8) != 16:
            return asked, False, 0x0D
        order = (0x00, 0x80, 0x40)
        if order.index(write["cryptogram"]) <= order.index(asked):
            return write["cryptogram"], True, None
        if write["instructions"] & {0x00: 0x20, 0x80: 0x40}[asked]:
            return asked, True, None
        return (asked, False, 0x0E) if write["instructions"] & 0x04 else (asked, False, None)

    def judge(self, writes):
        """S910.8 to S910.19: DS summary status, and the error that ends the tap."""
        if self.signed_before == "none":
            return 0x00, 0x01
        if self.second != self.before:
            return 0x00, 0x0B
        if not writes:
            return 0x80, None
        if self.signed_after == "none":
            return 0x80, 0x01
        if self.third == self.second:
            return 0x80, 0x0C if self.write["instructions"] & 0x02 else None
        return 0xC0, None


# Mastercard

CDOL1 = "9F02069F03069F1A0295055F2A029A039C019F37049F34039F3501"


def mastercard(rng, authority):
    kind = rng.choice((0x00, 0x00, 0x00, 0x20, 0x01, 0x09))
    kernel = {"floorLimit": 5000, "transactionLimit": 20000, "deviceTransactionLimit": 30000, "cvmRequiredLimit": 8000}
    amount = rng.choice((100, 1000, around(rng, 5000), around(rng, 8000), around(rng, 20000), around(rng, 30000), 15000))
    terminal = rng.choice(TYPES)
    number = rng.randbytes(4)

    def bits():
        value = 0
        for _ in range(rng.choice((0, 1, 3, 6))):
            value |= 1 << rng.randrange(40)
        return value

    terminal_codes = {name: bits() for name in ("denial", "online", "default")}
    for name in ("online", "default"):
        terminal_codes[name] |= rng.choice((0, 0, 0x0000008000))
    above = rng.choice((0x00, 0x20, 0x40, 0x60, 0x68, 0x28))
    below = rng.choice((0x08, 0x28, 0x00))
    device_reader = rng.random() < 0.6
    does_cda = rng.random() < 0.85
    has_contacts = rng.random() < 0.6
    case = {"kernel": 2, "limits": {"statusCheck": None, "zeroAmount": None}, "amount": amount, "kind": kind, "terminalType": terminal,
            "number": number.hex(), "isListed": False,
            "capabilities": f"{0x20 if has_contacts else 0:02X}00{0x08 if does_cda else 0:02X}",
            "kernel2": {**kernel, "above": above, "below": below, "device": device_reader,
                        **{name: f"{value:010X}" for name, value in terminal_codes.items()}}}

    device_card = rng.random() < 0.3
    verifies = rng.random() < 0.85
    card_cda = rng.random() < 0.85
    expiry = rng.choice(("past", "today", "future", "future", "future"))
    effective = rng.choice((None, "past", "past", "today", "future"))
    usage = rng.choice((None, None, "FFC0", "0000"))
    country = rng.choice((COUNTRY, OTHER_COUNTRY))
    version = rng.choice((None, "0002", "0002", "0003"))
    issuer_codes = {name: bits() if rng.random() < 0.8 else None for name in ("denial", "online", "default")}
    currency = rng.choice((EURO, EURO, DOLLAR))
    x, y = rng.choice((0, 5000)), 9000
    rules = None
    if rng.random() < 0.9:
        rules = [(rng.choice((0x1F, 0x1E, 0x02, 0x01, 0x00, 0x2A)) | rng.choice((0, 0x40)), rng.choice((0, 3, 3, 1, 2, 4, 5, 6, 7, 8, 9)))
                 for _ in range(rng.randrange(0, 5))]
    signs_declines = rng.random() < 0.3
    third_party = rng.choice((None, "0056" + "0001" + "3030" + "00", "0056" + "0001" + "3033" + "00", "0056" + "8001" + "00"))
    chain = rng.choice(("good", "good", "good", "good", "bad", "none"))
    if rng.random() < 0.5:
        # A card and an acquirer as most are.
        chain, expiry, effective, usage, version, card_cda, does_cda = "good", "future", "past", None, "0002", True, True
        terminal_codes = {name: 0 for name in terminal_codes}
        issuer_codes = {name: 0 for name in issuer_codes}
        case["kernel2"].update({name: "0000000000" for name in terminal_codes})
        case["capabilities"] = case["capabilities"][:4] + "08"
    storage = Storage(rng) if rng.random() < 0.4 else None
    if storage:
        case["storage"] = {"operator": OPERATOR, "write": storage.write}
    is_read = storage is not None and storage.is_read()
    is_device = device_reader and device_card
    interchange = (0x10 if verifies else 0) | (0x02 if device_card else 0) | (0x01 if card_cda else 0)

    static = tlv("5A", PAN_OF[2]) + tlv("5F24", date(rng, expiry)) + tlv("5F34", "01") + tlv("8C", CDOL1)
    if effective:
        static += tlv("5F25", date(rng, effective))
    if usage:
        static += tlv("9F07", usage)
    static += tlv("5F28", bcd(country, 2)) + tlv("9F42", bcd(currency, 2))
    if version:
        static += tlv("9F08", version)
    for tag, name in (("9F0E", "denial"), ("9F0F", "online"), ("9F0D", "default")):
        if issuer_codes[name] is not None:
            static += tlv(tag, f"{issuer_codes[name]:010X}")
    if rules is not None:
        static += tlv("8E", x.to_bytes(4, "big") + y.to_bytes(4, "big") + b"".join(bytes(rule) for rule in rules))
    if signs_declines and not storage:
        static += tlv("9F5D", "010100")
    if storage and storage.list:
        static += tlv("9F5B", storage.list)
    records = {f"{p1:02X}1C": tlv("70", value) for p1, value in authority.objects(2, static, chain).items()}
    locator = bytes([0x10, 1, 1, 1]) + (bytes([0x18, 1, 4, 0]) if chain != "none" else b"")
    records["0114"] = tlv("70", static)
    options = tlv("82", bytes([interchange, 0x80])) + tlv("94", locator) + (storage.options() if storage else b"")

    inside = (tlv("9F6E", third_party) if third_party else b"") + (storage.information(signs_declines) if storage else b"")
    card = {"directory": directory(2).hex(), "application": application(2, None, tlv("BF0C", inside) if inside else b"").hex(),
            "options": (tlv("77", options) + b"\x90\x00").hex(),
            "records": {key: (value + b"\x90\x00").hex() for key, value in records.items()}, "cryptogram": None}
    case["card"] = card
    if amount > (kernel["deviceTransactionLimit"] if is_device else kernel["transactionLimit"]):
        return {**case, "expect": {"status": "endApplication", "message": 0x1C}}

    if is_read and storage.identifier != PAN_OF[2] + "01":
        return {**case, "expect": {"status": "endApplication", "message": 0x1C, "error": 0x06}}

    # 7.6 before GENERATE AC: what the terminal verification results come to
    tvr = 0x0000000001
    signs = card_cda and does_cda or is_read
    key = signs and chain == "good"
    if not signs:
        tvr |= 0x8000000000
    elif not key:
        tvr |= 0x0400000000 | (0x2000000000 if chain == "none" else 0)
    if version == "0003":
        tvr |= 0x0080000000
    if expiry == "past":
        tvr |= 0x0040000000
    if effective == "future":
        tvr |= 0x0020000000
    if usage == "0000":
        tvr |= 0x0010000000
    above_limit = amount > kernel["cvmRequiredLimit"]
    capable = above if above_limit else below
    if is_device:
        cvm, results = ("consumerDevice", "010002") if above_limit else ("none", "3F0002")
    else:
        cvm, results, bits_of_cvm = by_list(rules, verifies, kind, terminal, capable, amount, currency, x, y)
        tvr |= bits_of_cvm
    if amount > kernel["floorLimit"]:
        tvr |= 0x0000008000

    # 7.8
    def hit(name, absent):
        issuer = issuer_codes[name] if issuer_codes[name] is not None else absent
        return tvr & (terminal_codes[name] | issuer)

    if is_device and not key:
        asked = 0x00
    elif hit("denial", 0):
        asked = 0x00
    elif terminal in ONLINE_ONLY:
        asked = 0x80
    elif terminal in OFFLINE_ONLY:
        asked = 0x00 if hit("default", 0xFFFFFFFFFF) else 0x40
    else:
        asked = 0x80 if hit("online", 0xFFFFFFFFFF) else 0x40
    # Of our own: a PIN that only the issuer verifies is never approved offline, nor is a refund.
    if asked == 0x40 and (cvm == "onlinePIN" or kind == 0x20):
        asked = 0x00 if terminal in OFFLINE_ONLY else 0x80
    writes, stored = False, b""
    if is_read and key:
        asked, writes, error = storage.command(asked)
        if error:
            return {**case, "expect": {"status": "endApplication", "message": 0x1C, "error": error, "summaryStatus": "00"}}
        stored = storage.values(number) if writes else b""
    wants_signature = key and (asked != 0x00 or signs_declines or is_read)

    # The card's answer
    answered = rng.choice((asked, asked, asked, asked, 0x00, 0x80, 0x40, 0xC0))
    signature = rng.choice(("good", "good", "good", "good", "bad", "missing"))
    values = bcd(amount, 6) + bytes(6) + bcd(COUNTRY, 2) + tvr.to_bytes(5, "big") + bcd(EURO, 2) + bytes.fromhex("260309")
    values += bytes([kind]) + number + bytes.fromhex(results) + bytes([terminal])
    content = tlv("9F27", bytes([answered])) + tlv("9F36", "0007")
    if not wants_signature:
        content += tlv("9F26", "0102030405060708")
    content += tlv("9F10", "0110A00003220000000000000000000000FF")
    if wants_signature and signature != "missing" and answered != 0xC0:
        dynamic = b"\x02\x00\x07" + bytes([answered]) + bytes.fromhex("0102030405060708")
        digest = hashlib.sha1(values + content).digest()
        data = signed(authority.card, 0x05, dynamic + digest + (storage.signed() if is_read else b""), number)
        if signature == "bad":
            data = bytes([data[0] ^ 1]) + data[1:]
        content += tlv("9F4B", data)
    elif wants_signature:
        content += tlv("9F26", "0102030405060708")
    card["cryptogram"] = (tlv("77", content) + b"\x90\x00").hex()
    expect = {"generateAC": f"{asked | (0x10 if wants_signature else 0):02X}", "data": (values + stored).hex()}
    summaries = 0x00

    def ended(status, message, cvm=None, error=None):
        found = {**expect, "status": status, "message": message, "cvm": cvm}
        if storage:
            found["summaryStatus"] = f"{summaries:02X}"
        if storage and error is not None:
            found["error"] = error
        return {**case, "expect": found}

    rank = {0x00: 0, 0x80: 1, 0x40: 2}
    if answered not in rank or rank[answered] > rank[asked]:
        return ended("endApplication", 0x1C)
    if wants_signature and (answered != 0x00 or signature != "missing"):
        if signature != "good":
            return ended("endApplication", 0x1C)
        if is_read:
            summaries, error = storage.judge(writes)
            if error:
                return ended("endApplication", 0x1C, error=error)
    elif is_read and answered == 0x00:
        return ended("endApplication", 0x1C, error=0x06)
    if answered == 0x40:
        return ended("approved", 0x1A if cvm == "signature" else 0x03, cvm, error=0)
    if answered == 0x80:
        return ended("onlineRequest", 0x1B, cvm, error=0)
    # S910.74 and S910.75: purchases and cash only are declined, or are for the contacts.
    if kind == 0x20:
        return ended("endApplication", 0x1E)
    party = bytes.fromhex(third_party) if third_party else b""
    holds_device = len(party) >= 6 and not party[2] & 0x80 and party[4:6] != b"00"
    return ended("tryAnotherInterface", 0x1D) if has_contacts and not holds_device else ended("declined", 0x07)


def by_list(rules, verifies, kind, terminal, capable, amount, currency, x, y):
    """7.5 and EMV 4.4 Book 3, 10.5: method, tag 9F34, bits of the TVR."""
    if not verifies:
        return "none", "3F0000", 0
    if not rules:
        return "none", "3F0000", 0x2000000000
    # Book 4, annex A1: the second digit of an attended terminal is 1, 2 or 3.
    attended = terminal & 0x0F in (1, 2, 3)
    supported = {0x1F: capable & 0x08, 0x1E: capable & 0x20, 0x02: capable & 0x40, 0x01: capable & 0x80}
    cash, back = kind == 0x01, kind == 0x09
    bits = 0
    for code, condition in rules:
        method = code & 0x3F
        applies = {
            0: True, 1: cash and not attended, 2: not cash and not back, 3: bool(supported.get(method, False)) or method == 0,
            4: cash and attended, 5: back, 6: currency == EURO and amount < x, 7: currency == EURO and amount > x,
            8: currency == EURO and amount < y, 9: currency == EURO and amount > y}[condition]
        if not applies:
            continue
        if method not in (0x1F, 0x1E, 0x02, 0x01, 0x00):
            bits |= 0x0000400000
        elif method == 0x00:
            break
        elif supported[method] and method != 0x01:
            name = {0x1F: "none", 0x1E: "signature", 0x02: "onlinePIN"}[method]
            return name, f"{code:02X}{condition:02X}{2 if method == 0x1F else 0:02X}", bits | (0x0000040000 if method == 0x02 else 0)
        if not code & 0x40:
            break
    return None, "3F0001", bits | 0x0000800000


def main():
    rng = random.Random(int(sys.argv[1]))
    authority = Authority(rng)
    print(json.dumps({"index": 5, "modulus": authority.ca.modulus.hex(), "exponent": "03"}))
    for position in range(int(sys.argv[2])):
        print(json.dumps({"position": position, **(visa if position % 2 else mastercard)(rng, authority)}))


main()

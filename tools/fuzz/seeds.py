#!/usr/bin/env python3
"""Writes seeds into the corpus folder that is given.

FuzzTransaction: from each trace in Vectors/traces the card's answers, each with its length before it, in the order in which our kernel asks.
FuzzTap: from each tap in Vectors/contactless the card's answers, each with its length and a time before it; the target itself adds taps
  of virtual cards.
FuzzInspection: the same as FuzzTransaction, behind an answer to reset.
FuzzHost: requests to the bench host, the way in front.
FuzzSelection: FCIs and directories, each with its length before it.
FuzzDOL: lists of cards, each with its length before it and data objects behind it.
FuzzATR: answers to reset that are explained in public.
FuzzCertificates: contents of certificates and signatures in their layouts (EMV 4.4 Book 2), which the fuzzer signs.
FuzzCCID: class descriptors of each level (USB CCID 1.1, 5.1) and the answers that a card's activation and first commands get.
FuzzBluetooth: what a bus and a bluetoothd with one device answer, and their signals (D-Bus Specification; BlueZ, org.bluez.Adapter1 and org.bluez.Device1).
FuzzTracks: tracks of test cards, typed, as bits, as intervals and as samples.
FuzzPinPads: frames of ABECS, Miura and GemPC Twin, most of them published examples.

FuzzMagstripeReaders: a report, frame or answer of each family, the family in front.
FuzzLogImport: a short log of each form, the form in front.
FuzzContactlessReaders: answers, blocks and frames of contactless cards and their readers, the kind in front.
FuzzTerminalFile: a terminal's configuration with every kind of value, and the files that it names.
FuzzTillRequest: a till's requests, each with every key that it can have.
FuzzIPG: notifications as the checkout's SDK prints them, a callback and an answer, the account's generation in front.
FuzzBackOffice: inventories, a callback, a signature, texts; what they are in front.
FuzzThreeDSecure: an answer to a lookup, the claims of an answer's token, and a token.
FuzzSupplyFiles: CA keys, keys of swipes, exceptions, readers, a reader's state and a package's manifest, the kind in front.
FuzzKeyBlocks: the key blocks of Vectors, and the parts of others.
FuzzVPCD: what a PC/SC service says to a card in vpcd.
FuzzPrinterStatus: answers, automatic status and end markers of printers, the printer in front.
FuzzScans: codes, keys, and a point-of-sale scanner's descriptor and reports, the connection and the settings in front.
FuzzSlips: a slip in each language, and texts with commands in them, the printer in front.
FuzzShim: answers of the system to the C code, the function in front.
"""
import hashlib
import hmac
import json
import pathlib
import sys

corpus = pathlib.Path(sys.argv[1])
out = corpus / "FuzzTransaction"
out.mkdir(parents=True, exist_ok=True)
inspected = corpus / "FuzzInspection"
inspected.mkdir(parents=True, exist_ok=True)
NOT_FOUND = "6A82"
for file in sorted(pathlib.Path("Vectors/traces").glob("*.apdu")):
    lines = [line.strip() for line in file.read_text().splitlines()]
    exchanges = [(a[2:], b[2:]) for a, b in zip(lines, lines[1:]) if a.startswith(">") and b.startswith("<")]
    # The terminal may have begun twice; the last beginning is the whole one.
    selections = [i for i, (command, _) in enumerate(exchanges) if command.startswith("00A404")]
    if not selections:
        continue
    last = selections[-1]
    fci = exchanges[last][1]
    # No directory; then SELECT by each of the fuzzer's two partial names, SELECT next where it found something, and the final SELECT.
    selection = [fci, NOT_FOUND, NOT_FOUND] if "A000000003" in exchanges[last][0] else [NOT_FOUND, fci, NOT_FOUND]
    answers = [NOT_FOUND] + selection + [fci] + [answer for _, answer in exchanges[last + 1 :]]
    seed = b"".join(bytes([min(len(a) // 2, 255)]) + bytes.fromhex(a)[:255] for a in answers)
    (out / file.stem).write_bytes(seed)
    # Read without a directory: the first application, its options and records.
    read = ["3B6000", NOT_FOUND, fci] + [answer for command, answer in exchanges[last + 1 :] if command[2:4] in ("A8", "B2", "CA", "88")]
    (inspected / file.stem).write_bytes(b"".join(bytes([min(len(a) // 2, 255)]) + bytes.fromhex(a)[:255] for a in read))

taps = corpus / "FuzzTap"
taps.mkdir(parents=True, exist_ok=True)
for file in sorted(pathlib.Path("Vectors/contactless").glob("*.apdu")):
    answers = [bytes.fromhex(line[2:]) for line in file.read_text().splitlines() if line.startswith("< ")]
    (taps / file.stem).write_bytes(b"".join(bytes([min(len(answer), 255), 3]) + answer[:255] for answer in answers))

contactless = corpus / "FuzzContactlessReaders"
contactless.mkdir(parents=True, exist_ok=True)
# 0: an answer to select, one to a request of type B, answers to reset (PC/SC part 3), and cards as a PN53x lists them.
# 1: blocks, each with its length before it: an answer, one in parts, one after a request for time, and lost ones.
# 2: a PN53x's acknowledgment and answers.
for name, text in {
    "select": "00 0578807002",
    "request": "00 500102030400000000808171",
    "reset": "00 3B8680018073C021000015",
    "storage": "00 3B8F8001804F0CA000000306030001000000006A",
    "card-a": "00 01010004200408190F6D0578807002",
    "card-b": "00 01015001020304000000008081710101",
    "answer": "01 03029000 03039000 01A3 03029000",
    "parts": "01 0212AA 03039000",
    "time": "01 02F201 03029000",
    "lost": "01 80 01A3 81 03029000",
    "frames": "02 0000FF00FF00 0000FF06FAD50332010607E800 0000FF01FF7F8100",
    "extended": "02 0000FFFFFF0101FE D54300" + "22" * 254 + "2C00",
}.items():
    (contactless / name).write_bytes(bytes.fromhex(text))

tracks = corpus / "FuzzTracks"
tracks.mkdir(parents=True, exist_ok=True)
TYPED = {
    "payment": "%B4761739001010119^DOE/JANE M.MS^49122010000000000?;4761739001010119=49122010000000000?",
    "missing": "%B4761739001010119^ /^^^0?;4761739001010119===1?",
    "track3": ";E?+011234567890123445=724724100000000000030300123404040009901=0432094329043209432904321==1=0000000000000000?",
    "licence": '%TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^?;63601538774194=150819810101?#" 78729      C               1505130BLKBLK?',
}
for name, text in TYPED.items():
    (tracks / f"typed-{name}").write_bytes(b"\0" + text.encode())
for width, base, text in ((5, 0x30, ";4761739001010119=49122010000000000?"), (7, 0x20, "%B4761739001010119^DOE/JANE^4912201?")):
    values = [ord(letter) - base for letter in text]
    check = 0
    for value in values:
        check ^= value
    bits = "0" * 24
    for value in values + [check]:
        data = format(value, "b").zfill(width - 1)[::-1]
        bits += data + str((data.count("1") + 1) % 2)
    bits += "0" * 24
    bits += "0" * (-len(bits) % 8)
    steps = [step for bit in bits for step in ([10, 10] if bit == "1" else [20])]
    samples = b""
    for index, step in enumerate(steps):
        samples += bytes([(100 if index % 2 else -100) % 256]) + bytes(step // 2 - 1)
    (tracks / f"bits-{width}").write_bytes(b"\1" + int(bits, 2).to_bytes(len(bits) // 8, "big"))
    (tracks / f"intervals-{width}").write_bytes(b"\2" + bytes(steps))
    (tracks / f"samples-{width}").write_bytes(b"\3" + samples)


def write(folder, seeds):
    (corpus / folder).mkdir(parents=True, exist_ok=True)
    for name, content in seeds.items():
        (corpus / folder / name).write_bytes(content)


def tlv(tag, value):
    return bytes.fromhex(tag) + bytes([len(value)]) + value


VISA, PARTIAL = bytes.fromhex("A0000000031010"), bytes.fromhex("A00000000310100102")
OK = bytes.fromhex("9000")


def fci(name, *objects):
    return tlv("6F", tlv("84", name) + tlv("A5", b"".join(objects))) + OK


def entry(name):
    return tlv("61", tlv("4F", name) + tlv("50", b"VISA") + tlv("87", b"\x01") + tlv("9F12", "Visa Crédit".encode("latin-1")) + tlv("9F11", b"\x01"))


def answers(*all):
    return b"".join(bytes([len(answer)]) + answer for answer in all)


PSE = fci(b"1PAY.SYS.DDF01", tlv("88", b"\x01"), tlv("5F2D", b"deen"), tlv("9F11", b"\x01"))
RECORD_NOT_FOUND, FILE_NOT_FOUND, BLOCKED = bytes.fromhex("6A83"), bytes.fromhex("6A82"), bytes.fromhex("6283")
label = tlv("50", b"VISA CREDIT")
write(
    "FuzzSelection",
    {
        "directory": answers(PSE, tlv("70", entry(VISA) + entry(PARTIAL)) + OK, tlv("70", entry(VISA[:5])) + OK, RECORD_NOT_FOUND, fci(PARTIAL), fci(VISA)),
        "endless-directory": answers(PSE, *[tlv("70", entry(VISA)) + OK] * 3),
        "list": answers(FILE_NOT_FOUND, fci(VISA, label), fci(PARTIAL, label), FILE_NOT_FOUND, fci(bytes.fromhex("A0000000041010"), label), fci(PARTIAL)),
        "blocked": answers(FILE_NOT_FOUND, fci(VISA, label)[:-2] + BLOCKED, fci(PARTIAL, label), FILE_NOT_FOUND),
    },
)
lists = {"pdol": "9F66049F02069F37049F1A02", "cdol1": "9F02069F03069F1A0295055F2A029A039C019F37049F45029F34035A105F2A01", "ddol": "9F3704", "tdol": "9F0206"}
objects = bytes.fromhex("9F02060000000012349F37041122334495058000048000") + tlv("5A", bytes.fromhex("4761739001010119")) + bytes.fromhex("5F2A0209789A03261121")
write("FuzzDOL", {name: bytes([len(hexes) // 2]) + bytes.fromhex(hexes) + objects for name, hexes in lists.items()})
write(
    "FuzzATR",
    {
        "bank": bytes.fromhex("3BE900FF8131FE45434C6169726533203628"),
        "identity": bytes.fromhex("3BFE1800008031FE45803180664090A4162A00830F9000EF"),
        "cash": bytes.fromhex("3B2A00806524B0000200829000"),
        "t0": bytes.fromhex("3B6000"),
        "t1": bytes.fromhex("3BE000008131FE45EB"),
        "specific": bytes.fromhex("3BF0130000910131FE45F9"),
    },
)
end, serial = bytes.fromhex("1249"), bytes.fromhex("000001")
modulus = bytes([0xC1]) * 36
pan = bytes.fromhex("4761739001010119FFFF")


def rsa(form, identity, count, key):
    return bytes([form]) + identity + end + serial + bytes([1, 1, count, 1]) + key


# The public keys of the scalar 2, which FuzzCertificates has: python's `cryptography`, ec.derive_private_key(2, curve).
x256 = bytes.fromhex("7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978")
x521 = bytes.fromhex(
    "00433C219024277E7E682FCB288148C282747403279B1CCC06352C6E5505D769BE97B3B204DA6EF55507AA104A3A35C5AF41CF2FA364D60FD967F43E3933BA6D783D"
)
authority = bytes.fromhex("A00000000301")
day = bytes.fromhex("20491231")
card_hash = hashlib.sha256(bytes([1, 2, 3])).digest()
certificates = {
    "issuer": b"\1" + rsa(2, pan[:4], 28, modulus[:28]),
    "issuer-remainder": b"\2" + rsa(2, pan[:4], 36, modulus[:28]) + modulus[28:],
    "card": b"\1" + rsa(4, pan, 22, modulus[:22]),
    "card-remainder": b"\2" + rsa(4, pan, 30, modulus[:22]) + modulus[22:30],
    "sda": b"\1" + bytes.fromhex("0301DAC0"),
    "dda": b"\1" + bytes.fromhex("05010908") + bytes(8),
    "cda": b"\1" + bytes.fromhex("05012603") + bytes(3) + b"\x40" + bytes(28),
    "xda": b"\5" + bytes([0x15]) + bytes(64),
}
for kind, suite, x in ((0x04, 0x10, x256), (0x10, 0x11, x521)):
    # 0x04 % 6 and 0x10 % 6 are both 4: signed by the curve that the high digit says.
    name = str(len(x) * 8)
    certificates[f"authority-{name}"] = bytes([kind]) + bytes.fromhex("2000") + authority + bytes([suite]) + x
    certificates[f"issuer-{name}"] = bytes([kind]) + bytes.fromhex("120047617390FF") + bytes([suite]) + day + serial + authority + x
    certificates[f"card-{name}"] = (
        bytes([kind]) + bytes([0x14, 0, suite]) + day + bytes.fromhex("2359") + serial * 2 + bytes([0, 2]) + card_hash + x
    )
write("FuzzCertificates", certificates)

pads = corpus / "FuzzPinPads"
pads.mkdir(parents=True, exist_ok=True)
FRAMES = {
    # ABECS 2.12: OPN, DSP, GIX, the escapes, and packets without their frames.
    "abecs-opn": (0, "06164F504E17A8A904"),
    "abecs-dsp": (0, "1644535030333220202020 4F50455241C7C34F20202020202020 46494E414C495A414441202020 17 5213"),
    "abecs-answer": (0, "16445350303030173963"),
    "abecs-event": (0, "434558303030303334 804000023930 80420018 343331333033323932393833303031313D31353038363031"),
    "abecs-notification": (0, "4E544D303030303332 52473A20FA6C74696D6F7320322020202064ED6769746F733A2020202020202020"),
    # Miura: single, chained, unsolicited.
    "miura-single": (1, "010006 10111213 9000 97"),
    "miura-chained": (1, "010102 1011 03 014002 9000 D3 010004 1213 9000 94"),
    "gempc-power": (2, "0306 62000000000007000000 60 5003 80 031516"),
}
for name, (kind, text) in FRAMES.items():
    (pads / name).write_bytes(bytes([kind]) + bytes.fromhex(text))

readers = corpus / "FuzzMagstripeReaders"
readers.mkdir(parents=True, exist_ok=True)
TRACKS = [b"%B4761739001010119^DOE/JANE^4912201?", b";4761739001010119=4912201?", b""]


def crc(data):
    register = 0xFFFF
    for byte in data:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ 0x1021 if register & 0x8000 else register << 1) & 0xFFFF
    return register.to_bytes(2, "big")


def envelope(data):
    check = total = 0
    for byte in data:
        check, total = check ^ byte, (total + byte) % 256
    return b"\2" + len(data).to_bytes(2, "little") + data + bytes([check, total, 3])


def tlv(tag, value):
    tag = bytes.fromhex(tag)
    return tag + (bytes([len(value)]) if len(value) < 128 else b"\x81" + bytes([len(value)])) + value


secure = bytearray(887)
for index, track in enumerate(TRACKS):
    secure[3 + index] = secure[505 + index] = secure[852 + index] = len(track)
    secure[7 + 112 * index : 7 + 112 * index + len(track)] = track
    secure[508 + 112 * index : 508 + 112 * index + len(track)] = track
secure[494] = 6
enhanced = bytes([0x80, 0x1B, 36, 26, 0, 3, 0x83]) + TRACKS[0] + TRACKS[1] + bytes(72) + bytes(10)
sealed = tlv("F8", tlv("DFDF59", bytes(32)) + tlv("DFDF56", bytes(10)) + tlv("DFDF57", b"\x80"))
card = tlv("F9", tlv("DFDF25", bytes(8)) + tlv("FA", tlv("70", tlv("DFDF52", b"\5") + tlv("DFDF4D", TRACKS[1]) + sealed)))
hid = bytes.fromhex("058E0901A1010911750895018102092295288102C0")
answer = b"ViVOtech2\0\x18\0\0\0"
FAMILIES = [
    b"\0\0\0" + bytes(map(len, TRACKS)) + b"\0" + b"".join(track.ljust(110, b"\0") for track in TRACKS),
    bytes(secure),
    bytes.fromhex("000AFFFF9876543210E00002"),
    bytes.fromhex("1B731B0109456162235152131F2A1B02080B01021304151F151B03003F1C1B30"),
    bytes([len(hid)]) + hid + bytes([26]) + TRACKS[1].ljust(40, b"\0"),
    bytes([39, 2, 3, 4, 13, 5, 42, 53, 170, 28]),
    enhanced,
    envelope(enhanced),
    answer + crc(answer),
    bytes.fromhex("AA0081048201DF018204000000008407DF018103010203"),
    b"\1\0\0\0\x64" + bytes(59) + b"\3\x29" + bytes(62),
    len(card).to_bytes(2, "big") + card + bytes(4),
]
for number, seed in enumerate(FAMILIES):
    (readers / f"family-{number}").write_bytes(bytes([number]) + seed)

readers = corpus / "FuzzCCID"
readers.mkdir(parents=True, exist_ok=True)


def word(value):
    return value.to_bytes(4, "little")


def transfer(body):
    return bytes([0x80 | len(body)]) + body


def answer(kind, data=b"", status=0, error=0):
    return transfer(bytes([kind, 0, 0, 0, 0, 0, 0, status, error, 0]) + data)


T0, T1 = bytes.fromhex("3B600000"), bytes.fromhex("3BE000008131FE45EB")
for level in (0, 0x10000, 0x20000, 0x40000):
    for number, atr in enumerate((T0, T1)):
        descriptor = b"\x10\x01\0\x07" + word(3) + word(4000) * 2 + b"\0" + word(10752) + word(344100) + b"\0" + word(254) + word(0) * 2
        descriptor += word(level | 0x30) + word(271) + b"\xff\xff\0\0\1\1"
        blocks = [bytes.fromhex("00E101FE1E"), bytes.fromhex("0000029000") + b"\x92", bytes.fromhex("0040026A82AA")]
        answers = blocks if number else [bytes.fromhex("6102"), bytes.fromhex("6F009000"), bytes.fromhex("9000")]
        seed = descriptor + answer(0x81) + answer(0x80, atr) + answer(0x82, atr) + answer(0x80, b"", 0x80, 2)
        seed += b"".join(answer(0x80, data) for data in answers) + answer(0x80, b"", 0x40, 0xFE) + answer(0x81, b"", 2)
        (readers / f"level-{level >> 16}-t{number}").write_bytes(seed)

gateway = corpus / "FuzzGateway"
gateway.mkdir(parents=True, exist_ok=True)
GATEWAY = [
    "<PAYMENT><ORDERID>o1</ORDERID><TERMINALID>T1</TERMINALID><AMOUNT>10.50</AMOUNT><DATETIME>10-12-2016:12:00:00:000</DATETIME>"
    "<CARDNUMBER>4111111111111111</CARDNUMBER><CARDTYPE>VISA</CARDTYPE><CARDEXPIRY>1231</CARDEXPIRY><HASH>00</HASH><CURRENCY>USD</CURRENCY>"
    "<TERMINALTYPE>1</TERMINALTYPE><TRANSACTIONTYPE>4</TRANSACTIONTYPE><CUSTOMFIELD NAME=\"a&quot;\">&#x41;<![CDATA[<]]></CUSTOMFIELD></PAYMENT>",
    "<?xml version=\"1.0\"?><PAYMENTRESPONSE><UNIQUEREF>EP8Q218WK1</UNIQUEREF><RESPONSECODE>A</RESPONSECODE><RESPONSETEXT>APPROVAL</RESPONSETEXT>"
    "<APPROVALCODE>475318</APPROVALCODE><DATETIME>2016-12-16T13:20:44</DATETIME><AVSRESPONSE></AVSRESPONSE><HASH>ca</HASH></PAYMENTRESPONSE>",
    "<ERROR><ERRORCODE>E08</ERRORCODE><ERRORSTRING>INVALID MERCHANTREF</ERRORSTRING></ERROR>",
    '{"channel":"POS","terminal":"T1","order":{"orderId":"o1","currency":"EUR","totalAmount":10.5},"customerAccount":{"payloadType":"EMV",'
    '"tlv":"9F26080102030405060708 5A084761739001010010 5F2403311231 9F3901059F2701805F340101"},"autoCapture":false}'.replace(" ", ""),
    '{"terminal":"T1","merchantReference":"c1","customerAccount":{"payloadType":"KEYED","cardDetails":{"dataFormat":"PLAIN_TEXT",'
    '"cardNumber":"4111111111111111","expiryDate":"1231","cvv":"123"}},"additionalDataFields":[{"name":"a","value":"\\u00e9"}]}',
    '{"channel":"POS","terminal":"T1","order":{"orderId":"o1","currency":"EUR","totalAmount":1},"customerAccount":{"payloadType":"MAG_STRIPE",'
    '"cardDetails":{"dataFormat":"PLAIN_TEXT","trackData":";4111111111111111=31121010000000000?","fallback":true},"pinDetails":{"pin":"00","pinKsn":"FF"}}}',
    '{"uniqueReference":"1","order":{"orderId":"o1"},"transactionResult":{"currency":"EUR","resultCode":"A","authorizedAmount":-1.00},'
    '"emvTags":[{"hex":"91","value":"0102030405060708"},{"hex":"71","value":"860100"}]}',
    '{"data":[{"uniqueReference":"1","orderId":"o1","type":"SALE","status":"READY","currency":"EUR","amount":1.00}],"next":"1"}',
]
for number, seed in enumerate(GATEWAY):
    (gateway / f"message-{number}").write_bytes(seed.encode())

# As the clients of the WorldNet interfaces write them; {"terminal"...} is a document of REST, < one of XML.
host = corpus / "FuzzHost"
host.mkdir(parents=True, exist_ok=True)
REQUESTS = [
    "GET /merchant/api/v1/account/terminals/BENCH001",
    "PATCH /merchant/api/v1/account/terminals/BENCH001/endOfDay",
    "GET /merchant/api/v1/transaction/orders/o1",
    "PATCH /merchant/api/v1/transaction/orders/o1/reverse",
    'PATCH /merchant/api/v1/transaction/orders/o1/completion\n{"tlv":"9F26080102030405060708"}',
    "GET /merchant/api/v1/transaction/transactions?terminal=BENCH001&orderId=o1&pageSize=5&next=1&statusGroup=APPROVAL&cp_phrase=1&cp_order=amount",
    'POST /merchant/api/v1/transaction/payments/1/refunds\n{"refundAmount":1.0,"refundReason":"x","operator":"y"}',
    "GET /merchant/api/v1/customer/credentials/c1?terminal=BENCH001",
    "DELETE /merchant/api/v1/customer/credentials/c1?terminal=BENCH001",
]
for document in GATEWAY[3:6]:
    REQUESTS.append("POST /merchant/api/v1/transaction/payments\n" + document.replace("T1", "BENCH001"))
REQUESTS.append("POST /merchant/api/v1/transaction/refunds\n" + GATEWAY[3].replace("T1", "BENCH001"))
REQUESTS.append("POST /merchant/api/v1/customer/credentials\n" + GATEWAY[4].replace("T1", "BENCH001"))
for number, text in enumerate(REQUESTS):
    (host / f"rest-{number}").write_bytes(b"\1" + text.encode())
(host / "xml").write_bytes(b"\2" + GATEWAY[0].replace("T1", "BENCH001").encode())
RAW = [
    "OPTIONS /merchant/xmlpayment HTTP/1.1\r\nHost: b\r\n\r\n",
    "POST /merchant/xmlpayment HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<a/>\r\n0\r\n\r\n",
    "GET /merchant/api/v1/account/authenticate HTTP/1.0\r\nAuthorization: Basic eA==\r\n\r\n",
    "POST /merchant/%61pi/v1 HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\nCardPresent-Request: m\r\n\r\n{}OPTIONS / HTTP/1.1\r\n\r\n",
]
for number, text in enumerate(RAW):
    (host / f"raw-{number}").write_bytes(b"\0" + text.encode())

logs = corpus / "FuzzLogImport"
logs.mkdir(parents=True, exist_ok=True)
SELECT, SELECTED = "00 A4 04 00 02 3F 00", "41 42 90 00"


def urb(inwards, data):
    header = bytes(8) + (b"C" if inwards else b"S") + bytes([3, 0x82 if inwards else 2, 4, 1, 0, 45, 0]) + bytes(16)
    return header + word(len(data)) * 2 + bytes(8) + data


def ccid(kind, data):
    return bytes([kind]) + word(len(data)) + bytes(5) + data


packets = [urb(False, ccid(0x6F, bytes.fromhex(SELECT))), urb(True, ccid(0x80, bytes.fromhex(SELECTED)))]
blocks = [urb(False, ccid(0x6F, bytes.fromhex("000005008400000880"[:16]) + b"\x89")), urb(True, ccid(0x80, bytes.fromhex("0000029000") + b"\x92"))]


def pcap(list):
    return word(0xA1B2C3D4) + bytes([2, 0, 4, 0]) + bytes(8) + word(65535) + word(189) + b"".join(bytes(8) + word(len(p)) * 2 + p for p in list)


def section(kind, body):
    body += bytes(-len(body) % 4)
    return word(kind) + word(len(body) + 12) + body + word(len(body) + 12)


pcapng = section(0x0A0D0D0A, word(0x1A2B3C4D) + bytes([1, 0, 0, 0]) + b"\xff" * 8) + section(1, word(189) + word(65535))
pcapng += b"".join(section(6, bytes(12) + word(len(p)) * 2 + p) for p in packets) + section(3, word(len(packets[0])) + packets[0])
LOGS = [
    "# cardpresent trace 2\n0.1 ! card presented\n0.2 > 0084000000\n0.3 < 9000\n= Completion: approved\n$ > x\n~ > stream 00\n> 0084000000\n! no answer\n",
    f"C-APDU: {SELECT}\nR-APDU: 6F (SW: 9000)\n00:84:00:00:00\n",
    f"00000005 [1] APDU: {SELECT} \n00171781 SW: {SELECTED} \n00000001 eventhandler.c:1:f() Card Removed From R\n",
    f"SCardTransmit\n i bSendLength 0x7 (7)\n i bSendBuffer\n i  0000 {SELECT}   .....?.\n o bRecvLength 4\n o bRecvBuffer\n o  0000 {SELECTED} AB..\n => x [0x00000000]\n",
    f"Sending: {SELECT}\nReceived (SW1=0x90, SW2=0x00):\n41 42 AB\nOutgoing APDU (5 bytes):\n00 84 00 00 00 .....\nIncoming APDU (2 bytes):\n6A 86 j.\n",
    " 6468352 |    6477728 | Rdr |03  00  B2  01  14  00  09  CB  | A ok| x\n 6512324 |    6518212 | Tag |03  6A  82  4F  75 | |\n[+] >>> 0084000000\n[+] <<< 9000\n",
]
for number, log in enumerate(LOGS):
    (logs / f"text-{number}").write_bytes(bytes([number]) + log.encode())
    (logs / f"found-{number}").write_bytes(b"\xff" + log.encode())
for name, file in (("pcap", pcap(packets)), ("blocks", pcap(blocks)), ("pcapng", pcapng)):
    (logs / name).write_bytes(b"\6" + file)

bluetooth = corpus / "FuzzBluetooth"
bluetooth.mkdir(parents=True, exist_ok=True)
ALIGNMENTS = {"y": 1, "g": 1, "v": 1, "q": 2, "b": 4, "u": 4, "s": 4, "o": 4, "a": 4}


def marshal(out, kind, value):
    """Structures and entries have two members here, the first of one letter."""
    out += bytes(-len(out) % ALIGNMENTS.get(kind[0], 8))
    if kind in "yqbu":
        out += value.to_bytes(ALIGNMENTS[kind], "little")
    elif kind in "sog":
        out += len(value).to_bytes(1 if kind == "g" else 4, "little") + value.encode() + b"\0"
    elif kind == "v":
        marshal(out, "g", value[0])
        marshal(out, *value)
    elif kind[0] == "a":
        place = len(out)
        out += bytes(4)
        out += bytes(-len(out) % ALIGNMENTS.get(kind[1], 8))
        first = len(out)
        for element in value:
            marshal(out, kind[1:], element)
        out[place : place + 4] = word(len(out) - first)
    else:
        marshal(out, kind[1], value[0])
        marshal(out, kind[2:-1], value[1])


def message(kind, fields, *body):
    content = bytearray()
    for value in body:
        marshal(content, *value)
    signature = [(8, ("g", "".join(kind for kind, _ in body)))] if body else []
    out = bytearray(b"l" + bytes([kind, 0, 1]) + word(len(content)) + word(1))
    marshal(out, "a(yv)", fields + signature)
    return bytes(out + bytes(-len(out) % 8) + content)


def returned(serial, *body):
    return message(2, [(5, ("u", serial)), (7, ("s", "org.bluez"))], *body)


def signal(path, interface, member, *body):
    return message(4, [(1, ("o", path)), (2, ("s", interface)), (3, ("s", member)), (7, ("s", ":1.7"))], *body)


HCI, PHONE, BUS = "/org/bluez/hci0", "/org/bluez/hci0/dev_00_11_22_33_44_55", "org.freedesktop.DBus"
ADAPTER = [("Powered", ("b", 1)), ("Discovering", ("b", 0)), ("Class", ("u", 0x1C010C))]
DEVICE = [
    ("Address", ("s", "00:11:22:33:44:55")), ("Name", ("s", "Miura 001")), ("Paired", ("b", 1)), ("Modalias", ("s", "usb:v0801p0002d0100")),
    ("UUIDs", ("as", ["00001101-0000-1000-8000-00805f9b34fb"])), ("ManufacturerData", ("a{qv}", [(76, ("ay", b"\1\2"))])),
]
added = signal("/", BUS + ".ObjectManager", "InterfacesAdded", ("o", PHONE), ("a{sa{sv}}", [("org.bluez.Device1", DEVICE)]))
changed = signal(
    PHONE, BUS + ".Properties", "PropertiesChanged", ("s", "org.bluez.Device1"), ("a{sv}", [("Paired", ("b", 0))]), ("as", ["Name"])
)
removed = signal("/", BUS + ".ObjectManager", "InterfacesRemoved", ("o", PHONE), ("as", ["org.bluez.Device1"]))
owner = signal("/org/freedesktop/DBus", BUS, "NameOwnerChanged", ("s", "org.bluez"), ("s", ""), ("s", ":1.7"))
objects = ("a{oa{sa{sv}}}", [(HCI, [("org.bluez.Adapter1", ADAPTER)]), (PHONE, [("org.bluez.Device1", DEVICE)])])
failed = message(3, [(4, ("s", BUS + ".Error.AccessDenied")), (5, ("u", 5))], ("s", "no"))
hello = [returned(1, ("s", ":1.9"))] + [returned(serial) for serial in (2, 3, 4)]
# We ask for: hello, three rules, the list; then the filter and the beginning of a search. News are behind these answers.
CONVERSATIONS = {
    "known": (0, hello + [returned(5, objects)]),
    "signals": (0, hello + [added, changed, removed, returned(5, objects)]),
    "restarted": (0, hello + [owner, returned(5, objects), returned(6, objects)]),
    "refused": (0, hello + [failed]),
    "found": (1, hello + [returned(5, objects), returned(6), returned(7), added, changed]),
}
for name, (kind, messages) in CONVERSATIONS.items():
    (bluetooth / name).write_bytes(bytes([kind]) + b"".join(messages))
    (bluetooth / f"{name}-cut").write_bytes(bytes([kind | 2]) + b"".join(len(one).to_bytes(2, "big") + one for one in messages))

# Documents of terminals (docs/terminal-file.md), with the files that they name behind zeros.
LEAST = '"merchant":{"name":"Corner Shop"},"terminal":{"id":"LANE0001","currency":"EUR","country":276}'
AUTHORITY = next(line for line in pathlib.Path("Vectors/keys/ca-test-keys.tsv").read_text().splitlines() if line.startswith("Mastercard"))
EXCEPTION_KEY = b"\x11" * 32
CHECK = hmac.new(EXCEPTION_KEY, b"CardPresent exceptions", hashlib.sha256).hexdigest()[:16]
LISTED = "".join(hmac.new(EXCEPTION_KEY, pan, hashlib.sha256).hexdigest() + end for pan, end in ((b"4111111111111111", "\n"), (b"5555555555554444", " 01\n")))
EXCEPTIONS = f"cardpresent-exceptions 1 {CHECK}\n{LISTED}"
DEVICES = (
    '{"readers":[{"name":"Miura M020","serialNumber":"01000123","enabled":false,"refusedCards":[{"issuer":"4111"},{"brand":"visa"},'
    '{"aid":"A000000003"}]}]}'
)
STORAGE = (
    '{"operator":"0102030405060708","read":["9F50"],"slot":{"data":"AABB","input":"0011223344556677","cardInput":"8899AABBCCDDEEFF",'
    '"info":["permanentSlot"],"cryptogram":"arqc","instructions":["usableForTC"]},"before":[{"tag":"9F79","value":""}],"after":[]}'
)
TERMINALS = [
    "{" + LEAST + "}",
    '{"merchant":{"name":"Corner Shop","location":"Bonn","identifier":"M1","categoryCode":5411,"acquirer":"12345"},"terminal":{"id":"LANE0001",'
    '"currency":"USD","country":840,"mode":"test","languages":["en","de"],"maximumAmount":"12.34","customFields":["a"],"signature":"captured",'
    '"unsentFields":"list","secureCardVerification":"never","minimumBattery":5,"journalRetention":30}}',
    "{" + LEAST + ',"kernel":{"type":"25","capabilities":["contactChip","noCVM","cda"],"additionalCapabilities":"6000F0F001",'
    '"interfaceDeviceSerialNumber":"12345678","additionalData":{"9F1D":"0102"},"maximumScriptLength":256,"allowsPlaintextOfflinePIN":true,'
    '"emptyCandidateListEntryMode":"magneticStripe"},"applications":["maestro",{"preset":"visa","floorLimit":5000,'
    '"actionCodes":{"denial":"0010000000"},"capabilities":"E068C8"},{"aid":"A000000025010801","versions":["0001"],"defaultTDOL":"9F0206",'
    '"randomSelection":{"targetPercentage":1,"maximumPercentage":9,"threshold":5},"riskManagementData":"01"}]}',
    "{" + LEAST + ',"timeLimits":{"host":12500,"reader":1},"offline":{"maximumCount":3,"maximumAmount":100,"maximumTotal":null,'
    '"deferredAuthorization":["magneticStripe","keyed"],"splitSaleHours":24},"responseCodes":{"approving":["00"],"referral":["01"]},'
    '"revokedCertificates":[{"rid":"A000000003","caKeyIndex":"92","serialNumber":"000001"}]}',
    "{" + LEAST + ',"contactless":[{"preset":"visa","transactionLimit":1,"dynamicReaderLimits":[{"programIdentifier":"01","statusCheck":true}]},'
    '{"preset":"mastercard","transactionLimit":25001,"kernel":{"dataStorage":' + STORAGE + "}},"
    '{"preset":"amex","floorLimit":0},{"preset":"unionPay","cvmRequiredLimit":5000},{"preset":"kernel8","zeroAmount":null}]}',
    "{" + LEAST + ',"caKeys":"keys.tsv","exceptions":{"file":"a","key":"b"},"devices":"c"}\0' + AUTHORITY + "\n\0" + EXCEPTIONS + "\0" + DEVICES,
]
PAYMENT = '"id":"1","order":"o-1","key":"k-1","amount":"12.34","currency":"EUR"'
DETAILS = '"operator":"A","email":"a@b","mobile":"1","city":"B","region":"C","country":"DE","ipAddress":"::1","customFields":[{"name":"n","value":"v"}]'
REQUESTS = [
    '{"request":"sale",' + PAYMENT + ',"token":"T","isPreAuthorization":true,"forcesOnline":false,"channel":"eCommerce","tip":"1.00",'
    '"serviceCharge":"0.50","taxes":[{"name":"VAT","rate":700,"amount":"0.81"}],"allowsTipAdjustment":true,"allowsPartialApproval":true,'
    '"duplicateCheck":"required","descriptor":"SHOP","externalID":"x","billingAddress":{"street":"1 Main","postalCode":"9"},"customFields":[],'
    '"secureCard":{"merchantReference":"c",' + DETAILS + "}}",
    '{"request":"refund",' + PAYMENT + ',"transaction":"U1","operator":"A","reason":"r"}',
    '{"request":"capture",' + PAYMENT + ',"transaction":"U1","operator":"A"}',
    '{"request":"reversal","version":1,"order":"o-1"}', '{"request":"inquiry","order":"o-1"}', '{"request":"receipt","order":"o-1"}',
    '{"request":"registerSecureCard","key":"k","merchantReference":"c",' + DETAILS + "}",
    '{"request":"retrieveSecureCard","merchantReference":"c"}',
    '{"request":"editSecureCard","merchantReference":"c","token":"T","keepsCard":true}',
    '{"request":"deleteSecureCard","merchantReference":"c","token":"T","key":"k"}',
    '{"request":"transactions","order":"o","transaction":"U","states":["approved"],"kinds":["sale"],"from":1,"to":2,"phrase":"p",'
    '"sortedBy":"time","isAscending":true,"page":1,"pageSize":9,"continuation":"c"}',
    '{"request":"settings"}', '{"request":"cancel"}', '{"request":"answer","question":1,"signature":[[[0,0],[300,100]]]}',
    '{"request":"answer","question":1,"isGenuine":true}', '{"request":"answer","question":1,"approvalCode":"12ab56"}',
    '{"request":"answer","question":1,"choice":0}', '{"request":"answer","question":1,"refused":true}',
]
write("FuzzTillRequest", {f"request-{number}": text.encode() for number, text in enumerate(REQUESTS)})
NOTIFICATION = "IPGmethod=IPGPurchaseNotify&MID=000000000000123&OrderID=1854&Amount=23.45&Currency=978&CustomerIP=82.119.81.30"
DETAILS_IPG = "&Pan=4567&Approval=MSQI258&IPG_Trnref=20210716141055303234&RequestSTAN=349875&RequestDateTime=2021-07-16+14%3A10%3A55"
CALLBACK = (
    '{"Payment":{"OrderId":"1854","MID":"000000000000123","Context":"CardPay","Status":"success","Interface":"redirect","Sum":{"Amount":"23.45",'
    '"Currency":"978"}},"CardData":{"Pan":"400000***1000","Type":"Visa","ExpMonth":"01","ExpYear":"2028","CardToken":"AB"},"Operation":'
    '{"Type":"authorization","Code":0,"Provider":{"Trn":"1","Approval":"2"},"StoreCard":{"CardToken":"CD"}},"Errors":[]}'
)
IPG = [b"\0" + (NOTIFICATION + "&CardType=MasterCard&ExpdtYYMM=2112" + DETAILS_IPG).encode(), b"\1" + NOTIFICATION.replace("Notify", "Rollback").encode()]
IPG.append(b"\0" + (NOTIFICATION.replace("Purchase", "StoreCard") + "&Token=D7&Cardholder+Name=A&CardType=Visa&Custom+Name=B" + DETAILS_IPG).encode())
IPG += [b"\2" + CALLBACK.encode(), b"\2" + CALLBACK.replace("success", "declined").replace("redirect", "embedded_checkout").encode()]
IPG.append(b"\2" + b'{"method":"IPGGetTxnStatus","status":0,"OrderID":"1","Amount":"1.00","Currency":"978","IPGTrnStatus":0,"IPGTrnStatusMsg":"x"}')
write("FuzzIPG", {f"message-{number}": seed for number, seed in enumerate(IPG)})
VALUES = '"CAVV":"AAABAWFlmQAAAABjRWWZEEFgFz8=","ECIFlag":"05","PAResStatus":"Y","SignatureVerification":"Y","XID":"MHEy","Enrolled":"Y"'
CLAIMS = (
    '{"iss":"i","iat":1471014492,"exp":1471021692,"jti":"a","aud":"r","ConsumerSessionId":"s","Payload":{"Validated":true,"Payment":{"Type":"CCA",'
    '"ExtendedData":{' + VALUES + '}},"ActionCode":"SUCCESS","ErrorNumber":0,"ErrorDescription":"Success"}}'
)
LOOKUP = (
    "<CardinalMPI><ErrorNo>0</ErrorNo><ErrorDesc/><TransactionId>tx</TransactionId><ThreeDSVersion>2.1.0</ThreeDSVersion><Enrolled>Y</Enrolled>"
    "<PAResStatus>C</PAResStatus><ACSUrl>https://a</ACSUrl><Payload>p</Payload><Cavv>AAABAWFlmQAAAABjRWWZEEFgFz8=</Cavv><EciFlag>05</EciFlag>"
    "<DSTransactionId>d</DSTransactionId><SignatureVerification>Y</SignatureVerification><StatusReason>01</StatusReason></CardinalMPI>"
)
TOKEN = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdGkiOiJhIn0.AAAA"
SECURE = [LOOKUP, LOOKUP.replace(">C<", ">Y<"), CLAIMS, CLAIMS.replace('"aud":"r",', ""), TOKEN]
OFFICE_FORM = (
    "unique_id=T-1&guwid=C0&merchant_id=M&user_id=ada&terminal_id=T&terminal_sn=S&amount=1234&currency=EUR&created_at=2026-03-09T14%3A05%3A09Z"
    "&merchant_name=Shop&card_brand=Visa&card_number=476173******0010&state=approved&error_code=&error_message=&aid_label=&aid=&card_holder=A"
)
OFFICE = ["\0text,price,id,photo\n\"a, \"\"b\"\"\",1.00,1,p.png\r\n=1,2.50,2,\n", "\4text;price;id\na;1.00;1\n", "\1" + OFFICE_FORM]
OFFICE += ["\2t=1000,v1=" + "00" * 32, "\0032026/03/09", "\3https://[::ffff:10.0.0.1]:8443/a", "\3$scrypt$ln=4,r=8,p=1$" + "00" * 16 + "$" + "00" * 32]
write("FuzzBackOffice", {f"text-{number}": text.encode() for number, text in enumerate(OFFICE)})
write("FuzzThreeDSecure", {f"message-{number}": seed.encode() for number, seed in enumerate(SECURE)})
write("FuzzTerminalFile", {f"terminal-{number}": text.encode() for number, text in enumerate(TERMINALS)})

MANIFEST = (
    '{"format":1,"maker":"Miura","models":["M020"],"version":"7","counter":1700000000,"stage":"test","files":[{"name":"a/b.cfg",'
    '"loader":"miura-file","sha256":"' + "11" * 32 + '"}]}'
)
STATE = (
    '{"format":1,"maker":"Miura","serialNumber":"01000123","stage":"test","counter":3,"installed":{"version":"7","digest":"' + "22" * 32
    + '","name":"Miura M020","firmware":"1-2"},"load":{"version":"8","digest":"' + "33" * 32 + '","step":1,"steps":2}}'
)
SUPPLIED = [
    pathlib.Path("Vectors/keys/ca-test-keys.tsv").read_text()[:3800],
    "# keys of a bench\ntdes base 0123456789ABCDEFFEDCBA9876543210\naes initial 000102030405060708090A0B0C0D0E0F # one reader's\n",
    EXCEPTIONS,
    DEVICES,
    STATE,
    MANIFEST,
]
write("FuzzSupplyFiles", {f"file-{number}": bytes([number]) + text.encode() for number, text in enumerate(SUPPLIED)})

# Blocks of the standard (bit 7) under the target's protection keys, and what blocks are made of.
PROTECTION_KEYS = [bytes(range(16)), bytes(range(24)), bytes(range(16)), bytes(range(32))]
blocks = {}
for number, vector in enumerate(json.loads(pathlib.Path("Vectors/ansi-x9.143/key-blocks.json").read_text())):
    protection = bytes.fromhex(vector["protectionKey"])
    places = [place for place, key in enumerate(PROTECTION_KEYS) if key == protection] or [4]
    for place in places:
        blocks[f"block-{number}-{place}"] = bytes([0x80 | place]) + vector["block"].encode()
for number, (place, fields, size) in enumerate(
    [(0, "AP0TE00N-", 16), (0, "BB0TX00E-", 16), (1, "CK0TB12S-", 24), (2, "DP0AB00E-", 16), (3, "DM7HC00N-", 40), (4, "DS0EN00S-", 3)]
):
    parts = [fields.encode(), bytes(range(size)), b"KS", b"FFFF9876543210E00000", b"TS", b"2026-11-27T12:00:00Z" * 13][: 2 + number]
    blocks[f"made-{number}"] = bytes([place, 40 * number]) + b"".join(bytes([len(part) % 256]) + part[:255] for part in parts)
write("FuzzKeyBlocks", blocks)

# Messages of vpcd (vsmartcard, "Creating a virtual smart card"), behind the size of the parts in which they come.
PCSC = ["01", "04", "02", "04", "00A4040007A000000003101000", "00B2010C00", "80CA9F3602", "84DE000000", "0000000A00FFFF", "8024000009" + "00" * 9, "00"]
framed = [len(bytes.fromhex(text)).to_bytes(2, "big") + bytes.fromhex(text) for text in PCSC]
write("FuzzVPCD", {"service": b"\xff" + b"".join(framed), "parts": b"\2" + b"".join(framed), "cut": b"\0" + b"".join(framed[:5])[:-3], "fails": b"\7" + b"".join(framed[:4]) + b"\0\5\0\xdd\0\0\0", "empty": b"\3\0\0\0\0\0\1\4"})


# The system's answers in the order in which the C code asks (Tests/Fuzz/FuzzShim): a text with its length before it, FF for none.
def said(*parts):
    return b"".join(bytes([len(part)]) + part.encode() if isinstance(part, str) else bytes([part]) for part in parts)


def key(code, value, kind=1):
    return bytes(16) + kind.to_bytes(2, "little") + code.to_bytes(2, "little") + word(value)


USB_NODE = said(0, "/dev/bus/usb/001/002", 0, "/devices/pci0000:00/usb1/1-1", 0, 0, "/devices/pci0000:00/usb1/1-1", "0801", "0002", "MagTek", "Reader", "B01", ":030000:")
PHONE_NODE = said(1, "/dev/hidraw0", 2, "/devices/virtual/misc/uhid/0005:0801:0002", 1, 0, 0, 255, 255, 255, 255, 255, 255, "hid", "0005:00000801:00000002", "Reader", "00:11:22")
PORT_NODE = said(2, "/dev/ttyUSB0", 2, "/devices/usb1/1-2/ttyUSB0", 1, 1, 1, "/devices/usb1/1-2", "0403", "6001", "FTDI", "x" * 80, "A1", "y" * 200, "00", "ftdi_sio")
write("FuzzShim", {
    "list": b"\0" + b"".join(b"\1" + node for node in (USB_NODE, PHONE_NODE, PORT_NODE)),
    "changes": b"\1" + b"".join(b"\1" + bytes([action]) + node + bytes(4) for action, node in ((1, USB_NODE), (1, PORT_NODE))) + b"\xff",
    "usb": b"\2" + bytes.fromhex("0000000000 141000F0F0 12400000041122334455 110800000212345678 134000E001 054000 0710F0"),
    "usb-late": b"\2" + bytes.fromhex("0440 00E0 1A40 00E0 01 1122334455667788 00 0540"),
    "descriptors": b"\3" + bytes.fromhex("12010002000000400108020000010102030109022200010100A0320904000001030000000921110100012 24D0007058103080 00A".replace(" ", "")),
    "hid": b"\4" + bytes.fromhex("000000 0300000001080002 010F00000000220000 058E0901A101 02020001020304 030200"),
    "tty": b"\5" + bytes.fromhex("000025800001000000") + bytes(200),
    "keys": b"\6" + key(30, 1) + key(0, 0, 0) + key(30, 0) + key(3, 0, 0) + key(31, 2),
    "printer": b"\7" + bytes.fromhex("40 00 0017") + b"MFG:EPSON;MDL:TM-T20;",
    "service": b"\x08" + bytes.fromhex("00 004000060052454144455200 0100000000020000050041424344 00043B800181 02400000020090 00 03400000019000 0420 00"),
})


# The places in Sources/Till/Printing/Profiles/printers.json.
models = [profile["id"] for profile in json.loads(pathlib.Path("Sources/Till/Printing/Profiles/printers.json").read_text())["profiles"]]
epson, star, mpop, raster = (models.index(name) for name in ("epson-tm-t88v", "star-tsp600", "star-mpop", "star-tsp100"))
GOOD = bytes([0x12] * 4)
MARKER = b"\x37\x223132\x00"
STAR = bytes.fromhex("238600000000000000")
COUNTER = bytes.fromhex("1B1D03013231" + "0100")
write("FuzzPrinterStatus", {"epson": bytes([epson]) + GOOD + b"\xff" * 5 + MARKER + b"\xff" + GOOD})
write("FuzzPrinterStatus", {"epson-open": bytes([epson]) + GOOD + b"\xff" + bytes([0x38, 0, 0, 0]) + b"\xff" + bytes([0x10, 0, 0, 0])})
write("FuzzPrinterStatus", {"epson-is-star": bytes([epson]) + STAR})
write("FuzzPrinterStatus", {"star": bytes([star]) + STAR + b"\xff" * 5 + COUNTER + b"\xff" + STAR})

write("FuzzScans", {"serial": b"\x00\x00]E04006381333931\r\n]Q1https://example.com\r"})
write("FuzzScans", {"framed": b"\x00\x06\x02123\x03\r"})
write("FuzzScans", {"keys": bytes([1, 0, 42, 30, 0x80 | 30, 0x80 | 42, 29, 27, 0x80 | 29, 56, 80, 73, 0x80 | 56, 2, 28, 3, 15, 0xFF])})
descriptor = bytes.fromhex(
    "058C0902A101" "0912A1028502" "150026FF007508" "0501093B95018102058C" "09FB09FC09FD95038102" "09FE953882 0201".replace(" ", "")
    + "0666FF0904090095028102" "058C09FF2501750195018102" "95078103C0C0"
)
report = lambda data, continued: bytes([len(data)]) + b"]E0" + data.ljust(56, b"\0") + bytes([0, 0, continued])
write("FuzzScans", {"hid": bytes([2, 0, len(descriptor)]) + descriptor + report(b"1" * 56, 1) + report(b"23", 0)})

for place, start, cut in ((epson, "1B401C2E1B4D00", "1D564200"), (star, "1B401B1E4600", "1B6403"), (mpop, "1B401B1E4600", "1B6403")):
    table = "1B7410" if place == epson else "1B1D7420"
    write("FuzzSlips", {f"slip-{place}": bytes([place]) + bytes.fromhex(start + table) + b"Caf\xe9 12.50\n" + bytes.fromhex(cut)})
write("FuzzSlips", {"picture": bytes([epson]) + bytes.fromhex("1D763000020002008001011014010001")})
write("FuzzSlips", {"code": bytes([epson]) + bytes.fromhex("1D286B040031503061" + "1D286B0300315130")})
write("FuzzSlips", {"star-code": bytes([star]) + bytes.fromhex("1B1D79443100010061" + "1B1D79500A")})
write("FuzzSlips", {"star-picture": bytes([mpop]) + bytes.fromhex("1B1D5301010001000080")})
write("FuzzSlips", {"raster": bytes([raster]) + bytes.fromhex("1B2A72411B2A7250300062010080" "1B2A725931320 01B0C001B2A7242".replace(" ", ""))})
write("FuzzSlips", {"commands": bytes([epson]) + "Ł\x1bp\x00\x19ú\x10\x14\x01\x00\x01日本".encode()})

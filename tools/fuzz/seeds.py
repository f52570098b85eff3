#!/usr/bin/env python3
"""Writes seeds into the corpus folder that is given.

FuzzTransaction: from each trace in Vectors/traces the card's answers, each with its length before it, in the order in which our kernel asks.
FuzzTracks: tracks of test cards, typed, as bits, as intervals and as samples.
FuzzStripeReaders: a report, frame or answer of each family, the family in front.
"""
import pathlib
import sys

corpus = pathlib.Path(sys.argv[1])
out = corpus / "FuzzTransaction"
out.mkdir(parents=True, exist_ok=True)
NOT_FOUND = "6A82"
for file in sorted(pathlib.Path("Vectors/traces").glob("*.apdu")):
    lines = [line.strip() for line in file.read_text().splitlines()]
    exchanges = [(a[2:], b[2:]) for a, b in zip(lines, lines[1:]) if a.startswith(">") and b.startswith("<")]
    # The terminal may have begun twice; the last beginning is the whole one.
    last = max(i for i, (command, _) in enumerate(exchanges) if command.startswith("00A404"))
    fci = exchanges[last][1]
    # No directory; then SELECT by each of the fuzzer's two partial names, SELECT next where it found something, and the final SELECT.
    selection = [fci, NOT_FOUND, NOT_FOUND] if "A000000003" in exchanges[last][0] else [NOT_FOUND, fci, NOT_FOUND]
    answers = [NOT_FOUND] + selection + [fci] + [answer for _, answer in exchanges[last + 1 :]]
    seed = b"".join(bytes([min(len(a) // 2, 255)]) + bytes.fromhex(a)[:255] for a in answers)
    (out / file.stem).write_bytes(seed)

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

readers = corpus / "FuzzStripeReaders"
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

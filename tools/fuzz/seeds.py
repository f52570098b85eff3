#!/usr/bin/env python3
"""Writes seeds into the corpus folder that is given.

FuzzTransaction: from each trace in Vectors/traces the card's answers, each with its length before it, in the order in which our kernel asks.
FuzzTracks: tracks of test cards, typed, as bits, as intervals and as samples.
FuzzPinPads: frames of ABECS, Miura and GemPC Twin, most of them published examples.
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

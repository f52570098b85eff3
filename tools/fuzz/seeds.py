#!/usr/bin/env python3
"""Writes a seed for FuzzTransaction from each trace in Vectors/traces: the card's answers, each with its length before it, in the order in which our kernel asks."""
import pathlib
import sys

out = pathlib.Path(sys.argv[1])
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

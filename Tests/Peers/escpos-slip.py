#!/usr/bin/env python3
"""Prints a slip with python-escpos 3.1 (PyPI) and writes the bytes in hexadecimal.

Standard input is a JSON object: `profile` by the name of escpos-printer-db; `lines`, each a list of runs with `text`, `bold`, `wide`,
`high`, `underline` and `inverse`; `qr`, a text or null. Text, sizes, code tables and codes are what the library makes of them.
"""
import json
import sys

try:
    from escpos.printer import Dummy
except ImportError:
    sys.exit("python-escpos of tools/python-packages.txt is missing")

slip = json.load(sys.stdin)
printer = Dummy(profile=slip["profile"])
printer.hw("INIT")
for line in slip["lines"]:
    for run in line:
        printer.set(
            align="left", font="a", bold=run["bold"], underline=int(run["underline"]), invert=run["inverse"],
            custom_size=True, width=2 if run["wide"] else 1, height=2 if run["high"] else 1,
        )
        printer.text(run["text"])
    printer.text("\n")
if slip["qr"]:
    printer.qr(slip["qr"], native=True, size=4)
printer.cut()
sys.stdout.write(printer.output.hex())

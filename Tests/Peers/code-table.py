#!/usr/bin/env python3
"""Reads the name of a codec from standard input; prints the character of each byte from 20 to FF as a hexadecimal number, one a line.

A byte without a printed character is `-`: controls, format characters and spaces (but for 20) are none.
"""
import sys
import unicodedata

codec = sys.stdin.read().strip()
for byte in range(0x20, 0x100):
    try:
        character = bytes([byte]).decode(codec)
    except UnicodeDecodeError:
        print("-")
        continue
    is_printed = byte == 0x20 or unicodedata.category(character) not in ("Cc", "Cf", "Zs")
    print(f"{ord(character):X}" if is_printed else "-")

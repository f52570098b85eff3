#!/usr/bin/env python3
"""Decodes a PNG of 8-bit grayscale from standard input with Python's zlib, and compares it with strokes.

The strokes are arguments: `x,y-x,y-...`, one a stroke. Prints the picture's size, its number of bytes and how many pixels differ from
a round pen two pixels wide, whose edge is as dark as the part of a pixel that it covers (by distance).
"""
import math
import struct
import sys
import zlib


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG file"
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert crc == zlib.crc32(name + content), f"checksum of {name}"
        yield name, content
        at += 12 + length


def distance(px, py, ax, ay, bx, by):
    if (ax, ay) == (bx, by):
        return math.hypot(px - ax, py - ay)
    along = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = max(0.0, min(1.0, along))
    return math.hypot(px - (ax + along * (bx - ax)), py - (ay + along * (by - ay)))


def main():
    data = sys.stdin.buffer.read()
    parts = list(chunks(data))
    assert [name for name, _ in parts] == [b"IHDR", b"IDAT", b"IEND"], parts
    width, height, depth, color, compression, filtering, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    assert (depth, color, compression, filtering, interlace) == (8, 0, 0, 0, 0)
    raw = zlib.decompress(parts[1][1])
    assert len(raw) == height * (width + 1)
    lines = []
    for text in sys.argv[1:]:
        points = [tuple(map(int, point.split(","))) for point in text.split("-")]
        lines += list(zip(points, points[1:]))
    different = 0
    for y in range(height):
        row = raw[y * (width + 1):(y + 1) * (width + 1)]
        assert row[0] == 0, "a filter"
        for x in range(width):
            near = min(distance(x + 0.5, y + 0.5, *a, *b) for a, b in lines)
            expected = 255 * (1 - max(0.0, min(1.0, 1.5 - near)))
            different += abs(row[x + 1] - expected) > 0.51
    print(width, height, len(data), different)


main()

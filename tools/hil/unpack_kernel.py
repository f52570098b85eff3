#!/usr/bin/env python3
"""Writes the kernel within a bzImage as an ELF file, which QEMU starts without unpacking it in emulation: unpack_kernel.py vmlinuz vmlinux"""
import gzip
import lzma
import subprocess
import sys

FORMATS = [
    (b"\xfd7zXZ\x00", lambda data: lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data)),
    (b"\x28\xb5\x2f\xfd", lambda data: subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=False).stdout),
    (b"\x1f\x8b\x08", lambda data: gzip.decompress(data)),
]


def main(source, target):
    image = open(source, "rb").read()
    for magic, unpack in FORMATS:
        start = image.find(magic)
        while start >= 0:
            try:
                kernel = unpack(image[start:])
            except (OSError, EOFError, lzma.LZMAError):
                kernel = b""
            if kernel.startswith(b"\x7fELF"):
                open(target, "wb").write(kernel)
                return
            start = image.find(magic, start + 1)
    sys.exit(f"{source}: no kernel found within")


main(*sys.argv[1:])

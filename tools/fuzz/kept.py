#!/usr/bin/env python3
"""The inputs of a fuzz target that are kept, as one text: a line of base64 for each, the shortest first.

    tools/fuzz/kept.py pack FOLDER FILE
    tools/fuzz/kept.py unpack FILE FOLDER
"""
import base64
import hashlib
import pathlib
import sys

# So that the tree stays small: what does not fit in is found again soon enough.
MOST = 200_000


def pack(folder, file):
    inputs = sorted((path.read_bytes() for path in folder.iterdir()), key=lambda content: (len(content), content))
    lines, size = [], 0
    for content in inputs:
        line = base64.b64encode(content).decode()
        size += len(line) + 1
        if size > MOST:
            break
        lines.append(line)
    file.write_text("".join(line + "\n" for line in lines))
    print(f"kept {len(lines)} of {len(inputs)} inputs")


def unpack(file, folder):
    for line in file.read_text().splitlines():
        content = base64.b64decode(line)
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


command, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
{"pack": pack, "unpack": unpack}[command](source, target)

"""What Python's json makes of documents: json-peer.py FILE

FILE has a document in hexadecimal in each line. Prints a list with each value, written so that numbers and bytes can be compared, or
null where the document is refused. Python's extensions are turned off: NaN and infinities, keys that are there twice, halves of
surrogate pairs, and other encodings than UTF-8. A byte order mark is passed over.
"""
import json
import sys


class Number(str):
    pass


def refuse(text):
    raise ValueError(text)


def members(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key is there twice")
    return pairs


class Members(list):
    pass


def written(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return "#" + value
    if isinstance(value, str):
        # A half of a surrogate pair cannot be encoded.
        return '"' + value.encode("utf-8").hex() + '"'
    if isinstance(value, Members):
        return "{" + ",".join(written(name) + ":" + written(member) for name, member in value) + "}"
    return "[" + ",".join(written(element) for element in value) + "]"


def answer(document):
    try:
        value = json.loads(document.decode("utf-8-sig"), parse_int=Number, parse_float=Number, parse_constant=refuse,
                           object_pairs_hook=lambda pairs: Members(members(pairs)))
        return written(value)
    except (ValueError, RecursionError):
        return None


with open(sys.argv[1]) as file:
    lines = file.read().split("\n")
print(json.dumps([answer(bytes.fromhex(line)) for line in lines]))

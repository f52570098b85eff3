"""Holds messages and requests of a till to their schema, by Debian's python3-jsonschema: schema-peer.py SCHEMA messages|requests

messages: reads a message in each line of standard input. Prints what is wrong with each, then the properties, names and kinds that the
schema has and no message had: the schema must not promise what the terminal never says.
requests: prints requests, each behind "valid" or "invalid" and what it has: of each kind the smallest, one with each optional key, one
with each name that a key can have, and one with all keys; and the same with a key missing, a key unknown, a key of another kind, or a
value outside its limits.
"""
import copy
import json
import sys

import jsonschema

SCHEMA = json.load(open(sys.argv[1], encoding="utf-8"))
DEFS = SCHEMA["$defs"]


def validator(name):
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFS})


def target(reference):
    node = SCHEMA
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


# Messages


def walk(value, schema, place, seen):
    """Notes each property, name and kind of the schema that the value has."""
    if "$ref" in schema:
        walk(value, target(schema["$ref"]), schema["$ref"], seen)
    for part in schema.get("allOf", []):
        walk(value, part, place, seen)
    for index, kind in enumerate(schema.get("oneOf", [])):
        if jsonschema.Draft202012Validator({**kind, "$defs": DEFS}).is_valid(value):
            seen.add(f"{place}/oneOf/{index}")
            walk(value, kind, f"{place}/oneOf/{index}", seen)
    if "enum" in schema:
        seen.add(f"{place}={value}")
    for name, inner in schema.get("properties", {}).items():
        if isinstance(value, dict) and name in value:
            seen.add(f"{place}.{name}")
            walk(value[name], inner, f"{place}.{name}", seen)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for element in value:
            walk(element, schema["items"], f"{place}[]", seen)


def everything(schema, place, found, visited):
    """Each property, name and kind that the schema has."""
    if "$ref" in schema and schema["$ref"] not in visited:
        everything(target(schema["$ref"]), schema["$ref"], found, visited | {schema["$ref"]})
    for part in schema.get("allOf", []):
        everything(part, place, found, visited)
    for index, kind in enumerate(schema.get("oneOf", [])):
        found.add(f"{place}/oneOf/{index}")
        everything(kind, f"{place}/oneOf/{index}", found, visited)
    for value in schema.get("enum", []):
        found.add(f"{place}={value}")
    for name, inner in schema.get("properties", {}).items():
        found.add(f"{place}.{name}")
        everything(inner, f"{place}.{name}", found, visited)
    if isinstance(schema.get("items"), dict):
        everything(schema["items"], f"{place}[]", found, visited)


def messages():
    check = validator("message")
    seen, found = set(), set()
    for line in sys.stdin:
        message = json.loads(line)
        for error in check.iter_errors(message):
            print(f"not by the schema: {line.strip()[:300]}: {jsonschema.exceptions.best_match([error]).message[:300]}")
        walk(message, DEFS["message"], "#/$defs/message", seen)
    everything(DEFS["message"], "#/$defs/message", found, {"#/$defs/message"})
    for place in sorted(found - seen):
        print(f"never said: {place}")


# Requests


def merged(schema):
    """A schema with what it refers to."""
    if "$ref" not in schema:
        return schema
    base = merged(target(schema["$ref"]))
    return {**base, **schema, "properties": {**base.get("properties", {}), **schema.get("properties", {})},
            "required": base.get("required", []) + schema.get("required", [])}


TEXTS = {"amount": "12.34", "currency": "EUR", "descriptor": "SHOP 1", "approvalCode": "12ab56", "tip": "1.00", "serviceCharge": "0.50"}


def values(schema, name):
    """Values that the schema allows, the plainest first."""
    schema = merged(schema)
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return schema["enum"]
    kind = schema["type"]
    if kind == "boolean":
        return [True, False]
    if kind == "integer":
        return [schema["minimum"], schema["maximum"]]
    if kind == "string":
        if name in TEXTS:
            return [TEXTS[name]]
        most = schema.get("maxLength", 20)
        return ["a b-1", "é" * min(most, 9), "x" * most] + ["" for _ in range(schema.get("minLength", 0) == 0)]
    if kind == "array":
        if "prefixItems" in schema:
            return [[values(item, name)[corner] for item in schema["prefixItems"]] for corner in (0, 1)]
        elements = values(schema["items"], name)
        fewest = schema.get("minItems", 0)
        return [(elements * 2)[:max(fewest, 2)], elements] + [[] for _ in range(fewest == 0)]
    assert kind == "object", schema
    return [full(schema), least(schema)]


def full(schema):
    return {name: values(inner, name)[0] for name, inner in schema["properties"].items()}


def least(schema):
    return {name: values(schema["properties"][name], name)[0] for name in schema.get("required", [])}


def strangers(schema, name):
    """Values that the schema does not allow."""
    schema = merged(schema)
    found = [None]
    if "const" in schema:
        return found + ["another", 2, False]
    if "enum" in schema:
        return found + ["another", 1, schema["enum"][0].upper()]
    kind = schema["type"]
    if kind != "string":
        found.append("text")
    if kind == "boolean":
        found.append(1)
    if kind == "integer":
        found += [schema["minimum"] - 1, schema["maximum"] + 1, 1.5]
    if kind == "string":
        found.append(7)
        if "maxLength" in schema:
            found.append("x" * (schema["maxLength"] + 1))
        if schema.get("minLength", 0) > 0:
            found.append("")
        if "pattern" in schema:
            found += ["a\nb", "\u0000"]
        if name in ("amount", "tip", "serviceCharge"):
            found += ["12,34", "012.34", "-1.00", " 1.00", "1e2", ".50"]
        if name == "currency":
            found += ["eur", "EURO"]
    if kind == "array":
        if "items" in schema and schema["items"] is not False:
            found += [[stranger] for stranger in strangers(schema["items"], name)]
        if schema.get("minItems", 0) > 0:
            found.append([])
    if kind == "object":
        found += [{**full(schema), "another": 1}]
        found += [{key: value for key, value in full(schema).items() if key != gone} for gone in schema.get("required", [])]
    return found


def requests():
    check = validator("request")

    def tell(request, what):
        print("valid" if check.is_valid(request) else "invalid", what, json.dumps(request), sep="\t")

    for kind in DEFS["request"]["oneOf"]:
        schema = merged(kind)
        plain = least(schema)
        name = plain["request"]
        alternatives = [choice["required"][0] for choice in schema.get("oneOf", [])]
        for alternative in alternatives or [None]:
            smallest = dict(plain)
            if alternative:
                smallest[alternative] = values(schema["properties"][alternative], alternative)[0]
            tell(smallest, f"{name}: the smallest {alternative or ''}")
            tell({**smallest, "another": 1}, f"{name}: an unknown key")
            for key, inner in schema["properties"].items():
                if key in alternatives and key != alternative:
                    continue
                for value in values(inner, key):
                    tell({**smallest, key: value}, f"{name}: {key}")
                for value in strangers(inner, key):
                    tell({**smallest, key: value}, f"{name}: another {key}")
                if key in smallest:
                    without = copy.copy(smallest)
                    del without[key]
                    tell(without, f"{name}: no {key}")
        tell(full(schema), f"{name}: everything")
    for stranger in (None, 1, "sale", [], {}, {"request": "another"}):
        tell(stranger, "no request")


{"messages": messages, "requests": requests}[sys.argv[2]]()

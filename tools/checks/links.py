"""What DocC said of links and parameters, of a folder with symbol graphs and its log.

A module's comments may name what a module below it has, which DocC does not look for: those links are right if some module has such a symbol.
"""
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
known = set()
for graph in folder.glob("*.symbols.json"):
    for symbol in json.loads(graph.read_text())["symbols"]:
        known.add(symbol["pathComponents"][0])
wrong = []
lines = (folder / "log").read_text().splitlines()
for line, place in zip(lines, lines[1:] + [""]):
    missing = re.match(r"warning: '([^']+)' doesn't exist at", line)
    if missing and missing[1].split("/")[0] in known:
        continue
    if line.startswith(("warning:", "error:")) and "is missing documentation" not in line:
        wrong.append(f"{line} {place.strip()}")
print("\n".join(wrong), end="\n" if wrong else "")
print(f"documentation: {len(known)} types, {len(wrong)} links that lead nowhere")
sys.exit(1 if wrong else 0)

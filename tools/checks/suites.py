#!/usr/bin/env python3
"""Prints the test targets of changed files, one a line: those that `tools/test --quick` runs.

    git diff --name-only main | tools/checks/suites.py

The tests of a target T are the test target TTests. A target without one has the test targets that declare it, or else those of the
targets that declare it. A document belongs to DocumentationTests.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def description():
    """Target name to (folder, whether it is a test target, names of declared targets)."""
    output = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout
    found = {}
    for target in json.loads(output)["targets"]:
        declared = {next(iter(entry.values()))[0] for entry in target["dependencies"]}
        is_test = target["type"] == "test"
        folder = target.get("path") or f"{'Tests' if is_test else 'Sources'}/{target['name']}"
        found[target["name"]] = (folder, is_test, declared)
    return found


def suites(name, targets):
    if targets[name][1]:
        return {name}
    if f"{name}Tests" in targets:
        return {f"{name}Tests"}
    users = [user for user, (_, _, declared) in targets.items() if name in declared]
    tests = {user for user in users if targets[user][1]}
    return tests or {suite for user in users for suite in suites(user, targets)}


def main():
    targets = description()
    found = set()
    for file in sys.stdin.read().split("\n"):
        if file.endswith(".md"):
            found.add("DocumentationTests")
            continue
        found |= {suite for name, (folder, _, _) in targets.items() if file.startswith(f"{folder}/") for suite in suites(name, targets)}
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    main()

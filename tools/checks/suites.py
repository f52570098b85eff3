#!/usr/bin/env python3
"""Prints the test targets of changed files, one a line: those that `tools/test --quick` runs.

    git diff --name-only main | tools/checks/suites.py

The tests of a target T are the test target TTests. A target without one has the test targets that declare it, or else those of the
targets that declare it. A document belongs to DocumentationTests.
"""
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def description():
    """Target name to (folder, whether it is a test target, names of declared targets), as `layers` reads the manifest."""
    loader = importlib.machinery.SourceFileLoader("layers", str(ROOT / "tools/checks/layers"))
    layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(layers)
    floors = layers.floors()
    return {name: (str(folder.relative_to(ROOT)), kind == "test", declared) for name, (_, kind, declared, folder) in floors.items()}


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

#!/usr/bin/env python3
"""The keys that `PROGRAM --help-deck` prints, from the table that the parser uses, and those of a document agree: each key is in
backquotes somewhere in the document, and each name in the first columns of the document's first table is a key.

usage: deck_doc.py PROGRAM DOCUMENT COLUMNS      COLUMNS: how many columns of that table have keys only; 0: it is not checked
"""
import re
import subprocess
import sys

WORD = re.compile(r"[a-z][a-z0-9_]*")


def keys_of(program):
    """All names, and other names: "  NAME  ... (also OTHER)"."""
    text = subprocess.run([program, "--help-deck"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    found = {m.group(1) for m in re.finditer(r"^  ([a-z][a-z0-9_]*) ", text, re.MULTILINE)}
    found |= {m.group(1) for m in re.finditer(r"\(also ([a-z][a-z0-9_]*)\)", text)}
    return found - {"key"} # the head of the table


def main():
    program, document, columns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(document, encoding="utf-8") as file:
        text = file.read()
    keys = keys_of(program)
    quoted = {word for part in re.findall(r"`([^`\n]+)`", text) for word in WORD.findall(part)}
    table = text[text.index("\n|"):].lstrip("\n").split("\n\n")[0]
    cells = [cell for line in table.splitlines() for cell in line.split("|")[1:1 + columns]]
    named = {word for cell in cells for part in re.findall(r"`([^`]+)`", cell) for word in WORD.findall(part)}
    faults = [f"{document}: the key '{key}' of --help-deck is not there" for key in sorted(keys - quoted)]
    faults += [f"{document}: '{name}' is no key of --help-deck" for name in sorted(named - keys)]
    if len(keys) < 10 or (columns > 0 and len(named) < 10):
        faults += [f"found {len(keys)} keys and {len(named)} names: has the form of one of the two changed?"]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Recomputes the digests of a results file with h5py and hashlib alone: a check of minx-verify that shares no code with it.

Exit code 0: all digests are right, 1: one is wrong, or a file is no results file, 77: h5py or numpy is missing.
"""
import argparse
import hashlib
import sys

from lib.minx_python import use_minx_python

use_minx_python()
try:
    import h5py
    import numpy
    missing = None
except ImportError as error:  # --help works without them
    missing = error


def sha(data):
    return hashlib.sha256(data).hexdigest()


def shape(extents):
    return "[" + ",".join(map(str, extents)) + "]"


def blocks(data):
    """The bytes of a dataset, in blocks of whole rows: as many as fit into 1 MiB, at least one."""
    if data.size == 0:
        return
    if data.shape == ():
        whole = numpy.empty((), data.dtype)
        data.read_direct(whole)
        yield whole.tobytes()
        return
    row = data.dtype.itemsize * data.size // data.shape[0]
    rows = max(1, 2**20 // row)
    for first in range(0, data.shape[0], rows):
        yield data[first : first + rows].tobytes()


def attribute_line(thing, name):
    attribute = thing.attrs.get_id(name)
    if attribute.dtype.kind == "O":  # a text of variable length
        return f"attribute {sha(str(thing.attrs[name]).encode())} |O [] {name}"
    value = numpy.empty(attribute.shape, attribute.dtype)
    attribute.read(value)
    return f"attribute {sha(value.tobytes())} {value.dtype.str} {shape(value.shape)} {name}"


def digest(thing):
    if isinstance(thing, h5py.Dataset):
        lines = [f"dataset {thing.dtype.str} {shape(thing.shape)} {thing.name}"]
    else:
        lines = [f"group {thing.name}"]
    lines += [attribute_line(thing, name) for name in sorted(thing.attrs)]
    if isinstance(thing, h5py.Dataset):
        lines += [f"block {sha(block)}" for block in blocks(thing)]
    return sha("".join(line + "\n" for line in lines).encode())


def text(file, path):
    """The bytes of a dataset that is one text."""
    value = file[path][()] if isinstance(file[path], h5py.Dataset) else None
    if not isinstance(value, bytes):
        raise TypeError(f"{path} is no text")
    return value


def holds(path):
    with h5py.File(path, "r") as file:
        stored, root = text(file, "/integrity/manifest"), text(file, "/integrity/root")
        things = {"/": file}
        file.visititems(lambda name, thing: things.update({"/" + name: thing}))
        inside = sorted(p for p in things if p != "/integrity" and not p.startswith("/integrity/"))
        manifest = "".join(f"{digest(things[p])}  {p}\n" for p in inside).encode()
    if stored != manifest:
        wrong = set(manifest.splitlines()) ^ set(stored.splitlines())
        print(f"{path}: digests differ for", *sorted({line.split(b"  ", 1)[-1].decode(errors="replace") for line in wrong}))
    return stored == manifest and root == sha(manifest).encode()


def checked(path):
    """True if all digests are right; else it has printed why not."""
    try:
        return holds(path)
    except (OSError, KeyError, TypeError, ValueError) as error:
        print(f"{path}: expected a results file: {error}")
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", metavar="FILE.h5")
    args = parser.parse_args()
    if missing:
        print(f"skipped: verify_digests.py: {missing}: it needs h5py and numpy")
        return 77
    return 0 if all([checked(path) for path in args.results]) else 1


if __name__ == "__main__":
    sys.exit(main())

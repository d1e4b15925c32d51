#!/usr/bin/env python3
"""One deck of an app, whichever it is, on every backend of this build on 1, 2 and 4 ranks.

Each run must exit with 0, its results file must pass minx-verify, and agree with the first one's by the file's own rules; a restart gives the same bits.
A deck whose comments say "The tests run it with KEY=VALUE..." runs as it is once, on serial, and with these keys in all other runs.
On simt each thread of a kernel is a thread of the system. A deck whose comments say that it is "too long for simt" does not run there;
where they say "on simt with KEY=VALUE...", these keys make the problem smaller there, and the first run with them is on serial.
Backends for devices run on one rank, where there is a device.

Runs on more than MAX-RANKS ranks are left out.

usage: app_decks.py APP MINX-VERIFY DECK MAX-RANKS MPIEXEC...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import all_succeed, backends_of, on_ranks


def keys_in(comments, words):
    """Of the sentence in a deck's comments that begins so."""
    found = re.search(words + r"((?: \w+=[^\s:,]+)+)", comments)
    return found.group(1).split() if found else []


def plan(app, comments, usual, max_ranks):
    """(name, backend, ranks, options, keys) of the runs. Those with the same keys agree."""
    short = not re.search(r"too long for simt", comments)
    smaller = keys_in(comments, "on simt with")
    if usual:
        yield "whole", "serial", 1, [], []
    all_ranks = [n for n in (1, 2, 4) if n <= max_ranks]
    for backend in backends_of(app):
        keys = usual
        if backend == "simt":
            if not short:
                continue
            if smaller:
                keys = smaller
                yield "smaller", "serial", 1, [], keys
        on_host = backend in ("serial", "openmp", "simt")
        for ranks in all_ranks if on_host else (1,):
            threads = ["--threads=2" if ranks == 1 else "--threads=1"]
            yield backend, backend, ranks, threads if backend == "openmp" else [], keys


def restarts(app, verify, deck, keys, folder, whole):
    """A run that goes on from the checkpoint before its last step ends with the same bits."""
    command = [app, deck, *keys, "--quiet", "--backend=serial"]
    done = subprocess.run([*command, "--checkpoint=c.h5", "--checkpoint-every=1"], cwd=folder, capture_output=True, text=True)
    before = "c.h5.1"
    if "has no checkpoints" in done.stderr or (done.returncode == 0 and not os.path.exists(os.path.join(folder, before))):
        return True
    return all_succeed([[*command, "--restart=" + before, "--output=again.h5"], [verify, "--quiet", "again.h5"],
                        [verify, "--quiet", "--tolerance=0", whole, "again.h5"]], folder)


def main():
    app, verify, deck, max_ranks = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), int(sys.argv[4])
    mpiexec = sys.argv[5:]
    good, first = True, {}
    with open(deck, errors="replace") as f:
        comments = f.read()
    usual = keys_in(comments, "The tests run it with")
    with tempfile.TemporaryDirectory() as folder:
        for name, backend, ranks, options, keys in plan(app, comments, usual, max_ranks):
            file = f"{name}_{ranks}.h5"
            other = first.setdefault(tuple(keys), file)
            command = on_ranks(mpiexec, ranks, [app, deck, *keys, "--quiet", "--backend=" + backend, "--output=" + file, *options])
            compared = [] if other == file else [[verify, "--quiet", other, file]]
            good = all_succeed([command, [verify, "--quiet", file], *compared], folder) and good
        whole = first.get(tuple(usual))
        good = good and (whole != "serial_1.h5" or restarts(app, verify, deck, usual, folder, whole))
        if not first:
            print("no backend is available")
    return 0 if good and first else 1


if __name__ == "__main__":
    sys.exit(main())

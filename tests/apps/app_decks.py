#!/usr/bin/env python3
"""One deck of an app, whichever it is, on every backend of this build on 1, 2 and 4 ranks.

Each run must exit with 0, its results file must pass minx-verify, and agree with the first one's by the file's own rules; a restart gives the same bits. A deck whose comments say that it is
"too long for simt" does not run on that debug backend. Backends for devices run on one rank, where there is a device.

Runs on more than MOST-RANKS ranks are left out.

usage: app_decks.py APP MINX-VERIFY DECK MOST-RANKS MPIEXEC...
"""
import os
import re
import subprocess
import sys
import tempfile


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=250)
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit code {done.returncode}, expected 0\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def plan(app, deck, most_ranks):
    """(backend, ranks, options) of the runs."""
    listed = subprocess.run([app, "--backends"], capture_output=True, text=True, check=True).stdout
    with open(deck, errors="replace") as f:
        short = not re.search(r"too long for simt", f.read())
    for backend in [line for line in listed.splitlines() if not line.startswith("#")]:
        if backend == "simt" and not short:
            continue
        on_host = backend in ("serial", "openmp", "simt")
        for ranks in [n for n in (1, 2, 4) if n <= most_ranks] if on_host else (1,):
            yield backend, ranks, ["--threads=2"] if backend == "openmp" and ranks == 1 else []


def restarts(app, verify, deck, folder, whole):
    """A run that goes on from the checkpoint before its last step ends with the same bits."""
    command = [app, deck, "--quiet", "--backend=serial"]
    done = subprocess.run([*command, "--checkpoint=c.h5", "--checkpoint-every=1"], cwd=folder, capture_output=True, text=True)
    before = "c.h5.1"
    if "has no checkpoints" in done.stderr or (done.returncode == 0 and not os.path.exists(os.path.join(folder, before))):
        return True
    return run([*command, "--restart=" + before, "--output=again.h5"], folder) and run([verify, "--quiet", "again.h5"], folder) \
        and run([verify, "--quiet", "--tolerance=0", whole, "again.h5"], folder)


def main():
    app, verify, deck, most_ranks = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), int(sys.argv[4])
    mpiexec = sys.argv[5:]
    good, first = True, None
    with tempfile.TemporaryDirectory() as folder:
        for backend, ranks, options in plan(app, deck, most_ranks):
            file = f"{backend}_{ranks}.h5"
            launcher = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
            good = run([*launcher, app, deck, "--quiet", "--backend=" + backend, "--output=" + file, *options], folder) \
                and run([verify, "--quiet", file], folder) and (first is None or run([verify, "--quiet", first, file], folder)) \
                and good
            first = first or file
        good = good and (first != "serial_1.h5" or restarts(app, verify, deck, folder, first))
        if first is None:
            print("no backend is available")
    return 0 if good and first else 1


if __name__ == "__main__":
    sys.exit(main())

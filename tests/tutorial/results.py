#!/usr/bin/env python3
"""Lesson 14: its results verify themselves on every backend, a restart gives the same bits, and the start file's gaps show.

usage: results.py FOLDER_OF_PROGRAMS MPIEXEC...          MPIEXEC ends with the flag for the number of ranks
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import check

DECK = check.COURSE / "14-results" / "ripple.in"


def main():
    folder, mpiexec, faults = Path(sys.argv[1]), sys.argv[2:], []

    def expect(code, words, ranks, program, *arguments):
        launcher = [*mpiexec, str(ranks)] if ranks else []
        done = subprocess.run([*launcher, folder / program, *arguments], capture_output=True, text=True, timeout=200, cwd=scratch)
        text = done.stdout + done.stderr
        if done.returncode != code or words not in text:
            faults.append(f"{program} {' '.join(map(str, arguments))}: exit code {done.returncode}, expected {code} and '{words}'\n{text}")

    with tempfile.TemporaryDirectory() as scratch:
        for backend, ranks in [("serial", 1), ("openmp:threads=1", 2), ("simt", 1)]:
            expect(0, "PASSED", ranks, "solution14", DECK, f"--backend={backend}", f"--output={backend}.h5")
            expect(0, "", 0, "minx-verify", f"{backend}.h5")
        expect(0, "", 0, "minx-verify", "serial.h5", "simt.h5")
        expect(0, "", 1, "solution14", DECK, "steps=60", "--backend=serial", "--checkpoint=c.h5", "--checkpoint-every=60")
        expect(0, "Restarted", 1, "solution14", DECK, "--backend=serial", "--restart=c.h5", "--output=again.h5")
        expect(0, "", 0, "minx-verify", "serial.h5", "again.h5")
        expect(0, "", 1, "lesson14", DECK, "--backend=serial", "--output=open.h5")
        expect(1, "energy", 0, "minx-verify", "open.h5")
    return check.report(faults)


if __name__ == "__main__":
    sys.exit(main())

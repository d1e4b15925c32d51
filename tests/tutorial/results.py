#!/usr/bin/env python3
"""Lesson 14: its results verify themselves on every backend, a restart gives the same bits, and the start file's gaps show.

usage: results.py BACKEND FOLDER_OF_PROGRAMS MPIEXEC...          MPIEXEC ends with the flag for the number of ranks

BACKEND: hosts, or cuda or hip: its results and its restart, and the same results as on serial; 77 without a device.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import check

DECK = check.COURSE / "14-results" / "ripple.in"


def main():
    kind, folder, mpiexec, faults = sys.argv[1], Path(sys.argv[2]), sys.argv[3:], []
    hosts = kind == "hosts"

    def expect(code, words, ranks, program, *arguments):
        launcher = [*mpiexec, str(ranks)] if ranks else []
        done = subprocess.run([*launcher, folder / program, *arguments], capture_output=True, text=True, timeout=200, cwd=scratch)
        text = done.stdout + done.stderr
        if done.returncode != code or words not in text:
            faults.append(f"{program} {' '.join(map(str, arguments))}: exit code {done.returncode}, expected {code} and '{words}'\n{text}")

    if check.is_missing(kind, [*mpiexec, "1", folder / "solution13", kind]):
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        for backend, ranks in [("serial", 1), *([("openmp:threads=1", 2), ("simt", 1)] if hosts else [(kind, 2)])]:
            expect(0, "PASSED", ranks, "solution14", DECK, f"--backend={backend}", f"--output={backend}.h5")
            expect(0, "", 0, "minx-verify", f"{backend}.h5")
            expect(0, "", 0, "minx-verify", "serial.h5", f"{backend}.h5")
        first = "serial" if hosts else kind
        expect(0, "", 1, "solution14", DECK, "steps=60", f"--backend={first}", "--checkpoint=c.h5", "--checkpoint-every=60")
        expect(0, "Restarted", 1, "solution14", DECK, f"--backend={first}", "--restart=c.h5", "--output=again.h5")
        expect(0, "", 0, "minx-verify", "serial.h5", "again.h5")
        if hosts:
            expect(0, "", 1, "lesson14", DECK, "--backend=serial", "--output=open.h5")
            expect(1, "energy", 0, "minx-verify", "open.h5")
    return check.report(faults)


if __name__ == "__main__":
    sys.exit(main())

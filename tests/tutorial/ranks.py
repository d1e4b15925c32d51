#!/usr/bin/env python3
"""Lesson 13 on 1, 2 and 4 ranks: the solution prints what its page shows, the start file says which gap is open.

usage: ranks.py BACKEND FOLDER_OF_PROGRAMS MPIEXEC...          MPIEXEC ends with the flag for the number of ranks

BACKEND: hosts, or cuda or hip: the solution on 1, 2 and 4 ranks that share the devices; 77 without one.
"""
import subprocess
import sys
from pathlib import Path

import check

PAGE = (check.COURSE / "13-ranks" / "README.md").read_text()
HOSTS = [(1, "serial"), (2, "openmp:threads=1"), (2, "simt"), (4, "serial")]


def shown(program):
    """What the page shows of mpirun -n 4 build/bin/PROGRAM serial."""
    return dict(check.BLOCK.findall(PAGE))[f"mpirun -n 4 build/bin/{program} serial"]


def main():
    kind, folder, mpiexec = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    faults = []
    if check.is_missing(kind, [*mpiexec, "1", folder / "solution13", kind]):
        return 77
    on_hosts = [("solution13", 0, HOSTS), ("lesson13", 1, [(4, "serial")])]
    on_devices = [("solution13", 0, [(ranks, kind) for ranks in (1, 2, 4)])]
    for program, code, runs in on_hosts if kind == "hosts" else on_devices:
        for ranks, backend in runs:
            done = subprocess.run([*mpiexec, str(ranks), folder / program, backend], capture_output=True, text=True, timeout=200)
            # what the launcher itself says of a failed program comes behind
            got = "".join(line + "\n" for line in (done.stdout + done.stderr).splitlines()[:shown(program).count("\n")])
            if done.returncode != code or got != shown(program):
                faults.append(check.difference(f"{program} {backend} on {ranks} ranks: exit code {done.returncode}, expected {code}",
                                               shown(program), done.stdout + done.stderr))
    return check.report(faults)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""miniFE where an allocation fails on one of two ranks. Both end with exit code 3, and there is one message. Each allocation of a
run fails once, or with --step N every Nth one. A run that does not end is named.

usage: no_memory.py [--step N] PROGRAM MPIEXEC... (with the option for the number of ranks)
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import run_ranks

RUNS = [
    ["operator=csr", "overlap=on"],
    ["operator=csr8", "preconditioner=multigrid"],
    ["operator=symmetric", "problem=manufactured", "mesh=distorted", "solver=single-reduction", "preconditioner=chebyshev"],
]
# of a view, and of the arguments of a kernel
ABOUT_MEMORY = re.compile(r"no \d+ bytes|no memory")


def run(command, fails_at):
    return run_ranks(command, {"MINIFE_FAILS_AT": str(fails_at)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("mpiexec", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    good = True
    for keys in RUNS:
        command = [*options.mpiexec, "2", options.program, "nx=8", "max_iterations=100", *keys, "--backend=serial"]
        whole = run(command, 0)
        count = re.search(r"^allocations: (\d+)$", whole.stdout, re.MULTILINE)
        if whole.returncode != 0 or not count or int(count.group(1)) < 10:
            print(f"{' '.join(command)}: exit code {whole.returncode}, {count and count.group(0)}, expected 0 and at least 10\n"
                  f"{whole.stdout[-1000:]}{whole.stderr[-1000:]}")
            good = False
            continue
        for number in range(1, int(count.group(1)) + 1, options.step):
            done = run(command, number)
            messages = [line for line in done.stderr.splitlines() if line.startswith("minife: error: ")]
            if done.returncode != 3 or len(messages) != 1 or not ABOUT_MEMORY.search(messages[0]):
                print(f"MINIFE_FAILS_AT={number} {' '.join(command)}: exit code {done.returncode}, expected 3\n"
                      f"{len(messages)} messages, expected one about memory\n{done.stderr[-1000:]}")
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

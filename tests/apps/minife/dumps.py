#!/usr/bin/env python3
"""miniFE's matrices, right-hand sides and solutions against what the original's reference variant dumps, entry by entry.

The original's dumps have 6 digits: a value agrees if it differs by at most half a unit of the 6th, 5e-6 relative (5.1e-6 with the
rounding of the comparison). Couplings that would be 0 with exact Gauss points are about 1e-10 and have 6 digits too. Residual lines
printed for 17x3x5 must have the same digits: the initial one, and that of iteration 20.

The dumps are looked for in the folder minife of MINX_REFERENCE_DATA; without them the test is skipped, or fails if
MINX_REQUIRE_DATA=1.

usage: dumps.py --minife PROGRAM --mpiexec WORD...
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, on_ranks, options_of, reference_data

DIGITS = 5.1e-6
# our file, the original's, numbers in front of the value
FILES = [("assembled.A", "A_prebc.mtx", 2), ("assembled.b", "b_prebc.vec", 1), ("system.A", "A.mtx", 2),
         ("system.b", "b.vec", 1), ("solution.x", "x.vec", 1)]
CASES = [("1x1x2", 1), ("17x3x5", 1), ("17x3x5", 2)]
LINES = {"17x3x5": ["Initial Residual = 5.47189", "Iteration = 20   Residual = 0.000258327"]}


def read_theirs(folder, name, numbers, ranks):
    """{indices: value} of all ranks, indices from 0; the file of rank 0 begins with a line of sizes."""
    entries = {}
    for rank in range(ranks):
        with open(os.path.join(folder, f"{name}.{ranks}.{rank}")) as file:
            lines = [line.split() for line in file][1 if rank == 0 else 0:]
        entries.update((tuple(map(int, words[:numbers])), float(words[numbers])) for words in lines)
    return entries


def read_mine(path, numbers):
    """The same of a Matrix Market file: a line that says what it is, sizes, entries with indices from 1."""
    with open(path) as file:
        kind, sizes, *lines = file.read().splitlines()
    rows, columns, count = map(int, sizes.split())
    if kind != "%%MatrixMarket matrix coordinate real general" or count != len(lines) or columns != (rows if numbers == 2 else 1):
        print(f"{path}: '{kind}', '{sizes}', {len(lines)} entries")
        return {}
    words = [line.split() for line in lines]
    return {tuple(int(w) - 1 for w in word[:numbers]): float(word[2]) for word in words}


def compare(mine, theirs, name):
    if mine.keys() != theirs.keys():
        print(f"{name}: {len(mine)} entries, expected {len(theirs)}, or other indices")
        return False
    wrong = [k for k in mine if not abs(mine[k] - theirs[k]) <= DIGITS * abs(theirs[k])]
    for k in wrong[:5]:
        print(f"{name}: entry {k}: got {mine[k]!r}, expected {theirs[k]!r}")
    return not wrong


def run(args, data, case, ranks, backend, assembly):
    name = f"{case} on {ranks} of {backend}, {assembly}"
    sizes = dict(zip(("nx", "ny", "nz"), case.split("x")))
    with tempfile.TemporaryDirectory() as folder:
        command = [args.minife, *(f"{k}={v}" for k, v in sizes.items()), f"dump={folder}", f"assembly={assembly}",
                   f"--backend={backend}", "--threads=2" if backend == "openmp" else "--quiet"]
        done = subprocess.run(on_ranks(args.mpiexec, ranks, command), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            print(f"{name}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return False
        good = True
        if "--quiet" not in command:
            for line in LINES.get(case, []):
                if line not in done.stdout.splitlines():
                    print(f"{name}: no line '{line}'\n{done.stdout}")
                    good = False
        plural = "s" if ranks > 1 else ""
        # on two ranks the low half along z comes first: the original's rows are the nodes in order, as ours
        folder_of_theirs = os.path.join(data, f"{case}.{ranks}rank{plural}")
        for mine, theirs, numbers in FILES:
            good &= compare(read_mine(os.path.join(folder, f"{mine}.mtx"), numbers),
                            read_theirs(folder_of_theirs, theirs, numbers, ranks), f"{name}: {mine}")
        return good


def main():
    args = options_of("minife", verify=False).parse_args()
    data = reference_data("minife")
    listed = backends_of(args.minife)
    good = True
    for backend in [b for b in ("serial", "openmp", "simt", "cuda", "hip") if b in listed]:
        for case, ranks in CASES:
            for assembly in ("colours", "atomics"):
                if backend == "serial" or assembly == "colours" or ranks == 1:
                    good &= run(args, data, case, ranks, backend, assembly)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

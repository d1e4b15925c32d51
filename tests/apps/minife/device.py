#!/usr/bin/env python3
"""miniFE on a device: what dump= writes of every stored operator against the serial backend, and solutions of all operators, solvers
and multigrid by minx-verify, which computes their residual itself; on one rank and on two that share the device. The two meshes
have short lines and long ones, for which devices divide ranges in different ways. Without such a device the test is skipped.

Entries and solutions agree if they differ by at most 1e-9 of the largest magnitude in the file: the residual falls to 1e-12 of the
first one, and the condition number of these matrices is below 1e3.

usage: device.py --minife PROGRAM --verify PROGRAM [--device BACKEND] --mpiexec WORD...
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import lines_of_backends, on_ranks, options_of
from minife_forms import FREE, STORED

TOLERANCE = 1e-9
MESHES = (("nx=5", "ny=4", "nz=3"), ("nx=37", "ny=10", "nz=9"))


def read(path):
    """{indices: value} of a Matrix Market file."""
    with open(path) as file:
        lines = [line.split() for line in file.read().splitlines()[2:]]
    return {tuple(words[:-1]): float(words[-1]) for words in lines}


def run(args, keys, backend, ranks=1):
    """{file: entries} of all dumps; {} of operators without matrix; None after an error."""
    dumps = not any(key in (f"operator={free}" for free in FREE) for key in keys)
    with tempfile.TemporaryDirectory() as folder:
        dump, results = os.path.join(folder, "dump"), os.path.join(folder, "out.h5")
        os.mkdir(dump)
        command = [args.minife, *keys, "relative_tolerance=1e-12", "max_iterations=1000", f"--backend={backend}",
                   f"--output={results}", "--quiet"]
        if dumps:
            command.append(f"dump={dump}")
        for words in (on_ranks(args.mpiexec, ranks, command), [args.verify, results]):
            done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                print(f"{' '.join(command)}: {words[0]}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                return None
        return {name: read(os.path.join(dump, name)) for name in sorted(os.listdir(dump))}


def agree(name, got, expected):
    if got is None or expected is None:
        return False
    good = True
    for file, entries in got.items():
        largest = max(abs(v) for v in expected[file].values())
        wrong = [k for k in expected[file] if not abs(entries.get(k, float("nan")) - expected[file][k]) <= TOLERANCE * largest]
        if entries.keys() != expected[file].keys() or wrong:
            print(f"{name}: {file}: {len(wrong)} of {len(expected[file])} entries differ, {len(entries)} entries; the first: {wrong[:1]}")
            good = False
    return good


def main():
    parser = options_of("minife")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    listed = lines_of_backends(args.minife)
    if args.device not in listed:
        print("skipped: " + "; ".join(line for line in listed if line.startswith(f"# {args.device}:")))
        return 77
    good = True
    for mesh in MESHES:
        expected = run(args, mesh, "serial")
        good = bool(expected) and good
        for operator in STORED + FREE:
            keys = (*mesh, f"operator={operator}")
            good = agree(" ".join(keys), run(args, keys, args.device), expected) and good
        for key in ("assembly=atomics", "solver=single-reduction", "preconditioner=multigrid"):
            good = agree(f"{mesh}, {key}", run(args, (*mesh, key), args.device), expected) and good
    for operator in ("lines", "symmetric", "nodes", "uniform"):
        keys = (*MESHES[1], f"operator={operator}")
        good = agree(f"{operator} on two ranks", run(args, keys, args.device, ranks=2), expected) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

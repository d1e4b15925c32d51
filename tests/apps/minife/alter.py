#!/usr/bin/env python3
"""minx-verify finds results of miniFE that were altered: its verdict of the physics, which knows no digests, must fail.

An inner node that is off by 1e-10 of the largest value leaves a residual that is a hundred times what roundings explain.

usage: alter.py --minife PROGRAM --verify MINX-VERIFY      skips (77) without h5py
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

RUNS = {
    "original": ["nx=6", "ny=5", "nz=7"],
    "distorted": ["nx=6", "ny=5", "nz=7", "problem=manufactured", "mesh=distorted", "max_iterations=300", "tolerance=1e-12"],
    "limit": ["nx=6", "ny=5", "nz=7", "max_iterations=3"],
    "rises": ["nx=3", "ny=3", "nz=60", "problem=manufactured", "max_iterations=1"],
    "start": ["nx=6", "ny=5", "nz=7", "max_iterations=0"],
    "mixed": ["nx=6", "ny=5", "nz=7", "precision=mixed", "operator=symmetric"],
}


def add(path, index, value):
    def alter(file):
        file[path][index] += value
    return alter


def multiply(path, index, factor):
    def alter(file):
        file[path][index] *= factor
    return alter


def swap(path, one, other):
    def alter(file):
        values = file[path]
        values[one], values[other] = values[other], values[one]
    return alter


def shorten(path):
    def alter(file):
        values = file[path][:-1]
        attributes = dict(file[path].attrs)
        del file[path]
        file[path] = values
        file[path].attrs.update(attributes)
    return alter


def write(path, text):
    def alter(file):
        file[path][()] = text
    return alter


def remove(path):
    def alter(file):
        del file[path]
    return alter


def verdict(text):
    def alter(file):
        file.attrs["verdict"] = np.bytes_(text)
    return alter


SOLUTION, RESIDUAL, NODES = "/fields/solution", "/series/residual", "/meshes/nodes/coordinates"
# what is altered, the run, how
CASES = [
    ("nothing", "original", None),
    ("an inner node", "original", add(SOLUTION, (3, 2, 3), 1e-10)),
    ("a node at 0", "original", add(SOLUTION, (0, 2, 3), 1e-10)),
    ("a node at 1", "original", add(SOLUTION, (3, 2, 6), -1e-10)),
    ("a node on the edge of both", "original", add(SOLUTION, (0, 2, 6), -1.0)),
    ("two nodes", "original", swap(SOLUTION, (2, 2, 3), (2, 2, 4))),
    ("a node that is no number", "original", multiply(SOLUTION, (3, 2, 3), float("nan"))),
    ("an infinite node", "original", multiply(SOLUTION, (3, 2, 3), float("inf"))),
    ("the first residual", "original", multiply(RESIDUAL, 0, 1 + 1e-9)),
    ("a residual in the middle", "original", multiply(RESIDUAL, 3, -1.0)),
    ("the last residual", "original", add(RESIDUAL, -1, 1e-3)),
    ("one residual less", "original", shorten(RESIDUAL)),
    ("no solution", "original", remove(SOLUTION)),
    ("the elements along x", "original", add("/input/nx", (), 1)),
    ("the tolerance", "original", multiply("/input/tolerance", (), 2.0)),
    ("rows of a rank", "original", add("/series/rows_of_rank", 0, 1)),
    ("the original's check", "original", multiply("/verification/analytic/value", (), 0.5)),
    ("its tolerance", "original", multiply("/verification/analytic/tolerance", (), 2.0)),
    ("nothing, at the limit", "limit", None),
    ("a node, at the limit", "limit", add(SOLUTION, (3, 2, 3), 1e-10)),
    ("the whole solution, at the limit", "limit", multiply(SOLUTION, slice(None), 1.5)),
    ("the last residual, at the limit", "limit", multiply(RESIDUAL, -1, 2.0)),
    ("the sign of the whole solution, at the limit", "limit", multiply(SOLUTION, slice(None), -1)),
    ("nothing, where the residual rises", "rises", None),
    ("nothing, without an iteration", "start", None),
    ("its verdict", "limit", verdict("passed")),
    ("a verdict of a run that converged", "original", verdict("iteration limit")),
    ("the check with the source", "original", multiply("/verification/with_source/value", (), 0.5)),
    ("a check that is missing", "original", remove("/verification/with_source")),
    ("nothing", "distorted", None),
    ("an inner node", "distorted", add(SOLUTION, (3, 2, 3), 1e-10)),
    ("a node at the boundary", "distorted", add(SOLUTION, (3, 0, 3), 1e-10)),
    ("the place of a node", "distorted", add(NODES, (3, 2, 3, 1), 1e-12)),
    ("no places", "distorted", remove(NODES)),
    ("nothing", "mixed", None),
    ("an inner node", "mixed", add(SOLUTION, (3, 2, 3), 1e-10)),
    ("the last residual", "mixed", add(RESIDUAL, -1, 1e-3)),
    ("the first residual", "mixed", multiply(RESIDUAL, 0, 1 + 1e-5)),
    ("the residual in double", "mixed", multiply("/verification/residual/value", (), 0.5)),
    ("its tolerance", "mixed", multiply("/verification/residual/tolerance", (), 1.01)),
    ("the precision", "mixed", write("/input/precision", "double")),
    ("the error", "distorted", multiply("/verification/error_l2/value", (), 1 + 1e-6)),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minife", required=True)
    parser.add_argument("--verify", required=True)
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, words in RUNS.items():
            path = os.path.join(folder, name + ".h5")
            subprocess.run([args.minife, *words, "--backend=serial", "--quiet", "--output=" + path], check=True)
        for what, run, alter in CASES:
            path = os.path.join(folder, "altered.h5")
            shutil.copy(os.path.join(folder, run + ".h5"), path)
            if alter:
                with h5py.File(path, "r+") as file:
                    alter(file)
            done = subprocess.run([args.verify, path], capture_output=True, text=True, timeout=800)
            expected = "physics: FAIL" if alter else "physics: PASS"
            if done.returncode != (1 if alter else 0) or expected not in done.stdout:
                print(f"{run}: {what}: exit code {done.returncode}, expected '{expected}'\n{done.stdout[-600:]}{done.stderr}")
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Builds with MINX_BOUNDS_CHECK: the kernels of miniFE or miniMD in short runs, on 1 and 2 ranks. An index out of bounds ends a run
with exit code 3. Values are checked by the tests of other builds, and by each run itself.

usage: indices.py minife|minimd PROGRAM INPUTS MPIEXEC...      INPUTS: the folder with miniMD's potentials
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
import minife_forms
from launcher import all_succeed, on_ranks

BACKENDS = ["serial", "openmp:threads=2", "simt"]

DECK = """comment
comment
{units}        units
none           data file
{force}        force
1.0 1.0        epsilon and sigma
4 4 5          cells
5              steps
{dt}           time step
{temperature}  temperature
{density}      density
4              steps between lists
{cutoff}       cutoff and skin
2              steps between lines
"""


def minife(_folder, _inputs):
    """Pairs of a number of ranks and words."""
    sizes = ["nx=5", "ny=7", "nz=6"]
    runs = []
    for number, operator in enumerate(minife_forms.OPERATORS):
        words = [*sizes, "operator=" + operator]
        mesh = ["mesh=distorted"] if operator != "uniform" else []
        runs += [(1, [*words, "--backend=" + backend]) for backend in BACKENDS]
        runs += [(2, [*words, *mesh, "overlap=on", "solver=single-reduction", "--backend=" + BACKENDS[number % 3]])]
        runs += [(1 + number % 2, [*words, *mesh, "preconditioner=chebyshev", "--backend=" + BACKENDS[(number + 1) % 3]])]
    runs += [(1 + number % 2, [*sizes, "operator=" + operator, "precision=mixed", "preconditioner=multigrid"])
             for number, operator in enumerate(minife_forms.STORED)]
    runs += [(1, [*sizes, "assembly=" + assembly, "problem=manufactured", "preconditioner=diagonal", "--backend=" + backend])
             for assembly in ("colours", "atomics") for backend in BACKENDS[1:]]
    runs += [(2, ["nx=16", "ny=8", "nz=8", "preconditioner=hpcg"])]
    return runs


def minimd(folder, inputs):
    # EAM: with this skin, atoms move so far between two lists that lists of clusters need their outer pairs
    decks = {"lj": {"units": "lj", "force": "lj", "dt": 0.005, "temperature": 1.44, "density": 0.8442, "cutoff": "2.5 0.3"},
             "eam": {"units": "metal", "force": "eam", "dt": 0.001, "temperature": 600, "density": 0.0847, "cutoff": "3.5 0.05"}}
    for name, physics in decks.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(DECK.format(**physics))
    lists = [
        ["list=2d", "neighbours=half"],
        ["list=2d", "neighbours=full"],
        ["list=2d_left", "neighbours=half"],
        ["list=2d_left", "neighbours=full"],
        ["list=2d_right", "neighbours=half"],
        ["list=2d_right", "neighbours=full"],
        ["list=csr", "neighbours=half"],
        ["list=csr", "neighbours=full"],
        ["list=clusters", "neighbours=half"],
        ["list=clusters", "neighbours=full"],
        ["list=2d", "policy=team"],
        ["list=2d", "--half_neigh=1", "newton=atomic"],
        ["list=clusters", "precision=mixed"],
        ["list=2d", "precision=mixed"],
        ["list=clusters", "shift=force", "ntypes=2", "mass=1,2"],
    ]
    runs = []
    for number, words in enumerate(lists):
        runs += [(1, ["-i", "lj", *words, "--backend=" + BACKENDS[number % 3]])]
        runs += [(2, ["-i", "lj", *words, "--backend=" + BACKENDS[(number + 1) % 3]])]
    potential = "potential=" + os.path.join(inputs, "CuNi_johnson.eam.alloy")
    for number, words in enumerate((["list=2d"], ["list=clusters"], ["list=clusters", "neighbours=half"])):
        runs += [(1 + number % 2, ["-i", "eam", "ntypes=2", potential, *words, "--backend=" + backend]) for backend in BACKENDS]
    return runs


def main():
    app, program, inputs, mpiexec = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        runs = {"minife": minife, "minimd": minimd}[app](folder, inputs)
        commands = [on_ranks(mpiexec, ranks, [program, *words]) for ranks, words in runs]
        return 0 if all_succeed(commands, folder) else 1


if __name__ == "__main__":
    sys.exit(main())

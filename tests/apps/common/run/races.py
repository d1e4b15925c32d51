#!/usr/bin/env python3
"""Builds with MINX_BOUNDS_CHECK: short runs of an app with check=races, on serial and simt in turn. No kernel has a race, so each run ends
with exit code 0.

usage: races.py tealeaf|minife|minimd PROGRAM INPUTS      INPUTS: the folder of decks
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
import indices
from launcher import all_succeed

BACKENDS = ["serial", "simt"]
DIAGONAL = "--tl_preconditioner_type=jac_diag"
SOLVERS = [
    ["--tl_use_cg"],
    ["--tl_use_cg", DIAGONAL],
    ["--tl_use_cg", "--tl_preconditioner_type=jac_block"],
    ["--tl_use_cg", "--tl_preconditioner_type=multigrid"],
    ["--tl_use_jacobi"],
    ["--tl_use_chebyshev"],
    ["--tl_use_chebyshev", DIAGONAL],
    ["--tl_use_ppcg"],
    ["--tl_use_ppcg", DIAGONAL],
    ["--tl_use_dpcg"],
    ["--tl_use_dpcg", DIAGONAL],
]


def tealeaf(_folder, inputs):
    decks = [os.path.join(inputs, "tealeaf", name) for name in ("crooked_pipe_10.in", "crooked_pipe_3d_10.in")]
    short = ["--test_problem=0", "--end_step=2", "--tl_eps=1e-8", "--tl_ch_cg_presteps=5"]
    return [[deck, *solver, *short] for solver in SOLVERS for deck in decks]


def of_indices(runs):
    """The runs of indices.py, each choice of words once."""
    words = [tuple(w for w in line if not w.startswith("--backend")) for _, line in runs]
    return [list(line) for line in dict.fromkeys(words)]


def main():
    app, program, inputs = sys.argv[1:]
    os.environ["MINX_CHECK"] = "races"
    with tempfile.TemporaryDirectory() as folder:
        if app == "tealeaf":
            runs = tealeaf(folder, inputs)
        elif app == "minife":
            runs = of_indices(indices.minife(folder, inputs))
        else:
            runs = of_indices(indices.minimd(folder, os.path.join(inputs, "minimd")))
        commands = [[program, *words, "--backend=" + BACKENDS[number % 2]] for number, words in enumerate(runs)]
        return 0 if all_succeed(commands, folder) else 1


if __name__ == "__main__":
    sys.exit(main())

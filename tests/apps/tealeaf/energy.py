#!/usr/bin/env python3
"""The energy after steps that stop early (tl_eps=1e-4). Solvers whose vectors sum to 0 keep it to rounding, and are held to that. With the
others a step changes it by the sum of the residual that it leaves: by more than the tolerance of the first kind, and less than their own.

usage: energy.py TEALEAF MINX_VERIFY DECKS MPIEXEC...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import on_ranks

PIPE = ["crooked_pipe_10.in", "x_cells=30", "y_cells=26"]
PIPE_3D = ["crooked_pipe_3d_10.in"]
KEYS = ["test_problem=0", "initial_timestep=0.04", "end_step=5", "tl_eps=1e-4"]
# does it keep the energy, number of ranks, deck, keys
RUNS = [
    (True, 1, PIPE, ["--tl_use_cg"]),
    (True, 2, PIPE, ["--tl_use_chebyshev"]),
    (True, 1, PIPE, ["--tl_use_ppcg"]),
    (True, 2, PIPE_3D, ["--tl_use_cg"]),
    (True, 1, PIPE, ["--tl_use_dpcg"]),
    (True, 2, PIPE, ["--tl_use_dpcg", "tl_preconditioner_type=jac_diag"]),
    (True, 1, PIPE_3D, ["--tl_use_dpcg", "tl_preconditioner_type=jac_block"]),
    (False, 2, PIPE, ["--tl_use_jacobi"]),
    (False, 1, PIPE, ["--tl_use_cg", "tl_preconditioner_type=jac_diag"]),
    (False, 1, PIPE_3D, ["--tl_use_cg", "tl_preconditioner_type=jac_block"]),
    (False, 1, PIPE, ["--tl_use_cg", "tl_preconditioner_type=multigrid"]),
    (False, 1, PIPE, ["--tl_use_chebyshev", "tl_preconditioner_type=jac_diag"]),
    (False, 2, PIPE, ["--tl_use_ppcg", "tl_preconditioner_type=jac_diag"]),
]
# of the program's check where the energy is kept; verify.c says why
KEPT = 1e-10


def check(keeps, text):
    line = re.search(r"check energy .* relative difference (\S+) tolerance (\S+) PASSED", text)
    if line is None:
        return "no check of the energy that passed"
    difference, tolerance = float(line[1]), float(line[2])
    # some hundred iterations of some rounding errors each, of random signs
    if keeps and (difference > 1e-12 or tolerance != KEPT):
        return f"energy: relative difference {difference}, expected at most 1e-12; tolerance {tolerance}, expected {KEPT}"
    if not keeps and not KEPT < difference <= tolerance:
        return f"energy: relative difference {difference}, expected more than {KEPT}, at most {tolerance}"
    return None


def main():
    tealeaf, verify, decks, mpiexec = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "run.h5")
        for keeps, ranks, (deck, *mesh), keys in RUNS:
            command = on_ranks(mpiexec, ranks, [tealeaf, f"{decks}/{deck}", *mesh, *KEYS, *keys, "--backend=serial", "--output=" + file])
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
            fault = f"exit code {done.returncode}" if done.returncode != 0 else check(keeps, done.stdout)
            if fault is None:
                verified = subprocess.run([verify, "--quiet", file], capture_output=True, text=True, timeout=800)
                fault = None if verified.returncode == 0 else verified.stdout + verified.stderr
            if fault is not None:
                failures += 1
                print(f"{' '.join(command)}: {fault}\n{done.stderr[-1500:]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

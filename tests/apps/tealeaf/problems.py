#!/usr/bin/env python3
"""The published problems of TeaLeaf by every solver, as a user would run them. It prints a table, and takes long without a GPU.

The program compares U with the published value, to 0.001 percent, and each temperature field is compared with that of conjugate
gradients: they may differ by 1e-8. Each run must do both. Jacobi's method is too slow for some of the problems: a run in which a step took
all of its 10,000 iterations is not judged. Needs h5py; exits with 77 without it.

usage: problems.py [--backend NAME] [--solvers NAME...] [--problems 2d:1 3d:1...] [--ranks N --mpiexec WORD...] --tealeaf PROGRAM

--problems: default: all but 2d:6, whose 8000 x 8000 cells take CG a minute and a half on an H200
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import on_ranks, options_of

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: it needs h5py")
    sys.exit(77)

DECKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "inputs", "tealeaf")
TEMPERATURES = 1e-8
ITERATIONS = 10000 # of a step, at most: the decks' tl_max_iters
# cells along each side, and keys
PROBLEMS = {"2d:1": (10, []), "2d:2": (250, []), "2d:3": (500, []), "2d:4": (1000, []), "2d:5": (4000, []), "2d:6": (8000, []),
            "3d:1": (10, []), "3d:2": (125, []), "3d:3": (250, []),
            "3d:4": (10, ["initial_timestep=0.04"]), "3d:5": (125, ["initial_timestep=0.04"]), "3d:6": (250, ["initial_timestep=0.04"])}
# the line of the deck; cg is the first, since the others are compared with it
SOLVERS = {
    "cg": "tl_use_cg",
    "cg, diagonal": "tl_use_cg\n tl_preconditioner_type jac_diag",
    "cg, blocks": "tl_use_cg\n tl_preconditioner_type jac_block",
    "cg, multigrid": "tl_use_cg\n tl_preconditioner_type multigrid",
    "chebyshev": "tl_use_chebyshev",
    "ppcg": "tl_use_ppcg",
    "dpcg": "tl_use_dpcg\n tl_preconditioner_type jac_diag",
    "jacobi": "tl_use_jacobi",
}


def solve(args, folder, problem, solver):
    """(temperatures, iterations, seconds in the solver, difference in percent), or the program's last words; None: not judged."""
    cells, keys = PROBLEMS[problem]
    solid = problem.startswith("3d")
    with open(os.path.join(DECKS, "crooked_pipe_3d_10.in" if solid else "crooked_pipe_10.in"), encoding="ascii") as file:
        text = file.read().replace("tl_use_cg", SOLVERS[solver]).replace("test_problem 1", "test_problem " + problem[3:])
    deck, output = os.path.join(folder, "deck.in"), os.path.join(folder, "out.h5")
    with open(deck, "w", encoding="ascii") as file:
        file.write(text)
    mesh = [f"{axis}_cells={cells}" for axis in ("xyz" if solid else "xy")]
    command = [args.tealeaf, deck, *mesh, *keys, "--backend=" + args.backend, "--output=" + output]
    done = subprocess.run(on_ranks(args.mpiexec, args.ranks, command), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    passed = re.search(r"^Test problem +\d is within +(\S+)% of the expected solution", done.stdout, re.M)
    counts = [int(line.split()[2]) for line in done.stdout.splitlines() if line.startswith(" Iteration count")]
    if solver == "jacobi" and counts and max(counts) >= ITERATIONS:
        return None
    if done.returncode != 0 or passed is None:
        words = done.stderr.splitlines() or done.stdout.splitlines() or ["no output"]
        return f"exit code {done.returncode}: {words[-1]}"
    with h5py.File(output) as file:
        temperatures = file["fields/temperature"][:]
    os.remove(output)
    clock = float(re.findall(r"^ Wall clock +(\S+)$", done.stdout, re.M)[-1])
    return temperatures, sum(counts), clock, float(passed.group(1))


def main():
    parser = options_of("tealeaf", verify=False)
    parser.add_argument("--backend", default="openmp")
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=[name for name in PROBLEMS if name != "2d:6"])
    parser.add_argument("--ranks", type=int, default=1)
    args = parser.parse_args()
    good = True
    print(f"{'problem':8} {'solver':14} {'iterations':>10} {'seconds':>9} {'from U, %':>10} {'from cg':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for problem in args.problems:
            base = None
            for solver in ["cg"] + [name for name in args.solvers if name != "cg"]:
                result = solve(args, folder, problem, solver)
                if result is None or isinstance(result, str):
                    good = good and result is None
                    print(f"{problem:8} {solver:14} {result or 'not converged'}", flush=True)
                    continue
                temperatures, iterations, seconds, percent = result
                base = temperatures if base is None else base
                difference = numpy.abs(temperatures - base).max()
                good = good and difference <= TEMPERATURES
                print(f"{problem:8} {solver:14} {iterations:10} {seconds:9.3f} {percent:10.2e} {difference:8.1e}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

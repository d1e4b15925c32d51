#!/usr/bin/env python3
"""Several steps of Chebyshev's and Jacobi's iteration in one sweep over the cells, against one step at a time: that is how several ranks
run with halo_depth=1. The runs end long before they converge, in a mesh where the temperature of all cells changes. So a cell that
was computed from others than its neighbours of the step before would be seen.

usage: sweeps.py TEALEAF MINX_VERIFY MPIEXEC...
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import on_ranks

failures = 0
SIDE = 6 # states along a side

# A number of iterations that is not a multiple of those between two checks (10), nor of a halo's depth.
DECK = """*tea
%s
 x_cells=%d y_cells=%d xmin=0 xmax=10 ymin=0 ymax=10
 initial_timestep=%g end_step=%d
 %s
 tl_ch_cg_presteps=12 tl_ch_cg_epslim=1e30 tl_eps=1e-15 tl_max_iters=%d
*endtea
"""
# One step at a time does the same operations with the same numbers. Compilers may round products in different places, 1e-16 at each
# step. Conjugate gradients, from which the bounds of eigenvalues come, add in another order on another number of ranks.
TOLERANCE = "--tolerance=1e-11"

JACOBI = "tl_use_jacobi"
CHEBYSHEV = "tl_use_chebyshev"
WEIGHTED = "tl_use_chebyshev tl_preconditioner_type=jac_diag"
PPCG = "tl_use_ppcg tl_ppcg_inner_steps=23"
PPCG_WEIGHTED = "tl_use_ppcg tl_ppcg_inner_steps=12 tl_preconditioner_type=jac_diag"

# One rank: 10 steps in a sweep, of PPCG 16. With 2 and 3 threads there are bands of at least two rows for each step; 67 rows make 3 of
# them, for PPCG 2.
ALONE = [(1, backend, []) for backend in ("serial", "openmp:threads=2", "openmp:threads=3", "serial:order=shuffled")]
# Several ranks: as many steps as there are layers of ghosts. The ranks of the smallest mesh have fewer rows than a band.
DEEP = [(2, "serial", ["halo_depth=2"]), (2, "openmp:threads=2", ["halo_depth=3"]), (4, "serial", ["halo_depth=4"])]
# More layers of ghosts than steps of a sweep. On a device all is as with one step at a time.
DEEPEST = [(2, "openmp:threads=3", ["halo_depth=17"]), (2, "simt", ["halo_depth=3"])]

# keys, columns, rows, iterations, runs
CASES = [
    (JACOBI, 61, 67, 47, ALONE + DEEP + DEEPEST),
    (CHEBYSHEV, 61, 67, 47, ALONE[1:] + DEEP + DEEPEST),
    (WEIGHTED, 61, 67, 35, ALONE[2:3] + DEEP[1:2]),
    (PPCG, 61, 67, 15, ALONE[:3] + DEEP + DEEPEST),
    (PPCG_WEIGHTED, 61, 67, 15, ALONE[2:3] + DEEP[2:]),
    (CHEBYSHEV, 23, 19, 28, ALONE[2:3] + DEEP),
    # rows of two segments and of one cell, and a number of rows that is less than the steps of a sweep
    (CHEBYSHEV, 1540, 43, 33, ALONE[1:2]),
    (JACOBI, 2603, 5, 31, ALONE[2:3]),
    (CHEBYSHEV, 1, 90, 31, ALONE[2:3]),
]


def states():
    width = 10 / SIDE
    lines = [" state 1 density=1 energy=1"]
    for n in range(SIDE * SIDE):
        x, y = width * (n % SIDE), width * (n // SIDE)
        lines.append(f" state {n + 2} density={1 + n * 7 % 11} energy={1 + n * 5 % 13} geometry=rectangle "
                     f"xmin={x:.6f} xmax={x + width:.6f} ymin={y:.6f} ymax={y + width:.6f}")
    return "\n".join(lines)


def run(command, folder):
    global failures
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=800)
    # runs that differ in a key are compared too
    wrong = [line for line in done.stdout.splitlines() if line.startswith("  FAIL") and " /input/" not in line]
    if done.returncode not in (0, 1) or (done.returncode == 1 and (wrong or "  FAIL" not in done.stdout)):
        failures += 1
        print(f"FAILED: {' '.join(command)[-400:]}: exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-800:]}")


def write(folder, keys, columns, rows, iterations, steps):
    # the distance that heat moves is that of some cells
    time = 0.5 * (10 / max(columns, rows)) ** 2 * 40
    with open(os.path.join(folder, "deck.in"), "w", encoding="ascii") as file:
        file.write(DECK % (states(), columns, rows, time, steps, keys.replace(" ", "\n "), iterations))


def main():
    tealeaf, verify, mpiexec = sys.argv[1], sys.argv[2], sys.argv[3:]

    def solve(folder, name, ranks, backend, words):
        run(on_ranks(mpiexec, ranks, [tealeaf, "deck.in", "--quiet", "--backend=" + backend, *words, "--output=" + name]), folder)

    with tempfile.TemporaryDirectory() as folder:
        for keys, columns, rows, iterations, runs in CASES:
            write(folder, keys, columns, rows, iterations, 2)
            solve(folder, "one.h5", 2, "serial", ["halo_depth=1"])
            for ranks, backend, words in runs:
                solve(folder, "sweeps.h5", ranks, backend, words)
                run([verify, "--quiet", TOLERANCE, "one.h5", "sweeps.h5"], folder)
        # results do not depend on threads, and a restart continues to the bit
        for keys in (CHEBYSHEV, PPCG):
            write(folder, keys, 61, 67, 40, 3)
            solve(folder, "one.h5", 1, "serial", [])
            solve(folder, "sweeps.h5", 1, "openmp:threads=3", ["--checkpoint=c.ck", "--checkpoint-every=2"])
            run([verify, "--quiet", "--tolerance=0", "one.h5", "sweeps.h5"], folder)
            solve(folder, "again.h5", 1, "openmp:threads=2", ["--restart=c.ck"])
            run([verify, "--quiet", "--tolerance=0", "one.h5", "again.h5"], folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

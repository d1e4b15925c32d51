#!/usr/bin/env python3
"""tealeaf where there is nothing to conduct: a uniform temperature, also of states with other densities, and a temperature of 0. The
initial residual is rounding then, or 0. Each run passes its checks, and minx-verify agrees.

usage: uniform.py TEALEAF MINX-VERIFY
"""
import itertools
import os
import subprocess
import sys
import tempfile

DECK = """*tea
x_cells=20
y_cells=16
xmin=0.0
xmax=10.0
ymin=0.0
ymax=10.0
initial_timestep=0.04
end_step=3
end_time=1000.0
{states}
{solver}
tl_eps=1.0e-15
tl_max_iters=500
summary_frequency=1
tl_check_result
*endtea
"""
PATCH = "geometry=rectangle xmin=1.0 xmax=6.0 ymin=1.0 ymax=7.0"
STATES = ["state 1 density=0.7 energy=0.3", "state 1 density=0.7 energy=0.0", "state 1 density=0.7 energy=1.0e90",
          f"state 1 density=0.7 energy=0.3\nstate 2 density=2.1 energy=0.1 {PATCH}",
          f"state 1 density=0.7 energy=0.0\nstate 2 density=100.0 energy=0.0 {PATCH}"]
SOLVERS = ["tl_use_cg", "tl_use_cg\ntl_preconditioner_type=jac_diag", "tl_use_cg\ntl_preconditioner_type=multigrid",
           "tl_use_chebyshev", "tl_use_ppcg", "tl_use_jacobi"]


def main():
    tealeaf, verify = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for states, solver in itertools.product(STATES, SOLVERS):
            with open(os.path.join(folder, "deck.in"), "w", encoding="ascii") as file:
                file.write(DECK.format(states=states, solver=solver))
            for command in ([tealeaf, "deck.in", "--backend=serial", "--quiet", "--output=run.h5"], [verify, "--quiet", "run.h5"]):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
                if done.returncode == 0:
                    continue
                print(f"{states}\n{solver}\n{command[0]}: exit code {done.returncode}, expected 0\n{done.stdout[-800:]}{done.stderr}")
                good = False
                break
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

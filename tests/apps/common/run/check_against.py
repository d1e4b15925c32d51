#!/usr/bin/env python3
"""--check-against=: short runs of an app, in which every launch is repeated on another backend and compared. Both backends are right, so
none may stop. Pairs of backends have the same and different layouts, threads and orders.

usage: check_against.py APP PROGRAM INPUTS LAYOUTS MPIEXEC...      LAYOUTS: default or all, as the build's MINX_LAYOUTS
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import all_succeed, on_ranks

# layouts: right and left, left and right, right and right
PAIRS = [("openmp:threads=2", "simt"), ("simt", "serial"), ("serial:order=shuffled", "openmp:threads=3")]
# where each backend has both layouts: the kernels of devices against those of hosts in one layout, and in two
PAIRS_OF_ALL = [("simt:layout=right", "serial"), ("simt", "openmp:layout=left"), ("openmp:layout=left", "serial")]

PIPE = ["crooked_pipe_10.in", "x_cells=13", "y_cells=9", "end_step=2", "test_problem=0", "tl_eps=1e-12"]
TALL = ["y_cells=41" if word == "y_cells=9" else word for word in PIPE] # sweeps of two threads have a band each
PIPE_3D = ["crooked_pipe_3d_10.in", "x_cells=7", "y_cells=6", "z_cells=5", "end_step=1", "test_problem=0", "tl_eps=1e-12"]
DEFLATED = ["--tl_use_dpcg", "tiles_per_problem=12"]
CUBE = ["cube_30.in", "nx=6", "ny=5", "nz=7", "max_iterations=20", "relative_tolerance=1e-3"]
ATOMS = ["lj.in", "size=4", "steps=4"]
# numbers of ranks, and words of the command line
RUNS = {
    "tealeaf": [
        ((1, 2), PIPE), # by passes, or by three kernels
        ((1, 2), PIPE + DEFLATED),
        ((1,), PIPE_3D + DEFLATED + ["tl_preconditioner_type=jac_block"]),
        ((1,), PIPE + ["tl_preconditioner_type=multigrid"]),
        ((2,), PIPE + ["--tl_use_ppcg", "tl_ch_cg_presteps=8", "halo_depth=2"]), # several steps in a sweep, where layouts are the same
        ((1,), TALL + ["--tl_use_chebyshev", "tl_ch_cg_presteps=8", "tl_max_iters=25"]),
        # a sum whose terms cancel: the residual falls a thousandfold in an iteration
        ((1,), ["shapes_3d.in", "end_step=2", "x_cells=12", "y_cells=10", "z_cells=8"]),
    ],
    "minife": [
        ((1,), CUBE),
        ((2,), CUBE + ["operator=lines", "preconditioner=multigrid"]),
    ],
    "minimd": [
        ((1,), ATOMS),
        ((1,), ATOMS + ["list=csr"]),
        ((2,), ATOMS + ["list=2d", "neighbours=half"]),
        ((1,), ["eam.in", "size=4", "steps=3"]),
        # lanes add forces in another order than one thread; the first ones cancel
        ((1,), ATOMS + ["list=2d", "neighbours=full", "policy=team"]),
    ],
}


def main():
    app, program, inputs, layouts, mpiexec = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
    commands = []
    for all_ranks, (deck, *words) in RUNS[app]:
        for ranks in all_ranks:
            for backend, other in PAIRS + (PAIRS_OF_ALL if layouts == "all" else []):
                commands.append(on_ranks(mpiexec, ranks, [program, f"{inputs}/{deck}", *words, "--quiet", "--backend=" + backend,
                                                          "--check-against=" + other]))
    return 0 if all_succeed(commands) else 1


if __name__ == "__main__":
    sys.exit(main())

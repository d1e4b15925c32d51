#!/usr/bin/env python3
"""The temperatures after CG that ends at any of its first iterations, or where a batch of them ends, by passes and by three kernels.

A pass may leave its change of u to the next one, and the last is completed at the end. In 3-D serial runs by three kernels, and simt
cuda and hip by passes. In 2-D all run by passes, of two forms; there each program compares the residual of its u with that of its
iterations. With long time steps CG converges slowly; with short ones so fast that each pass changes u. Devices queue 16 iterations
at a time, and cuda the next 16 while the host reads the sums of those before. After so many the iterations differ by percents, because
they amplify rounding: only the residuals are compared. Chebyshev's iteration gets its bounds from the sums of the first 40.

usage: cg_end.py TEALEAF MINX_VERIFY DECKS
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, ends_with

DECKS = ["crooked_pipe_10.in", "crooked_pipe_3d_10.in"]
SLOW = ["test_problem=0", "end_step=2", "initial_timestep=4"]
COMPARED = [[*SLOW, f"tl_max_iters={n}"] for n in range(1, 6)]
COMPARED += [["test_problem=0", "end_step=2", "initial_timestep=1e-6"]]
ALONE = [[*SLOW, f"tl_max_iters={n}"] for n in (16, 17, 33, 40)] + [[*SLOW, "--tl_use_chebyshev", "tl_ch_cg_presteps=40"]]


def main():
    tealeaf, verify, decks = sys.argv[1:]
    good = True
    listed = backends_of(tealeaf)
    backends = [backend for backend in ("serial", "simt", "cuda", "hip") if backend in listed]
    if "serial" not in backends:
        print(f"{tealeaf} --backends: got {listed}, expected serial")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for deck in DECKS:
            for end in COMPARED + ALONE:
                files = [os.path.join(folder, backend + ".h5") for backend in backends]
                for backend, file in zip(backends, files):
                    good = ends_with([tealeaf, os.path.join(decks, deck), *end, "--backend=" + backend, "--output=" + file]) and good
                for file in files[1:] if end in COMPARED else ():
                    good = good and ends_with([verify, "--quiet", files[0], file])
    return 0 if good else 1


sys.exit(main())

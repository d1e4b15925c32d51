#!/usr/bin/env python3
"""The temperatures after CG that ends at any of its first iterations, by passes and by three kernels.

A pass may leave its change of u to the next one, and the last is completed at the end. In 3-D serial runs by three kernels, and simt
by passes. In 2-D both run by passes, of two forms; there each program compares the residual of its u with that of its iterations. With
long time steps CG converges slowly; with short ones so fast that each pass changes u.

usage: tealeaf_cg_end.py TEALEAF MINX_VERIFY DECKS
"""
import os
import subprocess
import sys
import tempfile

DECKS = ["crooked_pipe_10.in", "crooked_pipe_3d_10.in"]
KEYS = ["test_problem=0", "end_step=2"]
ENDS = [["initial_timestep=4", f"tl_max_iters={n}"] for n in range(1, 6)] + [["initial_timestep=1e-6"]]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    return done.returncode == 0


def main():
    tealeaf, verify, decks = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for deck in DECKS:
            for end in ENDS:
                files = [os.path.join(folder, backend + ".h5") for backend in ("serial", "simt")]
                for backend, file in zip(("serial", "simt"), files):
                    good = run([tealeaf, os.path.join(decks, deck), *KEYS, *end, "--backend=" + backend, "--output=" + file]) and good
                good = good and run([verify, "--quiet", *files])
    return 0 if good else 1


sys.exit(main())

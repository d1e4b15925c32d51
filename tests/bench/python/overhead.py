"""Microseconds of a launch: from Python, against a driver in C.

    OMP_PROC_BIND=close OMP_PLACES=cores python tests/bench/python/overhead.py --rounds 51

Arrays of one element on serial, so that nothing but the launch takes time; and of 10000 on two threads, where a launch
has work to do. Medians of interleaved rounds. --quick: few rounds, to see that it works. Needs minx, CMake and a C
compiler, and an idle machine.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[3] / "python")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", help="the folder where the kernels in C are compiled")
    return parser.parse_args()


def main():
    options = arguments()
    import minx

    import kernels
    import timing
    from native import Native

    rounds, seconds = (2, 1e-3) if options.quick else (options.rounds, 0.02)
    for resource, n in (("serial", 1), ("serial", 10000), ("openmp:threads=2", 1), ("openmp:threads=2", 10000)):
        ctx = minx.Context(resource)
        y, x, policy = np.zeros(n), np.ones(n), minx.Range(n)
        variants = {
            "C": Native(ctx, options.build).run("axpy", [y, x], [1e-9]),
            "Range": timing.Timer(lambda: minx.parallel_for(policy, kernels.axpy, y, x, 1e-9, ctx=ctx), ctx.fence),
            "a number": timing.Timer(lambda: minx.parallel_for(n, kernels.axpy, y, x, 1e-9, ctx=ctx), ctx.fence),
            "reduction": timing.Timer(lambda: minx.parallel_reduce(policy, kernels.dot, x, y, ctx=ctx), ctx.fence),
        }
        medians, _ = timing.measure(variants, rounds, seconds)
        print(
            f"{resource}, {n} elements: us of a launch: "
            + ", ".join(f"{name} {1e6 * t:.2f}" for name, t in medians.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()

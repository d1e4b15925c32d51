"""Kernels in Python against the same kernels in C and in Numba, on a host.

    OMP_PROC_BIND=close OMP_PLACES=cores python tests/bench/python/throughput.py --threads 2 --rounds 31

Prints for each kernel milliseconds of a launch, GB/s (or ns for a pair of atoms), and the share of the speed of the
kernel in C, as medians of interleaved rounds. Results of all variants are compared first. --quick: small arrays and few
rounds, to see that it works. Needs minx (MINX_PREFIX, or the installed package), CMake, a C compiler; Numba, if it is
there. An idle machine, else the figures mean nothing.
"""

import argparse
import functools
import os
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[3] / "python")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="openmp", help="serial or openmp")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", help="the folder where the kernels in C are compiled")
    parser.add_argument("kernels", nargs="*", help="triad, stencil, yax, lj; all if left out")
    return parser.parse_args()


def launches(minx, kernels, name, arrays, numbers, ctx) -> dict:
    """{variant: a function that launches once} in Python. The first one computes what the kernel in C computes, by the same
    operations."""
    shape = arrays[0].shape
    if name == "stencil":
        policy = minx.MDRange((1, 1, 1), tuple(n - 1 for n in shape))
    else:
        policy = (minx.Team if name == "yax" else minx.Range)(shape[0])
    if name == "yax":
        return {"minx": lambda: minx.parallel_reduce(policy, kernels.yax, *arrays, ctx=ctx)}
    written = {"minx": kernels.lj_simd, "minx, by a branch": kernels.lj} if name == "lj" else {"minx": getattr(kernels, name)}
    return {variant: functools.partial(minx.parallel_for, policy, kernel, *arrays, *numbers, ctx=ctx) for variant, kernel in written.items()}


def numba_launches(name, arrays, numbers, threads) -> dict:
    try:
        import rivals
    except ImportError:
        return {}
    rivals.use_threads(threads)
    found = {"numba": lambda: getattr(rivals, name)(*arrays, *numbers)}
    if name == "lj":
        found["numba fastmath"] = lambda: rivals.lj_fast(*arrays, *numbers)
    return found


def agree(name, arrays, native, others) -> None:
    """Every variant computes what the one in C does. 1e-11: sums of up to some 1e6 terms in other orders."""
    native(1)
    expected = native.result.value if name == "yax" else arrays[0].copy()
    scale = np.abs(expected).max()
    for variant, launch in others.items():
        if name != "yax":
            arrays[0][...] = 0
        got = launch()
        got = got if name == "yax" else arrays[0]
        error = np.abs(got - expected).max() / scale
        if not error < 1e-11:
            sys.exit(f"{name}: {variant} differs from the kernel in C by {error:g} of the largest value")


def main():
    options = arguments()
    os.environ.setdefault("NUMBA_NUM_THREADS", str(options.threads))
    import minx

    import kernels
    import problems
    import timing
    from native import Native

    sizes = (
        {"triad": 10**5, "stencil": 24, "yax": 32, "lj": 5}
        if options.quick
        else {"triad": 10**7, "stencil": 200, "yax": 2048, "lj": 32}
    )
    rounds, seconds = (2, 1e-3) if options.quick else (options.rounds, 0.05)
    ctx = minx.Context(options.backend + (f":threads={options.threads}" if options.backend == "openmp" else ""))
    native = Native(ctx, options.build)
    for name in options.kernels or sizes:
        problem = getattr(problems, name)(sizes[name])
        in_c = native.run(name, problem.arrays, problem.numbers)
        others = {
            **launches(minx, kernels, name, problem.arrays, problem.numbers, ctx),
            **numba_launches(name, problem.arrays, problem.numbers, options.threads),
        }
        agree(name, problem.arrays, in_c, others)
        variants = {"C": in_c, **{variant: timing.Timer(launch, ctx.fence) for variant, launch in others.items()}}
        timing.print_table(problem, *timing.measure(variants, rounds, seconds))


if __name__ == "__main__":
    main()

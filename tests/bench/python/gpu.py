"""Kernels in Python on a GPU, against the same kernels in C, and against CuPy's RawKernel.

    python tests/bench/python/gpu.py --rounds 21

For a person at a machine with a GPU: needs minx with the backend cuda (MINX_PREFIX, or the installed package), nvcc and
CMake. CuPy is left out, with a note, if it cannot be imported. Prints, for each kernel, seconds of its compilation by
nvcc, milliseconds of a launch (of many queued ones behind one fence), GB/s or ns for a pair of atoms, and the share of
the speed of the kernel in C; then microseconds of a launch of one element. Results of all variants are compared first.
--quick: small arrays and few rounds, to see that it works. --backend=simt shows that on a machine without a GPU,
slowly.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[3] / "python")]
import throughput


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", help="the folder where the kernels in C are compiled")
    parser.add_argument("kernels", nargs="*", help="triad, stencil, yax, lj; all if left out")
    return parser.parse_args()


def import_cupy(ctx):
    """CuPy, for a context of cuda; None, with a note, if it cannot be imported."""
    if ctx.backend != "cuda":
        return None
    try:
        import cupy
    except ImportError as error:
        print(f"CuPy is left out: {error}")
        return None
    print(f"CuPy {cupy.__version__}")
    return cupy


def cupy_launches(cupy, name, arrays, numbers) -> dict:
    if cupy is None:
        return {}
    import gpu_rivals

    return {"CuPy RawKernel": gpu_rivals.launch(name, [cupy.asarray(array) for array in arrays], numbers)}


def fence_of(ctx, cupy):
    """Waits for the GPU, whoever has launched on it."""
    return ctx.fence if cupy is None else lambda: (ctx.fence(), cupy.cuda.Device().synchronize())


def agree(name, arrays, native, others, fence) -> None:
    """As throughput.agree, for arrays on the device: 1e-11, sums in other orders."""
    native(1)
    expected = native.result.value if name == "yax" else arrays[0].numpy().copy()
    scale = np.abs(expected).max()
    for variant, launch in others.items():
        if name != "yax":
            arrays[0].put(np.zeros_like(expected))
        got = launch()
        fence()
        got = got if name == "yax" else arrays[0].numpy()
        error = np.abs(got - expected).max() / scale
        if not error < 1e-11:
            sys.exit(f"{name}: {variant} differs from the kernel in C by {error:g} of the largest value")


def compare(name, problem, ctx, native, cupy, options):
    import minx

    import kernels
    import timing

    layout = minx.RIGHT if name == "yax" else 0
    arrays = [ctx.array(array, layout=layout) for array in problem.arrays]
    in_c, fence = native.run(name, arrays, problem.numbers), fence_of(ctx, cupy)
    ours = throughput.launches(minx, kernels, name, arrays, problem.numbers, ctx)
    for variant, launch in ours.items():
        start = time.perf_counter()
        launch()
        fence()
        print(f"{name}, {variant}: the first launch {time.perf_counter() - start:.2f} s", flush=True)
    others = {**ours, **cupy_launches(cupy, name, arrays, problem.numbers)}
    agree(name, arrays, in_c, others, fence)
    variants = {"C": in_c, **{variant: timing.Timer(launch, fence) for variant, launch in others.items()}}
    rounds, seconds = (2, 1e-3) if options.quick else (options.rounds, 0.05)
    timing.print_table(problem, *timing.measure(variants, rounds, seconds))


def overhead(ctx, native, options):
    """Launches of one element that are queued, and reductions, which wait."""
    import minx

    import kernels
    import timing

    y, x, policy = ctx.array(np.zeros(1)), ctx.array(np.ones(1)), minx.Range(1)
    variants = {
        "C": native.run("axpy", [y, x], [1e-9]),
        "Python": timing.Timer(lambda: minx.parallel_for(policy, kernels.axpy, y, x, 1e-9, ctx=ctx), ctx.fence),
        "reduction": timing.Timer(lambda: minx.parallel_reduce(policy, kernels.dot, x, y, ctx=ctx), ctx.fence),
    }
    medians, _ = timing.measure(variants, 2 if options.quick else options.rounds, 1e-3 if options.quick else 0.02)
    print("\none element: us of a launch: " + ", ".join(f"{name} {1e6 * t:.2f}" for name, t in medians.items()))


def main():
    options = arguments()
    import minx

    import problems
    from native import Native

    missing = minx.backend_missing(options.backend)
    if missing:
        sys.exit(f"gpu.py: {missing}")
    ctx = minx.Context(options.backend)
    cupy = import_cupy(ctx)
    native = Native(ctx, options.build)
    sizes = (
        {"triad": 10**5, "stencil": 24, "yax": 32, "lj": 5}
        if options.quick
        else {"triad": 10**8, "stencil": 512, "yax": 16384, "lj": 64}
    )
    for name in options.kernels or sizes:
        compare(name, getattr(problems, name)(sizes[name]), ctx, native, cupy, options)
    overhead(ctx, native, options)


if __name__ == "__main__":
    main()

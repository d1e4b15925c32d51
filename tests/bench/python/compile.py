"""Processor seconds from a Python function to its first result: translation, compilers, loading.

    python tests/bench/python/compile.py [--compiler gcc --compiler clang] [--times 5] [CASE...]

Each figure is of a process of its own: user and system time of it and of its compilers, so other work on the machine matters little.
The smallest of several.

    first   a new user's first kernel: nothing in the cache, minx's headers are precompiled, too
    cold    the headers are precompiled, and the kernel is new
    disk    an earlier process has compiled the kernel
    again   microseconds of wall clock of the next launch in the same process

--cuda: the same for the cuda instance by nvcc (MINX_PY_CUDA_ARCH, by default 90), which is compiled and linked, not run: cold only."""

import argparse
import dataclasses
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[3] / "python"
sys.path[:0] = [str(PYTHON), str(Path(__file__).resolve().parents[2] / "python")]
LIMITS = {"first": 3.0, "cold": 0.5, "disk": 0.0015}
CASES = ("axpy", "stencil", "yAx", "lj", "lj_energy", "smooth", "offsets")


def cases() -> dict:
    """Launches by name, on arrays of a few elements."""
    import kernels as k
    import minx
    import numpy as np

    f = np.zeros
    y, x, u, v, p, p2 = f(8), f(8), f((4, 4, 4)), f((4, 4, 4)), f((4, 4)), f((4, 4))
    q, r, count, near, begin = f((4, 3)), f((4, 3)), f(4, np.int32), f((4, 2), np.int32), f(8, np.int64)
    return {
        "axpy": lambda: minx.parallel_for(8, k.axpy, y, x, 2.0),
        "stencil": lambda: minx.parallel_for(minx.MDRange((1, 1, 1), (3, 3, 3)), k.stencil, u, v, 0.1),
        "yAx": lambda: minx.parallel_reduce(minx.Team(4), k.yAx, p, u, p),
        "lj": lambda: minx.parallel_for(4, k.lj, q, r, count, near, 1.0, 1.0, 1.0),
        "lj_energy": lambda: minx.parallel_reduce(4, k.lj_energy, r, count, near, 1.0, 1.0, 1.0, op=("sum", "min")),
        "smooth": lambda: minx.parallel_for(minx.Team(4), k.smooth, p, p2, 2),
        "offsets": lambda: minx.parallel_scan(8, k.offsets, begin, begin),
    }


def processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def one(name: str) -> None:
    """In a process of its own: [processor seconds of the first launch, microseconds of a later one]."""
    import minx

    minx.set_default("openmp:threads=2")
    minx.default()  # starts the library and its threads
    launch = cases()[name]
    before = processor()
    launch()
    seconds, best = processor() - before, 1.0
    for _ in range(200):
        start = time.perf_counter()
        launch()
        best = min(best, time.perf_counter() - start)
    print(json.dumps([seconds, 1e6 * best]))


def one_cuda(name: str) -> None:
    """Compiles what a host context has generated for cuda: the text is the same."""
    from minx.build import compile as build

    text = Path(name).read_text()
    s = dataclasses.replace(build.settings(), instances=tuple({*build.settings().instances, "cuda_left"}))
    build.settings = lambda: s
    before = processor()
    build.compile_kernel(text, ("cuda_left",))
    print(json.dumps([processor() - before, 0.0]))


def child(cache: Path, *words: str, **environment) -> list:
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True,
                          env={**os.environ, "MINX_PY_CACHE": str(cache), **environment})
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def measure(name: str, compiler: str, times: int, folder: Path) -> dict:
    """{first, cold, disk: processor seconds, again: microseconds}"""
    found = {key: [] for key in ("first", "cold", "disk", "again")}
    headers = None
    for number in range(times + 1):
        cache = folder / f"{compiler}-{name}-{number}"
        cache.mkdir()
        if headers is not None:
            shutil.copytree(headers, cache / "headers", copy_function=shutil.copy2)
        found["cold" if headers else "first"].append(child(cache, "--one", name, CC=compiler)[0])
        seconds, again = child(cache, "--one", name, CC=compiler)
        found["disk"].append(seconds)
        found["again"].append(again)
        headers = cache / "headers"
    return {key: min(values) for key, values in found.items()}


def measure_cuda(name: str, folder: Path) -> float:
    cache = folder / f"text-{name}"
    child(cache, "--one", name)
    text = next((cache / "kernels").glob("*/kernel.c"))
    return child(folder / f"cuda-{name}", "--one-cuda", str(text), MINX_PY_CUDA_ARCH=os.environ.get("MINX_PY_CUDA_ARCH", "90"))[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--compiler", action="append", help="gcc, clang; default: those that are here")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--one-cuda", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one or options.one_cuda:
        one(options.one) if options.one else one_cuda(options.one_cuda)
        return 0
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        if options.cuda:
            for name in options.cases or CASES:
                print(f"nvcc  {name:10} {measure_cuda(name, Path(folder)):6.2f} s", flush=True)
            return 0
        print(f"processor s          first    cold    disk ms   again us (wall clock); at most {LIMITS['first']}, {LIMITS['cold']}, 1.5")
        for compiler in options.compiler or [c for c in ("gcc", "clang") if shutil.which(c)]:
            for name in options.cases or CASES:
                m = measure(name, compiler, options.times, Path(folder))
                late = [key for key, limit in LIMITS.items() if m[key] > limit]
                over += len(late)
                print(f"{compiler:8}{name:10} {m['first']:7.2f} {m['cold']:7.2f} {1e3 * m['disk']:9.2f} {m['again']:8.1f}   {' '.join(late)}",
                      flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

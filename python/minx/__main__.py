"""python -m minx: what is installed here, the cache of compiled kernels, and kernels compiled ahead of time.

    python -m minx                            the library, its backends, the compilers, the cache
    python -m minx cache [--clear]            how large the cache is; --clear removes all of it
    python -m minx compile FILE.py ...        compiles what the files declare (minx.declare) for --backend=NAME (more than once; default:
                                              openmp); --arch=90 says for which GPU, where none is here

Exit codes: 0, 1 a kernel cannot be compiled, 2 a mistake in the command line, 3 something is missing."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path

from .build import cuda, eviction
from .build.settings import settings
from .errors import CompileError, Error, NotSupported, SetupError
from .version import __version__


def main(arguments=None) -> int:
    options = parse(arguments)
    try:
        return options.run(options)
    except SetupError as error:
        print(f"minx: {error}", file=sys.stderr)
        return 3
    except (CompileError, Error, NotSupported, TypeError) as error:
        print(f"minx: {error}", file=sys.stderr)
        return 1


def parse(arguments):
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m minx", description=__doc__, formatter_class=raw)
    parser.set_defaults(run=show)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands")
    cache = commands.add_parser("cache", help="the size of the cache")
    cache.add_argument("--clear", action="store_true", help="removes everything that has been compiled")
    cache.set_defaults(run=show_cache)
    ahead = commands.add_parser("compile", help="compiles what files declare")
    ahead.add_argument("files", nargs="+", metavar="FILE.py")
    ahead.add_argument("--backend", action="append", metavar="NAME", help="serial, openmp, simt or cuda; more than once")
    ahead.add_argument("--arch", metavar="NUMBER", help="the architecture of the GPU, 90 or 80,90")
    ahead.set_defaults(run=compile_files)
    return parser.parse_args(arguments)


def show(_) -> int:
    """What a report of a problem should contain."""
    from .runtime import backend_missing, backends, libminx

    s = settings()
    print(f"minx        {__version__}, library {s.library}")
    print(f"            {libminx().mx_build_description().decode()}")
    for name in backends():
        why = backend_missing(name)
        print(f"{name:<11} {'available' if why is None else 'not here: ' + why}")
    print(f"instances   {', '.join(s.instances)}")
    print(f"compiler    {compiler_line(s)}")
    print(f"cuda        {cuda_line(s)}")
    return show_cache(argparse.Namespace(clear=False))


def compiler_line(s) -> str:
    cpu = f"-march={s.tune}" if s.tune else "the compiler's default"
    try:
        version = s.compiler.version.splitlines()[0]
        return f"{' '.join(s.compiler.command)}: {version}; kernels for {cpu}{', for debuggers' if s.debug else ''}"
    except SetupError as error:
        return str(error)


def cuda_line(s) -> str:
    if not any(i.startswith("cuda") for i in s.instances):
        return "not in this build of the library"
    try:
        found = f"nvcc of {cuda.toolkit(s)}, run time {cuda.run_time(s)}"
        return f"{found}, architecture {', '.join(cuda.architectures())}"
    except SetupError as error:
        return str(error)


def show_cache(options) -> int:
    s = settings()
    root = s.cache.root
    if options.clear:
        removed = eviction.clear(root)
        print(f"cache       {root}: removed {len(removed)} entries, {sum(e.bytes for e in removed) / 1e6:.1f} MB")
        return 0
    found = eviction.entries(root)
    kernels = sum(e.path.parent.name == "kernels" for e in found)
    size = sum(e.bytes for e in found) / 1e6
    print(f"cache       {root}: {kernels} kernels, {size:.1f} MB with headers, at most {s.cache_size / 1e6:.0f} MB")
    return 0


def compile_files(options) -> int:
    from .launch import ahead

    if options.arch:
        os.environ["MINX_PY_CUDA_ARCH"] = options.arch
    for name in options.files:
        if not Path(name).is_file():
            print(f"minx: there is no file {name}", file=sys.stderr)
            return 2
        sys.path.insert(0, str(Path(name).resolve().parent))
        before = len(ahead.declared)
        runpy.run_path(name, run_name="minx_compile")
        if len(ahead.declared) == before:
            print(f"minx: {name} declares nothing: add lines as minx.declare(minx.Range, kernel, minx.f64[:], float)", file=sys.stderr)
            return 2
    ahead.compile_declared(options.backend or ["openmp"])
    return 0


if __name__ == "__main__":
    sys.exit(main())

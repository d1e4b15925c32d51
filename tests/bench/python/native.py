"""Compiles native.c and native_kernels.c by CMake, for the libminx that the package uses, and calls their drivers."""

import ctypes
import os
import subprocess
import tempfile
from ctypes import POINTER, byref, c_double, c_int
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARGUMENTS = {"axpy": (2, 1), "triad": (3, 1), "stencil": (2, 1), "yax": (3, 0), "lj": (4, 3)}  # arrays, numbers


def prefix() -> Path:
    """Where the minx of this package is installed."""
    from minx.build import compile as build

    library = Path(build.settings().library)
    return library.parents[1]


def build_library(folder: str | None = None) -> Path:
    """The path of libnative.so; compiled if it is not there. folder: where (a temporary one that stays, if left out)."""
    built = Path(folder or Path(tempfile.gettempdir()) / f"minx-bench-python-{os.getuid()}")
    configure = ["cmake", "-S", str(HERE), "-B", str(built), "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix()}"]
    for command in (configure, ["cmake", "--build", str(built)]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return built / "libnative.so"


class Native:
    """Native(context, folder).run(name, arrays, numbers) -> run(times) -> seconds, as timing.Timer."""

    def __init__(self, ctx, folder=None):
        from minx.runtime import library as runtime

        self.ctx, self.runtime = ctx, runtime
        runtime.library()  # libminx first: the kernels use that one
        self.dll = ctypes.CDLL(str(build_library(folder)))

    def run(self, name: str, arrays, numbers):
        views = [self.runtime.wrap(array, self.ctx, f"{name}{n}") for n, array in enumerate(arrays)]
        function, handle = getattr(self.dll, f"native_run_{name}"), type(views[0].handle)
        seconds, result = c_double(), c_double()
        function.argtypes = [type(self.ctx.handle), *[handle] * len(views), *[c_double] * len(numbers), c_int, POINTER(c_double)]
        tail = ()
        if name == "yax":
            function.argtypes = [*function.argtypes, POINTER(c_double)]
            tail = (byref(result),)

        def run(times: int) -> float:
            handles = [view.handle for view in views]
            self.runtime.library().check(function(self.ctx.handle, *handles, *numbers, times, byref(seconds), *tail))
            return seconds.value

        run.result = result
        return run

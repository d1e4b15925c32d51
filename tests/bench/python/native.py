"""Compiles native.c and native_kernels.c by CMake, for the libminx that the package uses, and calls their drivers."""

import functools
import os
import subprocess
import tempfile
from ctypes import POINTER, byref, c_double, c_int
from pathlib import Path

HERE = Path(__file__).resolve().parent


@functools.cache
def build_library(folder: str | None = None) -> Path:
    """The path of libnative.so; compiled if it is not there or older than its source. folder: where (a temporary one that stays, if
    left out)."""
    from minx.build.settings import settings

    built = Path(folder or Path(tempfile.gettempdir()) / f"minx-bench-python-{os.getuid()}")
    prefix, of = str(settings().prefix), built / "prefix.txt"  # for another minx everything is compiled again
    again = of.exists() and of.read_text() == prefix
    configure = [
        "cmake",
        *([] if again else ["--fresh"]),
        "-S",
        str(HERE),
        "-B",
        str(built),
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    ]
    for command in (configure, ["cmake", "--build", str(built)]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    of.write_text(prefix)
    return built / "libnative.so"


class Native:
    """Native(context, folder).run(name, arrays, numbers) -> run(times) -> seconds, as timing.Timer."""

    def __init__(self, ctx, folder=None):
        import minx

        self.ctx, self.minx, self.library = ctx, minx, minx.load(build_library(folder))

    def run(self, name: str, arrays, numbers):
        views, seconds, result = [self.ctx.view(array) for array in arrays], c_double(), c_double()
        tail = (byref(result),) if name == "yax" else ()
        function = self.library.function(
            f"native_run_{name}",
            self.minx.Context,
            *[self.minx.View] * len(views),
            *[c_double] * len(numbers),
            c_int,
            POINTER(c_double),
            *[POINTER(c_double)] * len(tail),
        )

        def run(times: int) -> float:
            function(self.ctx, *views, *numbers, times, byref(seconds), *tail)
            return seconds.value

        run.result = result
        return run

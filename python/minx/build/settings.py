"""Where libminx is installed, what its build.json says, and what the environment asks for.

Variables of the environment: MINX_PREFIX (where minx is installed), MINX_PY_DEBUG=1 (kernels for debuggers), MINX_PY_CHECK=1 (kernels
that check indices, divisors and asserts: by the libminx of -DMINX_CHECKED_LIBRARY=ON), MINX_PY_TUNE (the CPU
that kernels are compiled for, as -march= knows it, or generic), MINX_PY_CACHE, MINX_PY_CACHE_SIZE, MINX_PY_CUDA_ARCH, CC, CUDA_HOME."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import stat
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from ..errors import SetupError
from ..version import __version__
from . import cache as stored
from . import compilers, eviction

LIBRARIES = ("lib", "lib64", f"lib/{platform.machine()}-linux-gnu")
INSTALL = """Install it together with this package, by `pip install .` in a checkout of minx. Or build a shared minx,
    cmake -B build -DBUILD_SHARED_LIBS=ON -DMINX_APPS=OFF -DMINX_TESTS=OFF -DCMAKE_INSTALL_PREFIX=FOLDER
    cmake --build build --target install
and set MINX_PREFIX=FOLDER."""


@dataclass(frozen=True)
class Settings:
    """An installed libminx, and how kernels for it are compiled."""

    prefix: Path
    built: dict  # build.json
    library: Path
    include: Path
    instances: tuple  # "host_right" and the like
    tune: str  # the CPU of kernels, as -march= names it; "" for the compiler's default
    debug: bool
    cache: "stored.Cache"
    cache_size: int  # bytes

    @property
    def compiler(self) -> "compilers.Compiler":
        """The C compiler. SetupError where there is none."""
        if isinstance(self._compiler, SetupError):
            raise self._compiler.with_traceback(None)
        return self._compiler

    @functools.cached_property
    def _compiler(self):
        try:
            return compilers.find(self.built, self.cache)
        except SetupError as error:
            return error

    @functools.cached_property
    def stamp(self) -> str:
        """Of all that changes what a compiler makes of a file and is not in its command line."""
        status = self.library.stat()
        parts = (self.compiler.version, cpu() if self.tune == "native" else "", str(self.library), status.st_mtime_ns, status.st_size,
                 headers_stamp(f"{self.include}/minx"), self.tune, self.debug, self.built)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    @functools.cached_property
    def stamps(self) -> dict:
        """What compile.py has made of the stamp: by instances."""
        return {}

    @functools.cached_property
    def contents(self) -> str:
        """Of what a compiled kernel depends on at run time: the contents of libminx and of its headers, and the CPU. It is the same on
        machines with the same minx, and needs no compiler."""
        digest = hashlib.sha256(self.library.read_bytes())
        for file in sorted((self.include / "minx").rglob("*.h")):
            digest.update(file.read_bytes())
        parts = PACKAGE, cpu() if self.tune == "native" else "", self.tune, self.debug, self.built
        digest.update(repr(parts).encode())
        return digest.hexdigest()[:32]


def settings() -> Settings:
    """The settings of this process. They are read again when a variable of the environment has changed."""
    names = ("MINX_PREFIX", "MINX_PY_DEBUG", "MINX_PY_TUNE", "MINX_PY_CHECK", "MINX_PY_CACHE", "MINX_PY_CACHE_SIZE",
             "XDG_CACHE_HOME", "CC", "PATH")
    return _settings(tuple(map(os.environ.get, names)))


@functools.lru_cache(maxsize=16)
def _settings(environment: tuple) -> Settings:
    prefix, debug, tune, check, *_ = environment
    prefix, info = find_prefix(prefix)
    if check and check != "0" and "MINX_BOUNDS_CHECK" not in json.loads(info.read_text())["defines"]:
        prefix, info = find_checked(info)
    built = json.loads(info.read_text())
    library = prefix / built["library"]
    if not built["shared"] or not library.exists():
        raise SetupError(f"{info} describes no shared library: build minx with -DBUILD_SHARED_LIBS=ON")
    if built["version"].split(".")[:2] != __version__.split(".")[:2]:
        raise SetupError(f"libminx in {prefix} has version {built['version']}, and this package {__version__}: install both from one source")
    if tune is None:
        tune = "native" if built["tune"] == "generic" else built["tune"]
    found = Settings(prefix, built, library, prefix / built["include"], tuple(i.replace(":", "_") for i in built["instances"]),
                    "" if tune == "generic" else tune, bool(debug) and debug != "0", stored.Cache(stored.default_root()), eviction.size_limit())
    with contextlib.suppress(SetupError):  # which the first kernel that is compiled raises again
        found.stamp  # noqa: B018 (once in a process, when the library starts, and not in the time of a launch)
    return found


def find_prefix(named: str | None) -> tuple[Path, Path]:
    """The folder in which minx is installed, and its build.json. SetupError says where it was looked for."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "_minx", Path(sysconfig.get_path("platlib")) / "minx/_minx", Path(sys.prefix))
    folders = [Path(named)] if named else dict.fromkeys(places)  # the second: pip install --editable
    for folder in folders:
        for lib in LIBRARIES:
            info = folder / lib / "minx" / "build.json"
            if info.exists():
                return folder.absolute(), info
    places = " or ".join(map(str, folders))
    if named:
        raise SetupError(f"MINX_PREFIX is {named}, but no minx is installed there: {named}/lib/minx/build.json is missing.\n{INSTALL}")
    raise SetupError(f"libminx is not found in {places}.\n{INSTALL}")


def find_checked(info: Path) -> tuple[Path, Path]:
    """The libminx beside the normal one that checks every index. SetupError: this minx was installed without it."""
    folder = info.parent / "checked"
    for lib in LIBRARIES:
        if (folder / lib / "minx" / "build.json").exists():
            return folder, folder / lib / "minx" / "build.json"
    raise SetupError(f"MINX_PY_CHECK=1 needs a libminx that checks indices, and {folder} has none: build minx with "
                     "-DMINX_CHECKED_LIBRARY=ON, or set MINX_PREFIX to one of -DMINX_BOUNDS_CHECK=ON")


def cpu() -> str:
    """What -march=native depends on: the description of the first CPU, without its frequency."""
    wanted = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU implementer", "CPU part", "CPU variant", "isa")
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:  # the kernel writes it when it is read: not for each of 256 CPUs
            lines = file.read(8192).decode(errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        lines = []
    return platform.machine() + "".join(line for line in lines if line.split("\t")[0].strip() in wanted)


def package_hash() -> str:
    """Of the text of this package."""
    here = Path(__file__).parent.parent
    return hashlib.sha256(b"".join(p.read_bytes() for p in sorted(here.rglob("*.py")))).hexdigest()[:16]


PACKAGE = package_hash()


def headers_stamp(folder: str) -> list:
    """Names, times and sizes of minx's headers."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat()
            if stat.S_ISDIR(status.st_mode):
                found += headers_stamp(entry.path)
            else:
                found.append((entry.name, status.st_mtime_ns, status.st_size))
    return sorted(found)

"""Compiles generated C files without CMake: what minx_add_kernels does, for one file.

An installed minx says in lib/minx/build.json which instances, flags and GPU architectures its kernels have (build_json.patch). A
kernel becomes one shared library: a unit for each instance that it needs and one for its dispatch table, all compiled at the same
time. gcc's headers are precompiled once for each kind of unit."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..errors import CompileError

HEADERS = "#include <minx/minx.h>\n#include <minx/kernel.h>\n#include <minx/scan.h>\n#include <minx/team.h>\n"
# where the compiler is not the one that minx was built with
OTHER_FLAGS = {"gcc": ["-falign-functions=64", "-falign-loops=32", "-fno-loop-unroll-and-jam", "--param=max-unswitch-insns=100",
                       "-fno-gcse"],
               "clang": ["-falign-functions=64", "-falign-loops=32", "-mllvm", "-enable-load-in-loop-pre=false", "-Wno-pass-failed"]}


@dataclass(frozen=True)
class Settings:
    library: Path
    include: Path
    instances: tuple
    flags: tuple
    compiler: str
    nvcc: str | None
    cache: Path
    stamp: str  # of all that changes what a compiler makes of a file


@functools.cache
def settings() -> Settings:
    prefix = Path(os.environ["MINX_PREFIX"])  # the real one: the folder of this package
    built = json.loads((prefix / "lib/minx/build.json").read_text())
    compiler = os.environ.get("CC") or (built["compiler"] if os.path.exists(built["compiler"]) else "cc")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    kind = "clang" if "clang" in version else "gcc"
    own = built["compiler_flags"] if kind == {"GNU": "gcc"}.get(built["compiler_id"], "clang") else OTHER_FLAGS[kind]
    flags = built["debug_flags" if os.environ.get("MINX_PY_DEBUG") else "flags"] + own
    flags += ["-fopenmp-simd", "-std=gnu11", "-fPIC", "-fvisibility=hidden", *[f"-D{d}" for d in built["defines"]]]
    nvcc = next(filter(os.path.exists, filter(None, (shutil.which("nvcc"), built["nvcc"]))), None)
    library = prefix / built["library"]
    cpu = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "")  # of -march=native
    status = library.stat()
    parts = (version, flags, cpu, str(library), status.st_mtime_ns, status.st_size)
    cache = Path(os.environ.get("MINX_PY_CACHE", Path.home() / ".cache/minx"))
    return Settings(library, prefix / built["include"], tuple(i.replace(":", "_") for i in built["instances"]), tuple(flags),
                    compiler, nvcc, cache, hashlib.sha256(repr(parts).encode()).hexdigest()[:16])


def unit_head(instance: str, instances) -> str:
    """The lines in front of a kernel file that make it a unit: see minx_add_kernels."""
    if instance == "dispatch":
        rows = ""
        for name in instances:
            kind, layout = name.upper().split("_")
            rows += f" ROW(name, MX_INSTANCE_{kind}, MX_LAYOUT_{layout}, {name})"
        return f"#define MX_DISPATCH(ROW, name){rows}\n"
    kind, layout = instance.split("_")
    head = f"#define MX_INSTANCE_SUFFIX {instance}\n#define MX_INSTANCE_LAYOUT {1 if layout == 'left' else 2}\n"
    return head + ("#define MX_INSTANCE_SIMT_\n" if kind == "simt" else "")


def headers_of(text: str) -> str:
    head = "#include <minx/minx.h>\n#include <minx/kernel.h>\n"
    return head + "#include <minx/scan.h>\n" * ("MX_SCAN(" in text) + "#include <minx/team.h>\n" * ("mx_team *" in text)


def host_flags(instance: str) -> list[str]:
    flags = list(settings().flags)
    if instance.startswith("simt"):
        flags = ["-O2" if f == "-O3" else f for f in flags]
    return flags


def command(instance: str, source: str, output: str) -> list[str]:
    s = settings()
    if instance.startswith("cuda"):
        if s.nvcc is None:
            raise CompileError("a kernel for cuda needs nvcc: put it on PATH")
        arch = os.environ.get("MINX_PY_CUDA_ARCH", "90")  # the real one asks the device of the context
        return [s.nvcc, "-std=c++17", "-O3", "--expt-relaxed-constexpr", "--brief-diagnostics=true",
                f"-gencode=arch=compute_{arch},code=sm_{arch}", "-Xcompiler=-fPIC,-fno-exceptions,-fno-threadsafe-statics", f"-I{s.include}",
                *[f for f in s.flags if f.startswith("-D")], "-c", source, "-o", output]
    return [s.compiler, *host_flags(instance), f"-I{s.include}", "-c", source, "-o", output]


def cuda_libraries(instances) -> list[str]:
    if not any(i.startswith("cuda") for i in instances):
        return []
    return [f"-L{Path(settings().nvcc).parent.parent / 'lib64'}", "-lcudart_static", "-lpthread", "-ldl", "-lrt", "-lstdc++"]


def run(commands: list[list[str]], where: Path) -> None:
    """All at the same time. Output goes to files: a pipe that nobody reads would stop a compiler."""
    logs = [tempfile.TemporaryFile("w+") for _ in commands]
    started = [subprocess.Popen(c, stdout=log, stderr=log) for c, log in zip(commands, logs)]
    failed = None
    for process, c, log in zip(started, commands, logs):
        if process.wait() != 0 and failed is None:
            log.seek(0)
            failed = f"{' '.join(c)}\n{log.read()}\nin {where}"
    if failed:
        raise CompileError(failed)


@functools.cache
def precompiled(instance: str, instances: tuple) -> Path | None:
    """A header that gcc has precompiled for a kind of unit: 4 times as fast as minx's headers."""
    s = settings()
    if instance.startswith("cuda") or "-mllvm" in s.flags:
        return None
    text = unit_head(instance, instances) + HEADERS
    name = hashlib.sha256((s.stamp + text + repr(host_flags(instance))).encode()).hexdigest()[:16]
    header = s.cache / "headers" / f"{name}.h"
    if not header.with_suffix(".h.gch").exists():
        header.parent.mkdir(parents=True, exist_ok=True)
        with locked(header.parent / "lock"):
            if not header.with_suffix(".h.gch").exists():
                header.write_text(text)
                part = header.with_suffix(f".{os.getpid()}.gch")
                run([[s.compiler, *host_flags(instance), f"-I{s.include}", "-x", "c-header", str(header),
                      "-o", str(part)]], header)
                part.rename(header.with_suffix(".h.gch"))
    return header


class locked:
    def __init__(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "w")

    def __enter__(self):
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def compile_kernel(text: str, instances: tuple) -> Path:
    """The shared library of a generated kernel file, from the cache where it is there."""
    s = settings()
    missing = [i for i in instances if i not in s.instances]
    if missing:
        raise CompileError(f"this minx has no instance {missing[0]}, but {', '.join(s.instances)}")
    how = repr([(unit, command(unit, "", "")) for unit in (*instances, "dispatch")])
    folder = s.cache / hashlib.sha256((s.stamp + how + text).encode()).hexdigest()[:24]
    library = folder / "kernel.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        if library.exists():
            return library
        (folder / "kernel.c").write_text(text)
        commands, objects = [], []
        for unit in (*instances, "dispatch"):
            header = precompiled(unit, instances if unit == "dispatch" else ())
            head = f'#include "{header}"\n' if header else unit_head(unit, instances) + headers_of(text)
            source = folder / f"{unit}.{'cu' if unit.startswith('cuda') else 'c'}"
            source.write_text(head + '#include "kernel.c"\n')
            objects.append(str(folder / f"{unit}.o"))
            commands.append(command(unit, str(source), objects[-1]))
        run(commands, folder / "kernel.c")
        part = folder / f"kernel.{os.getpid()}.so"
        run([[s.compiler, "-shared", "-o", str(part), *objects, str(s.library), *cuda_libraries(instances)]], folder)
        part.rename(library)
    return library

"""The C compiler of kernels for hosts: which one, and its options."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass

from ..errors import SetupError

# Options that depend on the compiler, where it is not the one that minx was built with: see cmake/MinxKernels.cmake.
OPTIONS = {"gcc": ["-falign-functions=64", "-falign-loops=32", "-fno-loop-unroll-and-jam", "--param=max-unswitch-insns=100", "-fno-gcse"],
           "clang": ["-falign-functions=64", "-falign-loops=32", "-mllvm", "-enable-load-in-loop-pre=false"]}
# What makes messages short, and errors of what is one.
MESSAGES = {"gcc": ["-ftrack-macro-expansion=0", "-fmax-errors=5", "-Wno-psabi"],
            "clang": ["-fmacro-backtrace-limit=1", "-ferror-limit=5", "-Wno-pass-failed"]}
RACES = {"gcc": ["-fsanitize=thread", "-g1", "-Wno-tsan"],  # for check="races", as in cmake/MinxKernels.cmake
         "clang": ["-fsanitize=thread", "-g1", "-DMX_NO_SIMD", "-fno-vectorize", "-fno-slp-vectorize", "-fno-openmp-simd"]}
ERRORS = ["-Werror=incompatible-pointer-types", "-Werror=implicit-function-declaration", "-Werror=int-conversion"]
HELP = "Install gcc or clang (Debian: apt-get install gcc libc6-dev), or set CC to one: CC=gcc-12 or CC=/path/to/clang."


@dataclass(frozen=True)
class Compiler:
    command: tuple  # the program and its first arguments: ("ccache", "gcc")
    kind: str  # gcc or clang
    version: str  # the text of --version

    def options(self, built: dict) -> list[str]:
        """The options that this compiler needs beside those of every kernel."""
        kind = {"GNU": "gcc", "Clang": "clang"}.get(built["compiler_id"])
        own = built["compiler_flags"] if kind == self.kind else OPTIONS[self.kind]
        return [*own, *MESSAGES[self.kind], *ERRORS]


def find(built: dict, cache) -> Compiler:
    """The compiler that CC names, else the one that minx was built with, else cc, gcc or clang on PATH."""
    named = os.environ.get("CC")
    if named:
        return remembered(shlex.split(named), f"CC is '{named}'", cache)
    for program in (built["compiler"], "cc", "gcc", "clang"):
        if shutil.which(program):
            return remembered([program], f"the compiler is {program}", cache)
    raise SetupError(f"there is no C compiler: kernels are compiled when they are first used. {HELP}")


def remembered(command: list[str], what: str, cache) -> Compiler:
    """ask(), whose answer is kept on disk as long as the program is the same file: clang needs 30 ms for it. A program that
    chooses a compiler (a script, ccache) is asked each time."""
    program = os.path.realpath(shutil.which(command[0]) or "")
    name = os.path.basename(program)
    if len(command) > 1 or not ("gcc" in name or "clang" in name) or not is_binary(program):
        return ask(command, what)
    status = os.stat(program)
    identity = (command, program, status.st_mtime_ns, status.st_size, status.st_ino)
    key = "compiler-" + hashlib.sha256(repr(identity).encode()).hexdigest()[:32]
    known = cache.load_index(key)
    if known is not None:
        return Compiler(tuple(command), known["kind"], known["version"])
    found = ask(command, what)
    cache.save_index(key, {"kind": found.kind, "version": found.version})
    return found


def is_binary(program: str) -> bool:
    try:
        with open(program, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def ask(command: list[str], what: str) -> Compiler:
    try:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError as error:
        raise SetupError(f"{what}, which cannot be run ({error.strerror}). {HELP}") from None
    kind = kind_of(said.stdout)
    if said.returncode or kind is None:
        line = (said.stdout + said.stderr).strip().splitlines()[:1]
        raise SetupError(f"{what}, expected gcc or clang: `{shlex.join(command)} --version` says {line[0] if line else 'nothing'!r}. {HELP}")
    return Compiler(tuple(command), kind, said.stdout)


def kind_of(version: str) -> str | None:
    if "clang" in version or "oneAPI" in version:
        return "clang"
    return "gcc" if "Free Software Foundation" in version and "see the source for copying conditions" in version else None


def host_options(settings, instance: str) -> list[str]:
    """Options for a unit that a C compiler compiles: those of minx_add_kernels."""
    built = settings.built
    flags = [f for f in built["debug_flags" if settings.debug else "flags"] if not f.startswith("-march=")]
    if instance.startswith("simt"):  # nothing is vectorised there
        flags = ["-O2" if f == "-O3" else f for f in flags]
    if settings.tune:
        flags.append(f"-march={settings.tune}")
    return [*flags, *settings.compiler.options(built), "-fopenmp-simd", "-std=gnu11", "-fPIC", "-fvisibility=hidden",
            *(RACES[settings.compiler.kind] if "_races_" in instance else []), *[f"-D{d}" for d in built["defines"]],
            f"-I{settings.include}"]

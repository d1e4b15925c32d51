"""Compiles a kernel file without CMake: what minx_add_kernels does, for one file. It becomes one shared library, whose units are compiled
at the same time, and which is linked to libminx and exports what the file marks as visible."""

from __future__ import annotations

import functools
import hashlib
import shlex
import shutil
import tempfile
from pathlib import Path

from ..errors import CompileError, SetupError
from . import compilers, cuda, eviction, precompiled, processes, units
from .settings import PACKAGE, Settings, settings

__all__ = ["PACKAGE", "Path", "Settings", "compile_kernel", "preprocess", "settings", "stamp_for", "stamp_of_contents"]


def compile_kernel(text: str, instances: tuple, name: str = "a kernel", options: tuple = ()) -> Path:
    """The shared library of a kernel file, from the cache where it is there.

    text: the file, C11 as in the manual; the headers of minx that it uses need not be included. instances: "host_right" and the
    like, all that it shall run on. name: for messages. options: further ones of the compilers (-I, -D). Of headers that they lead to the
    cache knows nothing: the text must differ where they do.
    CompileError: the compiler refused it. SetupError: no compiler, no nvcc, or this minx has no such instance."""
    s = settings()
    missing = [i for i in instances if i not in s.instances]
    if missing:
        raise CompileError(f"{name}: this minx has no instance {missing[0]}, but {', '.join(s.instances)}")
    key = key_of(stamp_for(instances, s), text, options)
    library = s.cache.find(key) or compiled_elsewhere(s, instances, text, options)
    if library is not None:
        return library
    with s.cache.claim(key) as claim:
        library = s.cache.find(key)
        if library is None:
            folder = Path(tempfile.mkdtemp(prefix="minx-"))
            try:
                build(s, folder, text, instances, name, claim.refresh, options)
                library = s.cache.store(key, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            s.cache.save_index(key_of(stamp_of_contents(instances, s), text, options), {"entry": key})
    eviction.sometimes(s.cache.root, s.cache_size)
    return library


def key_of(stamp: str, text: str, options: tuple) -> str:
    return hashlib.sha256((stamp + repr(options) * bool(options) + text).encode()).hexdigest()[:32]


def compiled_elsewhere(s: Settings, instances: tuple, text: str, options: tuple) -> Path | None:
    """On a machine without a compiler: what another one has compiled, for the same minx and CPU. None: there is a compiler, or it is not
    in the cache."""
    if has_compilers(instances, s):
        return None
    found = s.cache.load_index(key_of(stamp_of_contents(instances, s), text, options))
    return found and s.cache.find(found["entry"])


def stamp_for(instances: tuple, s: Settings | None = None) -> str:
    """Of all that a library depends on but its text: compilers, CPU, headers, options, units. Where there is no compiler it is that of
    the contents."""
    s = s or settings()
    cuda_there = any(i.startswith("cuda") for i in instances)
    found = s.stamps.get(instances)
    if found is None or cuda_there:  # which depends on variables that the settings do not have
        found = s.stamps[instances] = stamp_with_compilers(instances, s) if has_compilers(instances, s) else stamp_of_contents(instances, s)
    return found


def stamp_with_compilers(instances: tuple, s: Settings) -> str:
    how = [(unit, command(s, unit, "", "")) for unit in units.units_of(instances)]
    if any(i.startswith("cuda") for i in instances):
        how.append(cuda.stamp(s))
    return hashlib.sha256(repr((s.stamp, how)).encode()).hexdigest()[:32]


def stamp_of_contents(instances: tuple, s: Settings) -> str:
    """Of what a library depends on when it runs."""
    where = cuda.architectures() if any(i.startswith("cuda") for i in instances) else []
    return hashlib.sha256(repr((s.contents, instances, where)).encode()).hexdigest()[:32]


def has_compilers(instances: tuple, s: Settings) -> bool:
    try:
        s.compiler
        if any(i.startswith("cuda") for i in instances):
            cuda.toolkit(s)
    except SetupError:
        return False
    return True


def command(s: Settings, unit: str, source: str, output: str) -> list[str]:
    if unit.startswith("cuda"):
        return cuda.command(s, source, output)
    return [*s.compiler.command, *compilers.host_options(s, unit), "-c", source, "-o", output]


def build(s: Settings, folder: Path, text: str, instances: tuple, name: str, refresh=lambda: None, options=()) -> None:
    """Makes kernel.so in a folder."""
    (folder / units.KERNEL).write_text(text)
    commands, plain, objects = [], [], []
    for unit in units.units_of(instances):
        source = f"{unit}.{units.extension(unit)}"
        (folder / source).write_text(units.source(unit, instances, text))
        objects.append(f"{unit}.o")
        plain.append([*command(s, unit, source, objects[-1]), *options])
        less = cuda.LESS_OF_CUB if unit.startswith("cuda") and "MX_SCAN" in text else []
        commands.append([*plain[-1], *precompiled.options(s, unit, instances), *less])
    run = functools.partial(processes.run, what=f"{name} ({', '.join(instances)})", folder=folder, refresh=refresh)
    try:
        run(commands)
    except CompileError:
        if commands == plain:
            raise
        # precompiled headers may be damaged, or older than the system's, or CUB another one; if the kernel is wrong, this says so
        run(plain)
        for with_headers in commands:
            precompiled.forget(with_headers)
    link = [*s.compiler.command, "-shared", "-o", "kernel.so", *objects, str(s.library)]
    if any(i.startswith("cuda") for i in instances):
        link += cuda.link_options(s)
    run([link])


def preprocess(text: str, name: str, options: tuple = ()) -> tuple[str, list]:
    """A kernel file after the preprocessor, as its dispatch unit, and the headers that it includes, without those of minx and of
    the system. CompileError: the preprocessor refused it."""
    s = settings()
    folder = Path(tempfile.mkdtemp(prefix="minx-"))
    try:
        (folder / units.KERNEL).write_text(text)
        (folder / "dispatch.c").write_text(units.source("dispatch", s.instances[:1], text))
        arguments = [*s.compiler.command, *compilers.host_options(s, "dispatch"), *options, "-E", "-P", "-MMD", "-MF", "headers",
                     "dispatch.c", "-o", "dispatch.i"]
        processes.run([arguments], what=name, folder=folder)
        found = shlex.split((folder / "headers").read_text().replace("\\\n", " "))[1:]
        own = [f for f in found if Path(f).is_absolute() and not Path(f).is_relative_to(s.include)]
        return (folder / "dispatch.i").read_text(), own
    finally:
        shutil.rmtree(folder, ignore_errors=True)

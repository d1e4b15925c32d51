"""Compiles a kernel file without CMake: what minx_add_kernels does, for one file. It becomes one shared library, whose units are compiled
at the same time, and which is linked to libminx and exports what the file marks as visible."""

from __future__ import annotations

import functools
import hashlib
import shlex
import shutil
import tempfile
from pathlib import Path

from ..errors import CompileError
from . import compilers, cuda, eviction, precompiled, processes, units
from .settings import Settings, settings

__all__ = ["Path", "Settings", "compile_kernel", "preprocess", "settings", "stamp_for"]


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
    key = hashlib.sha256((stamp_for(instances) + repr(options) * bool(options) + text).encode()).hexdigest()[:32]
    library = s.cache.find(key)
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
    eviction.sometimes(s.cache.root, s.cache_size)
    return library


def stamp_for(instances: tuple) -> str:
    """Of all that a library depends on but its text: compilers, CPU, headers, options, units."""
    s = settings()
    how = [(unit, command(s, unit, "", "")) for unit in units.units_of(instances)]
    if any(i.startswith("cuda") for i in instances):
        how.append(cuda.stamp(s))
    return hashlib.sha256(repr((s.stamp, how)).encode()).hexdigest()[:32]


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
        commands.append([*plain[-1], *precompiled.options(s, unit, instances)])
    run = functools.partial(processes.run, what=f"{name} ({', '.join(instances)})", folder=folder, refresh=refresh)
    try:
        run(commands)
    except CompileError:
        if commands == plain:
            raise
        run(plain)  # precompiled headers may be damaged, or older than the system's; if the kernel is wrong, this says so
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

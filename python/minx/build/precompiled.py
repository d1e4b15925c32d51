"""minx's headers, precompiled: reading them takes a compiler four times as long as a kernel.

There is one for each kind of unit and each set of options, in the cache's folder `headers`: NAME.h, and NAME.h.gch of gcc or NAME.h.pch of
clang. It is only an option on the command line. A unit includes the same headers by itself, so it compiles without it too."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from ..errors import CompileError
from . import cache as stored
from . import compilers, processes, units

_failed: set = set()
SUFFIX = {"gcc": ".gch", "clang": ".pch"}


def options(settings, unit: str, instances: tuple) -> list[str]:
    """The options with which a unit uses its headers, precompiled if they are not yet; none where that cannot be."""
    if unit.startswith("cuda"):
        return []
    compiler = settings.compiler
    text = units.head(unit, instances) + units.includes(units.ALL_HEADERS)
    flags = compilers.host_options(settings, unit)
    key = hashlib.sha256(repr((settings.stamp, text, flags)).encode()).hexdigest()[:24]
    if (settings.cache.root, key) in _failed:
        return []
    try:
        header = settings.cache.find_header(key + ".h", SUFFIX[compiler.kind]) or make(settings, key, text, flags)
    except (OSError, CompileError):  # a cache that cannot be written: without. What else is wrong, the kernel's compilation says
        _failed.add((settings.cache.root, key))
        return []
    if compiler.kind == "clang":
        return ["-include-pch", f"{header}.pch"]
    return ["-include", str(header)]


def make(settings, key: str, text: str, flags: list[str]) -> Path:
    """Compiles the header. A file that is not complete has another name."""
    suffix = SUFFIX[settings.compiler.kind]
    find = functools.partial(settings.cache.find_header, key + ".h", suffix)
    with settings.cache.claim(key, lambda: find() is not None) as claim:
        header = find()
        if header is not None:
            return header
        header = settings.cache.root / "headers" / f"{key}.h"
        stored.write(header, text.encode())  # the compiler remembers where it is
        part = stored.part_of(header.with_name(header.name + suffix))
        try:
            command = [*settings.compiler.command, *flags, "-x", "c-header", str(header), "-o", str(part)]
            processes.run([command], "minx's headers", header.parent, claim.refresh)
            stored.sync(part)
            os.replace(part, f"{header}{suffix}")
        finally:
            part.unlink(missing_ok=True)
    return header


def forget(arguments: list[str]) -> None:
    """Removes what a command line used: the compiler refused it."""
    for option, name in zip(arguments, arguments[1:]):
        if option in ("-include", "-include-pch"):
            Path(name + ".gch" if option == "-include" else name).unlink(missing_ok=True)

"""What profiling tools see of a program: named regions and events. Without a tool these do nothing.

A tool is a library of kokkos-tools, which KOKKOS_TOOLS_LIBS or MINX_TOOLS_LIBS names before minx is used. Kernels have
the names of their Python functions there, with py_ in front."""

from __future__ import annotations

import contextlib

from .library import libminx


@contextlib.contextmanager
def region(name: str):
    """A named part of the program: `with minx.region("assemble"): ...`, or a decorator, @minx.region("assemble").
    Regions nest.

    >>> with minx.region("assemble"):
    ...     pass
    """
    lib = libminx()
    lib.mx_region_push(text_of(name))
    try:
        yield
    finally:
        lib.mx_region_pop()


def event(name: str) -> None:
    """Reports an event at this moment.

    >>> minx.event("checkpoint")
    """
    libminx().mx_event_mark(text_of(name))


def text_of(name) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"got a {type(name).__name__}, expected a name as text")
    return name.encode(errors="replace")

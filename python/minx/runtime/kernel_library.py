"""Libraries of kernels written in C, as examples/python has one: plain functions of a context, views and numbers."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_int, c_void_p

from ..errors import Error
from .context import Context
from .library import libminx
from .view import View


class KernelLibrary:
    """A shared library that is linked to the installed libminx.

        fields = minx.load("build/libfields.so")
        axpy = fields.function("fields_axpy", minx.Context, c_double, minx.View, minx.View)
        axpy(ctx, 2.0, ctx.view(x), ctx.view(y))

    Error MX_ERR_INPUT: it cannot be loaded, or is linked to another libminx, which would not know the contexts of this
    one."""

    def __init__(self, path: str | os.PathLike):
        self.path, lib = os.fspath(path), libminx()
        try:
            self.dll = ctypes.CDLL(self.path)
        except OSError as error:
            raise Error("MX_ERR_INPUT", f"{self.path}: {error}") from None
        there = ctypes.cast(self.dll.mx_init, c_void_p).value if hasattr(self.dll, "mx_init") else None
        if there != ctypes.cast(lib.dll.mx_init, c_void_p).value:
            raise Error("MX_ERR_INPUT", f"{self.path} is linked to {'another libminx' if there else 'no libminx'}: "
                                        f"expected {lib.dll._name}")

    def function(self, name: str, *arguments: type):
        """A function of the library that returns mx_err, by the types of its arguments: Context, View, c_double, ...;
        POINTER(T) for an output, passed by ctypes.byref. It raises Error unless all went well, and ctypes.ArgumentError
        for an argument of another type. The types must be those of the C function."""
        try:
            found = self.dll[name]
        except AttributeError:
            raise Error("MX_ERR_INPUT", f"{self.path} has no function '{name}'") from None
        found.argtypes, found.restype, found.errcheck = arguments, c_int, libminx()._errcheck

        def call(*values):
            for value in values:
                if isinstance(value, (Context, View)):
                    value.handle  # raises Error if it is closed
            return found(*values)

        call.__name__ = name
        return call

    def __repr__(self) -> str:
        return f"<minx.KernelLibrary {self.path!r}>"


def load(path: str | os.PathLike) -> KernelLibrary:
    """Loads a library of kernels; see KernelLibrary.

    >>> minx.load("no_such_file.so")
    Traceback (most recent call last):
        ...
    minx.errors.Error: MX_ERR_INPUT: no_such_file.so: ...
    """
    return KernelLibrary(path)

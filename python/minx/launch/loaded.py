"""Loading the shared library of a kernel. ctypes.CDLL makes a class of functions for each library, which takes longer than to load it: here
all have the same few types of functions."""

from __future__ import annotations

import ctypes
import os

from ..errors import SetupError

BIND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
SIZE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int)

_system = ctypes.CDLL(None)
_open, _find, _error = _system.dlopen, _system.dlsym, _system.dlerror
_open.restype, _open.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
_find.restype, _find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
_error.restype, _error.argtypes = ctypes.c_char_p, []


class Loaded:
    """A library, until the process ends. SetupError: it cannot be loaded."""

    def __init__(self, path):
        self.path, self.handle = path, _open(os.fsencode(path), os.RTLD_NOW)
        if not self.handle:
            raise self.failure()

    def function(self, name: str, kind):
        """A function of one of the types above."""
        address = _find(self.handle, name.encode())
        if not address:
            raise self.failure()
        return kind(address)

    def failure(self) -> SetupError:
        why = (_error() or b"unknown").decode(errors="replace")
        return SetupError(f"the compiled kernel {self.path} cannot be loaded: {why}. `python -m minx cache --clear` removes what is compiled")

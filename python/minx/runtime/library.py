"""libminx: its functions for ctypes, its errors, its start and its end.

Objects of libminx (contexts, views, graphs) are *held* by an object of Python, and end in one of three ways, whichever
is first: the Python object dies, its close() is called, or Python exits. At exit they end in the reverse order of their
creation, then libminx itself ends. What NumPy or another library may still use then, as the memory of a view that was
exported to it, is left to the operating system. So is everything if a daemon thread that has used minx still runs, as
it may be in the middle of a launch."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import threading
import weakref
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_uint32, c_void_p

from ..build import compile as build
from ..errors import Error
from .structures import ContextDetails, ContextInfo, Handle, Slice, ViewInfo, ViewOptions

_HANDLE, _INTEGERS = POINTER(Handle), POINTER(c_int64)

# name: the types of its arguments. These functions return mx_err
_CHECKED = {
    "mx_init": [],
    "mx_ctx_create": [c_char_p, POINTER(c_void_p)],
    "mx_ctx_create_on_stream": [c_char_p, c_void_p, POINTER(c_void_p)],
    "mx_ctx_get_info": [c_void_p, POINTER(ContextInfo)],
    "mx_ctx_get_details": [c_void_p, POINTER(ContextDetails)],
    "mx_ctx_check_against": [c_void_p, c_char_p, c_double],
    "mx_ctx_wait": [c_void_p, c_void_p],
    "mx_ctx_wait_stream": [c_void_p, c_void_p],
    "mx_stream_wait_ctx": [c_void_p, c_void_p],
    "mx_fence": [c_void_p],
    "mx_fence_all": [],
    "mx_view_create": [c_void_p, c_char_p, c_uint32, c_int, _INTEGERS, POINTER(ViewOptions), _HANDLE],
    "mx_view_wrap": [c_void_p, c_char_p, c_uint32, c_int, _INTEGERS, _INTEGERS, POINTER(ViewOptions), c_void_p,
                     _HANDLE],
    "mx_view_constant": [Handle, _HANDLE],
    "mx_view_retain": [Handle],
    "mx_view_destroy": [_HANDLE],
    "mx_view_get_info": [Handle, POINTER(ViewInfo)],
    "mx_view_set_unchecked": [Handle],
    "mx_view_set_check_scale": [Handle, c_double],
    "mx_subview": [Handle, c_int, POINTER(Slice), _HANDLE],
    "mx_mirror_create": [Handle, _HANDLE],
    "mx_mirror_if_needed": [Handle, _HANDLE],
    "mx_deep_copy": [c_void_p, Handle, Handle],
    "mx_remap": [c_void_p, Handle, Handle],
    "mx_fill_": [c_void_p, Handle, c_void_p, c_uint32],
    "mx_import_": [c_void_p, Handle, c_void_p, _INTEGERS, c_uint32],
    "mx_export_": [c_void_p, Handle, c_void_p, _INTEGERS, c_uint32],
    "mx_scatter_create_": [c_void_p, Handle, c_int, c_void_p],
    "mx_scatter_contribute": [c_void_p, c_void_p, Handle],
    "mx_scatter_reset": [c_void_p, c_void_p],
    "mx_scatter_destroy": [c_void_p],
    "mx_bin_sort": [c_void_p, Handle, Handle, Handle],
    "mx_permute": [c_void_p, Handle, Handle, Handle],
    "mx_graph_create": [c_void_p, POINTER(c_void_p)],
    "mx_graph_after": [c_void_p, c_int, POINTER(c_int)],
    "mx_graph_finish": [c_void_p],
    "mx_graph_run": [c_void_p],
}
# name: the type of its result, and those of its arguments
_PLAIN = {
    "mx_err_name": (c_char_p, [c_int]),
    "mx_err_message": (c_char_p, []),
    "mx_version": (c_char_p, []),
    "mx_build_description": (c_char_p, []),
    "mx_backend_name": (c_char_p, [c_int]),
    "mx_backend_available": (c_bool, [c_char_p, POINTER(c_char_p)]),
    "mx_backend_devices": (c_int, [c_char_p]),
    "mx_host_cores": (c_int, []),
    "mx_ctx_destroy": (None, [POINTER(c_void_p)]),
    "mx_graph_last": (c_int, [c_void_p]),
    "mx_graph_destroy": (None, [POINTER(c_void_p)]),
    "mx_views_alive": (c_int, []),
    "mx_region_push": (None, [c_char_p]),
    "mx_region_pop": (None, []),
    "mx_event_mark": (None, [c_char_p]),
    "mx_end_": (None, [c_bool]),
}


class Library:
    """libminx, started. lib.mx_fence(ctx) and the like raise Error unless they return MX_OK."""

    def __init__(self, path):
        self.dll = ctypes.CDLL(os.fspath(path))
        self.process = os.getpid()
        self.mx_init()

    def __getattr__(self, name: str):
        """A function, at its first use."""
        if name not in _CHECKED and name not in _PLAIN:
            raise AttributeError(name)
        found = getattr(self.dll, name, None)
        if found is None:
            raise Error("MX_ERR_BACKEND", f"{self.dll._name} has no function {name}: it is older than this package")
        if name in _PLAIN:
            found.restype, found.argtypes = _PLAIN[name]
        else:
            found.restype, found.argtypes, found.errcheck = c_int, _CHECKED[name], self._errcheck
        setattr(self, name, found)
        return found

    def _errcheck(self, code, *_):
        if code:
            self.check(code)

    def check(self, code: int) -> None:
        """Raises Error with the name of the code and the message of this thread's last failure, unless the code is
        MX_OK."""
        if code:
            raise Error(self.mx_err_name(code).decode(), self.mx_err_message().decode(errors="replace"))


class Held:
    """An object of libminx that ends once: by end(), when its owner (if there is one) dies, or at exit.

    calls: the bound launches that use it, which end with it (each has a method end). shared: other libraries may use
    the memory until the process ends. keep: something that lives until it has ended, even where both are garbage."""

    __slots__ = ("calls", "shared", "_keep", "_number", "_function", "_finalizer")

    def __init__(self, owner, function, shared: bool = False, keep=None):
        self.calls: set = set()
        self.shared, self._function, self._keep, self._number = shared, function, keep, next(_numbers)
        _alive[self._number] = self
        users.add(threading.get_ident())
        self._finalizer = None
        if owner is not None:
            self._finalizer = weakref.finalize(owner, self.end)
            self._finalizer.atexit = False

    @property
    def ended(self) -> bool:
        return self._number not in _alive

    def end(self) -> None:
        if _alive.pop(self._number, None) is None:
            return
        self.end_calls()
        try:
            self._function()
        except Error:  # it is in use
            _alive[self._number] = self
            raise
        if self._finalizer is not None:
            self._finalizer.detach()
        self._keep = None

    def end_calls(self) -> None:
        """Ends the launches that are bound to it: the next ones bind again."""
        while self.calls:
            self.calls.pop().end()


_alive: dict[int, Held] = {}  # in the order in which they began
_numbers = itertools.count()
users: set[int] = set()  # the threads that have made objects of libminx, or have bound launches
_library: Library | None = None
_exiting = False


def forked(namespace: dict, name: str, make):
    """make(), and in a child process of fork() again, where another thread of the parent may have held the lock."""
    os.register_at_fork(after_in_child=lambda: namespace.__setitem__(name, make()))
    return make()


_lock = forked(globals(), "_lock", threading.RLock)


def libminx() -> Library:
    """libminx, started at the first call. Error: mx_init failed, or Python exits and minx has ended."""
    if _library is None or _exiting:
        return _start()
    return _library


def _start() -> Library:
    global _library
    with _lock:
        if _exiting:
            raise Error("MX_ERR_ARG", "minx has ended, as Python exits: end what uses it in atexit handlers that are "
                        "registered after minx was imported")
        if _library is None:
            _library = Library(build.settings().library)
    return _library


def _end() -> None:
    """Ends libminx, without a report of views: those whose memory is shared may still exist."""
    if hasattr(_library.dll, "mx_end_"):
        _library.mx_end_(False)
    else:  # an older one makes no report
        _library.dll.mx_finalize()


def _exit() -> None:
    """Ends all objects, then libminx. A child process after fork() leaves its parent's objects alone."""
    global _exiting
    _exiting = True
    me, left = threading.get_ident(), False
    others = any(thread.ident in users and thread.ident != me for thread in threading.enumerate())
    if _library is None or _library.process != os.getpid() or others:
        _alive.clear()
        return
    for held in reversed(list(_alive.values())):
        if held.shared:
            _alive.pop(held._number, None)
        else:
            try:
                held.end()
            except Error:  # a thread of the user's that still uses it
                left = True
    if not left:
        _end()


atexit.register(_exit)  # at import: handlers of the user's that are registered later run before it

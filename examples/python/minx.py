"""minx from Python: contexts, views of NumPy arrays without a copy, functions of kernel libraries.

    fields = minx.load("build/libfields.so")     # a kernel library brings its libminx with it
    axpy = minx.function(fields, "fields_axpy", minx.Context, c_double, minx.View, minx.View)
    ctx = minx.Context(fields, "openmp:threads=4")
    axpy(ctx, 2.0, ctx.view(x), ctx.view(y))     # x, y: NumPy arrays; y has changed
    ctx.fence()

What fails raises minx.Error with minx's message. One thread at a time per context. The structures
and numbers below are those of minx/context.h and minx/view.h, where the contracts stand.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from ctypes import byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np

DEFAULT, HOST, CUDA, MANAGED, PINNED, SIMT, STAGING = range(7)  # mx_space
LEFT, RIGHT, STRIDE = 1, 2, 3  # mx_layout; 0: the context's own
KINDS = {"f8": 1, "f4": 2, "i4": 3, "i8": 4, "u1": 5, "u4": 6, "u8": 7}  # of mx_type


class Error(RuntimeError):
    """A failure of minx or of a kernel library; name: "MX_ERR_LAYOUT" and the like."""

    def __init__(self, name: str, message: str):
        super().__init__(f"{name}: {message}")
        self.name = name


class Handle(ctypes.Structure):
    """mx_view"""

    _fields_ = [("slot", c_uint32), ("generation", c_uint32)]


class ViewOptions(ctypes.Structure):
    """mx_view_options"""

    _fields_ = [
        ("space", c_int),
        ("layout", c_int),
        ("uninitialized", c_bool),
        ("padding", c_bool),
    ]


class ViewInfo(ctypes.Structure):
    """mx_view_info"""

    _fields_ = [
        ("label", c_char_p),
        ("type", c_uint32),
        ("rank", c_int),
        ("space", c_int),
        ("layout", c_int),
        ("extent", c_int64 * 8),
        ("stride", c_int64 * 8),
        ("count", c_int64),
        ("bytes", c_size_t),
        ("data", c_void_p),
        ("references", c_int),
        ("constant", c_bool),
    ]


class ContextInfo(ctypes.Structure):
    """mx_ctx_info"""

    _fields_ = [
        ("backend", c_char_p),
        ("layout", c_int),
        ("space", c_int),
        ("threads", c_int),
        ("device", c_int),
        ("device_name", c_char_p),
        ("host_accessible", c_bool),
        ("launches", c_int64),
        ("synchronisations", c_int64),
        ("check_layout", c_int),
    ]


started: set[int] = set()  # addresses of mx_init, one for each libminx in this process


def load(path: str | os.PathLike) -> ctypes.CDLL:
    """Loads a kernel library with the libminx that it is linked to, or libminx alone. minx is
    started, and ended at exit."""
    library = ctypes.CDLL(os.fspath(path))
    library.mx_err_name.restype = library.mx_err_message.restype = c_char_p
    library.mx_backend_available.restype = c_bool
    library.mx_ctx_destroy.restype = library.mx_finalize.restype = None
    address = ctypes.cast(library.mx_init, c_void_p).value
    if address not in started:
        function(library, "mx_init")()
        started.add(address)
        weakref.finalize(library, library.mx_finalize)  # after contexts and views: they are younger
    return library


def function(library: ctypes.CDLL, name: str, *arguments: type):
    """A function of the library that returns mx_err, by the types of its arguments: Context, View,
    c_double, ...; POINTER(T) for an output, passed by ctypes.byref. It raises Error unless all went
    well."""

    def check(err, *_):
        if err != 0:
            raise Error(library.mx_err_name(err).decode(), library.mx_err_message().decode())

    found = library[name]
    found.argtypes, found.restype, found.errcheck = arguments, c_int, check
    return found


def unavailable(library: ctypes.CDLL, backend: str) -> str | None:
    """Why no context can be made of this backend ("cuda") here and now; None: one can."""
    why = c_char_p()
    if library.mx_backend_available(backend.encode(), byref(why)):
        return None
    return (why.value or b"").decode()


def integers(values: Sequence[int]) -> ctypes.Array:
    return (c_int64 * max(len(values), 1))(*values)


def element_type(dtype: np.dtype) -> c_uint32:
    """mx_type. Numbers that minx has no name for, and records, are structs of the user's there."""
    if dtype.hasobject or not dtype.isnative:
        raise TypeError(f"got elements of {dtype}, expected numbers or records, in native order")
    return c_uint32(KINDS.get(dtype.str[1:], 0) | dtype.itemsize << 8)


class View:
    """A view of minx, which ends with this object. Made by a Context."""

    def __init__(self, library: ctypes.CDLL, handle: Handle, dtype: np.dtype, memory=None):
        self.library, self.handle, self.dtype = library, handle, dtype
        self.memory = memory  # whose it is: stays as long as the view
        self.close = weakref.finalize(self, function(library, "mx_view_destroy"), byref(handle))

    @classmethod
    def from_param(cls, view: View) -> Handle:
        """What ctypes passes for a View."""
        if not isinstance(view, cls):
            raise TypeError(f"got {type(view).__name__}, expected a View, from ctx.view(array)")
        return view.handle

    def info(self) -> ViewInfo:
        info = ViewInfo()
        function(self.library, "mx_view_get_info", View)(self, byref(info))
        return info

    def array(self) -> np.ndarray:
        """The view's memory as an array, without a copy, where the host reaches it; read-only where
        the view is. It counts as an owner of the view. Fence between kernels and NumPy."""
        data = c_void_p()
        function(self.library, "mx_view_host_data", View)(self, byref(data))
        function(self.library, "mx_view_retain", View)(self)
        handle = Handle(self.handle.slot, self.handle.generation)
        owner = View(self.library, handle, self.dtype, self.memory)
        info = owner.info()
        if info.layout > STRIDE:
            raise ValueError("NumPy has no tiled or Morton arrays")
        owner.__array_interface__ = {
            "version": 3,
            "data": (data.value, info.constant),
            "shape": tuple(info.extent[: info.rank]),
            "strides": tuple(stride * self.dtype.itemsize for stride in info.stride[: info.rank]),
            "typestr": self.dtype.str,
        }
        return np.asarray(owner).view(self.dtype)


class Context:
    """A context, from a resource string: "serial", "openmp:threads=4", "cuda:device=1"."""

    def __init__(self, library: ctypes.CDLL, resource: str):
        self.library, self.handle = library, c_void_p()
        function(library, "mx_ctx_create")(resource.encode(), byref(self.handle))
        self.close = weakref.finalize(self, library.mx_ctx_destroy, byref(self.handle))
        # where NumPy and kernels both reach: host memory, or what moves to and fro by itself
        self.shared = HOST if self.info().host_accessible else MANAGED

    @classmethod
    def from_param(cls, ctx: Context) -> c_void_p:
        """What ctypes passes for a Context."""
        if not isinstance(ctx, cls):
            raise TypeError(f"got {type(ctx).__name__}, expected a Context")
        return ctx.handle

    def info(self) -> ContextInfo:
        info = ContextInfo()
        function(self.library, "mx_ctx_get_info", Context)(self, byref(info))
        return info

    def view(self, array: np.ndarray, label: str = "array", space: int = HOST) -> View:
        """A view of an array's own memory, which stays as long as the view; no copy. C and Fortran
        order, slices; read-only where the array is. space: MANAGED for arrays of managed views,
        which is the memory that NumPy and a GPU both reach."""
        # where there is one element, its dimension's stride may be anything
        strides = [s if n > 1 else array.itemsize for n, s in zip(array.shape, array.strides)]
        if any(stride % array.itemsize for stride in strides):
            raise ValueError(f"got strides {array.strides}, expected multiples of {array.itemsize}")
        handle = Handle()
        function(self.library, "mx_view_wrap")(
            self.handle,
            label.encode(),
            element_type(array.dtype),
            array.ndim,
            integers(array.shape),
            integers([stride // array.itemsize for stride in strides]),
            byref(ViewOptions(space=space)),
            c_void_p(array.ctypes.data),
            byref(handle),
        )
        view = View(self.library, handle, array.dtype, array)
        if array.flags.writeable:
            return view
        constant = Handle()
        function(self.library, "mx_view_constant", View)(view, byref(constant))
        return View(self.library, constant, array.dtype, array)

    def zeros(
        self, shape: Sequence[int], dtype=float, label="zeros", space=DEFAULT, layout=0
    ) -> View:
        """A view with memory of minx's own; by default where this context's kernels run, in its
        layout."""
        handle, dtype = Handle(), np.dtype(dtype)
        function(self.library, "mx_view_create")(
            self.handle,
            label.encode(),
            element_type(dtype),
            len(shape),
            integers(shape),
            byref(ViewOptions(space=space, layout=layout)),
            byref(handle),
        )
        return View(self.library, handle, dtype)

    def put(self, view: View, array: np.ndarray) -> None:
        """Copies an array into a view of the same shape and type, whatever the layouts, and
        wherever the view is: mx_import."""
        self._transfer("mx_import_", view, np.ascontiguousarray(array, view.dtype))

    def get(self, view: View) -> np.ndarray:
        """The elements of a view in a new array, wherever the view is: mx_export."""
        info = view.info()
        array = np.empty(tuple(info.extent[: info.rank]), view.dtype)
        self._transfer("mx_export_", view, array)
        return array

    def _transfer(self, name: str, view: View, array: np.ndarray) -> None:
        info = view.info()
        if array.shape != tuple(info.extent[: info.rank]):
            raise ValueError(f"got shape {array.shape}, the view's is another")
        call = function(self.library, name, Context, View, c_void_p, c_void_p, c_uint32)
        call(self, view, array.ctypes.data, None, info.type)

    def copy(self, to: View, source: View) -> None:
        """mx_deep_copy, and waits: Python may free what was copied from."""
        function(self.library, "mx_deep_copy", Context, View, View)(self, to, source)
        self.fence()

    def fence(self) -> None:
        """Waits until everything asked of this context is done."""
        function(self.library, "mx_fence", Context)(self)

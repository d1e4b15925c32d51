"""libminx by ctypes: contexts, views of arrays, errors. The structures and numbers are those of minx/context.h and
minx/view.h. (An extension of examples/python/minx.py.)"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import weakref
from ctypes import byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np

from ..build import compile as build
from ..errors import Error

DEFAULT, HOST, CUDA, MANAGED, PINNED, SIMT, STAGING = range(7)
LEFT, RIGHT, STRIDE = 1, 2, 3
KINDS = {"f8": 1, "f4": 2, "i4": 3, "i8": 4, "u1": 5, "u4": 6, "u8": 7, "b1": 5}


class Handle(ctypes.Structure):
    _fields_ = [("slot", c_uint32), ("generation", c_uint32)]


class ViewOptions(ctypes.Structure):
    _fields_ = [("space", c_int), ("layout", c_int), ("uninitialized", c_bool), ("padding", c_bool)]


class ViewInfo(ctypes.Structure):
    _fields_ = [
        ("label", c_char_p), ("type", c_uint32), ("rank", c_int), ("space", c_int), ("layout", c_int),
        ("extent", c_int64 * 8), ("stride", c_int64 * 8), ("count", c_int64), ("bytes", c_size_t),
        ("data", c_void_p), ("references", c_int), ("constant", c_bool),
    ]


class ContextInfo(ctypes.Structure):
    _fields_ = [
        ("backend", c_char_p), ("layout", c_int), ("space", c_int), ("threads", c_int), ("device", c_int),
        ("device_name", c_char_p), ("host_accessible", c_bool), ("launches", c_int64),
        ("synchronisations", c_int64), ("check_layout", c_int),
    ]


class Library:
    """libminx, started. Kernels that are compiled later are linked to the same file."""

    def __init__(self):
        self.dll = ctypes.CDLL(os.fspath(build.settings().library))
        for name in ("mx_err_name", "mx_err_message", "mx_version"):
            getattr(self.dll, name).restype = c_char_p
        self.dll.mx_backend_available.restype = c_bool
        self.dll.mx_ctx_destroy.restype = self.dll.mx_finalize.restype = None
        self.dll.mx_view_destroy.argtypes = [c_void_p]
        self.check(self.dll.mx_init())
        atexit.register(self.end)

    def check(self, code: int) -> None:
        if code:
            raise Error(self.dll.mx_err_name(code).decode(), self.dll.mx_err_message().decode())

    def end(self):
        for end in reversed(list(_alive.values())):
            end()
        self.dll.mx_finalize()


_alive: dict = {}  # what must end before libminx does, in the order it began
_numbers = itertools.count()


def owned(owner, function, *args):
    """Calls the function once: when the owner dies, when the result is called, or at exit."""
    number = next(_numbers)

    def end():
        if _alive.pop(number, None):
            function(*args)

    _alive[number] = end
    weakref.finalize(owner, end).atexit = False
    return end


_library = None


def library() -> Library:
    global _library
    if _library is None:
        _library = Library()
    return _library


def backend_missing(name: str) -> str | None:
    """Why no context of a backend can be made here; None: it can."""
    why = c_char_p()
    if library().dll.mx_backend_available(name.encode(), byref(why)):
        return None
    return (why.value or b"not in this build").decode()


class Context:
    """Where kernels run: Context("openmp:threads=2"), "serial", "cuda:device=1", "simt", any with check=serial."""

    def __init__(self, resource: str):
        self.resource, self.handle, lib = resource, c_void_p(), library()
        lib.check(lib.dll.mx_ctx_create(resource.encode(), byref(self.handle)))
        info = ContextInfo()
        lib.check(lib.dll.mx_ctx_get_info(self.handle, byref(info)))
        self.backend, self.layout, self.space = info.backend.decode(), info.layout, info.space
        self.host, self.threads = info.host_accessible, info.threads
        kind = {"cuda": "cuda", "simt": "simt"}.get(self.backend, "host")
        kind = "simt" if "order=shuffled" in resource else kind
        self.instances = [f"{kind}_{'left' if self.layout == LEFT else 'right'}"]
        if "check=" in resource and kind != "host":
            self.instances.append("host_right")
        self.address = self.handle.value
        self.close = owned(self, lib.dll.mx_ctx_destroy, byref(self.handle))

    def fence(self) -> None:
        library().check(library().dll.mx_fence(self.handle))

    def zeros(self, shape, dtype=float, label="zeros", layout=0, space=DEFAULT) -> "View":
        """A view with memory of the context's own: on a GPU, device memory in the layout of the device."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        dtype, handle, lib = np.dtype(dtype), Handle(), library()
        lib.check(lib.dll.mx_view_create(
            self.handle, label.encode(), element_type(dtype), len(shape), integers(shape),
            byref(ViewOptions(space=space, layout=layout)), byref(handle)))
        return View(self, handle, dtype)

    def array(self, source, label="array", layout=0) -> "View":
        """A view with a copy of an array."""
        source = np.asarray(source)
        view = self.zeros(source.shape, source.dtype, label, layout)
        view.put(source)
        return view


def integers(values):
    return (c_int64 * max(len(values), 1))(*values)


def element_type(dtype: np.dtype) -> int:
    if dtype.hasobject or not dtype.isnative:
        raise TypeError(f"got elements of {dtype}, expected numbers or records, in native order")
    return KINDS.get(dtype.str[1:], 0) | dtype.itemsize << 8


class View:
    """Memory that minx owns, in the space of its context. numpy() copies it to an array, put() copies one in; on
    hosts and in managed memory array() is the memory itself. GPU libraries take it by __cuda_array_interface__."""

    def __init__(self, ctx: Context, handle: Handle, dtype: np.dtype):
        self.ctx, self.handle, self.dtype = ctx, handle, dtype
        info, lib = ViewInfo(), library()
        lib.check(lib.dll.mx_view_get_info(handle, byref(info)))
        self.shape, self.ndim = tuple(info.extent[: info.rank]), info.rank
        self.strides = tuple(s * dtype.itemsize for s in info.stride[: info.rank])
        self.layout, self.space, self.address = info.layout, info.space, info.data
        self.close = owned(self, lib.dll.mx_view_destroy, byref(handle))

    def put(self, source) -> None:
        source = np.ascontiguousarray(np.broadcast_to(source, self.shape), self.dtype)
        lib = library()
        lib.check(lib.dll.mx_import_(self.ctx.handle, self.handle, c_void_p(source.ctypes.data), None,
                                     element_type(self.dtype)))

    def numpy(self) -> np.ndarray:
        out, lib = np.empty(self.shape, self.dtype), library()
        lib.check(lib.dll.mx_export_(self.ctx.handle, self.handle, c_void_p(out.ctypes.data), None,
                                     element_type(self.dtype)))
        return out

    def array(self) -> np.ndarray:
        if self.space not in (HOST, MANAGED, PINNED):
            raise Error("MX_ERR_SPACE", "host code does not reach this memory: use numpy(), which copies")
        return np.asarray(_Interface(self))

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a view on a device is no array: use numpy(), which copies")

    @property
    def __cuda_array_interface__(self):
        if self.space not in (CUDA, MANAGED):
            raise AttributeError("not memory of a CUDA device")
        self.ctx.fence()
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                "data": (self.address, False), "stream": None}


class _Interface:
    def __init__(self, view):
        self.view = view
        self.__array_interface__ = {"version": 3, "shape": view.shape, "typestr": view.dtype.str,
                                    "strides": view.strides, "data": (view.address, False)}


_wrapped: dict = {}  # by id(array)


class Wrapped:
    """The view of an array's own memory; ends with the array."""

    def __init__(self, array, ctx: Context, label: str):
        lib, self.handle = library(), Handle()
        device = getattr(array, "__cuda_array_interface__", None) if not isinstance(array, np.ndarray) else None
        if device is not None:  # CuPy, PyTorch, Numba: C order where strides are None
            dtype, shape, strides = np.dtype(device["typestr"]), device["shape"], device.get("strides")
            (data, readonly), space = device["data"], CUDA
        else:
            dtype, shape, strides = array.dtype, array.shape, array.strides
            data, readonly, space = array.__array_interface__["data"][0], not array.flags.writeable, getattr(array, "minx_space", HOST)
        elements = None
        if strides is not None and 0 not in shape:
            fixed = [s if n > 1 else dtype.itemsize for n, s in zip(shape, strides)]
            if any(s % dtype.itemsize for s in fixed):
                raise ValueError(f"got strides {strides}, expected multiples of {dtype.itemsize}")
            elements = integers([s // dtype.itemsize for s in fixed])
        lib.check(lib.dll.mx_view_wrap(
            ctx.handle, label.encode()[:63], element_type(dtype), len(shape), integers(shape), elements,
            byref(ViewOptions(space=space, layout=0 if elements is not None else RIGHT)), c_void_p(data),
            byref(self.handle)))
        if readonly:
            constant = Handle()
            lib.check(lib.dll.mx_view_constant(self.handle, byref(constant)))
            lib.dll.mx_view_destroy(ctypes.addressof(self.handle))
            self.handle = constant
        self.array, self.plans = weakref.ref(array), []
        key = id(array)
        _wrapped[key] = self
        owned(array, Wrapped.end, key, self.handle, self.plans)

    @staticmethod
    def end(key, handle, plans):
        _wrapped.pop(key, None)
        for table, plan in plans:  # launches that are bound to it
            table.pop(plan, None)
        library().dll.mx_view_destroy(ctypes.addressof(handle))


def wrap(array, ctx: Context, label: str):
    """The view of an array, made once for each array."""
    if isinstance(array, View):
        return array
    return _wrapped.get(id(array)) or Wrapped(array, ctx, label)


def layout_letter(array, ctx: Context) -> str:
    """The accessor that an array needs: '' the layout of the context, l or r another, s strides."""
    if isinstance(array, View):
        layout = array.layout
    elif isinstance(array, np.ndarray):
        flags = array.flags
        if array.ndim <= 1:
            return "" if flags.c_contiguous else "s"
        layout = RIGHT if flags.c_contiguous else LEFT if flags.f_contiguous else STRIDE
    else:
        interface = array.__cuda_array_interface__
        strides, step, c_order = interface.get("strides"), np.dtype(interface["typestr"]).itemsize, True
        for n, s in zip(reversed(interface["shape"]), reversed(strides or ())):
            c_order, step = c_order and (n == 1 or s == step), step * n
        layout = RIGHT if c_order else STRIDE
        if len(interface["shape"]) <= 1:
            return "" if c_order else "s"
    if array_rank(array) <= 1 and layout != STRIDE:
        return ""
    return "" if layout == ctx.layout else {LEFT: "l", RIGHT: "r", STRIDE: "s"}[layout]


def array_rank(array) -> int:
    return array.ndim if hasattr(array, "ndim") else len(array.shape)


_current: Context | None = None


def default() -> Context:
    """The context of launches that name none: set_default(), else the environment's MINX_BACKEND, else openmp."""
    global _current
    if _current is None:
        _current = Context(os.environ.get("MINX_BACKEND", "openmp"))
    return _current


def set_default(ctx: Context | str) -> Context:
    global _current
    _current = Context(ctx) if isinstance(ctx, str) else ctx
    return _current

"""Arrays of other libraries as views, without a copy: of NumPy, and what has __cuda_array_interface__ or __dlpack__.

An array's views (one for each kind of context) are made at the first launch and end with the array. They are found by
id(array), which is safe: a number of an array is given to another object only after the array died, and then its weak
reference has already called Foreign.end; besides, each use compares the object behind the weak reference. An array that
was changed in place (shape, strides, type, for other libraries also the address) gets new views; the launches that were
bound to the old ones end with them."""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from ctypes import byref, c_void_p
from dataclasses import dataclass, field

import numpy as np

from ..errors import Error
from . import dlpack
from .library import Held, forked, libminx
from .structures import (CUDA, DEFAULT, HOST, LEFT, MANAGED, PINNED, RIGHT, STRIDE, Handle, ViewOptions, element_type,
                         integers)


@dataclass(frozen=True)
class Description:
    """What a view needs to know of an array. strides: in bytes; None: C order. space: of minx. writable: may kernels
    write it?"""

    address: int
    shape: tuple
    strides: tuple | None
    dtype: np.dtype
    writable: bool
    space: int = HOST
    order: int | None = field(default=None, compare=False)  # of NumPy's arrays, as order_of
    keep: object = field(default=None, compare=False)  # has the memory of a capsule


def is_array(value) -> bool:
    """Is it an array of another library, which a view can be made of?"""
    return isinstance(value, np.ndarray) or hasattr(value, "__cuda_array_interface__") or hasattr(value, "__dlpack__")


def describe(array, name: str = "array", holds: bool = False) -> Description:
    """holds: the description has the memory of a capsule. Else the caller has the array as long as it uses the memory.
    TypeError: the elements; ValueError: a masked array, or one whose elements are not aligned."""
    if isinstance(array, np.ndarray):
        return _describe_numpy(array, name)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _describe_cuda(interface, name)
    if hasattr(array, "__dlpack__"):
        found = dlpack.describe(array)
        return Description(**(found if holds else found | {"keep": None}))
    raise TypeError(f"{name}: got a {type(array).__name__}, expected an array")


def _describe_numpy(array: np.ndarray, name: str) -> Description:
    if "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray):  # NumPy 2 imports it when it is named, in 10 ms
        raise ValueError(f"{name}: got a masked array, whose mask kernels do not see: use .data or .filled()")
    if not array.flags.aligned:
        raise ValueError(f"{name}: got an array whose elements are not aligned, such as a field of a packed record: "
                         "use array.copy()")
    address, flags = array.__array_interface__["data"][0], array.flags
    owner = array.base
    space = HOST if owner is None else _space_of(owner)
    return Description(address, array.shape, array.strides, array.dtype, flags.writeable, space, order_of_flags(flags))


def order_of_flags(flags) -> int:
    """order_of for an array of NumPy."""
    if flags.c_contiguous:
        return 0 if flags.f_contiguous else RIGHT
    return LEFT if flags.f_contiguous else STRIDE


def _space_of(owner) -> int:
    """The space of an array of a View (View.array), or of a part of one; else HOST."""
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return getattr(owner, "minx_space", HOST)


def _describe_cuda(interface: dict, name: str) -> Description:
    if interface.get("mask") is not None:
        raise ValueError(f"{name}: got an array with a mask, which kernels do not see")
    address, read_only = interface["data"]
    dtype, strides = np.dtype(interface["typestr"]), interface.get("strides")
    if dtype.kind == "V":
        dtype = np.lib.format.descr_to_dtype(interface.get("descr") or [])
        if not dtype.names:  # no record, but what NumPy has no type for, as PyTorch's bfloat16
            raise TypeError(f"{name}: got elements of {interface['typestr']}, expected numbers of C's types (no bfloat16), or "
                            "records of them")
    strides = None if strides is None else tuple(strides)
    return Description(address or 0, tuple(interface["shape"]), strides, dtype, not read_only, CUDA)


def order_of(d: Description) -> int:
    """LEFT, RIGHT, STRIDE, or 0 where it has the strides of both orders: of one dimension, without elements, or with
    extents of 1."""
    if d.order is not None:
        return d.order
    if d.strides is None:
        return RIGHT if len(d.shape) > 1 else 0
    if 0 in d.shape:
        return 0
    wide = [(n, s) for n, s in zip(d.shape, d.strides) if n > 1]
    right, left = _follows(reversed(wide), d.dtype.itemsize), _follows(wide, d.dtype.itemsize)
    return 0 if right and left else RIGHT if right else LEFT if left else STRIDE


def _follows(dimensions, step: int) -> bool:
    for extent, stride in dimensions:
        if stride != step:
            return False
        step *= extent
    return True


def element_strides(d: Description, name: str):
    """The strides in elements, for mx_view_wrap; None: those of the layout. ValueError, Error MX_ERR_LAYOUT: minx has
    no such view."""
    if d.strides is None or 0 in d.shape:
        return None
    size = d.dtype.itemsize
    strides = [s if n > 1 else size for n, s in zip(d.shape, d.strides)]  # of one element the stride may be anything
    for axis, stride in enumerate(strides):
        if stride < 0:
            raise Error("MX_ERR_LAYOUT", f"{name}: got a stride of {stride} bytes along axis {axis}, as array[::-1] "
                        "has: expected strides above 0; np.ascontiguousarray(array) copies it")
        if stride == 0:
            raise Error("MX_ERR_LAYOUT", f"{name}: got a stride of 0 along axis {axis}, as np.broadcast_to makes: its "
                        "elements share memory; np.ascontiguousarray(array) copies it")
        if stride % size:
            raise ValueError(f"{name}: got a stride of {stride} bytes along axis {axis}, expected a multiple of "
                             f"{size}, the size of an element: a field of a record is passed with its records, or "
                             "copied by array.copy()")
    return integers([s // size for s in strides])


def wrap_handle(d: Description, ctx, label: str, space: int = DEFAULT) -> Handle:
    """mx_view_wrap, and mx_view_constant where the array is read-only. The caller ends the view. Errors: MX_ERR_SPACE,
    kernels of the context do not access the memory; MX_ERR_LAYOUT; TypeError, the elements."""
    lib, handle = libminx(), Handle()
    kind, strides = element_type(d.dtype, label), element_strides(d, label)
    order = order_of(d)
    order = DEFAULT if order == STRIDE else order  # of Fortran order is layout left for every context
    address = d.address or (_NOWHERE if 0 in d.shape else 0)  # CUDA arrays without elements have no address
    failed = None
    for guess in (space,) if space else _spaces(d, ctx):
        try:
            lib.mx_view_wrap(ctx.handle, short(label), kind, len(d.shape), integers(d.shape), strides,
                             byref(ViewOptions(space=guess, layout=order)), c_void_p(address), byref(handle))
            return handle if d.writable else _constant(handle)
        except Error as error:
            if error.name != "MX_ERR_SPACE":
                raise
            failed = failed or error
    if failed is not None and d.space != HOST:
        raise failed
    where, instead = "memory of a GPU", "a context of cuda"
    if d.space == HOST:
        where, instead = "host memory", "ctx.array(array), a copy"
    raise Error("MX_ERR_SPACE", f"{label}: got an array in {where}, which kernels of {ctx.backend} do not access: "
                f"pass {instead}")


def _spaces(d: Description, ctx) -> tuple:
    """The spaces that the memory may be in, as the context sees it. Managed and pinned memory of another library is seen
    as memory of the GPU by one interface and as NumPy's by another; minx asks CUDA what it is."""
    if ctx.stream is not None:
        return {CUDA: (CUDA, MANAGED, PINNED), HOST: (MANAGED, PINNED)}.get(d.space, (d.space,))
    return (d.space,) if d.space in ctx.accessible else ()


def _constant(handle: Handle) -> Handle:
    constant, lib = Handle(), libminx()
    lib.mx_view_constant(handle, byref(constant))
    lib.mx_view_destroy(byref(handle))
    return constant


_NOWHERE = 4096  # aligned, and never accessed


def short(label: str) -> bytes:
    """A label as minx takes it: at most 63 bytes of UTF-8, not empty."""
    return label.encode(errors="replace")[:63].decode(errors="ignore").encode() or b"array"


class Foreign:
    """An array of another library, and the views of its memory."""

    __slots__ = ("array", "described", "views")

    def __init__(self, array, described: Description):
        self.array, self.described = weakref.ref(array, functools.partial(_forget, id(array))), described
        self.views: dict[tuple, Borrowed] = {}

    def end(self) -> None:
        for borrowed in list(self.views.values()):
            borrowed.held.end()
        self.views.clear()


class Borrowed:
    """A view of an array's own memory, for one kind of context. Its Foreign ends it."""

    __slots__ = ("handle", "held")

    def __init__(self, handle: Handle):
        self.handle, lib = handle, libminx()
        self.held = Held(None, lambda: lib.mx_view_destroy(byref(handle)))


_foreign: dict[int, Foreign] = {}  # by id(array)
_lock = forked(globals(), "_lock", threading.RLock)  # a dying array may be forgotten while another one is added


def wrap(array, ctx, label: str) -> Borrowed:
    """The view of an array for a context, made once. Error: MX_ERR_SPACE (the context cannot access the memory),
    MX_ERR_LAYOUT."""
    described = describe(array, label)
    key = (ctx.space, ctx.device, ctx.layout)
    with _lock:
        foreign = _foreign.get(id(array))
        if foreign is not None and (foreign.array() is not array or foreign.described != described):
            foreign.end()
            foreign = None
        if foreign is None:
            foreign = _remember(array, described)
        borrowed = foreign.views.get(key)
        if borrowed is None or borrowed.held.ended:
            borrowed = foreign.views[key] = Borrowed(wrap_handle(described, ctx, label))
        return borrowed


def _remember(array, described: Description) -> Foreign:
    try:
        foreign = _foreign[id(array)] = Foreign(array, described)
    except TypeError:
        raise TypeError(f"got a {type(array).__name__}, which has no weak references: pass ctx.view(array)") from None
    return foreign


def _forget(number: int, reference) -> None:
    """The array of a reference has died."""
    if not _foreign:  # at the end of Python None
        return
    with _lock:
        foreign = _foreign.get(number)
        if foreign is None or foreign.array is not reference:  # another array has its number already
            return
        del _foreign[number]
    foreign.end()


# The order of a launch and of the streams of the libraries whose arrays it uses


def streams_of(arrays) -> set[int]:
    """The streams on which libraries work on these arrays: of the __cuda_array_interface__, else the library's current
    one."""
    found = set()
    for array in arrays:
        stream = _stream_of(array)
        if stream is not None:
            found.add(stream)
    return found


def _stream_of(array) -> int | None:
    if type(array).__module__.partition(".")[0] == "torch":  # its interface does not say
        if array.device.type != "cuda":
            return None
        import torch

        return torch.cuda.current_stream(array.device).cuda_stream or LEGACY
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return None
    return interface.get("stream", LEGACY if interface.get("version", 2) < 3 else None)


LEGACY = 1  # the default stream, as __cuda_array_interface__ and DLPack number it

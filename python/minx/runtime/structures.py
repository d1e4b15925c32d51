"""The structures and numbers of minx/context.h, minx/view.h and minx/extend.h, for ctypes."""

from __future__ import annotations

import ctypes
from ctypes import c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np

DEFAULT, HOST, CUDA, MANAGED, PINNED, SIMT, HIP, STAGING = range(8)  # mx_space
LEFT, RIGHT, STRIDE = 1, 2, 3  # mx_layout; 0: the context's own
SPACE_NAMES = {HOST: "host", CUDA: "cuda", MANAGED: "managed", PINNED: "pinned", SIMT: "simt", HIP: "hip", STAGING: "staging"}
LAYOUT_NAMES = {LEFT: "left", RIGHT: "right", STRIDE: "stride"}
HOST_ACCESSIBLE = (HOST, MANAGED, PINNED)  # by ordinary code
DEVICE_ACCESSIBLE = (CUDA, MANAGED, PINNED)  # by GPUs
SIMT_ACCESSIBLE = (SIMT, MANAGED, PINNED)
INSTANCE_KINDS = ("host", "simt", "cuda")  # MX_INSTANCE_*
MAX_RANK = 8

# mx_type by NumPy's type. What minx has no name for is a struct of the user's, of kind 0
_KINDS = {"f8": 1, "f4": 2, "i4": 3, "i8": 4, "u1": 5, "u4": 6, "u8": 7, "b1": 5}
_TYPES = {np.dtype(name): kind | np.dtype(name).itemsize << 8 for name, kind in _KINDS.items()}


class Handle(ctypes.Structure):
    """mx_view"""

    _fields_ = [("slot", c_uint32), ("generation", c_uint32)]


class Slice(ctypes.Structure):
    """mx_slice"""

    _fields_ = [("begin", c_int64), ("end", c_int64), ("drops", c_bool)]


class ViewOptions(ctypes.Structure):
    """mx_view_options"""

    _fields_ = [("space", c_int), ("layout", c_int), ("uninitialized", c_bool), ("padding", c_bool)]


class ViewInfo(ctypes.Structure):
    """mx_view_info"""

    _fields_ = [
        ("label", c_char_p), ("type", c_uint32), ("rank", c_int), ("space", c_int), ("layout", c_int),
        ("extent", c_int64 * MAX_RANK), ("stride", c_int64 * MAX_RANK), ("count", c_int64), ("bytes", c_size_t),
        ("data", c_void_p), ("references", c_int), ("constant", c_bool),
    ]


class ContextInfo(ctypes.Structure):
    """mx_ctx_info"""

    _fields_ = [
        ("backend", c_char_p), ("layout", c_int), ("space", c_int), ("threads", c_int), ("device", c_int),
        ("device_name", c_char_p), ("host_accessible", c_bool), ("launches", c_int64),
        ("synchronisations", c_int64), ("check_layout", c_int),
    ]


class ContextDetails(ctypes.Structure):
    """mx_ctx_details"""

    _fields_ = [
        ("id", c_uint64), ("instance", c_int), ("max_concurrency", c_int64), ("records", c_bool), ("checked", c_bool),
        ("queue", c_void_p), ("device_id", c_char_p), ("plans", c_int64),
    ]


# ctypes makes a type for each length, which takes longer than a launch: those that are used are made in advance
_INTEGERS = [c_int64 * max(n, 1) for n in range(MAX_RANK + 1)]
_HANDLES = [Handle * max(n, 1) for n in range(17)]
_BUFFERS = [ctypes.c_char * n for n in range(256, 4097, 256)]


def handles(values) -> ctypes.Array:
    """An array of mx_view, never empty."""
    return (_HANDLES[len(values)] if len(values) < len(_HANDLES) else Handle * len(values))(*values)


def zeros(size: int) -> ctypes.Array:
    """Memory of at least so many bytes."""
    at = (size - 1) // 256
    return _BUFFERS[at]() if at < len(_BUFFERS) else ctypes.create_string_buffer(size)


def integers(values) -> ctypes.Array:
    """An array of int64_t; never empty, as C has no arrays without elements."""
    return (_INTEGERS[len(values)] if len(values) <= MAX_RANK else c_int64 * len(values))(*values)


def element_type(dtype: np.dtype, name: str = "array") -> int:
    """mx_type. TypeError, which begins with the name: objects, or numbers in the byte order of another machine."""
    found = _TYPES.get(dtype)
    if found is not None:
        return found
    if dtype.hasobject:
        raise TypeError(f"{name}: got elements of {dtype}, which are Python objects: kernels need numbers or records")
    if not dtype.isnative:
        raise TypeError(f"{name}: got elements of {dtype}, in the byte order of another machine: "
                        "convert them by array.astype(array.dtype.newbyteorder('='))")
    if dtype.itemsize == 0 or dtype.itemsize >= 1 << 24:
        raise TypeError(f"{name}: got elements of {dtype}, of {dtype.itemsize} bytes: expected 1 to {(1 << 24) - 1}")
    return dtype.itemsize << 8  # a struct of the user's

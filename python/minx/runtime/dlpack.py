"""DLPack (https://dmlc.github.io/dlpack/latest/), both ways: memory that libraries share by capsules.

Capsules are versioned (1.0) where the other side takes them, which read-only memory needs."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object

import numpy as np

from ..errors import Error
from .library import libminx
from .structures import CUDA, HOST, MANAGED, PINNED

CPU, GPU, GPU_HOST, GPU_MANAGED = 1, 2, 3, 13  # kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged
DEVICES = {HOST: CPU, CUDA: GPU, PINNED: GPU_HOST, MANAGED: GPU_MANAGED}
SPACES = {device: space for space, device in DEVICES.items()}
READ_ONLY, IS_COPIED = 1, 2  # flags
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}  # DLDataTypeCode, by NumPy's kind
_KINDS = {code: kind for kind, code in _CODES.items()}


class Tensor(ctypes.Structure):
    """DLTensor"""

    _fields_ = [
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
        ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLManagedTensor"""

    _fields_ = [("tensor", Tensor), ("manager", c_void_p), ("deleter", c_void_p)]


class ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned"""

    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("manager", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", Tensor)]


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)
_api = ctypes.pythonapi
_new = _api.PyCapsule_New
_new.restype, _new.argtypes = py_object, [c_void_p, ctypes.c_char_p, c_void_p]
_is_valid = _api.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [c_void_p, ctypes.c_char_p]
_pointer = _api.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [c_void_p, ctypes.c_char_p]
_rename = _api.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [py_object, ctypes.c_char_p]
_NAMES = {Managed: b"dltensor", ManagedVersioned: b"dltensor_versioned"}
_USED = {Managed: b"used_dltensor", ManagedVersioned: b"used_dltensor_versioned"}
_FUNCTIONS = ("Py_IsInitialized", "PyGILState_Ensure", "PyGILState_Release", "PyErr_Fetch", "PyErr_Restore", "Py_DecRef",
              "PyCapsule_IsValid", "PyCapsule_GetPointer")  # as core/src/runtime/dlpack.c has them


def _address(function) -> int:
    return ctypes.cast(function, c_void_p).value


@functools.cache
def _ends() -> dict:
    """Addresses of the functions of libminx that end what a capsule has, and the capsule."""
    dll = libminx().dll
    try:
        dll.mx_dlpack_start_((c_void_p * len(_FUNCTIONS))(*[_address(getattr(_api, name)) for name in _FUNCTIONS]))
    except AttributeError:
        raise Error("MX_ERR_BACKEND", f"{dll._name} has no DLPack: it is older than this package") from None
    return {Managed: _address(dll.mx_dlpack_end_), ManagedVersioned: _address(dll.mx_dlpack_end_versioned_),
            "capsule": _address(dll.mx_dlpack_end_capsule_)}


def capsule(owner, address: int, shape, strides, dtype: np.dtype, device: tuple, read_only: bool, versioned: bool,
            copied: bool = False):
    """A capsule of memory that `owner` keeps. strides: in elements. BufferError: DLPack has no such elements, or the
    memory is read-only and the other side is older than DLPack 1.0."""
    if dtype.kind not in _CODES:
        raise BufferError(f"DLPack has no elements of {dtype}")
    if read_only and not versioned:
        raise BufferError("the view is read-only, which DLPack says since version 1.0: the other library asked for an "
                          "older one")
    kind = ManagedVersioned if versioned else Managed
    made, extents = kind(), (c_int64 * (2 * max(len(shape), 1)))(*shape, *strides)
    tensor = made.tensor
    tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = address, *device, len(shape)
    tensor.code, tensor.bits, tensor.lanes = _CODES[dtype.kind], 8 * dtype.itemsize, 1
    tensor.shape = ctypes.cast(extents, POINTER(c_int64))
    tensor.strides = ctypes.cast(ctypes.addressof(extents) + 8 * len(shape), POINTER(c_int64))
    ends = _ends()
    made.deleter = ends[kind]
    if versioned:
        made.major, made.minor, made.flags = 1, 0, READ_ONLY * read_only | IS_COPIED * copied
    held = made, extents, owner  # until the other library, or the capsule, ends it
    made.manager = id(held)
    _api.Py_IncRef(py_object(held))
    return _new(ctypes.addressof(made), _NAMES[kind], ends["capsule"])


class Imported:
    """The memory of a capsule of another library, which is given back when this object dies."""

    def __init__(self, capsule):
        self.kind = next((kind for kind, name in _NAMES.items() if _is_valid(id(capsule), name)), None)
        if self.kind is None:
            raise BufferError("the capsule is no DLPack tensor, or it was used already")
        self.address = _pointer(id(capsule), _NAMES[self.kind])
        self.managed = self.kind.from_address(self.address)
        if self.kind is ManagedVersioned and self.managed.major > 1:
            raise BufferError(f"got DLPack version {self.managed.major}, expected 1")
        _rename(capsule, _USED[self.kind])

    def __del__(self):
        deleter = getattr(getattr(self, "managed", None), "deleter", None)
        if deleter:
            _DELETER(deleter)(self.address)

    @property
    def read_only(self) -> bool:
        return self.kind is ManagedVersioned and bool(self.managed.flags & READ_ONLY)


def describe(array, stream: int | None = None) -> dict:
    """The members of a Description (arrays.py) for what has __dlpack__. stream: where its work so far must be seen, on
    a GPU."""
    device, _ = array.__dlpack_device__()
    if int(device) not in SPACES:
        raise BufferError(f"got memory of DLPack's device type {int(device)}, expected CPU (1) or CUDA (2, 3, 13)")
    options = {} if int(device) == CPU else {"stream": stream}
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # before DLPack 1.0
        capsule = array.__dlpack__(**options)
    owner = Imported(capsule)
    tensor = owner.managed.tensor
    if tensor.lanes != 1 or tensor.code not in _KINDS or tensor.bits % 8:
        raise TypeError(f"got elements of DLPack's type code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes: "
                        "expected numbers of C's types (no bfloat16)")
    dtype = np.dtype("?" if tensor.code == 6 else f"{_KINDS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim]) if tensor.strides else None
    return {"address": (tensor.data or 0) + tensor.byte_offset, "shape": shape, "strides": strides, "dtype": dtype,
            "writable": not owner.read_only, "space": SPACES[int(device)], "keep": owner}

"""The way of a launch: the types of the arguments choose a compiled form of the kernel (compiled.py); the arguments themselves
choose a bound call, whose accessors are made at the first time; numbers are packed into it, and one C function launches. An
array that dies takes its bound calls with it."""

from __future__ import annotations

import ctypes
import struct
import types as pytypes

import numpy as np

from .. import types as T
from ..language.plain import run_python
from ..runtime import library as runtime
from .compiled import compile_for
from .kernel import BoundKernel, Kernel, kernel_members, plain_kernel
from .policy import range_of

NUMBERS = {int, float, bool, *(np.dtype(t).type for t in "bBhHiIqQfd?")}


class Call:
    """A compiled kernel with its arrays bound."""

    __slots__ = ("buffer", "address", "pack", "launch", "arrays", "shapes", "result", "keep")


def parallel_for(policy, kernel, *args, ctx=None):
    """Runs the kernel for each index of the policy (a number: a Range)."""
    launch("for", policy, kernel, args, ctx, ())


def parallel_reduce(policy, kernel, *args, op="sum", ctx=None):
    """The sum (or op: prod, min, max, all, any, band, bor) of what the kernel returns for each index. A kernel that returns a
    tuple takes as many ops, and the result is a tuple."""
    return launch("reduce", policy, kernel, args, ctx, (op,) if isinstance(op, str) else tuple(op))


def parallel_scan(policy, kernel, *args, op="sum", ctx=None):
    """A prefix sum. The kernel's second argument is the sum over the indices before; what the kernel adds to it is the share of
    its index. The result is the total."""
    return launch("scan", policy, kernel, args, ctx, (op,))


def launch(pattern, policy, kernel, args, ctx, reducers):
    if type(policy) is int:
        policy = range_of(policy)
    instance = None
    if type(kernel) is BoundKernel:
        kernel, instance = kernel.kernel, kernel.instance
    elif not isinstance(kernel, Kernel):
        if isinstance(kernel, pytypes.MethodType):
            kernel, instance = plain_kernel(kernel.__func__), kernel.__self__
        else:
            kernel = plain_kernel(kernel)
    if instance is not None:
        members = kernel_members(kernel, instance)
        args = (*args, *[getattr(instance, m) for m in members])
    return launch_with(pattern, policy, kernel, instance, args, ctx, reducers)


def launch_with(pattern, policy, kernel, instance, args, ctx, reducers):
    """Launches a Kernel. args: its arguments, then the attributes of its object (kernel_members), if it has one."""
    if ctx is None:
        ctx = runtime._current or runtime.default()
    if ctx == "python":
        return run_python(pattern, policy, kernel, args, reducers)
    key = (pattern, policy.space, ctx.address, reducers, *[id(a) if type(a) not in NUMBERS else type(a) for a in args])
    call = kernel.calls.get(key)
    if call is None or not current(kernel, call):
        call = bind(pattern, policy, kernel, args, ctx, reducers, key, instance)
    call.pack.pack_into(call.buffer, 8, *policy.numbers, *[a for a in args if type(a) in NUMBERS])
    code = call.launch(call.address)
    if code:
        runtime.library().check(code)
    return call.result() if call.result is not None else None


def current(kernel, call) -> bool:
    """Have neither the constants of the kernel nor the shapes of its arrays changed in place?"""
    for place, name, value in kernel.constants:
        if place.get(name) is not value:
            kernel.compiled.clear()
            kernel.calls.clear()
            return False
    for array, shape in call.shapes:
        if array().shape != shape:
            return False
    return True


def bind(pattern, policy, kernel, args, ctx, reducers, key, instance):
    types = tuple(argument_type(kernel, n, a, ctx) for n, a in enumerate(args))
    compiled = compile_for(pattern, policy.space, kernel, types, ctx, reducers, instance)
    views = [runtime.wrap(args[n], ctx, compiled.names[n]) for n in compiled.arrays]
    handles = (runtime.Handle * max(len(views), 1))(*[v.handle for v in views])
    call = Call()
    call.buffer = ctypes.create_string_buffer(compiled.bytes + 64)
    struct.pack_into("P", call.buffer, 0, ctx.address)
    call.address = ctypes.addressof(call.buffer)
    runtime.library().check(compiled.bind(call.address, handles))
    call.pack = struct.Struct(f"{len(policy.numbers)}q{compiled.scalars}")
    call.launch, call.arrays = compiled.launch, views
    call.shapes = [(v.array, args[n].shape) for v, n in zip(views, compiled.arrays) if isinstance(v, runtime.Wrapped)]
    call.result = reader(compiled, call) if compiled.value else None
    call.keep = [ctx, *[v for v in views if isinstance(v, runtime.View)]]
    for v in views:
        if isinstance(v, runtime.Wrapped):
            v.plans.append((kernel.calls, key))
    if len(kernel.calls) > 64:
        kernel.calls.clear()
    kernel.calls[key] = call
    return call


def reader(compiled, call):
    """Reads the result from the buffer."""
    values, at = [], compiled.value_at
    for dtype in compiled.value:
        at = -(-at // dtype.itemsize) * dtype.itemsize
        values.append(np.ndarray((), dtype, call.buffer, at))
        at += dtype.itemsize
    if len(values) == 1:
        return values[0].item
    return lambda: tuple(v.item() for v in values)


def argument_type(kernel, n, value, ctx):
    if isinstance(value, np.ndarray) or isinstance(value, runtime.View) or hasattr(value, "__cuda_array_interface__"):
        dtype = value.dtype if hasattr(value, "ndim") else np.dtype(value.__cuda_array_interface__["typestr"])
        element = T.of_dtype(np.dtype(str(dtype)) if not isinstance(dtype, np.dtype) else dtype)
        if element is None:
            raise TypeError(f"{kernel.function.__name__}: argument {n} has elements of {value.dtype}: not supported")
        return T.Array(element, runtime.array_rank(value), runtime.layout_letter(value, ctx))
    if isinstance(value, bool):
        return T.BOOL
    if isinstance(value, int):
        return T.INT
    if isinstance(value, float):
        return T.FLOAT
    if isinstance(value, np.generic) and T.of_dtype(value.dtype):
        return T.of_dtype(value.dtype)
    raise TypeError(f"{kernel.function.__name__}: argument {n} is a {type(value).__name__}: expected a number or an array")

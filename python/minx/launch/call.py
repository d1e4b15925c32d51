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
from ..language.reducers import reducers_of
from ..runtime import library as runtime
from .compiled import compile_for
from .kernel import BoundKernel, Kernel, kernel_members, plain_kernel
from .policy import range_of
from .result import Target, arrange

NUMBERS = {int, float, bool, *(np.dtype(t).type for t in "bBhHiIqQfd?")}


class Call:
    """A compiled kernel with its arrays bound."""

    __slots__ = ("buffer", "address", "pack", "launch", "arrays", "shapes", "result", "keep")


def parallel_for(policy, kernel, *args, ctx=None, **named):
    """Runs the kernel for each index of the policy.

    policy: a Range, MDRange or Team; a number n is Range(n). kernel: a function of the indices and then the arguments.
    args: arrays and numbers, in the order of the kernel's parameters; named: arguments by the names of its parameters.
    ctx: a Context, "python" for a plain run; None: the default context.
    Errors: NotSupported (a SyntaxError: what the kernel uses is not in the subset), CompileError, minx.Error, TypeError."""
    launch("for", policy, kernel, args, ctx, (), named)


def parallel_reduce(policy, kernel, *args, op="sum", ctx=None, into=None, index=0, length=None, **named):
    """Joins what the kernel returns for each index.

    op: sum, prod, min, max, all, any, band or bor: the result is a number. minloc, maxloc, minmaxloc: the kernel returns
    (value, index), over a Range perhaps the value alone; the result is (value, index), for minmaxloc two of them. A tuple of
    these: the kernel returns as many, and the result is a tuple. A minx.Reducer: a join of your own.
    length: the result is an array of so many elements. The kernel gets it as its first parameter behind the indices and adds to
    it: `bins[e] += x`, or `bins[e] = max(bins[e], x)` with op="max".
    into: an array or view, whose element `index` gets the result; with length the whole of it. The launch does not wait then, and
    returns None. It is of rank 0 or 1 (index 0 for rank 0), and has the type of the result (of several results: of a record).
    A kernel may also have its value as the first parameter behind the indices and add to it, instead of returning.
    Over an empty range the result is the identity of op: 0, 1, infinity (or the largest integer), index -1."""
    return launch("reduce", policy, kernel, args, ctx, reducers_of(op), named, Target.of(into, index, length))


def parallel_scan(policy, kernel, *args, op="sum", ctx=None, into=None, index=0, **named):
    """A prefix sum, over a Range. The kernel's first parameter behind the index is the value over the indices before; what the
    kernel adds to it is the share of its index. So it stores the value before it adds (an exclusive scan), or after (inclusive).
    The result is the total; into, index: as in parallel_reduce.

        def offsets(i, total, begin, count):
            begin[i] = total
            total += count[i]

    op: a name as in parallel_reduce (`total = max(total, x[i])` for max), or a minx.Reducer: `value = join(value, share)`.
    A body may run twice for an index; only the second time it stores into arrays. If the kernel has one parameter more behind the
    value, it gets whether this is the second time, and guards its stores itself."""
    ops = reducers_of(op)
    if len(ops) != 1 or ops[0] in ("minloc", "maxloc", "minmaxloc"):
        raise ValueError("a scan has one operator: sum, prod, min, max, all, any, band, bor, or a minx.Reducer")
    return launch("scan", policy, kernel, args, ctx, ops, named, Target.of(into, index, None))


def launch(pattern, policy, kernel, args, ctx, reducers, named=None, target=None):
    if type(policy) is int:
        policy = range_of(policy)
    instance = None
    if type(kernel) is BoundKernel:
        kernel, instance = kernel.kernel, kernel.instance
    elif not isinstance(kernel, Kernel):
        if hasattr(kernel, "launch_c"):  # written in C
            return kernel.launch_c(pattern, policy, args, ctx, named, target)
        if isinstance(kernel, pytypes.MethodType):
            kernel, instance = plain_kernel(kernel.__func__), kernel.__self__
        else:
            kernel = plain_kernel(kernel)
    if named:
        args = arrange(kernel, pattern, policy, args, named, instance is not None, target)
    if instance is not None:
        members = kernel_members(kernel, instance)
        args = (*args, *[getattr(instance, m) for m in members])
    return launch_with(pattern, policy, kernel, instance, args, ctx, reducers, target)


def launch_with(pattern, policy, kernel, instance, args, ctx, reducers, target=None):
    """Launches a Kernel. args: its arguments, then the attributes of its object (kernel_members), if it has one."""
    if ctx is None:
        ctx = runtime._current or runtime.default()
    if ctx == "python":
        return run_python(pattern, policy, kernel, args, reducers, target, instance)
    goal = target and target.key
    key = (pattern, policy.space, ctx.address, reducers, goal, *[id(a) if type(a) not in NUMBERS else type(a) for a in args])
    call = kernel.calls.get(key)
    if call is None or not current(kernel, call):
        call = bind(pattern, policy, kernel, args, ctx, reducers, key, instance, target)
    call.pack.pack_into(call.buffer, 8, *policy.numbers, *[a for a in args if type(a) in NUMBERS])
    array = call.result.prepare(call.buffer) if goal and target.makes_array else None
    code = call.launch(call.address)
    if code:
        runtime.library().check(code)
    if array is not None:
        return array
    return call.result(call.buffer) if call.result is not None else None


def current(kernel, call) -> bool:
    """Have neither the constants of the kernel nor the shapes of its arrays changed in place?"""
    for place, name, value in kernel.constants:
        if place.get(name) is not value:
            kernel.compiled.clear()
            kernel.calls.clear()
            kernel.constants.clear()
            return False
    for array, shape in call.shapes:
        if array().shape != shape:
            return False
    return True


def bind(pattern, policy, kernel, args, ctx, reducers, key, instance, target):
    types = tuple(argument_type(kernel, n, a, ctx) for n, a in enumerate(args))
    compiled = compile_for(pattern, policy.space, kernel, types, ctx, reducers, instance, target)
    views = [runtime.wrap(args[n], ctx, compiled.names[n]) for n in compiled.arrays]
    held = [args[n] for n in compiled.arrays]
    if target is not None and target.into is not None:
        views.append(runtime.wrap(target.into, ctx, "result"))
        held.append(target.into)
    handles = (runtime.Handle * max(len(views), 1))(*[v.handle for v in views])
    call = Call()
    call.buffer = ctypes.create_string_buffer(compiled.bytes + 64)
    struct.pack_into("P", call.buffer, 0, ctx.address)
    call.address = ctypes.addressof(call.buffer)
    call.result = compiled.result_reader(target, reducers) if compiled.has_result else None
    if call.result is not None:
        call.result.aim(call.buffer)
    runtime.library().check(compiled.bind(call.address, handles))
    call.pack = struct.Struct(f"{len(policy.numbers)}q{compiled.scalars}")
    call.launch, call.arrays = compiled.launch, views
    call.shapes = [(v.array, a.shape) for v, a in zip(views, held) if isinstance(v, runtime.Wrapped)]
    if call.result is not None and target is not None and target.into is not None:
        call.result = None
    call.keep = [ctx, *[v for v in views if isinstance(v, runtime.View)]]
    for v in views:
        if isinstance(v, runtime.Wrapped):
            v.plans.append((kernel.calls, key))
    if len(kernel.calls) > 64:
        kernel.calls.clear()
    kernel.calls[key] = call
    return call


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

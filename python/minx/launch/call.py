"""The way of a launch: the types of the arguments choose a compiled form of the kernel (compiled.py); the arguments themselves
choose a bound call, whose accessors are made at the first time; numbers are packed into it, and one C function launches. An
array that dies takes its bound calls with it."""

from __future__ import annotations

import ctypes
import struct
import types as pytypes
from threading import get_ident

import numpy as np

from .. import runtime
from .. import types as T
from ..errors import Error
from ..language.plain import run_python
from ..language.reducers import reducers_of
from ..language.source import behind, defaults_of
from .compiled import compile_for
from .kernel import BoundKernel, Kernel, check_function, kernel_members, plain_kernel
from .overlap import shared_memory
from .policy import range_of
from .result import INTO, Target, arrange
from .scatter import Scatter

MOST_CALLS = 256  # that one kernel remembers
NUMBERS = {int, float, bool, *(np.dtype(t).type for t in "bBhHiIlLqQfd?")}
COMPLEX = {complex, np.complex64, np.complex128}
PARTS = {**dict.fromkeys(NUMBERS, 1), **dict.fromkeys(COMPLEX, 2)}  # how many numbers a number is packed as
Context = runtime.Context


class Call:
    """A compiled kernel with its arrays bound."""

    __slots__ = ("buffer", "address", "pack", "launch", "result", "numpy", "others", "foreign", "table", "key", "holders", "checked")

    def end(self) -> None:
        """Forgets it: one of its arrays, or its context, has ended or changed."""
        if self.table.get(self.key) is self:
            del self.table[self.key]
        for held in self.holders:
            held.calls.discard(self)


def parallel_for(policy, kernel, *args, ctx=None, **named):
    """Runs the kernel for each index of the policy.

    policy: a Range, MDRange or Team; a number n is Range(n). kernel: a function of the indices and then the arguments.
    args: arrays and numbers, in the order of the kernel's parameters; named: arguments by the names of its parameters.
    ctx: a Context, "python" for a plain run; None: the default context.
    Errors: NotSupported (a SyntaxError: what the kernel uses is not in the subset), CompileError, minx.Error, TypeError.

    >>> @minx.kernel
    ... def axpy(i, y, x, alpha):
    ...     y[i] += alpha * x[i]
    >>> y = np.ones(3)
    >>> minx.parallel_for(3, axpy, y, np.arange(3.0), alpha=2.0)
    >>> y
    array([1., 3., 5.])
    """
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
    Over an empty range the result is the identity of op: 0, 1, infinity (or the largest integer), index -1.

    >>> @minx.kernel
    ... def value(i, x):
    ...     return x[i]
    >>> x = np.array([4.0, 9.0, 2.0])
    >>> minx.parallel_reduce(3, value, x), minx.parallel_reduce(3, value, x, op="maxloc")
    (15.0, (9.0, 1))
    """
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
    value, it gets whether this is the second time, and guards its stores itself.

    >>> @minx.kernel
    ... def offsets(i, total, begin, count):
    ...     begin[i] = total
    ...     total += count[i]
    >>> begin = np.zeros(3, np.int64)
    >>> minx.parallel_scan(3, offsets, begin, np.array([2, 5, 1]))
    8
    >>> begin
    array([0, 2, 7])
    """
    ops = reducers_of(op)
    if len(ops) != 1 or ops[0] in ("minloc", "maxloc", "minmaxloc"):
        raise ValueError("a scan has one operator: sum, prod, min, max, all, any, band, bor, or a minx.Reducer")
    return launch("scan", policy, kernel, args, ctx, ops, named, Target.of(into, index, None))


def launch(pattern, policy, kernel, args, ctx, reducers, named=None, target=None):
    if not hasattr(policy, "numbers"):
        if not isinstance(policy, (int, np.integer)):
            place = ", in front of the kernel" if callable(policy) else ""
            raise TypeError(f"the policy is a {type(policy).__name__}: expected a Range, an MDRange, a Team, or an integer{place}")
        policy = range_of(int(policy))
    instance = None
    if type(kernel) is BoundKernel:
        kernel, instance = kernel.kernel, kernel.instance
    elif not isinstance(kernel, Kernel):
        if hasattr(kernel, "launch_c"):  # written in C
            return kernel.launch_c(pattern, policy, args, ctx, named, target)
        if isinstance(kernel, pytypes.MethodType):
            kernel, instance = plain_kernel(kernel.__func__), kernel.__self__
        else:
            check_function(kernel)
            kernel = plain_kernel(kernel)
    if named or kernel.function.__defaults__:
        args = arrange(kernel, pattern, policy, args, named, instance is not None, target)
    if instance is not None:
        members = kernel_members(kernel, instance)
        args = (*args, *[getattr(instance, m) for m in members])
    return launch_with(pattern, policy, kernel, instance, args, ctx, reducers, target)


def launch_with(pattern, policy, kernel, instance, args, ctx, reducers, target=None):
    """Launches a Kernel. args: its arguments, then the attributes of its object (kernel_members), if it has one."""
    if ctx is None:
        ctx = runtime.default()
    if not isinstance(ctx, Context):
        if ctx == "python":
            return run_python(pattern, policy, kernel, args, reducers, target, instance)
        raise TypeError(f"ctx={ctx!r}: expected a context, as ctx=minx.Context('serial'), or \"python\" for a plain run")
    goal = target and target.key
    # of the thread, too: each has a buffer of its own. runtime/arrays.py says why id(a) is safe
    key, numbers = [pattern, policy.space, ctx.number, get_ident(), type(instance), reducers, goal], []
    for a in args:
        kind = type(a)
        parts = PARTS.get(kind)
        if parts is None:
            key.append(id(a))
            continue
        key.append(kind)
        if parts == 1:
            numbers.append(a)
        else:
            numbers += a.real, a.imag
    key = tuple(key)
    call = kernel.calls.get(key)
    if call is None or not current(kernel, call, args, target):
        call = (kernel.bind or bind)(pattern, policy, kernel, args, ctx, reducers, key, instance, target)
    try:
        call.pack(call.buffer, 8, *policy.numbers, *numbers)
    except struct.error:
        if kernel.bind is not None:  # of a kernel in C, whose launch says which number
            raise
        raise OverflowError(f"{kernel.function.__name__}: an integer has more than 64 bits") from None
    array = call.result.prepare(call.buffer) if goal and target.makes_array else None
    if call.foreign or ctx.graph is not None:
        run_with_others(call, ctx, args, target)
    else:
        code = call.launch(call.address)
        if code:
            runtime.libminx().check(code)
        if call.checked:
            ctx.fence()  # what the kernel found is an error here, not later
    if array is not None:
        return array
    return call.result(call.buffer) if call.result is not None else None


def run_with_others(call, ctx, args, target) -> None:
    """A launch that a graph records, or one with arrays of another GPU library: it waits for the work on the streams of that library,
    whose later work waits for the launch."""
    streams = ()
    if ctx.graph is None:
        streams = runtime.streams_of([array_at(n, args, target) for n in call.foreign]) - {ctx.stream}
    elif call.result is not None:
        raise Error("MX_ERR_ARG", "a graph cannot record a launch whose result is a number or a new array: give it into=, an array or view "
                    "that gets the result")
    else:
        ctx.graph.keep(*[a for a in args if type(a) not in PARTS], *([target.into] if target is not None else []))
    for stream in streams:
        ctx.wait(stream)
    runtime.libminx().check(call.launch(call.address))
    for stream in streams:
        ctx.precede(stream)


def array_at(n, args, target):
    """Argument number n; INTO: what gets the result."""
    return target.into if n == INTO else args[n]


def has_other_constants(kernel) -> bool:
    """Has a number or a function from outside of the kernel changed? Then all that was compiled with the old one ends."""
    for place, name, value, defaults in kernel.constants:
        now = place.get(name)
        if now is not value and (not callable(value) or behind(now) is not behind(value)) or \
                defaults is not None and defaults_of(now) is not defaults:
            kernel.compiled.clear()
            for old in list(kernel.calls.values()):
                old.end()
            kernel.constants.clear()
            return True
    return False


def current(kernel, call, args, target) -> bool:
    """Have neither the constants of the kernel nor its arrays changed in place?"""
    if kernel.constants and has_other_constants(kernel):
        return False
    for n, shape, strides, dtype, written in call.numpy:
        array = args[n]
        if array.shape != shape or array.strides != strides or array.dtype is not dtype or written and not array.flags.writeable:
            call.end()
            return False
    for n, state in call.others:
        if runtime.state_of(array_at(n, args, target)) != state:
            call.end()
            return False
    return True


def bind(pattern, policy, kernel, args, ctx, reducers, key, instance, target):
    has_other_constants(kernel)
    ctx.handle  # raises Error if the context is closed
    types = tuple(argument_type(kernel, n, a, ctx) for n, a in enumerate(args))
    overlaps = shared_memory(args) if policy.space[0] == "TEAM" else ()
    compiled = compile_for(pattern, policy.space, kernel, types, ctx, reducers, instance, target, overlaps)
    return bind_compiled(compiled, policy, kernel, args, ctx, reducers, key, target)


def bind_compiled(compiled, policy, kernel, args, ctx, reducers, key, target) -> Call:
    """A call of a compiled kernel (of Python or of C) with these arrays."""
    arrays = list(compiled.arrays)
    views = [runtime.view_of(args[n], ctx, compiled.names[n]) for n in arrays]
    if target is not None and target.into is not None:
        arrays.append(INTO)
        views.append(runtime.view_of(target.into, ctx, "result"))
    for n in sorted(compiled.written):
        if not runtime.is_writable(args[n]):
            raise Error("MX_ERR_CONST", f"{kernel.function.__name__} writes '{compiled.names[n]}', and got an array that is read-only")
    handles = runtime.handles([v.handle for v in views])
    call = Call()
    call.buffer = runtime.zeros(compiled.bytes + 64)
    struct.pack_into("P", call.buffer, 0, ctx.handle.value)
    call.address = ctypes.addressof(call.buffer)
    call.result = compiled.result_reader(target, reducers) if compiled.has_result else None
    if call.result is not None:
        call.result.aim(call.buffer)
    runtime.libminx().check(compiled.bind(call.address, handles))
    scatters = [args[n] for n in compiled.scatters]
    if scatters:
        addresses = (ctypes.c_void_p * len(scatters))(*[s.address for s in scatters])
        runtime.libminx().check(compiled.bind_scatters(call.address, addresses))
    call.pack = struct.Struct(f"{len(policy.numbers)}q{compiled.scalars}").pack_into
    call.launch, call.checked = compiled.launch, compiled.checked
    watch(call, arrays, compiled.written, args, target, ctx)
    if call.result is not None and target is not None and target.into is not None:
        call.result = None
    remember(kernel.calls, key, call, [ctx.held, *[v.held for v in (*views, *scatters)]])
    return call


def watch(call, arrays, written, args, target, ctx) -> None:
    """Notes what of the arrays must be as it is now in the next launch. Of NumPy's arrays these are shape, strides and type; whether one
    can be written is looked at for those that the kernel writes."""
    numpy = [n for n in arrays if n != INTO and isinstance(args[n], np.ndarray)]
    call.numpy = [(n, args[n].shape, args[n].strides, args[n].dtype, n in written) for n in numpy]
    states = [(n, runtime.state_of(array_at(n, args, target))) for n in arrays if n not in numpy]
    call.others = [(n, state) for n, state in states if state is not None]
    call.foreign = [n for n, _ in call.others if ctx.stream is not None and not isinstance(array_at(n, args, target), np.ndarray)]


def remember(table, key, call, holders) -> None:
    """Keeps a call until one of `holders` (its context, its views) ends; at most MOST_CALLS of a kernel."""
    call.table, call.key, call.holders = table, key, holders
    runtime.users.add(get_ident())
    while len(table) >= MOST_CALLS:
        table[next(iter(table))].end()
    table[key] = call
    for held in holders:
        held.calls.add(call)
    if any(held.ended for held in holders):  # by another thread, meanwhile
        call.end()


def argument_type(kernel, n, value, ctx):
    if isinstance(value, np.ndarray) or runtime.is_array(value):
        dtype, rank, letter = runtime.array_type(value, ctx, f"{kernel.function.__name__}: argument {n}")
        element = T.of_dtype(dtype)
        if element is None:
            raise TypeError(f"{kernel.function.__name__}: argument {n} has elements of {dtype}: expected numbers, or records of numbers")
        return T.Array(element, rank, letter)
    if isinstance(value, Scatter):
        if value.ctx != ctx:
            raise TypeError(f"{kernel.function.__name__}: argument {n} is a scatter view of another context")
        return value.type
    if isinstance(value, (int, float)) and type(value) not in NUMBERS:
        raise TypeError(f"{kernel.function.__name__}: argument {n} is a {type(value).__name__}: convert it by int() or float()")
    if isinstance(value, bool):
        return T.BOOL
    if isinstance(value, int):
        return T.INT
    if isinstance(value, float) and not isinstance(value, np.generic):  # numpy.float64 is a float, too, and strong
        return T.FLOAT
    if type(value) is complex:
        return T.COMPLEX
    if isinstance(value, np.generic) and T.is_number(T.of_dtype(value.dtype)):
        return T.of_dtype(value.dtype)
    raise TypeError(f"{kernel.function.__name__}: argument {n} is a {type(value).__name__}: expected a number or an array")

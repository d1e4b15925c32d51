"""Kernels and how they are launched.

The way of a launch: the types of the arguments choose a compiled form of the kernel (translated, compiled or loaded at the
first time); the arguments themselves choose a bound call, whose accessors are made at the first time; numbers are packed
into it, and one C function launches. An array that dies takes its bound calls with it."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import struct
import types as pytypes

import numpy as np

from .. import types as T
from ..build import compile as build
from ..language import generate
from ..runtime import library as runtime
from ..errors import NotSupported
from ..language.source import Cell
from ..language.team import Team as PythonTeam
from ..language.values import Spec, number_type

AUTO = -1
INDEX_END = 2**31 - 4096
REDUCERS = {"sum": "SUM", "prod": "PROD", "min": "MIN", "max": "MAX", "all": "LAND", "any": "LOR", "band": "BAND", "bor": "BOR"}


class Range:
    """Range(n), Range(begin, end), of one dimension; tile and dynamic as in minx/policy.h."""

    __slots__ = ("begin", "end", "tile", "space", "numbers")

    def __init__(self, begin, end=None, tile=0, dynamic=False):
        begin, end = (0, begin) if end is None else (begin, end)
        self._set((int(begin),), (int(end),), (int(tile),), dynamic)

    def _set(self, begin, end, tile, dynamic):
        self.begin, self.end, self.tile = begin, end, tile
        wide = any(e > INDEX_END for e in end) or any(b < -(2**31) for b in begin)
        self.space = f"{len(begin)}D{'_64' * wide}", all(b >= 0 for b in begin)
        self.numbers = (*begin, *end, *tile, int(dynamic))


class MDRange(Range):
    """MDRange((rows, columns)), MDRange((1, 1), (rows - 1, columns - 1), tile=(32, 256)); 1 to 6 dimensions."""

    def __init__(self, begin, end=None, tile=None, dynamic=False):
        begin, end = ((0,) * len(begin), begin) if end is None else (begin, end)
        tile = (0,) * len(begin) if tile is None else tile
        if not 1 <= len(begin) <= 6 or len(end) != len(begin) or len(tile) != len(begin):
            raise ValueError(f"got begin {begin}, end {end}, tile {tile}: expected as many numbers in each, 1 to 6")
        self._set(tuple(map(int, begin)), tuple(map(int, end)), tuple(map(int, tile)), dynamic)


range_of = functools.lru_cache(maxsize=256)(Range)


class Team:
    """Team(league, size, lanes): as mx_league."""

    __slots__ = ("space", "numbers")

    def __init__(self, league, size=AUTO, lanes=AUTO):
        self.space, self.numbers = ("TEAM", True), (int(league), int(size), int(lanes))


class Compiled:
    """A kernel for some types of arguments, loaded."""

    def __init__(self, library, made: dict):
        self.path = library
        dll, name = ctypes.CDLL(os.fspath(library)), made["name"]
        self.size, self.bind, self.launch = (getattr(dll, f"{name}_{f}") for f in ("size", "bind", "launch"))
        self.size.restype = ctypes.c_int64
        self.bind.argtypes, self.launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p], [ctypes.c_void_p]
        self.bytes, self.value_at = self.size(0), self.size(1)
        self.scalars, self.arrays, self.names = made["scalars"], made["arrays"], made["names"]
        self.value = [np.dtype(t) for t in made["value"]]


class Call:
    """A compiled kernel with its arrays bound."""

    __slots__ = ("buffer", "address", "pack", "launch", "arrays", "shapes", "result", "keep")


class Kernel:
    """A function that kernels are made of."""

    def __init__(self, function, items=None, loose=False):
        functools.update_wrapper(self, function)
        self.function, self.items, self.loose, self.roles = function, items, loose, None
        self.compiled: dict = {}
        self.calls: dict = {}
        self.constants: list = []  # (place, name, number) from outside
        self.parameters = list(function.__code__.co_varnames[: function.__code__.co_argcount])
        self.annotations = function.__annotations__

    def __call__(self, *args):
        return self.function(*args)  # plain Python: in tests, and from other kernels' plain runs

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundKernel(self, instance)

    def c_source(self) -> list[str]:
        """The C files that have been made of it."""
        return [(c.path.parent / "kernel.c").read_text() for c in self.compiled.values()]


class BoundKernel:
    """A method that is a kernel: attributes of its object are arguments."""

    def __init__(self, kernel, instance):
        self.kernel, self.instance = kernel, instance

    def __call__(self, *args):
        return self.kernel.function(self.instance, *args)


def kernel(function=None, *, items=None):
    """@minx.kernel. items: simd, plain, gather, stencil or column, as MX_ITEMS_*; chosen by what the body does if left out."""
    return Kernel(function, items) if function else lambda f: Kernel(f, items)


@functools.lru_cache(maxsize=4096)
def plain_kernel(function) -> Kernel:
    return Kernel(function)


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
    elif type(kernel) is not Kernel:
        if isinstance(kernel, pytypes.MethodType):
            kernel, instance = plain_kernel(kernel.__func__), kernel.__self__
        else:
            kernel = plain_kernel(kernel)
    if instance is not None:
        members = kernel_members(kernel, instance)
        args = (*args, *[getattr(instance, m) for m in members])
    if kernel.loose:
        args = tuple([a.data if hasattr(a, "pk_view") else a for a in args])
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


members_of = functools.lru_cache(maxsize=4096)(generate.members_of)
NUMBERS = {int, float, bool, *(np.dtype(t).type for t in "bBhHiIqQfd?")}


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


def kernel_members(kernel, instance) -> tuple:
    return members_of(kernel.function, type(instance), kernel.loose)


def compile_for(pattern, space, kernel, types, ctx, reducers, instance) -> Compiled:
    key = (pattern, space, types, reducers, tuple(ctx.instances), bool(os.environ.get("MINX_PY_DEBUG")))
    found = kernel.compiled.get(key)
    if found is not None:
        return found
    debug = key[-1]
    spec = Spec(pattern, space[0], tuple(types), tuple(REDUCERS[r] for r in reducers), space[1], kernel.items, kernel.loose, debug)
    members = kernel_members(kernel, instance) if instance is not None else ()
    names, accumulator, final = kernel.roles(spec, len(types) - len(members), instance is not None) if kernel.roles else roles(kernel, spec, len(types) - len(members), instance is not None)
    spec = annotated(kernel, spec, names)
    if accumulator:
        spec.value = number_type(getattr(kernel.annotations.get(accumulator), "value_type", None))
    stored = Index(kernel, spec, ctx.instances, instance)
    made = stored.load()
    if made is None:
        try:
            generated, unit = generate.generate(kernel.function, spec, names, accumulator, final, instance, members)
        except NotSupported as error:  # the place is the user's; the way to it is of no use to him
            raise error.with_traceback(None) from None
        path = build.compile_kernel(generated.text, tuple(ctx.instances))
        made = {**json.loads(generated.dumps()), "path": str(path), "outside": unit.outside}
        stored.save(made, unit.outside)
    kernel.constants = [place_of(*o) for o in made["outside"] if not isinstance(o[2], pytypes.FunctionType)]
    kernel.compiled[key] = compiled = Compiled(build.Path(made["path"]), made)
    return compiled


def place_of(function, expression, value):
    """Where a number from outside is, to see whether it changes."""
    owner, _, name = expression.rpartition(".")
    if not owner:
        return scope_of(function, name), name, value
    found = evaluate(function, owner, None)
    return (vars(found) if hasattr(found, "__dict__") else {name: value}), name, value


def roles(kernel, spec, count, method):
    """Which parameters are what: indices, then for reductions perhaps an accumulator, for scans one and perhaps `final`."""
    rest = kernel.parameters[(1 if method else 0) + spec.indices:]
    accumulator = final = None
    if spec.pattern == "scan" or spec.pattern == "reduce" and len(rest) == count + 1:
        accumulator, rest = rest[0], rest[1:]
    if spec.pattern == "scan" and len(rest) == count + 1:
        final, rest = rest[0], rest[1:]
    if len(rest) != count:
        raise TypeError(f"{kernel.function.__name__} has {len(rest)} parameters behind its {spec.indices} "
                        f"ind{'ices' if spec.indices > 1 else 'ex'}, got {count} arguments")
    return rest, accumulator, final


def annotated(kernel, spec, names):
    """Numbers with an annotation have its type."""
    types = list(spec.arguments)
    for n, name in enumerate(names):
        t = number_type(kernel.annotations.get(name), spec.loose)
        if t and not isinstance(types[n], T.Array):
            if T.is_float(types[n]) and not T.is_float(t):
                raise TypeError(f"{kernel.function.__name__}: {name} is declared {t}, got a float")
            types[n] = {"i64": T.INT, "f64": T.FLOAT}.get(t, t) if kernel.annotations[name] in (int, float) else t
    return Spec(**{**spec.__dict__, "arguments": tuple(types)})


class Index:
    """Finds a compiled kernel by its Python function, without translating it: by its code and the types of its arguments. What it
    depends on outside (numbers, functions that it calls) is stored with the result, and compared."""

    def __init__(self, kernel, spec, instances, instance):
        self.kernel, self.instance = kernel.function, instance
        parts = (code_hash(kernel.function), repr(spec), instances, build.settings().stamp, PACKAGE)
        self.file = build.settings().cache / "index" / hashlib.sha256(repr(parts).encode()).hexdigest()[:24]

    def load(self):
        try:
            made = json.loads(self.file.read_text())
            made["outside"] = self.check(made["outside"])
        except (OSError, ValueError, LookupError, AttributeError):
            return None
        return made if os.path.exists(made["path"]) else None

    def check(self, stored) -> list:
        """What the kernel depends on, as it is now; an error if it is not what it was."""
        functions, found = [self.kernel], []
        for number, expression, value in stored:
            now = evaluate(functions[number], expression, self.instance)
            if isinstance(now, pytypes.FunctionType):
                functions.append(now)
            if remembered(now) != value:
                raise LookupError
            found.append((functions[number], expression, now))
        return found

    def save(self, made, outside):
        functions, stored = [self.kernel], []
        for function, expression, value in outside:
            stored.append((functions.index(function), expression, remembered(value)))
            if isinstance(value, pytypes.FunctionType):
                functions.append(value)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({**made, "outside": stored}))
        part.rename(self.file)


def evaluate(function, expression: str, instance):
    """A name or attribute as a function sees it."""
    root, *attributes = expression.split(".")
    value = instance if instance is not None and function.__code__.co_varnames[:1] == (root,) else scope_of(function, root).get(root)
    for name in attributes:
        value = getattr(value, name)
    if isinstance(value, type):
        value = value.__init__
    value = getattr(value, "function", value)
    return getattr(value, "__func__", value)


def scope_of(function, name):
    code = function.__code__
    if name in code.co_freevars:
        return Cell(function.__closure__[code.co_freevars.index(name)])
    return function.__globals__


def remembered(value) -> str:
    return code_hash(value) if isinstance(value, pytypes.FunctionType) else repr(value)


def code_hash(function) -> str:
    def parts(code):
        inner = [parts(c) if isinstance(c, pytypes.CodeType) else repr(c) for c in code.co_consts]
        return code.co_code, inner, code.co_names, code.co_varnames, code.co_freevars

    return hashlib.sha256(repr((parts(function.__code__), function.__annotations__)).encode()).hexdigest()[:24]


def _package_hash() -> str:
    here = build.Path(__file__).parent
    return hashlib.sha256(b"".join(p.read_bytes() for p in sorted(here.rglob("*.py")))).hexdigest()[:16]


PACKAGE = _package_hash()


def run_python(pattern, policy, kernel, args, reducers):
    """The kernel as plain Python, one index after the other: for debuggers, prints and tests."""
    function = kernel.function
    if policy.space[0] == "TEAM":
        indices = [(PythonTeam(n, policy.numbers[0]),) for n in range(policy.numbers[0])]
    else:
        indices = np.ndindex(*[e - b for b, e in zip(policy.begin, policy.end)])
        indices = [tuple(i + b for i, b in zip(index, policy.begin)) for index in indices]
    if pattern == "for":
        for index in indices:
            function(*index, *args)
        return None
    if pattern == "scan":
        raise NotSupported("a scan has no plain run yet")
    join = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "min": min, "max": max, "all": lambda a, b: a and b,
            "any": lambda a, b: a or b, "band": lambda a, b: a & b, "bor": lambda a, b: a | b}
    total = [None] * len(reducers)
    for index in indices:
        value = function(*index, *args)
        if value is None:
            continue
        for n, v in enumerate(value if isinstance(value, tuple) else (value,)):
            total[n] = v if total[n] is None else join[reducers[n]](total[n], v)
    return total[0] if len(total) == 1 else tuple(total)

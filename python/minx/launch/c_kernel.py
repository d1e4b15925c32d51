"""Kernels written in C, as in the manual and in the course: compiled and launched as those in Python.

    axpy = minx.c_kernel('''
    MX_ARGS(axpy_args, (mx_f64_1, y) (mx_cf64_1, x), double alpha;);
    MX_DECLARE_FOR(1D, axpy, axpy_args)
    MX_BODY void axpy_body(const axpy_args *a, int i) { MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i); }
    MX_FOR(1D, axpy)
    ''')
    axpy(len(y), y=y, x=x, alpha=2.0)                       # or minx.parallel_for(len(y), axpy, y=y, x=x, alpha=2.0)"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import linecache
import os
import struct
from collections import namedtuple
from pathlib import Path

import numpy as np

from .. import runtime
from ..build import compile as build
from ..errors import CompileError, NotSupported
from ..language.c_text import LOCATION, CKernelText, CTextError, driver, find_kernels
from .call import bind_compiled, launch_with
from .policy import range_of
from .result import Reader, Target


class CFile:
    """A kernel file: each kernel that it defines is an attribute; kernels is a dict of them."""

    def __init__(self, text: str, name: str, options: tuple = ()):
        self.name, self.options = name, options
        found, digest = kernels_in(text, name, options)
        self.text = f"{text}\n{driver(found)}/* {digest} */\n"
        self.kernels = {k.name: CKernel(self, k) for k in found}
        self._libraries: dict = {}

    def __getattr__(self, name):
        try:
            return self.__dict__["kernels"][name]
        except KeyError:
            raise AttributeError(f"{self.__dict__.get('name')} has no kernel {name}") from None

    def __dir__(self):
        return [*super().__dir__(), *self.kernels]

    def compile(self, ctx=None) -> Path:
        """The shared library with its kernels for a context (None: the default one). Launches do this themselves. CompileError: the
        message has the compiler's own words, with the lines of the text."""
        instances = tuple((ctx or runtime.default()).instances)
        if instances not in self._libraries:
            self._libraries[instances] = build.compile_kernel(self.text, instances, self.name, self.options)
        return self._libraries[instances]

    def __repr__(self):
        return f"<minx.CFile {self.name}: {', '.join(self.kernels)}>"


def kernels_in(text: str, name: str, options: tuple) -> tuple[list, str]:
    """The kernels of a file, and a digest of it with its headers: from the cache, unless a header is another one than then."""
    settings = build.settings()
    cache, instances = settings.cache, settings.instances[:1]

    def key(stamp):
        return hashlib.sha256(repr(("c", text, options, stamp(instances, settings))).encode()).hexdigest()[:32]

    made = cache.load_index(key(build.stamp_for))
    if made is not None and all(state_of(file) == state for file, state in made["headers"]):
        return [CKernelText.loads(k) for k in made["kernels"]], made["digest"]
    expanded, headers = build.preprocess(text, name, options)
    try:
        found = find_kernels(expanded)
    except CTextError as error:
        raise CompileError(f"{name}: {error}") from None
    if not found:
        raise CompileError(f"{name} defines no kernel: expected MX_FOR(...), MX_REDUCE(...) or MX_SCAN(...), as in minx/kernel.h")
    digest = hashlib.sha256(expanded.encode()).hexdigest()[:16]
    made = {"kernels": [k.dumps() for k in found], "digest": digest, "headers": [(f, state_of(f)) for f in headers]}
    for stamp in (build.stamp_for, build.stamp_of_contents):  # the second for machines without a compiler
        cache.save_index(key(stamp), made)
    return found, digest


def state_of(file: str) -> list | None:
    """Size and time of a file; None: it is not there."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]


class CompiledC:
    """A kernel of a file, loaded. Compiled (compiled.py) is its like."""

    def __init__(self, library: Path, text: CKernelText):
        self.path, name = library, text.name
        dll = ctypes.CDLL(os.fspath(library))
        size, self.bind, self.launch = (getattr(dll, f"{name}_{f}") for f in ("size", "bind", "launch"))
        size.restype = ctypes.c_int64
        self.bind.argtypes, self.launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p], [ctypes.c_void_p]
        self.bytes, self.value_at, self.to_at = size(0), size(1), size(2)
        self.scalars = characters(dll, f"{name}_kinds").decode()
        self.text, self.names, self.arrays = text, text.accessors, list(range(len(text.accessors)))
        self.written, self.scatters, self.checked = set(), [], False
        self.value, self.array, self.has_result = "", "", text.value is not None
        if text.value:
            letters = characters(dll, f"{name}_letters").decode()
            if "-" in letters:
                raise CompileError(f"kernel {name}: its value, a {text.value}, has members that are no numbers")
            offsets = (ctypes.c_int64 * len(letters)).in_dll(dll, f"{name}_offsets")
            names = [f"f{n}" for n in range(len(letters))]
            self.record = np.dtype({"names": names, "formats": [np.dtype(c) for c in letters], "offsets": list(offsets)})
            self.array = letters if text.array else ""

    def result_reader(self, target, reducers) -> "CReader":
        return CReader(self, target, self.text)


def characters(dll, name) -> bytes:
    return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(dll, name)))


class CReader(Reader):
    """Reads the value of a kernel in C: a number; of a struct a named tuple; of mx_loc_f64 and its like (value, index)."""

    def __init__(self, compiled, target, text: CKernelText):
        self.at, self.to, self.target = compiled.value_at, compiled.to_at, target
        self.dtype, self.record = np.dtype(compiled.array or "i8"), compiled.record
        location = LOCATION.match(text.value)
        self.make = tuple
        if not text.value_leaves:
            self.make = lambda values: values[0]
        elif location and location[1] == "minmaxloc":
            self.make = lambda v: ((v[0], v[1]), (v[2], v[3]))
        elif not location:
            paths = [e for leaf in text.value_leaves for e in leaf.elements]
            fields = [p.replace(".", "_").replace("[", "_").replace("]", "") for p in paths]
            self.make = namedtuple(text.value.split()[-1], fields, rename=True)._make

    def __call__(self, buffer):
        return self.make(np.frombuffer(buffer, self.record, 1, self.at)[0].item())


class CKernel:
    """A kernel written in C, made by c_kernel and c_file.

    name, pattern (for, reduce, scan) and space (1D, ..., TEAM) are those of its definition. parameters: the names of its arguments,
    the accessors and then the other members of its struct. Numbers are numbers, an array (double box[3]) a sequence, a struct a
    dict, whose missing members are 0.

        kernel(policy, **arguments)            launches it, and gives the result of a reduction or scan
        kernel(policy, ..., into=view, index=0, length=n, ctx=context)       as minx.parallel_reduce"""

    bind = None  # set below: the name is the hook of call.py
    dialect = None

    def __init__(self, file: CFile, text: CKernelText):
        self.file, self.text, self.__name__ = file, text, text.name
        self.name, self.pattern, self.space = text.name, text.pattern, text.space
        self.calls, self.constants, self.compiled = {}, [], {}
        tops = [leaf.path.split(".")[0].split("[")[0] for leaf in text.leaves]
        self.parameters = list(dict.fromkeys([*text.accessors, *tops]))
        simple = all(leaf.path == leaf.path.split(".")[0] and not leaf.shape for leaf in text.leaves)
        self.order, self.known = self.parameters if simple else None, set()  # of types of arguments that were right

    def __call__(self, policy, *args, ctx=None, into=None, index=0, length=None, **named):
        return self.launch_c(self.pattern, policy, args, ctx, named, Target.of(into, index, length))

    def launch_c(self, pattern, policy, args, ctx, named, target):
        policy = range_of(policy) if type(policy) is int else policy
        if pattern != self.pattern:
            raise TypeError(f"kernel {self.name} is for parallel_{self.pattern}, not parallel_{pattern}")
        self.check_policy(policy)
        if self.text.array and (target is None or target.length is None):
            raise TypeError(f"kernel {self.name} reduces into an array: length=... says how many elements it has")
        if ctx == "python":
            raise NotSupported(f"kernel {self.name} is written in C: it has no plain run in Python")
        arguments = self.arguments(args, named)
        try:
            return launch_with(self.pattern, policy, self, None, arguments, ctx, (), target)
        except struct.error as error:
            raise TypeError(f"kernel {self.name}: a number does not fit its member of {self.text.args}: {error}") from None

    def check_policy(self, policy) -> None:
        space = policy.space[0]
        fits = space == self.space or space == self.space.removesuffix("_64")
        if not fits:
            raise TypeError(f"kernel {self.name} is over {self.space}, got a policy of {space}")

    def arguments(self, args, named) -> tuple:
        """The arrays in the order of the accessors, then all numbers. TypeError: one is missing, unknown or of another kind."""
        if self.order is not None and not args and len(named) == len(self.order):
            try:  # the way of a launch that comes again
                found = tuple([named[name] for name in self.order])
                if tuple(map(type, found)) in self.known:
                    return found
            except KeyError:
                pass
        found = self.all_arguments(args, named)
        if self.order is not None and all(type(v) in (int, float, bool) for v in found[len(self.text.accessors):]):
            self.known.add(tuple(map(type, found)))
        return found

    def all_arguments(self, args, named) -> tuple:
        if len(args) > len(self.parameters):
            raise TypeError(f"kernel {self.name} takes {len(self.parameters)} arguments, got {len(args)}")
        given = dict(zip(self.parameters, args))
        for name, value in named.items():
            if name not in self.parameters:
                raise TypeError(f"kernel {self.name} has no argument {name}, but {', '.join(self.parameters)}")
            if name in given:
                raise TypeError(f"kernel {self.name} gets {name} twice")
            given[name] = value
        missing = [name for name in self.parameters if name not in given]
        if missing:
            raise TypeError(f"kernel {self.name}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        for path in self.text.accessors:
            if not runtime.is_array(given[path]):
                raise TypeError(f"kernel {self.name}: {path} is a {type(given[path]).__name__}, expected an array")
        numbers = [n for leaf in self.text.leaves for n in self.numbers_of(leaf, given)]
        return (*[given[path] for path in self.text.accessors], *numbers)

    def numbers_of(self, leaf, given) -> list:
        top, *rest = leaf.path.split(".")
        value = given[top]
        for part in rest:
            if not isinstance(value, dict):
                raise TypeError(f"kernel {self.name}: {top} is a struct, expected a dict, got a {type(value).__name__}")
            value = value.get(part, 0 if not leaf.shape and part == rest[-1] else {})
        if leaf.shape:
            array = np.zeros(leaf.shape, int) if isinstance(value, dict) else np.asarray(value)
            if array.shape != leaf.shape:
                raise TypeError(f"kernel {self.name}: {leaf.path} has the shape {array.shape}, expected {leaf.shape}")
            return [v.item() for v in array.reshape(-1)]
        if isinstance(value, dict) and not value:
            return [0]
        if not isinstance(value, (bool, int, float, np.number, np.bool_)):
            raise TypeError(f"kernel {self.name}: {leaf.path} is a {type(value).__name__}, expected a number")
        return [value.item() if isinstance(value, np.generic) else value]

    def compiled_for(self, ctx) -> CompiledC:
        instances = tuple(ctx.instances)
        if instances not in self.compiled:
            self.compiled[instances] = CompiledC(self.file.compile(ctx), self.text)
        return self.compiled[instances]

    def c_source(self) -> list[str]:
        """The text of its file, with the driver."""
        return [self.file.text]

    def __repr__(self):
        return f"<minx.CKernel {self.name}({', '.join(self.parameters)}): parallel_{self.pattern} over {self.space}>"


def bind(pattern, policy, kernel, args, ctx, reducers, key, instance, target):
    """bind of call.py, for what is written in C: the types of the arguments are those of its struct."""
    return bind_compiled(kernel.compiled_for(ctx), policy, kernel, args, ctx, reducers, key, target)


CKernel.bind = staticmethod(bind)


def c_kernel(text: str, include=(), options=()):
    """Kernels written in C.

    text: a kernel file, as minx/kernel.h explains it: MX_ARGS, MX_DECLARE_..., bodies, MX_FOR and its like. minx's headers need not be
    included. include: folders with headers of its own. options: further options of the compiler, as "-DN=3".
    The kernel, if the text defines one; else a CFile, whose attributes are the kernels.
    CompileError: a mistake in the text; the message names its line, in the Python file if the text stands there.

    >>> scale = minx.c_kernel('''
    ... MX_ARGS(scale_args, (mx_f64_1, y), double factor;);
    ... MX_DECLARE_FOR(1D, scale, scale_args)
    ... MX_BODY void scale_body(const scale_args *a, int i) { MX_AT(a->y, i) *= a->factor; }
    ... MX_FOR(1D, scale)
    ... ''')
    >>> y = np.ones(3)
    >>> scale(3, y=y, factor=2.5)
    >>> y
    array([2.5, 2.5, 2.5])
    """
    place, line = place_of(text, inspect.currentframe().f_back)
    return the_kernel(CFile(f'#line {line} "{place}"\n{text}', place, compiler_options(include, options)))


def the_kernel(file: CFile):
    return next(iter(file.kernels.values())) if len(file.kernels) == 1 else file


def c_file(path, include=(), options=()) -> CFile:
    """The kernels of a file written in C, as of a mini-app. path: the kernel file; others as c_kernel. It sees headers beside it.

    >>> kernels = minx.c_file(inputs.parent / "examples" / "kernels" / "stream.c")
    >>> a, b, c = np.zeros(4), np.ones(4), np.ones(4)
    >>> kernels.stream_triad(4, a=a, b=b, c=c, s=0.5)
    >>> a
    array([1.5, 1.5, 1.5, 1.5])
    """
    path = Path(path)
    text = f'#line 1 "{path}"\n{path.read_text()}'
    return CFile(text, str(path), compiler_options((path.resolve().parent, *include), options))


def compiler_options(include, options) -> tuple:
    include = (include,) if isinstance(include, (str, os.PathLike)) else include
    return (*[f"-I{Path(folder).resolve()}" for folder in include], *options)


def place_of(text: str, frame) -> tuple:
    """(file, line) where a text stands in the file of a caller; ("c_kernel", 1) if it does not stand there as it is."""
    file = frame.f_code.co_filename
    lines = linecache.getlines(file)
    whole = "".join(lines)
    at = whole.find(text)
    if not text.strip() or at < 0 or whole.find(text, at + 1) >= 0:
        return "c_kernel", 1
    return file.replace("\\", "/").replace('"', "'"), whole.count("\n", 0, at) + 1

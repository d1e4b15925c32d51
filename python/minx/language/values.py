"""What the parts of the translation share: values, references, the file that is being made, and how C is written."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field

import numpy as np

from .. import types as T
from ..types import BOOL, FLOAT, INT, Array, FieldArray, Struct
from .dialect import MINX, Dialect

MISSING = object()
RESERVED = set(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof bool true false and and_eq asm bitand bitor catch class compl concept consteval constexpr
    constinit const_cast decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert
    static_cast template this thread_local throw try typeid typename using virtual wchar_t xor xor_eq linux unix
    assert errno stdin stdout stderr isnan isinf isfinite signbit main""".split()
)
C_FUNCTIONS = (
    """sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt fabs erf erfc tgamma lgamma asin
    acos atan asinh acosh atanh pow fmod hypot atan2 copysign fmin fmax nextafter floor ceil rint trunc""".split()
)
RESERVED |= {"printf", "memset", *C_FUNCTIONS, *(f"{name}f" for name in C_FUNCTIONS)}  # what translations call


def c_name(name: str) -> str:
    """A Python name that is neither a keyword nor (as far as one can tell) a macro of C or CUDA C++. "p.x", the
    attribute x of an argument p, is a name, too."""
    name = name.replace(".", "_of_")
    plain = (
        name[0].islower()
        and name.isascii()
        and name not in RESERVED
        and not name.startswith(("mx_", "py_", "pyh_", "pyt_"))
    )
    return name if plain and not name.endswith("_") else "py_" + (name if name.isascii() else name.encode().hex())


@dataclass
class Val:
    """An expression of C.

    type: a number's, a Struct, or None for what only `ref` describes (an array, a function, a team). const: its value,
    if Python knows it. nonneg: is it surely not negative? pure: may the code stand twice? origin: the kernel's
    argument, whose element this is; place: is the code an lvalue?"""

    code: str
    type: object = None
    const: object = MISSING
    nonneg: bool = False
    ref: object = None
    pure: bool = True
    origin: int | None = None
    place: bool = False
    shared: bool = False  # a place in scratch
    listed: bool = False  # a place in a list
    effects: bool = False  # a call that stores: it happens once
    outside: tuple | None = None  # of what is outside of the kernel: (function, expression), how that function sees it


@dataclass(frozen=True)
class Part:
    """A dimension of a part of an array, a[begin:end:step]: codes of C, of which begin and count may stand often."""

    begin: str
    count: str
    step: int = 1


WHOLE = None  # a dimension of a part of an array that is all of it


@dataclass
class ArrayRef:
    """An array, a row or another part of one, scratch, a local array.

    code: of C. array: the type of the whole. origin: the number of the kernel's argument, None for others. axes: for
    each of the first dimensions of the array an index that is given (a code), a Part, or WHOLE; later dimensions are
    whole. shape: the extents of an array of C; of an accessor (). field: what follows an element, ".x" for a field of a
    record. listed: is it a list of Python's?"""

    code: str
    array: Array
    origin: int | None = None
    axes: tuple = ()
    name: str = ""
    shape: tuple = ()
    field: str = ""
    listed: bool = False

    @property
    def dimensions(self) -> list:
        """The dimensions of the whole that the part still has."""
        return [d for d in range(self.array.rank) if d >= len(self.axes) or not isinstance(self.axes[d], str)]

    @property
    def rank(self) -> int:
        return len(self.dimensions)

    def __str__(self):
        kind = "a part of an array" if self.axes else "an array"
        return f"{kind} of {self.rank} dimension{'s' * (self.rank != 1)}"


@dataclass
class Accumulator:
    """The value of a reduction or scan, as a variable of the body."""

    code: str
    type: str | None = None  # None: the kernel's value, whose type may still be found


class Parts(tuple):
    """A tuple of numbers: a Val for each. fields: their names, if it is a named one."""

    fields: tuple = ()


class Method:
    """A method of something that only kernels have; call(translator, node, statement) -> Val."""

    described = "a method, which is not called: () is missing"

    def __init__(self, call):
        self.call = call


@dataclass
class Spec:
    """What one generated file is for."""

    pattern: str  # "for", "reduce", "scan"
    space: str  # "1D" ... "6D_64", "TEAM"
    arguments: tuple  # a type for each: T.Array or the type of a number
    reducers: tuple = ()  # "SUM", "MAX", ...
    nonneg: bool = True  # indices begin at 0 or more
    items: str | None = None
    dialect: Dialect = MINX
    debug: bool = False
    value: str | None = None  # the type of the result, if it is declared
    array: bool = False  # a reduction into an array
    custom: object = None  # a Reducer
    overlaps: tuple = ()  # teams: for each argument a number, the same for arrays that share memory
    checked: bool = False  # divisions, asserts and indices that are wrong are errors

    @property
    def indices(self) -> int:
        return 1 if self.space == "TEAM" else int(self.space[0])


@dataclass
class Unit:
    """All that goes into the file."""

    spec: Spec
    name: str
    written: set = field(default_factory=set)
    outside: list = field(
        default_factory=list
    )  # what of outside it depends on: (function, expression, number or function)
    functions: dict = field(default_factory=dict)
    includes: set = field(default_factory=set)  # headers of the kit
    types: dict = field(default_factory=dict)  # definitions that stand in front of the arguments: name -> text
    helpers: dict = field(default_factory=dict)  # functions behind them: name -> text
    effects: dict = field(default_factory=dict)  # functions, by their names in C: do they store something?
    place: list = field(default_factory=list)  # the #line of the kernel, in files for debuggers
    prototypes: list = field(default_factory=list)
    scratch: list = field(default_factory=list)
    loops: bool = False
    offsets: bool = False
    indirect: bool = False
    value: str | None = None  # the type of the reduction's value
    fields: list | None = None
    classes: dict = field(default_factory=dict)  # of objects that the kernel makes: name of the struct -> class
    members: dict = field(default_factory=dict)  # attributes of self: name -> argument number

    def start(self):
        """A pass over the kernel begins."""
        self.scratch, self.functions, self.prototypes, self.outside = [], {}, [], []

    def depends(self, function, expression: str, value):
        if all((f, e) != (function, expression) for f, e, _ in self.outside):
            self.outside.append((function, expression, value))


HANDLERS: dict = {}  # Python objects that kernels call: object -> f(translator, node, statement) -> Val
LOOPS: dict = {}  # objects that `for` iterates over: object -> f(translator, for node, call node)
ATTRIBUTES: dict = {}  # attributes of other things: type of the thing -> f(translator, node, thing)


@dataclass(frozen=True)
class Self:
    """An object whose attributes are arguments of the kernel: that of a method, or an argument. path: "" or "p." in
    front of the names of these arguments. For an argument, `object` is its class."""

    object: object
    path: str = ""

    def __hash__(self):
        return id(self.object)


@dataclass(frozen=True)
class Shape:
    described = "a shape"
    array: ArrayRef

    def __hash__(self):
        return id(self)


def describe(value: Val) -> str:
    """What a value is, for messages."""
    if isinstance(value.ref, ArrayRef):
        return str(value.ref)
    if value.type is not None:
        return f"a {value.type}"
    if isinstance(value.ref, str):
        return "a string"
    if isinstance(value.ref, type(ast)):
        return f"the module {value.ref.__name__}"
    if callable(value.ref):
        return f"the function {getattr(value.ref, '__name__', value.ref)}"
    return "None" if value.ref is None else getattr(value.ref, "described", f"a {type(value.ref).__name__}")


def is_hashable(x) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return x is not None


def number_type(ref) -> str | None:
    """The type that an annotation or a conversion names."""
    if ref is int:
        return "i64"
    if ref is float:
        return "f64"
    if ref is bool:
        return BOOL
    if ref is complex:
        return "c128"
    if isinstance(ref, NumberType):
        return ref.name
    if isinstance(ref, type) and issubclass(ref, np.generic):
        return T.of_dtype(ref)
    return None


@dataclass(frozen=True)
class ArrayType:
    """minx.f64[:, :]: an array in the order of the context's own, as NumPy's arrays are for hosts and Context.zeros
    makes them."""

    element: str
    rank: int


class NumberType:
    """minx.f32 and so on: in an annotation, or called to convert.

    >>> float(minx.f32(0.1)), minx.i8.dtype
    (0.10000000149011612, dtype('int8'))
    >>> @minx.kernel
    ... def tenth(i, y, step: minx.f32):
    ...     y[i] = i * step
    >>> y = np.zeros(2)
    >>> minx.parallel_for(2, tenth, y, 0.1)
    >>> float(y[1])
    0.10000000149011612
    """

    def __init__(self, name):
        self.name, self.dtype = name, T.dtype_of(name)

    def __call__(self, value=0):
        return self.dtype.type(value)

    def __getitem__(self, slices):
        """minx.f64[:, :], a type of arrays for minx.declare."""
        slices = slices if isinstance(slices, tuple) else (slices,)
        if any(s != slice(None) for s in slices):
            raise TypeError(f"minx.{self.name}[...]: expected a colon for each dimension, as in minx.{self.name}[:, :]")
        return ArrayType(self.name, len(slices))

    def __repr__(self):
        return f"minx.{self.name}"


def as_dtype(kind) -> np.dtype:
    """The dtype of float, minx.f32, numpy.int32 or a dtype."""
    return kind.dtype if isinstance(kind, NumberType) else np.dtype(kind)


def const_val(v) -> Val:
    """A number that Python knows: weak, or of NumPy."""
    if isinstance(v, np.generic):
        t = T.of_dtype(v.dtype)
        code = "" if T.is_complex(t) else constant(v.item(), t)
        return Val(code, t, v.item(), nonneg=not T.is_complex(t) and bool(v >= 0))
    if isinstance(v, complex):
        return Val("", T.COMPLEX, v)
    t = BOOL if isinstance(v, bool) else INT if isinstance(v, int) else FLOAT
    return Val(constant(v, t), t, v, nonneg=v >= 0)


def constant(v, t: str) -> str:
    """A number in C."""
    if T.is_bool(t):
        return "true" if v else "false"
    if not T.is_float(t):
        v = int(v)
        if v == -(2**63):
            return "INT64_MIN"
        suffix = "ULL" if v >= 2**63 else "LL" if not -(2**31) < v < 2**31 else ""
        if t in T.UNSIGNED and v >= 2**31:
            suffix = "ULL" if t == "u64" else "u"
        return f"{v}{suffix}" if v >= 0 else f"({v}{suffix})"
    v, suffix = float(v), "f" if t == "f32" else ""
    if math.isnan(v):
        return f"(({T.C_TYPES[t]})NAN)"
    if math.isinf(v):
        return f"(({T.C_TYPES[t]}){'-' if v < 0 else ''}INFINITY)"
    if t == "f32" and math.isinf(np.float32(v)):
        return f"((float){'-' if v < 0 else ''}INFINITY)"
    text = repr(v) + suffix
    return f"({text})" if text.startswith("-") else text


def c_string(text: str) -> str:
    """A string of C."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + text + '"'


def join_code(reducer: str, to: str, code: str, c: str) -> str:
    if reducer in ("SUM", "PROD", "BAND", "BOR"):
        return f"{to} {dict(SUM='+', PROD='*', BAND='&', BOR='|')[reducer]}= {strip(code)};"
    if reducer in ("LAND", "LOR"):
        return f"{to} = ({c})({to} {dict(LAND='&&', LOR='||')[reducer]} {code});"
    less = f"{to} < mx_x" if reducer == "MAX" else f"mx_x < {to}"
    return f"{{ const {c} mx_x = {strip(code)}; {to} = {less} ? mx_x : {to}; }}"


def is_atom(code: str) -> bool:
    return (
        code.replace("_", "a").replace(".", "0").replace("->", "a").isalnum()
        or code.endswith(")")
        and "(" in code
        and code.split("(")[0].replace("_", "a").isalnum()
        and balanced(code[code.index("(") :])
    )


def balanced(code: str) -> bool:
    """Is the whole of it in one pair of parentheses?"""
    depth = 0
    for n, c in enumerate(code):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return n == len(code) - 1
    return False


def strip(code: str) -> str:
    return code[1:-1] if code.startswith("(") and balanced(code) else code


def wrap(code: str) -> str:
    return code if is_atom(code) or balanced(code) else f"({code})"


def links(place) -> list:
    """The subscripts and attributes of a place, the outermost first: of a[i].x, a[i].x and a[i]."""
    out = []
    while isinstance(place, (ast.Subscript, ast.Attribute)):
        out.append(place)
        place = place.value
    return out


def is_number_of(links, element, rank: int) -> bool:
    """Is a place in an array a number, no part and no record? links: of the place; element: the type of the array's elements."""
    for link in reversed(links):
        key = ast.Constant(link.attr) if isinstance(link, ast.Attribute) else link.slice
        for k in key.elts if isinstance(key, ast.Tuple) else [key]:
            if isinstance(k, ast.Constant) and isinstance(k.value, str):
                element = dict(element.fields).get(k.value) if isinstance(element, Struct) else element
            elif not isinstance(k, ast.Slice) and not (isinstance(k, ast.Constant) and k.value is Ellipsis):
                rank -= 1
            if isinstance(element, FieldArray):
                element, rank = element.element, rank + len(element.shape)
    return rank <= 0 and not isinstance(element, Struct)


def assigned_names(tree) -> set:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

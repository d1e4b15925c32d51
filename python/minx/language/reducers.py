"""How contributions are joined (minx/reduce.h): operators by name, extremes with their location, and joins of the user.

    op="sum"                     prod min max all any band bor: numbers
    op="minloc"                  maxloc minmaxloc: the kernel returns (value, index), or the value alone over a Range
    op=("sum", "maxloc")         several results: the kernel returns as many
    op=minx.Reducer(init, join)  your own: any associative and commutative join of numbers or tuples of numbers"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

from .. import types as T
from .source import code_hash

NUMBERS = {"sum": "SUM", "prod": "PROD", "min": "MIN", "max": "MAX", "all": "LAND", "any": "LOR", "band": "BAND", "bor": "BOR"}
LOCATIONS = {"minloc": "MINLOC", "maxloc": "MAXLOC", "minmaxloc": "MINMAXLOC"}
NAMES = {**NUMBERS, **LOCATIONS}
def op_of(reducer: str) -> str:
    """The name of an operator in a launch: "all" of LAND."""
    return next((name for name, r in NAMES.items() if r == reducer), reducer.lower())


STRUCT_LETTERS = {"f64": "d", "f32": "f", "i64": "q", "i32": "i", "u64": "Q", "u32": "I", "u8": "B"}


class Reducer:
    """A join of the user's own, for parallel_reduce and parallel_scan.

    init: the identity of the join, a number or a tuple (or named tuple) of numbers. It gives the types too: a Python int is an
    int64, a float a float64, a NumPy scalar its own type.
    join(a, b): both joined, of the same form as init. It is translated, and must be associative; for parallel_reduce also
    commutative. In a scan `a` is the value of earlier items.

        def join(a, b):                      # number, mean and sum of squared differences: Chan's formula
            n = a[0] + b[0]
            ...
            return n, mean, m2
        count, mean, m2 = minx.parallel_reduce(n, kernel, x, op=minx.Reducer((0.0, 0.0, 0.0), join))

    TypeError: init is something else.

    >>> def larger(a, b):
    ...     return b if abs(b) > abs(a) else a
    >>> def value(i, x):
    ...     return x[i]
    >>> minx.parallel_reduce(3, value, np.array([1.0, -5.0, 3.0]), op=minx.Reducer(0.0, larger))
    -5.0
    """

    def __init__(self, init, join):
        self.init, self.join = init, getattr(join, "function", join)
        self.is_tuple = isinstance(init, tuple)
        self.values = tuple(init) if self.is_tuple else (init,)
        self.types = tuple(self._type(v) for v in self.values)
        if not self.values:
            raise TypeError("a Reducer's init has at least one number")

    @staticmethod
    def _type(value):
        t = "i64" if type(value) is int else "f64" if type(value) is float else None
        t = t or (T.of_dtype(value.dtype) if isinstance(value, np.generic) else None)
        if t not in T.MINX_NUMBERS:
            raise TypeError(f"a Reducer's init has {value!r}: expected numbers, as 0, 0.0 or minx.f32(0)")
        return t

    def make(self, values):
        """The result from its numbers: of the type of init."""
        if not self.is_tuple:
            return values[0]
        return type(self.init)(*values) if hasattr(self.init, "_fields") else tuple(values)

    def form(self, value):
        """A share or a joined value in the form of init."""
        return self.make(value) if self.is_tuple else value

    def __repr__(self):
        return f"Reducer({self.types}, {self.values!r}, {code_hash(self.join)})"


FUNCTIONS = {"sum": (np.add, operator.add, sum), "prod": (np.multiply, operator.mul, np.prod), "min": (np.minimum, min), "max": (np.maximum, max),
             "all": (all, np.logical_and), "any": (any, np.logical_or), "band": (np.bitwise_and, operator.and_),
             "bor": (np.bitwise_or, operator.or_), "minloc": (np.argmin,), "maxloc": (np.argmax,)}


def name_for(op) -> str:
    """What to write in place of an operator that is no name."""
    for name, functions in FUNCTIONS.items():
        if any(op is f for f in functions):
            return f"write op={name!r}"
    if callable(op):
        return "write op=minx.Reducer(init, join), with the identity of the join"
    return f"expected one of {', '.join(NAMES)}, a tuple of them, or a minx.Reducer"


def reducers_of(op) -> tuple:
    """The operators of a launch as a tuple of names, or with one Reducer. TypeError, ValueError: it is none."""
    ops = op if type(op) is tuple else tuple(op) if isinstance(op, list) else (op,)
    for one in ops:
        if isinstance(one, Reducer):
            if len(ops) > 1:
                raise TypeError("a Reducer is the only operator of a launch: join a tuple in it")
        elif not isinstance(one, str):
            raise TypeError(f"op={getattr(one, '__name__', repr(one))}: {name_for(one)}")
        elif one not in NAMES:
            raise ValueError(f"no operator {one!r}: expected one of {', '.join(NAMES)}, or a minx.Reducer")
    if not ops:
        raise ValueError("op: expected at least one operator")
    return ops


def result_type(reducer: str, t: str) -> str | None:
    """The type in which contributions of type t are joined; None: there is no such reduction. As NumPy's: a sum of small integers
    is a large one."""
    if T.is_complex(t):
        return None
    t = T.strong(t)
    floating = T.is_float(t)
    if reducer in ("LAND", "LOR"):
        return "i64"
    if reducer in ("BAND", "BOR"):
        return None if floating else "i64" if T.is_bool(t) or t[0] == "i" else "u64"
    if floating:
        return t
    unsigned = t in T.UNSIGNED
    if reducer in ("SUM", "PROD"):
        return "u64" if unsigned else "i64"
    if reducer in ("MIN", "MAX"):
        return t if t in T.MINX_NUMBERS else "u32" if unsigned else "i64" if T.is_bool(t) else "i32"
    return None if t == "u64" else t if t in ("i32", "i64") else "i64"  # locations


def struct_format(reducers, fields) -> str:
    """The result of a kernel for Python's struct, in C's layout."""
    out = ""
    for reducer, t in zip(reducers, fields):
        letter = STRUCT_LETTERS[t]
        out += {"MINLOC": f"0q{letter}q", "MAXLOC": f"0q{letter}q", "MINMAXLOC": f"0q{letter}q{letter}q"}.get(reducer, letter)
    return out


def results(reducers, numbers: tuple):
    """The results of a launch from the numbers of its struct."""
    at, out = 0, []
    for reducer in reducers:
        if reducer in ("MINLOC", "MAXLOC"):
            out.append((numbers[at], numbers[at + 1]))
            at += 2
        elif reducer == "MINMAXLOC":
            out.append(((numbers[at], numbers[at + 1]), (numbers[at + 2], numbers[at + 3])))
            at += 4
        else:
            out.append(bool(numbers[at]) if reducer in ("LAND", "LOR") else numbers[at])
            at += 1
    return out[0] if len(out) == 1 else tuple(out)


@dataclass
class Value:
    """The value of a reduction or scan in C: its type, what declares that, and the macro that defines the kernel."""

    c_type: str
    declarations: list
    macro: str  # MX_REDUCE and the like
    what: str  # its reducer, list of fields, or init and join


def member(n: int, count: int) -> str:
    """Field number n of a value with `count` fields."""
    return "*mx_v" if count == 1 else f"mx_v->v{n}"


def c_value(kernel: str, spec, fields) -> Value:
    """fields: a type for each operator, or for each number of a Reducer."""
    reducers = spec.reducers
    if spec.custom is not None:
        return custom_value(kernel, spec, fields)
    if spec.array:
        return Value(T.C_TYPES[fields[0]], [], "MX_REDUCE_ARRAY", f"MX_{reducers[0]}")
    locations = set(LOCATIONS.values())
    if len(reducers) == 1 and reducers[0] in locations:
        which, t = reducers[0].lower(), fields[0]
        return Value(location_type(reducers[0], t), [], "MX_REDUCE_CUSTOM", f"mx_{which}_{t}_init, mx_{which}_{t}_join")
    if len(reducers) == 1:
        return Value(T.C_TYPES[fields[0]], [], "MX_SCAN" if spec.pattern == "scan" else "MX_REDUCE", f"MX_{reducers[0]}")
    if not locations & set(reducers):
        rows = " ".join(f"FIELD({T.C_TYPES[f]}, v{n}, MX_{r})" for n, (f, r) in enumerate(zip(fields, reducers)))
        lines = [f"#define {kernel}_fields(FIELD) {rows}", f"MX_VALUE({kernel}_value, {kernel}_fields)"]
        return Value(f"{kernel}_value", lines, "MX_REDUCE_FIELDS", f"{kernel}_fields")
    return mixed_value(kernel, reducers, fields)


def location_type(reducer: str, t: str) -> str:
    return f"mx_{'minmaxloc' if reducer == 'MINMAXLOC' else 'loc'}_{t}"


def struct_of(kernel: str, types) -> list:
    members = [f"    {t} v{n};" for n, t in enumerate(types)]
    return [f"typedef struct {kernel}_value {{", *members, f"}} {kernel}_value;"]


def mixed_value(kernel: str, reducers, fields) -> Value:
    """Numbers and locations in a struct, each joined in its own way."""
    types, init, join = [], [], []
    for n, (reducer, t) in enumerate(zip(reducers, fields)):
        if reducer in LOCATIONS.values():
            types.append(location_type(reducer, t))
            init.append(f"    mx_{reducer.lower()}_{t}_init(&v->v{n});")
            join.append(f"    mx_{reducer.lower()}_{t}_join(&into->v{n}, &v->v{n});")
        else:
            types.append(T.C_TYPES[t])
            init.append(f"    MX_{reducer}_INIT({T.C_TYPES[t]}, &v->v{n});")
            join.append(f"    MX_{reducer}_JOIN({T.C_TYPES[t]}, &into->v{n}, &v->v{n});")
    lines = struct_of(kernel, types)
    lines += [f"MX_BODY void {kernel}_init({kernel}_value *v)", "{", *init, "}"]
    lines += [f"MX_BODY void {kernel}_join({kernel}_value *into, const {kernel}_value *v)", "{", *join, "}"]
    return Value(f"{kernel}_value", lines, "MX_REDUCE_CUSTOM", f"{kernel}_init, {kernel}_join")


def custom_value(kernel: str, spec, fields) -> Value:
    """The declarations are without the join, which is translated: see joins.py."""
    from .values import constant

    types = [T.C_TYPES[t] for t in fields]
    c_type = f"{kernel}_value" if spec.custom.is_tuple else types[0]
    lines = struct_of(kernel, types) if spec.custom.is_tuple else []
    sets = [f"    {f'v->v{n}' if spec.custom.is_tuple else '*v'} = {constant(v, t)};"
            for n, (v, t) in enumerate(zip(spec.custom.values, fields))]
    lines += [f"MX_BODY void {kernel}_init({c_type} *v)", "{", *sets, "}"]
    return Value(c_type, lines, "MX_SCAN_CUSTOM" if spec.pattern == "scan" else "MX_REDUCE_CUSTOM", f"{kernel}_init, {kernel}_join")


# ---- the same in plain Python ----

IDENTITIES = {"sum": 0, "prod": 1, "min": math.inf, "max": -math.inf, "all": True, "any": False, "band": -1, "bor": 0}


def identity(op):
    """What a plain run begins with."""
    if isinstance(op, Reducer):
        return op.init
    if op in LOCATIONS:
        least, greatest = (math.inf, -1), (-math.inf, -1)
        return {"minloc": least, "maxloc": greatest, "minmaxloc": (least, greatest)}[op]
    return IDENTITIES[op]


def extreme(into, share, less):
    """The location that wins: as MX_LOCATION_WINS_ of minx/reduce.h."""
    (a, i), (b, j) = into, share
    nan_a, nan_b = a != a, b != b
    wins = j >= 0 and (i < 0 or nan_a and not nan_b or less(b, a) or (a == b or nan_a and nan_b) and j < i)
    return share if wins else into


def join(op, a, b):
    """a and b joined. min and max ignore NaN."""
    if isinstance(op, Reducer):
        return op.form(op.join(op.form(a), op.form(b)))
    if op == "minloc":
        return extreme(a, b, lambda x, y: x < y)
    if op == "maxloc":
        return extreme(a, b, lambda x, y: x > y)
    if op == "minmaxloc":
        return join("minloc", a[0], b), join("maxloc", a[1], b)
    return PLAIN[op](a, b)


PLAIN = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "min": lambda a, b: b if b < a else a,
         "max": lambda a, b: b if a < b else a, "all": lambda a, b: bool(a and b), "any": lambda a, b: bool(a or b),
         "band": lambda a, b: a & b, "bor": lambda a, b: a | b}

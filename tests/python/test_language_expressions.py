"""Expressions that a seeded generator makes, against Python's own evaluation of the same text on NumPy's scalars.

What Python cannot evaluate, or only with more than 64 bits, is left out. So is `and`, `or` and `x if c else y` of
several types but in conditions: there Python's type depends on the values, a kernel's does not. Some are refused: what
they are is compared, too."""

import linecache
import math
import random
import warnings

import numpy as np
import pytest

import minx
from minx import types as T
from minx.language import generate
from minx.language.values import Spec

ITEMS, EXPRESSIONS = 9, 120
LEAVES = "i8[i] u8[i] i16[i] i32[i] u32[i] i64[i] u64[i] f32[i] f64[i] b[i] i n a 3 -2 7 0.5 2.25 1 True (i-4)".split()
REFUSED = (
    "is out of bounds for",
    "it takes integers",
    "negative shift count",
    "of a NumPy bool",
    "division by zero",
    "bad operand",
)


def made(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(LEAVES)
    def part(): return made(rng, depth - 1)
    kind = rng.choice("binary binary binary binary unary compare condition call power convert not".split())
    if kind == "binary":
        return f"({part()} {rng.choice('+ - * // % / & | ^ << >> + - *'.split())} {part()})"
    if kind == "unary":
        return f"({rng.choice('-~+')}{part()})"
    if kind == "compare":
        return f"({part()} {rng.choice('< <= > >= == !='.split())} {part()})"
    if kind == "condition":
        return f"(3 if {part()} {rng.choice(['and', 'or'])} {part()} else -2)"
    if kind == "call":
        if rng.random() < 0.3:  # Python's min and max give one of their operands, of its type
            same = rng.choice(["minx.f32", "float", "int"])
            return f"{rng.choice(['min', 'max'])}({same}({part()}), {same}({part()}))"
        name, count = rng.choice([("abs", 1), ("np.minimum", 2), ("np.maximum", 2), ("np.where", 3)])
        return f"{name}({', '.join(part() for _ in range(count))})"
    if kind == "power":
        return f"({part()} ** {rng.choice([1, 2, 3])})"
    if kind == "convert":
        return f"{rng.choice('int float bool round minx.i32 minx.f32 minx.u8 math.floor'.split())}({part()})"
    return f"(not {part()})"


def arrays(seed: int) -> dict:
    rng, out = np.random.default_rng(seed), {}
    for name in ("i8", "u8", "i16", "i32", "u32", "i64", "u64"):
        dtype = T.dtype_of(name)
        info = np.iinfo(dtype)
        out[name] = rng.integers(info.min, info.max, ITEMS, dtype=dtype, endpoint=True)
        out[name][:3] = [0, 1, 2]
    return {**out, "f32": (rng.normal(size=ITEMS) * 10).astype("f4"), "f64": rng.normal(size=ITEMS) * 100,
            "b": rng.integers(0, 2, ITEMS).astype(bool)}


def evaluated(text: str, data: dict):
    """(values, has it float32?) by Python, or None."""
    code, values, single = compile(text, "expression", "eval"), [], False
    for i in range(ITEMS):
        try:
            v = eval(code, {"np": np, "minx": minx, "math": math}, {**data, "i": i, "n": 5, "a": 1.5})
            if isinstance(v, int) and not -(2**63) <= v < 2**63 or getattr(v, "dtype", None) == np.float16:
                return None
            values.append(float(v))
        except (TypeError, ValueError, ArithmeticError):
            return None
        single = single or getattr(v, "dtype", None) == np.float32
    return values, single or "f32" in text


def function_of(expressions, names, number=[0]):
    number[0] += 1
    lines = [f"    out[i, {k}] = {e}\n" for k, e in enumerate(expressions)]
    text, file = f"def f(i, out, {', '.join(names)}, n, a):\n{''.join(lines)}", f"expressions{number[0]}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"np": np, "minx": minx, "math": math}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def refused(text: str, data: dict) -> str | None:
    """The message with which a kernel of this expression is refused; None: it is not."""
    types = [T.Array("f64", 2), *[T.Array(T.of_dtype(a.dtype), 1) for a in data.values()], T.INT, T.FLOAT]
    try:
        generate.generate(function_of([text], data), Spec("for", "1D", tuple(types)), ["out", *data, "n", "a"])
    except minx.NotSupported as error:
        return error.msg
    return None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_expressions(seed):
    rng, data, found = random.Random(seed), arrays(seed), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while len(found) < EXPRESSIONS:
            text = made(rng, rng.choice([1, 2, 2, 3]))
            expected = evaluated(text, data)
            if expected is None:
                continue
            message = refused(text, data)
            if message is None:
                found.append((text, *expected))
            else:
                assert any(r in message for r in REFUSED), (text, message)
    out = np.zeros((ITEMS, EXPRESSIONS))
    minx.parallel_for(
        ITEMS, function_of([t for t, *_ in found], data), out, *data.values(), 5, 1.5, ctx=minx.Context("serial")
    )
    for k, (text, expected, single) in enumerate(found):
        # x ** 3 is two products here, and products and sums may become one instruction: some units in the last place
        close = np.allclose(out[:, k], expected, rtol=1e-6 if single else 1e-13, atol=0, equal_nan=True)
        assert close, f"{text}\ngot      {out[:, k]}\nexpected {expected}"

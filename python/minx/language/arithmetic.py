"""Operators: what Python and NumPy 2 mean by them, in C.

Strong integers wrap as NumPy's do: they are computed in an unsigned type. Weak integers have 64 bits, and no kernel may
exceed them. A comparison of integers is exact for any two types."""

from __future__ import annotations

import ast
import math
import operator

from .. import types as T
from ..types import BOOL, COMPLEX, FLOAT, INT, NP_BOOL, Struct
from . import c_helpers
from .values import MISSING, Val, c_string, constant, const_val, describe, is_atom, strip, wrap

WORDS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
         ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
FOLD = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
        "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
        "<<": operator.lshift, ">>": operator.rshift}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
COMPLEX_NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


class Arithmetic:
    # ---- conversions ----

    def helper(self, name: str, t: str | None = None) -> str:
        """The C name of a helper, whose text the file then has."""
        if t is None:
            self.unit.helpers.setdefault(name, {**c_helpers.MIXED, **c_helpers.CHECKS}[name])
            return f"pyh_{name}"
        if T.is_complex(t):
            t = "c128" if t == COMPLEX else t
            self.complex_type(t)
            for needed in c_helpers.NEEDS.get(name, ()):
                self.helper(needed, t)
            self.unit.helpers.setdefault(f"{name}_{t}", c_helpers.text(name, t))
            return f"pyt_{t}_{name}"
        t = T.strong(t)
        self.unit.helpers.setdefault(f"{name}_{t}", c_helpers.text(name, t))
        return f"pyh_{name}_{t}"

    def complex_type(self, t: str):
        self.unit.types.setdefault(T.C_TYPES[t], c_helpers.complex_text("c128" if t == COMPLEX else t))

    def c_type(self, t) -> str:
        if isinstance(t, Struct):
            return t.name
        if T.is_complex(t):
            self.complex_type(t)
        return T.C_TYPES[t]

    def is_value(self, t) -> bool:
        """Can a variable of C have this type?"""
        return T.is_number(t) or isinstance(t, Struct)

    def cast(self, value: Val, t, node=None) -> str:
        """The value as a number of another type."""
        if value.type is None:
            raise self.error(node, f"expected a number, got {describe(value)}")
        if isinstance(t, Struct) or isinstance(value.type, Struct):
            if t != value.type:
                raise self.error(node, f"expected a {t}, got a {value.type}")
            return value.code
        if T.is_complex(t):
            return self.as_complex(value, t)
        if T.is_complex(value.type):
            raise self.error(node, f"a complex number for a {t}: use its .real, or abs of it")
        if value.const is not MISSING and not isinstance(value.const, (str, bytes)):
            return self.constant_as(value, t, node)
        if T.C_TYPES[value.type] == T.C_TYPES[t]:
            return value.code
        if T.is_bool(t):
            return f"({strip(value.code)} != 0)"
        atom = value.code[0] == "(" or is_atom(value.code)
        return f"({T.C_TYPES[t]}){value.code}" if atom else f"({T.C_TYPES[t]})({value.code})"

    def constant_as(self, value: Val, t, node) -> str:
        v = value.const
        if T.is_integer(t):
            if isinstance(v, float) and not math.isfinite(v):
                raise self.error(node, f"{v} for a {t}")
            low, high = T.limits(t)
            if value.type == INT and not low <= int(v) <= high:
                raise self.error(node, f"{v} is out of bounds for {t}, which has {low} to {high}")
            v = (int(v) - low) % (high - low + 1) + low
        return constant(v, t)

    def as_complex(self, value: Val, t) -> str:
        self.complex_type(t)
        c = T.C_TYPES[t]
        real = "f32" if t == "c64" else "f64"
        if isinstance(value.const, complex):
            return f"{c}_of({constant(value.const.real, real)}, {constant(value.const.imag, real)})"
        if T.C_TYPES[value.type] == c:
            return value.code
        if T.is_complex(value.type):
            return f"{c}_of(({T.C_TYPES[real]}){wrap(value.code)}.re, ({T.C_TYPES[real]}){wrap(value.code)}.im)"
        return f"{c}_of({strip(self.cast(value, real))}, 0)"

    def truth(self, value: Val, node=None) -> str:
        """bool(value) in C."""
        if not T.is_number(value.type):
            raise self.error(node, f"the truth of {describe(value)}: compare it with something")
        if T.is_bool(value.type):
            return value.code
        if T.is_complex(value.type):
            return f"!{self.helper('equal', value.type)}({value.code}, {T.C_TYPES[value.type]}_of(0, 0))"
        return f"({strip(value.code)} != 0)" if is_atom(value.code) else f"({value.code} != 0)"

    # ---- one operand ----

    def unary(self, node, op, value: Val) -> Val:
        t = INT if value.type == BOOL else value.type
        if value.const is not MISSING and (t in T.WEAK or isinstance(op, ast.USub) and T.is_float(t)):
            table = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
            return self.folded(node, lambda: table[type(op)](value.const))
        if isinstance(op, ast.UAdd):
            return Val(value.code, t, nonneg=value.nonneg)
        if isinstance(op, ast.Invert):
            if t == NP_BOOL:
                return Val(f"!{wrap(value.code)}", NP_BOOL)
            if not T.is_integer(t):
                raise self.error(node, f"~ of a {t}: it takes integers and bools")
            return Val(f"(({T.C_TYPES[t]})~{wrap(self.cast(value, t))})", t, nonneg=t in T.UNSIGNED)
        if t == NP_BOOL:
            raise self.error(node, "- of a NumPy bool: write `not x`, or 1 - x")
        if T.is_complex(t):
            return Val(f"{self.helper('neg', t)}({value.code})", t)
        if T.is_float(t) or t == INT:
            return Val(f"(-{wrap(self.cast(value, t))})", t)
        return Val(f"(({T.C_TYPES[t]})(0 - ({c_helpers.unsigned_of(t)}){wrap(value.code)}))", t, nonneg=t in T.UNSIGNED)

    def folded(self, node, compute) -> Val:
        """An operation on constants of Python, done by Python."""
        try:
            result = compute()
        except (ArithmeticError, ValueError, TypeError) as why:
            raise self.error(node, f"{why} in `{ast.unparse(node)}`")
        if isinstance(result, int) and not -(2**63) <= result < 2**64:
            raise self.error(node, f"`{ast.unparse(node)}` has more than 64 bits: integers of kernels have 64")
        return const_val(result)

    # ---- two operands ----

    def binary(self, node, op, a: Val, b: Val) -> Val:
        """The value of `a op b`. op: an operator of ast."""
        word = WORDS[type(op)]
        if word == "@":
            raise self.error(node, "`@` is not supported in kernels: write a loop over the sum")
        for v in (a, b):
            if not T.is_number(v.type):
                listed = getattr(v.ref, "listed", False) and word == "*"
                instead = "use minx.local(n, float), an array of zeros" if listed else "expected numbers, such as elements of arrays"
                raise self.error(node, f"`{word}` of {describe(v)}: {instead}")
        if a.const is not MISSING and b.const is not MISSING and a.type in T.WEAK and b.type in T.WEAK:
            return self.folded(node, lambda: FOLD[word](a.const, b.const))
        t = T.combine(a.type, b.type)
        if T.is_bool(t):
            if word in "&|^":
                return Val(f"({a.code} {word} {b.code})", t)
            if t == NP_BOOL and word in "+*":
                return Val(f"({a.code} {'|' if word == '+' else '&'} {b.code})", t)
            if t == NP_BOOL and word == "-":
                raise self.error(node, "- of NumPy bools: write a ^ b, or int(a) - int(b)")
            t = INT if t == BOOL else "i8"
        if word == "/":
            return self.divide(a, b, t)
        if word == "**":
            return self.power(node, a, b, t)
        if T.is_complex(t):
            if word not in COMPLEX_NAMES:
                raise self.error(node, f"`{word}` of complex numbers")
            return Val(f"{self.helper(COMPLEX_NAMES[word], t)}({self.cast(a, t)}, {self.cast(b, t)})", t)
        if T.is_float(t) and word not in ("+", "-", "*", "//", "%"):
            power = "; a power is `**`" if word == "^" else ""
            raise self.error(node, f"`{word}` of a {a.type if T.is_float(a.type) else b.type}: it takes integers{power}")
        nonneg = (
            t in T.UNSIGNED
            or a.nonneg
            and b.nonneg
            and (t == INT and word != "-" or word in ("//", "%", "&", "|", "^", ">>"))
        )
        if word in ("//", "%"):
            return self.floor(node, word, a, b, t, nonneg)
        if word in ("<<", ">>"):
            return self.shift(node, word, a, b, t, nonneg)
        left, right = (
            getattr(node, f, node) for f in (("left", "right") if isinstance(node, ast.BinOp) else ("target", "value"))
        )
        return Val(self.operate(word, self.cast(a, t, left), self.cast(b, t, right), t), t, nonneg=nonneg)

    def operate(self, word, x: str, y: str, t: str) -> str:
        """+ - * & | ^ of two codes of one type."""
        if T.is_float(t) or t in (INT, "u64", "u32"):
            return f"({x} {word} {y})"
        if word in "&|^" or t in ("u8", "u16") and word != "*":
            return f"(({T.C_TYPES[t]})({x} {word} {y}))"
        u = c_helpers.unsigned_of(t)
        return f"(({T.C_TYPES[t]})(({u}){wrap(x)} {word} ({u}){wrap(y)}))"

    def divide(self, a, b, t):
        if T.is_complex(t):
            return Val(f"{self.helper('div', t)}({self.cast(a, t)}, {self.cast(b, t)})", t)
        if not T.is_float(t):
            t = FLOAT if t == INT else "f64"
        return Val(f"({self.cast(a, t)} / {self.cast(b, t)})", t)

    def divisor(self, node, b: Val, y: str, t: str) -> str:
        """The code of an integer that something is divided by; where kernels check, 0 is an error."""
        if not self.spec.checked or b.const is not MISSING:
            return y
        self.helper("divisor")
        text = c_string(f"integer division by zero: `{ast.unparse(node)}`"[:63])
        return f"PY_DIVISOR({T.C_TYPES[t]}, {strip(y)}, {text})"

    def floor(self, node, word, a, b, t, nonneg):
        name = "floordiv" if word == "//" else "mod"
        if T.is_float(t):
            return Val(f"{self.helper(name, t)}({strip(self.cast(a, t))}, {strip(self.cast(b, t))})", t)
        if b.const == 0 and b.const is not MISSING:
            raise self.error(node, f"integer division by zero in `{ast.unparse(node)}`")
        x, y = self.cast(a, t, node), self.cast(b, t, node)
        if b.const is not MISSING and b.const > 0 and (nonneg or t in T.UNSIGNED):
            code = f"({x} {'/' if word == '//' else '%'} {y})"
            return Val(code if t in (INT, "i64", "u64", "i32", "u32") else f"(({T.C_TYPES[t]}){code})", t, nonneg=True)
        y = self.divisor(node, b, y, t)
        return Val(f"{self.helper(name, t)}({strip(x)}, {strip(y)})", t, nonneg=nonneg or word == "%" and b.nonneg)

    def shift(self, node, word, a, b, t, nonneg):
        x = self.cast(a, t, node)
        if b.const is not MISSING and 0 <= b.const < T.bits(t):
            if word == ">>":
                return Val(f"(({T.C_TYPES[t]})({x} >> {b.const}))", t, nonneg=nonneg)
            return Val(f"(({T.C_TYPES[t]})(({c_helpers.unsigned_of(t)}){wrap(x)} << {b.const}))", t, nonneg=nonneg)
        if b.const is not MISSING and b.const < 0:
            raise self.error(node, f"negative shift count in `{ast.unparse(node)}`")
        name = self.helper("lshift" if word == "<<" else "rshift", t)
        return Val(f"{name}({strip(x)}, {strip(self.cast(b, t, node))})", t, nonneg=nonneg)

    def power(self, node, a, b, t):
        n = b.const
        if isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= 8:
            base = t if T.is_bool(a.type) else T.combine(a.type, t) if T.is_integer(t) else t
            return Val(f"{self.product(n, base)}({strip(self.cast(a, base))})", base,
                       nonneg=base in T.UNSIGNED or base == INT and (a.nonneg or n % 2 == 0))
        if T.is_complex(t):
            return Val(f"{self.helper('pow', t)}({self.cast(a, t)}, {self.cast(b, t)})", t)
        if not T.is_float(t) and n is not MISSING and n < 0:
            if t != INT:
                raise self.error(node, "an integer to a negative power: convert it to a float first")
            t = FLOAT
        if T.is_float(t):
            return Val(f"pow{'f' if t == 'f32' else ''}({strip(self.cast(a, t))}, {strip(self.cast(b, t))})", t)
        return Val(
            f"{self.helper('pow', t)}({strip(self.cast(a, t))}, {strip(self.cast(b, t))})",
            t,
            nonneg=a.nonneg and t == INT,
        )

    def product(self, n: int, t: str) -> str:
        """A function for x ** n by squares: x, x*x, x*x*x, (x*x)*(x*x), ..."""
        t = T.strong(t)
        c, name = self.c_type(t), f"pyh_pow{n}_{t}"
        lines, factors, square = [], [], "x"
        for bit in range(n.bit_length()):
            if bit:
                lines.append(f"    const {c} x{bit} = {self.times(square, square, t)};")
                square = f"x{bit}"
            if n >> bit & 1:
                factors.append(square)
        result = factors[-1]
        for factor in factors[-2::-1]:
            result = self.times(result, factor, t)
        body = "".join(line + "\n" for line in lines)
        self.unit.helpers.setdefault(name, f"MX_BODY {c} {name}({c} x)\n{{\n{body}    return {strip(result)};\n}}")
        return name

    def times(self, x, y, t):
        return f"{self.helper('mul', t)}({x}, {y})" if T.is_complex(t) else self.operate("*", x, y, t)

    # ---- comparisons ----

    def comparison(self, node, op) -> str:
        if type(op) not in COMPARE:
            instead = "write a loop that compares" if isinstance(op, (ast.In, ast.NotIn)) else "write == or !="
            raise self.error(node, f"`{ast.unparse(node)}`: kernels have the comparisons < <= > >= == !=; {instead}")
        return COMPARE[type(op)]

    def compare(self, node, op, a: Val, b: Val) -> Val:
        word = self.comparison(node, op)
        result = BOOL if a.type in T.WEAK and b.type in T.WEAK else NP_BOOL
        if a.const is not MISSING and b.const is not MISSING and result == BOOL:
            return const_val(
                {
                    "<": operator.lt,
                    "<=": operator.le,
                    ">": operator.gt,
                    ">=": operator.ge,
                    "==": operator.eq,
                    "!=": operator.ne,
                }[word](a.const, b.const)
            )
        t = T.combine(a.type, b.type)
        if T.is_complex(t):
            if word not in ("==", "!="):
                raise self.error(node, f"`{word}` of complex numbers: they have no order")
            code = f"{self.helper('equal', t)}({self.cast(a, t)}, {self.cast(b, t)})"
            return Val(code if word == "==" else f"!{code}", result)
        kinds = {T.kind(a.type), T.kind(b.type)}
        if FLOAT not in kinds and kinds != {BOOL}:
            return Val(self.compare_integers(word, a, b), result)
        return Val(f"({self.cast(a, t)} {word} {self.cast(b, t)})", result)

    def compare_integers(self, word, a: Val, b: Val) -> str:
        types = {INT if T.is_bool(v.type) else v.type for v in (a, b)}
        if all(v.const is MISSING for v in (a, b)) and len(types) == 1:
            return f"({a.code} {word} {b.code})"
        if "u64" not in types and not any(isinstance(v.const, int) and v.const >= 2**63 for v in (a, b)):
            return f"({self.cast(a, INT)} {word} {self.cast(b, INT)})"
        if all(v.nonneg or v.type == "u64" for v in (a, b)):
            return f"({self.cast(a, 'u64')} {word} {self.cast(b, 'u64')})"
        if b.type != "u64":  # a is u64 then: a < b is b > a
            a, b = b, a
            word = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(word, word)
        x, y = strip(self.cast(a, INT)), strip(self.cast(b, "u64"))
        if word in ("==", "!="):
            return f"{'!' if word == '!=' else ''}{self.helper('equal_iu')}({x}, {y})"
        less = f"{self.helper('less_iu')}({x}, {y})" if word in ("<", ">=") else f"{self.helper('less_ui')}({y}, {x})"
        return less if word in ("<", ">") else f"!{less}"

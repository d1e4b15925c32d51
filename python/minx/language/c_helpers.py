"""The C functions that translated kernels call where C's operators mean something else than Python's.

A helper is made for a type when a kernel needs it: text(name, type) gives its definition. {t} is the type's name, {c}
its C type, {u} the unsigned type to compute in (its overflow wraps, where that of a signed one is undefined), {n} its
bits, {s} the suffix of functions for float."""

from __future__ import annotations

from .. import types as T

INTEGERS = {
    # NumPy gives 0 for a divisor of 0; the lowest number divided by -1 wraps
    "floordiv": """\
MX_BODY {c} pyh_floordiv_{t}({c} a, {c} b)
{{
    if (b == 0) return 0;
    if (b == -1) return ({c})(0 - ({u})a);
    return ({c})(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));
}}""",
    "mod": """\
MX_BODY {c} pyh_mod_{t}({c} a, {c} b)
{{
    if (b == 0 || b == -1) return 0;
    const {c} r = ({c})(a % b);
    return ({c})(r + (r != 0 && (r < 0) != (b < 0) ? b : 0));
}}""",
    "pow": """\
MX_BODY {c} pyh_pow_{t}({c} base, {c} n)
{{
    {u} r = 1, b = ({u})base;
    if (n < 0) return 0;
    for (; n > 0; n = ({c})(n / 2), b *= b)
        if (n % 2 == 1) r *= b;
    return ({c})r;
}}""",
    "lshift": "MX_BODY {c} pyh_lshift_{t}({c} a, {c} n) {{ return ({c})(n >= 0 && n < {n} ? ({u})a << n : 0); }}",
    "rshift": "MX_BODY {c} pyh_rshift_{t}({c} a, {c} n)\n"
              "{{\n    return ({c})(n >= 0 && n < {n} ? a >> n : a < 0 ? -1 : 0);\n}}",
    "abs": "MX_BODY {c} pyh_abs_{t}({c} a) {{ return ({c})(a < 0 ? 0 - ({u})a : ({u})a); }}",
}
NATURALS = {  # of unsigned types: without comparisons that are always true
    "floordiv": "MX_BODY {c} pyh_floordiv_{t}({c} a, {c} b) {{ return ({c})(b == 0 ? 0 : a / b); }}",
    "mod": "MX_BODY {c} pyh_mod_{t}({c} a, {c} b) {{ return ({c})(b == 0 ? 0 : a % b); }}",
    "pow": INTEGERS["pow"].replace("    if (n < 0) return 0;\n", ""),
    "lshift": "MX_BODY {c} pyh_lshift_{t}({c} a, {c} n) {{ return ({c})(n < {n} ? ({u})a << n : 0); }}",
    "rshift": "MX_BODY {c} pyh_rshift_{t}({c} a, {c} n) {{ return ({c})(n < {n} ? a >> n : 0); }}",
    "abs": "MX_BODY {c} pyh_abs_{t}({c} a) {{ return a; }}",
}
FLOATS = {  # as NumPy's divmod: the sign of the divisor, also of a zero; exact where the quotient is near an integer
    "mod": """\
MX_BODY {c} pyh_mod_{t}({c} a, {c} b)
{{
    const {c} r = fmod{s}(a, b);
    if (b == 0) return r;
    if (r == 0) return copysign{s}(0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}}""",
    "floordiv": """\
MX_BODY {c} pyh_floordiv_{t}({c} a, {c} b)
{{
    const {c} r = fmod{s}(a, b);
    if (b == 0) return a / b;
    const {c} q = (a - r) / b - (r != 0 && (r < 0) != (b < 0) ? 1 : 0);
    if (q == 0) return copysign{s}(0, a / b);
    const {c} whole = floor{s}(q);
    return q - whole > ({c})0.5 ? whole + 1 : whole;
}}""",
}
NUMBERS = {
    # Python's min and max, and NumPy's, which give NaN if either is
    "min": "MX_BODY {c} pyh_min_{t}({c} a, {c} b) {{ return b < a ? b : a; }}",
    "max": "MX_BODY {c} pyh_max_{t}({c} a, {c} b) {{ return a < b ? b : a; }}",
    "minimum": "MX_BODY {c} pyh_minimum_{t}({c} a, {c} b) {{ return a < b || a != a ? a : b; }}",
    "maximum": "MX_BODY {c} pyh_maximum_{t}({c} a, {c} b) {{ return a > b || a != a ? a : b; }}",
    "sign": "MX_BODY {c} pyh_sign_{t}({c} a) {{ return a > 0 ? 1 : a < 0 ? ({c})-1 : a; }}",
}
MIXED = {  # signed with u64: C would convert the signed one
    "less_iu": "MX_BODY bool pyh_less_iu(int64_t a, uint64_t b) { return a < 0 || (uint64_t)a < b; }",
    "less_ui": "MX_BODY bool pyh_less_ui(uint64_t a, int64_t b) { return b >= 0 && a < (uint64_t)b; }",
    "equal_iu": "MX_BODY bool pyh_equal_iu(int64_t a, uint64_t b) { return a >= 0 && (uint64_t)a == b; }",
    # where the indices of a slice begin and end: Python's rules
    "bound": "MX_BODY int64_t pyh_bound(int64_t i, int64_t n)\n"
             "{\n    const int64_t k = i < 0 ? i + n : i;\n    return k < 0 ? 0 : k > n ? n : k;\n}",
    "count": "MX_BODY int64_t pyh_count(int64_t begin, int64_t end, int64_t step)\n"
             "{\n    return end <= begin ? 0 : (end - begin + step - 1) / step;\n}",
    "normal": "MX_BODY double pyh_normal(mx_random *r)\n"
              "{\n    double x, y;\n    mx_random_normal(r, &x, &y);\n    return x;\n}",
}
COMPLEX_TYPE = "typedef struct {c} {{\n    {r} re, im;\n}} {c};\n"
COMPLEX = {
    "of": "MX_BODY {c} {c}_of({r} re, {r} im)\n{{\n    {c} z;\n    z.re = re;\n    z.im = im;\n    return z;\n}}",
    "add": "MX_BODY {c} {c}_add({c} a, {c} b) {{ return {c}_of(a.re + b.re, a.im + b.im); }}",
    "sub": "MX_BODY {c} {c}_sub({c} a, {c} b) {{ return {c}_of(a.re - b.re, a.im - b.im); }}",
    "mul": "MX_BODY {c} {c}_mul({c} a, {c} b)\n"
           "{{\n    return {c}_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);\n}}",
    # the larger part of the divisor is divided by, so that squares do not overflow (Smith, CACM 5, 1962)
    "div": """\
MX_BODY {c} {c}_div({c} a, {c} b)
{{
    if (fabs{s}(b.re) >= fabs{s}(b.im)) {{
        if (b.re == 0 && b.im == 0) return {c}_of(a.re / fabs{s}(b.re), a.im / fabs{s}(b.re));
        const {r} ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
        return {c}_of((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }}
    const {r} ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
    return {c}_of((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}}""",
    "abs": "MX_BODY {r} {c}_abs({c} z) {{ return hypot{s}(z.re, z.im); }}",
    "conj": "MX_BODY {c} {c}_conj({c} z) {{ return {c}_of(z.re, -z.im); }}",
    "neg": "MX_BODY {c} {c}_neg({c} z) {{ return {c}_of(-z.re, -z.im); }}",
    "equal": "MX_BODY bool {c}_equal({c} a, {c} b) {{ return a.re == b.re && a.im == b.im; }}",
    "exp": "MX_BODY {c} {c}_exp({c} z)\n"
           "{{\n    const {r} e = exp{s}(z.re);\n    return {c}_of(e * cos{s}(z.im), e * sin{s}(z.im));\n}}",
    "log": "MX_BODY {c} {c}_log({c} z) {{ return {c}_of(log{s}({c}_abs(z)), atan2{s}(z.im, z.re)); }}",
    "sqrt": """\
MX_BODY {c} {c}_sqrt({c} z)
{{
    const {r} size = sqrt{s}((fabs{s}(z.re) + {c}_abs(z)) / 2);
    if (size == 0) return {c}_of(0, z.im);
    return z.re >= 0 ? {c}_of(size, z.im / (2 * size)) : {c}_of(fabs{s}(z.im) / (2 * size), copysign{s}(size, z.im));
}}""",
    "pow": """\
MX_BODY {c} {c}_pow({c} z, {c} w)
{{
    if (w.re == 0 && w.im == 0) return {c}_of(1, 0);
    if (z.re == 0 && z.im == 0) return {c}_of(0, 0);
    return {c}_exp({c}_mul(w, {c}_log(z)));
}}""",
}
CHECKS = {  # of kernels that check: what they found is the error of the next fence
    "divisor": """\
#define PY_DIVISOR(c, b, text) ((c)pyh_divisor(mx_fault, (int64_t)(b), text, __FILE__, __LINE__))
MX_BODY int64_t pyh_divisor(mx_fault_ *fault, int64_t b, const char *text, const char *file, int line)
{
    if (b == 0) (void)mx_fault_record_(fault, 0, text, -1, 0, 0, 0, file, line);
    return b;
}""",
    "assert": """\
#define PY_ASSERT(condition, text) \\
    do { \\
        if (!(condition)) (void)mx_fault_record_(mx_fault, 0, text, -1, 0, 0, 0, __FILE__, __LINE__); \\
    } while (0)""",
}
CHECKS["index"] = """\
#define PY_INDEX(i, n, text) pyh_index(mx_fault, i, n, text, __FILE__, __LINE__)
MX_BODY int64_t pyh_index(mx_fault_ *fault, int64_t i, int64_t n, const char *text, const char *file, int line)
{
    if (i >= 0 && i < n) return i;
    (void)mx_fault_record_(fault, 0, text, -1, 0, 0, 0, file, line);
    return 0;
}"""


def unsigned_of(t: str) -> str:
    """The type in which operations on an integer type are computed."""
    return "uint64_t" if T.bits(t) == 64 else "uint32_t"


def text(name: str, t: str) -> str:
    """A helper's definition for a type. KeyError: there is none."""
    if T.is_complex(t):
        real, c = ("float", "pyt_c64") if t == "c64" else ("double", "pyt_c128")
        return COMPLEX[name].format(c=c, r=real, s="f" if t == "c64" else "")
    c = T.C_TYPES[t]
    if T.is_float(t):
        table = FLOATS if name in FLOATS else NUMBERS
        return table[name].format(t=t, c=c, s="f" if t == "f32" else "")
    table = NUMBERS if name in NUMBERS else NATURALS if t in T.UNSIGNED else INTEGERS
    n = T.bits(t)
    out = table[name].format(t=t, c=c, u=unsigned_of(t), n=n)
    if name == "sign" and t in T.UNSIGNED:
        return f"MX_BODY {c} pyh_sign_{t}({c} a) {{ return a > 0; }}"
    return out


def complex_text(t: str) -> str:
    """The type of a complex number. C has one of its own, but CUDA C++ does not have that."""
    real, c = ("float", "pyt_c64") if t == "c64" else ("double", "pyt_c128")
    return COMPLEX_TYPE.format(c=c, r=real) + COMPLEX["of"].format(c=c, r=real)


NEEDS = {"log": ("abs",), "sqrt": ("abs",), "pow": ("abs", "mul", "exp", "log")}  # of complex helpers

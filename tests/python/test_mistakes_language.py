"""Mistakes in kernels: each is a SyntaxError with the file, the line and the columns of the text that is wrong, and
says what to write instead. The text that an error has to mark is named beside each kernel; it is on the line with the
comment `# here`."""

import random
import time

import numpy as np
import pytest

import minx
from mistakes import Mistakes, check

A1, A2, I1 = np.zeros(4), np.zeros((4, 3)), np.zeros(4, np.int32)
RECORDS = np.zeros(4, [("x", "f8"), ("n", "i4")])
N, WORDS, LIST = 3, "text", [1, 2]
HUGE, RAGGED, OPTIONS = 2**70, ((1, 2), (3,)), {"dt": 0.1}


mistake = MISTAKES = Mistakes(A1)


# ---- statements that kernels do not have ----


@mistake("`with` is not supported in kernels: open and close outside of the kernel", "with a: pass", A1)
def with_statement(i, a):
    with a: pass  # here


@mistake("`try` is not supported in kernels: test for the mistake before it happens", "try: a[i] = 1  # here")
def try_statement(i, a):
    try: a[i] = 1  # here
    except ValueError: pass


@mistake(
    "`raise` is not supported in kernels: use `assert`, which checked mode reports, or store an error code in an array",
    "raise ValueError(i)",
)
def raise_statement(i, a):
    raise ValueError(i)  # here


@mistake("`import` is not supported in kernels: import outside of the kernel", "import math")
def import_statement(i, a):
    import math  # here


@mistake("`import` is not supported in kernels: import outside of the kernel", "from math import sin")
def from_import(i, a):
    from math import sin  # here


@mistake(
    "`global` is not supported in kernels: kernels cannot assign variables of outside: "
    "pass an array of one element, or reduce",
    "global N",
)
def global_statement(i, a):
    global N  # here
    N = i


def around():
    n = 0

    @mistake(
        "`nonlocal` is not supported in kernels: kernels cannot assign variables of outside: "
        "pass an array of one element, or reduce",
        "nonlocal n",
    )
    def nonlocal_statement(i, a):
        nonlocal n  # here
        n = i


around()


@mistake("`yield` is not supported in kernels: store values in an array", "yield i")
def yield_expression(i, a):
    a[i] = yield i  # here


@mistake("`del` is not supported in kernels: a variable ends with its function", "del x")
def del_statement(i, a):
    x = 1
    del x  # here


@mistake("a class is not supported in kernels: define it outside of the kernel", "class B: pass")
def class_statement(i, a):
    class B: pass  # here


@mistake(
    "a function inside a kernel is not supported in kernels: define it outside; in a team kernel, write a loop over "
    "team.threads(n)",
    "def f(): return 1",
)
def inner_function(i, a):
    def f(): return 1  # here


@mistake("`match` is not supported in kernels: use `if` and `elif`", "match i:  # here")
def match_statement(i, a):
    match i:  # here
        case 0:
            a[i] = 1


# ---- expressions that kernels do not have ----


@mistake(
    "a list comprehension is not supported in kernels: write a loop; minx.local(n, float) is a local array",
    "[k for k in range(3)]",
)
def list_comprehension(i, a):
    b = [k for k in range(3)]  # here


@mistake("a generator expression is not supported in kernels: write a loop", "(k for k in range(3))")
def generator(i, a):
    b = (k for k in range(3))  # here


@mistake("a dict is not supported in kernels: use an array with integer indices, or a record", "{1: 2}")
def dict_expression(i, a):
    b = {1: 2}  # here


@mistake("a set is not supported in kernels: use an array", "{1, 2}")
def set_expression(i, a):
    b = {1, 2}  # here


@mistake("a lambda is not supported in kernels: define a function outside of the kernel", "lambda v: v")
def lambda_expression(i, a):
    f = lambda v: v  # here


@mistake("`:=` is not supported in kernels: assign in a statement of its own", "n := i")
def walrus(i, a):
    a[i] = (n := i)  # here


@mistake("an f-string is not supported in kernels: only print has them", 'f"{i}"')
def f_string(i, a):
    a[i] = f"{i}"  # here


@mistake("an element gets a string: expected a number", 'a[i] = "x"')
def string(i, a):
    a[i] = "x"  # here


@mistake("s is a string: variables of kernels are numbers, arrays and objects of numbers", "s")
def string_variable(i, a):
    s = "x"  # here


@mistake("None is not supported in kernels: they have numbers", "None")
def none(i, a):
    a[i] = None  # here


@mistake("`@` is not supported in kernels: write a loop over the sum", "a[i] @ a[i]")
def matmul(i, a):
    a[i] = a[i] @ a[i]  # here


@mistake("`i in (1, 2)`: kernels have the comparisons < <= > >= == !=; write a loop that compares", "i in (1, 2)")
def membership(i, a):
    if i in (1, 2): a[i] = 1  # here


@mistake("`i is N`: kernels have the comparisons < <= > >= == !=; write == or !=", "i is N")
def identity(i, a):
    if i is N: a[i] = 1  # here


# ---- names ----


@mistake("no_such_name is not defined", "no_such_name")
def unknown_name(i, a):
    a[i] = no_such_name  # here


@mistake("t is read before it is assigned", "t")
def before_assignment(i, a):
    a[i] = t  # here
    t = 1


@mistake("LIST is a list of outside, which may change: pass an array, or make it a tuple", "LIST")
def list_of_outside(i, a):
    a[i] = LIST[0]  # here


@mistake("A2 is an array of outside: pass it as an argument", "A2")
def array_of_outside(i, a):
    a[i] = A2[i, 0]  # here


@mistake("HUGE has more than 64 bits: integers of kernels have 64", "HUGE")
def huge_constant(i, a):
    a[i] = HUGE  # here


@mistake(
    "an index that is no constant, of a tuple whose elements have different forms: expected numbers, or tuples of as many "
    "numbers each",
    "RAGGED[i]",
)
def ragged_tuple(i, a):
    a[i] = RAGGED[i][0]  # here


@mistake("np has no nothing", "np.nothing")
def missing_attribute(i, a):
    a[i] = np.nothing  # here


@mistake("sum cannot be called in kernels: write a loop that adds, or parallel_reduce", "sum(a)")
def builtin_sum(i, a):
    a[i] = sum(a)  # here


@mistake("np.dot cannot be called in kernels: they have NumPy's functions of numbers; write a loop over the elements", "np.dot(a, a)")
def numpy_function(i, a):
    a[i] = np.dot(a, a)  # here


@mistake("an array of 1 dimension is called, but is no function: write a[i]", "a(i)")
def called_array(i, a):
    a[i] = a(i)  # here


# ---- types ----


@mistake("x is an array of 1 dimension and a float: use another name", "x")
def array_then_number(i, a):
    x = a
    x = 1.5  # here


@mistake("x is an int and an array of 1 dimension: use another name", "x = a")
def number_then_array(i, a):
    x = 1
    x = a  # here


@mistake("r is something else outside of this branch or loop: use another name", "r = b")
def array_by_branch(i, a, b):
    r = a
    if i > 1:
        r = b  # here
    a[i] = r[i]


MISTAKES[-1] = pytest.param(
    array_by_branch, *MISTAKES[-1].values[1:3], (A1, A1.copy()), 4, minx.parallel_for, id="array_by_branch"
)


@mistake("300 is out of bounds for u8, which has 0 to 255", "300", np.zeros(4, np.uint8))
def out_of_bounds(i, a):
    a[i] = a[i] + 300  # here


@mistake("`&` of an f64: it takes integers", "a[i] & 1")
def bits_of_float(i, a):
    a[i] = a[i] & 1  # here


@mistake("`<` of complex numbers: they have no order", "z[i] < 1", np.zeros(4, complex))
def order_of_complex(i, z):
    if z[i] < 1: z[i] = 0  # here


@mistake("a complex number for an f64: use its .real, or abs of it", "a[i] = 1j")
def complex_for_real(i, a):
    a[i] = 1j  # here


@mistake("- of NumPy bools: write a ^ b, or int(a) - int(b)", "b[i] - b[i]", np.zeros(4, bool))
def bool_difference(i, b):
    b[i] = b[i] - b[i]  # here


@mistake("integer division by zero in `i // 0`", "i // 0")
def division_by_zero(i, a):
    a[i] = i // 0  # here


@mistake("expected a number, got an array of 1 dimension", "a + 1", A1)
def whole_array(i, a):
    a[i] = a + 1  # here


MISTAKES[-1] = pytest.param(
    whole_array,
    "`+` of an array of 1 dimension: expected numbers, such as elements of arrays",
    "a + 1",
    (A1,),
    4,
    minx.parallel_for,
    id="whole_array",
)


@mistake("the truth of an array of 1 dimension: compare it with something", "a")
def truth_of_array(i, a):
    if a: a[i] = 1  # here


@mistake("a float for a variable of type i64: convert it, as in int(...)", "2.5")
def annotated(i, a):
    n: int = 2.5  # here
    a[i] = n


# ---- indices and stores ----


@mistake("1 index for an array of 2 dimensions: assign element by element", "a[i]", A2)
def too_few_indices(i, a):
    a[i] = 1.0  # here


@mistake("3 indices for an array of 2 dimensions", "a[i, 0, 1]", A2)
def too_many_indices(i, a):
    a[i, 0, 1] = 1.0  # here


@mistake("an index is an integer, got a float", "0.5", A2)
def float_index(i, a):
    a[i, 0.5] = 1.0  # here


@mistake("an index is an integer, got a b8", "a[i] > 0")
def bool_index(i, a):
    a[a[i] > 0] = 1.0  # here


@mistake("an assignment to a part of an array of 1 dimension: write a loop that assigns its elements", "a[i, :]", A2)
def slice_store(i, a):
    a[i, :] = 0  # here


@mistake("`N.real` is not a place that a kernel can store to", "N.real")
def store_to_constant(i, a):
    N.real = i  # here


@mistake("index 5 of a dimension of 3", "5")
def local_index(i, a):
    w = minx.local(3)
    a[i] = w[5]  # here


@mistake("a record has x, n; not y", 'r[i]["y"]', RECORDS)
def unknown_field(i, r):
    r[i]["y"] = 1  # here


@mistake("the shape of a local array is made of constants: pass an array for one that is not", "i")
def local_shape(i, a):
    w = minx.local(i)  # here


@mistake("a step of 0", "0")
def step_of_zero(i, a):
    for k in range(0, 3, 0):  # here
        a[i] = k


@mistake("range takes integers, got a float", "2.5")
def float_range(i, a):
    for k in range(2.5):  # here
        a[i] = k


@mistake(
    "a loop over an array of 1 dimension: a loop goes over range(...), minx.simd(range(...)), minx.unroll(range(...)) "
    "or a team's "
    "threads, lanes or items",
    "a",
)
def loop_over_array(i, a):
    for v in a:  # here
        a[i] = v


# ---- functions ----


def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1  # here


@mistake("factorial calls itself: recursion is not supported in kernels; write a loop", "factorial(n - 1)")
def recursion(i, a):
    a[i] = factorial(i)


def two(x, y=1):
    return x + y


def mixed(x):
    if x > 1:
        return 1.0, 2
    return 5  # here


@mistake("two has no parameter z, but x, y", "two(i, z=2)")
def unknown_keyword(i, a):
    a[i] = two(i, z=2)  # here


@mistake("two takes 2 arguments, got 3", "two(i, 1, 2)")
def too_many_arguments(i, a):
    a[i] = two(i, 1, 2)  # here


@mistake("two takes 2 arguments: x is missing", "two()")
def missing_argument(i, a):
    a[i] = two()  # here


@mistake("a function that returns a tuple of 2 elsewhere returns an int here: convert one of them", "return 5")
def two_kinds_of_result(i, a):
    r, s = mixed(i)


def starred(*values):
    return values[0]


@mistake("starred has parameters with `*`: functions that kernels call name each one", "starred(i)")
def variable_arguments(i, a):
    a[i] = starred(i)  # here


@mistake("`*` in a call is not supported in kernels: name each argument", "*a")
def star_in_call(i, a):
    a[i] = two(*a)  # here


@mistake("parallel_for has no result: parallel_reduce has", "return a[i]")
def result_of_for(i, a):
    return a[i]  # here


@mistake("3 values are assigned to 2 names", "x, y = 1, 2, 3")
def wrong_tuple(i, a):
    x, y = 1, 2, 3  # here


@mistake("atomic_and of an f64: it is on integers", "minx.atomic_and(a, i, 1)")
def atomic_on_floats(i, a):
    minx.atomic_and(a, i, 1)  # here


@mistake(
    "atomic_add of an i16: atomics are on f64, f32, i32, i64, u32, u64",
    "minx.atomic_add(a, i, 1)",
    np.zeros(4, np.int16),
)
def atomic_on_small(i, a):
    minx.atomic_add(a, i, 1)  # here


@mistake("`break` out of a loop that threads or lanes share: all of its items run", "break")
def break_of_simd(i, a):
    for k in minx.simd(range(4)):
        if k == 2: break  # here


@mistake("an element of a list of i64 gets an f64: the list has to begin with such numbers, as in [0.0, 0.0]", "sums[0] += a[i]")
def float_in_a_list_of_integers(i, a):
    sums = [0, 0]
    sums[0] += a[i]  # here


@mistake("an element of a list of b8 gets an int: the list has to begin with such numbers, as in [0, 0]", "elements[0] = i")
def number_in_a_list_of_bools(i, a):
    seen = [False, False]
    put(seen, i)


def put(elements, i):
    elements[0] = i  # here


@mistake("`*` of an array of 1 dimension: use minx.local(n, float), an array of zeros", "[0] * 3")
def repeated_list(i, a):
    w = [0] * 3  # here


@mistake("a list of lists or tuples: use minx.local((2, 3), float)", "[1, 2, 3]")
def list_of_lists(i, a):
    w = [[1, 2, 3], [4, 5, 6]]  # here


@mistake("an expression without effect: store its value, or call a function", "a[i]")
def no_effect(i, a):
    a[i]  # here


# ---- what beginners write ----


@mistake("a loop has one variable: write `for k in range(len(a))`, and a[k]", "k, v")
def two_loop_variables(i, a):
    for k, v in enumerate(a): a[i] += v  # here


@mistake("`^` of an f64: it takes integers; a power is `**`", "a[i]^2")
def power_by_caret(i, a):
    a[i] = a[i]^2  # here


@mistake("atomic_add takes an array, an index and a value, as in minx.atomic_add(a, i, 1)", "minx.atomic_add(a[0], 1.0)")
def atomic_of_an_element(i, a):
    minx.atomic_add(a[0], 1.0)  # here


@mistake("minx.parallel_for cannot be called in kernels: call it outside of the kernel", "minx.parallel_for(3, bits_of_float, a)")
def launch_in_a_kernel(i, a):
    minx.parallel_for(3, bits_of_float, a)  # here


@mistake("np.random.normal cannot be called in kernels: use minx.Random(seed, i)", "np.random.normal()")
def numpy_random(i, a):
    a[i] = np.random.normal()  # here


@mistake("random.randint cannot be called in kernels: use minx.Random(seed, i)", "random.randint(1, 6)")
def python_random(i, a):
    a[i] = random.randint(1, 6)  # here


@mistake("time.time cannot be called in kernels: measure outside of the kernel", "time.time()")
def time_in_a_kernel(i, a):
    a[i] = time.time()  # here


@mistake("max takes two or more numbers in kernels: over an array write a loop, or parallel_reduce", "max(a)")
def max_of_an_array(i, a):
    a[i] = max(a)  # here


@mistake("arrays have shape, ndim and size in kernels, not sum: write a loop, or parallel_reduce", "a.sum")
def sum_method(i, a):
    a[i] = a.sum()  # here


@mistake("OPTIONS is a dict of outside, which may change: pass what the kernel needs as arguments", "OPTIONS")
def dict_of_outside(i, a):
    a[i] = OPTIONS["dt"]  # here


@mistake("an int is called, but is no function: write team.league_rank", "team.league_rank()", policy=minx.Team(4))
def league_rank_called(team, a):
    a[team.league_rank()] = 1  # here


@mistake("s is a number, of which each index has its own: return what is added, for parallel_reduce, or add to an array, as in "
         "minx.atomic_add(s, 0, 1)", "s += a[i]", A1, 0.0)
def sum_in_a_number(i, a, s):
    s += a[i]  # here


@pytest.mark.parametrize("kernel,message,at,args,policy,launch", MISTAKES)
def test_mistake(kernel, message, at, args, policy, launch):
    check(kernel, message, at, args, policy, launch)


def test_there_are_seventy():
    assert len(MISTAKES) >= 70

"""The order in which a kernel computes: Python's, from left to right, also where a call changes what is read beside it."""

import enum
import functools

import numpy as np
import pytest

import minx
from contexts import context  # noqa: F401
from test_language_statements import both


def bump(x, i):
    x[i] += 1.0
    return x[i]


def joined(a, b):
    return a * 100 + b


def operands(i, y, x):
    y[i] = x[i] * 10 + bump(x, i) * 100 + x[i]


def element_plus_call(i, y, x):
    x[i] += bump(x, i)
    y[i] -= bump(y, i) * 3


def tuples(i, y, x):
    a, b = x[i], bump(x, i)
    y[i] = a * 10 + b


def comparisons(i, y, x):
    y[i] = 1 if x[i] < bump(x, i) else 2
    y[i] += 10 if bump(x, i) > x[i] - 1 >= bump(x, i) - 2 else 20


def arguments(i, y, x):
    y[i] = joined(x[i], bump(x, i)) + joined(b=x[i], a=bump(x, i)) + max(x[i], bump(x, i) - 5)


def atomics(i, y, x):
    y[i] = x[i] + minx.atomic_add(x, i, 5)


def local_arrays(i, y, x):
    v = [1.0, 2.0]
    y[i] = v[0] + bump(v, 0) * 10 + v[0] * 100


@pytest.mark.parametrize("kernel", [operands, element_plus_call, tuples, comparisons, arguments, atomics, local_arrays])
def test_from_left_to_right(context, kernel):  # noqa: F811
    both(context, 4, kernel, np.zeros(4), np.arange(4.0))


def part(i, y, x):
    n = 1
    a = x[n:]
    n = 3
    y[i] = a[0] + len(a)


def test_a_part_keeps_its_bounds(context):  # noqa: F811
    both(context, 2, part, np.zeros(2), np.arange(9.0))


def through_lambda(i, y):
    y[i] = twice(i)


twice = lambda v: 2 * v  # noqa: E731


def test_lambda_as_function(context):  # noqa: F811
    both(context, 3, through_lambda, np.zeros(3))


def scaled(i, y, x, factor):
    y[i] = x[i] * factor


def test_float64_is_strong(context):  # noqa: F811
    """numpy.float64 is a float of Python, too."""
    both(context, 3, scaled, np.zeros(3), np.full(3, 1 / 3, np.float32), np.float64(1 / 3))


def sometimes(v):
    if v > 2:
        return 1.0


def calls_sometimes(i, y):
    y[i] = sometimes(i)


def test_functions_return_at_their_end():
    with pytest.raises(SyntaxError, match="not at its end"):
        minx.parallel_for(1, calls_sometimes, np.zeros(1), ctx=minx.Context("serial"))


def stores_in_a_scan(i, total, y):
    total += bump(y, i)


def counts_in_a_scan(i, total, y):
    old = minx.atomic_add(y, 0, 1)
    total += i


@pytest.mark.parametrize("kernel", [stores_in_a_scan, counts_in_a_scan])
def test_a_scan_stores_once(kernel):
    with pytest.raises(SyntaxError, match="stores something and gives a value"):
        minx.parallel_scan(3, kernel, np.zeros(3), ctx=minx.Context("serial"))


def adds_to_what_it_has(i, total):
    total += total + 1


def adds_by_what_it_has(i, total):
    before = total
    if before > 5:
        total += 1
    else:
        total += 2


def adds_what_it_stored(i, total, y, x):
    y[i] = 2 * x[i]
    total += y[i]


@pytest.mark.parametrize("kernel, message", [(adds_to_what_it_has, "adds to total depends on total"),
                                             (adds_by_what_it_has, "adds to total depends on total"),
                                             (adds_what_it_stored, "read from y, which the body stores before")])
def test_the_share_of_a_scan(kernel, message):
    """All shares are summed before any index has the value of the indices before it, and before anything is stored."""
    arrays = [np.zeros(3), np.ones(3)] if kernel is adds_what_it_stored else []
    with pytest.raises(SyntaxError, match=message):
        minx.parallel_scan(3, kernel, *arrays, ctx=minx.Context("serial"))


def shape_of(i, y, x):
    n, m = x.shape
    y[i] = 10 * n + m


def test_shape_gives_its_extents(context):  # noqa: F811
    both(context, 2, shape_of, np.zeros(2), np.zeros((3, 4)))


def decorated(function):
    @functools.wraps(function)
    def twice_of(v):
        return 2 * function(v)

    return twice_of


@decorated
def one_more(v):
    return v + 1


def calls_decorated(i, y):
    y[i] = one_more(i)


def test_decorated_function(context):  # noqa: F811
    """Its text is that of the decorator's function, not that of __wrapped__."""
    both(context, 3, calls_decorated, np.zeros(3))


def changed_share(team, y, c):
    e, at = team.league_rank, 0
    for k in team.items(c.shape[1]):
        v = c[e, k]
        if v > 5:
            v = 1
        y[e, k] = at
        at += v


def stored_share(team, y, c):
    e, at = team.league_rank, 0
    for k in team.items(c.shape[1]):
        c[e, k] += 1
        y[e, k] = at
        at += c[e, k]


@pytest.mark.parametrize("kernel, message", [(changed_share, "v is none"), (stored_share, "behind a store")])
def test_the_share_of_a_team_scan(kernel, message):
    """The shares of all items are computed first, from expressions: what changes on the way is an error."""
    with pytest.raises(SyntaxError, match=message):
        minx.parallel_for(minx.Team(1), kernel, np.zeros((1, 4)), np.ones((1, 4)), ctx=minx.Context("serial"))


class Kind(enum.IntEnum):
    ONE = 1


def test_numbers_that_are_not_taken():
    y, ctx = np.zeros(3), minx.Context("serial")
    minx.parallel_for(np.int64(3), scaled, y, np.ones(3), 2.0, ctx=ctx)
    assert list(y) == [2, 2, 2]
    with pytest.raises(TypeError, match="argument 2 is a Kind: convert it"):
        minx.parallel_for(3, scaled, y, np.ones(3), Kind.ONE, ctx=ctx)
    with pytest.raises(TypeError, match="the policy is a tuple"):
        minx.parallel_for((3,), scaled, y, np.ones(3), 1, ctx=ctx)
    with pytest.raises(OverflowError, match="64 bits"):
        minx.parallel_for(3, scaled, y, np.ones(3), 2**70, ctx=ctx)


def branches(i, y, x):
    y[i] = np.where(i >= 0, x[i], bump(x, i)) + x[i]


def test_where_from_left_to_right(context):  # noqa: F811
    both(context, 4, branches, np.zeros(4), np.arange(4.0))

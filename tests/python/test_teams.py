"""Teams: a kernel means what it means as plain Python, with any number of threads and lanes.

Each kernel runs as plain Python and on the backends, and must give the same. Where a barrier is needed, a test also looks for it in
the C text, because a race does not show in each run."""

import math

import numpy as np
import pytest

import minx
from contexts import Arrays, context, make  # noqa: F401  (a fixture)

AUTO = minx.AUTO
SHAPES = {"python": [(AUTO, AUTO)], "serial": [(AUTO, AUTO), (1, 1)], "openmp": [(AUTO, AUTO), (2, 1)],
          "simt": [(AUTO, AUTO), (1, 8), (3, 2)], "cuda": [(AUTO, AUTO), (1, 32), (8, 4), (7, 16), (32, 32)]}


def shapes(ctx):
    if ctx == "python":
        return SHAPES["python"]
    return SHAPES["simt" if "shuffled" in ctx.resource else ctx.backend]


def check(ctx, kernel, league, arrays, *numbers, **expected):
    """Launches with teams of several shapes; the arrays have then the expected contents."""
    d = Arrays(ctx)
    for size, lanes in shapes(ctx):
        on = {name: d.to(a) for name, a in arrays.items()}
        minx.parallel_for(minx.Team(league, size, lanes), kernel, *on.values(), *numbers, ctx=ctx)
        for name, value in expected.items():
            # sums of a few numbers in another order
            assert np.allclose(d.back(on[name]), value, rtol=1e-12), (name, size, lanes)


def barriers(kernel, *args):
    """How many barriers the C text of a kernel has: (of teams, of lanes)."""
    made = minx.kernel(kernel.function)
    minx.parallel_for(minx.Team(1), made, *args, ctx=minx.Context("serial"))
    body = made.c_source()[0].split("_body(")[1].split("#ifdef MX_DRIVER")[0]
    return body.count("mx_team_barrier(mx_t);"), body.count("pyh_lanes_wait(mx_t);")


# ---- y^T A x in its four forms ----


@minx.kernel
def yAx_range(j, y, A, x):
    row = 0.0
    for i in range(len(x)):
        row += A[j, i] * x[i]
    return y[j] * row


@minx.kernel
def yAx_threads(team, y, A, x):
    """A team for each row, whose threads share the columns."""
    j, row = team.league_rank, 0.0
    for i in team.threads(len(x)):
        row += A[j, i] * x[i]
    return y[j] * row


@minx.kernel
def yAx_vectors(team, y, A, x):
    """A team for each element, threads for its rows, lanes for their columns."""
    e, total = team.league_rank, 0.0
    for j in team.threads(A.shape[1]):
        row = 0.0
        for i in team.lanes(A.shape[2]):
            row += A[e, j, i] * x[e, i]
        total += y[e, j] * row
    return total


@minx.kernel
def yAx_scratch(team, y, A, x):
    """The same with x in scratch of the team."""
    e, total, n = team.league_rank, 0.0, A.shape[2]
    s = team.scratch(n)
    for i in team.items(n):
        s[i] = x[e, i]
    for j in team.threads(A.shape[1]):
        row = 0.0
        for i in team.lanes(n):
            row += A[e, j, i] * s[i]
        total += y[e, j] * row
    return total


def test_yAx(context):
    rng, d = np.random.default_rng(0), Arrays(context)
    y, A, x = rng.random(40), rng.random((40, 30)), rng.random(30)
    # 1200 products and sums of positive numbers: each rounds by 2^-53
    close = {"rel_tol": 1200 * 2**-53}
    assert math.isclose(minx.parallel_reduce(40, yAx_range, d.to(y), d.to(A), d.to(x), ctx=context), y @ A @ x, **close)
    E, M, N = 7, 12, 33
    y3, A3, x3 = rng.random((E, M)), rng.random((E, M, N)), rng.random((E, N))
    expected = np.einsum("ej,eji,ei", y3, A3, x3)
    for size, lanes in shapes(context):
        got = minx.parallel_reduce(minx.Team(40, size, lanes), yAx_threads, d.to(y), d.to(A), d.to(x), ctx=context)
        assert math.isclose(got, y @ A @ x, **close)
        for kernel in (yAx_vectors, yAx_scratch):
            got = minx.parallel_reduce(minx.Team(E, size, lanes), kernel, d.to(y3), d.to(A3), d.to(x3), ctx=context)
            assert math.isclose(got, expected, rel_tol=E * M * N * 2**-53), kernel.__name__


# ---- order ----


@minx.kernel
def both_branches(team, out, x, c):
    """Each branch has its own barrier."""
    w, e = team.scratch(8), team.league_rank
    for i in team.items(8):
        w[i] = x[e, i]
    if c > 0:
        out[e] = w[7]
    else:
        out[e] = w[0] + w[6]


def test_branches(context):
    x = np.random.default_rng(1).random((6, 8))
    arrays = {"out": np.zeros(6), "x": x}
    check(context, both_branches, 6, arrays, 1, out=x[:, 7])
    check(context, both_branches, 6, arrays, 0, out=x[:, 0] + x[:, 6])
    assert barriers(both_branches, np.zeros(1), x, 1) == (2, 0)


@minx.kernel
def after_a_branch(team, out, x, c):
    """A barrier in one branch is none on the other way."""
    w, e = team.scratch(8), team.league_rank
    for i in team.items(8):
        w[i] = x[e, i]
    if c > 0:
        team.barrier()
    out[e] = w[3] + w[5]


def test_after_branches(context):
    x = np.random.default_rng(2).random((6, 8))
    for c in (0, 1):
        check(context, after_a_branch, 6, {"out": np.zeros(6), "x": x}, c, out=x[:, 3] + x[:, 5])
    assert barriers(after_a_branch, np.zeros(1), x, 1) == (2, 0)


@minx.kernel
def halvings(team, out, x):
    """The test of a loop reads what its body stored."""
    w, e, n = team.scratch(2), team.league_rank, 0
    w[0] = x[e]
    while w[0] > 1.0:
        w[0] = w[0] / 2
        n += 1
    out[e] = n


def test_while(context):
    x = np.array([0.5, 1.0, 3.0, 1000.0, 2.0**40])
    check(context, halvings, 5, {"out": np.zeros(5), "x": x}, out=[0, 0, 2, 10, 40])
    assert barriers(halvings, np.zeros(1), x)[0] >= 2


@minx.kernel
def left_early(team, out, x, c):
    """A loop may end before the barrier at its end."""
    w, e = team.scratch(8), team.league_rank
    for p in range(3):
        for i in team.items(8):
            w[i] = x[e, i] + p
        if p == c:
            break
        team.barrier()
    out[e] = w[2] + w[5]


def test_break(context):
    x = np.random.default_rng(3).random((6, 8))
    for c in (0, 1, 9):
        check(context, left_early, 6, {"out": np.zeros(6), "x": x}, c, out=x[:, 2] + x[:, 5] + 2 * min(c, 2))
    body = minx.kernel(left_early.function)
    minx.parallel_for(minx.Team(1), body, np.zeros(1), x, 1, ctx=minx.Context("serial"))
    text = body.c_source()[0]
    assert "mx_team_barrier" in text[text.rindex("break;"):text.rindex("MX_AT(mx_a->out")].split("mx_team_barrier(mx_t);\n    }")[-1] or \
        text[text.rindex("break;"):text.rindex("MX_AT(mx_a->out")].count("mx_team_barrier") == 2


@minx.kernel
def stencil_steps(team, out, x, passes):
    w, e, n = team.scratch((2, x.shape[1])), team.league_rank, x.shape[1]
    for i in team.items(n):
        w[0, i] = x[e, i]
        w[1, i] = x[e, i]
    for p in range(passes):
        a, b = p % 2, 1 - p % 2
        for i in team.items(1, n - 1):
            w[b, i] = (w[a, i - 1] + w[a, i] + w[a, i + 1]) / 3
    for i in team.items(n):
        out[e, i] = w[passes % 2, i]


def test_loops(context):
    x = np.random.default_rng(4).random((5, 33))
    y = x.copy()
    for _ in range(7):
        y[:, 1:-1] = (y[:, :-2] + y[:, 1:-1] + y[:, 2:]) / 3
    check(context, stencil_steps, 5, {"out": np.zeros((5, 33)), "x": x}, 7, out=y)


@minx.kernel
def in_place(team, a, b):
    """a and b may be the same array."""
    e, n = team.league_rank, a.shape[1]
    for i in team.items(n):
        a[e, i] += 1.0
    first = b[e, 0]
    last = b[e, n - 1]
    for i in team.items(n):
        a[e, i] += first * 10 + last


def test_the_same_array_twice(context):
    d, x = Arrays(context), np.random.default_rng(5).random((4, 19))
    y = x + 1
    y += y[:, :1] * 10 + y[:, -1:]
    for size, lanes in shapes(context):
        a = d.to(x)
        minx.parallel_for(minx.Team(4, size, lanes), in_place, a, a, ctx=context)
        assert np.allclose(d.back(a), y, rtol=1e-14)
    a = x.copy()
    assert barriers(in_place, a, np.ones((4, 19))) == (1, 0)  # between the two loops: a itself
    assert barriers(in_place, a, a) == (2, 0)
    assert barriers(in_place, a[:, :12], a[:, 6:18]) == (2, 0)


@minx.kernel
def swap(team, out, x):
    w, e = team.scratch(2), team.league_rank
    w[0], w[1] = x[e], -x[e]
    s, w[0] = w[0], 5.0
    w[0], w[1] = w[1], w[0] + s
    out[e, 0], out[e, 1] = w[0], w[1]


def test_tuples(context):
    x = np.arange(4.0)
    check(context, swap, 4, {"out": np.zeros((4, 2)), "x": x}, out=np.stack([-x, 5 + x], 1))


@minx.kernel
def row_names(team, out, x):
    """Names for rows of an array are that array."""
    w, e = team.scratch((2, 8)), team.league_rank
    first, second = w[0], w[1]
    for i in team.items(8):
        first[i] = x[e, i]
    for i in team.items(8):
        second[i] = first[7 - i]
    for r in range(2):
        row = w[r]
        out[e, r] = row[1] + row[6] * 2


def test_names_of_rows(context):
    x = np.random.default_rng(6).random((4, 8))
    expected = np.stack([x[:, 1] + x[:, 6] * 2, x[:, 6] + x[:, 1] * 2], 1)
    check(context, row_names, 4, {"out": np.zeros((4, 2)), "x": x}, out=expected)


def bump(w, k):
    w[k] += 1.0


def bumped(w, k):
    w[k] += 1.0
    return w[k] * 2


def total_of(w, n):
    s = 0.0
    for k in range(n):
        s += w[k]
    return s


@minx.kernel
def functions(team, out, x):
    """Functions that store run once for a team; those that read wait."""
    w, e = team.scratch(8), team.league_rank
    for i in team.items(8):
        w[i] = x[e, i]
    bump(w, 3)
    twice = bumped(w, 3)
    s = total_of(w, 8)
    out[e, 0] = twice
    out[e, 1] = s
    for j in team.threads(1):
        bump(w, 4)
        again = bumped(w, 4)
        out[e, 2] = again


def fill(team, w, x, e):
    for i in team.items(len(w)):
        w[i] = x[e, i]


def largest(team, w, floor=-10.0):
    top = floor
    for i in team.items(len(w)):
        top = max(top, w[i])
    if top > 0.5:
        w[0] = top
        return top
    return w[0]


def row_sum(team, x, e, j):
    s = 0.0
    for i in team.lanes(x.shape[2]):
        s += x[e, j, i]
    return s


@minx.kernel
def functions_of_teams(team, out, x, y):
    """Functions that get the team have a part of its work."""
    e = team.league_rank
    w = team.scratch(x.shape[1])
    fill(team, w, x, e)
    top = largest(team, w)
    out[e, 0] = largest(team, w) + top + w[0]
    largest(team, w)
    total = 0.0
    for j in team.threads(y.shape[1]):
        total += row_sum(team, y, e, j) * (j + 1)
    out[e, 1] = total


def test_functions_of_teams(context):
    rng = np.random.default_rng(19)
    x, y = rng.integers(1, 9, (5, 12)).astype(float), rng.integers(0, 9, (5, 3, 7)).astype(float)
    expected = np.stack([3 * x.max(1), (y.sum(2) * [1, 2, 3]).sum(1)], 1)
    check(context, functions_of_teams, 5, {"out": np.zeros((5, 2)), "x": x, "y": y}, out=expected)


def test_functions(context):
    x = np.random.default_rng(7).random((5, 8))
    expected = np.stack([(x[:, 3] + 2) * 2, x.sum(1) + 2, (x[:, 4] + 2) * 2], 1)
    check(context, functions, 5, {"out": np.zeros((5, 3)), "x": x}, out=expected)
    assert barriers(functions, np.zeros((1, 3)), x)[0] >= 4


def put(row, k, v):
    row[k] = v


@minx.kernel
def rows_in_functions(team, out, x):
    """A row that a function gets is stored to."""
    e, n = team.league_rank, x.shape[1]
    w = team.scratch((2, n))
    for k in team.items(n):
        put(w[0], k, x[e, k])
    put(w[1], 0, w[0, n - 1])
    for k in team.items(n):
        out[e, k] = w[0, n - 1 - k] + w[1, 0]


def test_rows_in_functions(context):
    x = np.random.default_rng(20).random((5, 37))
    check(context, rows_in_functions, 5, {"out": np.zeros((5, 37)), "x": x}, out=x[:, ::-1] + x[:, -1:])
    assert barriers(rows_in_functions, np.zeros((1, 3)), np.zeros((1, 3)))[0] >= 2


@minx.kernel
def tickets(team, owner, count, drawn):
    """A team draws one ticket."""
    n = minx.atomic_add(count, 0, 1)
    owner[n] = 1
    for j in team.threads(3):
        k = minx.atomic_add(count, 1, 1)
        drawn[k] += 1


def test_atomics_with_results(context):
    check(context, tickets, 6, {"owner": np.zeros(6, int), "count": np.zeros(2, int), "drawn": np.zeros(18, int)},
          owner=np.ones(6), count=[6, 18], drawn=np.ones(18))


class Model:
    def __init__(self, x):
        self.x, self.out, self.work = x, np.zeros(len(x)), np.zeros_like(x)

    def ends(self, e):
        return self.work[e, 0] + self.work[e, self.work.shape[1] - 1]

    def step(self, team):
        e, n = team.league_rank, self.x.shape[1]
        for i in team.items(n):
            self.work[e, i] = self.x[e, n - 1 - i]
        self.out[e] = self.ends(e) + self.work[e, 1]


def test_methods():
    x = np.random.default_rng(8).random((5, 9))
    for resource in ("python", "serial", "openmp:threads=2"):
        model = Model(x)
        minx.parallel_for(minx.Team(5, AUTO if resource != "openmp:threads=2" else 2), model.step,
                          ctx=resource if resource == "python" else minx.Context(resource))
        assert np.allclose(model.out, x[:, 0] + x[:, -1] + x[:, -2], rtol=1e-15)


@minx.kernel
def bounds(team, out, n):
    """The bounds of a loop are those at its begin, though an item changes what they were read from."""
    e = team.league_rank
    w = team.scratch(1, int)
    w[0] = n[e]
    for i in team.items(w[0]):
        if i == 0:
            w[0] = 1
        out[e, i] += 1
    out[e, 9] = w[0]


def test_bounds_of_shared_loops(context):
    n = np.array([3, 0, 8, 1])
    expected = (np.arange(10) < n[:, None]).astype(int)
    expected[:, 9] = np.minimum(n, 1)
    check(context, bounds, 4, {"out": np.zeros((4, 10), int), "n": n}, out=expected)
    assert barriers(bounds, np.zeros((1, 10), int), n)[0] == 4


# ---- lanes of one thread ----


@minx.kernel
def lanes_and_back(team, out, x, mine):
    """What the lanes of a thread stored, the thread reads."""
    e = team.league_rank
    for j in team.threads(x.shape[1]):
        for i in team.lanes(x.shape[2]):
            mine[e, j, i] = x[e, j, i] * 2
        for i in team.lanes(1, x.shape[2]):
            out[e, j, i] = mine[e, j, i - 1] + mine[e, j, i]
        out[e, j, 0] = mine[e, j, x.shape[2] - 1]


def test_lanes_of_a_thread(context):
    x = np.random.default_rng(9).random((3, 5, 17))
    expected = np.empty_like(x)
    expected[..., 1:], expected[..., 0] = 2 * (x[..., 1:] + x[..., :-1]), 2 * x[..., -1]
    check(context, lanes_and_back, 3, {"out": np.zeros_like(x), "x": x, "mine": np.zeros_like(x)}, out=expected)
    assert barriers(lanes_and_back, np.zeros_like(x), x, np.zeros_like(x))[1] == 2


@minx.kernel
def scratch_of_threads(team, out, x):
    """An array of each thread, at the second level; the next row begins when all lanes have read."""
    e, n = team.league_rank, x.shape[2]
    for j in team.threads(x.shape[1]):
        mine = team.scratch(n + 1, minx.f32, level=1)
        for i in team.lanes(n):
            mine[i] = x[e, j, i]
        s = 0.0
        for i in team.lanes(n):
            s += mine[n - 1 - i] * (i + 1)
        out[e, j] = s


def test_scratch_of_threads(context):
    x = np.random.default_rng(10).integers(0, 99, (3, 11, 9)).astype(np.float32)  # sums of these are exact
    expected = (x[:, :, ::-1] * np.arange(1.0, 10)).sum(2)
    d = Arrays(context)
    for size, lanes in shapes(context):
        out = d.to(np.zeros((3, 11)))
        minx.parallel_for(minx.Team(3, size, lanes), scratch_of_threads, out, d.to(x), ctx=context)
        assert np.array_equal(d.back(out), expected)


@minx.kernel
def lanes_alone(team, out, x):
    """A loop over lanes outside of threads is shared by the whole team."""
    e, s = team.league_rank, 0.0
    for i in team.lanes(x.shape[1]):
        out[e, i] += x[e, i]
        s += x[e, i]
    out[e, 0] += s


def test_lanes_without_threads(context):
    x = np.random.default_rng(11).random((4, 21))
    expected = x.copy()
    expected[:, 0] += x.sum(1)
    check(context, lanes_alone, 4, {"out": np.zeros_like(x), "x": x}, out=expected)


# ---- joins ----


@minx.kernel
def extremes(team, out, x):
    e, low, high, s = team.league_rank, 10.0, -10.0, 0.0
    for i in team.items(x.shape[1]):
        low = min(low, x[e, i])
    for i in team.threads(x.shape[1]):
        high = max(x[e, i], high)
        s += x[e, i]
    out[e, 0], out[e, 1], out[e, 2] = low, high, s
    for j in team.threads(1):
        least = 3.0
        for i in team.lanes(x.shape[1]):
            v = x[e, i] - 1
            if v < 0.7:
                least = min(least, v)
        out[e, 3] = least


def test_minima_and_maxima(context):
    x = np.random.default_rng(12).normal(size=(5, 45))
    expected = np.stack([x.min(1), x.max(1), x.sum(1), x.min(1) - 1], 1)
    check(context, extremes, 5, {"out": np.zeros((5, 4)), "x": x}, out=expected)


@minx.kernel
def extremes_of_nothing(team, out):
    low, high, s = 1.5, -2.5, 3.5
    for i in team.items(0):
        low = min(low, 0.0)
    for i in team.threads(0):
        high = max(high, 0.0)
    for i in team.lanes(0):
        s += 1.0
    out[team.league_rank, 0], out[team.league_rank, 1], out[team.league_rank, 2] = low, high, s


def test_empty_loops(context):
    check(context, extremes_of_nothing, 3, {"out": np.zeros((3, 3))}, out=[[1.5, -2.5, 3.5]] * 3)


@minx.kernel
def scans(team, begin, running, count):
    e, n, at = team.league_rank, count.shape[1], 100
    for i in team.items(n):
        begin[e, i] = at
        at += count[e, i]
    for j in team.threads(1):
        until = 0
        for i in team.lanes(n):
            c = count[e, i] * 2
            until += c
            running[e, i] = until
        begin[e, n] = until
    begin[e, n + 1] = at


def test_scans(context):
    for n in (0, 1, 5, 67):
        count = np.random.default_rng(13).integers(-5, 9, (4, n))
        begin = np.zeros((4, n + 2), int)
        begin[:, :n] = 100 + np.cumsum(count, 1) - count
        begin[:, n], begin[:, n + 1] = 2 * count.sum(1), 100 + count.sum(1)
        check(context, scans, 4, {"begin": np.zeros((4, n + 2), int), "running": np.zeros((4, n), int), "count": count},
              begin=begin, running=2 * np.cumsum(count, 1))


@minx.kernel
def scan_in_place(team, a):
    e, before = team.league_rank, 0
    for i in team.items(a.shape[1]):
        own = a[e, i]
        a[e, i] = before
        before += own


def test_scan_in_place(context):
    a = np.random.default_rng(14).integers(0, 9, (5, 50))
    check(context, scan_in_place, 5, {"a": a}, a=np.cumsum(a, 1) - a)


@minx.kernel
def values(team, total, x):
    """A reduction whose kernel adds to its value: once for each team, or once for each thread's row."""
    e, s = team.league_rank, 0.0
    total += 100.0
    for j in team.threads(x.shape[1]):
        row = 0.0
        for i in team.lanes(x.shape[2]):
            row += x[e, j, i]
        total += row


def test_value_of_a_reduction(context):
    x = np.random.default_rng(18).integers(0, 9, (4, 5, 6)).astype(float)
    for size, lanes in shapes(context):
        got = minx.parallel_reduce(minx.Team(4, size, lanes), values, Arrays(context).to(x), ctx=context)
        assert got == 400 + x.sum()


def longer_of(a, b):
    if b[0] > a[0] or b[0] == a[0] and b[1] < a[1]:
        return b[0], b[1]
    return a[0], a[1]


@minx.kernel
def lengths(team, x):
    e, s = team.league_rank, 0
    for i in team.items(x.shape[1]):
        s += x[e, i]
    return s, e


@minx.kernel
def three(team, x):
    e, s = team.league_rank, 0
    for i in team.items(x.shape[1]):
        s += x[e, i]
    return s, (s, e), s > 100


def test_reductions_over_teams(context):
    x = np.random.default_rng(20).integers(0, 40, (9, 14))
    sums, d = x.sum(1), Arrays(context)
    for size, lanes in shapes(context):
        team = minx.Team(9, size, lanes)
        got = minx.parallel_reduce(team, lengths, d.to(x), op=minx.Reducer((-1, -1), longer_of), ctx=context)
        assert got == (sums.max(), sums.argmax())
        assert minx.parallel_reduce(team, lengths, d.to(x), op="minloc", ctx=context) == (sums.min(), sums.argmin())
        got = minx.parallel_reduce(team, three, d.to(x), op=("sum", "maxloc", "all"), ctx=context)
        assert got == (x.sum(), (sums.max(), sums.argmax()), (sums > 100).all())


# ---- control flow and private arrays ----


@minx.kernel
def returns_early(team, out, x):
    e = team.league_rank
    for k in range(5):
        if k > e:
            return
        for i in team.items(4):
            out[e, i] += x[e, i]


def test_return_out_of_a_loop(context):
    x = np.random.default_rng(15).random((7, 4))
    check(context, returns_early, 7, {"out": np.zeros((7, 4)), "x": x}, out=x * np.minimum(np.arange(7) + 1, 5)[:, None])


@minx.kernel
def local_arrays(team, out, x):
    """Arrays of a lane's own are not shared, and need no single."""
    e = team.league_rank
    c = minx.local(3)
    for k in range(3):
        c[k] = x[e, k] * (k + 1)
    for i in team.items(6):
        own = minx.local(2)
        own[0] = c[i % 3]
        own[1] = own[0] + i
        out[e, i] = own[1]


def test_local_arrays(context):
    x = np.random.default_rng(16).random((4, 3))
    expected = np.tile(x * [1, 2, 3], 2) + np.arange(6)
    check(context, local_arrays, 4, {"out": np.zeros((4, 6)), "x": x}, out=expected)


@minx.kernel
def second_level(team, out, x):
    w = team.scratch((x.shape[1], 3), int, level=1)
    e, n = team.league_rank, x.shape[1]
    for i in team.items(n):
        for k in range(3):
            w[i, k] = x[e, i] + k
    s = 0
    for i in team.items(n):
        s += w[n - 1 - i, 2] * w[i, 1]
    out[e] = s


def test_large_scratch(context):
    x = np.random.default_rng(17).integers(0, 100, (3, 500))
    check(context, second_level, 3, {"out": np.zeros(3, int), "x": x}, out=((x[:, ::-1] + 2) * (x + 1)).sum(1))


# ---- mistakes ----


def assigns(team, x):
    last = 0.0
    for i in team.threads(4):
        last = x[i]
    x[0] = last


def outside_array(team, x):
    c = minx.local(3)
    for i in team.items(3):
        c[i] = 1.0
    x[0] = c[0]


def nested(team, x):
    for i in team.items(4):
        for j in team.threads(4):
            x[i] = j


def inside_barrier(team, x):
    for i in team.threads(4):
        team.barrier()


def returns_inside(team, x):
    for i in team.items(4):
        if i > 2:
            return
        x[i] = 1


def breaks(team, x):
    for i in team.items(4):
        if i > 2:
            break
        x[i] = 1


def shape_of_data(team, x):
    n = int(x[0])
    w = team.scratch(n)
    w[0] = 1


def second_use(team, x):
    s = 0.0
    for i in team.items(4):
        s += x[i]
    for j in team.threads(4):
        s = 0.0
        for i in team.lanes(4):
            s += x[i]
        x[j] = s


def recurrence(team, x):
    s = 1.0
    for i in team.items(4):
        x[i] = s
        s += s * x[i]


def skipped_share(team, x):
    s = 0.0
    for i in team.items(4):
        if x[i] < 0:
            continue
        s += x[i]
        x[i] = s


def own_share(team, x):
    s, v = 0.0, 1.0
    for i in team.items(4):
        v = v + 1
        x[i] = s
        s += v


def scan_of_threads(team, x):
    s = 1.0
    for i in team.threads(4):
        x[i] = s
        s += 1.0


def stores_in_expression(team, x):
    x[0] = 1 + bumped(x, 0)


def simd_dependence(team, x):
    w = team.scratch(4)
    for i in minx.simd(range(4)):
        w[i] = x[i]
        x[i] = w[i] * 2 + x[i]


def asks_for_scratch(team):
    w = team.scratch(4)
    w[0] = 1.0


def scratch_in_function(team, x):
    asks_for_scratch(team)
    x[0] = 1.0


def unknown(team, x):
    x[0] = team.rank


@pytest.mark.parametrize("kernel, match", [
    (assigns, "last is assigned by several items"), (outside_array, "c has elements of its own for each lane"),
    (nested, "team.threads inside of one over"), (inside_barrier, "a barrier inside of a loop"),
    (returns_inside, "`return` inside of a loop whose items"), (breaks, "`break` out of a loop"),
    (shape_of_data, "depends on the kernel's arguments only"), (recurrence, "that is no scan"),
    (second_use, "s is assigned by several items of a parallel loop, and is from outside of it: use another name"),
    (skipped_share, "`continue` in front of s"), (own_share, "is an expression of its index: v is none"),
    (scan_of_threads, "use team.items"), (stores_in_expression, "this call happens once for a team"),
    (simd_dependence, "items of minx.simd use what the same loop stores"), (unknown, "a team has threads, lanes"),
    (scratch_in_function, "scratch is asked for in the kernel"),
])
def test_mistakes(kernel, match):
    check_mistake(kernel, match, minx.parallel_for)


def adds_in_items(team, total, x):
    for i in team.items(4):
        total += x[i]


def adds_in_simd(i, total, x):
    for k in minx.simd(range(4)):
        total += x[k]


def test_mistakes_of_values():
    match = "items that run at the same time change total"
    check_mistake(adds_in_items, match, minx.parallel_reduce)
    check_mistake(adds_in_simd, match, minx.parallel_reduce, 3)


def check_mistake(kernel, match, launch, policy=None):
    with pytest.raises(minx.NotSupported, match=match) as info:
        launch(policy or minx.Team(2), kernel, np.zeros(4), ctx=minx.Context("serial"))
    assert info.value.filename == __file__ and info.value.lineno


@minx.kernel
def ends_of_scratch(team, y, a):
    e, n = team.league_rank, a.shape[1]
    for p in team.threads(6):
        w = team.scratch(n)
        for k in team.lanes(n):
            w[k] = a[e, k] * p
        y[e, p] = w[0] + w[n - 1]


def test_scratch_of_a_thread_waits_for_the_iteration_before():
    """One lane reads scratch at the end of an iteration, while the others may begin the next one, which stores there."""
    ctx = make("simt")
    a = np.random.default_rng(8).random((4, 11))
    for _ in range(10):
        y = ctx.zeros((4, 6))
        minx.parallel_for(minx.Team(4, 1, 8), ends_of_scratch, y, ctx.array(a), ctx=ctx)
        assert np.allclose(y.numpy(), np.arange(6) * (a[:, :1] + a[:, -1:]))
    body = ends_of_scratch.c_source()[0].split("MX_TEAM_FOR")[1]
    assert body.index("pyh_lanes_wait") < body.index("MX_VECTOR_FOR")

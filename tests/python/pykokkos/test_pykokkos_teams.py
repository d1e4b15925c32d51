"""Nested parallelism, against NumPy."""

import math

import numpy as np
import pytest

import minx.pykokkos as pk

pytestmark = pytest.mark.usefixtures("space")
E, N, M = 9, 11, 13
POLICIES = [
    lambda: pk.TeamPolicy(E, pk.AUTO),
    lambda: pk.TeamPolicy(E, "auto", 32),
    lambda: pk.TeamPolicy(pk.Default, E, 2, 4),
    lambda: pk.TeamPolicy(league_size=E, team_size=1),
    lambda: pk.TeamPolicy(pk.ExecutionSpace.OpenMP, E, pk.AUTO, 8),
]


def view(*shape, seed=0):
    v = pk.View(list(shape), pk.double)
    v.data[...] = np.random.default_rng(seed).random(shape)
    return v


@pk.workunit
def nested_functions(
    team_member: pk.TeamMember,
    acc: pk.Acc[float],
    A: pk.View3D[pk.double],
    x: pk.View2D[pk.double],
    y: pk.View2D[pk.double],
):
    e: int = team_member.league_rank()

    def rows(j: int, row_acc: pk.Acc[float]):
        def columns(i: int, column_acc: pk.Acc[float]):
            column_acc += A[e][j][i] * x[e][i]

        row: float = pk.parallel_reduce(pk.ThreadVectorRange(team_member, x.extent(1)), columns)
        row_acc += y[e][j] * row

    total: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, y.extent(1)), rows)

    def add():
        nonlocal acc
        acc += total

    pk.single(pk.PerTeam(team_member), add)


@pk.workunit
def nested_lambdas(
    team: pk.TeamMember,
    acc: pk.Acc[pk.double],
    A: pk.View3D[pk.double],
    x: pk.View2D[pk.double],
    y: pk.View2D[pk.double],
):
    e: int = team.league_rank()
    total: float = 0
    for j in range(A.extent(1)):
        total += y[e, j] * pk.parallel_reduce(
            pk.TeamVectorRange(team, A.extent(2)), lambda i, inner: inner + A[e, j, i] * x[e, i]
        )
    if team.team_rank() == 0:
        acc += total


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("unit", [nested_functions, nested_lambdas])
def test_yAx(space, policy, unit):
    if space == "serial" and policy().team_size == 2:
        policy = POLICIES[0]  # teams of two need two threads; test_team_size is about them
    A, x, y = view(E, N, M), view(E, M, seed=1), view(E, N, seed=2)
    got = pk.parallel_reduce("yAx", policy(), unit, A=A, x=x, y=y)
    assert math.isclose(
        got, np.einsum("ej,eji,ei", y.data, A.data, x.data), rel_tol=1e-12
    )  # sums of 1287 terms in another order


@pk.workunit
def names_of_their_own(team: pk.TeamMember, out: pk.View2D[pk.double], n: int):
    """Inner functions have variables of their own."""
    e: int = team.league_rank()
    t: float = 100
    i: int = 7

    def first(i: int):
        t: float = i / 2
        out[e, i] = t

    def second(j: int):
        t: int = 0
        for i in range(j):
            t += i
        n: int = 1
        out[e, j] += t + n

    pk.parallel_for(pk.TeamThreadRange(team, n), first)
    team.team_barrier()
    pk.parallel_for(pk.TeamThreadRange(team, 0, n - 1), second)
    team.team_barrier()

    def last():
        out[e, n - 1] += t + i

    pk.single(pk.PerTeam(team), last)


@pk.workunit
def early_returns(team: pk.TeamMember, out: pk.View2D[pk.double]):
    def each(j: int):
        if j % 3 == 0:
            return
        if j > 7:
            out[team.league_rank(), j] = -1
            return
        elif j == 4:
            out[team.league_rank(), j] = 40
        out[team.league_rank(), j] += j

    pk.parallel_for(pk.TeamThreadRange(team, out.extent(1)), each)


@pytest.mark.parametrize("policy", POLICIES[:2])
def test_inner_functions(policy):
    out = pk.View([E, N])
    pk.parallel_for(policy(), names_of_their_own, out=out, n=N)
    expected = np.array([j / 2 + sum(range(j)) + 1 for j in range(N)])
    expected[N - 1] = (N - 1) / 2 + 107
    assert np.array_equal(out.data, np.tile(expected, (E, 1)))
    out.fill(0)
    pk.parallel_for(policy(), early_returns, out=out)
    assert np.array_equal(out.data[3], [0, 1, 2, 0, 44, 5, 0, 7, -1, 0, -1])


@pk.workunit
def smooth(team: pk.TeamMember, out: pk.View2D[pk.double], x: pk.View2D[pk.double], passes: int):
    n: int = x.extent(1)
    e: int = team.league_rank()
    a: pk.ScratchView1D[pk.double] = pk.ScratchView1D(team.team_scratch(0), n)
    b: pk.ScratchView2D[float] = pk.ScratchView2D(team.team_scratch(1), 1, n)
    counts = pk.ScratchView1D[pk.int32](team.thread_scratch(0), 2)

    def load(i: int):
        a[i] = x[e, i]

    pk.parallel_for(pk.TeamVectorRange(team, n), load)
    counts[0] = 0
    team.team_barrier()
    for p in range(passes):

        def average(i: int):
            b[0, i] = (a[i - 1] + a[i] + a[i + 1]) / 3

        pk.parallel_for(pk.TeamThreadRange(team, 1, n - 1), average)
        team.team_barrier()
        policy = pk.TeamVectorRange(team, 1, n - 1)

        def back(i: int):
            a[i] = b[0][i]

        pk.parallel_for(policy, back)
        team.team_barrier()
        counts[0] += 1

    def store(i: int):
        out[e, i] = a[i] + counts[0]

    pk.parallel_for("store", pk.TeamThreadRange(team, n), store)


@pytest.mark.parametrize("policy", POLICIES[:3])
def test_scratch_and_barriers(space, policy):
    if space == "serial" and policy().team_size == 2:
        pytest.skip("serial has teams of one thread")
    x, out = view(E, 33), pk.View([E, 33])
    size = pk.ScratchView1D[float].shmem_size(33)
    assert size == 33 * 8 and pk.ScratchView2D[pk.int32].shmem_size(3, 4) == 48
    pk.parallel_for(policy().set_scratch_size(0, pk.PerTeam(size)), smooth, out=out, x=x, passes=3)
    expected = x.data.copy()
    for _ in range(3):
        expected[:, 1:-1] = (expected[:, :-2] + expected[:, 1:-1] + expected[:, 2:]) / 3
    assert np.allclose(out.data, expected + 3, rtol=1e-13)


@pk.workunit
def md_ranges(team: pk.TeamMember, a: pk.View4D[pk.double], b: pk.View3D[pk.double]):
    e: int = team.league_rank()

    def three(i: int, j: int, k: int):
        a[e, i, j, k] = 100 * i + 10 * j + k

    def two(i: int, j: int):
        b[e, i, j] = i - j

    pk.parallel_for(pk.TeamThreadMDRange(team, 2, 3, 4), three)
    pk.parallel_for(pk.TeamVectorMDRange(team, b.extent(1), b.extent(2)), two)


def test_md_ranges_of_teams():
    a, b = pk.View([E, 2, 3, 4]), pk.View([E, 5, 6])
    pk.parallel_for(pk.TeamPolicy(E, pk.AUTO), md_ranges, a=a, b=b)
    i, j, k = np.indices((2, 3, 4))
    assert np.array_equal(a.data, np.broadcast_to(100 * i + 10 * j + k, a.shape))
    assert np.array_equal(b.data, np.broadcast_to(np.arange(5)[:, None] - np.arange(6), b.shape))


@pk.workunit
def scans(
    team: pk.TeamMember,
    out: pk.View2D[pk.int64],
    by_lanes: pk.View2D[pk.int64],
    by_all: pk.View2D[pk.int64],
    x: pk.View2D[pk.int32],
    totals: pk.View2D[pk.int64],
):
    e: int = team.league_rank()

    def of_all(i: int, acc: pk.Acc[pk.int64], final: bool):
        acc += 2 * x[e, i]
        if final:
            by_all[e, i] = acc

    def exclusive(i: int, acc: pk.Acc[pk.int64], final: bool):
        if final:
            out[e, i] = acc
        acc += x[e, i]

    def inclusive(i: int, acc: pk.Acc[pk.int64], final: bool):
        acc += x[e, i]
        if final:
            by_lanes[e, i] = acc

    total: int = pk.parallel_scan(pk.TeamThreadRange(team, x.extent(1)), exclusive)
    other: int = pk.parallel_scan(pk.ThreadVectorRange(team, x.extent(1)), inclusive)
    third: int = pk.parallel_scan(pk.TeamVectorRange(team, 1, x.extent(1)), of_all)
    totals[e, 0] = total
    totals[e, 1] = other
    totals[e, 2] = third


@pytest.mark.parametrize("policy", POLICIES[1:3])
def test_scans_of_teams(space, policy):
    if space == "serial" and policy().team_size == 2:
        pytest.skip("serial has teams of one thread")
    x, totals = pk.View([E, 50], int), pk.View([E, 3], pk.int64)
    out, by_lanes, by_all = (pk.View([E, 50], pk.int64) for _ in range(3))
    x.data[...] = np.random.default_rng(0).integers(0, 9, x.shape)
    pk.parallel_for(policy(), scans, out=out, by_lanes=by_lanes, by_all=by_all, x=x, totals=totals)
    sums = np.cumsum(x.data, 1, dtype=np.int64)
    assert np.array_equal(by_lanes.data, sums) and np.array_equal(out.data, sums - x.data)
    assert np.array_equal(by_all.data[:, 1:], 2 * (sums - sums[:, :1])[:, 1:]) and not by_all.data[:, 0].any()
    assert np.array_equal(totals.data, np.stack([sums[:, -1]] * 2 + [by_all.data[:, -1]], 1))


@pk.workunit
def ranks(team: pk.TeamMember, out: pk.View2D[pk.int32]):
    out[team.league_rank(), team.team_rank()] = team.league_size() * 1000 + team.team_size()


def test_team_size(space):
    """Teams of as many threads as the program says, also where the context has less."""
    out = pk.View([5, 4], pk.int32)
    if space == "serial":
        pytest.skip("serial has teams of one thread")
    pk.parallel_for(pk.TeamPolicy(5, 4), ranks, out=out)
    assert np.array_equal(out.data, np.full((5, 4), 5004))


def test_serial_has_no_large_teams(space):
    if space != "serial":
        pytest.skip("about serial")
    out = pk.View([5, 4], pk.int32)
    with pytest.raises(ValueError, match="teams have 1000 threads"):
        pk.parallel_for(pk.TeamPolicy(5, 1000), ranks, out=out)


@pk.workunit
def inner_calls(team: pk.TeamMember, out: pk.View2D[pk.double]):
    e: int = team.league_rank()

    def square(x: float) -> float:
        return x * x

    def sign(x: float) -> float:
        if x < 5:
            return -1.0
        elif x == 5:
            return 0.0
        return 1.0

    def each(i: int):
        x: float = square(i)
        out[e, i] = square(x) + 0.5 * sign(i)

    def again():
        out[e, 0] += 1

    pk.parallel_for(pk.ThreadVectorRange(team, out.extent(1)), each)
    team.team_barrier()
    pk.single(pk.PerTeam(team), again)


def test_calls_of_inner_functions():
    out = pk.View([3, 10])
    pk.parallel_for(pk.TeamPolicy(3, 1), inner_calls, out=out)
    i = np.arange(10)
    expected = i**4 + 0.5 * np.sign(i - 5)
    expected[0] += 1
    assert np.array_equal(out.data, np.tile(expected, (3, 1)))


@pk.workunit
def per_thread(team: pk.TeamMember, total: pk.View1D[pk.double], most: pk.View1D[pk.double]):
    def each(j: int):
        s: float = 0

        def add(i: int, acc: pk.Acc[float]):
            acc += i * j

        s = pk.parallel_reduce(pk.ThreadVectorRange(team, 10), add)

        def once():
            pk.atomic_fetch_add(total, [0], s)
            nonlocal biggest
            biggest = s if s > biggest else biggest

        pk.single(pk.PerThread(team), once)

    biggest: float = 0
    pk.parallel_for(pk.TeamThreadRange(team, 4), each)
    pk.atomic_max(most, 0, biggest)


@pk.workunit
def scratch_in_loops(team: pk.TeamMember, out: pk.View2D[pk.int64], n: int):
    e: int = team.league_rank()

    def each(j: int):
        own: pk.ScratchView1D[pk.int64] = pk.ScratchView1D(team.thread_scratch(0), n)
        for k in range(n):
            own[k] = j * k
        out[e][j] = own[n - 1]

    pk.parallel_for(pk.TeamThreadRange(team, 8), each)
    for p in range(4):
        shared: pk.ScratchView1D[pk.int64] = pk.ScratchView1D(team.team_scratch(0), n)

        def fill(k: int):
            shared[k] = p + k

        def add(j: int):
            out[e][j] += shared[n - 1]

        pk.parallel_for(pk.TeamThreadRange(team, n), fill)
        team.team_barrier()
        pk.parallel_for(pk.TeamThreadRange(team, 8), add)
        team.team_barrier()


def test_scratch_in_loops():
    """Scratch that a loop asks for is one piece, not another one in each iteration."""
    out = pk.View([3, 8], pk.int64)
    pk.parallel_for(pk.TeamPolicy(3, pk.AUTO), scratch_in_loops, out=out, n=5)
    assert (out.data == np.arange(8) * 4 + sum(p + 4 for p in range(4))).all()


def test_per_thread():
    total, most = pk.View([1]), pk.View([1])
    pk.parallel_for(pk.TeamPolicy(6, pk.AUTO, 4), per_thread, total=total, most=most)
    assert total[0] == 6 * 45 * (0 + 1 + 2 + 3) and most[0] == 45 * 3


@pytest.mark.parametrize(
    "body,message",
    [
        ("pk.parallel_for(pk.TeamThreadRange(team, 3), 5)", "5 is no function inside of this workunit"),
        ("pk.parallel_for(pk.RangePolicy(0, 3), f)", "cannot be called|RangePolicy"),
        ("pk.parallel_for(pk.TeamThreadRange(3), f)", "takes the TeamMember"),
        ("pk.parallel_for(pk.TeamThreadRange(team, 3), g)", "takes a function of 1 arguments, this has 2"),
        ("a[team.league_rank] = 1", r"expected a number, got a method, which is not called: \(\) is missing"),
        ("team.team_reduce(3)", "a TeamMember has league_rank.*not team_reduce"),
        ("pk.parallel_for(pk.TeamThreadRange(team, 3), nested)", "TeamThreadRange inside of a loop that threads share"),
        ("pk.parallel_for(pk.TeamThreadRange(team, 3), barrier)", "team_barrier inside of a loop"),
        ("pk.parallel_for(pk.TeamThreadRange(team, 3), loop)", "`return` inside of a loop"),
        ("s = pk.ScratchView1D(team.team_scratch(0), 2, 3)", "ScratchView1D takes .* 1 extents"),
        ("s = pk.ScratchView1D(team.team_scratch(7), 2)", "level 0 or 1"),
        ("pk.single(team, f)", "pk.single takes pk.PerTeam"),
        ("f = 3", "f is|is something else|expected"),
    ],
)
def test_mistakes(tmp_path, body, message):
    """What is not possible names the construct and its place."""
    import importlib.util

    path = tmp_path / "wrong.py"
    path.write_text(
        f"""import minx.pykokkos as pk
@pk.workunit
def w(team: pk.TeamMember, a: pk.View1D[pk.double]):
    def f(i: int):
        a[i] = 1
    def g(i: int, j: int):
        a[i] = j
    def barrier(i: int):
        team.team_barrier()
    def nested(i: int):
        pk.parallel_for(pk.TeamThreadRange(team, 3), f)
    def loop(i: int):
        for k in range(i):
            return
    {body}
"""
        if "loop)" in body
        else f"""import minx.pykokkos as pk
@pk.workunit
def w(team: pk.TeamMember, a: pk.View1D[pk.double]):
    def f(i: int):
        a[i] = 1
    def g(i: int, j: int):
        a[i] = j
    def barrier(i: int):
        team.team_barrier()
    def nested(i: int):
        pk.parallel_for(pk.TeamThreadRange(team, 3), f)
    {body}
"""
    )
    spec = importlib.util.spec_from_file_location("wrong", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if body == "f = 3":
        pk.parallel_for(pk.TeamPolicy(2, 1), module.w, a=pk.View([5]))  # a variable of another name, as in Python
        return
    with pytest.raises(SyntaxError, match=message) as info:
        pk.parallel_for(pk.TeamPolicy(2, 1), module.w, a=pk.View([5]))
    assert info.value.filename == str(path) and info.value.lineno > 3

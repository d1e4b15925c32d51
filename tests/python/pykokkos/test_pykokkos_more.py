"""Programs in the shape of others that are written for PyKokkos: benchmarks of memory, graphs, statistics, exercises
for GPUs."""

import math

import numpy as np
import pytest

import minx.pykokkos as pk

pytestmark = pytest.mark.usefixtures("space")


# ---- gups: random updates ----


@pk.functor(data=pk.ViewTypeInfo(trait=pk.Atomic))
class Gups:
    def __init__(self, indices: int, data: int):
        self.indices: pk.View1D[pk.int64] = pk.View([indices], pk.int64)
        self.indices[:] = np.random.default_rng(0).integers(0, data, indices)
        self.data: pk.View1D[pk.int64] = pk.View([data], pk.int64)
        self.data.fill(0xD1CE)
        self.datum: int = -1

    @pk.workunit
    def update(self, i: int):
        self.data[self.indices[i]] ^= self.datum + i


def test_gups():
    g = Gups(4000, 128)
    pk.parallel_for("gups", pk.RangePolicy(pk.Default, 0, 4000), g.update)
    expected = np.full(128, 0xD1CE)
    np.bitwise_xor.at(expected, g.indices.data, -1 + np.arange(4000))
    assert np.array_equal(g.data.data, expected)


# ---- gather: an array of 3 dimensions, read through indices ----


@pk.workunit
def gather(n: int, connectivity: pk.View2D[pk.int32], A: pk.View1D[pk.double], B: pk.View1D[pk.double], K: int, F: int):
    c: pk.double = 0.0
    for k in range(K):
        index: pk.int32 = connectivity[n][k]
        a0: pk.double = A[index]
        b: pk.double = a0
        for f in range(F):
            b += a0 * b
        c += b
    B[n] = c


def test_gather():
    N, K, F, D, R = 50, 8, 3, 40, 2
    connectivity, A, B = pk.View([N, K], pk.int32), pk.View([D], pk.double), pk.View([N], pk.double)
    rng = np.random.default_rng(1)
    connectivity[:], A[:] = rng.integers(0, D, (N, K)), rng.random(D)
    for _ in range(R):
        pk.parallel_for(N, gather, connectivity=connectivity, A=A, B=B, K=K, F=F)
    b = A.data.copy()
    for _ in range(F):
        b += A.data * b
    assert np.allclose(B.data, b[connectivity.data].sum(1), rtol=1e-14)  # sums of 8 in another order


# ---- bytes and flops by teams ----


@pk.workunit
def bytes_and_flops(team: pk.TeamMember, A: pk.View2D[pk.double], B: pk.View2D[pk.double], R: int, F: int):
    n: int = team.league_rank()
    for r in range(R):

        def body(i: int):
            a1: float = A[n][i]
            f: int = 0
            while f < F:
                a1 += a1 * 0.5
                f += 1
            B[n][i] = a1 + r

        pk.parallel_for(pk.TeamThreadRange(team, A.extent(1)), body)


def test_bytes_and_flops():
    A, B = pk.View([6, 17]), pk.View([6, 17])
    A[:] = np.random.default_rng(2).random((6, 17))
    pk.parallel_for(pk.TeamPolicy(6, pk.AUTO), bytes_and_flops, A=A, B=B, R=3, F=4)
    assert np.allclose(B.data, A.data * 1.5**4 + 2, rtol=1e-15)


# ---- a graph, breadth first, bottom up ----


@pk.workunit
def bottom_up(v: int, acc: pk.Acc[int], begin: pk.View1D[int], edges: pk.View1D[int], level: pk.View1D[int], now: int):
    if level[v] >= 0:
        return
    for e in range(begin[v], begin[v + 1]):
        if level[edges[e]] == now:
            level[v] = now + 1
            acc += 1
            break


def test_breadth_first():
    n = 200
    near = np.random.default_rng(3).random((n, n)) < 0.015
    near |= near.T
    begin, level = pk.View([n + 1], int), pk.View([n], int)
    begin[1:] = np.cumsum(near.sum(1))
    edges = pk.View([int(begin[n])], int)
    edges[:] = np.concatenate([np.flatnonzero(r) for r in near])
    level.fill(-1)
    level[0] = 0
    now = 0
    while pk.parallel_reduce(n, bottom_up, begin=begin, edges=edges, level=level, now=now) > 0:
        now += 1
    expected, front = np.full(n, -1), np.arange(n) == 0
    depth = 0
    while front.any():
        expected[front] = depth
        front, depth = (near[front].any(0)) & (expected < 0), depth + 1
    assert np.array_equal(level.data, expected) and now >= 3


# ---- statistics ----


@pk.functor
class LogisticRegression:
    def __init__(self, X, y):
        self.X: pk.View2D[pk.double] = pk.View(list(X.shape), pk.double)
        self.y: pk.View1D[pk.double] = pk.View([len(y)], pk.double)
        self.w: pk.View1D[pk.double] = pk.View([X.shape[1]], pk.double)
        self.g: pk.View1D[pk.double] = pk.View([X.shape[1]], pk.double, trait=pk.Atomic)
        self.X[:], self.y[:] = X, y
        self.n: int = len(y)
        self.rate: float = 0.5

    @pk.function
    def sigmoid(self, z: float) -> float:
        return 1.0 / (1.0 + math.exp(-z))

    @pk.workunit
    def gradient(self, i: int):
        z: float = 0.0
        for j in range(self.X.extent(1)):
            z += self.X[i][j] * self.w[j]
        error: float = self.sigmoid(z) - self.y[i]
        for j in range(self.X.extent(1)):
            self.g[j] += error * self.X[i][j] / self.n

    @pk.workunit
    def step(self, j: int):
        self.w[j] -= self.rate * self.g[j]
        self.g[j] = 0.0


def test_logistic_regression():
    rng = np.random.default_rng(4)
    X = np.hstack([rng.normal(size=(300, 2)), np.ones((300, 1))])
    y = (X @ [2, -1, 0.5] + 0.3 * rng.normal(size=300) > 0).astype(float)
    f, w = LogisticRegression(X, y), np.zeros(3)
    for _ in range(20):
        pk.parallel_for(300, f.gradient)
        pk.parallel_for(3, f.step)
        w -= 0.5 * X.T @ (1 / (1 + np.exp(-X @ w)) - y) / 300
    assert np.allclose(f.w.data, w, rtol=1e-11)  # sums of 300 in any order, 20 times


# ---- exercises for GPUs: a thread for each element of a block ----


@pk.workunit
def blocked_sum(team: pk.TeamMember, out: pk.View1D[pk.double], a: pk.View1D[pk.double], size: int):
    """The sum of a block by halves, in scratch memory."""
    i: int = team.league_rank() * team.team_size() + team.team_rank()
    me: int = team.team_rank()
    cache: pk.ScratchView1D[pk.double] = pk.ScratchView1D(team.team_scratch(0), size)
    if i < a.extent(0):
        cache[me] = a[i]
    else:
        cache[me] = 0.0
    team.team_barrier()
    half: int = team.team_size() // 2
    while half > 0:
        if me < half:
            cache[me] += cache[me + half]
        team.team_barrier()
        half = half // 2
    if me == 0:
        out[team.league_rank()] = cache[0]


def test_blocks(space):
    if space == "serial":
        pytest.skip("serial has teams of one thread")
    a, out = pk.View([30]), pk.View([8])
    a[:] = np.arange(30)
    policy = pk.TeamPolicy(8, 4).set_scratch_size(0, pk.PerTeam(pk.ScratchView1D[pk.double].shmem_size(4)))
    pk.parallel_for(policy, blocked_sum, out=out, a=a, size=4)
    assert np.array_equal(out.data, np.append(np.arange(30.0), [0, 0]).reshape(8, 4).sum(1))


@pk.workunit
def pooled(team: pk.TeamMember, out: pk.View1D[pk.int32], a: pk.View1D[pk.int32]):
    n: int = 0

    def count(i: int, acc: pk.Acc[pk.int32]):
        if a[i] > team.league_rank():
            acc += 1

    n = pk.parallel_reduce(pk.TeamThreadRange(team, a.extent(0)), count)
    out[team.league_rank()] = n


def test_integer_sums_of_teams():
    a, out = pk.View([40], pk.int32), pk.View([5], pk.int32)
    a[:] = np.arange(40) % 7
    pk.parallel_for(pk.TeamPolicy(5, pk.AUTO), pooled, out=out, a=a)
    assert list(out.data) == [int((a.data > e).sum()) for e in range(5)]


# ---- smaller things ----


@pk.workunit
def flags(i: int, seen: pk.View1D[pk.bool], x: pk.View1D[pk.float], n: pk.View1D[pk.uint8]):
    if x[i] > 1.5 and not seen[i]:
        seen[i] = True
    n[i] = 255 if seen[i] else 0


def test_bools_and_bytes():
    seen, x, n = pk.View([4], pk.bool), pk.View([4], pk.float), pk.View([4], pk.uint8)
    x[:] = np.arange(4)
    seen[0] = True
    pk.parallel_for(4, flags, seen=seen, x=x, n=n)
    assert list(seen.data) == [True, False, True, True] and list(n.data) == [255, 0, 255, 255]


def test_workunits_in_functions_with_closures():
    scale, table = 3, (1.0, 10.0, 100.0)

    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double]):
        out[i] = scale * table[i % 3] + table[0]

    out = pk.View([4])
    pk.parallel_for(4, f, out=out)
    assert list(out.data) == [4, 31, 301, 4]


@pk.workunit
def swap(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    a[i], b[i] = b[i], a[i]
    t = a[i]
    t += 0.5
    x, y = t, t * 2
    a[i] = x + y if i & 1 else max(x, y, -1.0)


def test_without_annotations_and_tuples():
    a, b = pk.View([4]), pk.View([4])
    a[:], b[:] = [1, 2, 3, 4], [10, 20, 30, 40]
    pk.parallel_for(4, swap, a=a, b=b)
    assert list(b.data) == [1, 2, 3, 4] and list(a.data) == [21, 61.5, 61, 121.5]


@pk.workunit
def two_views_of_one_array(i: int, first: pk.View1D[pk.double], second: pk.View1D[pk.double]):
    second[i] = first[i] + 1


def test_halves_of_a_view():
    a = pk.View([10])
    a[:] = np.arange(10)
    pk.parallel_for(5, two_views_of_one_array, first=a[:5], second=a[5:])
    assert list(a.data) == [0, 1, 2, 3, 4, 1, 2, 3, 4, 5]


def test_many_launches_of_one_workunit():
    """Views that come and go: what was bound to an old one is not used for a new one."""
    for n in (5, 9, 3, 9):
        a = pk.View([n])
        pk.parallel_for(n, lambda i: i + 1, a)
        assert pk.parallel_reduce(n, lambda i, acc: acc + 1) == n and a.sum() == n * (n + 1) / 2


class Plain:
    """A class without decorator, whose methods are workunits."""

    def __init__(self, n):
        self.n, self.v = n, pk.View([n])
        self.name, self.parent, self.options = "text", None, {"a": 1}

    @pk.workunit
    def fill(self, i):
        self.v[i] = self.n - i

    def run(self):
        pk.parallel_for(self.n, self.fill)
        pk.parallel_for("again", pk.RangePolicy(0, self.n), self.add_one)
        return self

    def add_one(self, i):
        self.v[i] += 1


def test_a_plain_class():
    assert list(Plain(3).run().v.data) == [4, 3, 2]


def scaled(scale, shift):
    v = pk.View([3])
    pk.parallel_for(3, lambda i: i * scale + shift(i), v)

    def twice(i, v):
        v[i] *= scale

    pk.parallel_for(3, twice, v=v)
    return list(v.data)


def test_what_is_around_a_lambda():
    """The same expression, made several times with other values around it."""
    def plus_one(i):
        return i + 1

    assert scaled(2, plus_one) == [2, 8, 14] and scaled(3, plus_one) == [3, 15, 27]
    assert scaled(2, abs) == [0, 6, 12] and scaled(2.5, plus_one) == [2.5, 11.25, 20]

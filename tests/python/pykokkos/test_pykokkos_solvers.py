"""Three more programs in the manner of PyKokkos' tutorials: conjugate gradients on a sparse matrix by teams, k-means as a
workload whose sums are atomic, and Monte Carlo with pools of random numbers."""

import math

import numpy as np
import pytest

import minx
import minx.pykokkos as pk

# ---- conjugate gradients: CSR, a team for some rows, threads for rows, lanes for elements ----

ROWS = 8  # of a team


@pk.workunit
def spmv(team: pk.TeamMember, acc: pk.Acc[pk.double], rows: int, begin: pk.View1D[pk.int32], column: pk.View1D[pk.int32],
         value: pk.View1D[pk.double], x: pk.View1D[pk.double], y: pk.View1D[pk.double]):
    """y = A x, and the sum of x y."""
    first: int = team.league_rank() * ROWS
    count: int = min(ROWS, rows - first)

    def row(k: int, dot: pk.Acc[pk.double]):
        r: int = first + k

        def element(n: int, sum: pk.Acc[pk.double]):
            sum += value[n] * x[column[n]]

        total: float = pk.parallel_reduce(pk.ThreadVectorRange(team, begin[r], begin[r + 1]), element)

        def store():
            y[r] = total

        pk.single(pk.PerThread(team), store)
        dot += total * x[r]

    all_rows: float = pk.parallel_reduce(pk.TeamThreadRange(team, count), row)

    def add():
        nonlocal acc
        acc += all_rows

    pk.single(pk.PerTeam(team), add)


@pk.workunit
def update(i, acc, alpha, x, r, p, Ap):
    x[i] += alpha * p[i]
    r[i] -= alpha * Ap[i]
    acc += r[i] * r[i]


@pk.workunit
def direct(i, beta, p, r):
    p[i] = r[i] + beta * p[i]


def conjugate_gradients(begin, column, value, b):
    n = len(b)
    x, p, r, Ap = (pk.View([n], pk.double) for _ in range(4))
    r.data[:] = p.data[:] = b.data
    first = rr = float(b.data @ b.data)
    teams = pk.TeamPolicy(-(-n // ROWS), pk.AUTO)
    for step in range(n):
        pAp = pk.parallel_reduce("spmv", teams, spmv, rows=n, begin=begin, column=column, value=value, x=p, y=Ap)
        new = pk.parallel_reduce(n, update, alpha=rr / pAp, x=x, r=r, p=p, Ap=Ap)
        if new < 1e-24 * first:
            break
        pk.parallel_for(n, direct, beta=new / rr, p=p, r=r)
        rr = new
    return x, step


def test_conjugate_gradients(space):
    n = 83  # no multiple of ROWS
    A = 3 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    A[0, n - 1] = A[n - 1, 0] = -0.5
    rows, columns = np.nonzero(A)
    begin, column, value = pk.View([n + 1], pk.int32), pk.View([len(rows)], pk.int32), pk.View([len(rows)], pk.double)
    begin.data[1:], column.data[:], value.data[:] = np.cumsum(np.bincount(rows)), columns, A[rows, columns]
    b = pk.array(np.sin(np.arange(n)))
    x, steps = conjugate_gradients(begin, column, value, b)
    assert steps < n / 2
    assert np.allclose(x.data, np.linalg.solve(A, b.data), rtol=0, atol=1e-9)  # the condition number is 5


# ---- k-means ----


@pk.workload(sums=pk.ViewTypeInfo(trait=pk.Atomic), count=pk.ViewTypeInfo(trait=pk.Atomic))
class KMeans:
    def __init__(self, points, centres):
        self.n, self.k = len(points), len(centres)
        self.x: pk.View2D[pk.double] = pk.View(list(points.shape), pk.double)
        self.c: pk.View2D[pk.double] = pk.View(list(centres.shape), pk.double)
        self.sums: pk.View2D[pk.double] = pk.View(list(centres.shape), pk.double)
        self.count: pk.View1D[pk.int32] = pk.View([self.k], pk.int32)
        self.label: pk.View1D[pk.int32] = pk.View([self.n], pk.int32)
        self.x.data[...], self.c.data[...] = points, centres
        self.changed: int = 1
        self.rounds: int = 0

    @pk.main
    def run(self):
        while self.changed > 0:
            self.sums.fill(0)
            self.count.fill(0)
            self.changed = pk.parallel_reduce("assign", self.n, self.assign)
            pk.parallel_for("centres", pk.MDRangePolicy([0, 0], [self.k, 2]), self.centre)
            self.rounds += 1

    @pk.callback
    def result(self):
        self.sizes = list(self.count)

    @pk.workunit
    def assign(self, i: int, changed: pk.Acc[int]):
        best: int = 0
        least: float = 1e300
        for k in range(self.k):
            distance: float = (self.x[i][0] - self.c[k][0]) ** 2 + (self.x[i][1] - self.c[k][1]) ** 2
            if distance < least:
                least = distance
                best = k
        if best != self.label[i]:
            changed += 1
        self.label[i] = best
        self.count[best] += 1
        for d in range(2):
            self.sums[best][d] += self.x[i][d]

    @pk.workunit
    def centre(self, k: int, d: int):
        if self.count[k] > 0:
            self.c[k][d] = self.sums[k][d] / self.count[k]


def test_k_means(space):
    rng = np.random.default_rng(0)
    points = np.round(np.concatenate([rng.normal(m, 0.4, (60, 2)) for m in ((0, 0), (3, 0), (0, 4))]), 2)
    means = KMeans(points, points[[0, 60, 120]] + 0.5)
    pk.execute(pk.Default, means)
    assert means.sizes == [60, 60, 60] and 2 <= means.rounds < 10
    # sums of 60 numbers of two decimals in any order
    assert np.allclose(means.c.data, points.reshape(3, 60, 2).mean(1), rtol=0, atol=1e-12)


# ---- pools of random numbers ----


@pk.function
def scaled(generator):
    return generator.drand(2.0, 4.0)


@pk.functor
class Darts:
    def __init__(self, n, seed):
        self.pool: pk.Random_XorShift64_Pool = pk.Random_XorShift64_Pool(seed)
        self.drawn: pk.View2D[pk.double] = pk.View([n, 9], pk.double)

    @pk.workunit
    def throw(self, i: int, hits: pk.Acc[int], darts: int):
        generator = self.pool.get_state()
        for k in range(darts):
            x: float = generator.drand()
            y: float = generator.drand(-1.0, 1.0)
            if x * x + y * y < 1.0:
                hits += 1
        self.pool.free_state(generator)

    @pk.workunit
    def kinds(self, i: int):
        g = self.pool.get_state()
        self.drawn[i][0], self.drawn[i][1], self.drawn[i][2] = g.rand(10), g.rand(-3, 3), g.rand()
        self.drawn[i][3], self.drawn[i][4], self.drawn[i][5] = g.urand64(2**40), g.frand(), g.normal(5.0, 2.0)
        again = self.pool.get_state()
        self.drawn[i][6], self.drawn[i][7], self.drawn[i][8] = scaled(again), again.drand(), g.drand()


def test_pools(space):
    darts = Darts(2000, 5374857)
    hits = [pk.parallel_reduce(2000, darts.throw, darts=20) for _ in range(2)]
    for n in hits:  # a standard deviation of 4 sqrt(pi/4 (1 - pi/4) / 40000) = 0.008
        assert abs(4 * n / 40000 - math.pi) < 0.04
    assert hits[0] != hits[1] and pk.parallel_reduce(2000, Darts(2000, 5374857).throw, darts=20) == hits[0]
    pk.parallel_for(2000, darts.kinds)
    d = darts.drawn.data
    lowest, highest = [0, -3, 0, 0, 0, -10, 2, 0, 0], [9, 2, 2**31 - 2, 2**40 - 1, 1, 20, 4, 1, 1]
    assert (d >= lowest).all() and (d <= highest).all() and set(d[:, 0]) == set(range(10)) and set(d[:, 1]) == set(range(-3, 3))
    mean = [4.5, -0.5, 2**30, 2**39, 0.5, 5, 3, 0.5, 0.5]
    deviation = [8.25**0.5, (35 / 12) ** 0.5, 2**31 / 12**0.5, 2**40 / 12**0.5, 12**-0.5, 2, 3**-0.5, 12**-0.5, 12**-0.5]
    assert (abs(d.mean(0) - mean) < 5 * np.array(deviation) / 2000**0.5).all()  # five standard deviations of a mean
    assert len(set(d[:, 7]) | set(d[:, 8])) == 4000  # a generator continues, whoever asks for it


@pk.workunit
def rows_of_random(team: pk.TeamMember, out: pk.View2D[pk.double], pool: pk.Random_XorShift1024_Pool):
    e: int = team.league_rank()

    def row(k: int):
        generator = pool.get_state()
        out[e][k] = generator.drand()

    pk.parallel_for(pk.TeamThreadRange(team, out.extent(1)), row)


def test_pools_of_teams(space):
    out = pk.View([6, 40], pk.double)
    pk.parallel_for(pk.TeamPolicy(6, pk.AUTO), rows_of_random, out=out, pool=pk.Random_XorShift1024_Pool(7))
    assert len(set(out.data.ravel())) == 240


def test_mistakes_of_pools():
    pool = pk.Random_XorShift64_Pool(1)

    def unknown(i, pool):
        x: float = pool.get_state().gaussian()

    def inner(pool):
        return pool.get_state().drand()

    def by_a_function(i, out, pool):
        out[i] = inner(pool)

    r = pk.View([3])
    with pytest.raises(minx.NotSupported, match="r is an array of outside: pass it as an argument"):
        pk.parallel_reduce(3, lambda i, acc: acc + r[i])
    with pytest.raises(minx.NotSupported, match="a generator has rand, .*; not gaussian"):
        pk.parallel_for(3, unknown, pool=pool)
    with pytest.raises(minx.NotSupported, match="is in the workunit"):
        pk.parallel_for(3, by_a_function, out=pk.View([3]), pool=pool)

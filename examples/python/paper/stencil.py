"""ParRes stencil: a star of a given radius on a square grid. The grid is linear in i and j, so that the sum of the
weighted differences is known: the mean of |out| is 2 (iterations + 1)."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"iterations": 4, "n": 40, "radius": 2}


def weights(radius):
    w = np.zeros((2 * radius + 1, 2 * radius + 1))
    for k in range(1, radius + 1):
        w[radius, radius + k] = w[radius + k, radius] = 1 / (2 * k * radius)
        w[radius, radius - k] = w[radius - k, radius] = -1 / (2 * k * radius)
    return w


@pk.workunit
def initialize(i: int, j: int, grid: pk.View2D[pk.double], out: pk.View2D[pk.double]):
    grid[i][j] = i + j
    out[i][j] = 0


@pk.workunit
def increment(i: int, j: int, grid: pk.View2D[pk.double]):
    grid[i][j] += 1


@pk.workunit
def star(i: int, j: int, grid: pk.View2D[pk.double], out: pk.View2D[pk.double], w: pk.View2D[pk.double], r: int):
    for k in range(-r, r + 1):
        out[i, j] += w[r, r + k] * grid[i, j + k]
        if k != 0:
            out[i, j] += w[r + k, r] * grid[i + k, j]


@pk.workunit
def norm(i: int, j: int, acc: pk.Acc[float], out: pk.View2D[pk.double]):
    acc += fabs(out[i][j])  # type: ignore[name-defined]  # noqa: F821


def functions(space, iterations, n, radius):
    pk.set_default_space(space)
    grid, out, w = pk.View([n, n], pk.double), pk.View([n, n], pk.double), pk.from_numpy(weights(radius))
    all_points = pk.MDRangePolicy([0, 0], [n, n], tiling=[8, 8])
    inner = pk.MDRangePolicy([radius, radius], [n - radius, n - radius])
    pk.parallel_for("init", all_points, initialize, grid=grid, out=out)
    for _ in range(iterations + 1):
        pk.parallel_for("stencil", inner, star, grid=grid, out=out, w=w, r=radius)
        pk.parallel_for("increment", all_points, increment, grid=grid)
    return pk.parallel_reduce("norm", inner, norm, out=out)


@pk.functor
class Star:
    def __init__(self, n: int, radius: int):
        self.n: int = n
        self.r: int = radius
        self.grid: pk.View2D[pk.double] = pk.View([n, n], pk.double)
        self.out: pk.View2D[pk.double] = pk.View([n, n], pk.double)
        self.w: pk.View2D[pk.double] = pk.View([2 * radius + 1, 2 * radius + 1], pk.double)
        self.w[:] = weights(radius)

    @pk.workunit
    def init(self, i: int, j: int):
        self.grid[i][j] = float(i) + float(j)

    @pk.workunit
    def stencil(self, i: int, j: int):
        total: float = self.out[i][j]
        for k in range(-self.r, self.r + 1):
            total += self.w[self.r][self.r + k] * self.grid[i][j + k]
        for k in range(1, self.r + 1):
            total += self.w[self.r + k][self.r] * self.grid[i + k][j]
            total += self.w[self.r - k][self.r] * self.grid[i - k][j]
        self.out[i][j] = total

    @pk.workunit
    def increment(self, i: int, j: int):
        self.grid[i][j] += 1.0

    @pk.workunit
    def norm(self, i: int, j: int, acc: pk.Acc[pk.double]):
        acc += abs(self.out[i][j])


def functor(space, iterations, n, radius):
    pk.set_default_space(space)
    f = Star(n, radius)
    everywhere = pk.MDRangePolicy([0, 0], [n, n])
    inner = pk.MDRangePolicy([radius, radius], [n - radius, n - radius], rank=pk.Rank(2))
    pk.parallel_for(everywhere, f.init)
    for _ in range(iterations + 1):
        pk.parallel_for(inner, f.stencil)
        pk.parallel_for(everywhere, f.increment)
    return pk.parallel_reduce(inner, f.norm)


@pk.workload
class Workload(Star):
    def __init__(self, iterations: int, n: int, radius: int):
        super().__init__(n, radius)
        self.iterations: int = iterations
        self.total: float = 0

    @pk.main
    def run(self):
        t: int = self.n - self.r
        pk.parallel_for(pk.MDRangePolicy([0, 0], [self.n, self.n]), self.init)
        for i in range(self.iterations + 1):
            pk.parallel_for("stencil", pk.MDRangePolicy([self.r, self.r], [t, t]), self.stencil)
            pk.parallel_for(pk.MDRangePolicy([0, 0], [self.n, self.n]), self.increment)
        self.total = pk.parallel_reduce(pk.MDRangePolicy([self.r, self.r], [t, t]), self.norm)


def workload(space, iterations, n, radius):
    w = Workload(iterations, n, radius)
    pk.execute(space, w)
    return w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, iterations, n, radius):
    expect("the mean of |out|", result / (n - 2 * radius) ** 2, 2.0 * (iterations + 1), 1e-8)  # that of ParRes


if __name__ == "__main__":
    main(run, check, SIZES)

"""y^T A x with A filled over two dimensions, and a reduction over two. All elements are small integers: sums are
exact."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"N": 37, "M": 29, "tile": 8}


@pk.workunit
def fill(j: int, i: int, A: pk.View2D[pk.double]):
    A[j][i] = (j + i) % 9


@pk.workunit
def yAx(j: int, i: int, acc: pk.Acc[float], y: pk.View1D[pk.double], x: pk.View1D[pk.double], A: pk.View2D[pk.double]):
    acc += y[j] * A[j, i] * x[i]


def vectors(N, M):
    y, x = pk.View([N], pk.double), pk.View([M], pk.double)
    y.data[:], x.data[:] = np.arange(N) % 3, np.arange(M) % 4
    return y, x


def functions(space, N, M, tile):
    pk.set_default_space(space)
    (y, x), A = vectors(N, M), pk.View([N, M], pk.double)
    pk.parallel_for("fill", pk.MDRangePolicy(space, [0, 0], [N, M], tiling=[tile, tile]), fill, A=A)
    rank = pk.Rank(2, pk.Iterate.Left, pk.Iterate.Right)
    return pk.parallel_reduce("yAx", pk.MDRangePolicy([0, 0], [N, M], rank=rank), yAx, y=y, x=x, A=A)


@pk.functor
class Functor:
    def __init__(self, N: int, M: int):
        self.y, self.x = vectors(N, M)
        self.A: pk.View2D[pk.double] = pk.View([N, M], pk.double)

    @pk.workunit
    def fill(self, j: int, i: int):
        self.A[j][i] = (j + i) % 9

    @pk.workunit
    def yAx(self, j: int, i: int, acc: pk.Acc[float]):
        acc += self.y[j] * self.A[j][i] * self.x[i]


def functor(space, N, M, tile):
    pk.set_default_space(space)
    f, policy = Functor(N, M), pk.MDRangePolicy([0, 0], [N, M], [tile, tile])
    pk.parallel_for(policy, f.fill)
    return pk.parallel_reduce(policy, f.yAx)


@pk.workload
class Workload:
    def __init__(self, N: int, M: int, tile: int):
        self.N: int = N
        self.M: int = M
        self.tile: int = tile
        self.y, self.x = vectors(N, M)
        self.A: pk.View2D[pk.double] = pk.View([N, M], pk.double)
        self.total: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(pk.MDRangePolicy([0, 0], [self.N, self.M]), self.fill)
        self.total = pk.parallel_reduce(
            pk.MDRangePolicy([0, 0], [self.N, self.M], tiling=[self.tile, self.tile]), self.yAx
        )

    @pk.workunit
    def fill(self, j: int, i: int):
        self.A[j][i] = (j + i) % 9

    @pk.workunit
    def yAx(self, j: int, i: int, acc: pk.Acc[float]):
        acc += self.y[j] * self.A[j][i] * self.x[i]


def workload(space, N, M, tile):
    w = Workload(N, M, tile)
    pk.execute(space, w)
    return w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, N, M, tile):
    j, i = np.indices((N, M))
    expect("y^T A x", result, (np.arange(N) % 3) @ ((i + j) % 9) @ (np.arange(M) % 4))


if __name__ == "__main__":
    main(run, check, SIZES)

"""y^T A x, where each row of A is a subview. All elements are small integers: sums are exact."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"N": 40, "M": 30}


def data(N, M):
    j, i = np.indices((N, M))
    return np.arange(N) % 3.0, np.arange(M) % 4.0, (3 * j + i) % 7.0


def views(N, M):
    y, x, A = pk.View([N], pk.double), pk.View([M], pk.double), pk.View([N, M], pk.double)
    y[:], x[:], A[:] = data(N, M)
    return y, x, A


@pk.workunit
def yAx(j: int, acc: pk.Acc[float], y: pk.View1D[pk.double], x: pk.View1D[pk.double], A: pk.View2D[pk.double]):
    row: pk.View1D[pk.double] = A[j, :]
    temp2: float = 0
    for i in range(row.extent(0)):
        temp2 += row[i] * x[i]
    acc += y[j] * temp2


@pk.workunit
def row_times_x(i: int, acc: pk.Acc[float], row: pk.View1D[pk.double], x: pk.View1D[pk.double]):
    acc += row[i] * x[i]


def functions(space, N, M):
    pk.set_default_space(space)
    y, x, A = views(N, M)
    inside = pk.parallel_reduce("yAx", pk.RangePolicy(space, 0, N), yAx, y=y, x=x, A=A)
    outside = sum(
        y[j] * pk.parallel_reduce(M, row_times_x, row=A[j, :], x=x) for j in range(N)
    )  # a subview of each launch
    expect("subviews outside of the workunit", outside, inside)
    return inside


@pk.functor(A=pk.ViewTypeInfo(trait=pk.Unmanaged))
class Rows:
    def __init__(self, y: pk.View1D[pk.double], x: pk.View1D[pk.double], A: pk.View2D[pk.double]):
        self.y: pk.View1D[pk.double] = y
        self.x: pk.View1D[pk.double] = x
        self.A: pk.View2D[pk.double] = A
        self.M: int = x.extent(0)

    @pk.workunit
    def yAx(self, j: int, acc: pk.Acc[float]):
        row = self.A[j, :]
        temp2: float = 0
        for i in range(self.M):
            temp2 += row[i] * self.x[i]
        acc += self.y[j] * temp2


def functor(space, N, M):
    pk.set_default_space(space)
    f = Rows(*views(N, M))
    return pk.parallel_reduce("yAx", N, f.yAx)


@pk.workload(x=pk.ViewTypeInfo(trait=pk.RandomAccess))
class Workload:
    def __init__(self, N: int, M: int):
        self.N: int = N
        self.M: int = M
        self.y, self.x, self.A = views(N, M)
        self.total: float = 0

    @pk.main
    def run(self):
        self.total = pk.parallel_reduce("yAx", self.N, self.yAx)

    @pk.workunit
    def yAx(self, j: int, acc: pk.Acc[float]):
        row: pk.View1D[pk.double] = self.A[j, :]
        temp2: float = 0
        for i in range(self.M):
            temp2 += row[i] * self.x[i]
        acc += self.y[j] * temp2


def workload(space, N, M):
    w = Workload(N, M)
    pk.execute(space, w)
    return w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, N, M):
    y, x, A = data(N, M)
    expect("y^T A x", result, y @ A @ x)


if __name__ == "__main__":
    main(run, check, SIZES)

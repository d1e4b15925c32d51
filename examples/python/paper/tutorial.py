"""y^T A x, exercises 1 to 4 of the Kokkos tutorial: 1 the reduction over rows of a flat array, 2 views of two
dimensions, filled in parallel, 3 memory spaces, 4 layouts and a policy that names its space.

All elements are small integers, so that sums are exact in any order."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"exercise": 2, "N": 64, "M": 48, "repeat": 3}


# ---- functions ----


@pk.workunit
def init_vector(i: int, v: pk.View1D[pk.double], period: int):
    v[i] = i % period


@pk.workunit
def init_matrix(j: int, A: pk.View2D[pk.double], M: int):
    for i in range(M):
        A[j][i] = (i + 2 * j) % 5


@pk.workunit
def yAx_flat(
    j: int, acc: pk.Acc[float], M: int, y: pk.View1D[pk.double], x: pk.View1D[pk.double], A: pk.View1D[pk.double]
):
    temp2: float = 0
    for i in range(M):
        temp2 += A[j * M + i] * x[i]
    acc += y[j] * temp2


@pk.workunit
def yAx(
    j: int, acc: pk.Acc[pk.double], M: int, y: pk.View1D[pk.double], x: pk.View1D[pk.double], A: pk.View2D[pk.double]
):
    temp2: float = 0
    for i in range(M):
        temp2 += A[j][i] * x[i]
    acc += y[j] * temp2


def matrix(N, M):
    j, i = np.indices((N, M))
    return (i + 2 * j) % 5.0


def functions(space, exercise, N, M, repeat):
    pk.set_default_space(space)
    y, x = pk.View([N], pk.double), pk.View([M], pk.double)
    pk.parallel_for("y", N, init_vector, v=y, period=3)
    pk.parallel_for("x", M, init_vector, v=x, period=4)
    if exercise == 1:
        A = pk.View([N * M], pk.double)
        A[:] = matrix(N, M).reshape(-1)
        unit = yAx_flat
    elif exercise == 3:
        A = pk.View([N, M], pk.double, space=pk.get_default_memory_space(space))
        pk.deep_copy(A, matrix(N, M))
        unit = yAx
    else:
        layout = pk.LayoutLeft if exercise == 4 else pk.Layout.LayoutDefault
        A = pk.View([N, M], pk.double, layout=layout)
        pk.parallel_for("A", pk.RangePolicy(space, 0, N), init_matrix, A=A, M=M)
        unit = yAx
    policy = pk.RangePolicy(space, 0, N) if exercise == 4 else N
    for _ in range(repeat):
        result = pk.parallel_reduce("yAx", policy, unit, M=M, y=y, x=x, A=A)
    return result


# ---- functor ----


@pk.functor(A=pk.ViewTypeInfo(layout=pk.LayoutRight))
class YAx:
    def __init__(self, N: int, M: int, A: pk.View2D[pk.double]):
        self.N: int = N
        self.M: int = M
        self.y: pk.View1D[pk.double] = pk.View([N], pk.double)
        self.x: pk.View1D[pk.double] = pk.View([M], pk.double)
        self.A: pk.View2D[pk.double] = A

    @pk.workunit
    def init_y(self, i: int):
        self.y[i] = i % 3

    @pk.workunit
    def init_x(self, i: int):
        self.x[i] = i % 4

    @pk.workunit
    def init_A(self, j: int):
        for i in range(self.M):
            self.A[j][i] = (i + 2 * j) % 5

    @pk.workunit
    def yAx(self, j: int, acc: pk.Acc[float]):
        temp2: float = 0
        for i in range(self.M):
            temp2 += self.A[j][i] * self.x[i]
        acc += self.y[j] * temp2


def functor(space, exercise, N, M, repeat):
    pk.set_default_space(space)
    f = YAx(N, M, pk.View([N, M], pk.double, layout=pk.LayoutLeft if exercise == 4 else pk.LayoutRight))
    pk.parallel_for(N, f.init_y)
    pk.parallel_for(M, f.init_x)
    pk.parallel_for(pk.RangePolicy(space, 0, N), f.init_A)
    for _ in range(repeat):
        result = pk.parallel_reduce(pk.RangePolicy(space, 0, N), f.yAx)
    return result


# ---- workload ----


@pk.workload
class Workload:
    def __init__(self, N: int, M: int, repeat: int):
        self.N: int = N
        self.M: int = M
        self.repeat: int = repeat
        self.y: pk.View1D[pk.double] = pk.View([N], pk.double)
        self.x: pk.View1D[pk.double] = pk.View([M], pk.double)
        self.A: pk.View2D[pk.double] = pk.View([N, M], pk.double)
        self.result: float = 0
        self.seconds: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(self.N, lambda i: i % 3, self.y)
        pk.parallel_for(self.M, lambda i: i % 4, self.x)
        pk.parallel_for(self.N, self.init_A)
        timer = pk.Timer()
        for r in range(self.repeat):
            self.result = pk.parallel_reduce("yAx", self.N, self.yAx)
        pk.fence()
        self.seconds = timer.seconds()

    @pk.callback
    def results(self):
        assert self.seconds > 0

    @pk.workunit
    def init_A(self, j: int):
        for i in range(self.M):
            self.A[j][i] = (i + 2 * j) % 5

    @pk.workunit
    def yAx(self, j: int, acc: pk.Acc[pk.double]):
        temp2: float = 0
        for i in range(self.M):
            temp2 += self.A[j][i] * self.x[i]
        acc += self.y[j] * temp2


def workload(space, exercise, N, M, repeat):
    w = Workload(N, M, repeat)
    pk.execute(space, w)
    return w.result


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, exercise, N, M, repeat):
    expect("y^T A x", result, (np.arange(N) % 3) @ matrix(N, M) @ (np.arange(M) % 4))


if __name__ == "__main__":
    main(run, check, SIZES)

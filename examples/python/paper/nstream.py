"""ParRes nstream: A += B + scalar * C, with the check of that suite."""

import minx.pykokkos as pk
from common import expect, main

SIZES = {"iterations": 7, "length": 3000}
SCALAR = 3.0


@pk.workunit
def init(i: int, A: pk.View1D[pk.double], B: pk.View1D[pk.double], C: pk.View1D[pk.double]):
    A[i] = 0.0
    B[i] = 2.0
    C[i] = 2.0


@pk.workunit
def nstream(i: int, A: pk.View1D[pk.double], B: pk.View1D[pk.double], C: pk.View1D[pk.double], scalar: float):
    A[i] += B[i] + scalar * C[i]


@pk.workunit
def sum_of(i: int, acc: pk.Acc[pk.double], A: pk.View1D[pk.double]):
    acc += fabs(A[i])  # type: ignore[name-defined]  # noqa: F821


def functions(space, iterations, length):
    pk.set_default_space(space)
    A, B, C = (pk.View([length], pk.double) for _ in range(3))
    policy = pk.RangePolicy(space, 0, length)
    pk.parallel_for(policy, init, A=A, B=B, C=C)
    for _ in range(iterations + 1):
        pk.parallel_for("nstream", policy, nstream, A=A, B=B, C=C, scalar=SCALAR)
    return pk.parallel_reduce(policy, sum_of, A=A)


@pk.functor
class NStream:
    def __init__(self, length: int):
        self.A: pk.View1D[pk.double] = pk.View([length], pk.double)
        self.B: pk.View1D[pk.double] = pk.View([length], pk.double)
        self.C: pk.View1D[pk.double] = pk.View([length], pk.double)
        self.B.fill(2)
        self.C.fill(2)
        self.scalar: float = SCALAR

    @pk.workunit
    def nstream(self, i: int):
        self.A[i] += self.B[i] + self.scalar * self.C[i]

    @pk.workunit
    def sum_of(self, i: int, acc: pk.Acc[pk.double]):
        acc += abs(self.A[i])


def functor(space, iterations, length):
    pk.set_default_space(space)
    f = NStream(length)
    for _ in range(iterations + 1):
        pk.parallel_for(length, f.nstream)
    return pk.parallel_reduce(length, f.sum_of)


@pk.workload
class Workload(NStream):
    def __init__(self, iterations: int, length: int):
        super().__init__(length)
        self.iterations: int = iterations
        self.length: int = length
        self.asum: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(self.length, lambda i: 2.0, self.B)
        for i in range(self.iterations + 1):
            pk.parallel_for(self.length, self.nstream)
        self.asum = pk.parallel_reduce(self.length, lambda i, acc: acc + abs(self.A[i]))


def workload(space, iterations, length):
    w = Workload(iterations, length)
    pk.execute(space, w)
    return w.asum


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, iterations, length):
    expect("sum", result, length * (iterations + 1) * (2 + SCALAR * 2))  # integers: exact


if __name__ == "__main__":
    main(run, check, SIZES)

"""BabelStream: copy, mul, add, triad, dot. Checked as that benchmark does: the same operations on three numbers."""

import minx.pykokkos as pk
from common import expect, main

SIZES = {"n": 2000, "times": 5, "precision": "double"}
START_A, START_B, START_C, SCALAR = 0.1, 0.2, 0.0, 0.4


# ---- functions: the types of elements are those of the views ----


@pk.workunit
def init(i: int, a, b, c):
    a[i] = START_A
    b[i] = START_B
    c[i] = START_C


@pk.workunit
def copy(i: int, a, c):
    c[i] = a[i]


@pk.workunit
def mul(i: int, b, c):
    b[i] = SCALAR * c[i]


@pk.workunit
def add(i: int, a, b, c):
    c[i] = a[i] + b[i]


@pk.workunit
def triad(i: int, a, b, c):
    a[i] = b[i] + SCALAR * c[i]


@pk.workunit
def dot(i: int, acc: pk.Acc[pk.double], a, b):
    acc += a[i] * b[i]


def functions(space, n, times, precision):
    pk.set_default_space(space)
    dtype = pk.double if precision == "double" else pk.float
    a, b, c = (pk.View([n], dtype) for _ in range(3))
    policy = pk.RangePolicy(space, 0, n)
    pk.parallel_for("init", policy, init, a=a, b=b, c=c)
    for _ in range(times):
        pk.parallel_for("copy", policy, copy, a=a, c=c)
        pk.parallel_for("mul", policy, mul, b=b, c=c)
        pk.parallel_for("add", policy, add, a=a, b=b, c=c)
        pk.parallel_for("triad", policy, triad, a=a, b=b, c=c)
        total = pk.parallel_reduce("dot", policy, dot, a=a, b=b)
    return a, b, c, total


# ---- functor ----


@pk.functor
class Stream:
    def __init__(self, n: int, dtype):
        self.a, self.b, self.c = (pk.View([n], dtype) for _ in range(3))
        self.startA: float = START_A
        self.startB: float = START_B
        self.startC: float = START_C
        self.scalar: float = SCALAR

    @pk.workunit
    def init(self, i: int):
        self.a[i] = self.startA
        self.b[i] = self.startB
        self.c[i] = self.startC

    @pk.workunit
    def copy(self, i: int):
        self.c[i] = self.a[i]

    @pk.workunit
    def mul(self, i: int):
        self.b[i] = self.scalar * self.c[i]

    @pk.workunit
    def add(self, i: int):
        self.c[i] = self.a[i] + self.b[i]

    @pk.workunit
    def triad(self, i: int):
        self.a[i] = self.b[i] + self.scalar * self.c[i]

    @pk.workunit
    def dot(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.a[i] * self.b[i]


def functor(space, n, times, precision):
    pk.set_default_space(space)
    s = Stream(n, pk.double if precision == "double" else pk.float)
    pk.parallel_for(n, s.init)
    for _ in range(times):
        for operation in (s.copy, s.mul, s.add, s.triad):
            pk.parallel_for(n, operation)
        total = pk.parallel_reduce(n, s.dot)
    return s.a, s.b, s.c, total


# ---- workload ----


@pk.workload
class Workload(Stream):
    def __init__(self, n: int, times: int, dtype):
        super().__init__(n, dtype)
        self.n: int = n
        self.times: int = times
        self.total: float = 0
        self.runtime: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(self.n, self.init)
        timer = pk.Timer()
        for i in range(self.times):
            pk.parallel_for(self.n, self.copy)
            pk.parallel_for(self.n, self.mul)
            pk.parallel_for(self.n, self.add)
            pk.parallel_for(self.n, self.triad)
            self.total = pk.parallel_reduce(self.n, self.dot)
        pk.fence()
        self.runtime = timer.seconds()

    @pk.callback
    def results(self):
        assert self.runtime > 0


def workload(space, n, times, precision):
    w = Workload(n, times, pk.double if precision == "double" else pk.float)
    pk.execute(space, w)
    return w.a, w.b, w.c, w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, n, times, precision):
    a, b, c = START_A, START_B, START_C
    for _ in range(times):
        c = a
        b = SCALAR * c
        c = a + b
        a = b + SCALAR * c
    tolerance = 1e-14 * times if precision == "double" else 1e-6 * times  # one or two roundings in each step
    for name, got, expected in zip("abc", result, (a, b, c)):
        expect(f"the largest {name}", got.data.max(), expected, tolerance)
        expect(f"the smallest {name}", got.data.min(), expected, tolerance)
    expect("dot", result[3], a * b * n, 1e-8 if precision == "double" else 1e-5)  # those of BabelStream


if __name__ == "__main__":
    main(run, check, SIZES)

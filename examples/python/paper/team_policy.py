"""y^T A x with two levels: a team for each row, whose threads share the columns. All elements are small integers: sums
are exact."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"N": 40, "M": 33}


def data(N, M):
    j, i = np.indices((N, M))
    return np.arange(N) % 3.0, np.arange(M) % 4.0, (3 * j + i) % 7.0


def views(N, M):
    y, x, A = pk.View([N], pk.double), pk.View([M], pk.double), pk.View([N, M], pk.double)
    y[:], x[:], A[:] = data(N, M)
    return y, x, A


@pk.workunit
def yAx(
    team_member: pk.TeamMember,
    acc: pk.Acc[float],
    M: int,
    y: pk.View1D[pk.double],
    x: pk.View1D[pk.double],
    A: pk.View2D[pk.double],
):
    j: int = team_member.league_rank()

    def inner_reduce(i: int, inner_acc: pk.Acc[float]):
        inner_acc += A[j][i] * x[i]

    temp2: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, M), inner_reduce)

    if team_member.team_rank() == 0:
        acc += y[j] * temp2


def functions(space, N, M):
    pk.set_default_space(space)
    y, x, A = views(N, M)
    return pk.parallel_reduce("yAx", pk.TeamPolicy(space, N, pk.AUTO), yAx, M=M, y=y, x=x, A=A)


@pk.functor
class Functor:
    def __init__(self, N: int, M: int):
        self.M: int = M
        self.y, self.x, self.A = views(N, M)

    @pk.workunit
    def yAx(self, team_member: pk.TeamMember, acc: pk.Acc[float]):
        j: int = team_member.league_rank()

        def inner_reduce(i: int, inner_acc: pk.Acc[float]):
            inner_acc += self.A[j][i] * self.x[i]

        temp2: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, self.M), inner_reduce)

        if team_member.team_rank() == 0:
            acc += self.y[j] * temp2


def functor(space, N, M):
    pk.set_default_space(space)
    f = Functor(N, M)
    return pk.parallel_reduce(pk.TeamPolicy(N, pk.AUTO), f.yAx)


@pk.workload
class Workload:
    def __init__(self, N: int, M: int):
        self.N: int = N
        self.M: int = M
        self.y, self.x, self.A = views(N, M)
        self.total: float = 0

    @pk.main
    def run(self):
        self.total = pk.parallel_reduce("yAx", pk.TeamPolicy(self.N, "auto"), self.yAx)

    @pk.workunit
    def yAx(self, team_member: pk.TeamMember, acc: pk.Acc[float]):
        j: int = team_member.league_rank()
        temp2: float = pk.parallel_reduce(
            pk.TeamThreadRange(team_member, self.M), lambda i, inner: inner + self.A[j][i] * self.x[i]
        )

        def add():
            nonlocal acc
            acc += self.y[j] * temp2

        pk.single(pk.PerTeam(team_member), add)


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

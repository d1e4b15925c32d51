"""The sum over e of y_e^T A_e x_e with three levels: teams over e, their threads over rows, vector lanes over columns.
All elements are small integers: sums are exact."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"E": 12, "N": 10, "M": 21}


def data(E, N, M):
    e, j, i = np.indices((E, N, M))
    return (e + j)[:, :, 0] % 3.0, (2 * e + i)[:, 0] % 4.0, (e + 3 * j + i) % 7.0


def views(E, N, M):
    y, x, A = pk.View([E, N], pk.double), pk.View([E, M], pk.double), pk.View([E, N, M], pk.double)
    y[:], x[:], A[:] = data(E, N, M)
    return y, x, A


@pk.workunit
def yAx(
    team_member: pk.TeamMember,
    acc: pk.Acc[float],
    N: int,
    M: int,
    y: pk.View2D[pk.double],
    x: pk.View2D[pk.double],
    A: pk.View3D[pk.double],
):
    e: int = team_member.league_rank()

    def team_reduce(j: int, team_acc: pk.Acc[float]):
        def vector_reduce(i: int, vector_acc: pk.Acc[float]):
            vector_acc += A[e][j][i] * x[e][i]

        tempM: float = pk.parallel_reduce(pk.ThreadVectorRange(team_member, M), vector_reduce)
        team_acc += y[e][j] * tempM

    tempN: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, N), team_reduce)

    def single_closure():
        nonlocal acc
        acc += tempN

    pk.single(pk.PerTeam(team_member), single_closure)


def functions(space, E, N, M):
    pk.set_default_space(space)
    y, x, A = views(E, N, M)
    return pk.parallel_reduce("yAx", pk.TeamPolicy(space, E, pk.AUTO, 32), yAx, N=N, M=M, y=y, x=x, A=A)


@pk.functor
class Functor:
    def __init__(self, E: int, N: int, M: int):
        self.N: int = N
        self.M: int = M
        self.y, self.x, self.A = views(E, N, M)

    @pk.workunit
    def yAx(self, team_member: pk.TeamMember, acc: pk.Acc[float]):
        e: int = team_member.league_rank()

        def team_reduce(j: int, team_acc: pk.Acc[float]):
            def vector_reduce(i: int, vector_acc: pk.Acc[float]):
                vector_acc += self.A[e][j][i] * self.x[e][i]

            tempM: float = pk.parallel_reduce(pk.ThreadVectorRange(team_member, self.M), vector_reduce)
            team_acc += self.y[e][j] * tempM

        tempN: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, self.N), team_reduce)

        def single_closure():
            nonlocal acc
            acc += tempN

        pk.single(pk.PerTeam(team_member), single_closure)


def functor(space, E, N, M):
    pk.set_default_space(space)
    f = Functor(E, N, M)
    return pk.parallel_reduce("yAx", pk.TeamPolicy(pk.Default, E, pk.AUTO, 4), f.yAx)


@pk.workload
class Workload:
    def __init__(self, E: int, N: int, M: int):
        self.E: int = E
        self.N: int = N
        self.M: int = M
        self.y, self.x, self.A = views(E, N, M)
        self.total: float = 0

    @pk.main
    def run(self):
        self.total = pk.parallel_reduce(pk.TeamPolicy(self.E, "auto", 32), self.yAx)

    @pk.workunit
    def yAx(self, team_member: pk.TeamMember, acc: pk.Acc[pk.double]):
        e: int = team_member.league_rank()

        def team_reduce(j: int, team_acc: pk.Acc[pk.double]):
            def vector_reduce(i: int, vector_acc: pk.Acc[pk.double]):
                vector_acc += self.A[e][j][i] * self.x[e][i]

            tempM: pk.double = pk.parallel_reduce(pk.ThreadVectorRange(team_member, self.M), vector_reduce)
            team_acc += self.y[e][j] * tempM

        tempN: pk.double = pk.parallel_reduce(pk.TeamThreadRange(team_member, self.N), team_reduce)
        if team_member.team_rank() == 0:
            acc += tempN


def workload(space, E, N, M):
    w = Workload(E, N, M)
    pk.execute(space, w)
    return w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, E, N, M):
    y, x, A = data(E, N, M)
    expect("sum of y^T A x", result, np.einsum("ej,eji,ei", y, A, x))


if __name__ == "__main__":
    main(run, check, SIZES)

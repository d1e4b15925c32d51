"""The sum over e of y_e^T A_e x_e, with x_e in the scratch memory of the team. All elements are small integers: sums
are exact."""

import minx.pykokkos as pk
from common import main
from team_vector_loop import SIZES, check, views  # noqa: F401


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
    s_x: pk.ScratchView1D[float] = pk.ScratchView1D(team_member.team_scratch(0), M)

    def init_scratch(i: int):
        s_x[i] = x[e][i]

    if team_member.team_rank() == 0:
        pk.parallel_for(pk.ThreadVectorRange(team_member, M), init_scratch)
    team_member.team_barrier()

    def team_reduce(j: int, team_acc: pk.Acc[float]):
        def vector_reduce(i: int, vector_acc: pk.Acc[float]):
            vector_acc += A[e][j][i] * s_x[i]

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
    scratch_size: int = pk.ScratchView1D[float].shmem_size(M)
    policy = pk.TeamPolicy(space, E, pk.AUTO, 32).set_scratch_size(0, pk.PerTeam(scratch_size))
    return pk.parallel_reduce("yAx", policy, yAx, N=N, M=M, y=y, x=x, A=A)


@pk.functor
class Functor:
    def __init__(self, E: int, N: int, M: int):
        self.N: int = N
        self.M: int = M
        self.y, self.x, self.A = views(E, N, M)

    @pk.workunit
    def yAx(self, team_member: pk.TeamMember, acc: pk.Acc[float]):
        e: int = team_member.league_rank()
        s_x: pk.ScratchView1D[float] = pk.ScratchView1D(team_member.team_scratch(0), self.M)

        def init_scratch(i: int):
            s_x[i] = self.x[e][i]

        pk.parallel_for(pk.TeamVectorRange(team_member, self.M), init_scratch)
        team_member.team_barrier()

        def team_reduce(j: int, team_acc: pk.Acc[float]):
            tempM: float = pk.parallel_reduce(
                pk.ThreadVectorRange(team_member, self.M), lambda i, a: a + self.A[e][j][i] * s_x[i]
            )
            team_acc += self.y[e][j] * tempM

        tempN: float = pk.parallel_reduce(pk.TeamThreadRange(team_member, self.N), team_reduce)
        if team_member.team_rank() == 0:
            acc += tempN


def functor(space, E, N, M):
    pk.set_default_space(space)
    f, size = Functor(E, N, M), pk.ScratchView1D[float].shmem_size(M)
    policy = pk.TeamPolicy(E, pk.AUTO)
    policy.set_scratch_size(0, pk.PerTeam(size))
    return pk.parallel_reduce(policy, f.yAx)


@pk.workload
class Workload(Functor):
    def __init__(self, E: int, N: int, M: int):
        super().__init__(E, N, M)
        self.E: int = E
        self.total: float = 0

    @pk.main
    def run(self):
        size: int = pk.ScratchView1D[float].shmem_size(self.M)
        self.total = pk.parallel_reduce(
            pk.TeamPolicy(self.E, "auto", 8).set_scratch_size(0, pk.PerTeam(size)), self.yAx
        )


def workload(space, E, N, M):
    w = Workload(E, N, M)
    pk.execute(space, w)
    return w.total


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


if __name__ == "__main__":
    main(run, check, SIZES)

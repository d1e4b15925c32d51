"""ParRes transpose: B += A^T, A += 1, with the check of that suite."""

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"iterations": 5, "order": 50, "tile": 16, "permute": 1}


@pk.workunit
def init(i: int, j: int, A: pk.View2D[pk.double], B: pk.View2D[pk.double], order: int):
    A[i][j] = i * order + j
    B[i][j] = 0


@pk.workunit
def transpose(i: int, j: int, A: pk.View2D[pk.double], B: pk.View2D[pk.double]):
    B[i][j] += A[j][i]
    A[j][i] += 1.0


def functions(space, iterations, order, tile, permute):
    pk.set_default_space(space)
    A, B = pk.View([order, order], pk.double), pk.View([order, order], pk.double)
    iterate = pk.Iterate.Left if permute else pk.Iterate.Right
    policy = pk.MDRangePolicy([0, 0], [order, order], tiling=[tile, tile], rank=pk.Rank(2, iterate, iterate))
    pk.parallel_for(policy, init, A=A, B=B, order=order)
    for _ in range(iterations + 1):
        pk.parallel_for("transpose", policy, transpose, A=A, B=B)
    return B


@pk.functor(A=pk.ViewTypeInfo(layout=pk.LayoutRight), B=pk.ViewTypeInfo(layout=pk.LayoutLeft))
class Transpose:
    def __init__(self, order: int, tile: int):
        self.order: int = order
        self.tile: int = tile
        self.A: pk.View2D[pk.double] = pk.View([order, order], pk.double, layout=pk.LayoutRight)
        self.B: pk.View2D[pk.double] = pk.View([order, order], pk.double, layout=pk.LayoutLeft)

    @pk.workunit
    def init(self, i: int, j: int):
        self.A[i][j] = i * self.order + j

    @pk.workunit
    def transpose(self, i: int, j: int):
        self.B[i][j] += self.A[j][i]
        self.A[j][i] += 1.0

    @pk.workunit
    def tiled(self, tile_number: int):
        """One tile: loops of its own."""
        tiles: int = (self.order + self.tile - 1) // self.tile
        it: int = (tile_number // tiles) * self.tile
        jt: int = (tile_number % tiles) * self.tile
        for i in range(it, min(it + self.tile, self.order)):
            for j in range(jt, min(jt + self.tile, self.order)):
                self.B[i][j] += self.A[j][i]
                self.A[j][i] += 1.0


def functor(space, iterations, order, tile, permute):
    pk.set_default_space(space)
    f = Transpose(order, tile)
    pk.parallel_for(pk.MDRangePolicy([0, 0], [order, order]), f.init)
    tiles = -(-order // tile)
    for _ in range(iterations + 1):
        pk.parallel_for("tiled", pk.RangePolicy(0, tiles * tiles), f.tiled)
    return f.B


@pk.workload
class Workload(Transpose):
    def __init__(self, iterations: int, order: int, tile: int):
        super().__init__(order, tile)
        self.iterations: int = iterations

    @pk.main
    def run(self):
        pk.parallel_for(pk.MDRangePolicy([0, 0], [self.order, self.order]), self.init)
        for i in range(self.iterations + 1):
            pk.parallel_for(
                pk.MDRangePolicy([0, 0], [self.order, self.order], tiling=[self.tile, self.tile]), self.transpose
            )
        pk.fence()


def workload(space, iterations, order, tile, permute):
    w = Workload(iterations, order, tile)
    pk.execute(space, w)
    return w.B


def run(style, space, **sizes):
    return {"function": functions, "functor": functor, "workload": workload}[style](space, **sizes)


def check(result, iterations, order, tile, permute):
    j, i = np.indices((order, order))
    added = (iterations + 1) * iterations / 2
    expect(
        "the largest error", np.abs(result.data - ((i * order + j) * (iterations + 1) + added)).max(), 0
    )  # integers: exact


if __name__ == "__main__":
    main(run, check, SIZES)

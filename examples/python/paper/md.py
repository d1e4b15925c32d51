"""Molecular dynamics in the shape of ExaMiniMD: atoms of the Lennard-Jones potential in a periodic box, cells,
neighbour lists, velocity Verlet. Reduced units: lengths in sigma, energies in epsilon, masses 1 (Allen and Tildesley,
Computer Simulation of Liquids).

    function   a full neighbour list from cells that BinSort has made; a force for each atom
    functor    classes for cells, list, force and integration; a half list, whose forces are added atomically
    workload   one class; the force and energy by teams, each of which has a block of atoms

A liquid at density 0.8442 and temperature 1.44, the benchmark of LAMMPS and miniMD. The energy of a pair is shifted to
0 at the cutoff, so that the total energy does not change where a pair crosses it."""

from typing import List

import numpy as np

import minx.pykokkos as pk
from common import expect, main

SIZES = {"cells": 5, "steps": 40, "every": 10}
DENSITY, TEMPERATURE, CUTOFF, SKIN, DT = 0.8442, 1.44, 2.5, 0.28, 0.005
CUT_ENERGY = 4 * (CUTOFF**-12 - CUTOFF**-6)
CUTSQ, RANGESQ = CUTOFF**2, (CUTOFF + SKIN) ** 2
MOST_NEIGHBORS, MOST_IN_CELL = 160, 64


def lattice(cells):
    """Atoms on an fcc lattice, with random velocities of no total momentum: (positions, velocities, length of the
    box)"""
    a = (4 / DENSITY) ** (1 / 3)
    corners = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), -1).reshape(-1, 1, 3)
    x = a * (corners + np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])).reshape(-1, 3)
    v = np.random.default_rng(1).normal(size=x.shape)
    v -= v.mean(0)
    v *= np.sqrt(TEMPERATURE * 3 * (len(x) - 1) / (v**2).sum())
    return x, v, a * cells


def start(cells):
    x0, v0, box = lattice(cells)
    if box < 3 * (CUTOFF + SKIN):
        raise ValueError(
            f"got {cells} cells of the lattice, expected 5 or more: the box has three cells of the range or more"
        )
    x, v, f = (pk.View([len(x0), 3], pk.double) for _ in range(3))
    x[:], v[:] = x0, v0
    return x, v, f, box


@pk.function
def nearest(d: float, box: float) -> float:
    """The distance to the nearest image."""
    if d > 0.5 * box:
        return d - box
    if d < -0.5 * box:
        return d + box
    return d


@pk.function
def wrapped(x: float, box: float) -> float:
    if x >= box:
        x -= box
    elif x < 0:
        x += box
    return x


@pk.function
def cell_of(x: float, width: float, n: int) -> int:
    c: int = x / width  # type: ignore[assignment]
    return min(c, n - 1)


@pk.function
def force_of(rsq: float) -> float:
    """The force over the distance."""
    r2inv: float = 1.0 / rsq
    r6inv: float = r2inv * r2inv * r2inv
    return 48.0 * r6inv * (r6inv - 0.5) * r2inv


@pk.function
def energy_of(rsq: float) -> float:
    r6inv: float = pow(1.0 / rsq, 3)
    return 4.0 * r6inv * (r6inv - 1.0) - CUT_ENERGY


# ---- functions ----


@pk.workunit
def wrap(i: int, x: pk.View2D[pk.double], box: float):
    for d in range(3):
        x[i][d] = wrapped(x[i][d], box)


@pk.workunit
def half_step(
    i: int, x: pk.View2D[pk.double], v: pk.View2D[pk.double], f: pk.View2D[pk.double], dt: float, moves: bool
):
    for d in range(3):
        v[i][d] += 0.5 * dt * f[i][d]
        if moves:
            x[i][d] += dt * v[i][d]


@pk.workunit
def full_list(
    i: int,
    x: pk.View2D[pk.double],
    order: pk.View1D[pk.int32],
    begin: pk.View1D[pk.int32],
    count: pk.View1D[pk.int32],
    number: pk.View1D[pk.int32],
    neighbors: pk.View2D[pk.int32],
    box: float,
    n: int,
):
    """The atoms near atom i, from its cell and those around it."""
    width: float = box / n
    found: int = 0
    for cx in range(cell_of(x[i][0], width, n) - 1, cell_of(x[i][0], width, n) + 2):
        for cy in range(cell_of(x[i][1], width, n) - 1, cell_of(x[i][1], width, n) + 2):
            for cz in range(cell_of(x[i][2], width, n) - 1, cell_of(x[i][2], width, n) + 2):
                c: int = (((cx + n) % n) * n + (cy + n) % n) * n + (cz + n) % n
                for k in range(begin[c], begin[c] + count[c]):
                    j: int = order[k]
                    dx: float = nearest(x[i][0] - x[j][0], box)
                    dy: float = nearest(x[i][1] - x[j][1], box)
                    dz: float = nearest(x[i][2] - x[j][2], box)
                    if j != i and dx * dx + dy * dy + dz * dz < RANGESQ:
                        neighbors[i][found] = j
                        found += 1
    number[i] = found


@pk.workunit
def full_force(
    i: int,
    x: pk.View2D[pk.double],
    f: pk.View2D[pk.double],
    number: pk.View1D[pk.int32],
    neighbors: pk.View2D[pk.int32],
    box: float,
):
    fx: float = 0.0
    fy: float = 0.0
    fz: float = 0.0
    for k in range(number[i]):
        j: int = neighbors[i][k]
        dx: float = nearest(x[i][0] - x[j][0], box)
        dy: float = nearest(x[i][1] - x[j][1], box)
        dz: float = nearest(x[i][2] - x[j][2], box)
        rsq: float = dx * dx + dy * dy + dz * dz
        if rsq < CUTSQ:
            pair: float = force_of(rsq)
            fx += dx * pair
            fy += dy * pair
            fz += dz * pair
    f[i][0] = fx
    f[i][1] = fy
    f[i][2] = fz


@pk.workunit
def potential(
    i: int,
    acc: pk.Acc[pk.double],
    x: pk.View2D[pk.double],
    number: pk.View1D[pk.int32],
    neighbors: pk.View2D[pk.int32],
    box: float,
):
    for k in range(number[i]):
        j: int = neighbors[i][k]
        dx: float = nearest(x[i][0] - x[j][0], box)
        dy: float = nearest(x[i][1] - x[j][1], box)
        dz: float = nearest(x[i][2] - x[j][2], box)
        rsq: float = dx * dx + dy * dy + dz * dz
        if rsq < CUTSQ:
            acc += 0.5 * energy_of(rsq)


@pk.workunit
def kinetic(i: int, acc: pk.Acc[pk.double], v: pk.View2D[pk.double]):
    acc += 0.5 * (v[i][0] ** 2 + v[i][1] ** 2 + v[i][2] ** 2)


def functions(space, cells, steps, every):
    pk.set_default_space(space)
    x, v, f, box = start(cells)
    atoms, n = x.extent(0), int(box / (CUTOFF + SKIN))
    number, neighbors = pk.View([atoms], pk.int32), pk.View([atoms, MOST_NEIGHBORS], pk.int32)
    policy, energies = pk.RangePolicy(space, 0, atoms), []
    for step in range(steps + 1):
        if step % every == 0:
            pk.parallel_for("wrap", policy, wrap, x=x, box=box)
            sorter = pk.BinSort(x, pk.BinOp3D([n] * 3, [0.0] * 3, [box] * 3))
            sorter.create_permute_vector()
            pk.parallel_for(
                "list",
                policy,
                full_list,
                x=x,
                order=sorter.get_permute_vector(),
                begin=sorter.get_bin_offsets(),
                count=sorter.get_bin_count(),
                number=number,
                neighbors=neighbors,
                box=box,
                n=n,
            )
        pk.parallel_for("force", policy, full_force, x=x, f=f, number=number, neighbors=neighbors, box=box)
        if step:
            pk.parallel_for("final", policy, half_step, x=x, v=v, f=f, dt=DT, moves=False)
        if step % every == 0:
            pe = pk.parallel_reduce("pe", policy, potential, x=x, number=number, neighbors=neighbors, box=box)
            energies.append((pe, pk.parallel_reduce("ke", policy, kinetic, v=v)))
        if step < steps:
            pk.parallel_for("initial", policy, half_step, x=x, v=v, f=f, dt=DT, moves=True)
    return x, v, energies


# ---- functors ----


@pk.functor(count=pk.ViewTypeInfo(trait=pk.Atomic))
class Cells:
    """The atoms of each cell, in no order."""

    def __init__(self, x: pk.View2D[pk.double], box: float):
        self.x: pk.View2D[pk.double] = x
        self.box: float = box
        self.n: int = int(box / (CUTOFF + SKIN))
        self.width: float = box / self.n
        self.count: pk.View1D[pk.int32] = pk.View([self.n**3], pk.int32)
        self.atoms: pk.View2D[pk.int32] = pk.View([self.n**3, MOST_IN_CELL], pk.int32)

    @pk.workunit
    def clear(self, c: int):
        self.count[c] = 0

    @pk.workunit
    def fill(self, i: int):
        for d in range(3):
            self.x[i][d] = wrapped(self.x[i][d], self.box)
        cx: int = cell_of(self.x[i][0], self.width, self.n)
        cy: int = cell_of(self.x[i][1], self.width, self.n)
        cz: int = cell_of(self.x[i][2], self.width, self.n)
        c: int = (cx * self.n + cy) * self.n + cz
        place: int = pk.atomic_fetch_add(self.count, [c], 1)
        self.atoms[c][place] = i


@pk.functor
class HalfList:
    """Each pair once: the neighbours of an atom with a higher number."""

    def __init__(self, cells: Cells, atoms: int):
        self.x, self.cells, self.in_cell = cells.x, cells.atoms, cells.count
        self.box: float = cells.box
        self.n: int = cells.n
        self.width: float = cells.width
        self.number: pk.View1D[pk.int32] = pk.View([atoms], pk.int32)
        self.neighbors: pk.View2D[pk.int32] = pk.View([atoms, MOST_NEIGHBORS], pk.int32)

    @pk.function
    def distance_squared(self, i: int, j: int) -> float:
        total: float = 0.0
        for d in range(3):
            delta: float = nearest(self.x[i][d] - self.x[j][d], self.box)
            total += delta * delta
        return total

    @pk.workunit
    def build(self, i: int):
        here: List[int] = [0, 0, 0]
        for d in range(3):
            here[d] = cell_of(self.x[i][d], self.width, self.n)
        found: int = 0
        for around in range(27):
            cx: int = (here[0] + around // 9 - 1 + self.n) % self.n
            cy: int = (here[1] + around // 3 % 3 - 1 + self.n) % self.n
            cz: int = (here[2] + around % 3 - 1 + self.n) % self.n
            c: int = (cx * self.n + cy) * self.n + cz
            for k in range(self.in_cell[c]):
                j: int = self.cells[c][k]
                if j > i and self.distance_squared(i, j) < RANGESQ:
                    self.neighbors[i][found] = j
                    found += 1
        self.number[i] = found


@pk.functor(f=pk.ViewTypeInfo(trait=pk.Atomic))
class HalfForce:
    def __init__(self, half: HalfList, f: pk.View2D[pk.double]):
        self.x, self.number, self.neighbors, self.box = half.x, half.number, half.neighbors, half.box
        self.f: pk.View2D[pk.double] = f

    @pk.workunit
    def clear(self, i: int):
        for d in range(3):
            self.f[i][d] = 0.0

    @pk.workunit
    def compute(self, i: int):
        for k in range(self.number[i]):
            j: int = self.neighbors[i][k]
            dx: float = nearest(self.x[i][0] - self.x[j][0], self.box)
            dy: float = nearest(self.x[i][1] - self.x[j][1], self.box)
            dz: float = nearest(self.x[i][2] - self.x[j][2], self.box)
            rsq: float = dx * dx + dy * dy + dz * dz
            if rsq < CUTSQ:
                pair: float = force_of(rsq)
                self.f[i][0] += dx * pair
                self.f[i][1] += dy * pair
                self.f[i][2] += dz * pair
                self.f[j][0] -= dx * pair
                self.f[j][1] -= dy * pair
                self.f[j][2] -= dz * pair

    @pk.workunit
    def energy(self, i: int, acc: pk.Acc[pk.double]):
        for k in range(self.number[i]):
            j: int = self.neighbors[i][k]
            dx: float = nearest(self.x[i][0] - self.x[j][0], self.box)
            dy: float = nearest(self.x[i][1] - self.x[j][1], self.box)
            dz: float = nearest(self.x[i][2] - self.x[j][2], self.box)
            rsq: float = dx * dx + dy * dy + dz * dz
            if rsq < CUTSQ:
                acc += energy_of(rsq)


@pk.functor
class Verlet:
    def __init__(self, x: pk.View2D[pk.double], v: pk.View2D[pk.double], f: pk.View2D[pk.double]):
        self.x, self.v, self.f = x, v, f
        self.dt: float = DT

    @pk.workunit
    def initial(self, i: int):
        for d in range(3):
            self.v[i][d] += 0.5 * self.dt * self.f[i][d]
            self.x[i][d] += self.dt * self.v[i][d]

    @pk.workunit
    def final(self, i: int):
        for d in range(3):
            self.v[i][d] += 0.5 * self.dt * self.f[i][d]

    @pk.workunit
    def kinetic(self, i: int, acc: pk.Acc[float]):
        acc += 0.5 * (self.v[i][0] * self.v[i][0] + self.v[i][1] * self.v[i][1] + self.v[i][2] * self.v[i][2])


def functors(space, cells, steps, every):
    pk.set_default_space(space)
    x, v, f, box = start(cells)
    atoms = x.extent(0)
    grid = Cells(x, box)
    half = HalfList(grid, atoms)
    force, verlet, energies = HalfForce(half, f), Verlet(x, v, f), []
    for step in range(steps + 1):
        if step % every == 0:
            pk.parallel_for(grid.n**3, grid.clear)
            pk.parallel_for("cells", atoms, grid.fill)
            pk.parallel_for("list", atoms, half.build)
        pk.parallel_for(atoms, force.clear)
        pk.parallel_for("force", atoms, force.compute)
        if step:
            pk.parallel_for(atoms, verlet.final)
        if step % every == 0:
            energies.append((pk.parallel_reduce(atoms, force.energy), pk.parallel_reduce(atoms, verlet.kinetic)))
        if step < steps:
            pk.parallel_for(atoms, verlet.initial)
    return x, v, energies


# ---- workload ----


@pk.workload(count=pk.ViewTypeInfo(trait=pk.Atomic))
class Liquid(Verlet):
    """Teams have blocks of 16 atoms; their threads share the atoms, and the lanes of a thread the neighbours."""

    def __init__(self, cells: int, steps: int, every: int):
        x, v, f, self.box = start(cells)
        super().__init__(x, v, f)
        self.steps: int = steps
        self.every: int = every
        self.atoms: int = x.extent(0)
        self.n: int = int(self.box / (CUTOFF + SKIN))
        self.count: pk.View1D[pk.int32] = pk.View([self.n**3], pk.int32)
        self.in_cell: pk.View2D[pk.int32] = pk.View([self.n**3, MOST_IN_CELL], pk.int32)
        self.number: pk.View1D[pk.int32] = pk.View([self.atoms], pk.int32)
        self.neighbors: pk.View2D[pk.int32] = pk.View([self.atoms, MOST_NEIGHBORS], pk.int32)
        self.energies: List[float] = []

    @pk.main
    def run(self):
        blocks = pk.TeamPolicy((self.atoms + 15) // 16, "auto", 8)
        for step in range(self.steps + 1):
            if step % self.every == 0:
                self.count.fill(0)
                pk.parallel_for("cells", self.atoms, self.fill_cells)
                pk.parallel_for("list", self.atoms, self.build)
            pk.parallel_for("force", blocks, self.force)
            if step > 0:
                pk.parallel_for("final", self.atoms, self.final)
            if step % self.every == 0:
                self.energies.append(
                    (pk.parallel_reduce("pe", blocks, self.energy), pk.parallel_reduce("ke", self.atoms, self.kinetic))
                )
            if step < self.steps:
                pk.parallel_for("initial", self.atoms, self.initial)
        pk.fence()

    @pk.function
    def cell_number(self, i: int) -> int:
        width: float = self.box / self.n
        c: int = 0
        for d in range(3):
            c = c * self.n + cell_of(self.x[i][d], width, self.n)
        return c

    @pk.workunit
    def fill_cells(self, i: int):
        for d in range(3):
            self.x[i][d] = wrapped(self.x[i][d], self.box)
        c: int = self.cell_number(i)
        place: int = pk.atomic_fetch_add(self.count, [c], 1)
        self.in_cell[c][place] = i

    @pk.workunit
    def build(self, i: int):
        c: int = self.cell_number(i)
        found: int = 0
        for around in range(27):
            cx: int = (c // (self.n * self.n) + around // 9 + self.n - 1) % self.n
            cy: int = (c // self.n % self.n + around // 3 % 3 + self.n - 1) % self.n
            cz: int = (c % self.n + around % 3 + self.n - 1) % self.n
            other: int = (cx * self.n + cy) * self.n + cz
            for k in range(self.count[other]):
                j: int = self.in_cell[other][k]
                if j != i and self.distance_squared(i, j) < RANGESQ:
                    self.neighbors[i][found] = j
                    found += 1
        self.number[i] = found

    @pk.function
    def distance_squared(self, i: int, j: int) -> float:
        dx: float = nearest(self.x[i][0] - self.x[j][0], self.box)
        dy: float = nearest(self.x[i][1] - self.x[j][1], self.box)
        dz: float = nearest(self.x[i][2] - self.x[j][2], self.box)
        return dx * dx + dy * dy + dz * dz

    @pk.workunit
    def force(self, team: pk.TeamMember):
        begin: int = team.league_rank() * 16
        end: int = min(begin + 16, self.atoms)

        def of_atom(i: int):
            for d in range(3):

                def of_neighbor(k: int, acc: pk.Acc[float]):
                    j: int = self.neighbors[i][k]
                    rsq: float = self.distance_squared(i, j)
                    if rsq < CUTSQ:
                        acc += nearest(self.x[i][d] - self.x[j][d], self.box) * force_of(rsq)

                total: float = pk.parallel_reduce(pk.ThreadVectorRange(team, self.number[i]), of_neighbor)
                self.f[i][d] = total

        pk.parallel_for(pk.TeamThreadRange(team, begin, end), of_atom)

    @pk.workunit
    def energy(self, team: pk.TeamMember, acc: pk.Acc[float]):
        begin: int = team.league_rank() * 16

        def of_atom(i: int, atom_acc: pk.Acc[float]):
            def of_neighbor(k: int, inner: pk.Acc[float]):
                rsq: float = self.distance_squared(i, self.neighbors[i][k])
                if rsq >= CUTSQ:
                    return
                inner += energy_of(rsq)

            atom_acc += 0.5 * pk.parallel_reduce(pk.ThreadVectorRange(team, self.number[i]), of_neighbor)

        total: float = pk.parallel_reduce(pk.TeamThreadRange(team, begin, min(begin + 16, self.atoms)), of_atom)
        if team.team_rank() == 0:
            acc += total


def workload(space, cells, steps, every):
    w = Liquid(cells, steps, every)
    pk.execute(space, w)
    return w.x, w.v, w.energies


# ---- checks ----


def reference(cells, steps, every):
    """The same with NumPy, over all pairs."""
    x, v, box = lattice(cells)

    def pairs():
        d = x[:, None] - x[None]
        d -= box * np.round(d / box)
        rsq = (d**2).sum(2)
        np.fill_diagonal(rsq, np.inf)
        r6 = np.where(rsq < CUTSQ, rsq**-3.0, 0.0)
        return (d * (48 * r6 * (r6 - 0.5 * (r6 > 0)) / rsq)[:, :, None]).sum(1), 2 * (
            r6 * (r6 - 1)
        ).sum() - 0.5 * CUT_ENERGY * (r6 > 0).sum()

    energies = []
    f, pe = pairs()
    for step in range(steps + 1):
        if step:
            v += 0.5 * DT * f
            x += DT * v
            f, pe = pairs()
            v += 0.5 * DT * f
        if step % every == 0:
            energies.append((pe, 0.5 * (v**2).sum()))
    return x, v, energies, box


def run(style, space, **sizes):
    return {"function": functions, "functor": functors, "workload": workload}[style](space, **sizes)


def check(result, cells, steps, every):
    x, v, energies = result
    total = [pe + ke for pe, ke in energies]
    # The error of velocity Verlet at this time step: 2e-4 of the energy with NumPy, too.
    expect("the total energy at the end", total[-1], total[0], 5e-4)
    expect("momentum", 1 + np.abs(v.data.sum(0)).max(), 1, 1e-10)  # rounding of thousands of sums
    x0, v0, expected, box = reference(cells, steps, every)
    # Rounding grows by chaos, exp(t) at most here: 1e-15 to some 1e-12 in 40 steps.
    for got, right in zip(energies, expected):
        expect("the potential energy", got[0], right[0], 1e-9)
        expect("the kinetic energy", got[1], right[1], 1e-9)
    d = x.data - x0
    expect("the largest difference of positions", 1 + np.abs(d - box * np.round(d / box)).max(), 1, 1e-9)


if __name__ == "__main__":
    main(run, check, SIZES)

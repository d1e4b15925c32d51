"""The arrays of the comparison, and the bytes or pairs that a launch must move or compute. Arrays are NumPy's; seeds
are fixed."""

from dataclasses import dataclass

import numpy as np

CUTOFF, LIST_CUTOFF, DENSITY = 2.5, 2.8, 0.8442  # miniMD's default problem
LISTED = 128  # entries of a row of the neighbour list


@dataclass
class Problem:
    """name; arrays and numbers, in the order of the kernel's parameters; work: of a launch; unit: "GB/s", or
    "ns/pair"."""

    name: str
    arrays: list
    numbers: list
    work: float
    unit: str

    def rate(self, seconds: float) -> float:
        return self.work / seconds * 1e-9 if self.unit == "GB/s" else seconds / self.work * 1e9


def triad(n: int) -> Problem:
    rng = np.random.default_rng(1)
    return Problem(f"triad, {n:.0e} elements", [np.zeros(n), rng.random(n), rng.random(n)], [0.4], 24 * n, "GB/s")


def stencil(n: int) -> Problem:
    """Each element counts once read and once written."""
    u = np.random.default_rng(2).random((n, n, n))
    return Problem(f"3-D stencil, {n}^3", [np.zeros_like(u), u], [0.1], 16.0 * (n - 2) ** 3, "GB/s")


def yax(elements: int, rows: int = 64) -> Problem:
    rng = np.random.default_rng(3)
    arrays = [rng.random((elements, rows)), rng.random((elements, rows, rows)), rng.random((elements, rows))]
    return Problem(f"y A x by teams, {elements} x {rows} x {rows}", arrays, [], 8.0 * arrays[1].size, "GB/s")


def lattice(cells: int) -> tuple[np.ndarray, float]:
    """Atoms of a face-centred cubic lattice, a little disordered, and the side of the box. An atom's row holds a vector
    of 3."""
    side = (4 / DENSITY) ** (1 / 3)
    base = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    corners = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), -1).reshape(-1, 1, 3)
    x = (corners + base).reshape(-1, 3) + np.random.default_rng(4).normal(0, 0.03, (4 * cells**3, 3))
    return x * side, cells * side


def neighbour_list(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours within LIST_CUTOFF in a row for each atom, without periodic images: (counts, rows of indices)."""
    bins = (x // LIST_CUTOFF).astype(np.int64)
    bins -= bins.min(0) - 1  # a layer of empty bins around
    extents = bins.max(0) + 2
    key = (bins[:, 0] * extents[1] + bins[:, 1]) * extents[2] + bins[:, 2]
    order = np.argsort(key, kind="stable")
    begin = np.searchsorted(key[order], np.arange(extents.prod() + 1))
    neighbours, count = np.zeros((len(x), LISTED), np.int32), np.zeros(len(x), np.int32)
    shifts = [(a * extents[1] + b) * extents[2] + c for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
    atoms = np.arange(len(x))
    for shift in shifts:  # the atoms of a bin are candidates in turn
        first, last = begin[key + shift], begin[key + shift + 1]
        for turn in range(int((last - first).max())):
            i = atoms[first + turn < last]
            j = order[first[i] + turn]
            near = (j != i) & (((x[i] - x[j]) ** 2).sum(1) < LIST_CUTOFF**2)
            neighbours[i[near], count[i[near]]] = j[near]
            count[i[near]] += 1
    return count, neighbours


def lj(cells: int) -> Problem:
    x, _ = lattice(cells)
    count, neighbours = neighbour_list(x)
    return Problem(
        f"Lennard-Jones, {len(x)} atoms, {count.mean():.0f} neighbours",
        [np.zeros_like(x), x, count, neighbours],
        [CUTOFF**2, 48.0, 24.0],
        float(count.sum()),
        "ns/pair",
    )

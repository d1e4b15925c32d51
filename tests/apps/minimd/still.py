#!/usr/bin/env python3
"""minimd's checks and first forces where numbers are 0, or are none.

rest    crystals at rest, single atoms, atoms out of range, and energies that cancel pass all checks, and minx-verify agrees; a
        momentum that is no rounding is found
places  pairs at the cutoff, whom the run may count and minx-verify not; a box whose corner is far away; atoms that are so dense
        that they need too many distances
large   lattices of 131,072 atoms: minx-verify adds as many equal numbers, and their roundings do not add up
near    two atoms at one place, or nearly, are an error at the first step that names both ids and their distance: for each kind of
        list and force, across the sides of the box and of the ranks' bricks, in a lattice, and after a restart

Needs h5py and numpy.

usage: still.py CASE --minimd PROGRAM --verify PROGRAM --inputs FOLDER --mpiexec WORD...
"""
import os
import re
import shutil
import subprocess
import sys

from results import EAM, LJ, Failure, check, crystal, h5py, main, np, write_data

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from seal import seal

COLD_LJ, COLD_EAM = {**LJ, "temperature": 0}, {**EAM, "temperature": 0}


# ---- rest ----

def density_without_energy(cutoff):
    """Of a face-centred lattice whose pairs of Lennard-Jones within the cutoff add up to 0."""
    sites = np.array([(i, j, k) for i in range(-9, 10) for j in range(-9, 10) for k in range(-9, 10) if (i + j + k) % 2 == 0 and (i, j, k) != (0, 0, 0)])
    square = (sites ** 2).sum(axis=1)

    def energy(density):
        r2 = square * (0.5 * (4 / density) ** (1 / 3)) ** 2
        r2 = r2[r2 < cutoff ** 2]
        return (r2 ** -6 - r2 ** -3).sum()
    low, high = 1.2, 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if energy(middle) > 0 else (middle, high)
    return low


def place(runs, positions, side, types=1):
    write_data(runs.path("data"), np.array(positions, dtype=float), 1 + np.arange(len(positions)) % types, side)
    return "-f", runs.path("data")


def still(runs, physics, *options, ranks=1, steps=40, **changes):
    runs.run(runs.deck(physics, steps, **changes), "--output=rest.h5", *options, ranks=ranks)
    runs.verify("rest.h5")


def pushed(runs):
    """One atom of a crystal at rest gets a velocity of 1e-6: its momentum is no rounding."""
    still(runs, COLD_LJ)
    shutil.copy(runs.path("rest.h5"), runs.path("pushed.h5"))
    with h5py.File(runs.path("pushed.h5"), "r+") as file:
        file["/fields/velocity"][7, 0] += 1e-6
        for name in ("momentum_x", "motion"):
            file["/series/" + name][-1] += 1e-6
    text = runs.verify("pushed.h5", code=1)
    if not re.search("FAIL +check momentum: value", text):
        raise Failure(f"a momentum of 1e-6 of a crystal at rest was not found:\n{text[-1500:]}")


def rest(runs):
    cases = [
        (),
        ("list=clusters",),
        ("list=csr", "neighbours=half"),
        ("shift=force",),
        ("precision=mixed",),
    ]
    for options in cases:
        still(runs, COLD_LJ, *options)
    for ranks in (2, 4):
        still(runs, COLD_LJ, ranks=ranks)
    still(runs, COLD_LJ, "-s", "10", "precision=mixed", steps=20)
    for ranks in (1, 2):
        still(runs, COLD_EAM, "ntypes=2", runs.potential, ranks=ranks)
    still(runs, COLD_LJ, density=repr(density_without_energy(2.5)))
    # a time step in which their force of 24 does not move two atoms far
    for positions, side in (([(1.1, 0.7, 0.3)], 1.9), ([(1.1, 0.7, 0.3)], 9.0), ([(1, 1, 1), (5, 5, 5)], 9.0),
                            ([(1, 1, 1), (2, 1, 1)], 9.0), ([(1, 1, 1), (2.0000001, 1, 1)], 9.0)):
        for steps in (0, 3, 40):
            still(runs, COLD_LJ, *place(runs, positions, side), steps=steps, dt=0.001)
    pushed(runs)


# ---- large ----

def large(runs):
    for physics in (LJ, EAM):
        runs.run(runs.deck(physics, 0), "-s", "32", "--output=large.h5", *(("ntypes=2", runs.potential) if physics is EAM else ()))
        runs.verify("large.h5")


# ---- places ----

def dense(runs):
    """All atoms of a lattice at one corner, with digests of their own."""
    runs.run(runs.deck(LJ, 0), "-s", "25", "--output=dense.h5")
    with h5py.File(runs.path("dense.h5"), "r+") as file:
        positions = file["/fields/position"]
        positions[...] = np.random.default_rng(5).uniform(1, 1.5, positions.shape)
    text = runs.verify("dense.h5", code=1)
    if not re.search("FAIL +density .*so dense that energies need 3.91e.09 distances, expected at most 2.5e.09", text):
        raise Failure(f"atoms in one cell:\n{text[-1500:]}")


def places(runs):
    side = (4 / LJ["density"]) ** (1 / 3)
    for shell, options in ((4, ("-s", "5")), (4, ("-s", "5", "precision=mixed")), (1.5, ("-nx", "4", "-ny", "5", "-nz", "6", "list=2d"))):
        still(runs, COLD_LJ, *options, "frames=10", cutoff=f"{side * shell ** 0.5!r} 0.3", steps=20)
    positions, length = crystal(LJ, 5, np.random.default_rng(9))
    for corner in (-3e6, 1e7):
        moved = (positions % length + corner).tolist()
        write_data(runs.path("data"), np.array(moved), np.ones(len(moved), dtype=int), length)
        with open(runs.path("data"), encoding="ascii") as file:
            text = file.read()
        for axis in "xyz":
            text = text.replace(f"0 {length!r} {axis}lo", f"{corner!r} {corner + length!r} {axis}lo")
        with open(runs.path("data"), "w", encoding="ascii") as file:
            file.write(text)
        still(runs, LJ, "-f", runs.path("data"), "frames=20", "thermo=10")
    dense(runs)


# ---- near ----

def refused(runs, ids, deck, *options, ranks=1, where="data"):
    command = runs.command_of(deck, *options, ranks=ranks)
    done = subprocess.run(command, cwd=runs.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(rf"{where}: step (\d+): atoms (\d+) and (\d+) are at a distance of (\S+): ", done.stderr)
    if done.returncode != 2 or not found or (ids and sorted(map(int, found.group(2, 3))) != sorted(ids)):
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}, expected 2 and a line that names {ids}\n{done.stderr[-1500:]}")
    return int(found[1]), float(found[4])


def overlapping(runs, physics, move, types=1):
    """A crystal whose atoms 18 and 6 are where `move` puts them."""
    positions, side = crystal(physics, 4, np.random.default_rng(3))
    positions %= side
    positions[17], positions[5] = move(positions[5], side)
    return place(runs, positions, side, types)


def same_place(x, side):
    return x, x


MOVES = {
    "place": (same_place, 0, 0),
    "nearly": (lambda x, side: ((0, 1, 1), (1e-30, 1, 1)), 1e-30, 1e-45),
    "sides": (lambda x, side: ((0, 1, 1), (side, 1, 1)), 0, 0),
    # beside the middle of the box, where the bricks of ranks meet
    "bricks": (lambda x, side: ((side / 2, 1, 1), (np.nextafter(side / 2, 0), 1, 1)), 0, 1e-15),
}


def near(runs):
    lj = runs.deck(LJ, 20)
    data = overlapping(runs, LJ, same_place)
    cases = [
        ("list=2d_right",),
        ("list=2d_left",),
        ("list=csr", "neighbours=half"),
        ("list=clusters",),
        ("shift=force",),
        ("precision=mixed",),
        ("epsilon=1", "sigma=1", "thermo=0"),
    ]
    for options in cases:
        check("step and distance", refused(runs, (6, 18), lj, *data, *options), (0, 0))
    for name, (move, expected, tolerance) in MOVES.items():
        data = overlapping(runs, LJ, move)
        for ranks in (1, 2, 4) if name == "bricks" else (1, 2):
            step, distance = refused(runs, (6, 18), lj, *data, ranks=ranks)
            if step != 0 or abs(distance - expected) > tolerance:
                raise Failure(f"{name}, {ranks} ranks: step {step}, distance {distance}, expected 0, {expected}")
    eam = runs.deck(EAM, 20)
    data = overlapping(runs, EAM, same_place, 2)
    for options in ((), ("list=2d",)):
        for ranks in (1, 2) if not options else (1,):
            check("EAM", refused(runs, (6, 18), eam, *data, runs.potential, "elements=Cu,Ni", *options, ranks=ranks), (0, 0))
    refused(runs, None, runs.deck({**LJ, "density": 1e90, "cutoff": "2.5e-30 1e-31"}, 5), where="the lattice")
    restarted(runs)


def restarted(runs):
    deck = runs.deck(LJ, 20)
    for ranks in (1, 2):
        runs.run(deck, "--checkpoint=c.h5", "--checkpoint-every=13", ranks=ranks)
        with h5py.File(runs.path("c.h5"), "r+") as file:
            ids = file["/state/id"][...].tolist()
            for name in ("position", "built_position"):
                file["/state/" + name][ids.index(6)] = file["/state/" + name][ids.index(18)]
        seal(runs.path("c.h5"))
        check("restart", refused(runs, (6, 18), deck, "--restart=c.h5", ranks=ranks, where="c.h5"), (13, 0))


if __name__ == "__main__":
    sys.exit(main({"rest": rest, "places": places, "large": large, "near": near}))

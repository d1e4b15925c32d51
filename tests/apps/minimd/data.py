#!/usr/bin/env python3
"""minimd with LAMMPS data files.

lammps  a file that LAMMPS wrote gives LAMMPS's own figures (README.md of the reference data: lj/cut 2.5, 4000 atoms, lists every 20
        steps): T, U and P at step 0 within 1e-6, at step 200 within 1e-4, relative; on 1, 2 and 4 ranks
forms   files that say the same in another way give the same: a box with other corners and positions outside of it, sections in another
        order, image flags, coefficients in the file, types that are all equal; and a heavier type is hotter

The data are in the folder that MINX_REFERENCE_DATA names. Without it the test is skipped, and fails if MINX_REQUIRE_DATA=1.

usage: data.py --minimd PROGRAM --mpiexec WORD...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import Failure, on_ranks, options_of, reference_data, run_case

LINE = re.compile(r"^(\d+) (\S+e\S+) (\S+e\S+) (\S+e\S+) +\S+$", re.M)
# step: T, U and P of LAMMPS
LAMMPS = {0: (1.1, -6.72925389785, -5.01293159461), 50: (0.558891066809, -5.924136112, -0.848769980029),
          100: (0.604534079857, -5.99451530989, -1.18136198192), 200: (0.606514325546, -5.99793966497, -1.18486993006)}
SIDE = 16.795961913825074


def run(args, data, *options, ranks=1):
    command = on_ranks(args.mpiexec, ranks, [args.minimd, "-i", args.deck, "-f", data, *options])
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {int(m.group(1)): tuple(map(float, m.groups()[1:])) for m in LINE.finditer(done.stdout)}


def near(what, got, expected, tolerance):
    for name, a, b in zip("TUP", got, expected):
        if not abs(a - b) <= tolerance * abs(b):
            raise Failure(f"{what}: {name}: got {a}, expected {b}, tolerance {tolerance} relative")


def lammps(args):
    for ranks in (1, 2, 4):
        got = run(args, args.data, "-n", "200", "thermo=50", ranks=ranks)
        for step, expected in LAMMPS.items():
            # before step 200 the motion amplifies rounding less than there
            near(f"{ranks} ranks, step {step}", got[step], expected, 1e-6 if step == 0 else 1e-4)


def rows_of(text, title):
    """The rows of a section, as lists of words."""
    return [line.split() for line in text.split(title + "\n\n")[1].split("\n\n")[0].strip().split("\n")]


def write(path, header, sections):
    with open(path, "w", encoding="ascii") as file:
        file.write("written by a test\n\n" + header + "".join(
            f"\n{title}\n\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows) for title, rows in sections))


def header(types, low=(0, 0, 0)):
    return f"4000 atoms\n{types} atom types\n" + "".join(
        f"{a:.17g} {a + SIDE:.17g} {d}lo {d}hi\n" for a, d in zip(low, "xyz"))


def forms(args, folder):
    with open(args.data, encoding="ascii") as file:
        text = file.read()
    atoms, velocities = rows_of(text, "Atoms # atomic"), rows_of(text, "Velocities")
    path = os.path.join(folder, "atoms.data")
    expected = run(args, args.data, "-n", "20", "thermo=20")

    low = (-3.5, 100.0, 7.25)
    moved = [[a[0], 1] + [repr(float(x) + shift + SIDE * (int(a[0]) % 5 - 2)) for x, shift in zip(a[2:5], low)] + [0, -1, 2]
             for a in reversed(atoms)]
    write(path, header(1, low), [("Velocities", velocities), ("Atoms # atomic", moved), ("Masses", [[1, 1.0]])])
    # the positions differ by roundings of 1e-14, from the shift
    for ranks in (1, 2):
        got = run(args, path, "-n", "20", "thermo=20", ranks=ranks)
        for step in (0, 20):
            near(f"moved, {ranks} ranks, step {step}", got[step], expected[step], 1e-6)

    three = [[a[0], 1 + int(a[0]) % 3, *a[2:5]] for a in atoms]
    write(path, header(3), [("PairIJ Coeffs # lj/cut", [[i, j, 1, 1, 2.5] for i in (1, 2, 3) for j in range(i, 4)]),
                            ("Atoms", three), ("Velocities", velocities)])
    got = run(args, path, "-n", "20", "thermo=20")
    near("three equal types", got[20], expected[20], 1e-6)

    write(path, header(3), [("Atoms", three), ("Velocities", velocities), ("Pair Coeffs", [[1, 1, 1], [2, 0.5, 0.9], [3, 1, 1, 2.2]])])
    file = run(args, path, "-n", "20", "thermo=20", "mixing=arithmetic")
    write(path, header(3), [("Atoms", three), ("Velocities", velocities)])
    deck = run(args, path, "-n", "20", "thermo=20", "mixing=arithmetic", "epsilon=1,0.5,1", "sigma=1,0.9,1")
    if abs(file[0][1] - deck[0][1]) < 1e-3:
        raise Failure(f"the cutoff of a type in Pair Coeffs changes nothing: U is {file[0][1]} and {deck[0][1]}")
    write(path, header(3), [("Atoms", three), ("Velocities", velocities), ("Pair Coeffs", [[1, 1, 1], [2, 0.5, 0.9], [3, 1, 1]])])
    near("mixed types", run(args, path, "-n", "20", "thermo=20", "mixing=arithmetic")[20], deck[20], 1e-6)

    write(path, header(1), [("Masses", [[1, 4]]), ("Atoms", atoms), ("Velocities", velocities)])
    near("masses", run(args, path, "-n", "0")[0][:1], (4.4,), 1e-6)
    write(path, header(1), [("Atoms", atoms)])
    near("no velocities", run(args, path, "-n", "0")[0], (0.0, LAMMPS[0][1], LAMMPS[0][2] - 1.1 * 3999 / SIDE ** 3), 1e-6)


def main():
    args = options_of("minimd", verify=False).parse_args()
    args.deck, args.data = reference_data("minimd", "in.lj.miniMD"), reference_data("minimd", "lj4k.data")
    with tempfile.TemporaryDirectory() as folder:
        return run_case(lammps, args) or run_case(forms, args, folder)


if __name__ == "__main__":
    sys.exit(main())

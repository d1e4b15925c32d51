#!/usr/bin/env python3
"""minimd's embedded atoms against LAMMPS, with the potentials of LAMMPS's own package.

Each funcfl, eam/alloy and eam/fs file of the folder: 256 atoms of a face-centred cubic cell, all elements of the file at random, each
atom moved at random (seeded by the file's name); and several funcfl files, mixed. The energy an atom at step 0 must be that of `lmp`
within 1e-9, relative; so must the pressure, of an energy an atom's volume, which has the forces. (Units of pressure differ in their digits
between LAMMPS and the original miniMD, so each is taken out.) With lists of clusters; and in rows (2d), where the two kernels look up different
tables: with a density for each pair of elements, and with a cutoff behind the last knot.

Skipped where lmp or the files are missing (Debian: lammps, lammps-data).

usage: lammps.py --minimd PROGRAM [--lmp lmp] [--potentials FOLDER] [--table]
"""
import argparse
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import Failure, run_case

CELLS = 4
# what minimd prints for 1 eV an atom; bar in an eV per cubic Angstrom, of the original and of LAMMPS
PRINTED, BAR, LAMMPS_BAR = 2 * 524287.985533, 1.602176e6, 1.6021765e6
# funcfl files that are mixed: with other steps and other cutoffs
MIXED = (("Cu_u3.eam", "Ni_u3.eam"), ("Al_jnp.eam", "Cu_smf7.eam"), ("Cu_u6.eam", "Ag_u3.eam", "Al_jnp.eam"))
SYMBOLS = {13: "Al", 28: "Ni", 29: "Cu", 46: "Pd", 47: "Ag", 78: "Pt", 79: "Au"}


class Element:
    """An element of a potential: its name, mass, and the side of a face-centred cubic cell with the volume of its own lattice."""

    def __init__(self, name, line):
        words = line.split()
        atoms = {"bcc": 2, "hcp": 2 ** 1.5}.get(words[3].lower() if len(words) > 3 else "fcc", 4)
        self.name, self.mass, self.side = name or SYMBOLS[int(words[0])], float(words[1]), float(words[2]) * (4 / atoms) ** (1 / 3)


def elements_of(path):
    """Those of a potential's file."""
    with open(path, encoding="latin-1") as file:
        lines = file.read().split("\n")
    if not path.endswith((".alloy", ".fs")):
        return [Element(None, lines[1])]
    names = lines[3].split()[1:]
    headers = [line for line in lines[5:] if re.search(r"\s[A-Za-z]+\s*$", line)]
    return [Element(name, line) for name, line in zip(names, headers, strict=True)]


def write_cell(path, elements, seed):
    """A data file with one type for each element. An element of no size (hydrogen) sits in the others' lattice."""
    dice = random.Random(seed)
    side = max(e.side for e in elements)
    sites = [(x, y, z) for x in range(2 * CELLS) for y in range(2 * CELLS) for z in range(2 * CELLS) if (x + y + z) % 2 == 0]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"a perturbed cell\n\n{len(sites)} atoms\n{len(elements)} atom types\n\n")
        file.writelines(f"0 {CELLS * side:.17g} {d}lo {d}hi\n" for d in "xyz")
        file.write("\nMasses\n\n" + "".join(f"{t} {e.mass:.17g}\n" for t, e in enumerate(elements, 1)) + "\nAtoms # atomic\n\n")
        for number, site in enumerate(sites, 1):
            at = " ".join(f"{side * (0.5 * s + dice.uniform(-0.06, 0.06)):.17g}" for s in site)
            file.write(f"{number} {dice.randint(1, len(elements))} {at}\n")
    return side ** 3 / 4


def lammps(args, folder, files, elements):
    """Energy an atom and pressure by LAMMPS, in eV and bar."""
    if len(files) > 1:
        coefficients = "pair_style eam\n" + "".join(f"pair_coeff {n} {n} {f}\n" for n, f in enumerate(files, 1))
    elif files[0].endswith((".alloy", ".fs")):
        coefficients = f"pair_style eam/{files[0].rpartition('.')[2]}\npair_coeff * * {files[0]} {' '.join(e.name for e in elements)}\n"
    else:
        coefficients = f"pair_style eam\npair_coeff * * {files[0]}\n"
    with open(os.path.join(folder, "in.lammps"), "w", encoding="ascii") as file:
        file.write("units metal\nboundary p p p\natom_style atomic\nread_data atoms.data\n" + coefficients +
                   "run 0\nprint \"FIGURES $(pe/atoms:%.17g) $(press:%.17g)\"\n")
    done = subprocess.run([args.lmp, "-in", "in.lammps", "-log", "none"], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    found = re.search(r"^FIGURES (\S+) (\S+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise Failure(f"{' '.join(files)}: lmp: exit code {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return float(found.group(1)), float(found.group(2)) / LAMMPS_BAR


DECK = "embedded atoms\nagainst LAMMPS\nmetal\natoms.data\neam\n1 1\n1 1 1\n0\n0.001\n0\n1\n20\n1 0.5\n0\n"


def minimd(args, folder, files, options):
    """The same by minimd."""
    with open(os.path.join(folder, "deck.in"), "w", encoding="ascii") as file:
        file.write(DECK)
    done = subprocess.run([args.minimd, "deck.in", "potential=" + ",".join(files), "--yaml_screen", "--backend=serial", *options], cwd=folder,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    found = re.search(r"U\*: (\S+)\s+P\*: (\S+)", done.stdout)
    if done.returncode != 0 or not found:
        raise Failure(f"{' '.join(files)}: minimd: exit code {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return float(found.group(1)) / PRINTED, float(found.group(2)) / BAR


def compare(args, names):
    """Compares the runs with all lists of a case with LAMMPS."""
    files = [os.path.join(args.potentials, name) for name in names]
    elements = [e for path in files for e in elements_of(path)]
    rows = len(elements) > 1 or "smf7" in names[0]
    with tempfile.TemporaryDirectory() as folder:
        volume = write_cell(os.path.join(folder, "atoms.data"), elements, "+".join(names))
        energy, pressure = lammps(args, folder, files, elements)
        worst = [0, 0]
        for kind in ("clusters", "2d") if rows else ("clusters",):
            got = minimd(args, folder, files, ("list=" + kind,))
            worst[0] = max(worst[0], abs(got[0] - energy) / abs(energy))
            worst[1] = max(worst[1], abs(got[1] - pressure) * volume / abs(energy))
    if args.table:
        print(f"{'+'.join(names):32} {energy:18.12f} {worst[0]:9.1e} {worst[1]:9.1e}")
    if not max(worst) <= 1e-9:
        raise Failure(f"{'+'.join(names)}: energy an atom differs by {worst[0]:.1e}, pressure by {worst[1]:.1e}, expected at most 1e-9, relative")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minimd", required=True)
    parser.add_argument("--lmp", default="lmp")
    parser.add_argument("--potentials", default="/usr/share/lammps/potentials")
    parser.add_argument("--table", action="store_true", help="print energies and differences")
    args = parser.parse_args()
    args.minimd = os.path.abspath(args.minimd)
    names = [os.path.basename(path) for end in ("*.eam", "*.eam.alloy", "*.eam.fs")
             for path in sorted(glob.glob(os.path.join(args.potentials, end)))]
    if not shutil.which(args.lmp) or not names:
        print(f"skipped: no program {args.lmp}, or no potentials in {args.potentials} (Debian: lammps and lammps-data)")
        return 77
    cases = [(name,) for name in names] + [mixed for mixed in MIXED if set(mixed) <= set(names)]
    return max([run_case(compare, args, case) for case in cases])


if __name__ == "__main__":
    sys.exit(main())

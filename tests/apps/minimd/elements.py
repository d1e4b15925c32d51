#!/usr/bin/env python3
"""minimd's potentials of embedded atoms: which element each type is, and files as others write them.

lattice  elements= with a lattice of two types: the names in the order of the potential change nothing, others do, and one element for both
         types is as one type; minx-verify finds the same mapping in results files, and a restart with another one is refused
reports  small files with comments, words and gaps, densities of pairs of elements, and types in another order than the potential's:
         energies of LAMMPS (README.md of the data), on one and several ranks; and what is refused. The data are in the folder reports
         of MINX_REFERENCE_DATA: without it the case is skipped, and fails if MINX_REQUIRE_DATA=1

usage: elements.py CASE --minimd PROGRAM --verify PROGRAM --inputs FOLDER --max-ranks N --mpiexec WORD...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import Failure, on_ranks, options_of, reference_data, run_case

PRINTED = 2 * 524287.985533 # what minimd prints for 1 eV an atom
LATTICE = "c\nc\nmetal\nnone\neam\n1 1\n3 3 3\n4\n0.001\n300\n0.0847\n20\n3.5 1.0\n2\n"


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def launch(self, command, code):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
        if done.returncode != code:
            raise Failure(f"{' '.join(command)}: exit code {done.returncode}, expected {code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    def minimd(self, *words, ranks=1, code=0):
        return self.launch(on_ranks(self.args.mpiexec, ranks, [self.args.minimd, *words]), code)

    def energy(self, *words, ranks=1):
        """In eV an atom, at step 0; and the output."""
        output = self.minimd(*words, "--yaml_screen", ranks=ranks).stdout
        return float(re.search(r"U\*: (\S+)", output).group(1)) / PRINTED, output

    def refused(self, expected, *words, ranks=1):
        done = self.minimd(*words, ranks=ranks, code=2)
        messages = [line for line in done.stderr.splitlines() if line.startswith("minimd: error:")]
        if len(messages) != 1 or expected not in messages[0]:
            raise Failure(f"{' '.join(words)}: got {messages}, expected one with '{expected}'")

    def verify(self, file):
        self.launch([self.args.verify, file], 0)


def near(what, got, expected, tolerance=1e-9):
    if not abs(got - expected) <= tolerance * abs(expected):
        raise Failure(f"{what}: got {got:.12g}, expected {expected:.12g} within {tolerance}, relative")


def lattice(runs):
    with open(os.path.join(runs.folder, "deck.in"), "w", encoding="ascii") as file:
        file.write(LATTICE)
    words = ["deck.in", "potential=" + os.path.join(runs.args.inputs, "CuNi_johnson.eam.alloy"), "ntypes=2"]
    plain = runs.energy(*words)[0]
    near("names in the potential's order", runs.energy(*words, "elements=Cu,Ni")[0], plain)
    swapped, output = runs.energy(*words, "elements=Ni,Cu", "--output=swapped.h5", "--checkpoint=swapped.check", "--checkpoint-every=2")
    if abs(swapped - plain) < 1e-7: # there are nearly as many of either type
        raise Failure(f"elements=Ni,Cu: got the energy {swapped} of Cu,Ni")
    if "# Elements: 1 Ni (mass 58.693), 2 Cu (mass 63.546); masses of the potential\n" not in output:
        raise Failure(f"expected the elements in the output\n{output}")
    runs.verify("swapped.h5")
    copper = runs.energy(*words[:2], "elements=Cu", "--output=copper.h5")[0]
    near("one element for two types", runs.energy(*words, "elements=Cu,Cu", ranks=runs.args.max_ranks)[0], copper)
    near("masses of a key", runs.energy(*words, "elements=Cu,Cu", "mass=1,2")[0], copper)
    runs.verify("copper.h5")
    runs.minimd(*words, "elements=Ni,Cu", "--restart=swapped.check", "steps=6")
    runs.minimd(*words, "--restart=swapped.check", "steps=6", code=2)
    runs.refused("got 1 names", *words, "elements=Cu")
    runs.refused("got \"Zn\", expected an element of the potential: Cu,Ni", *words, "elements=Cu,Zn", ranks=min(2, runs.args.max_ranks))
    runs.refused("for 1 type of atoms", *words[:2])
    runs.refused("elements", "deck.in", "force=lj", "elements=Cu")
    for files in ("a,", ",a", "a,,b", ",", ",".join("abcdefghi")):
        runs.refused("expected a file, or 2 to 8 with commas between them", "deck.in", "potential=" + files)


# data file, potential, further words, LAMMPS's energy an atom
ENERGIES = (
    ("one.data", "ok.alloy", "", -0.7563223654384374),
    ("gaps.data", "ok.alloy", "", -0.7563223654384374),
    ("one.data", "comment4.alloy", "", -0.7563223654384374),
    ("one.data", "comment5.alloy", "", -0.7563223654384374),
    ("one.data", "comment.funcfl", "", 1.893232252997788),
    ("one.data", "words.funcfl", "", 1.893232252997788),
    ("one.data", "two.alloy", "elements=Cu", -0.7563223654384374),
    ("one.data", "two.alloy", "elements=Al", -1.173839295254605),
    ("AlCu_types_swapped.data", "two.alloy", "elements=Al,Cu", -1.062321602498558),
    ("two_types.data", "two.fs", "", -0.8532918469410631),
    ("two_types.data", "two.fs", "elements=Cu,Al", -0.8532918469410631),
)
REFUSED = (
    ("AlCu_types_swapped.data", "two.alloy", "", "elements=Al,Cu would fit"),
    ("one.data", "two.alloy", "", "elements=Cu would fit"),
    ("mass1.data", "words.funcfl", "", "got the mass 1 for type 1 in the data file, expected 63.55"),
)


def reports(runs, data):
    for number, (atoms, potential, more, expected) in enumerate(ENERGIES):
        words = [os.path.join(data, "eam.deck"), "-f", os.path.join(data, atoms), "potential=" + os.path.join(data, potential), *more.split()]
        for ranks in {1, min(4 >> number % 2, runs.args.max_ranks)}:
            near(f"{atoms} {potential} {more} on {ranks} ranks", runs.energy(*words, ranks=ranks)[0], expected)
    for atoms, potential, more, message in REFUSED:
        runs.refused(message, os.path.join(data, "eam.deck"), "-f", os.path.join(data, atoms), "potential=" + os.path.join(data, potential),
                     *more.split())
    fs = [os.path.join(data, "eam.deck"), "-f", os.path.join(data, "two_types.data"), "potential=" + os.path.join(data, "two.fs"), "steps=3"]
    runs.minimd(*fs, "--backend=simt", "--check-against=serial", "--output=fs.h5")
    runs.minimd(*fs, "--backend=openmp", "--check-against=simt", "list=2d")
    runs.verify("fs.h5")
    with open(os.path.join(data, "two.fs"), encoding="ascii") as file: # no name and no words behind the end say what a file is
        text = file.read()
    for name in ("two2.fs", "two2.alloy", "two2.txt"):
        with open(os.path.join(runs.folder, name), "w", encoding="ascii") as file:
            file.write(text + "made by X\n2009 12 1\n")
        near(name, runs.energy(*fs[:3], "potential=" + name, "--output=other.h5")[0], -0.8532918469410631)
        runs.verify("other.h5")
    mixed = ",".join(os.path.join(data, name) for name in ("words.funcfl", "comment.funcfl"))
    words = [os.path.join(data, "eam.deck"), "potential=" + mixed, "ntypes=2", "data_file=none", "nx=3", "density=0.0847", "--output=mixed.h5"]
    near("the same file for two types", runs.energy(*words)[0], runs.energy(*(w for w in words if w[:6] not in ("potent", "ntypes")),
                                                                            "potential=" + mixed.split(",")[0])[0])
    runs.minimd(*words)
    runs.verify("mixed.h5")
    _, output = runs.energy(os.path.join(data, "eam.deck"), "-f", os.path.join(data, "mass1.data"), "elements=Cu",
                            "potential=" + os.path.join(data, "words.funcfl"))
    if "# Elements: 1 Cu (mass 1, not 63.55); masses of the data file\n" not in output:
        raise Failure(f"expected both masses in the output\n{output}")


def main():
    parser = options_of("minimd")
    parser.add_argument("case", choices=("lattice", "reports"))
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--max-ranks", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.case == "lattice":
            return run_case(lattice, Runs(args, folder))
        return run_case(reports, Runs(args, folder), reference_data("reports"))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""minimd's command line, what it prints, and what it refuses.

texts   the original's blocks of settings and of performance, with the values of the run; a data file beside the deck; the YAML file, with every key, read by PyYAML
        (where there is none this part is left out)
bad     more than 40 bad inputs: each ends with its exit code, exactly one message that says what is wrong, and the results file that
        was there left as it was. On 2 ranks only a few, and those that need ranks: that one rank speaks for all does not
        depend on the case

usage: minimd_input.py CASE --minimd PROGRAM [--ranks N] --mpiexec WORD...
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

DECK = """comment
comment
lj             units
none           data file
lj             force
1.0 1.0        epsilon and sigma
3 3 3          cells
20             steps
0.005          time step
1.44           temperature
0.8442         density
20             steps between lists
2.5 0.30       cutoff and skin
10             steps between lines
"""
DATA = """a data file

4 atoms
1 atom types

0 6 xlo xhi
0 6 ylo yhi
0 6 zlo zhi

Atoms # atomic

1 1 1 1 1
2 1 3 1 1
3 1 1 3 1
4 1 1 1 3

Velocities

1 0 0 0
2 0 0 0
3 0 0 0
4 0 0 0
"""


def deck(number, text):
    """The deck with another line of this number."""
    lines = DECK.splitlines(keepends=True)
    lines[number - 1] = text + "\n" if text is not None else ""
    return "".join(lines)


def data(old, new):
    assert old in DATA, old
    return DATA.replace(old, new, 1)


# name, deck (None: no such file), data file (None: none), options, exit code, words that the message must have
BAD = [
    ("no such deck", None, None, [], 2, ["no_such_deck.in", "No such file"]),
    ("empty deck", "", None, [], 2, ["empty"]),
    ("binary deck", "\x7fELF\x01\x02", None, [], 2, ["byte", "text file"]),
    ("short deck", "a\nb\nlj\nnone\n", None, [], 2, ["deck.in:4", "force", "line 5 of 14"]),
    ("unknown units", deck(3, "real"), None, [], 2, ["deck.in:3", "units", "real", "lj or metal"]),
    ("unknown force", deck(5, "snap"), None, [], 2, ["deck.in:5", "snap", "lj or eam"]),
    ("one coefficient", deck(6, "1.0"), None, [], 2, ["deck.in:6", "sigma"]),
    ("a deck of 13 lines", deck(6, None), None, [], 2, ["deck.in:6", "older deck of 13 lines", "epsilon, sigma"]),
    ("no cells", deck(7, "0 3 3"), None, [], 2, ["deck.in:7", "nx", "0"]),
    ("half a cell", deck(7, "3 3.5 3"), None, [], 2, ["deck.in:7", "ny", "3.5"]),
    ("two directions", deck(7, "3 3"), None, [], 2, ["deck.in:7", "nz"]),
    ("negative steps", deck(8, "-20"), None, [], 2, ["deck.in:8", "steps", "-20"]),
    ("no time step", deck(9, "0"), None, [], 2, ["deck.in:9", "dt"]),
    ("time step as a word", deck(9, "small"), None, [], 2, ["deck.in:9", "dt", "small"]),
    ("negative temperature", deck(10, "-1"), None, [], 2, ["deck.in:10", "temperature"]),
    ("no density", deck(11, "0"), None, [], 2, ["deck.in:11", "density"]),
    ("lists never", deck(12, "0"), None, [], 2, ["deck.in:12", "every"]),
    ("cutoff without skin", deck(13, "2.5"), None, [], 2, ["deck.in:13", "skin"]),
    ("negative interval", deck(14, "-10"), None, [], 2, ["deck.in:14", "thermo"]),
    ("an unknown key", DECK + "newtonn=1\n", None, [], 2, ["deck.in:15", "newtonn"]),
    ("more atoms than fit", DECK, None, ["-s", "1000000"], 3, ["ranks"]),
    ("a cutoff beyond many boxes", deck(13, "100 1"), None, [], 2, ["cutoff"]),
    ("unknown option", DECK, None, ["--half-neigh", "1"], 2, ["--half-neigh", "--half_neigh"]),
    ("an option without a value", DECK, None, ["-n"], 2, ["-n", "no value"]),
    ("a size of zero", DECK, None, ["-s", "0"], 2, ["size", "0"]),
    ("half a half list", DECK, None, ["--half_neigh", "0.5"], 2, ["half_neigh", "0.5"]),
    ("teams", DECK, None, ["--teams", "2"], 2, ["teams", "--threads"]),
    ("intrinsics", DECK, None, ["-sse", "1"], 2, ["sse", "vectorised"]),
    ("device map", DECK, None, ["-dm", "1"], 2, ["device_map", "--device=auto"]),
    ("Newton with full lists", DECK, None, ["--half_neigh", "0", "-gn", "1"], 2, ["ghost_newton", "half"]),
    ("mixed with teams", DECK, None, ["precision=mixed", "policy=team"], 2, ["precision", "mixed", "list=clusters"]),
    ("mixed with embedded atoms", DECK, None, ["-p", "eam", "precision=mixed"], 2, ["precision", "mixed", "double"]),
    ("an unknown precision", DECK, None, ["precision=half"], 2, ["precision", "half"]),
    ("a size with a data file", DECK, DATA, ["-s", "3"], 2, ["size", "data file"]),
    ("threads on serial", DECK, None, ["-t", "2"], 2, ["threads"]),
    ("unknown backend", DECK, None, ["--backend=hip"], 2, ["hip"]),
    ("two epsilons for three types", DECK, None, ["--ntypes", "3", "epsilon=1,2"], 2, ["epsilon", "2 values"]),
    ("no such potential", DECK, None, ["-p", "eam", "potential=nowhere.eam"], 2, ["nowhere.eam", "potential=FILE", "beside the deck"]),
    ("no such data file", DECK, None, ["-f", "nowhere.data"], 2, ["nowhere.data", "No such file"]),
    ("a deck as data file", DECK, DECK, [], 2, ["atoms.data", "atoms", "N atoms"]),
    ("no atoms", DECK, data("4 atoms", "0 atoms"), [], 2, ["atoms.data:3", "atoms", "0"]),
    ("fewer atoms", DECK, data("4 atoms", "5 atoms"), [], 2, ["atoms.data:17", "after 4 rows", "expected 5"]),
    ("more atoms", DECK, data("4 atoms", "3 atoms"), [], 2, ["atoms.data:15", "no more rows"]),
    ("an id twice", DECK, data("4 1 1 1 3", "3 1 1 1 3"), [], 2, ["atoms.data:15", "id 3 a second time"]),
    ("an id of 0", DECK, data("4 1 1 1 3", "0 1 1 1 3"), [], 2, ["atoms.data:15", "id", "from 1 to"]),
    ("a velocity of an id without an atom", DECK, data("4 1 1 1 3", "5 1 1 1 3"), [], 2, ["atoms.data:22", "Velocities", "id 4", "of an atom"]),
    ("no title", DECK, DATA.split("\n", 2)[2], [], 2, ["atoms.data", "N atoms", "line 1, \"4 atoms\", is a title"]),
    ("an unknown type", DECK, data("4 1 1 1 3", "4 2 1 1 3"), [], 2, ["atoms.data:15", "type", "2"]),
    ("a position as a word", DECK, data("4 1 1 1 3", "4 1 1 x 3"), [], 2, ["atoms.data:15", "y", "x"]),
    ("a position that is no number", DECK, data("4 1 1 1 3", "4 1 1 1 nan"), [], 2, ["atoms.data:15", "z", "nan"]),
    ("an upside-down box", DECK, data("0 6 ylo yhi", "6 0 ylo yhi"), [], 2, ["atoms.data:7", "ylo yhi"]),
    ("a tilted box", DECK, data("0 6 zlo zhi", "0 6 zlo zhi\n1 0 0 xy xz yz"), [], 2, ["atoms.data:9", "tilted"]),
    ("molecules", DECK, data("1 atom types", "1 atom types\n3 bonds"), [], 2, ["atoms.data:5", "bonds"]),
    ("another style", DECK, data("# atomic", "# charge"), [], 2, ["atoms.data:10", "charge", "atomic"]),
    ("an unknown section", DECK, DATA + "\nBonds\n\n1 1 1 2\n", [], 2, ["atoms.data:24", "Bonds"]),
    ("a short line", DECK, data("4 1 1 1 3", "4 1 1 1"), [], 2, ["atoms.data:15", "id, type, x, y and z"]),
    ("masses twice", DECK, DATA + "\nMasses\n\n1 2\n", ["mass=1"], 2, ["atoms.data", "mass", "one of them"]),
    ("coefficients twice", DECK, DATA + "\nPair Coeffs\n\n1 1 1\n", ["epsilon=2"], 2, ["atoms.data", "command line"]),
    ("a long cutoff", DECK, DATA + "\nPair Coeffs\n\n1 1 1 3.0\n", [], 2, ["atoms.data", "cutoff 3", "2.5"]),
    ("masses of zero", DECK, DATA + "\nMasses\n\n1 0\n", [], 2, ["atoms.data:26", "mass", "above 0"]),
    ("results over the data file", DECK, DATA, ["--output=./atoms.data"], 2, ["--output", "would replace the data file"]),
    ("two boxes", DECK, data("0 6 xlo xhi", "0 6 xlo xhi\n0 7 xlo xhi"), [], 2, ["atoms.data:7", "second time"]),
]
RANKS = [
    # the rank that has the second half of the ids finds it
    ("an id twice, on the other rank", DECK, data("4 1 1 1 3", "3 1 1 1 3"), [], 2, ["atoms.data:15", "id 3 a second time"]),
    ("more atoms than fit", DECK, None, ["-s", "1000000"], 3, ["ranks"]),
]


class Failure(Exception):
    pass


def run(args, folder, options, ranks=1):
    command = [args.minimd, *options]
    if ranks > 1:
        command = args.mpiexec + ["-n", str(ranks)] + command
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=800, stdin=subprocess.DEVNULL)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="latin-1") as file:
        file.write(text)
    return path


def bad_case(args, folder, name, deck_text, data_text, options, code, words):
    path = os.path.join(folder, "no_such_deck.in") if deck_text is None else write(folder, "deck.in", deck_text)
    kept = write(folder, "kept.h5", "an older file")
    if data_text is not None:
        options = ["-f", write(folder, "atoms.data", data_text), *options]
    if not any(o.startswith("--backend") for o in options):
        options = [*options, "--backend=serial"]
    if not any(o.startswith("--output") for o in options):
        options = [*options, "--output=" + kept]
    done = run(args, folder, ["-i", path, *options], args.ranks)
    messages = [line for line in done.stderr.splitlines() if line.startswith("minimd: error:")]
    faults = []
    if done.returncode != code:
        faults.append(f"exit code: got {done.returncode}, expected {code}")
    if len(messages) != 1:
        faults.append(f"messages: got {len(messages)}, expected 1")
    faults += [f"the message does not say '{word}'" for word in words if not any(word in m for m in messages)]
    with open(kept, errors="replace", encoding="ascii") as file:
        if file.read() != "an older file":
            faults.append("the older results file was changed")
    left = [f for f in os.listdir(folder) if f not in ("deck.in", "kept.h5", "atoms.data")]
    if left:
        faults.append(f"files left behind: {left}")
    if faults:
        print(f"{name}: " + "; ".join(faults) + "\n  " + "\n  ".join(done.stderr.splitlines()[:6]))
    return not faults


def bad(args):
    failed = 0
    for case in BAD if args.ranks == 1 else RANKS + BAD[::20]:
        with tempfile.TemporaryDirectory() as folder:
            failed += not bad_case(args, folder, *case)
    if failed:
        raise Failure(f"{failed} cases failed")


# lines of the settings, as the original prints them
SETTINGS = ["# Create System:", "# Done .... ", "# Run Settings: ", "\t# MPI processes: 1", "\t# OpenMP threads: 1", "\t# Datafile: None",
            "# Physics Settings: ", "\t# ForceStyle: LJ", "\t# Force Parameters: 1.00 1.00", "\t# Units: LJ", "\t# Atoms: 144",
            "\t# Atom types: 2", "\t# System size: 5.04 5.04 6.72 (unit cells: 3 3 4)", "\t# Density: 0.844200",
            "\t# Force cutoff: 2.500000", "\t# Timestep size: 0.005000", "# Technical Settings: ", "\t# Neigh cutoff: 2.800000",
            "\t# Half neighborlists: 0", "\t# Neighbor bins: 3 3 3", "\t# Neighbor frequency: 20", "\t# Sorting frequency: 20",
            "\t# Thermo frequency: 10", "\t# Ghost Newton: 0", "\t# Use intrinsics: 0", "\t# Do safe exchange: 1",
            "\t# Size of float: 8", "# Starting dynamics ...", "# Timestep T U P Time", "# Performance Summary:",
            "# MPI_proc OMP_threads nsteps natoms t_total t_force t_neigh t_comm t_other performance perf/thread grep_string t_extra"]
PERFORMANCE = re.compile(r"^1 1 25 144( \d+\.\d{6}){4} -?\d+\.\d{6} (\d+\.\d{6}) (\d+\.\d{6}) PERF_SUMMARY \d+\.\d{6}$", re.M)
RUN_KEYS = ("variant mpi_processes thread_teams threads datafile units atoms atom_types system_size unit_cells density force_type "
            "force_cutoff force_params neighbor_cutoff neighbor_type neighbor_bins neighbor_frequency sort_frequency timestep_size "
            "thermo_frequency ghost_newton use_intrinsics safe_exchange float_size").split()


def check_yaml(document, text):
    steps = [line["timestep"] for line in document["thermodynamic_output"]]
    first = document["thermodynamic_output"][0]
    printed = re.search(r"^0 (\S+) (\S+) (\S+) ", text, re.M).groups()
    faults = [key for key in RUN_KEYS if key not in document["run_configuration"]]
    faults += [key for key in ("force", "neigh", "comm", "other") if key not in document["time"]]
    if faults or list(document["time"]["total"]) != ["time", "performance", "performance_proc"] or steps != [0, 10, 20, 25]:
        raise Failure(f"YAML: got {document}, expected also {faults}")
    if tuple(f"{first[key]:e}" for key in ("T*", "U*", "P*")) != printed:
        raise Failure(f"YAML: got {first}, expected {printed}")
    if document["run_configuration"]["unit_cells"] != [3, 3, 4] or document["statistics"]["nlocal"]["average"] != 144:
        raise Failure(f"YAML: got {document}")


def texts(args):
    try:
        import yaml
    except ImportError:
        yaml = None
    with tempfile.TemporaryDirectory() as folder:
        options = ["-i", write(folder, "deck.in", DECK), "-n", "25", "-nz", "4", "-nx", "3", "--ntypes", "2", "-b", "3", "-t", "1",
                   "--half_neigh", "0", "--safe_exchange", "--backend=openmp"]
        done = run(args, folder, [*options, "-o", "1"])
        lines = done.stdout.splitlines()
        missing = [line for line in SETTINGS if line not in lines]
        if done.returncode != 0 or missing:
            raise Failure(f"exit code {done.returncode}, lines that are missing: {missing}\n{done.stdout}{done.stderr}")
        if [line for line in lines if line in SETTINGS] != SETTINGS:
            raise Failure(f"the lines are in another order: {lines}")
        rate = PERFORMANCE.search(done.stdout)
        if not rate or rate.group(2) != rate.group(3):
            raise Failure(f"no line of performance, or one with other numbers\n{done.stdout}")
        if not re.search(r"^  whole_run +1 +\S+ +1$", done.stdout, re.M): # run.sh shows the seconds of this region
            raise Failure(f"no line of whole_run\n{done.stdout}")
        files = glob.glob(os.path.join(folder, "miniMD-*.yaml"))
        if len(files) != 1 or not re.search(r"miniMD-\d{4}(-\d\d){5}\.yaml$", files[0]):
            raise Failure(f"YAML files: {files}, expected one")
        with open(files[0], encoding="utf-8") as file:
            document = file.read()
        screen = run(args, folder, [*options, "--yaml_screen"]).stdout
        if "run_configuration:\n" not in screen or len(glob.glob(os.path.join(folder, "*.yaml"))) != 1:
            raise Failure("--yaml_screen: expected the document on the screen, and no file")
        os.mkdir(os.path.join(folder, "inputs"))
        write(folder, "inputs/deck.in", deck(4, "atoms.data"))
        write(folder, "inputs/atoms.data", DATA)
        beside = run(args, folder, ["inputs/deck.in", "-n", "0"])
        if beside.returncode != 0 or "\t# Datafile: atoms.data" not in beside.stdout.splitlines():
            raise Failure(f"a data file beside the deck: {beside.stdout}{beside.stderr}")
        if yaml:
            check_yaml(yaml.safe_load(document), done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=("texts", "bad"))
    parser.add_argument("--minimd", required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--mpiexec", nargs=argparse.REMAINDER, default=["mpirun"])
    args = parser.parse_args()
    args.minimd = os.path.abspath(args.minimd)
    try:
        {"texts": texts, "bad": bad}[args.case](args)
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

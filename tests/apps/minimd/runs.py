#!/usr/bin/env python3
"""minimd as its users run it.

logs    T, U and P are those of the original's logs, to all digits that they have, at steps 0 and 100. To step 1000 they are within three
        times the standard deviations over a system of N atoms that come with the logs (by then sums in another order may have made
        it another trajectory; mostly the digits are still the same)
ranks   any backend and any number of ranks give the same: on one rank at step 0 within 1e-12, at step 100, when the lists were made twice more, within 1e-9, relative to
        the largest value of a series. (Sums over atoms in another order differ by some 1e-15; the motion amplifies that by less than
        10 times in 100 steps.) Also with boxes and sub-domains that are smaller than the cutoff.
lists   all kinds of neighbour lists give the same, on any backend and number of ranks: within the tolerances of `ranks`
precision
        precision=mixed against double, as `lists`, and the energy that it conserves; a restart of it gives the same bits
memory  8 million atoms need at most 0.6 GiB of views per million with full lists. From two smaller systems, of N atoms: bytes = a N +
        b N^(2/3), the atoms and the ghosts. (Rows have room for 1.25 times the mean number of neighbours, so they are as long.)
bugs    what the original gets wrong: no interval of output, a number of steps that is no multiple of it, lost atoms, counts beyond 32
        bits (counts.c too). (Its embedded-atom method computes nothing with threads: `logs` and `ranks` run it with threads. It
        counts pairs with ghosts twice with --half_neigh -1 and without ghost Newton: `lists`. It ignores options that it does not
        know: input.py.)

The data are in the folder that MINX_REFERENCE_DATA names. Where there is none the test `logs` is skipped, and fails if
MINX_REQUIRE_DATA=1. Runs on backends that this machine does not have are left out.

checked every launch gives the same on another backend (--check-against)
device  on a GPU: the logs of 4000 atoms, all kinds of lists, two ranks that share it, potentials of several elements, and a restart,
        which gives the same bits. Skipped where there is no GPU. --device=simt tries the test itself on any machine.

usage: runs.py CASE --minimd PROGRAM --verify PROGRAM [--max-ranks N] --mpiexec WORD...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import Failure, backends_of, lines_of_backends, options_of, reference_data, run_case

DECK = """comment
comment
lj             units
none           data file
lj             force
1.0 1.0        epsilon and sigma
4 4 4          cells
100            steps
0.005          time step
1.44           temperature
0.8442         density
20             steps between lists
2.5 0.30       cutoff and skin
100            steps between lines
"""
LINE = re.compile(r"^(\d+) (\S+e\S+) (\S+e\S+) (\S+e\S+) +\S+$", re.M)


def launch(args, deck, run, *options, code=0):
    run, *more = run.split()
    backend, ranks, threads = run.rsplit(":", 2)
    command = [args.minimd, "-i", deck, "--backend=" + backend, *more, *options]
    if threads != "0":
        command.append("--threads=" + threads)
    if ranks != "1":
        command = args.mpiexec + ["-n", ranks] + command
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise Failure(f"{run} {' '.join(options)}: exit code {done.returncode}, expected {code}\n"
                      f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def lines(text):
    return {int(m.group(1)): m.groups()[1:] for m in LINE.finditer(text)}


def check(what, got, expected):
    if got != expected:
        raise Failure(f"{what}: got {got}, expected {expected}")


def has(args, run):
    """Whether the build has the run's backend, and the run has not too many ranks."""
    backend, ranks, _ = run.split()[0].rsplit(":", 2)
    return backend.split(":")[0] in backends_of(args.minimd) and int(ranks) <= args.max_ranks


def logs(args, folder):
    data = reference_data("minimd")
    many = ("serial:1:0", "openmp:1:2", "serial:2:0", "serial:4:0", "simt:1:0")
    spread = {"lj": (0.4, 0.575, 3), "eam": (13, 1300, 300)}
    potential = {"lj": (), "eam": ("potential=" + os.path.join(data, "Cu_u6.eam"),)}
    for name, size, runs in (("4k.lj", "10", many), ("32k.lj", "20", ("serial:2:0",)),
                             ("4k.eam", "10", many), ("32k.eam", "20", ("serial:2:0",))):
        force = name.split(".")[1]
        deck = os.path.join(data, f"in.{force}.miniMD")
        with open(os.path.join(data, name), encoding="ascii") as file:
            known = lines(file.read())
        for run in filter(lambda r: has(args, r), runs):
            # The EAM takes long on simt. `ranks` and `lists` do 100 steps of fewer atoms there.
            steps = (0,) if force == "eam" and run.startswith("simt") else (0, 100)
            got = lines(launch(args, deck, run, "-s", size, "-n", str(steps[-1]), *potential[force]).stdout)
            for step in steps:
                check(f"{name}, {run}, step {step}", got.get(step), known[step])
        last = 1000 if size == "10" else 300
        got = lines(launch(args, deck, "openmp:1:2", "-s", size, "-n", str(last), *potential[force]).stdout)
        atoms = 4 * int(size) ** 3
        for step in range(0, last + 1, 100):
            for value, expected, sigma in zip(got[step], known[step], spread[force]):
                if not abs(float(value) - float(expected)) <= 3 * sigma / atoms ** 0.5:
                    raise Failure(f"{name}, step {step}: got {value}, expected {expected}")
    return 0


DOUBLE = (("0", "1e-12"), ("100", "1e-11"))


def agree(args, deck, folder, runs, *options, tolerances=DOUBLE):
    """All runs against the first. To start ranks takes longest, so those on several do the steps only."""
    all_runs = [run for run in runs if has(args, run)]
    for steps, tolerance in tolerances:
        runs = [run for run in all_runs if steps != "0" or ":1:" in run.split()[0]]
        files = [os.path.join(folder, f"{n}.h5") for n in range(len(runs))]
        for file, run in zip(files, runs):
            launch(args, deck, run, "-n", steps, *options, "--output=" + file)
        for file, run in list(zip(files, runs))[1:]:
            done = subprocess.run([args.verify, "--quiet", "--tolerance=" + tolerance, files[0], file],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            wrong = [w for w in re.findall(r"FAIL +(/\S*)", done.stdout) if not w.startswith("/input/")]
            if done.returncode != 0 and (wrong or "/input/" not in done.stdout):
                raise Failure(f"{run} against {runs[0]}, {steps} steps, {' '.join(options)}\n{done.stdout[-2000:]}")


def ranks(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    hosts = ["serial:1:0", "openmp:1:2", "serial:2:0", "serial:4:0", "serial:8:0", "openmp:2:1", "simt:1:0"]
    mixture = ("ntypes=3", "epsilon=1,0.8,1.2", "sigma=1,0.9,1.05", "mass=1,2,0.5", "mixing=arithmetic")
    agree(args, deck, folder, hosts, "-s", "7", "overlap=on")
    agree(args, deck, folder, ["serial:1:0", "serial:2:0"], "-s", "7", "overlap=off")
    agree(args, deck, folder, hosts, "-s", "4", "shift=force", "--neigh_check", "every=1", *mixture)
    alloy = ("units=metal", "force=eam", "ntypes=2", "density=0.0847", "cutoff=3.5", "dt=0.001", "temperature=600",
             "potential=" + os.path.join(args.inputs, "CuNi_johnson.eam.alloy"))
    agree(args, deck, folder, hosts, "-s", "4", "skin=1", *alloy)
    few = ["serial:1:0", "serial:2:0", "serial:3:0", "serial:8:0"]
    agree(args, deck, folder, few, "-s", "1")
    # ranks without atoms
    agree(args, deck, folder, [run + " list=clusters" for run in ("serial:1:0", "serial:8:0")], "-s", "1", "skin=1", *alloy)
    agree(args, deck, folder, few, "-nx", "1", "-ny", "2", "-nz", "9", "--sort", "0")
    return 0


def lists(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    runs = [
        "serial:1:0 list=2d neighbours=full",
        "serial:1:0 list=clusters neighbours=half",
        "openmp:1:2 list=clusters neighbours=full",
        "openmp:1:2 list=2d --half_neigh=1",
        "serial:8:0 list=2d --half_neigh=1 -gn=0",
        "serial:8:0 list=2d_left --half_neigh=1 -gn=1",
        "openmp:2:1 list=csr --half_neigh=1 newton=atomic",
        "openmp:1:2 list=csr",
        "serial:2:0 list=2d_left policy=team",
        "simt:1:0 list=2d",
        "simt:2:0 list=2d",
        "simt:1:0 list=clusters neighbours=half",
        "openmp:1:2 --half_neigh=-1",
        "serial:2:0 --half_neigh=-1 -gn=0",
        "openmp:2:1 list=clusters",
        "serial:8:0 list=clusters neighbours=full",
    ]
    agree(args, deck, folder, runs, "-s", "6")
    # the threads of a team wait for each other at every row: fewer atoms
    agree(args, deck, folder, [runs[0], "simt:1:0 list=2d_right --half_neigh=1 policy=team"], "-s", "3")
    mixture = ("ntypes=3", "epsilon=1,0.8,1.2", "sigma=1,0.9,1.05", "mass=1,2,0.5", "mixing=arithmetic")
    agree(args, deck, folder, runs[:6], "-s", "4", "shift=force", *mixture)
    metals = ["serial:1:0 list=2d", "serial:1:0 list=clusters neighbours=half", "serial:1:0 list=clusters neighbours=full",
              "openmp:1:2 list=clusters neighbours=half", "openmp:2:1 list=clusters neighbours=full", "simt:1:0 list=clusters",
              "serial:8:0 list=clusters"]
    alloy = ("units=metal", "force=eam", "ntypes=2", "cutoff=3.5", "skin=1",
             "potential=" + os.path.join(args.inputs, "CuNi_johnson.eam.alloy"))
    agree(args, deck, folder, metals, "-s", "5", "density=0.0847", "dt=0.001", "temperature=600", *alloy)
    close = [option if option != "skin=1" else "skin=0.3" for option in alloy]
    # fast atoms: pairs that were far apart when the list was made come within the cutoff
    agree(args, deck, folder, metals[:5], "-s", "4", "density=0.0847", "dt=0.001", "temperature=3000", *close)
    # under pressure an atom has 86 others within the cutoff: more than eight vectors of pairs
    agree(args, deck, folder, metals[:4], "-s", "3", "density=0.5", "dt=1e-5", "temperature=600", *alloy)
    return 0


def total_energies(args, deck, run, *options):
    """Of an atom, from the lines that 256 atoms print."""
    return [float(u) + 1.5 * 255 / 256 * float(t) for t, u, _ in lines(launch(args, deck, run, *options).stdout).values()]


def precision(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    runs = [run + " precision=mixed" for run in ("serial:1:0", "openmp:1:2 list=2d", "serial:2:0 neighbours=full", "simt:1:0")]
    # A distance has an error of some 1e-7, of which sums over atoms have 1e-6 at most. After 100 steps velocities of single atoms
    # differ by 5e-5 of the largest one.
    bounds = (("0", "1e-6"), ("100", "1e-3"))
    expected, mixed = (lines(launch(args, deck, run, "-s", "6").stdout) for run in ("serial:1:0", runs[0]))
    for step, bound in (("0", 1e-6), ("100", 1e-5)): # sums over all atoms differ by less
        for value, other in zip(mixed[int(step)], expected[int(step)]):
            if abs(float(value) - float(other)) > bound * max(abs(float(v)) for v in expected[0]):
                raise Failure(f"precision=mixed, step {step}: got {value}, expected {other}")
    mixture = ("ntypes=3", "epsilon=1,0.8,1.2", "sigma=1,0.9,1.05", "mass=1,2,0.5", "mixing=arithmetic")
    agree(args, deck, folder, runs, "-s", "6", tolerances=bounds)
    agree(args, deck, folder, runs[:2], "-s", "4", "shift=force", *mixture, tolerances=bounds)
    # The time step alone changes the energy of a potential without jumps, by 1e-4 an atom here: errors of forces are too small to matter.
    smooth = ("-n", "1000", "shift=force", "--neigh_check", "every=1", "thermo=20")
    for run in ("serial:1:0", "serial:1:0 precision=mixed", "serial:1:0 precision=mixed list=2d"):
        energies = total_energies(args, deck, run, *smooth)
        change = max(abs(e - energies[0]) for e in energies)
        check(f"{run}: change of the energy by {change}, more than 1e-3", change > 1e-3, False)
    whole, kept, again = (os.path.join(folder, name) for name in ("whole.h5", "kept.h5", "again.h5"))
    launch(args, deck, runs[0], "--output=" + whole)
    launch(args, deck, runs[0], "--checkpoint=" + kept, "--checkpoint-every=70")
    launch(args, deck, runs[0], "--restart=" + kept, "--output=" + again)
    done = subprocess.run([args.verify, "--quiet", "--tolerance=0", whole, again], capture_output=True, text=True)
    check("restart: minx-verify\n" + done.stdout[-1000:], done.returncode, 0)
    check("minx-verify", subprocess.run([args.verify, "--quiet", whole], capture_output=True, check=False).returncode, 0)
    # A pressure near 0 is a small difference of large sums, so its relative rounding is large.
    launch(args, deck, runs[0], "-n", "20", "density=0.9918", "temperature=0.7", "--output=" + whole)
    done = subprocess.run([args.verify, "--quiet", whole], capture_output=True, text=True, check=False)
    check("a small pressure: minx-verify\n" + done.stdout[-1000:], done.returncode, 0)
    text = launch(args, deck, "serial:1:0", "--restart=" + kept, code=2).stderr
    check("restart in another precision: " + text, "precision" in text, True)
    for keys in (("sigma=1e-20", "cutoff=2.5e-20"), ("epsilon=1e-34",), ("skin=200",)):
        text = launch(args, deck, runs[0], *keys, code=2).stderr
        check(f"{keys}: too much for single precision: " + text, "precision=double" in text, True)
    return 0


def memory(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    kinds = [
        "2d",
        "2d_left",
        "csr",
    ]
    for kind in kinds:
        each = []
        for cells in (8, 16):
            text = launch(args, deck, "serial:1:0", "-s", str(cells), "-n", "20", "list=" + kind, "--half_neigh=0",
                          "--mx-tools-libs=" + args.memory_tool).stdout
            each.append(int(re.search(r"views: (\d+) bytes at most", text).group(1)) / (4 * cells ** 3))
        # twice the cells along an edge: half the ghosts an atom
        of_ghosts = 2 * (each[0] - each[1])  # with 8 cells along an edge
        bytes_each = each[0] - of_ghosts + of_ghosts * 8 / (8e6 / 4) ** (1 / 3)
        check(f"list={kind}: {bytes_each} bytes an atom, more than 0.6 GiB per million", bytes_each > 0.6 * 2 ** 30 / 1e6, False)
    return 0


def lists_are_checked(args, deck, folder):
    """`every` is the interval of checks; a position that is no number is a lost atom, not one that did not move."""
    # an atom has moved by half the skin at each check: lists are as old as without checks
    fast = ("temperature=100", "dt=0.001", "thermo=10", "every=20")
    checks, none = (lines(launch(args, deck, "serial:1:0", *fast, *more).stdout) for more in (("--neigh_check",), ()))
    check("lists of fast atoms", checks, none)
    # two light atoms so near that their velocities become infinite in the first step, far from a third that is at rest: in clusters
    # that one becomes NaN, too
    with open(os.path.join(folder, "data.nan"), "w", encoding="ascii") as file:
        file.write("no force\n\n3 atoms\n1 atom types\n\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\n"
                   "Masses\n\n1 1e-200\n\nAtoms # atomic\n\n1 1 5 5 5\n2 1 5.000000001 5 5\n3 1 15 15 15\n")
    for list_kind in ("2d", "clusters"):
        text = launch(args, deck, "serial:1:0", "-f", file.name, "--neigh_check", "list=" + list_kind, code=3).stderr
        check("positions that are NaN", len(re.findall("lost atoms: at step 20 [01] of 3 have a position", text)), 1)


def bugs(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    run = "serial:1:0"
    check("no interval", sorted(lines(launch(args, deck, run, "thermo=0", "-n", "33").stdout)), [0, 33])
    check("no multiple", sorted(lines(launch(args, deck, run, "thermo=10", "-n", "33").stdout)), [0, 10, 20, 30, 33])
    for ranks in (1, 2):
        text = launch(args, deck, f"serial:{ranks}:0", "dt=0.5", code=3).stderr
        check(f"lost atoms, {ranks} ranks", len(re.findall(r"lost atoms: at step \d+ \d+ of 256 have a position", text)), 1)
    lists_are_checked(args, deck, folder)
    # counts beyond 32 bits
    text = launch(args, deck, run, "-s", "1000", code=3).stderr
    check("4e9 atoms", "a rank would hold 4000000000 atoms and ghosts" in text, True)
    # fast atoms that fly over several sub-domains between two lists are not lost
    fast = ("temperature=1000", "dt=0.001", "every=100", "epsilon=0", "-n", "200", "--check_exchange")
    if has(args, "serial:8:0"):
        notes = launch(args, deck, "serial:8:0", "-nx", "16", "-ny", "1", "-nz", "1", *fast).stderr
        check("notes of check_exchange", notes.count("check_exchange: until step"), 2)
    notes = launch(args, deck, "serial:2:0", *fast).stderr
    check("notes of check_exchange, 2 bricks", notes.count("check_exchange"), 0)
    check("notes of images, a box longer than the cutoff", notes.count("images of themselves"), 0)
    notes = launch(args, deck, "serial:1:0", "-nx", "4", "-ny", "3", "-nz", "2", "cutoff=5", "-n", "1").stderr
    check("notes of images", notes.count("the cutoff, 5, is not shorter than the box along z, 3.35919: atoms interact with images"), 1)
    return 0


def checked(args, folder):
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    for run in ("serial:order=shuffled:1:0", "simt:1:0", "serial:2:0"):
        launch(args, deck, run, "-s", "3", "-n", "25", "ntypes=2", "sigma=1,0.9", "--check-against=serial")
    return 0


def device_logs(args):
    """True if there are data."""
    data = os.path.join(os.environ.get("MINX_REFERENCE_DATA") or "nowhere", "minimd")
    if not os.path.exists(data):
        return os.environ.get("MINX_REQUIRE_DATA") != "1"
    for force, options in (("lj", ()), ("eam", ("potential=" + os.path.join(data, "Cu_u6.eam"),))):
        with open(os.path.join(data, "4k." + force), encoding="ascii") as file:
            known = lines(file.read())
        for ranks in ("1", "2"):
            run = f"{args.device}:{ranks}:0"
            got = lines(launch(args, os.path.join(data, f"in.{force}.miniMD"), run, "-s", "10", "-n", "100", *options).stdout)
            for step in (0, 100):
                check(f"4k.{force}, {run}, step {step}", got.get(step), known[step])
    return True


def device(args, folder):
    listed = lines_of_backends(args.minimd)
    if args.device not in listed:
        print("skipped: " + "; ".join(line for line in listed if line.startswith(f"# {args.device}:")))
        return 77
    if not device_logs(args):
        print("no data: set MINX_REFERENCE_DATA to the folder of reference data")
        return 1
    deck = os.path.join(folder, "in.lj")
    with open(deck, "w", encoding="ascii") as file:
        file.write(DECK)
    one, two = args.device + ":1:0", args.device + ":2:0"
    runs = [
        "serial:1:0",
        one,
        two,
        one + " list=csr",
        one + " list=2d_right",
        two + " list=clusters neighbours=half",
        one + " list=2d --half_neigh=1",
        one + " list=2d_left --half_neigh=1 newton=atomic",
        one + " policy=team",
    ]
    mixture = ("ntypes=3", "epsilon=1,0.8,1.2", "sigma=1,0.9,1.05", "mass=1,2,0.5", "mixing=arithmetic")
    agree(args, deck, folder, runs, "-s", "6")
    agree(args, deck, folder, runs[:4], "-s", "5", "shift=force", "--neigh_check", "every=1", *mixture)
    alloy = ("units=metal", "force=eam", "ntypes=2", "density=0.0847", "cutoff=3.5", "dt=0.001", "temperature=600", "skin=1",
             "potential=" + os.path.join(args.inputs, "CuNi_johnson.eam.alloy"))
    agree(args, deck, folder, ["serial:1:0", one, two], "-s", "4", *alloy)
    whole, kept, again = (os.path.join(folder, name) for name in ("whole.h5", "kept.h5", "again.h5"))
    launch(args, deck, one, "-s", "6", "--output=" + whole)
    launch(args, deck, one, "-s", "6", "--checkpoint=" + kept, "--checkpoint-every=60")
    launch(args, deck, one, "-s", "6", "--restart=" + kept, "--output=" + again)
    done = subprocess.run([args.verify, "--quiet", "--tolerance=0", whole, again], capture_output=True, text=True)
    check("restart: minx-verify\n" + done.stdout[-1000:], done.returncode, 0)
    return 0


def main():
    cases = {"logs": logs, "ranks": ranks, "lists": lists, "precision": precision, "memory": memory, "bugs": bugs, "checked": checked, "device": device}
    parser = options_of("minimd")
    parser.add_argument("case", choices=cases)
    parser.add_argument("--inputs", default=os.path.join(os.path.dirname(__file__), "../../../inputs/minimd"))
    parser.add_argument("--device", default="cuda", help="the backend of the case device")
    parser.add_argument("--memory-tool", help="the library of memory_tool.c")
    parser.add_argument("--max-ranks", type=int, default=8, help="runs on more are left out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return run_case(cases[args.case], args, folder)


if __name__ == "__main__":
    sys.exit(main())

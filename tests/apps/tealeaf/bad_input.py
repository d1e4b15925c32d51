#!/usr/bin/env python3
"""Bad input to tealeaf: each case must end with its exit code, one message on one rank that says what is wrong, and the
results file that was there before left as it was.

usage: bad_input.py TEALEAF RANKS MPIEXEC...
"""
import os
import re
import subprocess
import sys
import tempfile

GOOD = """*tea
state 1 density=100.0 energy=0.0001
state 2 density=0.1 energy=25.0 geometry=rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0
x_cells=10
y_cells=10
xmin=0.0
xmax=10.0
ymin=0.0
ymax=10.0
initial_timestep=0.004
end_step=2
tl_max_iters=1000
tl_use_cg
tl_eps 1.0e-15
*endtea
"""


def line(old, new):
    """The good deck with one line exchanged."""
    assert old in GOOD, old
    return GOOD.replace(old, new)


SOLID = "*tea\nx_cells=200000 y_cells=200000 z_cells=200000\nstate 1 density=1 energy=1\ntl_use_cg\n*endtea\n"
SERIAL = ["--backend=serial"]
# An exit code: 2 where this build has no cuda, and 3 where this machine has no such device.
NO_DEVICE = None

# name, deck (None: no such file), options, exit code, words that the message must have
CASES = [
    ("unknown key", line("tl_eps 1.0e-15", "tl_epps 1e-15"), SERIAL, 2, ["tl_epps", "tl_eps", ":14:"]),
    ("misspelt solver", line("tl_use_cg", "tl_use_gc"), SERIAL, 2, ["tl_use_gc", "tl_use_cg"]),
    ("more coarse cells than deflated CG has", line("tl_use_cg", "tl_use_dpcg\ntotal_tiles 4097"), SERIAL, 2, ["4097", "at most 4096"]),
    ("coarse cells that do not fit the mesh", line("tl_use_cg", "tl_use_dpcg\ntiles_per_task=11 sub_tiles_per_tile=2"), SERIAL, 2,
     ["tiles_per_task", "mesh"]),
    ("Chebyshev after too few iterations of CG", line("tl_use_cg", "tl_use_chebyshev\ntl_ch_cg_presteps 2\ntl_ch_cg_epslim 1e9")
     .replace("_cells=10", "_cells=100"), SERIAL, 2, ["not a finite number", "expected more tl_ch_cg_presteps"]),
    ("steps of older versions that would grow", line("end_step=2", "end_step=2\nmax_timestep=0.1"), SERIAL, 2,
     ["max_timestep", ":12:", "steps are constant"]),
    ("two solvers", line("tl_use_cg", "tl_use_cg\ntl_use_jacobi"), SERIAL, 2, ["tl_use_jacobi", "tl_use_cg"]),
    ("a preconditioner of another solver", line("tl_use_cg", "tl_use_ppcg\ntl_preconditioner_type jac_block"), SERIAL, 2, ["jac_block"]),
    ("both dialects", line("tl_eps 1.0e-15", "eps 1.0e-15"), SERIAL, 2, ["eps"]),
    ("missing file", None, SERIAL, 2, ["no_such_deck.in"]),
    ("empty file", "", SERIAL, 2, ["empty"]),
    ("no *tea", GOOD.replace("*tea\n", "", 1), SERIAL, 2, ["*tea"]),
    ("truncated deck", GOOD.replace("*endtea\n", ""), SERIAL, 2, ["*endtea"]),
    ("cut inside a line", GOOD[:GOOD.index("y_cells") + 9], SERIAL, 2, ["*endtea"]),
    ("negative cells", line("x_cells=10", "x_cells=-10"), SERIAL, 2, ["x_cells", "-10"]),
    ("zero cells", line("x_cells=10", "x_cells=0"), SERIAL, 2, ["x_cells", "0"]),
    ("huge cells", line("x_cells=10", "x_cells=99999999999999999999"), SERIAL, 2, ["x_cells"]),
    ("more cells than memory", GOOD.replace("_cells=10", "_cells=2000000000"), SERIAL, 3, ["too large"]),
    ("more cells than a rank can have, in 3-D", SOLID, SERIAL, 3, ["too large"]),
    ("cells along z for a deck in 2-D", GOOD, SERIAL + ["z_cells=10"], 2, ["command line: z_cells: got a key of the dialect 3-D", "reference"]),
    ("a test problem with another end", line("end_step=2", "end_step=2\ntest_problem 1"), SERIAL, 2,
     ["test_problem: got 1, but end_step differs from that of test problem 1, expected that of the problem, or test_problem=0"]),
    ("a test problem with other states", line("end_step=2", "end_step=10\ntest_problem 1"), SERIAL, 2,
     ["test_problem: got 1, but the number of states differs from that of test problem 1, expected that of the problem, or"]),
    ("fractional cells", line("x_cells=10", "x_cells=10.5"), SERIAL, 2, ["x_cells", "10.5"]),
    ("non-numeric cells", line("x_cells=10", "x_cells=ten"), SERIAL, 2, ["x_cells", "ten"]),
    ("cells without a value", line("x_cells=10", "x_cells="), SERIAL, 2, ["x_cells"]),
    ("cells with trailing junk", line("x_cells=10", "x_cells=10 11"), SERIAL, 2, ["11"]),
    ("NaN time step", line("initial_timestep=0.004", "initial_timestep=nan"), SERIAL, 2, ["initial_timestep", "nan"]),
    ("infinite domain", line("xmax=10.0\n", "xmax=inf\n"), SERIAL, 2, ["xmax", "inf"]),
    ("negative time step", line("initial_timestep=0.004", "initial_timestep=-0.004"), SERIAL, 2, ["initial_timestep"]),
    ("zero density", line("density=100.0", "density=0"), SERIAL, 2, ["density"]),
    ("negative density", line("density=100.0", "density=-1"), SERIAL, 2, ["density", "-1"]),
    ("negative energy", line("energy=25.0", "energy=-25"), SERIAL, 2, ["energy", "-25"]),
    ("no states", "".join(l + "\n" for l in GOOD.splitlines() if not l.startswith("state")), SERIAL, 2, ["state"]),
    ("a state twice", line("state 2", "state 1"), SERIAL, 2, ["state", "1"]),
    ("a gap between states", line("state 2", "state 3"), SERIAL, 2, ["2"]),
    ("unknown geometry", line("geometry=rectangle", "geometry=triangle"), SERIAL, 2, ["triangle"]),
    ("no geometry", line("geometry=rectangle", ""), SERIAL, 2, ["geometry"]),
    ("upside-down domain", line("xmax=10.0\n", "xmax=-10.0\n"), SERIAL, 2, ["xmax"]),
    ("zero tolerance", line("tl_eps 1.0e-15", "tl_eps 0"), SERIAL, 2, ["tl_eps"]),
    ("no iterations", line("tl_max_iters=1000", "tl_max_iters=0"), SERIAL, 2, ["tl_max_iters"]),
    ("a key twice", line("x_cells=10", "x_cells=10\nx_cells=20"), SERIAL, 2, ["x_cells"]),
    ("binary junk", line("x_cells=10", "x_cells=10\n\x01\x02\x7f"), SERIAL, 2, []),
    ("values beyond computing", line("energy=25.0", "energy=1e300").replace("density=0.1", "density=1e200"), SERIAL, 2, ["product"]),
    ("energies too small to square", GOOD.replace("energy=0.0001", "energy=1e-172").replace("energy=25.0", "energy=1e-170"),
     SERIAL, 2, ["units"]),
    ("eps too small to square", line("tl_eps 1.0e-15", "tl_eps 1e-300"), SERIAL, 2, ["eps", "1e-300"]),
    ("a domain too large to measure", GOOD.replace("max=10.0\n", "max=1e200\n").replace("=0.004", "=1e300"), SERIAL, 2,
     ["xmax", "area"]),
    ("densities too large to add", line("density=100.0", "density=1e308"), SERIAL, 2, ["density", "state 1"]),
    ("densities too small to square", line("density=0.1", "density=1e-200"), SERIAL, 2, ["density", "state 2"]),
    ("not the problem that it names", line("end_step=2", "end_step=2\ntest_problem 1"), SERIAL, 2, ["test_problem", "end_step"]),
    ("its problem with other states", line("end_step=2", "end_step=10\ntest_problem 1"), SERIAL, 2, ["test_problem", "states"]),
    ("unknown option", GOOD, ["--backends=serial"], 2, ["backend"]),
    ("misspelt option", GOOD, ["--bakend=serial"], 2, ["--bakend", "--backend"]),
    ("unknown backend", GOOD, ["--backend=hip"], 2, ["hip", "serial"]),
    ("backend with junk behind", GOOD, ["--backend=openmp:fast"], 2, ["fast"]),
    ("a thread count of -3", GOOD, ["--backend=openmp", "--threads=-3"], 2, ["threads", "-3"]),
    ("a thread count of many", GOOD, ["--backend=openmp", "--threads=many"], 2, ["threads", "many"]),
    ("threads on serial", GOOD, ["--backend=serial", "--threads=2"], 2, ["threads"]),
    ("unknown layout", GOOD, ["--backend=serial", "--layout=middle"], 2, ["middle"]),
    ("check against nothing known", GOOD, ["--backend=serial", "--check-against=abacus"], 2, ["abacus"]),
    ("two decks", GOOD, SERIAL + ["second.in"], 2, ["second.in"]),
    ("a folder as deck", "FOLDER", SERIAL, 2, ["folder"]),
    ("gpu-mpi misspelt", GOOD, SERIAL + ["--gpu-mpi=maybe"], 2, ["maybe"]),
    ("output in a folder that is not there", GOOD, SERIAL + ["--output=nowhere/out.h5"], 3, ["nowhere"]),
    ("output is a folder", GOOD, SERIAL + ["--output=."], 3, ["."]),
    ("output over the deck", GOOD, SERIAL + ["--output=./deck.in"], 2, ["--output", "would replace the input"]),
    ("checkpoints over the deck", GOOD, SERIAL + ["--checkpoint=./deck.in"], 2, ["--checkpoint", "the input"]),
    ("a misspelt key as deck", GOOD, SERIAL + ["x_cell=3"], 2, ["x_cells"]),
    ("output nowhere", GOOD, SERIAL + ["--output="], 2, ["output"]),
    ("a device that is not there", GOOD, ["--backend=cuda", "--device=1000"], NO_DEVICE, ["cuda"]),
]
# Only with several ranks, where of the others only every sixth is tried: that one rank speaks for all does not depend on
# the case, and a failing mpirun takes seconds.
RANK_CASES = [
    ("a halo deeper than the cells of a rank", GOOD.replace("tl_use_cg", "tl_use_ppcg\nhalo_depth=7"), SERIAL, 2,
     ["deck.in: halo_depth: got 7, expected at most 5"]),
    ("more ranks than cells", GOOD.replace("_cells=10", "_cells=1"), SERIAL, 2, ["rank"]),
]


def run_case(tealeaf, launcher, folder, name, deck, options, code, words):
    path = os.path.join(folder, "no_such_deck.in")
    if deck == "FOLDER":
        path = folder
    elif deck is not None:
        path = os.path.join(folder, "deck.in")
        with open(path, "w", encoding="latin-1") as f:
            f.write(deck)
    kept = os.path.join(folder, "kept.h5")
    with open(kept, "w") as f:
        f.write("an older file")
    if not any(o.startswith("--output") for o in options):
        options = options + ["--output=" + kept]
    done = subprocess.run(launcher + [tealeaf, path] + options, cwd=folder, capture_output=True, text=True, timeout=800,
                          errors="replace", stdin=subprocess.DEVNULL)
    messages = [l for l in done.stderr.splitlines() if l.startswith("tealeaf: error:")]
    faults = []
    if done.returncode != code:
        faults.append(f"exit code: got {done.returncode}, expected {code}")
    if len(messages) != 1:
        faults.append(f"messages: got {len(messages)}, expected 1")
    for word in words:
        if not any(word in m for m in messages):
            faults.append(f"the message does not say '{word}'")
    with open(kept, errors="replace") as f:
        if f.read() != "an older file":
            faults.append("the older results file was changed")
    left = [f for f in os.listdir(folder) if f not in ("deck.in", "kept.h5")]
    if left:
        faults.append(f"files left behind: {left}")
    if faults:
        print(f"{name}: " + "; ".join(faults))
        print("  " + "\n  ".join(done.stderr.splitlines()[:8]))
    return not faults


def end_of_run(tealeaf, launcher, folder, name, deck, options, stdout, code, words):
    """A run that goes to its end, and not well: exit code, and what stderr says once."""
    path = os.path.join(folder, "deck.in")
    with open(path, "w") as f:
        f.write(deck)
    with open(stdout, "w") as out:
        done = subprocess.run(launcher + [tealeaf, path] + options, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True,
                              timeout=800, stdin=subprocess.DEVNULL)
    good = done.returncode == code and done.stderr.count("tealeaf: ") == 1 and all(w in done.stderr for w in words)
    if not good:
        print(f"{name}: exit code: got {done.returncode}, expected {code}, and one message with {words}\n{done.stderr}")
    return good


PIPE = GOOD.replace("rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0\n", "rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0\n" + "".join(
    f"state {n} density=0.1 energy=0.1 geometry=rectangle xmin={a} xmax={b} ymin={c} ymax={d}\n"
    for n, a, b, c, d in [(3, 1, 6, 1, 2), (4, 5, 6, 1, 8), (5, 5, 10, 7, 8)]))
PIPE = PIPE.replace("end_step=2", "end_step=10\ntest_problem 1").replace("max_iters=1000", "max_iters=1")
TINY = GOOD.replace("initial_timestep=0.004", "initial_timestep=1e-18\nend_time=5e-17").replace("end_step=2\n", "")
ENDS = [
    ("a failed check, quietly", PIPE, SERIAL + ["--quiet"], "/dev/null", 1, ["check U FAILED"]),
]
if os.path.exists("/dev/full"):
    ENDS += [("output on a full disk", GOOD, SERIAL, "/dev/full", 3, ["the output cannot be written"]),
             ("help on a full disk", GOOD, ["--help"], "/dev/full", 3, ["the output cannot be written"])]


# runs that end well: what they print, and a note on stderr or none, or the beginnings of all notes in their order
RUNS = [
    ("tiny time steps", TINY, [], "step:     50 ", ""),
    ("a rectangle outside", line("xmin=0.0 xmax=1.0 ymin=1.0", "xmin=10.0 xmax=11.0 ymin=1.0"), [], "PASSED", "state 2 lies outside"),
    ("a number of 803 characters", line("xmax=10.0\n", "xmax=10." + 800 * "0" + "\n"), [], "PASSED", ""),
    ("comments of forks", line("tl_use_cg\n", "#tl_use_chebyshev\ntl_use_cg # not jacobi\n"), [], "CG: ", ""),
    ("a key of older versions", line("end_step=2", "end_step=2\nopencl_vendor=intel"), [], "PASSED",
     "deck.in:12: opencl_vendor: a key of older versions, without effect: devices are chosen"),
    ("steps of older versions", line("end_step=2", "end_step=2\ntimestep_rise 1.5\nmax_timestep 0.004"), [], "timestep   4.00E-03",
     "deck.in:13: max_timestep: a key of older versions, without effect: steps are constant, as these values ask\n"),
    ("keys of older versions, by lines", line("end_step=2", "end_step=2\nopencl_vendor=intel\nmax_timestep 0.004\nhydro_off\ntimestep_rise 1"), [],
     "PASSED", ["deck.in:12: opencl_vendor: ", "deck.in:13: max_timestep: ", "deck.in:14: hydro_off: ", "deck.in:15: timestep_rise: "]),
    ("keys on the command line", GOOD, ["end_step=3", "--x_cells", "12", "--tl_eps=1e-9"], "mesh 12 x 10", ""),
]


def good_end(tealeaf, folder, name, deck, options, printed, note):
    path = os.path.join(folder, "deck.in")
    with open(path, "w") as f:
        f.write(deck)
    done = subprocess.run([tealeaf, path, *SERIAL, *options], cwd=folder, capture_output=True, text=True, timeout=800,
                          stdin=subprocess.DEVNULL)
    notes = [at[0] for at in re.finditer(r"deck\.in:\d+: \w+: ", done.stderr)]
    noted = notes == note if isinstance(note, list) else note in done.stderr if note else done.stderr == ""
    good = done.returncode == 0 and printed in done.stdout and noted
    if not good:
        print(f"{name}: exit code: got {done.returncode}, expected 0, '{printed}' on stdout and '{note}' on stderr\n"
              f"{done.stdout[-1500:]}\n{done.stderr}")
    return good


def main():
    tealeaf, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    launcher = sys.argv[3:]
    listed = subprocess.run([tealeaf, "--backends"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    no_device = 2 if "# cuda: not in this build" in listed else 3
    cases = [(*case[:3], no_device if case[3] == NO_DEVICE else case[3], case[4])
             for case in (CASES if ranks == 1 else RANK_CASES + CASES[::6])]
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            failed += not run_case(tealeaf, launcher, folder, *case)
    for end in ENDS if ranks == 1 else ENDS[:1]: # mpirun itself writes what ranks print
        with tempfile.TemporaryDirectory() as folder:
            failed += not end_of_run(tealeaf, launcher, folder, *end)
    for case in RUNS if ranks == 1 else []:
        with tempfile.TemporaryDirectory() as folder:
            failed += not good_end(tealeaf, folder, *case)
    if failed:
        print(f"{failed} of {len(cases) + len(ENDS) + len(RUNS)} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

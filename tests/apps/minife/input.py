#!/usr/bin/env python3
"""What minife makes of its input: the original's forms and parameters, and input that is wrong.

Each good case must print what its row says; each bad one must end with its exit code and one message on one rank that says what is
wrong, and leave no file behind but those that were there. On several ranks only a few: that one rank speaks for all does not depend
on the case, and a failing mpirun takes seconds.

usage: input.py MINIFE RANKS MPIEXEC...
"""
import os
import re
import subprocess
import sys
import tempfile

REPORT = """Mini-Application Name: miniFE
Mini-Application Version: 2.0
Global Run Parameters: 
  dimensions: 
    nx: 6
    ny: 4
    nz: 5
  load_imbalance: 0
  mv_overlap_comm_comp: 0 (no)
  number of processors: 1
  OpenMP Max Threads:: 4
Platform: 
  hostname: linx=3
Run Date/Time: 2026-01-02, 03-04-05
"""

# name, parameter file (None: there is none), arguments, rows of the matrix that the run must have. The names of some are bugs of the
# original that are not here.
GOOD = [
    ("defaults", None, [], 11 ** 3),
    ("ny is nx, nz is ny", None, ["nx=3", "ny=2"], 4 * 3 * 3),
    ("nz is ny, not nx", None, ["nx=2", "ny=4", "nz=3"], 3 * 5 * 4),
    ("key:value", None, ["nx:3", "ny:4", "nz:5"], 4 * 5 * 6),
    ("key value", None, ["nx", "3", "ny", "4"], 4 * 5 * 5),
    ("one dash", None, ["-nx", "3", "-ny=4", "-nz:5"], 4 * 5 * 6),
    ("two dashes", None, ["--nx", "3", "--ny=4", "--nz:5"], 4 * 5 * 6),
    ("the original's own test", None, ["nx=10", "verify_solution=1"], 11 ** 3),
    ("a parameter file", "nx=3\nny: 4\nnz 5 # elements\n! all\n\n", ["input.txt"], 4 * 5 * 6),
    ("input_file", "nx = 3\nny=4\n", ["input_file=input.txt"], 4 * 5 * 5),
    ("the command line overrides the file", "nx=3\nny=4\n", ["input_file=input.txt", "nx=5"], 6 * 5 * 5),
    ("lines of 255 characters and more", "nx=3 #" + 300 * "x" + "\nny=4\n", ["input.txt"], 4 * 5 * 5),
    ("a file without a last line end", "nx=3", ["input.txt"], 4 ** 3),
    ("the original's report as input", REPORT, ["input.txt"], 7 * 5 * 6),
    ("the original's report, with other line ends", REPORT.replace("\n", "\r\n"), ["input.txt"], 7 * 5 * 6),
    ("defaults of keys that are not here", None, ["nx=3", "mv_overlap_comm_comp=0", "num_devices=-1"], 4 ** 3),
    ("a key twice with one value", None, ["nx=3", "nx=3"], 4 ** 3),
    ("the original's check fails on so coarse a mesh", None, ["nx=2"], 3 ** 3),
    ("a key inside a name", None, ["name=linx_a", "nx=5"], 6 ** 3),
    ("load_imbalance of one rank", None, ["nx=3", "load_imbalance=50"], 4 ** 3),
]

# name, parameter file (None: there is none), arguments, exit code, words that the message must have
BAD = [
    ("a stencil for elements that differ", None, ["operator=uniform", "mesh=distorted"], 2, ["operator", "uniform"]),
    ("a matrix that is not stored, dumped", None, ["operator=nodes", "dump=."], 2, ["operator", "stores no matrix"]),
    ("steps that no preconditioner has", None, ["nx=3", "chebyshev_degree=5"], 2, ["chebyshev_degree", "preconditioner=chebyshev or multigrid"]),
    ("steps that hpcg does not have", None, ["nx=8", "preconditioner=hpcg", "chebyshev_degree=1"], 2, ["chebyshev_degree", "got 1"]),
    ("float without a matrix", None, ["precision=mixed", "operator=nodes"], 2, ["precision", "stores no matrix"]),
    ("float by a stencil", None, ["operator=uniform", "precision=mixed"], 2, ["precision", "stores no matrix"]),
    ("float with hpcg", None, ["nx=8", "precision=mixed", "preconditioner=hpcg"], 2, ["preconditioner", "precision=double"]),
    ("an unknown precision", None, ["precision=single"], 2, ["precision", "single", "mixed"]),
    ("an unknown key", None, ["nz=3", "nxx=3"], 2, ["nxx", "nx"]),
    ("an unknown key alone", None, ["linx_a=3"], 2, ["linx_a"]),
    ("an unknown key with dashes", None, ["-tolerence=1"], 2, ["tolerence", "tolerance"]),
    ("an unknown key in the file", "nx=3\nfoo_bar=3\n", ["input.txt"], 2, ["input.txt:2:", "foo_bar"]),
    ("a key that is near, in the file", "nx=3\n\nmax_iteration=3\n", ["input.txt"], 2, ["input.txt:3:", "max_iterations"]),
    ("zero elements", None, ["nx=0"], 2, ["nx", "\"0\"", "from 1 to"]),
    ("negative elements", None, ["ny=-3"], 2, ["ny", "-3"]),
    ("negative elements in the file", "nx=3\nnz=-1\n", ["input.txt"], 2, ["input.txt:2: nz", "-1"]),
    ("half an element", None, ["nx=10.5"], 2, ["nx", "10.5"]),
    ("a word for elements", None, ["nx=ten"], 2, ["nx", "ten"]),
    ("more than 32 bits", None, ["nx=3000000000"], 2, ["nx", "3000000000"]),
    ("more than 64 bits", None, ["nx=99999999999999999999"], 2, ["nx"]),
    ("a matrix of more than 64 bits", None, ["nx=2000000000"], 2, ["2000000000 x 2000000000 x 2000000000", "2^63"]),
    ("more elements than a rank can have", None, ["nx=1600"], 3, ["use more ranks"]),
    ("more nodes than a rank can have", None, ["nx=1289", "ny=1290", "nz=1291"], 2, ["use more ranks"]),
    ("more entries than memory", None, ["nx=1270"], 3, ["GB on this host"]),
    ("no value", None, ["nx="], 2, ["nx"]),
    ("no value at the end", None, ["nx=3", "ny"], 2, ["ny", "no value"]),
    ("a second value", "nx=3 4\n", ["input.txt"], 2, ["input.txt:1: nx", "3 4"]),
    ("a key twice", None, ["nx=3", "nx=4"], 2, ["nx", "once"]),
    ("a key twice in the file", "nx=3\nny=2\nnx=4\n", ["input.txt"], 2, ["input.txt:3: nx", "line 1"]),
    ("a missing file", None, ["input_file=none.txt"], 2, ["none.txt", "No such file"]),
    ("a folder as file", None, ["input_file=."], 2, ["folder"]),
    ("two files", "nx=3\n", ["input.txt", "input_file=input.txt"], 2, ["input.txt"]),
    ("a binary file", "nx=3\n\x01\x02\n", ["input.txt"], 2, ["input.txt:2:", "text file"]),
    ("an input_file in the file", "input_file=b.txt\n", ["input.txt"], 2, ["input.txt:1: input_file"]),
    ("a report without dimensions", "Mini-Application Name: miniFE\n", ["input.txt"], 2, ["input.txt", "nx"]),
    ("a report with a bad dimension", REPORT.replace("ny: 4", "ny: 0"), ["input.txt"], 2, ["input.txt:6: ny", "\"0\""]),
    ("a tolerance that is no number", None, ["tolerance=nan"], 2, ["tolerance", "nan"]),
    ("an infinite tolerance", None, ["tolerance=inf"], 2, ["tolerance", "inf"]),
    ("a negative tolerance", None, ["tolerance=-1e-9"], 2, ["tolerance", "-1e-9"]),
    ("negative iterations", None, ["max_iterations=-1"], 2, ["max_iterations", "-1"]),
    ("a negative imbalance", None, ["load_imbalance=-5"], 2, ["load_imbalance", "-5"]),
    ("a large dump", None, ["nx=100", "dump=."], 2, ["dump", "27270901", "10000000"]),
    ("a dump into a folder that is not there", None, ["nx=3", "dump=nowhere"], 3, ["dump", "nowhere", "expected an existing folder to write to"]),
    ("a YAML file into a folder that is not there", None, ["nx=3", "yaml=nowhere"], 3, ["yaml", "nowhere"]),
    ("a YAML file into a file", "nx=3\n", ["input.txt", "yaml=input.txt"], 3, ["yaml", "input.txt"]),
    ("a name with a folder", None, ["nx=3", "name=a/b"], 2, ["name", "a/b"]),
    ("an unknown problem", None, ["problem=poisson"], 2, ["problem", "poisson", "manufactured"]),
    ("an unknown mesh", None, ["mesh=skewed"], 2, ["mesh", "skewed", "distorted"]),
    ("an unknown assembly", None, ["assembly=locks"], 2, ["assembly", "locks", "atomics"]),
    ("verify_solution without a number", None, ["verify_solution=yes"], 2, ["verify_solution", "yes"]),
    ("numthreads is --threads", None, ["numthreads=4"], 2, ["threads", "serial"]),
    ("numthreads in the file", "numthreads=4\n", ["input.txt"], 2, ["input.txt:1: numthreads", "--threads=N"]),
    ("skip_device does not set device", None, ["skip_device=1"], 2, ["skip_device", "CUDA_VISIBLE_DEVICES"]),
    ("num_devices", None, ["num_devices=4"], 2, ["num_devices", "CUDA_VISIBLE_DEVICES"]),
    ("a device in the file", "nx=3\ndevice=1\n", ["input.txt"], 2, ["input.txt:2: device", "--device=N"]),
    ("a device of a backend that has none", None, ["device=0"], 2, ["device"]),
    ("output in a folder that is not there", None, ["output=nowhere/out.h5"], 3, ["nowhere"]),
    ("output over the input", "nx=3\n", ["input.txt", "output=./input.txt"], 2, ["--output", "would replace the input"]),
]
# Only with several ranks.
BAD_ON_RANKS = [
    ("negative elements in the file", "nx=3\nnz=-1\n", ["input.txt"], 2, ["input.txt:2: nz", "-1"]),
    ("more ranks than elements", None, ["nx=1"], 2, ["too small for"]),
    # planes that are moved one after another would take minutes
    ("an imbalance of many planes", None, ["nx=1", "ny=2", "nz=2147483646", "load_imbalance=80"], 2, ["a rank would hold"]),
]

# The solver is to do nothing, and the solution is zero: the limit of iterations is no failure, but the output has the original's words
# for a wrong solution. Meshes without a node in the window at the centre pass in the original.
WITHOUT_ITERATIONS = [
    ("no iterations", ["nx=10", "max_iterations=0"]),
    ("no iterations, and no node near the centre", ["nx=9", "max_iterations=0"]),
    ("no iterations with a float matrix", ["nx=10", "max_iterations=0", "precision=mixed"]),
    ("no iterations on the coarsest mesh", ["nx=2", "max_iterations=0"]),
]


def launch(minife, launcher, folder, parameters, arguments):
    if parameters is not None:
        with open(os.path.join(folder, "input.txt"), "w", encoding="latin-1", newline="") as f:
            f.write(parameters)
    return subprocess.run([*launcher, minife, "--backend=serial", *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=800, errors="replace", stdin=subprocess.DEVNULL)


def good_case(minife, folder, name, parameters, arguments, rows):
    done = launch(minife, [], folder, parameters, arguments)
    found = re.search(r"^ check rows +(\S+)", done.stdout, re.M)
    others = [line for line in done.stderr.splitlines() if not line.startswith("minife: note: ")]
    if done.returncode == 0 and not others and found and float(found[1]) == rows:
        return True
    print(f"{name}: exit code {done.returncode}, expected 0, {rows} rows and nothing but notes on stderr\n{done.stdout[-500:]}{done.stderr}")
    return False


def idle_case(minife, folder, name, arguments):
    done = launch(minife, [], folder, None, arguments)
    lines = ["CG ended at max_iterations=0: ", "max absolute error is 0.", "   at position (", "   computed solution: 0,  analytic solution: 0."]
    if done.returncode == 0 and all("\n" + line in done.stdout for line in lines):
        return True
    print(f"{name}: exit code {done.returncode}, expected 0, and the lines of a wrong solution\n{done.stdout[-900:]}")
    return False


def bad_case(minife, launcher, folder, name, parameters, arguments, code, words):
    done = launch(minife, launcher, folder, parameters, arguments)
    messages = [line for line in done.stderr.splitlines() if line.startswith("minife: error:")]
    faults = []
    if done.returncode != code:
        faults.append(f"exit code: got {done.returncode}, expected {code}")
    if len(messages) != 1:
        faults.append(f"messages: got {len(messages)}, expected 1")
    faults += [f"the message does not say '{word}'" for word in words if not any(word in m for m in messages)]
    left = sorted(set(os.listdir(folder)) - {"input.txt"})
    if left:
        faults.append(f"files left behind: {left}")
    if faults:
        print(f"{name}: " + "; ".join(faults) + "\n  " + "\n  ".join(done.stderr.splitlines()[:8]))
    return not faults


def imbalance(minife, launcher, ranks):
    """load_imbalance divides the elements otherwise, and changes nothing else: the error of the manufactured problem is the same to
    1e-6, the digits that are printed. What cannot be reached is said."""
    arguments = ["nx=9", "ny=7", "problem=manufactured", "tolerance=1e-11", "max_iterations=1000", "--backend=serial"]
    runs = [subprocess.run([*launcher, minife, *arguments, f"load_imbalance={percent}"], capture_output=True, text=True,
                           timeout=800, stdin=subprocess.DEVNULL) for percent in (0, 20, 100000)]
    errors = [re.findall(r"^error: .*", run.stdout, re.M) for run in runs]
    good = all(run.returncode == 0 for run in runs) and errors[0] and all(e == errors[0] for e in errors)
    said = ["note: load_imbalance" in run.stderr for run in runs]
    if not good or said != [False, False, True]:
        print(f"load_imbalance on {ranks} ranks: {errors}, notes {said}\n" + runs[2].stderr)
        return False
    return True


def main():
    minife, ranks, launcher = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    cases = BAD if ranks == 1 else BAD_ON_RANKS
    failed = 0
    for case in GOOD if ranks == 1 else []:
        with tempfile.TemporaryDirectory() as folder:
            failed += not good_case(minife, folder, *case)
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            failed += not bad_case(minife, launcher, folder, *case)
    if ranks > 1:
        failed += not imbalance(minife, launcher, ranks)
    for case in WITHOUT_ITERATIONS if ranks == 1 else []:
        with tempfile.TemporaryDirectory() as folder:
            failed += not idle_case(minife, folder, *case)
    if failed:
        print(f"{failed} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

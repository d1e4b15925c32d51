#!/usr/bin/env python3
"""What minife leaves behind: the original's YAML file and lines, statistics in the results file; and whole runs that check every
launch against another backend.

usage: outputs.py --minife PROGRAM --verify MINX-VERIFY --mpiexec WORD...
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, options_of

# The original's keys in its order; indented by their level.
KEYS = """Mini-Application Name
Mini-Application Version
Global Run Parameters
  dimensions
    nx
    ny
    nz
  load_imbalance
  mv_overlap_comm_comp
  number of processors
  ScalarType
  GlobalOrdinalType
  LocalOrdinalType
Platform
  hostname
  kernel name
  kernel release
  processor
Build
  CXX
  compiler version
  CXXFLAGS
  using MPI
Run Date/Time
Rows-per-proc Load Imbalance
  Largest (from avg, %)
  Std Dev (%)
Matrix structure generation
  Mat-struc-gen Time
FE assembly
  FE assembly Time
Matrix attributes
  Global Nrows
  Global NNZ
  Global Memory (GB)
  Pll Memory Overhead (MB)
  Rows per proc MIN
  Rows per proc MAX
  Rows per proc AVG
  NNZ per proc MIN
  NNZ per proc MAX
  NNZ per proc AVG
CG solve
  Iterations
  Final Resid Norm
  WAXPY Time
  WAXPY Flops
  WAXPY Mflops
  DOT Time
  DOT Flops
  DOT Mflops
  MATVEC Time
  MATVEC Flops
  MATVEC Mflops
  Total
    Total CG Time
    Total CG Flops
    Total CG Mflops
  Time per iteration
Global All-RSS (kB)
Global Max-RSS (kB)
Total Program Time""".splitlines()

LINES = [r" +creating/filling mesh\.\.\.\S+s, total time: \S+", r"generating matrix structure\.\.\.\S+s, total time: \S+",
         r" +assembling FE data\.\.\.\S+s, total time: \S+", r" +imposing Dirichlet BC\.\.\.\S+s, total time: \S+",
         r"Starting CG solver \.\.\. ", r"Initial Residual = \S+", r"Iteration = 20   Residual = \S+", r"Final Resid Norm: \S+",
         r"verifying solution at ~ \(0\.5, 0\.5, 0\.5\) \.\.\.",
         r"solution matches analytic solution to within 0\.06 or better\.",
         r"  whole_run +1 +\S+ +1"] # run.sh shows the seconds of this region

good = True


def check(what, got, expected, tolerance=0.0):
    global good
    near = abs(got - expected) <= tolerance * abs(expected) if tolerance else got == expected
    if not near:
        print(f"{what}: got {got!r}, expected {expected!r}")
        good = False


def run(command, folder):
    global good
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit code {done.returncode}, expected 0\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        good = False
    return done.stdout


def check_lines(stdout):
    at = 0
    for pattern in LINES:
        found = re.compile("^" + pattern + "$", re.M).search(stdout, at)
        if not found:
            print(f"no line '{pattern}' behind character {at} of\n{stdout}")
            return False
        at = found.end()
    return True


def check_yaml(folder, name, ranks, iterations, overlap):
    """Elements 8 x 6 x 7. The original counts vectors by elements: 3 N (3 I + 2) and 4 N I operations, and 2 nonzeros (I + 1)."""
    global good
    files = [f for f in os.listdir(folder) if f.endswith(".yaml")]
    pattern = r"miniFE\.8x6x7" + (rf"\.P{ranks}" if ranks > 1 else "") + rf"{name}\.\d+:\d\d:\d\d-\d\d:\d\d:\d\d\.yaml"
    if len(files) != 1 or not re.fullmatch(pattern, files[0]):
        print(f"YAML files: got {files}, expected one {pattern}")
        good = False
        return ""
    with open(os.path.join(folder, files[0])) as f:
        lines = f.read().splitlines()
    keys = [line.split(": ")[0].rstrip(":") for line in lines]
    missing = [key for key in KEYS if key not in keys]
    check("missing keys", missing, [])
    check("the order of keys", [key for key in keys if key in KEYS], KEYS)
    value = {line.split(": ")[0].strip(): line.split(": ")[1] for line in lines if ": " in line}
    check("mv_overlap_comm_comp", value["mv_overlap_comm_comp"], f'"{overlap}"')
    check("hostname", value["hostname"].strip('"'), socket.gethostname())
    n, nonzeros = 8 * 6 * 7, 25 * 19 * 22
    check("Global Nrows", int(value["Global Nrows"]), 9 * 7 * 8)
    check("Global NNZ", int(value["Global NNZ"]), nonzeros)
    check("Iterations", int(value["Iterations"]), iterations)
    check("WAXPY Flops", float(value["WAXPY Flops"]), 3 * n * (3 * iterations + 2))
    check("DOT Flops", float(value["DOT Flops"]), 4 * n * iterations)
    check("MATVEC Flops", float(value["MATVEC Flops"]), 2 * nonzeros * (iterations + 1))
    check("Total CG Mflops", float(value["Total CG Mflops"]),
          1e-6 * float(value["Total CG Flops"]) / float(value["Total CG Time"]), 1e-12)
    # of a row: 10 operations of vectors in each iteration; of a nonzero 2
    check("CG Flops", float(value["CG Flops"]), iterations * (10 * 9 * 7 * 8 + 2 * nonzeros), 1e-12)
    if ranks == 2: # z is cut at 4: elements 192 and 144, 4 planes of nodes each
        check("Largest", float(value["Largest (from avg, %)"]), 100 * 24 / 168, 1e-9)
        check("Std Dev", float(value["Std Dev (%)"]), 100 * (2 * 24 ** 2) ** 0.5 / 168, 1e-9)
        check("Rows per proc MIN", int(value["Rows per proc MIN"]), 9 * 7 * 4)
        check("Rows per proc MAX", int(value["Rows per proc MAX"]), 9 * 7 * 4)
    return files[0]


def read_by_pyyaml(folder, file):
    try:
        import yaml
    except ImportError:
        return
    with open(os.path.join(folder, file)) as f:
        check("nx by PyYAML", yaml.safe_load(f)["Global Run Parameters"]["dimensions"]["nx"], 8)


def check_side_file(folder):
    """The solution stands on the nodes of a curvilinear mesh of 8 x 6 x 7 elements."""
    text = ElementTree.parse(os.path.join(folder, "curved.xmf"))
    grids = text.findall("./Domain/Grid")
    check("grids", len(grids), 1)
    topology, geometry, attribute = (grids[0].find(tag) for tag in ("Topology", "Geometry", "Attribute"))
    check("topology", topology.attrib, {"TopologyType": "3DSMesh", "Dimensions": "8 7 9"})
    check("geometry", (geometry.get("GeometryType"), geometry[0].get("Dimensions"), geometry[0].text),
          ("XYZ", "8 7 9 3", "curved.h5:/meshes/nodes/coordinates"))
    check("attribute", (attribute.get("Center"), attribute[0].get("Dimensions"), attribute[0].text),
          ("Node", "8 7 9", "curved.h5:/fields/solution"))


def main():
    global good
    args = options_of("minife").parse_args()
    size = ["nx=8", "ny=6", "nz=7"]
    # with overlap the original prints no norm, and does not verify
    for ranks, launcher, overlap in ((1, [], "0 (no)"), (2, [*args.mpiexec, "-n", "2"], "1 (yes)")):
        with tempfile.TemporaryDirectory() as folder:
            stdout = run([*launcher, args.minife, *size, "name=mine", "max_iterations=20", "mv_overlap_comm_comp=" + overlap[0],
                          "--backend=serial", "--output=run.h5"], folder)
            good &= check_lines(stdout)
            # 12 bytes for each of 25 x 19 x 22 nonzeros and 8 for each of 9 x 7 x 8 rows; five vectors
            check("line of memory", " memory of all ranks: matrix 0.13 MB, vectors 0.02 MB; resident at most " in stdout, True)
            file = check_yaml(folder, r"\.mine", ranks, 20, overlap)
            run([args.verify, "--quiet", "run.h5"], folder)
            if file and ranks == 1:
                read_by_pyyaml(folder, file)
                # what was written is an input
                again = run([args.minife, f"input_file={file}", "--backend=serial"], folder)
                check("rows of the run of its YAML file", " check rows         5.04" in again, True)
                check("a check against 0", " expected 0.000000000000000e+00 absolute difference " in again, True)
                check("a check against another number", "e+02 relative difference " in again, True)
    with tempfile.TemporaryDirectory() as folder:
        run([*args.mpiexec, "-n", "2", args.minife, *size, "mesh=distorted", "--backend=serial", "--output=curved.h5", "--quiet"],
            folder)
        run([args.verify, "--quiet", "curved.h5"], folder)
        check_side_file(folder)
    listed = backends_of(args.minife)
    for backend in [b for b in ("openmp", "simt", "cuda", "hip") if b in listed]:
        options = ["--threads=1"] if backend == "simt" else []
        run([args.minife, *size, "--backend=" + backend, "--check-against=serial", "--quiet", *options], ".")
    run([args.minife, "nx=5", "problem=manufactured", "mesh=distorted", "preconditioner=multigrid", "--backend=openmp",
         "--check-against=serial", "--quiet"], ".")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

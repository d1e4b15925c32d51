#!/usr/bin/env python3
"""miniFE with float coefficients (precision=mixed) against double, for each form of the matrix, on 1 and 2 ranks.

The residual of the system in double must be above the tolerance of the solver (else no coefficient was rounded) and within the bound
that the run prints, 8 * 2^-24 || |A| |x| || or more: fe_float_bound in apps/minife/input/fe_input.h. At a node the solutions differ by at
most 0.3 sqrt(rows) times the bound (apps/minife/analytic.c), and by more than 1e-12. minx-verify must pass.

The memory of each rank is in the results file of every run: of vectors at least five of its rows; of a matrix of csr exactly a
coefficient and a column number for each nonzero and the rows' begins; resident at the end at least what it was in the set-up.

usage: mixed.py --minife PROGRAM --verify MINX-VERIFY --mpiexec WORD...      skips (77) without h5py
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, on_ranks, options_of

try:
    import h5py
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SIZES = ["nx=9", "ny=8", "nz=11", "max_iterations=500", "tolerance=1e-12"]
ORIGINAL, DISTORTED = [], ["problem=manufactured", "mesh=distorted"]
# the problem, the rest of the input, ranks
CASES = [
    (ORIGINAL, ["operator=csr"], 1),
    (ORIGINAL, ["operator=sell", "assembly=colours"], 1),
    (ORIGINAL, ["operator=symmetric", "preconditioner=multigrid"], 1),
    (ORIGINAL, ["operator=csr", "solver=single-reduction"], 2),
    (ORIGINAL, ["operator=lines"], 2),
    (DISTORTED, ["operator=csr", "assembly=atomics", "preconditioner=chebyshev"], 1),
    (DISTORTED, ["operator=sell", "overlap=on"], 2),
    (DISTORTED, ["operator=symmetric", "overlap=on"], 2),
    (DISTORTED, ["operator=ell", "--backend=simt", "--threads=1"], 1),
]
LINE = re.compile(r"^error of precision=mixed: residual of the system in double (\S+), of the one in float (\S+), "
                  r"bound of the difference (\S+)$", re.M)


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder, self.good = args, folder, True

    def fail(self, what, done):
        print(f"{what}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        self.good = False

    def check_memory(self, words, series):
        """The memory of each rank; lists of numbers by rank."""
        rows, nonzeros, matrix, vectors, set_up, resident = (
            series[name + "_of_rank"][:].tolist()
            for name in ("rows", "nonzeros", "matrix_bytes", "vector_bytes", "set_up_resident", "resident"))
        of_value = 4 if "precision=mixed" in words else 8
        csr = [(of_value + 4) * n + 8 * (r + 1) for n, r in zip(nonzeros, rows)]
        if not (all(m > 0 for m in matrix) and all(v >= 5 * 8 * r for v, r in zip(vectors, rows)) and
                all(0 < s <= r for s, r in zip(set_up, resident)) and ("operator=csr" not in words or matrix == csr)):
            print(f"{words}: memory by ranks: matrix {matrix} (csr: {csr}), vectors {vectors} of {rows} rows, resident {set_up} in the "
                  f"set-up and {resident} in the run")
            self.good = False

    def run(self, words, ranks=1):
        """The numbers of the line about the error, the solution and the file's words about the precision; None: it failed."""
        path = os.path.join(self.folder, "run.h5")
        backend = [] if any(word.startswith("--backend") for word in words) else ["--backend=serial"]
        command = on_ranks(self.args.mpiexec, ranks, [self.args.minife, *SIZES, *words, *backend, "--output=" + path])
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
        found = LINE.search(done.stdout)
        if done.returncode != 0 or bool(found) != ("precision=mixed" in words):
            self.fail(f"{' '.join(command)}: exit code {done.returncode}, the line about mixed: {found}", done)
            return None
        verified = subprocess.run([self.args.verify, path], capture_output=True, text=True, timeout=800)
        if verified.returncode != 0:
            self.fail(f"{' '.join(command)}: minx-verify: exit code {verified.returncode}", verified)
        with h5py.File(path) as file:
            self.check_memory(words, file["series"])
            said = [file[p].asstr()[()] for p in ("/input/precision", "/provenance/precision")]
            return [float(x) for x in found.groups()] if found else [], file["/fields/solution"][:], said

    def compare(self, problem, words, ranks, double):
        got = self.run([*problem, *words, "precision=mixed"], ranks)
        if got is None:
            return
        (residual, of_float, bound), solution, said = got
        largest = abs(solution - double[1]).max()
        limit = 0.3 * solution.size ** 0.5 * bound
        if not (of_float <= 1e-12 < residual <= of_float + bound and 1e-12 < largest <= limit):
            print(f"{problem} {words}, {ranks} ranks: residuals {residual} and {of_float}, bound {bound}; the solutions differ by "
                  f"{largest}, expected at most {limit}")
            self.good = False
        if said != ["mixed", "f32 matrix, f64 vectors"] or double[2] != ["double", "f64"]:
            print(f"{words}: the results file says {said}, and with precision=double {double[2]}")
            self.good = False


def main():
    args = options_of("minife").parse_args()
    listed = backends_of(args.minife)
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args, folder)
        for problem in (ORIGINAL, DISTORTED):
            double = runs.run(problem)
            for of_case, words, ranks in CASES if double else []:
                if of_case is problem and ("--backend=simt" not in words or "simt" in listed):
                    runs.compare(problem, words, ranks, double)
        return 0 if runs.good else 1


if __name__ == "__main__":
    sys.exit(main())

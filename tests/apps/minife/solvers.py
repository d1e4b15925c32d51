#!/usr/bin/env python3
"""miniFE's solvers and preconditioners: all give the same solution, in the same number of iterations on any ranks.

Each case runs until the residual is 1e-12 of the first one. Then
- solutions of one problem differ by at most 1e-10. The error of a solution is the residual, some 1e-11, times the inverse of A, whose
  largest eigenvalue is 1 / (3 pi^2 h^3), 30 to 100 for the lengths h of elements here: 1e-9 if the residual had that mode only.
  It has little of it, and the largest differences are 1e-11;
- a preconditioner's iterations differ by at most 10 percent, or 1, from those on one rank: sums over ranks have other roundings;
- any number of threads gives the same bits;
- multigrid's iterations stay within 20 percent from 8 to 32 elements along each side;
- minx-verify accepts the results file (of runs on openmp).

--full: instead of the small problems 64 and 100 elements along each side, as a user would run them; prints a table. It takes an hour
or more on two cores, so that its parts and sizes can be chosen: --full ranks operators --sizes 64. The part simt, of csr on
simt, takes almost another, and is run only where it is named. Needs h5py; exits with 77 without it.

usage: solvers.py [--full [PART...]] [--sizes N...] --minife PROGRAM --verify MINX-VERIFY [--max-ranks N] --mpiexec WORD...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, on_ranks, options_of
from minife_forms import OPERATORS, preconditioners

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: it needs h5py")
    sys.exit(77)

SOLUTIONS = 1e-10
SHARE = 0.1
FLAT = 0.2
SOLVERS = ("cg", "single-reduction")
OTHERS = [operator for operator in OPERATORS if operator != "csr"]
OF_ANY_MESH = preconditioners(1)
PARTS = ("ranks", "operators", "threads", "backends", "simt", "flat")
SMALL = {"original": ["nx=12", "ny=9", "nz=20"],
         "distorted": ["nx=14", "problem=manufactured", "mesh=distorted"],
         "few elements": ["nx=5", "ny=2", "nz=4"]}


class Tests:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.good = True

    def fail(self, text):
        print(text)
        self.good = False

    def run(self, keys, backend="serial", ranks=1, threads=1, tolerance="1e-12"):
        """(solution, residuals, seconds an iteration), or None. On at most --max-ranks ranks."""
        ranks = min(ranks, self.args.max_ranks)
        path = os.path.join(self.folder, "run.h5")
        if os.path.exists(path):
            os.remove(path)
        command = on_ranks(self.args.mpiexec, ranks, [self.args.minife, *keys, "max_iterations=2000", f"relative_tolerance={tolerance}",
                                                      f"--output={path}", f"--backend={backend}", f"--threads={threads}"])
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            self.fail(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return None
        checked = backend == "openmp" and subprocess.run([self.args.verify, path], capture_output=True, text=True)
        if checked and checked.returncode != 0:
            self.fail(f"{' '.join(command)}: minx-verify:\n{checked.stdout[-3000:]}{checked.stderr[-1000:]}")
        milliseconds = re.search(r"milliseconds an iteration: (\S+)", done.stdout)
        with h5py.File(path) as file:
            return (file["fields/solution"][:], file["series/residual"][:], float(milliseconds.group(1)) if milliseconds else 0)

    def compare(self, name, result, base, iterations):
        if result is None or base is None:
            return
        difference = numpy.abs(result[0] - base[0]).max()
        if not difference <= SOLUTIONS:
            self.fail(f"{name}: the solution differs by {difference:.2e}, expected at most {SOLUTIONS}")
        count = len(result[1]) - 1
        if not abs(count - iterations) <= max(1, SHARE * iterations):
            self.fail(f"{name}: {count} iterations, expected {iterations} within {100 * SHARE:.0f} percent")

    def problem(self, name, keys, several, chosen_preconditioners=OF_ANY_MESH):
        base = self.run(keys)
        for solver in SOLVERS:
            for preconditioner in chosen_preconditioners:
                chosen = keys + [f"solver={solver}", f"preconditioner={preconditioner}"]
                one = self.run(chosen, "openmp", threads=2)
                if one is None:
                    continue
                what = f"{name}, {solver}, {preconditioner}"
                count = len(one[1]) - 1
                self.compare(f"{what}, openmp", one, base, count)
                for ranks in sorted({min(n, self.args.max_ranks) for n in several[(solver, preconditioner)]}):
                    self.compare(f"{what}, {ranks} ranks", self.run(chosen, ranks=ranks), base, count)

    def same_bits(self, keys):
        """Threads, and backends of hosts, do not change a bit."""
        first = self.run(keys, "openmp")
        for backend, threads in (("openmp", 2), ("openmp", 3), ("serial", 1)):
            other = self.run(keys, backend, threads=threads)
            if first and other and not (numpy.array_equal(first[0], other[0]) and numpy.array_equal(first[1], other[1])):
                self.fail(f"{keys}: {threads} threads of {backend} give other bits than 1 of openmp")

    def backends(self, keys, listed):
        """Those that find what others hide: an order of their own, and memory that the host cannot access."""
        base = self.run(keys)
        for backend in ("serial:order=shuffled", "simt", "cuda", "hip"):
            if base and backend.split(":")[0] in listed:
                self.compare(f"{keys}, {backend}", self.run(keys, backend), base, len(base[1]) - 1)

    def flat(self, sizes, keys, tolerance="1e-8"):
        counts = []
        for n in sizes:
            result = self.run([f"nx={n}", *keys], "openmp", threads=2, tolerance=tolerance)
            counts.append(len(result[1]) - 1 if result else 0)
        if max(counts) > (1 + FLAT) * min(counts):
            self.fail(f"multigrid, {sizes} elements, {keys}: {counts} iterations, expected the same within {FLAT}")
        return counts

    def small(self):
        listed = backends_of(self.args.minife)
        few = {(s, p): (3,) if (s, p) in (("cg", "multigrid"), ("single-reduction", "none")) else ()
               for s in SOLVERS for p in OF_ANY_MESH}
        many = {**few, ("cg", "multigrid"): (3, 8), ("cg", "chebyshev"): (4,), ("single-reduction", "none"): (2,)}
        self.problem("original", SMALL["original"], many)
        self.problem("distorted", SMALL["distorted"], few)
        self.problem("hpcg", ["nx=16", "ny=8", "nz=24"], {("cg", "hpcg"): (8,), ("single-reduction", "hpcg"): (3,)}, ("hpcg",))
        self.problem("few elements", SMALL["few elements"], {**few, ("single-reduction", "multigrid"): (8,)})
        cases = [["nx=9", "ny=6", "nz=7", f"solver={solver}", "preconditioner=multigrid"] for solver in SOLVERS]
        cases += [["nx=8", "preconditioner=hpcg"]]
        for keys in cases:
            self.same_bits(keys)
            self.backends(keys, listed)
        self.overlap()
        for operator in OTHERS:
            keys = ["nx=7", "ny=6", "nz=11", "preconditioner=multigrid", f"operator={operator}"]
            base = self.run(keys[:-1])
            self.compare(f"{keys}, 3 ranks", self.run(keys, ranks=3), base, len(base[1]) - 1 if base else 0)
        self.flat((8, 16, 32), ["preconditioner=multigrid"])

    def overlap(self):
        """Exchange during products, with each form of the matrix; ranks cut along one, two and three dimensions."""
        keys = ["nx=9", "ny=7", "nz=12"]
        base = self.run(keys)
        if base is None:
            return
        for n, operator in enumerate(OPERATORS):
            ranks = (2, 3, 2, 8)[n % 4]
            chosen = keys + ["overlap=on", f"operator={operator}"]
            self.compare(f"{chosen}, {ranks} ranks", self.run(chosen, ranks=ranks), base, len(base[1]) - 1)
        keys = SMALL["distorted"]
        base = self.run(keys)
        chosen = keys + ["overlap=on", "operator=nodes"]
        self.compare(f"{chosen}, 3 ranks", self.run(chosen, ranks=3), base, len(base[1]) - 1 if base else 0)
        keys = ["nx=9", "ny=7", "nz=12"]
        for more in (["solver=single-reduction", "preconditioner=diagonal"], ["preconditioner=multigrid"]):
            one = self.run(keys + more)
            for backend in ("serial", "simt"):
                chosen = keys + more + ["overlap=on"]
                self.compare(f"{chosen}, {backend}", self.run(chosen, backend, ranks=2), one, len(one[1]) - 1 if one else 0)

    def full_ranks(self, n):
        """At 1e-12: each preconditioner on several ranks. At 1e-13: the preconditioners among each other. The error of a solution is
        the residual times the inverse of A, so at equal norms it differs with the direction of the residual."""
        base = self.run([f"nx={n}"], "openmp", threads=2, tolerance="1e-13")
        for solver in SOLVERS:
            for preconditioner in preconditioners(n):
                chosen = [f"nx={n}", f"solver={solver}", f"preconditioner={preconditioner}"]
                one = self.run(chosen, "openmp", threads=2)
                exact = self.run(chosen, "openmp", threads=2, tolerance="1e-13")
                if base is None or one is None or exact is None:
                    continue
                counts = [len(one[1]) - 1]
                self.compare(f"{chosen} to 1e-13", exact, base, len(exact[1]) - 1)
                worst = 0
                for ranks in (1, 2, 3, 4, 8):
                    many = self.run(chosen, ranks=ranks)
                    self.compare(f"{chosen}, {ranks} ranks", many, one, counts[0])
                    counts.append(len(many[1]) - 1 if many else 0)
                    worst = max(worst, numpy.abs(many[0] - one[0]).max()) if many else numpy.inf
                print(f"{n}: {solver:16} {preconditioner:10} iterations with 2 threads, on 1, 2, 3, 4, 8 ranks: "
                      f"{counts}, solutions differ by {worst:.1e}, to 1e-13 from others by "
                      f"{numpy.abs(exact[0] - base[0]).max():.1e}", flush=True)

    def against_csr(self, n, what, chosen, base, **options):
        """A run whose preconditioner is that of `base`."""
        other = self.run(chosen, **options)
        self.compare(f"{chosen}, {options}", other, base, len(base[1]) - 1)
        if other:
            print(f"{n}: {what:40} {len(other[1]) - 1} iterations, csr {len(base[1]) - 1}, solutions differ by "
                  f"{numpy.abs(other[0] - base[0]).max():.1e}", flush=True)

    def full_operators(self, n):
        """All operators with threads, with ranks and with overlap."""
        for preconditioner in ("none", "multigrid"):
            keys = [f"nx={n}", f"preconditioner={preconditioner}"]
            base = self.run(keys, "openmp", threads=2)
            if base is None:
                continue
            for operator in OTHERS:
                chosen = keys + [f"operator={operator}"]
                self.against_csr(n, f"{operator}, {preconditioner}", chosen, base, backend="openmp", threads=2)
            for operator in OPERATORS if preconditioner == "none" else ():
                chosen = keys + [f"operator={operator}", "overlap=on"]
                self.against_csr(n, f"{operator}, overlap, 2 ranks", chosen, base, ranks=2)

    def full_backends(self, n, cases=(("serial:order=shuffled", "csr"), ("cuda", "csr"), ("hip", "csr"),
                                      ("simt", "symmetric"), ("simt", "uniform"), ("simt", "nodes"))):
        """An order of its own, and devices: the same solution."""
        listed = backends_of(self.args.minife)
        for preconditioner in ("none", "multigrid"):
            keys = [f"nx={n}", f"preconditioner={preconditioner}"]
            base = self.run(keys, "openmp", threads=2)
            for backend, operator in cases:
                if base and backend.split(":")[0] in listed:
                    self.against_csr(n, f"{backend}, {operator}, {preconditioner}", keys + [f"operator={operator}"], base,
                                     backend=backend)

    def full_simt(self, n):
        """csr's lanes are threads of simt, which wait for each other at every row: 40 minutes for 100 elements along each side."""
        self.full_backends(n, (("simt", "csr"),))

    def full_threads(self, n):
        """Any number of threads: the same bits."""
        for preconditioner in ("none", "multigrid"):
            self.same_bits([f"nx={n}", f"preconditioner={preconditioner}"])

    def full(self):
        parts = self.args.full or [part for part in PARTS if part != "simt"]
        for n in self.args.sizes:
            for part in parts:
                if part != "flat":
                    getattr(self, f"full_{part}")(n)
        if "flat" in parts:
            print("multigrid, 32, 64, 100, 128:", self.flat((32, 64, 100, 128), ["preconditioner=multigrid"], "1e-12"))


def main():
    parser = options_of("minife")
    parser.add_argument("--full", nargs="*", choices=PARTS)
    parser.add_argument("--sizes", nargs="+", type=int, default=[64, 100], help="elements along each side, for --full")
    parser.add_argument("--max-ranks", type=int, default=8, help="runs on more use so many")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(args, folder)
        tests.small() if args.full is None else tests.full()
        return 0 if tests.good else 1


if __name__ == "__main__":
    sys.exit(main())

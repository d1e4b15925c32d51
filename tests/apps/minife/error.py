#!/usr/bin/env python3
"""miniFE's manufactured problem: the error falls with the square of the elements' size.

From 16 to 32 elements along each side the L2 error and the largest error at a node must fall by a factor of 3.85 to 4.15, and from 8
to 16 by 3.6 to 4.2: the error is C h^2 plus terms of higher order, which still show on 8 elements. On backends but simt, on uniform and
distorted meshes, with every preconditioner, with both ways of assembly (each on one backend at least). On several ranks and on simt the errors must be those of serial on one rank but for rounding, 1e-9 relative
(the solver stops at 1e-11 of a residual of about 10).

usage: error.py --minife PROGRAM --mpiexec WORD...
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, on_ranks, options_of

ROUNDING = 1e-9


def errors(args, n, mesh, backend, ranks=1, extra=()):
    """(L2, largest), or None."""
    command = on_ranks(args.mpiexec, ranks, [args.minife, f"nx={n}", "problem=manufactured", f"mesh={mesh}", "max_iterations=2000",
                                             "tolerance=1e-11", f"--backend={backend}", *extra])
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r"^error: L2 (\S+), largest at a node (\S+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return None
    return tuple(map(float, found.groups()))


def falls(args, mesh, backend, sizes, extra):
    good, before = True, None
    for n in sizes:
        now = errors(args, n, mesh, backend, extra=extra)
        if now is None:
            return False
        low, high = (3.85, 4.15) if n > 16 else (3.6, 4.2)
        for what, i in (("L2", 0), ("largest", 1)):
            if before and not low <= before[i] / now[i] <= high:
                print(f"{mesh}, {backend}, {n} elements: the {what} error fell by {before[i] / now[i]:.3f}, "
                      f"expected {low} to {high}")
                good = False
        before = now
    return good


def others_agree(args, mesh):
    one = errors(args, 12, mesh, "serial")
    good = one is not None
    for backend, ranks in (("serial", 2), ("serial", 3), ("simt", 1)):
        many = errors(args, 12, mesh, backend, ranks)
        if not (one and many) or any(abs(a - b) > ROUNDING * abs(b) for a, b in zip(many, one)):
            print(f"{mesh}, {backend}, {ranks} ranks: errors {many}, on one rank {one}")
            good = False
    return good


def main():
    args = options_of("minife", verify=False).parse_args()
    listed = backends_of(args.minife)
    good = falls(args, "uniform", "openmp", (8, 16, 32), ())
    for backend in ("serial", "openmp", "cuda", "hip"):
        if backend in listed:
            good &= falls(args, "distorted", backend, (8, 16, 32), ())
    good &= falls(args, "distorted", "openmp", (16, 32), ("assembly=atomics",))
    for solver in ("cg", "single-reduction"):
        for preconditioner in ("diagonal", "chebyshev", "multigrid"):
            for mesh in ("uniform", "distorted"):
                extra = (f"solver={solver}", f"preconditioner={preconditioner}")
                good &= falls(args, mesh, "openmp", (8, 16, 32) if solver == "cg" else (8, 16), extra)
    good &= others_agree(args, "distorted")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

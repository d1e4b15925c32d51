#!/usr/bin/env python3
"""Every solver and preconditioner of tealeaf: the same temperature as conjugate gradients, on several ranks, backends and halo depths.

The deck is a crooked pipe in 2-D or in 3-D; it is run on a mesh of other cells.

usage: solvers.py TEALEAF MINX_VERIFY DECK MPIEXEC...
"""
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import on_ranks

failures = 0
# keys of the solver, ranks, backend, further keys, most iterations of a step
RUNS = [
    ("tl_use_cg tl_preconditioner_type jac_diag", 1, "openmp", [], 120),
    ("tl_use_cg tl_preconditioner_type jac_diag", 3, "serial", [], 120),
    ("tl_use_cg tl_preconditioner_type jac_block", 1, "simt", [], 120),
    # blocks end at the edge of a rank's cells, so another number of ranks has another preconditioner
    ("tl_use_cg tl_preconditioner_type jac_block", 4, "serial", [], 120),
    # without an exchange of halos these were wrong in one of the originals on several ranks
    ("tl_use_jacobi", 1, "openmp", [], 3000),
    ("tl_use_jacobi", 4, "serial", [], 3000),
    ("tl_use_chebyshev", 1, "simt", [], 400),
    ("tl_use_chebyshev", 4, "serial", [], 400),
    ("tl_use_chebyshev tl_preconditioner_type jac_diag", 2, "serial:order=shuffled", [], 400),
    ("tl_use_chebyshev", 1, "serial", ["tl_ch_cg_epslim=1e-3", "tl_ch_cg_presteps=10"], 400),
    ("tl_use_ppcg", 1, "openmp", [], 60),
    ("tl_use_ppcg", 4, "serial", ["halo_depth=1"], 60),
    ("tl_use_ppcg", 4, "serial", ["halo_depth=2"], 60),
    ("tl_use_ppcg", 4, "serial", ["halo_depth=3", "tl_ppcg_inner_steps=7"], 80),
    ("tl_use_ppcg", 2, "simt", ["halo_depth=4", "tl_ppcg_inner_steps=9"], 80),
    ("tl_use_ppcg tl_preconditioner_type jac_diag", 3, "serial", ["halo_depth=4"], 60),
    ("tl_use_ppcg", 1, "serial", ["tl_ppcg_inner_steps=0"], 200),
    ("tl_use_cg tl_preconditioner_type multigrid", 1, "openmp", ["tl_multigrid_smoothing_steps=1"], 20),
    ("tl_use_cg tl_preconditioner_type multigrid", 4, "serial", [], 14),
    ("tl_use_cg tl_preconditioner_type multigrid", 3, "simt", ["tl_multigrid_smoothing_steps=1"], 20),
    ("tl_use_cg tl_preconditioner_type multigrid", 1, "serial:order=shuffled", ["tl_multigrid_smoothing_steps=3"], 11),
    # several steps in one sweep over the cells: by bands of two threads, with the diagonal, with halos of several depths
    ("tl_use_chebyshev", 1, "openmp:threads=2", [], 400),
    ("tl_use_chebyshev", 4, "serial", ["halo_depth=3"], 400),
    ("tl_use_chebyshev tl_preconditioner_type jac_diag", 2, "openmp:threads=2", ["halo_depth=4"], 400),
    ("tl_use_jacobi", 2, "serial", ["halo_depth=2"], 3000),
    ("tl_use_ppcg tl_preconditioner_type jac_diag", 1, "openmp:threads=2", ["tl_ppcg_inner_steps=13"], 60),
    ("tl_use_ppcg", 2, "serial", ["halo_depth=17", "tl_ppcg_inner_steps=33"], 60),
    # deflated CG: coarse cells that end at the edges of a rank's cells, and that do not
    ("tl_use_dpcg", 1, "serial", [], 54),
    ("tl_use_dpcg", 4, "serial", ["tiles_per_problem=7"], 56),
    ("tl_use_dpcg tl_preconditioner_type jac_diag", 1, "simt", [], 46),
    ("tl_use_dpcg tl_preconditioner_type jac_diag", 2, "serial:order=shuffled", [], 46),
    ("tl_use_dpcg tl_preconditioner_type jac_diag", 4, "serial", [], 46),
    ("tl_use_dpcg tl_preconditioner_type jac_diag", 3, "simt", ["tiles_per_task=3", "sub_tiles_per_tile=5"], 48),
    ("tl_use_dpcg tl_preconditioner_type jac_block", 2, "openmp", [], 40),
    ("tl_use_dpcg reflective_boundary tl_preconditioner_type jac_diag", 1, "openmp", ["tiles_per_problem=1"], 120),
    # another diagonal, the same solution
    ("tl_use_jacobi reflective_boundary", 3, "openmp", [], 3000),
    ("tl_use_cg reflective_boundary tl_preconditioner_type jac_diag", 2, "serial", [], 120),
    ("tl_use_cg reflective_boundary tl_preconditioner_type jac_block", 1, "simt", [], 120),
]


MESH = ["x_cells=60", "y_cells=52", "end_step=2"]
# the time step is that of test problem 4, with which the solvers need more iterations
MESH_3D = ["x_cells=22", "y_cells=18", "z_cells=14", "end_step=2", "initial_timestep=0.04"]
# what replaces a key in 3-D: two ranks have 11 columns each
MORE_3D = {"halo_depth=17": "halo_depth=11"}
# Deflation takes long on simt in 3-D, where the run on three ranks has the same kernels.
NOT_3D = ("tl_use_dpcg tl_preconditioner_type jac_diag", 1, "simt")
# maximum of the iterations of a step in 3-D, by a word of the keys
MAX_3D = {
    "dpcg reflective": 56,
    "dpcg tl_pre": 46,
    "dpcg": 64,
    "multigrid": 24,
    "jac_block": 48,
    "jacobi": 200,
    "chebyshev": 110,
    "ppcg": 30,
    "cg": 56,
}


def max_in_3d(keys, more):
    if "tl_ppcg_inner_steps=0" in more:
        return 65 # conjugate gradients
    return next(count for word, count in MAX_3D.items() if word in keys)

# The first iteration leaves only rounding errors here, so that beta of a pass must not be computed from them: residuals then grew without end.
SMALL = """*tea
 state 1 density=1 energy=1
 state 2 density=3 energy=7 geometry=rectangle xmin=0 xmax=4.9 ymin=0 ymax=10
 x_cells=2 y_cells=2 xmin=0 xmax=10 ymin=0 ymax=10
 initial_timestep=1e-3 end_step=3
 tl_use_cg tl_eps=1e-20
*endtea
"""

# Odd numbers of cells, a jump of the conductivity and a hot last column: multigrid needed more than 1000 iterations of a step, because hosts
# took the correction of the wrong coarse cell there.
ODD = """*tea
 state 1 density=100 energy=1
 state 2 density=0.01 energy=7 geometry=rectangle xmin=5 xmax=10 ymin=0 ymax=4 zmin=0 zmax=10
 state 3 density=1 energy=70 geometry=rectangle xmin=9.5 xmax=10 ymin=0 ymax=10 zmin=3 zmax=10
 xmin=0 xmax=10 ymin=0 ymax=10 zmin=0 zmax=10
 x_cells=31 y_cells=71 z_cells=15
 initial_timestep=1 end_step=2
 tl_use_cg tl_preconditioner_type multigrid tl_eps=1e-14
*endtea
"""
# smoothing steps, ranks, most iterations
ODD_RUNS = [(1, 1, 52), (2, 1, 27), (2, 4, 27), (3, 1, 20)]

# Ill-conditioned: a pass of 2-D must compute beta well enough to need about as many iterations as the three kernels of 3-D. The mesh
# of one plane has the same matrix. The passes need 7 % more; with beta from w.w and p.w they would need a third more. The number varies
# by some percent with the order of sums.
STRIPES = """*tea
 state 1 density=1 energy=1
%s
 x_cells=40 y_cells=3 xmin=0 xmax=10 ymin=0 ymax=10
 initial_timestep=1e6 end_step=1
 tl_use_cg tl_eps=1e-15 tl_max_iters=10000
*endtea
"""
STRIPE = " state %d density=%g energy=%g geometry=%s xmin=%g xmax=%g ymin=%g ymax=%g"
PLATES = [
    (1.78e+06, 0.362, 2.14, 3.37, 2.59, 6),
    (0.872, 9.58, 7.54, 8.28, 1.64, 6.62),
    (1.11, 13.5, 5.75, 6.31, 4.44, 8.92),
    (0.115, 9.51, 0.576, 2.17, 4.14, 6.34),
    (0.617, 8.95, 6.47, 8.26, 5, 9.68),
    (0.272, 8.78, 8.42, 10, 0.682, 2.23),
    (0.503, 11.7, 5.64, 6.45, 3.55, 6.09),
    (9.59, 3.35, 8.14, 9.6, 6.5, 10),
    (2.68e+06, 16.6, 7.75, 9.69, 6.33, 9.61),
    (9.54e+06, 16, 5.16, 5.95, 0.444, 4.86),
    (5.57e+06, 12.3, 3.69, 4.25, 2.06, 6.13),
    (9.15, 20, 0.404, 1.93, 2.32, 6.84),
]
PLANE = " z_cells=1 zmin=0 zmax=1"


def stripes(geometry, more):
    lines = [STRIPE % (n + 2, density, energy, geometry, *sides) + more for n, (density, energy, *sides) in enumerate(PLATES)]
    return STRIPES % "\n".join(lines)


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + text)


def run(command, folder, codes=(0,)):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=800)
    check(done.returncode in codes, f"{' '.join(command)[-300:]}: exit code {done.returncode}\n{done.stdout[-800:]}{done.stderr[-800:]}")
    return done.stdout


def iterations(text):
    return [int(line.split()[2]) for line in text.splitlines() if line.startswith(" Iteration count")]


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(text)


def deflation(tealeaf, folder, text, mesh):
    """What is wrong with deflated CG and its keys in the reference and its branches."""
    write(folder, "dpcg.in", text.replace("tl_use_cg", "tl_use_dpcg"))
    command = [tealeaf, "dpcg.in", "--backend=serial"] + mesh
    # sub-tiles change two printed numbers there, and are no coarse cells
    out = run(command + ["tiles_per_problem=4", "sub_tiles_per_tile=9"], folder)
    check(" deflated by 36 coarse cells, " in out, f"4 tiles of 9 sub-tiles: {out[:600]}")
    # times per cell are divided by another number of cells, made of tiles and sub-tiles
    cells = math.prod(int(word.split("=")[1]) for word in mesh if "_cells=" in word)
    wall = [float(x) for x in re.findall(r"^ Wall clock +(\S+)$", out, re.M)]
    each = [float(x) for x in re.findall(r"^ Average time per cell (\S+)$", out, re.M)]
    # each line has one number of the clock with 6 decimals, divided or not
    good = len(each) == 2 and all(abs(a * cells * (s + 1) - w) <= 2e-6 + 1e-5 * w for s, (a, w) in enumerate(zip(each, wall)))
    check(good, f"times per cell {each} of {cells} cells after {wall} s")
    # the coarse system is solved by CG, whose tolerance and iterations limit the whole
    counts = iterations(out)
    write(folder, "dpcg.in", text.replace("tl_use_cg", "tl_use_dpcg\ncoarse_solve_eps 0.5\ncoarse_solve_max_iters 1"))
    others = iterations(run(command + ["tiles_per_problem=36"], folder))
    check(counts == others, f"with coarse_solve_eps and coarse_solve_max_iters: iterations {others}, expected {counts}")
    # rounding errors in what the coarse cells should not see any more: step 2 ended in overflow when they were left
    if "z_cells" not in text:
        counts = iterations(run([tealeaf, "dpcg.in", "--backend=serial", "x_cells=250", "y_cells=250", "end_step=2"], folder))
        check(len(counts) == 2 and max(counts) <= 235, f"250 x 250 cells: iterations {counts}, expected at most 235")
    # a coarse cell for each cell: the start has the solution
    tiny = ["x_cells=6", "y_cells=5", "tiles_per_problem=30"] + (["z_cells=1"] if "z_cells=14" in mesh else [])
    counts = iterations(run([tealeaf, "dpcg.in", "--backend=serial", "end_step=3"] + tiny, folder))
    check(len(counts) == 3 and max(counts) <= 2, f"a coarse cell for each cell: iterations {counts}, expected 1 or 2")
    # then p.P A p is rounding errors only: alpha from them made the residual infinite
    for backend in ("serial", "simt"):
        counts = iterations(run([tealeaf, "dpcg.in", "--backend=" + backend, "end_step=3", "tl_eps=1e-30"] + tiny, folder))
        check(len(counts) == 3 and max(counts) <= 3, f"the same to 1e-30, {backend}: iterations {counts}, expected at most 3")


def odd_sizes(tealeaf, mpiexec, folder, solid):
    text = ODD.replace("rectangle", "cuboid") if solid else re.sub(r" z\w+=\w+", "", ODD)
    write(folder, "odd.in", text)
    mesh = [] if solid else ["x_cells=127", "y_cells=81"]
    for steps, ranks, most in ODD_RUNS:
        command = [tealeaf, "odd.in", "--backend=serial", f"tl_multigrid_smoothing_steps={steps}"] + mesh
        counts = iterations(run(on_ranks(mpiexec, ranks, command), folder))
        check(len(counts) == 2 and max(counts) <= most, f"odd sizes, {steps} smoothing steps, {ranks} ranks: iterations {counts}, expected at most {most}")


def compare_temperatures(verify, one, other, folder, text):
    # the file's own tolerance for temperatures: 1e-11 of the largest one
    compared = subprocess.run([verify, one, other], cwd=folder, capture_output=True, text=True, timeout=800).stdout
    lines = [line for line in compared.splitlines() if " /fields/temperature " in line]
    check(len(lines) == 1 and "PASS" in lines[0], f"{text}: {lines}")


def large_3d(tealeaf, verify, mpiexec, folder):
    """On devices an item of conjugate gradients goes over one sheet of cells, but over two where a rank has so many cells."""
    command = [tealeaf, "cg.in", "x_cells=67", "y_cells=64", "z_cells=64", "end_step=1", "tl_max_iters=5"]
    run(command + ["--backend=openmp", "--output=host.h5"], folder)
    run(mpiexec + ["-n", "2"] + command + ["--backend=simt", "--output=device.h5"], folder)
    compare_temperatures(verify, "device.h5", "host.h5", folder, "5 iterations by 2 ranks on a device and on a host")


def main():
    tealeaf, verify, deck, mpiexec = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with open(deck, encoding="ascii") as file:
        text = re.sub(r"test_problem \d", "", file.read())
    solid = "z_cells" in text
    with tempfile.TemporaryDirectory() as folder:
        mesh = MESH_3D if solid else MESH
        write(folder, "cg.in", text)
        run([tealeaf, "cg.in", "--backend=serial", "--output=cg.h5"] + mesh, folder)
        for number, (keys, ranks, backend, more, most) in enumerate(RUNS):
            if solid and (keys, ranks, backend) == NOT_3D:
                continue
            name = f"other_{number}"
            more = [MORE_3D.get(key, key) for key in more] if solid else more
            write(folder, name + ".in", text.replace("tl_use_cg", keys.replace(" tl_pre", "\ntl_pre")))
            command = [tealeaf, name + ".in", "--backend=" + backend] + mesh + more + [f"--output={name}.h5"]
            out = run(on_ranks(mpiexec, ranks, command), folder)
            counts = iterations(out)
            most = max_in_3d(keys, more) if solid else most
            check(len(counts) == 2 and max(counts) <= most, f"{keys} {more}: iterations {counts}, expected at most {most}")
            run([verify, "--quiet", name + ".h5"], folder)
            compare_temperatures(verify, name + ".h5", "cg.h5", folder, f"{keys} {more}: against CG")
        deflation(tealeaf, folder, text, mesh)
        odd_sizes(tealeaf, mpiexec, folder, solid)
        if solid:
            large_3d(tealeaf, verify, mpiexec, folder)
        write(folder, "small.in", SMALL)
        for backend in ("serial", "simt"):
            counts = iterations(run([tealeaf, "small.in", "--backend=" + backend], folder))
            # each reduces the residual a thousandfold or more: the matrix differs from 1 by 1e-4
            check(len(counts) == 3 and max(counts) <= 8, f"small mesh, {backend}: iterations {counts}, expected at most 8")
        write(folder, "stripes.in", stripes("rectangle", ""))
        write(folder, "plane.in", stripes("cuboid", " zmin=0 zmax=1").replace(" x_cells", PLANE + " x_cells"))
        # their energy is right to 4e-10 only, more than the program's own check allows
        in_passes, in_kernels = (iterations(run([tealeaf, name, "--backend=serial"], folder, (0, 1)))[0] for name in ("stripes.in", "plane.in"))
        check(in_passes <= 1.2 * in_kernels, f"stripes: {in_passes} iterations in passes, {in_kernels} in three kernels, expected at most 1.2 times as many")
        # the larger diagonal makes Jacobi's steps smaller at the boundary, where the hot end of the pipe is
        write(folder, "mirrors.in", text.replace("tl_use_cg", "tl_use_jacobi"))
        left = []
        for more in ([], ["--reflective_boundary"]):
            out = run([tealeaf, "mirrors.in", "--backend=serial", "tl_max_iters=100"] + mesh + more, folder)
            left.append(float(re.search(r"Conduction error +(\S+)", out).group(1)))
        check(left[1] > left[0], f"100 steps of Jacobi without and with reflective_boundary leave {left}, expected more with it")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Other codes that distributions package, for the problems of the apps. A row of RIVALS has all that tells one from another: its package,
how its program is found or built, how its input is written from what a run of minx has stored, and how its answer and time are read.

The solvers of hypre and PETSc are small programs (../rivals), which make the system themselves, from its formulas."""
from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import CANNOT, MISTAKE, Ends, Text
from .launch import last_line, start
from .machine import TOOLS
from .originals import NUMBER, PRINTED, Reading, need, number

ALIKE = 1e-9  # sums in another order, before anything is solved
# What minx and rivals time
TIMED = {"minimd": "the time steps, without set-up", "minife": "set-up of the preconditioner and the iterations, without the matrix",
         "tealeaf": "the iterations of the first step, without set-up"}
# Options of minx that make the same problem of it, unless the user names these keys
OPTIONS = {"minimd": [],
           "minife": ["nx=100", "preconditioner=multigrid", "relative_tolerance=1e-10", "max_iterations=1000"],
           "tealeaf": ["end_step=1", "test_problem=0", "tl_preconditioner_type=multigrid", "tl_eps=1e-10"]}
COMPILE_TIMEOUT = 600
STEPS = re.compile(r"(--)?n?steps=|-n=")  # the number of steps of miniMD, in one word
STEPS_WORDS = ("-n", "--steps", "--nsteps")  # with a word for the number


def options(app, given):
    """The options of minx: those of the user, and those of the problem that he did not give."""
    keys = {re.split("[=:]", word.lstrip("-"))[0] for word in given}
    return [word for word in OPTIONS[app] if word.split("=")[0] not in keys]


def of_start(arguments):
    """The arguments of a run of miniMD that does no step."""
    words = list(arguments)
    for name in STEPS_WORDS:
        while name in words:
            place = words.index(name)
            del words[place:place + 2]
    return [word for word in words if not STEPS.match(word)] + ["steps=0"]


# ---- what a run of minx stored ----


def results_of(folder):
    import h5py

    return h5py.File(folder / "results.h5", "r")


def value(file, key):
    found = file["input"][key][()]
    return found.decode() if isinstance(found, bytes) else found


def require(file, rival, **expected):
    """The rival solves some of the problems only."""
    for key, good in expected.items():
        got = value(file, key) if key in file["input"] else None
        if got != good:
            raise Ends(MISTAKE, f"{rival}: got a problem with {key} {got!r}, expected {good!r}")


# ---- programs ----


class Missing(Exception):
    """What is not on this machine."""


def found_lammps(_folder):
    return shutil.which("lmp") or shutil.which("lammps") or lacks("no program lmp on PATH")


def lacks(what):
    raise Missing(what)


def pkg_config(name):
    command = ["pkg-config", "--cflags", "--libs", name]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return []


def built(name, flags):
    """A function that compiles the program of a library with MPI's compiler."""
    def build(folder):
        log = folder / f"{name}.log"
        compiler = os.environ.get("MPICC", "").split() or ["mpicc"]
        path = shutil.which(compiler[0])
        if not path:
            lacks(f"no compiler {compiler[0]} (MPICC names another one)")
        sources = [str(TOOLS / "rivals" / f"{one}.c") for one in ("main", name)]
        command = [os.path.abspath(path), *compiler[1:], "-O3", "-march=native", *sources, "-o", str(folder / name), *flags(), "-lm"]
        code, late = start(command, log, COMPILE_TIMEOUT, os.environ, folder)
        if late:
            lacks(f"no {name} that compiles within {COMPILE_TIMEOUT} s")
        return str(folder / name) if code == 0 else lacks(f"no {name} that compiles ({last_line(log)}; see {log})")

    return build


HYPRE = built("hypre", lambda: ["-I/usr/include/hypre", "-lHYPRE"])
PETSC = built("petsc", lambda: pkg_config("petsc") or pkg_config("PETSc") or ["-lpetsc"])


# ---- molecular dynamics: the input of LAMMPS, and the atoms of minx at step 0 ----

LAMMPS = """units {units}
atom_style atomic
read_data atoms.data
{pair}
neighbor {skin:.17g} bin
neigh_modify delay 0 every {every} check {check}
timestep {dt:.17g}
fix 1 all nve
thermo_style custom step temp pe press
thermo_modify norm yes format float %.15g
thermo {thermo}
run {steps}
"""


def write_atoms(file, path):
    """Box, masses, positions and velocities as a LAMMPS data file."""
    fields = file["fields"]
    box, ids, types = fields["box"][...], fields["id"][...], fields["type"][...]
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"atoms of minx\n\n{len(ids)} atoms\n1 atom types\n")
        for axis, name in enumerate("xyz"):
            out.write(f"{box[0][axis]:.17g} {box[0][axis] + box[1][axis]:.17g} {name}lo {name}hi\n")
        out.write(f"\nMasses\n\n1 {fields['type_mass'][0]:.17g}\n\nAtoms # atomic\n\n")
        out.writelines(f"{one} {kind} {x:.17g} {y:.17g} {z:.17g}\n" for one, kind, (x, y, z) in zip(ids, types, fields["position"][...]))
        out.write("\nVelocities\n\n")
        out.writelines(f"{one} {x:.17g} {y:.17g} {z:.17g}\n" for one, (x, y, z) in zip(ids, fields["velocity"][...]))


def lammps_pair(file, folder):
    """The lines of the force; a potential goes to a file."""
    if value(file, "force") == "lj":
        epsilon, sigma, cutoff = file["fields/pair_coefficients"][0]
        return f"pair_style lj/cut {cutoff:.17g}\npair_coeff 1 1 {epsilon:.17g} {sigma:.17g}"
    text = file["files/potential"][()].decode()
    if re.match(r"\s*\d+\s+[A-Za-z]", text.split("\n")[3]):
        raise Ends(MISTAKE, "lammps: got a potential in the form setfl, expected one in the form funcfl")
    (folder / "potential.eam").write_text(text)
    return "pair_style eam\npair_coeff 1 1 potential.eam"


def write_lammps(minx, folder):
    with results_of(minx) as file, results_of(minx.with_name("start")) as start:
        require(file, "lammps", ntypes=1, shift="none")
        write_atoms(start, folder / "atoms.data")
        check = "yes" if value(file, "neigh_check") else "no"
        text = LAMMPS.format(pair=lammps_pair(file, folder), check=check,
                             **{key: value(file, key) for key in ("units", "skin", "every", "dt", "thermo", "steps")})
    (folder / "input").write_text(text)
    return ["-in", "input", "-log", "none", "-suffix", "opt"]


def read_lammps(output, _folder, _minx):
    """The rows `Step Temp PotEng Press` and the line `Loop time of`."""
    rows = need(re.findall(rf"^\s*(\d+)\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s*$", output, re.MULTILINE), "row of Step, Temp, PotEng and Press")
    seconds = need(re.findall(rf"^Loop time of {NUMBER} ", output, re.MULTILINE), "line 'Loop time of'")[-1]
    return motion(number(seconds), [tuple(map(number, row)) for row in rows])


def read_minimd(summary, file):
    series = [file["series"][name][...] for name in ("step", "temperature", "potential_energy", "pressure")]
    return motion(summary["regions"]["solve"]["seconds"], [tuple(map(float, row)) for row in zip(*series)])


def motion(seconds, rows):
    """Step, T, U and P of the first and the last row. Roundings grow with the steps."""
    answer = {"step, last row": (rows[-1][0], 0.0, 0.0)}
    for column, name in enumerate(("T", "U", "P"), 1):
        scale = max(abs(row[column]) for row in rows)
        answer[f"{name}, first row"] = (rows[0][column], PRINTED, scale)
        answer[f"{name}, last row"] = (rows[-1][column], PRINTED, scale)
    return Reading(seconds, answer)


# ---- linear systems: the programs in ../rivals, and the fields of minx ----


def minife_words(file, rival):
    require(file, rival, problem="original", mesh="uniform")
    return ["minife", *(str(value(file, key)) for key in ("nx", "ny", "nz")), repr(float(value(file, "relative_tolerance"))), "solution"]


def tealeaf_words(file, rival, folder):
    import numpy

    require(file, rival, dialect="reference", steps=1)
    density, start = file["fields/density"][...], file["fields/temperature_start"][...]
    if density.ndim != 2:
        raise Ends(MISTAKE, f"{rival}: got a mesh in 3-D, expected one in 2-D")
    weight = density if value(file, "coefficient") == "density" else 1 / density
    numpy.concatenate([weight.ravel(), start.ravel()]).tofile(folder / "state")
    shares = [value(file, "initial_timestep") / side**2 for side in file["fields/density"].attrs["spacing"][::-1]]
    return ["tealeaf", *(str(n) for n in density.shape[::-1]), *(repr(float(share)) for share in shares), repr(float(value(file, "eps"))),
            "solution", "state"]


def solver(rival):
    """A function that writes the input of the programs in ../rivals, and returns their arguments; the first is the method."""
    def write(minx, folder):
        with results_of(minx) as file:
            words = minife_words(file, rival) if "nx" in file["input"] else tealeaf_words(file, rival, folder)
            return [rival.split("-")[1], *words]

    return write


def read_solver(output, folder, minx):
    import numpy

    def line(name):
        return number(need(re.findall(rf"^{name} {NUMBER}$", output, re.MULTILINE), f"line '{name}'")[0])

    with results_of(minx) as file:
        shape = (file["fields/solution"] if "solution" in file["fields"] else file["fields/density"]).shape
        solution = numpy.fromfile(folder / "solution").reshape(shape)
        of_system = solution_of(file, solution, line("first residual"))
        seconds = line("seconds of solve") + (line("seconds of set-up") if solution.ndim == 3 else 0)
    return Reading(seconds, of_system)


def read_system(summary, file):
    regions = summary["regions"]
    seconds = regions["solve"]["seconds"] + regions.get("preconditioner", {"seconds": 0})["seconds"]
    minife = "solution" in file["fields"]
    solution = file["fields/solution" if minife else "fields/temperature"][...]
    return Reading(seconds, solution_of(file, solution, file["series/residual" if minife else "series/cg_residual"][0]))


def solution_of(file, solution, residual):
    """Numbers that another solution would not have. Solvers stop at equal residuals, where solutions still differ by the condition of the
    system times the tolerance: it grows with the square of the number of cells along a side; for 100 of miniFE it is some 300."""
    tolerance = max(10, max(solution.shape) ** 2 / 10) * float(value(file, "relative_tolerance" if "nx" in file["input"] else "eps"))
    middle = float(solution[tuple(n // 2 for n in solution.shape)])
    answer = {"initial residual": (float(residual), ALIKE, 0.0),
              "norm of the solution": (float((solution**2).sum() ** 0.5), tolerance, 0.0),
              "middle of the solution": (middle, tolerance, float(abs(solution).max()))}
    if "density" in file["fields"]:
        density = file["fields/density"]
        sides = density.attrs["spacing"]
        answer["U"] = (float((density[...] * solution).sum() * sides[0] * sides[1]), tolerance, 0.0)
    return answer


MINX = {"minimd": read_minimd, "minife": read_system, "tealeaf": read_system}


def read_minx(app, folder, summary):
    with results_of(folder) as file:
        return MINX[app](summary, file)


# ---- the table ----


@dataclasses.dataclass
class Rival:
    apps: tuple
    package: str  # of Debian
    program: object  # folder -> path of the program; raises Missing
    write: object  # folder of minx's first run, folder of the rival -> arguments of the program
    read: object  # output, folder of the rival, folder of minx's run -> Reading


SYSTEMS = ("minife", "tealeaf")
RIVALS = {
    "lammps": Rival(("minimd",), "lammps", found_lammps, write_lammps, read_lammps),
    "hypre-pfmg": Rival(SYSTEMS, "libhypre-dev", HYPRE, solver("hypre-pfmg"), read_solver),
    "hypre-boomeramg": Rival(SYSTEMS, "libhypre-dev", HYPRE, solver("hypre-boomeramg"), read_solver),
    "petsc-gamg": Rival(SYSTEMS, "libpetsc-real-dev", PETSC, solver("petsc-gamg"), read_solver),
}


def check(names, app, threads, mistakes):
    for name in names:
        if app not in RIVALS[name].apps:
            mistakes.add("versus", name, f"a rival of {app}: " + ", ".join(one for one, rival in RIVALS.items() if app in rival.apps))
    if threads > 1:
        mistakes.add("--threads", threads, "1: rivals have ranks and no threads, so name as many cores by --ranks")


def programs(names, folder, mistakes):
    """The program of each rival, found or built."""
    known, found = {}, {}
    for name in names:
        rival = RIVALS[name]
        try:
            found[name] = known[rival.program] = known.get(rival.program) or rival.program(folder)
        except Missing as why:
            mistakes.add(name, Text(str(why)), f"Debian's package {rival.package}", CANNOT)
    return found

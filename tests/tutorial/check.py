#!/usr/bin/env python3
"""Checks the lessons of tutorial/: pages, solutions and start files agree.

    check.py pages PROGRAM BACKEND [LESSON...]     PROGRAM has all solutions: PROGRAM solution01 serial
    check.py gaps LIBRARY COMPILER [LESSON...]     compiles start files as C for hosts; libminx, and a compiler, both with options
    check.py checked PROGRAM LESSON                PROGRAM is the start file of the lesson, in a build that checks indices and races
    check.py each LIBRARY COMPILER [LESSON...]     the same, and each gap alone: takes longer, no test of ctest

pages: a page shows what a program prints in a block

    ```console
    $ build/solution01 serial
    what it prints, on stdout and then on stderr
    ```

A block whose backend is serial must hold for every backend; another one is run where it names the backend.

gaps: start.c and solution.c are the same outside of their gaps, which are the lines between `GAP n:` and `END n`. With all gaps open
the program ends with 1, and its message names an open gap. `each` also tries it with each gap open and the others filled. Where a page
shows what the program prints, it must print that:

    $ build/lesson02 serial     (all gaps open)        $ build/lesson02 serial  # gaps 1 to 3 filled

checked: what the page shows behind `$ build-bounds/lesson08 BACKEND`, on each backend of hosts. The folder of a file is `...`.

LESSON: 01, 02 and so on; default: all.

Exit codes: 0, 1 (failed, with the differences), 77 (there is no such device).
"""
import difflib
import re
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "tutorial"
BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", re.M)
GAP = re.compile(r"(^ */\* GAP (\d+): .*?\*/\n)(.*?)(^ */\* END \2 \*/\n)", re.M | re.S)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def difference(title, expected, got):
    lines = difflib.unified_diff(expected.splitlines(), got.splitlines(), "the page", "the program", lineterm="")
    return f"{title}\n" + "\n".join(lines)


def lessons(numbers):
    found = sorted(COURSE.glob("[0-9][0-9]-*"))
    return [f for f in found if not numbers or f.name[:2] in numbers]


def stands_alone(folder):
    """It needs no more than the core and the kit."""
    return not (folder / "CMakeLists.txt").exists()


def check_page(folder, program, backend):
    number, faults, ran = folder.name[:2], [], 0
    page = (folder / "README.md").read_text()
    for command, expected in BLOCK.findall(page):
        words = shlex.split(command)
        if words[0] != f"build/solution{number}":
            continue
        if words[1] not in (backend, "serial"):
            continue
        ran += 1
        code, got = run([program, f"solution{number}", backend, *words[2:]])
        if code != 0 or got != expected:
            faults.append(difference(f"{folder.name}: {' '.join(words[1:])} on {backend}: exit code {code}", expected, got))
    return faults if ran else [f"{folder.name}: the page shows no output of build/solution{number} serial"]


def is_missing(backend, command):
    """Says so where this machine has no such device. command: what runs a solution on it."""
    if backend not in ("cuda", "hip"):
        return False
    code, text = run(command)
    missing = code != 0 and re.search("no (NVIDIA|CUDA|AMD|HIP|ROCm)", text) is not None
    if missing:
        print(f"skipped: {text}")
    return missing


def pages(program, backend, *numbers):
    if is_missing(backend, [program, "solution01", backend]):
        return 77
    return report([fault for folder in filter(stands_alone, lessons(numbers)) for fault in check_page(folder, program, backend)])


def checked(program, number):
    folder, faults, ran = lessons([number])[0], [], 0
    for command, expected in BLOCK.findall((folder / "README.md").read_text()):
        words = shlex.split(command)
        if words[0] != f"build-bounds/lesson{number}":
            continue
        for backend in ("serial", "openmp", "simt"):
            ran += 1
            code, got = run([program, words[1].replace("serial", backend), *words[2:]])
            got = re.sub(rf"[^\s(]*/{folder.name}/", ".../", got)
            if code != 1 or got != expected:
                faults.append(difference(f"{folder.name}: {command} on {backend}: exit code {code}, expected 1", expected, got))
    return report(faults if ran else [f"{folder.name}: the page shows no output of build-bounds/lesson{number}"])


class Starts:
    """Compiles start files, some of their gaps filled, for the host instance (and for simt where a page shows it)."""

    FLAGS = ["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-fopenmp-simd"]

    def __init__(self, library, compiler, folder):
        self.library, self.compiler, self.folder = shlex.split(library), shlex.split(compiler), Path(folder)

    def compile(self, name, text, kinds):
        source = self.folder / f"{name}.c"
        source.write_text(text)
        rows = " ".join(f"ROW(name, MX_INSTANCE_{k.upper()}, MX_LAYOUT_{l.upper()}, {k}_{l})" for k, l in kinds)
        units = {"dispatch": f"#define MX_DISPATCH(ROW, name) {rows}"}
        for kind, layout in kinds:
            simt = "#define MX_INSTANCE_SIMT_\n" if kind == "simt" else ""
            units[kind] = (f"{simt}#define MX_INSTANCE_SUFFIX {kind}_{layout}\n"
                           f"#define MX_INSTANCE_LAYOUT {1 if layout == 'left' else 2}")
        files = []
        for unit, head in units.items():
            files.append(self.folder / f"{name}.{unit}.c")
            files[-1].write_text(f'{head}\n#include "{source}"\n')
        program = self.folder / name
        includes = [f"-I{ROOT / part}" for part in ("core/include", "kit/include", "tutorial")]
        code, text = run([*self.compiler, *self.FLAGS, *includes, "-o", program, *files, *self.library, "-fopenmp", "-ldl", "-lm"])
        if code:
            raise SystemExit(f"{name} does not compile:\n{text}")
        return program


def shown(page, number, filled):
    """What the page shows of the start file with the gaps 1 to `filled` filled: pairs of backend and text."""
    title = f"build/lesson{number}"
    for command, expected in BLOCK.findall(page):
        words = command.split("#")
        extent = re.search(r"gaps? 1(?: to (\d+))? filled", command)
        if words[0].split()[0] == title and (int(extent[1] or 1) if extent else 0) == filled:
            yield words[0].split()[1], expected


def check_lesson(folder, starts, each):
    number = folder.name[:2]
    start, solution = (folder / "start.c").read_text(), (folder / "solution.c").read_text()
    page = (folder / "README.md").read_text()
    faults = [f"{folder.name}/{f.name} has {n} lines, above 150" for f in sorted(folder.glob("*.*"))
              if f.suffix in (".c", ".md") and (n := len(f.read_text().splitlines())) > 150]
    fill = {m[2]: m[3] for m in GAP.finditer(solution)}
    gaps = [m[2] for m in GAP.finditer(start)]
    if not gaps or gaps != [str(n + 1) for n in range(len(gaps))] or list(fill) != gaps:
        return faults + [f"{folder.name}: gaps {gaps} in start.c, {list(fill)} in solution.c; expected 1, 2, ... in both"]

    def filled(which):
        return GAP.sub(lambda m: m[1] + (fill[m[2]] if m[2] in which else m[3]) + m[4], start)

    if filled(gaps) != solution:
        return faults + [difference(f"{folder.name}: start.c differs from solution.c outside of the gaps",
                                    solution, filled(gaps))]
    if not stands_alone(folder):
        return faults
    backend = next(shown(page, number, 0), ("serial", None))[0]
    # all open, and what else the page shows
    variants = [[]] + [[o for o in gaps if o != g] for g in gaps if each and len(gaps) > 1]
    variants += [gaps[:n] for n in range(1, len(gaps)) if gaps[:n] not in variants and any(shown(page, number, n))]
    for which in variants:
        told = list(shown(page, number, len(which))) if which == gaps[:len(which)] else []
        told = told or [(backend, None)]
        kinds = [("host", "right")] + [("simt", "left")] * any(backend == "simt" for backend, _ in told)
        program = starts.compile(f"start{number}_{'_'.join(which) or 'none'}", filled(which), kinds)
        open_ = "|".join(g for g in gaps if g not in which)
        for backend, expected in told:
            code, got = run([program, backend])
            title = f"{folder.name}/start.c on {backend}, gaps {', '.join(which) or 'none'} filled: exit code {code}"
            if code != 1:
                faults.append(f"{title}, expected 1\n{got}")
            elif expected is not None and got != expected:
                faults.append(difference(title, expected, got))
            elif expected is None and not re.search(rf"gaps? [^:]*\b({open_})\b", got):
                faults.append(f"{title}: the message names no open gap, {open_}\n{got}")
    return faults


def gaps(library, compiler, *numbers, each=False):
    with tempfile.TemporaryDirectory() as scratch:
        starts = Starts(library, compiler, scratch)
        return report([fault for folder in lessons(numbers) for fault in check_lesson(folder, starts, each)])


def report(faults):
    print("\n\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("pages", "gaps", "checked", "each"):
        sys.exit(__doc__)
    sys.exit({"pages": pages, "gaps": gaps, "checked": checked, "each": partial(gaps, each=True)}[sys.argv[1]](*sys.argv[2:]))

#!/usr/bin/env python3
"""The port of tutorial/port: each step applies, builds without warnings, and prints the same digits on the backends that its page names.

usage: port.py LIBRARY COMPILER          as check.py gaps
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check

PORT = check.COURSE / "port"
EVERYWHERE = ["serial", "openmp:threads=2", "simt"]


def backends(step):
    """None: plain C. Host code reads views until step 5."""
    return {0: [], 1: [], 2: EVERYWHERE, 3: EVERYWHERE[:2], 4: EVERYWHERE[:2], 5: EVERYWHERE[:2]}.get(step, EVERYWHERE)


def main():
    library, compiler = sys.argv[1:]
    expected, faults = (PORT / "expected.txt").read_text(), []
    if dict(check.BLOCK.findall((PORT / "README.md").read_text())).get("./shallow") != expected:
        faults.append("tutorial/port/README.md does not show expected.txt")
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "shallow.c"
        shutil.copy(PORT / "shallow.c", source)
        starts = check.Starts(library, compiler, scratch)
        for step, diff in enumerate([None, *sorted(PORT.glob("0*.diff"))]):
            if diff:
                subprocess.run(["patch", "-p1", "--fuzz=0", "--silent", "-i", diff], cwd=scratch, check=True)
            if backends(step):
                program = starts.compile(f"step{step}", source.read_text(), [("host", "right"), ("simt", "left")])
            else:
                program = Path(scratch) / f"step{step}"
                subprocess.run([*starts.compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lm"], check=True)
            for backend in backends(step) or [None]:
                command = [program, "32", "100"] + [backend] * (backend is not None)
                done = subprocess.run(command, capture_output=True, text=True, timeout=200)
                if done.returncode or done.stdout != expected:
                    faults.append(check.difference(f"step {step} on {backend}: exit code {done.returncode}\n{done.stderr}",
                                                   expected, done.stdout))
    return check.report(faults)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A run that fails says why in its last lines: whole, once, and after all else that it prints. Launchers add lines of their own behind
them, and end the other ranks when one has ended with a code other than 0.

usage: last_message.py TEALEAF DECK MPIEXEC...      DECK: that ends by comparing U with a published value
"""
import os
import re
import subprocess
import sys
import tempfile

from launcher import LOST

# What only the app prints; the launcher's lines may name it.
OWN = re.compile(r"^( check | Wall clock| Time of|figure of merit|verdict: | CG: | Step |tealeaf: )", re.M)

# One step whose solver stops early: U is far from the published value.
CASES = [("a failed check", ["tl_max_iters=1"], 1,
          r"tealeaf: check U FAILED: got 1\.\d{15}e\+02, expected 1\.575508418327929e\+02, tolerance 1\.0e-05"),
         ("a bad input", ["x_cells=-1"], 2, r'tealeaf: error: command line: x_cells: got "-1", expected a whole number from 1 to \d+'),
         ("a file that cannot be written", ["--output=no/x.h5"], 3,
          r"tealeaf: error: results file no/x\.h5: cannot be created: No such file or directory")]


def run(command, folder):
    """stdout and stderr as a user sees them, in one."""
    for _ in range(10):
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=600)
        if LOST not in done.stdout: # launcher.py
            break
    return done.returncode, done.stdout


def main():
    tealeaf, deck, mpiexec = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    good = True
    for name, arguments, code, message in CASES:
        for ranks in (1, 2, 4) if code == 1 else (1, 4):
            for quiet in ([], ["--quiet"]):
                launcher = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
                with tempfile.TemporaryDirectory() as folder:
                    got, text = run([*launcher, tealeaf, deck, "--backend=serial", *arguments, *quiet], folder)
                whole = re.findall("^" + message + "$", text, re.M)
                starts = [line.start() for line in OWN.finditer(text)]
                last = bool(whole) and bool(starts) and text.startswith(whole[0], starts[-1])
                if got != code or len(whole) != 1 or not last:
                    good = False
                    print(f"{name}, {ranks} ranks {quiet}: exit code {got}, expected {code}; expected once, as the last of the app's "
                          f"lines: {message}\n{text[-2500:]}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

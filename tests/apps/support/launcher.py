"""Runs of programs, on one rank or several, whose exit code and messages are compared."""
import os
import subprocess
import sys

# The launcher of MPICH, Hydra, loses the exit code of a rank from time to time (once in 300 starts on a loaded machine), and then
# says so with these words. The rank itself ended with its own code.
LOST = "APPLICATION TERMINATED WITH THE EXIT STRING: Hangup (signal 1)"
# Shorter than the time that a test has, so that what does not end has a name.
LIMIT = 600


def run_ranks(command, variables=None, folder=None, emptied=False):
    """The ended run, with its output as text. A run whose exit code the launcher has lost is repeated. emptied: the folder is before
    each run."""
    for _ in range(10):
        for name in os.listdir(folder) if emptied else ():
            os.remove(os.path.join(folder, name))
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **(variables or {})})
        except subprocess.TimeoutExpired:
            sys.exit(f"{variables or ''} {' '.join(command)}: no end after {LIMIT} s")
        if LOST not in done.stdout + done.stderr:
            break
    return done


def all_succeed(commands, folder=None):
    """Runs each command; do all end with exit code 0? Prints those that do not."""
    good = True
    for command in commands:
        done = run_ranks(command, folder=folder)
        if done.returncode != 0:
            good = False
            print(f"{' '.join(command)}: exit code {done.returncode}, expected 0\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return good

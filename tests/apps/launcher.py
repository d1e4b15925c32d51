"""Runs of several ranks whose exit code and messages are compared."""
import os
import subprocess
import sys

# The launcher of MPICH, Hydra, loses the exit code of a rank from time to time (once in 300 starts on a loaded machine), and then
# says so with these words. The rank itself ended with its own code.
LOST = "APPLICATION TERMINATED WITH THE EXIT STRING: Hangup (signal 1)"
# Shorter than the time that a test has, so that what does not end has a name.
LIMIT = 300


def run_ranks(command, variables=None, folder=None):
    """The ended run, with its output as text. A run whose exit code the launcher has lost is repeated, in a `folder` without files."""
    for _ in range(10):
        for name in os.listdir(folder) if folder else ():
            os.remove(os.path.join(folder, name))
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **(variables or {})})
        except subprocess.TimeoutExpired:
            sys.exit(f"{variables or ''} {' '.join(command)}: no end after {LIMIT} s")
        if LOST not in done.stdout + done.stderr:
            break
    return done

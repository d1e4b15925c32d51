"""What tests start programs with: their command line, runs on one rank or several, what a build and its machine have."""
import argparse
import os
import subprocess
import sys

# The launcher of MPICH, Hydra, loses the exit code of a rank from time to time (once in 300 starts on a loaded machine), and then
# says so with these words. The rank itself ended with its own code.
LOST = "APPLICATION TERMINATED WITH THE EXIT STRING: Hangup (signal 1)"
# Shorter than the time that a test has, so that what does not end has a name.
LIMIT = 600


class Failure(Exception):
    """Ends a case; the text says what was got and what was expected."""


def run_case(case, *arguments):
    """Runs a case, and prints its failure; the exit status."""
    try:
        return case(*arguments) or 0
    except Failure as failure:
        print(failure)
        return 1


def options_of(app, verify=True):
    """A parser of the command line, with the options that tests of an app have: --APP PROGRAM, --verify MINX-VERIFY and, as the last
    one, --mpiexec WORD..."""
    parser = argparse.ArgumentParser()
    parser.add_argument(f"--{app}", required=True)
    if verify:
        parser.add_argument("--verify", required=True)
    parser.add_argument("--mpiexec", nargs=argparse.REMAINDER, default=["mpirun"])
    return parser


def reference_data(*names):
    """A file or folder in that of MINX_REFERENCE_DATA. Where it is not there, the test is skipped; with MINX_REQUIRE_DATA=1 it fails."""
    path = os.path.join(os.environ.get("MINX_REFERENCE_DATA") or "nowhere", *names)
    if not os.path.exists(path):
        print(f"skipped: no {path}: set MINX_REFERENCE_DATA to the folder of reference data")
        sys.exit(1 if os.environ.get("MINX_REQUIRE_DATA") == "1" else 77)
    return path


def lines_of_backends(program):
    """What --backends prints: the name of each backend that can run here, and a comment, # NAME: WHY, for each other one."""
    return subprocess.run([program, "--backends"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout.splitlines()


def backends_of(program):
    return [line for line in lines_of_backends(program) if not line.startswith("#")]


def on_ranks(mpiexec, ranks, command):
    return [*mpiexec, "-n", str(ranks), *command] if ranks > 1 else [*command]


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


def processes(program, *marks):
    """The numbers of the processes of a program that have all marks on their command line. (A launcher has them too, but is none.)"""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        line = b" ".join(words)
        if words[0] == os.fsencode(program) and all(os.fsencode(mark) in line for mark in marks):
            found.append(int(pid))
    return sorted(found)


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def ends_with(command, folder=None, code=0, message=""):
    """Runs a command; does it end with this exit code, and this message on stderr? Prints what it printed if not."""
    done = run_ranks(command, folder=folder)
    good = done.returncode == code and message in done.stderr
    if not good:
        print(f"{' '.join(command)}: exit code {done.returncode}, expected {code}{f' and {message!r}' if message else ''}\n"
              f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return good


def all_succeed(commands, folder=None):
    """Runs each command; do all end with exit code 0?"""
    return all([ends_with(command, folder) for command in commands])

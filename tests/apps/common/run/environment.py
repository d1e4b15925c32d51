#!/usr/bin/env python3
"""What the environment says of threads and launchers. The number of threads is said by --threads, --mx-num-threads,
MINX_NUM_THREADS, OMP_NUM_THREADS, else by the cores of the affinity mask and a CPU quota, divided by the ranks that share them; the run
prints which of these it was. A program that MPI takes for a single rank, although a launcher started several, ends with exit code 3 before
it writes a file. --help and its like are answered anywhere.

The values of launchers' variables are what `mpiexec -n 2 env` of MPICH 4.0, `mpirun -n 2 env` of Open MPI 4.1 and the documentation of
srun say.

usage: environment.py APP DECK MPIEXEC... (with the option for the number of ranks)
"""
import os
import re
import subprocess
import sys
import tempfile

PLACE = re.compile(r"^ backend (\S+), layout \w+, (\d+) ranks? of (\d+) threads?(?: \((.*)\))?$", re.MULTILINE)
CORES = len(os.sched_getaffinity(0))
# cores, unless this test runs where a quota is lower
BY_CORES = ("cores", "CPU quota")

failures = 0


def fail(what, done):
    global failures
    failures += 1
    print(f"{what}\n{done.stdout[-800:]}{done.stderr[-800:]}")


def run(command, folder, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "PMI", "OMPI_COMM_", "MPI_LOCAL"))}
    return subprocess.run(command, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL)


def threads(command, folder, variables, expected, origins):
    """The line about threads; expected None: any number."""
    done = run(command, folder, variables)
    place = PLACE.search(done.stdout)
    if done.returncode != 0 or not place or (expected and int(place.group(3)) != expected) or place.group(4) not in origins:
        fail(f"{variables} {command}: exit code {done.returncode}, {place and place.group(0)}, expected {expected} threads by {origins}", done)
    return int(place.group(3)) if place else 0


def refused(command, folder, variables, code, words):
    """One message with these words, and no file."""
    done = run(command, folder, variables)
    messages = [line for line in done.stderr.splitlines() if ": error: " in line]
    if done.returncode != code or len(messages) != 1 or not all(word in messages[0] for word in words) or os.listdir(folder):
        fail(f"{variables} {command}: exit code {done.returncode}, expected {code}; messages {messages}, expected one with {words}; "
             f"files {os.listdir(folder)}, expected none", done)


def answered(command, folder, variables):
    done = run(command, folder, variables)
    if done.returncode != 0 or not done.stdout:
        fail(f"{variables} {command}: exit code {done.returncode}, expected 0 and some text", done)


def order_of_threads(app, deck, mpiexec, folder):
    openmp = [app, deck, "--backend=openmp"]
    all_set = {"MINX_NUM_THREADS": "3", "OMP_NUM_THREADS": "2"}
    threads([*openmp, "--threads=1", "--mx-num-threads=2"], folder, all_set, 1, ["--threads"])
    threads([app, deck, "--backend=openmp:threads=1"], folder, all_set, 1, ["--backend"])
    threads([*openmp, "--mx-num-threads=4"], folder, all_set, 4, ["--mx-num-threads"])
    threads(openmp, folder, all_set, 3, ["MINX_NUM_THREADS"])
    threads(openmp, folder, {"OMP_NUM_THREADS": "2"}, 2, ["OMP_NUM_THREADS"])
    threads(openmp, folder, {"OMP_NUM_THREADS": "2,3"}, 2, ["OMP_NUM_THREADS"])
    threads(openmp, folder, {"OMP_NUM_THREADS": "3", "OMP_THREAD_LIMIT": "1"}, 1, ["OMP_THREAD_LIMIT"])
    threads(openmp, folder, {"OMP_NUM_THREADS": ""}, None, BY_CORES)
    alone = threads(openmp, folder, {}, None, BY_CORES)
    if not 1 <= alone <= CORES:
        print(f"a single rank has {alone} threads, expected 1 to {CORES}")
        return 1
    two = [*mpiexec, "2", *openmp]
    threads(two, folder, {"OMP_NUM_THREADS": "2"}, 2, ["OMP_NUM_THREADS"])
    # on two ranks that share the cores, or have a core each
    threads(two, folder, {}, max(1, alone // 2) if alone < 4 else None, BY_CORES)
    # serial has one thread, and asks nobody
    threads([app, deck, "--backend=serial"], folder, {"OMP_NUM_THREADS": "many"}, 1, [None])
    for value in ("many", "0", "-1", "2.5"):
        refused(openmp, folder, {"OMP_NUM_THREADS": value}, 2, ["OMP_NUM_THREADS", f"'{value}'", "a whole number from 1 to"])
    refused(openmp, folder, {"MINX_NUM_THREADS": "4096"}, 2, ["MINX_NUM_THREADS", "4096", "expected at most"])
    return 0


def same_core(app, deck, mpiexec, folder):
    """OpenMP binds the first thread of each rank to the first place: a line says what to set. One rank alone has no such line."""
    binding = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
    serial = [app, deck, "--backend=serial"]
    for command, expected in ((serial, 0), ([*mpiexec, "2", *serial], 1)):
        done = run(command, folder, binding)
        if done.stderr.count("have their first thread on the same core") != expected or (expected and "OMP_PROC_BIND" not in done.stderr):
            fail(f"{binding} {command}: expected {expected} notes on the same core", done)


def launchers(app, deck, mpiexec, folder):
    output = [app, deck, "--backend=serial", "--output=out.h5"]
    several = [{"PMI_SIZE": "2", "PMI_RANK": "0", "MPI_LOCALNRANKS": "2", "MPI_LOCALRANKID": "0"},
               {"OMPI_COMM_WORLD_SIZE": "2"}, {"MV2_COMM_WORLD_SIZE": "4"}, {"PMIX_RANK": "1"},
               {"SLURM_NTASKS": "4", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}]
    # one launcher in another, none of which is Slurm's; MPICH's mpiexec on four hosts, to which it came by srun
    several += [{"PMI_SIZE": "4", "PMI_RANK": "2", "OMPI_COMM_WORLD_SIZE": "1"},
                {"OMPI_COMM_WORLD_SIZE": "4", "PMI_SIZE": "1", "PMI_RANK": "0"},
                {"PMIX_RANK": "2", "OMPI_COMM_WORLD_SIZE": "1"},
                {"PMI_SIZE": "4", "PMI_RANK": "2", "MPI_LOCALNRANKS": "1", "SLURM_STEP_NUM_TASKS": "4"}]
    for variables in several:
        named = [f"{name}={value}" for name, value in variables.items() if re.search("_SIZE|_RANK$|NRANKS|_STEP_NUM", name)]
        refused(output, folder, variables, 3, [*named, "MPI sees a single one", "mpirun", "unset"])
        answered([app, "--help"], folder, variables)
    for option in ("--version", "--backends", "--help-deck", "--mx-help"):
        answered([app, deck, option], folder, several[0])
    single = [{"SLURM_NTASKS": "4", "SLURM_JOB_ID": "7"},  # an allocation, without srun
              {"SLURM_NTASKS": "4", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},
              {"PMI_SIZE": "1", "PMI_RANK": "0", "MPI_LOCALNRANKS": "1"},
              {"PMI_SIZE": "1", "SLURM_STEP_NUM_TASKS": "4"},  # mpiexec -n 1 in a step of four
              {"OMPI_COMM_WORLD_SIZE": "several"}, {"PMIX_RANK": "0"}]
    for variables in single:
        threads([app, deck, "--backend=serial"], folder, variables, 1, [None])
    # a launcher of this MPI, in a step of Slurm, whose own PMI has set variables or has not
    of_pmi = {"PMI_SIZE": "4", "PMI_RANK": "2", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "2"}
    for variables in ({"SLURM_STEP_NUM_TASKS": "4"}, of_pmi, {"PMIX_RANK": "2", "SLURM_STEP_NUM_TASKS": "4"}):
        threads([*mpiexec, "1", app, deck, "--backend=serial"], folder, variables, 1, [None])


def main():
    app, deck, *mpiexec = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        wrong = order_of_threads(app, deck, mpiexec, folder)
        if CORES > 1:
            same_core(app, deck, mpiexec, folder)
        launchers(app, deck, mpiexec, folder)
    return 1 if failures or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

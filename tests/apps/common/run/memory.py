#!/usr/bin/env python3
"""What an app says that a run needs is compared with the memory that the run takes, and a run that does not fit is refused: exit code 3
and one message that names the need, the limit and what to do, before memory is allocated.

A run takes the peak of its resident memory, as the system counts it. The same program on a tiny input takes it for code, MPI and HDF5
(about 20 MB), which the estimate leaves out; what is left, here about 100 MB, are the data.

  - The need is at most the whole peak: a limit that the run fits is never too low. It is printed with 3 digits: half a percent.
  - It is at least 0.6 of the data: what is estimated in the mean, as lists of neighbours, or not at all, as coarse meshes, is less than
    the rest.

The limit is set by RLIMIT_DATA (ulimit -d) in the process, which any user may do; control groups are another file of the same function.

usage: memory.py APP PROGRAM INPUTS MPIEXEC... (with the option for the number of ranks)
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

TEALEAF = ["crooked_pipe_10.in", "test_problem=0", "end_step=1", "tl_max_iters=5"]
TEALEAF_3D = ["crooked_pipe_3d_10.in", "test_problem=0", "end_step=1", "tl_max_iters=5"]
FLAT, SOLID = ["x_cells=1200", "y_cells=1000"], ["x_cells=100", "y_cells=110", "z_cells=120"]
MULTIGRID = "tl_preconditioner_type=multigrid"
MINIFE = ["max_iterations=2"]
MINIMD = ["-n", "0"]
# a tiny run, and large ones. "tl_use_X" is written into the deck
RUNS = {
    "tealeaf": (TEALEAF, [[*TEALEAF, *FLAT], [*TEALEAF, *FLAT, "tl_use_ppcg"], [*TEALEAF_3D, *SOLID, MULTIGRID]]),
    "minife": ([*MINIFE, "nx=4"], [[*MINIFE, "nx=64"], [*MINIFE, "nx=80", "operator=symmetric"], [*MINIFE, "nx=110", "operator=elements"],
                                   [*MINIFE, "nx=56", "preconditioner=multigrid", "precision=mixed"]]),
    "minimd": (["lj.in", *MINIMD, "-s", "4"],
               [["lj.in", *MINIMD, "-s", "32"], ["lj.in", *MINIMD, "-s", "24", "list=2d", "--cutoff=4"], ["eam.in", *MINIMD, "-s", "32"]]),
}
# about as much as the index of an array can count on one rank
ENORMOUS = {
    "tealeaf": [*TEALEAF, "x_cells=45000", "y_cells=46000"],
    "minife": ["nx=1280", "operator=elements"],
    "minimd": ["lj.in", "-s", "500"],
}
MESSAGE = re.compile(r"error: the (\w+) need about (\S+) GB on (a rank|this host); (.*) is (\S+) GB, of which (\S+) GB are in use: "
                     r"use fewer \1, or more (ranks|hosts)$", re.MULTILINE)
DATA_LIMIT = "the limit of the data of a process (ulimit -d)"
LEAST = 0.6

failures = 0


def fail(what, output):
    global failures
    failures += 1
    print(f"{what}\n{output[-800:]}")


def arguments(words, inputs, folder):
    """The words, with decks as paths; a solver of tealeaf is written into a copy."""
    words = list(words)
    solver = next((word for word in words if word.startswith("tl_use_")), None)
    if words[0].endswith(".in"):
        words[0] = os.path.join(inputs, words[0])
    if solver:
        words.remove(solver)
        with open(words[0], encoding="utf-8") as f:
            text = f.read().replace("tl_use_cg", solver)
        words[0] = os.path.join(folder, "deck.in")
        with open(words[0], "w", encoding="utf-8") as f:
            f.write(text)
    return [*words, "--backend=serial", "--quiet"]


def run(command, limit=None):
    """Exit code, peak of the resident memory in bytes, and what was printed."""
    with tempfile.TemporaryFile("w+") as output:
        set_limit = (lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))) if limit else None
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, preexec_fn=set_limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, 1024 * usage.ru_maxrss, output.read()


def refused(command, limit):
    """The message's parts."""
    code, _, output = run(command, limit)
    found = MESSAGE.search(output)
    if code != 3 or not found or output.count("error: ") != 1:
        fail(f"{' '.join(command)}, limit {limit}: exit code {code}, expected 3 and one message about memory", output)
        return None
    return found


def compare(command, tiny):
    """The need in bytes, and what is in use before."""
    code, peak, output = run(command)
    if code not in (0, 1):  # few iterations: checks of the solution may fail
        fail(f"{' '.join(command)}: exit code {code}", output)
        return None
    found = refused(command, int(1.5 * tiny + 0.3 * (peak - tiny)))
    if not found:
        return None
    need, used = 1e9 * float(found.group(2)), 1e9 * float(found.group(6))
    if found.group(3) != "a rank" or found.group(4) != DATA_LIMIT or not LEAST * (peak - tiny) <= need <= peak:
        fail(f"{' '.join(command)}: needs {1e-6 * need:.0f} MB, expected {LEAST * 1e-6 * (peak - tiny):.0f} to {1e-6 * peak:.0f} MB",
             found.group(0))
    return need, used


def on_two_ranks(mpiexec, command, limit):
    """The command with a limit for each rank, but not for the launcher."""
    return [*mpiexec, "2", "sh", "-c", f"ulimit -d {int(limit) // 1024} && exec \"$@\"", "sh", *command]


def two_ranks(mpiexec, command, need, used):
    """A limit of a process is not shared: each rank has half of the need, and its ghosts. Both ranks agree."""
    code, _, output = run(on_two_ranks(mpiexec, command, used + 0.98 * need))
    if code not in (0, 1) or "error: " in output:
        fail(f"two ranks of {' '.join(command)}, with a limit of 0.98 of the need for each: exit code {code}", output)
    refused(on_two_ranks(mpiexec, command, used + 0.3 * need), None)


def main():
    app, program, inputs, *mpiexec = sys.argv[1:]
    tiny_words, large = RUNS[app]
    with tempfile.TemporaryDirectory() as folder:
        _, tiny, _ = run([program, *arguments(tiny_words, inputs, folder)])
        for number, words in enumerate(large):
            command = [program, *arguments(words, inputs, folder)]
            sizes = compare(command, tiny)
            if sizes and number == 0:
                two_ranks(mpiexec, command, *sizes)
        refused([program, *arguments(ENORMOUS[app], inputs, folder)], 1 << 30)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

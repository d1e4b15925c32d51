#!/usr/bin/env python3
"""miniFE's checkpoints: a run that goes on from one ends with the same bits as one that was not interrupted, for each solver and
preconditioner; on another number of ranks it agrees by the rules of the results file. SIGTERM stops a run with exit code 5. A
checkpoint of other input, or of more iterations than max_iterations, is refused.

usage: restart.py --minife PROGRAM --verify MINX-VERIFY --mpiexec WORD...
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import backends_of, on_ranks, options_of

SIZES = ["nx=11", "ny=9", "nz=10", "--quiet"]
SOLVERS = [["solver=cg"], ["solver=cg", "preconditioner=diagonal"], ["solver=single-reduction", "overlap=on"],
           ["solver=single-reduction", "preconditioner=chebyshev"], ["solver=cg", "preconditioner=multigrid", "tolerance=1e-300"]]


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder, self.good = args, folder, True

    def run(self, words, ranks=1, code=0, message=""):
        backend = [] if any(word.startswith("--backend") for word in words) else ["--backend=serial"]
        command = [self.args.minife, *SIZES, *backend, *words] if words[0] != "verify" else [self.args.verify, "--quiet", *words[1:]]
        command = on_ranks(self.args.mpiexec, ranks, command)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
        if done.returncode != code or message not in done.stderr:
            print(f"{' '.join(command)}: exit code {done.returncode}, expected {code} and '{message}'\n"
                  f"{done.stdout[-1500:]}{done.stderr[-1500:]}")
            self.good = False


def goes_on(runs, solver, ranks):
    limit = ["max_iterations=25"]
    runs.run([*solver, *limit, "--output=whole.h5"], ranks)
    runs.run([*solver, "max_iterations=17", "--checkpoint=c.h5", "--checkpoint-every=6", "--output=part.h5"], ranks)
    runs.run([*solver, *limit, "--restart=c.h5", "--output=again.h5"], ranks)
    runs.run(["verify", "again.h5"])
    runs.run(["verify", "--tolerance=0", "whole.h5", "again.h5"])
    if ranks > 1 or solver != SOLVERS[0]:
        return
    runs.run([*solver, *limit, "--restart=c.h5", "--output=again.h5"], 3)
    runs.run(["verify", "whole.h5", "again.h5"])


def batches(runs):
    """Devices, and simt, do 16 iterations before the host looks: a checkpoint that is due in between follows them."""
    more = ["--backend=simt", "--threads=1"]
    runs.run([*more, "max_iterations=20", "--output=whole.h5"])
    runs.run([*more, "max_iterations=16", "--checkpoint=b.h5", "--checkpoint-every=6"])
    runs.run([*more, "max_iterations=20", "--restart=b.h5", "--output=again.h5"])
    runs.run(["verify", "--tolerance=0", "whole.h5", "again.h5"])


def refusals(runs):
    runs.run(["max_iterations=5", "--restart=c.h5"], code=2, message="got 12, more than max_iterations, 5: nothing is left to do")
    runs.run(["problem=manufactured", "--restart=c.h5"], code=2, message="problem")
    runs.run(["solver=single-reduction", "--restart=c.h5"], code=2, message="solver")


def stopped_run(runs, folder, nx):
    """Sends SIGTERM to a run that writes a checkpoint after each iteration, when it has written one. Its exit code and output."""
    name = f"s-{nx}.h5"
    command = [runs.args.minife, f"nx={nx}", "max_iterations=1000000", "tolerance=0", "preconditioner=diagonal", "--backend=serial",
               "--checkpoint=" + name, "--checkpoint-every=1"]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               stdin=subprocess.DEVNULL)
    while not os.path.exists(os.path.join(folder, name)) and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGTERM)
    said = running.communicate(timeout=800)[0]
    return running.returncode, said


def stops(runs, folder):
    """SIGTERM stops a run. CG comes to an end by itself when no digit is left to gain: after a run that ended before the signal
    came, another one on a larger mesh follows, which takes longer."""
    for nx in (20, 40, 60, 80, 100):
        code, said = stopped_run(runs, folder, nx)
        if "SIGTERM" in said:
            break
    if code != 5 or "SIGTERM" not in said:
        print(f"SIGTERM: exit code {code}, expected 5 and a line that names the signal\n{said[-1500:]}")
        runs.good = False


def main():
    args = options_of("minife").parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args, folder)
        goes_on(runs, SOLVERS[2], 2)
        goes_on(runs, SOLVERS[4], 2)
        for solver in reversed(SOLVERS):
            goes_on(runs, solver, 1)
        if "simt" in backends_of(args.minife):
            batches(runs)
        refusals(runs)
        stops(runs, folder)
        return 0 if runs.good else 1


if __name__ == "__main__":
    sys.exit(main())

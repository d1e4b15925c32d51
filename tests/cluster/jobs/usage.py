#!/usr/bin/env python3
"""Wrong use of the job scripts: one line that says what was got and expected, and exit code 2."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import BIN, SCRIPTS, SMALL, Job, check, finish, run

JOB = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "1", "SLURM_JOB_NUM_NODES": "1"}
TEALEAF = ["tealeaf", *SMALL["tealeaf"]]
WRONG = [
    (TEALEAF, {}, "this is no job of Slurm, expected: sbatch scripts/cluster/cpu.sh APP"),
    (TEALEAF, {"MINX_BIN": "/nowhere"}, "there is no program /nowhere/minx-job; build minx and submit from its folder, or set MINX_BIN"),
    ([], JOB, "got '' as the name of the app, expected one of: "),
    (["--threads=2"], JOB, "got '--threads=2' as the name of the app"),
    (["tealeav"], JOB, f"there is no app 'tealeav' in {BIN}, expected one of: "),
    (["minx-verify"], JOB, "got 'minx-verify' as the name of the app"),
    (TEALEAF, {**JOB, "MINX_MPI": "pmix7"}, "MINX_MPI: got 'pmix7', expected mpirun or what srun knows: "),
    (TEALEAF, {**JOB, "MINX_MPI": "mpirun.no"}, "MINX_MPI: there is no command 'mpirun.no'"),
    (TEALEAF, {**JOB, "MINX_REQUEUE": "yes"}, "MINX_REQUEUE: got 'yes', expected 0 or 1"),
    (TEALEAF, {**JOB, "MINX_OUT": "/dev/null/x"}, "MINX_OUT: the folder '/dev/null/x' cannot be made"),
    ([*TEALEAF, "--output=x.h5"], JOB, "got --output, which minx-job sets itself"),
    ([*TEALEAF, "--summary=x.json"], JOB, "got --summary, which minx-job sets itself"),
    ([*TEALEAF, "--restart", "x.ck"], {**JOB, "MINX_REQUEUE": "1"}, "got --restart, which minx-job sets itself"),
]


def main():
    own = Job("cpu.sh", *TEALEAF, "x_cels=5", options=["--ntasks-per-node=1", "--cpus-per-task=1"], log="own.log")
    for name in ("SLURM_JOB_ID", "MINX_OUT", "MINX_MPI", "MINX_REQUEUE"):
        os.environ.pop(name, None)
    for words, variables, expected in WRONG:
        done = run(os.path.join(SCRIPTS, "cpu.sh"), *words, **variables)
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and expected in done.stderr,
              f"cpu.sh {' '.join(words)} {variables}: exit code {done.returncode}, expected 2 and one line: {expected}\n{done.stderr}")
    for program in (os.path.join(SCRIPTS, "cpu.sh"), os.path.join(SCRIPTS, "gpu.sh"), os.path.join(BIN, "minx-job")):
        done = run(program, "--help")
        check(done.returncode == 0 and "APP [ARGUMENT" in done.stdout and "MINX_OUT" in done.stdout and not done.stderr,
              f"{program} --help: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    code, = own.wait()
    check(code == 2 and "x_cels" in own.output(), f"an unknown key: exit code {code}, expected 2\n{own.output()}")
    finish()


main()

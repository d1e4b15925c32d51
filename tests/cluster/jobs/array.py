#!/usr/bin/env python3
"""A job array: %a in the arguments and in the names of the files is the number of the task. The results are those of runs without
Slurm."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import BIN, Job, check, finish, run, same_bits, verdict

SIZES = (5, 7)


def main():
    job = Job("cpu.sh", "minife", "nx=%a", options=["--array=" + ",".join(map(str, SIZES)), "--ntasks-per-node=1", "--cpus-per-task=1"],
              log="%a.log")
    alone = {size: run(os.path.join(BIN, "minife"), f"nx={size}", "--backend=openmp", "--threads=1", f"--output=alone-{size}.h5")
             for size in SIZES}
    if job.succeeds():
        for size in SIZES:
            file = os.path.join(os.getcwd(), f"minife-{job.number}_{size}.h5")
            check(alone[size].returncode == 0, f"minife nx={size}: {alone[size].stderr}")
            verdict(job, file, size)
            same_bits(f"alone-{size}.h5", file)
    finish()


main()

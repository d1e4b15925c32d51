#!/usr/bin/env python3
"""Each app on two ranks by the job scripts: ranks started by srun with PMIx, and by mpirun, give the same bits. gpu.sh asks for
GPUs, and for the backend cuda where the user names none."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import SMALL, Job, check, finish, same_bits, verdict

TWO = ["--ntasks-per-node=2", "--cpus-per-task=1"]


def main():
    folder = os.path.realpath("results")
    jobs = {}
    for app, words in SMALL.items():
        for mpi in ("pmix", "mpirun"):
            jobs[app, mpi] = Job("cpu.sh", app, *words, options=TWO, log=f"{app}-{mpi}.log", MINX_OUT=folder, MINX_MPI=mpi)
    on_gpus = [*TWO, "--gpus-per-node=2"]
    words = SMALL["tealeaf"]
    hosts = Job("gpu.sh", "tealeaf", *words, "--backend=serial", options=on_gpus, log="gpu-serial.log", MINX_OUT=folder)
    none = Job("gpu.sh", "tealeaf", *words, options=on_gpus, log="gpu-none.log", MINX_OUT=folder)

    def file_of(job, app):
        return os.path.join(folder, f"{app}-{job.number}.h5")

    for (app, mpi), job in jobs.items():
        if job.succeeds():
            verdict(job, file_of(job, app))
            check(os.path.exists(file_of(job, app)[:-3] + ".json"), f"{job.name}: expected a summary beside the results")
            check(" backend openmp, " in job.output() and " 2 ranks of 1 thread" in job.output(),
                  f"{job.name}, {mpi}: expected 2 ranks of 1 thread with openmp\n{job.output()[:800]}")
    for app in SMALL:
        same_bits(file_of(jobs[app, "pmix"], app), file_of(jobs[app, "mpirun"], app))
    if hosts.succeeds():
        verdict(hosts, file_of(hosts, "tealeaf"))
    if not os.path.exists("/dev/nvidiactl"):
        code, = none.wait()
        check(code != 0 and "cuda" in none.output(), f"gpu.sh without a GPU: exit code {code}\n{none.output()[-800:]}")
    finish()


main()

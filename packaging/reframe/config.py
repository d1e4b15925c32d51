"""ReFrame's configuration for a machine of no particular kind: the partition `local` runs on this host by mpirun, `slurm` submits
jobs. Copy the part `slurm` for a machine's partitions, with their options in `access`.

MINX_BIN is the folder of the programs, MINX_SRUN_MPI the PMI of srun (default: pmix)."""
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.environ.get("MINX_BIN", os.path.join(ROOT, "build", "bin"))

site_configuration = {
    "systems": [{
        "name": "generic",
        "descr": "any machine with MPI, with or without Slurm",
        "hostnames": [".*"],
        "modules_system": "nomod",
        "partitions": [
            {
                "name": "local",
                "scheduler": "local",
                "launcher": "mpirun",
                "environs": ["minx"],
                "max_jobs": 1,
            },
            {
                "name": "slurm",
                # asks squeue; "slurm" asks sacct instead, where a site keeps accounts of jobs
                "scheduler": "squeue",
                "launcher": "srun",
                "environs": ["minx"],
                "max_jobs": 4,
                "access": [],
                "env_vars": [["SLURM_MPI_TYPE", os.environ.get("MINX_SRUN_MPI", "pmix")]],
            },
        ],
    }],
    "environments": [{"name": "minx", "env_vars": [["PATH", BIN + ":$PATH"]]}],
    "logging": [{
        "handlers": [{"type": "stream", "name": "stdout", "level": "info", "format": "%(message)s"}],
        "handlers_perflog": [{
            "type": "filelog",
            "prefix": "%(check_system)s/%(check_partition)s",
            "level": "info",
            "format": "%(check_job_completion_time)s,%(check_display_name)s,%(check_num_tasks)s,%(check_num_cpus_per_task)s,"
                      "%(check_result)s,%(check_perfvalues)s",
            "format_perfvars": "%(check_perf_value)s,%(check_perf_unit)s,",
            "append": True,
        }],
    }],
}

"""ReFrame checks of minx: each app on each backend of this list, on some ranks and threads. Sanity is the verdict of the run and of
minx-verify; the figures are those of the run's summary (docs/summary.md).

    reframe -C packaging/reframe/config.py -c packaging/reframe/minx_checks.py -r --system=generic:slurm --performance-report
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Small decks: each runs for seconds.
DECKS = {
    "tealeaf": ["inputs/tealeaf/crooked_pipe_10.in"],
    "minife": ["inputs/minife/cube_30.in"],
    "minimd": ["inputs/minimd/lj.in"],
}


@sn.deferrable
def summary(path, *keys):
    """The value of a key of the summary, of a key in this, and so on."""
    with open(path, encoding="ascii") as file:
        value = json.load(file)
    for key in keys:
        value = value[key]
    return value


@rfm.simple_test
class minx(rfm.RunOnlyRegressionTest):
    app = parameter(sorted(DECKS))
    # backend, ranks, threads of each
    place = parameter([("serial", 1, 1), ("serial", 2, 1), ("openmp", 1, 2), ("openmp", 2, 1)],
                      fmt=lambda place: "{}_{}x{}".format(*place))
    descr = "a mini-app of minx: right results, and how fast"
    valid_systems = ["*"]
    valid_prog_environs = ["minx"]
    sourcesdir = None
    time_limit = "10m"
    keep_files = ["run.json"]
    tags = {"minx", "production"}
    maintainers = ["minx"]

    @run_after("init")
    def describe(self):
        self.backend, self.num_tasks, self.num_cpus_per_task = self.place
        self.num_tasks_per_node = self.num_tasks
        self.executable = self.app
        deck, *keys = DECKS[self.app]
        self.executable_opts = [os.path.join(ROOT, deck), *keys, f"--backend={self.backend}", "--output=run.h5", "--summary=run.json"]
        if self.backend == "openmp":
            self.executable_opts.append(f"--threads={self.num_cpus_per_task}")
            self.env_vars = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
        self.postrun_cmds = ["minx-verify --quiet run.h5"]

    @run_before("run")
    def set_launcher_options(self):
        launcher = self.current_partition.launcher_type.registered_name
        if launcher == "srun": # since Slurm 22.05 srun does not inherit it from sbatch
            self.job.launcher.options = [f"--cpus-per-task={self.num_cpus_per_task}"]
        elif launcher == "mpirun": # Open MPI binds each of two ranks to one core
            self.env_vars["OMPI_MCA_hwloc_base_binding_policy"] = "none"

    @sanity_function
    def is_verified(self):
        return sn.all([
            sn.assert_eq(summary("run.json", "schema"), "minx-summary-1"),
            sn.assert_eq(summary("run.json", "verdict"), "passed"),
            sn.assert_eq(summary("run.json", "exit_code"), 0),
            sn.assert_eq(summary("run.json", "backend"), self.backend),
            sn.assert_eq(summary("run.json", "ranks"), self.num_tasks),
            sn.assert_eq(summary("run.json", "threads"), self.num_cpus_per_task),
            sn.assert_found(r"^integrity: PASS", self.stdout),
            sn.assert_found(r"^physics: PASS", self.stdout),
        ])

    @run_before("performance")
    def read_figures(self):
        figure, path = sn.make_performance_function, os.path.join(self.stagedir, "run.json")
        self.perf_variables = {
            "fom": figure(summary(path, "fom", "value"), summary(path, "fom", "unit").evaluate()),
            "wall": figure(summary(path, "wall_seconds"), "s"),
            "set_up": figure(summary(path, "set_up_seconds"), "s"),
            "solve": figure(summary(path, "solve_seconds"), "s"),
            "bandwidth": figure(summary(path, "bytes") / summary(path, "solve_seconds") / 1e9, "GB/s"),
        }

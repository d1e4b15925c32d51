"""Slurm, by a stand-in of sbatch that runs each task of an array."""
import shlex

import fake
import house

PLAN = """
repeats = 2
[[case]]
app = "tealeaf"
deck = "one.in"
backend = ["serial", "openmp"]
threads = 2
"""


class Slurm(house.House):
    def submitted(self):
        path = self.bin / "sbatch.calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_submit(self):
        words = ("run", self.plan(PLAN), "--out", "out", "--bin", self.bin, "--submit", "--sbatch=--partition=cpu", "--sbatch=--exclusive", "--at-once", "3")
        _, said = self.call(*words)
        self.assertIn("job 17: 2 runs of 1 x 1", said)
        calls = self.submitted()
        self.assertEqual(len(calls), 3)  # an array for each size, and the last job
        self.assertIn("--ntasks=1 --cpus-per-task=2", calls[1])
        self.assertIn("--array=1,3%3 --partition=cpu --exclusive", calls[1])
        self.assertIn("--dependency=afterany:17:17 --partition=cpu", calls[2])
        self.assertEqual({record["outcome"] for record in self.records()}, {"passed"})
        self.assertEqual(self.records()[0]["command"][0], "srun")
        self.assertIn("tealeaf", (self.folder / "out/job-finish.sh.log").read_text())
        self.assertTrue(list((self.folder / "out/limits").glob("*-openmp-2.json")))
        # all runs are there: nothing is submitted, the table is printed
        out, _ = self.call(*words)
        self.assertEqual(self.submitted(), calls)
        self.assertIn("openmp", out)

    def test_only_what_is_missing(self):
        self.call("run", self.plan(PLAN), "--out", "out", "--bin", self.bin, "--submit")
        before = len(self.submitted())
        next((self.folder / "out/runs").glob("*openmp*-1/run.json")).unlink()
        self.call("run", self.plan(PLAN), "--out", "out", "--bin", self.bin, "--submit")
        self.assertIn("--array=1 ", self.submitted()[before] + " ")
        self.assertEqual(len(self.records()), 4)

    def test_several_ranks(self):
        """srun starts them, unless the plan or the command line names another launcher."""
        plan = self.plan("limits = false\n" + PLAN + "ranks = 2\n")
        for more, program in (((), "srun"), (("--launcher", "mpirun"), "mpirun")):
            with self.subTest(program):
                self.call("run", plan, "--out", program, "--bin", self.bin, "--submit", *more)
                self.assertEqual({record["command"][0].split("/")[-1] for record in self.records(program)}, {program})

    def test_retry(self):
        plan = self.plan("limits = false\n" + PLAN + 'options = "trouble=variable:openmp"\n')
        words = ("run", plan, "--out", "out", "--bin", self.bin, "--submit")
        self.call(*words, env={"FAKE_TROUBLE": "fail"})
        before = len(self.submitted())
        self.call(*words, expect=1)
        self.assertEqual(len(self.submitted()), before)
        self.call(*words, "--retry")
        self.assertIn("--array=1,3", self.submitted()[before])
        self.assertEqual({record["outcome"] for record in self.records()}, {"passed"})

    def test_folder_with_blanks(self):
        self.call("run", self.plan("limits = false\n" + PLAN), "--out", "out of 100 %A", "--bin", self.bin, "--submit")
        words = [shlex.split(line) for line in self.submitted()]
        logs = [word for line in words for word in line if word.startswith("--output=")]
        folder = f"--output={self.folder.resolve()}/out of 100 %%A"
        self.assertEqual(logs, [f"{folder}/slurm-%A_%a.log"] * 2 + [f"{folder}/finish.log"])
        self.assertEqual(len(self.records("out of 100 %A")), 4)

    def test_while_runs_wait(self):
        """Jobs of this folder are in the queue: a second submission would make their runs twice."""
        words = ("run", self.plan("limits = false\n" + PLAN), "--out", "out", "--bin", self.bin, "--submit")
        self.call(*words)
        next((self.folder / "out/runs").glob("*openmp*-1/run.json")).unlink()
        before = self.submitted()
        fake.program(self.bin / "squeue", "import sys\nassert '--jobs=17,17' in sys.argv\nprint('17')\n")
        _, said = self.call(*words, expect=2)
        self.assertIn("got jobs 17 in Slurm's queue", said)
        self.assertEqual(self.submitted(), before)
        fake.program(self.bin / "squeue", "import sys\nsys.exit('slurm_load_jobs error: Invalid job id specified')\n")
        self.call(*words)
        self.assertEqual(len(self.submitted()), len(before) + 2)

    def test_mistakes(self):
        _, said = self.call("run", self.plan(PLAN.replace('["serial", "openmp"]', '"all"')), "--bin", self.bin, "--submit", expect=2)
        self.assertIn("names of backends", said)
        _, said = self.call("run", self.plan(PLAN.replace("threads = 2", 'threads = "cores"')), "--bin", self.bin, "--submit", expect=2)
        self.assertIn("--cores and --gpus say how many", said)
        self.call("run", self.plan(PLAN), "--out", "out", "--bin", self.bin, "--submit")
        _, said = self.call("task", "out", "99", expect=2)
        self.assertIn("expected one from 0 to 3", said)
        (self.bin / "sbatch").unlink()
        _, said = self.call("run", self.plan(PLAN), "--out", "out2", "--bin", self.bin, "--submit", expect=3, env={"PATH": str(self.bin)})
        self.assertIn("no sbatch on PATH", said)


if __name__ == "__main__":
    house.main()

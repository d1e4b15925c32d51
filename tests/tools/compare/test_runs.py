"""Runs: which count, which are named and left out, and what an interrupted comparison does next."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import house

ONE = """
repeats = 1
timeout = 60
limits = false
[[case]]
app = "tealeaf"
backend = ["serial", "openmp"]
threads = 2
"""

# starts a run that ignores SIGTERM and has a time limit of 0.3 s; a signal comes when the run has just started, or is being ended
SIGNALLED = '''
import os, signal, subprocess, sys, threading, time
sys.path.insert(0, sys.argv[1])
from minx_compare import launch

launch.PATIENCE = 0.2
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
runs = []

class Stop(Exception):
    pass

def stop(_number, _frame):
    raise Stop

def interrupt():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)

class Popen(subprocess.Popen):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        runs.append(self.pid)
        if sys.argv[2] == "start":
            interrupt()

    def wait(self, timeout=None):
        if sys.argv[2] == "end" and timeout == launch.PATIENCE:
            interrupt()
        return super().wait(timeout)

subprocess.Popen = Popen
signal.signal(signal.SIGTERM, stop)
try:
    launch.start(["sh", "-c", "trap '' TERM; exec sleep 20"], "log.txt", 0.3, None, ".")
    print("no signal")
except Stop:
    print("handled")
try:
    os.killpg(runs[0], signal.SIGKILL)
    print("left behind")
except ProcessLookupError:
    pass
'''


class Runs(house.House):
    def outcomes(self, out="out"):
        return {(record["run"]["backend"], record["run"]["repeat"]): record["outcome"] for record in self.records(out)}

    def test_all_count(self):
        out, said = self.run_plan()
        self.assertEqual(len(self.records()), 6)
        self.assertEqual({record["outcome"] for record in self.records()}, {"passed"})
        self.assertIn("[6/6]", said)
        self.assertIn("left", said)
        lines = [line.split() for line in out.splitlines() if line.startswith("tealeaf")]
        self.assertEqual([line[3:7] for line in lines], [["serial", "1", "x", "1"], ["openmp", "1", "x", "1"], ["openmp", "1", "x", "2"]])
        # 8e9 bytes in 1 s and in 1/2 s, of 10e9 bytes/s for each thread: about 80 %
        for line in lines:
            self.assertAlmostEqual(float(line[line.index("%", 12) - 1]), 80, delta=8)

    def test_repeats_in_turn(self):
        self.run_plan()
        order = sorted(self.records(), key=lambda record: os.stat(self.folder / "out/runs" / record["run"]["id"] / "run.json").st_mtime_ns)
        self.assertEqual([record["run"]["repeat"] for record in order], [1, 1, 1, 2, 2, 2])

    def test_limits_are_measured_once(self):
        self.run_plan()
        calls = (self.bin / "bench.calls").read_text().split()
        self.assertEqual(sorted(calls), ["openmp:threads=1", "openmp:threads=2", "serial"])
        self.run_plan()
        self.assertEqual((self.bin / "bench.calls").read_text().split(), calls)

    def test_limits_beside_other_programs(self):
        """Programs that ran while limits were measured are counted, and named with the file to remove."""
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))]
        try:
            _, said = self.run_plan(ONE.replace("limits = false\n", ""))
        finally:
            for one in busy:
                one.kill()
                one.wait()
        self.assertRegex(said, r"[1-9]\d* other threads? ran while the limits of .* were measured, .*remove .*/limits/")
        limits = [json.loads(path.read_text()) for path in (self.folder / "out/limits").glob("*.json")]
        self.assertTrue(all(one["other_threads"] > 0 for one in limits), limits)

    def test_no_bench(self):
        (self.bin / "minx-bench").unlink()
        out, said = self.run_plan()
        self.assertIn("no minx-bench", said)
        self.assertNotIn("80 %", out)

    def check_bad(self, kind, outcome, reason, seconds=60):
        """A run on openmp goes wrong; that on serial counts."""
        text = ONE.replace("timeout = 60", f"timeout = {seconds}") + f'options = "trouble={kind}:openmp"'
        out, said = self.run_plan(text, expect=1)
        self.assertEqual(self.outcomes(), {("serial", 1): "passed", ("openmp", 1): outcome}, said)
        record = next(record for record in self.records() if record["run"]["backend"] == "openmp")
        self.assertIn(reason, record["reason"])
        self.assertIn(f"{record['run']['id']}: {outcome}: ", said)
        self.assertIn("1 of 2 runs count; 1 left out", said)
        self.assertEqual([line.split()[3] for line in out.splitlines() if line.startswith("tealeaf")], ["serial"])
        return record

    def test_failed(self):
        self.check_bad("fail", "failed", "exit code 1: tealeaf: error: the energy is not conserved")

    def test_killed(self):
        self.check_bad("kill", "killed", "SIGKILL")

    def test_timed_out(self):
        record = self.check_bad("hang", "timed out", "more than 8 s", seconds=8)  # a run that does not hang is over by then
        self.assertLess(record["seconds"], 60)

    def test_damaged_results(self):
        self.check_bad("damage", "failed", "minx-verify: FAIL /fields/answer digest differs")

    def test_summaries(self):
        for kind, reason in (("no_summary", "wrote no summary"), ("bad_summary", "is no JSON"), ("other_app", "app 'another', expected 'tealeaf'"),
                             ("verdict", "its verdict is 'failed'")):
            with self.subTest(kind):
                self.setUp()
                self.check_bad(kind, "failed", reason)

    def test_disturbed(self):
        out, _ = self.run_plan(ONE + 'options = "trouble=busy:openmp"')
        self.assertEqual({record["run"]["backend"]: record["disturbed"] for record in self.records()}, {"serial": False, "openmp": True})
        self.assertIn("disturbed 1", out)

    # ---- answers ----

    def test_two_answers(self):
        """Nobody knows which of two is right."""
        out, said = self.run_plan(ONE + 'options = "trouble=wrong:openmp"', expect=1)
        self.assertEqual(said.count("differs: its answer differs from that of"), 2)
        self.assertIn("/fields/answer: 1 of 1 values differ", said)
        self.assertFalse([line for line in out.splitlines() if line.startswith("tealeaf")])

    def test_the_odd_one_out(self):
        text = ONE.replace("threads = 2", "threads = [1, 2]").replace('"openmp"', '"openmp", "simt"') + 'options = "trouble=wrong:simt"'
        text = text.replace("threads = [1, 2]", "threads = 2\nranks = [1, 2]")
        out, said = self.run_plan(text, expect=1)
        self.assertIn("4 of 6 runs count", said)
        self.assertEqual({line.split()[3] for line in out.splitlines() if line.startswith("tealeaf")}, {"serial", "openmp"})

    def test_inputs_that_may_differ(self):
        text = ONE + 'options = "list={layout}"\naxis = {layout = ["left", "right"]}\n'
        self.run_plan(text)  # of two lists: two rows
        out, said = self.run_plan(text + 'agree = ["list"]\n', out="agree")
        self.assertNotIn("differs", said)
        text = text.replace("list={layout}", "list={layout} trouble=wrong:openmp") + 'agree = ["list"]\n'
        _, said = self.run_plan(text, out="wrong", expect=1)
        self.assertIn("0 of 4 runs count", said)

    def test_altered_results(self):
        """Someone changes a results file by hand after the run."""
        self.run_plan(ONE)
        path = next(path for path in (self.folder / "out/runs").glob("*openmp*/results.h5"))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        _, said = self.run_plan(ONE, expect=1)
        self.assertIn(f"{path.parent.name}: failed: results.h5 was altered", said)
        _, said = self.call("report", "out", expect=(1 if self.has_plotly() else 3))
        os.utime(next(path for path in (self.folder / "out/runs").glob("*serial*/results.h5")), (1, 1))
        _, said = self.run_plan(ONE, expect=1)
        self.assertIn("1 of 2 runs count", said)  # a new date alone is no change

    @staticmethod
    def has_plotly():
        import importlib.util

        return importlib.util.find_spec("plotly") is not None

    # ---- interruption ----

    def test_resume_after_kill(self):
        """SIGKILL in the middle of a run: what was done stays, the run itself is made again, and no other."""
        text = house.PLAN.replace('options = "n=1"', 'options = "n=1 trouble=slow"').replace("limits", "#")
        self.plan("limits = false\n" + text)
        words = self.command("run", "plan.toml", "--out", "out", "--bin", self.bin, "--cores", "4")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                before = len(self.records())
                deadline = time.monotonic() + 300
                while True:
                    process = subprocess.Popen(words, cwd=self.folder, env=self.environment(FAKE_SECONDS="2"), stderr=subprocess.PIPE,
                                               stdout=subprocess.DEVNULL, text=True)
                    while len(self.records()) == before and process.poll() is None and time.monotonic() < deadline:
                        time.sleep(0.02)
                    if process.poll() is None or time.monotonic() > deadline:
                        break
                    process.communicate() # the run that was killed has not left the folder yet
                    time.sleep(0.2)
                time.sleep(0.1)
                process.send_signal(number)
                said = process.communicate(timeout=60)[1]
                self.assertGreater(len(self.records()), before, said)
                self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 5, said)
                if number != signal.SIGKILL:
                    self.assertIn("interrupted", said)
        done = {record["run"]["id"]: record["started"] for record in self.records()}
        self.assertLess(len(done), 6)
        _, said = self.call("run", "plan.toml", "--out", "out", "--bin", self.bin, "--cores", "4")
        self.assertIn(f"{len(done)} of 6 runs there already, not run again", said)
        after = {record["run"]["id"]: record["started"] for record in self.records()}
        self.assertEqual(len(after), 6)
        self.assertEqual({name: after[name] for name in done}, done)

    def test_signal_while_a_run_starts_or_ends(self):
        """The run is ended before the signal is handled. A thread that blocks no signals, as NumPy's libraries start them, changes nothing."""
        for moment in ("start", "end"):
            with self.subTest(moment):
                done = subprocess.run([sys.executable, "-c", SIGNALLED, str(house.TOOL), moment], capture_output=True, text=True, timeout=60,
                                      cwd=self.folder, check=False)
                self.assertEqual((done.stdout, done.returncode), ("handled\n", 0), done.stderr)

    def test_backend_that_is_not_here(self):
        """A backend that the app knows and this machine cannot run is named; all others run."""
        text = ONE.replace('"openmp"', '"openmp", "cuda"')
        out, said = self.run_plan(text, expect=1)
        self.assertIn("2 of 3 runs count", said)
        self.assertIn("not available: cuda: no GPU", said)
        self.assertIn("not available: cuda: no GPU", next(line for line in out.splitlines() if " cuda " in line))
        self.assertEqual(len(self.records()), 2)
        self.call("report", "out", expect=1 if self.has_plotly() else 3)
        with open(self.folder / "out/figures.json", encoding="utf-8") as file:
            content = json.load(file)
        self.assertEqual(len(content["configurations"]), 2)
        self.assertEqual([run["reason"] for run in content["runs"] if run["outcome"] == "not available"], ["cuda: no GPU"])
        self.assertEqual(content["portability"][0]["pp_architectural"], 0)
        out, _ = self.call("plan", self.folder / "plan.toml", "--out", "out", "--bin", self.bin, "--cores", "4")
        self.assertIn("not available: cuda: no GPU", out)

    def test_broken_files(self):
        """Each is one message, and no traceback."""
        self.run_plan(house.PLAN)
        record = next((self.folder / "out/runs").glob("*serial*-1/run.json"))
        limit = next((self.folder / "out/limits").glob("*.json"))
        comparison = self.folder / "out/comparison.json"
        for path, text, code, words in ((record, '{"outcome": "passed"}', 1, "got no whole record"), (record, "[]", 1, "got no whole record"),
                                        (limit, '{"host": 3}', 0, "got no limits that can be read"),
                                        (limit, "{", 0, "got no limits that can be read"),
                                        (comparison, "[1]", 2, "expected a folder that"),
                                        (comparison, '{"schema": "minx-compare", "version": 2}', 2, "comparison.json: got no title")):
            with self.subTest(f"{path.name}: {text}"):
                before = path.read_text()
                path.write_text(text)
                _, said = self.call("finish", "out", expect=code)
                self.assertEqual(said.count(words), 1, said)
                path.write_text(before)
        comparison.write_text("[1]")
        _, said = self.run_plan(house.PLAN, expect=2)
        self.assertIn("comparison.json", said)

    def test_report_to_a_file(self):
        self.run_plan(ONE)
        (self.folder / "file").write_text("")
        _, said = self.call("report", "out", "--out", "file", expect=3)
        self.assertIn("expected a folder that can be written", said)

    def test_half_written_record(self):
        """A record that is no JSON, as after a full disk, is a run that was not made."""
        self.run_plan(ONE)
        path = next((self.folder / "out/runs").glob("*serial*/run.json"))
        path.write_text(path.read_text()[:50])
        _, said = self.run_plan(ONE)
        self.assertIn("1 of 2 runs there", said)
        self.assertEqual(len(self.records()), 2)

    def test_retry(self):
        text = ONE + 'options = "trouble=fail:openmp"'
        self.run_plan(text, expect=1)
        _, said = self.run_plan(text, expect=1)
        self.assertIn("--retry", said)
        self.assertNotIn("[2/2]", said)
        _, said = self.run_plan(text, expect=1, more=("--retry",))
        self.assertIn("[2/2]", said)

    def started(self):
        return {record["run"]["id"]: os.stat(self.folder / "out/runs" / record["run"]["id"] / "run.json").st_mtime_ns
                for record in self.records()}

    def test_retry_what_was_altered(self):
        self.run_plan(ONE)
        next((self.folder / "out/runs").glob("*openmp*/results.h5")).write_text("{}")
        before = self.started()
        self.run_plan(ONE, more=("--retry",))
        after = self.started()
        self.assertEqual(["openmp" in name for name in before if before[name] != after[name]], [True])

    def test_retry_what_differs(self):
        """The program is cured without a change of its file: one variable decides."""
        text = ONE + 'options = "trouble=variable:openmp"'
        self.run_plan(text, expect=1, env={"FAKE_TROUBLE": "wrong"})
        self.run_plan(text, expect=1)
        self.run_plan(text, more=("--retry",))
        self.assertEqual(len(self.records()), 2)

    def test_another_program(self):
        self.run_plan(ONE)
        with open(self.bin / "tealeaf", "a", encoding="utf-8") as file:
            file.write("# another build\n")
        _, said = self.run_plan(ONE, expect=2)
        self.assertIn("expected the same program in all runs", said)

    def test_another_environment(self):
        self.run_plan(ONE)
        for text, more, words in (('environment = {A = "1"}\n' + ONE, (), "environment"), (ONE, ("--launcher", "mpirun"), "launcher"),
                                  ('launcher_options = ["-x"]\n' + ONE, (), "launcher options")):
            with self.subTest(words):
                _, said = self.run_plan(text, expect=2, more=more)
                self.assertIn(f"got runs with {words} ", said)

    def test_two_at_once(self):
        import fcntl

        self.run_plan(ONE)
        with open(self.folder / "out/.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _, said = self.run_plan(ONE, expect=3)
        self.assertIn("another minx-compare", said)

    def test_keep_results(self):
        self.run_plan("keep_results = false\n" + ONE)
        self.assertEqual(len(list((self.folder / "out/runs").glob("*/results.h5"))), 1)
        _, said = self.run_plan("keep_results = false\n" + ONE)
        self.assertIn("2 of 2 runs there", said)
        # further runs are compared with the file that was kept
        self.run_plan("keep_results = false\n" + ONE.replace("threads = 2", "threads = [1, 2]"))
        self.assertEqual(len(self.records()), 3)

    def test_launcher_and_environment(self):
        text = 'environment = {FAKE_SPEED = "2"}\nlauncher_options = ["-x"]\n' + ONE + "ranks = [1, 2]\n"
        self.run_plan(text, env={"MPIEXEC": str(self.bin / "mpirun")})
        record = next(record for record in self.records() if record["run"]["ranks"] == 2 and record["run"]["backend"] == "serial")
        self.assertEqual(record["command"][:4], [str(self.bin / "mpirun"), "-x", "-n", "2"])
        self.assertEqual(record["summary"]["ranks"], 2)
        self.assertAlmostEqual(record["summary"]["solve_seconds"], 0.25, delta=0.02)

    def test_sizes_by_rank(self):
        text = ONE + 'ranks = [1, 2]\nscaling = "weak"\noptions = "n={3 * ranks}"\n'
        self.run_plan(text)
        self.assertEqual({(record["run"]["ranks"], record["run"]["arguments"][0]) for record in self.records()}, {(1, "n=3"), (2, "n=6")})

    def test_exported(self):
        self.run_plan()
        self.call("report", "out", expect=0 if self.has_plotly() else 3)
        with open(self.folder / "out/figures.json", encoding="utf-8") as file:
            content = json.load(file)
        self.assertEqual(len(content["configurations"]), 3)
        self.assertEqual(len(content["runs"]), 6)
        self.assertEqual((self.folder / "out/p3.csv").read_text().splitlines()[0], "date,application,problem,platform,fom")


if __name__ == "__main__":
    house.main()

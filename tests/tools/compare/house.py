"""What the tests of minx-compare share: a scratch folder with stand-in programs, and a way to call the tool."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fake

ROOT = Path(__file__).resolve().parents[3]
TOOL = ROOT / "tools" / "compare"
sys.path.insert(0, str(TOOL))

PLAN = """
repeats = 2
timeout = 60

[[case]]
app = "tealeaf"
deck = "one.in"
backend = ["serial", "openmp"]
threads = [1, 2]
options = "n=1"
"""


class House(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.bin = fake.make_bin(self.folder / "bin")
        (self.folder / "one.in").write_text("a deck\n")

    def plan(self, text=PLAN, name="plan.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def environment(self, **more):
        env = {key: value for key, value in os.environ.items() if key not in ("MINX_BIN", "MINX_PYTHON", "MPIEXEC")}
        env["PATH"] = f"{self.bin}:{env['PATH']}"
        return {**env, **more}

    def command(self, *words):
        return [sys.executable, str(TOOL / "minx-compare"), *map(str, words)]

    def call(self, *words, expect=0, env=None):
        """Exit code as expected, stdout and stderr."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, cwd=self.folder, env=self.environment(**(env or {})),
                              timeout=800, check=False)
        self.assertEqual(done.returncode, expect, f"{' '.join(map(str, words))}: got exit code {done.returncode}, expected {expect}\n"
                                                  f"{done.stdout}\n{done.stderr}")
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def run_plan(self, text=PLAN, out="out", expect=0, env=None, more=()):
        return self.call("run", self.plan(text), "--out", out, "--bin", self.bin, "--cores", "4", *more, expect=expect, env=env)

    def records(self, out="out"):
        return [json.loads(path.read_text()) for path in sorted((self.folder / out / "runs").glob("*/run.json"))]


def main():
    if importlib.util.find_spec("h5py") is None:
        print(f"skipped: {sys.executable} has no h5py")
        sys.exit(77)
    unittest.main()

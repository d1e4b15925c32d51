"""Plans: each mistake is one line with file, key, what was got and what was expected; nothing is run, and nothing that is there is lost."""
import io
import os
import shutil
import subprocess
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout

import house

GOOD = """
[[case]]
app = "tealeaf"
deck = "one.in"
backend = "serial"
options = "n=1"
"""


def case(text):
    return GOOD + text


# what is wrong, the plan, the exit code, and the words that the message must have
BAD = [
    ("no file", None, 2, ["nothing.toml", "got no plan", "expected a TOML file"]),
    ("no TOML", "repeats = = 3", 2, ["plan.toml", "no TOML", "line 1"]),
    ("not UTF-8", b"title = \"\xff\"", 2, ["plan.toml", "no TOML"]),
    ("an empty plan", "", 2, ["plan.toml: case", "got nothing", "[[case]]"]),
    ("an unknown key", "repeat = 3\n" + GOOD, 2, ["plan.toml: repeat", "unknown key", "did you mean repeats?"]),
    ("an unknown key of a case", case("backends = 'serial'"), 2, ["case 1: backends", "unknown key", "did you mean backend?"]),
    ("no app", "[[case]]\ndeck = 'one.in'", 2, ["case 1: app", "got nothing", "expected the name of a program"]),
    ("an unknown app", GOOD.replace("tealeaf", "tealeave"), 2, ["case 1: app", "'tealeave'", "did you mean tealeaf?"]),
    ("an app that is a list", GOOD.replace('"tealeaf"', '["tealeaf"]'), 2, ["case 1: app", "['tealeaf']", "a text"]),
    ("a deck that is not there", GOOD.replace("one.in", "two.in"), 2, ["case 1: deck", "'two.in'", "a file in one of"]),
    ("a backend that the app does not have", GOOD.replace("serial", "seriall"), 2, ["case 1: backend", "'seriall'", "serial, openmp"]),
    ("an empty list", GOOD.replace('"serial"', "[]"), 2, ["case 1: backend", "nothing to run"]),
    ("an entry twice", GOOD.replace('"serial"', '["serial", "serial"]'), 2, ["case 1: backend", "'serial'", "each entry once"]),
    ("a layout that does not exist", case('layout = "up"'), 2, ["case 1: layout", "'up'", "auto, left, right"]),
    ("ranks that are 0", case("ranks = 0"), 2, ["case 1: ranks", "got 0", "at least 1"]),
    ("ranks that are no expression", case('ranks = "two"'), 2, ["case 1", "'two'", "no name 'two' among cores, gpus"]),
    ("ranks that are true", case("ranks = true"), 2, ["case 1: ranks", "got true", "whole number"]),
    ("threads with a wrong name", GOOD.replace("serial", "openmp") + 'threads = "core"', 2, ["case 1", "'core'", "no name 'core' among cores, gpus, ranks"]),
    ("threads below 1", GOOD.replace("serial", "openmp") + 'threads = "cores - 4"', 2, ["case 1", "cores - 4", "at least 1"]),
    ("more threads than cores", GOOD.replace("serial", "openmp") + "threads = 5", 2, ["ranks x threads", "1 x 5 on openmp", "at most 4", "oversubscribe"]),
    ("more ranks than cores", case("ranks = 8"), 2, ["ranks x threads", "8 x 1 on serial", "at most 4"]),
    ("repeats that are 0", "repeats = 0\n" + GOOD, 2, ["plan.toml: repeats", "got 0", "from 1 to 1000"]),
    ("repeats with a fraction", case("repeats = 1.5"), 2, ["case 1: repeats", "1.5", "whole number"]),
    ("a time limit below 0", "timeout = -1\n" + GOOD, 2, ["plan.toml: timeout", "-1", "above 0"]),
    ("a launcher that does not exist", 'launcher = "mpiexecc"\n' + GOOD, 2, ["plan.toml: launcher", "'mpiexecc'", "none, mpirun, srun"]),
    ("several ranks without a launcher", 'launcher = "none"\n' + case("ranks = 2"), 2, ["case 1: ranks", "got 2", 'launcher = "none"']),
    ("a scaling that does not exist", case('scaling = "stong"'), 2, ["case 1: scaling", "'stong'", "strong, weak"]),
    ("an expression that runs code", GOOD.replace("n=1", "n={__import__('os')}"), 2, ["case 1", "__import__", "only numbers, names"]),
    ("an expression that reads an attribute", GOOD.replace("n=1", "n={ranks.real}"), 2, ["case 1", "ranks.real", "only numbers, names"]),
    ("an expression that is too large", GOOD.replace("n=1", "n={9**64**9}"), 2, ["case 1", "9**64**9", "exponent"]),
    ("an expression that divides by 0", GOOD.replace("n=1", "n={1/(ranks-1)}"), 2, ["case 1", "1/(ranks-1)", "division by zero"]),
    ("an expression that is not finite", GOOD.replace("n=1", "n={1e999}"), 2, ["case 1", "1e999", "beyond 1e18"]),
    ("threads that are not finite", GOOD.replace("serial", "openmp") + 'threads = "1e999"', 2, ["case 1", "1e999", "beyond 1e18"]),
    ("an axis that is not finite", GOOD.replace("n=1", "n={n}") + "axis = {n = [inf, nan]}", 2, ["case 1", "n={n}", "beyond 1e18"]),
    ("round to powers of ten", GOOD.replace("n=1", "n={round(5, 0-999999999)}"), 2, ["case 1", "round(5, 0-999999999)", "argument"]),
    ("an option with an open quotation mark", GOOD.replace("n=1", "n='1"), 2, ["case 1", "quotation"]),
    ("an axis with the name of a key", case("axis = {ranks = [1, 2]}"), 2, ["axis.ranks", "'ranks'", "a name"]),
    ("an axis that is no table", case("axis = [1, 2]"), 2, ["case 1: axis", "[1, 2]", "a table of lists"]),
    ("an estimate that is no number", case('seconds = "soon"'), 2, ["case 1", "soon", "no name 'soon'"]),
    ("variables that are numbers", "environment = {OMP_PLACES = 1}\n" + GOOD, 2, ["environment", "OMP_PLACES", "a table of variables with texts"]),
    ("two cases of one name", GOOD + "name = 'a'\n" + GOOD + "name = 'a'", 2, ["case: name", "'a'", "no other case"]),
    ("two mistakes", case('layout = "up"\nscaling = "x"'), 2, ["case 1: layout", "case 1: scaling"]),
]


class Plans(house.House):
    def in_process(self, *words):
        """The tool without a new process."""
        from minx_compare.cli import main

        out, err = io.StringIO(), io.StringIO()
        here, path = os.getcwd(), os.environ["PATH"]
        os.chdir(self.folder)
        os.environ["PATH"] = f"{self.bin}:{path}"
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main([*map(str, words), "--bin", str(self.bin), "--cores", "4"])
        finally:
            os.chdir(here)
            os.environ["PATH"] = path
        return code, out.getvalue(), err.getvalue()

    def test_bad_plans(self):
        self.assertGreaterEqual(len(BAD), 30)
        self.run_plan(GOOD, more=("--repeats", "1"))
        before = self.tree()
        for what, text, code, needed in BAD:
            with self.subTest(what):
                path = self.folder / ("nothing.toml" if text is None else "plan.toml")
                if text is not None:
                    path.write_bytes(text if isinstance(text, bytes) else text.encode())
                got, _, said = self.in_process("run", path.name, "--out", "out")
                self.assertEqual(got, code, said)
                for word in needed:
                    self.assertIn(word, said)
                for line in said.splitlines():
                    self.assertTrue(line.startswith("minx-compare: "), line)
                    self.assertIn("got ", line)
                    self.assertIn("expected ", line)
                self.assertEqual(self.tree(), before)

    def tree(self):
        """Every file of the comparison, with its content."""
        return {str(path): path.read_bytes() for path in sorted((self.folder / "out").rglob("*")) if path.is_file()}

    def test_bad_machine(self):
        self.plan(GOOD)
        _, said = self.call("run", "plan.toml", "--bin", "nowhere", expect=3)
        self.assertIn("'nowhere'".replace("nowhere", str(self.folder / "nowhere")), said)
        (self.bin / "minx-verify").unlink()
        _, said = self.call("run", "plan.toml", "--bin", self.bin, expect=3)
        self.assertIn("without which no run counts", said)

    def test_unwritable_folder(self):
        self.plan(GOOD)
        (self.folder / "file").write_text("")
        _, said = self.call("run", "plan.toml", "--bin", self.bin, "--out", "file/out", expect=3)
        self.assertIn("--out: got", said)
        self.assertIn("expected a folder that can be written", said)

    def test_no_h5py(self):
        self.plan(GOOD)
        block = self.folder / "block"
        block.mkdir()
        (block / "sitecustomize.py").write_text(
            "import importlib.util as u\nfind = u.find_spec\nu.find_spec = lambda n, *a: None if n == 'h5py' else find(n, *a)\n")
        _, said = self.call("run", "plan.toml", "--bin", self.bin, expect=3, env={"PYTHONPATH": str(block)})
        self.assertIn("got no h5py", said)

    def test_bad_command_lines(self):
        for words, needed in ((("run",), "plan"), (("runn", "x"), "runn"), ((), "no command"), (("run", "plan.toml", "--repeats", "0"), "'0'"),
                              (("report", "nowhere"), "comparison.json"), (("finish", "."), "comparison.json")):
            with self.subTest(words):
                _, said = self.call(*words, expect=2)
                self.assertIn(needed, said)

    def test_one_run_in_two_cases(self):
        """A run that two cases have is made once, and both have it."""
        from minx_compare import machine, matrix, plan

        path = self.plan("".join(f"""
[[case]]
name = "{kind}"
app = "tealeaf"
backend = "serial"
ranks = [1, 2]
options = "n={size}"
scaling = "{kind}"
repeats = {repeats}
""" for kind, size, repeats in (("strong", "4", 1), ("weak", "{4 * ranks}", 2))))
        runs = matrix.expand(plan.load(path), machine.Machine(bin=self.bin, cores=4))
        self.assertEqual([(run["ranks"], run["arguments"], [one["case"] for one in run["memberships"]], run["repeat"]) for run in runs],
                         [(1, ["n=4"], ["strong", "weak"], 1), (2, ["n=4"], ["strong"], 1), (2, ["n=8"], ["weak"], 1),
                          (1, ["n=4"], ["strong", "weak"], 2), (2, ["n=8"], ["weak"], 2)])

    def test_plan_runs_nothing(self):
        self.plan(house.PLAN)
        said, _ = self.call("plan", "plan.toml", "--bin", self.bin, "--cores", "4", "--out", "out")
        self.assertIn("6 runs, 0 done", said)  # serial 1, openmp 1 and 2 threads, twice
        self.assertFalse((self.folder / "out").exists())

    def test_installed(self):
        """The folders of an installation, as cmake/MinxInstall.cmake makes them: programs, plans and decks are found there."""
        prefix = self.folder / "prefix"
        shutil.copytree(self.bin, prefix / "bin")
        shutil.copy(house.TOOL / "minx-compare", prefix / "bin")
        for name in ("minx_compare", "plans"):
            shutil.copytree(house.TOOL / name, prefix / "share/minx/compare" / name)
        shutil.copytree(house.ROOT / "inputs", prefix / "share/minx/inputs")
        done = subprocess.run([sys.executable, str(prefix / "bin/minx-compare"), "plan", "quick", "--cores", "2"], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment(), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("36 runs", done.stdout)

    def test_estimates(self):
        self.plan(GOOD + 'seconds = "30 * ranks"\nrepeats = 2')
        said, _ = self.call("plan", "plan.toml", "--bin", self.bin, "--cores", "4")
        self.assertIn("about 60 s left", said)

    def test_shipped_plans(self):
        from minx_compare import plan

        shipped = sorted((house.TOOL / "plans").glob("*.toml"))
        self.assertGreaterEqual(len(shipped), 7)
        for path in shipped:
            plan.load(path)
        said, _ = self.call("plans")
        self.assertEqual([line.split()[0] for line in said.splitlines()], [path.stem for path in shipped])


class Expressions(unittest.TestCase):
    def test_values(self):
        from minx_compare import expression

        names = {"ranks": 4, "n": 100, "word": "cg"}
        for text, expected in (("x={ranks}", "x=4"), ("x={n * ranks}", "x=400"), ("x={round(n * cbrt(2))}", "x=126"), ("x={n / ranks}", "x=25"),
                               ("x={n // 3} y={n % 3}", "x=33 y=1"), ("{word}", "cg"), ("x={-n}", "x=-100"), ("x={max(n, 7)}", "x=100"),
                               ("x={1 / 8}", "x=0.125"), ("x={int_}", None), ("x={}", None), ("x={'a'}", None), ("x={n:d}", None),
                               ("x={[n]}", None), ("x={n if n else 0}", None), ("x={(-1) ** 0.5}", None), ("x={word + 1}", None),
                               ("x={1e18 * 10}", None), ("x={sqrt(-1)}", None), ("x={lambda: 1}", None), ("x={round(n, ndigits=1)}", None)):
            with self.subTest(text):
                if expected is None:
                    self.assertRaises(expression.BadExpression, expression.fill, text, names)
                else:
                    self.assertEqual(expression.fill(text, names), expected)


if __name__ == "__main__":
    house.main()

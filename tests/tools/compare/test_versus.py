"""versus: stand-ins print the lines of the originals and of minx."""
import json
import signal
import subprocess
import time
from pathlib import Path

import fake
import house

MINIMD = '''
import sys
T = "7.208599e-01" if "--other" not in sys.argv else "7.308599e-01"
print("# Timestep T U P Time")
print("0 1.440000e+00 -6.773368e+00 -5.019973e+00  0.000")
print("100 " + T + " -5.701261e+00 5.236926e-01  0.412")
print("\\n\\n# Performance Summary:")
print("# MPI_proc OMP_threads nsteps natoms t_total t_force t_neigh t_comm t_other performance perf/thread grep_string t_extra")
print("1 2 100 4000 SECONDS 0.300000 0.080000 0.020000 0.012000 970873.786408 485436.893204 PERF_SUMMARY 0.010000")
'''
MINIFE = '''
import sys
print("Starting CG solver ... ")
print("Initial Residual = 11.0289")
print("Iteration = 20   Residual = 0.123424")
print("Iteration = 40   Residual = 1.5e-14")
print("Final Resid Norm: 2.18658e-16")
if "MINX" == "":
    open("miniFE.10x10x10.P1.2026:01:02-03:04:05.yaml", "w").write("CG solve: \\n  Iterations: 200\\n  Total: \\n    Total CG Time: SECONDS\\n")
else:
    print("  solve                             1     SECONDS          0     16.48")
'''
TEALEAF = '''
import os
text = """ Time 0.04
                          Volume                      Mass                   Density                    Energy                         U
 step:     10  1.00000000000000000E+02  9.00000000000000000E+03  9.00000000000000000E+01  2.00000000000000000E+00  1.57550841832793000E+02

 Calculation complete
 Tea is finishing
 Wall clock    SECONDS
"""
if "MINX" == "":
    assert open("tea.in").read() == "a deck\\n"
    open("tea.out", "w").write(text)
else:
    print(text)
'''

# a results file of two atoms, with what the input of LAMMPS needs
ATOMS = '''
import h5py, numpy
steps = 0 if "steps=0" in words else 100
with h5py.File(options["output"], "w") as file:
    for key, value in {"ntypes": 1, "shift": "none", "force": "lj", "neigh_check": 0, "units": "lj", "skin": 0.3, "every": 20, "dt": 0.005,
                       "thermo": 0, "steps": steps}.items():
        file["input/" + key] = value
    for key, value in {"box": [[0, 0, 0], [5, 6, 7]], "id": [1, 2], "type": [1, 1], "type_mass": [1], "pair_coefficients": [[1, 1, 2.5]],
                       "position": [[0, 0, 0], [1, 1, 1.25]], "velocity": [[1, 0, 0], [-1, 0, steps]]}.items():
        file["fields/" + key] = value
    for key, value in {"step": [0, 100], "temperature": [1.44, 0.72], "potential_energy": [-6.5, -5.5], "pressure": [-5, 0.5]}.items():
        file["series/" + key] = value
summary["regions"]["solve"] = {"seconds": 0.2, "calls": 1, "bytes": 0, "flops": 0}
json.dump(summary, open(options["summary"], "w"))
'''
LAMMPS = '''
import sys
text, atoms = open("input").read(), open("atoms.data").read()
assert "pair_coeff 1 1 1 1\\n" in text and "check no\\n" in text and "run 100\\n" in text, text
assert "0 7 zlo zhi" in atoms and "2 1 1 1 1.25" in atoms and "2 -1 0 0" in atoms, atoms
print("Step Temp PotEng Press \\n 0 1.44 -6.5 -5 \\n 100 " + ("0.73" if "--other" in sys.argv else "0.72") + " -5.5 0.5 ")
print("Loop time of 0.5 on 1 procs for 100 steps with 2 atoms")
'''


class Versus(house.House):
    def programs(self, app, text, seconds="0.412000", minx_seconds="0.206000"):
        """The original, and the stand-in app that prints the same lines."""
        fake.program(self.folder / "original", text.replace("SECONDS", seconds).replace("MINX", ""))
        fake.program(self.bin / app, fake.APP + text.replace("SECONDS", minx_seconds).replace("MINX", "minx"))

    def versus(self, app, *words, expect=0):
        return self.call("versus", app, "original", "--bin", self.bin, "--out", "out", "--json", "out.json", *words, expect=expect)

    def test_the_same(self):
        for app, text, words in (("minimd", MINIMD, ("--deck", "one.in")), ("minife", MINIFE, ("--option=n=1",)), ("tealeaf", TEALEAF, ("--deck", "one.in"))):
            with self.subTest(app):
                self.programs(app, text)
                out, said = self.versus(app, *words, "--repeats", "2")
                self.assertIn("original / minx: 2\n", out)
                self.assertNotIn("DIFFERS", out)
                self.assertIn("[2/2] minx", said)
                content = json.loads((self.folder / "out.json").read_text())
                self.assertTrue(content["agree"])
                self.assertEqual(content["seconds"], {"original": [0.412] * 2, "minx": [0.206] * 2})
                self.assertGreaterEqual(len(content["others"]["original"]["answer"]), 2)

    def test_another_answer(self):
        self.programs("minimd", MINIMD)
        out, _ = self.versus("minimd", "--deck", "one.in", "--original-option=--other", "--repeats", "1", expect=1)
        self.assertRegex(out, r"T, last row +0\.7308599 +0\.7208599 .*DIFFERS")
        self.assertIn("the times say nothing", out)
        self.assertNotIn("original / minx:", out)
        for good, bad in (("1.57550841832793000E+02", "1.57550941832793000E+02"), ("1.57550841832793000E+02", "NaN")):
            self.programs("tealeaf", TEALEAF)
            path = self.folder / "original"
            path.write_text(path.read_text().replace(good, bad))
            out, _ = self.versus("tealeaf", "--deck", "one.in", "--repeats", "1", expect=1)
            self.assertRegex(out, r"U .*DIFFERS")

    def test_roundings_of_miniFE(self):
        """After many iterations residuals are roundings: 1.5e-14 is not compared."""
        self.programs("minife", MINIFE)
        path = self.folder / "original"
        path.write_text(path.read_text().replace("1.5e-14", "9.9e-14"))
        self.versus("minife", "--option=n=1", "--repeats", "1")

    def test_failures(self):
        self.programs("minimd", MINIMD)
        _, said = self.call("versus", "minimd", "nowhere", "--bin", self.bin, expect=2)
        self.assertIn("a build of the original minimd", said)
        fake.program(self.folder / "original", "print('nothing')")
        _, said = self.versus("minimd", "--deck", "one.in", "--repeats", "1", expect=1)
        self.assertIn("no row of step, T, U, P and time", said)
        fake.program(self.folder / "original", "import os\nos.kill(os.getpid(), 11)")
        _, said = self.versus("minimd", "--deck", "one.in", "--repeats", "1", expect=1)
        self.assertIn("SIGSEGV", said)
        fake.program(self.folder / "original", "import time\ntime.sleep(60)")
        _, said = self.versus("minimd", "--deck", "one.in", "--repeats", "1", "--timeout", "1", expect=1)
        self.assertIn("more than 1 s", said)
        _, said = self.versus("minimd", "--deck", "one.in", "--json", "nowhere/out.json", expect=2)
        self.assertIn("--json: got 'nowhere/out.json'", said)

    def test_interrupted(self):
        """The program ends with versus, which keeps nothing."""
        self.programs("minimd", MINIMD)
        fake.program(self.folder / "original", "import os, time\nopen('started', 'w').write(str(os.getpid()))\ntime.sleep(60)")
        words = self.command("versus", "minimd", "original", "--deck", "one.in", "--bin", self.bin, "--out", "out")
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=self.folder, env=self.environment())
        started = self.folder / "out/original-1/started"
        while not (started.is_file() and started.read_text()):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual((process.returncode, said.splitlines()[-1]), (5, "minx-compare: interrupted; the same command begins anew"))
        self.assertFalse(Path("/proc", started.read_text()).exists())

    def test_an_answer_that_differs_later(self):
        self.programs("minimd", MINIMD.replace("if ", "if 'original-2' not in __import__('os').getcwd() and "))
        out, _ = self.versus("minimd", "--deck", "one.in", "--repeats", "3", expect=1)
        self.assertRegex(out, r"T, last row +0\.7308599 +0\.7208599 .*DIFFERS")
        self.assertIn("of repeat 2; those before it agree", out)

    def test_an_option_with_a_blank(self):
        self.programs("minimd", MINIMD)
        self.versus("minimd", "--deck", "one.in", "--option=name=two words", "--repeats", "1")
        self.assertIn("name=two words", json.loads(next(self.folder.glob("out/runs/*/run.json")).read_text())["command"])

    def rival(self, *words, expect=0, env=None):
        return self.call("versus", "minimd", "lammps", "--deck", "one.in", "--bin", self.bin, "--out", "out", "--json", "out.json",
                         "--repeats", "2", "--option=-n", "--option=100", *words, expect=expect, env=env)

    def test_a_rival(self):
        fake.program(self.bin / "minimd", fake.APP + ATOMS, flags="-I")
        fake.program(self.bin / "minx-verify", "")
        fake.program(self.bin / "lmp", LAMMPS)
        out, _ = self.rival()
        self.assertIn("lammps / minx: 2.5\n", out)
        content = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(content["seconds"], {"lammps": [0.5] * 2, "minx": [0.2] * 2})
        out, _ = self.rival("--original-option=--other", expect=1)
        self.assertRegex(out, r"T, last row +0\.73 +0\.72 .*DIFFERS")

    def test_the_start_of_a_rival(self):
        """The run of no step has no other number of steps."""
        from minx_compare.rivals import of_start

        for words in (["steps=5"], ["nsteps=5"], ["--steps=5"], ["--nsteps=5"], ["-n=5"], ["-n", "5"], ["--steps", "5"], ["--nsteps", "5"]):
            self.assertEqual(of_start(["-s", "4", *words, "thermo=1"]), ["-s", "4", "thermo=1", "steps=0"])

    def test_rivals_that_cannot_run(self):
        fake.program(self.bin / "lmp", LAMMPS)
        for words, code, what in ((("minimd", "hypre-pfmg"), 2, "a rival of minimd: lammps"), (("minife", "hyper"), 2, "hypre-pfmg, hypre-boomeramg"),
                                  (("minife", "hypre-pfmg", "--threads", "2"), 2, "--threads: got 2"), (("minife", "hypre-pfmg"), 3, "libhypre-dev"),
                                  (("minife", "petsc-gamg"), 3, "libpetsc-real-dev")):
            _, said = self.call("versus", *words, "--bin", self.bin, "--out", "out", expect=code, env={"MPICC": "false"})
            self.assertIn(what, said)
            self.assertEqual(len(said.splitlines()), 1)
        said = self.call("versus", "minife", "hypre-pfmg", "--bin", self.bin, "--out", "out", expect=3, env={"MPICC": "no-such-mpicc"})[1]
        self.assertIn("no compiler no-such-mpicc", said)
        (self.bin / "lmp").unlink()
        self.assertIn("Debian's package lammps", self.rival(expect=3, env={"PATH": str(self.bin)})[1])


if __name__ == "__main__":
    house.main()

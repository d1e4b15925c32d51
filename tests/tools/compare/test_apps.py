"""minx-compare with the real programs: what the stand-ins pretend must be so. test_apps.py BIN_FOLDER"""
import shutil
import subprocess
import sys
from pathlib import Path

import house

BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

PLAN = """
repeats = 1
timeout = 300
oversubscribe = true
limits = false
[[case]]
name = "pipe"
app = "tealeaf"
deck = "tealeaf/crooked_pipe_10.in"
options = ["", "tl_preconditioner_type=multigrid"]
backend = ["serial", "openmp"]
threads = 2
[[case]]
name = "cube"
app = "minife"
options = ["nx=8 operator=csr", "nx=8 operator=symmetric"]
backend = ["serial", "openmp"]
threads = 2
[[case]]
name = "ranks"
app = "minife"
options = "nx=6 ny=6 nz={6 * ranks}"
backend = "serial"
ranks = [1, 2]
scaling = "weak"
[[case]]
name = "lists"
app = "minimd"
deck = "minimd/lj.in"
options = "-s 4 steps=5 thermo=0 neighbours={lists}"
axis = {lists = ["full", "half"]}
agree = ["neighbours"]
backend = ["serial", "openmp"]
threads = 2
"""


class Apps(house.House):
    def setUp(self):
        super().setUp()
        built = [name for name in ("tealeaf", "minife", "minimd") if (BIN / name).exists()]
        cases = [part for part in PLAN.split("[[case]]")[1:] if any(f'app = "{name}"' in part for name in built)]
        self.text = PLAN.split("[[case]]")[0] + "".join("[[case]]" + part for part in cases)
        self.bin = BIN

    def environment(self, **more):
        env = super().environment(**more)
        return {**env, "OMP_WAIT_POLICY": "passive"}  # tests share cores

    def test_everything_counts(self):
        path = self.plan(self.text)
        out, said = self.call("run", path, "--out", "out", "--bin", BIN)
        for record in self.records():
            self.assertEqual(record["outcome"], "passed", said)
            self.assertEqual(len(record["results"]["root"]), 64)
            self.assertTrue(record["results"]["checks"])
            self.assertNotIn("unreadable", record["results"])
        self.assertIn(" openmp ", out)
        # one bit of a field, changed by hand: minx-verify says so when the same file is verified again
        results = self.folder / "out/runs" / self.records()[0]["run"]["id"] / "results.h5"
        import h5py

        with h5py.File(results, "r+") as file:
            name = next(name for name, item in file["fields"].items() if item.dtype.kind == "f")
            values = file["fields"][name][...]
            values.flat[0] += 1
            file["fields"][name][...] = values
        self.assertNotEqual(subprocess.run([str(BIN / "minx-verify"), str(results)], capture_output=True, check=False).returncode, 0)
        _, said = self.call("finish", "out", expect=1)
        self.assertIn("results.h5 was altered", said)

    def test_limits(self):
        """The keys that limits.py reads are in the file that minx-bench writes."""
        if not (BIN / "minx-bench").exists():
            self.skipTest("minx-bench is not built")
        from minx_compare import limits, store

        path = self.folder / "limits.json"
        subprocess.run([str(BIN / "minx-bench"), "--limits", "--backend=serial", "--size-factor=0.002", "--repeat=1", "--json", str(path)],
                       stdout=subprocess.DEVNULL, check=True, env=self.environment())
        found = limits.numbers(store.read_json(path))
        for key in ("bandwidth", "cache_bandwidth", "flops", "cache_bytes"):
            self.assertGreater(found[key], 0, key)
        self.assertRegex(found["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(found["host"])

    def test_versus_itself(self):
        """minx prints the originals' lines, so it can stand in for them."""
        for app, words in (("minimd", ["--option=-s", "--option=4"]), ("minife", ["--option=nx=8"])):
            if (BIN / app).exists():
                with self.subTest(app):
                    out, _ = self.call("versus", app, BIN / app, *words, "--bin", BIN, "--backend", "serial", "--repeats", "1")
                    self.assertIn("original / minx:", out)
                    self.assertNotIn("DIFFERS", out)
        if (BIN / "tealeaf").exists():
            script = self.folder / "original"  # as the original: deck tea.in, output tea.out
            script.write_text(f'#!/bin/sh\nexec {BIN}/tealeaf tea.in --out tea.out --backend=serial\n')
            script.chmod(0o755)
            deck = house.ROOT / "inputs/tealeaf/crooked_pipe_10.in"
            shutil.copyfile(deck, self.folder / "pipe.in")
            out, _ = self.call("versus", "tealeaf", script, "--deck", "pipe.in", "--bin", BIN, "--backend", "serial", "--repeats", "1")
            self.assertRegex(out, r"U .*agrees")

    def rival(self, app, name, *words):
        if not (BIN / app).exists():
            self.skipTest(f"{app} is not built")
        out, _ = self.call("versus", app, name, *words, "--bin", BIN, "--backend", "serial", "--repeats", "1")
        self.assertIn(f"{name} / minx:", out)

    def test_lammps(self):
        if not shutil.which("lmp"):
            self.skipTest("LAMMPS is not installed")
        self.rival("minimd", "lammps", "--option=size=4", "--option=steps=20")

    def test_hypre(self):
        if not Path("/usr/include/hypre/HYPRE.h").exists():
            self.skipTest("hypre is not installed")
        self.rival("minife", "hypre-boomeramg", "--option=nx=8", "--option=ny=6", "--option=nz=7")
        self.rival("tealeaf", "hypre-pfmg", "--option=x_cells=20", "--option=y_cells=30")

    def test_petsc(self):
        if subprocess.run(["sh", "-c", "pkg-config --exists petsc"], check=False).returncode != 0:
            self.skipTest("PETSc is not installed")
        self.rival("minife", "petsc-gamg", "--option=nx=8")

    def test_shipped_plans(self):
        """Their decks and keys are there. What this machine lacks, as a GPU, is the only thing that may be wrong."""
        built = all((BIN / name).exists() for name in ("tealeaf", "minife", "minimd"))
        if not built:
            self.skipTest("not all apps are built")
        for path in sorted((house.TOOL / "plans").glob("*.toml")):
            with self.subTest(path.stem):
                done = subprocess.run(self.command("plan", path.stem, "--bin", BIN), capture_output=True, text=True, cwd=self.folder,
                                      env=self.environment(), check=False, timeout=120)
                wrong = [line for line in done.stderr.splitlines() if "backend: got 'cuda'" not in line]
                self.assertEqual(wrong, [])
                if path.stem != "gpu":
                    self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    if BIN is None:
        print(__doc__)
        sys.exit(2)
    house.main()

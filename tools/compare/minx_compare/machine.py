"""What this machine has: cores, programs and their backends, decks. Everything that a plan needs is looked up here before the first
run, so that a comparison does not end in the middle for a mistake that could be seen at its start."""
from __future__ import annotations

import dataclasses
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import matrix
from .errors import CANNOT, Mistakes, Text
from .plan import near

DEBUG_BACKENDS = ("simt",)  # `all` leaves them out: their times mean nothing
TOOLS = Path(__file__).resolve().parent.parent


def cores_here():
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def gpus_here(environment):
    """How many NVIDIA GPUs a run with this environment can use on this host; None: nobody knows."""
    given = environment.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return len([name for name in given.split(",") if name.strip()])
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return sum(1 for line in done.stdout.splitlines() if line.startswith("GPU ")) or None


def bin_folder(given):
    """The folder of the programs: --bin, MINX_BIN, the folder of an installed minx-compare, or build/bin of the checkout."""
    if given or os.environ.get("MINX_BIN"):
        return Path(given or os.environ["MINX_BIN"])
    installed = TOOLS.parent.parent.parent / "bin"
    return installed if TOOLS.parent.name == "minx" and installed.is_dir() else TOOLS.parent.parent / "build" / "bin"


def deck_folders(plan):
    """Where a deck of a plan is looked for: beside the plan, here, then among the decks that come with minx."""
    shipped = [TOOLS.parent / "inputs", TOOLS.parent.parent / "inputs"]
    return [plan.path.resolve().parent, Path.cwd(), *shipped]


def is_program(path):
    return path.is_file() and os.access(path, os.X_OK)


@dataclasses.dataclass
class Machine:
    bin: Path
    cores: int
    checks_cores: bool = True  # False: the runs go to other nodes
    gpus: int | None = None  # of this host, or of a node of the job
    checks_backends: bool = True
    backends: dict = dataclasses.field(default_factory=dict)  # of each app
    absent: dict = dataclasses.field(default_factory=dict)  # why the others of each app cannot run
    decks: dict = dataclasses.field(default_factory=dict)

    def names(self):
        """What expressions know of this machine. The cores and GPUs of other nodes are not known here. Without a GPU `gpus` is 1, so
        that a plan has runs on cuda there too, which are named as not there."""
        known = {"cores": self.cores} if self.checks_cores else {}
        return {**known, "gpus": max(1, self.gpus)} if self.gpus is not None else known

    def programs(self):
        if not self.bin.is_dir():
            return []
        return sorted(path.name for path in self.bin.iterdir() if is_program(path) and not path.name.startswith(("minx-", "test_")))

    def ask_backends(self, case, mistakes):
        """Asks an app once which backends can run here."""
        if case.app in self.backends or not case.app:
            return
        path = self.bin / case.app
        if not self.bin.is_dir():  # check_tools says so
            return
        if not is_program(path):
            names = self.programs()
            mistakes.add(f"{case.where}: app", case.app,
                         f"a program in {self.bin}" + (f": {', '.join(names)}{near(case.app, names)}" if names else ", which has none"))
            self.backends[case.app] = []
            return
        try:
            done = subprocess.run([str(path), "--backends"], capture_output=True, text=True, timeout=60, check=False,
                                  stdin=subprocess.DEVNULL)
            lines, code = done.stdout.splitlines(), done.returncode
        except (OSError, subprocess.TimeoutExpired) as error:
            lines, code = [str(error)], 1
        if code != 0:
            mistakes.add(f"{path} --backends", Text(f"exit code {code}"), "a list of backends: does the program start here?", CANNOT)
            lines = []
        self.backends[case.app] = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        self.absent[case.app] = [line.lstrip("# ") for line in lines if line.startswith("#")]

    def backends_of(self, case, mistakes):
        """The backends of a case. `all`: every one that can run here."""
        if not self.checks_backends:
            return [name for name in case.backend if isinstance(name, str) and self.known_elsewhere(case, name, mistakes)]
        self.ask_backends(case, mistakes)
        here = self.backends.get(case.app, [])
        found = []
        for name in case.backend:
            if name == "all":
                found += [backend for backend in here if backend not in DEBUG_BACKENDS]
            elif isinstance(name, str) and name.split(":")[0] in here:
                found.append(name)
            elif isinstance(name, str) and self.why_absent(case.app, name):
                found.append(name)
            elif here:
                absent = [line.split(":")[0] for line in self.absent[case.app]]
                mistakes.add(f"{case.where}: backend", name, f"one of {', '.join(here + absent)}")
        return list(dict.fromkeys(found))

    def why_absent(self, app, backend):
        """The line `name: why` of a backend that the app knows and this machine cannot run; empty: it can."""
        name = backend.split(":")[0]
        return next((line for line in self.absent.get(app, []) if line.split(":")[0] == name), "")

    @staticmethod
    def known_elsewhere(case, name, mistakes):
        if name == "all":
            mistakes.add(f"{case.where}: backend", name, "names of backends, as the nodes of the job may have others than this machine")
        return name != "all"

    def decks_of(self, plan, case, mistakes):
        """Each deck as path, name and digest. Without one, an app takes its options alone."""
        if not case.deck:
            return [{"path": None, "name": "-", "digest": ""}]
        found = []
        for name in case.deck:
            if not isinstance(name, str):
                continue
            path = next((folder / name for folder in deck_folders(plan) if (folder / name).is_file()), None)
            if path is None:
                places = ", ".join(str(folder) for folder in deck_folders(plan))
                mistakes.add(f"{case.where}: deck", name, f"a file in one of {places}")
            else:
                path = path.resolve()
                if path not in self.decks:
                    self.decks[path] = {"path": path, "name": path.stem, "digest": matrix.file_digest(path)}
                found.append(self.decks[path])
        return found

    def check_tools(self, plan, launcher, mistakes):
        """What every comparison needs."""
        if not self.bin.is_dir():
            mistakes.add("--bin", str(self.bin), "a folder with the programs; build minx, or name another one by --bin or MINX_BIN", CANNOT)
        elif not is_program(self.bin / "minx-verify"):
            mistakes.add("--bin", str(self.bin), "a folder with minx-verify, without which no run counts", CANNOT)
        if importlib.util.find_spec("h5py") is None:
            mistakes.add(f"Python {sys.executable}", Text("no h5py"), "a Python with h5py (Debian: python3-h5py); MINX_PYTHON names one", CANNOT)
        if launcher == "srun" and shutil.which("srun") is None and self.checks_cores:
            mistakes.add("launcher", "srun", "a launcher that is on PATH", CANNOT)
        if launcher == "mpirun" and not mpirun():
            mistakes.add("launcher", "mpirun", "mpirun on PATH, or the variable MPIEXEC", CANNOT)
        if launcher == "none":
            for case in plan.cases:
                for ranks in case.ranks:
                    if ranks != 1:
                        mistakes.add(f"{case.where}: ranks", ranks, '1 with launcher = "none"')


def mpirun():
    """The launcher of MPI programs as a list of words, or an empty one."""
    given = os.environ.get("MPIEXEC", "")
    if given:
        return given.split()
    found = shutil.which("mpirun") or shutil.which("mpiexec")
    return [found] if found else []


def check_folder(path, mistakes):
    """Can the comparison be written there?"""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / ".probe"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        mistakes.add("--out", Text(f"'{path}' ({error.strerror})"), "a folder that can be written", CANNOT)


def check(plan, machine, launcher, out=None):
    """All of it. Returns the runs, or ends the program with every mistake that it found."""
    mistakes = Mistakes()
    machine.check_tools(plan, launcher, mistakes)
    runs = matrix.expand(plan, machine, mistakes)
    if out is not None and not mistakes.lines:
        check_folder(out, mistakes)
    mistakes.end_if_any()
    return runs


def launcher_of(plan, given, submit=False):
    """auto: srun in jobs that are submitted; here mpirun where a run has several ranks, else none."""
    name = given or plan.launcher
    if name != "auto":
        return name
    if submit:
        return "srun"
    several = any(ranks != 1 for case in plan.cases for ranks in case.ranks)
    return "mpirun" if several else "none"



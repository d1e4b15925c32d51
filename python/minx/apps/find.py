"""Where the apps are, and what starts their ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import AppError

ROOT_VARIABLES = (
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    "PRTE_ALLOW_RUN_AS_ROOT",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
)
RANK_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE")  # what launchers tell their programs


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def places() -> list[Path]:
    """Folders where apps may be, in the order of the search, without those of PATH."""
    given = os.environ.get("MINX_BIN")
    if given:
        return [Path(given)]
    prefix = os.environ.get("MINX_PREFIX")
    package = Path(__file__).resolve().parents[1]
    found = [Path(prefix) / "bin"] if prefix else []
    return [*found, package / "_minx" / "bin", Path(sys.prefix) / "bin"]


def program(app: str) -> Path:
    """The path of an app's program.

    It is looked for in the folder MINX_BIN, if that is set, else in MINX_PREFIX/bin, beside the installed package, and
    on the PATH. Raises AppError, with the places, if it is not there.

    >>> apps.program("minimd").name
    'minimd'
    """
    folders = places()
    for folder in folders:
        if _is_program(folder / app):
            return folder / app
    on_path = None if os.environ.get("MINX_BIN") else shutil.which(app)
    if on_path:
        return Path(on_path)
    where = ", ".join(map(str, folders)) + ("" if os.environ.get("MINX_BIN") else " and on the PATH")
    raise AppError(
        f"the program {app} was not found in {where}. Build the apps (scripts/build.sh), and set MINX_BIN to "
        "the folder that has them, as in MINX_BIN=/path/to/minx/build/bin"
    )


def _is_open_mpi(mpirun: str) -> bool:
    try:
        shown = subprocess.run([mpirun, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "Open MPI" in shown or "open-mpi" in shown


def _mpirun(ranks: int) -> list[str]:
    given = os.environ.get("MPIEXEC", "").split()
    found = given or [p for p in (shutil.which("mpirun") or shutil.which("mpiexec"),) if p]
    if not found:
        raise AppError(
            f"ranks={ranks} needs mpirun, which is not on the PATH: load or install the MPI with which the apps "
            "were built, or set MPIEXEC"
        )
    if not given and _is_open_mpi(found[0]):  # bound to one core, the threads of a rank would share it
        found += ["--bind-to", "none"] + (["--oversubscribe"] if ranks > len(os.sched_getaffinity(0)) else [])
    return [*found, "-n", str(ranks)]


def launcher(ranks: int, threads: int | None) -> list[str]:
    """The words in front of the program: none for one rank; srun within a job of Slurm; else mpirun (MPIEXEC, if it is
    set).

    Raises AppError if this Python is itself one of several ranks, or if there is no launcher.
    """
    for name in RANK_VARIABLES:
        if os.environ.get(name, "1") not in ("", "0", "1"):
            raise AppError(
                f"this Python is one of several ranks itself ({name}={os.environ[name]}): run apps from a "
                "Python that was started without a launcher"
            )
    if ranks == 1:
        return []
    if os.environ.get("SLURM_JOB_ID") and shutil.which("srun"):
        return ["srun", f"--ntasks={ranks}", *([f"--cpus-per-task={threads}"] if threads else [])]
    return _mpirun(ranks)


def environment(added: dict, progress: bool) -> dict:
    """The variables of a run: those of this process, those that containers need, and `added`."""
    variables = dict(os.environ)
    if progress:
        variables["MINX_PROGRESS"] = "1"
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in containers; Open MPI and PRRTE ask for it
        for name in ROOT_VARIABLES:
            variables.setdefault(name, "1")
    variables.update({str(name): str(value) for name, value in added.items()})
    return variables

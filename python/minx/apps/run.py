"""A run of an app: its command, its child process, its outcome."""

from __future__ import annotations

import json
import numbers
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from . import child, find, progress
from .errors import AppError, meaning_of
from .results import Results

TAIL = 12  # lines of stderr in a message
WITH_VERDICT = (0, 1, 4, 5)  # exit codes of runs that came to one
# Options of the command line that are no keys of a deck: they are written with - for _
OPTIONS = (
    "backend",
    "threads",
    "device",
    "layout",
    "checkpoint",
    "checkpoint_every",
    "restart",
    "gpu_mpi",
    "check_against",
)
OWN_FILES = {"summary": "folder=", "quiet": "progress=False"}  # options that have another way here


@dataclass(frozen=True)
class Figure:
    """The figure of merit: as in docs/summary.md."""

    name: str
    value: float
    unit: str
    higher_is_better: bool

    def __str__(self) -> str:
        return f"{self.value:.4g} {self.unit}"


@dataclass(frozen=True)
class Region:
    """A part of a run: seconds of the slowest rank, calls, bytes that had to be moved, operations that had to be
    done."""

    seconds: float
    calls: int
    bytes: float
    flops: float


class Run:
    """A run that has ended with a verdict.

    app         "minimd", ...
    verdict     "passed", "failed", "iteration limit", "breakdown" or "stopped"
    exit_code   0, 1, 4 or 5; meaning: in words
    summary     the dict of --summary: docs/summary.md has its keys
    fom         the figure of merit: Figure
    regions     {name: Region}
    results     the results file as arrays: Results (needs h5py)
    command     the words of the command
    stdout, stderr   texts, without progress
    folder      the folder of results.h5 and summary.json; a temporary one is removed with the last reference to the Run
                or its results

    >>> run = apps.minife(nx=4, output=False, threads=1)
    >>> run.passed, run.regions["solve"].calls, run.summary["app"]
    (True, 1, 'minife')
    """

    def __init__(self, app: str, command: Sequence[str], ended: child.Ended, folder: Path, keep: Any, summary: dict[str, Any]) -> None:
        self.app, self.command, self.folder, self._keep = app, tuple(command), folder, keep
        self.exit_code: int = ended.exit_code
        self.stdout: str = ended.stdout
        self.stderr: str = progress.without_progress(ended.stderr)
        self.summary = summary
        self.verdict: str = summary["verdict"]
        self.fom: Figure | None = Figure(**summary["fom"]) if summary.get("fom") else None
        self.regions: dict[str, Region] = {name: Region(**region) for name, region in summary["regions"].items()}

    @property
    def meaning(self) -> str:
        return meaning_of(self.exit_code)

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @cached_property
    def results(self) -> Results:
        path = self.folder / "results.h5"
        if not path.exists():
            raise FileNotFoundError(
                f"{self.app} has written no results file: "
                + ("it was stopped after a checkpoint" if self.verdict == "stopped" else "the run had output=False")
            )
        return Results(path, self._keep)

    def to_xarray(self) -> Any:
        """results.to_xarray(): an xarray.Dataset of all fields and series."""
        return self.results.to_xarray()

    def __repr__(self) -> str:
        s = self.summary
        return (
            f"<{self.app} {s['problem']}, {s['problem_size']} on {s['backend']}, {s['ranks']} x {s['threads']}: "
            f"{self.verdict}, {self.fom}, {s['wall_seconds']:.3g} s>"
        )


def word_of(name: str, value) -> list[str]:
    """An option as the app reads it."""
    key = name.replace("_", "-") if name in OPTIONS else name
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{key}"]
    return [f"--{key}={text_of(name, value)}"]


def text_of(name: str, value) -> str:
    """A value as decks have it."""
    if isinstance(value, (tuple, list)):
        return ",".join(text_of(name, v) for v in value)
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise TypeError(
        f"{name} is a {type(value).__name__}: expected a text, a number, True, False, None, or a tuple of "
        "texts and numbers"
    )


def tail_of(stderr: str) -> str:
    """The last lines of stderr without those of mpirun around them."""
    lines = [line.rstrip() for line in stderr.splitlines()]
    kept, inside = [], False
    for line in lines:
        if line and set(line) <= set("-=*") and len(line) > 20:  # mpirun's messages stand between such lines
            inside = not inside
        elif line and not inside:
            kept.append(line)
    return "\n".join((kept or [line for line in lines if line])[-TAIL:])


def _folder(given):
    """The folder of the run's files, and the object that removes it, if it is temporary."""
    if given is None:
        keep = tempfile.TemporaryDirectory(prefix="minx-run-", ignore_cleanup_errors=True)
        return Path(keep.name), keep
    folder = Path(given).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder, None


def _deck(deck, folder: Path) -> list[str]:
    if deck is None:
        return []
    if isinstance(deck, str) and "\n" in deck:
        path = folder / "deck.in"
        path.write_text(deck)
        return [str(path)]
    return [os.fspath(deck)]


def _check(name, condition, got, expected):
    if not condition:
        raise ValueError(f"{name}={got!r}: expected {expected}")


def _take(options: dict) -> dict:
    """The options that are not the app's, with their defaults."""
    own = {
        "ranks": 1,
        "timeout": None,
        "folder": None,
        "output": True,
        "progress": None,
        "raise_on_failure": False,
        "launcher": None,
        "environment": {},
    }
    taken = {name: options.pop(name, default) for name, default in own.items()}
    ranks, timeout = taken["ranks"], taken["timeout"]
    _check("ranks", isinstance(ranks, numbers.Integral) and ranks > 0, ranks, "a whole number above 0")
    _check("timeout", timeout is None or isinstance(timeout, numbers.Real) and timeout > 0, timeout, "seconds, above 0")
    _check(
        "output",
        isinstance(taken["output"], bool),
        taken["output"],
        "True or False; folder= says where the results file is written",
    )
    for name, other in OWN_FILES.items():
        if name in options:
            raise TypeError(f"{name} is not an option here: use {other}")
    return taken


def command_of(app: str, deck, own: dict, options: dict, folder: Path) -> list[str]:
    """The words of a run's command."""
    words = own["launcher"]
    if words is None:
        words = find.launcher(int(own["ranks"]), options.get("threads"))
    command = [*map(str, words), str(find.program(app)), *_deck(deck, folder)]
    for name, value in options.items():
        command += word_of(name, value)
    if own["output"]:
        command.append(f"--output={folder / 'results.h5'}")
    return [*command, f"--summary={folder / 'summary.json'}"]


def launch(app: str, deck, options: dict) -> Run:
    """Runs an app and waits: see minx.apps.minimd."""
    own = _take(options)
    folder, keep = _folder(own["folder"])
    command = command_of(app, deck, own, options, folder)
    summary_file = folder / "summary.json"
    summary_file.unlink(missing_ok=True)
    shown = progress.is_wanted(own["progress"])
    bar = progress.Bar(app, shown)
    try:
        ended = child.run(command, find.environment(own["environment"], shown), own["timeout"], bar)
    finally:
        bar.end()
    return outcome(app, command, ended, own, folder, keep)


def outcome(app, command, ended: child.Ended, own, folder, keep) -> Run:
    """The Run, or an AppError that says why there is none."""
    stderr = progress.without_progress(ended.stderr)
    about = {"command": command, "stderr": stderr}
    said = tail_of(stderr) or tail_of(ended.stdout) or "(it printed nothing)"
    if ended.timed_out:
        raise AppError(f"{app} was ended after {own['timeout']:g} s (timeout=). Its last lines:\n{said}", **about)
    summary_file = folder / "summary.json"
    code = ended.exit_code
    if code not in WITH_VERDICT or not summary_file.exists():
        why = (
            meaning_of(code)
            if code not in WITH_VERDICT
            else "it ended without a verdict: the message is that of its launcher, or the system's"
        )
        raise AppError(f"{app} failed with exit code {code}: {why}.\n{said}", exit_code=code, **about)
    run = Run(app, command, ended, folder, keep, json.loads(summary_file.read_text()))
    if own["raise_on_failure"] and not run.passed:
        raise AppError(
            f"{app} has the verdict '{run.verdict}', exit code {code}: {run.meaning}.\n{said}",
            exit_code=code,
            run=run,
            **about,
        )
    return run

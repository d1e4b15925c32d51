"""What fails when an app is run."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Run

MEANINGS = {  # as in the README of minx
    0: "the run ended, and its checks passed",
    1: "a check of the results failed",
    2: "a mistake in the command line, the deck or another input file",
    3: "a failure at run time: memory, MPI, the GPU or a file",
    4: "the solver broke down",
    5: "a signal stopped the run after a checkpoint",
    126: "the program could not be started",
    127: "the program or its launcher was not found",
}


def meaning_of(exit_code: int) -> str:
    """What an exit code says, in words; also those of programs that a signal ended: -9 of Python, 137 of shells and
    launchers."""
    number = -exit_code if exit_code < 0 else exit_code - 128 if exit_code > 128 else 0
    if number:
        try:
            return f"ended by the signal {signal.Signals(number).name}"
        except ValueError:
            pass
    return MEANINGS.get(exit_code, "not an exit code of minx: the launcher's, or the system's")


class AppError(RuntimeError):
    """An app was not found, could not be run, failed, or took too long.

    exit_code: the exit code, None if the app has not run to an end; meaning: what it says, in words; command: the words
    of the command; stderr: what the app and its launcher wrote there; run: the Run, where there was a verdict, else
    None.
    """

    def __init__(self, message: str, *, exit_code: int | None = None, command: Sequence[str] = (), stderr: str = "",
                 run: Run | None = None) -> None:
        super().__init__(message)
        self.exit_code, self.command, self.stderr, self.run = exit_code, tuple(command), stderr, run

    @property
    def meaning(self) -> str:
        return "" if self.exit_code is None else meaning_of(self.exit_code)

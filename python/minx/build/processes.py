"""Compilers that run at the same time. After a second a line on the terminal says what is being compiled."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from .. import interrupts
from ..errors import CompileError, SetupError

BEFORE_PROGRESS = 1.0  # seconds without a word
MOST_LINES = 60  # of a compiler's output in a message


class Progress:
    """A line on stderr while something takes longer than a second: on a terminal, or with MINX_PY_PROGRESS=1 (0: never). It
    is erased at the end."""

    def __init__(self, what: str):
        self.what, self.start, self.shown = what, time.monotonic(), False
        wanted = os.environ.get("MINX_PY_PROGRESS", "")
        self.wanted = wanted == "1" or wanted != "0" and sys.stderr is not None and sys.stderr.isatty()

    def tick(self) -> None:
        seconds = time.monotonic() - self.start
        if self.wanted and seconds >= BEFORE_PROGRESS:
            self.shown = True
            print(f"\rminx: {self.what} ... {seconds:.0f} s", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print("\r\033[K" if sys.stderr.isatty() else "", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def run(commands: list[list[str]], what: str, folder: Path, refresh=lambda: None) -> None:
    """Runs all commands in a folder at the same time, and waits. CompileError has the first that failed, with what it said. refresh is
    called about once a second. An exception, KeyboardInterrupt too, ends the commands."""
    progress, started = Progress(f"compiling {what}"), []
    try:
        for command in commands:
            with interrupts.after():
                started.append(start(command, folder))
        said = read_all(started, lambda: (progress.tick(), refresh()))
    except BaseException:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    finally:
        progress.end()
    for process, command, text in zip(started, commands, said):
        if process.returncode:
            raise failure(process.returncode, command, text, what)


def start(command: list[str], folder: Path) -> subprocess.Popen:
    """In a process group of its own: ^C is for Python, which then ends the compiler and the programs that it started."""
    try:
        return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True)
    except OSError as error:
        raise SetupError(f"{command[0]} cannot be run: {error.strerror}. Set CC to gcc or clang.") from None


def read_all(started: list[subprocess.Popen], tick) -> list[str]:
    """What the processes write, until all have ended."""
    parts = {process: [] for process in started}
    with selectors.DefaultSelector() as selector:
        for process in started:
            selector.register(process.stdout, selectors.EVENT_READ, process)
        while selector.get_map():
            for key, _ in selector.select(timeout=1.0):
                data = os.read(key.fd, 65536)
                if data:
                    parts[key.data].append(data)
                else:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
            tick()
    for process in started:
        process.wait()
    return [b"".join(parts[process]).decode(errors="replace") for process in started]


def failure(code: int, command: list[str], said: str, what: str) -> CompileError:
    lines = said.rstrip().splitlines()
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... and {len(lines) - MOST_LINES} more lines"]
    how = f"was stopped by signal {-code}" if code < 0 else f"failed with exit code {code}"
    hints = ""
    if ".h: No such file" in said or ".h' file not found" in said:
        hints = "\nheaders of the C library may be missing (Debian: apt-get install libc6-dev)"
    elif "No space left" in said or "File too large" in said or "quota exceeded" in said:
        hints = "\nthe disk of temporary files is full: set TMPDIR to another folder"
    elif "Killed signal" in said or code == -signal.SIGKILL:
        hints = "\nthere may be too little memory"
    error = CompileError(f"{what}: {os.path.basename(command[0])} {how}\n" + "\n".join(lines) + f"{hints}\ncommand: {shlex.join(command)}")
    error.command, error.output = command, said
    return error

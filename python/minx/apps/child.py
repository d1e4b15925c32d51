"""A child process whose lines are read as they come: it ends by itself, at a time limit, or when this process is
interrupted."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from .. import interrupts

PATIENCE = 5.0  # seconds from the signal that asks to the one that cannot be refused
DRAIN = (
    2.0  # seconds for what is left in the pipes when the program has ended: a process that it left may hold them open
)
# Starts the command such that it ends with this process, also when that is killed (Linux: PR_SET_PDEATHSIG is 1).
END_WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15)
if os.getppid() != int(sys.argv[1]):
    os._exit(143)
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    print(f"{sys.argv[2]}: {error.strerror}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(127 if isinstance(error, FileNotFoundError) else 126)
"""


@dataclass
class Ended:
    """exit_code as subprocess says it (-15: by SIGTERM); stdout, stderr: texts; timed_out: ended by the time limit."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool
    seconds: float


def _words(command: list[str]) -> list[str]:
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", END_WITH_PARENT, str(os.getpid()), *command]


def end_group(process: subprocess.Popen):
    """Ends the child with all that it started. mpirun and srun end their ranks when they are asked to end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(PATIENCE)
            if number == signal.SIGTERM:
                continue  # the leader is gone, what it started may not be
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _read(process, chunks, watch, limit):
    """Reads both pipes until they are closed. Returns whether the time limit came first."""
    ended = None
    with selectors.DefaultSelector() as selector:
        for pipe in chunks:
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(0.2):
                data = key.fileobj.read()
                if data:
                    chunks[key.fileobj].append(data)
                    watch(data if key.fileobj is process.stderr else b"")
                elif data == b"":
                    selector.unregister(key.fileobj)
            watch(b"")
            now = time.monotonic()
            if process.poll() is not None:
                ended = now if ended is None else ended
                if now - ended > DRAIN:
                    break
            elif limit is not None and now > limit:
                return True
    try:
        process.wait(None if limit is None else max(0.0, limit - time.monotonic()))
    except subprocess.TimeoutExpired:
        return True
    return False


def run(command: list[str], environment: dict, timeout: float | None, watch) -> Ended:
    """Runs the command. watch(bytes) gets what stderr says, as it comes, and b"" a few times a second.

    Raises OSError if it cannot be started. KeyboardInterrupt, and any other exception, ends the child and its ranks
    first.
    """
    start = time.monotonic()
    process, timed_out = None, False
    try:
        with interrupts.after():
            process = subprocess.Popen(
                _words(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )  # Ctrl-C on the terminal comes to this process alone, which passes it on
        chunks: dict = {process.stdout: [], process.stderr: []}
        timed_out = _read(process, chunks, watch, None if timeout is None else start + timeout)
        if timed_out:
            end_group(process)
    except BaseException:
        if process is not None:
            end_group(process)
        raise
    finally:
        if process is not None:
            process.stdout.close()
            process.stderr.close()
    stdout, stderr = (b"".join(chunks[pipe]).decode("utf-8", "replace") for pipe in (process.stdout, process.stderr))
    return Ended(process.returncode, stdout, stderr, timed_out, time.monotonic() - start)

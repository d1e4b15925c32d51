"""One process compiles, others wait for it: threads, ranks on a node, and ranks on other nodes that share the cache.

A claim is a file that only one process can create (O_EXCL, which NFS and Lustre have too, unlike flock). It is no lock: results appear
by renaming, complete, whoever makes them. So a claim that is lost, or taken over from a process that still runs, only means that a
kernel is compiled twice. A claim is taken over if its process on this host has ended, or if it was not refreshed for a while."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from .processes import Progress

REFRESH = 5.0  # seconds: the owner touches the file so often
STALE = 30.0  # seconds without a touch, by which the owner is taken for dead
SHORTEST, LONGEST = 0.01, 0.2  # seconds between two looks


class Claim:
    """`with Claim(path, done):` waits until the claim is this process's, or done() is true. done: does the result exist?"""

    def __init__(self, path: Path, done):
        self.path, self.done, self.owned, self.touched = path, done, False, 0.0
        self.last, self.since = None, 0.0  # the claim that is waited for, and since when it is as it is

    def __enter__(self) -> "Claim":
        pause, progress = SHORTEST, Progress("waiting for another process that compiles the same kernel")
        while not self.owned and not self.done():
            try:
                self.create()
            except FileExistsError:
                if self.is_stale():
                    self.path.unlink(missing_ok=True)
                    continue
                progress.tick()
                time.sleep(pause)
                pause = min(2 * pause, LONGEST)
            except OSError:  # the folder cannot be written: nobody can claim anything
                break
        progress.end()
        return self

    def create(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "x") as file:
            self.owned, self.touched = True, time.monotonic()
            file.write(f"{socket.gethostname()} {os.getpid()}")

    def is_stale(self) -> bool:
        """By this host's processes, else by a clock of our own: those of other hosts may differ."""
        try:
            host, pid = self.path.read_text().split()
            if host == socket.gethostname() and not is_alive(int(pid)):
                return True
        except (OSError, ValueError):  # removed, or just being written
            pass
        try:
            now = self.path.stat().st_mtime_ns
        except OSError:
            return False
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        return time.monotonic() - self.since > STALE

    def refresh(self) -> None:
        """To be called while the result is made."""
        if self.owned and time.monotonic() - self.touched > REFRESH:
            self.touched = time.monotonic()
            try:
                os.utime(self.path)
            except OSError:
                pass

    def __exit__(self, *_) -> None:
        if self.owned:
            try:
                self.path.unlink(missing_ok=True)
            except OSError:
                pass


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        pass
    return True

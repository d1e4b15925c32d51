"""What has been compiled, on disk. An entry has its name only when it is complete, so a process that is killed, a full disk or two
writers at once leave nothing broken.

    kernels/KEY/    kernel.c, kernel.so, and entry.json with the size of the library
    headers/KEY.h   precompiled headers
    index/KEY       which entry belongs to a Python function (launch/stored.py)
    claims/KEY      who compiles it now

The folder is MINX_PY_CACHE, else minx in XDG_CACHE_HOME, else ~/.cache/minx. Where it cannot be written (a full disk, no rights), what
is compiled goes to a temporary folder that is removed when the process ends, with one warning. A file's time of change is
that of its last use, to an hour: eviction.py removes what was not used for long."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import tempfile
import time
import warnings
from pathlib import Path

from .claims import Claim

LIBRARY = "kernel.so"
USED = 3600.0  # seconds after which a use is noted again


def default_root() -> Path | None:
    """The folder of the cache; None where no one can be named (an unknown home)."""
    named = os.environ.get("MINX_PY_CACHE")
    if named:
        return Path(named).absolute()
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minx"
    except RuntimeError:
        return None


def part_of(path: Path) -> Path:
    """A name beside a file, for what is not complete yet."""
    return path.with_name(f".part-{os.getpid()}-{time.monotonic_ns()}-{path.name}")


def sync(path: Path) -> None:
    """Waits until a file that another program has written is on disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def write(path: Path, data: bytes) -> None:
    """Writes a file so that it is complete when it has its name. OSError where that cannot be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


class Cache:
    """root: the folder; None: only a temporary one."""

    def __init__(self, root: Path | None):
        self.temporary: Path | None = None
        self.root = root or self.temporary_root()

    def temporary_root(self) -> Path:
        """For what cannot be stored in the root. Made when it is needed, removed when the process ends."""
        if self.temporary is None:
            self.temporary = Path(tempfile.mkdtemp(prefix="minx-cache-"))
            atexit.register(shutil.rmtree, self.temporary, ignore_errors=True)
        return self.temporary

    def roots(self) -> list[Path]:
        """Where entries are looked for."""
        return [self.root, self.temporary] if self.temporary is not None else [self.root]

    def find(self, key: str, size: int | None = None) -> Path | None:
        """The library of a kernel; None where it is not there or not whole. size: its bytes, if they are known."""
        for root in self.roots():
            library = f"{root}/kernels/{key}/{LIBRARY}"
            try:
                status = os.stat(library)
                if status.st_size != (size or json.loads(Path(f"{root}/kernels/{key}/entry.json").read_bytes())["bytes"]):
                    continue
            except (OSError, ValueError, KeyError):
                continue
            note_use(f"{root}/kernels/{key}", status.st_mtime)
            return Path(library)
        return None

    def find_header(self, name: str, suffix: str) -> Path | None:
        """A header whose precompiled form is there."""
        header = self.root / "headers" / name
        try:
            status = os.stat(f"{header}{suffix}")
        except OSError:
            return None
        note_use(Path(f"{header}{suffix}"), status.st_mtime)
        return header if header.exists() else None

    def claim(self, key: str, done=None) -> Claim:
        """For `with`: waits for others who make the same. done: does it exist? By default, the entry of the key."""
        return Claim(self.root / "claims" / key, done or (lambda: self.find(key) is not None))

    def store(self, key: str, folder: Path) -> Path:
        """Makes an entry of kernel.c and kernel.so in a folder. Returns the library that is to be loaded."""
        try:
            return self._store(self.root, key, folder)
        except OSError as error:
            if self.temporary is None:
                self.warn(error)
            return self._store(self.temporary_root(), key, folder)

    def warn(self, error: OSError) -> None:
        warnings.warn(f"minx cannot write to its cache {self.root} ({error.strerror or error}): kernels are compiled again in each process. "
                      "Set MINX_PY_CACHE to another folder.", RuntimeWarning, stacklevel=4)

    def _store(self, root: Path, key: str, folder: Path) -> Path:
        (root / "kernels").mkdir(parents=True, exist_ok=True)
        entry = root / "kernels" / key
        part = part_of(entry)
        try:
            part.mkdir()
            for name in ("kernel.c", LIBRARY):
                write(part / name, (folder / name).read_bytes())
            (part / LIBRARY).chmod(0o755)
            write(part / "entry.json", json.dumps({"bytes": (folder / LIBRARY).stat().st_size}).encode())
            if entry.exists() and self.find(key) is None:  # damaged
                remove(entry)
            with contextlib.suppress(FileExistsError):
                rename_folder(part, entry)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return entry / LIBRARY

    def load_index(self, key: str) -> dict | None:
        """What save_index stored under the key."""
        for root in self.roots():
            file = f"{root}/index/{key}"
            try:
                with open(file, "rb") as opened:
                    found = json.loads(opened.read())
                    changed = os.fstat(opened.fileno()).st_mtime
            except (OSError, ValueError):
                continue
            note_use(file, changed)
            return found
        return None

    def save_index(self, key: str, content: dict) -> None:
        """Only saves time: a disk that cannot be written is no error."""
        for root in self.roots():
            with contextlib.suppress(OSError):
                write(root / "index" / key, json.dumps(content).encode())
                return


def rename_folder(part: Path, entry: Path) -> None:
    try:
        os.rename(part, entry)
    except OSError:
        if not entry.exists():  # else another process was faster: its entry is as good
            raise


def remove(entry: Path) -> None:
    """Takes the name away first, so that nobody finds a half of it."""
    part = part_of(entry)
    os.rename(entry, part)
    shutil.rmtree(part, ignore_errors=True)


def note_use(path: str | Path, before: float) -> None:
    if time.time() - before > USED:
        with contextlib.suppress(OSError):
            os.utime(path)

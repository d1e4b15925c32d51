"""The cache does not grow without end: what was not used for longest is removed when it is larger than MINX_PY_CACHE_SIZE (by default
1G), and what was not used for 90 days, and what killed processes have left."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from ..errors import SetupError
from . import cache as stored

DEFAULT_SIZE = "1G"
OLDEST = 90 * 86400.0  # seconds
LEFT_OVER = 86400.0  # what is not complete after a day never will be
YOUNGEST = 600.0  # seconds: another process may be about to load it
KEEP = 0.8  # of the size: else each kernel would remove one
FOLDERS = ("kernels", "headers", "index", "claims")


def size_limit() -> int:
    """MINX_PY_CACHE_SIZE in bytes."""
    text = os.environ.get("MINX_PY_CACHE_SIZE") or DEFAULT_SIZE
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([kKMGT]?)(?:i?B)?", text)
    if not found:
        raise SetupError(f"MINX_PY_CACHE_SIZE is '{text}', expected a size, as 500M or 2G")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


@dataclass(frozen=True)
class Entry:
    path: Path
    bytes: int
    used: float  # when, in seconds since 1970


def entries(root: Path) -> list[Entry]:
    """All of a cache. What vanishes meanwhile is left out."""
    found = []
    for folder in FOLDERS:
        try:
            items = list(os.scandir(root / folder))
        except OSError:
            continue
        for item in items:
            try:
                status, size = item.stat(), item.stat().st_size
                if item.is_dir():
                    size = sum(inner.stat().st_size for inner in os.scandir(item))
                found.append(Entry(Path(item.path), size, status.st_mtime))
            except OSError:
                continue
    return found


def evict(root: Path, limit: int) -> list[Entry]:
    """Removes what is too old or too much. Returns what was removed."""
    now, removed = time.time(), []
    all_entries = sorted(entries(root), key=lambda e: e.used)
    total = sum(e.bytes for e in all_entries)
    target = limit * KEEP if total > limit else limit
    for entry in all_entries:
        age = now - entry.used
        unfinished = entry.path.name.startswith(".part-") or entry.path.parent.name == "claims"
        if not (age > OLDEST or unfinished and age > LEFT_OVER or total > target and age > YOUNGEST):
            continue
        if remove(entry.path):
            total -= entry.bytes
            removed.append(entry)
    return removed


def sometimes(root: Path, limit: int) -> None:
    """After a kernel was compiled: looks at the whole cache at most once in ten minutes, whichever process does it."""
    mark = root / "evicted"
    try:
        if time.time() - mark.stat().st_mtime < YOUNGEST:
            return
    except OSError:
        pass
    try:
        mark.touch()
    except OSError:
        return
    evict(root, limit)


def clear(root: Path) -> list[Entry]:
    """Removes everything. Returns what was removed."""
    return [entry for entry in entries(root) if remove(entry.path)]


def remove(path: Path) -> bool:
    try:
        if path.is_dir():
            stored.remove(path)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return False
    return True

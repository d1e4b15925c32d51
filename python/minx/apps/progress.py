"""A bar of one line: what an app says of its progress on stderr, for a terminal or a notebook."""

from __future__ import annotations

import re
import shutil
import sys
import time

BAR = 24  # characters
FIRST_AFTER = 0.5  # seconds: short runs show nothing
INTERVAL = 0.2  # seconds between two updates
SAID = re.compile(rb"\r([^\r\n\x1b]*?) (\d+)/(\d+) \(\d+ %\)\x1b\[K")  # as app_progress writes it
CONTROL = re.compile(r"\r[^\r\n\x1b]*? \d+/\d+ \(\d+ %\)\x1b\[K|\r?\x1b\[K")


def without_progress(text: str) -> str:
    """The text of stderr without the lines of progress."""
    return CONTROL.sub("", text)


def in_notebook() -> bool:
    """Is this Python the kernel of a notebook?"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def is_wanted(asked: bool | None) -> bool:
    if asked is not None:
        return bool(asked)
    stderr = sys.stderr
    return in_notebook() or (stderr is not None and hasattr(stderr, "isatty") and stderr.isatty())


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Bar:
    """Call it with what stderr says; end() removes the line. Nothing is written where `shown` is false."""

    def __init__(self, title: str, shown: bool, stream=None, clock=time.monotonic):
        self.title, self.shown, self.stream, self.clock = title, shown, stream or sys.stderr, clock
        self.start, self.last, self.written = clock(), None, 0
        self.rest, self.said = b"", None

    def __call__(self, data: bytes):
        if not self.shown:
            return
        text = self.rest + data
        for found in SAID.finditer(text):
            self.said = found[1].decode("utf-8", "replace"), int(found[2]), int(found[3])
        self.rest = text[max(text.rfind(b"\r"), 0) :][-200:] if text else b""
        now = self.clock()
        if now - self.start < FIRST_AFTER or self.last is not None and now - self.last < INTERVAL:
            return
        self.last = now
        self._write(self.line(now - self.start))

    def line(self, seconds: float) -> str:
        if self.said is None or self.said[2] <= 0:
            return f"{self.title}: {duration(seconds)}"
        what, done, total = self.said
        share = min(done / total, 1.0)
        full = int(BAR * share)
        left = f", about {duration(seconds * (1 - share) / share)} left" if 0.02 < share < 1 else ""
        bar = "#" * full + "." * (BAR - full)
        return f"{self.title} [{bar}] {100 * share:3.0f} % {what} {done}/{total}, {duration(seconds)}{left}"

    def _write(self, line: str):
        line = line[: max(shutil.get_terminal_size().columns - 1, 20)]
        self.stream.write(
            "\r" + line + " " * (self.written - len(line))
        )  # blanks over what the longer line before has left
        self.stream.flush()
        self.written = len(line)

    def end(self):
        if self.written:
            self.stream.write("\r" + " " * self.written + "\r")
            self.stream.flush()
            self.written = 0

"""Ctrl-C at a moment when it would lose a child process."""

from __future__ import annotations

import contextlib
import signal
import threading


@contextlib.contextmanager
def after():
    """Ctrl-C in this block is raised at its end: Popen would forget a child that runs already."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came = []
    signal.signal(signal.SIGINT, lambda *seen: came.append(seen))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])

"""Exit codes, and the errors that end the program with one line each."""
import sys

OK = 0
NOT_ALL_COUNT = 1  # a run failed, timed out, was killed or differs; or something is slower than the baseline
MISTAKE = 2  # in the command line or the plan
CANNOT = 3  # something is missing on this machine, or cannot be written
INTERRUPTED = 5  # by a signal; the same command goes on


def say(text):
    print(f"minx-compare: {text}", file=sys.stderr, flush=True)


class Ends(Exception):
    """Ends the program: a list of lines for stderr, and the exit code."""

    def __init__(self, code, *lines):
        super().__init__("\n".join(lines))
        self.code = code
        self.lines = list(lines)


class Mistakes:
    """Collects all mistakes of a plan or a command line, so that the user sees them at once."""

    def __init__(self):
        self.lines = []
        self.code = MISTAKE

    def add(self, where, got, expected, code=MISTAKE):
        line = f"{where}: got {shown(got)}, expected {expected}"
        if line not in self.lines:
            self.lines.append(line)
        self.code = code if len(self.lines) == 1 else min(self.code, code)

    def end_if_any(self):
        if self.lines:
            raise Ends(self.code, *self.lines)


class Text(str):
    """A text that messages print as it is: not a value that somebody gave."""


NOTHING = Text("nothing")


def shown(value):
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else repr(value)

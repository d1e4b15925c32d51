"""Runs pytest on files, for ctest: run.py FILE... Returns 77, which ctest counts as skipped, where NumPy or pytest is missing.

What is skipped inside of a file is listed at the end (-rs), and scripts/lib/skipped.py counts it."""

import importlib.util
import sys


def main() -> int:
    for module, package in (("numpy", "python3-numpy"), ("pytest", "python3-pytest")):
        if importlib.util.find_spec(module) is None:
            print(f"skipped: {sys.executable} has no {module} (Debian: {package})")
            return 77
    if sys.version_info < (3, 11):
        print(f"skipped: the package needs Python 3.11, and {sys.executable} is {sys.version.split()[0]}")
        return 77
    import pytest

    return int(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())

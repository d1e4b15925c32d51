"""For scripts that import h5py and the like: the Python that MINX_PYTHON names."""
import os
import sys


def use_minx_python():
    """Starts the script again in that Python, where the variable is set, and does not return then."""
    python = os.environ.pop("MINX_PYTHON", "")
    if not python:
        return
    try:
        os.execvp(python, [python, *sys.argv])
    except OSError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: MINX_PYTHON: got '{python}', expected a Python: {error.strerror}")

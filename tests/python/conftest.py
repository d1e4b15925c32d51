"""What all tests of the package share: where it is, NumPy 2's rules for numbers where plain runs are compared, and with
which option kernels are compiled."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1] / "python"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if str(folder) not in os.environ.get("PYTHONPATH", "").split(os.pathsep):  # of programs that tests start
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # tests share cores
if np.__version__.startswith("1."):  # kernels have the rules of NumPy 2 (NEP 50), which 1.24 and later know, too
    np._set_promotion_state("weak")

# These test what a kernel becomes in C, with some 400 kernels. -O1 takes a compiler two thirds of the time of -O3, and it
# keeps loads in registers, too, so that a barrier which is missing can be seen. All other files have the options of users.
QUICK = "teams teams_random plain language_statements language_arrays language_expressions".split()


@pytest.fixture(autouse=True, scope="module")
def quick_compilations(request):
    """Kernels of some files are compiled with -O1, on hosts and in this process; MINX_TEST_FULL=1: of none."""
    name = request.module.__name__.removeprefix("test_")
    if os.environ.get("MINX_TEST_FULL") or not (name in QUICK or name.startswith("pykokkos")):
        yield
        return
    from minx.build import compilers

    options = compilers.host_options
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilers, "host_options", lambda *given: [
            "-O1" if option in ("-O2", "-O3") else option for option in options(*given)])
        yield

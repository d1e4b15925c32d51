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

# Most of the time of these tests is a compiler's. Kernels of these files are compiled with -O1, which still keeps loads in
# registers, so that a barrier which is missing can be seen; those of pykokkos, which are the same kernels in other words,
# with -O0. All other files have the options of users.
QUICK = "teams teams_random plain language_statements language_arrays language_expressions".split()


@pytest.fixture(autouse=True, scope="module")
def quick_compilations(request):
    """-O1 or -O0 for hosts, of launches in this process; MINX_TEST_FULL=1: everything as for users."""
    name = request.module.__name__.removeprefix("test_")
    level = "-O0" if name.startswith("pykokkos") else "-O1" if name in QUICK else None
    if level is None or os.environ.get("MINX_TEST_FULL"):
        yield
        return
    from minx.build import compilers

    users = compilers.host_options
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilers, "host_options", lambda *given: [
            level if option in ("-O2", "-O3") else option for option in users(*given)])
        yield

"""What all tests of the package share: where it is, and NumPy 2's rules for numbers where plain runs are compared."""

import os
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1] / "python"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if str(folder) not in os.environ.get("PYTHONPATH", "").split(os.pathsep):  # of programs that tests start
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
if np.__version__.startswith("1."):  # kernels have the rules of NumPy 2 (NEP 50), which 1.24 and later know, too
    np._set_promotion_state("weak")

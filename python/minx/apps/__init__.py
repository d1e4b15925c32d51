"""The apps from Python: a run is a child process, its outcome is an object.

    from minx import apps

    run = apps.minimd("inputs/minimd/lj.in", steps=200, thermo=10, ranks=2)
    run.verdict                             # 'passed'
    run.fom.value, run.fom.unit             # atom-steps a second
    run.regions["force"].seconds
    run.results.series["temperature"]       # an array with units, read from the results file (needs h5py)

Options are keywords. Keys of the deck have their names (`steps=200`), options of the command line have theirs, with `_`
for `-` (`checkpoint_every="600s"`). True is an option or key without a value, None one that is left out, a tuple is
joined by commas. The app knows which ones there are: a wrong one raises AppError with the app's message, which names
the nearest valid one.
"""

import os
from typing import Any, TypeAlias

from .errors import AppError
from .find import program
from .results import Array, Results
from .run import Figure, Region, Run, launch

__all__ = ["minimd", "minife", "tealeaf", "AppError", "Run", "Figure", "Region", "Results", "Array", "program"]

Deck: TypeAlias = str | os.PathLike[str] | None


def minimd(deck: Deck = None, **options: Any) -> Run:
    """Runs miniMD, molecular dynamics, and waits for its end.

    deck: the path of a deck, or its text (with line ends). docs/minimd.md and `minimd --help-deck` have the keys.

    Options of every app (others are keys of the deck, or options of the command line):

    ranks        ranks of MPI (1); by mpirun, within a job of Slurm by srun
    backend      "serial", "openmp", "cuda", ...; the app's choice if left out
    threads      threads of a rank; the cores divided by the ranks if left out
    timeout      seconds; a run that takes longer is ended, and AppError raised
    folder       where results.h5 and summary.json are written; made if it is not there. A temporary one if left out: it
                 lives as long as the Run
    output       False: no results file is written
    progress     True: a bar on stderr; False: none; None: on a terminal and in notebooks
    raise_on_failure   True: AppError for every verdict but `passed`
    launcher     words in front of the program, ("mpirun", "-n", "4"), in place of those that `ranks` gives
    environment  a dict of variables, added to those of this process

    Returns a Run. Raises AppError if the app is not found, fails (exit codes 2, 3, or a signal), or takes longer than
    `timeout`.

    >>> run = apps.minimd(inputs / "minimd" / "lj.in", steps=20, threads=1)
    >>> run.verdict, run.fom.unit, run.results.fields["position"].shape
    ('passed', 'atom-steps/s', (4000, 3))
    """
    return launch("minimd", deck, options)


def minife(deck: Deck = None, **options: Any) -> Run:
    """Runs miniFE, finite elements: `minife(nx=30, preconditioner="multigrid", relative_tolerance=1e-10)`.

    deck: the path of a parameter file, or its text; none is needed. docs/minife.md and `minife --help-deck` have the
    keys. Options, what is returned and what is raised: as for minimd.

    >>> apps.minife(nx=8, output=False, threads=1).summary["problem_size"]
    729
    """
    return launch("minife", deck, options)


def tealeaf(deck: Deck = None, **options: Any) -> Run:
    """Runs TeaLeaf, heat conduction: `tealeaf("inputs/tealeaf/crooked_pipe_10.in", end_step=20, tl_use_ppcg=True)`.

    deck: the path of a deck, or its text. docs/tealeaf-deck.md and `tealeaf --help-deck` have the keys. Options, what
    is returned and what is raised: as for minimd.

    >>> run = apps.tealeaf(inputs / "tealeaf" / "crooked_pipe_10.in", threads=1)
    >>> float(run.results.fields["temperature"].coordinates["x"][0])
    0.5
    """
    return launch("tealeaf", deck, options)

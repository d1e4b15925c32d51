"""Interleaved rounds: every variant is timed in each round, in a turning order, and figures are medians over the
rounds."""

import statistics
import time


class Timer:
    """run(times) -> seconds of `times` launches, for something that is called once a launch, and a fence behind
    them."""

    def __init__(self, launch, fence=lambda: None):
        self.launch, self.fence = launch, fence

    def __call__(self, times: int) -> float:
        launch, start = self.launch, time.perf_counter()
        for _ in range(times):
            launch()
        self.fence()
        return time.perf_counter() - start


def times_for(run, seconds: float) -> int:
    """How many launches take this long."""
    run(1)
    return max(1, int(seconds / max(run(1), 1e-7)))


def measure(variants: dict, rounds: int, seconds: float) -> tuple[dict, dict]:
    """({name: median seconds of a launch}, {name: median share of the first variant's speed}) of {name: run}.

    A share is the first one's seconds over this one's, of the same round: other work on the machine disturbs both.
    """
    names = list(variants)
    times = times_for(variants[names[0]], seconds)
    for run in variants.values():
        run(times)
    taken: dict = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            taken[name].append(variants[name](times) / times)
    shares = {name: statistics.median(a / b for a, b in zip(taken[names[0]], taken[name])) for name in names}
    return {name: statistics.median(taken[name]) for name in names}, shares


def print_table(problem, medians: dict, shares: dict) -> None:
    """A row for each variant."""
    first = next(iter(medians))
    print(f"\n{problem.name}")
    print(f"  {'':<18} {'ms':>10} {problem.unit:>10} {'of ' + first:>10}")
    for name, seconds in medians.items():
        print(
            f"  {name:<18} {1e3 * seconds:10.4f} {problem.rate(seconds):10.3f} {100 * shares[name]:8.1f} %", flush=True
        )

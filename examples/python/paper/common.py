"""The command line of the programs: --style, --space, and a program's sizes as options with their defaults."""

import argparse

import minx.pykokkos as pk


def main(run, check, sizes):
    """run(style, space, **sizes) -> result; check(result, **sizes) raises an error if it is wrong; sizes: name ->
    default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--style", choices=("function", "functor", "workload"), default="function")
    parser.add_argument("--space", choices=list(pk.ExecutionSpace.__members__), default="Default")
    for name, default in sizes.items():
        parser.add_argument(f"-{name}" if len(name) == 1 else f"--{name}", type=type(default), default=default)
    options = vars(parser.parse_args())
    style, space = options.pop("style"), pk.ExecutionSpace[options.pop("space")]
    timer = pk.Timer()
    result = run(style, space, **options)
    seconds = timer.seconds()
    check(result, **options)
    print(f"{style} on {space.value}: passed, {seconds:.3f} s with compilation")


def expect(name, got, expected, tolerance=0.0):
    """An error unless got is expected, within a relative tolerance."""
    if not abs(got - expected) <= tolerance * abs(expected):
        raise ValueError(f"{name}: got {got!r}, expected {expected!r} within {tolerance}")

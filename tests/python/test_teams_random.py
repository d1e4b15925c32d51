"""Team kernels of random statements: with any number of threads and lanes they give what plain Python gives.

MINX_PY_RANDOM_KERNELS=N tests N of them; a test's number is the seed of its kernel."""

import importlib.util
import os
import random

import numpy as np
import pytest

import minx
from contexts import make

COUNT = int(os.environ.get("MINX_PY_RANDOM_KERNELS", "3"))
SHAPES = [("serial", ()), ("openmp:threads=2", (2, 1)), ("simt", (2, 4)), ("simt", (3, 1)), ("serial:order=shuffled", (4, 2))]
HEAD = """\
def bump(z, k):
    z[k] = z[k] + 1


def bumped(z, k):
    z[k] = z[k] + 2
    return z[k]


def twice(z, k):
    return z[k] * 2


def kernel(team, out, A, B):
    e = team.league_rank
    w = team.scratch(8, int)
    v = team.scratch(8, int)
    a, b = A[e], B[e]
    s = m = old = 0
    for i in team.items(8):
        w[i] = i
        v[i] = 2 * i
"""
TAIL = """
    for i in team.items(8):
        out[e, i] = w[i] + 100 * v[i]
    out[e, 8], out[e, 9] = s, m
"""


class Generator:
    """Statements on scratch w and v, rows a and b of two arguments, and numbers s and m. Items of shared loops never conflict."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def arrays(self):
        x, y = self.r.sample("wvab", 2)
        return (x, y) if {x, y} != {"a", "b"} else self.arrays()  # these two may be the same

    def place(self, x):
        return f"{x}[{self.r.randrange(8)}]"

    def statements(self, depth, count, indent=1) -> list:
        out = []
        for _ in range(count):
            kind = self.r.choice([self.items, self.items, self.store, self.local, self.sum, self.extreme, self.swap, self.nested,
                                  self.call, *[self.branch, self.loop] * (depth > 0)])
            out += kind(depth, indent)
        return out

    def lines(self, indent, *texts):
        return ["    " * indent + t for t in texts]

    def items(self, depth, n):
        x, y = self.arrays()
        return self.lines(n, "for i in team.items(8):", f"    {x}[i] = {y}[(i + {self.r.randrange(8)}) % 8] + {self.r.randrange(5)}")

    def store(self, depth, n):
        x, y = self.arrays()
        return self.lines(n, f"{self.place(x)} = {self.place(y)} + {self.r.randrange(3)}")

    def local(self, depth, n):
        return self.lines(n, f"s = (s + {self.place(self.arrays()[0])}) % 97")

    def sum(self, depth, n):
        return self.lines(n, "for i in team.threads(8):", f"    s += {self.arrays()[0]}[i]", "s = s % 97")

    def extreme(self, depth, n):
        return self.lines(n, "for i in team.lanes(8):", f"    m = max(m, {self.arrays()[0]}[i])", "m = m % 89")

    def swap(self, depth, n):
        x, y = self.arrays()
        return self.lines(n, f"{self.place(x)}, {self.place(y)} = {self.place(y)}, {self.place(x)} + 1")

    def nested(self, depth, n):
        x, y = self.arrays()
        return self.lines(n, "for j in team.threads(4):", "    for i in team.lanes(2):", f"        {x}[2 * j + i] = {y}[2 * j + i] + 1",
                          "    t = 0", "    for i in team.lanes(2):", f"        t += {x}[2 * j + i]", f"    {x}[2 * j] = t % 50")

    def call(self, depth, n):
        x, k = self.arrays()[0], self.r.randrange(8)
        return self.lines(n, *self.r.choice([(f"bump({x}, {k})", f"s += twice({x}, {k})"), (f"old = bumped({x}, {k})", "s += old")]))

    def branch(self, depth, n):
        out = self.lines(n, f"if ({self.place(self.arrays()[0])} + s) % 2 == 0:") + self.statements(depth - 1, 2, n + 1)
        if self.r.random() < 0.6:
            out += self.lines(n, "else:") + self.statements(depth - 1, 2, n + 1)
        return out

    def loop(self, depth, n):
        out = self.lines(n, f"for q{depth} in range({self.r.randrange(4)}):") + self.statements(depth - 1, 2, n + 1)
        if self.r.random() < 0.6:
            out += self.lines(n + 1, f"if {self.place(self.arrays()[0])} % 3 == 0:", f"    {self.r.choice(['break', 'continue'])}")
        return out + self.statements(depth - 1, 1, n + 1)


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_kernel(seed, tmp_path):
    generator = Generator(seed)
    file = tmp_path / f"random_{seed}.py"
    file.write_text(HEAD + "\n".join(generator.statements(2, 7)) + TAIL)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    same = seed % 3 == 2  # both arguments are one array
    first, second = np.arange(48).reshape(6, 8) % 13, np.arange(48).reshape(6, 8) % 7

    def run(ctx, shape):
        host = ctx == "python" or ctx.host
        put = (lambda x: x.copy()) if host else ctx.array
        out, A = put(np.zeros((6, 10), int)), put(first)
        B = A if same else put(second)
        minx.parallel_for(minx.Team(6, *shape), module.kernel, out, A, B, ctx=ctx)
        return [x if host else x.numpy() for x in (out, A, B)]

    expected = run("python", ())
    for resource, shape in SHAPES:
        for got, wanted in zip(run(make(resource), shape), expected):
            assert np.array_equal(got, wanted), f"{resource} {shape}\n{file.read_text()}"

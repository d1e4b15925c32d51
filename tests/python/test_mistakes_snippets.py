"""Snippets that no kernel can have: each is refused at its place, none ends in an error of the translation.

Each line is the body of a kernel of an index i and an array a of one dimension."""

import linecache
import math
import warnings

import numpy as np
import pytest

import minx

SNIPPETS = r"""
a[i] = a[i][0]
a[i] = a.T[i]
a[i] = a.foo
a[i] = len(i)
a[i] = len()
a[i] = min()
a[i] = min(1)
a[i] = abs()
a[i] = abs("x")
a[i] = round(1.5, 1)
a[i] = int("3")
a[i] = float(a)
a[i] = a[()]
a[i] = a[None]
a[i] = a[i:]
a[:] = 1
a = 1
a[i] = (1, 2)
a[i] = (1, 2)[3]
a[i] = (1, a)[i]
a[i] = [[1, 2], [3, 4]][0][1]
a[i] = np.array([1,2])[0]
a[i] = np.zeros(3)
a[i] = np.zeros(i)
a[i] = np.pi()
a[i] = math
a[i] = math.floor
a[i] = minx.local
a[i] = minx.atomic_add(a, i)
minx.atomic_add(a, (i, 1), 2)
minx.atomic_add(a, "x", 2)
minx.atomic_add(1, 2, 3)
for k in range(): pass
for k in range(1,2,3,4): pass
for k in minx.simd(3): pass
for k in minx.simd(range(3)): a[k:] = 1
for k, j in range(3): pass
for a[i] in range(3): pass
for k in range("x"): pass
while "x": pass
x: minx.f32 = 1j
x += 1
a += 1
a[i] += "x"
a[i] @= 2
a[i] = 1 << 70
a[i] = 2 ** 100
a[i] = 1 / 0
a[i] = 1 % 0
a[i] = 10**400
a[i] = not a
a[i] = a and 1
a[i] = a if i else 1
a[i] = 1 if a else 2
a[i] = "x" if i else 1
a[i] = a < 1
a[i] = 1 < "x"
a[i] = i.bit_length()
a[i] = (i).__class__
a[i] = a.sum()
a[i] = a.shape
a[i] = a.shape[5]
a[i] = a.shape[i]
a[i] = print(1)
print(a)
print(1, file=3)
print(f"{i!r}")
print(f"{i:>{i}}")
print(f"{a}")
print("%d" % i)
return 1
yield i
lambda: 1
assert i, i
assert a
x = []
x = {}
x, *y = 1, 2, 3
r = minx.Random(1)
r = minx.Random(1, i); q = r
r = minx.Random(1, i); a[i] = r
r = minx.Random(1, i); a[i] = r.foo()
r = minx.Random(1, i); a[i] = r.uniform(1)
a[i] = minx.Random(1, i).uniform()
w = minx.local(3, "x")
w = minx.local(0)
w = minx.local(100000)
w = minx.local(-1)
w = minx.local((2, i))
w = minx.local(2); a[i] = w
w = minx.local(2); a[i] = w[2]
w = minx.local(2); w[0, 0] = 1
w = minx.local(2); w[0.5] = 1
minx.parallel_for(3, 4)
open("x")
exec("1")
super().foo()
a[i] = self.x
a[i] = __name__
a[i] = a.__array_interface__
a[i] = (lambda v: v)(1)
a[i] = sorted(a)[0]
a[i] = np.random.rand()
a[i] = np.float16(1)
a[i] = np.longdouble(1)
a[i] = minx.f32(1, 2)
a[i] = complex(1, 2, 3)
a[i] = divmod(i, 2)
a[i] = np.where(a > 1, 1, 2)
a[i] = i if i else None
del a
with a as b: pass
async def f(): pass
class A: pass
raise
import os
from os import path
x = i; x = a
x = a; x = i
x = a[1:3:0]
x = a[::-1]
x = a[1.5:]
x = a[i:i+"x"]
a[i] = a[1:3]["x"]
a["x"][i] = 1
a.x[i] = 1
a[i].x = 1
i.x = 1
a[i] = (yield)
a[i] = np.add(1, 2)
a[i] = math.hypot(1, 2, 3)
a[i] = math.fsum([1])
a[i] = pow(2, 3, 5)
a[i] = sum((1, 2))
a[i] = int.from_bytes(b"x")
a[i] = b"x"[0]
""".strip().split("\n")


@pytest.fixture(scope="module")
def serial():
    return minx.Context("serial")


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet(snippet, serial):
    lines = snippet.split("; ")
    text, file = "def f(i, a):\n" + "".join(f"    {line}\n" for line in lines), f"snippet of {abs(hash(snippet))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"np": np, "minx": minx, "math": math}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python: a literal that is called, and the like
        exec(compile(text, file, "exec"), space)
    with pytest.raises(minx.NotSupported) as info:
        minx.parallel_for(4, space["f"], np.zeros(4), ctx=serial)
    error = info.value
    assert error.filename == file and 2 <= error.lineno <= 1 + len(lines)
    assert 5 <= error.offset < error.end_offset <= len(lines[error.lineno - 2]) + 5
    assert error.msg.startswith("f: ") and "object at 0x" not in error.msg and len(error.msg) < 200

"""Constructs of PyKokkos one by one, against NumPy and Python."""

import math
from typing import List

import numpy as np
import pytest

import minx.pykokkos as pk

pytestmark = pytest.mark.usefixtures("space")


@pk.workunit
def axpy(i: int, y: pk.View1D[pk.double], x: pk.View1D[pk.double], alpha: float):
    y[i] += alpha * x[i]


@pk.workunit
def dot(i: int, acc: pk.Acc[float], x: pk.View1D[pk.double], y: pk.View1D[pk.double]):
    acc += x[i] * y[i]


def numbers(n, dtype=pk.double):
    v = pk.View([n], dtype)
    v[:] = np.arange(n)
    return v


@pytest.mark.parametrize(
    "policy",
    [
        lambda n: n,
        lambda n: np.int64(n),
        lambda n: pk.RangePolicy(0, n),
        lambda n: pk.RangePolicy(n),
        lambda n: pk.RangePolicy(pk.Default, 0, n),
        lambda n: pk.RangePolicy(pk.ExecutionSpace.OpenMP, 0, n),
        lambda n: pk.RangePolicy(space=pk.Serial, begin=0, end=n),
    ],
)
def test_ways_to_launch(policy):
    y, x = numbers(50), numbers(50)
    pk.parallel_for(policy(50), axpy, y=y, x=x, alpha=2.0)
    pk.parallel_for("label", policy(50), axpy, alpha=1, x=x, y=y)
    assert np.array_equal(y.data, 4 * np.arange(50.0))
    assert pk.parallel_reduce("dot", policy(50), dot, x=x, y=x) == (np.arange(50) ** 2).sum()
    assert pk.parallel_reduce(policy(50), dot, x=x, y=x, initial_value=3) == (np.arange(50) ** 2).sum() + 3
    pk.parallel_for(policy=policy(50), workunit=axpy, alpha=1, x=x, y=y)
    assert y[49] == 5 * 49


def test_range_begins_elsewhere():
    y, x = pk.View([10]), numbers(10)
    pk.parallel_for(pk.RangePolicy(3, 7), axpy, y=y, x=x, alpha=1.0)
    assert list(y.data) == [0, 0, 0, 3, 4, 5, 6, 0, 0, 0]


@pk.workunit
def prefix(i: int, acc: pk.Acc[pk.int64], last: bool, out: pk.View1D[pk.int64], count: pk.View1D[pk.int32]):
    if last:
        out[i] = acc
    acc += count[i]


def test_scan():
    count, out = pk.View([3000], pk.int32), pk.View([3000], pk.int64)
    count[:] = np.random.default_rng(0).integers(0, 9, 3000)
    assert pk.parallel_scan(3000, prefix, out=out, count=count) == count.data.sum()
    assert np.array_equal(out.data, np.cumsum(count.data) - count.data)


@pk.workunit
def inclusive(i: int, acc: pk.Acc[float], last: bool, a: pk.View1D[pk.double]):
    acc += a[i]
    if last:
        a[i] = acc


def test_inclusive_scan_in_place():
    a = numbers(1000)
    assert pk.parallel_scan("scan", pk.RangePolicy(0, 1000), inclusive, a=a) == 499500
    assert np.array_equal(a.data, np.cumsum(np.arange(1000.0)))


@pk.workunit
def outer_2d(i: int, j: int, a: pk.View2D[pk.double]):
    a[i][j] = 10 * i + j


@pk.workunit
def sum_3d(i: int, j: int, k: int, acc: pk.Acc[int], a: pk.View3D[pk.int32]):
    acc += a[i, j, k]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tiling": [2, 3]},
        {"rank": pk.Rank(2)},
        {"rank": pk.Rank(2, pk.Iterate.Left, pk.Iterate.Right)},
        {"tile": [4, 4], "rank": pk.Rank(2, pk.Iterate.Default)},
    ],
)
@pytest.mark.parametrize("layout", [pk.LayoutLeft, pk.LayoutRight, pk.Layout.LayoutDefault])
def test_mdrange(options, layout):
    a = pk.View([6, 7], pk.double, layout=layout)
    pk.parallel_for(pk.MDRangePolicy([1, 2], [6, 7], **options), outer_2d, a=a)
    expected = 10 * np.arange(6)[:, None] + np.arange(7.0)
    expected[0], expected[:, :2] = 0, 0
    assert np.array_equal(a.data, expected)


def test_mdrange_reduce():
    a = pk.View((3, 4, 5), dtype=pk.int32)
    a.data[...] = np.arange(60).reshape(3, 4, 5)
    assert pk.parallel_reduce(pk.MDRangePolicy(pk.Default, (0, 0, 1), (3, 4, 5)), sum_3d, a=a) == a.data[:, :, 1:].sum()
    with pytest.raises(ValueError, match=r"Rank\(2\)"):
        pk.MDRangePolicy([0, 0, 0], [1, 1, 1], rank=pk.Rank(2))


NAMES_OF_TYPES = [
    [(pk.double, "float64"), (pk.float, "float32"), (int, "int32"), (float, "float64"), (pk.real, "float64")],
    [(pk.int8, "int8"), (pk.int16, "int16"), (pk.int32, "int32"), (pk.int64, "int64"), (np.float32, "float32")],
    [(pk.uint8, "uint8"), (pk.uint16, "uint16"), (pk.uint32, "uint32"), (pk.uint64, "uint64"),
     (pk.DataType.float, "float32")],
]


@pytest.mark.parametrize("types", NAMES_OF_TYPES, ids=["numbers", "signed", "unsigned"])
def test_types_of_views(types):
    (t1, _), (t2, _), (t3, _), (t4, _), (t5, _) = types

    @pk.workunit
    def twice(i: int, a: pk.View1D[t1], b: pk.View1D[t2], c: pk.View1D[t3], d: pk.View1D[t4], e: pk.View1D[t5]):
        a[i] = 2 * a[i] + 1
        b[i] = 2 * b[i] + 1
        c[i] = 2 * c[i] + 1
        d[i] = 2 * d[i] + 1
        e[i] = 2 * e[i] + 1

    views = [pk.View([20], dtype) for dtype, _ in types]
    for view, (_, name) in zip(views, types):
        assert view.dtype == np.dtype(name)
        view.data[:] = np.arange(20)
    pk.parallel_for(20, twice, **dict(zip("abcde", views)))
    for view, (_, name) in zip(views, types):
        assert np.array_equal(view.data, (2 * np.arange(20) + 1).astype(name))


def test_ranks_of_views():
    @pk.workunit
    def fill(i: int, a: pk.View6D[pk.double], b: pk.View5D[pk.double], c: pk.View4D[pk.double]):
        for j in range(a.extent(5)):
            a[0, 1, 0, 1, i, j] = i + j
            a[0][0][0][0][i][j] = 1.0
        b[1, 1, 1, 1, i] = c.extent(3)
        c[1, 1, 1, i] = b.rank()

    a, b, c = pk.View([2, 2, 2, 2, 2, 3]), pk.View([2] * 5), pk.View([2] * 4)
    pk.parallel_for(2, fill, a=a, b=b, c=c)
    assert np.array_equal(a[0, 1, 0, 1].data, [[0, 1, 2], [1, 2, 3]]) and a.data.sum() == 9 + 6
    assert np.array_equal(b[1, 1, 1, 1].data, [2, 2]) and np.array_equal(c[1, 1, 1].data, [5, 5])
    seven, eight = pk.View7D([1] * 7, pk.float), pk.View8D([1] * 8)
    assert seven.rank() == 7 and eight.rank() == 8

    @pk.workunit
    def set_8(i: int, x: pk.View7D[pk.float], y: pk.View8D[pk.double]):
        y[0, 0, 0, 0, 0, 0, 0, i] = 8
        x[0, 0, 0, 0, 0, 0, i] = 7

    pk.parallel_for(1, set_8, x=seven, y=eight)
    assert seven.data.sum() == 7 and eight.data.sum() == 8


def test_methods_of_views():
    v = pk.View([4, 5], pk.double, layout=pk.LayoutRight, trait=pk.Restrict)
    v.fill(3)
    assert (
        v.extent(0) == 4 and v.extent(1) == 5 and v.shape == (4, 5) and len(v) == 4 and v.rank() == 2 and v.size == 20
    )
    assert v.sum() == 60 and v[1, 2] == 3 and v[1][2] == 3 and v.layout is pk.LayoutRight
    v[2, 3] = 7
    v[3] = np.arange(5)
    assert v.data[2, 3] == 7 and list(v[3]) == [0, 1, 2, 3, 4]
    v.resize(0, 2)
    assert v.shape == (2, 5) and v[1, 4] == 3
    v.resize(1, 6)
    assert v.shape == (2, 6) and v[1, 5] == 0
    assert np.allclose(v, v.data) and np.array_equal(v + v, 2 * v.data)
    w = pk.View([2, 6])
    pk.deep_copy(w, v)
    assert np.array_equal(w.data, v.data)
    with pytest.raises(ValueError, match="1 to 8 dimensions"):
        pk.View([1] * 9)


def test_subviews():
    a = pk.View([6, 8])
    a.data[...] = np.arange(48).reshape(6, 8)
    before = a.data.copy()
    row, column, block = a[2, :], a[:, 3], a[1:5, 2:6]

    @pk.workunit
    def add(i: int, v: pk.View1D[pk.double], n: float):
        v[i] += n

    pk.parallel_for(8, add, v=row, n=100)
    pk.parallel_for(6, add, v=column, n=1000)
    before[2] += 100
    before[:, 3] += 1000
    assert np.array_equal(a.data, before) and np.shares_memory(row.data, a.data)

    @pk.workunit
    def scale(i: int, j: int, v: pk.View2D[pk.double]):
        v[i, j] *= 2

    pk.parallel_for(pk.MDRangePolicy([0, 0], [4, 4]), scale, v=block)
    before[1:5, 2:6] *= 2
    assert np.array_equal(a.data, before)


def test_rows_inside_of_workunits():
    @pk.workunit
    def sums(i: int, out: pk.View1D[pk.double], a: pk.View2D[pk.double]):
        row: pk.View1D[pk.double] = a[i, :]
        s: float = 0
        for j in range(row.extent(0)):
            s += row[j]
        out[i] = s

    a, out = pk.View([5, 7]), pk.View([5])
    a.data[...] = np.random.default_rng(0).random((5, 7))
    pk.parallel_for(5, sums, out=out, a=a)
    assert np.allclose(out.data, a.data.sum(1))


def test_numpy_arrays(space):
    a = np.arange(10.0)
    y, x = pk.from_numpy(np.ones(10)), pk.array(a)
    pk.parallel_for(10, axpy, y=y, x=x, alpha=2.0)
    assert np.array_equal(y.data, 1 + 2 * a)
    if space in ("simt", "cuda"):
        with pytest.raises(TypeError, match="NumPy array is in ordinary memory"):
            pk.parallel_for(10, axpy, y=a, x=a, alpha=2.0)
    else:
        assert np.shares_memory(x.data, a)
        pk.parallel_for(10, axpy, y=a, x=a, alpha=2.0)
        assert np.array_equal(a, 3 * np.arange(10.0))
    left = pk.from_array([[1, 2], [3, 4]], pk.double, layout=pk.LayoutLeft)
    assert left.data.flags.f_contiguous and left.data.dtype == float


@pk.workunit
def count_all(i: int, n: pk.View1D[pk.int32], bins: pk.View1D[pk.int32], key: pk.View1D[pk.int32]):
    n[0] += 1
    bins[key[i]] += 2
    bins[key[i]] -= 1


def test_trait_atomic():
    key = pk.View([5000], pk.int32)
    key[:] = np.random.default_rng(0).integers(0, 7, 5000)
    n, bins = pk.View([1], pk.int32, trait=pk.Atomic), pk.View([7], pk.int32, trait=pk.Trait.Atomic)
    pk.parallel_for(5000, count_all, n=n, bins=bins, key=key)
    assert n[0] == 5000 and np.array_equal(bins.data, np.bincount(key.data))
    source = "".join("".join(w.c_source()) for w in count_all.forms.values())
    assert "mx_atomic_add(" in source and "mx_atomic_sub(" in source


def test_trait_by_decorators():
    @pk.workunit(total=pk.ViewTypeInfo(trait=pk.Atomic), x=pk.ViewTypeInfo(layout=pk.LayoutRight))
    def add(i: int, total: pk.View1D[pk.double], x: pk.View1D[pk.double]):
        total[0] += x[i]

    total, x = pk.View([1]), numbers(3000)
    pk.parallel_for(3000, add, total=total, x=x)
    assert total[0] == 3000 * 2999 / 2

    @pk.functor(total=pk.ViewTypeInfo(trait=pk.Trait.Atomic))
    class Sum:
        def __init__(self, x):
            self.total: pk.View1D[pk.double] = pk.View([1])
            self.x: pk.View1D[pk.double] = x

        @pk.workunit
        def add(self, i: int):
            self.total[0] += self.x[i]

    f = Sum(x)
    pk.parallel_for(3000, f.add)
    assert f.total[0] == 3000 * 2999 / 2


def test_atomics():
    names = "add sub min max and or xor".split()

    @pk.workunit
    def each(i: int, v: pk.View2D[pk.int64], before: pk.View1D[pk.int64]):
        pk.atomic_fetch_add(v, [0, 0], i)
        pk.atomic_fetch_sub(v, (0, 1), i)
        pk.atomic_fetch_min(v, [0, 2], i)
        pk.atomic_fetch_max(v, [0, 3], i)
        pk.atomic_fetch_and(v, [0, 4], i)
        pk.atomic_fetch_or(v, [0, 5], i)
        pk.atomic_fetch_xor(v, [0, 6], i)
        pk.atomic_increment(v, [1, 0])
        pk.atomic_add(v, [1, 1], 2)
        ticket: int = pk.atomic_fetch_add(v, [1, 2], 1)
        before[ticket] = i
        pk.atomic_compare_exchange(v, [1, 3], 0, i + 1)
        after: int = pk.atomic_add_fetch(v, [1, 4], 1)
        pk.atomic_max(v, [1, 5], after)
        pk.atomic_fetch_mul(v, [1, 6], 1 + i // 99)

    v, before = pk.View([2, 7], pk.int64), pk.View([100], pk.int64)
    v[0] = [0, 0, 1000, -1, 255, 0, 0]
    v[1, 6] = 3
    pk.parallel_for(100, each, v=v, before=before)
    i = np.arange(100)
    expected = [
        i.sum(),
        -i.sum(),
        0,
        99,
        np.bitwise_and.reduce(i) & 255,
        np.bitwise_or.reduce(i),
        np.bitwise_xor.reduce(i),
    ]
    assert list(v[0].data) == expected and len(names) == 7
    assert sorted(before.data) == list(range(100)) and list(v[1].data[[0, 1, 2, 4, 5]]) == [100, 200, 100, 100, 100]
    assert 1 <= v[1, 3] <= 100 and v[1, 6] == 6


def test_types_stay_as_annotated():
    """As C++ has it: x: int = 2.5 is 2, and stays an int."""

    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double]):
        x: int = 7 / 2
        x = x * 1.5
        x += 0.9
        y: pk.float = 0.1
        z: float = i
        z /= 2
        out[0] = x
        out[1] = y
        out[2] = z
        out[3] = int(3.9) + float(2)

    out = pk.View([4])
    pk.parallel_for(1, f, out=out)
    assert list(out.data) == [4, np.float32(0.1), 0, 5]  # 7 / 2 is 3, 3 * 1.5 is 4, 4 + 0.9 is 4


def test_statements():
    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double], n: int):
        """A docstring."""
        total: float = 0
        j: int = 0
        while True:
            j += 1
            if j % 2 == 0 and j < n:
                continue
            elif j > n or not j:
                break
            else:
                total += j
        for k in range(n, 0, -2):
            total -= k
        for k in range(2, n):
            pass
        flags: int = 6
        if n and flags:
            total += flags & 3 | 8 ^ 1
        total += 100 if 1 <= i < 2 else -(2**3)
        b: bool = i == 1
        out[i] = total + (not b) + abs(-i) + min(i, 2, 5) + max(1.5, i) + n // 4 + n % 4 + (flags << 2 >> 1)

    out, n = pk.View([3]), 9
    pk.parallel_for(3, f, out=out, n=n)
    expected = []
    for i in range(3):
        debug = pk.View([3])
        f.function(i, debug, n)
        expected.append(debug[i])
    assert list(out.data) == expected


def test_math():
    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double], x: pk.View1D[pk.double]):
        v: float = x[i]
        out[0] = (
            sqrt(v) + math.exp(v) + log(v) + math.sin(v) + cos(v) + tan(v) + asin(v) + acos(v) + atan(v) + sinh(v)
        )  # noqa: F821
        out[1] = (
            fabs(-v) + floor(v * 10) + ceil(v * 10) + pow(v, 2.5) + fmod(7.0, v) + atan2(v, 2.0) + hypot(v, 1.0)
        )  # noqa: F821
        out[2] = (
            np.sqrt(v) + np.power(v, 3) + math.pi + pk.math.erf(v) + cbrt(v) + log10(v) + exp2(v) + np.maximum(v, 0.7)
        )  # noqa: F821

    out, x = pk.View([3]), pk.View([1])
    x[0] = v = 0.6
    pk.parallel_for(1, f, out=out, x=x)
    m = math
    assert math.isclose(
        out[0],
        m.sqrt(v)
        + m.exp(v)
        + m.log(v)
        + m.sin(v)
        + m.cos(v)
        + m.tan(v)
        + m.asin(v)
        + m.acos(v)
        + m.atan(v)
        + m.sinh(v),
        rel_tol=1e-14,
    )  # a rounding error for each function
    assert math.isclose(out[1], v + 6 + 6 + v**2.5 + m.fmod(7, v) + m.atan2(v, 2) + m.hypot(v, 1), rel_tol=1e-14)
    assert math.isclose(out[2], v**0.5 + v**3 + m.pi + m.erf(v) + v ** (1 / 3) + m.log10(v) + 2**v + 0.7, rel_tol=1e-14)


FACTOR = 3
SCALES = 0.5


@pk.function
def scaled(x: float, n: int) -> float:
    return x * FACTOR + n


@pk.function
def set_twice(v: pk.View1D[pk.double], i: int, value: float) -> None:
    v[i] = 2 * value


def helper(x):
    return scaled(x, 1.9) * SCALES


def test_functions_and_global_constants():
    @pk.workunit
    def f(i: int, v: pk.View1D[pk.double]):
        set_twice(v, i, helper(float(i)))

    v = pk.View([5])
    pk.parallel_for(5, f, v=v)
    assert np.array_equal(v.data, 2 * (np.arange(5) * 3 + 1) * 0.5)  # n: int takes 1 from 1.9


def test_lambdas():
    v = pk.View([10])
    pk.parallel_for(10, lambda i: 2 * i, v)
    assert np.array_equal(v.data, 2 * np.arange(10))
    w = pk.View([3, 4])
    pk.parallel_for(pk.MDRangePolicy([0, 0], [3, 4]), lambda i, j: i - j, w)
    assert np.array_equal(w.data, np.arange(3)[:, None] - np.arange(4.0))
    assert pk.parallel_reduce(10, lambda i, acc: acc + i * 0.5) == 22.5

    class User:
        def __init__(self):
            self.a, self.n = numbers(6), 3

        def run(self):
            return pk.parallel_reduce("sum", 6, lambda i, acc: acc + self.a[i] * self.n)

    u = User()
    assert u.run() == 45
    u.n = 4
    assert u.run() == 60


def test_printf(capfd):
    @pk.workunit
    def f(i: int, x: float):
        pk.printf("%d %5.2f 100%% %s\n", i, x, "text")
        print("value", i)

    pk.parallel_for(pk.RangePolicy(pk.Serial, 7, 8), f, x=1.5)
    pk.fence()
    import ctypes

    ctypes.CDLL(None).fflush(None)
    out = capfd.readouterr().out
    assert "7  1.50 100% text\n" in out and "value 7" in out
    pk.printf("%ld and %3.1f\n", 5, 2.5)
    assert capfd.readouterr().out == "5 and 2.5\n"


def test_lists():
    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double]):
        a: List[float] = [0.0, 1.0, 2.5]
        n: List[int] = [0] * 4
        for k in range(4):
            n[k] = k * i
        a[0] += n[3]
        out[i] = a[0] + a[1] + a[2]

    out = pk.View([5])
    pk.parallel_for(5, f, out=out)
    assert np.array_equal(out.data, 3 * np.arange(5) + 3.5)


def test_timer_and_fence():
    timer = pk.Timer()
    pk.fence()
    pk.fence("label")
    assert 0 <= timer.seconds() < 60
    timer.reset()
    assert timer.seconds() < 60


def test_future_annotations(tmp_path):
    import importlib.util

    path = tmp_path / "textual.py"
    path.write_text(
        "from __future__ import annotations\nimport minx.pykokkos as pk\n@pk.workunit\n"
        "def f(i: int, acc: pk.Acc[int], v: pk.View1D[pk.double]):\n    n: int = v[i] * 2.5\n    acc += n\n"
    )
    spec = importlib.util.spec_from_file_location("textual", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    total = pk.parallel_reduce(4, module.f, v=numbers(4))
    assert total == 0 + 2 + 5 + 7 and isinstance(total, int)


@pk.workunit
def int_argument(i: int, out: pk.View1D[pk.int32], n: int, f: pk.double, flag: bool):
    if flag:
        out[i] = n + f


def test_arguments_have_their_types():
    out = pk.View([2], int)
    pk.parallel_for(2, int_argument, out=out, n=2.9, f=1, flag=True)
    pk.parallel_for(1, int_argument, out=out, n=np.int32(5), f=np.float64(0.5), flag=True)
    assert list(out.data) == [5, 3]


def test_any_name_of_an_argument():
    """Names that the generated C uses, and words of C."""

    @pk.workunit
    def f(
        i: int,
        acc: pk.Acc[int],
        tile: int,
        begin: int,
        end: int,
        value: int,
        to: int,
        ctx: int,
        args: int,
        call: int,
        struct: int,
        double: int,
        out: pk.View1D[pk.int64],
        policy: int,
        name: int,
        N: int,
        E: int,
        NAN: int,
        main: int,
    ):
        register: int = (
            tile + begin + end + value + to + ctx + args + call + struct + double + policy + name + N + E + NAN + main
        )
        out[i] = register
        acc += register

    @pk.workunit
    def g(team: pk.TeamMember, league: int, size: int, lanes: int, team_bytes: int, out: pk.View1D[pk.int64]):
        out[team.league_rank()] = league + size + lanes + team_bytes

    out = pk.View([3], pk.int64)
    names = "tile begin end value to ctx args call struct double policy name N E NAN main".split()
    assert (
        pk.parallel_reduce(3, f, out=out, **{n: k for k, n in enumerate(names)}) == 3 * 120
        and list(out.data) == [120] * 3
    )
    pk.parallel_for(pk.TeamPolicy(3, 1), g, out=out, league=1, size=2, lanes=3, team_bytes=4)
    assert list(out.data) == [10] * 3

"""Programs as a whole: styles, spaces and their configuration from outside, the space Debug, sorting, mistakes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minx
import minx.pykokkos as pk

PYTHON = str(Path(__file__).parents[3] / "python")


@pk.workunit
def twice(i: int, a: pk.View1D[pk.double]):
    a[i] = 2 * a[i] + i


# ---- spaces ----


def program(text, tmp_path, **environment):
    (tmp_path / "p.py").write_text("import minx.pykokkos as pk\n" + text)
    paths = os.pathsep.join([PYTHON, os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "p.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )
    return run


WHERE = """
from minx.pykokkos import spaces
for s in (pk.Default, pk.OpenMP, pk.Cuda, pk.Serial, pk.Threads):
    c = spaces.context(s)
    print(s.value, c.resource, c.backend)
"""


def test_spaces_from_outside(tmp_path):
    run = program(
        WHERE, tmp_path, MINX_PK_SPACES="Cuda=simt;OpenMP=openmp:threads=1 Threads=serial", MINX_BACKEND="serial"
    )
    assert run.stdout.split("\n")[:5] == [
        "Default serial serial",
        "OpenMP openmp:threads=1 openmp",
        "Cuda simt simt",
        "Serial serial serial",
        "Threads serial serial",
    ], run.stderr
    run = program("print(pk.get_default_space().value)", tmp_path, MINX_PK_DEFAULT="Serial")
    assert run.stdout == "Serial\n", run.stderr
    run = program(
        "pk.parallel_for(pk.RangePolicy(pk.Cuda, 0, 3), lambda i: i, pk.View([3]))",
        tmp_path,
        MINX_PK_SPACES="Cuda:simt",
    )
    assert "expected SPACE=RESOURCE, as in Cuda=simt" in run.stderr
    run = program("pk.parallel_for(3, lambda i: i, pk.View([3]))", tmp_path, MINX_PK_DEFAULT="GPU")
    assert "MINX_PK_DEFAULT=GPU: expected one of" in run.stderr


def test_a_missing_space_says_what_to_do(tmp_path):
    if minx.backend_missing("cuda") is None:
        pytest.skip("there is a GPU")
    run = program("pk.set_default_space(pk.Cuda)\npk.View([3])", tmp_path)
    assert "pk.Cuda" in run.stderr and "MINX_PK_SPACES=Cuda=openmp" in run.stderr
    run = program("pk.View([3], space=pk.HIPSpace)", tmp_path)
    assert "minx has no backend for HIP" in run.stderr


def test_default_space(space):
    a = pk.View([10])
    pk.set_default_space(pk.ExecutionSpace.Serial)
    assert pk.get_default_space() is pk.Serial
    pk.parallel_for(10, twice, a=a)
    pk.set_default_space(pk.OpenMP)
    pk.parallel_for(10, twice, a=a)
    assert np.array_equal(a.data, 3 * np.arange(10.0))
    assert pk.is_host_execution_space(pk.Default) is (space not in ("simt", "cuda"))
    with pytest.raises(TypeError, match="set_default_space takes"):
        pk.set_default_space("OpenMP")


def test_memory_spaces(space):
    host = pk.View([4], pk.double, space=pk.HostSpace)
    assert isinstance(host.data, np.ndarray)
    if space in ("simt", "cuda"):
        with pytest.raises((TypeError, minx.Error), match="MX_ERR_SPACE|ordinary memory"):
            pk.parallel_for(4, twice, a=host)
    device = pk.View([4], pk.double, space=pk.CudaSpace)
    pk.parallel_for(pk.RangePolicy(pk.Cuda, 0, 4), twice, a=device)
    pk.deep_copy(host, device)
    assert list(host.data) == [0, 1, 2, 3]
    assert pk.get_default_layout(pk.HostSpace) is pk.LayoutRight
    assert pk.get_default_layout(pk.CudaSpace) is pk.LayoutLeft
    a = pk.View([2, 3], layout=pk.get_default_layout())
    assert a.layout is pk.get_default_layout(pk.get_default_memory_space(pk.Default)) is pk.View([2, 3]).layout
    assert pk.get_default_memory_space(pk.Default) in (pk.HostSpace, pk.CudaUVMSpace)


def test_views_move_with_the_program():
    """A view that names no space may be made before the program chooses its space."""
    a = pk.View([5])
    a.data[:] = 1
    pk.set_space_resource(pk.Cuda, "simt")
    try:
        pk.parallel_for(pk.RangePolicy(pk.Cuda, 0, 5), twice, a=a)
        assert list(a.data) == [2, 3, 4, 5, 6]
        a[0] = 10
        pk.parallel_for(pk.RangePolicy(pk.Cuda, 0, 5), twice, a=a)
        assert list(a.data) == [20, 7, 10, 13, 16]
    finally:
        from minx.pykokkos import spaces

        spaces.forget_resources()


def test_instances(space):
    first, second = pk.ExecutionSpaceInstance(pk.OpenMP), pk.ExecutionSpaceInstance(pk.OpenMP)
    a, b = pk.View([1000]), pk.View([1000])
    pk.parallel_for(pk.RangePolicy(first, 0, 1000), twice, a=a)
    pk.parallel_for(pk.RangePolicy(second, 0, 1000), twice, a=b)
    first.fence()
    second.fence()
    pk.fence()
    assert np.array_equal(a.data, b.data) and a[999] == 999


def test_default_precision():
    pk.set_default_precision(pk.float)
    assert pk.View([2]).dtype == np.float32
    pk.set_default_precision(pk.double)
    assert pk.View([2]).dtype == np.float64
    with pytest.raises(TypeError, match="pk.float or pk.double"):
        pk.set_default_precision(pk.int32)


# ---- styles ----


@pk.workload(a=pk.ViewTypeInfo(layout=pk.LayoutRight, space=pk.HostSpace))
class Workload:
    def __init__(self, n):
        self.n: int = n
        self.a: pk.View1D[pk.double] = pk.View([n], pk.double)
        self.total: float = 0.0
        self.log = []

    @pk.main
    def run(self):
        pk.parallel_for(self.n, lambda i: i, self.a)
        pk.parallel_for("named", self.n, self.add)
        self.total = pk.parallel_reduce(self.n, self.sum_of)
        self.log.append(("main", pk.get_default_space()))

    @pk.callback
    def after(self):
        self.log.append(("callback", self.total))

    @pk.function
    def half(self, x: float) -> float:
        return x / 2

    @pk.workunit
    def add(self, i: int):
        self.a[i] += self.half(i)

    @pk.workunit
    def sum_of(self, i: int, acc: pk.Acc[float]):
        acc += self.a[i]


def test_workload(space):
    w = Workload(10)
    pk.execute(pk.ExecutionSpace.OpenMP, w)
    assert w.total == 67.5 and w.log == [("main", pk.OpenMP), ("callback", 67.5)]
    assert pk.get_default_space() is pk.Default
    with pytest.raises(TypeError, match="no method with @pk.main"):
        pk.execute(pk.OpenMP, object())


def test_inheritance(space):
    @pk.functor
    class Base:
        def __init__(self, n):
            self.a = pk.View([n])
            self.factor = 2.0

        @pk.workunit
        def run(self, i: int):
            self.a[i] = self.value(i)

        @pk.function
        def value(self, i: int) -> float:
            return self.factor * i

    class Other(Base):
        @pk.function
        def value(self, i: int) -> float:
            return self.factor + i

    for cls, expected in ((Base, [0, 2, 4]), (Other, [2, 3, 4]), (Base, [0, 2, 4])):
        f = cls(3)
        pk.parallel_for(3, f.run)
        assert list(f.a.data) == expected


def test_a_functor_that_changes(space):
    @pk.functor
    class F:
        def __init__(self):
            self.a, self.n, self.flag, self.x = pk.View([4]), 1, True, np.float32(0.5)

        @pk.workunit
        def run(self, i: int):
            if self.flag and i < self.n:
                self.a[i] += self.x

    f = F()
    pk.parallel_for(4, f.run)
    f.n, f.x = 3, 2.0
    pk.parallel_for(4, f.run)
    f.flag = False
    pk.parallel_for(4, f.run)
    first, f.a, f.flag = f.a, pk.View([4]), True
    pk.parallel_for(4, f.run)
    assert list(first.data) == [2.5, 2, 2, 0] and list(f.a.data) == [2, 2, 2, 0]


# ---- Debug ----


@pk.workunit
def team_sum(team: pk.TeamMember, acc: pk.Acc[float], a: pk.View2D[pk.double]):
    e: int = team.league_rank()
    s: pk.ScratchView1D[float] = pk.ScratchView1D(team.team_scratch(0), a.extent(1))

    def load(i: int):
        s[i] = a[e, i]

    pk.parallel_for(pk.TeamThreadRange(team, a.extent(1)), load)
    team.team_barrier()

    def add(i: int, inner: pk.Acc[float]):
        inner += s[i]

    total: float = pk.parallel_reduce(pk.TeamVectorRange(team, a.extent(1)), add)

    def once():
        nonlocal acc
        acc += total

    pk.single(pk.PerTeam(team), once)


@pk.workunit
def running(i: int, acc: pk.Acc[int], last: bool, out: pk.View1D[pk.int64]):
    acc += i
    if last:
        out[i] = acc


def test_debug_is_plain_python(capsys):
    """The same workunits, run by Python, give the same."""
    results = []
    for where in (pk.Debug, pk.Serial):
        a, out = pk.View([3, 4], space=pk.HostSpace), pk.View([5], pk.int64, space=pk.HostSpace)
        pk.set_default_space(where)
        try:
            pk.parallel_for(pk.MDRangePolicy([0, 0], [3, 4]), lambda i, j: 10 * i + j, a)
            total = pk.parallel_reduce(pk.TeamPolicy(3, pk.AUTO), team_sum, a=a)
            scan = pk.parallel_scan(pk.RangePolicy(where, 1, 5), running, out=out)
            w = Workload(10)
            pk.execute(where, w)
            instance = pk.ExecutionSpaceInstance(pk.Default)
            pk.parallel_for(pk.MDRangePolicy(instance, [0, 0], [1, 2]), lambda i, j: 100 + j, a)
            instance.fence()
            results.append(
                (
                    a.data.tolist(),
                    float(total),
                    int(scan),
                    out.data.tolist(),
                    w.total,
                    float(pk.parallel_reduce(5, lambda i, acc: acc + 2 * i)),
                )
            )
        finally:
            pk.set_default_space(pk.Default)
    assert results[0] == results[1] and results[0][1] == 138

    @pk.workunit
    def prints(i: int):
        pk.printf("%d\n", i)

    pk.parallel_for(pk.RangePolicy(pk.Debug, 0, 2), prints)
    assert capsys.readouterr().out == "0\n1\n"


# ---- sorting ----


def test_bin_sort(space):
    rng = np.random.default_rng(0)
    keys, x = pk.View([200]), pk.View([200, 3])
    keys.data[:], x.data[...] = rng.random(200) * 10, rng.random((200, 3)) * 3
    before = keys.data.copy()
    sorter = pk.BinSort(keys, pk.BinOp1D(5, 0.0, 10.0))
    sorter.create_permute_vector()
    bins = (before / 2).astype(int)
    assert np.array_equal(sorter.get_bin_count().data[:5], np.bincount(bins, minlength=5))
    assert np.array_equal(sorter.get_bin_offsets().data[:5], np.cumsum(np.bincount(bins)) - np.bincount(bins))
    order = sorter.get_permute_vector()
    assert order.dtype == np.int32 and np.array_equal(bins[order.data], np.sort(bins))
    sorter.sort(keys)
    assert np.array_equal(keys.data, before[order.data])
    full = pk.BinSort(keys, 0, 200, pk.BinOp1D(keys, 5, 0, 10), True)
    full.create_permute_vector()
    full.sort(keys)
    assert np.array_equal(keys.data, np.sort(before))

    positions = x.data.copy()
    cells = pk.BinSort(x, 10, 190, pk.BinOp3D([3, 3, 3], [0, 0, 0], [3, 3, 3]))
    cells.create_permute_vector()
    cells.sort(x)
    number = (x.data.astype(int) * [9, 3, 1]).sum(1)
    assert np.array_equal(number[10:190], np.sort(number[10:190])) and np.array_equal(x.data[:10], positions[:10])
    assert np.array_equal(cells.get_bin_count().data, np.bincount(number[10:190], minlength=27))
    with pytest.raises(ValueError, match="takes keys of 3 numbers, got 1"):
        pk.BinSort(keys, pk.BinOp3D([3] * 3, [0] * 3, [3] * 3)).create_permute_vector()
    with pytest.raises(TypeError, match="BinSort takes keys"):
        pk.BinSort(keys, 3)


# ---- the page ----


def test_the_example_of_the_page(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "pykokkos.md").read_text()
    text, printed = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", page, re.S).groups()
    run = program(text, tmp_path)
    assert run.stdout == printed, run.stderr


# ---- mistakes ----


def test_what_is_not_here():
    with pytest.raises(AttributeError, match="array functions are not here"):
        pk.zeros([3])
    with pytest.raises(AttributeError, match="minx.pykokkos has no Graph. docs/pykokkos.md"):
        pk.Graph


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda a: pk.parallel_for(3, twice), "twice: the argument a is missing"),
        (lambda a: pk.parallel_for(3, twice, a=a, b=1), "twice has no parameter b: its arguments are a"),
        (lambda a: pk.parallel_for(3, twice, a), "arguments of workunits are given by name"),
        (lambda a: pk.parallel_for("3", twice, a=a), "a policy and a workunit"),
        (lambda a: pk.parallel_for([3], twice, a=a), "an integer or a policy"),
        (lambda a: pk.parallel_for(3, print, a=a), "expected a function with @pk.workunit"),
        (lambda a: pk.parallel_for(3, twice, a="text"), "text|str|number or an array"),
        (lambda a: pk.parallel_for(pk.MDRangePolicy([0, 0], [2, 2]), twice, a=a), "no parameter a"),
        (
            lambda a: pk.parallel_scan(pk.MDRangePolicy([0, 0], [2, 2]), twice, a=a),
            "parallel_scan over this policy gives it 2 indices",
        ),
        (lambda a: pk.RangePolicy(0, 1, 2, 3), "RangePolicy takes"),
        (lambda a: pk.RangePolicy(0, 1.5), "two integers"),
        (lambda a: pk.TeamPolicy(), "number of teams"),
        (lambda a: pk.TeamPolicy(2.5), "integers and pk.AUTO"),
        (lambda a: pk.MDRangePolicy([0, 0]), "MDRangePolicy takes"),
        (lambda a: pk.View([2], pk.double, trait="Atomic"), "expected pk.Atomic"),
        (lambda a: pk.View([2], pk.double, layout="Left"), "expected pk.LayoutLeft"),
        (lambda a: pk.View([2], pk.double, space=pk.OpenMP), "expected pk.HostSpace"),
        (lambda a: pk.functor(x=3), "pk.ViewTypeInfo"),
        (lambda a: pk.View2D([3]), "View2D has 2 extents"),
    ],
)
def test_mistakes_of_launches(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(pk.View([3]))


@pytest.mark.parametrize(
    "text,message",
    [
        ("a[i] = [x for x in range(3)][0]", "list comprehension"),
        ("with a: pass", "`with`"),
        ("try:\n        pass\n    except Exception: pass", "`try`"),
        ("a[i] = unknown_name", "unknown_name is not defined"),
        ("a[i] = a.mean()", "mean"),
        ("a[i] = pk.View([2], pk.double)[0]", "pk.View cannot be called in kernels: call it outside of the workunit"),
        ("pk.fence()", "pk.fence cannot be called in kernels: call it outside of the workunit"),
        ("import os", "`import`"),
        ("pk.atomic_fetch_add(a, i)", "atomic_fetch_add takes view, index, value"),
        ("pk.atomic_fetch_and(a, [i], 1)", "atomic_fetch_and is on integers"),
        ("pk.printf(i)", "printf begins with a string"),
        ("pk.printf('%d %d', i)", "printf: 2 conversions, 1 values"),
        ("a.extent(i)", "extent takes a dimension that is a constant"),
        ("w(i, a)", "recursion|cannot be called|calls itself"),
        ("x: str = 3", "str is no type of a number"),
        ("raise ValueError", "`raise`"),
        ("pk.parallel_for(3, w)", "inside of workunits|is no function|takes"),
        ("pk.BinSort(a, 3)", "BinSort"),
        ("yield i", "`yield`|expression"),
        ("a[i] = {}", "a dict"),
        ("a[i] = f'{i}'", "f-string"),
    ],
)
def test_mistakes_in_workunits(tmp_path, text, message):
    """Each names the construct, file and line."""
    import importlib.util

    path = tmp_path / "wrong.py"
    path.write_text(f"import minx.pykokkos as pk\n@pk.workunit\ndef w(i: int, a: pk.View1D[pk.double]):\n    {text}\n")
    spec = importlib.util.spec_from_file_location("wrong", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(SyntaxError, match=message) as info:
        pk.parallel_for(2, module.w, a=pk.View([5]))
    assert info.value.filename == str(path) and info.value.lineno == 4


@pk.workunit
def largest(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc = max(acc, a[i])


@pk.workunit
def largest_declared(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc: float = max(acc, a[i])


@pk.workunit
def largest_and_more(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc, b = max(acc, a[i]), 1


@pk.workunit
def largest_twice(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc = b = max(acc, a[i])


@pk.workunit
def largest_as_sum(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc += max(0, a[i] - acc)


@pk.workunit
def doubled(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc = acc + acc


@pk.workunit
def sum_in_full(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc = a[i] + acc - 1


def test_a_value_is_a_sum():
    """The values of threads are added, so another operator would give a wrong result."""
    a = pk.View([5])
    a.fill(3)
    assert pk.parallel_reduce(5, sum_in_full, a=a) == 10
    for wrong in largest, largest_declared, largest_and_more, largest_twice, largest_as_sum, doubled:
        with pytest.raises(SyntaxError, match=r"acc is a sum: write acc \+= "):
            pk.parallel_reduce(5, wrong, a=a)

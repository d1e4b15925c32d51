"""Kernels written in C: every pattern, against NumPy; the messages of mistakes; cells of notebooks; kernel files of an app."""

import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import minx
import minx.notebook
import contexts
from contexts import CONTEXTS, make

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=[c for c in CONTEXTS if c != "python"])
def ctx(request):
    return make(request.param)


class Arrays(contexts.Arrays):
    """In the layout of the context, which accessors without a letter have."""

    def to(self, array):
        return super().to(array) if self.copies or self.ctx.layout == minx.RIGHT else np.array(array, order="F")


AXPY = """
MX_ARGS(axpy_args,
    (mx_f64_1, y)
    (mx_cf64_1, x),
    double alpha;
);
MX_DECLARE_FOR(1D, axpy, axpy_args)
MX_BODY void axpy_body(const axpy_args *a, int i)
{
    MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i);
}
MX_FOR(1D, axpy)
"""
axpy = minx.c_kernel(AXPY)


def test_for(ctx):
    d, x = Arrays(ctx), np.arange(1000.0)
    y, on = d.to(np.ones(1000)), d.to(x)
    axpy(1000, y=y, x=on, alpha=2.0, ctx=ctx)
    minx.parallel_for(minx.Range(0, 1000), axpy, y, on, 3, ctx=ctx)
    minx.parallel_for(10, axpy, y=y, x=on, alpha=np.float32(0.5), ctx=ctx)
    expected = 1 + 5 * x
    expected[:10] += 0.5 * x[:10]
    assert np.array_equal(d.back(y), expected)
    assert axpy.parameters == ["y", "x", "alpha"] and repr(axpy) == "<minx.CKernel axpy(y, x, alpha): parallel_for over 1D>"


PATTERNS = minx.c_kernel("""
typedef struct pair { double scale; int shift[2]; } pair;
#define SUMMARY(FIELD) FIELD(double, total, MX_SUM) FIELD(float, top, MX_MAX) FIELD(int32_t, low, MX_MIN)
MX_VALUE(summary, SUMMARY)

MX_ARGS(grid_args, (mx_cf64_2, u) (mx_ci32_2, k), int64_t big; pair p; bool flag; float w;);
MX_DECLARE_REDUCE(2D, sum_of, grid_args, double)
MX_BODY void sum_of_body(const grid_args *a, int i, int j, double *sum)
{
    if (a->flag) *sum += a->p.scale * MX_AT(a->u, i, j) + a->p.shift[0] - a->p.shift[1] + (double)a->big * (double)a->w;
}
MX_REDUCE(2D, sum_of, MX_SUM)

MX_ARGS(pair_args, (mx_cf64_2, u) (mx_ci32_2, k));
MX_DECLARE_REDUCE(2D, summarize, pair_args, summary)
MX_BODY void summarize_body(const pair_args *a, int i, int j, summary *s)
{
    s->total += MX_AT(a->u, i, j);
    const float u = (float)MX_AT(a->u, i, j);
    s->top = s->top < u ? u : s->top;
    s->low = MX_AT(a->k, i, j) < s->low ? MX_AT(a->k, i, j) : s->low;
}
MX_REDUCE_FIELDS(2D, summarize, SUMMARY)

MX_ARGS(list_args, (mx_cf64_1, x) (mx_ci32_1, bin) (mx_f64_1, out));
MX_DECLARE_REDUCE(1D, hottest, list_args, mx_loc_f64)
MX_BODY void hottest_body(const list_args *a, int i, mx_loc_f64 *v) { mx_maxloc_f64_update(v, MX_AT(a->x, i), i); }
MX_REDUCE_CUSTOM(1D, hottest, mx_maxloc_f64_init, mx_maxloc_f64_join)

MX_DECLARE_REDUCE_ARRAY(1D_64, bins, list_args, double)
MX_BODY void bins_body(const list_args *a, int64_t i, bins_array v) { mx_array_add(v, MX_AT(a->bin, i), MX_AT(a->x, i)); }
MX_REDUCE_ARRAY(1D_64, bins, MX_SUM)

MX_DECLARE_SCAN(1D, running, list_args, double)
MX_BODY void running_body(const list_args *a, int i, double *sum, bool final)
{
    *sum += MX_AT(a->x, i);
    if (final) MX_AT(a->out, i) = *sum;
}
MX_SCAN(1D, running, MX_SUM)

MX_ARGS(rows_args, (mx_cf64_2, u) (mx_f64_1, out));
MX_DECLARE_FOR(TEAM, row_sums, rows_args)
MX_BODY void row_sums_body(const rows_args *a, mx_team *t)
{
    const int r = t->league_rank, n = (int)MX_EXTENT(a->u, 1);
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, copy, n);
    MX_TEAM_VECTOR_FOR(t, i, 0, n) MX_AT(copy, i) = MX_AT(a->u, r, i);
    mx_team_barrier(t);
    double mine = 0;
    MX_TEAM_FOR(t, i, 0, n) mine += MX_AT(copy, n - 1 - i);
    const double all = mx_team_sum(t, mine);
    MX_TEAM_SINGLE(t) MX_AT(a->out, r) = all;
}
MX_FOR(TEAM, row_sums)
""")


def test_several_kernels_in_a_text():
    assert list(PATTERNS.kernels) == ["sum_of", "summarize", "hottest", "bins", "running", "row_sums"]
    assert PATTERNS.sum_of.parameters == ["u", "k", "big", "p", "flag", "w"]
    assert {k.pattern for k in PATTERNS.kernels.values()} == {"for", "reduce", "scan"}
    assert "sum_of" in dir(PATTERNS)
    with pytest.raises(AttributeError, match="has no kernel nothing"):
        PATTERNS.nothing


def test_reductions(ctx):
    d, rng = Arrays(ctx), np.random.default_rng(0)
    u, k = rng.integers(0, 99, (40, 33)).astype(float), rng.integers(-50, 50, (40, 33)).astype(np.int32)
    on = dict(u=d.to(u), k=d.to(k), ctx=ctx)
    p = {"scale": 2.0, "shift": [5, 3]}
    policy = minx.MDRange(u.shape)
    got = PATTERNS.sum_of(policy, big=2**40, p=p, flag=True, w=0.25, **on)  # all terms are whole numbers below 2^53
    assert got == 2 * u.sum() + u.size * (2 + 2**38)
    assert PATTERNS.sum_of(policy, big=1, p={}, flag=False, w=0.25, **on) == 0
    total = minx.parallel_reduce(policy, PATTERNS.sum_of, big=0, p={"scale": 1}, flag=True, w=0, **on)
    assert total == u.sum()
    got = PATTERNS.summarize(policy, **on)
    assert got == (u.sum(), u.max(), k.min()) and got.total == u.sum() and got.low == k.min()


def test_locations_arrays_and_scans(ctx):
    d, rng = Arrays(ctx), np.random.default_rng(1)
    x, bins = rng.integers(0, 10**6, 5000).astype(float), rng.integers(0, 7, 5000).astype(np.int32)
    on = dict(x=d.to(x), bin=d.to(bins), out=d.to(np.zeros(5000)), ctx=ctx)
    assert PATTERNS.hottest(5000, **on) == (x.max(), x.argmax())
    expected = np.bincount(bins, x, 7)
    assert np.array_equal(PATTERNS.bins(5000, length=7, **on), expected)
    into = d.to(np.ones(7))
    assert PATTERNS.bins(5000, length=7, into=into, **on) is None and np.array_equal(d.back(into), expected)
    if "check" not in ctx.resource:
        assert PATTERNS.running(5000, **on) == x.sum() and np.array_equal(d.back(on["out"]), np.cumsum(x))
    one = d.to(np.zeros(2))
    minx.parallel_scan(5000, PATTERNS.running, into=one, index=1, **on)
    assert list(d.back(one)) == [0, x.sum()]


def test_teams(ctx):
    d, u = Arrays(ctx), np.random.default_rng(2).integers(0, 99, (30, 17)).astype(float)
    out = d.to(np.zeros(30))
    PATTERNS.row_sums(minx.Team(30).with_scratch(0, 17 * 8), u=d.to(u), out=out, ctx=ctx)
    assert np.array_equal(d.back(out), u.sum(1))


def test_include_and_options(tmp_path):
    (tmp_path / "factor.h").write_text("#define FACTOR (BASE * 2.0)\n")
    text = AXPY.replace("a->alpha *", "FACTOR * a->alpha *").replace("axpy", "scaled")
    y = np.zeros(4)
    for base in (1, 3):
        scaled = minx.c_kernel('#include "factor.h"\n' + text, include=[tmp_path], options=[f"-DBASE={base}"])
        scaled(4, y=y, x=np.ones(4), alpha=1.0)
    assert list(y) == [8.0] * 4
    (tmp_path / "factor.h").write_text("#define FACTOR (BASE * 3.0)\n")  # a changed header is noticed
    minx.c_kernel('#include "factor.h"\n' + text, include=tmp_path, options=["-DBASE=1"])(4, y=y, x=np.ones(4), alpha=1.0)
    assert list(y) == [11.0] * 4


# ---- mistakes ----


def wrong(text, *names, **arguments):
    kernel = minx.c_kernel(text)
    kernel(4, **arguments)


@pytest.mark.parametrize("error, match, call", [
    (TypeError, "x, alpha are missing", lambda y: axpy(4, y=y)),
    (TypeError, "has no argument beta, but y, x, alpha", lambda y: axpy(4, y=y, x=y, beta=1)),
    (TypeError, "gets y twice", lambda y: axpy(4, y, y=y, x=y, alpha=1)),
    (TypeError, "y is a float, expected an array", lambda y: axpy(4, y=1.0, x=y, alpha=1)),
    (TypeError, "alpha is a str, expected a number", lambda y: axpy(4, y=y, x=y, alpha="2")),
    (TypeError, "is for parallel_for, not parallel_reduce", lambda y: minx.parallel_reduce(4, axpy, y=y, x=y, alpha=1)),
    (TypeError, "is over 1D, got a policy of 2D", lambda y: axpy(minx.MDRange((2, 2)), y=y, x=y, alpha=1)),
    (minx.Error, "MX_ERR", lambda y: axpy(4, y=y.astype(np.float32), x=y, alpha=1)),
    (minx.Error, "MX_ERR", lambda y: axpy(4, y=y.reshape(2, 2), x=y, alpha=1)),
    (minx.NotSupported, "no plain run", lambda y: axpy(4, y=y, x=y, alpha=1, ctx="python")),
    (TypeError, "p is a struct, expected a dict", lambda y: PATTERNS.sum_of(
        minx.MDRange((1, 1)), u=y.reshape(2, 2), k=np.zeros((2, 2), np.int32), big=1, p=3, flag=True, w=0)),
    (TypeError, r"p.shift has the shape \(3,\), expected \(2,\)", lambda y: PATTERNS.sum_of(
        minx.MDRange((1, 1)), u=y.reshape(2, 2), k=np.zeros((2, 2), np.int32), big=1, p={"shift": [1, 2, 3]}, flag=True, w=0)),
    (TypeError, "does not fit its member", lambda y: PATTERNS.sum_of(
        minx.MDRange((1, 1)), u=y.reshape(2, 2), k=np.zeros((2, 2), np.int32), big=1.5, p={}, flag=True, w=0)),
    (TypeError, "length=", lambda y: PATTERNS.bins(4, x=y, bin=np.zeros(4, np.int32), out=y)),
    (minx.CompileError, "defines no kernel", lambda y: minx.c_kernel("typedef int nothing;")),
    (minx.CompileError, "no_such.h", lambda y: minx.c_kernel('#include "no_such.h"\n')),
    (minx.CompileError, "member p of .* is a pointer", lambda y: minx.c_kernel(
        AXPY.replace("double alpha;", "double alpha; const double *p;"))),
])
def test_mistakes(error, match, call):
    with pytest.raises(error, match=match):
        call(np.zeros(4))


def test_the_compilers_message_has_the_line_of_this_file():
    kernel = minx.c_kernel("""
MX_ARGS(slip_args, (mx_f64_1, y));
MX_DECLARE_FOR(1D, slip, slip_args)
MX_BODY void slip_body(const slip_args *a, int i) { MX_AT(a->y, i) = no_such_name; }
MX_FOR(1D, slip)
""")
    lines = inspect.getsource(sys.modules[__name__]).split("\n")
    line = next(n for n, text in enumerate(lines, 1) if text.startswith("MX_BODY void slip_body"))
    with pytest.raises(minx.CompileError, match=f"test_c_kernel.py:{line}:.*no_such_name"):
        kernel(4, y=np.zeros(4))


def test_a_body_that_does_not_fit_its_declaration():
    kernel = minx.c_kernel(AXPY.replace("int i)", "int i, int j)").replace("axpy", "misfit"))
    with pytest.raises(minx.CompileError, match="misfit: the body must be"):
        kernel(4, y=np.zeros(4), x=np.zeros(4), alpha=1.0)


# ---- notebooks ----


class Shell:
    """What the extension uses of IPython's shell."""

    def __init__(self):
        self.magics, self.names = {}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def push(self, names):
        self.names.update(names)


def test_cell_magic(capsys):
    shell = Shell()
    minx.load_ipython_extension(shell)
    magic = shell.magics["cell", "minx"]
    magic("-DBASE=4", AXPY.replace("axpy", "celled").replace("a->alpha *", "BASE * a->alpha *"))
    y = np.zeros(3)
    shell.names["celled"](3, y=y, x=np.ones(3), alpha=0.5)
    assert list(y) == [2.0] * 3 and "celled(y, x, alpha)" in capsys.readouterr().err
    magic("", "\n" + AXPY.replace("a->alpha *", "a->beta *"))
    said = capsys.readouterr().err  # `%%minx` is line 1 of the cell, two lines are empty
    assert "cell:" + str(2 + ("\n" + AXPY).split("\n").index("    MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i);")) in said
    assert "beta" in said


def test_in_ipython():
    testing = pytest.importorskip("IPython.testing.globalipapp")
    shell = testing.start_ipython()
    shell.run_line_magic("load_ext", "minx")
    shell.run_cell_magic("minx", "", AXPY.replace("axpy", "in_ipython"))
    y = np.ones(2)
    shell.user_ns["in_ipython"](2, y=y, x=y.copy(), alpha=1.0)
    assert list(y) == [2, 2]


# ---- a kernel file of an app ----


def lennard_jones(x, epsilon, sigma, cutoff):
    """Forces, energy and virial of all pairs within the cutoff, in NumPy: from the potential's formula."""
    rij = x[:, None] - x[None]
    r2 = (rij**2).sum(2)
    np.fill_diagonal(r2, np.inf)
    s6 = np.where(r2 < cutoff**2, (sigma**2 / r2) ** 3, 0)
    over_r2 = 24 * epsilon * (2 * s6**2 - s6) / r2
    return (rij * over_r2[..., None]).sum(1), 0.5 * (4 * epsilon * (s6**2 - s6)).sum(), 0.5 * (over_r2 * np.where(s6 > 0, r2, 0)).sum()


def lj_arguments(n=200, seed=3):
    """Atoms on a disturbed lattice, so that none are too close, and their full neighbour lists."""
    side = math.ceil(n ** (1 / 3))
    x = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:n] * 1.2
    x = x + np.random.default_rng(seed).random((n, 3)) * 0.2
    near = [np.flatnonzero((((x - p) ** 2).sum(1) < 3.0**2) & (np.arange(n) != i)) for i, p in enumerate(x)]
    count = np.array([len(row) for row in near], np.int32)
    neighbour = np.full((n, count.max()), -1, np.int32)
    for i, row in enumerate(near):
        neighbour[i, : len(row)] = row
    return x, count, neighbour


@pytest.mark.skipif(not (ROOT / "apps/minimd").exists(), reason="the sources of the apps are not here")
def test_minimd_forces(ctx):
    epsilon, sigma, cutoff = 0.9, 1.1, 2.5
    file = minx.c_file(ROOT / "apps/minimd/rows/kernels/lj.c", include=[ROOT / "apps/minimd"])
    assert set(file.kernels) == {"md_lj_full", "md_lj_full_energy"}
    x, count, neighbour = lj_arguments()
    d = Arrays(ctx)
    force = d.to(np.zeros_like(x))
    one = {"epsilon": epsilon, "sigma6": sigma**6, "cutoff": cutoff, "cutoff_square": cutoff**2}
    arguments = dict(position=d.to(x), type=d.to(np.zeros(len(x), np.int32)), pair=d.to(np.zeros((1, 6))), neighbour_count=d.to(count),
                     neighbour=d.to(neighbour), force=force, lj={"one": one, "one_pair": True, "types": 1}, ctx=ctx)
    file.md_lj_full(len(x), **arguments)
    forces, potential, virial = lennard_jones(x, epsilon, sigma, cutoff)
    # some 100 terms for each atom, which cancel: their size sets the error
    assert np.allclose(d.back(force), forces, rtol=1e-9, atol=1e-11 * np.abs(forces).max())
    energy = file.md_lj_full_energy(len(x), **arguments)
    assert math.isclose(energy.potential, potential, rel_tol=1e-10) and math.isclose(energy.virial, virial, rel_tol=1e-9)

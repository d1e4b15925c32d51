"""Type stubs (.pyi) say what the code says: the same names, parameters, defaults, members. Where mypy is installed, it checks
examples with them, too."""

import ast
import enum
import importlib
import importlib.util
import inspect
import subprocess
import sys
import types

import pytest

from builds import PYTHON
import minx
from minx import apps, pykokkos

MODULES = ["minx", "minx.pykokkos"]
EXAMPLES = PYTHON.parent / "examples/python"
ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def stub_of(name):
    """{name: definitions} of a stub; several of an overload."""
    text = (PYTHON / name.replace(".", "/") / "__init__.pyi").read_text()
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = [node]
        elif isinstance(node, ast.Assign):
            found[node.targets[0].id] = [node]
    return found


def public(names):
    return {n for n in names if not n.startswith("_")}


@pytest.mark.parametrize("name", MODULES)
def test_names(name):
    """All public names of the module, and no others; TypeVars and what begins with _ are the stub's own."""
    module = importlib.import_module(name)
    there = public(n for n, v in vars(module).items() if not isinstance(v, types.ModuleType))
    assert public(stub_of(name)) == there


def parameters(node, method):
    """{name: (kind, default)} of a function in a stub. default: None where there is none, else its text."""
    a, P = node.args, inspect.Parameter
    given = [(p, P.POSITIONAL_ONLY) for p in a.posonlyargs] + [(p, P.POSITIONAL_OR_KEYWORD) for p in a.args]
    defaults = [None] * (len(given) - len(a.defaults)) + a.defaults
    given = [(p, kind, default) for (p, kind), default in zip(given, defaults)]
    given += [(a.vararg, P.VAR_POSITIONAL, None)] * bool(a.vararg)
    given += [(p, P.KEYWORD_ONLY, default) for p, default in zip(a.kwonlyargs, a.kw_defaults)]
    given += [(a.kwarg, P.VAR_KEYWORD, None)] * bool(a.kwarg)
    return {p.arg: (kind, default and ast.unparse(default)) for p, kind, default in given[1 if method else 0:]}


def compare(where, node, runtime, method):
    """One function of a stub, which is no overload, with the real one."""
    stub, real = parameters(node, method), dict(inspect.signature(runtime).parameters)
    if method and not inspect.ismethod(runtime):
        real.pop(next(iter(real)))
    assert list(stub) == list(real), f"{where}: parameters {list(stub)}, the code has {list(real)}"
    for name, (kind, default) in stub.items():
        assert kind == real[name].kind, f"{where}: {name} is {kind.description}, in the code {real[name].kind.description}"
        there = real[name].default
        assert (default is None) == (there is inspect.Parameter.empty), f"{where}: the default of {name}"
        if default not in (None, "..."):
            shown = f"{type(there).__name__}.{there.name}" if isinstance(there, enum.Enum) else repr(there)
            assert ast.unparse(ast.parse(shown, mode="eval")) == default, f"{where}: the default of {name} is {default}, in the code {there!r}"


def compare_overloads(where, nodes, runtime, method):
    """Each parameter of an overload that can be named is one of the real function's, and all of these are in one of them."""
    real = dict(inspect.signature(runtime).parameters)
    if method:
        real.pop(next(iter(real)))
    takes_any = any(p.kind in ANY for p in real.values())
    stubs = [parameters(node, method) for node in nodes]
    named = {n for stub in stubs for n, (kind, _) in stub.items() if kind not in (*ANY, inspect.Parameter.POSITIONAL_ONLY)}
    assert takes_any or named == set(real), f"{where}: {named}, the code has {set(real)}"


def compare_function(where, nodes, runtime, method=False):
    overloaded = [n for n in nodes if any(ast.unparse(d) == "overload" for d in n.decorator_list)]
    if overloaded:
        assert overloaded == nodes
        compare_overloads(where, nodes, runtime, method)
    else:
        assert len(nodes) == 1, f"{where} is there {len(nodes)} times"
        compare(where, nodes[0], runtime, method)


def members_of(stubs, node):
    """{name: nodes} of a class in a stub, with those of its bases there."""
    found = {}
    for base in node.bases:
        name = ast.unparse(base).partition("[")[0]
        if name in stubs:
            found |= members_of(stubs, stubs[name][0])
    own = {}
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            own.setdefault(part.name, []).append(part)
        elif isinstance(part, ast.AnnAssign):
            own[part.target.id] = [part]
        elif isinstance(part, ast.Assign):
            own[part.targets[0].id] = [part]
    return found | own


INTERNAL = {  # public in name only: of the way from a launch to a call
    "bind", "roles", "members", "held", "policy", "indices", "who", "macro", "element",
    "make", "form", "is_tuple", "set_bins", "dimensions", "begin_launch", "minx_struct", "values", "types", "apply", "static", "address", "accessible", "graphs",
}


def compare_class(where, stubs, node, runtime):
    stub = members_of(stubs, node)
    for name, nodes in stub.items():
        if name in ("__getattr__", "__class_getitem__"):
            continue
        if isinstance(nodes[0], ast.FunctionDef):
            there = inspect.getattr_static(runtime, name, None)
            assert there is not None, f"{where} has no {name}"
            is_property = any("property" in ast.unparse(d) for d in nodes[0].decorator_list)
            assert is_property == isinstance(there, property), f"{where}.{name}: a property, or not"
            is_class_method = isinstance(there, classmethod)
            assert is_class_method == any("classmethod" in ast.unparse(d) for d in nodes[0].decorator_list), f"{where}.{name}"
            if not is_property and not name.startswith("__r"):
                compare_function(f"{where}.{name}", nodes, getattr(runtime, name), method=True)
        elif issubclass(runtime, enum.Enum):
            assert runtime[name].value == ast.literal_eval(nodes[0].value), f"{where}.{name}"
    if not issubclass(runtime, enum.Enum):
        own = {n for c in runtime.__mro__ if c.__module__.startswith("minx") for n in vars(c)}
        missing = public(own) - set(stub) - INTERNAL
        assert not missing, f"{where}: the stub has no {', '.join(sorted(missing))}"


@pytest.mark.parametrize("name", MODULES)
def test_functions_and_classes(name):
    module, stubs = importlib.import_module(name), stub_of(name)
    for public_name in public(stubs):
        nodes, runtime = stubs[public_name], getattr(module, public_name)
        where = f"{name}.{public_name}"
        if isinstance(runtime, minx.NumberType):  # a value that is a type in annotations
            assert isinstance(nodes[0], ast.ClassDef) and not nodes[0].body[1:]
            number = ast.unparse(nodes[0].bases[0]).removeprefix("np.") if nodes[0].bases else "bool"
            assert runtime.dtype.name == number, where
        elif isinstance(nodes[0], ast.FunctionDef):
            compare_function(where, nodes, runtime)
        elif isinstance(nodes[0], ast.ClassDef):
            if isinstance(runtime, type) and issubclass(runtime, (pykokkos.views.Annotation, pykokkos.policies.Scratch)):
                continue  # at run time they only make views
            compare_class(where, stubs, nodes[0], runtime)
        elif isinstance(nodes[0], ast.Assign):
            assert runtime is getattr(module, nodes[0].value.id), where
        else:
            named = ast.unparse(nodes[0].annotation)
            assert type(runtime).__name__ == named, f"{where} is a {type(runtime).__name__}, not {named}"


def attributes_of(name, class_name):
    return [n for n, nodes in members_of(stub_of(name), stub_of(name)[class_name][0]).items() if isinstance(nodes[0], ast.AnnAssign)]


def test_attributes():
    """What the stubs say of objects is there."""
    ctx, other = minx.Context("serial"), minx.Context("serial")
    kernel = minx.c_kernel("""
        MX_ARGS(one_args, (mx_f64_1, y));
        MX_DECLARE_FOR(1D, one, one_args)
        MX_BODY void one_body(const one_args *a, int i) { MX_AT(a->y, i) = 1; }
        MX_FOR(1D, one)
    """)
    objects = {
        "Context": ctx, "View": ctx.zeros(3), "Range": minx.Range(3), "MDRange": minx.MDRange((3, 3)), "Team": minx.Team(3),
        "Kernel": minx.kernel(test_attributes), "Reducer": minx.Reducer(0.0, max), "Graph": minx.Graph(other),
        "Scatter": minx.Scatter(ctx.zeros(3), ctx=ctx), "NumberType": minx.f64, "_Number": minx.f64, "_CKernel": kernel,
        "_CFile": kernel.file, "Error": minx.Error("MX_ERR_ARG", "text"),
    }
    for name, value in objects.items():
        for attribute in attributes_of("minx", name):
            assert hasattr(value, attribute), f"{name}.{attribute}"
    of_pykokkos = [pykokkos.View([3]), pykokkos.RangePolicy(3), pykokkos.MDRangePolicy([0, 0], [3, 3]), pykokkos.TeamPolicy(3),
                   pykokkos.Rank(2), pykokkos.ViewTypeInfo(), pykokkos.Acc(), pykokkos.DataType,
                   pykokkos.ExecutionSpaceInstance(pykokkos.Serial)]
    for value in of_pykokkos:
        for attribute in attributes_of("minx.pykokkos", getattr(value, "__name__", type(value).__name__)):
            assert hasattr(value, attribute), f"{value!r}.{attribute}"


@pytest.mark.parametrize("function", [apps.minimd, apps.minife, apps.tealeaf, apps.program, apps.Run.__init__, apps.Results.__init__])
def test_apps_have_their_types_in_the_code(function):
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    assert all(p.annotation is not p.empty for p in parameters) and signature.return_annotation is not signature.empty


PROGRAM = """
import numpy as np
import minx
from minx import apps

@minx.kernel
def axpy(i, y, x, alpha: minx.f64):
    y[i] += alpha * x[i]

class Heat:
    @minx.kernel
    def step(self, i):
        pass

minx.declare(minx.Range, axpy, minx.f64[:], minx.f64[:, :], float)
y = np.ones(3)
minx.parallel_for(3, axpy, y, y, 2.0, ctx="python")
minx.parallel_for(minx.Team(3), Heat().step)
minx.parallel_reduce(minx.MDRange((3, 3)), axpy, op=("sum", "maxloc"))
with minx.Context("serial") as ctx:
    reveal_type(ctx.zeros((2, 3), np.float32)[1:].numpy())
    with minx.graph(ctx) as graph, minx.region("steps"):
        pass
    graph.launch()
reveal_type(apps.minimd("deck.in", steps=3).fom)
minx.parallel_reduce(3, axpy, op="summe")  # wrong
ctx.zero(3)  # wrong
minx.parallel_for("3", axpy)  # wrong
minx.Range(1.5)  # wrong
"""


def mypy(*words, folder):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("there is no mypy: pip install mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", *map(str, words)], capture_output=True, text=True, cwd=folder)
    return done.stdout.splitlines()


def test_what_mypy_says_of_a_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    said = mypy("program.py", folder=tmp_path)
    errors = [int(line.split(":")[1]) for line in said if " error: " in line]
    wrong = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert errors == wrong, "\n".join(said)
    shown = "\n".join(line for line in said if "Revealed type" in line)
    assert "ndarray" in shown and "minx.apps.run.Figure" in shown


@pytest.mark.parametrize("folder", ["", "paper"])
def test_mypy_finds_nothing_in_the_examples(folder):
    files = sorted(p.name for p in (EXAMPLES / folder).glob("*.py"))
    assert not [line for line in mypy("--cache-dir=/dev/null", *files, folder=EXAMPLES / folder) if " error: " in line]

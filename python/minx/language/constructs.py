"""What Python has and kernels do not: its name in messages, and what to write instead."""

import ast

STATEMENTS = {
    ast.With: ("`with`", "open and close outside of the kernel"),
    ast.AsyncWith: ("`async with`", "kernels run in parallel by themselves"),
    ast.Try: ("`try`", "test for the mistake before it happens"),
    ast.Raise: ("`raise`", "use `assert`, which checked mode reports, or store an error code in an array"),
    ast.ClassDef: ("a class", "define it outside of the kernel"),
    ast.Import: ("`import`", "import outside of the kernel"),
    ast.ImportFrom: ("`import`", "import outside of the kernel"),
    ast.Delete: ("`del`", "a variable ends with its function"),
    ast.Global: ("`global`", "kernels cannot assign variables of outside: pass an array of one element, or reduce"),
    ast.Nonlocal: ("`nonlocal`", "kernels cannot assign variables of outside: pass an array of one element, or reduce"),
    ast.AsyncFor: ("`async for`", "kernels run in parallel by themselves"),
    ast.FunctionDef: (
        "a function inside a kernel",
        "define it outside; in a team kernel, write a loop over team.threads(n)",
    ),
    ast.AsyncFunctionDef: ("an async function", "kernels run in parallel by themselves"),
    ast.Match: ("`match`", "use `if` and `elif`"),
}
EXPRESSIONS = {
    ast.ListComp: ("a list comprehension", "write a loop; minx.local(n, float) is a local array"),
    ast.DictComp: ("a dict comprehension", "write a loop over arrays"),
    ast.SetComp: ("a set comprehension", "write a loop over arrays"),
    ast.GeneratorExp: ("a generator expression", "write a loop"),
    ast.Dict: ("a dict", "use an array with integer indices, or a record"),
    ast.Set: ("a set", "use an array"),
    ast.Lambda: ("a lambda", "define a function outside of the kernel"),
    ast.JoinedStr: ("an f-string", "only print has them"),
    ast.Await: ("`await`", "kernels run in parallel by themselves"),
    ast.Yield: ("`yield`", "store values in an array"),
    ast.YieldFrom: ("`yield`", "store values in an array"),
    ast.Starred: ("`*`", "name each element"),
    ast.NamedExpr: ("`:=`", "assign in a statement of its own"),
    ast.Slice: ("a slice without an array", "use range"),
}
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = STATEMENTS[ast.Try]
BUILTINS = {  # functions of Python that kernels do not have
    sum: "write a loop that adds, or parallel_reduce",
    any: "write a loop",
    all: "write a loop",
    sorted: "sort outside of the kernel",
    enumerate: "write `for i in range(len(a))`",
    zip: "write `for i in range(len(a))`",
    map: "write a loop",
    filter: "write a loop",
    reversed: "write `for i in range(n - 1, -1, -1)`",
    list: "use minx.local(n, float)",
    dict: "use arrays",
    set: "use arrays",
    tuple: "write (a, b, c)",
    str: "only print has text",
    open: "files are for outside of kernels",
    input: "kernels read nothing but their arguments",
    isinstance: "types are known when a kernel is compiled",
    getattr: "write the attribute itself",
    setattr: "assign the attribute itself",
    eval: "write the expression itself",
    exec: "write the statements themselves",
    iter: "write a loop over range",
    next: "write a loop over range",
    type: "types are known when a kernel is compiled",
    bytes: "use an array of u8",
}
ATTRIBUTES = {  # of arrays
    **dict.fromkeys(("sum", "prod", "min", "max", "mean", "all", "any", "argmin", "argmax"), "write a loop, or parallel_reduce"),
    **dict.fromkeys(("copy", "fill"), "assign element by element, or before the launch"),
    **dict.fromkeys(("sort", "reshape", "astype", "ravel", "flatten"), "call it before the launch"),
    "T": "write the indices in the other order",
    "dot": "write a loop that adds",
    "append": "arrays do not grow; count with minx.atomic_add, and store at the count",
}
MODULES = {  # functions of modules that kernels do not have
    "numpy.random": "use minx.Random(seed, i)",
    "random": "use minx.Random(seed, i)",
    "time": "measure outside of the kernel",
    "numpy": "they have NumPy's functions of numbers; write a loop over the elements",
    "minx.launch": "call it outside of the kernel",
    "minx.runtime": "call it outside of the kernel",
    **dict.fromkeys((f"minx.pykokkos.{name}" for name in ("programs", "spaces", "views")), "call it outside of the workunit"),
}


def module_hint(function) -> str | None:
    """What to write instead of a function, by the module that it is from, or its object is."""
    if not callable(function):
        return None
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    return next((hint for name, hint in MODULES.items() if f"{module}.".startswith(f"{name}.")), None)


def say(table: dict, node) -> str:
    """The message for a node of a kind that the table has or nobody knows."""
    what, instead = table.get(type(node), (f"`{type(node).__name__}`", ""))
    return f"{what} is not supported in kernels" + (f": {instead}" if instead else "")

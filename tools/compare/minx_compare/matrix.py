"""From a plan to its runs: every combination of the axes, each as often as it is repeated, in turn.

A run is a dictionary that JSON can store, so that a job array and a report on another machine have the same one:

    id          the name of its folder: readable, with a digest of all that makes the run
    config      the same for all repeats
    row         the same for all runs that must give the same answer: other backend, layout, ranks or threads
    variant     how the problem is solved, where a case has several ways: the options and axes that differ
    problem     the options that all ways of a case have
    sizes       the axes with numbers
    memberships the cases that have this run, each with its own case, scaling, row, variant, problem, sizes and axis; the run itself has
                those of the first
    absent      why this machine cannot run its backend; empty: it can
"""
import hashlib
import itertools
import json
import re
import shlex

from . import expression
from .errors import Mistakes, Text
from .expression import BadExpression

GPU_BACKENDS = ("cuda", "hip")
ONE_THREAD = ("serial", *GPU_BACKENDS)  # backends whose host threads do not compute
OWN_LAYOUT = {"cuda": "left", "hip": "left", "simt": "left"}  # others: right
MAX_RUNS = 100000
MEMBERSHIP = ("case", "scaling", "row", "variant", "problem", "sizes", "axis")


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def slug(text):
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-")


def file_digest(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            found.update(block)
    return found.hexdigest()


def expand(plan, machine, mistakes=None):
    """The runs of a plan: all first repeats, then all second ones, and so on."""
    own = mistakes if mistakes is not None else Mistakes()
    by_name = {}
    for case in plan.cases:
        for config in expand_case(plan, case, machine, own):
            join(by_name.setdefault(config["config"], config), config)
    configs = list(by_name.values())
    if not configs and not own.lines:
        own.add(str(plan.path), Text("a matrix without a run"), "at least one app, deck and backend that this machine has")
    number = sum(config["repeats"] for config in configs)
    if number > MAX_RUNS:
        own.add(str(plan.path), Text(f"{number} runs"), f"at most {MAX_RUNS}")
    if mistakes is None:
        own.end_if_any()
    rounds = max((config["repeats"] for config in configs), default=0)
    return [of_repeat(config, repeat) for repeat in range(1, rounds + 1) for config in configs if repeat <= config["repeats"]]


def join(config, other):
    """One run for all cases that have it, and for each number of threads of a backend that has one."""
    membership = {key: other[key] for key in MEMBERSHIP}
    if membership not in config["memberships"]:
        config["memberships"].append(membership)
    config["agree"] = sorted({*config["agree"], *other["agree"]})
    for key in ("repeats", "timeout"):
        config[key] = max(config[key], other[key])


def of_repeat(config, repeat):
    return {**config, "repeat": repeat, "id": f"{config['slug']}-{repeat}"}


def expand_case(plan, case, machine, mistakes):
    decks = machine.decks_of(plan, case, mistakes)
    backends = machine.backends_of(case, mistakes)
    axes = [[(name, value) for value in values] for name, values in case.axis.items()]
    for deck, options, layout, precision, *values in itertools.product(decks, case.options, case.layout, case.precision, *axes):
        for backend, ranks, threads in itertools.product(backends, case.ranks, case.threads):
            chosen = {"deck": deck, "options": options, "layout": layout, "precision": precision, "axis": dict(values),
                      "backend": backend, "ranks": ranks, "threads": threads}
            try:
                config = one_config(plan, case, machine, chosen)
            except BadExpression as error:
                mistakes.add(f"{case.where}: options, threads or seconds", Text(f"'{error.args[1]}' ({error.args[0]})"),
                             "expressions of ranks, threads, cores, gpus and the case's axes"
                             + ("" if machine.checks_cores else "; --cores and --gpus say how many cores and GPUs a node of the job has"))
                continue
            if config["ranks"] * config["threads"] > machine.cores and not plan.oversubscribe and machine.checks_cores:
                mistakes.add(f"{case.where}: ranks x threads", Text(f"{config['ranks']} x {config['threads']} on {backend}"),
                             f"at most {machine.cores}, the cores that this process may use, or oversubscribe = true")
                continue
            yield config


def of_expression(text, names):
    try:
        return expression.evaluate(text, names)
    except BadExpression as error:
        raise BadExpression(str(error), text) from None


def fill(text, names):
    try:
        return expression.fill(text, names)
    except BadExpression as error:
        raise BadExpression(str(error), text) from None


def count_of(value, names):
    """A number of ranks or threads: a number, or an expression, whose fraction is left out."""
    if isinstance(value, int):
        return value
    found = of_expression(value, names)
    if isinstance(found, str) or found < 1:
        raise BadExpression("not a number of at least 1", value)
    return int(found)


def one_config(plan, case, machine, chosen):
    """What one combination of the axes runs."""
    ranks = count_of(chosen["ranks"], machine.names())
    alone = chosen["backend"].split(":")[0] in ONE_THREAD
    threads = 1 if alone else count_of(chosen["threads"], {**machine.names(), "ranks": ranks})
    names = {**chosen["axis"], **machine.names(), "ranks": ranks, "threads": threads,
             **{name: chosen[name] for name in ("layout", "precision", "backend")}}
    names.update({name: chosen["axis"][name] for name in ("layout", "precision") if name in chosen["axis"]})
    arguments = words(fill(chosen["options"], names), chosen["options"])
    used = expression.names_in(chosen["options"])
    layout = names["layout"]
    problem = list(arguments)
    if chosen["layout"] != "auto" and "layout" not in used:
        arguments = arguments + [f"--layout={layout}"]
    if chosen["precision"] and "precision" not in used:
        arguments = arguments + [f"precision={names['precision']}"]
        problem = problem + [f"precision={names['precision']}"]
    same = case.agree
    config = {
        "case": case.name, "app": case.app, "deck": str(chosen["deck"]["path"] or ""), "deck_name": chosen["deck"]["name"],
        "deck_digest": chosen["deck"]["digest"], "arguments": arguments, "variant": variant_of(case, chosen), "sizes": sizes_of(chosen),
        "problem": problem_of(case, chosen, names),
        "backend": chosen["backend"], "layout": layout, "own_layout": own_layout(chosen["backend"], layout),
        "precision": names["precision"], "ranks": ranks, "threads": threads, "axis": chosen["axis"],
        "scaling": case.scaling, "agree": list(same), "absent": machine.why_absent(case.app, chosen["backend"]),
        "repeats": case.repeats or plan.repeats, "timeout": case.timeout or plan.timeout,
    }
    config["row"] = digest([case.app, config["deck_name"], config["deck_digest"],
                            [word for word in problem if not same or word.split("=")[0].lstrip("-") not in same]])
    config["config"] = digest([case.app, config["deck_name"], config["deck_digest"], arguments, chosen["backend"], ranks, threads])
    config["memberships"] = []
    config["seconds"] = seconds_of(case, names)
    config["slug"] = slug(f"{case.app}-{config['deck_name']}-{chosen['backend']}-{ranks}x{threads}")[:80] + "-" + config["config"][:10]
    return config


def words(text, whole):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadExpression(str(error), whole) from None


def own_layout(backend, layout):
    """Is it the backend's own layout?"""
    return layout in ("auto", "", OWN_LAYOUT.get(backend.split(":")[0], "right"))


def variant_of(case, chosen):
    """What tells the ways of one case apart: the words of its options that not all its options have, and the texts among its axes. Layout
    and precision have columns of their own, and numbers are sizes as a rule."""
    common = set.intersection(*(set(options.split()) for options in case.options if isinstance(options, str)))
    own = [word for word in chosen["options"].split() if word not in common]
    if len(case.options) > 1 and not own:
        own = ["default"]
    texts = [value for name, value in chosen["axis"].items() if isinstance(value, str) and name not in ("layout", "precision")]
    return " ".join(own + texts)


def problem_of(case, chosen, names):
    """The words that all ways of a case have, as they are filled in: with deck and size they are the problem."""
    common = [word for word in chosen["options"].split() if all(word in options.split() for options in case.options)]
    own = [word for word in common if not expression.names_in(word) & {"layout", "precision"} and word.split("=")[0] not in case.agree]
    return fill(" ".join(own), names)


def sizes_of(chosen):
    """The numbers among the axes, as text."""
    return " ".join(f"{name}={value}" for name, value in chosen["axis"].items() if not isinstance(value, str))


def seconds_of(case, names):
    """The plan's estimate of a run, or None."""
    if case.seconds == "":
        return None
    value = case.seconds if not isinstance(case.seconds, str) else of_expression(case.seconds, names)
    if isinstance(value, str) or value <= 0:
        raise BadExpression("not a number above 0", str(case.seconds))
    return float(value)

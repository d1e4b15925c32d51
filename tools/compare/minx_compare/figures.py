"""From runs that count to figures: medians and spread, speed-up, shares of the limits, scaling, and performance portability.

Times to solution (`solve_seconds`) are compared across ways to solve a problem; the app's own figure of merit across backends."""
import statistics

from . import limits
from .matrix import GPU_BACKENDS

WHOLE, SOLVE = "whole_run", "solve"  # regions that contain others
PROBLEM_UNITS = {"tealeaf": "cells", "minife": "rows", "minimd": "atoms"}
ABOVE_MEMORY = 1.1  # times the rate of memory: a faster loop has its data in the cache. The rates of virtual machines vary less
MIN_PART = 0.5  # of the bytes of the solve: a loop that moves less says little of it


def median(values):
    found = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return statistics.median(found) if found else None


def spread(values):
    """Largest less smallest over the median; None of one value, which says nothing of how runs differ."""
    return (max(values) - min(values)) / statistics.median(values) if len(values) > 1 and statistics.median(values) else None


def hot_region(summary):
    """The loop that moves the most bytes, or the whole solve where no loop moves most of them."""
    regions = {name: region for name, region in summary["regions"].items() if region.get("seconds") and region.get("bytes")}
    solve = regions.pop(SOLVE, None)
    regions.pop(WHOLE, None)
    largest = max(regions, key=lambda name: regions[name]["bytes"], default=None)
    if solve and (largest is None or regions[largest]["bytes"] < MIN_PART * solve["bytes"]):
        return SOLVE
    return largest


def platform_of(record):
    """Where it ran: the processor, and the backend that uses it."""
    summary = record["summary"]
    return platform(summary.get("device") or summary.get("cpu") or summary.get("host") or "unknown", record["run"]["backend"])


def platform(hardware, backend):
    return f"{hardware} / {backend.split(':')[0]}"


def memberships_of(run):
    """The cases that have a run, with the names that figures use: `problem` of a run are its words."""
    return [{"words" if key == "problem" else key: value for key, value in one.items()} for one in run["memberships"]]


def views(configurations):
    """Each configuration once for each case that has it, with what that case says of it."""
    return [{**one, **membership} for one in configurations for membership in one["memberships"]]


def configuration(store, records, known_limits, machines):
    """One line of figures from all repeats of a configuration. machines: other names of hosts."""
    first = records[0]
    run, summary = first["run"], first["summary"]
    fom = [record["summary"]["fom"]["value"] for record in records]
    found = {
        **{key: run[key] for key in ("case", "app", "deck_name", "variant", "sizes", "arguments", "backend", "layout", "own_layout", "precision",
                                     "ranks", "threads", "scaling", "row", "config", "axis")},
        "words": run["problem"], "memberships": memberships_of(run), "folder": str(store.path), "host": machines.get(summary.get("host", ""), summary.get("host", "")),
        "nodes": summary.get("nodes") or 1,
        "platform": platform_of(first),
        "problem": str(summary.get("problem", run["deck_name"])), "problem_size": summary.get("problem_size"),
        "git_commit": summary.get("git_commit", ""), "date": max(str(record["summary"].get("date") or record["started"]) for record in records),
        "runs": len(records), "disturbed": sum(1 for record in records if record.get("disturbed")),
        "fom": statistics.median(fom), "fom_low": min(fom), "fom_high": max(fom), "fom_spread": spread(fom),
        "fom_name": summary["fom"].get("name", "figure of merit"), "fom_unit": summary["fom"].get("unit", ""),
        "higher_is_better": bool(summary["fom"].get("higher_is_better", True)),
        "iterations": median(record["summary"].get("iterations") for record in records),
    }
    for key in ("set_up_seconds", "solve_seconds", "wall_seconds", "max_rss_bytes"):
        found[key] = median(record["summary"].get(key) for record in records)
    solve = [record["summary"]["solve_seconds"] for record in records]
    found["solve_low"], found["solve_high"], found["solve_spread"] = min(solve), max(solve), spread(solve)
    found.update(against_limits(records, known_limits))
    return found


def against_limits(records, known_limits):
    """Rates of the hottest region, and their shares of what the machine can do."""
    nothing = dict.fromkeys(("region", "bytes_per_second", "flops_per_second", "intensity", "limit_bandwidth", "limit_flops",
                             "limit_cache_bandwidth", "share", "in_cache"))
    name = hot_region(records[0]["summary"])
    if name is None:
        return nothing
    regions = [record["summary"]["regions"].get(name, {}) for record in records]
    rate = median(region["bytes"] / region["seconds"] for region in regions if region.get("bytes") and region.get("seconds"))
    flops = median(region["flops"] / region["seconds"] for region in regions if region.get("flops") and region.get("seconds"))
    found = {**nothing, "region": name, "bytes_per_second": rate, "flops_per_second": flops,
             "intensity": flops / rate if rate and flops else None}
    need = limits.need_of(records[0])
    limit = known_limits.get(need) if need else None
    if limit is None:
        return found
    devices = limits.devices_of(records[0])
    if devices is None:
        return found
    for key in ("bandwidth", "cache_bandwidth", "flops"):
        found[f"limit_{key}"] = limit[key] * devices if limit.get(key) else None
    calls = median(record["summary"].get("iterations") for record in records) if name == SOLVE else None
    return {**found, **shares(found, regions, calls, (limit.get("cache_bytes") or 0) * devices)}


def shares(found, regions, calls, cache_bytes):
    """The share of the roof over this intensity. Data that fit into the cache are compared with the rate of the cache. `calls`: of the
    whole solve its iterations, else None."""
    rate, bandwidth = found["bytes_per_second"], found["limit_bandwidth"]
    if not rate or not bandwidth:
        return {"share": None, "in_cache": None}
    a_call = median(region["bytes"] / (calls or region["calls"]) for region in regions
                    if (calls or region.get("calls")) and region.get("bytes"))
    in_cache = bool(cache_bytes and a_call and a_call <= cache_bytes) or rate > ABOVE_MEMORY * bandwidth
    roof = (found["limit_cache_bandwidth"] or bandwidth) if in_cache else bandwidth
    best = min(roof, found["limit_flops"] / found["intensity"]) if found["intensity"] and found["limit_flops"] else roof
    return {"share": rate / best, "in_cache": in_cache}


def of_folder(store, records, machines=None):
    """The figures of each configuration of a folder on each of its hosts, in the order of the plan."""
    known_limits = limits.load(store)
    by_config = {}
    for record in records:
        if record["outcome"] == "passed":
            by_config.setdefault((record["run"]["config"], record["summary"].get("host", "")), []).append(record)
    found = [configuration(store, some, known_limits, machines or {}) for some in by_config.values()]
    add_speed_up(found)
    return found


def add_speed_up(configurations):
    """Over serial on one rank, of the same problem solved in the same way on the same host."""
    def keys(one):
        return [(view["row"], view["variant"], view["sizes"], one["precision"], one["layout"], one["host"]) for view in one["memberships"]]

    base = {key: one["solve_seconds"] for one in configurations if one["backend"] == "serial" and one["ranks"] == 1 for key in keys(one)}
    for one in configurations:
        serial = next((base[key] for key in keys(one) if key in base), None)
        one["speed_up"] = serial / one["solve_seconds"] if serial and one["solve_seconds"] else None


def better(one, other):
    """Is the figure of merit of the first better?"""
    return one["fom"] > other["fom"] if one["higher_is_better"] else one["fom"] < other["fom"]


# ---- scaling ----


def scaling(configurations):
    """Curves: of each problem and way on a backend, points (processors, seconds, efficiency). Weak: the work grows with the ranks."""
    curves = {}
    for one in views(configurations):
        if one["scaling"]:
            way = " ".join(part for part in (one["variant"], one["sizes"]) if part)
            key = (one["scaling"], one["case"], one["app"], one["deck_name"], way, one["backend"], one["layout"],
                   one["precision"], one["host"])
            curves.setdefault(key, []).append(one)
    found = []
    for key, some in curves.items():
        points = best_by_processors(some)
        if len(points) > 1:
            found.append(curve(key, points))
    return found


def processors(one):
    return one["ranks"] * one["threads"]


def best_by_processors(some):
    best = {}
    for one in some:
        number = processors(one)
        if number not in best or one["solve_seconds"] < best[number]["solve_seconds"]:
            best[number] = one
    return [best[number] for number in sorted(best)]


def gain(first, one, weak):
    """How many times as fast as the first point. Strong scaling compares times. Weak scaling compares rates of work, the figures of merit: a
    solver needs more iterations for a larger system, which is no loss of the machine."""
    if weak:
        return one["fom"] / first["fom"] if first["fom"] else None
    return first["solve_seconds"] / one["solve_seconds"] if one["solve_seconds"] else None


def curve(key, points):
    first = points[0]
    weak = key[0] == "weak"
    found = []
    for one in points:
        ratio = gain(first, one, weak)
        growth = processors(one) / processors(first)
        found.append({"processors": processors(one), "ranks": one["ranks"], "threads": one["threads"], "seconds": one["solve_seconds"],
                      "speed_up": None if weak else ratio, "efficiency": None if ratio is None else ratio / growth})
    names = ("scaling", "case", "app", "deck_name", "variant", "backend", "layout", "precision", "host")
    return {**dict(zip(names, key)), "points": found}


# ---- layouts ----


def wrong_layouts(configurations):
    """Pairs of configurations that differ in nothing but the layout: what the one that is not the backend's own costs."""
    pairs = {}
    for one in views(configurations):
        if one["layout"] in ("left", "right"):
            axes = tuple(sorted((name, value) for name, value in one["axis"].items() if name != "layout"))
            key = (one["case"], one["app"], one["deck_name"], one["variant"], one["backend"], one["precision"], one["ranks"], one["threads"],
                   one["host"], axes)
            pairs.setdefault(key, {})["own" if one["own_layout"] else "wrong"] = one
    names = ("app", "deck_name", "variant", "backend", "precision", "ranks", "threads", "platform", "host")
    once = {tuple((pair[kind]["config"], pair[kind]["host"]) for kind in sorted(pair)): pair for pair in pairs.values()}
    return [{**{name: pair["own"][name] for name in names},
             "own": pair["own"]["layout"], "own_seconds": pair["own"]["solve_seconds"], "wrong_seconds": pair["wrong"]["solve_seconds"],
             "ratio": pair["wrong"]["solve_seconds"] / pair["own"]["solve_seconds"]}
            for pair in once.values() if len(pair) == 2 and pair["own"]["solve_seconds"]]


# ---- performance portability ----


def pennycook(efficiencies):
    """The harmonic mean of the efficiencies on a set of platforms, 0 where one of them is not supported (Pennycook, Sewall and Lee,
    Implications of a metric for performance portability, FGCS 92, 2019). An entry that is None or 0: not supported."""
    values = list(efficiencies)
    if not values or any(not value or value < 0 for value in values):
        return 0.0
    return len(values) / sum(1 / value for value in values)


def metric(efficiencies):
    """Pennycook's metric; None where an efficiency is not known, unless another one is 0."""
    values = list(efficiencies)
    return None if None in values and 0 not in values else pennycook(values)


def way_of(one):
    """An application in the sense of the metric: an app, and how it solves the problem."""
    return " ".join(part for part in (one["app"], one["variant"], one["sizes"], one["precision"]) if part)


def problem_of(one):
    """What competing ways have in common."""
    deck = "" if one["deck_name"] == "-" else one["deck_name"]
    return f"{one['app']}: " + ", ".join(part for part in (deck, one["words"], size_of(one)) if part)


def size_of(one):
    """The problem size with what it counts."""
    size, unit = one["problem_size"], PROBLEM_UNITS.get(one["app"])
    if size is None:
        return ""
    return f"{size} {unit}" if unit else f"problem size {size}"


def planned(store, comparison, records):
    """What a folder should have: the runs of its plan in the view of each case, with the platforms where their backend runs."""
    seen, hardware = {}, []
    for record in records:
        if record.get("summary"):
            seen.setdefault(record["run"]["backend"].split(":")[0], set()).add(platform_of(record))
            if record["summary"].get("cpu"):
                hardware.append(str(record["summary"]["cpu"]))
    found = {}
    for run in comparison["runs"]:
        backend = run["backend"].split(":")[0]
        host = hardware[0] if hardware and backend not in GPU_BACKENDS else comparison["host"]
        for one in memberships_of(run):
            where = min(seen.get(backend, {platform(host, backend)}))
            line = {**run, **one, "backend": backend, "folder": str(store.path), "platform": where}
            found[(one["case"], one["variant"], one["sizes"], one["words"], run["precision"], run["app"], run["deck_name"], backend)] = line
    return list(found.values())


def best_of_ways(configurations, plans):
    """{problem: {way: {platform: its fastest configuration}}}, and {problem: all its platforms}. A planned way or platform where no run
    counts is there without a configuration."""
    problems, platforms, covered, names = {}, {}, set(), {}
    for one in views(configurations):
        if one["scaling"] != "weak" and one["solve_seconds"]:
            problem, where = problem_of(one), one["platform"]
            best = problems.setdefault(problem, {}).setdefault(way_of(one), {})
            if where not in best or one["solve_seconds"] < best[where]["solve_seconds"]:
                best[where] = one
            platforms.setdefault(problem, set()).add(where)
            covered.add((problem, one["folder"], one["backend"].split(":")[0]))
            names.setdefault((one["app"], one["deck_name"], one["words"]), set()).add(problem)
    for one in plans:
        for problem in names.get((one["app"], one["deck_name"], one["words"]), ()) if one["scaling"] != "weak" else ():
            problems[problem].setdefault(way_of(one), {})
            if (problem, one["folder"], one["backend"]) not in covered:
                platforms[problem].add(one["platform"])
    return problems, platforms


def portability(configurations, plans=()):
    """For each problem and way: both efficiencies on every planned platform, and the metric of each. On a platform counts a way's fastest
    configuration. Application efficiency: the fastest time of any way on that platform over its own; None where there is but one way.
    Architectural efficiency: the share of the roof, None where no limit was measured. Both are 0 where no run counts."""
    problems, platforms_of = best_of_ways(configurations, plans)
    found = []
    for problem, ways in problems.items():
        platforms = sorted(platforms_of[problem])
        fastest = {p: min((best[p]["solve_seconds"] for best in ways.values() if p in best), default=None) for p in platforms}
        several = len(ways) > 1
        for way, best in ways.items():
            application = {p: (fastest[p] / best[p]["solve_seconds"] if several else None) if p in best else 0.0 for p in platforms}
            architectural = {p: best[p]["share"] and min(best[p]["share"], 1.0) if p in best else 0.0 for p in platforms}
            found.append({"problem": problem, "way": way, "platforms": platforms, "application": application,
                          "architectural": architectural, "pp_application": metric(application.values()),
                          "pp_architectural": metric(architectural.values()),
                          "best": {p: best[p] for p in best}})
    return found

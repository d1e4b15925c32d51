"""From runs that count to figures: medians and spread, speed-up, shares of the limits, scaling, and performance portability.

Times to solution (`solve_seconds`) are compared across ways to solve a problem; the app's own figure of merit across backends."""
import statistics

from . import limits

WHOLE, SOLVE = "whole_run", "solve"  # regions that contain others
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
    summary, backend = record["summary"], record["run"]["backend"].split(":")[0]
    hardware = summary.get("device") or summary.get("cpu") or summary.get("host") or "unknown"
    return f"{hardware} / {backend}"


def configuration(store, records, known_limits):
    """One line of figures from all repeats of a configuration."""
    first = records[0]
    run, summary = first["run"], first["summary"]
    fom = [record["summary"]["fom"]["value"] for record in records]
    found = {
        **{key: run[key] for key in ("case", "app", "deck_name", "variant", "sizes", "arguments", "backend", "layout", "own_layout", "precision",
                                     "ranks", "threads", "scaling", "row", "config", "axis")},
        "words": run["problem"], "folder": str(store.path), "host": summary.get("host", ""), "nodes": summary.get("nodes") or 1,
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
    in_cache = bool(cache_bytes and a_call and a_call <= cache_bytes) or rate > bandwidth
    roof = (found["limit_cache_bandwidth"] or bandwidth) if in_cache else bandwidth
    best = min(roof, found["limit_flops"] / found["intensity"]) if found["intensity"] and found["limit_flops"] else roof
    return {"share": rate / best, "in_cache": in_cache}


def of_folder(store, records):
    """The figures of each configuration of a folder, in the order of the plan."""
    known_limits = limits.load(store)
    by_config = {}
    for record in records:
        if record["outcome"] == "passed":
            by_config.setdefault(record["run"]["config"], []).append(record)
    found = [configuration(store, some, known_limits) for some in by_config.values()]
    add_speed_up(found)
    return found


def add_speed_up(configurations):
    """Over serial on one rank, of the same problem solved in the same way on the same host."""
    base = {(one["row"], one["host"], one["layout"]): one["solve_seconds"] for one in configurations
            if one["backend"] == "serial" and one["ranks"] == 1}
    for one in configurations:
        serial = base.get((one["row"], one["host"], one["layout"]))
        one["speed_up"] = serial / one["solve_seconds"] if serial and one["solve_seconds"] else None


def better(one, other):
    """Is the figure of merit of the first better?"""
    return one["fom"] > other["fom"] if one["higher_is_better"] else one["fom"] < other["fom"]


# ---- scaling ----


def scaling(configurations):
    """Curves: of each problem and way on a backend, points (processors, seconds, efficiency). Weak: the work grows with the ranks."""
    curves = {}
    for one in configurations:
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


def curve(key, points):
    first = points[0]
    weak = key[0] == "weak"
    found = []
    for one in points:
        ratio = first["solve_seconds"] / one["solve_seconds"] if one["solve_seconds"] else None
        growth = processors(one) / processors(first)
        found.append({"processors": processors(one), "ranks": one["ranks"], "threads": one["threads"], "seconds": one["solve_seconds"],
                      "speed_up": None if weak else ratio, "efficiency": ratio if weak or ratio is None else ratio / growth})
    names = ("scaling", "case", "app", "deck_name", "variant", "backend", "layout", "precision", "host")
    return {**dict(zip(names, key)), "points": found}


# ---- layouts ----


def wrong_layouts(configurations):
    """Pairs of configurations that differ in nothing but the layout: what the one that is not the backend's own costs."""
    pairs = {}
    for one in configurations:
        if one["layout"] in ("left", "right"):
            axes = tuple(sorted((name, value) for name, value in one["axis"].items() if name != "layout"))
            key = (one["case"], one["app"], one["deck_name"], one["variant"], one["backend"], one["precision"], one["ranks"], one["threads"],
                   one["host"], axes)
            pairs.setdefault(key, {})["own" if one["own_layout"] else "wrong"] = one
    names = ("app", "deck_name", "variant", "backend", "precision", "ranks", "threads", "platform", "host")
    return [{**{name: pair["own"][name] for name in names},
             "own": pair["own"]["layout"], "own_seconds": pair["own"]["solve_seconds"], "wrong_seconds": pair["wrong"]["solve_seconds"],
             "ratio": pair["wrong"]["solve_seconds"] / pair["own"]["solve_seconds"]}
            for pair in pairs.values() if len(pair) == 2 and pair["own"]["solve_seconds"]]


# ---- performance portability ----


def pennycook(efficiencies):
    """The harmonic mean of the efficiencies on a set of platforms, 0 where one of them is not supported (Pennycook, Sewall and Lee,
    Implications of a metric for performance portability, FGCS 92, 2019). An entry that is None or 0: not supported."""
    values = list(efficiencies)
    if not values or any(not value or value < 0 for value in values):
        return 0.0
    return len(values) / sum(1 / value for value in values)


def way_of(one):
    """An application in the sense of the metric: an app, and how it solves the problem."""
    return " ".join(part for part in (one["app"], one["variant"], one["sizes"], one["precision"]) if part)


def problem_of(one):
    """What competing ways have in common."""
    deck = "" if one["deck_name"] == "-" else one["deck_name"]
    return f"{one['app']}: " + ", ".join(str(part) for part in (deck, one["words"], one["problem_size"]) if part not in ("", None))


def portability(configurations):
    """For each problem and way: both efficiencies on every platform, and the metric of each. On a platform counts a way's fastest
    configuration. Application efficiency: the fastest time of any way on that platform over its own. Architectural efficiency: the share
    of the roof, None where no limit was measured."""
    problems = {}
    for one in configurations:
        if one["scaling"] != "weak" and one["solve_seconds"]:
            ways = problems.setdefault(problem_of(one), {})
            best = ways.setdefault(way_of(one), {})
            platform = one["platform"]
            if platform not in best or one["solve_seconds"] < best[platform]["solve_seconds"]:
                best[platform] = one
    found = []
    for problem, ways in problems.items():
        platforms = sorted({platform for best in ways.values() for platform in best})
        fastest = {platform: min(best[platform]["solve_seconds"] for best in ways.values() if platform in best) for platform in platforms}
        for way, best in ways.items():
            application = {p: fastest[p] / best[p]["solve_seconds"] if p in best else 0.0 for p in platforms}
            architectural = {p: best[p]["share"] and min(best[p]["share"], 1.0) if p in best else 0.0 for p in platforms}
            known = all(value is not None for value in architectural.values())
            found.append({"problem": problem, "way": way, "platforms": platforms, "application": application,
                          "architectural": architectural, "pp_application": pennycook(application.values()),
                          "pp_architectural": pennycook(architectural.values()) if known else None,
                          "best": {p: best[p] for p in best}})
    return found

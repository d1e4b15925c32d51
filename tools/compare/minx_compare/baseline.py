"""What became slower than a stored comparison?"""
from .figures import better

MIN_LOSS = 0.02  # where runs of both differ by less than that, losses below it are no losses


def key_of(one):
    """The same configuration on the same kind of machine."""
    return (one["app"], one["deck_name"], tuple(one["arguments"]), one["backend"], one["ranks"], one["threads"], one["platform"])


def best_by_key(configurations):
    """Of several hosts of the same kind counts the one with the best figure of merit."""
    found = {}
    for one in configurations:
        key = key_of(one)
        if key not in found or better(one, found[key]):
            found[key] = one
    return found


def loss(new, old):
    """By how much the figure of merit became worse, relative to the old one; below 0: better."""
    if not old["fom"] or not new["fom"]:
        return 0.0
    return 1 - new["fom"] / old["fom"] if new["higher_is_better"] else new["fom"] / old["fom"] - 1


def compare(configurations, old_configurations):
    """Lines (configuration, loss, allowed, slower), and what one of the two lacks."""
    old, new = best_by_key(old_configurations), best_by_key(configurations)
    lines = []
    for key in new.keys() & old.keys():
        allowed = max(MIN_LOSS, new[key]["fom_spread"] or 0, old[key]["fom_spread"] or 0)
        found = loss(new[key], old[key])
        lines.append({"one": new[key], "old": old[key], "loss": found, "allowed": allowed, "slower": found > allowed})
    lines.sort(key=lambda line: (-line["loss"], label(line["one"])))
    return {"lines": lines, "only_old": sorted((old[key] for key in old.keys() - new.keys()), key=label),
            "only_new": sorted((new[key] for key in new.keys() - old.keys()), key=label)}


def label(one):
    what = " ".join([one["app"], one["deck_name"], *one["arguments"]])
    return f"{what} on {one['backend']}, {one['ranks']} x {one['threads']}"

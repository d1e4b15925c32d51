#!/usr/bin/env python3
"""The reference has an entry for every public name.

    reference.py MANUAL_FOLDER

Public names are those that the headers of core and kit declare for programs (not those that a macro puts together, as mx_f64_2), and
those of `import minx`. The manual's list of objects must have each. Each of the names that most programs need must have an example.
Prints what is missing, and exits with 1.
"""
import re
import sys
import zlib
from pathlib import Path

import pages

sys.path.insert(0, str(pages.ROOT / "docs/manual"))
import headers

MAIN = """mx_init mx_finalize mx_ctx_create mx_ctx_destroy mx_fence mx_ctx_wait mx_view_create mx_view_create_1d mx_view_create_2d
mx_view_destroy mx_view_wrap mx_subview mx_view_resize mx_view_get_info mx_mirror_create mx_deep_copy mx_remap mx_import mx_export mx_fill
mx_read_element mx_bind MX_ARGS MX_AT MX_LOAD MX_BODY MX_FOR MX_REDUCE MX_REDUCE_FIELDS MX_REDUCE_CUSTOM MX_SCAN MX_DECLARE_FOR
MX_DECLARE_REDUCE mx_range_1d mx_range_2d mx_league MX_TEAM_FOR MX_VECTOR_SUM MX_TEAM_SCRATCH mx_team_barrier mx_atomic_add MX_TRY
MX_REQUIRE mx_graph_create MX_SCATTER mx_scatter_create mx_sort mx_random_at""".split()


def declared():
    """Each public name, and its header."""
    names = {}
    for path in sorted([*(pages.ROOT / "core/include/minx").glob("*.h"), *(pages.ROOT / "kit/include/minx/kit").glob("*.h")]):
        for name in headers.in_order(path.read_text()):
            if name.startswith(("mx_", "MX_")):
                names[name] = path.relative_to(pages.ROOT)
    return names


def python_names():
    """The names that stand in the package's __init__, without those of modules."""
    text = (pages.ROOT / "python/minx/__init__.py").read_text()
    names = pages.package_names() - {path.stem for path in (pages.ROOT / "python/minx").iterdir()} | {"kernel"}
    return {name for name in names if not name.startswith("_") and re.search(rf"\b{name}\b", text) and name != "t"}


def objects_of(manual):
    """The objects in Sphinx's inventory: name -> page."""
    data = (manual / "objects.inv").read_bytes()
    lines = zlib.decompress(data.split(b"\n", 4)[4]).decode().splitlines()
    found = {"c": {}, "py": {}}
    for line in lines:
        match = re.match(r"(.+?)\s+(\w+):(\w+)\s+-?\d+\s+(\S+)", line)
        if match and match[2] in found:
            found[match[2]][match[1].split(".")[-1] if match[2] == "c" else match[1]] = match[4].split("#")[0]
    return found


def has_use(manual, name, page):
    """Is there an example of use in the entry, or at the head of the page?"""
    text = (manual / page).read_text()
    head, *entries = re.split(r'<dt class="sig', text)
    plain = [re.sub(r"<[^>]*>", "", part) for part in (head, *[one for one in entries if f'id="c.{name}"' in one])]
    return "Used in " in "".join(plain[1:]) or re.search(rf"\b{name}\b", plain[0]) is not None


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip())
        return 2
    if not (Path(sys.argv[1]) / "objects.inv").is_file():
        print("skipped: the manual was not built")
        return 77
    manual = Path(sys.argv[1])
    names, found, failures = declared(), objects_of(manual), []
    failures += [f"{header}: the reference has no entry for {name}" for name, header in names.items() if name not in found["c"]]
    python = python_names()
    failures += [f"python/minx/__init__.py: the reference has no entry for {name}" for name in sorted(python) if "minx." + name not in found["py"]]
    failures += [f"the entry of {name} has no example of use" for name in MAIN
                 if name in found["c"] and not has_use(manual, name, found["c"][name])]
    if len(names) < 380 or len(python) < 60:
        failures.append(f"found {len(names)} names of C and {len(python)} of Python only: has the form of the sources changed?")
    uses = headers.all_uses()
    print("\n".join(failures) if failures else f"{len(names)} names of C and {len(python)} of Python: each has an entry; "
          f"{sum(name in uses for name in names)} have an example of use")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

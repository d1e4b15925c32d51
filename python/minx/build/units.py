"""The files that are compiled for a kernel file: one unit for each instance. A unit is a few lines that include the kernel file.

The table of the instances and the driver are in the unit of the first instance for hosts. minx_add_kernels has another unit for
them, `dispatch`, in which a driver accesses elements with strides of run time. A driver of Python's accesses none, and a compiler
needs a third less for one unit than for two. Without an instance for hosts there is such a unit."""

from __future__ import annotations

import re

KERNEL = "kernel.c"
ALL_HEADERS = ("minx.h", "kernel.h", "scan.h", "team.h")


def units_of(instances: tuple) -> tuple:
    return instances if with_table(instances) != "dispatch" else (*instances, "dispatch")


def with_table(instances: tuple) -> str:
    """The unit that has the table of the instances."""
    return next((i for i in instances if not i.startswith("cuda")), "dispatch")


def head(unit: str, instances: tuple) -> str:
    """The lines in front of a kernel file that make it this unit. instances: all of the kernel file."""
    lines = ""
    if unit in ("dispatch", with_table(instances)):
        rows = ""
        for name in instances:
            kind, layout = name.upper().rsplit("_", 1)
            rows += f" ROW(name, MX_INSTANCE_{kind}, MX_LAYOUT_{layout}, {name})"
        lines = f"#define MX_DISPATCH(ROW, name){rows}\n"
    if unit == "dispatch":
        return lines
    kind, layout = unit.rsplit("_", 1)
    lines += f"#define MX_INSTANCE_SUFFIX {unit}\n#define MX_INSTANCE_LAYOUT {1 if layout == 'left' else 2}\n"
    return lines + ("#define MX_INSTANCE_SIMT_\n" if kind.startswith("simt") else "")


# Accessors of numbers: as MX_NUMBER_TYPES_ in minx/view.h
NUMBERS = {"f64": "double, 1", "f32": "float, 2", "i32": "int32_t, 3", "i64": "int64_t, 4", "u8": "uint8_t, 5", "u32": "uint32_t, 6",
           "u64": "uint64_t, 7"}


def accessors(unit: str, text: str) -> str:
    """The types whose accessors a unit has. nvcc has no precompiled headers, and reads those of all types for a second. Where a text
    may have them in other ways, by headers of its own or macros, these are all."""
    if not unit.startswith("cuda") or "#include" in text or "##" in text:
        return ""
    used = [f"M({tag}, {number})" for tag, number in NUMBERS.items() if re.search(rf"\bmx_c?{tag}_\d", text)]
    return f"#define MX_ACCESSOR_TYPES_(M) {' '.join(used)}\n"


def includes(headers) -> str:
    return "".join(f"#include <minx/{name}>\n" for name in headers)


def headers_of(text: str) -> list[str]:
    """The headers that a kernel file needs, by what it uses. scan.h is only there for a scan: for cuda it brings CUB, for which nvcc
    takes longer than for all else."""
    headers = ["minx.h", "kernel.h"]
    headers += ["scan.h"] * ("MX_SCAN" in text)
    headers += ["team.h"] * ("mx_team" in text)
    return headers


def extension(unit: str) -> str:
    return "cu" if unit.startswith("cuda") else "c"


def source(unit: str, instances: tuple, text: str) -> str:
    return head(unit, instances) + accessors(unit, text) + includes(headers_of(text)) + f'#include "{KERNEL}"\n'

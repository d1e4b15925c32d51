#!/usr/bin/env python3
"""What the test `yaml` wrote, read by PyYAML: usage: yaml_read.py FILE. Skips without that library."""
import sys

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML (Debian: python3-yaml)")
    sys.exit(77)

EXPECTED = {
    "run configuration": {"text": 'a: "b" \\ #c\n\t- 1, [2] \u00e9', "number": "1.5", "empty": "",
                          "inner": {"whole": 2**63 - 1}},
    "small": sys.float_info.min, "power": 1e-5, "one": 1.0, "third": 1 / 3, "infinite": float("-inf"),
    "reals": [1.0, -2.5e-300, 1e22], "none": [], "wholes": [-2**63, 0, 2**63 - 1], "steps": [{"step": 0}, {"step": 1}], "last": -1,
}
with open(sys.argv[1], encoding="utf-8") as file:
    got = yaml.safe_load(file)
undefined = got.pop("undefined")
if got != EXPECTED or undefined == undefined or not isinstance(got["one"], float):
    print(f"got {got}\nexpected {EXPECTED} and nan")
    sys.exit(1)

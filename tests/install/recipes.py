#!/usr/bin/env python3
"""The recipes in packaging/ for tools that are not here. Those of Spack and Ramble run with stand-ins of what these tools export, which
record each directive; what they say is compared with minx: options of CMake, programs, decks, what a run prints.

usage: recipes.py SOURCE_FOLDER
"""
import os
import re
import sys
import types

# directives, and classes to derive from, as the documentation of both tools lists them
SPACK = ["license", "version", "variant", "generator", "depends_on", "conflicts"]
RAMBLE = ["tags", "define_compiler", "software_spec", "required_package", "executable", "workload", "workload_variable",
          "figure_of_merit", "success_criteria"]

failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + text)


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class Recorder:
    def __init__(self, names):
        self.calls = {name: [] for name in names}

    def directive(self, name):
        return lambda *words, **options: self.calls[name].append((words, options))

    def firsts(self, name):
        return [words[0] for words, _ in self.calls[name]]


def load(path, module, names, classes):
    """The names of a recipe, which runs with a stand-in of the module that it imports from, and the record of its directives."""
    recorder = Recorder(names)
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        sys.modules[".".join(parts[:depth])] = types.ModuleType(parts[depth - 1])
    stand_in = sys.modules[module]
    for name in names:
        setattr(stand_in, name, recorder.directive(name))
    for name in classes:
        setattr(stand_in, name, type(name, (), {}))
    space = {"__file__": os.path.join(SOURCE, path), "__name__": "recipe"}
    exec(compile(read(path), path, "exec"), space) # pylint: disable=exec-used
    return space, recorder


class Spec:
    """A concrete spec: the variants that are on, GPU architectures."""

    def __init__(self, on, architectures=()):
        self.on = on
        self.variants = {"cuda_arch": types.SimpleNamespace(value=architectures)}

    def satisfies(self, text):
        return text[1:] in self.on if text[0] == "+" else text[1:] not in self.on

    def __getitem__(self, name):
        return types.SimpleNamespace(mpicc="/mpi/bin/mpicc", prefix="/" + name)


def options_of_cmake():
    """minx's own options, and those of CMake that the recipes use."""
    text = read("CMakeLists.txt")
    return set(re.findall(r"^(?:set|option)\((MINX_\w+)", text, re.M)) | {"BUILD_SHARED_LIBS", "MPI_C_COMPILER", "CMAKE_BUILD_TYPE",
                                                                          "CMAKE_INSTALL_PREFIX"}


def spack():
    space, record = load("packaging/spack/packages/minx/package.py", "spack.package", SPACK, ["CMakePackage", "CudaPackage"])
    package = space["Minx"]
    variants = record.firsts("variant")
    check(len(set(variants)) == len(variants) and {"mpi", "openmp"} <= set(variants), f"spack: variants {variants}")
    check(package.git == "file://" + SOURCE, f"spack: git {package.git}, expected this repository, {SOURCE}")
    declared = set(variants) | {"cuda"}
    for name in ("variant", "depends_on", "conflicts"):
        for words, options in record.calls[name]:
            check(name == "depends_on" or name == "variant" or options.get("msg"), f"spack: {words}: a conflict without a message")
            for used in re.findall(r"[+~](\w+)", options.get("when", "")):
                check(used in declared, f"spack: {name}({words[0]}): when={options['when']}: there is no variant {used}")
    minimum = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", read("CMakeLists.txt"))[1]
    check(f"cmake@{minimum}:" in record.firsts("depends_on"), f"spack: expected CMake {minimum}")
    known = options_of_cmake()
    for on, architectures in (({"mpi", "openmp"}, ()), ({"openmp", "shared"}, ()), ({"mpi", "openmp", "cuda", "nccl"}, ("80", "90"))):
        recipe = package()
        recipe.spec = Spec(on, architectures)
        recipe.define = lambda name, value: (name, value)
        recipe.define_from_variant = lambda name, variant: (name, variant in recipe.spec.on)
        given = dict(recipe.cmake_args())
        check(set(given) <= known, f"spack: CMake does not know {sorted(set(given) - known)}")
        check(given["MINX_APPS"] == ("mpi" in on) and given["MINX_CUDA"] == ("cuda" in on), f"spack: {sorted(on)}: {given}")
        check(given.get("MINX_CUDA_ARCHITECTURES") == (["80-real", "90-real"] if "cuda" in on else None), f"spack: {given}")


def ramble():
    space, record = load("packaging/ramble/applications/minx/application.py", "ramble.appkit", RAMBLE, ["ExecutableApplication"])
    check(space["Minx"].name == "minx", "ramble: the application's name")
    executables = {words[0]: words[1] for words, _ in record.calls["executable"]}
    variables = {(workload, words[0]): options["default"] for words, options in record.calls["workload_variable"]
                 for workload in options["workloads"]}
    apps = {name for name in os.listdir(os.path.join(SOURCE, "inputs")) if os.path.isdir(os.path.join(SOURCE, "inputs", name))}
    check(set(record.firsts("workload")) == apps, f"ramble: workloads {record.firsts('workload')}, expected {sorted(apps)}")
    for (name,), options in record.calls["workload"]:
        check(set(options["executables"]) <= set(executables), f"ramble: {name}: executables {options['executables']}")
        for used in re.findall(r"{(\w+)}", executables[name]):
            check(used.startswith("experiment_") or (name, used) in variables, f"ramble: {name}: there is no variable {used}")
        check(executables[name].split()[0] == name, f"ramble: {name} runs {executables[name]}")
        deck = variables.get((name, "deck"))
        if deck:
            path = deck.replace("{minx_path}/share/minx/", "")
            check(os.path.isfile(os.path.join(SOURCE, path)), f"ramble: there is no deck {path}")
    said = {"figure of merit": "figure of merit: 7.523e+06 cell iterations/s", "wall clock": '  "wall_seconds": 1.5e-01,',
            "solve": '  "solve_seconds": 0.25,', "set-up": '  "set_up_seconds": 0.5,'}
    for (name,), options in record.calls["figure_of_merit"]:
        found = re.match(options["fom_regex"], said[name])
        check(found and float(found[options["group_name"]]) > 0, f"ramble: {name}: {options['fom_regex']} does not match {said[name]}")
    verdicts = ["verdict: passed", "integrity: PASS (125 checks)", "physics: PASS (91 checks)"]
    for ((_,), options), line in zip(record.calls["success_criteria"], verdicts, strict=True):
        check(re.match(options["match"], line), f"ramble: {options['match']} does not match {line}")


def container():
    text = read("packaging/container/Containerfile")
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text, re.M)
    check(re.findall(r"--from=(\w+)", text) == stages and len(stages) == 1, f"container: stages {stages}")
    known = options_of_cmake()
    used = set(re.findall(r"-D(\w+)=", text))
    check(used and used <= known, f"container: CMake does not know {sorted(used - known)}")


def main():
    spack()
    ramble()
    container()
    return 1 if failures else 0


SOURCE = os.path.realpath(sys.argv[1])
sys.exit(main())

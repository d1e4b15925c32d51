"""What compilers gave each kernel: registers, spilled registers, and bytes of memory of each lane (scratch, the stack).

    kernel_resources.py HIP_FOLDER [CUDA] [--only REGEX] [--fail-on REGEX]...

Reads the object files below the folder, by llvm-readelf. CUDA is a folder too, read by cuobjdump, or what a build printed that had
-DCMAKE_CUDA_FLAGS=-Xptxas=-v. Prints a row for each kernel that the regular expression finds, with the larger numbers of its forms (rows,
planes, steps). Exits with 1 if a kernel that a --fail-on finds has spilled registers or scratch on AMD's GPUs, or if it finds none.
"""
import argparse
import glob
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def tool(name):
    """The newest of name and name-NUMBER on PATH, or in ROCm's folder."""
    found = [path for folder in ("/opt/rocm/llvm/bin", "/usr/bin") for path in glob.glob(f"{folder}/{name}*")
             if re.fullmatch(rf"{name}(-\d+)?", Path(path).name)]
    return max(found, key=lambda path: int((re.search(r"-(\d+)$", path) or [0, 99])[1]), default=name)


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


LARGE_TEAMS = re.compile("md_eam_(density|force)_team|tl_bottom_cycle")


def kernel_of(symbol):
    """The kernel's name in the source: that of its struct NAME__device, with which the launching template is instantiated. None: the kernel
    that joins values, and the form for teams of more than 256 threads, but of kernels that apps launch with such teams."""
    match = re.search(r"I\d+(\w+?)__device", symbol)
    if not match or "_join_I" in symbol:
        return None
    name = re.sub(r"^\d+", "", match[1])
    return name if "__deviceLi1024E" not in symbol or LARGE_TEAMS.fullmatch(name) else None


def of_hip(folder):
    for path in sorted(Path(folder).rglob("*hip_left*.o")):
        with tempfile.TemporaryDirectory() as place:
            fat, code = f"{place}/fat", f"{place}/code"
            run("objcopy", "--dump-section", f".hip_fatbin={fat}", str(path), f"{place}/rest")
            data = Path(fat).read_bytes()
            target = re.search(rb"hipv4-amdgcn-amd-amdhsa--\w+", data)[0].decode()
            run(tool("clang-offload-bundler"), "--unbundle", "--type=o", f"--targets={target}", f"--input={fat}", f"--output={code}")
            notes = run(tool("llvm-readelf"), "--notes", code)
        for part in re.split(r"\n  - (?=\.)", notes)[1:]:
            number = {key: int(value) for key, value in re.findall(r"\.(\w+): +(\d+)$", part, re.M)}
            name = re.search(r"\.name: +(\S+)$", part, re.M)
            kernel = kernel_of(name[1]) if name and "vgpr_count" in number else None
            if kernel:
                yield kernel, (number["vgpr_count"], number["vgpr_spill_count"], number["sgpr_spill_count"], number["private_segment_fixed_size"])


def of_ptxas(text):
    for part in text.split("Compiling entry function '")[1:]:
        kernel = kernel_of(part.split("'")[0])
        used, stack = re.search(r"Used (\d+) registers", part), re.search(r"(\d+) bytes stack frame", part)
        if kernel and used:
            yield kernel, (int(used[1]), int(stack[1]) if stack else 0)


def of_cuda(folder):
    if Path(folder).is_file():
        yield from of_ptxas(Path(folder).read_text())
    for path in sorted(Path(folder).rglob("*cuda_left*.o")):
        for symbol, registers, stack in re.findall(r"Function (\S+):\s+REG:(\d+) STACK:(\d+)", run("cuobjdump", "-res-usage", str(path))):
            kernel = kernel_of(symbol)
            if kernel:
                yield kernel, (int(registers), int(stack))


def table(rows, only):
    result = {}
    for kernel, numbers in rows:
        if re.search(only, kernel):
            result[kernel] = tuple(map(max, numbers, result.get(kernel, numbers)))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hip")
    parser.add_argument("cuda", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--fail-on", action="append", default=[])
    args = parser.parse_args()
    hip = table(of_hip(args.hip), args.only)
    cuda = table(of_cuda(args.cuda), args.only) if args.cuda else {}
    print(f"{'kernel':36} {'VGPRs':>6} {'spilled':>8} {'SGPRs spilled':>14} {'scratch':>8} {'cuda: registers':>16} {'stack':>6}")
    for kernel, numbers in sorted(hip.items()):
        other = cuda.get(kernel, ("-", "-"))
        print(f"{kernel:36} {numbers[0]:6} {numbers[1]:8} {numbers[2]:14} {numbers[3]:8} {other[0]:>16} {other[1]:>6}")
    if not hip:
        print(f"no kernel in {args.hip}", file=sys.stderr)
        return 1
    bad = []
    for expression in args.fail_on:
        found = {kernel: numbers for kernel, numbers in hip.items() if re.search(expression, kernel)}
        bad += [f"{kernel}: spilled registers or scratch" for kernel, n in sorted(found.items()) if n[1] or n[3]]
        bad += [f"no kernel is named {expression}"] if not found else []
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""nvcc, the CUDA run time, and the architecture of the GPU.

Kernels use the shared run time (libcudart.so), so a process has one, whatever the number of kernels; CuPy and PyTorch use the same
file where it has the same version. The toolkit is the one of CUDA_HOME, of PATH, the one that minx was built with, /usr/local/cuda, or
that of NVIDIA's packages for Python (pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl)."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
import shutil
from pathlib import Path

from ..errors import SetupError

HELP = "Install the CUDA Toolkit and put nvcc on PATH, or set CUDA_HOME to its folder, or: pip install 'minx[cuda]'."
USUAL = Path("/usr/local/cuda")
# -O1 is for the code of the host, which only launches; ptxas has -O3 by itself
FLAGS = ["-std=c++17", "-O1", "--expt-relaxed-constexpr", "--brief-diagnostics=true", "-Xcudafe=--error_limit=5"]
# What CUB's scan does not need, of the headers that come with it (CCCL 3.0 of CUDA 13): half precision, marks for profilers, and
# instructions whose guards are defined in advance. Without them nvcc needs two thirds of the time. Another version may need them: see
# compile.build.
_INSTRUCTIONS = """BARRIER_CLUSTER CLUSTERLAUNCHCONTROL CP_ASYNC_BULK CP_ASYNC_BULK_COMMIT_GROUP CP_ASYNC_BULK_TENSOR CP_ASYNC_BULK_WAIT_GROUP
    CP_ASYNC_MBARRIER_ARRIVE CP_REDUCE_ASYNC_BULK CP_REDUCE_ASYNC_BULK_TENSOR FENCE GETCTARANK LD MBARRIER_ARRIVE MBARRIER_EXPECT_TX
    MBARRIER_INIT MBARRIER_WAIT MULTIMEM_LD_REDUCE MULTIMEM_RED MULTIMEM_ST RED_ASYNC ST ST_ASYNC ST_BULK TCGEN05_ALLOC TCGEN05_COMMIT
    TCGEN05_CP TCGEN05_FENCE TCGEN05_LD TCGEN05_MMA TCGEN05_MMA_WS TCGEN05_SHIFT TCGEN05_ST TCGEN05_WAIT TENSORMAP_CP_FENCEPROXY
    TENSORMAP_REPLACE""".split()
LESS_OF_CUB = ["-DCCCL_DISABLE_FP16_SUPPORT", "-DCCCL_DISABLE_BF16_SUPPORT", "-DCCCL_DISABLE_NVTX", "-DNVTX_DISABLE",
               *[f"-D_CUDA_PTX_{name}_H_" for name in _INSTRUCTIONS]]
HOST_FLAGS = "-Xcompiler=-fPIC,-fvisibility=hidden,-fno-exceptions,-fno-threadsafe-statics"


def wheel_folders() -> list[Path]:
    """nvidia/cu13 and the like in site-packages."""
    found = importlib.util.find_spec("nvidia")
    roots = [Path(p) for p in (found.submodule_search_locations if found else ())]
    return sorted((p for root in roots for p in root.glob("cu[0-9]*")), reverse=True)


@functools.lru_cache(maxsize=4)
def find_toolkit(home: str | None, path: str | None, built: str) -> Path:
    """The folder that has bin/nvcc. SetupError where there is none."""
    on_path = shutil.which("nvcc", path=path)
    folders = [Path(home)] if home else []
    folders += [Path(os.path.realpath(n)).parents[1] for n in (on_path, built) if n]
    folders += [USUAL, *wheel_folders()]
    for folder in folders:
        if (folder / "bin/nvcc").exists():
            return folder
    raise SetupError(f"a kernel for cuda needs nvcc, which is not found. {HELP}")


def toolkit(settings) -> Path:
    return find_toolkit(os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH"), os.environ.get("PATH"), settings.built["nvcc"])


def run_time(settings) -> Path:
    """libcudart.so of the toolkit. NVIDIA's packages for Python have it with its version only."""
    root = toolkit(settings)
    for folder in ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "../cuda_runtime/lib"):
        for file in sorted((root / folder).glob("libcudart.so*"), key=lambda p: len(p.name)):
            return file
    raise SetupError(f"the CUDA Toolkit in {root} has no libcudart.so. {HELP}")


def command(settings, source: str, output: str) -> list[str]:
    """nvcc's command line for a unit."""
    wanted = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures()]
    host = [] if shutil.which("gcc") else ["-ccbin", settings.compiler.command[-1]]  # NVCC_CCBIN is nvcc's own variable for it
    return [str(toolkit(settings) / "bin/nvcc"), *FLAGS, *host, *wanted, HOST_FLAGS, f"-I{settings.include}",
            *[f"-D{d}" for d in settings.built["defines"]], "-c", source, "-o", output]


def stamp(settings) -> tuple:
    """Of the toolkit's version, for keys of the cache."""
    status = (toolkit(settings) / "bin/nvcc").stat()
    return status.st_mtime_ns, status.st_size


def link_options(settings) -> list[str]:
    library = run_time(settings)
    return [str(library), f"-Wl,-rpath,{library.parent}", "-lpthread", "-ldl", "-lrt", "-lstdc++"]


def architectures() -> list[str]:
    """Of the devices of this process, as ["90"]; MINX_PY_CUDA_ARCH has other ones, "80,90"."""
    named = os.environ.get("MINX_PY_CUDA_ARCH")
    if named:
        found = named.replace(",", " ").split()
        if any(not re.fullmatch(r"[0-9]{2,3}[af]?", a) for a in found):
            raise SetupError(f"MINX_PY_CUDA_ARCH is '{named}', expected numbers as in 90 or 80,90")
        return found
    found = device_architectures()
    if not found:
        raise SetupError("no CUDA device is here to compile for: name an architecture, MINX_PY_CUDA_ARCH=90")
    return list(found)


@functools.cache
def device_architectures() -> tuple:
    """From the driver, which knows what CUDA_VISIBLE_DEVICES leaves."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count, found = ctypes.c_int(), set()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return ()
    for number in range(count.value):
        device, version = ctypes.c_int(), []
        if driver.cuDeviceGet(ctypes.byref(device), number):
            continue
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            value = ctypes.c_int()
            driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
            version.append(value.value)
        found.add(version[0] * 10 + version[1])
    return tuple(str(a) for a in sorted(found))

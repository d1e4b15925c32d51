import os

try: # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError: # before, spack.package has these names
    pass

from spack.package import *

# The repository that this file is in.
REPOSITORY = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))


class Minx(CMakePackage, CudaPackage):
    """A performance-portability core in C11 (views, policies, teams, reductions; backends serial, OpenMP and CUDA), and the
    mini-apps miniMD, miniFE and TeaLeaf on it, with MPI and HDF5."""

    homepage = "file://" + REPOSITORY
    git = "file://" + REPOSITORY

    tags = ["proxy-app", "performance-portability"]

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Build the mini-apps and minx-verify, which need MPI and HDF5")
    variant("openmp", default=True, description="The backend openmp, which every build has")
    variant("nccl", default=False, when="+cuda+mpi", description="Messages between GPUs by NCCL")
    variant("shared", default=False, description="Build libminx as a shared library")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("git", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5@1.10: +mpi", when="+mpi")
    depends_on("openssl@1.1.1:", when="+mpi")
    # minx-compare, and its report
    depends_on("python@3.11:", type="run", when="+mpi")
    depends_on("py-h5py", type="run", when="+mpi")
    depends_on("py-plotly", type="run", when="+mpi")
    depends_on("cuda@11.4:", when="+cuda")
    depends_on("nccl", when="+nccl")

    conflicts("~openmp", msg="minx always has the backend openmp; a run chooses another one by --backend")
    conflicts("cuda_arch=none", when="+cuda", msg="name the compute capability of the GPUs, as cuda_arch=80")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("MINX_APPS", "mpi"),
            self.define_from_variant("MINX_CUDA", "cuda"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("MINX_NCCL", spec.satisfies("+nccl")),
            self.define("MINX_TESTS", False),
            # Spack's compiler wrapper adds the options for the target
            self.define("MINX_TUNE", "generic"),
        ]
        if spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", spec["mpi"].mpicc))
            args.append(self.define("MINX_HDF5", "parallel"))
        if spec.satisfies("+cuda"):
            args.append(self.define("MINX_CUDA_ARCHITECTURES", [arch + "-real" for arch in spec.variants["cuda_arch"].value]))
        if spec.satisfies("+nccl"):
            args.append(self.define("MINX_NCCL_ROOT", spec["nccl"].prefix))
        return args

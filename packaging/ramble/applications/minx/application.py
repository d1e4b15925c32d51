from ramble.appkit import *


class Minx(ExecutableApplication):
    """minx's mini-apps miniMD, miniFE and TeaLeaf. Each workload runs one of them and verifies its results."""

    name = "minx"

    tags("proxy-app", "performance-portability", "molecular-dynamics", "finite-elements", "heat-conduction")

    define_compiler("gcc12", pkg_spec="gcc@12", package_manager="spack*")
    software_spec("minx", pkg_spec="minx@main +mpi", compiler="gcc12", package_manager="spack*")
    required_package("minx", package_manager="spack*")

    # what all workloads have
    OUTPUT = " --backend={backend} --output={experiment_run_dir}/run.h5 --summary={experiment_run_dir}/run.json"

    executable("tealeaf", "tealeaf {deck} {keys}" + OUTPUT, use_mpi=True)
    executable("minife", "minife nx={nx} ny={ny} nz={nz} {keys}" + OUTPUT, use_mpi=True)
    executable("minimd", "minimd {deck} -s {cells} {keys}" + OUTPUT, use_mpi=True)
    executable("verify", "minx-verify --quiet {experiment_run_dir}/run.h5", use_mpi=False)

    workload("tealeaf", executables=["tealeaf", "verify"])
    workload("minife", executables=["minife", "verify"])
    workload("minimd", executables=["minimd", "verify"])

    WORKLOADS = ["tealeaf", "minife", "minimd"]
    workload_variable("backend", default="auto", description="serial, openmp or cuda; auto: the fastest that is there", workloads=WORKLOADS)
    workload_variable("keys", default="", description="further keys and options of the app", workloads=WORKLOADS)
    workload_variable("deck", default="{minx_path}/share/minx/inputs/tealeaf/crooked_pipe_250.in", description="the deck",
                      workloads=["tealeaf"])
    workload_variable("deck", default="{minx_path}/share/minx/inputs/minimd/lj.in", description="the deck", workloads=["minimd"])
    workload_variable("nx", default="100", description="elements in x", workloads=["minife"])
    workload_variable("ny", default="{nx}", description="elements in y", workloads=["minife"])
    workload_variable("nz", default="{nx}", description="elements in z", workloads=["minife"])
    workload_variable("cells", default="32", description="lattice cells in each direction", workloads=["minimd"])

    LOG = "{experiment_run_dir}/{experiment_name}.out"
    SUMMARY = "{experiment_run_dir}/run.json"
    NUMBER = r"[-+0-9.eE]+"

    figure_of_merit("figure of merit", log_file=LOG, fom_regex=r"^figure of merit: (?P<fom>" + NUMBER + r") (?P<unit>.+)$",
                    group_name="fom", units="{unit}")
    figure_of_merit("wall clock", log_file=SUMMARY, fom_regex=r'.*"wall_seconds": (?P<wall>' + NUMBER + ")", group_name="wall", units="s")
    figure_of_merit("solve", log_file=SUMMARY, fom_regex=r'.*"solve_seconds": (?P<solve>' + NUMBER + ")", group_name="solve", units="s")
    figure_of_merit("set-up", log_file=SUMMARY, fom_regex=r'.*"set_up_seconds": (?P<set_up>' + NUMBER + ")", group_name="set_up",
                    units="s")

    success_criteria("verdict", mode="string", match=r"^verdict: passed$", file=LOG)
    success_criteria("integrity", mode="string", match=r"^integrity: PASS", file=LOG)
    success_criteria("physics", mode="string", match=r"^physics: PASS", file=LOG)

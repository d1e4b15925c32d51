# shellcheck shell=bash
# Functions that build.sh, run.sh, test.sh and other scripts share: they find what the build needs, install it if that is allowed,
# and set the environment with which MPI programs start on any machine. This file is sourced, not run; names begin with minx_.

MINX_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
MINX_PRESETS=(release debug sanitizers threads bounds-check gpu)

minx_say() { printf 'minx: %s\n' "$*" >&2; }

# minx_die CODE MESSAGE: the scripts exit with 1 when something failed, 2 on bad usage, 3 when something is missing
minx_die() {
    minx_say "$2"
    exit "$1"
}

minx_have() { command -v "$1" >/dev/null 2>&1; }

minx_children() { # prints the processes that this script has started, and those that they have started
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v root=$$ '
        { pid = $1; sub(/.*\) /, ""); parent[pid] = $2 }
        END { for (p in parent) for (q = p; q in parent; q = parent[q]) if (parent[q] == root) print p }'
}

# minx_end_children: for a script that was interrupted. Processes in the background get no interrupt from the terminal.
minx_end_children() {
    local running _
    mapfile -t running < <(minx_children)
    kill "${running[@]}" 2>/dev/null || true
    for _ in $(seq 300); do
        kill -0 "${running[@]}" 2>/dev/null || break
        sleep 0.1
    done
}

# minx_help FILE: prints the comment that a script opens with
minx_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"; }

# minx_value OPTION [VALUE]: prints VALUE, or ends the script where the option has none
minx_value() {
    [ $# -ge 2 ] || minx_die 2 "$1 needs a value"
    printf '%s\n' "$2"
}

# ---- what is missing -------------------------------------------------------------------------------------------------

minx_compiles() { # does the C compiler work (a compiler without the C library's headers does not)?
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' |
        ${CC:-cc} -x c - -o /dev/null 2>/dev/null
}

minx_includes() { # minx_includes HEADER [FLAG...]: does the C compiler find it?
    printf '#include <%s>\n' "$1" | ${CC:-cc} "${@:2}" -E -x c - >/dev/null 2>&1
}

minx_has_cmake() { # 3.25 or newer
    local version
    version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }') || return 1
    [ -n "$version" ] && printf '%s\n' 3.25 "$version" | sort --version-sort --check=quiet
}

minx_mpicc() { printf '%s\n' "${MPICC:-mpicc}"; } # the compiler wrapper of the MPI to use

minx_mpi_family() { # prints openmpi or mpich: whose HDF5 fits
    local shown
    shown="$(minx_mpicc) $("$(minx_mpicc)" -show 2>/dev/null)" || true
    case $shown in *mpich*) echo mpich ;; *) echo openmpi ;; esac
}

minx_has_mpi() {
    minx_have "$(minx_mpicc)" || return 1
    # Debian's launchers have the wrapper's suffix; where there is another one, CMake says so
    case $(minx_mpicc) in
        mpicc.*) minx_have "mpirun.${MPICC#mpicc.}" ;;
        mpicc) minx_have mpirun ;;
    esac
}

minx_mpi_packages() {
    case $(minx_mpicc) in
        mpicc.mpich) printf '%s\n' libmpich-dev mpich ;;
        *) printf '%s\n' libopenmpi-dev openmpi-bin ;;
    esac
}

# One of this MPI is used in parallel, a serial one through rank 0; one of another MPI is none (cmake/MinxHdf5.cmake).
minx_has_hdf5() {
    local family folder shown
    [ -n "${HDF5_ROOT:-}${HDF5_DIR:-}" ] && return 0
    family=$(minx_mpi_family)
    for folder in "/usr/include/hdf5/$family" /usr/include/hdf5/serial; do
        [ ! -f "$folder/hdf5.h" ] || return 0
    done
    shown=$(h5pcc -show 2>/dev/null || h5cc -show 2>/dev/null) || return 1
    case $shown in */hdf5/openmpi* | */hdf5/mpich*) false ;; esac
}

minx_has_openmp() { # does the C compiler find omp.h and its library?
    printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' |
        ${CC:-cc} -fopenmp "$@" -x c - -o /dev/null 2>/dev/null
}

minx_compiler_packages() { # Debian's, of the compiler that CC names
    case ${CC:-cc} in
        clang) printf '%s\n' clang libomp-dev libc6-dev ;;
        clang-[0-9]*) printf '%s\n' "$CC" "libomp-${CC#clang-}-dev" libc6-dev ;;
        gcc-[0-9]*) printf '%s\n' "$CC" libc6-dev ;;
        *) printf '%s\n' gcc libc6-dev ;;
    esac
}

minx_has_openssl() { [ -n "${OPENSSL_ROOT_DIR:-}" ] || minx_includes openssl/evp.h; }

# minx_find_clang FLAG: sets minx_clang to a clang that has this sanitizer and LLVM's OpenMP (the tool Archer comes with its headers):
# several versions may be installed, but only one of them has omp.h.
minx_find_clang() {
    local compiler
    for compiler in clang $(compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -t- -k2,2nr -u); do
        if CC=$compiler minx_has_openmp "$1"; then
            minx_clang=$compiler
            return 0
        fi
    done
    return 1
}

# Sets MINX_PYTHON to a Python that has what the scripts import. The first python3 on PATH may be one of the user's own
# without h5py while the system's has it.
minx_find_python() {
    local python
    for python in ${MINX_PYTHON:+"$MINX_PYTHON"} python3 /usr/bin/python3; do
        if "$python" -c 'import sys, importlib.util as u
sys.exit(any(u.find_spec(m) is None for m in ("h5py", "numpy", "matplotlib")))' 2>/dev/null; then
            MINX_PYTHON=$(command -v "$python")
            export MINX_PYTHON
            return 0
        fi
    done
    return 1
}

# Ends the script where CC or MPICC names what is not here and what no known package brings.
minx_check_choices() {
    case ${CC:-cc} in
        cc | gcc | gcc-[0-9]* | clang | clang-[0-9]*) ;;
        *) { minx_compiles && minx_has_openmp; } || minx_die 3 "CC is '$CC', which cannot compile a C program with OpenMP" ;;
    esac
    case $(minx_mpicc) in
        mpicc | mpicc.openmpi | mpicc.mpich) ;;
        *) minx_have "$MPICC" || minx_die 3 "MPICC is '$MPICC', but there is no such compiler wrapper" ;;
    esac
}

# NCCL speeds up runs on several GPUs, but none needs it: it is missing only where it can be used, found and installed.
minx_has_nccl() {
    ! minx_have nvcc || [ -n "${MINX_NCCL_ROOT:-}" ] || minx_includes nccl.h "-I$(dirname "$(command -v nvcc)")/../include" ||
        ! minx_may_install || ! apt-cache show libnccl-dev >/dev/null 2>&1
}

minx_missing() { # minx_missing PRESET: prints the Debian packages that would bring what is missing, one per line
    { minx_compiles && minx_has_openmp; } || minx_compiler_packages
    minx_has_cmake || echo cmake
    minx_have ninja || minx_have ninja-build || echo ninja-build
    minx_has_mpi || minx_mpi_packages
    minx_has_hdf5 || echo "libhdf5-$(minx_mpi_family)-dev"
    minx_has_openssl || echo libssl-dev
    minx_has_nccl || echo libnccl-dev
    minx_have git || echo git
    [ "$1" != threads ] || minx_find_clang -fsanitize=thread || printf '%s\n' clang libclang-rt-dev libomp-dev
    minx_find_python || printf '%s\n' python3 python3-h5py python3-numpy python3-matplotlib
}

# ---- installing it ---------------------------------------------------------------------------------------------------

minx_may_install() { # sets minx_sudo to the prefix that apt-get needs here; fails where we may not install
    minx_sudo=()
    [ "${MINX_INSTALL:-yes}" != no ] && minx_have apt-get || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    minx_sudo=(sudo -n)
    minx_have sudo && sudo -n true 2>/dev/null
}

minx_apt_get() { "${minx_sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

# minx_install PACKAGE...: installs them, or names the one command that does and exits with 3
minx_install() {
    local log
    if ! minx_may_install; then
        minx_say "missing: $*"
        minx_have apt-get || minx_die 3 "these are Debian's names; install them in this system's way, then try again"
        minx_say "this installs it:"
        local sudo='sudo '
        [ "$(id -u)" -ne 0 ] || sudo=
        echo "${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends $*"
        exit 3
    fi
    mkdir -p "$MINX_ROOT/build/log"
    log=$MINX_ROOT/build/log/install.log
    minx_say "installing $*"
    # lists that are partly stale (a foreign repository that is down) are no reason to stop
    minx_apt_get update >"$log" 2>&1 || minx_say "apt-get update complained, see $log"
    if ! minx_apt_get install -y --no-install-recommends "$@" >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        minx_die 3 "apt-get could not install what is missing; all it said is in $log"
    fi
}

# minx_tool COMMAND [PACKAGE]: for tools that only one script needs
minx_tool() { minx_have "$1" || minx_install "${2:-$1}"; }

# minx_test_tools: what only some tests use. They are skipped without it, so it is no error that it cannot be installed.
minx_test_tools() {
    if ! minx_have gdb && minx_may_install; then
        (minx_install gdb) || minx_say "gdb is missing; its test will be skipped"
    fi
    if ! "$MINX_PYTHON" -c 'import pytest' 2>/dev/null && minx_may_install; then
        (minx_install python3-pytest) || minx_say "pytest is missing; the tests of the Python package will be skipped"
    fi
}

minx_find_cuda() { # CMake looks for nvcc on PATH; toolkits often are not there
    if ! minx_have nvcc && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH=$PATH:/usr/local/cuda/bin
        export PATH
    fi
}

# minx_setup PRESET: finds or installs all that build, run and test need, and sets the environment. Installs nothing when
# nothing is missing.
minx_setup() {
    local missing
    minx_check_choices
    mapfile -t missing < <(minx_missing "$1")
    if [ ${#missing[@]} -gt 0 ]; then
        minx_install "${missing[@]}"
        hash -r
        mapfile -t missing < <(minx_missing "$1")
        [ ${#missing[@]} -eq 0 ] || minx_die 3 "installed, but still missing or too old: ${missing[*]}"
    fi
    minx_find_python
    minx_find_cuda
    minx_environment
}

# ---- running MPI programs --------------------------------------------------------------------------------------------

minx_default() { # minx_default NAME VALUE: exports it unless the user has set it
    [ -n "${!1+set}" ] || export "$1=$2"
}

# What lets MPI programs run in a container, with more ranks than cores, without a terminal. The user's settings win.
minx_environment() {
    unset CLICOLOR_FORCE # scripts read what ctest prints
    minx_default OMPI_MCA_rmaps_base_oversubscribe 1           # more ranks than cores: Open MPI 4
    minx_default PRTE_MCA_rmaps_default_mapping_policy :oversubscribe # the same: Open MPI 5
    minx_default OMPI_MCA_mpi_yield_when_idle 1                # a waiting rank leaves the core to the others
    minx_default OMPI_MCA_btl_base_warn_component_unused 0     # no warning about networks that are not there
    minx_default OMPI_MCA_pml ob1                              # one machine: no search for networks (0.2 s a start)
    minx_default OMPI_MCA_ess_singleton_isolated 1             # a program without mpirun needs no daemon beside it
    if [ "$(id -u)" -eq 0 ]; then
        minx_default OMPI_ALLOW_RUN_AS_ROOT 1
        minx_default OMPI_ALLOW_RUN_AS_ROOT_CONFIRM 1
        # root most likely means a container, where copying between processes is often forbidden
        minx_default OMPI_MCA_btl_vader_single_copy_mechanism none
    fi
}

minx_cores() { nproc; } # those that this process may use

# ---- building --------------------------------------------------------------------------------------------------------

# minx_build_dir PRESET: prints where CMakePresets.json puts it, or what MINX_BUILD_DIR says; ends the script for a name that
# it does not have
minx_build_dir() {
    case " ${MINX_PRESETS[*]} " in
        *" $1 "*) ;;
        *) minx_die 2 "unknown preset '$1'; the presets are: ${MINX_PRESETS[*]}" ;;
    esac
    case ${MINX_BUILD_DIR:-} in
        /*) echo "$MINX_BUILD_DIR" ;;
        ?*) echo "$MINX_ROOT/$MINX_BUILD_DIR" ;;
        *) [ "$1" = release ] && echo "$MINX_ROOT/build" || echo "$MINX_ROOT/build-$1" ;;
    esac
}

# minx_step LOG TITLE COMMAND...: runs it quietly; where it fails, shows the end of what it said and ends the script
minx_step() {
    local log=$1 title=$2 start=$SECONDS
    shift 2
    minx_say "$title ..."
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        if grep -q 'Werror' "$log"; then
            minx_say "a warning stopped it; to let warnings be, say: MINX_CMAKE_ARGS=-DMINX_WERROR=OFF $0"
        fi
        minx_die 1 "$title failed; all it said is in $log"
    fi
    minx_say "$title: $((SECONDS - start)) s"
}

minx_backends() { # minx_backends DIR: prints the core's backends in the build there, in one line
    local name names=()
    while read -r name; do
        ! grep -q "minx.dir/backends/$name/" "$1/build.ninja" || names+=("$name")
    done < <(sed -n 's/^MX_BACKEND(\([a-z0-9_]*\),.*/\1/p' "$MINX_ROOT/core/backends/backends.def")
    echo "${names[*]}"
}

# minx_compile DIR NAME TITLE [ARGUMENT...]: cmake --build DIR ARGUMENT..., quiet unless a terminal shows how far it is
minx_compile() {
    if [ -t 1 ]; then
        minx_say "$3; it can be interrupted and goes on where it was"
        cmake --build "$1" "${@:4}" || minx_die 1 "$3 failed"
    else
        minx_step "$1/log/$2.log" "$3" cmake --build "$1" "${@:4}"
    fi
}

# minx_compiler_arguments PRESET DIR: prints CMake's arguments for the compiler and the MPI that CC and MPICC name, one per
# line. A build folder keeps its compiler for good: with another one it starts anew.
minx_compiler_arguments() {
    local compiler=${CC:-} cached
    if [ "$1" = threads ]; then
        minx_find_clang -fsanitize=thread
        compiler=$(command -v "$minx_clang")
        echo "-DCMAKE_C_COMPILER=$compiler"
    fi
    [ -z "${MPICC:-}" ] || echo "-DMPI_C_COMPILER=$(command -v "$MPICC")"
    cached=$(minx_cached "$2" CMAKE_C_COMPILER)
    if [ -n "$compiler" ] && [ -n "$cached" ] && minx_have "$compiler" && [ "$(command -v "$compiler")" != "$cached" ]; then
        minx_say "$2 was configured with $cached: starting anew with $compiler"
        echo --fresh
    fi
}

minx_cached() { # minx_cached DIR NAME: prints what CMake's cache there has; nothing where there is none
    [ ! -f "$1/CMakeCache.txt" ] || sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}

# minx_launcher DIR: sets minx_mpiexec to the launcher of MPI programs that the build there was configured with
minx_launcher() {
    IFS=';' read -ra minx_mpiexec <<<"$(minx_cached "$1" minx_MPIEXEC_LINE)"
    [ ${#minx_mpiexec[@]} -gt 0 ] || minx_die 1 "no launcher of MPI programs is known in $1: was it built without the apps?"
}

minx_has_gpu() { # is an NVIDIA GPU here, with its driver?
    nvidia-smi -L >/dev/null 2>&1 || [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]
}

# minx_cuda_arguments PRESET DIR: prints CMake's arguments for the cuda backend, one per line. Where there is nvcc and no GPU, minx_no_gpu says
# what a script does, unless MINX_CMAKE_ARGS has another choice:
#   leave-out   run.sh: a new folder gets no cuda backend, because nvcc takes longer than all else
#   compile     test.sh: those of the core and the apps are compiled to see that they compile: for one architecture and without optimisation, which takes a
#               tenth of the time. (scripts/gpu-check.sh tests optimised kernels, where there is a GPU.)
# Other scripts build the whole backend, also in a folder that one of these configured.
minx_cuda_arguments() {
    local mode='' had
    had=$(minx_cached "$2" MINX_CUDA_WITHOUT_GPU)
    case $1 in
        sanitizers | threads | gpu) return ;; # these presets say whether cuda is built
    esac
    if minx_have nvcc && ! minx_has_gpu && [[ ${MINX_CMAKE_ARGS:-} != *CUDA* ]]; then
        mode=${minx_no_gpu:-}
    fi
    if [ "$mode" = "$had" ]; then return; fi
    if [ -f "$2/CMakeCache.txt" ] && { [ "$mode" = leave-out ] || [ -z "$had" ]; }; then return; fi
    if [ -n "$had" ]; then
        printf '%s\n' -DMINX_CUDA=AUTO -UMINX_CUDA_ARCHITECTURES -UMINX_TEST_CUDA_ARCHITECTURES -UMINX_KERNEL_CUDA_BATCH -UMINX_TEST_CUDA_PTX '-UCMAKE_CUDA_FLAGS*' -UMINX_TEST_CUDA_FLAGS
    fi
    printf '%s\n' "-DMINX_CUDA_WITHOUT_GPU=$mode"
    case $mode in
        leave-out)
            minx_say "no NVIDIA GPU is here: the cuda backend is not built (scripts/build.sh builds it)"
            echo -DMINX_CUDA=OFF
            ;;
        compile)
            minx_say "no NVIDIA GPU is here: kernels for cuda are compiled without optimisation (scripts/build.sh optimises them)"
            minx_nvcc_arguments
            ;;
    esac
}

# What kernels do not need of the headers that come with CUB, as options of nvcc, one a line: up to a third of its time. Nothing for
# another toolkit than that of python/minx/build/cuda.py, which has the list.
minx_less_of_cub() {
    if nvcc --version 2>/dev/null | grep -c 'release 13\.0,' >/dev/null; then
        PYTHONPATH=$MINX_ROOT/python "$MINX_PYTHON" -B -c 'from minx.build.cuda import LESS_OF_CUB
print(*LESS_OF_CUB, sep="\n")' 2>/dev/null || true
    fi
}

# One unit for an app (three for minimd) takes less than half of the time of all kernel files one by one.
minx_nvcc_arguments() {
    local flags
    echo "-DCMAKE_CUDA_COMPILER=$(command -v nvcc)" # CMake need not look for it, which compiles as much as a small program
    echo -DMINX_CUDA_ARCHITECTURES=90-real
    echo -DMINX_TEST_CUDA_ARCHITECTURES=90-virtual # PTX: no GPU runs these kernels, and assembling them takes a third of the time
    echo -DMINX_TEST_CUDA_PTX=ON
    echo -DMINX_KERNEL_CUDA_BATCH=26
    # grep reads to the end: with -q it would stop nvcc by a signal, and pipefail would report that
    if nvcc --help 2>/dev/null | grep -c Ofast-compile >/dev/null; then
        mapfile -t flags < <(echo -Ofc=max && minx_less_of_cub)
        echo "-DCMAKE_CUDA_FLAGS=${flags[*]}"
        echo -DCMAKE_CUDA_FLAGS_RELEASE=-DNDEBUG # without -O3: the host's part of these files only launches kernels
        echo "-DMINX_TEST_CUDA_FLAGS=$(IFS=';' && echo "${flags[*]}")" # for programs outside of this tree too
    fi
}

# minx_build PRESET TARGET [CMAKE ARGUMENT...]: configures and builds TARGET (programs, or all: with the tests), and says how long
# that took. The core is built before the programs, and its time is said too, as users of the core alone build no more.
# MINX_CMAKE_ARGS adds arguments, separated by blanks.
minx_build() {
    local preset=$1 target=$2 dir more compiler cuda start=$SECONDS configured core=''
    dir=$(minx_build_dir "$preset")
    read -ra more <<<"${MINX_CMAKE_ARGS:-}"
    mapfile -t compiler < <(minx_compiler_arguments "$preset" "$dir")
    mapfile -t cuda < <(minx_cuda_arguments "$preset" "$dir")
    mkdir -p "$dir/log"
    minx_step "$dir/log/configure.log" "configuring $preset" \
        cmake -S "$MINX_ROOT" --preset "$preset" -B "$dir" --no-warn-unused-cli "-DPython3_EXECUTABLE=$MINX_PYTHON" \
        "${compiler[@]}" "${cuda[@]}" "${@:3}" "${more[@]}"
    configured=$SECONDS
    if [ "$target" != all ]; then
        minx_compile "$dir" core "building the core of $preset" --target minx
        core=", the core alone in $((SECONDS - configured)) s"
    fi
    minx_compile "$dir" build "building $target of $preset" --target "$target"
    minx_say "backends $(minx_backends "$dir"), $(minx_cores) cores: configured in $((configured - start)) s," \
        "$target built in $((SECONDS - configured)) s$core"
}

#!/usr/bin/env bash
# Builds minx: scripts/build.sh [--all] [PRESET] [CMAKE ARGUMENT...]
#
# PRESET is one of release (the default, in build/), debug, sanitizers, threads, bounds-check, gpu (in build-PRESET/).
# Builds the library, the apps, minx-verify and minx-bench; with --all the tests too, which take much longer. If something is
# missing, it is installed (as root or with password-less sudo, by apt-get); if that is not possible, the script prints the
# command that installs it, and exits with 3. The programs are in bin/ of the build folder. At the end the script prints how long
# the build took, and without --all how long the core with its backends took.
#
#   scripts/build.sh
#   scripts/build.sh debug -DMINX_CUDA=OFF
#   CC=clang-19 scripts/build.sh                   # another compiler: everything is built again
#   MPICC=mpicc.mpich scripts/build.sh             # another MPI, with the HDF5 that belongs to it
#
# Environment: CC: the C compiler; MPICC: the compiler wrapper of the MPI library; HDF5_ROOT: where HDF5 is installed;
# MINX_NCCL_ROOT: the folder of NCCL; MINX_BUILD_DIR: another build folder; MINX_CMAKE_ARGS: more CMake arguments;
# MINX_INSTALL=no: install nothing; MINX_PYTHON: a Python with h5py, numpy and matplotlib. run.sh and test.sh use the same.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

main() {
    local preset=release target=programs
    if [ "${1:-}" = --all ]; then
        target=all
        shift
    fi
    case "${1:-}" in
        -h | --help)
            minx_help "${BASH_SOURCE[0]}"
            exit 0
            ;;
        "" | -D*) ;;
        -*) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        *)
            preset=$1
            shift
            ;;
    esac
    minx_build_dir "$preset" >/dev/null
    minx_setup "$preset"
    minx_build "$preset" $target "$@"
    minx_say "the programs are in $(minx_build_dir "$preset")/bin"
}

main "$@"

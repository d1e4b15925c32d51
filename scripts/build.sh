#!/usr/bin/env bash
# Builds minx: scripts/build.sh [PRESET] [CMAKE ARGUMENT...]
#
# PRESET is one of release (the default, in build/), debug, sanitizers, threads, bounds-check, gpu (in build-PRESET/).
# Installs what is missing where it may (root or password-less sudo, with apt-get); elsewhere prints the command that
# does and exits with 3. The programs are in the build folder's bin/. Says at the end how long it took, and how long the core
# with its backends alone.
#
#   scripts/build.sh
#   scripts/build.sh debug -DMINX_CUDA=OFF
#
# Environment: MINX_INSTALL=no never installs; MINX_CMAKE_ARGS: more CMake arguments, also for run.sh and test.sh;
# CC: the C compiler; MINX_PYTHON: a Python that has h5py, numpy and matplotlib.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

main() {
    local preset=release
    case "${1:-}" in
        -h | --help)
            minx_help "${BASH_SOURCE[0]}"
            exit 0
            ;;
        "" | -*) ;;
        *)
            preset=$1
            shift
            ;;
    esac
    minx_build_dir "$preset" >/dev/null
    minx_setup "$preset"
    minx_build "$preset" "$@"
    minx_say "the programs are in $(minx_build_dir "$preset")/bin"
}

main "$@"

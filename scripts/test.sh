#!/usr/bin/env bash
# Builds minx and runs its tests: scripts/test.sh [OPTION...] [-- CTEST ARGUMENT...]
#
#   --preset NAME   what to build: release (default), debug, sanitizers, threads, bounds-check or gpu
#   --label L       only tests with this label (a regular expression), for example unit or cuda
#   --jobs N        how many tests run at the same time; default: the number of cores
#   --help          this text
#
# Prints the output of tests that fail. At the end it prints how many tests passed, failed and were skipped, why each was skipped,
# and the last line of ctest. Exits with 0 only if no test failed. Installs what is missing, as build.sh does. In a new build folder on
# a machine with nvcc and without an NVIDIA GPU, kernels for cuda are compiled for one architecture and without optimisation.
#
# Reference data are read from the folder that MINX_REFERENCE_DATA names. Without it, tests that need these data are skipped; with
# MINX_REQUIRE_DATA=1 they fail.
#
#   scripts/test.sh --label unit
#   scripts/test.sh -- -R view
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

preset=release jobs='' ctest_args=()

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --preset) preset=$(minx_value "$@") ;;
            --label) ctest_args+=(--label-regex "$(minx_value "$@")") ;;
            --jobs) jobs=$(minx_value "$@") ;;
            --)
                ctest_args+=("${@:2}")
                return
                ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift 2
    done
}

main() {
    options "$@"
    case $jobs in 0* | *[!0-9]*) minx_die 2 "--jobs: got '$jobs', expected a whole number above 0" ;; esac
    local dir status=0
    dir=$(minx_build_dir "$preset")
    minx_setup "$preset"
    minx_test_tools
    minx_no_gpu=compile
    minx_build "$preset" all
    # Some memory is leaked by plug-ins that MPI has unloaded at the end. Only a full call stack shows that it was theirs.
    minx_default ASAN_OPTIONS fast_unwind_on_malloc=0
    minx_default LSAN_OPTIONS "suppressions=$MINX_ROOT/scripts/lib/lsan.supp:print_suppressions=0"
    minx_default UBSAN_OPTIONS print_stacktrace=1
    ctest --test-dir "$dir" --output-on-failure --no-tests=error --parallel "${jobs:-$(minx_cores)}" \
        --test-output-size-passed 65536 --output-junit "$dir/log/tests.xml" "${ctest_args[@]}" </dev/null 2>&1 |
        tee "$dir/log/ctest.log" || status=$?
    "$MINX_PYTHON" "$MINX_ROOT/scripts/lib/skipped.py" "$dir/log/tests.xml" || status=1
    # ctest's result is the last line of the output, where users look for it
    grep -E '^[0-9]+% tests passed' "$dir/log/ctest.log" || status=1
    exit "$status"
}

main "$@"

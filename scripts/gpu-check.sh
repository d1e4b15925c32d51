#!/usr/bin/env bash
# Runs the checks that need an NVIDIA GPU: scripts/gpu-check.sh [--no-build] [--no-bench]
#
# Builds the gpu preset for this machine's GPU. The checks are:
#   - the tests with the label cuda, and the test of index checks in a build that checks indices;
#   - the core's tests, and tealeaf on a small deck, under the four tools of compute-sanitizer;
#   - a run whose launches are all repeated on serial and compared;
#   - 2 ranks on one GPU and, if there are two GPUs, on two;
#   - minx-bench.
# Prints one line for each check; logs are in build-gpu/gpu-check/. Exits with 0 only if all checks passed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

build=yes bench=yes failed=0
dir=$(minx_build_dir gpu)
logs=$dir/gpu-check

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --no-build) build=no ;;
            --no-bench) bench=no ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift
    done
}

# check NAME COMMAND...: runs it with its output in a log, prints PASS or FAIL
check() {
    local name=$1 log start=$SECONDS
    log=$logs/${name// /_}.log
    if "${@:2}" >"$log" 2>&1 </dev/null; then
        printf 'PASS  %-40s %4d s\n' "$name" $((SECONDS - start))
    else
        printf 'FAIL  %-40s %4d s  (exit %d, log %s)\n' "$name" $((SECONDS - start)) $? "$log"
        tail -n 15 "$log" | sed 's/^/      /'
        failed=1
    fi
}

sanitize() { # compute-sanitizer finds nothing in a run on a small deck, and in the core's tests
    local tool=$1 test quiet=()
    [ "$tool" != memcheck ] || quiet=(--report-api-errors no)
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$dir/bin/tealeaf" "$MINX_ROOT/inputs/tealeaf/crooked_pipe_10.in" \
        --backend=cuda --output="$logs/$tool.h5" || return
    for test in "$dir"/bin/test_core_*; do
        # Not these tests: bounds needs another build; misuse makes mistakes on purpose, such as requests for too much memory.
        case ${test##*test_core_} in bounds | misuse) continue ;; esac
        compute-sanitizer --tool "$tool" "${quiet[@]}" --error-exitcode 9 "$test" cuda || return
    done
}

# indices are checked on the device, too; and docs/kokkos-map.md holds for cuda
bounds_checked() {
    local dir=$MINX_ROOT/build-gpu-bounds
    cmake --preset gpu -B "$dir" -DMINX_BOUNDS_CHECK=ON -DMINX_APPS=OFF --no-warn-unused-cli &&
        cmake --build "$dir" --target test_core_bounds &&
        ctest --test-dir "$dir" -R core_bounds_cuda --output-on-failure --no-tests=error --output-junit "$logs/bounds.xml"
}

ranks_agree() { # ranks_agree RANKS DEVICES: as one rank, to 1e-11
    local one=$logs/one.h5 many=$logs/ranks_$1_$2.h5 deck=$MINX_ROOT/inputs/tealeaf/crooked_pipe_250.in device=()
    [ "$2" -gt 1 ] || device=(--device=0)
    "$dir/bin/tealeaf" "$deck" --backend=cuda --output="$one" &&
        "${minx_mpiexec[@]}" -n "$1" "$dir/bin/tealeaf" "$deck" --backend=cuda "${device[@]}" --output="$many" &&
        "$dir/bin/minx-verify" "$one" && "$dir/bin/minx-verify" "$many" && "$dir/bin/minx-verify" "$one" "$many"
}

main() {
    options "$@"
    minx_setup gpu
    minx_have nvidia-smi || minx_die 3 "no nvidia-smi: this needs a machine with an NVIDIA GPU and its driver"
    nvidia-smi -L
    [ $build = no ] || minx_build gpu all
    minx_launcher "$dir"
    mkdir -p "$logs"
    check "tests labelled cuda" ctest --test-dir "$dir" -L cuda --output-on-failure --no-tests=error \
        --output-junit "$logs/tests.xml"
    tail -n 25 "$logs/tests_labelled_cuda.log"
    check "bounds" bounds_checked
    check "kokkos-map" scripts/check-map "$dir" "$logs/tests.xml" "$logs/bounds.xml"
    for tool in memcheck racecheck initcheck synccheck; do check "compute-sanitizer $tool" sanitize $tool; done
    check "every launch against serial" "$dir/bin/tealeaf" "$MINX_ROOT/inputs/tealeaf/shapes.in" --backend=cuda \
        --check-against=serial
    check "2 ranks on one GPU" ranks_agree 2 1
    if [ "$(nvidia-smi -L | wc -l)" -gt 1 ]; then check "2 ranks on two GPUs" ranks_agree 2 2; fi
    if [ $bench = yes ]; then
        check "minx-bench" "$dir/bin/minx-bench" --backend=cuda --json "$logs/bench.json"
        cat "$logs/minx-bench.log"
    fi
    exit $failed
}

main "$@"

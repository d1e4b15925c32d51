#!/usr/bin/env bash
# Runs the checks that need an NVIDIA GPU: scripts/gpu-check.sh [--no-build] [--no-bench]
# On an AMD GPU: scripts/gpu-check.sh --backend=hip; it writes build-gpu-hip/report.txt, which you can send.
#
# Builds the gpu preset for this machine's GPU. The checks are:
#   - the tests with the label cuda, and the test of index checks in a build that checks indices;
#   - the core's tests, and each app on its first deck, a small one, under the four tools of compute-sanitizer;
#   - for each app, a run whose launches are all repeated on serial and compared;
#   - for each app, 2 ranks on one GPU and, if there are two GPUs, on two by each way for messages;
#   - the tests of messages, with 500 random programs of each kind, on three ranks and, if there are two GPUs, on two;
#   - minx-bench.
# Prints one line for each check; logs are in build-gpu/gpu-check/. Exits with 0 only if all checks passed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

build=yes bench=yes backend=cuda failed=0
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
            --backend=hip) backend=hip ;;
            --backend=cuda) ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift
    done
}

# check NAME COMMAND...: runs it with its output in a log, prints PASS or FAIL
check() {
    local name=$1 log start=$SECONDS
    log=$logs/${name//[ :,]/_}.log
    if "${@:2}" >"$log" 2>&1 </dev/null; then
        printf 'PASS  %-40s %4d s\n' "$name" $((SECONDS - start))
    else
        printf 'FAIL  %-40s %4d s  (exit %d, log %s)\n' "$name" $((SECONDS - start)) $? "$log"
        sed '/^passed: /d' "$log" | tail -n 15 | sed 's/^/      /'
        failed=1
    fi
}

apps() { # the apps that were built: those with decks
    local folder app
    for folder in "$MINX_ROOT"/inputs/*/; do
        app=$(basename "$folder")
        [ ! -x "$dir/bin/$app" ] || echo "$app"
    done
}

first_deck() { find "$MINX_ROOT/inputs/$1" -name '*.in' | sort | sed -n 1p; }

# the GPUs that may be used, one on each line, as CUDA_VISIBLE_DEVICES names them
gpus() {
    if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES"; else nvidia-smi -L | sed -n 's/^GPU \([0-9]*\):.*/\1/p'; fi
}

# the core's tests, the two slowest first, so that none of them runs alone at the end
core_tests() {
    printf '%s\n' "$dir"/bin/test_core_{sort,concurrent}
    printf '%s\n' "$dir"/bin/test_core_* | grep -vE '_(sort|concurrent)$'
}

# sanitized TOOL: prints what runs under this tool, one command on each line
sanitized() {
    local tool=$1 test app
    for app in $(apps); do
        printf '%q ' "$dir/bin/$app" "$(first_deck "$app")" --backend=cuda --output="$logs/$tool-$app.h5"
        echo
    done
    while read -r test; do
        # Not these tests: bounds needs another build; misuse makes mistakes on purpose, such as requests for too much memory;
        # cuda_blocks and waits use no device. racecheck loses track of kernels that several host threads launch at the same time. initcheck reports
        # uninitialised reads in a third of the runs of the test concurrent, whose host threads call cudaMalloc and cudaFree at the same
        # time. It does so too for a plain CUDA program of such threads (CUDA 13.0, 15 of 60 runs), in which memcheck finds nothing.
        case $tool-${test##*test_core_} in
            *-bounds | *-misuse | *-cuda_blocks | *-waits | racecheck-instances | initcheck-concurrent) continue ;;
        esac
        printf '%q cuda\n' "$test"
    done < <(core_tests)
}

sanitized_at_a_time() {
    local cores=$((($(minx_cores) + 1) / 2)) most=$((16 * $(gpus | wc -l)))
    echo $((cores < most ? cores : most))
}

# sanitize TOOL: compute-sanitizer finds nothing in a run of each app, and in the core's tests. Several run at the same time, in turn on
# each GPU, at most sixteen for each: they share its memory. The log names each run that passed, and has the output of those that failed.
sanitize() {
    local tool=$1 quiet=''
    [ "$tool" != memcheck ] || quiet='--report-api-errors no'
    # shellcheck disable=SC2016 # the inner shell expands these
    sanitized "$tool" | GPUS=$(gpus | tr '\n' ' ') xargs -d '\n' --process-slot-var=SLOT -P "$(sanitized_at_a_time)" -I COMMAND bash -c '
        set -- $GPUS; shift $((SLOT % $#)); export CUDA_VISIBLE_DEVICES=$1; output=$(
        '"compute-sanitizer --tool $tool $quiet --error-exitcode 9"' COMMAND 2>&1) || { printf "%s\n" "COMMAND" "$output"; exit 1; }
        echo "passed: "COMMAND" in $SECONDS s"'
}

# indices are checked on the device, too; and docs/kokkos-map.md holds for cuda
bounds_checked() {
    local dir=$MINX_ROOT/build-gpu-bounds
    cmake --preset gpu -B "$dir" -DMINX_BOUNDS_CHECK=ON -DMINX_APPS=OFF --no-warn-unused-cli &&
        cmake --build "$dir" --target test_core_bounds &&
        ctest --test-dir "$dir" -R core_bounds_cuda --output-on-failure --no-tests=error --output-junit "$logs/bounds.xml"
}

ranks_agree() { # ranks_agree APP RANKS OPTION...: as one rank, within the file's own rules
    local one=$logs/$1-one.h5 many=$logs/$1-$2.h5 deck
    deck=$(first_deck "$1")
    "$dir/bin/$1" "$deck" --backend=cuda --output="$one" &&
        "${minx_mpiexec[@]}" -n "$2" "$dir/bin/$1" "$deck" --backend=cuda "${@:3}" --output="$many" &&
        "$dir/bin/minx-verify" "$one" && "$dir/bin/minx-verify" "$many" && "$dir/bin/minx-verify" "$one" "$many"
}

messages_pass() { # messages_pass RANKS: by all ways that there are; 500 random programs of each kind
    local test
    for test in transport overlap; do "${minx_mpiexec[@]}" -n "$1" "$dir/bin/test_app_$test" || return; done
    for test in messages box_halo index_exchange migrate; do
        "${minx_mpiexec[@]}" -n "$1" "$dir/bin/test_app_$test" 500 || return
    done
}

check_apps() {
    local app way several=no
    [ "$(gpus | wc -l)" -lt 2 ] || several=yes
    for app in $(apps); do
        check "$app: every launch against serial" "$dir/bin/$app" "$(first_deck "$app")" --backend=cuda --check-against=serial
        check "$app: 2 ranks on one GPU" ranks_agree "$app" 2 --device=0
        [ $several = yes ] || continue
        for way in direct nccl off; do check "$app: 2 GPUs, --gpu-mpi=$way" ranks_agree "$app" 2 "--gpu-mpi=$way"; done
    done
    check "messages, 3 ranks" messages_pass 3
    [ $several = no ] || check "messages, 2 ranks on 2 GPUs" messages_pass 2
}

# An AMD GPU: the tests of the core and the apps, and each app with every launch repeated on serial.
hip() {
    local app architectures=${MINX_HIP_ARCHITECTURES:-}
    dir=$MINX_ROOT/build-gpu-hip logs=$MINX_ROOT/build-gpu-hip/gpu-check
    mkdir -p "$logs"
    minx_environment
    echo "minx $(git -C "$MINX_ROOT" rev-parse --short HEAD 2>/dev/null || true)"
    hipcc --version 2>&1 || true
    rocminfo 2>/dev/null | grep -E 'Marketing Name|gfx' | sort -u || true
    uname -r
    [ -n "$architectures" ] || architectures=$(rocminfo 2>/dev/null | grep -oE 'gfx9[0-9a-f]+' | sort -u | paste -sd ';') || true
    if [ $build = yes ]; then
        check "configure" cmake -S "$MINX_ROOT" -B "$dir" -DCMAKE_BUILD_TYPE=Release -DMINX_HIP=ON -DMINX_CUDA=OFF "-DMINX_TESTS=core;apps" \
            "-DMINX_HIP_ARCHITECTURES=${architectures:-gfx90a}"
        check "build" cmake --build "$dir" --parallel "$(minx_cores)"
    fi
    check "tests labelled hip" ctest --test-dir "$dir" -L hip --output-on-failure --no-tests=error --parallel 4
    for app in $(apps); do
        check "$app on hip" "$dir/bin/$app" "$(first_deck "$app")" --backend=hip
        check "$app: every launch against serial" "$dir/bin/$app" "$(first_deck "$app")" --backend=hip --check-against=serial
    done
}

main() {
    options "$@"
    if [ $backend = hip ]; then
        [ -e /dev/kfd ] || minx_die 3 "no /dev/kfd: this needs a machine with an AMD GPU and its driver"
        mkdir -p "$MINX_ROOT/build-gpu-hip"
        hip > >(tee "$MINX_ROOT/build-gpu-hip/report.txt")
        echo "the report to send: $MINX_ROOT/build-gpu-hip/report.txt"
        exit $failed
    fi
    minx_setup gpu
    minx_have nvidia-smi || minx_die 3 "no nvidia-smi: this needs a machine with an NVIDIA GPU and its driver"
    [ -n "${CUDA_VISIBLE_DEVICES-all}" ] || minx_die 3 "CUDA_VISIBLE_DEVICES is empty, so no GPU may be used: unset it"
    nvidia-smi -L
    [ $build = no ] || minx_build gpu all
    minx_launcher "$dir"
    mkdir -p "$logs"
    check "tests labelled cuda" ctest --test-dir "$dir" -L cuda --output-on-failure --no-tests=error --parallel 4 \
        --output-junit "$logs/tests.xml"
    tail -n 25 "$logs/tests_labelled_cuda.log"
    check "bounds" bounds_checked
    check "kokkos-map" scripts/check-map "$dir" "$logs/tests.xml" "$logs/bounds.xml"
    for tool in memcheck racecheck initcheck synccheck; do check "compute-sanitizer $tool" sanitize $tool; done
    check_apps
    if [ $bench = yes ]; then
        check "minx-bench" "$dir/bin/minx-bench" --backend=cuda --json "$logs/bench.json"
        cat "$logs/minx-bench.log"
    fi
    exit $failed
}

main "$@"

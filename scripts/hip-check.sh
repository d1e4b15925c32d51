#!/usr/bin/env bash
# Compiles kernel files for AMD's GPUs, without one: scripts/hip-check.sh [--sample] [--cuda PATH]
#
#   --sample        a few kernel files of the core, the tests and the apps, and one linked program, in place of all files and all programs: a
#                   minute, not an hour
#   --cuda PATH     a build folder with cuda, or what a build printed that had -DCMAKE_CUDA_FLAGS=-Xptxas=-v: its registers stand beside
#                   those of hip
#
# No kernel runs. RCCL's path for messages is compiled with the declarations of tests/rccl. Linked programs (the apps, minx-bench, the
# core's tests, the examples) start: they have to say that there is no GPU (or find one), and the host backends of the apps have to work.
# Prints a table of the registers, spilled registers and scratch of each kernel of the apps. Fails if a file does not compile, or if a hot
# kernel of an app has spilled vector registers or scratch. MINX_HIP_ARCHITECTURES names the GPU, gfx90a by default.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

# those in which the apps spend their time on a GPU
readonly hot=('^tl_(cg|pass)_' '^fe_(csr|csr8|ell|sell|lines_row|half|uniform|nodes_tile|elements_one)(_|$)' '^md_(lj|eam_(density|force))(_|$)')
# parts of names of object files
readonly sampled='backends/hip/|hip\.cu\.o|sort_hip|kernels_team_c_|domain_kernels_elements_c_|kernels_cg_c_|rows_kernels_lj_c_|csr_kernels_c_'
readonly rccl='apps/common/CMakeFiles/app_common.dir/comm/transport_nccl.c.o'

# starts PROGRAM: a test of the core with hip's code
starts() {
    local code=0
    "$1" serial && "$1" openmp || return 1
    "$1" hip || code=$?
    [ $code -eq 0 ] || [ $code -eq 77 ] # 77: skipped, with the reason
}

# programs_start FOLDER: links every program. The core's tests on hip pass or are skipped; serial and openmp run in the apps' programs,
# and hip does or says why not.
programs_start() {
    local folder app backend deck log code
    minx_step "$1/log/programs.log" "linking every program" ninja -C "$1" -k 0
    minx_step "$1/log/ctest.log" "starting the core's tests" ctest --test-dir "$1" -L hip --parallel "$(minx_cores)" --output-on-failure \
        --no-tests=error
    "$1/bin/minx-bench" --help >"$1/log/bench.log" || return 1
    for folder in "$MINX_ROOT"/inputs/*/; do
        app=$(basename "$folder")
        deck=$(find "$folder" -name '*.in' | sort | sed -n 1p)
        for backend in serial openmp hip; do
            log=$1/log/$app-$backend.log code=0
            "$1/bin/$app" "$deck" --backend=$backend >"$log" 2>&1 || code=$?
            echo "$app --backend=$backend: exit code $code $(grep -m 1 'error' "$log" || true)"
            [ $code -eq 0 ] || { [ $backend = hip ] && [ $code -eq 3 ]; } || return 1
        done
    done
}

main() {
    local sample=no cuda='' batch=4 objects=() # files in a unit, for which headers are read once
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --sample) sample=yes batch=1 ;;
            --cuda)
                cuda=$(minx_value "$@")
                shift
                ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift
    done
    minx_have hipcc || minx_install hipcc libamdhip64-dev rocm-device-libs librocprim-dev
    minx_find_python || minx_die 3 "no python3"
    local dir=$MINX_ROOT/build-hip-check
    mkdir -p "$dir/log"
    minx_step "$dir/log/configure.log" "configuring" cmake -S "$MINX_ROOT" -B "$dir" -G Ninja -DMINX_HIP=ON -DMINX_CUDA=OFF \
        "-DMINX_HIP_ARCHITECTURES=${MINX_HIP_ARCHITECTURES:-gfx90a}" -DMINX_TESTS="core;bench" -DMINX_HDF5=AUTO \
        -DMINX_TEST_QUICK=ON -DMINX_KERNEL_HOST_BATCH=24 -DMINX_KERNEL_CUDA_BATCH=$batch \
        -DMINX_NCCL=ON "-DMINX_NCCL_ROOT=$MINX_ROOT/tests/rccl"
    mapfile -t objects < <(ninja -C "$dir" -t targets all | sed -nE 's/^(.*(_left|hip)\.cu\.o): CUSTOM_COMMAND$/\1/p' | grep -v "^$dir" || true)
    if [ $sample = yes ]; then
        mapfile -t objects < <(printf '%s\n' "${objects[@]}" | grep -E "$sampled")
    fi
    [ ${#objects[@]} -gt 3 ] || minx_die 1 "found only ${#objects[@]} object files of hip in $dir"
    minx_step "$dir/log/build.log" "compiling ${#objects[@]} files for ${MINX_HIP_ARCHITECTURES:-gfx90a}" ninja -C "$dir" -k 0 "${objects[@]}" \
        $rccl test_core_context
    starts "$dir/bin/test_core_context" || minx_die 1 "$dir/bin/test_core_context does not start"
    [ $sample = yes ] || programs_start "$dir" || minx_die 1 "a program does not run: see $dir/log"
    "$MINX_PYTHON" scripts/lib/kernel_resources.py "$dir" ${cuda:+"$cuda"} --only '^(tl|fe|md)_' "${hot[@]/#/--fail-on=}"
}

cd "$MINX_ROOT"
main "$@"

#!/usr/bin/env bash
# Builds minx and compares the backends of this machine: each app on one deck, on every backend, on one and on two ranks. Verifies each
# results file and compares the answers, prints one table, and writes a report in one HTML file.
# Exits with 0 only if every run counts.
#
#   scripts/run.sh [--preset NAME] [--plan PLAN] [OPTION...]
#
#   --preset NAME   what to build: release (default), debug, bounds-check, sanitizers or gpu
#   --plan PLAN     what to run: quick (default), another of the plans that `scripts/compare plans` lists, or a file
#   OPTION          of `minx-compare run`, for example --repeats=1 (docs/compare.md)
#
# The comparison is in build/compare-PLAN/, made anew each time. Builds the programs, not the tests. In a new build folder on a
# machine without an NVIDIA GPU it leaves out the cuda backend, which build.sh and test.sh add later. build.sh --help explains what
# is installed, and the variables of the environment (CC, MPICC, MINX_BUILD_DIR and others). The report needs Python's plotly; without
# it there is only the table.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

preset=release plan=quick more=()

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --preset)
                preset=$(minx_value "$@")
                shift
                ;;
            --plan)
                plan=$(minx_value "$@")
                shift
                ;;
            *) more+=("$1") ;;
        esac
        shift
    done
}

# The report is left out where plotly is missing and cannot be installed.
can_report() { "$MINX_PYTHON" -c 'import plotly' 2>/dev/null; }

main() {
    options "$@"
    [ -f "$plan" ] || [ -f "$MINX_ROOT/tools/compare/plans/$plan.toml" ] ||
        minx_die 2 "--plan: got '$plan', expected a file or one of: $(cd "$MINX_ROOT/tools/compare/plans" && echo *.toml)"
    local dir out status=0 start=$SECONDS compare=$MINX_ROOT/scripts/compare
    dir=$(minx_build_dir "$preset")
    minx_setup "$preset"
    can_report || ! minx_may_install || (minx_install python3-plotly) || minx_say "there will be no report"
    minx_no_gpu=leave-out
    minx_build "$preset" programs
    minx_launcher "$dir"
    out=$dir/compare-$(basename "$plan" .toml)
    rm -rf "$out"
    MPIEXEC=${MPIEXEC:-${minx_mpiexec[0]}} "$compare" run "$plan" --bin "$dir/bin" --out "$out" "${more[@]}" || status=$?
    if [ $status -le 1 ] && can_report; then
        "$compare" report "$out" || status=$?
    fi
    minx_say "all took $((SECONDS - start)) s"
    exit "$status"
}

main "$@"

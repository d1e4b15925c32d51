#!/usr/bin/env bash
# Builds minx and runs its apps on the shipped decks, on every backend that this machine has. Verifies each results file with
# minx-verify, and prints one table: app, deck, backend, ranks x threads, seconds, rate, share of the machine's limit, verdict.
# Exits with 0 only if every run PASSED.
#
#   scripts/run.sh [--preset NAME] [--app NAME] [--backend NAME] [--deck NAME]
#
#   --preset NAME   what to build: release (default), debug, bounds-check, sanitizers or gpu
#   --app NAME      only this app
#   --backend NAME  only this backend
#   --deck NAME     only this deck: the name of a file inputs/APP/NAME.in
#
# serial runs on 1 and on 2 ranks, openmp on 1 rank with all cores, any other backend on 1 rank. simt is for debugging and does
# not run. Results files, logs and the table are in build/results/. Builds the programs, not the tests. In a new build folder on a
# machine without an NVIDIA GPU it leaves out the cuda backend, which build.sh and test.sh add later. build.sh --help explains what
# is installed, and the variables of the environment (CC, MPICC, MINX_BUILD_DIR and others).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

preset=release only_app='' only_backend='' only_deck=''

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --preset) preset=$(minx_value "$@") ;;
            --app) only_app=$(minx_value "$@") ;;
            --backend) only_backend=$(minx_value "$@") ;;
            --deck) only_deck=$(minx_value "$@") ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift 2
    done
}

# Before anything is built: is there what was asked for?
check_choices() {
    local app=${only_app:-*} apps
    apps=$(find "$MINX_ROOT/inputs" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | tr '\n' ' ')
    [ -z "$only_app" ] || [ -d "$MINX_ROOT/inputs/$only_app" ] || minx_die 2 "--app: got '$only_app', expected one of: $apps"
    [ -z "$only_deck" ] || compgen -G "$MINX_ROOT/inputs/$app/$only_deck.in" >/dev/null ||
        minx_die 2 "--deck: got '$only_deck', expected NAME of a file inputs/${only_app:-APP}/NAME.in"
}

# plan: prints one line for each run: app, deck file, backend, ranks, threads, separated by tabs
plan() {
    local folder app deck backend backends name
    for folder in "$MINX_ROOT"/inputs/*/; do
        app=$(basename "$folder")
        [ -x "$dir/bin/$app" ] || continue
        [ "${only_app:-$app}" = "$app" ] || continue
        backends=$(available "$app")
        for deck in "$folder"*.in; do
            name=$(basename "$deck" .in)
            [ "${only_deck:-$name}" = "$name" ] || continue
            for backend in $backends; do
                [ "${only_backend:-$backend}" != "$backend" ] || plan_deck "$app" "$deck" "$backend"
            done
        done
    done
}

# available APP: prints the backends that can run on this machine. Says on stderr which others the app has, and why they cannot run.
available() {
    local output
    output=$("$dir/bin/$1" --backends) || minx_die 1 "$1 --backends failed"
    grep '^#' <<<"$output" | sed "s/^# */minx: $1: not on this machine: /" >&2 || true
    grep -v '^#' <<<"$output"
}

# plan_deck APP DECK BACKEND: prints one line for each number of ranks and threads
plan_deck() {
    case $3 in
        serial) printf '%s\t%s\t%s\t%d\t%d\n' "$@" 1 1 "$@" 2 1 ;;
        openmp) printf '%s\t%s\t%s\t%d\t%d\n' "$@" 1 "$(minx_cores)" ;;
        simt) ;; # for debugging: each lane is a thread, so its times mean nothing
        *) printf '%s\t%s\t%s\t%d\t%d\n' "$@" 1 1 ;;
    esac
}

# one_run PROGRESS PLAN-LINE: runs, verifies, adds a line to runs.tsv
one_run() {
    local app deck backend ranks threads name file log verdict wall
    IFS=$'\t' read -r app deck backend ranks threads <<<"$2"
    name=$(basename "$deck" .in)
    file=$results/$app-$name-$backend-${ranks}x$threads.h5
    log=${file%.h5}.log
    printf '[%s] %s %s on %s, %d x %d ... ' "$1" "$app" "$name" "$backend" "$ranks" "$threads"
    run_and_verify
    printf '%s s, %s\n' "$wall" "$verdict"
    [ "$verdict" = PASSED ] || show_log
    printf '%s\t' "$app" "$name" "$backend" "$ranks" "$threads" "$file" "$wall" >>"$results/runs.tsv"
    printf '%s\n' "$verdict" >>"$results/runs.tsv"
}

# Prints the last lines of a log, without mpirun's message about the exit code, which stands between dashed lines.
show_log() {
    sed '/^-\{60,\}$/,/^-\{60,\}$/d' "$log" | tail -n 15 | sed 's/^/    /'
    echo "    the complete output is in $log"
}

# Uses the variables of one_run; sets wall, in seconds, and verdict. A run has PASSED when both the app and minx-verify
# say so. Every run goes through MPI's launcher, unbound: bound to one core, its threads would share it.
run_and_verify() {
    local status=0 start tenths
    start=$(date +%s%N)
    "${minx_mpiexec[@]}" -n "$ranks" "$dir/bin/$app" "$deck" "--backend=$backend" "--threads=$threads" \
        "--output=$file" --quiet >"$log" 2>&1 </dev/null || status=$?
    tenths=$((($(date +%s%N) - start) / 100000000))
    wall=$((tenths / 10)).$((tenths % 10))
    if [ $status -eq 0 ]; then
        "$dir/bin/minx-verify" "$file" >>"$log" 2>&1 </dev/null || status=$?
    fi
    verdict=PASSED
    [ $status -eq 0 ] || verdict="FAILED (exit $status)"
}

# Measures the machine's memory bandwidth, of which the table prints each run's share. Without minx-bench the table has no share.
measure_limits() {
    [ -x "$dir/bin/minx-bench" ] || return 0
    minx_say "measuring this machine's limits ..."
    "$dir/bin/minx-bench" --limits --json "$results/limits.json" >"$results/limits.log" 2>&1 </dev/null ||
        minx_say "minx-bench failed, see $results/limits.log: the table has no share of the limit"
}

print_table() {
    local files=("$results/runs.tsv")
    [ ! -s "$results/limits.json" ] || files+=("$results/limits.json")
    "$MINX_PYTHON" "$MINX_ROOT/scripts/lib/summary.py" "${files[@]}" | tee "$results/table.txt"
}

main() {
    options "$@"
    check_choices
    local dir results runs run number=0 start=$SECONDS
    dir=$(minx_build_dir "$preset")
    results=$dir/results
    minx_setup "$preset"
    minx_no_gpu=leave-out
    minx_build "$preset" programs
    minx_launcher "$dir"
    [ -x "$dir/bin/minx-verify" ] || minx_die 1 "$dir/bin/minx-verify was not built, so results cannot be verified"
    rm -rf "$results"
    mkdir -p "$results"
    plan >"$results/plan.txt"
    mapfile -t runs <"$results/plan.txt"
    [ ${#runs[@]} -gt 0 ] || minx_die 2 "nothing to run: no deck, app and backend match"
    measure_limits
    for run in "${runs[@]}"; do
        number=$((number + 1))
        one_run "$number/${#runs[@]}" "$run"
    done
    echo
    print_table
    echo "The results files and logs are in $results; all took $((SECONDS - start)) s"
    ! cut -f 8 "$results/runs.tsv" | grep -qv '^PASSED$'
}

main "$@"

#!/usr/bin/env bash
# Fuzzes the readers of decks and other input files, under the address and undefined-behaviour sanitizers.
#
#   scripts/fuzz.sh [SECONDS [NAME...]]     SECONDS for each target, default 60; NAME: these targets only, as tealeaf_deck
#
# The targets are tests/apps/fuzz/NAME.c. The target checkpoint has readers: checkpoint:READER is one of them alone, checkpoint all of
# them at once; its source has their names. Needs clang with libFuzzer and OpenMP (Debian: clang libclang-rt-dev libomp-dev). The
# build is in build-fuzz, or in what MINX_FUZZ_BUILD names. An input on which a target fails is saved there as NAME-crash-*. Make it
# as short as possible, and add it to tests/apps/fuzz/NAME together with the correction.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

if [ "${1:-}" = --help ]; then
    minx_help "${BASH_SOURCE[0]}"
    exit 0
fi
seconds=${1:-60}
case $seconds in
    '' | *[!0-9]* | 0*) minx_die 2 "fuzz.sh: got '$seconds', expected a whole number of seconds from 1 on" ;; # 0: libFuzzer would not end
esac
names=("${@:2}")
for name in "${names[@]}"; do
    [ -f "$MINX_ROOT/tests/apps/fuzz/${name%%:*}.c" ] ||
        minx_die 2 "fuzz.sh: there is no target '${name%%:*}': tests/apps/fuzz has $(cd "$MINX_ROOT/tests/apps/fuzz" && echo *.c)"
done
build=${MINX_FUZZ_BUILD:-$MINX_ROOT/build-fuzz}
minx_find_clang -fsanitize=fuzzer-no-link ||
    minx_die 3 "fuzz.sh: no clang with libFuzzer and OpenMP on PATH: install it (Debian: clang libclang-rt-dev libomp-dev)"

mkdir -p "$build"
minx_step "$build/configure.log" "configuring the fuzz targets" cmake -S "$MINX_ROOT" -B "$build" -DCMAKE_C_COMPILER="$minx_clang" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMINX_SANITIZE=fuzzer-no-link,address,undefined -DMINX_TUNE=generic -DMINX_CUDA=OFF \
    -DMINX_TESTS=apps
minx_step "$build/build.log" "building the fuzz targets" cmake --build "$build" --parallel "$(minx_cores)" --target fuzz
cd "$build"

[ ! -d /dev/shm ] || minx_default MINX_FUZZ_FOLDER /dev/shm

# fuzz NAME or NAME:READER: the dictionary has every word in quotes of the app's sources, which would take a fuzzer long to find
fuzz() {
    local name=${1%%:*} app=${1%%_*} reader='' of=${1//:/-}
    local seeds=$MINX_ROOT/tests/apps/fuzz/$name
    case $1 in *:*) reader=${1#*:} ;; esac
    [ -d "$MINX_ROOT/apps/$app" ] || { app=common && export ASAN_OPTIONS=detect_leaks=0; } # MPI keeps memory
    minx_say "fuzzing $1 for $seconds s"
    mkdir -p "corpus/$of"
    grep -rhoE --include="*.c" '"[A-Za-z_-]{2,40}"' "$MINX_ROOT/apps/$app" | sort -u >"$of.dict"
    ${reader:+env MINX_FUZZ_READER="$reader"} "bin/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -dict="$of.dict" \
        -artifact_prefix="$of-" -print_final_stats=1 "corpus/$of" "$seeds"
}

if [ ${#names[@]} -eq 0 ]; then
    for target in bin/fuzz_*; do names+=("${target#bin/fuzz_}"); done
fi
for name in "${names[@]}"; do
    fuzz "$name"
done

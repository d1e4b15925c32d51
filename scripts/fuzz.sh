#!/bin/sh
# Fuzzes the deck parser under address and undefined-behaviour sanitizers.
#
#   scripts/fuzz.sh [SECONDS]     default 60; needs clang with libFuzzer (Debian: clang libclang-rt-dev)
#
# An input that makes the parser fail is saved as build-fuzz/crash-*. Make it as short as possible, and add it to
# tests/apps/tealeaf_fuzz_corpus/ together with the correction.
set -eu
if [ "${1:-}" = --help ]; then
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
fi
seconds=${1:-60}
case $seconds in
    '' | *[!0-9]*) echo "fuzz.sh: got '$seconds', expected a whole number of seconds" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
build=${MINX_FUZZ_BUILD:-$root/build-fuzz}
clang=${CLANG:-$(command -v clang || true)}
if [ -z "$clang" ]; then
    echo "fuzz.sh: no clang on PATH: install it (Debian: apt-get install clang libclang-rt-dev), or name it in CLANG" >&2
    exit 2
fi
mkdir -p "$build/corpus"
cd "$build"

"$clang" -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I"$root/core/include" \
    -I"$root/apps/common" "$root/tests/apps/tealeaf_fuzz.c" "$root"/apps/tealeaf/tl_deck*.c "$root/apps/tealeaf/tl_problems.c" \
    "$root"/apps/common/keys*.c "$root/apps/common/steps.c" "$root/apps/common/strbuf.c" "$root/apps/common/text.c" \
    "$root/core/src/error.c" -lm -o fuzz_deck

# the keys themselves, or the fuzzer would need long to find them: every word in quotes of the tables
sed -n 's/^[^"]*("\([a-z_]*\)".*/"\1"/p; s/^.*{\.name = \("[a-z_]*"\).*/\1/p' "$root/apps/tealeaf/tl_deck_keys.c" |
    sort -u > keys.dict
printf '"*tea"\n"*endtea"\n"state "\n"rectangle"\n"circle"\n"circular"\n"point"\n"\\\\\\x0a"\n"1.0D-3"\n' >> keys.dict

./fuzz_deck -max_total_time="$seconds" -max_len=4096 -dict=keys.dict -print_final_stats=1 corpus \
    "$root/tests/apps/tealeaf_fuzz_corpus"

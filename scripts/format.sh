#!/usr/bin/env bash
# Formats the C and CUDA files that git tracks, as .clang-format says: scripts/format.sh [--check] [FILE...]
#
#   --check   changes nothing; names the files that are not formatted, and exits with 1 if there are any
#   FILE...   only these files
#
# Uses clang-format, or the program that CLANG_FORMAT names; installs it if it can. Versions differ in details. Use clang-format
# 14, as continuous integration does; Debian 12 has it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

main() {
    local check=no files bad=() file tool
    case ${1:-} in
        -h | --help)
            minx_help "${BASH_SOURCE[0]}"
            exit 0
            ;;
        --check)
            check=yes
            shift
            ;;
        -*) minx_die 2 "unknown option '$1'; see $0 --help" ;;
    esac
    tool=${CLANG_FORMAT:-clang-format}
    [ "$tool" != clang-format ] || minx_tool clang-format
    files=("$@")
    if [ $# -eq 0 ]; then
        cd "$MINX_ROOT"
        while read -r file; do
            [ ! -f "$file" ] || files+=("$file") # one that is deleted, but not yet in the index
        done < <(git ls-files '*.c' '*.h' '*.cu' '*.cuh')
    fi
    [ ${#files[@]} -gt 0 ] || return 0
    for file in "${files[@]}"; do
        [ -f "$file" ] || minx_die 2 "$file: there is no such file"
    done
    if [ $check = no ]; then
        "$tool" -i "${files[@]}"
        return
    fi
    # many files for each start of the tool; one by one only where that finds something
    if printf '%s\0' "${files[@]}" | xargs -0 -n 100 -P "$(minx_cores)" "$tool" --dry-run --Werror >/dev/null 2>&1; then
        return
    fi
    for file in "${files[@]}"; do
        "$tool" --dry-run --Werror "$file" 2>/dev/null || bad+=("$file")
    done
    [ ${#bad[@]} -gt 0 ] || return 0
    printf 'not formatted: %s\n' "${bad[@]}"
    minx_die 1 "${#bad[@]} of ${#files[@]} files are not formatted; scripts/format.sh does it"
}

main "$@"

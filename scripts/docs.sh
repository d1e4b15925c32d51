#!/usr/bin/env bash
# Builds the manual: scripts/docs.sh [OUTPUT_FOLDER]
#
# The folder (build/manual, unless it is named) can be opened from disk, without a network: OUTPUT_FOLDER/index.html. Pages are those in
# docs/ and tutorial/ and the README files; the reference is made of the comments of headers and of docstrings. Every warning is an error.
#
# Needs Doxygen, and for Python Sphinx 5.1 or newer, MyST and Breathe, and NumPy. What is missing is installed, as by build.sh.
#
# Environment: MINX_PYTHON: the Python to use; MINX_INSTALL=no: install nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

headers() { # the public headers, those that public ones take their names from, and those of apps/common that apps use
    printf '%s\n' core/include/minx/*.h core/include/minx/detail/{args,define,language}.h core/include/minx/host/team.h \
        kit/include/minx/kit/*.h
    sed -n 's/^\.\. doxygenfile:: \(.*\)/apps\/common\/\1/p' docs/manual/reference/apps-*.md
}

find_tools() {
    local python
    minx_tool doxygen
    for python in ${MINX_PYTHON:+"$MINX_PYTHON"} python3 /usr/bin/python3; do
        if "$python" -c 'import breathe, myst_parser, numpy, sphinx' 2>/dev/null; then
            MINX_PYTHON=$python
            return
        fi
    done
    minx_install python3-sphinx python3-myst-parser python3-breathe python3-numpy
    MINX_PYTHON=/usr/bin/python3
}

redirect() {
    printf '<!doctype html><meta charset="utf-8"><title>minx</title><meta http-equiv="refresh" content="0; url=%s">\n<a href="%s">minx</a>\n' \
        "$1" "$1"
}

main() {
    local output work names
    case "${1:-}" in
        -h | --help)
            minx_help "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*) minx_die 2 "unknown option '$1'; see $0 --help" ;;
    esac
    find_tools
    output=$(realpath -m "${1:-$MINX_ROOT/build/manual}")
    work=$output.work
    cd "$MINX_ROOT"
    [ ! -e "$output" ] || [ -f "$output/objects.inv" ] || minx_die 2 "$output is there, and it is no manual"
    rm -rf "$work" "$output"
    mkdir -p "$work"
    mapfile -t names < <(headers)
    export PYTHONDONTWRITEBYTECODE=1 MINX_DOXYGEN_XML=$work/xml
    "$MINX_PYTHON" docs/manual/headers.py "$work/headers" "${names[@]}"
    (cd "$work" && doxygen "$MINX_ROOT/docs/manual/Doxyfile")
    "$MINX_PYTHON" -m sphinx -q -W --keep-going -c docs/manual -d "$work/doctrees" -b html . "$output"
    redirect docs/manual/index.html >"$output/index.html"
    rm -rf "$work"
    minx_say "the manual is in $output/index.html"
}

main "$@"

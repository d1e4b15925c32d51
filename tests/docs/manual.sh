#!/usr/bin/env bash
# Builds the manual in a folder: manual.sh FOLDER. Ends with 77 where Doxygen or Sphinx is missing; installs nothing.
set -euo pipefail
code=0
MINX_INSTALL=no "$(dirname "${BASH_SOURCE[0]}")/../../scripts/docs.sh" "$1" || code=$?
[ $code -ne 3 ] || { echo "skipped: Doxygen, or Sphinx with MyST and Breathe, is missing"; rm -rf "$1"; exit 77; }
exit $code

#!/bin/sh
# Runs minimd-rival with the original's potential of copper, which is in the folder that MINX_REFERENCE_DATA names. Without it the test
# is skipped, and fails if MINX_REQUIRE_DATA=1.
#
# usage: minimd_rival_eam.sh PROGRAM BRICKS
potential=${MINX_REFERENCE_DATA:-nowhere}/minimd/Cu_u6.eam
if [ ! -f "$potential" ]; then
    echo "skipped: no $potential: set MINX_REFERENCE_DATA to the folder of reference data"
    [ "${MINX_REQUIRE_DATA:-}" = 1 ] && exit 1
    exit 77
fi
exec "$1" 10 100 "$2" "$potential"

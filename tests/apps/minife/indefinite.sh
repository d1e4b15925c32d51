#!/bin/sh
# indefinite.sh PROGRAM MINX-VERIFY SOLVER: a solver that breaks down says so, ends with code 4, and its results are good.
file=indefinite_$3.h5
message=$("$1" nx=4 problem=manufactured preconditioner=diagonal solver="$3" --backend=serial --output="$file" --quiet 2>&1)
code=$?
if [ $code -ne 4 ]; then
    echo "exit code: got $code, expected 4"
    echo "$message"
    exit 1
fi
case $message in
*"broke down in iteration 1: r.z = -"*) ;;
*)
    echo "got: $message"
    echo "expected a message about r.z in iteration 1"
    exit 1
    ;;
esac
"$2" "$file"

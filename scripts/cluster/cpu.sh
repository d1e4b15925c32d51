#!/usr/bin/env bash
#SBATCH --job-name=minx
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=16
#SBATCH --hint=nomultithread
#SBATCH --exclusive
#SBATCH --time=00:30:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
# An app on CPUs under Slurm:
#
#   sbatch [OPTION OF SBATCH...] scripts/cluster/cpu.sh APP [ARGUMENT OF THE APP...]
#
#   sbatch --ntasks-per-node=8 --cpus-per-task=16 scripts/cluster/cpu.sh tealeaf inputs/tealeaf/crooked_pipe_250.in
#   sbatch --array=100,200,400 scripts/cluster/cpu.sh minife nx=%a
#   MINX_REQUEUE=1 sbatch --time=02:00:00 scripts/cluster/cpu.sh minimd inputs/minimd/lj.in steps=1000000
#
# Use one task for each socket or NUMA domain, and its cores as --cpus-per-task. Options on the command line override the lines
# above. Your site may want --partition and --account too.
#
# Environment: MINX_BIN names the folder of the programs (default: build/bin of the folder of sbatch). MINX_OUT, MINX_MPI and
# MINX_REQUEUE: see build/bin/minx-job --help and docs/clusters.md.
set -euo pipefail

case ${1:-} in
    -h | --help)
        sed -n '/^# An app/,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
esac
job=${MINX_BIN:-${SLURM_SUBMIT_DIR:-.}/build/bin}/minx-job
if [ ! -x "$job" ]; then
    echo "cpu.sh: there is no program $job; build minx and submit from its folder, or set MINX_BIN" >&2
    exit 2
fi
exec "$job" cpu "$@"

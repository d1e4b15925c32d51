#!/usr/bin/env bash
#SBATCH --job-name=minx
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=16
#SBATCH --hint=nomultithread
#SBATCH --exclusive
#SBATCH --time=00:30:00
# An app on CPUs under Slurm: sbatch scripts/cluster/slurm-cpu.sh [APP [DECK]]
#
# Without APP: each app that was built, on its first deck, a small one.
#
# Submit from the repository's root, where build/ is (built for the compute nodes' CPU, see docs/clusters.md). Adapt the
# lines above: one rank for each socket or NUMA domain, --cpus-per-task its cores. Your site may want --partition and
# --account too. MINX_MPI names the PMI to use (srun --mpi=list shows them); default: pmix.
set -euo pipefail


run() { # run APP [DECK]
    local app=$1 deck=${2:-} threads=${SLURM_CPUS_PER_TASK:-1} file=$1-${SLURM_JOB_ID:-0}.h5
    [ -n "$deck" ] || deck=$(find "inputs/$app" -name '*.in' | sort | sed -n 1p)
    [ -x "build/bin/$app" ] || { echo "no build/bin/$app here: build first, and submit from the root" >&2; exit 2; }
    # since Slurm 22.05 srun does not inherit --cpus-per-task from sbatch
    srun --mpi="${MINX_MPI:-pmix}" --cpus-per-task="$threads" --cpu-bind=cores \
        "build/bin/$app" "$deck" --backend=openmp "--threads=$threads" "--output=$file" "--summary=${file%.h5}.json"
    build/bin/minx-verify "$file"
}

main() {
    local folder
    case ${1:-} in -h | --help) sed -n '/^# /,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
    cd "${SLURM_SUBMIT_DIR:-.}"
    export OMP_PLACES=cores OMP_PROC_BIND=close
    if [ $# -gt 0 ]; then
        run "$@"
        return
    fi
    for folder in inputs/*/; do run "$(basename "$folder")"; done
}

main "$@"

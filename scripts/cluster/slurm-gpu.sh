#!/usr/bin/env bash
#SBATCH --job-name=minx-gpu
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
# An app on GPUs under Slurm, one rank a GPU: sbatch scripts/cluster/slurm-gpu.sh [APP [DECK]]
#
# Without APP: each app that was built, on its first deck, a small one.
#
# Submit from the repository's root, where build/ is (built with nvcc, see docs/clusters.md). Adapt the lines above: as many
# tasks as GPUs on a node. Your site may want --partition and --account too. All ranks of a node see all its GPUs, and the
# app gives each its own. MINX_MPI names the PMI to use (srun --mpi=list shows them); default: pmix.
set -euo pipefail


run() { # run APP [DECK]
    local app=$1 deck=${2:-} file=$1-${SLURM_JOB_ID:-0}.h5
    [ -n "$deck" ] || deck=$(find "inputs/$app" -name '*.in' | sort | sed -n 1p)
    [ -x "build/bin/$app" ] || { echo "no build/bin/$app here: build first, and submit from the root" >&2; exit 2; }
    srun --mpi="${MINX_MPI:-pmix}" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
        "build/bin/$app" "$deck" --backend=cuda "--output=$file" "--summary=${file%.h5}.json"
    build/bin/minx-verify "$file"
}

main() {
    local folder
    case ${1:-} in -h | --help) sed -n '/^# /,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
    cd "${SLURM_SUBMIT_DIR:-.}"
    if [ $# -gt 0 ]; then
        run "$@"
        return
    fi
    for folder in inputs/*/; do run "$(basename "$folder")"; done
}

main "$@"

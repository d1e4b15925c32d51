/* Kernels of affinity.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(af_args, ,
    int launch; /* number of the launch, from 1 */
);
MX_DECLARE_FOR(1D, af_where, af_args) /* each thread records where it runs */
MX_DECLARE_FOR(TEAM, af_team, af_args)

/* Notes the calling thread once for each launch. */
void af_record(int launch);

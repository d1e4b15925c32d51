/* Kernels of structs.c: structs as elements, as arguments and as results. */
#pragma once
#include "minx/minx.h"

/* Mixed sizes, with padding inside. */
#define SX_FIELDS(FIELD)          \
    FIELD(double, energy, MX_SUM) \
    FIELD(float, speed, MX_MAX)   \
    FIELD(uint8_t, alive, MX_LOR) \
    FIELD(int64_t, id, MX_MAX)    \
    FIELD(int32_t, kind, MX_MIN)
MX_VALUE(sx_particle, SX_FIELDS)
MX_ACCESSORS(sx_particle, sx_particle)

MX_ARGS(sx_args,
    (mx_sx_particle_1, own)
    (mx_csx_particle_1, other),
    sx_particle shift; /* by value */
);
MX_DECLARE_FOR(1D, sx_move, sx_args)
MX_DECLARE_REDUCE(1D, sx_gather, sx_args, sx_particle)

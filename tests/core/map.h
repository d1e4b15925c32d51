/* Kernels of map.c. */
#pragma once
#include "minx/kit/map.h"
#include "minx/minx.h"

MX_ARGS(mp_args,
    (mx_u64_1, map)
    (mx_cu64_1, key)                   /* of each item */
    (mx_i32_1, slot) (mx_i32_1, state) /* what each item got */
    (mx_i64_1, count)                  /* of each slot */
    (mx_u64_1, found)                  /* of each slot: its key; 12345 where there is none */
);
MX_DECLARE_FOR(1D, mp_insert, mp_args)
MX_DECLARE_FOR(1D, mp_find, mp_args)
MX_DECLARE_FOR(1D, mp_list, mp_args)

MX_ARGS(mp_move_args, (mx_i64_1, to) (mx_ci64_1, from) (mx_ci32_1, origin));
MX_DECLARE_FOR(1D, mp_move, mp_move_args)

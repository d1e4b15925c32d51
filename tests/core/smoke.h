#pragma once
#include "minx/minx.h"
typedef struct { mx_f64_2 x; mx_f64_2 y; double f; } smoke_args;
MX_DECLARE_FOR_2D(smoke_fill, smoke_args)
MX_DECLARE_REDUCE_2D(smoke_dot, smoke_args, double)

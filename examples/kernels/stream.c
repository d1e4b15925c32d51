#include "stream.h"
#include "minx/kernel.h"

MX_BODY void stream_copy_body(const stream_args *args, int i)
{
    MX_AT(args->a, i) = MX_LOAD(args->b, i);
}
MX_FOR(1D, stream_copy)

MX_BODY void stream_mul_body(const stream_args *args, int i)
{
    MX_AT(args->a, i) = args->s * MX_LOAD(args->b, i);
}
MX_FOR(1D, stream_mul)

MX_BODY void stream_add_body(const stream_args *args, int i)
{
    MX_AT(args->a, i) = MX_LOAD(args->b, i) + MX_LOAD(args->c, i);
}
MX_FOR(1D, stream_add)

MX_BODY void stream_triad_body(const stream_args *args, int i)
{
    MX_AT(args->a, i) = MX_LOAD(args->b, i) + args->s * MX_LOAD(args->c, i);
}
MX_FOR(1D, stream_triad)

MX_BODY void stream_dot_body(const stream_args *args, int i, double *sum)
{
    *sum += MX_LOAD(args->b, i) * MX_LOAD(args->c, i);
}
MX_REDUCE(1D, stream_dot, MX_SUM)

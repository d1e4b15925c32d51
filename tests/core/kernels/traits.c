#include "minx/kernel.h"

#include "traits.h"

/* There is no atomic addition of bytes. */
#define TRAITS_ADD_f64 MX_ADD
#define TRAITS_ADD_f32 MX_ADD
#define TRAITS_ADD_i32 MX_ADD
#define TRAITS_ADD_i64 MX_ADD
#define TRAITS_ADD_u8(x, ...) MX_STORE((uint8_t)(MX_LOAD(__VA_ARGS__) + (x)), __VA_ARGS__)
#define TRAITS_ADD_u32 MX_ADD
#define TRAITS_ADD_u64 MX_ADD
#define TRAITS_KERNEL(tag, T)                                             \
    MX_BODY void traits_##tag##_body(const traits_##tag##_args *a, int i) \
    {                                                                     \
        const T x = MX_LOAD(a->x, MX_LOAD(a->index, i));                  \
        MX_STORE((T)(x + x), a->y, 1, i);                                 \
        MX_STORE(x, a->z, i);                                             \
        TRAITS_ADD_##tag(MX_LOAD(a->three), a->z, i);                     \
        MX_STORE((T)(MX_LOAD(a->y, 1, i) - MX_AT(a->z, i)), a->w, i);     \
    }                                                                     \
    MX_FOR(1D, traits_##tag)
TRAITS_TYPES(TRAITS_KERNEL)

#define TRAITS_ATOMIC_KERNEL(tag, T)                                                   \
    MX_BODY void traits_count_##tag##_body(const traits_atomic_##tag##_args *a, int i) \
    {                                                                                  \
        MX_ADD((T)1, a->bins, i % 3);                                                  \
        MX_ADD(MX_LOAD(a->flag, 0), a->bins, 3);                                       \
        mx_atomic_fetch_max(MX_ADDRESS(a->largest, i % 2), (T)i);                      \
        MX_STORE((T)5, a->flag, 1);                                                    \
    }                                                                                  \
    MX_FOR(1D, traits_count_##tag)
TRAITS_NUMBERS(TRAITS_ATOMIC_KERNEL)

MX_BODY void traits_fill_body(const traits_mix_args *a, int i, int j)
{
    MX_STORE(100.0 * i + j, a->out, i, j);
}
MX_FOR(2D, traits_fill)

MX_BODY void traits_mix_body(const traits_mix_args *a, int i)
{
    MX_AT(a->points, i).x = MX_LOAD(a->tiles, i, 2 * i);
    MX_AT(a->points, i).z = MX_AT(a->points, i).x + MX_AT(a->tiles, 0, i);
}
MX_FOR(1D, traits_mix)

MX_BODY void traits_by_four_body(const traits_rows_args *a, int i, int four)
{
    const mx_double4 all = MX_LOAD4(a->from, i, 4 * four);
    const mx_double2 last = MX_LOAD2(a->from, i, 4 * four + 2);
    const mx_double2 sums = {all.a + all.c, all.b + all.d};
    MX_STORE2(sums, a->to, i, 4 * four);
    const mx_double2 stored = MX_LOAD2(a->to, i, 4 * four);
    const mx_double2 differences = {stored.a - last.a, stored.b - last.b};
    MX_STORE2(differences, a->to, i, 4 * four + 2);
}
MX_FOR(2D, traits_by_four)

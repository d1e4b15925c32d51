#include "minx/kernel.h"
#include "minx/kit/simd_parts.h"
#include "minx/kit/simd_rows.h"

#include "packs.h"

#define PK_TO(op) &MX_AT(a->to, (op)*a->n + first)
#define PK_STORE(op, pack) mx_pack_store_masked(PK_TO(op), inside, pack);
#define PK_JOIN(which, value) MX_AT(a->joined, (which)*a->groups + group) = (value);
#define PK_COMPARE(op, mask) PK_STORE(op, mx_pack_select(mask, one, zero))

#define PK_KERNEL(tag, T_, MORE)                                                           \
    MX_BODY void pk_##tag##_body(const pk_##tag##_args *a, int group)                      \
    {                                                                                      \
        typedef T_ T;                                                                      \
        const int first = group * MX_PACK_WIDTH;                                           \
        const mx_mask_##tag inside = mx_mask_first_##tag(a->n - first);                    \
        const mx_pack_##tag one = mx_pack_set_##tag((T)1), zero = one - one;               \
        const mx_pack_##tag x = mx_pack_load_masked(&MX_AT(a->x, first), inside, one);     \
        const mx_pack_##tag y = mx_pack_load_masked(&MX_AT(a->y, first), inside, one);     \
        const mx_mask_##tag less = x < y;                                                  \
        mx_pack_##tag sum = x, back = zero;                                                \
        PK_STORE(PK_ADD, x + y)                                                            \
        PK_STORE(PK_SUB, x - y)                                                            \
        PK_STORE(PK_MUL, x *y)                                                             \
        PK_STORE(PK_DIV, x / y)                                                            \
        PK_STORE(PK_NEGATE, -x)                                                            \
        PK_STORE(PK_PLUS_NUMBER, x + (T)3)                                                 \
        PK_STORE(PK_NUMBER_MINUS, (T)3 - x)                                                \
        sum += y;                                                                          \
        sum *= y;                                                                          \
        sum -= x;                                                                          \
        PK_STORE(PK_COMPOUND, sum)                                                         \
        PK_STORE(PK_MIN, mx_pack_min(x, y))                                                \
        PK_STORE(PK_MAX, mx_pack_max(x, y))                                                \
        PK_STORE(PK_ABS, mx_pack_abs(x))                                                   \
        PK_STORE(PK_SELECT, mx_pack_select(less, x, y))                                    \
        PK_COMPARE(PK_LT, less)                                                            \
        PK_COMPARE(PK_LE, x <= y)                                                          \
        PK_COMPARE(PK_GT, x > y)                                                           \
        PK_COMPARE(PK_GE, x >= y)                                                          \
        PK_COMPARE(PK_EQ, x == y)                                                          \
        PK_COMPARE(PK_NE, x != (T)4)                                                       \
        PK_COMPARE(PK_MASKS, (less & (x > (T)0)) | ~(x != y))                              \
        const mx_pack_i32 index = mx_pack_load(&MX_AT(a->index, first));                   \
        PK_STORE(PK_GATHER, mx_pack_gather(&MX_AT(a->x, 0), index))                        \
        for (int l = 0; l < MX_PACK_WIDTH; l++) back[l] = x[MX_PACK_WIDTH - 1 - l];        \
        PK_STORE(PK_REVERSE, back)                                                         \
        if (mx_mask_all(inside)) {                                                         \
            mx_pack_scatter(&MX_AT(a->to, PK_SCATTER * a->n), index, x);                   \
            mx_pack_store(&MX_AT(a->whole, first + 1), mx_pack_load(&MX_AT(a->x, first))); \
        }                                                                                  \
        PK_JOIN(PK_SUM, mx_pack_sum(x))                                                    \
        PK_JOIN(PK_LOWEST, mx_pack_lowest(x))                                              \
        PK_JOIN(PK_HIGHEST, mx_pack_highest(x))                                            \
        PK_JOIN(PK_ANY, (T)mx_mask_any(less))                                              \
        PK_JOIN(PK_ALL, (T)mx_mask_all(x <= y))                                            \
        PK_JOIN(PK_COUNT, (T)mx_mask_count(less))                                          \
        PK_JOIN(PK_BITS, (T)mx_mask_bits(less))                                            \
        const mx_mask_##tag again = mx_mask_of_bits_##tag(mx_mask_bits(less));             \
        PK_JOIN(PK_BACK, (T)mx_mask_all(again == less))                                    \
        MORE                                                                               \
    }                                                                                      \
    MX_FOR(1D, pk_##tag, MX_ITEMS_PLAIN)

#define PK_FLOAT_KERNEL(tag, T)                                                        \
    PK_KERNEL(tag, T, {                                                                \
        const mx_pack_##tag d = mx_pack_load_masked(&MX_AT(a->d, first), inside, one); \
        PK_STORE(PK_SQRT, mx_pack_sqrt(mx_pack_abs(x)))                                \
        PK_STORE(PK_FMA, mx_pack_fma(d, d, -one))                                      \
    })
#define PK_INTEGER_KERNEL(tag, T)                           \
    PK_KERNEL(tag, T, {                                     \
        const mx_pack_##tag places = mx_pack_abs(x) % (T)8; \
        PK_STORE(PK_MOD, x % y)                             \
        PK_STORE(PK_AND, x &y)                              \
        PK_STORE(PK_OR, x | y)                              \
        PK_STORE(PK_XOR, x ^ y)                             \
        PK_STORE(PK_NOT, ~x)                                \
        PK_STORE(PK_LSHIFT, mx_pack_abs(y) << places)       \
        PK_STORE(PK_RSHIFT, y >> places)                    \
    })
PK_FLOATS(PK_FLOAT_KERNEL)
PK_INTEGERS(PK_INTEGER_KERNEL)

#define PK_PARTS(tag, T, WIDTH)                                                           \
    MX_BODY void pk_parts_##tag(const T *x, const T *y, unsigned bits, T *chosen, T *sum, \
                                int32_t *less)                                            \
    {                                                                                     \
        mx_part_##tag total = mx_part_set_##tag((T)0);                                    \
        *less = 0;                                                                        \
        for (int first = 0; first < MX_PACK_WIDTH; first += WIDTH) {                      \
            const mx_part_##tag a = mx_part_load_##tag(x + first);                        \
            const mx_part_##tag b = mx_part_load_##tag(y + first);                        \
            const mx_part_mask_##tag mask = mx_part_mask_of_bits_##tag(bits >> first);    \
            mx_part_store_##tag(chosen + first, mx_part_select_##tag(mask, a, b));        \
            *less |= (int32_t)(mx_part_bits_##tag(a < b) << first);                       \
            total += a;                                                                   \
        }                                                                                 \
        *sum = mx_part_sum_##tag(total);                                                  \
    }
PK_PARTS(f64, double, MX_PART_WIDTH_F64)
PK_PARTS(f32, float, MX_PART_WIDTH_F32)

/* Group g has the mask of the bits of g. */
MX_BODY void pk_parts_body(const pk_parts_args *a, int g)
{
    const int first = g * MX_PACK_WIDTH;
    pk_parts_f64(&MX_AT(a->x, first), &MX_AT(a->y, first), (unsigned)g, &MX_AT(a->chosen, first),
                 &MX_AT(a->sum, g), &MX_AT(a->less, g));
    pk_parts_f32(&MX_AT(a->x32, first), &MX_AT(a->y32, first), (unsigned)g,
                 &MX_AT(a->chosen32, first), &MX_AT(a->sum32, g), &MX_AT(a->less32, g));
    for (int at = first; at < first + MX_PACK_WIDTH; at += MX_PART_WIDTH_F32)
        for (int n = 0; n < MX_PARTS_OF_F32; n++)
            mx_part_store_f64(&MX_AT(a->widened, at + n * MX_PART_WIDTH_F64),
                              mx_part_widen(mx_part_load_f32(&MX_AT(a->x32, at)), n));
}
MX_FOR(1D, pk_parts, MX_ITEMS_PLAIN)

MX_BODY void pk_row_body(const pk_row_args *a, int item)
{
    const mx_row_f64 x = mx_row_load(&MX_AT(a->from, item));
    const mx_row_f64 y = mx_row_load(&MX_AT(a->from, item + 1));
    mx_row_f64 sum = mx_row_set(3) * x - mx_row_load_f32(&MX_AT(a->less, item)) * y;
    sum += x + mx_row_set(0);
    for (int d = 0; d < 4; d++) MX_AT(a->to, 4 * item + d) = sum[d];
}
MX_FOR(1D, pk_row, MX_ITEMS_PLAIN)

#include "minx/kernel.h"

#include "at.h"

/* Indices of the element number `rest`, and the number that they make: one hexadecimal digit
 * each. */
#define AT_DIGIT(d)                                    \
    const int i##d = rest % (int)MX_EXTENT(a->own, d); \
    rest /= (int)MX_EXTENT(a->own, d);
#define AT_DIGITS_0 (void)n;
#define AT_DIGITS_1 \
    int rest = n;   \
    AT_DIGIT(0)
#define AT_DIGITS_2 AT_DIGITS_1 AT_DIGIT(1)
#define AT_DIGITS_3 AT_DIGITS_2 AT_DIGIT(2)
#define AT_DIGITS_4 AT_DIGITS_3 AT_DIGIT(3)
#define AT_DIGITS_5 AT_DIGITS_4 AT_DIGIT(4)
#define AT_DIGITS_6 AT_DIGITS_5 AT_DIGIT(5)
#define AT_DIGITS_7 AT_DIGITS_6 AT_DIGIT(6)
#define AT_DIGITS_8 AT_DIGITS_7 AT_DIGIT(7)
#define AT_CODE_0 1
#define AT_CODE_1 AT_CODE_0 + i0 *(int64_t)0x10
#define AT_CODE_2 AT_CODE_1 + i1 *(int64_t)0x100
#define AT_CODE_3 AT_CODE_2 + i2 *(int64_t)0x1000
#define AT_CODE_4 AT_CODE_3 + i3 *(int64_t)0x10000
#define AT_CODE_5 AT_CODE_4 + i4 *(int64_t)0x100000
#define AT_CODE_6 AT_CODE_5 + i5 *(int64_t)0x1000000
#define AT_CODE_7 AT_CODE_6 + i6 *(int64_t)0x10000000
#define AT_CODE_8 AT_CODE_7 + i7 *(int64_t)0x100000000

#define AT_KERNEL(R, ...)                                                              \
    MX_BODY void at_##R##_body(const at_##R##_args *a, int n)                          \
    {                                                                                  \
        AT_DIGITS_##R const int64_t code = AT_CODE_##R;                                \
        MX_AT(__VA_ARGS__(a->own)) = code;                                             \
        MX_AT(__VA_ARGS__(a->strided)) = 2 * code;                                     \
        MX_AT(__VA_ARGS__(a->left)) = 3 * code;                                        \
        MX_AT(__VA_ARGS__(a->right)) = 4 * code;                                       \
    }                                                                                  \
    MX_FOR(1D, at_##R)                                                                 \
    MX_BODY void at_read_##R##_body(const at_##R##_args *a, int n)                     \
    {                                                                                  \
        AT_DIGITS_##R MX_AT(a->copy, n) = MX_AT(__VA_ARGS__(a->read)) - (AT_CODE_##R); \
    }                                                                                  \
    MX_FOR(1D, at_read_##R)
#define AT_INDEX_0(v) v
#define AT_INDEX_1(v) v, i0
#define AT_INDEX_2(v) v, i0, i1
#define AT_INDEX_3(v) v, i0, i1, i2
#define AT_INDEX_4(v) v, i0, i1, i2, i3
#define AT_INDEX_5(v) v, i0, i1, i2, i3, i4
#define AT_INDEX_6(v) v, i0, i1, i2, i3, i4, i5
#define AT_INDEX_7(v) v, i0, i1, i2, i3, i4, i5, i6
#define AT_INDEX_8(v) v, i0, i1, i2, i3, i4, i5, i6, i7
AT_KERNEL(0, AT_INDEX_0)
AT_KERNEL(1, AT_INDEX_1)
AT_KERNEL(2, AT_INDEX_2)
AT_KERNEL(3, AT_INDEX_3)
AT_KERNEL(4, AT_INDEX_4)
AT_KERNEL(5, AT_INDEX_5)
AT_KERNEL(6, AT_INDEX_6)
AT_KERNEL(7, AT_INDEX_7)
AT_KERNEL(8, AT_INDEX_8)

MX_BODY void at_line_body(const at_grid_args *a, int i) { MX_AT(a->line, i) = 7 * i + 1; }
MX_FOR(1D, at_line)

MX_BODY void at_plane_body(const at_grid_args *a, int i, int j)
{
    MX_AT(a->plane, i, j) = 1000 * i + j + 1;
}
MX_FOR(2D, at_plane)

MX_BODY void at_box_body(const at_grid_args *a, int i, int j, int k)
{
    MX_AT(a->box, i, j, k) = 10000 * i + 100 * j + k + 1;
}
MX_FOR(3D, at_box)

MX_BODY void at_types_body(const at_types_args *a, int i, int j)
{
    const int code = (13 * i + j) % 250;
    MX_AT(a->f64, i, j) = 0.5 * code;
    MX_AT(a->f32, i, j) = 0.25f * (float)code;
    MX_AT(a->i32, i, j) = -code;
    MX_AT(a->i64, i, j) = -(int64_t)code * 10000000000;
    MX_AT(a->u8, i, j) = (uint8_t)code;
    MX_AT(a->u32, i, j) = (uint32_t)code * 10000000u;
    MX_AT(a->u64, i, j) = (uint64_t)code * 10000000000u;
    MX_AT(a->point, i, j).x = MX_AT(a->cpoint, i, j).y + code;
    MX_AT(a->point, i, j).z = i;
}
MX_FOR(2D, at_types)

MX_BODY void at_static_body(const at_static_args *a, int i)
{
    for (int j = 0; j < (int)MX_EXTENT(a->n3, 1); j++) MX_AT(a->n3, i, j) = 10 * i + j + 1;
    if (i < 5)
        for (int j = 0; j < 3; j++) MX_AT(a->all, i, j) = 20 * i + j + 1;
    for (int j = 0; j < (int)MX_EXTENT(a->inner, 1); j++)
        for (int k = 0; k < (int)MX_EXTENT(a->inner, 2); k++)
            for (int l = 0; l < (int)MX_EXTENT(a->inner, 3); l++)
                MX_AT(a->inner, i, j, k, l) = 1000 * i + 100 * j + 10 * k + l + 1;
}
MX_FOR(1D, at_static, MX_ITEMS_PLAIN)

MX_BODY void at_on_device_body(const at_none_args *a, int i, int32_t *sum)
{
    (void)a;
    (void)i;
    *sum += MX_ON_DEVICE;
}
MX_REDUCE(1D, at_on_device, MX_SUM)

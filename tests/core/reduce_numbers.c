/* Reductions to one number: every reducer on every number type, compared with a loop over the same
 * numbers. The numbers are integers, so small that every result is exact (also in unsigned types,
 * where it may wrap around). So results must be equal. */
#include "reduce_numbers.h"
#include "check.h"

/* What the elements are, by pattern: sums need any, products few that are not 1, logic mostly one
 * value. */
enum { ANY, FACTORS, ALL_TRUE, ONE_FALSE, ALL_FALSE, ONE_TRUE, BITS_OFF, BITS_ON };

static int64_t element(int pattern, int64_t i, int64_t n, bool is_signed)
{
    switch (pattern) {
    case ANY: return check_random_int(is_signed ? -9 : 0, 9);
    case FACTORS:
        return i % (n / 5 + 1) == 0     ? 2
               : i % (n / 3 + 1) == 1   ? 3
               : is_signed && i % 2 > 0 ? -1
                                        : 1;
    case ALL_TRUE: return 1 + i % 100;
    case ONE_FALSE: return i == 2 * n / 3 ? 0 : 1 + i % 100;
    case ALL_FALSE: return 0;
    case ONE_TRUE: return i == n / 3 ? 5 : 0;
    case BITS_OFF: return i % (n / 3 + 1) == 0 ? 0x7f ^ (1 << i % 7) : 0x7f;
    default: return i % (n / 3 + 1) == 0 ? 1 << i % 7 : 0;
    }
}

/* One reducer over n numbers of one pattern. MODEL: how x joins v in a plain loop from START. */
#define RN_CHECK(red, tag, T, pattern, START, MODEL)                                          \
    {                                                                                         \
        T *const host = check_memory((size_t)n * sizeof *host), expected = (T)(START),        \
                 got = (T)77;                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T x = (T)element(pattern, i, n, (T)-1 < (T)1), v = expected;                \
            host[i] = x;                                                                      \
            expected = (T)(MODEL);                                                            \
        }                                                                                     \
        check_upload(ctx, view, host);                                                        \
        CHECK_OK(rn_##red##_##tag(mx_range_1d(ctx, 0, n), &args, &got));                      \
        if (got != expected) fprintf(stderr, #red " of " #tag ", %" PRId64 " numbers:\n", n); \
        CHECK_F64((double)got, (double)expected, 0);                                          \
        CHECK(got == expected);                                                               \
        free(host);                                                                           \
    }

#define RN_TEST(tag, T, LOW, HIGH, BITWISE)                            \
    static void test_##tag(mx_ctx ctx, int64_t n)                      \
    {                                                                  \
        mx_view view;                                                  \
        rn_##tag##_args args;                                          \
        memset(&args, 0, sizeof args);                                 \
        MUST(mx_view_create_1d(ctx, #tag, args_type_##tag, n, &view)); \
        MUST(mx_bind(ctx, view, &args.x));                             \
        RN_CHECK(sum, tag, T, ANY, 0, v + x)                           \
        RN_CHECK(prod, tag, T, FACTORS, 1, v *x)                       \
        RN_CHECK(min, tag, T, ANY, HIGH, x < v ? x : v)                \
        RN_CHECK(max, tag, T, ANY, LOW, x > v ? x : v)                 \
        RN_CHECK(land, tag, T, ALL_TRUE, 1, v != 0 && x != 0)          \
        RN_CHECK(land, tag, T, ONE_FALSE, 1, v != 0 && x != 0)         \
        RN_CHECK(lor, tag, T, ALL_FALSE, 0, v != 0 || x != 0)          \
        RN_CHECK(lor, tag, T, ONE_TRUE, 0, v != 0 || x != 0)           \
        BITWISE(tag, T)                                                \
        MUST(mx_view_destroy(&view));                                  \
    }
#define RN_NO_BITS(tag, T)
#define RN_BITS(tag, T)                               \
    RN_CHECK(band, tag, T, BITS_OFF, (T) ~(T)0, v &x) \
    RN_CHECK(bor, tag, T, BITS_ON, 0, v | x)

#define args_type_f64 MX_F64
#define args_type_f32 MX_F32
#define args_type_i32 MX_I32
#define args_type_i64 MX_I64
#define args_type_u8 MX_U8
#define args_type_u32 MX_U32
#define args_type_u64 MX_U64
RN_TEST(f64, double, -INFINITY, INFINITY, RN_NO_BITS)
RN_TEST(f32, float, -INFINITY, INFINITY, RN_NO_BITS)
RN_TEST(i32, int32_t, INT32_MIN, INT32_MAX, RN_BITS)
RN_TEST(i64, int64_t, INT64_MIN, INT64_MAX, RN_BITS)
RN_TEST(u8, uint8_t, 0, UINT8_MAX, RN_BITS)
RN_TEST(u32, uint32_t, 0, UINT32_MAX, RN_BITS)
RN_TEST(u64, uint64_t, 0, UINT64_MAX, RN_BITS)

static void test(mx_ctx ctx)
{
    /* 0: the identity of each reducer; the others: around the sizes of blocks */
    static const int64_t sizes[] = {0, 1, 2, 7, 31, 255, 257, 2047, 2048, 2049, 40009};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        test_f64(ctx, sizes[s]);
        test_f32(ctx, sizes[s]);
        test_i32(ctx, sizes[s]);
        test_i64(ctx, sizes[s]);
        test_u8(ctx, sizes[s]);
        test_u32(ctx, sizes[s]);
        test_u64(ctx, sizes[s]);
    }
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

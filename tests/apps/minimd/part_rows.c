/* Vectors from rows of four numbers (clusters/kernels/md_part_rows.h), on every backend. Each lane is
 * compared with a plain number. The numbers are multiples of 1/4, so all results but roots are
 * exact. */
#include "part_rows.h"
#include "check.h"
#include "must.h"
#include "random.h"

#include <float.h>

enum { ROWS = 25, LANES = 8 * 256, PACKS = LANES / 8 }; /* a pack for each mask of eight bits */

typedef struct rows_data {
    double from[4 * ROWS], loaded[4 * LANES], less[4 * ROWS], sums[LANES], spread[4 * LANES];
    double root[LANES], whole[LANES];
    int32_t index[LANES], bits[PACKS], kept[2 * LANES], counts[PACKS];
} rows_data;

static void check_lanes(const rows_data *r)
{
    double less[4 * ROWS] = {0};
    for (int i = 0; i < LANES; i++) {
        const double *const row = &r->from[r->index[i]];
        const double root = 1 / sqrt(row[2] * row[2] + 0.25);
        for (int d = 0; d < 4; d++) {
            CHECK_F64(r->loaded[d * LANES + i], row[d], 0);
            CHECK_F64(r->spread[d * LANES + i], r->from[r->index[i / 4 * 4] + d], 0);
            less[r->index[i] + d] -= row[d];
        }
        CHECK_F64(r->whole[i], trunc(row[1]), 0);
        CHECK_F64(r->root[i], root, 4 * DBL_EPSILON * root); /* as the header says */
    }
    for (int k = 0; k < 4 * ROWS; k++) CHECK_F64(r->less[k], less[k], 0);
}

static void check_sums(const rows_data *r)
{
    for (int four = 0; four < LANES / 4; four++) {
        for (int d = 0; d < 4; d++) {
            double sum = 0;
            for (int l = 0; l < 4; l++) sum += r->from[r->index[4 * four + l] + d];
            CHECK_F64(r->sums[4 * four + d], sum, 0);
        }
    }
}

static void check_kept(const rows_data *r)
{
    for (int pack = 0; pack < PACKS; pack++) {
        int count = 0;
        for (int l = 0; l < 8; l++)
            if (r->bits[pack] >> l & 1)
                CHECK_I64(r->kept[16 * pack + count++], r->index[8 * pack + l]);
        CHECK_I64(r->counts[pack], count);
        for (int l = 8; l < 16; l++) CHECK_I64(r->kept[16 * pack + l], -7);
    }
}

static void make_data(rows_data *r)
{
    uint64_t state = 1;
    memset(r, 0, sizeof *r);
    for (int k = 0; k < 4 * ROWS; k++) r->from[k] = 0.25 * random_int(&state, -400, 400);
    for (int i = 0; i < LANES; i++) r->index[i] = 4 * random_int(&state, 0, ROWS - 1);
    for (int i = 0; i < 2 * LANES; i++) r->kept[i] = -7;
    for (int pack = 0; pack < PACKS; pack++) r->bits[pack] = pack;
}

static void test_rows(mx_ctx ctx)
{
    static rows_data r;
    pr_args a;
    mx_view v[11];
    make_data(&r);
    a.n = LANES;
#define PR_MAKE(w, member, type, array)                                                           \
    MUST(mx_view_create_1d(ctx, #member, type, (int64_t)(sizeof array / sizeof *array), &v[w]) == \
         MX_OK);                                                                                  \
    MUST(mx_import(ctx, v[w], array, NULL) == MX_OK);                                             \
    MUST(mx_bind(ctx, v[w], &a.member) == MX_OK);
    PR_MAKE(0, from, MX_F64, r.from)
    PR_MAKE(1, index, MX_I32, r.index)
    PR_MAKE(2, bits, MX_I32, r.bits)
    PR_MAKE(3, loaded, MX_F64, r.loaded)
    PR_MAKE(4, less, MX_F64, r.less)
    PR_MAKE(5, sums, MX_F64, r.sums)
    PR_MAKE(6, spread, MX_F64, r.spread)
    PR_MAKE(7, root, MX_F64, r.root)
    PR_MAKE(8, whole, MX_F64, r.whole)
    PR_MAKE(9, kept, MX_I32, r.kept)
    PR_MAKE(10, counts, MX_I32, r.counts)
    CHECK_OK(pr_rows(mx_range_1d(ctx, 0, 1), &a));
    MUST(mx_export(ctx, v[3], r.loaded, NULL) == MX_OK);
    MUST(mx_export(ctx, v[4], r.less, NULL) == MX_OK);
    MUST(mx_export(ctx, v[5], r.sums, NULL) == MX_OK);
    MUST(mx_export(ctx, v[6], r.spread, NULL) == MX_OK);
    MUST(mx_export(ctx, v[7], r.root, NULL) == MX_OK);
    MUST(mx_export(ctx, v[8], r.whole, NULL) == MX_OK);
    MUST(mx_export(ctx, v[9], r.kept, NULL) == MX_OK);
    MUST(mx_export(ctx, v[10], r.counts, NULL) == MX_OK);
    check_lanes(&r);
    check_sums(&r);
    check_kept(&r);
    for (int w = 0; w < 11; w++) MUST(mx_view_destroy(&v[w]) == MX_OK);
}

int main(void)
{
    MUST(mx_init() == MX_OK);
    for (int b = 0; mx_backend_name(b) != NULL; b++) {
        mx_ctx ctx;
        if (!mx_backend_available(mx_backend_name(b), NULL)) continue;
        MUST(mx_ctx_create(mx_backend_name(b), &ctx) == MX_OK);
        test_rows(ctx);
        mx_ctx_destroy(&ctx);
    }
    mx_finalize();
    return check_failures > 0;
}

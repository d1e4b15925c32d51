/* Products that do not wait for ghosts. While the messages are on their way, y = A x is computed with ghosts that are 0, for all rows;
 * when they are there, the entries whose columns are ghosts are added, in the outer rows. These entries are stored once more, or computed from the
 * elements if there is no matrix. So every form of the matrix has overlap, and needs no kernel that leaves rows out.
 *
 * Cost: on a rank with n nodes along a side to another rank, a pass over n^2 rows with 9 entries each, and n^2 zeros. The matrix
 * has n^3 rows of 27. Rejected: rows that need no ghosts first, and the others later. Their rows are neither contiguous nor
 * whole chunks or lines, and a rank that is cut along x has none of its lines without ghosts. */
#include "fe_level.h"

#include <stdlib.h>

struct fe_outer {
    int rows;
    mx_view row, begin, column, value;
    fe_add_outer_args add;
};

static mx_err count_rows(fe_level *level, fe_outer_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    struct fe_outer *const o = level->outer;
    int64_t inner = 1;
    for (int d = 0; d < 3; d++) {
        const bool below =
            m->low[d]<m->first[d], above = m->low[d] + m->extent[d]> m->first[d] + m->count[d];
        const int count = m->count[d] - below - above;
        inner *= count > 0 ? count : 0;
    }
    o->rows = fe_rows(m) - (int)inner;
    MX_TRY(mx_view_create_1d(ctx, "outer rows", MX_I32, o->rows, &o->row));
    MX_TRY(mx_view_create_1d(ctx, "outer begins", MX_I64, o->rows + 1, &o->begin));
    MX_TRY(mx_bind(ctx, o->row, &a->row));
    return mx_bind(ctx, o->begin, &a->begin);
}

static mx_err make_outer(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    struct fe_outer *const o = level->outer;
    fe_outer_args a = {.mesh = level->mesh, .distorted = level->input->mesh == FE_MESH_DISTORTED};
    int64_t entries;
    MX_TRY(count_rows(level, &a));
    MX_TRY(fe_bind_storage(level, &a.matrix));
    mx_bind_none(&a.column);
    mx_bind_none(&a.value);
    MX_TRY(fe_outer_rows(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), &a, NULL));
    MX_TRY(fe_outer_begins(mx_range_1d(ctx, 0, o->rows + 1), &a, &entries));
    MX_TRY(mx_view_create_1d(ctx, "outer columns", MX_I32, entries, &o->column));
    MX_TRY(mx_view_create_1d(ctx, "outer entries", MX_F64, entries, &o->value));
    MX_TRY(mx_bind(ctx, o->column, &a.column));
    MX_TRY(mx_bind(ctx, o->value, &a.value));
    MX_TRY(fe_outer_entries(mx_range_1d(ctx, 0, o->rows), &a));
    MX_TRY(mx_bind(ctx, o->row, &o->add.row));
    MX_TRY(mx_bind(ctx, o->begin, &o->add.begin));
    MX_TRY(mx_bind(ctx, o->column, &o->add.column));
    return mx_bind(ctx, o->value, &o->add.value);
}

mx_err fe_make_overlap(fe_level *level)
{
    if (app_size(level->base->comm) == 1) return MX_OK;
    level->outer = calloc(1, sizeof *level->outer);
    MX_REQUIRE(level->outer != NULL, MX_ERR_MEMORY, "no memory for the outer rows");
    return make_outer(level);
}

void fe_overlap_destroy(fe_level *level)
{
    struct fe_outer *const o = level->outer;
    level->outer = NULL;
    if (o == NULL) return;
    (void)mx_view_destroy(&o->row);
    (void)mx_view_destroy(&o->begin);
    (void)mx_view_destroy(&o->column);
    (void)mx_view_destroy(&o->value);
    free(o);
}

/* Sends, and makes the ghosts 0. */
static mx_err begin(fe_level *level, mx_view x)
{
    fe_clear_args clear;
    MX_TRY(app_forward_begin(level->ghosts, 1, &x, APP_UNSHIFTED));
    MX_TRY(mx_bind(level->base->ctx, x, &clear.x));
    return fe_clear(mx_range_1d(level->base->ctx, fe_rows(&level->mesh), fe_held(&level->mesh)),
                    &clear);
}

/* Receives, and says which outer rows are to be added. */
static mx_err end(fe_level *level, mx_view x, mx_view y, mx_range_1 *range)
{
    const mx_ctx ctx = level->base->ctx;
    *range = mx_range_1d(ctx, 0, level->outer->rows);
    MX_TRY(app_forward_end(level->ghosts));
    MX_TRY(mx_bind(ctx, x, &level->outer->add.x));
    return mx_bind(ctx, y, &level->outer->add.y);
}

mx_err fe_multiply(fe_level *level, mx_view x, mx_view y)
{
    mx_range_1 outer;
    if (level->outer == NULL) {
        MX_TRY(fe_exchange(level, x));
        return fe_apply(level, x, y);
    }
    MX_TRY(begin(level, x));
    MX_TRY(fe_apply(level, x, y));
    MX_TRY(end(level, x, y, &outer));
    return fe_add_outer(outer, &level->outer->add);
}

mx_err fe_overlap_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at)
{
    mx_range_1 outer;
    MX_TRY(begin(level, x));
    MX_TRY(fe_apply_dot(level, x, y, dot, at));
    MX_TRY(end(level, x, y, &outer));
    return fe_add_outer_dot_into(outer, &level->outer->add, dot, at + 1);
}

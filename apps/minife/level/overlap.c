/* Products that do not wait for ghosts. While the messages are on their way, the rows of the planes
 * are computed that have no plane of ghosts beside them:
 *
 *        z   g g g g g     from the rank above
 *        ^   o o o o o     high: computed when the ghosts are there
 *        |   i i i i g     inner: computed before, with 0 for ghosts along y and x;
 *        |   i i i i g            then the entries of these ghosts are added, in the outer rows
 *            o o o o o     low
 *            g g g g g     from the rank below
 *
 * A rank that is cut along z only, as two ranks are, has no outer rows: its rows are computed once,
 * in three ranges. Entries of outer rows are stored once more, or computed from the elements if
 * there is no matrix. So every form of the matrix has overlap, and its kernels need no lists of
 * rows. A product of operator=elements has no parts, because an element adds to rows of two planes:
 * all of its planes are inner ones, whose ghosts are 0.
 *
 * Cost: on a rank with n nodes along a side that is cut along y or x, a pass over n^2 rows with 9
 * entries each, and n^2 zeros. The matrix has n^3 rows of 27. Rejected: outer rows as rows that are
 * computed later. They are neither contiguous nor whole chunks or lines, and a rank that is cut
 * along x has none of its lines without ghosts. */
#include "fe_level.h"

#include <stdlib.h>

/* The parts of x . y, of which the first three are ranges of rows. */
enum { INNER, LOW, HIGH, ENTRIES, RANGES = ENTRIES };
MX_STATIC_ASSERT((int)ENTRIES + 1 == (int)FE_PRODUCT_PARTS, "parts of x . y");

struct fe_outer {
    fe_part range[RANGES];
    int rows; /* outer ones */
    mx_view row, begin, column, value;
    fe_add_outer_args add;
};

/* ---- set-up ---- */

/* Chunks with rows of an outer plane are outside of the inner range. */
static void choose_ranges(const fe_level *level, fe_part *range)
{
    const fe_mesh *const m = &level->mesh;
    const int rows = fe_rows(m), plane = m->count[1] * m->count[2], chunk = level->storage.chunk;
    const bool has_planes = level->op->has_parts;
    const bool below = has_planes && m->low[0] < m->first[0],
               above = has_planes && m->low[0] + m->extent[0] > m->first[0] + m->count[0];
    int first = below ? (plane + chunk - 1) / chunk * chunk : 0;
    int end = above ? (rows - plane) / chunk * chunk : rows;
    if (first > rows) first = rows;
    if (end < first) end = first;
    range[INNER] = (fe_part){first, end};
    range[LOW] = (fe_part){0, first};
    range[HIGH] = (fe_part){end, rows};
}

/* At most so many rows of the inner range have ghosts. If a product has parts, those with ghosts
 * along z are in other ranges. */
static int64_t max_outer_rows(const fe_level *level)
{
    const fe_mesh *const m = &level->mesh;
    int64_t without = 1;
    for (int d = 0; d < 3; d++) {
        const int held_end = m->low[d] + m->extent[d], owned_end = m->first[d] + m->count[d];
        int count = m->count[d];
        if (d > 0 || !level->op->has_parts)
            count -= (m->low[d] < m->first[d]) + (held_end > owned_end);
        without *= count > 0 ? count : 0;
    }
    return fe_rows(m) - without;
}

/* The outer rows, and where the entries of each begin. */
static mx_err find_rows(fe_level *level, fe_outer_args *a, int64_t *entries)
{
    const mx_ctx ctx = level->base->ctx;
    struct fe_outer *const o = level->outer;
    const fe_part inner = o->range[INNER];
    int64_t rows = 0;
    MX_TRY(mx_view_create_1d(ctx, "outer rows", MX_I32, max_outer_rows(level), &o->row));
    MX_TRY(mx_bind(ctx, o->row, &a->row));
    MX_TRY(fe_outer_rows(mx_range_1d(ctx, inner.first, inner.end), a, &rows));
    a->rows = o->rows = (int)rows;
    MX_TRY(mx_view_create_1d(ctx, "outer begins", MX_I64, rows + 1, &o->begin));
    MX_TRY(mx_bind(ctx, o->begin, &a->begin));
    return fe_outer_begins(mx_range_1d(ctx, 0, rows + 1), a, entries);
}

static mx_err bind_add(struct fe_outer *o, mx_ctx ctx)
{
    MX_TRY(mx_bind(ctx, o->row, &o->add.row));
    MX_TRY(mx_bind(ctx, o->begin, &o->add.begin));
    MX_TRY(mx_bind(ctx, o->column, &o->add.column));
    return mx_bind(ctx, o->value, &o->add.value);
}

static mx_err make_outer(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    struct fe_outer *const o = level->outer;
    fe_outer_args a = {.mesh = level->mesh, .distorted = level->input->mesh == FE_MESH_DISTORTED};
    int64_t entries = 0;
    choose_ranges(level, o->range);
    MX_TRY(fe_bind_storage(level, &a.matrix));
    mx_bind_none(&a.begin);
    mx_bind_none(&a.column);
    mx_bind_none(&a.value);
    MX_TRY(find_rows(level, &a, &entries));
    MX_TRY(mx_view_create_1d(ctx, "outer columns", MX_I32, entries, &o->column));
    MX_TRY(mx_view_create_1d(ctx, "outer entries", MX_F64, entries, &o->value));
    MX_TRY(mx_bind(ctx, o->column, &a.column));
    MX_TRY(mx_bind(ctx, o->value, &a.value));
    MX_TRY(fe_outer_entries(mx_range_1d(ctx, 0, o->rows), &a));
    return bind_add(o, ctx);
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

/* ---- products ---- */

/* Sends. Ghosts that an inner row reads become 0. */
static mx_err begin(fe_level *level, mx_view x)
{
    fe_clear_args clear;
    MX_TRY(app_forward_begin(level->ghosts, 1, &x, APP_UNSHIFTED));
    if (level->outer->rows == 0) return MX_OK;
    MX_TRY(mx_bind(level->base->ctx, x, &clear.x));
    return fe_clear(mx_range_1d(level->base->ctx, fe_rows(&level->mesh), fe_held(&level->mesh)),
                    &clear);
}

/* Adds the entries of the first outer rows; `part` of x . y is what that adds. It is stored even
 * without rows: its element has the last sum over the ranks. */
static mx_err add_entries(fe_level *level, int rows, const fe_dot_product *dot, int part)
{
    const mx_range_1 range = mx_range_1d(level->base->ctx, 0, rows);
    const fe_add_outer_args *const a = &level->outer->add;
    if (dot != NULL) return fe_add_outer_dot_into(range, a, dot->view, dot->at + part);
    return rows > 0 ? fe_add_outer(range, a) : MX_OK;
}

/* Computes a range of rows, and its part of x . y. */
static mx_err apply(fe_level *level, int part, mx_view x, mx_view y, const fe_dot_product *dot)
{
    const fe_part rows = level->outer->range[part];
    if (rows.first == rows.end) return add_entries(level, 0, dot, part);
    if (dot == NULL) return fe_apply_part(level, x, y, NULL, rows);
    const fe_dot_product of_part = {dot->view, dot->at + part};
    return fe_apply_part(level, x, y, &of_part, rows);
}

static mx_err multiply(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot)
{
    struct fe_outer *const o = level->outer;
    MX_TRY(mx_bind(level->base->ctx, x, &o->add.x));
    MX_TRY(mx_bind(level->base->ctx, y, &o->add.y));
    MX_TRY(begin(level, x));
    MX_TRY(apply(level, INNER, x, y, dot));
    MX_TRY(app_forward_end(level->ghosts));
    MX_TRY(add_entries(level, o->rows, dot, ENTRIES));
    MX_TRY(apply(level, LOW, x, y, dot));
    return apply(level, HIGH, x, y, dot);
}

mx_err fe_multiply(fe_level *level, mx_view x, mx_view y)
{
    if (level->outer != NULL) return multiply(level, x, y, NULL);
    MX_TRY(fe_exchange(level, x));
    return fe_apply(level, x, y);
}

mx_err fe_overlap_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at)
{
    const fe_dot_product parts = {dot, at};
    return multiply(level, x, y, &parts);
}

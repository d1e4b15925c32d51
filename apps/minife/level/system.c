#include "fe_level.h"

static int round_up(int64_t n, int to) { return (int)((n + to - 1) / to * to); }

/* ---- structure ---- */

/* packs: how long a line is. lines, half: how long a line and a plane are; a plane has an odd number
 * of cache lines, so that its slots do not fall into the same sets of a cache. */
static void choose_pitch(const fe_mesh *m, fe_storage *s)
{
    enum { VECTOR = 8 };
    const bool half = s->form == FE_FORM_HALF;
    if (s->form == FE_FORM_PACKS) {
        s->width = round_up(m->extent[2], FE_PACK);
        return;
    }
    const int nodes = half ? m->extent[2] + 2 : m->count[2];
    const int lines = half ? m->extent[1] + 1 : m->count[1];
    for (int d = 0; d < 3; d++) s->low[d] = half ? m->low[d] - 1 : m->first[d];
    s->width = round_up(nodes, VECTOR);
    s->pitch = ((int64_t)lines * s->width / VECTOR | 1) * VECTOR;
}

/* How the coefficients are stored, but for the number of them. */
static void choose_form(fe_level *level)
{
    static const fe_form forms[] = {
        [FE_OPERATOR_CSR] = FE_FORM_CSR,       [FE_OPERATOR_CSR8] = FE_FORM_CSR,
        [FE_OPERATOR_ELL] = FE_FORM_ELL,       [FE_OPERATOR_SELL] = FE_FORM_SELL,
        [FE_OPERATOR_LINES] = FE_FORM_LINES,   [FE_OPERATOR_SYMMETRIC] = FE_FORM_HALF,
        [FE_OPERATOR_ELEMENTS] = FE_FORM_NONE, [FE_OPERATOR_NODES] = FE_FORM_NONE,
        [FE_OPERATOR_UNIFORM] = FE_FORM_NONE};
    enum { HOST_CHUNK = 8, DEVICE_CHUNK = 32 };
    const fe_mesh *m = &level->mesh;
    fe_storage *const s = &level->storage;
    s->form = forms[level->input->operator];
    if (s->form == FE_FORM_HALF && !fe_on_device(level)) s->form = FE_FORM_PACKS;
    s->is_f32 = level->input->precision == FE_PRECISION_MIXED;
    s->chunk = fe_on_device(level) ? DEVICE_CHUNK : HOST_CHUNK;
    if (s->form == FE_FORM_ELL) s->pitch = round_up(fe_rows(m), s->chunk);
    if (s->form == FE_FORM_LINES || fe_is_half(s)) choose_pitch(m, s);
}

double fe_matrix_bytes(const fe_level *level)
{
    const double entries = (double)fe_entries(&level->mesh);
    const double value = level->input->precision == FE_PRECISION_MIXED ? 4 : 8;
    if (!fe_is_stored(level->input->operator)) return 0;
    switch (level->input->operator) {
    case FE_OPERATOR_LINES: return entries * value;
    case FE_OPERATOR_SYMMETRIC: return entries * value / 2;
    case FE_OPERATOR_CSR8: return entries * (value + 1);
    default: return entries * (value + (double)sizeof(int32_t));
    }
}

/* csr, sell: begins; *values: how many coefficients are stored. */
static mx_err make_begins(fe_level *level, int64_t *values)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_storage *s = &level->storage;
    const int rows = fe_rows(&level->mesh);
    const int chunks = (rows + s->chunk - 1) / s->chunk;
    const int begins = s->form == FE_FORM_CSR ? rows : chunks;
    *values = level->entries;
    if (s->form == FE_FORM_ELL) *values = FE_SLOTS * s->pitch;
    if (s->form != FE_FORM_CSR && s->form != FE_FORM_SELL) return MX_OK;
    const mx_view_options options = {.uninitialized = true};
    const int64_t extent = begins + 1;
    MX_TRY(mx_view_create(ctx, "begins", MX_I64, 1, &extent, &options, &level->views.begin));
    MX_TRY(fe_bind_storage(level, &level->structure.matrix));
    if (s->form == FE_FORM_CSR)
        return fe_row_begins(mx_range_1d(ctx, 0, begins + 1), &level->structure);
    return fe_chunk_begins(mx_range_1d(ctx, 0, begins + 1), &level->structure, values);
}

static mx_err make_columns(fe_level *level, int64_t values)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_storage *s = &level->storage;
    const int rows =
        s->form == FE_FORM_CSR ? fe_rows(&level->mesh) : round_up(fe_rows(&level->mesh), s->chunk);
    const mx_view_options options = {.uninitialized = true};
    MX_TRY(mx_view_create(ctx, "columns", MX_I32, 1, &values, &options, &level->views.column));
    MX_TRY(mx_bind(ctx, level->views.column, &level->structure.column));
    return fe_columns(mx_range_1d(ctx, 0, rows), &level->structure);
}

/* csr8: the list of ghosts, if the rank holds any. */
static mx_err make_ghost_lists(fe_level *level, fe_make_codes_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const int rows = fe_rows(&level->mesh);
    int64_t ghosts = 0;
    mx_bind_none(&a->ghost_begin);
    mx_bind_none(&a->ghost);
    if (fe_held(&level->mesh) == rows) return MX_OK;
    MX_TRY(mx_view_create_1d(ctx, "begins of ghosts", MX_I64, (int64_t)rows + 1,
                             &level->views.codes.ghost_begin));
    MX_TRY(mx_bind(ctx, level->views.codes.ghost_begin, &a->ghost_begin));
    MX_TRY(fe_ghost_begins(mx_range_1d(ctx, 0, rows + 1), a, &ghosts));
    MX_TRY(mx_view_create_1d(ctx, "columns of ghosts", MX_I32, ghosts, &level->views.codes.ghost));
    return mx_bind(ctx, level->views.codes.ghost, &a->ghost);
}

static mx_err make_codes(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *const m = &level->mesh;
    fe_make_codes_args a = {.mesh = *m};
    int32_t distance[FE_SLOTS];
    for (int s = 0; s < FE_SLOTS; s++)
        distance[s] = ((s / 9 - 1) * m->count[1] + s / 3 % 3 - 1) * m->count[2] + s % 3 - 1;
    const mx_view_options options = {.uninitialized = true};
    MX_TRY(mx_view_create_1d(ctx, "distances", MX_I32, FE_SLOTS, &level->views.codes.distance));
    MX_TRY(mx_import(ctx, level->views.codes.distance, distance, NULL));
    MX_TRY(mx_view_create(ctx, "codes of columns", MX_U8, 1, &level->entries, &options,
                          &level->views.codes.code));
    MX_TRY(mx_bind(ctx, level->views.begin, &a.begin));
    MX_TRY(mx_bind(ctx, level->views.codes.code, &a.code));
    MX_TRY(make_ghost_lists(level, &a));
    return fe_codes(mx_range_1d(ctx, 0, fe_rows(m)), &a);
}

/* The tables of lines. */
static mx_err make_lines(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const int y = level->mesh.extent[1] + 2, z = level->mesh.extent[0] + 2;
    MX_TRY(mx_view_create_2d(ctx, "lines", MX_I32, 3, (int64_t)y * z, &level->views.line));
    MX_TRY(mx_bind(ctx, level->views.line, &level->structure.line));
    return fe_line_starts(mx_range_2d(ctx, 0, z, 0, y), &level->structure);
}

static int64_t values_of_lines(const fe_level *level)
{
    const fe_mesh *m = &level->mesh;
    const fe_storage *s = &level->storage;
    const bool half = s->form == FE_FORM_HALF;
    if (s->form == FE_FORM_PACKS)
        return (1 + (int64_t)m->extent[0] * m->extent[1]) * FE_HALF_SLOTS * s->width + FE_PACK;
    const int64_t planes = half ? m->extent[0] + 1 : m->count[0];
    return planes * (half ? FE_HALF_SLOTS : FE_SLOTS) * s->pitch;
}

mx_err fe_bind_storage(const fe_level *level, fe_storage *s)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_level_views *v = &level->views;
    *s = level->storage;
    mx_bind_none(&s->begin);
    mx_bind_none(&s->value);
    mx_bind_none(&s->f32value);
    if (v->begin.generation != 0) MX_TRY(mx_bind(ctx, v->begin, &s->begin));
    if (v->value.generation == 0) return MX_OK;
    return s->is_f32 ? mx_bind(ctx, v->value, &s->f32value) : mx_bind(ctx, v->value, &s->value);
}

/* How elements are added, if the user leaves that to us. */
static fe_assembly assembly_of(const fe_level *level)
{
    if (level->input->assembly != FE_ASSEMBLY_AUTO) return (fe_assembly)level->input->assembly;
    return fe_on_device(level) ? FE_ASSEMBLY_COLOURS : FE_ASSEMBLY_BLOCKS;
}

mx_err fe_make_structure(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    fe_structure_args *const a = &level->structure;
    int64_t values;
    level->all_entries = level->entries = fe_entries(&level->mesh);
    MX_TRY(app_sum_i64(level->base->comm, &level->all_entries, 1));
    choose_form(level);
    a->mesh = level->mesh;
    mx_bind_none(&a->column);
    mx_bind_none(&a->line);
    MX_TRY(fe_bind_storage(level, &a->matrix));
    const int form = level->storage.form;
    const bool by_lines = form == FE_FORM_LINES || fe_is_half(&level->storage);
    if (by_lines || level->input->operator== FE_OPERATOR_UNIFORM) MX_TRY(make_lines(level));
    if (form == FE_FORM_NONE) return mx_fence(ctx);
    if (by_lines) {
        values = values_of_lines(level);
    } else {
        MX_TRY(make_begins(level, &values));
        MX_TRY(level->input->operator== FE_OPERATOR_CSR8 ? make_codes(level)
                                                         : make_columns(level, values));
    }
    /* blocks store every coefficient of csr once */
    const bool all_stored = form == FE_FORM_CSR && assembly_of(level) == FE_ASSEMBLY_BLOCKS;
    const mx_view_options options = {.uninitialized = all_stored};
    MX_TRY(mx_view_create(ctx, "matrix", level->storage.is_f32 ? MX_F32 : MX_F64, 1, &values,
                          &options, &level->views.value));
    return mx_fence(ctx);
}

/* ---- assembly ---- */

static mx_err assemble_by_colours(const fe_level *level, fe_assemble_args *a)
{
    for (int colour = 0; colour < 8; colour++) {
        int end[3];
        for (int d = 0; d < 3; d++) {
            a->low[d] = level->from[d] + (colour >> d & 1);
            end[d] = a->low[d] < level->to[d] ? (level->to[d] - a->low[d] + 1) / 2 : 0;
        }
        MX_TRY(fe_assemble_colour(fe_box_range(level, NULL, end), a));
    }
    return MX_OK;
}

/* The box of the rows that the matrix has. */
static void box_of_rows(const fe_level *level, const fe_storage *s, int *low, int *count)
{
    const fe_mesh *m = &level->mesh;
    for (int d = 0; d < 3; d++) {
        low[d] = fe_is_half(s) ? m->low[d] : m->first[d];
        count[d] = fe_is_half(s) ? m->extent[d] : m->count[d];
    }
    if (fe_rows(m) == 0) count[0] = 0;
}

int64_t fe_divide_rows(fe_blocks *b, const int *low, const int *count, const int *largest)
{
    enum { VECTOR = 8 };
    int64_t blocks = 1;
    for (int d = 0; d < 3; d++) {
        b->low[d] = low[d];
        b->count[d] = count[d];
        b->blocks[d] = (count[d] + largest[d] - 1) / largest[d];
        b->size[d] = b->blocks[d] > 0 ? (count[d] + b->blocks[d] - 1) / b->blocks[d] : 0;
        blocks *= b->blocks[d];
    }
    b->pitch = round_up(b->size[2] + VECTOR + 2, VECTOR);
    return blocks;
}

/* A block's sums are to stay in the second cache: about 400 KiB. */
static mx_err assemble_by_blocks(const fe_level *level, fe_assemble_args *a)
{
    enum { PLANES = 16, LINES = 8, NODES = 128, SUMS = FE_SLOTS + 1 };
    const int largest[] = {PLANES, LINES, NODES};
    fe_blocks *const b = &a->blocks;
    int low[3], count[3];
    box_of_rows(level, &a->matrix, low, count);
    const int64_t blocks = fe_divide_rows(b, low, count, largest);
    const size_t scratch =
        (size_t)2 * (size_t)b->size[1] * SUMS * (size_t)b->pitch * sizeof(double);
    const mx_teams teams = mx_league(level->base->ctx, blocks, 1, 1);
    return fe_assemble_block(mx_with_scratch(teams, 1, scratch, 0), a);
}

static mx_err assemble(const fe_level *level, fe_assemble_args *a)
{
    switch (assembly_of(level)) {
    case FE_ASSEMBLY_COLOURS: return assemble_by_colours(level, a);
    case FE_ASSEMBLY_ATOMICS:
        return fe_assemble_atomic(fe_box_range(level, level->from, level->to), a);
    default: return assemble_by_blocks(level, a);
    }
}

static mx_err make_coordinates(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_coordinates_args *const a = &level->coordinates;
    a->mesh = *m;
    a->distorted = level->input->mesh == FE_MESH_DISTORTED;
    MX_TRY(mx_view_create_2d(ctx, "coordinates", MX_F64, 3, fe_held(m), &level->views.coordinates));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    return fe_coordinates(fe_box_range(level, NULL, m->extent), a);
}

mx_err fe_assemble(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    fe_assemble_args *const a = &level->assemble;
    a->mesh = level->mesh;
    a->manufactured = level->input->problem == FE_PROBLEM_MANUFACTURED;
    for (int d = 0; d < 3; d++) {
        a->from[d] = level->from[d];
        a->to[d] = level->to[d];
    }
    MX_TRY(make_coordinates(level));
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, fe_rows(&level->mesh), &level->views.b));
    MX_TRY(fe_bind_storage(level, &a->matrix));
    MX_TRY(mx_bind(ctx, level->views.b, &a->b));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    MX_TRY(assemble(level, a));
    return mx_fence(ctx);
}

mx_err fe_assemble_diagonal(fe_level *level, mx_view diagonal)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_assemble_args a = level->assemble;
    fe_boundary_args boundary = {.mesh = *m};
    for (int d = 0; d < 3; d++) boundary.rows_low[d] = m->first[d];
    a.without_source = true;
    a.matrix.form = FE_FORM_DIAGONAL;
    a.matrix.is_f32 = false;
    mx_bind_none(&a.b);
    mx_bind_none(&boundary.b);
    mx_bind_none(&boundary.coordinates);
    MX_TRY(mx_bind(ctx, diagonal, &a.matrix.value));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a.coordinates));
    MX_TRY(mx_fill(ctx, diagonal, &(double){0}));
    MX_TRY(assemble(level, &a));
    boundary.matrix = a.matrix;
    return fe_boundary_matrix(fe_box_range(level, NULL, m->count), &boundary);
}

/* ---- given values ---- */

static mx_err subtract_product(fe_level *level, mx_view given, mx_view product)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_given_args a = {.mesh = *m, .manufactured = level->boundary.manufactured};
    MX_TRY(mx_bind(ctx, given, &a.given));
    MX_TRY(mx_bind(ctx, product, &a.product));
    MX_TRY(mx_bind(ctx, level->views.b, &a.b));
    a.coordinates = level->boundary.coordinates;
    MX_TRY(fe_given_values(fe_box_range(level, NULL, m->extent), &a));
    MX_TRY(fe_apply_raw(level, given, product));
    MX_TRY(fe_given_subtract(mx_range_1d(ctx, 0, fe_rows(m)), &a));
    return mx_fence(ctx);
}

/* b of a matrix that is not stored: less the product with the values that are given. */
static mx_err subtract_given(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    mx_view given = MX_VIEW_NULL, product = MX_VIEW_NULL;
    mx_err err = mx_view_create_1d(ctx, "given values", MX_F64, fe_held(m), &given);
    if (err == MX_OK)
        err = mx_view_create_1d(ctx, "product of given values", MX_F64, fe_rows(m), &product);
    if (err == MX_OK) err = subtract_product(level, given, product);
    (void)mx_view_destroy(&given);
    (void)mx_view_destroy(&product);
    return err;
}

/* Does anything still need the coordinates, when values are imposed? If not, they go first: the
 * values that are given need memory too. */
static bool needs_coordinates(const fe_level *level)
{
    const int kind = level->input->operator;
    return level->input->problem == FE_PROBLEM_MANUFACTURED || kind == FE_OPERATOR_ELEMENTS ||
           kind == FE_OPERATOR_NODES;
}

mx_err fe_impose_boundary(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const bool stored = level->storage.form != FE_FORM_NONE;
    fe_boundary_args *const a = &level->boundary;
    int count[3];
    a->mesh = level->mesh;
    a->manufactured = level->input->problem == FE_PROBLEM_MANUFACTURED;
    box_of_rows(level, &level->storage, a->rows_low, count);
    MX_TRY(fe_bind_storage(level, &a->matrix));
    MX_TRY(mx_bind(ctx, level->views.b, &a->b));
    mx_bind_none(&a->coordinates);
    if (needs_coordinates(level))
        MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    else
        MX_TRY(mx_view_destroy(&level->views.coordinates));
    if (!stored) MX_TRY(subtract_given(level));
    MX_TRY(fe_boundary_source(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), a));
    if (stored) MX_TRY(fe_boundary_matrix(fe_box_range(level, NULL, count), a));
    return mx_fence(ctx);
}

void fe_level_destroy(fe_level *level)
{
    fe_level_views *const v = &level->views;
    mx_view *const all[] = {&v->coordinates,    &v->begin,
                            &v->column,         &v->value,
                            &v->line,           &v->b,
                            &v->codes.distance, &v->codes.code,
                            &v->codes.ghost,    &v->codes.ghost_begin};
    fe_overlap_destroy(level);
    app_index_exchange_destroy(&level->ghosts);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
}

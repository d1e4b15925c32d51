/* Box halos against a model, by every path and on every backend: random programs of meshes of 2 and
 * 3 dimensions, periodic or not, of random widths, with fields of several types and layouts, padded
 * or not; exchanges of one to four fields at random depths, with and without corners, some of which
 * overlap, and some of which begin and end at once. Each cell holds a number made of its global
 * place, its field and the round; ghosts hold -1 before. Afterwards every ghost that stands for a
 * cell and is within the depth must hold that cell's number, and every other element what it held
 * before. */
#include "domain/box_halo.h"
#include "check.h"
#include "paths.h"

#include <stdlib.h>

enum { PROGRAMS = 25, ROUNDS = 3, FIELDS = 4, MESHES = 2, MAX_WIDTH = 3 };

typedef struct mesh {
    app_decomp decomp;
    app_box_halo halo;
    int width, fields;
    mx_type type;
    mx_view field[FIELDS];
    /* of this rank, with ghosts */
    int64_t extent[APP_MAX_DIMS], elements;
    void *host;
    /* the exchange between begin and end */
    int depth, count, round;
    app_halo_corners corners;
} mesh;

/* ---- numbers ---- */

/* Small enough for all bits of an f32. */
static double number_of(const mesh *m, const mx_gid *cell, int field)
{
    mx_gid id = 0;
    for (int d = 0; d < m->decomp.dims; d++) id = id * m->decomp.global[d] + cell[d];
    return (double)((id * FIELDS + field) * ROUNDS + m->round);
}

static void put(const mesh *m, int64_t at, double value)
{
    if (m->type == MX_F64)
        ((double *)m->host)[at] = value;
    else if (m->type == MX_F32)
        ((float *)m->host)[at] = (float)value;
    else if (m->type == MX_I32)
        ((int32_t *)m->host)[at] = (int32_t)value;
    else
        ((int64_t *)m->host)[at] = (int64_t)value;
}

static double get(const mesh *m, int64_t at)
{
    return m->type == MX_F64   ? ((const double *)m->host)[at]
           : m->type == MX_F32 ? (double)((const float *)m->host)[at]
           : m->type == MX_I32 ? (double)((const int32_t *)m->host)[at]
                               : (double)((const int64_t *)m->host)[at];
}

/* ---- places ---- */

/* Where an element is: the global cell that it stands for, the ghost layers that it is away from
 * the own cells (0: own), the directions in which it is a ghost, and whether it stands for a
 * cell. */
typedef struct place {
    mx_gid cell[APP_MAX_DIMS];
    int layer, directions;
    bool inside;
} place;

static place place_of(const mesh *m, int64_t at)
{
    const app_decomp *d = &m->decomp;
    place p = {.inside = true};
    for (int e = d->dims - 1; e >= 0; e--) {
        const int local = (int)(at % m->extent[e]) - m->width;
        const int over = local < 0 ? -local : local - d->cells[e] + 1;
        at /= m->extent[e];
        p.cell[e] = d->first[e] + local;
        if (d->periodic[e]) p.cell[e] = (p.cell[e] + d->global[e]) % d->global[e];
        p.inside = p.inside && p.cell[e] >= 0 && p.cell[e] < d->global[e];
        if (local < 0 || local >= d->cells[e]) {
            p.directions++;
            if (over > p.layer) p.layer = over;
        }
    }
    return p;
}

/* A ghost of a dimension that is neither cut nor periodic is outside of the domain, so `inside`
 * covers it. */
static mx_err fill(const mesh *m, mx_ctx ctx)
{
    for (int f = 0; f < m->fields; f++) {
        for (int64_t at = 0; at < m->elements; at++) {
            const place p = place_of(m, at);
            put(m, at, p.directions == 0 ? number_of(m, p.cell, f) : -1);
        }
        MX_TRY(mx_import(ctx, m->field[f], m->host, NULL));
    }
    return MX_OK;
}

static mx_err compare(const mesh *m, mx_ctx ctx)
{
    int wrong = 0;
    for (int f = 0; f < m->fields; f++) {
        MX_TRY(mx_export(ctx, m->field[f], m->host, NULL));
        for (int64_t at = 0; at < m->elements; at++) {
            const place p = place_of(m, at);
            const bool filled =
                p.directions == 0 || (f < m->count && p.inside && p.layer <= m->depth &&
                                      (m->corners == APP_HALO_CORNERS || p.directions == 1));
            wrong += get(m, at) != (filled ? number_of(m, p.cell, f) : -1);
        }
    }
    CHECK_I64(wrong, 0);
    return MX_OK;
}

/* ---- programs ---- */

static mx_err make_fields(mesh *m, mx_ctx ctx, uint64_t *random)
{
    static const mx_type types[] = {MX_F64, MX_F32, MX_I32, MX_I64};
    const bool left = random_int(random, 0, 1) == 1, padding = random_int(random, 0, 1) == 1;
    const mx_view_options options = {.layout = left ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT,
                                     .padding = padding};
    m->fields = random_int(random, 1, FIELDS);
    m->type = types[random_int(random, 0, 3)];
    m->elements = 1;
    for (int d = 0; d < m->decomp.dims; d++) {
        m->extent[d] = m->decomp.cells[d] + 2 * m->width;
        m->elements *= m->extent[d];
    }
    m->host = calloc((size_t)m->elements, MX_TYPE_SIZE(m->type));
    MX_REQUIRE(m->host != NULL, MX_ERR_MEMORY, "no memory for a test");
    for (int f = 0; f < m->fields; f++)
        MX_TRY(mx_view_create(ctx, "field", m->type, m->decomp.dims, m->extent, &options,
                              &m->field[f]));
    return MX_OK;
}

static mx_err make_mesh(app_transport transport, uint64_t *random, mesh *m)
{
    const int ranks = app_size(app_transport_comm(transport)), dims = random_int(random, 2, 3);
    mx_gid global[APP_MAX_DIMS];
    bool periodic[APP_MAX_DIMS];
    m->width = random_int(random, 1, MAX_WIDTH);
    /* sizes of all proportions, so of all kinds of splits, in which each rank has `width` cells */
    for (int d = 0; d < dims; d++) {
        const int high = random_int(random, 0, 1) == 1 ? ranks * m->width + 5 : m->width + 4;
        global[d] = random_int(random, m->width, high);
        periodic[d] = random_int(random, 0, 1) == 1;
    }
    if (global[0] < (mx_gid)ranks * m->width) global[0] = (mx_gid)ranks * m->width + dims;
    MX_TRY(app_decomp_create(app_transport_comm(transport), dims, global, &m->decomp));
    app_decomp_make_periodic(&m->decomp, periodic);
    double least = m->width;
    for (int d = 0; d < dims; d++) least = fmin(least, m->decomp.cells[d]);
    MX_TRY(app_min_f64(app_transport_comm(transport), &least, 1));
    m->width = (int)least;
    MX_TRY(make_fields(m, app_transport_ctx(transport), random));
    return app_box_halo_create(transport, &m->decomp, m->width, &m->halo);
}

static mx_err free_mesh(mesh *m)
{
    app_box_halo_destroy(&m->halo);
    for (int f = 0; f < m->fields; f++) MX_TRY(mx_view_destroy(&m->field[f]));
    free(m->host);
    return MX_OK;
}

static mx_err begin(mesh *m, mx_ctx ctx, uint64_t *random, int round)
{
    m->depth = random_int(random, 1, m->width);
    m->count = random_int(random, 1, m->fields);
    m->corners = (app_halo_corners)random_int(random, 0, 1);
    m->round = round;
    MX_TRY(fill(m, ctx));
    return (random_int(random, 0, 1) == 0 ? app_box_halo_begin : app_box_halo_exchange)(
        m->halo, m->depth, m->field, m->count, m->corners);
}

static mx_err run_program(app_transport transport, uint64_t seed)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    uint64_t random = seed;
    mesh m[MESHES] = {{.width = 0}};
    const int meshes = random_int(&random, 1, MESHES);
    for (int i = 0; i < meshes; i++) MX_TRY(make_mesh(transport, &random, &m[i]));
    for (int round = 0; round < ROUNDS; round++) {
        const bool backwards = random_int(&random, 0, 1) == 1;
        for (int i = 0; i < meshes; i++) MX_TRY(begin(&m[i], ctx, &random, round));
        for (int i = 0; i < meshes; i++) {
            mesh *const one = &m[backwards ? meshes - 1 - i : i];
            MX_TRY(app_box_halo_end(one->halo));
            MX_TRY(compare(one, ctx));
        }
    }
    for (int i = 0; i < meshes; i++) MX_TRY(free_mesh(&m[i]));
    return MX_OK;
}

/* ---- structs and parts of views ---- */

/* An element of three words. */
typedef struct triple {
    float number[3];
} triple;

/* Structs, and a part of a view with elements of others between its own: by periodic halos with
 * corners, so every element must hold the number of its cell afterwards. */
static mx_err check_structs_and_parts(app_transport transport)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const int width = 2;
    mesh m = {.width = width};
    mx_view structs, large, part;
    const mx_gid cells[] = {4 * app_size(app_transport_comm(transport)), 5};
    MX_TRY(app_decomp_create(app_transport_comm(transport), 2, cells, &m.decomp));
    app_decomp_make_periodic(&m.decomp, (const bool[]){true, true});
    MX_TRY(app_box_halo_create(transport, &m.decomp, width, &m.halo));
    for (int d = 0; d < 2; d++) m.extent[d] = m.decomp.cells[d] + 2 * width;
    const int64_t rows = m.extent[0], columns = m.extent[1], elements = rows * columns;
    triple *const triples = calloc((size_t)elements, sizeof *triples);
    double *const numbers = calloc((size_t)elements, sizeof *numbers);
    MX_REQUIRE(triples != NULL && numbers != NULL, MX_ERR_MEMORY, "no memory for a test");
    for (int64_t at = 0; at < elements; at++) {
        const place p = place_of(&m, at);
        if (p.directions > 0) continue;
        numbers[at] = number_of(&m, p.cell, 0);
        for (int w = 0; w < 3; w++) triples[at].number[w] = (float)number_of(&m, p.cell, w);
    }
    MX_TRY(mx_view_create_2d(ctx, "structs", MX_USER(triple), rows, columns, &structs));
    MX_TRY(mx_view_create_3d(ctx, "large", MX_F64, rows + 3, columns + 2, 2, &large));
    MX_TRY(mx_subview(large, MX_SLICES(mx_span(1, rows + 1), mx_span(2, columns + 2), mx_index(1)),
                      &part));
    MX_TRY(mx_import_(ctx, structs, triples, NULL, MX_USER(triple)));
    MX_TRY(mx_import(ctx, part, numbers, NULL));
    MX_TRY(app_box_halo_exchange(m.halo, width, &structs, 1, APP_HALO_CORNERS));
    MX_TRY(app_box_halo_exchange(m.halo, width, &part, 1, APP_HALO_CORNERS));
    MX_TRY(mx_export_(ctx, structs, triples, NULL, MX_USER(triple)));
    MX_TRY(mx_export(ctx, part, numbers, NULL));
    int wrong = 0;
    for (int64_t at = 0; at < elements; at++) {
        const place p = place_of(&m, at);
        wrong += numbers[at] != number_of(&m, p.cell, 0);
        for (int w = 0; w < 3; w++)
            wrong += triples[at].number[w] != (float)number_of(&m, p.cell, w);
    }
    CHECK_I64(wrong, 0);
    free(triples);
    free(numbers);
    MX_TRY(mx_view_destroy(&part));
    MX_TRY(mx_view_destroy(&large));
    MX_TRY(mx_view_destroy(&structs));
    return free_mesh(&m);
}

/* ---- without packing ---- */

/* Direct messages without another path beside them: no kernel packs or unpacks small halos. */
static bool goes_unpacked(app_comm comm, const app_path *path)
{
    const bool direct = path == &app_path_direct || path->open == fake_direct_open;
    return direct && app_local_size(comm) == app_size(comm) && getenv("MINX_PACKED_HALOS") == NULL;
}

/* The halo of a field goes with a sum: one kernel packs it and one unpacks it, or none does. */
static mx_err check_halo_and_sum(app_transport transport, int dims)
{
    const app_comm comm = app_transport_comm(transport);
    const mx_ctx ctx = app_transport_ctx(transport);
    const int ranks = app_size(comm), width = 2;
    const double mine[] = {-1, app_rank(comm) + 1.0, -1};
    double sum[3] = {0};
    mesh m = {.width = width, .fields = 1, .count = 1, .depth = 1, .type = MX_F64, .elements = 1};
    mx_ctx_info before, after;
    mx_view sums;
    MX_TRY(app_decomp_create(comm, dims, (const mx_gid[]){2 * ranks, 9, 4}, &m.decomp));
    MX_TRY(app_box_halo_create(transport, &m.decomp, width, &m.halo));
    for (int d = 0; d < dims; d++) m.extent[d] = m.decomp.cells[d] + 2 * width;
    for (int d = 0; d < dims; d++) m.elements *= m.extent[d];
    m.host = calloc((size_t)m.elements, sizeof(double));
    MX_REQUIRE(m.host != NULL, MX_ERR_MEMORY, "no memory for a test");
    MX_TRY(mx_view_create(ctx, "field", MX_F64, dims, m.extent, NULL, &m.field[0]));
    MX_TRY(mx_view_create_1d(ctx, "sums", MX_F64, 3, &sums));
    MX_TRY(fill(&m, ctx));
    MX_TRY(mx_import(ctx, sums, mine, NULL));
    MX_TRY(mx_ctx_get_info(ctx, &before));
    MX_TRY(app_box_halo_exchange_and_sum(m.halo, 1, m.field, 1, APP_HALO_FACES, sums, 1, 1, NULL));
    MX_TRY(mx_ctx_get_info(ctx, &after));
    MX_TRY(mx_export(ctx, sums, sum, NULL));
    MX_TRY(compare(&m, ctx));
    CHECK(sum[0] == -1 && sum[1] == ranks * (ranks + 1) / 2.0 && sum[2] == -1);
    const bool unpacked = ranks == 1 || goes_unpacked(comm, transport->path);
    CHECK_I64(after.launches - before.launches, unpacked ? 0 : 2);
    MX_TRY(mx_view_destroy(&sums));
    return free_mesh(&m);
}

/* ---- many fields ---- */

enum { MANY_FIELDS = 3 * APP_BOX_HALO_FIELDS };

static mx_err exchange_all(app_box_halo halo, const mx_view *fields)
{
    for (int f = 0; f < MANY_FIELDS; f += APP_BOX_HALO_FIELDS)
        MX_TRY(app_box_halo_exchange(halo, 1, fields + f, APP_BOX_HALO_FIELDS, APP_HALO_FACES));
    return MX_OK;
}

/* More fields than a halo keeps views of: exchanges that mix fields that it knows with others. */
static mx_err check_many_fields(app_transport transport)
{
    const app_comm comm = app_transport_comm(transport);
    const mx_ctx ctx = app_transport_ctx(transport);
    const mx_gid cells[] = {app_size(comm), 3};
    app_decomp decomp;
    app_box_halo halo;
    mx_view fields[MANY_FIELDS];
    MX_TRY(app_decomp_create(comm, 2, cells, &decomp));
    app_decomp_make_periodic(&decomp, (const bool[]){true, true});
    MX_TRY(app_box_halo_create(transport, &decomp, 1, &halo));
    for (int f = 0; f < MANY_FIELDS; f++)
        MX_TRY(mx_view_create_2d(ctx, "one of many", MX_F64, decomp.cells[0] + 2,
                                 decomp.cells[1] + 2, &fields[f]));
    MX_TRY(exchange_all(halo, fields));
    for (int f = 0; f < MANY_FIELDS; f++) {
        mx_view mixed[APP_BOX_HALO_FIELDS];
        for (int g = 0; g < APP_BOX_HALO_FIELDS; g++)
            mixed[g] = fields[(f + g * (APP_BOX_HALO_FIELDS - 1)) % MANY_FIELDS];
        CHECK_OK(app_box_halo_exchange(halo, 1, mixed, APP_BOX_HALO_FIELDS, APP_HALO_FACES));
    }
    for (int f = 0; f < MANY_FIELDS; f++) MX_TRY(mx_view_destroy(&fields[f]));
    app_box_halo_destroy(&halo);
    return MX_OK;
}

/* ---- errors ---- */

/* A rank with fewer cells than the halo is wide is refused, on all ranks alike; wrong arguments, on
 * each. */
static mx_err check_errors(app_transport transport)
{
    const app_comm comm = app_transport_comm(transport);
    const mx_ctx ctx = app_transport_ctx(transport);
    const mx_gid cells[] = {app_size(comm) * 2, 3};
    app_decomp decomp;
    app_box_halo halo;
    mx_view other, bytes, gone;
    MX_TRY(app_decomp_create(comm, 2, cells, &decomp));
    if (app_size(comm) > 1) {
        CHECK_FAILS(app_box_halo_create(transport, &decomp, 4, &halo), MX_ERR_INPUT,
                    "fewer than its halo of 4");
        CHECK(halo == NULL);
    }
    MX_TRY(app_box_halo_create(transport, &decomp, 1, &halo));
    MX_TRY(mx_view_create_2d(ctx, "other", MX_F64, 7, 1, &other));
    MX_TRY(
        mx_view_create_2d(ctx, "bytes", MX_U8, decomp.cells[0] + 2, decomp.cells[1] + 2, &bytes));
    gone = other;
    CHECK_FAILS(app_box_halo_begin(halo, 2, &other, 1, APP_HALO_FACES), MX_ERR_ARG, "depth 2");
    CHECK_FAILS(app_box_halo_begin(halo, 1, &other, 9, APP_HALO_FACES), MX_ERR_ARG, "9 fields");
    CHECK_FAILS(app_box_halo_begin(halo, 1, &other, 1, APP_HALO_FACES), MX_ERR_EXTENT, "extent");
    CHECK_FAILS(app_box_halo_begin(halo, 1, &bytes, 1, APP_HALO_FACES), MX_ERR_TYPE, "multiple of");
    MX_TRY(mx_view_destroy(&other));
    CHECK_FAILS(app_box_halo_begin(halo, 1, &gone, 1, APP_HALO_FACES), MX_ERR_STALE, "");
    MX_TRY(mx_view_destroy(&bytes));
    app_box_halo_destroy(&halo);
    app_box_halo_destroy(&halo); /* accepts NULL */
    return MX_OK;
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport transport;
    MX_TRY(app_transport_create_path(comm, ctx, path, &transport));
    for (int p = 0; p < paths_programs(PROGRAMS); p++) MX_TRY(run_program(transport, (uint64_t)p));
    MX_TRY(check_structs_and_parts(transport));
    for (int dims = 2; dims <= 3; dims++) MX_TRY(check_halo_and_sum(transport, dims));
    MX_TRY(check_many_fields(transport));
    MX_TRY(check_errors(transport));
    app_transport_destroy(&transport);
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }

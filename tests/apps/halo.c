/* The halo exchange, on every backend that is here: 2-D and 3-D, every depth up to the width, one to three fields a
 * message, with and without corners. Each cell holds a number made of its global place and its field, ghosts hold -1 before;
 * afterwards every ghost that is inside the domain and within the depth (corners too, where they were asked for) must hold
 * the number of the cell that it stands for, and every other element what it held before. */
#include "halo.h"
#include "backend.h"
#include "check.h"
#include "minx/accessor.h"

enum { WIDTH = 3, FIELDS = 3 };

typedef struct mesh {
    app_decomp decomp;
    mx_ctx ctx;
    mx_view field[FIELDS], host[FIELDS];
} mesh;

static double number_of(const app_decomp *d, const mx_gid *cell, int field)
{
    mx_gid id = field;
    for (int e = 0; e < d->dims; e++) id = id * 1000 + cell[e];
    return (double)id;
}

/* Where a local index is: global cell, ghost layers it is away from the own cells (0: own), directions it is a ghost in,
 * and whether it is inside the domain. */
typedef struct place {
    mx_gid cell[APP_MAX_DIMS];
    int layer, directions;
    bool inside;
} place;

static place place_of(const app_decomp *d, const int *index)
{
    place p = {.inside = true};
    for (int e = 0; e < d->dims; e++) {
        const int local = index[e] - WIDTH, over = local < 0 ? -local : local - d->cells[e] + 1;
        p.cell[e] = d->first[e] + local;
        p.inside = p.inside && p.cell[e] >= 0 && p.cell[e] < d->global[e];
        if (local < 0 || local >= d->cells[e]) {
            p.directions++;
            if (over > p.layer) p.layer = over;
        }
    }
    return p;
}

static double *element(const mx_view_info *v, const int *index)
{
    int64_t at = 0;
    for (int d = 0; d < v->rank; d++) at += index[d] * v->stride[d];
    return (double *)v->data + at;
}

/* Calls for every local index of a field. */
static bool next(const mx_view_info *v, int *index)
{
    for (int d = v->rank - 1; d >= 0; d--) {
        if (++index[d] < v->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

static mx_err fill(const mesh *m)
{
    for (int f = 0; f < FIELDS; f++) {
        mx_view_info v;
        int index[APP_MAX_DIMS] = {0};
        MX_TRY(mx_view_get_info(m->host[f], &v));
        do {
            const place p = place_of(&m->decomp, index);
            *element(&v, index) = p.directions == 0 ? number_of(&m->decomp, p.cell, f) : -1;
        } while (next(&v, index));
        MX_TRY(mx_deep_copy(m->ctx, m->field[f], m->host[f]));
    }
    return mx_fence(m->ctx);
}

static mx_err compare(const mesh *m, int depth, int count, app_halo_corners corners)
{
    for (int f = 0; f < FIELDS; f++) {
        mx_view_info v;
        int index[APP_MAX_DIMS] = {0};
        MX_TRY(mx_deep_copy(m->ctx, m->host[f], m->field[f]));
        MX_TRY(mx_fence(m->ctx));
        MX_TRY(mx_view_get_info(m->host[f], &v));
        do {
            const place p = place_of(&m->decomp, index);
            const bool filled =
                p.directions == 0 || (f < count && p.inside && p.layer <= depth &&
                                      (corners == APP_HALO_CORNERS || p.directions == 1));
            CHECK_F64(*element(&v, index), filled ? number_of(&m->decomp, p.cell, f) : -1, 0);
        } while (next(&v, index));
    }
    return MX_OK;
}

static mx_err exchange_all(app_comm comm, const mesh *m)
{
    app_halo halo;
    MX_TRY(app_halo_create(comm, m->ctx, &m->decomp, WIDTH, FIELDS, APP_GPU_MPI_AUTO, &halo));
    CHECK(app_halo_needed(halo) == (app_size(comm) > 1));
    for (int depth = 1; depth <= WIDTH; depth++)
        for (int count = 1; count <= FIELDS; count++)
            for (int corners = 0; corners < 2; corners++) {
                MX_TRY(fill(m));
                MX_TRY(app_halo_exchange(halo, depth, m->field, count, (app_halo_corners)corners));
                MX_TRY(compare(m, depth, count, (app_halo_corners)corners));
            }
    app_halo_destroy(&halo);
    return MX_OK;
}

static mx_err try_mesh(app_comm comm, mx_ctx ctx, int dims, const mx_gid *cells)
{
    mesh m = {.ctx = ctx};
    int64_t extents[APP_MAX_DIMS] = {0};
    MX_TRY(app_decomp_create(comm, dims, cells, &m.decomp));
    for (int d = 0; d < dims; d++) extents[d] = m.decomp.cells[d] + 2 * WIDTH;
    for (int f = 0; f < FIELDS; f++) {
        MX_TRY(mx_view_create(ctx, "field", MX_F64, dims, extents, NULL, &m.field[f]));
        MX_TRY(mx_mirror_create(m.field[f], &m.host[f]));
    }
    MX_TRY(exchange_all(comm, &m));
    for (int f = 0; f < FIELDS; f++) {
        MX_TRY(mx_view_destroy(&m.field[f]));
        MX_TRY(mx_view_destroy(&m.host[f]));
    }
    return MX_OK;
}

/* A rank with fewer cells than the halo is wide is refused, on all ranks alike. */
static void try_too_narrow(app_comm comm, mx_ctx ctx)
{
    app_decomp decomp;
    app_halo halo;
    const mx_gid cells[] = {app_size(comm) * 2, 1};
    if (app_size(comm) == 1) return;
    CHECK_OK(app_decomp_create(comm, 2, cells, &decomp));
    CHECK(app_halo_create(comm, ctx, &decomp, WIDTH, 1, APP_GPU_MPI_AUTO, &halo) == MX_ERR_INPUT);
    CHECK(halo == NULL);
}

static mx_err try_backend(app_comm comm, const char *backend)
{
    static const mx_gid flat[][2] = {{12, 12}, {40, 13}, {13, 41}},
                        deep[][3] = {{12, 12, 12}, {14, 13, 25}};
    mx_ctx ctx;
    MX_TRY(mx_ctx_create(backend, &ctx));
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++)
        MX_TRY(try_mesh(comm, ctx, 2, flat[i]));
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++)
        MX_TRY(try_mesh(comm, ctx, 3, deep[i]));
    try_too_narrow(comm, ctx);
    mx_ctx_destroy(&ctx);
    CHECK_I64(mx_views_alive(), 0);
    return MX_OK;
}

int main(int argc, char **argv)
{
    app_comm comm;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    CHECK_OK(mx_init());
    for (int b = 0; mx_backend_name(b) != NULL; b++)
        if (mx_backend_available(mx_backend_name(b), NULL))
            CHECK_OK(try_backend(comm, mx_backend_name(b)));
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}

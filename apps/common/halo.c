/* See halo.h for the method. A neighbour is a direction v, one of -1, 0, +1 in each dimension (not all 0). In each
 * dimension, with n own cells and depth g:
 *
 *          v     cells sent        ghosts received
 *         -1     [0, g)            [-g, 0)
 *          0     [0, n)            [0, n)
 *         +1     [n-g, n)          [n, n+g)
 *
 * A message's tag is its direction as the sender sees it; the receiver's is the opposite one. Invariants:
 *  1. segment s of the send and of the receive table have the same neighbour, and the same length on both ranks;
 *  2. between begin and end, requests are active and neither buffer is accessed. */
#include "halo.h"

#include "comm_mpi.h"
#include "halo_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NEIGHBOURS = APP_HALO_SEGMENTS_3D };

typedef struct neighbour {
    int rank, send_tag, receive_tag;
    int direction[APP_MAX_DIMS];
} neighbour;

struct app_halo {
    app_comm comm;
    mx_ctx ctx;
    app_decomp decomp;
    int width, fields;
    const char *path;
    mx_view send, receive;
    double *send_data, *receive_data; /* the addresses for MPI */
    int neighbours;
    neighbour neighbour[MAX_NEIGHBOURS];
    MPI_Request request[2 * MAX_NEIGHBOURS];
    /* the active exchange; 0 segments: none */
    int segments, total;
    const neighbour *to[MAX_NEIGHBOURS];
    app_halo_2d_args pack_2d, unpack_2d;
    app_halo_3d_args pack_3d, unpack_3d;
};

/* ---- neighbours ---- */

static int tag_of(const int *direction, int sign)
{
    int tag = 0;
    for (int d = 0; d < APP_MAX_DIMS; d++) tag = 3 * tag + 1 + sign * direction[d];
    return tag;
}

static int faces_crossed(const neighbour *n)
{
    return abs(n->direction[0]) + abs(n->direction[1]) + abs(n->direction[2]);
}

/* The rank in this direction, or -1 at the domain's edge. Ranks count with the last dimension fastest. */
static int rank_at(const app_decomp *decomp, const int *direction)
{
    int rank = 0;
    for (int d = 0; d < decomp->dims; d++) {
        const int c = decomp->coord[d] + direction[d];
        if (c < 0 || c >= decomp->ranks[d]) return -1;
        rank = rank * decomp->ranks[d] + c;
    }
    return rank;
}

static void find_neighbours(app_halo h)
{
    const int last = h->decomp.dims == 3 ? 1 : 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -last; k <= last; k++) {
                const int direction[] = {i, j, k};
                const int rank = rank_at(&h->decomp, direction);
                if (rank < 0 || (i == 0 && j == 0 && k == 0)) continue;
                neighbour *n = &h->neighbour[h->neighbours++];
                memcpy(n->direction, direction, sizeof direction);
                n->rank = rank;
                n->send_tag = tag_of(direction, +1);
                n->receive_tag = tag_of(direction, -1);
            }
}

static mx_err check_cells(app_halo h)
{
    for (int d = 0; d < h->decomp.dims; d++)
        MX_REQUIRE(
            h->decomp.ranks[d] == 1 || h->decomp.cells[d] >= h->width, MX_ERR_INPUT,
            "a rank has %d cells along dimension %d, fewer than its halo of %d: use fewer ranks",
            h->decomp.cells[d], d, h->width);
    return MX_OK;
}

/* ---- buffers ---- */

static mx_gid cells_towards(const app_decomp *decomp, const int *direction, int depth)
{
    mx_gid cells = 1;
    for (int d = 0; d < decomp->dims; d++) cells *= direction[d] == 0 ? decomp->cells[d] : depth;
    return cells;
}

static mx_err choose_space(app_halo h, app_gpu_mpi gpu_mpi, mx_view_options *options)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(h->ctx, &info));
    const bool on_device = info.device >= 0;
    const bool able = on_device && app_comm_device_aware(h->comm);
    MX_REQUIRE(gpu_mpi != APP_GPU_MPI_ON || able || !on_device, MX_ERR_INPUT,
               "--gpu-mpi=on: %s does not take device memory; use auto or off",
               app_comm_version(h->comm));
    if (info.host_accessible) {
        h->path = "host memory";
    } else if (able && gpu_mpi != APP_GPU_MPI_OFF) {
        h->path = "device memory";
    } else {
        h->path = "pinned host memory";
        options->space = MX_SPACE_STAGING;
    }
    if (app_size(h->comm) == 1) h->path = "none (one rank)";
    return MX_OK;
}

static mx_err make_buffers(app_halo h, app_gpu_mpi gpu_mpi)
{
    mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, false, false};
    mx_gid values = 0;
    mx_view_info info;
    for (int n = 0; n < h->neighbours; n++)
        values += cells_towards(&h->decomp, h->neighbour[n].direction, h->width) * h->fields;
    MX_REQUIRE(values <= INT32_MAX, MX_ERR_EXTENT,
               "a halo of %" MX_PRI_GID " values is too large for one rank: use more ranks",
               values);
    MX_TRY(choose_space(h, gpu_mpi, &options));
    MX_TRY(mx_view_create(h->ctx, "halo send buffer", MX_F64, 1, &values, &options, &h->send));
    MX_TRY(
        mx_view_create(h->ctx, "halo receive buffer", MX_F64, 1, &values, &options, &h->receive));
    MX_TRY(mx_view_get_info(h->send, &info));
    h->send_data = info.data;
    MX_TRY(mx_view_get_info(h->receive, &info));
    h->receive_data = info.data;
    MX_TRY(mx_bind(h->ctx, h->send, &h->pack_2d.buffer));
    MX_TRY(mx_bind(h->ctx, h->receive, &h->unpack_2d.buffer));
    h->pack_3d.buffer = h->pack_2d.buffer;
    h->unpack_3d.buffer = h->unpack_2d.buffer;
    return MX_OK;
}

static mx_err set_up(app_halo h, app_gpu_mpi gpu_mpi)
{
    MX_TRY(check_cells(h));
    find_neighbours(h);
    return make_buffers(h, gpu_mpi);
}

mx_err app_halo_create(app_comm comm, mx_ctx ctx, const app_decomp *decomp, int width, int fields,
                       app_gpu_mpi gpu_mpi, app_halo *halo)
{
    *halo = NULL;
    MX_REQUIRE(width >= 1 && fields >= 1 && fields <= APP_HALO_MAX_FIELDS, MX_ERR_ARG,
               "a halo of width %d for %d fields, expected at least 1 and 1 to %d", width, fields,
               APP_HALO_MAX_FIELDS);
    app_halo h = calloc(1, sizeof *h);
    mx_err err = h != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for a halo");
    if (err == MX_OK) {
        h->comm = comm;
        h->ctx = ctx;
        h->decomp = *decomp;
        h->width = width;
        h->fields = fields;
        err = set_up(h, gpu_mpi);
    }
    err = app_agree(comm, err);
    if (err != MX_OK) {
        app_halo_destroy(&h);
        return MX_PASS(err);
    }
    *halo = h;
    return MX_OK;
}

void app_halo_destroy(app_halo *halo)
{
    if (halo == NULL || *halo == NULL) return;
    (void)mx_view_destroy(&(*halo)->send);
    (void)mx_view_destroy(&(*halo)->receive);
    free(*halo);
    *halo = NULL;
}

bool app_halo_needed(app_halo halo) { return halo->neighbours > 0; }

const char *app_halo_path(app_halo halo) { return halo->path; }

/* ---- exchanges ---- */

/* Cells sent to, or ghosts received from, a neighbour. */
static app_halo_segment segment_of(const app_halo h, const neighbour *n, int depth, bool ghosts,
                                   int start)
{
    app_halo_segment s = {start, {0, 0, 0}, {1, 1, 1}};
    for (int d = 0; d < h->decomp.dims; d++) {
        const int cells = h->decomp.cells[d], v = n->direction[d];
        s.extent[d] = v == 0 ? cells : depth;
        s.begin[d] = h->width + (v > 0 ? cells : 0);
        if (v > 0 && !ghosts) s.begin[d] -= depth;
        if (v < 0 && ghosts) s.begin[d] -= depth;
    }
    return s;
}

/* Fills the tables of both directions. */
static void plan(app_halo h, int depth, int count, app_halo_corners corners)
{
    app_halo_segment send[MAX_NEIGHBOURS], receive[MAX_NEIGHBOURS];
    h->segments = h->total = 0;
    for (int n = 0; n < h->neighbours; n++) {
        const neighbour *to = &h->neighbour[n];
        if (corners == APP_HALO_FACES && faces_crossed(to) > 1) continue;
        const int s = h->segments++;
        send[s] = segment_of(h, to, depth, false, h->total);
        receive[s] = segment_of(h, to, depth, true, h->total);
        h->to[s] = to;
        h->total += (int)cells_towards(&h->decomp, to->direction, depth) * count;
    }
    const size_t bytes = (size_t)h->segments * sizeof send[0];
    h->pack_2d.segments = h->unpack_2d.segments = h->pack_3d.segments = h->unpack_3d.segments =
        h->segments;
    if (h->decomp.dims == 2) {
        memcpy(h->pack_2d.segment, send, bytes);
        memcpy(h->unpack_2d.segment, receive, bytes);
    } else {
        memcpy(h->pack_3d.segment, send, bytes);
        memcpy(h->unpack_3d.segment, receive, bytes);
    }
}

/* Entries behind the last field are bound to the first one: they are not used, and every accessor of a launch must be bound. */
static mx_err bind_fields(app_halo h, const mx_view *fields, int count)
{
    for (int f = 0; f < APP_HALO_FIELDS; f++) {
        const mx_view field = fields[f < count ? f : 0];
        if (h->decomp.dims == 2) {
            MX_TRY(mx_bind(h->ctx, field, &h->pack_2d.field[f]));
            h->unpack_2d.field[f] = h->pack_2d.field[f];
        } else {
            MX_TRY(mx_bind(h->ctx, field, &h->pack_3d.field[f]));
            h->unpack_3d.field[f] = h->pack_3d.field[f];
        }
    }
    return MX_OK;
}

/* Posts all messages. Before, ctx must have completed the packing of this exchange and the unpacking of the last one. */
static mx_err post(app_halo h)
{
    const app_halo_segment *segment = h->decomp.dims == 2 ? h->pack_2d.segment : h->pack_3d.segment;
    const MPI_Comm comm = app_comm_mpi(h->comm);
    for (int s = 0; s < h->segments; s++) {
        const int start = segment[s].start,
                  end = s + 1 < h->segments ? segment[s + 1].start : h->total;
        const neighbour *to = h->to[s];
        APP_MPI_TRY(MPI_Irecv(h->receive_data + start, end - start, MPI_DOUBLE, to->rank,
                              to->receive_tag, comm, &h->request[s]));
        APP_MPI_TRY(MPI_Isend(h->send_data + start, end - start, MPI_DOUBLE, to->rank, to->send_tag,
                              comm, &h->request[h->segments + s]));
    }
    return MX_OK;
}

mx_err app_halo_begin(app_halo h, int depth, const mx_view *fields, int count,
                      app_halo_corners corners)
{
    MX_REQUIRE(depth >= 1 && depth <= h->width && count >= 1 && count <= h->fields, MX_ERR_ARG,
               "an exchange of %d fields at depth %d, expected 1 to %d and 1 to %d", count, depth,
               h->fields, h->width);
    MX_REQUIRE(h->segments == 0, MX_ERR_ARG,
               "a halo exchange begins before the last one has ended");
    if (h->neighbours == 0) return MX_OK;
    MX_TRY(bind_fields(h, fields, count));
    plan(h, depth, count, corners);
    const mx_range_1 all = mx_range_1d(h->ctx, 0, h->total);
    MX_TRY(h->decomp.dims == 2 ? app_halo_pack_2d(all, &h->pack_2d)
                               : app_halo_pack_3d(all, &h->pack_3d));
    MX_TRY(mx_fence(h->ctx));
    return post(h);
}

mx_err app_halo_end(app_halo h)
{
    if (h->segments == 0) return MX_OK;
    APP_MPI_TRY(MPI_Waitall(2 * h->segments, h->request, MPI_STATUSES_IGNORE));
    const mx_range_1 all = mx_range_1d(h->ctx, 0, h->total);
    h->segments = 0;
    return h->decomp.dims == 2 ? app_halo_unpack_2d(all, &h->unpack_2d)
                               : app_halo_unpack_3d(all, &h->unpack_3d);
}

mx_err app_halo_exchange(app_halo h, int depth, const mx_view *fields, int count,
                         app_halo_corners corners)
{
    MX_TRY(app_halo_begin(h, depth, fields, count, corners));
    return app_halo_end(h);
}

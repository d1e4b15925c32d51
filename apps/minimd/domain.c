/* Bricks, migration and ghosts.
 *
 * Each rank has a brick of the box, and as ghosts the images of all atoms that are within the list's cutoff of the brick along each
 * axis. Offsets between bricks, (x, y, z) with up to `range` bricks along each axis, name both where an image comes from and which
 * neighbour it is for: an atom of brick b that brick b + k needs is sent to the rank of b + k, which knows it by the
 * opposite offset. So there is one mechanism for neighbouring ranks, for several bricks within a cutoff, and for images of a rank's own
 * atoms across the periodic box; and any two ranks agree on their messages without asking. A box shorter than the
 * cutoff has several images of an atom.
 *
 * New borders (md_make_borders) take four launches on the device: a scan finds the images, in the order of atoms; a sort
 * puts them in the order of offsets; their atoms are gathered. The host reads the number of images and how many go
 * to each offset, and ranks tell each other these numbers. After that, and until atoms are sorted again, an exchange of positions is
 * a kernel that packs, messages, and a kernel that unpacks. */
#include "md_app.h"
#include "minx/sort.h"

#include <math.h>
#include <stdlib.h>

/* ---- the bricks ---- */

/* Parts of the longest side, for app_decomp, which needs whole cells to find the grid of ranks of least surface. */
enum { CELLS = 960 };

static mx_err choose_bricks(md_app *app)
{
    md_box *const box = &app->box;
    app_decomp decomp;
    mx_gid cells[3];
    const double longest = fmax(box->length[0], fmax(box->length[1], box->length[2]));
    for (int d = 0; d < 3; d++) {
        const long share = lround(CELLS * box->length[d] / longest);
        cells[2 - d] = share > 0 ? share : 1;
    }
    MX_TRY(app_decomp_create(app->base.comm, 3, cells, &decomp));
    for (int d = 0; d < 3; d++) {
        box->ranks[d] = decomp.ranks[2 - d];
        box->brick[d] = decomp.coord[2 - d];
    }
    return MX_OK;
}

/* Brick k away is k - 1 bricks from the nearest face: is that within the cutoff? */
static mx_err choose_range(md_app *app)
{
    const md_box *const box = &app->box;
    for (int d = 0; d < 3; d++) {
        const double bricks = app->list_cutoff * box->ranks[d] / box->length[d];
        MX_REQUIRE(bricks < MD_MAX_RANGE, MX_ERR_INPUT,
                   "the list's cutoff %g goes over %g of %d bricks along %c, in a box of %g (limit "
                   "%d): use fewer ranks or a larger box",
                   app->list_cutoff, floor(bricks), box->ranks[d], "xyz"[d], box -> length[d],
                   MD_MAX_RANGE - 1);
        app->around.range[d] = 1 + (int)bricks;
    }
    return MX_OK;
}

mx_err md_make_domain(md_app *app)
{
    MX_TRY(app_agree(app->base.comm, choose_bricks(app)));
    MX_TRY(choose_range(app));
    MX_TRY(mx_view_create_1d(app->base.ctx, "send begins", MX_I32,
                             md_around_count(&app->around) + 1, &app->views.send_begin));
    MX_TRY(app_migration_create(app->base.transport, "atoms", &app->migration));
    MX_TRY(app_sparse_create(app->base.comm, &app->sparse));
    return app_index_exchange_create(app->base.transport, "ghosts", &app->halo);
}

/* ---- migration ---- */

/* All atoms are still there, and have positions. */
static mx_err count_atoms(md_app *app, const md_placed *placed)
{
    int64_t sums[] = {app->own, placed->lost, placed->far};
    MX_TRY(app_sum_i64(app->base.comm, sums, 3));
    if (app->input.check_exchange && sums[2] > 0)
        app_note(&app->base,
                 "check_exchange: until step %lld, %lld atoms moved farther than to a neighbouring "
                 "rank",
                 (long long)app->step, (long long)sums[2]);
    if (sums[0] == app->atoms && sums[1] == 0) return MX_OK;
    return app_agree(app->base.comm,
                     MX_FAIL(MX_ERR_BOUNDS,
                             "lost atoms: at step %lld %lld of %lld have a position in the box; "
                             "is the time step too long?",
                             (long long)app->step, (long long)(sums[0] - sums[1]),
                             (long long)app->atoms));
}

static mx_err move_atoms(md_app *app)
{
    md_views *const v = &app->views;
    mx_view *const fields[] = {&v->position, &v->velocity, &v->type, &v->id};
    mx_view_info info;
    bool grown = false;
    MX_TRY(app_migrate(app->migration, v->rank, &app->own, fields, 4, &grown));
    if (!grown) return MX_OK;
    MX_TRY(mx_view_get_info(v->position, &info));
    MX_TRY(md_reserve(app, info.extent[0]));
    return md_bind(app);
}

mx_err md_migrate(md_app *app)
{
    md_place_args args = {.box = app->box};
    md_placed placed;
    MX_TRY(md_place_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_place_atoms(md_own(app), &args, &placed));
    app->ghosts = 0;
    if (app_size(app->base.comm) > 1) MX_TRY(move_atoms(app));
    return count_atoms(app, &placed);
}

/* ---- which atoms are ghosts elsewhere ---- */

/* Room for so many images, and a quarter more. */
static mx_err reserve_images(md_app *app, int64_t images)
{
    mx_view *const views[] = {&app->views.image_atom, &app->views.image_place, &app->views.send};
    static const char *const labels[] = {"image atoms", "image places", "sent atoms"};
    const int64_t room = images + images / 4 + 64;
    MX_REQUIRE(room <= MX_INDEX_END, MX_ERR_EXTENT,
               "%lld images of atoms of one rank are too many (limit %d): use more ranks",
               (long long)images, MX_INDEX_END);
    for (int i = 0; i < 3; i++) {
        MX_TRY(mx_view_destroy(views[i]));
        MX_TRY(mx_view_create_1d(app->base.ctx, labels[i], MX_I32, room, views[i]));
    }
    app->image_room = (mx_lid)room;
    return MX_OK;
}

static mx_err find_images(md_app *app, int64_t *images)
{
    md_images_args args = {.box = app->box,
                           .around = app->around,
                           .cutoff = app->list_cutoff,
                           .room = app->image_room};
    if (app->image_room == 0) MX_TRY(reserve_images(app, app->own / 2));
    for (;;) {
        args.room = app->image_room;
        MX_TRY(md_images_args_bind(app->base.ctx, &app->views, &args));
        MX_TRY(md_find_images(md_own(app), &args, images));
        if (*images <= app->image_room) return MX_OK;
        MX_TRY(reserve_images(app, *images));
    }
}

/* Sorts the images by bricks; begin[p] is where those of place p begin. */
static mx_err sort_images(md_app *app, int64_t images, int32_t *begin)
{
    const mx_ctx ctx = app->base.ctx;
    md_gather_args args;
    mx_view places;
    MX_TRY(mx_subview(app->views.image_place, MX_SLICES(mx_span(0, images)), &places));
    const mx_err err = mx_bin_sort(ctx, places, app->views.send_begin, places);
    MX_TRY(mx_view_destroy(&places));
    MX_TRY(err);
    MX_TRY(md_gather_args_bind(ctx, &app->views, &args));
    MX_TRY(md_gather_images(mx_range_1d(ctx, 0, images), &args));
    return mx_export(ctx, app->views.send_begin, begin, NULL);
}

/* ---- the neighbours ---- */

/* The bricks around, in the order of places, without the own one. */
typedef struct neighbours {
    int count; /* of places; the own one included */
    app_index_neighbour *at;
    double *shift; /* three for each */
} neighbours;

static void free_neighbours(neighbours *n)
{
    free(n->at);
    free(n->shift);
}

/* Place p of the box around this brick: the offset along each axis. */
static void offset_of(const md_around *around, int place, int *offset)
{
    for (int d = 0; d < 3; d++) {
        offset[d] = place % md_around_size(around, d) - around->range[d];
        place /= md_around_size(around, d);
    }
}

static mx_err list_neighbours(const md_app *app, const int32_t *begin, neighbours *n)
{
    const md_box *const box = &app->box;
    n->count = md_around_count(&app->around);
    n->at = calloc((size_t)n->count, sizeof *n->at);
    n->shift = calloc(3 * (size_t)n->count, sizeof *n->shift);
    MX_REQUIRE(n->at != NULL && n->shift != NULL, MX_ERR_MEMORY, "no memory for %d neighbours",
               n->count);
    for (int p = 0; p < n->count; p++) {
        int brick[3];
        offset_of(&app->around, p, brick);
        for (int d = 0; d < 3; d++) {
            brick[d] += box->brick[d];
            n->shift[3 * p + d] = -box->length[d] * md_brick_turns(box, d, brick[d]);
        }
        n->at[p] = (app_index_neighbour){.rank = md_brick_rank(box, brick),
                                         .send_tag = p,
                                         .receive_tag = n->count - 1 - p,
                                         .sends = begin[p + 1] - begin[p]};
    }
    return MX_OK;
}

/* A number of images that are on their way, and their tag. */
typedef struct announcement {
    int32_t tag, images;
} announcement;

/* Sends each rank the numbers of images that it is to get, and receives those for this one. */
static mx_err announce(md_app *app, neighbours *n, announcement *all, app_block *blocks)
{
    int ranks = 0, written = 0;
    for (int p = 0; p < n->count; p++) {
        int first = 0;
        while (n->at[first].rank != n->at[p].rank) first++;
        if (first < p) continue; /* in the block of `first` */
        const int begin = written;
        for (int q = p; q < n->count; q++)
            if (n->at[q].rank == n->at[p].rank)
                all[written++] = (announcement){n->at[q].send_tag, n->at[q].sends};
        blocks[ranks++] = (app_block){.rank = n->at[p].rank,
                                      .bytes = (size_t)(written - begin) * sizeof *all,
                                      .data = &all[begin]};
    }
    app_blocks received;
    mx_err err = app_sparse_alltoall(app->sparse, blocks, ranks, &received);
    for (int b = 0; err == MX_OK && b < received.count; b++) {
        const announcement *const got = received.block[b].data;
        const size_t entries = received.block[b].bytes / sizeof *got;
        for (size_t i = 0; i < entries; i++)
            n->at[n->count - 1 - got[i].tag].receives = got[i].images;
    }
    app_blocks_free(&received);
    return err;
}

static mx_err exchange_counts(md_app *app, neighbours *n)
{
    if (app_size(app->base.comm) == 1) {
        for (int p = 0; p < n->count; p++) n->at[p].receives = n->at[n->count - 1 - p].sends;
        return MX_OK;
    }
    announcement *const all = calloc((size_t)n->count, sizeof *all);
    app_block *const blocks = calloc((size_t)n->count, sizeof *blocks);
    mx_err err = all != NULL && blocks != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for %d neighbours", n->count);
    err = app_agree(app->base.comm, err);
    if (err == MX_OK) err = announce(app, n, all, blocks);
    free(all);
    free(blocks);
    return err;
}

/* Gives the exchange its lists: all places but the own one, which has no images. */
static mx_err set_neighbours(md_app *app, neighbours *n)
{
    const int middle = n->count / 2;
    int64_t ghosts = 0;
    for (int p = 0; p < n->count; p++) ghosts += n->at[p].receives;
    MX_TRY(md_reserve(app, app->own + ghosts));
    app->ghosts = (mx_lid)ghosts;
    for (int p = middle; p < n->count - 1; p++) {
        n->at[p] = n->at[p + 1];
        for (int d = 0; d < 3; d++) n->shift[3 * p + d] = n->shift[3 * (p + 1) + d];
    }
    MX_TRY(app_index_lists(app->halo, n->at, n->count - 1, app->views.send, app->own));
    return app_index_shifts(app->halo, n->shift, 3);
}

/* ---- ghosts ---- */

static mx_err connect(md_app *app, const int32_t *begin)
{
    neighbours n = {0};
    mx_err err = app_agree(app->base.comm, list_neighbours(app, begin, &n));
    if (err == MX_OK) err = exchange_counts(app, &n);
    if (err == MX_OK) err = app_agree(app->base.comm, set_neighbours(app, &n));
    free_neighbours(&n);
    return err;
}

mx_err md_make_borders(md_app *app)
{
    const int places = md_around_count(&app->around);
    int64_t images;
    int32_t *const begin = calloc((size_t)places + 1, sizeof *begin);
    mx_err err = begin != NULL ? find_images(app, &images)
                               : MX_FAIL(MX_ERR_MEMORY, "no memory for %d neighbours", places);
    if (err == MX_OK) err = sort_images(app, images, begin);
    err = app_agree(app->base.comm, err);
    if (err == MX_OK) err = connect(app, begin);
    free(begin);
    if (err != MX_OK) return err;
    const mx_view fields[] = {app->views.position, app->views.type};
    return app_forward(app->halo, 2, fields, APP_SHIFTED);
}

mx_err md_update_ghosts(md_app *app)
{
    return app_forward(app->halo, 1, &app->views.position, APP_SHIFTED);
}

mx_err md_update_ghosts_begin(md_app *app)
{
    return app_forward_begin(app->halo, 1, &app->views.position, APP_SHIFTED);
}

mx_err md_update_ghosts_end(md_app *app) { return app_forward_end(app->halo); }

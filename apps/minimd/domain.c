/* Bricks, migration and ghosts.
 *
 * Each rank has a brick of the box, and as ghosts the images of all atoms that are within the
 * list's cutoff of the brick along each axis. Offsets between bricks, (x, y, z) with up to `range`
 * bricks along each axis, name both where an image comes from and which neighbour it is for: an
 * atom of brick b that brick b + k needs is sent to the rank of b + k, which knows it by the
 * opposite offset. So there is one mechanism for neighbouring ranks, for several bricks within a
 * cutoff, and for images of a rank's local atoms across the periodic box; and any two ranks agree
 * on their messages without asking. A box shorter than the cutoff has several images of an atom.
 *
 * Offsets are numbered as places (md_around). Neighbours are all places but that of the rank's own
 * brick, in the order of their ranks, so that all images for one rank are one message:
 *
 *      ghosts for   | rank 0: place 3, place 12 | rank 1: place 0, place 1, ...        place p there is place count - 1 - p here
 *
 * New borders (md_make_borders) take four launches on the device: a scan finds the images, in the
 * order of atoms; a sort puts them in the order of neighbours; their atoms are gathered. The host
 * reads the number of images and how many go to each neighbour, and ranks tell each other these
 * numbers. After that, and until atoms are sorted again, an exchange of positions is a kernel that
 * packs, messages, and a kernel that unpacks. */
#include "md_app.h"
#include "minx/kit/sort.h"

#include <math.h>
#include <stdlib.h>

/* ---- the bricks ---- */

/* Parts of the longest side, for app_decomp, which needs whole cells to find the grid of ranks of
 * least surface. */
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

/* It is valid, but seldom meant. */
static void print_own_images(app_base *base, const md_box *box, double cutoff)
{
    int d = 0;
    for (int other = 1; other < 3; other++)
        if (box->length[other] < box->length[d]) d = other;
    if (cutoff < box->length[d]) return;
    app_print_note(
        base,
        "the cutoff, %g, is not shorter than the box along %c, %g: atoms interact with images "
        "of themselves",
        cutoff, "xyz"[d], box -> length[d]);
}

/* ---- the neighbours ---- */

/* Place p of the box around this brick: the brick there. */
static void brick_of(const md_app *app, int place, int *brick)
{
    for (int d = 0; d < 3; d++) {
        const int size = md_around_size(&app->around, d);
        brick[d] = app->box.brick[d] + place % size - app->around.range[d];
        place /= size;
    }
}

/* Neighbour n is place `place`, in the order of ranks; the opposite tags of one rank come in the
 * opposite order. */
static void set_neighbour(md_app *app, int n, int place, int opposite)
{
    md_peers *const all = &app->peers;
    int brick[3];
    brick_of(app, place, brick);
    all->at[n] = (app_index_neighbour){.rank = md_brick_rank(&app->box, brick),
                                       .send_tag = place,
                                       .receive_tag = md_around_count(&app->around) - 1 - opposite};
    for (int d = 0; d < 3; d++)
        all->shift[3 * n + d] = -app->box.length[d] * md_brick_turns(&app->box, d, brick[d]);
}

typedef struct place_of_rank {
    int rank, place;
} place_of_rank;

static int compare_places(const void *a, const void *b)
{
    const place_of_rank *const x = a, *const y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : x->place - y->place;
}

/* The neighbours, from a table of all places that is sorted by rank; slot(p) is the neighbour of
 * place p. */
static void list_neighbours(md_app *app, place_of_rank *table, int32_t *slot)
{
    const int places = md_around_count(&app->around);
    int count = 0;
    for (int p = 0; p < places; p++) {
        int brick[3];
        brick_of(app, p, brick);
        slot[p] = places - 1; /* of the rank's own brick: no neighbour */
        if (p != places / 2) table[count++] = (place_of_rank){md_brick_rank(&app->box, brick), p};
    }
    qsort(table, (size_t)count, sizeof *table, compare_places);
    for (int begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && table[end].rank == table[begin].rank) end++;
        for (int n = begin; n < end; n++) {
            set_neighbour(app, n, table[n].place, table[begin + end - 1 - n].place);
            slot[table[n].place] = n;
        }
    }
}

static mx_err make_neighbours(md_app *app)
{
    md_peers *const n = &app->peers;
    const int places = md_around_count(&app->around);
    const size_t room = (size_t)places;
    place_of_rank *const table = calloc(room, sizeof *table);
    n->at = calloc(room, sizeof *n->at);
    n->shift = calloc(3 * room, sizeof *n->shift);
    n->begin = calloc(room + 1, sizeof *n->begin); /* first as slots */
    mx_err err = table != NULL && n->at != NULL && n->shift != NULL && n->begin != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for %d neighbours", places);
    if (err == MX_OK) {
        n->count = places - 1;
        list_neighbours(app, table, n->begin);
        err = mx_view_create_1d(app->base.ctx, "slots", MX_I32, places, &app->views.slot);
    }
    if (err == MX_OK) err = mx_import(app->base.ctx, app->views.slot, n->begin, NULL);
    if (err == MX_OK)
        err =
            mx_view_create_1d(app->base.ctx, "send begins", MX_I32, places, &app->views.send_begin);
    free(table);
    return err;
}

mx_err md_make_domain(md_app *app)
{
    MX_TRY(app_agree(app->base.comm, choose_bricks(app)));
    MX_TRY(choose_range(app));
    print_own_images(&app->base, &app->box, app->force_cutoff);
    MX_TRY(app_agree(app->base.comm, make_neighbours(app)));
    MX_TRY(app_migration_create(app->base.transport, "atoms", &app->migration));
    MX_TRY(app_sparse_create(app->base.comm, &app->sparse));
    return app_index_exchange_create(app->base.transport, "ghosts", &app->halo);
}

void md_free_domain(md_app *app)
{
    app_index_exchange_destroy(&app->halo);
    app_migration_destroy(&app->migration);
    app_sparse_destroy(&app->sparse);
    free(app->peers.at);
    free(app->peers.shift);
    free(app->peers.begin);
    app->peers = (md_peers){0};
}

/* ---- migration ---- */

/* All atoms are still there, and have positions. */
static mx_err count_atoms(md_app *app, const md_placed *placed)
{
    int64_t sums[] = {app->local, placed->lost, placed->far};
    MX_TRY(app_sum_i64(app->base.comm, sums, 3));
    if (app->input.check_exchange && sums[2] > 0)
        app_print_note(
            &app->base,
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
    /* the last one goes with the atoms at a restart (md_resume), and is made anew by each list */
    mx_view *const fields[] = {&v->position, &v->velocity, &v->type, &v->id, &v->built_position};
    const int count = md_keeps_built(app) ? 5 : 4;
    mx_view_info info;
    bool grown = false;
    MX_TRY(app_migrate(app->migration, v->rank, &app->local, fields, count, &grown));
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
    MX_TRY(md_place_atoms(md_local_range(app), &args, &placed));
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
    const md_box *const box = &app->box;
    md_images_args args = {.around = app->around};
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < app->around.range[d]; k++) {
            args.above[d][k] = md_brick_low(box, d, box->brick[d] + k + 1) - app->list_cutoff;
            args.below[d][k] = md_brick_low(box, d, box->brick[d] - k) + app->list_cutoff;
        }
    }
    if (app->image_room == 0) MX_TRY(reserve_images(app, app->local / 2));
    for (;;) {
        args.room = app->image_room;
        MX_TRY(md_images_args_bind(app->base.ctx, &app->views, &args));
        MX_TRY(md_find_images(md_local_range(app), &args, images));
        if (*images <= app->image_room) return MX_OK;
        MX_TRY(reserve_images(app, *images));
    }
}

/* Sorts the images by neighbours. */
static mx_err sort_images(md_app *app, int64_t images)
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
    MX_TRY(mx_export(ctx, app->views.send_begin, app->peers.begin, NULL));
    for (int n = 0; n < app->peers.count; n++)
        app->peers.at[n].sends = app->peers.begin[n + 1] - app->peers.begin[n];
    return MX_OK;
}

/* ---- how many come from each neighbour ---- */

/* The first neighbour of the next rank. */
static int end_of_rank(const md_peers *n, int begin)
{
    int end = begin;
    while (end < n->count && n->at[end].rank == n->at[begin].rank) end++;
    return end;
}

/* Stores the numbers that a rank announced. It has as many neighbours here as this rank has
 * there. */
static mx_err store_counts(md_peers *n, const app_block *block)
{
    const int32_t *const counts = block->data;
    int begin = 0;
    while (begin < n->count && n->at[begin].rank != block->rank) begin++;
    const int end = end_of_rank(n, begin);
    MX_REQUIRE(block->bytes == (size_t)(end - begin) * sizeof *counts, MX_ERR_COMM,
               "rank %d announces ghosts in %zu bytes, expected %zu", block->rank, block->bytes,
               (size_t)(end - begin) * sizeof *counts);
    for (int at = begin; at < end; at++) n->at[at].receives = counts[at - begin];
    return MX_OK;
}

/* Tells each rank the numbers of images that it is to get, and hears those that this one is to
 * get. */
static mx_err announce(md_app *app, int32_t *counts, app_block *blocks)
{
    md_peers *const n = &app->peers;
    app_blocks received;
    int ranks = 0;
    for (int begin = 0, end = 0; begin < n->count; begin = end) {
        end = end_of_rank(n, begin);
        for (int at = begin; at < end; at++) counts[at] = n->at[at].sends;
        blocks[ranks++] = (app_block){.rank = n->at[begin].rank,
                                      .bytes = (size_t)(end - begin) * sizeof *counts,
                                      .data = &counts[begin]};
    }
    mx_err err = app_sparse_alltoall(app->sparse, blocks, ranks, &received);
    for (int b = 0; err == MX_OK && b < received.count; b++)
        err = store_counts(n, &received.block[b]);
    app_blocks_free(&received);
    return err;
}

static mx_err exchange_counts(md_app *app)
{
    md_peers *const n = &app->peers;
    if (app_size(app->base.comm) == 1) { /* the rank receives what it sends, in the same order */
        for (int at = 0; at < n->count; at++) n->at[at].receives = n->at[at].sends;
        return MX_OK;
    }
    int32_t *const counts = calloc((size_t)n->count, sizeof *counts);
    app_block *const blocks = calloc((size_t)n->count, sizeof *blocks);
    mx_err err = counts != NULL && blocks != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for %d neighbours", n->count);
    err = app_agree(app->base.comm, err);
    if (err == MX_OK) err = announce(app, counts, blocks);
    free(counts);
    free(blocks);
    return err;
}

/* Gives the exchange its lists. */
static mx_err set_lists(md_app *app)
{
    const md_peers *const n = &app->peers;
    int64_t ghosts = 0;
    for (int at = 0; at < n->count; at++) ghosts += n->at[at].receives;
    MX_TRY(md_reserve(app, app->local + ghosts));
    app->ghosts = (mx_lid)ghosts;
    MX_TRY(app_index_lists(app->halo, n->at, n->count, app->views.send, app->local));
    MX_TRY(app_index_join(app->halo));
    return app_index_shifts(app->halo, n->shift, 3);
}

/* ---- ghosts ---- */

mx_err md_make_borders(md_app *app)
{
    int64_t images;
    mx_err err = find_images(app, &images);
    if (err == MX_OK) err = sort_images(app, images);
    MX_TRY(app_agree(app->base.comm, err));
    MX_TRY(exchange_counts(app));
    MX_TRY(app_agree(app->base.comm, set_lists(app)));
    const mx_view fields[] = {app->views.position, app->views.type}; /* they may have grown */
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

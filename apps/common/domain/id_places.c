/* Sorting by regular samples (Shi and Schaeffer 1992):
 *
 *   1. each rank sorts its ids, and gives one in every n / size of them as a sample
 *   2. the samples of all ranks, sorted, give size - 1 bounds: rank r gets the ids between two of
 *      them, at most twice the average number
 *   3. that rank sorts them; the first one's place is the number of ids on lower ranks
 *   4. the places go back
 *
 * Rejected: blocks of the range of ids (a few large ids would send nearly all to one rank). */
#include "id_places.h"

#include "comm/sparse_alltoall.h"
#include "slab.h"

#include <stdlib.h>
#include <string.h>

/* An id, and where its place belongs. */
typedef struct entry {
    mx_gid id;
    int64_t at;
} entry;

typedef struct places {
    app_comm comm;
    app_sparse sparse;
    mx_gid total;
    const mx_gid *ids;
    mx_lid n;
    mx_gid *places;
    entry *own;         /* [n], sorted */
    mx_gid *sorted;     /* [n]: the ids of these */
    mx_gid *bounds;     /* [size + 1]: rank r sorts ids from bounds[r] to before bounds[r + 1] */
    app_block *blocks;  /* [size]: what is sent */
    app_blocks arrived; /* ids, by rank */
    entry *here;        /* those, sorted; `at`: their number in the order in which they came */
    mx_gid *answers;    /* their places, in that order */
    mx_gid here_count;
} places;

static int compare_entries(const void *a, const void *b)
{
    const entry *const one = a, *const other = b;
    return (one->id > other->id) - (one->id < other->id);
}

static int compare_ids(const void *a, const void *b)
{
    const mx_gid one = *(const mx_gid *)a, other = *(const mx_gid *)b;
    return (one > other) - (one < other);
}

/* Step 1, but for the samples. */
static mx_err sort_own(places *p)
{
    const size_t n = (size_t)p->n + 1, size = (size_t)app_size(p->comm);
    p->own = calloc(n, sizeof *p->own);
    p->sorted = calloc(n, sizeof *p->sorted);
    p->bounds = calloc(size + 1, sizeof *p->bounds);
    p->blocks = calloc(size, sizeof *p->blocks);
    MX_REQUIRE(p->own && p->sorted && p->bounds && p->blocks, MX_ERR_MEMORY,
               "no memory for the order of %d ids", p->n);
    for (mx_lid i = 0; i < p->n; i++) p->own[i] = (entry){p->ids[i], i};
    qsort(p->own, (size_t)p->n, sizeof *p->own, compare_entries);
    for (mx_lid i = 0; i < p->n; i++) p->sorted[i] = p->own[i].id;
    return MX_OK;
}

/* A rank without ids gives samples that are larger than all ids. */
static mx_err find_bounds(places *p)
{
    const int size = app_size(p->comm);
    const size_t count = (size_t)size * (size_t)size;
    mx_gid *const mine = calloc((size_t)size, sizeof *mine);
    mx_gid *const all = calloc(count, sizeof *all);
    mx_err err = mine && all ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for samples of ids");
    err = app_agree(p->comm, err);
    for (int s = 0; err == MX_OK && s < size; s++)
        mine[s] = p->n > 0 ? p->sorted[(int64_t)s * p->n / size] : INT64_MAX;
    if (err == MX_OK) err = app_allgather(p->comm, mine, (size_t)size * sizeof *mine, all);
    if (err == MX_OK) {
        qsort(all, count, sizeof *all, compare_ids);
        for (int r = 1; r < size; r++) p->bounds[r] = all[(size_t)r * (size_t)size];
        p->bounds[size] = INT64_MAX;
    }
    free(mine);
    free(all);
    return err;
}

/* The largest id that there can be is INT64_MAX - 1: see app_id_places. */
static void fill_blocks(places *p)
{
    mx_lid i = 0;
    for (int r = 0; r < app_size(p->comm); r++) {
        const mx_lid first = i;
        while (i < p->n && p->sorted[i] < p->bounds[r + 1]) i++;
        p->blocks[r] = (app_block){
            .rank = r, .bytes = (size_t)(i - first) * sizeof *p->sorted, .data = p->sorted + first};
    }
}

/* Step 3: sorts what arrived, and finds ids that came twice. */
static mx_err sort_here(places *p)
{
    for (int b = 0; b < p->arrived.count; b++)
        p->here_count += (mx_gid)(p->arrived.block[b].bytes / sizeof(mx_gid));
    p->here = calloc((size_t)p->here_count + 1, sizeof *p->here);
    p->answers = calloc((size_t)p->here_count + 1, sizeof *p->answers);
    MX_REQUIRE(p->here && p->answers, MX_ERR_MEMORY, "no memory for the order of %lld ids",
               (long long)p->here_count);
    mx_gid next = 0;
    for (int b = 0; b < p->arrived.count; b++) {
        const mx_gid *const ids = p->arrived.block[b].data;
        const size_t count = p->arrived.block[b].bytes / sizeof *ids;
        for (size_t i = 0; i < count; i++, next++) p->here[next] = (entry){ids[i], next};
    }
    qsort(p->here, (size_t)next, sizeof *p->here, compare_entries);
    for (mx_gid i = 1; i < next; i++)
        MX_REQUIRE(p->here[i].id != p->here[i - 1].id, MX_ERR_ARG,
                   "two elements have the id %" MX_PRI_GID, p->here[i].id);
    return MX_OK;
}

static mx_err number_here(places *p)
{
    app_slab slab;
    MX_TRY(app_slab_stack(p->comm, p->here_count, &slab));
    MX_REQUIRE(slab.global[0] == p->total, MX_ERR_ARG,
               "%" MX_PRI_GID " elements have ids, expected %" MX_PRI_GID, slab.global[0],
               p->total);
    for (mx_gid i = 0; i < p->here_count; i++) p->answers[p->here[i].at] = slab.first[0] + i;
    return MX_OK;
}

/* Step 4: an answer is as long as its question, and goes to the same rank. */
static mx_err answer(places *p)
{
    app_blocks answers = {0};
    mx_gid *next = p->answers;
    for (int b = 0; b < p->arrived.count; b++) { /* there is one of each rank */
        p->blocks[b] = (app_block){p->arrived.block[b].rank, p->arrived.block[b].bytes, next};
        next += p->blocks[b].bytes / sizeof *next;
    }
    mx_err err = app_sparse_alltoall(p->sparse, p->blocks, p->arrived.count, &answers);
    mx_lid i = 0;
    for (int b = 0; err == MX_OK && b < answers.count; b++) {
        const mx_gid *const from = answers.block[b].data;
        const size_t count = answers.block[b].bytes / sizeof *from;
        for (size_t k = 0; k < count; k++) p->places[p->own[i++].at] = from[k];
    }
    app_blocks_free(&answers);
    return err;
}

static mx_err order(places *p)
{
    MX_TRY(app_agree(p->comm, sort_own(p)));
    MX_TRY(find_bounds(p));
    MX_TRY(app_sparse_create(p->comm, &p->sparse));
    fill_blocks(p);
    MX_TRY(app_sparse_alltoall(p->sparse, p->blocks, app_size(p->comm), &p->arrived));
    MX_TRY(app_agree(p->comm, sort_here(p)));
    MX_TRY(number_here(p));
    return answer(p);
}

/* *highest: of all ranks. */
static mx_err check_ids(app_comm comm, const mx_gid *ids, mx_lid n, mx_gid *highest)
{
    mx_err err = MX_OK;
    *highest = -1;
    for (mx_lid i = 0; i < n; i++) {
        if (ids[i] > *highest) *highest = ids[i];
        if ((ids[i] < 0 || ids[i] == INT64_MAX) && err == MX_OK)
            err = MX_FAIL(MX_ERR_ARG, "an element has the id %" MX_PRI_GID ", expected 0 or more",
                          ids[i]);
    }
    MX_TRY(app_agree(comm, err));
    return app_max_i64(comm, highest, 1);
}

mx_err app_id_places(app_comm comm, mx_gid total, const mx_gid *ids, mx_lid n, mx_gid *result)
{
    places p = {.comm = comm, .total = total, .ids = ids, .n = n, .places = result};
    mx_gid highest;
    MX_TRY(check_ids(comm, ids, n, &highest));
    if (highest < total) {
        if (n > 0) memcpy(result, ids, (size_t)n * sizeof *result);
        return MX_OK;
    }
    const mx_err err = order(&p);
    app_blocks_free(&p.arrived);
    app_sparse_destroy(&p.sparse);
    free(p.own);
    free(p.sorted);
    free(p.bounds);
    free(p.blocks);
    free(p.here);
    free(p.answers);
    return err;
}

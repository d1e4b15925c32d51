/* Lists of indices from global ids, by a directory: rank d of P keeps the ids from d * slice to
 * before (d + 1) * slice. Where that would give one rank far more ids than the average, because the
 * ids are not spread evenly over their range, each id goes to a rank by a hash instead. Slices are
 * better: ids of one rank then go to few ranks.
 *
 *   1. register   each owner tells the directory: id, its rank, its local index
 *   2. ask        each rank asks the directory for the owners of its ghosts, and gets rank and local index of each
 *   3. subscribe  each rank tells the owners which of their elements it has as ghosts, in the order of its list
 *
 * Each step is a sparse exchange or two, of blocks of BLOCK entries at most. So only memory limits
 * the number of ids that go to one rank. What a rank keeps and sends is in proportion to its
 * elements and ghosts. Rejected: all ranks gather all ids, which takes memory in proportion to the
 * whole problem. */
#include "index_exchange_private.h"

#include <stdlib.h>
#include <string.h>

/* An element or a ghost on its way through the directory. */
typedef struct entry {
    mx_gid id;
    int32_t rank;      /* of the owner; NO_OWNER: nobody registered the id */
    mx_lid index;      /* at the owner */
    mx_lid ghost;      /* number of the ghost at the rank that asks */
    int32_t directory; /* the rank of the directory that keeps the id */
} entry;

/* The slices are used if no rank of the directory keeps more than UNEVEN times the average number
 * of elements, plus FEW. */
enum { NO_OWNER = -1, BLOCK = 1 << 16, UNEVEN = 2, FEW = 4096 };

/* What is allocated for a match. */
typedef struct match {
    app_comm comm;
    app_sparse sparse;
    const char *label;
    mx_gid slice;
    const app_ids *owned_ids, *wanted_ids;
    mx_lid ghosts;
    mx_lid last;           /* one more than the largest local index */
    entry *owned, *wanted; /* the elements, and the ghosts */
    entry *known;          /* the directory's part, by id */
    size_t known_count;
    app_block *block;       /* to be sent; as many as ranks */
    app_blocks in, answers; /* received */
    mx_lid *index;          /* at the owners, ghost by ghost */
    mx_lid *send, *ghost;   /* the lists */
    app_index_neighbour *neighbour;
} match;

static int by_id(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* By rank of the directory, then by id. */
static int by_directory(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->directory != y->directory) return x->directory < y->directory ? -1 : 1;
    return by_id(a, b);
}

/* By owner, then by index there: messages then read their elements in ascending order. */
static int by_owner(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->ghost < y->ghost ? -1 : x->ghost > y->ghost;
}

/* Sorts, unless the entries are sorted already, as ids often are. */
static void sort(entry *entries, size_t count, int (*order)(const void *, const void *))
{
    size_t sorted = 1;
    while (sorted < count && order(&entries[sorted - 1], &entries[sorted]) <= 0) sorted++;
    if (sorted < count) qsort(entries, count, sizeof *entries, order);
}

static void *allocate(size_t count, size_t size) { return calloc(count > 0 ? count : 1, size); }

/* ---- entries ---- */

static mx_gid index_of(const app_ids *ids, mx_lid i)
{
    return ids->index != NULL ? ids->index[i] : (mx_gid)ids->first + i;
}

static mx_err check_ids(match *m, const app_ids *ids)
{
    for (mx_lid i = 0; i < ids->count; i++) {
        const mx_gid index = index_of(ids, i);
        MX_REQUIRE(index >= 0 && index < INT32_MAX, MX_ERR_ARG,
                   "exchange '%s': id %" MX_PRI_GID " has the local index %" MX_PRI_GID
                   ", expected 0 to %d",
                   m->label, ids->id[i], index, INT32_MAX - 1);
        if (index >= m->last) m->last = (mx_lid)index + 1;
    }
    return MX_OK;
}

static mx_err make_entries(match *m, mx_gid *last)
{
    const int self = app_rank(m->comm);
    const mx_lid owned_count = m->owned_ids->count;
    m->owned = allocate((size_t)owned_count, sizeof(entry));
    m->wanted = allocate((size_t)m->ghosts, sizeof(entry));
    const mx_lid more = owned_count > m->ghosts ? owned_count : m->ghosts;
    m->block = allocate((size_t)app_size(m->comm) + (size_t)more / BLOCK, sizeof(app_block));
    MX_REQUIRE(m->owned != NULL && m->wanted != NULL && m->block != NULL, MX_ERR_MEMORY,
               "exchange '%s': no memory for %d elements and %d ghosts", m->label, owned_count,
               m->ghosts);
    MX_TRY(check_ids(m, m->owned_ids));
    MX_TRY(check_ids(m, m->wanted_ids));
    for (mx_lid i = 0; i < owned_count; i++)
        m->owned[i] = (entry){
            .id = m->owned_ids->id[i], .rank = self, .index = (mx_lid)index_of(m->owned_ids, i)};
    for (mx_lid g = 0; g < m->ghosts; g++)
        m->wanted[g] = (entry){.id = m->wanted_ids->id[g],
                               .rank = NO_OWNER,
                               .ghost = (mx_lid)index_of(m->wanted_ids, g)};
    sort(m->owned, (size_t)owned_count, by_id);
    sort(m->wanted, (size_t)m->ghosts, by_id);
    for (int kind = 0; kind < 2; kind++) {
        const mx_lid count = kind == 0 ? owned_count : m->ghosts;
        const entry *entries = kind == 0 ? m->owned : m->wanted;
        if (count == 0) continue;
        MX_REQUIRE(entries[0].id >= 0, MX_ERR_ARG,
                   "exchange '%s': id %" MX_PRI_GID ", expected at least 0", m->label,
                   entries[0].id);
        MX_REQUIRE(entries[count - 1].id < INT64_MAX, MX_ERR_ARG,
                   "exchange '%s': id %" MX_PRI_GID ", expected less", m->label,
                   entries[count - 1].id);
        if (entries[count - 1].id > *last) *last = entries[count - 1].id;
    }
    return MX_OK;
}

/* Blocks of entries, which are sorted by rank of the directory. */
static int make_blocks(match *m, entry *entries, mx_lid count)
{
    int blocks = 0;
    for (mx_lid first = 0; first < count;) {
        const int rank = entries[first].directory;
        mx_lid end = first;
        while (end < count && end - first < BLOCK && entries[end].directory == rank) end++;
        m->block[blocks++] = (app_block){
            .rank = rank, .bytes = (size_t)(end - first) * sizeof(entry), .data = &entries[first]};
        first = end;
    }
    return blocks;
}

static mx_err send_to_directory(match *m, entry *entries, mx_lid count, app_blocks *in)
{
    return app_sparse_alltoall(m->sparse, m->block, make_blocks(m, entries, count), in);
}

/* ---- which rank keeps an id ---- */

/* The finalizer of MurmurHash3 (Appleby), a bijection that changes half of the bits for each bit of
 * the id. */
static uint64_t hash(mx_gid id)
{
    uint64_t h = (uint64_t)id;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static void place(match *m, entry *entries, mx_lid count, bool by_slice)
{
    const uint64_t ranks = (uint64_t)app_size(m->comm);
    for (mx_lid i = 0; i < count; i++)
        entries[i].directory =
            by_slice ? (int32_t)(entries[i].id / m->slice) : (int32_t)(hash(entries[i].id) % ranks);
    sort(entries, (size_t)count, by_directory);
}

/* Would a rank keep far more elements than the average? Each rank tells the directory only how many
 * it would send. */
static mx_err is_uneven(match *m, bool *uneven)
{
    int64_t kept = 0, all = m->owned_ids->count;
    const int blocks = make_blocks(m, m->owned, m->owned_ids->count);
    int64_t *const counts = allocate((size_t)blocks, sizeof *counts);
    mx_err err = MX_OK;
    if (counts == NULL)
        err = MX_FAIL(MX_ERR_MEMORY, "exchange '%s': no memory for %d blocks", m->label, blocks);
    err = app_agree(m->comm, err);
    if (err != MX_OK) free(counts);
    MX_TRY(err);
    for (int b = 0; b < blocks; b++) {
        counts[b] = (int64_t)(m->block[b].bytes / sizeof(entry));
        m->block[b].bytes = sizeof *counts;
        m->block[b].data = &counts[b];
    }
    const mx_err sent = app_sparse_alltoall(m->sparse, m->block, blocks, &m->in);
    for (int b = 0; b < m->in.count; b++) kept += *(const int64_t *)m->in.block[b].data;
    app_blocks_free(&m->in);
    free(counts);
    MX_TRY(sent);
    MX_TRY(app_sum_i64(m->comm, &all, 1));
    MX_TRY(app_max_i64(m->comm, &kept, 1));
    *uneven = kept > all / app_size(m->comm) * UNEVEN + FEW;
    return MX_OK;
}

static mx_err place_all(match *m)
{
    bool uneven = false;
    place(m, m->owned, m->owned_ids->count, true);
    MX_TRY(is_uneven(m, &uneven));
    if (uneven) place(m, m->owned, m->owned_ids->count, false);
    place(m, m->wanted, m->ghosts, !uneven);
    return MX_OK;
}

/* ---- the directory ---- */

static mx_err keep_entries(match *m)
{
    size_t count = 0;
    for (int b = 0; b < m->in.count; b++) count += m->in.block[b].bytes / sizeof(entry);
    m->known = allocate(count, sizeof(entry));
    MX_REQUIRE(m->known != NULL, MX_ERR_MEMORY, "exchange '%s': no memory for a directory of %zu",
               m->label, count);
    for (int b = 0; b < m->in.count; b++) {
        const size_t entries = m->in.block[b].bytes / sizeof(entry);
        memcpy(m->known + m->known_count, m->in.block[b].data, m->in.block[b].bytes);
        m->known_count += entries;
    }
    sort(m->known, count, by_id);
    for (size_t e = 1; e < count; e++)
        MX_REQUIRE(m->known[e].id != m->known[e - 1].id, MX_ERR_ARG,
                   "exchange '%s': id %" MX_PRI_GID " has two owners: element %d of rank %d and "
                   "element %d of rank %d",
                   m->label, m->known[e].id, m->known[e - 1].index, m->known[e - 1].rank,
                   m->known[e].index, m->known[e].rank);
    return MX_OK;
}

static mx_err register_elements(match *m)
{
    mx_err err = send_to_directory(m, m->owned, m->owned_ids->count, &m->in);
    if (err == MX_OK) err = app_agree(m->comm, keep_entries(m));
    app_blocks_free(&m->in);
    return err;
}

/* Fills in the owners of the entries that others ask for. Both are sorted by id. */
static void answer(match *m, const app_block *asked)
{
    entry *const wanted = asked->data;
    const size_t count = asked->bytes / sizeof(entry);
    size_t k = 0;
    for (size_t e = 0; e < count; e++) {
        while (k < m->known_count && m->known[k].id < wanted[e].id) k++;
        if (k == m->known_count || m->known[k].id != wanted[e].id) continue;
        wanted[e].rank = m->known[k].rank;
        wanted[e].index = m->known[k].index;
    }
}

static mx_err store_answers(match *m)
{
    mx_lid count = 0;
    for (int b = 0; b < m->answers.count; b++) {
        memcpy(m->wanted + count, m->answers.block[b].data, m->answers.block[b].bytes);
        count += (mx_lid)(m->answers.block[b].bytes / sizeof(entry));
    }
    for (mx_lid g = 0; g < m->ghosts; g++) {
        const entry *one = &m->wanted[g];
        MX_REQUIRE(one->rank != NO_OWNER, MX_ERR_ARG,
                   "exchange '%s': element %d is a ghost with id %" MX_PRI_GID
                   ", which no rank owns",
                   m->label, one->ghost, one->id);
        MX_REQUIRE(g == 0 || one->id != one[-1].id, MX_ERR_ARG,
                   "exchange '%s': the ghosts %d and %d have the same id %" MX_PRI_GID, m->label,
                   one[-1].ghost, one->ghost, one->id);
    }
    sort(m->wanted, (size_t)m->ghosts, by_owner);
    return MX_OK;
}

static mx_err ask_for_owners(match *m)
{
    mx_err err = send_to_directory(m, m->wanted, m->ghosts, &m->in);
    if (err == MX_OK) {
        for (int b = 0; b < m->in.count; b++) answer(m, &m->in.block[b]);
        err = app_sparse_alltoall(m->sparse, m->in.block, m->in.count, &m->answers);
    }
    if (err == MX_OK) err = app_agree(m->comm, store_answers(m));
    app_blocks_free(&m->in);
    app_blocks_free(&m->answers);
    return err;
}

/* ---- the lists ---- */

/* Ghosts by owner; `blocks` of them are filled in. */
static mx_err list_ghosts(match *m, int *blocks)
{
    m->index = allocate((size_t)m->ghosts, sizeof(mx_lid));
    m->ghost = allocate((size_t)m->ghosts, sizeof(mx_lid));
    MX_REQUIRE(m->index != NULL && m->ghost != NULL, MX_ERR_MEMORY,
               "exchange '%s': no memory for %d ghosts", m->label, m->ghosts);
    for (mx_lid g = 0; g < m->ghosts; g++) {
        m->index[g] = m->wanted[g].index;
        m->ghost[g] = m->wanted[g].ghost;
        if (g == 0 || m->wanted[g].rank != m->wanted[g - 1].rank)
            m->block[(*blocks)++] = (app_block){m->wanted[g].rank, 0, &m->index[g]};
        m->block[*blocks - 1].bytes += sizeof(mx_lid);
    }
    return MX_OK;
}

/* Merges the ranks that sent subscriptions with those that `blocks` went to. Both are sorted by
 * rank. */
static mx_err list_elements(match *m, int blocks, int *neighbours)
{
    size_t sends = 0;
    for (int b = 0; b < m->in.count; b++) sends += m->in.block[b].bytes / sizeof(mx_lid);
    m->send = allocate(sends, sizeof(mx_lid));
    m->neighbour = allocate((size_t)(blocks + m->in.count), sizeof *m->neighbour);
    MX_REQUIRE(m->send != NULL && m->neighbour != NULL, MX_ERR_MEMORY,
               "exchange '%s': no memory for %zu elements to send", m->label, sends);
    MX_REQUIRE(sends <= INT32_MAX, MX_ERR_EXTENT,
               "exchange '%s': %zu elements to send: use more ranks", m->label, sends);
    mx_lid *send = m->send;
    for (int to = 0, from = 0; to < m->in.count || from < blocks; (*neighbours)++) {
        const int subscriber = to < m->in.count ? m->in.block[to].rank : INT32_MAX;
        const int owner = from < blocks ? m->block[from].rank : INT32_MAX;
        app_index_neighbour *const one = &m->neighbour[*neighbours];
        one->rank = subscriber < owner ? subscriber : owner;
        if (subscriber == one->rank) {
            const app_block *block = &m->in.block[to++];
            memcpy(send, block->data, block->bytes);
            one->sends = (mx_lid)(block->bytes / sizeof(mx_lid));
            send += one->sends;
        }
        if (owner == one->rank) one->receives = (mx_lid)(m->block[from++].bytes / sizeof(mx_lid));
    }
    return MX_OK;
}

static mx_err subscribe(match *m, app_index_exchange x)
{
    int blocks = 0, neighbours = 0;
    MX_TRY(app_agree(m->comm, list_ghosts(m, &blocks)));
    MX_TRY(app_sparse_alltoall(m->sparse, m->block, blocks, &m->in));
    mx_err err = list_elements(m, blocks, &neighbours);
    if (err == MX_OK)
        err = app_index_host_lists(x, m->neighbour, neighbours, m->send, m->ghost, m->last);
    err = app_agree(m->comm, err);
    if (err != MX_OK) (void)app_index_host_lists(x, NULL, 0, NULL, NULL, 0); /* of all, or none */
    return err;
}

static mx_err match_ids(match *m, app_index_exchange x)
{
    int64_t last = 0;
    mx_err err = app_index_host_lists(x, NULL, 0, NULL, NULL, 0); /* the old lists end here */
    if (err == MX_OK && (m->owned_ids->count < 0 || m->ghosts < 0))
        err = MX_FAIL(MX_ERR_ARG, "exchange '%s': %d elements and %d ghosts", m->label,
                      m->owned_ids->count, m->ghosts);
    if (err == MX_OK) err = make_entries(m, &last);
    MX_TRY(app_agree(m->comm, err));
    MX_TRY(app_max_i64(m->comm, &last, 1));
    m->slice = last / app_size(m->comm) + 1;
    MX_TRY(place_all(m));
    MX_TRY(register_elements(m));
    MX_TRY(ask_for_owners(m));
    return subscribe(m, x);
}

mx_err app_index_match(app_index_exchange x, const app_ids *owned, const app_ids *ghosts)
{
    match m = {.comm = app_transport_comm(app_index_transport(x)),
               .sparse = app_index_sparse(x),
               .label = app_index_label(x),
               .owned_ids = owned,
               .wanted_ids = ghosts,
               .ghosts = ghosts->count};
    const mx_err err = match_ids(&m, x);
    free(m.owned);
    free(m.wanted);
    free(m.known);
    free(m.block);
    free(m.index);
    free(m.ghost);
    free(m.send);
    free(m.neighbour);
    app_blocks_free(&m.in);
    return err;
}

/* What counts here is an element's place in the order of the ids (id_places.h).
 *
 * The exchange: one all-to-all message per call, from this rank's order to that of the ids.
 *
 * Rank r keeps the places of block r. At creation each rank counts its elements by owner and
 * sends the places; the owner notes where each element that arrives belongs (`place`).
 * Invariants: (1) element i of this rank is number `position[i]` of what it sends, grouped by
 * owner; (2) element k of what arrives has place place[k] in the block. So an exchange is a
 * permutation, an all-to-all and a permutation. Cost: every element once over the network.
 * Rejected: a sort by key, which would move the ids with every exchange. */
#include "id_sort.h"

#include "comm/comm_mpi.h"
#include "id_places.h"

#include <stdlib.h>
#include <string.h>

struct app_id_sort {
    app_comm comm;
    app_slab slab;
    mx_lid elements;     /* that this rank holds */
    mx_lid *position;    /* elements: where each stands in what is sent */
    mx_lid *place;       /* slab.count[0]: where what arrives belongs */
    int *send, *send_at; /* by rank: elements, and where they begin */
    int *receive, *receive_at;
};

static int owner_of(mx_gid place, mx_gid total, int size)
{
    const mx_gid rows = total / size, more = total % size;
    const mx_gid in_longer_blocks = more * (rows + 1);
    if (place < in_longer_blocks) return (int)(place / (rows + 1));
    return (int)(more + (place - in_longer_blocks) / rows);
}

static mx_err make(app_comm comm, mx_gid total, mx_lid n, app_id_sort *id_sort)
{
    const size_t size = (size_t)app_size(comm);
    app_id_sort const made = calloc(1, sizeof *made);
    *id_sort = made;
    MX_REQUIRE(made, MX_ERR_MEMORY, "no memory for an order by ids");
    *made = (struct app_id_sort){.comm = comm, .slab = app_slab_block(comm, total), .elements = n};
    MX_REQUIRE(made->slab.count[0] <= INT32_MAX, MX_ERR_EXTENT,
               "%" MX_PRI_GID " elements are too many for %d ranks", total, app_size(comm));
    made->position = calloc((size_t)n + 1, sizeof *made->position);
    made->place = calloc((size_t)made->slab.count[0] + 1, sizeof *made->place);
    made->send = calloc(4 * size, sizeof *made->send);
    MX_REQUIRE(made->position && made->place && made->send, MX_ERR_MEMORY,
               "no memory for the order of %d elements", n);
    made->send_at = made->send + size;
    made->receive = made->send + 2 * size;
    made->receive_at = made->send + 3 * size;
    return MX_OK;
}

/* Invariant (1), and how many elements go to each rank. */
static void set_positions(app_id_sort b, const mx_gid *places)
{
    const mx_gid total = b->slab.global[0];
    const int size = app_size(b->comm);
    for (mx_lid i = 0; i < b->elements; ++i) ++b->send[owner_of(places[i], total, size)];
    for (int r = 1; r < size; ++r) b->send_at[r] = b->send_at[r - 1] + b->send[r - 1];
    memset(b->send, 0, (size_t)size * sizeof *b->send); /* counted again, as the next free place */
    for (mx_lid i = 0; i < b->elements; ++i) {
        const int owner = owner_of(places[i], total, size);
        b->position[i] = b->send_at[owner] + b->send[owner]++;
    }
}

static mx_err count_arrivals(app_id_sort b)
{
    APP_MPI_TRY(MPI_Alltoall(b->send, 1, MPI_INT, b->receive, 1, MPI_INT, app_comm_mpi(b->comm)));
    mx_gid arriving = 0;
    for (int r = 0; r < app_size(b->comm); ++r) {
        b->receive_at[r] = (int)arriving;
        arriving += b->receive[r];
    }
    mx_err err = MX_OK;
    if (arriving != b->slab.count[0]) {
        err = MX_FAIL(MX_ERR_ARG,
                      "%" MX_PRI_GID " elements have ids from %" MX_PRI_GID " to %" MX_PRI_GID
                      ", expected each id once",
                      arriving, b->slab.first[0], b->slab.first[0] + b->slab.count[0] - 1);
    }
    return app_agree(b->comm, err);
}

/* `arrived` holds the places in the order in which they came: invariant (2). Two that are the
 * same are one id twice, where ids have no gaps. */
static mx_err set_places(app_id_sort b, const mx_gid *arrived)
{
    const mx_gid count = b->slab.count[0], first = b->slab.first[0];
    bool *const seen = calloc((size_t)count + 1, sizeof *seen);
    MX_REQUIRE(seen, MX_ERR_MEMORY, "no memory for the order of %" MX_PRI_GID " elements", count);
    mx_gid twice = -1;
    for (mx_gid k = 0; k < count; ++k) {
        b->place[k] = (mx_lid)(arrived[k] - first);
        if (seen[b->place[k]]) twice = arrived[k];
        seen[b->place[k]] = true;
    }
    free(seen);
    MX_REQUIRE(twice < 0, MX_ERR_ARG, "two elements have the id %" MX_PRI_GID, twice);
    return MX_OK;
}

/* One message between each pair of ranks. */
static mx_err exchange(app_id_sort b, size_t bytes, const void *out, void *in)
{
    MPI_Datatype element;
    APP_MPI_TRY(MPI_Type_contiguous((int)bytes, MPI_BYTE, &element));
    mx_err err = app_mpi_check(MPI_Type_commit(&element), "MPI_Type_commit");
    if (err == MX_OK) {
        err = app_mpi_check(MPI_Alltoallv(out, b->send, b->send_at, element, in, b->receive,
                                          b->receive_at, element, app_comm_mpi(b->comm)),
                            "MPI_Alltoallv");
    }
    const mx_err freed = app_mpi_check(MPI_Type_free(&element), "MPI_Type_free");
    return err != MX_OK ? err : freed;
}

/* to[where[i]] = from[i] */
static void scatter(mx_gid n, const mx_lid *where, size_t bytes, const char *from, char *to)
{
    for (mx_gid i = 0; i < n; ++i)
        memcpy(to + (size_t)where[i] * bytes, from + (size_t)i * bytes, bytes);
}

/* Buffers for both sides of an exchange; agreed. */
static mx_err make_buffers(app_id_sort b, size_t bytes, char **mine, char **theirs)
{
    *mine = malloc((size_t)b->elements * bytes + 1);
    *theirs = malloc((size_t)b->slab.count[0] * bytes + 1);
    mx_err err = MX_OK;
    if (!*mine || !*theirs)
        err = MX_FAIL(MX_ERR_MEMORY, "no memory to exchange %d elements", b->elements);
    if (bytes == 0 || bytes > INT32_MAX)
        err = MX_FAIL(MX_ERR_ARG, "an element has %zu bytes", bytes);
    return app_agree(b->comm, err);
}

mx_err app_id_sort_values(app_id_sort b, size_t bytes, const void *values, void *sorted)
{
    char *mine, *theirs;
    mx_err err = make_buffers(b, bytes, &mine, &theirs);
    if (err == MX_OK) {
        scatter(b->elements, b->position, bytes, values, mine);
        err = exchange(b, bytes, mine, theirs);
    }
    if (err == MX_OK) scatter(b->slab.count[0], b->place, bytes, theirs, sorted);
    free(mine);
    free(theirs);
    return err;
}

/* Sends the places to their owners. */
static mx_err learn_places(app_id_sort b, const mx_gid *places)
{
    char *mine, *theirs;
    mx_err err = make_buffers(b, sizeof *places, &mine, &theirs);
    if (err == MX_OK) {
        scatter(b->elements, b->position, sizeof *places, (const char *)places, mine);
        err = exchange(b, sizeof *places, mine, theirs);
    }
    if (err == MX_OK) err = app_agree(b->comm, set_places(b, (const mx_gid *)(void *)theirs));
    free(mine);
    free(theirs);
    return err;
}

static mx_err create(app_comm comm, mx_gid total, const mx_gid *places, mx_lid n,
                     app_id_sort *id_sort)
{
    MX_TRY(app_agree(comm, make(comm, total, n, id_sort)));
    set_positions(*id_sort, places);
    MX_TRY(count_arrivals(*id_sort));
    return learn_places(*id_sort, places);
}

mx_err app_id_sort_create(app_comm comm, mx_gid total, const mx_gid *ids, mx_lid n,
                          app_id_sort *id_sort)
{
    *id_sort = NULL;
    mx_err err = MX_OK;
    if (total < 0 || n < 0) err = MX_FAIL(MX_ERR_ARG, "a number of elements is negative");
    mx_gid *const places = err == MX_OK ? malloc(((size_t)n + 1) * sizeof *places) : NULL;
    if (err == MX_OK && !places)
        err = MX_FAIL(MX_ERR_MEMORY, "no memory for the order of %d elements", n);
    err = app_agree(comm, err);
    if (err == MX_OK) err = app_id_places(comm, total, ids, n, places);
    if (err == MX_OK) err = create(comm, total, places, n, id_sort);
    free(places);
    if (err != MX_OK) {
        app_id_sort_destroy(id_sort);
        return MX_PASS(err);
    }
    return MX_OK;
}

app_slab app_id_sort_slab(app_id_sort id_sort) { return id_sort->slab; }

void app_id_sort_destroy(app_id_sort *id_sort)
{
    if (!*id_sort) return;
    free((*id_sort)->position);
    free((*id_sort)->place);
    free((*id_sort)->send);
    free(*id_sort);
    *id_sort = NULL;
}

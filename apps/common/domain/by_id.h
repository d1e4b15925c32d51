/* Elements with global ids, all different, of which every rank holds any number in any order
 * (particles), and the same elements in the order of their ids, in blocks of one slab per rank: the
 * order in which files keep them. */
#pragma once
#include "slab.h"

typedef struct app_by_id *app_by_id;

/* Prepares the exchange for elements with these ids: ids[n], in host memory, of this rank.
 * `total` elements in all, each held by exactly one rank, once, with ids from 0 on, which may
 * have gaps: else MX_ERR_ARG, and the message names an id. Collective, agreed. */
mx_err app_by_id_create(app_comm comm, mx_gid total, const mx_gid *ids, mx_lid n, app_by_id *by_id);

/* The block of this rank: app_slab_block(comm, total). */
app_slab app_by_id_slab(app_by_id by_id);

/* values[n], in the order of ids[n], -> sorted[slab.count[0]], in the order of the ids of this
 * rank's block. An element has `bytes` bytes: all components of a vector, the same on all ranks.
 * Both arrays are in host memory and do not overlap. Collective, blocking. MX_ERR_ARG (bytes is 0 or
 * above 2^31-1), MX_ERR_MEMORY, both agreed; MX_ERR_COMM. */
mx_err app_by_id_sort(app_by_id by_id, size_t bytes, const void *values, void *sorted);

/* The way back, from sorted to values; arguments and errors as above. */
mx_err app_by_id_spread(app_by_id by_id, size_t bytes, const void *sorted, void *values);

/* Accepts NULL; sets *by_id = NULL. */
void app_by_id_destroy(app_by_id *by_id);

/* Elements with global ids, all different, of which every rank holds any number in any order
 * (particles), and the same elements in the order of their ids, in blocks of one slab per rank: the
 * order in which files keep them. */
#pragma once
#include "slab.h"

typedef struct app_id_sort *app_id_sort;

/* Prepares the exchange for elements with these ids: ids[n], in host memory, of this rank.
 * `total` elements in all, each held by exactly one rank, once, with ids from 0 on, which may
 * have gaps: else MX_ERR_ARG, and the message names an id. Collective, agreed. */
mx_err app_id_sort_create(app_comm comm, mx_gid total, const mx_gid *ids, mx_lid n,
                          app_id_sort *id_sort);

/* The block of this rank: app_slab_block(comm, total). */
app_slab app_id_sort_slab(app_id_sort id_sort);

/* values[n], in the order of ids[n], -> sorted[slab.count[0]], in the order of the ids of this
 * rank's block. An element has `bytes` bytes: all components of a vector, the same on all ranks.
 * Both arrays are in host memory and do not overlap. Collective, blocking. MX_ERR_ARG (bytes is 0 or
 * above 2^31-1), MX_ERR_MEMORY, both agreed; MX_ERR_COMM. */
mx_err app_id_sort_values(app_id_sort id_sort, size_t bytes, const void *values, void *sorted);

/* Accepts NULL; sets *id_sort = NULL. */
void app_id_sort_destroy(app_id_sort *id_sort);

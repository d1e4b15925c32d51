/* The lists of an index exchange, as index_match.c makes them. Private to index_exchange.c and
 * index_match.c. */
#pragma once
#include "comm/sparse_alltoall.h"
#include "index_exchange.h"

app_sparse app_index_sparse(app_index_exchange x);
app_transport app_index_transport(app_index_exchange x);
const char *app_index_label(app_index_exchange x);

/* As app_index_lists, with a list of the ghosts as well: ghost number g (neighbour by neighbour) is
 * local element ghost[g]. Host arrays, copied. last: one more than the largest index. */
mx_err app_index_host_lists(app_index_exchange x, const app_index_neighbour *neighbours, int count,
                            const mx_lid *send, const mx_lid *ghost, mx_lid last);

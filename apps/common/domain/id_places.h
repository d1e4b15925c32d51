/* Ids that are all different, of which every rank holds any number in any order, and their
 * places in the rising order of all: what id_sort.h needs where ids have gaps. */
#pragma once
#include "comm/comm.h"

/* places[i], 0 to total - 1, of ids[i], i < n; both in host memory. Where all ids are below
 * `total` they are their places, and that they are different is not checked. Collective, agreed.
 * MX_ERR_ARG: a negative id, an id twice, or not `total` ids in all; MX_ERR_EXTENT,
 * MX_ERR_MEMORY, MX_ERR_COMM. */
mx_err app_id_places(app_comm comm, mx_gid total, const mx_gid *ids, mx_lid n, mx_gid *places);

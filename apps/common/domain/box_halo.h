/* Halo exchange of boxes: each rank's ghost cells filled with its neighbours' cells.
 *
 * A field is a view of rank 2 or 3 as the decomposition, with `width` ghost cells on every side:
 * cell c of dimension d is at index c + width. Along a periodic dimension
 * (app_decomp_make_periodic) the ghost cells beyond the edge of the domain are the cells of the
 * opposite edge; else they are not changed. Elements are numbers or structs whose size is a
 * multiple of 4 bytes.
 *
 * All neighbours, corner ones too, are exchanged in one round of independent messages, one for each
 * direction, that hold all fields. Rejected: two rounds, first x, then y with the ghosts of x,
 * which need 4 messages instead of 8 for the corners. The second round cannot start before the
 * first has arrived, so it could not overlap with kernels.
 *
 *     app_box_halo_begin(halo, 1, fields, 1, APP_HALO_FACES);   packs, sends
 *     ... kernels on cells that need no ghosts ...
 *     app_box_halo_end(halo);                                   receives, unpacks */
#pragma once
#include "comm/transport.h"
#include "decomp.h"

enum { APP_BOX_HALO_FIELDS = 8 };

typedef struct app_box_halo *app_box_halo;

typedef enum app_halo_corners { APP_HALO_FACES, APP_HALO_CORNERS } app_halo_corners;

/* For fields with `width` (at least 1) ghost cells on the transport's context. *decomp is copied;
 * the transport must outlive the halo. Errors: MX_ERR_INPUT if a rank has fewer cells than `width`
 * along a dimension that is divided among ranks or periodic; MX_ERR_ARG, MX_ERR_MEMORY, and those
 * of app_decomp_check_halo and app_messages_create. On failure *halo is NULL. Collective, agreed. */
mx_err app_box_halo_create(app_transport transport, const app_decomp *decomp, int width,
                           app_box_halo *halo);

/* Collective. Accepts NULL; sets *halo = NULL. */
void app_box_halo_destroy(app_box_halo *halo);

/* Starts an exchange of the first `depth` (1 to width) ghost layers of `count` fields (1 to
 * APP_BOX_HALO_FIELDS), whose elements have one size. Ordered on the context behind the kernels
 * that wrote the fields. Until the end, ghosts must not be accessed, but all own cells may be read
 * and written: they are packed at once. Collective. Errors: MX_ERR_ARG, MX_ERR_RANK, MX_ERR_EXTENT,
 * MX_ERR_TYPE (fields that do not fit), those of mx_view_usable and of messages. */
mx_err app_box_halo_begin(app_box_halo halo, int depth, const mx_view *fields, int count,
                          app_halo_corners corners);

/* Completes the exchange: kernels launched after this call find the ghost cells filled. If none
 * has begun, it does nothing. MX_ERR_COMM, errors of launches. Collective. */
mx_err app_box_halo_end(app_box_halo halo);

/* Begin and end in one call. Where the transport can, small messages go from cells to ghosts, and no
 * kernels pack and unpack them. */
mx_err app_box_halo_exchange(app_box_halo halo, int depth, const mx_view *fields, int count,
                             app_halo_corners corners);

/* The same, and app_sum_partials of `numbers` elements of `sums`, from `first` on: where the transport
 * can, as one group. partials: NULL, if the numbers are there. */
mx_err app_box_halo_exchange_and_sum(app_box_halo halo, int depth, const mx_view *fields, int count,
                                     app_halo_corners corners, mx_view sums, int64_t first,
                                     int64_t numbers, const mx_partials *partials);

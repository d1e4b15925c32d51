/* Halo exchange: each rank's ghost cells filled with its neighbours' cells.
 *
 * A field is a view of doubles, rank 2 or 3 as the decomposition, with `width` ghost cells on every side: cell c of
 * dimension d is at index c + width. Ghost cells beyond the edge of the domain are not changed.
 *
 * All neighbours, corner ones too, are exchanged in one round of independent messages, one a neighbour, that hold all
 * fields. Rejected: two rounds, first x, then y with the ghosts of x,
 * which need 4 messages instead of 8 for the corners. The second round cannot start before the first has arrived, so it could not
 * overlap with kernels.
 *
 *     app_halo_begin(halo, 1, fields, 1, APP_HALO_FACES);   packs, sends
 *     ... kernels on cells that need no ghosts ...
 *     app_halo_end(halo);                                   waits, unpacks
 *
 * Kernels pack into one buffer and unpack from another. If the fields are in device memory, the buffers are
 * in device memory too where MPI accepts it, and else in pinned host memory, which kernels can access: there is no second copy. */
#pragma once
#include "decomp.h"
#include "minx/view.h"
#include "options.h"

enum { APP_HALO_MAX_FIELDS = 8 };

typedef struct app_halo *app_halo;

typedef enum app_halo_corners { APP_HALO_FACES, APP_HALO_CORNERS } app_halo_corners;

/* For fields with `width` ghost cells on the ctx, at most `fields` at a time. Collective. MX_ERR_INPUT if a rank has fewer
 * cells along a cut dimension than the halo is wide. gpu_mpi says whether device buffers go to MPI (on where the library
 * cannot is MX_ERR_INPUT). */
mx_err app_halo_create(app_comm comm, mx_ctx ctx, const app_decomp *decomp, int width, int fields,
                       app_gpu_mpi gpu_mpi, app_halo *halo);

/* Accepts NULL; sets *halo = NULL. */
void app_halo_destroy(app_halo *halo);

/* Starts an exchange of the first `depth` (1 to width) ghost layers of `count` fields. Ordered on ctx behind the kernels
 * that wrote the fields. The inner `depth` layers of the fields must not be written before the end. Collective. */
mx_err app_halo_begin(app_halo halo, int depth, const mx_view *fields, int count,
                      app_halo_corners corners);

/* Completes it: ghosts are there for kernels launched after. Collective. */
mx_err app_halo_end(app_halo halo);

/* Both in one. */
mx_err app_halo_exchange(app_halo halo, int depth, const mx_view *fields, int count,
                         app_halo_corners corners);

/* Does this rank have any neighbour? */
bool app_halo_needed(app_halo halo);

/* The memory that messages are sent from, in words: "none (one rank)", "host memory", "device memory", "pinned host memory". */
const char *app_halo_path(app_halo halo);

/* Migration: elements move to other ranks, with all their fields, and the numbers of elements
 * change. For particles that leave a sub-domain, and for spreading what one rank has read.
 *
 * The fields are views of f64, f32, i32 or i64, of rank 1, or of rank 2 with an element in each
 * row. Elements 0 to count - 1 exist; the rest of a view is spare room. Elements that leave are
 * packed by kernels. Their places are filled by the last elements that stay, and what arrives comes
 * behind, by the rank that it comes from. So the order of elements changes, but in a way that does
 * not depend on the number of threads. */
#pragma once
#include "comm/transport.h"

typedef struct app_migration *app_migration;

/* label: for error messages. Collective, agreed. */
mx_err app_migration_create(app_transport transport, const char *label, app_migration *migration);

/* Collective. Accepts NULL; sets *migration = NULL. */
void app_migration_destroy(app_migration *migration);

/* Moves the elements.
 *   rank    i32, rank 1: the rank that element i belongs to, for i < *count; in memory that kernels can access. Not changed.
 *           It must not be one of the fields
 *   count   in: the elements of this rank before; out: after
 *   fields  pointers to the handles of `fields_count` views (1 to 16), the same types and rows on all ranks. A view that is too
 *           short for what arrives is replaced by a larger one (mx_view_resize, with a quarter more than needed)
 *   grown   may be NULL; else: was a view replaced? Then bind it again
 * Collective, blocking, agreed; elements go to any ranks, also ones that are no neighbours. Errors:
 * MX_ERR_ARG (a rank out of range, no such number of fields), MX_ERR_TYPE, MX_ERR_RANK,
 * MX_ERR_BOUNDS (a view with fewer than *count elements), MX_ERR_EXTENT, MX_ERR_MEMORY, those of
 * mx_view_usable. After these errors nothing has changed, but views may have grown. After
 * MX_ERR_COMM the elements that were on their way are lost. */
mx_err app_migrate(app_migration migration, mx_view rank, mx_lid *count, mx_view *const *fields,
                   int fields_count, bool *grown);

#include "fe_level.h"

#include <stdlib.h>

/* The nodes of this rank: the low corners of its elements, and the upper edge of the domain. */
static mx_err divide(fe_level *level, const mx_gid *elements)
{
    const app_comm comm = level->base->comm;
    const app_box *box = &level->part;
    fe_mesh *const m = &level->mesh;
    mx_gid rows = 1, held = 1;
    for (int d = 0; d < 3; d++) {
        const mx_gid end = box->first[d] + box->cells[d];
        const mx_gid low = box->first[d] > 0 ? box->first[d] - 1 : 0;
        m->elements[d] = (int)elements[d];
        m->first[d] = (int)box->first[d];
        m->count[d] = (int)(end == elements[d] ? box->cells[d] + 1 : box->cells[d]);
        m->low[d] = (int)low;
        m->extent[d] = (int)((end < elements[d] ? end : elements[d]) - low + 1);
        level->from[d] = (int)low;
        level->to[d] = (int)end;
        rows *= m->count[d];
        held *= m->extent[d];
    }
    mx_err err = MX_OK;
    if (held > MX_INDEX_END)
        err = MX_FAIL(MX_ERR_INPUT,
                      "nx, ny, nz: a rank would hold %" MX_PRI_GID
                      " nodes, at most %d: use more ranks",
                      held, MX_INDEX_END);
    MX_TRY(app_agree(comm, err)); /* ranks differ by their ghosts */
    level->first_row = level->all_rows = rows;
    MX_TRY(app_sum_i64(comm, &level->all_rows, 1));
    return app_exscan_i64(comm, &level->first_row, 1);
}

/* Is the node at the surface of the own nodes, so that another rank may have it as a ghost? */
static bool at_surface(const fe_mesh *m, fe_node n)
{
    for (int d = 0; d < 3; d++)
        if (n.at[d] == m->first[d] || n.at[d] == m->first[d] + m->count[d] - 1) return true;
    return false;
}

/* Own nodes at the surface, or ghosts; NULL arrays: counts only. */
static mx_lid list_nodes(const fe_mesh *m, bool ghosts, mx_gid *id, mx_lid *index)
{
    mx_lid count = 0;
    fe_node n;
    for (int z = 0; z < m->extent[0]; z++)
        for (int y = 0; y < m->extent[1]; y++)
            for (int x = 0; x < m->extent[2]; x++) {
                n = (fe_node){{m->low[0] + z, m->low[1] + y, m->low[2] + x}};
                const bool own = fe_is_own(m, n);
                if (own ? ghosts || !at_surface(m, n) : !ghosts) continue;
                if (id != NULL) {
                    id[count] = fe_id(m, n);
                    index[count] = fe_local(m, n);
                }
                count++;
            }
    return count;
}

static mx_err match_ghosts(fe_level *level)
{
    const fe_mesh *m = &level->mesh;
    const mx_lid own = list_nodes(m, false, NULL, NULL), ghosts = fe_held(m) - fe_rows(m);
    mx_gid *const id = malloc(((size_t)own + (size_t)ghosts + 1) * sizeof *id);
    mx_lid *const index = malloc(((size_t)own + (size_t)ghosts + 1) * sizeof *index);
    mx_err err = id != NULL && index != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for the ids of %d nodes", own + ghosts);
    err = app_agree(level->base->comm, err);
    if (err == MX_OK) {
        (void)list_nodes(m, false, id, index);
        (void)list_nodes(m, true, id + own, index + own);
        const app_ids mine = {own, id, index, 0}, wanted = {ghosts, id + own, index + own, 0};
        err = app_index_match(level->ghosts, &mine, &wanted);
    }
    free(id);
    free(index);
    return err;
}

mx_err fe_make_mesh_of_part(fe_level *level, const mx_gid *elements, const app_box *part)
{
    level->part = *part;
    MX_TRY(divide(level, elements));
    MX_TRY(app_index_exchange_create(level->base->transport, "ghosts", &level->ghosts));
    return app_size(level->base->comm) > 1 ? match_ghosts(level) : MX_OK;
}

mx_err fe_make_mesh(fe_level *level, const mx_gid *elements)
{
    app_bisection all;
    MX_TRY(app_bisection_create(app_size(level->base->comm), 3, elements, &all));
    const app_box part = app_bisection_box(&all, app_rank(level->base->comm));
    return fe_make_mesh_of_part(level, elements, &part);
}

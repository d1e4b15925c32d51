#include "fe_level.h"
#include "mesh/fe_coarse.h"

#include <stdlib.h>

static bool has_x_first(const fe_level *level)
{
    mx_ctx_info info;
    return mx_ctx_get_info(level->base->ctx, &info) == MX_OK && info.layout == MX_LAYOUT_LEFT;
}

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

/* Is the node at the surface of the owned nodes, so that another rank may have it as a ghost? */
static bool at_surface(const fe_mesh *m, fe_node n)
{
    for (int d = 0; d < 3; d++)
        if (n.at[d] == m->first[d] || n.at[d] == m->first[d] + m->count[d] - 1) return true;
    return false;
}

/* The node behind n in a line along x. Owned nodes between the first and the last one of the line are
 * left out, unless the line is at the surface: then neither list has them. So a list takes time for
 * the surface only. */
static int next_in_line(const fe_mesh *m, fe_node n, bool ghosts)
{
    const int first = m->first[2], last = first + m->count[2] - 1, x = n.at[2];
    if (x < first || x >= last || !fe_is_owned(m, n)) return x + 1;
    n.at[2] = x + 1;
    return ghosts || !at_surface(m, n) ? last : x + 1;
}

/* Owned nodes at the surface, or ghosts; NULL arrays: counts only. */
static mx_lid list_nodes(const fe_mesh *m, bool ghosts, mx_gid *id, mx_lid *index)
{
    mx_lid count = 0;
    fe_node n;
    for (int z = 0; z < m->extent[0]; z++)
        for (int y = 0; y < m->extent[1]; y++)
            for (int x = m->low[2]; x < m->low[2] + m->extent[2];) {
                n = (fe_node){{m->low[0] + z, m->low[1] + y, x}};
                const bool owned = fe_is_owned(m, n);
                x = next_in_line(m, n, ghosts);
                if (owned ? ghosts || !at_surface(m, n) : !ghosts) continue;
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
    const mx_lid owned = list_nodes(m, false, NULL, NULL), ghosts = fe_held(m) - fe_rows(m);
    mx_gid *const id = malloc(((size_t)owned + (size_t)ghosts + 1) * sizeof *id);
    mx_lid *const index = malloc(((size_t)owned + (size_t)ghosts + 1) * sizeof *index);
    mx_err err = id != NULL && index != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for the ids of %d nodes", owned + ghosts);
    err = app_agree(level->base->comm, err);
    if (err == MX_OK) {
        (void)list_nodes(m, false, id, index);
        (void)list_nodes(m, true, id + owned, index + owned);
        const app_ids owned_ids = {owned, id, index, 0},
                      wanted = {ghosts, id + owned, index + owned, 0};
        err = app_index_match(level->ghosts, &owned_ids, &wanted);
    }
    free(id);
    free(index);
    return err;
}

mx_err fe_make_mesh_of_part(fe_level *level, const mx_gid *elements, const app_box *part)
{
    level->part = *part;
    level->mesh.x_first = has_x_first(level);
    MX_TRY(divide(level, elements));
    MX_TRY(app_index_exchange_create(level->base->transport, "ghosts", &level->ghosts));
    return app_size(level->base->comm) > 1 ? match_ghosts(level) : MX_OK;
}

mx_err fe_make_mesh(fe_level *level, const mx_gid *elements)
{
    app_box part;
    MX_TRY(fe_partition(level->base, elements, level->input->load_imbalance, &part));
    return fe_make_mesh_of_part(level, elements, &part);
}

/* The nodes of a coarse mesh along one dimension: those whose place has a fine node of this rank
 * (fe_coarse.h). */
static void divide_coarse(const fe_mesh *fine, fe_mesh *m, int d)
{
    const int64_t n = fine->elements[d], c = m->elements[d];
    const int end = fine->first[d] + fine->count[d];
    const int low = fe_between_coarse(fine->first[d], (int)n, (int)c).low;
    const int high = fe_between_coarse(end - 1, (int)n, (int)c).low + 1;
    m->first[d] = (int)((fine->first[d] * c + n - 1) / n);
    m->count[d] = (int)((end * c + n - 1) / n) - m->first[d];
    m->low[d] = low;
    m->extent[d] = high - low + 1;
}

/* A rank with owned nodes holds those around them. One without holds those between which its fine
 * nodes lie. */
static void hold_coarse(fe_level *level)
{
    fe_mesh *const m = &level->mesh;
    const bool has_rows = fe_rows(m) > 0;
    for (int d = 0; d < 3; d++) {
        const int end = m->first[d] + m->count[d], last = m->elements[d];
        if (has_rows) {
            m->low[d] = m->first[d] > 0 ? m->first[d] - 1 : 0;
            m->extent[d] = (end < last ? end : last) - m->low[d] + 1;
        } else {
            m->first[d] = m->low[d];
            m->count[d] = 0;
        }
        level->from[d] = has_rows ? m->low[d] : 0;
        level->to[d] = has_rows ? (end < last ? end : last) : 0;
    }
}

mx_err fe_make_coarse_mesh(fe_level *level, const mx_gid *elements, const fe_mesh *fine)
{
    fe_mesh *const m = &level->mesh;
    m->x_first = fine->x_first;
    for (int d = 0; d < 3; d++) {
        m->elements[d] = (int)elements[d];
        m->first[d] = m->count[d] = m->low[d] = m->extent[d] = 0;
        if (fe_rows(fine) > 0) divide_coarse(fine, m, d);
    }
    hold_coarse(level);
    level->first_row = level->all_rows = fe_rows(m);
    MX_TRY(app_sum_i64(level->base->comm, &level->all_rows, 1));
    MX_TRY(app_exscan_i64(level->base->comm, &level->first_row, 1));
    MX_TRY(app_index_exchange_create(level->base->transport, "coarse ghosts", &level->ghosts));
    return app_size(level->base->comm) > 1 ? match_ghosts(level) : MX_OK;
}

mx_err fe_exchange(fe_level *level, mx_view x)
{
    if (app_size(level->base->comm) == 1) return MX_OK;
    return app_forward(level->ghosts, 1, &x, APP_UNSHIFTED);
}

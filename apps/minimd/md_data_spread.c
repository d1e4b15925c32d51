/* Atoms and velocities are sections of their own, in any order of ids each. So a rank that gets an
 * atom must be found again from the id alone: ids go to ranks in blocks. Rank 0 reads rows, orders
 * them by id, so that each rank's are together, and sends them: at no time does it hold more of the
 * file than MD_DATA_ROWS rows. From there the atoms go to the ranks whose bricks they are in, as
 * after any step (md_migrate).
 *
 * An id from 1 to N in each of N rows, none of them twice: so none is missing. */
#include "md_data_spread.h"

#include "sparse_alltoall.h"

#include <stdlib.h>
#include <string.h>

typedef struct spreader {
    app_comm comm;
    app_sparse sparse;
    const char *path;
    md_data_file file;  /* rank 0; others: NULL */
    md_data_rows *rows; /* rank 0: what was read */
    app_block *blocks;  /* of each rank */
    int block_count;
    mx_gid per_rank; /* ids of a block */
    md_data_atoms *atoms;
    bool *seen[2]; /* of each section and atom: was there a row? */
} spreader;

static int compare_ids(const void *a, const void *b)
{
    const md_data_row *const one = a, *const other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* ---- rank 0 ---- */

/* The next rows, and the blocks of the ranks that they go to. */
static mx_err read_rows(spreader *s)
{
    md_data_rows *const rows = s->rows;
    s->block_count = 0;
    MX_TRY(md_data_next(s->file, rows));
    qsort(rows->row, (size_t)rows->count, sizeof rows->row[0], compare_ids);
    for (int i = 0; i < rows->count; i++) {
        const int rank = (int)((rows->row[i].id - 1) / s->per_rank);
        if (s->block_count == 0 || s->blocks[s->block_count - 1].rank != rank)
            s->blocks[s->block_count++] = (app_block){.rank = rank, .data = &rows->row[i]};
        s->blocks[s->block_count - 1].bytes += sizeof rows->row[0];
    }
    return MX_OK;
}

/* ---- all ranks ---- */

static mx_err store_row(spreader *s, md_data_section section, const md_data_row *row)
{
    static const char *const names[] = {"Atoms", "Velocities"};
    const mx_gid i = row->id - s->atoms->first_id;
    MX_REQUIRE(i >= 0 && i < s->atoms->count, MX_ERR_COMM, "atom %lld came to the wrong rank",
               (long long)row->id);
    MX_REQUIRE(!s->seen[section][i], MX_ERR_INPUT,
               "%.250s:%lld: %s: got the id %lld a second time, expected each id once", s->path,
               (long long)row->line, names[section], (long long)row->id);
    s->seen[section][i] = true;
    const bool is_atom = section == MD_DATA_ATOMS;
    memcpy(is_atom ? s->atoms->position[i] : s->atoms->velocity[i], row->value, sizeof row->value);
    if (is_atom) s->atoms->type[i] = row->type;
    return MX_OK;
}

static mx_err store_blocks(spreader *s, md_data_section section, const app_blocks *received)
{
    for (int b = 0; b < received->count; b++) {
        const md_data_row *const rows = received->block[b].data;
        const size_t count = received->block[b].bytes / sizeof *rows;
        for (size_t i = 0; i < count; i++) MX_TRY(store_row(s, section, &rows[i]));
    }
    return MX_OK;
}

/* *more: there were rows. Collective, agreed. */
static mx_err spread_rows(spreader *s, bool *more)
{
    app_blocks received = {0};
    int section_and_count[2] = {0};
    mx_err err = s->file ? read_rows(s) : MX_OK;
    MX_TRY(app_agree(s->comm, err));
    if (s->file) {
        section_and_count[0] = s->rows->section;
        section_and_count[1] = s->rows->count;
    }
    MX_TRY(app_broadcast(s->comm, section_and_count, sizeof section_and_count));
    *more = section_and_count[1] > 0;
    if (!*more) return MX_OK;
    err = app_sparse_alltoall(s->sparse, s->blocks, s->block_count, &received);
    if (err == MX_OK)
        err = app_agree(s->comm, store_blocks(s, (md_data_section)section_and_count[0], &received));
    app_blocks_free(&received);
    return err;
}

static mx_err make_room(spreader *s, mx_gid all)
{
    const int size = app_size(s->comm), rank = app_rank(s->comm);
    md_data_atoms *const a = s->atoms;
    s->per_rank = (all + size - 1) / size;
    MX_REQUIRE(s->per_rank < INT32_MAX, MX_ERR_EXTENT,
               "%s: %lld atoms on %d ranks are too many for a rank, expected more ranks", s->path,
               (long long)all, size);
    const mx_gid first = rank * s->per_rank;
    const mx_gid left = all > first ? all - first : 0;
    a->first_id = first + 1;
    a->count = (mx_lid)(left < s->per_rank ? left : s->per_rank);
    const size_t n = (size_t)a->count + 1; /* so that it is never 0 */
    a->position = calloc(n, sizeof *a->position);
    a->velocity = calloc(n, sizeof *a->velocity);
    a->type = calloc(n, sizeof *a->type);
    a->id = calloc(n, sizeof *a->id);
    s->seen[0] = calloc(n, sizeof **s->seen);
    s->seen[1] = calloc(n, sizeof **s->seen);
    s->rows = s->file ? malloc(sizeof *s->rows) : NULL;
    s->blocks = calloc((size_t)size, sizeof *s->blocks);
    MX_REQUIRE(a->position && a->velocity && a->type && a->id && s->seen[0] && s->seen[1] &&
                   s->blocks && (s->rows || !s->file),
               MX_ERR_MEMORY, "%s: no memory for %lld atoms", s->path, (long long)a->count);
    for (mx_lid i = 0; i < a->count; i++) a->id[i] = a->first_id + i;
    return MX_OK;
}

static mx_err spread(spreader *s, md_data_about *about)
{
    mx_err err = app_rank(s->comm) == 0 ? md_data_open(s->path, NULL, 0, &s->file) : MX_OK;
    MX_TRY(app_agree(s->comm, err));
    if (s->file) *about = *md_data_header(s->file);
    MX_TRY(app_broadcast(s->comm, about, sizeof *about));
    MX_TRY(app_agree(s->comm, make_room(s, about->atoms)));
    MX_TRY(app_sparse_create(s->comm, &s->sparse));
    for (bool more = true; more;) MX_TRY(spread_rows(s, &more));
    if (s->file) *about = *md_data_header(s->file); /* now with what the sections say */
    return app_broadcast(s->comm, about, sizeof *about);
}

mx_err md_data_spread(app_comm comm, const char *path, md_data_about *about, md_data_atoms *atoms)
{
    spreader s = {.comm = comm, .path = path, .atoms = atoms};
    *about = (md_data_about){0};
    *atoms = (md_data_atoms){0};
    const mx_err err = spread(&s, about);
    if (err != MX_OK) md_data_free_atoms(atoms);
    app_sparse_destroy(&s.sparse);
    md_data_close(&s.file);
    free(s.rows);
    free(s.blocks);
    free(s.seen[0]);
    free(s.seen[1]);
    return err;
}

void md_data_free_atoms(md_data_atoms *atoms)
{
    free(atoms->position);
    free(atoms->velocity);
    free(atoms->type);
    free(atoms->id);
    *atoms = (md_data_atoms){0};
}

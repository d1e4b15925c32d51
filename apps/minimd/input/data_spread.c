/* Atoms and velocities are sections of their own, in any order of ids each. So a rank that gets
 * an atom must be found again from the id alone, and ids may have gaps of any size: a rank gets
 * the ids of one value of a hash. Rank 0 reads rows, puts each rank's together, and sends them:
 * at no time does it hold more of the file than MD_DATA_ROWS rows. At the end each rank sorts
 * its rows by id, where ids that come twice are found, and velocities find their atoms. From
 * there the atoms go to the ranks whose bricks they are in, as after any step (md_migrate). */
#include "md_data_spread.h"

#include "comm/sparse_alltoall.h"

#include <stdlib.h>
#include <string.h>

/* The rows of a section that this rank has. */
typedef struct row_list {
    md_data_row *row;
    mx_gid count, room;
} row_list;

typedef struct spreader {
    app_comm comm;
    app_sparse sparse;
    const char *path;
    md_data_file file; /* rank 0; others: NULL */
    /* rank 0: what was read, the same rank by rank, and the rows of each rank */
    md_data_rows *rows, *by_rank;
    int *counts;
    app_block *blocks; /* of each rank */
    int block_count;
    row_list list[2]; /* of each section */
    md_data_atoms *atoms;
} spreader;

static const char *const sections[] = {"Atoms", "Velocities"};

/* ---- rank 0 ---- */

/* (splitmix64 of Steele, Lea and Flood 2014) */
static int owner_of(int64_t id, int size)
{
    uint64_t z = (uint64_t)id * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (int)(z % (uint64_t)size);
}

/* A block for each rank that gets rows. */
static void sort_by_rank(spreader *s)
{
    const int size = app_size(s->comm);
    md_data_row *next = s->by_rank->row;
    memset(s->counts, 0, (size_t)size * sizeof *s->counts);
    for (int i = 0; i < s->rows->count; i++) s->counts[owner_of(s->rows->row[i].id, size)]++;
    s->block_count = 0;
    for (int r = 0; r < size; r++) {
        const size_t bytes = (size_t)s->counts[r] * sizeof *next;
        if (bytes > 0)
            s->blocks[s->block_count++] = (app_block){.rank = r, .bytes = bytes, .data = next};
        next += s->counts[r];
        s->counts[r] = (int)(next - s->by_rank->row); /* the end, from which rows are put */
    }
    for (int i = s->rows->count - 1; i >= 0; i--)
        s->by_rank->row[--s->counts[owner_of(s->rows->row[i].id, size)]] = s->rows->row[i];
}

static mx_err read_rows(spreader *s)
{
    s->block_count = 0;
    MX_TRY(md_data_next(s->file, s->rows));
    sort_by_rank(s);
    return MX_OK;
}

/* ---- all ranks ---- */

static mx_err reserve_rows(const spreader *s, row_list *list, mx_gid count)
{
    MX_REQUIRE(count < INT32_MAX, MX_ERR_EXTENT,
               "%s: %lld atoms are too many for a rank, expected more ranks", s->path,
               (long long)count);
    if (count <= list->room) return MX_OK;
    const mx_gid room = 2 * list->room > count ? 2 * list->room : count;
    md_data_row *const row = realloc(list->row, (size_t)room * sizeof *row);
    MX_REQUIRE(row, MX_ERR_MEMORY, "%s: no memory for %lld atoms", s->path, (long long)room);
    list->row = row;
    list->room = room;
    return MX_OK;
}

static mx_err store_blocks(const spreader *s, row_list *list, const app_blocks *received)
{
    for (int b = 0; b < received->count; b++) {
        const size_t bytes = received->block[b].bytes;
        const mx_gid count = (mx_gid)(bytes / sizeof *list->row);
        MX_TRY(reserve_rows(s, list, list->count + count));
        memcpy(list->row + list->count, received->block[b].data, bytes);
        list->count += count;
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
        err = app_agree(s->comm, store_blocks(s, &s->list[section_and_count[0]], &received));
    app_blocks_free(&received);
    return err;
}

/* ---- atoms of the rows ---- */

static int compare_rows(const void *a, const void *b)
{
    const md_data_row *const one = a, *const other = b;
    const int by_id = (one->id > other->id) - (one->id < other->id);
    return by_id != 0 ? by_id : (one->line > other->line) - (one->line < other->line);
}

static mx_err sort_list(const spreader *s, int section)
{
    const row_list *const list = &s->list[section];
    if (list->count > 0) qsort(list->row, (size_t)list->count, sizeof *list->row, compare_rows);
    for (mx_gid i = 1; i < list->count; i++)
        MX_REQUIRE(list->row[i].id != list->row[i - 1].id, MX_ERR_INPUT,
                   "%.250s:%lld: %s: got the id %lld a second time, expected each id once", s->path,
                   (long long)list->row[i].line, sections[section], (long long)list->row[i].id);
    return MX_OK;
}

/* There are as many velocities as atoms in all, so one without an atom is found on some rank. */
static mx_err match_velocities(const spreader *s)
{
    const row_list *const atoms = &s->list[MD_DATA_ATOMS], *const own =
                                                               &s->list[MD_DATA_VELOCITIES];
    mx_gid at = 0;
    for (mx_gid i = 0; i < own->count; i++) {
        while (at < atoms->count && atoms->row[at].id < own->row[i].id) at++;
        MX_REQUIRE(at < atoms->count && atoms->row[at].id == own->row[i].id, MX_ERR_INPUT,
                   "%.250s:%lld: Velocities: got the id %lld, expected the id of an atom", s->path,
                   (long long)own->row[i].line, (long long)own->row[i].id);
    }
    return MX_OK;
}

static mx_err make_atoms(spreader *s)
{
    md_data_atoms *const a = s->atoms;
    const row_list *const atoms = &s->list[MD_DATA_ATOMS], *const own =
                                                               &s->list[MD_DATA_VELOCITIES];
    const size_t n = (size_t)atoms->count + 1; /* so that it is never 0 */
    a->position = calloc(n, sizeof *a->position);
    a->velocity = calloc(n, sizeof *a->velocity);
    a->type = calloc(n, sizeof *a->type);
    a->id = calloc(n, sizeof *a->id);
    MX_REQUIRE(a->position && a->velocity && a->type && a->id, MX_ERR_MEMORY,
               "%s: no memory for %lld atoms", s->path, (long long)atoms->count);
    a->count = (mx_lid)atoms->count;
    for (mx_lid i = 0; i < a->count; i++) {
        const md_data_row *const row = &atoms->row[i];
        a->id[i] = row->id;
        a->type[i] = row->type;
        memcpy(a->position[i], row->value, sizeof row->value);
        if (own->count > 0) memcpy(a->velocity[i], own->row[i].value, sizeof row->value);
    }
    return MX_OK;
}

/* Every rank's atoms and velocities are complete only where those of all ranks are. */
static mx_err finish(spreader *s)
{
    mx_err err = sort_list(s, MD_DATA_ATOMS);
    if (err == MX_OK) err = sort_list(s, MD_DATA_VELOCITIES);
    MX_TRY(app_agree(s->comm, err));
    MX_TRY(app_agree(s->comm, match_velocities(s)));
    return app_agree(s->comm, make_atoms(s));
}

static mx_err make_room(spreader *s)
{
    const size_t size = (size_t)app_size(s->comm);
    s->rows = s->file ? malloc(sizeof *s->rows) : NULL;
    s->by_rank = s->file ? malloc(sizeof *s->by_rank) : NULL;
    s->counts = calloc(size, sizeof *s->counts);
    s->blocks = calloc(size, sizeof *s->blocks);
    MX_REQUIRE(s->counts && s->blocks && ((s->rows && s->by_rank) || !s->file), MX_ERR_MEMORY,
               "%s: no memory to read it", s->path);
    return MX_OK;
}

static mx_err spread(spreader *s, md_data_about *about)
{
    mx_err err = app_rank(s->comm) == 0 ? md_data_open(s->path, NULL, 0, &s->file) : MX_OK;
    MX_TRY(app_agree(s->comm, err));
    MX_TRY(app_agree(s->comm, make_room(s)));
    MX_TRY(app_sparse_create(s->comm, &s->sparse));
    for (bool more = true; more;) MX_TRY(spread_rows(s, &more));
    if (s->file) *about = *md_data_header(s->file);
    MX_TRY(app_broadcast(s->comm, about, sizeof *about));
    return finish(s);
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
    free(s.by_rank);
    free(s.counts);
    free(s.blocks);
    free(s.list[0].row);
    free(s.list[1].row);
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

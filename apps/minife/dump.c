/* The key `dump`: matrix and vectors of a small problem as text, for comparisons, in the Matrix
 * Market form of coordinates (Boisvert, Pozo, Remington: The Matrix Market exchange formats, NISTIR
 * 5935, 1996):
 *
 *     FOLDER/assembled.A.mtx, assembled.b.mtx    before boundary values are imposed
 *     FOLDER/system.A.mtx, system.b.mtx          after that: what is solved
 *     FOLDER/solution.x.mtx
 *
 * Row 1 + x + (nx + 1) (y + (ny + 1) z) is the equation of node (x, y, z): the same matrix on any
 * number of ranks. The ranks append to each file one after the other, so rows are in the order of
 * the ranks, and the folder must be one that all of them share. */
#include "fe_app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written, on the host. */
typedef struct dumped {
    int64_t *begin, *number; /* number: that of the node of each local index, from 1 */
    int32_t *column;
    double *value, *vector;
} dumped;

/* Writes this rank's part of a file. */
typedef void part_writer(FILE *file, const fe_mesh *mesh, const dumped *d);

static void write_matrix(FILE *file, const fe_mesh *mesh, const dumped *d)
{
    for (int row = 0; row < fe_rows(mesh); row++)
        for (int64_t e = d->begin[row]; e < d->begin[row + 1]; e++)
            fprintf(file, "%lld %lld %.17g\n", (long long)d->number[row],
                    (long long)d->number[d->column[e]], d->value[e]);
}

static void write_vector(FILE *file, const fe_mesh *mesh, const dumped *d)
{
    for (int row = 0; row < fe_rows(mesh); row++)
        fprintf(file, "%lld 1 %.17g\n", (long long)d->number[row], d->vector[row]);
}

/* Appends one rank's part; rank 0 begins the file. */
static mx_err write_part(const fe_app *app, const char *path, const dumped *d, bool matrix)
{
    const bool first = app_rank(app->base.comm) == 0;
    const long long rows = (long long)app->level.all_rows;
    FILE *const file = fopen(path, first ? "w" : "a");
    MX_REQUIRE(file != NULL, MX_ERR_IO, "dump: cannot write '%s': %s", path, strerror(errno));
    if (first)
        fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", rows,
                matrix ? rows : 1LL, matrix ? (long long)app->level.all_entries : rows);
    part_writer *const write = matrix ? write_matrix : write_vector;
    write(file, &app->level.mesh, d);
    const bool failed = ferror(file) != 0;
    MX_REQUIRE(fclose(file) == 0 && !failed, MX_ERR_IO, "dump: cannot write '%s': %s", path,
               strerror(errno));
    return MX_OK;
}

typedef struct dump_path {
    char text[4096];
} dump_path;

static mx_err make_path(const fe_app *app, const char *stage, const char *what, dump_path *path)
{
    const int length =
        snprintf(path->text, sizeof path->text, "%s/%s.%s.mtx", app->input.dump, stage, what);
    MX_REQUIRE(length < (int)sizeof path->text, MX_ERR_INPUT,
               "dump: the folder's name is too long");
    return MX_OK;
}

mx_err fe_list_dumps(fe_app *app)
{
    static const char *const files[][2] = {{"assembled", "A"},
                                           {"assembled", "b"},
                                           {"system", "A"},
                                           {"system", "b"},
                                           {"solution", "x"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        dump_path path;
        MX_TRY(make_path(app, files[i][0], files[i][1], &path));
        MX_TRY(app_path_writes(&app->base, "dump", "a file of dump", path.text));
    }
    return MX_OK;
}

static mx_err write_file(const fe_app *app, const char *stage, const char *what, const dumped *d,
                         bool matrix)
{
    const app_comm comm = app->base.comm;
    dump_path path;
    MX_TRY(make_path(app, stage, what, &path));
    for (int rank = 0; rank < app_size(comm); rank++)
        MX_TRY(app_agree(comm,
                         rank == app_rank(comm) ? write_part(app, path.text, d, matrix) : MX_OK));
    return MX_OK;
}

static mx_err allocate(const fe_level *level, dumped *d)
{
    const size_t rows = (size_t)fe_rows(&level->mesh), held = (size_t)fe_held(&level->mesh),
                 entries = (size_t)level->entries;
    d->begin = calloc(rows + 1, sizeof *d->begin);
    d->number = calloc(held, sizeof *d->number);
    d->column = calloc(entries, sizeof *d->column);
    d->value = calloc(entries, sizeof *d->value);
    d->vector = calloc(rows, sizeof *d->vector);
    MX_REQUIRE(d->begin != NULL && d->number != NULL && d->column != NULL && d->value != NULL &&
                   d->vector != NULL,
               MX_ERR_MEMORY, "no memory to dump %zu entries", entries);
    return MX_OK;
}

static void number_nodes(const fe_mesh *m, int64_t *number)
{
    for (int z = 0; z < m->extent[0]; z++)
        for (int y = 0; y < m->extent[1]; y++)
            for (int x = 0; x < m->extent[2]; x++) {
                const fe_node n = {{m->low[0] + z, m->low[1] + y, m->low[2] + x}};
                number[fe_local(m, n)] = 1 + fe_id(m, n);
            }
}

static void list_columns(const fe_mesh *m, dumped *d)
{
    for (int row = 0; row < fe_rows(m); row++) {
        const fe_node node = fe_node_of_row(m, row);
        const fe_stencil around = fe_stencil_of(m, node);
        d->begin[row] = fe_entries_before(m, node);
        for (int e = 0; e < fe_stencil_size(&around); e++)
            d->column[d->begin[row] + e] = fe_local(m, fe_node_of_entry(&around, e));
    }
    d->begin[fe_rows(m)] = fe_entries(m);
}

/* Whatever the form of the matrix is. */
static mx_err export_matrix(fe_level *level, dumped *d)
{
    const mx_ctx ctx = level->base->ctx;
    mx_view entries;
    list_columns(&level->mesh, d);
    MX_TRY(mx_view_create_1d(ctx, "dumped entries", MX_F64, level->entries, &entries));
    mx_err err = fe_copy_matrix(level, entries);
    if (err == MX_OK) err = mx_export(ctx, entries, d->value, NULL);
    (void)mx_view_destroy(&entries);
    return err;
}

static mx_err write_files(fe_app *app, const char *stage, dumped *d)
{
    const app_comm comm = app->base.comm;
    const bool solved = app->vectors.x.generation != 0;
    const mx_view vector = solved ? app->vectors.x : app->level.views.b;
    number_nodes(&app->level.mesh, d->number);
    MX_TRY(app_agree(comm, mx_export(app->base.ctx, vector, d->vector, NULL)));
    if (solved) return write_file(app, stage, "x", d, false);
    MX_TRY(app_agree(comm, export_matrix(&app->level, d)));
    MX_TRY(write_file(app, stage, "A", d, true));
    return write_file(app, stage, "b", d, false);
}

mx_err fe_dump(fe_app *app, const char *stage)
{
    dumped d = {0};
    if (app->input.dump == NULL) return MX_OK;
    mx_err err = app_agree(app->base.comm, allocate(&app->level, &d));
    if (err == MX_OK) err = write_files(app, stage, &d);
    free(d.begin);
    free(d.number);
    free(d.column);
    free(d.value);
    free(d.vector);
    return err;
}

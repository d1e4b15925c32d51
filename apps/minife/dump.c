/* Matrix and vectors as text, for comparisons. Rank r writes FOLDER/STAGE.A.r and so on; a line is "row column coefficient" or
 * "row value", with global numbers from 0: the rows of rank 0 come first, then those of rank 1. */
#include "fe_app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written, on the host. */
typedef struct dumped {
    int64_t *begin, *number; /* number: the global row of each local index */
    int32_t *column;
    double *value, *b, *x;
} dumped;

static mx_err open_file(fe_app *app, const char *stage, const char *what, FILE **file)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.%s.%d", app->input.dump, stage, what,
                                app_rank(app->base.comm));
    MX_REQUIRE(length < (int)sizeof path, MX_ERR_INPUT, "dump: the folder's name is too long");
    *file = fopen(path, "w");
    MX_REQUIRE(*file != NULL, MX_ERR_IO, "dump: cannot write '%s': %s", path, strerror(errno));
    return MX_OK;
}

static mx_err close_file(FILE *file)
{
    const bool failed = ferror(file) != 0;
    MX_REQUIRE(fclose(file) == 0 && !failed, MX_ERR_IO, "dump: cannot write: %s", strerror(errno));
    return MX_OK;
}

static mx_err write_matrix(fe_app *app, const char *stage, const dumped *d)
{
    FILE *file;
    MX_TRY(open_file(app, stage, "A", &file));
    for (int row = 0; row < fe_rows(&app->level.mesh); row++)
        for (int64_t e = d->begin[row]; e < d->begin[row + 1]; e++)
            fprintf(file, "%lld %lld %.17g\n", (long long)d->number[row],
                    (long long)d->number[d->column[e]], d->value[e]);
    return close_file(file);
}

static mx_err write_vector(fe_app *app, const char *stage, const char *name, const dumped *d,
                           const double *values)
{
    FILE *file;
    MX_TRY(open_file(app, stage, name, &file));
    for (int row = 0; row < fe_rows(&app->level.mesh); row++)
        fprintf(file, "%lld %.17g\n", (long long)d->number[row], values[row]);
    return close_file(file);
}

/* The global rows of all nodes held: the ghosts' from their owners. */
static mx_err number_rows(fe_app *app, dumped *d)
{
    const int rows = fe_rows(&app->level.mesh), held = fe_held(&app->level.mesh);
    mx_view numbers;
    for (int row = 0; row < rows; row++) d->number[row] = app->level.first_row + row;
    MX_TRY(mx_view_create_1d(app->base.ctx, "row numbers", MX_I64, held, &numbers));
    MX_TRY(mx_import(app->base.ctx, numbers, d->number, NULL));
    MX_TRY(fe_exchange(&app->level, numbers));
    MX_TRY(mx_export(app->base.ctx, numbers, d->number, NULL));
    return mx_view_destroy(&numbers);
}

static mx_err allocate(fe_app *app, dumped *d)
{
    const size_t rows = (size_t)fe_rows(&app->level.mesh), held = (size_t)fe_held(&app->level.mesh),
                 entries = (size_t)app->level.entries;
    d->begin = calloc(rows + 1, sizeof *d->begin);
    d->number = calloc(held, sizeof *d->number);
    d->column = calloc(entries, sizeof *d->column);
    d->value = calloc(entries, sizeof *d->value);
    d->b = calloc(rows, sizeof *d->b);
    d->x = calloc(rows, sizeof *d->x);
    MX_REQUIRE(d->begin != NULL && d->number != NULL && d->column != NULL && d->value != NULL &&
                   d->b != NULL && d->x != NULL,
               MX_ERR_MEMORY, "no memory to dump %zu entries", entries);
    return MX_OK;
}

static mx_err write_files(fe_app *app, const char *stage, dumped *d)
{
    const mx_ctx ctx = app->base.ctx;
    const fe_level_views *v = &app->level.views;
    if (app->vectors.x.generation != 0) {
        MX_TRY(mx_export(ctx, app->vectors.x, d->x, NULL));
        return write_vector(app, stage, "x", d, d->x);
    }
    MX_TRY(mx_export(ctx, v->begin, d->begin, NULL));
    MX_TRY(mx_export(ctx, v->column, d->column, NULL));
    MX_TRY(mx_export(ctx, v->value, d->value, NULL));
    MX_TRY(mx_export(ctx, v->b, d->b, NULL));
    MX_TRY(write_matrix(app, stage, d));
    return write_vector(app, stage, "b", d, d->b);
}

mx_err fe_dump(fe_app *app, const char *stage)
{
    dumped d = {NULL};
    if (app->input.dump == NULL) return MX_OK;
    mx_err err = app_agree(app->base.comm, allocate(app, &d));
    if (err == MX_OK) err = number_rows(app, &d);
    if (err == MX_OK) err = app_agree(app->base.comm, write_files(app, stage, &d));
    free(d.begin);
    free(d.number);
    free(d.column);
    free(d.value);
    free(d.b);
    free(d.x);
    return err;
}

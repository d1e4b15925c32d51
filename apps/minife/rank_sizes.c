#define _DEFAULT_SOURCE /* getrusage */
#include "fe_app.h"

#include <stdlib.h>
#include <sys/resource.h>

int64_t fe_resident(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024 * (int64_t)usage.ru_maxrss : 0;
}

static int64_t bytes_of(const mx_view *views, size_t count)
{
    int64_t bytes = 0;
    mx_view_info info;
    for (size_t i = 0; i < count; i++)
        if (views[i].generation != 0 && mx_view_get_info(views[i], &info) == MX_OK)
            bytes += (int64_t)info.bytes;
    return bytes;
}

static int64_t matrix_bytes(const fe_level_views *v)
{
    const mx_view all[] = {v->begin, v->column, v->value, v->line};
    return bytes_of(all, sizeof all / sizeof all[0]) + bytes_of(v->of_operator, FE_OPERATOR_VIEWS);
}

/* Without preconditioner z is r. */
static int64_t vector_bytes(const fe_app *app)
{
    const fe_vectors *const v = &app->vectors;
    const mx_view all[] = {v->b, v->x, v->r, v->p, v->w, v->s, v->z};
    const size_t count = sizeof all / sizeof all[0];
    return bytes_of(all, app->preconditioner != NULL ? count : count - 1);
}

mx_err fe_rank_sizes_create(const fe_app *app, fe_rank_sizes *sizes)
{
    enum { NUMBERS = 8 };
    const app_comm comm = app->base.comm;
    const fe_level *level = &app->level;
    const int ranks = app_size(comm);
    const app_box *part = &level->part;
    const int64_t mine[NUMBERS] = {part->cells[0] * part->cells[1] * part->cells[2],
                                   fe_rows(&level->mesh),
                                   level->entries,
                                   fe_held(&level->mesh) - fe_rows(&level->mesh),
                                   matrix_bytes(&level->views),
                                   vector_bytes(app),
                                   app->set_up_resident,
                                   fe_resident()};
    const size_t all = NUMBERS * (size_t)ranks;
    int64_t *const numbers = malloc(2 * all * sizeof *numbers);
    *sizes = (fe_rank_sizes){.ranks = ranks, .numbers = numbers};
    MX_TRY(app_agree(comm, numbers != NULL ? MX_OK
                                           : MX_FAIL(MX_ERR_MEMORY,
                                                     "no memory for numbers of %d ranks", ranks)));
    int64_t *const by_rank = numbers + all;
    MX_TRY(app_allgather(comm, mine, sizeof mine, by_rank));
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < NUMBERS; i++) numbers[i * ranks + rank] = by_rank[rank * NUMBERS + i];
    sizes->elements = numbers;
    sizes->rows = numbers + ranks;
    sizes->entries = numbers + 2 * ranks;
    sizes->ghosts = numbers + 3 * ranks;
    sizes->matrix = numbers + 4 * ranks;
    sizes->vectors = numbers + 5 * ranks;
    sizes->set_up_resident = numbers + 6 * ranks;
    sizes->resident = numbers + 7 * ranks;
    return MX_OK;
}

void fe_rank_sizes_destroy(fe_rank_sizes *sizes)
{
    free(sizes->numbers);
    *sizes = (fe_rank_sizes){.ranks = 0};
}

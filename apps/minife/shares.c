#define _DEFAULT_SOURCE /* getrusage */
#include "fe_app.h"

#include <stdlib.h>
#include <sys/resource.h>

/* The most memory that this process has had, in kB. */
static int64_t resident(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss : 0;
}

mx_err fe_shares_create(const fe_app *app, fe_shares *shares)
{
    enum { NUMBERS = 5 };
    const app_comm comm = app->base.comm;
    const fe_level *level = &app->level;
    const int ranks = app_size(comm);
    const app_box *part = &level->part;
    const int64_t mine[NUMBERS] = {part->cells[0] * part->cells[1] * part->cells[2],
                                   fe_rows(&level->mesh), level->entries,
                                   fe_held(&level->mesh) - fe_rows(&level->mesh), resident()};
    const size_t all = NUMBERS * (size_t)ranks;
    int64_t *const numbers = malloc(2 * all * sizeof *numbers);
    *shares = (fe_shares){.ranks = ranks, .numbers = numbers};
    MX_TRY(app_agree(comm, numbers != NULL ? MX_OK
                                           : MX_FAIL(MX_ERR_MEMORY,
                                                     "no memory for numbers of %d ranks", ranks)));
    int64_t *const by_rank = numbers + all;
    MX_TRY(app_allgather(comm, mine, sizeof mine, by_rank));
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < NUMBERS; i++) numbers[i * ranks + rank] = by_rank[rank * NUMBERS + i];
    shares->elements = numbers;
    shares->rows = numbers + ranks;
    shares->entries = numbers + 2 * ranks;
    shares->ghosts = numbers + 3 * ranks;
    shares->memory = numbers + 4 * ranks;
    return MX_OK;
}

void fe_shares_destroy(fe_shares *shares)
{
    free(shares->numbers);
    *shares = (fe_shares){.ranks = 0};
}

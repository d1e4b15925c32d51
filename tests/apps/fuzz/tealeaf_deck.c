/* Throws text at the deck parser.
 *
 * Properties checked for any text:
 *   1. the parser returns, reads nothing beyond the end, and gives MX_OK, or MX_ERR_INPUT with a
 *      message;
 *   2. an accepted deck keeps the promises of tl_deck.h: ranges, sides in order, finite numbers;
 *   3. parsing twice gives the same. */
#include "input/tl_deck.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_states(const tl_deck *d)
{
    HOLDS(d->states >= 1 && d->states <= TL_MAX_STATES);
    for (int i = 0; i < d->states; i++) {
        const tl_state *const s = &d->state[i];
        HOLDS(s->density > 0.0 && s->energy >= 0.0 && isfinite(s->density * s->energy));
        if (i == 0) continue;
        HOLDS(s->geometry != TL_RECTANGLE || (s->xmax > s->xmin && s->ymax > s->ymin));
        HOLDS(s->geometry != TL_ALIAS);
        HOLDS(s->geometry != TL_CIRCLE || s->radius > 0.0);
    }
}

static void check_deck(const tl_deck *d)
{
    const double dx = (d->xmax - d->xmin) / (double)d->x_cells;
    const double dy = (d->ymax - d->ymin) / (double)d->y_cells;
    HOLDS(dx > 0.0 && isfinite(dx) && dy > 0.0 && isfinite(dy));
    const double dz = (d->zmax - d->zmin) / (double)d->z_cells;
    HOLDS(dz > 0.0 && isfinite(dz) && d->z_cells >= 1 && d->z_cells <= INT32_MAX - 1);
    HOLDS(tl_is_3d(d) || (dz == 1.0 && d->z_cells == 1));
    HOLDS(isfinite(tl_cell_volume(d)) && tl_cells_of(d) <= 0x1p62);
    HOLDS(isfinite(d->initial_timestep / (dx * dx)) && isfinite(d->initial_timestep / (dy * dy)));
    HOLDS(d->x_cells >= 1 && d->x_cells <= INT32_MAX - 1 && d->y_cells >= 1 &&
          d->y_cells <= INT32_MAX - 1);
    HOLDS(d->initial_timestep > 0.0 && d->end_time >= 0.0 && d->end_step >= 0 &&
          d->summary_frequency >= 0);
    HOLDS(d->eps > 0.0 && isfinite(d->eps) && d->max_iters >= 1);
    HOLDS(d->test_problem >= 0 && d->test_problem <= 6);
    check_states(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tl_deck first, second;
    double expected;
    const char *source;
    char *const text = own_block(data, size);
    mx_err_clear();
    const mx_err err = tl_deck_parse("deck", text, size, &first);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT);
    if (err == MX_ERR_INPUT) {
        HOLDS(strncmp(mx_err_message(), "deck:", 5) == 0 &&
              strstr(mx_err_message(), ", expected "));
    } else {
        check_deck(&first);
        HOLDS(tl_deck_parse("deck", text, size, &second) == MX_OK);
        HOLDS(memcmp(&first, &second, sizeof first) == 0);
        if (tl_deck_expected(&first, &expected, &source))
            HOLDS(expected > 0.0 && source[0] != '\0');
    }
    free(text);
    return 0;
}

#include "tl_states.h"

#include <math.h>

static double cell_width(const tl_deck *deck)
{
    return (deck->xmax - deck->xmin) / (double)deck->x_cells;
}

static bool holds(const tl_deck *deck, const tl_state *s, int64_t j, int64_t k)
{
    const double dx = cell_width(deck);
    const double dy = (deck->ymax - deck->ymin) / (double)deck->y_cells;
    const double x0 = deck->xmin + dx * (double)k, x1 = deck->xmin + dx * (double)(k + 1);
    const double y0 = deck->ymin + dy * (double)j, y1 = deck->ymin + dy * (double)(j + 1);
    switch (s->geometry) {
    case TL_RECTANGLE:
        return x1 >= s->xmin + dx / 100 && x0 < s->xmax - dx / 100 && y1 >= s->ymin + dy / 100 &&
               y0 < s->ymax - dy / 100;
    case TL_CIRCLE:
        return hypot((x0 + x1) / 2 - (s->xmin + dx / 100), (y0 + y1) / 2 - (s->ymin + dy / 100)) <=
               s->radius;
    case TL_BACKGROUND: return true;
    case TL_POINT: return x0 <= s->xmin && s->xmin < x1 && y0 <= s->ymin && s->ymin < y1;
    }
    return false;
}

void tl_state_at(const tl_deck *deck, int64_t j, int64_t k, double *density, double *energy)
{
    int last = deck->states - 1;
    while (last > 0 && !holds(deck, &deck->state[last], j, k)) last--;
    *density = deck->state[last].density;
    *energy = deck->state[last].energy;
}

/* A column that the state fills in row j if it fills any: for rectangles the first that reaches beyond its left side. */
static int64_t likely_column(const tl_deck *deck, const tl_state *s)
{
    const double dx = cell_width(deck);
    const double column = floor((s->xmin + dx / 100 - deck->xmin) / dx);
    const double last = (double)(deck->x_cells - 1);
    return (int64_t)fmin(fmax(column, 0), last);
}

/* What a state fills of a row is contiguous. `inside` is filled; `outside` is not, or is beyond the edge of the domain; the result
 * is the filled column that is nearest to `outside`. */
static int64_t last_filled(const tl_deck *deck, const tl_state *s, int64_t j, int64_t inside,
                           int64_t outside)
{
    while (inside + 1 < outside || outside + 1 < inside) {
        const int64_t middle = inside + (outside - inside) / 2;
        if (holds(deck, s, j, middle))
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

void tl_state_columns(const tl_deck *deck, const tl_state *s, int64_t j, int64_t *first,
                      int64_t *last)
{
    const int64_t likely = likely_column(deck, s);
    *first = *last = 0;
    /* rounding may move the place by one column */
    for (int64_t k = likely - 1; k <= likely + 1; k++) {
        if (k < 0 || k >= deck->x_cells || !holds(deck, s, j, k)) continue;
        *first = last_filled(deck, s, j, k, -1);
        *last = last_filled(deck, s, j, k, deck->x_cells) + 1;
        return;
    }
}

/* The distance from x to the interval. */
static double distance(double x, double low, double high)
{
    return fmax(0, fmax(low - x, x - high));
}

bool tl_state_is_outside(const tl_deck *d, const tl_state *s)
{
    switch (s->geometry) {
    case TL_BACKGROUND: return false;
    case TL_RECTANGLE:
        return s->xmax <= d->xmin || s->xmin >= d->xmax || s->ymax <= d->ymin || s->ymin >= d->ymax;
    case TL_CIRCLE:
        return hypot(distance(s->xmin, d->xmin, d->xmax), distance(s->ymin, d->ymin, d->ymax)) >
               s->radius;
    case TL_POINT:
        return s->xmin < d->xmin || s->xmin >= d->xmax || s->ymin < d->ymin || s->ymin >= d->ymax;
    }
    return false;
}

#include "tl_states.h"

#include <math.h>

static bool holds(const tl_deck *deck, const tl_state *s, int64_t j, int64_t k)
{
    const double dx = (deck->xmax - deck->xmin) / (double)deck->x_cells;
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

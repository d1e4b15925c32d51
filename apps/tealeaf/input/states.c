#include "tl_states.h"

#include <math.h>

static double cell_width(const tl_deck *deck)
{
    return (deck->xmax - deck->xmin) / (double)deck->x_cells;
}

/* A cell along one direction, and what a state says of this direction. */
typedef struct span {
    double low, high; /* sides of the cell */
    double from, to;  /* of the state; `to` of rectangles only */
    double shift;     /* a hundredth of the cell */
} span;

static span span_of(double from, double to, int64_t cells, int64_t at, double low, double high)
{
    const double width = (to - from) / (double)cells;
    return (span){from + width * (double)at, from + width * (double)(at + 1), low, high,
                  width / 100};
}

static bool overlaps(const span *s)
{
    return s->high >= s->from + s->shift && s->low < s->to - s->shift;
}

static double from_centre(const span *s) { return (s->low + s->high) / 2 - (s->from + s->shift); }

static bool contains(const span *s) { return s->low <= s->from && s->from < s->high; }

static bool holds(const tl_deck *d, const tl_state *s, int64_t i, int64_t j, int64_t k)
{
    const bool flat = !tl_is_3d(d);
    const span x = span_of(d->xmin, d->xmax, d->x_cells, k, s->xmin, s->xmax);
    const span y = span_of(d->ymin, d->ymax, d->y_cells, j, s->ymin, s->ymax);
    span z = {0};
    if (!flat) z = span_of(d->zmin, d->zmax, d->z_cells, i, s->zmin, s->zmax);
    switch (s->geometry) {
    case TL_RECTANGLE: return overlaps(&x) && overlaps(&y) && (flat || overlaps(&z));
    case TL_CIRCLE:
        return hypot(hypot(from_centre(&x), from_centre(&y)), from_centre(&z)) <= s->radius;
    case TL_POINT: return contains(&x) && contains(&y) && (flat || contains(&z));
    default: return true;
    }
}

void tl_state_at(const tl_deck *deck, int64_t i, int64_t j, int64_t k, double *density,
                 double *energy)
{
    int last = deck->states - 1;
    while (last > 0 && !holds(deck, &deck->state[last], i, j, k)) last--;
    *density = deck->state[last].density;
    *energy = deck->state[last].energy;
}

/* A column that the state fills in row j if it fills any: for rectangles the first that reaches
 * beyond its left side. */
static int64_t likely_column(const tl_deck *deck, const tl_state *s)
{
    const double dx = cell_width(deck);
    const double column = floor((s->xmin + dx / 100 - deck->xmin) / dx);
    const double last = (double)(deck->x_cells - 1);
    return (int64_t)fmin(fmax(column, 0), last);
}

/* What a state fills of a row is contiguous. `inside` is filled; `outside` is not, or is beyond the
 * edge of the domain; the result is the filled column that is nearest to `outside`. */
static int64_t last_filled(const tl_deck *deck, const tl_state *s, int64_t i, int64_t j,
                           int64_t inside, int64_t outside)
{
    while (inside + 1 < outside || outside + 1 < inside) {
        const int64_t middle = inside + (outside - inside) / 2;
        if (holds(deck, s, i, j, middle))
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

void tl_state_columns(const tl_deck *deck, const tl_state *s, int64_t i, int64_t j, int64_t *first,
                      int64_t *last)
{
    const int64_t likely = likely_column(deck, s);
    *first = *last = 0;
    /* rounding may move the place by one column */
    for (int64_t k = likely - 1; k <= likely + 1; k++) {
        if (k < 0 || k >= deck->x_cells || !holds(deck, s, i, j, k)) continue;
        *first = last_filled(deck, s, i, j, k, -1);
        *last = last_filled(deck, s, i, j, k, deck->x_cells) + 1;
        return;
    }
}

/* The distance from x to the interval. */
static double distance(double x, double low, double high)
{
    return fmax(0, fmax(low - x, x - high));
}

/* Is x beyond the interval, whose end belongs to the next one? */
static bool is_beyond(double x, double low, double high) { return x < low || x >= high; }

bool tl_state_is_outside(const tl_deck *d, const tl_state *s)
{
    const bool flat = !tl_is_3d(d);
    switch (s->geometry) {
    case TL_RECTANGLE:
        return s->xmax <= d->xmin || s->xmin >= d->xmax || s->ymax <= d->ymin ||
               s->ymin >= d->ymax || (!flat && (s->zmax <= d->zmin || s->zmin >= d->zmax));
    case TL_CIRCLE:
        return hypot(
                   hypot(distance(s->xmin, d->xmin, d->xmax), distance(s->ymin, d->ymin, d->ymax)),
                   flat ? 0 : distance(s->zmin, d->zmin, d->zmax)) > s->radius;
    case TL_POINT:
        return is_beyond(s->xmin, d->xmin, d->xmax) || is_beyond(s->ymin, d->ymin, d->ymax) ||
               (!flat && is_beyond(s->zmin, d->zmin, d->zmax));
    default: return false;
    }
}

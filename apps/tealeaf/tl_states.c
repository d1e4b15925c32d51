#include "tl_states.h"

#include <math.h>
#include <string.h>

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

const struct tl_state_member tl_state_members[TL_STATE_MEMBERS] = {
    {"state_density", "mass/length^2", offsetof(tl_state, density)},
    {"state_energy", "energy/mass", offsetof(tl_state, energy)},
    {"state_xmin", "length", offsetof(tl_state, xmin)},
    {"state_xmax", "length", offsetof(tl_state, xmax)},
    {"state_ymin", "length", offsetof(tl_state, ymin)},
    {"state_ymax", "length", offsetof(tl_state, ymax)},
    {"state_radius", "length", offsetof(tl_state, radius)},
};

void tl_states_list(const tl_deck *deck, int member, double values[TL_MAX_STATES])
{
    for (int i = 0; i < deck->states; i++)
        memcpy(&values[i], (const char *)&deck->state[i] + tl_state_members[member].offset,
               sizeof values[i]);
}

void tl_states_geometries(const tl_deck *deck, char text[TL_GEOMETRIES_SIZE])
{
    static const char *const words[] = {
        [TL_RECTANGLE] = " rectangle", [TL_CIRCLE] = " circle", [TL_POINT] = " point"};
    strcpy(text, "background");
    for (int i = 1; i < deck->states; i++) strcat(text, words[deck->state[i].geometry]);
}

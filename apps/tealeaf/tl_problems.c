/* The final values of U that the original codes publish, and the conditions under which a deck is one of the published
 * problems.
 *
 * All are one physical problem, a crooked pipe of light, hot material through dense, cold one, on
 * meshes of different fineness and for different numbers of steps. The port looks a value up by
 * mesh and last step alone; with another time step, domain, coefficient or other states its value
 * means nothing, so these are compared too. */
#include "steps.h"
#include "tl_deck.h"

#define PUBLISHED_BY_REFERENCE "TeaLeaf reference, field_summary, test_problem"
#define PUBLISHED_BY_PORT "TeaLeaf C++ port, tea.problems"

typedef struct problem {
    int test_problem;        /* the reference's number; 0: the port's */
    int64_t cells, end_step; /* cells along x and along y */
    double expected;
} problem;

static const problem problems[] = {
    {1, 10, 10, 157.55084183279294},       {2, 250, 10, 106.27221178646569},
    {3, 500, 10, 99.955877498324000},      {4, 1000, 10, 97.277332050749976},
    {5, 4000, 10, 95.462351583362249},     {6, 8000, 10, 95.174738768320850},
    {0, 512, 20, 1.034697091898282e+02},   {0, 4096, 1, 8.789826115915487e+01},
    {0, 1024, 20, 1.012100932683400e+02},  {0, 64, 1, 1.084697720003111e+02},
    {0, 1000, 10, 9.727733205075556e+01},  {0, 2000, 10, 9.605026999605091e+01},
    {0, 4000, 10, 9.5462351582214282e+01}, {0, 8000, 10, 9.517473876862078e+01},
    {0, 1000, 4, 9.348844542172745e+01},   {0, 2000, 4, 9.213313338102208e+01},
    {0, 4000, 4, 9.150788514428132e+01},   {0, 8000, 4, 9.120746325516782e+01},
    {0, 1000, 2, 9.161051549004094e+01},   {0, 2000, 2, 9.010618606381739e+01},
    {0, 4000, 2, 8.944258537125111e+01},   {0, 8000, 2, 8.913203173864531e+01},
};

/* The crooked pipe. Units are those of the deck. */
static const tl_state crooked_pipe[] = {
    {.density = 100.0, .energy = 0.0001},
    {.density = 0.1,
     .energy = 25.0,
     .geometry = TL_RECTANGLE,
     .xmin = 0,
     .xmax = 1,
     .ymin = 1,
     .ymax = 2},
    {.density = 0.1,
     .energy = 0.1,
     .geometry = TL_RECTANGLE,
     .xmin = 1,
     .xmax = 6,
     .ymin = 1,
     .ymax = 2},
    {.density = 0.1,
     .energy = 0.1,
     .geometry = TL_RECTANGLE,
     .xmin = 5,
     .xmax = 6,
     .ymin = 1,
     .ymax = 8},
    {.density = 0.1,
     .energy = 0.1,
     .geometry = TL_RECTANGLE,
     .xmin = 5,
     .xmax = 10,
     .ymin = 7,
     .ymax = 8},
};
enum { CROOKED_PIPE_STATES = sizeof crooked_pipe / sizeof crooked_pipe[0] };

static bool same_state(const tl_state *a, const tl_state *b)
{
    return a->density == b->density && a->energy == b->energy && a->geometry == b->geometry &&
           a->xmin == b->xmin && a->xmax == b->xmax && a->ymin == b->ymin && a->ymax == b->ymax &&
           a->radius == b->radius;
}

/* The first part of the deck that is not the crooked pipe's; NULL: it is the crooked pipe. */
static const char *not_crooked_pipe(const tl_deck *deck)
{
    if (deck->coefficient != TL_COEFFICIENT_DENSITY) return "the coefficient";
    if (deck->xmin != 0.0 || deck->xmax != 10.0 || deck->ymin != 0.0 || deck->ymax != 10.0)
        return "the domain (xmin, xmax, ymin, ymax)";
    if (deck->initial_timestep != 0.004) return "initial_timestep";
    if (deck->states != CROOKED_PIPE_STATES) return "the number of states";
    for (int i = 0; i < CROOKED_PIPE_STATES; i++) {
        static const char *const names[CROOKED_PIPE_STATES] = {"state 1", "state 2", "state 3",
                                                               "state 4", "state 5"};
        if (!same_state(&deck->state[i], &crooked_pipe[i])) return names[i];
    }
    return NULL;
}

/* The first part of the deck that differs from the problem. */
static const char *difference(const tl_deck *deck, const problem *p)
{
    if (deck->x_cells != p->cells) return "x_cells";
    if (deck->y_cells != p->cells) return "y_cells";
    if (deck->end_step != p->end_step) return "end_step";
    if (app_steps(deck->initial_timestep, deck->end_time, deck->end_step) < deck->end_step)
        return "end_time";
    return not_crooked_pipe(deck);
}

/* The reference's problems count for decks that name them, the port's for the port's decks. */
static bool is_meant(const tl_deck *deck, const problem *p)
{
    if (deck->dialect == TL_DIALECT_PORT) return p->test_problem == 0;
    return p->test_problem > 0 && p->test_problem == deck->test_problem;
}

bool tl_deck_expected(const tl_deck *deck, double *expected, const char **source)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const problem *const p = &problems[i];
        if (!is_meant(deck, p) || difference(deck, p)) continue;
        *expected = p->expected;
        *source = p->test_problem > 0 ? PUBLISHED_BY_REFERENCE : PUBLISHED_BY_PORT;
        return true;
    }
    return false;
}

mx_err tl_deck_check_problem(const char *name, const tl_deck *deck)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const problem *const p = &problems[i];
        if (p->test_problem == 0 || !is_meant(deck, p)) continue;
        const char *const part = difference(deck, p);
        MX_REQUIRE(!part, MX_ERR_INPUT,
                   "%s: test_problem: got %d, but %s of the deck differs from that problem's, "
                   "expected the problem itself, or no test_problem",
                   name, deck->test_problem, part);
    }
    return MX_OK;
}

/* The final values of U that the original codes publish, and the conditions under which a deck is
 * one of the published problems.
 *
 * All are one physical problem, a crooked pipe of light, hot material through dense, cold one, in
 * two or three dimensions, on meshes of different fineness, for different numbers of steps, in 3-D
 * with two different time steps. The port looks a value up by mesh and last step alone; with
 * another time step, domain, coefficient or other states its value means nothing, so these are
 * compared too.
 *
 * The three-dimensional reference code cuts the conduction through the last interior face of each
 * direction. Its values contain that: on 10^3 cells and with the longer time step U differs by
 * 1.2e-11 from that of the equations, far less than the tolerance. */
#include "input/steps.h"
#include "tl_deck.h"

static const char *const sources[] = {
    [TL_DIALECT_REFERENCE] = "TeaLeaf reference, field_summary, test_problem",
    [TL_DIALECT_PORT] = "TeaLeaf C++ port, tea.problems",
    [TL_DIALECT_REFERENCE_3D] = "TeaLeaf reference in 3-D, field_summary, test_problem",
};

typedef struct problem {
    tl_dialect dialect;
    int test_problem;        /* the reference's number */
    int64_t cells, end_step; /* cells along each direction */
    double time_step;
    double expected;
} problem;

#define REFERENCE(number, cells, expected)                       \
    {                                                            \
        TL_DIALECT_REFERENCE, number, cells, 10, 0.004, expected \
    }
#define REFERENCE_3D(number, cells, dt, expected)                \
    {                                                            \
        TL_DIALECT_REFERENCE_3D, number, cells, 10, dt, expected \
    }
#define PORT(cells, steps, expected)                      \
    {                                                     \
        TL_DIALECT_PORT, 0, cells, steps, 0.004, expected \
    }

static const problem problems[] = {
    REFERENCE(1, 10, 157.55084183279294),
    REFERENCE(2, 250, 106.27221178646569),
    REFERENCE(3, 500, 99.955877498324000),
    REFERENCE(4, 1000, 97.277332050749976),
    REFERENCE(5, 4000, 95.462351583362249),
    REFERENCE(6, 8000, 95.174738768320850),
    REFERENCE_3D(1, 10, 0.004, 1099.6237305862667),
    REFERENCE_3D(2, 125, 0.004, 1039.0046623461017),
    REFERENCE_3D(3, 250, 0.004, 1018.1900102318201),
    REFERENCE_3D(4, 10, 0.04, 1176.3114252290486),
    REFERENCE_3D(5, 125, 0.04, 1059.3367981751865),
    REFERENCE_3D(6, 250, 0.04, 1048.0589335736477),
    PORT(512, 20, 1.034697091898282e+02),
    PORT(4096, 1, 8.789826115915487e+01),
    PORT(1024, 20, 1.012100932683400e+02),
    PORT(64, 1, 1.084697720003111e+02),
    PORT(1000, 10, 9.727733205075556e+01),
    PORT(2000, 10, 9.605026999605091e+01),
    PORT(4000, 10, 9.5462351582214282e+01),
    PORT(8000, 10, 9.517473876862078e+01),
    PORT(1000, 4, 9.348844542172745e+01),
    PORT(2000, 4, 9.213313338102208e+01),
    PORT(4000, 4, 9.150788514428132e+01),
    PORT(8000, 4, 9.120746325516782e+01),
    PORT(1000, 2, 9.161051549004094e+01),
    PORT(2000, 2, 9.010618606381739e+01),
    PORT(4000, 2, 8.944258537125111e+01),
    PORT(8000, 2, 8.913203173864531e+01),
};

/* The crooked pipes. Units are those of the deck. */
#define BACKGROUND                         \
    {                                      \
        .density = 100.0, .energy = 0.0001 \
    }
#define BOX(hot, x0, x1, y0, y1, z0, z1)                                                 \
    {                                                                                    \
        .density = 0.1, .energy = hot, .geometry = TL_RECTANGLE, .xmin = x0, .xmax = x1, \
        .ymin = y0, .ymax = y1, .zmin = z0, .zmax = z1                                   \
    }

static const tl_state pipe[] = {
    BACKGROUND,
    BOX(25.0, 0, 1, 1, 2, 0, 0),
    BOX(0.1, 1, 6, 1, 2, 0, 0),
    BOX(0.1, 5, 6, 1, 8, 0, 0),
    BOX(0.1, 5, 10, 7, 8, 0, 0),
};
static const tl_state pipe_3d[] = {
    BACKGROUND,
    BOX(25.0, 1, 2, 1, 2, 0, 1),
    BOX(0.1, 1, 2, 1, 2, 1, 6),
    BOX(0.1, 2, 6, 1, 2, 5, 6),
    BOX(0.1, 5, 6, 1, 8, 5, 6),
    BOX(0.1, 5, 9, 7, 8, 5, 6),
    BOX(0.1, 8, 9, 7, 8, 5, 10),
};
enum {
    PIPE_STATES = sizeof pipe / sizeof pipe[0],
    PIPE_3D_STATES = sizeof pipe_3d / sizeof pipe_3d[0]
};

static bool same_state(const tl_state *a, const tl_state *b)
{
    return a->density == b->density && a->energy == b->energy && a->geometry == b->geometry &&
           a->xmin == b->xmin && a->xmax == b->xmax && a->ymin == b->ymin && a->ymax == b->ymax &&
           a->zmin == b->zmin && a->zmax == b->zmax && a->radius == b->radius;
}

/* The domain of all problems along one direction. */
static bool is_side(double low, double high) { return low == 0.0 && high == 10.0; }

/* The first part of the deck that is not the crooked pipe's; NULL: it is the crooked pipe. */
static const char *not_crooked_pipe(const tl_deck *deck, double time_step)
{
    const bool solid = tl_is_3d(deck);
    const tl_state *const states = solid ? pipe_3d : pipe;
    static const char *const names[PIPE_3D_STATES] = {"state 1", "state 2", "state 3", "state 4",
                                                      "state 5", "state 6", "state 7"};
    if (deck->coefficient != TL_COEFFICIENT_DENSITY) return "the coefficient";
    if (!is_side(deck->xmin, deck->xmax) || !is_side(deck->ymin, deck->ymax))
        return "the domain (xmin, xmax, ymin, ymax)";
    if (solid && !is_side(deck->zmin, deck->zmax)) return "the domain (zmin, zmax)";
    if (deck->initial_timestep != time_step) return "initial_timestep";
    if (deck->states != (solid ? (int)PIPE_3D_STATES : (int)PIPE_STATES))
        return "the number of states";
    for (int i = 0; i < deck->states; i++)
        if (!same_state(&deck->state[i], &states[i])) return names[i];
    return NULL;
}

/* The first part of the deck that differs from the problem. */
static const char *difference(const tl_deck *deck, const problem *p)
{
    if (deck->x_cells != p->cells) return "x_cells";
    if (deck->y_cells != p->cells) return "y_cells";
    if (tl_is_3d(deck) && deck->z_cells != p->cells) return "z_cells";
    if (deck->end_step != p->end_step) return "end_step";
    if (app_steps(deck->initial_timestep, deck->end_time, deck->end_step) < deck->end_step)
        return "end_time";
    return not_crooked_pipe(deck, p->time_step);
}

/* The reference's problems count for decks that name them, the port's for the port's decks. */
static bool is_meant(const tl_deck *deck, const problem *p)
{
    if (deck->dialect != p->dialect) return false;
    return deck->dialect == TL_DIALECT_PORT || p->test_problem == deck->test_problem;
}

bool tl_deck_expected(const tl_deck *deck, double *expected, const char **source)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const problem *const p = &problems[i];
        if (!is_meant(deck, p) || difference(deck, p)) continue;
        *expected = p->expected;
        *source = sources[p->dialect];
        return true;
    }
    return false;
}

mx_err tl_deck_check_problem(const char *name, const tl_deck *deck)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const problem *const p = &problems[i];
        if (p->dialect == TL_DIALECT_PORT || !is_meant(deck, p)) continue;
        const char *const part = difference(deck, p);
        MX_REQUIRE(
            !part, MX_ERR_INPUT,
            "%s: test_problem: got %d, but %s differs from that of test problem %d, expected "
            "that of the problem, or test_problem=0 (no comparison)",
            name, deck->test_problem, part, deck->test_problem);
    }
    return MX_OK;
}

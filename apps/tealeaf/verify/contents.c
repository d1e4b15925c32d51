/* What a results file of TeaLeaf holds, by its deck. */
#include "tl_checks.h"

#include <float.h>
#include <stdlib.h>

/* The norm of a residual is the root of a sum: more would be infinite. */
#define MAX_NORM 1.4e154

/* Units: in 2-D, in 3-D. */
static const char *const volume_units[] = {"length^2", "length^3"};
static const char *const density_units[] = {"mass/length^2", "mass/length^3"};
static const char *const temperature_units[] = {"energy/length^2", "energy/length^3"};
static const char *const total_units[] = {"mass*energy/length^2", "mass*energy/length^3"};

static void expect_fields(tealeaf *t)
{
    const tl_deck *const deck = tv_deck(t);
    const int solid = tl_is_3d(deck), flat = 1 - solid;
    const int64_t cells[] = {deck->z_cells, deck->y_cells, deck->x_cells};
    const double origin[] = {deck->zmin, deck->ymin, deck->xmin};
    const double spacing[] = {(deck->zmax - deck->zmin) / (double)deck->z_cells,
                              (deck->ymax - deck->ymin) / (double)deck->y_cells,
                              (deck->xmax - deck->xmin) / (double)deck->x_cells};
    const struct {
        const char *path, *units;
        app_compare compare;
    } all[] = {{"/fields/density", density_units[solid], APP_EXACT},
               {"/fields/energy", "energy/mass", APP_SUMS},
               {"/fields/temperature", temperature_units[solid], APP_SUMS},
               {"/fields/temperature_start", temperature_units[solid], APP_SUMS}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vf_dataset row = {.path = all[i].path,
                          .kind = APP_NODE_F64,
                          .rank = 2 + solid,
                          .units = all[i].units,
                          .compare = all[i].compare,
                          .origin = origin + flat,
                          .spacing = spacing + flat};
        for (int d = 0; d < row.rank; d++) row.shape[d] = cells[d + flat];
        vf_expect(&t->base, &row, 1);
    }
}

/* The number of iterations grows with the cells along a side. */
static app_compare iterations_within(const tl_deck *deck)
{
    const int64_t cells[] = {deck->x_cells, deck->y_cells, deck->z_cells};
    int64_t side = 0;
    for (int d = 0; d < 3; d++) side = cells[d] > side ? cells[d] : side;
    return APP_WITHIN((double)(2 + side / 12));
}

static void expect_series(tealeaf *t)
{
    const tl_deck *const deck = tv_deck(t);
    const int solid = tl_is_3d(deck);
    const int64_t summaries = vf_schedule_count(&t->schedule);
    const struct {
        const char *path, *units;
        app_node_kind kind;
        int64_t entries;
        app_compare compare;
        double high; /* none is below 0 */
    } all[] = {
        {"/series/step", "1", APP_NODE_I64, summaries, APP_EXACT, (double)deck->steps},
        {"/series/time", "time", APP_NODE_F64, summaries, APP_EXACT, DBL_MAX},
        {"/series/volume", volume_units[solid], APP_NODE_F64, summaries, APP_SUMS, DBL_MAX},
        {"/series/mass", "mass", APP_NODE_F64, summaries, APP_SUMS, DBL_MAX},
        {"/series/internal_energy", "energy", APP_NODE_F64, summaries, APP_SUMS, DBL_MAX},
        {"/series/temperature_total", total_units[solid], APP_NODE_F64, summaries, APP_SUMS,
         DBL_MAX},
        {"/series/cg_iterations", "1", APP_NODE_I64, deck->steps, iterations_within(deck),
         (double)deck->max_iters},
        {"/series/cg_residual", temperature_units[solid], APP_NODE_F64, VF_ANY_EXTENT, APP_ROUNDING,
         MAX_NORM},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vf_expect(&t->base,
                  &(vf_dataset){.path = all[i].path,
                                .kind = all[i].kind,
                                .rank = 1,
                                .shape = {all[i].entries},
                                .units = all[i].units,
                                .compare = all[i].compare,
                                .high = all[i].high > 0 ? all[i].high : DBL_TRUE_MIN},
                  1);
}

static void expect_frames(tealeaf *t)
{
    const tl_deck *const deck = tv_deck(t);
    const int solid = tl_is_3d(deck), flat = 1 - solid;
    const int64_t cells[] = {deck->z_cells, deck->y_cells, deck->x_cells};
    const int64_t restart = t->base.first_step;
    t->frames = (vf_schedule){.every = deck->visit_frequency,
                              .after = restart > 0 ? restart : -1,
                              .last = deck->steps,
                              .with_last = true};
    vf_frames f = {.path = "/frames/energy",
                   .schedule = t->frames,
                   .dt = deck->initial_timestep,
                   .rank = 2 + solid,
                   .units = "energy/mass",
                   .time_units = "time",
                   .compare = APP_SUMS};
    for (int d = 0; d < f.rank; d++) f.shape[d] = cells[d + flat];
    if (deck->visit_frequency == 0) return;
    vf_expect_frames(&t->base, &f);
    f.path = "/frames/temperature";
    f.units = temperature_units[solid];
    vf_expect_frames(&t->base, &f);
}

/* What the summary says: the iterations are those of the steps since a restart. */
static void expect_problem(tealeaf *t)
{
    int64_t steps = 0, sum = 0, *iterations = NULL;
    if (app_reader_i64(t->base.reader, "/series/cg_iterations", &steps, &iterations) != MX_OK)
        steps = 0; /* said where it was expected */
    /* numbers that cannot be are said where they were expected */
    for (int64_t s = t->base.first_step; s < steps; s++)
        if (iterations[s] > 0 && iterations[s] <= tv_deck(t)->max_iters) sum += iterations[s];
    free(iterations);
    t->base.problem = (vf_problem){.name = tl_problem_name(tv_deck(t), &t->problem),
                                   .size = (int64_t)tl_cells_of(tv_deck(t)),
                                   .iterations = sum,
                                   .merit = "cell iteration rate",
                                   .unit = "cell iterations/s"};
}

void tv_contents(void *state)
{
    tealeaf *const t = state;
    const int64_t every = tv_deck(t)->summary_frequency, steps = tv_deck(t)->steps;
    const int64_t done = steps > t->base.first_step ? steps - t->base.first_step : 0;
    t->schedule = (vf_schedule){.every = every > 0   ? every
                                         : steps > 0 ? steps
                                                     : 1,
                                .after = -1,
                                .last = steps,
                                .with_last = true};
    expect_fields(t);
    expect_series(t);
    expect_frames(t);
    expect_problem(t);
    vf_expect_region(&t->base, TL_SOLVE_REGION, done);
    vf_expect_region(&t->base, TL_OTHER_REGION, 2 * done);
}

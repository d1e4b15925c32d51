/* Good decks, and what they should become: the table of deck.c. */
#pragma once
#include "input/tl_deck.h"

#include <float.h>

typedef struct good_deck {
    const char *name;
    const char *text;
    /* makes, from the defaults of the reference with one state, what the text says */
    void (*expect)(tl_deck *deck);
} good_deck;

static void expect_nothing(tl_deck *d) { (void)d; }

static void expect_port(tl_deck *d)
{
    d->dialect = TL_DIALECT_PORT;
    d->end_time = DBL_MAX;
    d->end_step = 2147483647;
    d->eps = 1e-15;
    d->max_iters = 10000;
    d->presteps = 30;
    d->epslim = 1e-5;
    d->inner_steps = 10;
}

static void expect_all_keys(tl_deck *d)
{
    d->initial_timestep = 0.004;
    d->end_time = 3.5;
    d->end_step = 12;
    d->xmin = -1.0;
    d->xmax = 1.0;
    d->ymin = -0.5;
    d->ymax = 0.5;
    d->x_cells = 2147483646;
    d->y_cells = 1;
    d->eps = 1e-15;
    d->max_iters = 77;
    d->coefficient = TL_COEFFICIENT_INVERSE_DENSITY;
    d->summary_frequency = 0;
    d->visit_frequency = 3;
    d->check_result = 1;
    d->test_problem = 6;
    d->profiler_on = 1;
    d->verbose_on = 1;
    d->reflective_boundary = 1;
}

static void expect_ppcg(tl_deck *d)
{
    d->solver = TL_SOLVER_PPCG;
    d->preconditioner = TL_PRECONDITIONER_DIAGONAL;
    d->presteps = 7;
    d->epslim = 0.5;
    d->inner_steps = 12;
    d->halo_depth = 3;
}

static void expect_dpcg(tl_deck *d)
{
    d->solver = TL_SOLVER_DPCG;
    d->preconditioner = TL_PRECONDITIONER_BLOCK;
    d->tiles_per_problem = 8;
    d->tiles_per_task = 4;
    d->sub_tiles_per_tile = 2;
}

static void expect_jacobi(tl_deck *d) { d->solver = TL_SOLVER_JACOBI; }

static void expect_port_chebyshev(tl_deck *d)
{
    expect_port(d);
    d->solver = TL_SOLVER_CHEBYSHEV;
    d->presteps = 9;
}

static void expect_port_keys(tl_deck *d)
{
    expect_port(d);
    d->end_time = 2.0;
    d->end_step = 3;
    d->eps = 1e-7;
    d->max_iters = 5;
    d->coefficient = TL_COEFFICIENT_INVERSE_DENSITY;
    d->check_result = 1;
}

static void expect_multigrid(tl_deck *d)
{
    d->preconditioner = TL_PRECONDITIONER_MULTIGRID;
    d->smoothing_steps = 3;
}

static void expect_port_multigrid(tl_deck *d)
{
    expect_port(d);
    expect_multigrid(d);
}

static void expect_numbers(tl_deck *d)
{
    d->initial_timestep = 1e-3;
    d->end_time = 0.5;
    d->xmin = -1.0;
    d->xmax = 5.0;
    d->ymin = -2.5e-3;
    d->ymax = 1e2;
    d->eps = 1e-15;
    d->x_cells = 7;
    d->y_cells = 3;
}

static void expect_shapes(tl_deck *d)
{
    d->states = 4;
    d->state[1] = (tl_state){.density = 2,
                             .energy = 3,
                             .geometry = TL_RECTANGLE,
                             .xmin = -1,
                             .xmax = 1,
                             .ymin = 0,
                             .ymax = 4};
    d->state[2] = (tl_state){
        .density = 4, .energy = 0, .geometry = TL_CIRCLE, .xmin = 1, .ymin = 2, .radius = 0.5};
    d->state[3] =
        (tl_state){.density = 5, .energy = 6, .geometry = TL_POINT, .xmin = 0.25, .ymin = -0.25};
}

static void expect_port_shapes(tl_deck *d)
{
    expect_port(d);
    d->states = 3;
    d->state[1] = (tl_state){
        .density = 2, .energy = 3, .geometry = TL_CIRCLE, .xmin = 1, .ymin = 2, .radius = 4};
    d->state[2] = (tl_state){.density = 2, .energy = 3, .geometry = TL_POINT, .xmin = 1, .ymin = 2};
}

static void expect_3d(tl_deck *d)
{
    d->dialect = TL_DIALECT_REFERENCE_3D;
    d->zmax = 100;
    d->z_cells = 10;
}

static void expect_keys_3d(tl_deck *d)
{
    expect_3d(d);
    d->zmin = -0.25;
    d->zmax = 2;
    d->z_cells = 7;
}

static void expect_shapes_3d(tl_deck *d)
{
    expect_3d(d);
    d->z_cells = 5;
    d->states = 5;
    d->state[1] = (tl_state){.density = 2,
                             .energy = 3,
                             .geometry = TL_RECTANGLE,
                             .xmin = -1,
                             .xmax = 1,
                             .ymin = 0,
                             .ymax = 4,
                             .zmin = 0.5,
                             .zmax = 0.75};
    d->state[2] = (tl_state){.density = 4,
                             .energy = 0,
                             .geometry = TL_CIRCLE,
                             .xmin = 1,
                             .ymin = 2,
                             .zmin = 3,
                             .radius = 0.5};
    d->state[3] = d->state[2];
    d->state[4] = (tl_state){
        .density = 5, .energy = 6, .geometry = TL_POINT, .xmin = 1, .ymin = 2, .zmin = -3};
}

static void expect_cells_10_20(tl_deck *d)
{
    d->x_cells = 10;
    d->y_cells = 20;
}

#define STATE_1 "state 1 density=1 energy=1\n"

static const good_deck good_decks[] = {
    {"defaults of the reference", "*tea\n" STATE_1 "tl_use_cg\n*endtea\n", expect_nothing},
    {"defaults of the port", "*tea\n" STATE_1 "use_cg\n*endtea\n", expect_port},
    {"port without solver", "*tea\n" STATE_1 "use_c_kernels\n*endtea\n", expect_port},
    {"no end of line at the end", "*tea\n" STATE_1 "tl_use_cg\n*endtea", expect_nothing},
    {"a second *tea ends it", "*tea\n" STATE_1 "tl_use_cg\n*tea\nnonsense\n", expect_nothing},
    {"text around it", "nonsense = 1\n\1\2\n*tea\n" STATE_1 "tl_use_cg\n*endtea\nmore nonsense\n",
     expect_nothing},
    {"letters of either case", "*TEA\nState 1 Density=1 ENERGY=1\nTL_use_CG\n*EndTea\n",
     expect_nothing},
    {"CR LF", "*tea\r\nstate 1 density=1 energy=1\r\ntl_use_cg\r\n*endtea\r\n", expect_nothing},
    {"CR", "*tea\rstate 1 density=1 energy=1\rtl_use_cg\r*endtea\r", expect_nothing},
    {"byte order mark", "\xef\xbb\xbf*tea\n" STATE_1 "tl_use_cg\n*endtea\n", expect_nothing},
    {"comments",
     "*tea ! one\n;two\n" STATE_1 "tl_use_cg;three \xc3\xa9\n  ! x_cells=99\n*endtea!four\n",
     expect_nothing},
    {"comments of forks",
     "*tea # one\n#two\n" STATE_1 "#tl_use_jacobi\ntl_use_cg#three ! \xc3\xa9\n  # x_cells=99\n"
     "! four # five\n*endtea#six\n",
     expect_nothing},
    {"blanks", " \t*tea\n,= state,1,density==1,,energy 1\n\ttl_use_cg=\n  *endtea\n",
     expect_nothing},
    {"keys in a line", "*tea\n" STATE_1 "tl_use_cg x_cells=10,y_cells=20\n*endtea\n",
     expect_cells_10_20},
    {"continued lines",
     "*tea\nstate 1 density=1 \\\n energy=1\ntl_use_cg\nx_cells\\ ! so\n10 "
     "y_cells = \\\n\\\n 20\n*endtea\n",
     expect_cells_10_20},
    {"repeated with one value",
     "*tea\n" STATE_1 "tl_use_cg\ntl_use_cg\nx_cells 10\nx_cells=10\ny_cells=020\ny_cells +20\n"
     "*endtea\n",
     expect_cells_10_20},
    {"every key",
     "*tea\n" STATE_1
     "tl_use_cg\ninitial_timestep=0.004\nend_time=3.5\nend_step=12\nxmin=-1.0\nxmax=1.0\n"
     "ymin=-0.5\nymax=0.5\nx_cells=2147483646\ny_cells=1\ntl_eps=1.0e-15\ntl_max_iters=77\n"
     "tl_coefficient_inverse_density\nsummary_frequency=0\nvisit_frequency=3\ntl_check_result\ntest_problem=6\nprofiler_on\nverbose_on\nreflective_boundary\n*endtea\n",
     expect_all_keys},
    {"keys of polynomials",
     "*tea\n" STATE_1
     "tl_use_ppcg\ntl_preconditioner_type=jac_diag\ntl_ch_cg_presteps=7\ntl_ch_cg_epslim=0.5\n"
     "tl_ppcg_inner_steps=12\nhalo_depth=3\n*endtea\n",
     expect_ppcg},
    {"keys of deflated CG",
     "*tea\n" STATE_1
     "tl_use_dpcg\ntl_preconditioner_type=jac_block\ntiles_per_task 4\nsub_tiles_per_tile 2\n"
     "tiles_per_problem=8\n*endtea\n",
     expect_dpcg},
    {"tiles as a branch of the reference calls them",
     "*tea\n" STATE_1
     "tl_use_dpcg\ntl_preconditioner_type=jac_block\ntiles_per_task 4\nsub_tiles_per_tile 2\n"
     "total_tiles=8\n*endtea\n",
     expect_dpcg},
    {"multigrid",
     "*tea\n" STATE_1
     "tl_use_cg\ntl_preconditioner_type multigrid\ntl_multigrid_smoothing_steps 3\n*endtea\n",
     expect_multigrid},
    {"multigrid in the port's words",
     "*tea\n" STATE_1
     "use_cg\npreconditioner_type multigrid\nmultigrid_smoothing_steps 3\n*endtea\n",
     expect_port_multigrid},
    {"no solver means Jacobi", "*tea\n" STATE_1 "*endtea\n", expect_jacobi},
    {"Chebyshev of the port", "*tea\n" STATE_1 "use_chebyshev\npresteps 9\n*endtea\n",
     expect_port_chebyshev},
    {"every key of the port",
     "*tea\n" STATE_1
     "use_cg\nend_time=2\nend_step=3\neps=1e-7\nmax_iters=5\ncoefficient_inverse_density\n"
     "check_result\n*endtea\n",
     expect_port_keys},
    {"keys without effect",
     "*tea\n" STATE_1
     "tl_use_cg\nuse_fortran_kernels\ncoarse_solve_eps 1e-9\ncoarse_solve_max_iters 20\n"
     "visit_frequency 0\nhalo_depth 1\ntl_preconditioner_type none\n*endtea\n",
     expect_nothing},
    {"keys of the port without effect",
     "*tea\n" STATE_1 "use_cg\nprofiler_on\ntest_problem 99\nhalo_depth 2\nnum_chunks_per_rank 1\n"
     "use_c_kernels\n*endtea\n",
     expect_port},
    {"keys of older versions",
     "*tea\n" STATE_1 "tl_use_cg\nprofile_solver\nuse_ext_kernels\nhydro_off\nopencl_vendor=intel\n"
     "opencl_type=cpu\nopencl_usefirst\nuse_hypre_print\n*endtea\n",
     expect_nothing},
    {"steps of older versions that do not grow",
     "*tea\n" STATE_1 "tl_use_cg\ntimestep_rise=1.5\nmax_timestep=0.1\n*endtea\n", expect_nothing},
    {"a largest step alone", "*tea\n" STATE_1 "tl_use_cg\nmax_timestep 0.1\n*endtea\n",
     expect_nothing},
    {"a rise of 1", "*tea\n" STATE_1 "tl_use_cg\ntimestep_rise 1\nmax_timestep 2\n*endtea\n",
     expect_nothing},
    {"numbers",
     "*tea\n" STATE_1
     "tl_use_cg\ninitial_timestep=1.0D-3\nend_time .5\nxmin=-1\nxmax=5.\nymin=-2.5d-03\n"
     "ymax=+1E2\ntl_eps 1e-15\nx_cells=+7\ny_cells=00000000000000000000000000000003\n*endtea\n",
     expect_numbers},
    {"shapes",
     "*tea\ntl_use_cg\nstate 4 geometry=point ymin=-0.25 xmin=.25 density=5 energy=6\n"
     "state 2 density=2 energy=3 geometry=rectangle xmin=-1 xmax=1 ymin=0 ymax=4\n" STATE_1
     "state 3 density=4 energy=0 geometry=circle xmin=1 ymin=2 radius=.5\n*endtea\n",
     expect_shapes},
    {"shapes of the port",
     "*tea\nuse_cg\n" STATE_1
     "state 2 density=2 energy=3 geometry=circular xmin=1 ymin=2 xmax=9 ymax=9 radius=4\n"
     "state 3 density=2 energy=3 geometry=point xmin=1 ymin=2 xmax=9 ymax=9\n*endtea\n",
     expect_port_shapes},
    {"defaults in 3-D", "*tea\n" STATE_1 "tl_use_cg\nz_cells 10\n*endtea\n", expect_3d},
    {"zmax alone makes a deck three-dimensional", "*tea\n" STATE_1 "zmax 100\ntl_use_cg\n*endtea\n",
     expect_3d},
    {"keys of 3-D", "*tea\n" STATE_1 "tl_use_cg\nzmin=-.25 zmax=2\nz_cells=7\n*endtea\n",
     expect_keys_3d},
    {"shapes in 3-D",
     "*tea\ntl_use_cg\n" STATE_1
     "state 2 density=2 energy=3 geometry=cuboid xmin=-1 xmax=1 ymin=0 ymax=4 zmin=.5 zmax=.75\n"
     "state 3 density=4 energy=0 geometry=circle xmin=1 ymin=2 zmin=3 radius=.5\n"
     "state 4 density=4 energy=0 geometry=sphere xmin=1 ymin=2 zmin=3 radius=.5\n"
     "state 5 density=5 energy=6 geometry=point xmin=1 ymin=2 zmin=-3\nz_cells 5\n*endtea\n",
     expect_shapes_3d},
    {"a background with a shape",
     "*tea\ntl_use_cg\nstate 1 density=1 energy=1 geometry=circle xmin=5 ymax=3 radius=1\n"
     "*endtea\n",
     expect_nothing},
};

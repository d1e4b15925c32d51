/* The parser of TeaLeaf decks: good decks become the struct they should, bad ones the message they
 * should, decks of the original codes (MINX_REFERENCE_DATA) and those that minx ships are read as
 * what they are. Expected values are written out here, from the originals' documented behaviour;
 * nothing runs in parallel, so neither ranks nor backends matter. */
#include "input/tl_deck.h"

#include "deck_bad.h"
#include "deck_good.h"
#include "input/steps.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void fail(const char *which, const char *what)
{
    fprintf(stderr, "%s: %s\n", which, what);
    failures++;
}

/* ---- good decks ---- */

static tl_deck reference_defaults(void)
{
    tl_deck d;
    memset(&d, 0, sizeof d);
    d.states = 1;
    d.state[0].density = 1.0;
    d.state[0].energy = 1.0;
    d.xmax = d.ymax = 100.0;
    d.x_cells = d.y_cells = 10;
    d.zmax = 1.0; /* in 2-D */
    d.z_cells = 1;
    d.initial_timestep = 0.1;
    d.end_time = 10.0;
    d.end_step = 640000;
    d.eps = 1e-10;
    d.max_iters = 1000;
    d.summary_frequency = 10;
    d.presteps = 25;
    d.epslim = 1;
    d.inner_steps = -1;
    d.halo_depth = 1;
    d.smoothing_steps = 2;
    return d;
}

/* Reads one member of either deck as a number, so that the comparison is one loop. */
#define MEMBER(m) #m, (double)got->m, (double)want->m

static void compare_decks(const char *name, const tl_deck *got, const tl_deck *want)
{
    const struct {
        const char *name;
        double got, want;
    } members[] = {
        {MEMBER(dialect)},
        {MEMBER(states)},
        {MEMBER(xmin)},
        {MEMBER(xmax)},
        {MEMBER(ymin)},
        {MEMBER(ymax)},
        {MEMBER(zmin)},
        {MEMBER(zmax)},
        {MEMBER(x_cells)},
        {MEMBER(y_cells)},
        {MEMBER(z_cells)},
        {MEMBER(initial_timestep)},
        {MEMBER(end_time)},
        {MEMBER(end_step)},
        {MEMBER(summary_frequency)},
        {MEMBER(visit_frequency)},
        {MEMBER(solver)},
        {MEMBER(preconditioner)},
        {MEMBER(presteps)},
        {MEMBER(epslim)},
        {MEMBER(inner_steps)},
        {MEMBER(halo_depth)},
        {MEMBER(smoothing_steps)},
        {MEMBER(tiles_per_problem)},
        {MEMBER(tiles_per_task)},
        {MEMBER(sub_tiles_per_tile)},
        {MEMBER(coefficient)},
        {MEMBER(eps)},
        {MEMBER(max_iters)},
        {MEMBER(check_result)},
        {MEMBER(test_problem)},
        {MEMBER(profiler_on)},
        {MEMBER(verbose_on)},
        {MEMBER(reflective_boundary)},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        /* exact: both sides come from the same decimal text */
        if (members[i].got == members[i].want) continue;
        fprintf(stderr, "%s: %s: got %.17g, expected %.17g\n", name, members[i].name,
                members[i].got, members[i].want);
        failures++;
    }
    for (int i = 0; i < want->states; i++) {
        const tl_state *const a = &got->state[i];
        const tl_state *const b = &want->state[i];
        if (a->density == b->density && a->energy == b->energy && a->geometry == b->geometry &&
            a->xmin == b->xmin && a->xmax == b->xmax && a->ymin == b->ymin && a->ymax == b->ymax &&
            a->zmin == b->zmin && a->zmax == b->zmax && a->radius == b->radius)
            continue;
        fprintf(stderr, "%s: state %d differs\n", name, i + 1);
        failures++;
    }
}

/* Parses a copy that ends where the text ends, so that a sanitizer sees a read beyond it. */
static mx_err parse(const char *text, size_t length, tl_deck *deck)
{
    char *const copy = malloc(length > 0 ? length : 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    const mx_err err = tl_deck_parse("deck", copy, length, deck);
    free(copy);
    return err;
}

static void test_good(void)
{
    for (size_t i = 0; i < sizeof good_decks / sizeof good_decks[0]; i++) {
        tl_deck got;
        tl_deck want = reference_defaults();
        good_decks[i].expect(&want);
        if (parse(good_decks[i].text, strlen(good_decks[i].text), &got) != MX_OK) {
            fail(good_decks[i].name, mx_err_message());
            continue;
        }
        compare_decks(good_decks[i].name, &got, &want);
    }
}

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad_decks / sizeof bad_decks[0]; i++) {
        tl_deck deck;
        const bad_deck *const b = &bad_decks[i];
        const mx_err err = parse(b->text, b->length, &deck);
        if (err == MX_ERR_INPUT && strncmp(mx_err_message(), "deck:", 5) == 0 &&
            strstr(mx_err_message(), b->message) && strstr(mx_err_message(), "expected"))
            continue;
        fprintf(stderr, "bad deck %zu:\n%s  got %s: %s\n  expected: %s\n", i, b->text,
                mx_err_name(err), err == MX_OK ? "accepted" : mx_err_message(), b->message);
        failures++;
    }
}

/* Lines and words of any length are read whole. */
static void test_long(void)
{
    enum { LONG = 100000 };
    static char text[LONG + 200];
    tl_deck deck;
    size_t used = (size_t)snprintf(text, sizeof text, "*tea\nstate 1 density=1 energy=1\n");
    memset(text + used, ' ', LONG);
    snprintf(text + used + LONG, sizeof text - used - LONG, "tl_use_cg x_cells=33\n*endtea\n");
    if (parse(text, strlen(text), &deck) != MX_OK || deck.x_cells != 33)
        fail("a long line", mx_err_message());
    memset(text + used, '7', LONG - 1); /* a blank before tl_use_cg stays */
    memcpy(text + used, "xmax=", 5);
    if (parse(text, strlen(text), &deck) != MX_ERR_INPUT ||
        !strstr(mx_err_message(), "xmax: got \"7777") ||
        !strstr(mx_err_message(), "...\", expected a number that double precision can hold")) {
        fail("a long number", mx_err_message());
    }
    memset(text + used, '0', LONG - 1);
    memcpy(text + used, "xmax=10.", 8);
    if (parse(text, strlen(text), &deck) != MX_OK || deck.xmax != 10.0)
        fail("ten with 100000 zeros behind the point", mx_err_message());
    memcpy(text + used, "xmax=0.000", 10);
    memcpy(text + used + LONG - 11, "25e99983", 8);
    text[used + LONG - 3] = ' ';
    text[used + LONG - 2] = ' ';
    if (parse(text, strlen(text), &deck) != MX_OK || deck.xmax != 2.5)
        fail("2.5 as a long number with an exponent", mx_err_message());
    memset(text + used, 'q', LONG);
    if (parse(text, strlen(text), &deck) != MX_ERR_INPUT ||
        !strstr(mx_err_message(), "got an unknown key")) {
        fail("a long key", mx_err_message());
    }
}

static void test_many_states(void)
{
    static char text[TL_MAX_STATES * 80];
    tl_deck deck;
    size_t used = (size_t)snprintf(text, sizeof text, "*tea\ntl_use_cg\n");
    for (int i = TL_MAX_STATES; i >= 1; i--) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "state %d density=%d energy=1 geometry=point xmin=1 ymin=1\n", i, i);
    }
    snprintf(text + used, sizeof text - used, "*endtea\n");
    if (parse(text, strlen(text), &deck) != MX_OK) {
        fail("many states", mx_err_message());
    } else if (deck.states != TL_MAX_STATES ||
               deck.state[TL_MAX_STATES - 1].density != (double)TL_MAX_STATES) {
        fail("many states", "the last one is not what it should be");
    }
}

/* ---- steps ---- */

/* Whole numbers of steps, also where sums and quotients of doubles fall a little short of them. */
static void test_steps(void)
{
    static const struct {
        double dt, end_time;
        int64_t end_step, want;
    } cases[] = {
        {0.1, 0.3, 100, 3},
        {0.1, 0.35, 100, 4},
        {0.1, 0.0, 100, 0},
        {0.004, 10.0, 9999, 2500},
        {0.04, 10.0, 10, 10},
        {1e-18, 5e-17, 640000, 50},
        {0.1, 1e-17, 100, 1},
        {1e-300, 1e300, 77, 77},
        {1.0, 1e15, INT64_MAX, 1000000000000000},
        {0.7, 0.7 * 49, 100, 49},
        {3.0, 7.0, 2, 2},
        {0.1, 5.0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t got = app_steps(cases[i].dt, cases[i].end_time, cases[i].end_step);
        if (got == cases[i].want) continue;
        fprintf(stderr, "steps of %g to %g or %lld: got %lld, expected %lld\n", cases[i].dt,
                cases[i].end_time, (long long)cases[i].end_step, (long long)got,
                (long long)cases[i].want);
        failures++;
    }
}

/* ---- published results ---- */

/* The crooked pipe of both codes' benchmarks. */
static tl_deck pipe_deck(tl_dialect dialect, int64_t cells, int64_t end_step, int test_problem)
{
    static const char pipe[] =
        "*tea\nuse_cg\nxmax=10\nymax=10\ninitial_timestep=0.004\nstate 1 density=100 energy=1e-4\n"
        "state 2 density=.1 energy=25 geometry=rectangle xmin=0 xmax=1 ymin=1 ymax=2\n"
        "state 3 density=.1 energy=.1 geometry=rectangle xmin=1 xmax=6 ymin=1 ymax=2\n"
        "state 4 density=.1 energy=.1 geometry=rectangle xmin=5 xmax=6 ymin=1 ymax=8\n"
        "state 5 density=.1 energy=.1 geometry=rectangle xmin=5 xmax=10 ymin=7 ymax=8\n*endtea\n";
    tl_deck deck;
    if (parse(pipe, sizeof pipe - 1, &deck) != MX_OK) fail("crooked pipe", mx_err_message());
    deck.dialect = dialect;
    deck.x_cells = deck.y_cells = cells;
    deck.end_step = end_step;
    deck.end_time = 10.0;
    deck.test_problem = test_problem;
    return deck;
}

/* want < 0: no published value. */
static void check_expected(const char *name, const tl_deck *deck, double want)
{
    double got = -1.0;
    const char *source = "";
    if (!tl_deck_expected(deck, &got, &source)) got = -1.0;
    /* the tables of the two codes agree to 11 digits where they overlap, so 1e-10 tells entries
     * apart */
    if (fabs(got - want) <= 1e-10 * fabs(want) && (want < 0.0 || source[0] != '\0')) return;
    fprintf(stderr, "%s: got %.17g, expected %.17g (-1: none), tolerance 1e-10\n", name, got, want);
    failures++;
}

static void test_reference_values(void)
{
    static const struct {
        int cells;
        double want;
    } tests[] = {{10, 157.55084183279294},   {250, 106.27221178646569},
                 {500, 99.955877498324000},  {1000, 97.277332050749976},
                 {4000, 95.462351583362249}, {8000, 95.174738768320850}};
    for (int i = 0; i < 6; i++) {
        tl_deck deck = pipe_deck(TL_DIALECT_REFERENCE, tests[i].cells, 10, i + 1);
        check_expected("reference", &deck, tests[i].want);
        deck.test_problem = 0;
        check_expected("reference without test_problem", &deck, -1.0);
        deck.test_problem = i == 5 ? 1 : i + 2;
        check_expected("reference with another test_problem", &deck, -1.0);
    }
}

/* The crooked pipe of the three-dimensional reference code. */
static tl_deck pipe_3d_deck(int64_t cells, double time_step, int test_problem)
{
    static const char pipe[] =
        "*tea\ntl_use_cg\nxmax=10\nymax=10\nzmax=10\nend_step=10\nstate 1 density=100 energy=1e-4\n"
        "state 2 density=.1 energy=25 geometry=cuboid xmin=1 xmax=2 ymin=1 ymax=2 zmin=0 zmax=1\n"
        "state 3 density=.1 energy=.1 geometry=cuboid xmin=1 xmax=2 ymin=1 ymax=2 zmin=1 zmax=6\n"
        "state 4 density=.1 energy=.1 geometry=cuboid xmin=2 xmax=6 ymin=1 ymax=2 zmin=5 zmax=6\n"
        "state 5 density=.1 energy=.1 geometry=cuboid xmin=5 xmax=6 ymin=1 ymax=8 zmin=5 zmax=6\n"
        "state 6 density=.1 energy=.1 geometry=cuboid xmin=5 xmax=9 ymin=7 ymax=8 zmin=5 zmax=6\n"
        "state 7 density=.1 energy=.1 geometry=cuboid xmin=8 xmax=9 ymin=7 ymax=8 zmin=5 zmax=10\n"
        "*endtea\n";
    tl_deck deck;
    if (parse(pipe, sizeof pipe - 1, &deck) != MX_OK) fail("pipe in 3-D", mx_err_message());
    deck.x_cells = deck.y_cells = deck.z_cells = cells;
    deck.initial_timestep = time_step;
    deck.test_problem = test_problem;
    return deck;
}

static void test_values_3d(void)
{
    static const struct {
        int cells;
        double time_step, want;
    } tests[] = {{10, 0.004, 1099.6237305862667},  {125, 0.004, 1039.0046623461017},
                 {250, 0.004, 1018.1900102318201}, {10, 0.04, 1176.3114252290486},
                 {125, 0.04, 1059.3367981751865},  {250, 0.04, 1048.0589335736477}};
    for (int i = 0; i < 6; i++) {
        const tl_deck good = pipe_3d_deck(tests[i].cells, tests[i].time_step, i + 1);
        check_expected("reference in 3-D", &good, tests[i].want);
        tl_deck other[5] = {good, good, good, good, good};
        other[0].z_cells++;
        other[1].zmin = -1;
        other[2].state[6].zmax = 9;
        other[3].test_problem = i == 5 ? 1 : i + 2;
        other[4].initial_timestep = 0.4;
        for (int n = 0; n < 5; n++) check_expected("not as published, in 3-D", &other[n], -1.0);
    }
}

static void test_port_values(void)
{
    static const struct {
        int cells, steps;
        double want;
    } tests[] = {{512, 20, 1.034697091898282e+02},
                 {4096, 1, 8.789826115915487e+01},
                 {1024, 20, 1.012100932683400e+02},
                 {64, 1, 1.084697720003111e+02},
                 {1000, 10, 9.727733205075556e+01},
                 {2000, 10, 9.605026999605091e+01},
                 {4000, 10, 9.5462351582214282e+01},
                 {8000, 10, 9.517473876862078e+01},
                 {1000, 4, 9.348844542172745e+01},
                 {2000, 4, 9.213313338102208e+01},
                 {4000, 4, 9.150788514428132e+01},
                 {8000, 4, 9.120746325516782e+01},
                 {1000, 2, 9.161051549004094e+01},
                 {2000, 2, 9.010618606381739e+01},
                 {4000, 2, 8.944258537125111e+01},
                 {8000, 2, 8.913203173864531e+01},
                 {10, 10, -1.0},
                 {64, 2, -1.0}};
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const tl_deck deck = pipe_deck(TL_DIALECT_PORT, tests[i].cells, tests[i].steps, 0);
        check_expected("port", &deck, tests[i].want);
    }
}

/* A deck that differs from the published problem in anything that changes the result has no
 * published result. */
static void test_other_problems(void)
{
    enum { OTHERS = 9 };
    static tl_deck other[OTHERS];
    for (int i = 0; i < OTHERS; i++) {
        const bool port = i % 2 != 0;
        other[i] = pipe_deck(port ? TL_DIALECT_PORT : TL_DIALECT_REFERENCE, 1000, 10, port ? 0 : 4);
        check_expected("as published", &other[i], 97.27733205075556);
    }
    other[0].y_cells = 999;
    other[1].initial_timestep = 0.04;
    other[2].xmax = 10.5;
    other[3].ymin = -1.0;
    other[4].coefficient = TL_COEFFICIENT_INVERSE_DENSITY;
    other[5].states = 4;
    other[6].state[4].energy = 0.2;
    other[7].state[1].geometry = TL_POINT;
    other[8].end_time = 0.03;
    for (int i = 0; i < OTHERS; i++) check_expected("not as published", &other[i], -1.0);
}

/* ---- decks in files ---- */

static bool parse_file(const char *folder, const char *name, tl_deck *deck)
{
    static char text[65536];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const f = fopen(path, "rb");
    if (!f) {
        fail(path, "cannot be opened");
        return false;
    }
    const size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    if (tl_deck_parse(path, text, length, deck) == MX_OK) return true;
    fail(path, mx_err_message());
    return false;
}

static void check_file(const char *folder, const char *name, double want)
{
    tl_deck deck;
    if (parse_file(folder, name, &deck)) check_expected(name, &deck, want);
}

static void test_shipped(const char *source)
{
    char folder[900];
    snprintf(folder, sizeof folder, "%s/inputs/tealeaf", source);
    check_file(folder, "crooked_pipe_10.in", 157.55084183279294);
    check_file(folder, "crooked_pipe_250.in", 106.27221178646569);
    check_file(folder, "crooked_pipe_3d_10.in", 1099.6237305862667);
    check_file(folder, "port_64.in", 1.084697720003111e+02);
    check_file(folder, "shapes.in", -1.0);
}

static void test_originals(const char *data)
{
    static const struct {
        const char *name;
        double want;
    } decks[] = {
        {"tea_bm_1.in", 157.55084183279294},         {"tea_bm_2.in", 106.27221178646569},
        {"tea_bm_3.in", 99.955877498324000},         {"tea_bm_4.in", 97.277332050749976},
        {"tea_bm_5.in", 95.462351583362249},         {"tea_bm_5e_1_4.in", 9.348844542172745e+01},
        {"tea_bm_5e_2_4.in", 9.213313338102208e+01}, {"tea_bm_5e_4_2.in", 8.944258537125111e+01},
    };
    char folder[900];
    snprintf(folder, sizeof folder, "%s/tealeaf", data);
    for (size_t i = 0; i < sizeof decks / sizeof decks[0]; i++)
        check_file(folder, decks[i].name, decks[i].want);
}

/* The argument is the folder of minx's sources: for the decks that it ships. */
int main(int argc, char **argv)
{
    const char *const named = getenv("MINX_REFERENCE_DATA");
    const char *const data = named && named[0] != '\0' ? named : NULL;
    const char *const required = getenv("MINX_REQUIRE_DATA");
    test_good();
    test_bad();
    test_long();
    test_many_states();
    test_steps();
    test_reference_values();
    test_values_3d();
    test_port_values();
    test_other_problems();
    if (argc > 1) test_shipped(argv[1]);
    if (data) test_originals(data);
    if (failures > 0) return 1;
    if (data) return 0;
    fprintf(stderr,
            "MINX_REFERENCE_DATA is not set: the decks of the original codes were not read\n");
    return required && strcmp(required, "1") == 0 ? 1 : 77;
}

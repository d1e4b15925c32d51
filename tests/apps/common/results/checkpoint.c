/* Checkpoints: every kind of kept value is written, changed, and restored to the bit, on every
 * number of ranks that wrote it; what cannot be restored is refused with a reason, also after any
 * damage to the file; a disk without room, and signals. */
#define _GNU_SOURCE /* setrlimit, access */
#include "results/checkpoint.h"
#include "check.h"
#include "results/results.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 9, COLUMNS = 13, GHOSTS = 2 };

/* What an app would keep. */
typedef struct state {
    int64_t step;
    double time[2];
    bool flag;
    app_series series;
    mx_view field, narrow, positions, ids;
    mx_lid particles;
    app_decomp decomp;
} state;

static mx_ctx ctx;

static int64_t first_particle(int rank) { return 5 * rank + rank * rank; }
static mx_lid particles_of(int rank)
{
    return (mx_lid)(first_particle(rank + 1) - first_particle(rank));
}

static void open_state(app_comm comm, state *s)
{
    *s = (state){0};
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){ROWS, COLUMNS}, &s->decomp));
    const int64_t rows = s->decomp.cells[0] + 2 * GHOSTS, columns = s->decomp.cells[1] + 2 * GHOSTS;
    CHECK_OK(mx_view_create_2d(ctx, "field", MX_F64, rows, columns, &s->field));
    CHECK_OK(mx_view_create_2d(ctx, "narrow", MX_I32, rows, columns, &s->narrow));
    CHECK_OK(mx_view_create_2d(ctx, "positions", MX_F32, 3, 3, &s->positions));
    CHECK_OK(mx_view_create_1d(ctx, "ids", MX_I64, 3, &s->ids));
}

static void close_state(state *s)
{
    app_series_free(&s->series);
    CHECK_OK(mx_view_destroy(&s->field));
    CHECK_OK(mx_view_destroy(&s->narrow));
    CHECK_OK(mx_view_destroy(&s->positions));
    CHECK_OK(mx_view_destroy(&s->ids));
}

static int64_t rows_of(mx_view view)
{
    mx_view_info info;
    CHECK_OK(mx_view_get_info(view, &info));
    return info.extent[0];
}

/* Cells have their global number, ghosts -1. */
static void fill_fields(state *s)
{
    const app_decomp *const d = &s->decomp;
    const int64_t rows = d->cells[0] + 2 * GHOSTS, columns = d->cells[1] + 2 * GHOSTS;
    double *const field = malloc((size_t)(rows * columns) * sizeof *field);
    int32_t *const narrow = malloc((size_t)(rows * columns) * sizeof *narrow);
    for (int64_t j = 0; j < rows; ++j) {
        for (int64_t k = 0; k < columns; ++k) {
            const bool ghost =
                j < GHOSTS || k < GHOSTS || j >= rows - GHOSTS || k >= columns - GHOSTS;
            const int64_t cell = (d->first[0] + j - GHOSTS) * COLUMNS + d->first[1] + k - GHOSTS;
            field[j * columns + k] = ghost ? -1 : 1.0 / (1.0 + (double)cell);
            narrow[j * columns + k] = ghost ? -1 : (int32_t)cell;
        }
    }
    CHECK_OK(mx_import(ctx, s->field, field, NULL));
    CHECK_OK(mx_import(ctx, s->narrow, narrow, NULL));
    free(field);
    free(narrow);
}

static void fill_particles(app_comm comm, state *s)
{
    const int64_t first = first_particle(app_rank(comm));
    s->particles = particles_of(app_rank(comm));
    CHECK_OK(mx_view_resize(ctx, &s->positions, ((const int64_t[]){s->particles + 2, 3})));
    CHECK_OK(mx_view_resize(ctx, &s->ids, &(int64_t){s->particles + 2}));
    float *const positions = calloc((size_t)(s->particles + 2) * 3, sizeof *positions);
    int64_t *const ids = calloc((size_t)s->particles + 2, sizeof *ids);
    for (int i = 0; i < s->particles; ++i) {
        ids[i] = first + i;
        for (int c = 0; c < 3; ++c) positions[3 * i + c] = (float)(first + i) + 0.25f * (float)c;
    }
    CHECK_OK(mx_import(ctx, s->positions, positions, NULL));
    CHECK_OK(mx_import(ctx, s->ids, ids, NULL));
    free(positions);
    free(ids);
}

static void fill(app_comm comm, state *s)
{
    s->step = (int64_t)1 << 40;
    s->time[0] = 1.0 / 3.0;
    s->time[1] = -0.0;
    s->flag = true;
    for (int i = 0; i < 1000; ++i) CHECK_OK(app_series_add(&s->series, sqrt(i)));
    fill_fields(s);
    fill_particles(comm, s);
}

static void check_fields(state *s)
{
    const app_decomp *const d = &s->decomp;
    const int64_t rows = d->cells[0] + 2 * GHOSTS, columns = d->cells[1] + 2 * GHOSTS;
    double *const field = malloc((size_t)(rows * columns) * sizeof *field);
    int32_t *const narrow = malloc((size_t)(rows * columns) * sizeof *narrow);
    CHECK_OK(mx_export(ctx, s->field, field, NULL));
    CHECK_OK(mx_export(ctx, s->narrow, narrow, NULL));
    for (int64_t j = 0; j < rows; ++j) {
        for (int64_t k = 0; k < columns; ++k) {
            const bool ghost =
                j < GHOSTS || k < GHOSTS || j >= rows - GHOSTS || k >= columns - GHOSTS;
            const int64_t cell = (d->first[0] + j - GHOSTS) * COLUMNS + d->first[1] + k - GHOSTS;
            CHECK_F64(field[j * columns + k], ghost ? 0 : 1.0 / (1.0 + (double)cell), 0);
            CHECK_I64(narrow[j * columns + k], ghost ? 0 : cell);
        }
    }
    free(field);
    free(narrow);
}

/* On as many ranks each rank has its own particles in their order; on others all are there. */
static void check_particles(app_comm comm, state *s, int writers)
{
    const int64_t rows = rows_of(s->positions), total = first_particle(writers);
    float *const positions = calloc((size_t)rows * 3, sizeof *positions);
    int64_t *const ids = calloc((size_t)rows_of(s->ids), sizeof *ids), sums[2] = {0};
    CHECK_OK(mx_export(ctx, s->positions, positions, NULL));
    CHECK_OK(mx_export(ctx, s->ids, ids, NULL));
    for (int i = 0; i < s->particles; ++i) {
        if (writers == app_size(comm)) CHECK_I64(ids[i], first_particle(app_rank(comm)) + i);
        for (int c = 0; c < 3; ++c)
            CHECK_F64((double)positions[3 * i + c], (double)ids[i] + 0.25 * c, 0);
        sums[0] += 1;
        sums[1] += ids[i];
    }
    if (writers == app_size(comm)) CHECK_I64(s->particles, particles_of(app_rank(comm)));
    CHECK_OK(app_sum_i64(comm, sums, 2));
    CHECK_I64(sums[0], total);
    CHECK_I64(sums[1], total * (total - 1) / 2);
    free(positions);
    free(ids);
}

static void check_state(app_comm comm, state *s, int writers)
{
    CHECK_I64(s->step, (int64_t)1 << 40);
    CHECK(s->time[0] == 1.0 / 3.0 && s->time[1] == 0 && signbit(s->time[1]));
    CHECK(s->flag);
    CHECK_I64(s->series.count, 1000);
    for (int64_t i = 0; i < s->series.count; ++i)
        CHECK_F64(s->series.values[i], sqrt((double)i), 0);
    check_fields(s);
    check_particles(comm, s, writers);
}

static void keep(app_checkpoint c, state *s, const char *input)
{
    const app_keep_box cells = {ctx, GHOSTS, app_slab_cells(&s->decomp)};
    const app_keep_number particles = {ctx, &s->particles, -1};
    CHECK_OK(app_keep_input(c, input));
    CHECK_OK(app_keep_i64(c, "step", &s->step, 1, app_keep_whole(0, APP_KEEP_MAX_WHOLE)));
    CHECK_OK(app_keep_f64(c, "time", s->time, 2, app_keep_finite()));
    CHECK_OK(app_keep_flag(c, "flag", &s->flag));
    CHECK_OK(app_keep_series(c, "series", &s->series, app_keep_from_0()));
    CHECK_OK(app_keep_view(c, "field", &s->field, &cells, app_keep_from_0()));
    CHECK_OK(app_keep_view(c, "narrow", &s->narrow, &cells, app_keep_whole(0, ROWS * COLUMNS - 1)));
    CHECK_OK(app_keep_rows(c, "positions", &s->positions, &particles, app_keep_finite()));
    CHECK_OK(app_keep_rows(c, "ids", &s->ids, &particles, app_keep_whole(0, 1000)));
}

static const char input[] = "cells=9\ndt=0.5\nshape=round\n";

static app_checkpoint open_plan(app_comm comm, const char *file, const char *every,
                                const char *restart)
{
    app_checkpoint c = NULL;
    const app_checkpoint_plan plan = {
        .program = "test", .file = file, .every = every, .restart = restart};
    CHECK_OK(app_checkpoint_create(comm, &plan, &c));
    return c;
}

/* Writes one after `step`. */
static void write_one(app_comm comm, const char *file, int64_t step)
{
    state s;
    bool stop = true;
    open_state(comm, &s);
    fill(comm, &s);
    app_checkpoint c = open_plan(comm, file, "1", NULL);
    keep(c, &s, input);
    CHECK_OK(app_checkpoint_step(c, step, &stop));
    CHECK(!stop);
    app_checkpoint_destroy(&c);
    close_state(&s);
}

static void read_one(app_comm comm, const char *file, int writers)
{
    state s;
    open_state(comm, &s);
    app_checkpoint c = open_plan(comm, NULL, NULL, file);
    keep(c, &s, input);
    CHECK(app_checkpoint_restarts(c));
    CHECK_OK(app_checkpoint_restore(c));
    check_state(comm, &s, writers);
    app_checkpoint_destroy(&c);
    close_state(&s);
}

static void check_refused(app_comm comm, const char *file, const char *program, const char *lines,
                          mx_err code, const char *reason)
{
    state s;
    app_checkpoint c = NULL;
    const app_checkpoint_plan plan = {.program = program, .restart = file};
    open_state(comm, &s);
    CHECK_OK(app_checkpoint_create(comm, &plan, &c));
    keep(c, &s, lines);
    CHECK_FAILS(app_checkpoint_restore(c), code, reason);
    CHECK_I64(s.step, 0);
    CHECK_I64(s.series.count, 0);
    app_checkpoint_destroy(&c);
    close_state(&s);
}

static void check_files(app_comm comm)
{
    char name[64];
    snprintf(name, sizeof name, "../checkpoint_of_%d", app_size(comm));
    write_one(comm, "a.ck", 1);
    read_one(comm, "a.ck", app_size(comm));
    write_one(comm, name, 1);
    for (int writers = 1; writers <= 4; writers *= 2) {
        snprintf(name, sizeof name, "../checkpoint_of_%d", writers);
        int64_t there = app_rank(comm) == 0 && access(name, R_OK) == 0 ? 1 : 0;
        CHECK_OK(app_max_i64(comm, &there, 1));
        if (there) read_one(comm, name, writers);
    }
}

/* Each dataset says how it is compared, of whatever kind it is. */
static void check_rules(app_comm comm)
{
    static const char *const sets[] = {"/input/lines", "/state/step",      "/state/series",
                                       "/state/field", "/state/positions", "/state/ids_of_rank"};
    if (app_rank(comm) != 0) return;
    const hid_t file = H5Fopen("a.ck", H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i)
        CHECK(H5Aexists_by_name(file, sets[i], "compare", H5P_DEFAULT) > 0);
    CHECK(H5Fclose(file) >= 0);
}

static void check_origin(app_comm comm)
{
    check_refused(comm, "a.ck", "other", input, MX_ERR_INPUT,
                  "--restart: a.ck: app: got \"test\", expected \"other\"");
    check_refused(comm, "a.ck", "test", "cells=9\ndt=0.25\nshape=round\n", MX_ERR_INPUT,
                  "another input: dt: got 0.25, expected 0.5");
    check_refused(comm, "a.ck", "test", "cells=9\ndt=0.5\nshape=round\nmore=1\n", MX_ERR_INPUT,
                  "more: got 1, expected nothing");
    check_refused(comm, "a.ck", "test", "cells=9\ndt=0.5\n", MX_ERR_INPUT,
                  "shape: got nothing, expected round");
}

static void copy_file(app_comm comm, const char *from, const char *to, long flip, long cut)
{
    CHECK_OK(app_barrier(comm));
    if (app_rank(comm) == 0) {
        static char bytes[1 << 20];
        FILE *file = fopen(from, "rb");
        CHECK(file != NULL);
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file) fclose(file);
        if (flip >= 0) bytes[flip % (long)size] ^= (char)(1 << flip % 8);
        if (cut >= 0) size = (size_t)(cut % (long)size);
        file = fopen(to, "wb");
        CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    }
    CHECK_OK(app_barrier(comm));
}

/* A byte that is not what it was, or a shorter file, is always found before HDF5 reads the file. */
static void check_damage(app_comm comm)
{
    copy_file(comm, "a.ck", "bad.ck.1", -1, -1);
    for (long i = 0; i < 40 / app_size(comm); ++i) {
        copy_file(comm, "a.ck", "bad.ck", 1 + i * 7919, -1);
        check_refused(comm, "bad.ck", "test", input, MX_ERR_IO,
                      "the checkpoint before it is bad.ck.1");
        copy_file(comm, "a.ck", "bad.ck", -1, i * 3571);
        check_refused(comm, "bad.ck", "test", input, MX_ERR_IO, "is cut short");
    }
    read_one(comm, "bad.ck.1", app_size(comm));
}

static void check_plans(app_comm comm)
{
    static const char *const bad[] = {"", "s", "0", "-3", "1.5", "0s", "-1s", "nans", "5 s", "5m"};
    app_checkpoint c = NULL;
    app_checkpoint_plan plan = {.program = "test", .file = "p.ck"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        plan.every = bad[i];
        CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_INPUT,
                    "--checkpoint-every: got");
        CHECK(c == NULL);
    }
    plan = (app_checkpoint_plan){.program = "test", .every = "5"};
    CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_INPUT, "--checkpoint=FILE");
    plan = (app_checkpoint_plan){.program = "test", .file = "no-such-folder/p.ck"};
    CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_IO, "No such file or directory");
    /* what is no file to begin with */
    static const char *const restarts[][2] = {
        {"nothing", "got nothing, expected a checkpoint: No such"},
        {".", "it is not a plain file"},
        {"/dev/null", "it is not a plain file"}};
    for (size_t i = 0; i < sizeof restarts / sizeof restarts[0]; ++i) {
        plan = (app_checkpoint_plan){.program = "test", .restart = restarts[i][0]};
        CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_INPUT, restarts[i][1]);
    }
    write_one(comm, "alone.1", 1);
    plan = (app_checkpoint_plan){.program = "test", .restart = "alone"};
    CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_INPUT,
                "the checkpoint before it is alone.1");
    /* the previous checkpoint could not get its name */
    if (app_rank(comm) == 0) (void)mkdir("new.1", 0777);
    CHECK_OK(app_barrier(comm));
    plan = (app_checkpoint_plan){.program = "test", .file = "new"};
    CHECK_FAILS(app_checkpoint_create(comm, &plan, &c), MX_ERR_IO, "new.1: cannot be written");
    plan = (app_checkpoint_plan){.program = "test"};
    CHECK_OK(app_checkpoint_create(comm, &plan, &c));
    CHECK(c == NULL);
    bool stop = true;
    CHECK_OK(app_keep_f64(c, "x", NULL, 1, app_keep_finite()));
    CHECK_OK(app_checkpoint_restore(c));
    CHECK_OK(app_checkpoint_step(c, 1, &stop));
    CHECK(!stop && !app_checkpoint_restarts(c));
}

/* The checkpoint to go on from; NULL: none. */
static void check_found(app_comm comm, const char *file, const char *expected)
{
    char *found = NULL;
    CHECK_OK(app_checkpoint_find(comm, file, &found));
    CHECK((found == NULL) == (expected == NULL));
    if (found && expected) CHECK(strcmp(found, expected) == 0);
    free(found);
}

static void check_find(app_comm comm)
{
    char *found = NULL;
    CHECK_FAILS(app_checkpoint_find(comm, NULL, &found), MX_ERR_INPUT,
                "--restart=auto: got no name of a file, expected --checkpoint=FILE as well");
    CHECK(found == NULL);
    if (app_rank(comm) == 0) { /* of another run in this folder */
        (void)unlink("f.ck");
        (void)unlink("f.ck.1");
    }
    CHECK_OK(app_barrier(comm));
    check_found(comm, "f.ck", NULL);
    check_found(comm, "no-such-folder/f.ck", NULL);
    write_one(comm, "f.ck.1", 1);
    check_found(comm, "f.ck", "f.ck.1");
    write_one(comm, "f.ck", 2);
    check_found(comm, "f.ck", "f.ck");
    /* what cannot be a checkpoint is found, too, and refused later: the run does not begin anew */
    check_found(comm, ".", ".");
    check_found(comm, "f.ck/f", "f.ck/f");
}

/* A name that is kept already. */
static void check_names(app_comm comm)
{
    const app_checkpoint_plan plan = {.program = "test", .file = "names"};
    app_checkpoint c;
    mx_view rows = MX_VIEW_NULL;
    mx_lid count = 0;
    const app_keep_number number = {NULL, &count, -1};
    bool flag = false;
    double x[2] = {0};
    CHECK_OK(app_checkpoint_create(comm, &plan, &c));
    CHECK_OK(app_keep_f64(c, "x", x, 2, app_keep_finite()));
    CHECK_FAILS(app_keep_flag(c, "x", &flag), MX_ERR_ARG,
                "the name of /state/x is that of /state/x");
    CHECK_OK(app_keep_rows(c, "atoms", &rows, &number, app_keep_finite()));
    CHECK_FAILS(app_keep_f64(c, "atoms_of_rank", x, 2, app_keep_finite()), MX_ERR_ARG,
                "is that of /state/atoms");
    CHECK_OK(app_keep_f64(c, "ids_of_rank", x, 2, app_keep_finite()));
    CHECK_FAILS(app_keep_rows(c, "ids", &rows, &number, app_keep_finite()), MX_ERR_ARG,
                "/state/ids_of_rank");
    CHECK_OK(app_keep_f64(c, "atoms_of", x, 2, app_keep_finite()));
    app_checkpoint_destroy(&c);
}

static ino_t inode(const char *path)
{
    struct stat info = {0};
    (void)stat(path, &info);
    return info.st_ino;
}

/* The two newest ones stay. When one cannot be written, both stay as they are, and so does the
 * run. */
static void check_rotation(app_comm comm)
{
    bool stop;
    state s;
    open_state(comm, &s);
    fill(comm, &s);
    if (app_rank(comm) == 0) {
        unlink("r.ck");
        unlink("r.ck.1");
    }
    CHECK_OK(app_barrier(comm));
    app_checkpoint c = open_plan(comm, "r.ck", "2", NULL);
    keep(c, &s, input);
    CHECK_OK(app_checkpoint_step(c, 1, &stop));
    CHECK(access("r.ck", R_OK) != 0);
    CHECK_OK(app_checkpoint_step(c, 2, &stop));
    CHECK_OK(app_barrier(comm));
    CHECK(access("r.ck", R_OK) == 0 && access("r.ck.1", R_OK) != 0);
    const ino_t second = inode("r.ck");
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_checkpoint_step(c, 4, &stop));
    CHECK_OK(app_barrier(comm));
    const ino_t fourth = inode("r.ck");
    CHECK(inode("r.ck.1") == second && fourth != second);
    struct rlimit old, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    small = old;
    for (int pages = 2; pages >= 0; pages -= 2) {
        small.rlim_cur = (rlim_t)pages << 12;
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK_OK(app_checkpoint_step(c, 8 - pages, &stop));
        CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
        CHECK(!stop && inode("r.ck") == fourth && inode("r.ck.1") == second);
        CHECK_OK(app_barrier(comm));
    }
    CHECK_OK(app_checkpoint_step(c, 10, &stop));
    CHECK_OK(app_barrier(comm));
    CHECK(inode("r.ck.1") == fourth);
    app_checkpoint_destroy(&c);
    close_state(&s);
    read_one(comm, "r.ck", app_size(comm));
    read_one(comm, "r.ck.1", app_size(comm));
}

static void sleep_ms(int milliseconds)
{
    const struct timespec time = {.tv_nsec = milliseconds * 1000000L};
    nanosleep(&time, NULL);
}

/* A signal to the last rank only: all ranks stop after the same step, with a checkpoint. Steps of
 * 30 ms are compared at each of their ends. */
static void check_signal(app_comm comm)
{
    state s;
    bool stop = false;
    open_state(comm, &s);
    fill(comm, &s);
    app_checkpoint c = open_plan(comm, "s.ck", NULL, NULL);
    keep(c, &s, input);
    for (int64_t step = 1; step <= 4; ++step) {
        sleep_ms(30);
        if (step == 3 && app_rank(comm) == app_size(comm) - 1) raise(SIGUSR1);
        CHECK_OK(app_checkpoint_step(c, step, &stop));
        CHECK(stop == (step == 3));
        if (stop) break;
    }
    CHECK(strcmp(app_checkpoint_stop_line(c),
                 "Stopped by SIGUSR1 after step 3. Go on with --restart=s.ck") == 0);
    app_checkpoint_destroy(&c);
    close_state(&s);
    read_one(comm, "s.ck", app_size(comm));
}

/* By rank 0's clock, which all ranks follow. */
static void check_seconds(app_comm comm)
{
    state s;
    bool stop;
    int64_t written = 0;
    ino_t last = 0;
    open_state(comm, &s);
    fill(comm, &s);
    if (app_rank(comm) == 0) unlink("t.ck");
    const double begin = app_now();
    app_checkpoint c = open_plan(comm, "t.ck", "0.05s", NULL);
    keep(c, &s, input);
    int64_t step = 0;
    while (step < 40) {
        sleep_ms(5);
        CHECK_OK(app_checkpoint_step(c, ++step, &stop));
        if (app_rank(comm) == 0 && inode("t.ck") != last) ++written;
        last = inode("t.ck");
    }
    if (app_rank(comm) == 0) {
        /* the steps take at least 200 ms; a checkpoint needs 50 ms since the last one, and its
         * time */
        CHECK(written >= 1 && (double)written <= (app_now() - begin) / 0.05);
    }
    app_checkpoint_destroy(&c);
    close_state(&s);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results_start();
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    CHECK_OK(mx_init());
    CHECK_OK(mx_ctx_create(argc > 1 ? argv[1] : "serial", &ctx));
    check_plans(comm);
    check_files(comm);
    check_rules(comm);
    check_origin(comm);
    check_damage(comm);
    check_names(comm);
    check_find(comm);
    check_rotation(comm);
    check_seconds(comm);
    check_signal(comm);
    mx_ctx_destroy(&ctx);
    mx_finalize();
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}

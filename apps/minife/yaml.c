/* The YAML file that the original writes about a run, with its keys in its order.
 *
 * Its rates count a vector as nx ny nz elements long, although it has a number for each node, and
 * the zeros that boundary values leave in the matrix. Under the original's keys are the original's
 * numbers, so that runs can be compared. What the solver really did, by rows, is behind them, below
 * "By rows".
 *
 * Times are those of the slowest rank. MATVEC is the product with the exchange of ghosts, DOT the
 * sums over ranks, and WAXPY the rest: the kernels of vectors add up their products of two vectors
 * on the way. On devices, where kernels are queued, only the total is known, and these times are
 * .nan. */
#include "results/yaml.h"
#include "fe_app.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

mx_err fe_list_files(fe_app *app)
{
    if (app->input.yaml != NULL) MX_TRY(app_path_folder(&app->base, "yaml", app->input.yaml));
    if (app->input.dump == NULL) return MX_OK;
    MX_TRY(app_path_folder(&app->base, "dump", app->input.dump));
    return fe_list_dumps(app);
}

/* ---- the run ---- */

static void add_parameters(const fe_app *app, app_yaml *y)
{
    const fe_input *in = &app->input;
    app_yaml_text(y, "Mini-Application Name", "miniFE");
    app_yaml_text(y, "Mini-Application Version", mx_version());
    app_yaml_map(y, "Global Run Parameters");
    app_yaml_map(y, "dimensions");
    app_yaml_whole(y, "nx", in->nx);
    app_yaml_whole(y, "ny", in->ny);
    app_yaml_whole(y, "nz", in->nz);
    app_yaml_up(y);
    app_yaml_real(y, "load_imbalance", in->load_imbalance);
    app_yaml_text(y, "mv_overlap_comm_comp", in->overlap ? "1 (yes)" : "0 (no)");
    app_yaml_whole(y, "number of processors", app_size(app->base.comm));
    app_yaml_text(y, "ScalarType", "double");
    app_yaml_text(y, "GlobalOrdinalType", "int64_t");
    app_yaml_text(y, "LocalOrdinalType", "int32_t");
    app_yaml_up(y);
}

static void add_place(const fe_app *app, const mx_ctx_info *info, app_yaml *y)
{
    struct utsname system;
    app_yaml_name now;
    if (uname(&system) != 0) memset(&system, 0, sizeof system);
    app_yaml_map(y, "Platform");
    app_yaml_text(y, "hostname", system.nodename);
    app_yaml_text(y, "kernel name", system.sysname);
    app_yaml_text(y, "kernel release", system.release);
    app_yaml_text(y, "processor", system.machine);
    app_yaml_text(y, "backend", info->backend);
    app_yaml_whole(y, "threads", info->threads);
    app_yaml_text(y, "device", info->device_name);
    app_yaml_up(y);
    app_yaml_map(y, "Build");
    app_yaml_text(y, "CXX", app_build_compiler());
    app_yaml_text(y, "compiler version", mx_build_description());
    app_yaml_text(y, "CXXFLAGS", app_build_flags());
    app_yaml_text(y, "using MPI", app_comm_version(app->base.comm));
    app_yaml_up(y);
    app_yaml_file_name("", "%Y-%m-%d, %H-%M-%S", &now);
    now.text[strlen(now.text) - strlen(".yaml")] = '\0';
    app_yaml_text(y, "Run Date/Time", now.text);
}

/* ---- the matrix ---- */

/* The shares of the ranks of one number: minimum, maximum, mean. */
static void add_sizes(app_yaml *y, const char *what, const fe_rank_sizes *s, const int64_t *share)
{
    char key[64];
    int64_t min = share[0], max = share[0];
    double sum = 0;
    for (int rank = 0; rank < s->ranks; rank++) {
        min = share[rank] < min ? share[rank] : min;
        max = share[rank] > max ? share[rank] : max;
        sum += (double)share[rank];
    }
    snprintf(key, sizeof key, "%s per proc MIN", what);
    app_yaml_whole(y, key, min);
    snprintf(key, sizeof key, "%s per proc MAX", what);
    app_yaml_whole(y, key, max);
    snprintf(key, sizeof key, "%s per proc AVG", what);
    app_yaml_real(y, key, sum / s->ranks);
}

/* As the original, of elements. */
static void add_imbalance(app_yaml *y, const fe_rank_sizes *s)
{
    double mean = 0, largest = 0, squares = 0;
    for (int rank = 0; rank < s->ranks; rank++) mean += (double)s->elements[rank] / s->ranks;
    for (int rank = 0; rank < s->ranks; rank++) {
        const double deviation = (double)s->elements[rank] - mean;
        largest = fmax(largest, fabs(deviation));
        squares += deviation * deviation;
    }
    app_yaml_map(y, "Rows-per-proc Load Imbalance");
    app_yaml_real(y, "Largest (from avg, %)", 100 * largest / mean);
    app_yaml_real(y, "Std Dev (%)", s->ranks > 1 ? 100 * sqrt(squares / (s->ranks - 1)) / mean : 0);
    app_yaml_up(y);
}

static void add_matrix(const fe_app *app, app_yaml *y, const fe_rank_sizes *s)
{
    enum { BYTES_OF_GHOST = 12 }; /* a value, and a number in a list */
    double bytes = 0, ghosts = 0;
    for (int rank = 0; rank < s->ranks; rank++) {
        bytes += (double)s->matrix[rank];
        ghosts += (double)s->ghosts[rank];
    }
    app_yaml_map(y, "Matrix attributes");
    app_yaml_whole(y, "Global Nrows", app->level.all_rows);
    app_yaml_whole(y, "Global NNZ", app->level.all_entries);
    app_yaml_real(y, "Global Memory (GB)", 1e-9 * bytes);
    app_yaml_real(y, "Pll Memory Overhead (MB)", 1e-6 * ghosts * BYTES_OF_GHOST);
    add_sizes(y, "Rows", s, s->rows);
    add_sizes(y, "NNZ", s, s->entries);
    app_yaml_up(y);
}

/* ---- the solver ---- */

/* A part that was not counted took an unknown time. */
static mx_err total(const fe_app *app, const app_region *region, app_region_totals *all)
{
    MX_TRY(app_region_total(app->base.report, region, all));
    if (all->calls == 0) all->seconds = (double)NAN;
    return MX_OK;
}

static void add_rate(app_yaml *y, const char *what, double seconds, double flops)
{
    char key[64];
    snprintf(key, sizeof key, "%s Time", what);
    app_yaml_real(y, key, seconds);
    snprintf(key, sizeof key, "%s Flops", what);
    app_yaml_real(y, key, flops);
    snprintf(key, sizeof key, "%s Mflops", what);
    app_yaml_real(y, key, 1e-6 * flops / seconds);
}

static mx_err add_solver(const fe_app *app, app_yaml *y)
{
    const fe_input *in = &app->input;
    const double iterations = (double)app->base.iterations,
                 elements = (double)in->nx * (double)in->ny * (double)in->nz;
    const double waxpy = 3 * elements * (3 * iterations + 2), dot = 4 * elements * iterations,
                 matvec = 2 * (double)app->level.all_entries * (iterations + 1);
    app_region_totals cg, ghosts, product, vectors, sums;
    MX_TRY(total(app, app->solve_time, &cg));
    MX_TRY(total(app, app->parts.exchange, &ghosts));
    MX_TRY(total(app, app->parts.product, &product));
    MX_TRY(total(app, app->parts.vectors, &vectors));
    MX_TRY(total(app, app->parts.sums, &sums));
    app_yaml_map(y, "CG solve");
    app_yaml_whole(y, "Iterations", app->iterations);
    app_yaml_real(y, "Final Resid Norm", app->final_residual);
    add_rate(y, "WAXPY", vectors.seconds, waxpy);
    add_rate(y, "DOT", sums.seconds, dot);
    add_rate(y, "MATVEC", product.seconds + ghosts.seconds, matvec);
    app_yaml_map(y, "Total");
    add_rate(y, "Total CG", cg.seconds, waxpy + dot + matvec);
    app_yaml_up(y);
    app_yaml_real(y, "Time per iteration", cg.seconds / iterations);
    app_yaml_map(y, "By rows");
    add_rate(y, "CG", cg.seconds, cg.flops);
    app_yaml_real(y, "CG Bytes", cg.bytes);
    app_yaml_real(y, "CG GB per second", 1e-9 * cg.bytes / cg.seconds);
    app_yaml_real(y, "Rows per second", (double)app->level.all_rows * iterations / cg.seconds);
    app_yaml_up(y);
    app_yaml_up(y);
    return MX_OK;
}

/* ---- the document ---- */

static mx_err add_region(const fe_app *app, app_yaml *y, const char *group, const char *key,
                         const app_region *region)
{
    app_region_totals all;
    MX_TRY(total(app, region, &all));
    app_yaml_map(y, group);
    app_yaml_real(y, key, all.seconds);
    app_yaml_up(y);
    return MX_OK;
}

static mx_err compose(const fe_app *app, const fe_rank_sizes *s, app_yaml *y)
{
    mx_ctx_info info;
    int64_t memory = 0, max = 0;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    for (int rank = 0; rank < s->ranks; rank++) {
        const int64_t kilobytes = s->resident[rank] / 1024;
        memory += kilobytes;
        max = kilobytes > max ? kilobytes : max;
    }
    add_parameters(app, y);
    add_place(app, &info, y);
    add_imbalance(y, s);
    MX_TRY(add_region(app, y, "Matrix structure generation", "Mat-struc-gen Time",
                      app->structure_time));
    MX_TRY(add_region(app, y, "FE assembly", "FE assembly Time", app->assembly_time));
    MX_TRY(add_region(app, y, "Boundary values", "Boundary values Time", app->boundary_time));
    add_matrix(app, y, s);
    MX_TRY(add_solver(app, y));
    app_yaml_text(y, "Verification", app_verdict(&app->base));
    app_yaml_whole(y, "Global All-RSS (kB)", memory);
    app_yaml_whole(y, "Global Max-RSS (kB)", max);
    app_yaml_real(y, "Total Program Time", app_now() - app->base.started);
    return MX_OK;
}

/* FOLDER/miniFE.NXxNYxNZ[.PRANKS][.TTHREADS][.NAME].DATE.yaml */
static mx_err make_path(const fe_app *app, char *path, size_t size)
{
    const fe_input *in = &app->input;
    const int ranks = app_size(app->base.comm);
    char start[160], for_ranks[16] = "", for_threads[16] = "";
    app_yaml_name name;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    if (ranks > 1) snprintf(for_ranks, sizeof for_ranks, ".P%d", ranks);
    if (info.threads > 1) snprintf(for_threads, sizeof for_threads, ".T%d", info.threads);
    snprintf(start, sizeof start, "miniFE.%lldx%lldx%lld%s%s%s%.40s.", (long long)in->nx,
             (long long)in->ny, (long long)in->nz, for_ranks, for_threads,
             in->name != NULL ? "." : "", in->name != NULL ? in->name : "");
    const int length = snprintf(path, size, "%s/%s", in->yaml,
                                app_yaml_file_name(start, "%Y:%m:%d-%H:%M:%S", &name));
    MX_REQUIRE(length < (int)size, MX_ERR_INPUT, "yaml: the folder's name is too long");
    return MX_OK;
}

mx_err fe_write_yaml(const fe_app *app, const fe_rank_sizes *sizes)
{
    app_yaml y = {.depth = 0};
    char path[PATH_MAX];
    if (app->input.yaml == NULL) return MX_OK;
    mx_err err = make_path(app, path, sizeof path);
    if (err == MX_OK) err = compose(app, sizes, &y);
    if (err == MX_OK) err = app_yaml_write(app->base.comm, &y, path);
    app_yaml_free(&y);
    return err;
}

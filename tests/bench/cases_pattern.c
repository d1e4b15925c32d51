/* Cases on patterns: scan, sparse matrix times vector by range and by team, reductions into arrays,
 * graphs. */
#include "bench.h"

#include <math.h>

/* ---- y = the inclusive scan of x ---- */

static mx_err scan_setup(bench_work *w)
{
    mx_view x, y;
    MX_TRY(bench_new_vector(w, "x", 1, &x, &w->rival.b));
    MX_TRY(bench_new_vector(w, "y", 2, &y, &w->rival.a));
    MX_TRY(mx_bind(w->target->ctx, x, &w->scan.x));
    MX_TRY(mx_bind(w->target->ctx, y, &w->scan.y));
    w->outputs[w->output_count++] = y;
    return MX_OK;
}

static mx_err scan_core(bench_work *w) { return bench_scan(w->line, &w->scan, NULL); }

static bench_rival scan_rival(const rival_set *set) { return set->scan; }

/* ---- y = A x, 27 entries a row ---- */

/* Rows of a team of one and of a team of two, and the shape of a team on a GPU. A thread of a team
 * of two reads every other part of half a team's rows. The parts are large, because memory is read
 * more slowly in small ones, also by hand-written code. */
enum { ROWS_OF_ONE = 64, ROWS_OF_TWO = 65536, LANES = 8, THREADS = 32 };

static mx_err spmv_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    const int rows = (int)w->items;
    const int64_t entries = (int64_t)rows * BENCH_ROW;
    mx_view begin, column, value, x, y;
    bench_set_matrix_args set = {.rows = rows, .side = (int)ceil(cbrt((double)rows))};
    MX_TRY(bench_new_vector(w, "x", 1, &x, &w->rival.b));
    MX_TRY(bench_new_vector(w, "y", 2, &y, &w->rival.a));
    MX_TRY(bench_new_view(w, "begin", MX_I32, rows + 1, 0, MX_LAYOUT_DEFAULT, &begin));
    MX_TRY(bench_new_view(w, "column", MX_I32, entries, 0, MX_LAYOUT_DEFAULT, &column));
    MX_TRY(bench_new_view(w, "value", MX_F64, entries, 0, MX_LAYOUT_DEFAULT, &value));
    w->rival.begin = bench_data(begin);
    w->rival.column = bench_data(column);
    w->rival.value = bench_data(value);
    MX_TRY(mx_bind(ctx, begin, &set.begin));
    MX_TRY(mx_bind(ctx, column, &set.column));
    MX_TRY(mx_bind(ctx, value, &set.value));
    MX_TRY(bench_set_matrix(w->line, &set));
    MX_TRY(mx_bind(ctx, begin, &w->spmv.begin));
    MX_TRY(mx_bind(ctx, column, &w->spmv.column));
    MX_TRY(mx_bind(ctx, value, &w->spmv.value));
    MX_TRY(mx_bind(ctx, x, &w->spmv.x));
    MX_TRY(mx_bind(ctx, y, &w->spmv.y));
    w->spmv.rows = rows;
    w->rival.entries = entries;
    w->spmv.rows_per_team = w->target->info.host_accessible ? ROWS_OF_ONE : THREADS;
    w->outputs[w->output_count++] = y;
    return MX_OK;
}

static mx_err spmv_core(bench_work *w) { return spmv(w->line, &w->spmv); }

static mx_err spmv_team_core(bench_work *w)
{
    const int64_t league = (w->items + w->spmv.rows_per_team - 1) / w->spmv.rows_per_team;
    const bool host = w->target->info.host_accessible;
    return spmv_team(mx_league(w->target->ctx, league, host ? 1 : THREADS, host ? 1 : LANES),
                     &w->spmv);
}

static mx_err spmv_two_setup(bench_work *w)
{
    MX_TRY(spmv_setup(w));
    w->spmv.rows_per_team = ROWS_OF_TWO;
    return MX_OK;
}

static mx_err spmv_two_core(bench_work *w)
{
    const int64_t league = (w->items + ROWS_OF_TWO - 1) / ROWS_OF_TWO;
    return spmv_team(mx_league(w->target->ctx, league, 2, 1), &w->spmv);
}

static mx_err spmv_cusparse_setup(bench_work *w)
{
    MX_TRY(spmv_setup(w));
    return bench_cusparse_create(w);
}

static bench_rival spmv_rival(const rival_set *set) { return set->spmv; }

static bench_rival spmv_team_rival(const rival_set *set) { return set->spmv_team; }

/* ---- array(index(i)) += x(i) ---- */

static mx_err array_setup(bench_work *w)
{
    mx_view x;
    MX_TRY(bench_new_vector(w, "x", 1, &x, &w->rival.b));
    MX_TRY(bench_new_index(w, w->which->length, &w->array.index));
    MX_TRY(bench_new_sums(w, "array", MX_F64, w->which->length, &w->rival.sums));
    return mx_bind(w->target->ctx, x, &w->array.x);
}

static mx_err array_core(bench_work *w) { return bench_array_into(w->line, &w->array, w->sums[0]); }

static bench_rival array_rival(const rival_set *set) { return set->array; }

/* ---- eight small launches, by a graph and one by one ---- */

enum { LAUNCHES = 8 };

static mx_err small_launches(bench_work *w)
{
    for (int l = 0; l < LAUNCHES; l++) MX_TRY(stream_triad(w->line, &w->stream));
    return MX_OK;
}

static mx_err graph_setup(bench_work *w)
{
    MX_TRY(bench_stream_setup(w));
    MX_TRY(mx_graph_create(w->target->ctx, &w->graph));
    MX_TRY(small_launches(w));
    return mx_graph_finish(w->graph);
}

static mx_err graph_core(bench_work *w) { return mx_graph_run(w->graph); }

const bench_case bench_pattern_cases[] = {
    {.name = "scan",
     .text = "inclusive prefix sums",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = scan_setup,
     .core = scan_core,
     .rival = scan_rival},
    {.name = "spmv",
     .text = "sparse matrix times vector, 27 entries a row, a row an item",
     .doubles = 43,
     .bytes_per_item = BENCH_ROW * 12 + 20,
     .share = 0.1,
     .setup = spmv_setup,
     .core = spmv_core,
     .rival = spmv_rival},
    {.name = "spmv-team",
     .text = "the same by teams: of 32 threads with 8 lanes on a GPU, of one on hosts",
     .doubles = 43,
     .bytes_per_item = BENCH_ROW * 12 + 20,
     .share = 0.1,
     .setup = spmv_setup,
     .core = spmv_team_core,
     .rival = spmv_team_rival},
    {.name = "spmv-cusparse",
     .text = "spmv-team against cuSPARSE (CUDA, in builds that found it)",
     .doubles = 43,
     .bytes_per_item = BENCH_ROW * 12 + 20,
     .share = 0.1,
     .only_cusparse = true,
     .setup = spmv_cusparse_setup,
     .core = spmv_team_core,
     .other = bench_cusparse_spmv,
     .other_name = "cusparse"},
    {.name = "team-of-one",
     .text = "the same by teams of one against the core by range (hosts)",
     .doubles = 43,
     .bytes_per_item = BENCH_ROW * 12 + 20,
     .share = 0.1,
     .only_hosts = true,
     .setup = spmv_setup,
     .core = spmv_team_core,
     .other = spmv_core,
     .other_name = "range"},
    {.name = "team-of-two",
     .text = "the same by teams of two threads that share rows (hosts)",
     .doubles = 43,
     .bytes_per_item = BENCH_ROW * 12 + 20,
     .share = 0.1,
     .only_hosts = true,
     .threads = 2,
     .setup = spmv_two_setup,
     .core = spmv_two_core,
     .rival = spmv_rival},
    {.name = "array-64",
     .text = "a reduction into 64 values",
     .doubles = 2,
     .bytes_per_item = 12,
     .length = 64,
     .setup = array_setup,
     .core = array_core,
     .rival = array_rival},
    {.name = "array-1024",
     .text = "a reduction into 1024 values",
     .doubles = 2,
     .bytes_per_item = 12,
     .length = 1024,
     .setup = array_setup,
     .core = array_core,
     .rival = array_rival},
    {.name = "array-16384",
     .text = "a reduction into 16384 values",
     .doubles = 2,
     .bytes_per_item = 12,
     .length = 16384,
     .setup = array_setup,
     .core = array_core,
     .rival = array_rival},
    {.name = "graph",
     .text = "eight small triads: a graph against launches one by one",
     .doubles = 3,
     .bytes_per_item = 24 * LAUNCHES,
     .share_cached = 0.1,
     .only_cached = true,
     .setup = graph_setup,
     .core = graph_core,
     .other = small_launches,
     .other_name = "launches"},
    {0},
};

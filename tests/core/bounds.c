/* Indices out of bounds, in builds that check indices. The error names view, index, extent, file
 * and line. Nothing outside of a view is read or written, and the context can be used
 * afterwards. */
#include "bounds.h"
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef MINX_BOUNDS_CHECK

enum { N = 10 };

static mx_err launched(mx_ctx ctx, mx_err err)
{
    return err != MX_OK ? err : mx_fence(ctx); /* a device reports at the fence */
}

/* The report ends in the number of accesses; the line is the one that the kernel noted. Hosts name
 * the kernel, devices those since the last fence. */
static void check_report(mx_ctx ctx, mx_err err, const mx_view line_view, const char *kernel,
                         const char *words)
{
    int32_t line = 0;
    char expected[64], message[1024];
    CHECK_FAILS(err, MX_ERR_BOUNDS, words);
    snprintf(message, sizeof message, "%s", mx_err_message());
    MUST(mx_read_element(ctx, line_view, 0, &line));
    snprintf(expected, sizeof expected, "kernels/bounds.c:%d: ", (int)line);
    CHECK_TEXT(message, expected);
    snprintf(expected, sizeof expected,
             check_is_gpu(ctx) ? "in one of the kernels since the last fence: %s)" : "kernel %s: ",
             kernel);
    CHECK_TEXT(message, expected);
}

/* Host code has no launch that could report: it stops, naming the same. Tried in a child
 * process. */
static void check_stops(void (*invalid_access)(const bounds_args *), const bounds_args *a,
                        const char *words)
{
    int ends[2], status = 0;
    char text[512] = "";
    CHECK_I64(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        invalid_access(a);
        _exit(0);
    }
    waitpid(child, &status, 0);
    close(ends[1]);
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK_TEXT(text, "bounds.c:");
    CHECK_TEXT(text, words);
}

static void store_beyond_x(const bounds_args *a) { MX_AT(a->x, N) = 1; }

static void store_to_unbound_box(const bounds_args *a) { MX_AT(a->box, 0, 0, 0) = 1; }

static void store_to_unbound_line(const bounds_args *a) { MX_AT(a->line) = 1; }

/* What generated kernels record: no index, but a text of theirs. */
static void record_division(const bounds_args *a)
{
    (void)mx_fault_record_(a->x.fault, 0, "division by zero", -1, 0, 0, 0, "made in bounds.c", 12);
}

static void test_other_faults(mx_ctx ctx, const bounds_args *a)
{
    record_division(a);
    record_division(a);
    CHECK_FAILS(mx_fence(ctx), MX_ERR_BOUNDS,
                "made in bounds.c:12: division by zero (2 such faults");
    record_division(a);
    a->x.fault->count += UINT32_MAX;
    CHECK_FAILS(mx_fence(ctx), MX_ERR_BOUNDS, "(4294967296 such faults");
    CHECK_OK(mx_fence(ctx));
}

static void test_host_code(mx_ctx ctx)
{
    mx_view view, mirror;
    bounds_args a;
    memset(&a, 0, sizeof a);
    MUST(mx_view_create_1d(ctx, "on the host", MX_F64, N, &view));
    MUST(mx_mirror_create(view, &mirror));
    MUST(mx_bind(NULL, mirror, &a.x));
    MX_AT(a.x, N - 1) = 1;
    check_stops(
        store_beyond_x, &a,
        "MX_AT(a->x, ...): the index of dimension 0 of view 'on the host' is 10, expected 0 to 9");
    check_stops(store_to_unbound_box, &a, "accessor a->box was never bound");
    check_stops(store_to_unbound_line, &a, "accessor a->line was never bound");
    check_stops(record_division, &a, "made in bounds.c:12: division by zero");
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

/* Where there is nothing, items go on at the one element that every view has. */
static void test_empty_view(mx_ctx ctx, bounds_args *a, mx_view line)
{
    mx_view flat, offsets;
    int64_t got[N];
    const int64_t minus = -1;
    MUST(mx_view_create_2d(ctx, "flat", MX_F64, 0, 100, &flat));
    MUST(mx_view_create_1d(ctx, "offsets", MX_I64, N, &offsets));
    MUST(mx_fill(ctx, offsets, &minus));
    MUST(mx_bind(ctx, flat, &a->flat));
    MUST(mx_bind(ctx, offsets, &a->offsets));
    for (a->shift = -1; a->shift <= 1; a->shift++) {
        char expected[128];
        snprintf(expected, sizeof expected,
                 "the index of dimension 0 of view 'flat' is %d, expected none: its extent is 0 "
                 "in item ",
                 a->shift);
        check_report(ctx, launched(ctx, bounds_flat(mx_range_1d(ctx, 0, N), a)), line,
                     "bounds_flat", expected);
        check_download(ctx, offsets, got);
        for (int i = 0; i < N; i++) CHECK_I64(got[i], 0);
    }
    a->shift = 0;
    mx_bind_none(&a->flat);
    mx_bind_none(&a->offsets);
    MUST(mx_view_destroy(&flat));
    MUST(mx_view_destroy(&offsets));
}

/* Bins beside an array. What is behind it keeps its value. */
static void test_bins(mx_ctx ctx, bounds_args *a, mx_view line)
{
    double bins[4] = {-7, -7, -7, -7};
    int64_t tops[4] = {-7, -7, -7, -7};
    const mx_range_1 all = mx_range_1d(ctx, 0, N);
    a->shift = 0;
    check_report(ctx, launched(ctx, bounds_bin(all, a, 3, bins)), line, "bounds_bin",
                 "bin 3 of a reduction into an array of length 3 in item 3 (7 such");
    CHECK_F64(bins[3], -7, 0);
    a->shift = -9;
    check_report(ctx, launched(ctx, bounds_top(all, a, 1, tops)), line, "bounds_top",
                 "bin -9 of a reduction into an array of length 1 in item 0 (9 such");
    for (int e = 1; e < 4; e++) CHECK_I64(tops[e], -7);
    if (!check_is_gpu(ctx)) /* which runs no item then */
        check_report(ctx, launched(ctx, bounds_bin(all, a, 0, bins)), line, "bounds_bin",
                     "bin -9 of a reduction into an array of length 0 in item 0 (10 such");
    a->shift = 0;
    CHECK_OK(launched(ctx, bounds_bin(mx_range_1d(ctx, 0, 4), a, 4, bins)));
    for (int e = 0; e < 4; e++) CHECK_F64(bins[e], 1, 0);
}

static void test(mx_ctx ctx)
{
    test_host_code(ctx);
    mx_view x, box, line;
    bounds_args a;
    double sum, bins[1], got[N];
    memset(&a, 0, sizeof a);
    MUST(mx_view_create_1d(ctx, "the line", MX_F64, N, &x));
    MUST(mx_view_create_3d(ctx, "the box", MX_F64, 4, N, 5, &box));
    MUST(mx_view_create_0d(ctx, "source", MX_I32, &line));
    MUST(mx_bind(ctx, x, &a.x));
    MUST(mx_bind(ctx, box, &a.box));
    MUST(mx_bind(ctx, line, &a.line));
    mx_bind_none(&a.flat);
    mx_bind_none(&a.offsets);
    const mx_range_1 all = mx_range_1d(ctx, 0, N);
    CHECK_OK(launched(ctx, bounds_store(all, &a)));
    CHECK_OK(launched(ctx, bounds_box(all, &a)));
    CHECK_OK(launched(ctx, bounds_sum(all, &a, &sum)));
    a.shift = 1;
    check_report(ctx, launched(ctx, bounds_store(all, &a)), line, "bounds_store",
                 "dimension 0 of view 'the line' is 10, expected 0 to 9 in item 9 (1 such");
    check_report(ctx, launched(ctx, bounds_box(all, &a)), line, "bounds_box",
                 "dimension 1 of view 'the box' is 10, expected 0 to 9 in item 9 (1 such");
    check_report(ctx, launched(ctx, bounds_team(mx_league(ctx, N, 1, 1), &a)), line, "bounds_team",
                 "dimension 0 of view 'the line' is 10, expected 0 to 9 in item 9 (1 such");
    a.shift = 100;
    check_report(ctx, launched(ctx, bounds_cube(mx_range_3d(ctx, 0, 4, 0, N, 0, 5), &a)), line,
                 "bounds_cube",
                 "dimension 2 of view 'the box' is 103, expected 0 to 4 in item (2, 7, 3) (1 such");
    a.shift = 1;
    check_report(ctx, launched(ctx, bounds_sum(all, &a, &sum)), line, "bounds_sum",
                 "dimension 0 of view 'the line' is 10");
    check_report(ctx, launched(ctx, bounds_bins(all, &a, 1, bins)), line, "bounds_bins",
                 "dimension 0 of view 'the line' is 10");
    test_bins(ctx, &a, line);
    a.shift = -1;
    check_report(ctx, launched(ctx, bounds_store(all, &a)), line, "bounds_store",
                 "is -1, expected 0 to 9");
    a.shift = 1000000;
    check_report(ctx, launched(ctx, bounds_store(all, &a)), line, "bounds_store",
                 "(10 such accesses");
    test_empty_view(ctx, &a, line);
    test_other_faults(ctx, &a);
    CHECK_OK(launched(ctx, bounds_store(all, &a)));
    check_download(ctx, x, got);
    for (int i = 0; i < N; i++) CHECK_F64(got[i], 1, 0);
    MUST(mx_view_destroy(&x));
    MUST(mx_view_destroy(&box));
    MUST(mx_view_destroy(&line));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

#else

int main(void)
{
    printf("skipped: this build does not check indices (MINX_BOUNDS_CHECK=ON does)\n");
    return CHECK_SKIPPED;
}

#endif

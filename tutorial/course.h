/* What the lessons of the course share: main, the check of a result, and times. A lesson ends with
 *
 *     COURSE(lesson01, run)
 *
 * between #ifdef MX_DRIVER and #endif. It stands for main: starts minx, creates the context that the
 * command line names, calls run, and prints the error that run returns. Nothing of this is for kernels. */
#pragma once
#include <minx/kernel.h>
#ifdef MX_DRIVER
#include <minx/minx.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a lesson gets: the context, and whether it shall also print times (./lesson04 openmp measure). */
typedef struct course {
    mx_ctx ctx;
    bool measure;
} course;

/* Compares a result with the value that theory gives. `what` names the result and the gap that makes
 * it: "gap 1: the speed of stone 0". The tolerance is absolute. */
static inline mx_err course_expect(const char *what, double got, double expected, double tolerance)
{
    MX_REQUIRE(fabs(got - expected) <= tolerance, MX_ERR_MISMATCH,
               "%s is %.10g, expected %.10g (tolerance %.2g)", what, got, expected, tolerance);
    return MX_OK;
}

/* Says which gap a failed call is about, and passes the failure on. */
static inline mx_err course_of_gap(int gap, mx_err err)
{
    if (err != MX_OK) fprintf(stderr, "gap %d, the call returned:\n", gap);
    return err;
}

/* With `measure`, prints the median of the times of five calls of work, after one that is not
 * counted. Else calls it once. */
static inline mx_err course_time(const course *c, const char *what, mx_err (*work)(void *data),
                                 void *data)
{
    double time[5];
    MX_TRY(work(data));
    for (int n = 0; c->measure && n < 5; n++) {
        MX_TRY(mx_fence(c->ctx));
        const double start = mx_seconds();
        MX_TRY(work(data));
        MX_TRY(mx_fence(c->ctx));
        const double taken = mx_seconds() - start;
        int at = n;
        for (; at > 0 && time[at - 1] > taken; at--) time[at] = time[at - 1];
        time[at] = taken;
    }
    if (c->measure) printf("time: %s: %.3f ms\n", what, 1e3 * time[2]);
    return MX_OK;
}

static inline int course_main(int argc, char **argv, mx_err (*run)(const course *c))
{
    course c = {NULL, argc > 2};
    if (argc > 3 || (c.measure && strcmp(argv[2], "measure") != 0)) {
        fprintf(stderr, "'%s' is not expected: %s [BACKEND [measure]]\n", argv[argc > 3 ? 3 : 2],
                argv[0]);
        return 1;
    }
    /* what a lesson prints stands above its error, in a pipe too */
    setvbuf(stdout, NULL, _IOLBF, 0);
    mx_err err = mx_init();
    if (err == MX_OK) err = mx_ctx_create(argc > 1 ? argv[1] : "serial", &c.ctx);
    if (err == MX_OK) err = run(&c);
    if (err != MX_OK) fprintf(stderr, "%s: %s\n", mx_err_name(err), mx_err_message());
    mx_ctx_destroy(&c.ctx);
    if (err == MX_OK) mx_finalize(); /* a lesson that failed leaves views behind */
    return err != MX_OK;
}

/* The tests put all lessons into one program. */
#ifdef COURSE_ALL
#define COURSE(lesson, run) \
    int course_##lesson(int argc, char **argv) { return course_main(argc, argv, run); }
#else
#define COURSE(lesson, run) \
    int main(int argc, char **argv) { return course_main(argc, argv, run); }
#endif
#endif

/* The few checks that the tests of the apps need: silent when they hold, else got, expected and
 * tolerance on stderr. A test counts its failures and returns check_exit() from main, after the
 * ranks have agreed. */
#pragma once
#include "comm/comm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Weak: one counter for all files of a test. */
__attribute__((weak)) int check_failures;

static inline void check_true_(bool holds, const char *what, const char *file, int line)
{
    if (holds) return;
    ++check_failures;
    fprintf(stderr, "%s:%d: expected: %s\n", file, line, what);
}

static inline void check_i64_(int64_t got, int64_t expected, const char *what, const char *file,
                              int line)
{
    if (got == expected) return;
    ++check_failures;
    fprintf(stderr, "%s:%d: %s: got %" PRId64 ", expected %" PRId64 "\n", file, line, what, got,
            expected);
}

static inline void check_f64_(double got, double expected, double tolerance, const char *what,
                              const char *file, int line)
{
    if (fabs(got - expected) <= tolerance) return;
    ++check_failures;
    fprintf(stderr, "%s:%d: %s: got %.17g, expected %.17g, tolerance %g\n", file, line, what, got,
            expected, tolerance);
}

static inline void check_ok_(mx_err err, const char *what, const char *file, int line)
{
    if (err == MX_OK) return;
    ++check_failures;
    fprintf(stderr, "%s:%d: %s: got %s (%s), expected MX_OK\n%s", file, line, what,
            mx_err_name(err), mx_err_message(), mx_err_trace());
}

/* The call must fail with this code, and its message must contain `part`. */
static inline void check_fails_(mx_err got, mx_err expected, const char *part, const char *what,
                                const char *file, int line)
{
    if (got == expected && strstr(mx_err_message(), part)) return;
    ++check_failures;
    fprintf(stderr, "%s:%d: %s: got %s \"%s\", expected %s with \"%s\"\n", file, line, what,
            mx_err_name(got), got == MX_OK ? "" : mx_err_message(), mx_err_name(expected), part);
}

#define CHECK(holds) check_true_((holds), #holds, __FILE__, __LINE__)
#define CHECK_I64(got, expected) check_i64_((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_F64(got, expected, tolerance) \
    check_f64_((got), (expected), (tolerance), #got, __FILE__, __LINE__)
#define CHECK_OK(call) check_ok_((call), #call, __FILE__, __LINE__)
#define CHECK_FAILS(call, code, part) \
    check_fails_((call), (code), (part), #call, __FILE__, __LINE__)

/* 0 if no rank counted a failure, else 1. Collective. */
static inline int check_exit(app_comm comm)
{
    int64_t failures = check_failures;
    if (app_sum_i64(comm, &failures, 1) != MX_OK) return 1;
    return failures == 0 ? 0 : 1;
}

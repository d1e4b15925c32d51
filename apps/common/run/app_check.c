/* Checks of an app and their verdict; what is printed on stderr beside errors. */
#include "app.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

double app_relative(double value, double expected)
{
    return expected != 0 ? fabs(value / expected - 1) : fabs(value);
}

mx_err app_check(app_base *base, const char *name, double value, double expected, double tolerance,
                 app_compare compare)
{
    const double difference = app_relative(value, expected);
    const bool passed = difference <= tolerance; /* false for NaN */
    base->failed = base->failed || !passed;
    app_print(base->report,
              " check %-12s %.15e expected %.15e %s difference %.2e tolerance %.1e %s\n", name,
              value, expected, expected != 0 ? "relative" : "absolute", difference, tolerance,
              passed ? "PASSED" : "FAILED");
    if (!passed)
        MX_TRY(app_print_last(base, "check %s FAILED: got %.15e, expected %.15e, tolerance %.1e",
                              name, value, expected, tolerance));
    const app_checked check = {.name = name,
                               .value = value,
                               .expected = expected,
                               .tolerance = tolerance,
                               .passed = passed,
                               .compare = compare};
    return app_results_check(base->results, &check);
}

const char *app_verdict(const app_base *base)
{
    if (base->stopped) return "stopped";
    return base->failed ? "failed" : base->verdict;
}

int app_verdict_code(const app_base *base)
{
    if (base->stopped) return APP_EXIT_STOPPED;
    return base->failed ? APP_EXIT_FAILED : base->exit_code;
}

void app_print_note(const app_base *base, const char *format, ...)
{
    char text[512];
    va_list args;
    if (app_rank(base->comm) != 0) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    app_progress_end(base->report);
    fprintf(stderr, "%s: note: %s\n", base->program->name, text);
}

mx_err app_print_last(app_base *base, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return app_strbuf_add(&base->last, "%s: %s\n", base->program->name, text);
}

#include "verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool begin_line(vf_verdict *verdict, const char *name, bool passed)
{
    ++verdict->checks;
    if (!passed) ++verdict->failed;
    const bool shown = !passed || !verdict->quiet;
    if (shown) printf("  %s  %-34s  ", passed ? "PASS" : "FAIL", name);
    return shown;
}

bool vf_number(vf_verdict *verdict, const char *name, double got, double expected, double tolerance)
{
    const bool passed = fabs(got - expected) <= tolerance;
    if (begin_line(verdict, name, passed)) {
        printf("got %.17g  expected %.17g  difference %.17g  tolerance %.3g\n", got, expected,
               got - expected, tolerance);
    }
    return passed;
}

bool vf_max(vf_verdict *verdict, const char *name, double got, double limit)
{
    const bool passed = got <= limit;
    if (begin_line(verdict, name, passed))
        printf("got %.17g  expected 0  tolerance %.3g\n", got, limit);
    return passed;
}

bool vf_count(vf_verdict *verdict, const char *name, int64_t got, int64_t expected)
{
    const bool passed = got == expected;
    if (begin_line(verdict, name, passed))
        printf("got %" PRId64 "  expected %" PRId64 "  tolerance 0\n", got, expected);
    return passed;
}

bool vf_text(vf_verdict *verdict, const char *name, const char *got, const char *expected)
{
    const bool passed = strcmp(got, expected) == 0;
    if (begin_line(verdict, name, passed)) printf("got %s  expected %s\n", got, expected);
    return passed;
}

bool vf_impossible(vf_verdict *verdict, const char *name, const char *reason)
{
    begin_line(verdict, name, false);
    printf("%s\n", reason);
    return false;
}

bool vf_words(vf_verdict *verdict, const char *name, bool passed, const char *format, ...)
{
    if (!begin_line(verdict, name, passed)) return passed;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return passed;
}

void vf_info(const vf_verdict *verdict, const char *name, const char *text)
{
    if (!verdict->quiet) printf("  note  %-34s  %s\n", name, text);
}

bool vf_conclude(const vf_verdict *verdict)
{
    if (verdict->failed == 0) {
        printf("%s: PASS (%d checks)\n", verdict->title, verdict->checks);
    } else {
        printf("%s: FAIL (%d of %d checks failed)\n", verdict->title, verdict->failed,
               verdict->checks);
    }
    return verdict->failed == 0;
}

#include "verdict.h"

#include "input/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_TEXT = 2048, /* what is longer is cut short */
    NAME_COLUMN = 50 /* the longest name of a check has so many characters */
};

static void print_safely(FILE *out, const char *format, va_list args)
{
    char text[MAX_TEXT];
    const int length = vsnprintf(text, sizeof text, format, args);
    app_text_print(out, length >= 0 ? text : format);
    if (length >= MAX_TEXT) fputs("...", out);
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void
put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_safely(stdout, format, args);
    va_end(args);
}

void vf_complain(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fputs("minx-verify: error: ", stderr);
    va_start(args, format);
    print_safely(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Pads by bytes; a name with characters of several bytes is padded less. */
static bool begin_line(vf_verdict *verdict, const char *name, bool passed)
{
    ++verdict->checks;
    if (!passed) ++verdict->failed;
    const bool shown = !passed || !verdict->quiet;
    if (shown) put("  %s  %-*s  ", passed ? "PASS" : "FAIL", NAME_COLUMN, name);
    return shown;
}

bool vf_words(vf_verdict *verdict, const char *name, bool passed, const char *format, ...)
{
    if (!begin_line(verdict, name, passed)) return passed;
    va_list args;
    va_start(args, format);
    print_safely(stdout, format, args);
    va_end(args);
    putchar('\n');
    return passed;
}

/* A limit that overflowed would let any number pass. */
static bool is_within(double size, double limit) { return isfinite(limit) && size <= limit; }

bool vf_number(vf_verdict *verdict, const char *name, double got, double expected, double tolerance)
{
    return vf_words(verdict, name, is_within(fabs(got - expected), tolerance),
                    "got %.17g  expected %.17g  difference %.17g  tolerance %.3g", got, expected,
                    got - expected, tolerance);
}

bool vf_max(vf_verdict *verdict, const char *name, double got, double limit)
{
    return vf_words(verdict, name, is_within(got, limit), "got %.17g  expected 0  tolerance %.3g",
                    got, limit);
}

bool vf_count(vf_verdict *verdict, const char *name, int64_t got, int64_t expected)
{
    return vf_words(verdict, name, got == expected,
                    "got %" PRId64 "  expected %" PRId64 "  tolerance 0", got, expected);
}

bool vf_text(vf_verdict *verdict, const char *name, const char *got, const char *expected)
{
    return vf_words(verdict, name, strcmp(got, expected) == 0, "got %s  expected %s", got,
                    expected);
}

bool vf_impossible(vf_verdict *verdict, const char *name, const char *reason)
{
    return vf_words(verdict, name, false, "%s", reason);
}

void vf_info(const vf_verdict *verdict, const char *name, const char *text)
{
    if (verdict->quiet) return;
    put("  note  %-*s  %s", NAME_COLUMN, name, text);
    putchar('\n');
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

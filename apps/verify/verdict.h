/* The output of minx-verify: one line per check (name, got, expected, tolerance, PASS or FAIL),
 * then a verdict. Texts may come from an untrusted file: their control characters are shown as
 * \xNN. */
#pragma once
#include "minx/error.h"

typedef struct vf_verdict {
    const char *title; /* "integrity", "physics", "comparison" */
    bool quiet;        /* print only the failures and the verdict */
    int checks, failed;
} vf_verdict;

/* Passes where |got - expected| <= tolerance; NaN never passes. Returns whether it passed, as all
 * of these do. */
bool vf_number(vf_verdict *verdict, const char *name, double got, double expected,
               double tolerance);

/* Passes where got <= limit. */
bool vf_max(vf_verdict *verdict, const char *name, double got, double limit);

bool vf_count(vf_verdict *verdict, const char *name, int64_t got, int64_t expected);
bool vf_text(vf_verdict *verdict, const char *name, const char *got, const char *expected);

/* A check that cannot be made, with the reason; counts as failed, returns false. */
bool vf_impossible(vf_verdict *verdict, const char *name, const char *reason);

/* A check that passed or failed, with its details in words. */
bool vf_words(vf_verdict *verdict, const char *name, bool passed, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* "minx-verify: error: ..." on standard error. */
void vf_complain(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Prints information that is no check. */
void vf_info(const vf_verdict *verdict, const char *name, const char *text);

/* "TITLE: PASS (n checks)"; returns whether every check passed. */
bool vf_conclude(const vf_verdict *verdict);

/* How two runs are compared, dataset by dataset. A results file says it in an attribute of each
 * dataset ("compare"), so that a program that compares files need not know the app. */
#pragma once
#include "minx/error.h"

typedef enum app_compare_kind {
    APP_COMPARE_EXACT, /* equal to the bit */
    APP_COMPARE_RELATIVE, /* real numbers: may differ by `number` times the largest magnitude in the dataset */
    APP_COMPARE_WITHIN, /* whole numbers: may differ by `number` */
    /* a rounding error: equal to the bit if all sums are added in the same order; otherwise no
     * digit need agree. Compared only on request */
    APP_COMPARE_ROUNDING,
    APP_COMPARE_NEVER /* differs between runs: times, places, names */
} app_compare_kind;

typedef struct app_compare {
    app_compare_kind kind;
    double number;
} app_compare;

#define APP_EXACT ((app_compare){APP_COMPARE_EXACT, 0.0})
#define APP_RELATIVE(tolerance) ((app_compare){APP_COMPARE_RELATIVE, tolerance})
#define APP_WITHIN(count) ((app_compare){APP_COMPARE_WITHIN, count})
#define APP_ROUNDING ((app_compare){APP_COMPARE_ROUNDING, 0.0})
#define APP_NEVER ((app_compare){APP_COMPARE_NEVER, 0.0})

/* By how much two sums of the same numbers may differ that were added in different orders, relative
 * to the sum of their magnitudes. A program adds in blocks, joined in order: at most 1024 blocks of
 * at most n/1024 or 2048 of n numbers. The error is at most (numbers in a block + 1024) u, where u
 * is the unit roundoff, 1.1e-16: 7e-12 for n = 6.4e7, the largest published mesh of TeaLeaf. */
#define APP_SUM_TOLERANCE 1e-11
#define APP_SUMS APP_RELATIVE(APP_SUM_TOLERANCE)

#define APP_COMPARE_ATTRIBUTE "compare"

/* As the file holds it: "exact", "relative 1e-11", "within 2", "rounding", "never". Returns
 * text->text. */
typedef struct app_compare_words {
    char text[48];
} app_compare_words;
const char *app_compare_text(app_compare compare, app_compare_words *words);

/* The other way round. MX_ERR_INPUT for anything else. */
mx_err app_compare_parse(const char *text, app_compare *compare);

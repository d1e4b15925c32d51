/* Comparing what two backends computed. */
#pragma once
#include "view/memory.h"

/* Who compares: for messages, and how exactly. */
typedef struct mx_comparison {
    const char *kernel;
    mx_ctx ctx;          /* whose threads compare: one of hosts */
    const char *name[2]; /* of the context that is checked, and of the other one */
    double tolerance;    /* relative to the largest magnitude in a view; f32: at least 1e-5 */
    double scale;        /* at least this is taken for that magnitude; also of results */
} mx_comparison;

/* Compares two results of a type of the user. Their padding is zero. */
mx_err mx_compare_structs(const mx_comparison *c, const char *what, size_t size, const char *a,
                          const char *b);

/* Compares two locations (mx_loc_*), or two pairs of them (mx_minmaxloc_*), of `size` bytes. `type`
 * is that of the values. Indices are compared exactly. */
mx_err mx_compare_locations(const mx_comparison *c, const char *what, int64_t index, mx_type type,
                            size_t size, const char *a, const char *b);

/* MX_ERR_MISMATCH if views of the same shape in host memory differ, with the first index where they
 * do. */
mx_err mx_compare_views(const mx_comparison *c, const mx_view_info *original,
                        const mx_view_info *other);

/* The same of two numbers, which `what` and `index` name in the message. */
mx_err mx_compare_numbers(const mx_comparison *c, const char *what, int64_t index, mx_type type,
                          const void *original, const void *other);

#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a file that two runs of one problem have in common, and how equal they must be. */
typedef enum subject { IGNORED, INPUT, MEASURED } subject;

static bool is_under(const char *path, const char *group)
{
    const size_t length = strlen(group);
    return strncmp(path, group, length) == 0 && path[length] == '/';
}

static subject subject_of(const app_node *node)
{
    if (node->kind == APP_NODE_GROUP) return IGNORED;
    if (is_under(node->path, "/input")) return INPUT;
    const char *const measured[] = {"/fields", "/series", "/verification"};
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; ++i) {
        if (is_under(node->path, measured[i])) return MEASURED;
    }
    return IGNORED;
}

/* The largest difference of two datasets of equal shape. */
typedef struct difference {
    double max;                /* NaN where a difference is */
    double scale;              /* the largest magnitude in either dataset */
    int64_t at;                /* the element that differs most */
    double value, other_value; /* at that element */
} difference;

static difference max_difference(const double *one, const double *other, int64_t count)
{
    difference d = {.max = 0.0};
    for (int64_t i = 0; i < count; ++i) {
        const double gap = one[i] == other[i] ? 0.0 : fabs(one[i] - other[i]);
        d.scale = fmax(d.scale, fmax(fabs(one[i]), fabs(other[i])));
        if (gap > d.max || (isnan(gap) && !isnan(d.max))) {
            d.max = gap;
            d.at = i;
            d.value = one[i];
            d.other_value = other[i];
        }
    }
    return d;
}

/* The indices of an element as text, "[12,7]". */
static const char *index_text(const app_node *node, int64_t at, char *text, size_t capacity)
{
    int64_t index[APP_NODE_MAX_RANK];
    for (int d = node->rank - 1; d >= 0; --d) {
        index[d] = at % node->shape[d];
        at /= node->shape[d];
    }
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (int d = 0; d < node->rank && used < capacity; ++d) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", d > 0 ? "," : "",
                                 (long long)index[d]);
    }
    if (used < capacity) snprintf(text + used, capacity - used, "]");
    return text;
}

static void report(const app_node *node, const difference *d, double tolerance, vf_verdict *verdict)
{
    char where[256];
    const double relative = d->scale > 0.0 ? d->max / d->scale : d->max;
    const bool passed = d->max <= tolerance;
    if (d->max == 0.0) {
        vf_words(verdict, node->path, passed, "equal (%lld values)", (long long)node->count);
        return;
    }
    vf_words(verdict, node->path, passed,
             "largest difference %.6g, relative to the largest value %.6g, at %s: "
             "%.17g and %.17g; tolerance %.3g",
             d->max, relative, index_text(node, d->at, where, sizeof where), d->value,
             d->other_value, tolerance);
}

static void compare_reals(app_reader one, app_reader other, const app_node *node, double tolerance,
                          vf_verdict *verdict)
{
    int64_t count = 0, other_count = 0;
    double *values = NULL, *other_values = NULL;
    if (app_reader_f64(one, node->path, &count, &values) != MX_OK ||
        app_reader_f64(other, node->path, &other_count, &other_values) != MX_OK) {
        vf_impossible(verdict, node->path, mx_err_message());
    } else {
        const difference d = max_difference(values, other_values, count);
        report(node, &d, subject_of(node) == INPUT ? 0.0 : tolerance * d.scale, verdict);
    }
    free(other_values);
    free(values);
}

static void compare_wholes(app_reader one, app_reader other, const app_node *node,
                           vf_verdict *verdict)
{
    int64_t count = 0, other_count = 0, *values = NULL, *other_values = NULL;
    if (app_reader_i64(one, node->path, &count, &values) != MX_OK ||
        app_reader_i64(other, node->path, &other_count, &other_values) != MX_OK) {
        vf_impossible(verdict, node->path, mx_err_message());
    } else {
        int64_t at = 0;
        char where[256];
        while (at < count && values[at] == other_values[at]) ++at;
        if (at == count) {
            vf_words(verdict, node->path, true, "equal (%lld values)", (long long)count);
        } else {
            vf_words(verdict, node->path, false, "first difference at %s: %lld and %lld",
                     index_text(node, at, where, sizeof where), (long long)values[at],
                     (long long)other_values[at]);
        }
    }
    free(other_values);
    free(values);
}

static void compare_texts(app_reader one, app_reader other, const app_node *node,
                          vf_verdict *verdict)
{
    size_t length = 0, other_length = 0;
    char *text = NULL, *other_text = NULL;
    if (app_reader_text(one, node->path, &length, &text) != MX_OK ||
        app_reader_text(other, node->path, &other_length, &other_text) != MX_OK) {
        vf_impossible(verdict, node->path, mx_err_message());
    } else {
        size_t at = 0;
        while (at < length && at < other_length && text[at] == other_text[at]) ++at;
        if (length == other_length && at == length) {
            vf_words(verdict, node->path, true, "equal (%zu bytes)", length);
        } else {
            vf_words(verdict, node->path, false, "differs from byte %zu on (%zu and %zu bytes)", at,
                     length, other_length);
        }
    }
    free(other_text);
    free(text);
}

static bool same_shape(const app_node *a, const app_node *b)
{
    bool same = a->kind == b->kind && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; ++d) same = a->shape[d] == b->shape[d];
    return same;
}

static void describe_shape(const app_node *node, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s", node->type);
    for (int d = 0; d < node->rank && used < capacity; ++d) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", d > 0 ? " x " : " ",
                                 (long long)node->shape[d]);
    }
}

/* Values that depend on rounding: the residuals of the solver, which amplifies rounding in each iteration, and
 * the checks that use them. Two runs that add in different orders may agree in no digit of them. */
static bool is_rounding(const char *path)
{
    const char *const last = strrchr(path, '/');
    return strcmp(path, "/series/cg_residual") == 0 ||
           strcmp(path, "/verification/residual/value") == 0 ||
           (is_under(path, "/verification") && strcmp(last, "/tolerance") == 0);
}

/* With sums in another order the solver may stop one or two iterations earlier or later. */
enum { MAX_ITERATION_DIFFERENCE = 2 };

static void compare_iterations(app_reader one, app_reader other, const app_node *node,
                               vf_verdict *verdict)
{
    int64_t count = 0, other_count = 0, *values = NULL, *other_values = NULL;
    if (app_reader_i64(one, node->path, &count, &values) != MX_OK ||
        app_reader_i64(other, node->path, &other_count, &other_values) != MX_OK) {
        vf_impossible(verdict, node->path, mx_err_message());
    } else {
        int64_t at = 0;
        while (at < count && values[at] - other_values[at] <= MAX_ITERATION_DIFFERENCE &&
               other_values[at] - values[at] <= MAX_ITERATION_DIFFERENCE)
            ++at;
        if (at == count)
            vf_words(verdict, node->path, true, "differ by at most %d", MAX_ITERATION_DIFFERENCE);
        else
            vf_words(verdict, node->path, false, "[%lld]: %lld and %lld; tolerance %d",
                     (long long)at, (long long)values[at], (long long)other_values[at],
                     MAX_ITERATION_DIFFERENCE);
    }
    free(other_values);
    free(values);
}

static void compare_node(app_reader one, app_reader other, const app_node *node, double tolerance,
                         vf_verdict *verdict)
{
    const app_node *const twin = app_reader_find(other, node->path);
    if (!twin) {
        vf_impossible(verdict, node->path, "is missing in the other file");
        return;
    }
    if (tolerance > 0.0 && is_rounding(node->path)) {
        vf_info(verdict, node->path, "not compared: rounding; --tolerance=0 does");
        return;
    }
    if (!same_shape(node, twin)) {
        char shape[256], other_shape[256];
        describe_shape(node, shape, sizeof shape);
        describe_shape(twin, other_shape, sizeof other_shape);
        vf_words(verdict, node->path, false, "type and shape differ: %s and %s", shape,
                 other_shape);
        return;
    }
    if (tolerance > 0.0 && node->kind == APP_NODE_I64 &&
        strcmp(node->path, "/series/cg_iterations") == 0) {
        compare_iterations(one, other, node, verdict);
        return;
    }
    switch (node->kind) {
    case APP_NODE_F32:
    case APP_NODE_F64: compare_reals(one, other, node, tolerance, verdict); break;
    case APP_NODE_I32:
    case APP_NODE_I64: compare_wholes(one, other, node, verdict); break;
    case APP_NODE_TEXT: compare_texts(one, other, node, verdict); break;
    default: vf_impossible(verdict, node->path, "is of a type that the schema does not use"); break;
    }
}

static void compare_apps(app_reader one, app_reader other, vf_verdict *verdict)
{
    char *app = NULL, *other_app = NULL;
    if (app_reader_attribute_text(one, "/", "app", &app) != MX_OK ||
        app_reader_attribute_text(other, "/", "app", &other_app) != MX_OK) {
        vf_impossible(verdict, "app", mx_err_message());
    } else {
        vf_text(verdict, "app", app, other_app);
    }
    free(other_app);
    free(app);
}

void vf_compare(app_reader one, app_reader other, double tolerance, vf_verdict *verdict)
{
    compare_apps(one, other, verdict);
    for (int i = 0; i < app_reader_count(one); ++i) {
        const app_node *const node = app_reader_node(one, i);
        if (subject_of(node) != IGNORED) compare_node(one, other, node, tolerance, verdict);
    }
    for (int i = 0; i < app_reader_count(other); ++i) {
        const app_node *const node = app_reader_node(other, i);
        if (subject_of(node) == IGNORED || app_reader_find(one, node->path)) continue;
        vf_impossible(verdict, node->path, "is only in the other file");
    }
}

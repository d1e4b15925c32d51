/* Comparing two runs. What may differ stands in the file, in the attribute "compare" of each
 * dataset, so nothing here knows an app. A dataset without the attribute must be equal to the bit.
 * Objects, types, shapes and attributes must be the same. */
#include "results/compare.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    app_reader one, other;
    const double *tolerance; /* NULL: that of the file */
    vf_verdict *verdict;
} pair;

/* ---- attributes ---- */

/* Attributes of the root that say when and how a run was started. */
static bool is_of_the_run(const char *path, const char *name)
{
    return strcmp(path, "/") == 0 &&
           (strcmp(name, "utc_time") == 0 || strcmp(name, "command_line") == 0);
}

/* A line "attribute DIGEST TYPE [SHAPE] NAME", without its newline; what comes before NAME says all
 * of the value. */
typedef struct attribute_line {
    const char *text, *name;
    char *next;
} attribute_line;

static bool parse_line(char *text, attribute_line *line)
{
    if (*text == '\0') return false;
    char *const end = strchr(text, '\n');
    line->next = end ? end + 1 : text + strlen(text);
    if (end) *end = '\0';
    line->text = line->name = text;
    for (int field = 0; field < 4 && line->name; ++field) {
        line->name = strchr(line->name, ' ');
        if (line->name) ++line->name;
    }
    if (!line->name) line->name = text;
    return true;
}

static void report_attribute(const pair *p, const char *path, const char *name)
{
    char *text = NULL, *other_text = NULL;
    if (app_reader_attribute_text(p->one, path, name, &text) == MX_OK &&
        app_reader_attribute_text(p->other, path, name, &other_text) == MX_OK)
        vf_words(p->verdict, path, false, "attribute %s differs: %s and %s", name, text,
                 other_text);
    else
        vf_words(p->verdict, path, false, "attribute %s differs", name);
    free(other_text);
    free(text);
}

/* Both lists are ordered by name. */
static void walk_attributes(const pair *p, const char *path, char *lines, char *other_lines)
{
    attribute_line a = {0}, b = {0};
    bool has_a = parse_line(lines, &a), has_b = parse_line(other_lines, &b);
    while (has_a || has_b) {
        const int order = !has_a ? 1 : !has_b ? -1 : strcmp(a.name, b.name);
        const char *const name = order <= 0 ? a.name : b.name;
        if (is_of_the_run(path, name)) {
            /* not compared */
        } else if (order != 0) {
            vf_words(p->verdict, path, false, "attribute %s is only in the %s file", name,
                     order < 0 ? "first" : "other");
        } else if (strcmp(a.text, b.text) != 0) {
            report_attribute(p, path, name);
        }
        if (order <= 0) has_a = parse_line(a.next, &a);
        if (order >= 0) has_b = parse_line(b.next, &b);
    }
}

static void compare_attributes(const pair *p, const char *path)
{
    char *lines = NULL, *other_lines = NULL;
    if (app_reader_attributes(p->one, path, &lines) != MX_OK ||
        app_reader_attributes(p->other, path, &other_lines) != MX_OK)
        vf_impossible(p->verdict, path, mx_err_message());
    else
        walk_attributes(p, path, lines, other_lines);
    free(other_lines);
    free(lines);
}

/* ---- real numbers ---- */

/* The largest difference of two datasets of equal shape. */
typedef struct difference {
    double max;   /* infinite where one of the two is not finite, and the other differs */
    double scale; /* the largest finite magnitude in either dataset */
    int64_t at;   /* the element that differs most */
    double value, other_value; /* at that element */
    int64_t unequal;           /* elements that differ in any bit */
} difference;

static double gap(double one, double other)
{
    if (one == other || (isnan(one) && isnan(other))) return 0.0;
    return isfinite(one) && isfinite(other) ? fabs(one - other) : INFINITY;
}

static difference max_difference(const double *one, const double *other, int64_t count)
{
    difference d = {.max = -1.0};
    for (int64_t i = 0; i < count; ++i) {
        const double distance = gap(one[i], other[i]);
        const bool unequal = memcmp(&one[i], &other[i], sizeof one[i]) != 0;
        d.unequal += unequal;
        if (isfinite(one[i])) d.scale = fmax(d.scale, fabs(one[i]));
        if (isfinite(other[i])) d.scale = fmax(d.scale, fabs(other[i]));
        if (unequal && distance > d.max) {
            d.max = distance;
            d.at = i;
            d.value = one[i];
            d.other_value = other[i];
        }
    }
    return d;
}

/* The indices of an element as text, "[12,7]". */
typedef struct place_text {
    char text[256];
} place_text;

static const char *place_of(const app_node *node, int64_t at, place_text *place)
{
    int64_t index[APP_NODE_MAX_RANK];
    const size_t capacity = sizeof place->text;
    for (int d = node->rank - 1; d >= 0; --d) {
        index[d] = at % node->shape[d];
        at /= node->shape[d];
    }
    size_t used = (size_t)snprintf(place->text, capacity, "[");
    for (int d = 0; d < node->rank && used < capacity; ++d) {
        used += (size_t)snprintf(place->text + used, capacity - used, "%s%lld", d > 0 ? "," : "",
                                 (long long)index[d]);
    }
    if (used < capacity) snprintf(place->text + used, capacity - used, "]");
    return place->text;
}

static void judge_reals(const pair *p, const app_node *node, const difference *d,
                        app_compare compare)
{
    place_text place;
    const bool exact = compare.kind != APP_COMPARE_RELATIVE;
    const bool passed =
        d->unequal == 0 || (!exact && isfinite(d->max) && d->max <= compare.number * d->scale);
    if (d->unequal == 0) {
        vf_words(p->verdict, node->path, passed, "equal (%lld values)", (long long)node->count);
        return;
    }
    vf_words(p->verdict, node->path, passed,
             "%lld of %lld values differ; largest difference %.6g, relative to the largest value "
             "%.6g, at %s: %.17g and %.17g; tolerance %.3g",
             (long long)d->unequal, (long long)node->count, d->max,
             d->scale > 0.0 ? d->max / d->scale : d->max, place_of(node, d->at, &place), d->value,
             d->other_value, exact ? 0.0 : compare.number);
}

static void compare_reals(const pair *p, const app_node *node, app_compare compare)
{
    int64_t count = 0, other_count = 0;
    double *values = NULL, *other_values = NULL;
    if (app_reader_f64(p->one, node->path, &count, &values) != MX_OK ||
        app_reader_f64(p->other, node->path, &other_count, &other_values) != MX_OK) {
        vf_impossible(p->verdict, node->path, mx_err_message());
    } else {
        const difference d = max_difference(values, other_values, count);
        judge_reals(p, node, &d, compare);
    }
    free(other_values);
    free(values);
}

/* ---- whole numbers and texts ---- */

/* |one - other|, which may be beyond int64_t. */
static uint64_t whole_gap(int64_t one, int64_t other)
{
    return one > other ? (uint64_t)one - (uint64_t)other : (uint64_t)other - (uint64_t)one;
}

static void judge_wholes(const pair *p, const app_node *node, const int64_t *one,
                         const int64_t *other, app_compare compare)
{
    place_text place;
    const double allowed = compare.kind == APP_COMPARE_WITHIN ? compare.number : 0.0;
    int64_t at = 0;
    for (int64_t i = 1; i < node->count; ++i) {
        if (whole_gap(one[i], other[i]) > whole_gap(one[at], other[at])) at = i;
    }
    const uint64_t max = node->count > 0 ? whole_gap(one[at], other[at]) : 0;
    if (max == 0) {
        vf_words(p->verdict, node->path, true, "equal (%lld values)", (long long)node->count);
        return;
    }
    vf_words(p->verdict, node->path, (double)max <= allowed,
             "largest difference %llu at %s: %lld and %lld; tolerance %.17g",
             (unsigned long long)max, place_of(node, at, &place), (long long)one[at],
             (long long)other[at], allowed);
}

static void compare_wholes(const pair *p, const app_node *node, app_compare compare)
{
    int64_t count = 0, other_count = 0, *values = NULL, *other_values = NULL;
    if (app_reader_i64(p->one, node->path, &count, &values) != MX_OK ||
        app_reader_i64(p->other, node->path, &other_count, &other_values) != MX_OK)
        vf_impossible(p->verdict, node->path, mx_err_message());
    else
        judge_wholes(p, node, values, other_values, compare);
    free(other_values);
    free(values);
}

static void compare_texts(const pair *p, const app_node *node)
{
    size_t length = 0, other_length = 0;
    char *text = NULL, *other_text = NULL;
    if (app_reader_text(p->one, node->path, &length, &text) != MX_OK ||
        app_reader_text(p->other, node->path, &other_length, &other_text) != MX_OK) {
        vf_impossible(p->verdict, node->path, mx_err_message());
    } else {
        size_t at = 0;
        while (at < length && at < other_length && text[at] == other_text[at]) ++at;
        if (length == other_length && at == length)
            vf_words(p->verdict, node->path, true, "equal (%zu bytes)", length);
        else
            vf_words(p->verdict, node->path, false, "differs from byte %zu on (%zu and %zu bytes)",
                     at, length, other_length);
    }
    free(other_text);
    free(text);
}

/* ---- one object ---- */

/* How a dataset is compared: as its attribute says, unless the user says otherwise. */
static bool rule_of(const pair *p, const app_node *node, app_compare *compare)
{
    char *text = NULL, *found = NULL;
    *compare = APP_EXACT;
    if (app_reader_attributes(p->one, node->path, &found) != MX_OK)
        return vf_impossible(p->verdict, node->path, mx_err_message());
    const bool given = strstr(found, " " APP_COMPARE_ATTRIBUTE "\n") != NULL;
    free(found);
    if (!given) return true;
    const bool good =
        app_reader_attribute_text(p->one, node->path, APP_COMPARE_ATTRIBUTE, &text) == MX_OK &&
        app_compare_parse(text, compare) == MX_OK;
    free(text);
    if (!good) return vf_impossible(p->verdict, node->path, mx_err_message());
    if (p->tolerance && compare->kind == APP_COMPARE_RELATIVE) compare->number = *p->tolerance;
    if (p->tolerance && *p->tolerance == 0.0 && compare->kind != APP_COMPARE_NEVER)
        *compare = APP_EXACT;
    return true;
}

static bool same_shape(const app_node *a, const app_node *b)
{
    bool same = strcmp(a->type, b->type) == 0 && a->rank == b->rank;
    if (a->kind == APP_NODE_TEXT && b->kind == APP_NODE_TEXT) same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; ++d) same = a->shape[d] == b->shape[d];
    return same;
}

static const char *shape_of(const app_node *node, place_text *shape)
{
    const size_t capacity = sizeof shape->text;
    size_t used = (size_t)snprintf(shape->text, capacity, "%s", node->type);
    for (int d = 0; d < node->rank && used < capacity; ++d) {
        used += (size_t)snprintf(shape->text + used, capacity - used, "%s%lld", d > 0 ? " x " : " ",
                                 (long long)node->shape[d]);
    }
    return shape->text;
}

static void compare_data(const pair *p, const app_node *node, const app_node *twin)
{
    place_text shape, other_shape;
    app_compare compare;
    if (!rule_of(p, node, &compare) || compare.kind == APP_COMPARE_NEVER) return;
    if (compare.kind == APP_COMPARE_ROUNDING) {
        vf_info(p->verdict, node->path, "not compared: rounding; --tolerance=0 does");
        return;
    }
    if (!same_shape(node, twin)) {
        vf_words(p->verdict, node->path, false, "type and shape differ: %s and %s",
                 shape_of(node, &shape), shape_of(twin, &other_shape));
        return;
    }
    switch (node->kind) {
    case APP_NODE_F32:
    case APP_NODE_F64: compare_reals(p, node, compare); break;
    case APP_NODE_I32:
    case APP_NODE_I64: compare_wholes(p, node, compare); break;
    case APP_NODE_TEXT: compare_texts(p, node); break;
    default:
        vf_impossible(p->verdict, node->path, "is of a type that the schema does not use");
        break;
    }
}

static void compare_object(const pair *p, const app_node *node)
{
    const app_node *const twin = app_reader_find(p->other, node->path);
    if (!twin) {
        vf_impossible(p->verdict, node->path, "is missing in the other file");
        return;
    }
    compare_attributes(p, node->path);
    if (node->kind != APP_NODE_GROUP || twin->kind != APP_NODE_GROUP) compare_data(p, node, twin);
}

/* ---- two files ---- */

void vf_compare(app_reader one, app_reader other, const double *tolerance, vf_verdict *verdict)
{
    const pair p = {.one = one, .other = other, .tolerance = tolerance, .verdict = verdict};
    for (int i = 0; i < app_reader_count(one); ++i) compare_object(&p, app_reader_node(one, i));
    for (int i = 0; i < app_reader_count(other); ++i) {
        const app_node *const node = app_reader_node(other, i);
        if (!app_reader_find(one, node->path))
            vf_impossible(verdict, node->path, "is only in the other file");
    }
}

/* Compares the datasets of a file with rows (contents.h). Attributes are compared as the lines that
 * their digests are made of: type, shape and the digest of the bytes. So one comparison serves
 * attributes of all types. */
#include "contents.h"

#include "input/strbuf.h"
#include "results/results_schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place of a value as text, "[12,7]". */
typedef struct place_text {
    char text[128];
} place_text;

static const char *list_text(const int64_t *numbers, int count, place_text *list)
{
    const size_t capacity = sizeof list->text;
    size_t used = (size_t)snprintf(list->text, capacity, "[");
    for (int d = 0; d < count && used < capacity; ++d)
        used += (size_t)snprintf(list->text + used, capacity - used, "%s%lld", d > 0 ? "," : "",
                                 (long long)numbers[d]);
    if (used < capacity) snprintf(list->text + used, capacity - used, "]");
    return list->text;
}

static const char *place_of(const app_node *node, int64_t at, place_text *place)
{
    int64_t index[APP_NODE_MAX_RANK];
    for (int d = node->rank - 1; d >= 0; --d) {
        index[d] = at % node->shape[d];
        at /= node->shape[d];
    }
    return list_text(index, node->rank, place);
}

/* ---- attributes ---- */

static mx_err add_line(app_strbuf *lines, const vf_attribute *a)
{
    char hex[65];
    MX_TRY(app_reader_sha256(a->data, a->bytes, hex));
    if (a->extent == 0)
        return app_strbuf_add(lines, "attribute %s %s [] %s\n", hex, a->type, a->name);
    return app_strbuf_add(lines, "attribute %s %s [%lld] %s\n", hex, a->type, (long long)a->extent,
                          a->name);
}

static void report_attribute(const vf_base *base, const char *path, const vf_attribute *a)
{
    const bool text = a->extent == 0 && a->type[0] == '|' && a->type[1] == 'S';
    char *got = NULL;
    if (app_reader_attribute_text(base->reader, path, a->name, &got) == MX_OK && text)
        vf_words(base->verdict, path, false, "attribute %s: got %s, expected %.*s", a->name, got,
                 (int)a->bytes, (const char *)a->data);
    else
        vf_words(base->verdict, path, false, "attribute %s is missing, or not what it must be",
                 a->name);
    free(got);
}

/* Is the line, which ends with a newline, one of the lines of the text? An attribute may have the
 * words of another line as its name. */
static bool has_line(const char *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        if (*at == '\n') ++at;
        if (strncmp(at, line, length) == 0) return true;
    }
    return false;
}

static int64_t lines_of(const char *text)
{
    int64_t lines = 0;
    for (; *text; ++text) lines += *text == '\n';
    return lines;
}

static mx_err compare_attributes(const vf_base *base, const char *path, const char *stored,
                                 const vf_attribute *list, int count)
{
    for (int i = 0; i < count; ++i) {
        app_strbuf line = {0};
        MX_TRY(add_line(&line, &list[i]));
        const bool found = has_line(stored, line.text);
        app_strbuf_free(&line);
        if (!found) report_attribute(base, path, &list[i]);
    }
    if (lines_of(stored) > count)
        vf_words(base->verdict, path, false, "has %lld attributes, expected %d",
                 (long long)lines_of(stored), count);
    return MX_OK;
}

static vf_mark *mark_of(const vf_base *base, const app_node *node)
{
    return &base->marks[node - app_reader_node(base->reader, 0)];
}

void vf_expect_attributes(vf_base *base, const char *path, const vf_attribute *list, int count)
{
    char *stored = NULL;
    const app_node *const node = app_reader_find(base->reader, path);
    if (!node) {
        vf_impossible(base->verdict, path, "is missing");
        return;
    }
    *mark_of(base, node) = (vf_mark){.expected = true, .attributes = true};
    mx_err err = app_reader_attributes(base->reader, path, &stored);
    if (err == MX_OK) err = compare_attributes(base, path, stored ? stored : "", list, count);
    if (err != MX_OK) vf_impossible(base->verdict, path, mx_err_message());
    free(stored);
}

/* A text of fixed length; one that is empty is stored as a NUL. */
typedef struct text_type {
    char name[24];
} text_type;

static vf_attribute text_attribute(const char *name, const char *text, text_type *type)
{
    const size_t length = strlen(text), bytes = length > 0 ? length : 1;
    snprintf(type->name, sizeof type->name, "|S%zu", bytes);
    return (vf_attribute){.name = name, .type = type->name, .data = text, .bytes = bytes};
}

void vf_expect_text_attributes(vf_base *base, const char *path, const char *const *texts)
{
    enum { MAX_TEXTS = 4 };
    vf_attribute list[MAX_TEXTS];
    text_type types[MAX_TEXTS];
    int count = 0;
    for (; count < MAX_TEXTS && texts[2 * count]; ++count)
        list[count] = text_attribute(texts[2 * count], texts[2 * count + 1], &types[count]);
    vf_expect_attributes(base, path, list, count);
}

void vf_expect_root(vf_base *base)
{
    static const struct {
        const char *name;
        bool number;
    } all[] = {{"app", false},    {"command_line", false},  {"exit_code", true},
               {"schema", false}, {"schema_version", true}, {"utc_time", false},
               {"verdict", false}};
    enum { COUNT = sizeof all / sizeof all[0] };
    vf_attribute list[COUNT];
    text_type types[COUNT];
    int64_t numbers[COUNT] = {0};
    char *texts[COUNT] = {NULL};
    for (int i = 0; i < COUNT; ++i) {
        /* one that cannot be read differs from what stands in for it */
        if (all[i].number)
            (void)app_reader_attribute_i64(base->reader, "/", all[i].name, &numbers[i]);
        else
            (void)app_reader_attribute_text(base->reader, "/", all[i].name, &texts[i]);
        list[i] = all[i].number ? (vf_attribute){.name = all[i].name,
                                                 .type = "<i8",
                                                 .data = &numbers[i],
                                                 .bytes = sizeof numbers[i]}
                                : text_attribute(all[i].name, texts[i] ? texts[i] : "", &types[i]);
    }
    vf_expect_attributes(base, "/", list, COUNT);
    for (int i = 0; i < COUNT; ++i) free(texts[i]);
}

static vf_attribute mesh_attribute(const char *name, const vf_dataset *row, const double *values)
{
    return (vf_attribute){.name = name,
                          .type = "<f8",
                          .extent = row->rank,
                          .data = values,
                          .bytes = (size_t)row->rank * sizeof *values};
}

static void check_attributes(vf_base *base, const vf_dataset *row)
{
    enum { MAX_ATTRIBUTES = 5 };
    vf_attribute list[MAX_ATTRIBUTES];
    app_compare_words words;
    text_type compare, units;
    int count = 0;
    list[count++] =
        text_attribute(APP_COMPARE_ATTRIBUTE, app_compare_text(row->compare, &words), &compare);
    if (row->origin) list[count++] = mesh_attribute("origin", row, row->origin);
    if (row->spacing) list[count++] = mesh_attribute("spacing", row, row->spacing);
    if (row->h5md_units)
        list[count++] = (vf_attribute){.name = "unit",
                                       .type = "|O",
                                       .data = row->h5md_units,
                                       .bytes = strlen(row->h5md_units)};
    if (row->units) list[count++] = text_attribute("units", row->units, &units);
    vf_expect_attributes(base, row->path, list, count);
}

/* ---- type and shape ---- */

static const char *kind_name(app_node_kind kind)
{
    switch (kind) {
    case APP_NODE_F32: return "<f4";
    case APP_NODE_F64: return "<f8";
    case APP_NODE_I32: return "<i4";
    case APP_NODE_I64: return "<i8";
    case APP_NODE_TEXT: return "a text";
    default: return "a group";
    }
}

static bool check_shape(const vf_base *base, const vf_dataset *row, const app_node *node)
{
    place_text got, expected;
    bool fits = node->kind == row->kind && node->rank == row->rank;
    for (int d = 0; fits && d < row->rank; ++d)
        fits = row->shape[d] == VF_ANY_EXTENT || node->shape[d] == row->shape[d];
    return fits || vf_words(base->verdict, row->path, false, "got %s %s, expected %s %s",
                            node->type, list_text(node->shape, node->rank, &got),
                            kind_name(row->kind), list_text(row->shape, row->rank, &expected));
}

/* ---- values ---- */

static bool has_bounds(const vf_dataset *row) { return row->low != 0.0 || row->high != 0.0; }

static bool fail_value(const vf_base *base, const vf_dataset *row, const app_node *node, int64_t at,
                       double value)
{
    place_text place;
    const char *const where = place_of(node, at, &place);
    if (!has_bounds(row))
        return vf_words(base->verdict, row->path, false, "%s: got %.17g, expected a finite number",
                        where, value);
    return vf_words(base->verdict, row->path, false, "%s: got %.17g, expected %.17g to %.17g",
                    where, value, row->low, row->high);
}

/* What is read is of one of these types. */
typedef union number {
    double real;
    int64_t whole;
} number;

/* The first of the values that is out of bounds; `count`: there is none. */
static int64_t first_bad_real(const vf_dataset *row, const number *values, int64_t count)
{
    const double low = has_bounds(row) ? row->low : -DBL_MAX;
    const double high = has_bounds(row) ? row->high : DBL_MAX;
    int64_t bad = 0;
    while (bad < count && isfinite(values[bad].real) && values[bad].real >= low &&
           values[bad].real <= high)
        ++bad;
    return bad;
}

static int64_t first_bad_whole(const vf_dataset *row, const number *values, int64_t count)
{
    int64_t bad = 0;
    while (bad < count && (!has_bounds(row) || ((double)values[bad].whole >= row->low &&
                                                (double)values[bad].whole <= row->high)))
        ++bad;
    return bad;
}

static bool is_real(const vf_dataset *row)
{
    return row->kind == APP_NODE_F32 || row->kind == APP_NODE_F64;
}

/* Some rows of the first dimension; *good becomes false where a value is out of bounds. */
static mx_err check_block(const vf_base *base, const vf_dataset *row, const app_node *node,
                          int64_t first, int64_t rows, int64_t count, number *values, bool *good)
{
    const int64_t before = node->rank > 0 ? node->count / node->shape[0] * first : 0;
    if (is_real(row))
        MX_TRY(app_reader_f64_rows(base->reader, node, first, rows, &values->real));
    else
        MX_TRY(app_reader_i64_rows(base->reader, node, first, rows, &values->whole));
    const int64_t bad =
        is_real(row) ? first_bad_real(row, values, count) : first_bad_whole(row, values, count);
    if (bad < count)
        *good = fail_value(base, row, node, before + bad,
                           is_real(row) ? values[bad].real : (double)values[bad].whole);
    return MX_OK;
}

/* Block by block: a buffer that stays in the cache. */
static bool check_numbers(const vf_base *base, const vf_dataset *row, const app_node *node)
{
    if (node->count == 0) return true;
    const int64_t all = node->rank > 0 ? node->shape[0] : 1, row_count = node->count / all;
    const int64_t most = node->rows < all ? node->rows : all;
    number *const values = malloc((size_t)(most * row_count) * sizeof *values);
    mx_err err = values ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to read %s", node->path);
    bool good = true;
    for (int64_t first = 0; first < all && good && err == MX_OK; first += most) {
        const int64_t rows = all - first < most ? all - first : most;
        err = check_block(base, row, node, first, rows, rows * row_count, values, &good);
    }
    free(values);
    if (err != MX_OK) return vf_impossible(base->verdict, row->path, mx_err_message());
    return good;
}

static bool check_word(const vf_base *base, const vf_dataset *row)
{
    size_t length = 0;
    char *text = NULL;
    if (app_reader_text(base->reader, row->path, &length, &text) != MX_OK)
        return vf_impossible(base->verdict, row->path, mx_err_message());
    bool good = !row->not_empty || length > 0;
    if (row->words) {
        int i = 0;
        while (row->words[i] && strcmp(row->words[i], text) != 0) ++i;
        good = row->words[i] != NULL;
    }
    if (!good)
        vf_words(base->verdict, row->path, false, "got \"%s\", expected %s%s", text,
                 row->words ? row->words[0] : "a text", row->words && row->words[1] ? ", ..." : "");
    free(text);
    return good;
}

static bool check_values(const vf_base *base, const vf_dataset *row, const app_node *node)
{
    switch (row->kind) {
    case APP_NODE_F32:
    case APP_NODE_F64:
    case APP_NODE_I32:
    case APP_NODE_I64: return check_numbers(base, row, node);
    default: return check_word(base, row);
    }
}

/* ---- rows ---- */

/* The groups around a path. */
static void mark_groups(const vf_base *base, const char *path)
{
    char group[512];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(group, sizeof group, "%.*s", (int)(slash - path), path);
        const app_node *const node = app_reader_find(base->reader, group);
        if (node) mark_of(base, node)->expected = true;
    }
}

static bool check_row(vf_base *base, const vf_dataset *row)
{
    const app_node *const node = app_reader_find(base->reader, row->path);
    if (!node)
        return vf_words(base->verdict, row->path, false, "%s is missing in the file", row->path);
    mark_of(base, node)->expected = true;
    mark_groups(base, row->path);
    if (!check_shape(base, row, node)) return false;
    check_attributes(base, row);
    return check_values(base, row, node);
}

bool vf_expect(vf_base *base, const vf_dataset *rows, int count)
{
    bool all = true;
    for (int i = 0; i < count; ++i) all = check_row(base, &rows[i]) && all;
    base->intact = base->intact && all;
    return all;
}

/* Groups that no row compares have no attributes. */
static bool has_attributes(const vf_base *base, const char *path)
{
    char *stored = NULL;
    const bool none = app_reader_attributes(base->reader, path, &stored) == MX_OK &&
                      (!stored || stored[0] == '\0');
    free(stored);
    return !none;
}

static bool check_group(const vf_base *base, const app_node *node)
{
    static const char *const groups[] = {"/", APP_SCHEMA_GROUPS};
    const vf_mark *const mark = mark_of(base, node);
    bool expected = mark->expected;
    for (size_t i = 0; !expected && i < sizeof groups / sizeof groups[0]; ++i)
        expected = strcmp(node->path, groups[i]) == 0;
    if (!expected)
        return vf_impossible(base->verdict, node->path, "no run with this input has this group");
    if (!mark->attributes && has_attributes(base, node->path))
        return vf_words(base->verdict, node->path, false, "has attributes, expected none");
    return true;
}

void vf_find_foreign(vf_base *base)
{
    const int objects = app_reader_count(base->reader);
    int foreign = 0;
    for (int i = 0; i < objects; ++i) {
        const app_node *const node = app_reader_node(base->reader, i);
        if (node->kind == APP_NODE_GROUP)
            foreign += !check_group(base, node);
        else if (!base->marks[i].expected)
            foreign +=
                !vf_impossible(base->verdict, node->path, "no run with this input stores it");
    }
    vf_words(base->verdict, "objects that are not of this input", foreign == 0, "%d of %d", foreign,
             objects);
}

/* ---- scalars ---- */

bool vf_read_real(const vf_base *base, const char *path, double *value)
{
    int64_t count = 0;
    double *values = NULL;
    if (app_reader_f64(base->reader, path, &count, &values) != MX_OK) return false;
    if (count == 1) *value = values[0];
    free(values);
    return count == 1;
}

int64_t vf_read_whole(const vf_base *base, const char *path, int64_t otherwise)
{
    int64_t count = 0, *values = NULL;
    if (app_reader_i64(base->reader, path, &count, &values) != MX_OK) return otherwise;
    const int64_t value = count == 1 ? values[0] : otherwise;
    free(values);
    return value;
}

/* ---- what is done every so many steps ---- */

/* The multiples of a number up to a step, without 0 itself. -1 has none; 0 is counted by the
 * caller. */
static int64_t multiples(int64_t every, int64_t step)
{
    return every > 0 && step > 0 ? step / every : 0;
}

static bool is_last_extra(const vf_schedule *s)
{
    return s->with_last && s->last > s->after && (s->every <= 0 || s->last % s->every != 0);
}

int64_t vf_schedule_count(const vf_schedule *s)
{
    const bool zero = s->after < 0 && s->last >= 0 && s->every > 0;
    if (s->last <= s->after) return 0;
    return multiples(s->every, s->last) - multiples(s->every, s->after) + zero + is_last_extra(s);
}

int64_t vf_schedule_step(const vf_schedule *s, int64_t i)
{
    if (i == vf_schedule_count(s) - 1 && is_last_extra(s)) return s->last;
    const int64_t first = s->after < 0 ? 0 : multiples(s->every, s->after) + 1;
    return (first + i) * s->every;
}

/* Of frames that are there, at the steps and times that the schedule says? A time is a product of
 * a step and dt: one rounding. */
static void check_times(vf_base *base, const vf_frames *f, const char *step_path,
                        const char *time_path)
{
    int64_t count = 0, times = 0, astray = 0, *steps = NULL;
    double *time = NULL;
    if (app_reader_i64(base->reader, step_path, &count, &steps) != MX_OK ||
        app_reader_f64(base->reader, time_path, &times, &time) != MX_OK) {
        vf_impossible(base->verdict, f->path, mx_err_message());
    } else {
        for (int64_t i = 0; i < count && i < times; ++i) {
            const int64_t due = vf_schedule_step(&f->schedule, i);
            const double expected = (double)due * f->dt;
            astray += steps[i] != due || !(fabs(time[i] - expected) <= 2.3e-16 * expected);
        }
        vf_count(base->verdict, "frames at other steps or times", astray, 0);
    }
    free(steps);
    free(time);
}

void vf_expect_frames(vf_base *base, const vf_frames *f)
{
    char step[128], time[128], value[128];
    const int64_t frames = vf_schedule_count(&f->schedule);
    snprintf(step, sizeof step, "%s/step", f->path);
    snprintf(time, sizeof time, "%s/time", f->path);
    snprintf(value, sizeof value, "%s/value", f->path);
    vf_dataset rows[] = {
        {.path = step, .kind = APP_NODE_I64, .rank = 1, .shape = {frames}, .units = "1"},
        {.path = time,
         .kind = APP_NODE_F64,
         .rank = 1,
         .shape = {frames},
         .units = f->time_units,
         .h5md_units = f->h5md_time_units},
        {.path = value,
         .kind = APP_NODE_F64,
         .rank = 1 + f->rank,
         .shape = {frames},
         .units = f->units,
         .compare = f->compare,
         .h5md_units = f->h5md_units},
    };
    for (int d = 0; d < f->rank; ++d) rows[2].shape[d + 1] = f->shape[d];
    if (vf_expect(base, rows, sizeof rows / sizeof rows[0])) check_times(base, f, step, time);
}

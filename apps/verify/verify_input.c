/* The input: what the app's own parser makes of the stored deck, against the stored parameters.
 * Both come from one table of keys, so that every parameter is compared: that it is there, its
 * type, its unit, its value to the last bit. (Its range was checked when the deck was parsed.) */
#include "physics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct input_check {
    app_reader reader;
    vf_verdict *verdict;
    char path[256]; /* of the parameter */
} input_check;

static bool unreadable(const input_check *c)
{
    return vf_impossible(c->verdict, c->path, mx_err_message());
}

static void check_whole(const input_check *c, const app_parameter *p)
{
    int64_t count = 0, *values = NULL;
    if (app_reader_i64(c->reader, c->path, &count, &values) != MX_OK)
        unreadable(c);
    else if (count != 1)
        vf_impossible(c->verdict, c->path, "expected one value");
    else
        vf_count(c->verdict, p->name, values[0], p->whole);
    free(values);
}

static void check_real(const input_check *c, const app_parameter *p)
{
    int64_t count = 0;
    double *values = NULL;
    if (app_reader_f64(c->reader, c->path, &count, &values) != MX_OK)
        unreadable(c);
    else if (count != 1)
        vf_impossible(c->verdict, c->path, "expected one value");
    else
        vf_number(c->verdict, p->name, values[0], p->real, 0.0);
    free(values);
}

static void check_list(const input_check *c, const app_parameter *p)
{
    int64_t count = 0, astray = 0;
    double *values = NULL;
    if (app_reader_f64(c->reader, c->path, &count, &values) != MX_OK) {
        unreadable(c);
    } else if (count != p->count) {
        vf_count(c->verdict, p->name, count, p->count);
    } else {
        for (int64_t i = 0; i < count; ++i) astray += values[i] != p->list[i];
        vf_count(c->verdict, p->name, astray, 0);
    }
    free(values);
}

static void check_text(const input_check *c, const app_parameter *p)
{
    size_t length = 0;
    char *text = NULL;
    if (app_reader_text(c->reader, c->path, &length, &text) != MX_OK)
        unreadable(c);
    else
        vf_text(c->verdict, p->name, text, p->text);
    free(text);
}

/* Prints a line only if the unit is wrong. */
static void check_unit(const input_check *c, const app_parameter *p)
{
    char *unit = NULL;
    if (p->kind == APP_PARAMETER_TEXT) return;
    if (app_reader_attribute_text(c->reader, c->path, "units", &unit) != MX_OK)
        unreadable(c);
    else if (strcmp(unit, p->unit) != 0)
        vf_words(c->verdict, c->path, false, "got the unit %s, expected %s", unit, p->unit);
    free(unit);
}

static void check_parameter(input_check *c, const app_parameter *p)
{
    snprintf(c->path, sizeof c->path, "/input/%s", p->name);
    switch (p->kind) {
    case APP_PARAMETER_WHOLE: check_whole(c, p); break;
    case APP_PARAMETER_REAL: check_real(c, p); break;
    case APP_PARAMETER_LIST: check_list(c, p); break;
    case APP_PARAMETER_TEXT: check_text(c, p); break;
    }
    check_unit(c, p);
}

static bool is_known(const app_keys *keys, const char *name)
{
    bool known = strcmp(name, "deck") == 0 || strcmp(name, "overrides") == 0;
    for (int i = 0; !known; i++) {
        app_parameter p;
        if (app_keys_parameter(keys->input, keys->dialect, keys->target, i, &p) != MX_OK || !p.name)
            return false;
        known = strcmp(name, p.name) == 0;
        app_parameter_free(&p);
    }
    return known;
}

/* Finds objects of /input that are no parameters. */
static void find_foreign(const input_check *c, const app_keys *keys)
{
    static const char group[] = "/input/";
    for (int i = 0; i < app_reader_count(c->reader); ++i) {
        const char *const path = app_reader_node(c->reader, i)->path;
        if (strncmp(path, group, sizeof group - 1) == 0 && !is_known(keys, path + sizeof group - 1))
            vf_impossible(c->verdict, path, "the app has no such parameter");
    }
}

/* A text that may be absent. */
static mx_err read_text(app_reader reader, const char *path, bool optional, size_t *length,
                        char **text)
{
    *text = NULL;
    *length = 0;
    if (optional && !app_reader_find(reader, path)) return MX_OK;
    return app_reader_text(reader, path, length, text);
}

static mx_err parse(app_reader reader, const app_input *input, app_keys *keys, void *target)
{
    size_t length = 0, unused = 0;
    char *deck = NULL, *overrides = NULL;
    mx_err err = read_text(reader, "/input/deck", input->deck_optional, &length, &deck);
    if (err == MX_OK) err = read_text(reader, "/input/overrides", true, &unused, &overrides);
    if (err == MX_OK)
        err = app_keys_read(keys, input, "/input/deck", deck, length, overrides, target);
    free(deck);
    free(overrides);
    return err;
}

bool vf_input(app_reader reader, const app_input *input, app_keys *keys, void *target,
              vf_verdict *verdict)
{
    input_check c = {.reader = reader, .verdict = verdict};
    *keys = (app_keys){.input = input};
    if (parse(reader, input, keys, target) != MX_OK)
        return vf_impossible(verdict, "deck", mx_err_message());
    vf_words(verdict, "deck", true, "parsed again");
    for (int i = 0;; ++i) {
        app_parameter p;
        if (app_keys_parameter(input, keys->dialect, target, i, &p) != MX_OK)
            return vf_impossible(verdict, "input", mx_err_message());
        if (!p.name) break;
        check_parameter(&c, &p);
        app_parameter_free(&p);
    }
    find_foreign(&c, keys);
    return true;
}

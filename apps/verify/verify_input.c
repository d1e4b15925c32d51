/* The input: what the app's own parser makes of the stored deck, against the stored parameters.
 * Both come from one table of keys, so that every parameter is compared: that it is there, its
 * type, its unit, its value to the last bit. (Its range was checked when the deck was parsed.) */
#include "contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parameters were described before: they have as many values as they must. */
static void compare_reals(const vf_base *base, const char *path, const app_parameter *p)
{
    int64_t count = 0, astray = 0;
    double *values = NULL;
    if (app_reader_f64(base->reader, path, &count, &values) != MX_OK) {
        vf_impossible(base->verdict, path, mx_err_message());
    } else if (p->kind == APP_PARAMETER_REAL) {
        vf_number(base->verdict, p->name, values[0], p->real, 0.0);
    } else {
        for (int64_t i = 0; i < count; ++i) astray += values[i] != p->list[i];
        vf_count(base->verdict, p->name, astray, 0);
    }
    free(values);
}

static void compare_whole(const vf_base *base, const char *path, const app_parameter *p)
{
    int64_t count = 0, *values = NULL;
    if (app_reader_i64(base->reader, path, &count, &values) != MX_OK)
        vf_impossible(base->verdict, path, mx_err_message());
    else
        vf_count(base->verdict, p->name, values[0], p->whole);
    free(values);
}

static void compare_text(const vf_base *base, const char *path, const app_parameter *p)
{
    size_t length = 0;
    char *text = NULL;
    if (app_reader_text(base->reader, path, &length, &text) != MX_OK)
        vf_impossible(base->verdict, path, mx_err_message());
    else
        vf_text(base->verdict, p->name, text, p->text);
    free(text);
}

static void check_parameter(vf_base *base, const app_parameter *p)
{
    char path[256];
    snprintf(path, sizeof path, "/input/%s", p->name);
    const bool text = p->kind == APP_PARAMETER_TEXT, list = p->kind == APP_PARAMETER_LIST;
    const vf_dataset row = {.path = path,
                            .kind = text                             ? APP_NODE_TEXT
                                    : p->kind == APP_PARAMETER_WHOLE ? APP_NODE_I64
                                                                     : APP_NODE_F64,
                            .rank = list ? 1 : 0,
                            .shape = {p->count},
                            .units = text ? NULL : p->unit};
    if (!vf_expect(base, &row, 1)) return;
    switch (p->kind) {
    case APP_PARAMETER_WHOLE: compare_whole(base, path, p); break;
    case APP_PARAMETER_TEXT: compare_text(base, path, p); break;
    case APP_PARAMETER_REAL:
    case APP_PARAMETER_LIST: compare_reals(base, path, p); break;
    }
}

/* The texts that were parsed. */
static void check_texts(vf_base *base)
{
    static const char *const paths[] = {"/input/deck", "/input/overrides"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
        if (app_reader_find(base->reader, paths[i]))
            vf_expect(base, &(vf_dataset){.path = paths[i], .kind = APP_NODE_TEXT}, 1);
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

bool vf_input(vf_base *base, const app_input *input, void *target)
{
    base->keys = (app_keys){.input = input};
    if (parse(base->reader, input, &base->keys, target) != MX_OK)
        return vf_impossible(base->verdict, "deck", mx_err_message());
    vf_words(base->verdict, "deck", true, "parsed again");
    check_texts(base);
    for (int i = 0;; ++i) {
        app_parameter p;
        if (app_keys_parameter(input, base->keys.dialect, target, i, &p) != MX_OK)
            return vf_impossible(base->verdict, "input", mx_err_message());
        if (!p.name) break;
        check_parameter(base, &p);
        app_parameter_free(&p);
    }
    return true;
}

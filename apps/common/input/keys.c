/* Words become values, and values are stored. keys_rows.c finds rows, keys_read.c reads decks,
 * keys_help.c prints rows, keys_parameters.c makes parameters. */
#include "keys.h"

#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

mx_err app_keys_fail(const app_keys *keys, const app_word *key, const char *format, ...)
{
    char text[640];
    app_shown shown;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    app_text_show(key->text, key->length, &shown);
    const int unquoted = (int)strlen(shown.text) - 2;
    const char *const name = shown.text + 1;
    if (key->line > 0 && keys->file)
        return MX_FAIL(MX_ERR_INPUT, "%.250s:%ld: %.*s: %s", keys->file, key->line, unquoted, name,
                       text);
    if (keys->file) return MX_FAIL(MX_ERR_INPUT, "command line: %.*s: %s", unquoted, name, text);
    return MX_FAIL(MX_ERR_INPUT, "%.*s: %s", unquoted, name, text);
}

static mx_err fail_value(const app_keys *keys, const app_word *key, const app_word *word,
                         const char *expected)
{
    app_shown shown;
    app_word at = *key;
    if (word->line > 0) at.line = word->line;
    return app_keys_fail(keys, &at, "got %s, expected %s",
                         app_text_show(word->text, word->length, &shown), expected);
}

mx_err app_keys_fail_unknown(const app_keys *keys, const app_word *key)
{
    const char *const *const names = keys->input->dialects;
    const unsigned dialects = names ? 1u << keys->dialect : ~0u;
    const char *const nearest = app_keys_nearest(keys, dialects, key->text, key->length);
    const char *const expected = nearest ? nearest : "one of those that --help-deck lists";
    const app_key *const other =
        app_input_find(keys->input, ~dialects, keys->source, key->text, key->length);
    if (!other) return app_keys_fail(keys, key, "got an unknown key, expected %s", expected);
    int theirs = 0;
    while (!(other->dialects >> theirs & 1u)) theirs++;
    return app_keys_fail(
        keys, key, "got a key of the dialect %s, but the dialect of the deck is %s, expected %s",
        names[theirs], names[keys->dialect], expected);
}

/* ---- what words mean ---- */

static bool in_range(const app_key *row, double number)
{
    return (row->low == 0 && row->high == 0) || (number >= row->low && number <= row->high);
}

static mx_err whole_value(const app_keys *keys, const app_key *row, const app_word *key,
                          const app_word *word, app_value *value)
{
    app_expected expected;
    const int64_t min = row->type == APP_KEY_INT ? INT_MIN : INT64_MIN;
    const int64_t max = row->type == APP_KEY_INT ? INT_MAX : INT64_MAX;
    if (row->automatic && app_text_is(word->text, word->length, row->automatic)) {
        value->whole = (int64_t)row->standard;
    } else if (app_text_whole(word->text, word->length, &value->whole) != APP_NUMBER_OK ||
               value->whole < min || value->whole > max || !in_range(row, (double)value->whole)) {
        return fail_value(keys, key, word, app_key_expected(row, &expected));
    }
    value->real = (double)value->whole;
    return MX_OK;
}

static mx_err real_value(const app_keys *keys, const app_key *row, const app_word *key,
                         const app_word *word, app_value *value)
{
    app_expected expected;
    app_key_expected(row, &expected);
    switch (app_text_real(word->text, word->length, &value->real)) {
    case APP_NUMBER_SYNTAX: return fail_value(keys, key, word, expected.text);
    case APP_NUMBER_RANGE:
        return fail_value(keys, key, word, "a number that double precision can hold");
    case APP_NUMBER_OK: break;
    }
    return in_range(row, value->real) ? MX_OK : fail_value(keys, key, word, expected.text);
}

static mx_err choice_value(const app_keys *keys, const app_key *row, const app_word *key,
                           const app_word *word, app_value *value)
{
    app_expected expected;
    const bool exactly = keys->source == APP_KEY_COMMAND;
    for (int i = (int)row->low; row->words[i]; i++) {
        if (!app_key_is_named(row->words[i], strlen(row->words[i]), word->text, word->length,
                              exactly))
            continue;
        value->whole = i;
        value->real = i;
        return MX_OK;
    }
    return fail_value(keys, key, word, app_key_expected(row, &expected));
}

static mx_err one_value(const app_keys *keys, const app_key *row, const app_word *key,
                        const app_word *word, app_value *value)
{
    app_expected expected;
    switch (row->type) {
    case APP_KEY_INT:
    case APP_KEY_INT64: return whole_value(keys, row, key, word, value);
    case APP_KEY_REAL: return real_value(keys, row, key, word, value);
    case APP_KEY_CHOICE: return choice_value(keys, row, key, word, value);
    case APP_KEY_TEXT:
        return word->length > 0 ? MX_OK
                                : fail_value(keys, key, word, app_key_expected(row, &expected));
    case APP_KEY_SWITCH:
    case APP_KEY_PICK: break;
    }
    return MX_OK;
}

mx_err app_keys_value(app_keys *keys, const app_key *row, const app_word *key, const app_word *word,
                      app_value *value)
{
    app_expected expected;
    *value = (app_value){0};
    if (!app_key_has_value(row)) {
        if (word && word->text) return fail_value(keys, key, word, "no value");
        value->whole = row->type == APP_KEY_PICK ? (int64_t)row->standard : 1;
        value->real = (double)value->whole;
        return MX_OK;
    }
    if (!word || !word->text)
        return app_keys_fail(keys, key, "got no value, expected %s",
                             app_key_expected(row, &expected));
    value->text = word->text;
    value->length = word->length;
    return one_value(keys, row, key, word, value);
}

/* ---- storing ---- */

static mx_err store_text(app_keys *keys, void *member, const char *text, size_t length)
{
    char **const more = realloc(keys->texts, (size_t)(keys->text_count + 1) * sizeof *keys->texts);
    MX_REQUIRE(more, MX_ERR_MEMORY, "no memory for a text of the input");
    keys->texts = more;
    char *const copy = malloc(length + 1);
    MX_REQUIRE(copy, MX_ERR_MEMORY, "no memory for a text of the input");
    memcpy(copy, text, length);
    copy[length] = '\0';
    keys->texts[keys->text_count++] = copy;
    *(const char **)member = copy;
    return MX_OK;
}

mx_err app_keys_store(app_keys *keys, const app_key *row, int index, const app_value *value)
{
    if (row->offset == APP_KEY_NOWHERE) return MX_OK;
    void *const member = (char *)keys->target + row->offset + (size_t)index * row->stride;
    switch (row->type) {
    case APP_KEY_SWITCH: *(bool *)member = value->whole != 0; break;
    case APP_KEY_PICK:
    case APP_KEY_CHOICE:
    case APP_KEY_INT: *(int *)member = (int)value->whole; break;
    case APP_KEY_INT64: *(int64_t *)member = value->whole; break;
    case APP_KEY_REAL: *(double *)member = value->real; break;
    case APP_KEY_TEXT: return store_text(keys, member, value->text, value->length);
    }
    return MX_OK;
}

void app_keys_begin(app_keys *keys, int dialect)
{
    keys->dialect = dialect;
    for (int i = 0; i < keys->input->count; i++) {
        const app_key *const row = &keys->input->keys[i];
        const bool applies = !row->dialects || (row->dialects >> dialect & 1u);
        if (!applies || row->stride > 0 || row->offset == APP_KEY_NOWHERE ||
            !app_key_has_value(row))
            continue;
        if (row->type == APP_KEY_TEXT) {
            *(const char **)(void *)((char *)keys->target + row->offset) = row->text;
            continue;
        }
        const app_value value = {.real = row->standard,
                                 .whole = row->type == APP_KEY_REAL ? 0 : (int64_t)row->standard};
        (void)app_keys_store(keys, row, 0, &value); /* only texts can fail */
    }
}

/* ---- setting, with the rules of precedence ---- */

/* Two rows are about one thing if they are the same row or fill the same member. */
static bool same_thing(const app_key *a, const app_key *b)
{
    return a == b || (a->offset != APP_KEY_NOWHERE && a->offset == b->offset);
}

static bool same_value(const app_key *row, const app_value *a, const app_value *b)
{
    if (row->type == APP_KEY_TEXT || row->stride > 0)
        return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    return row->type == APP_KEY_REAL ? a->real == b->real : a->whole == b->whole;
}

static mx_err check_repeated(const app_keys *keys, const app_key *row, const app_word *key,
                             const app_value *value)
{
    for (int i = 0; i < keys->input->count; i++) {
        const app_key *const other = &keys->input->keys[i];
        const app_given *const before = &keys->given[i];
        app_shown one, two;
        if (before->source != keys->source || !same_thing(row, other) ||
            same_value(row, &before->value, value))
            continue;
        if (before->key.line > 0)
            return app_keys_fail(keys, key,
                                 "got another value than %s on line %ld, expected it once",
                                 other->name, before->key.line);
        return app_keys_fail(
            keys, key, "got both %s and %s, expected it once",
            app_text_show(before->value.text ? before->value.text : other->name,
                          before->value.text ? before->value.length : strlen(other->name), &one),
            app_text_show(value->text ? value->text : row->name,
                          value->text ? value->length : strlen(row->name), &two));
    }
    return MX_OK;
}

static mx_err check_supported(const app_keys *keys, const app_key *row, const app_word *key,
                              const app_value *value)
{
    if (!row->instead) return MX_OK;
    if (app_key_has_value(row) && value->real <= row->standard) return MX_OK;
    return app_keys_fail(keys, key,
                         "got a key or value that this version does not have (%s), expected %s",
                         row->help, row->instead);
}

/* The elements of a list, "1,2,3". */
static mx_err set_list(app_keys *keys, const app_key *row, const app_word *key,
                       const app_word *word, app_value *all)
{
    int count = 0;
    app_expected expected;
    if (!word || !word->text)
        return app_keys_fail(keys, key, "got no value, expected %s",
                             app_key_expected(row, &expected));
    for (size_t at = 0; at <= word->length; count++) {
        const char *const comma = memchr(word->text + at, ',', word->length - at);
        const size_t end = comma ? (size_t)(comma - word->text) : word->length;
        const app_word one = {.text = word->text + at, .length = end - at, .line = word->line};
        app_value value = {0};
        if (count == row->capacity)
            return fail_value(keys, key, word, app_key_expected(row, &expected));
        MX_TRY(one_value(keys, row, key, &one, &value));
        MX_TRY(app_keys_store(keys, row, count, &value));
        at = end + 1;
    }
    *(int *)(void *)((char *)keys->target + row->length) = count;
    *all = (app_value){.text = word->text, .length = word->length};
    return MX_OK;
}

mx_err app_keys_set(app_keys *keys, const app_key *row, const app_word *key, const app_word *word)
{
    app_value value;
    if (row->stride > 0) {
        MX_TRY(set_list(keys, row, key, word, &value));
        MX_TRY(check_repeated(keys, row, key, &value));
    } else {
        MX_TRY(app_keys_value(keys, row, key, word, &value));
        MX_TRY(check_supported(keys, row, key, &value));
        MX_TRY(check_repeated(keys, row, key, &value));
        MX_TRY(app_keys_store(keys, row, 0, &value));
    }
    keys->given[row - keys->input->keys] =
        (app_given){.source = keys->source, .key = *key, .value = value};
    return MX_OK;
}

const app_given *app_keys_given(const app_keys *keys, size_t offset)
{
    const app_given *last = NULL;
    for (int i = 0; i < keys->input->count; i++) {
        const app_given *const given = &keys->given[i];
        if (!given->source || keys->input->keys[i].offset != offset) continue;
        if (!last || given->source == APP_KEY_COMMAND || given->key.line > last->key.line)
            last = given;
    }
    return last;
}

/* ---- a whole input ---- */

mx_err app_keys_open(app_keys *keys, const app_input *input, const char *file, void *target)
{
    memset(target, 0, input->size); /* *keys may be a part of it */
    *keys = (app_keys){.input = input, .target = target, .file = file, .source = APP_KEY_FILE};
    MX_REQUIRE(input->count <= APP_MAX_KEYS, MX_ERR_ARG, "%d keys, room for %d", input->count,
               APP_MAX_KEYS);
    app_keys_begin(keys, 0);
    return MX_OK;
}

void app_keys_close(app_keys *keys)
{
    for (int i = 0; i < keys->text_count; i++) free(keys->texts[i]);
    free((void *)keys->texts);
    keys->texts = NULL;
    keys->text_count = 0;
}

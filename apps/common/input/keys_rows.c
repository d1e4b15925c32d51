/* The rows of a table of keys: which row a name means, and what its value must be. */
#include "keys.h"

#include "text.h"

#include <string.h>

/* ---- names ---- */

static bool is_in(const app_key *row, unsigned dialects, unsigned source)
{
    const unsigned sources = row->sources ? row->sources : APP_KEY_COMMAND | APP_KEY_FILE;
    return (sources & source) && (!row->dialects || (row->dialects & dialects));
}

bool app_key_is_named(const char *name, size_t length, const char *word, size_t word_length,
                      bool exactly)
{
    if (word_length != length) return false;
    if (exactly) return memcmp(name, word, length) == 0;
    for (size_t i = 0; i < length; i++)
        if (!app_text_is(&name[i], 1, (const char[]){word[i], '\0'})) return false;
    return true;
}

/* The next name of a row: its own, then its aliases. Start with *at NULL. */
static bool next_name(const app_key *row, const char **at, size_t *length)
{
    if (*at == NULL) {
        *at = row->name;
        *length = strlen(row->name);
        return true;
    }
    const bool is_name = *at == row->name;
    if (is_name && !row->aliases) return false;
    const char *const from = is_name ? row->aliases : *at + *length;
    *at = from + strspn(from, " ");
    *length = strcspn(*at, " ");
    return *length > 0;
}

static bool row_is(const app_key *row, const char *name, size_t length, bool exactly)
{
    const char *at = NULL;
    size_t at_length = 0;
    while (next_name(row, &at, &at_length))
        if (app_key_is_named(at, at_length, name, length, exactly)) return true;
    return false;
}

const app_key *app_input_find(const app_input *input, unsigned dialects, unsigned source,
                              const char *name, size_t length)
{
    for (int i = 0; i < input->count; i++) {
        const app_key *const row = &input->keys[i];
        if (is_in(row, dialects, source) && row_is(row, name, length, source == APP_KEY_COMMAND))
            return row;
    }
    return NULL;
}

const app_key *app_keys_find(const app_keys *keys, const char *name, size_t length)
{
    return app_input_find(keys->input, 1u << keys->dialect, keys->source, name, length);
}

unsigned app_keys_dialects(const app_keys *keys, const char *name, size_t length)
{
    unsigned dialects = 0;
    for (int i = 0; i < keys->input->count; i++) {
        const app_key *const row = &keys->input->keys[i];
        if (is_in(row, ~0u, APP_KEY_FILE) && row_is(row, name, length, false))
            dialects |= row->dialects ? row->dialects : ~0u;
    }
    return dialects;
}

const char *app_keys_nearest(const app_keys *keys, unsigned dialects, const char *name,
                             size_t length)
{
    app_nearest nearest = APP_NEAREST_NONE;
    for (int i = 0; i < keys->input->count; i++) {
        const app_key *const row = &keys->input->keys[i];
        if (is_in(row, dialects, keys->source))
            app_nearest_offer(&nearest, name, length, row->name);
    }
    return nearest.name;
}

bool app_key_has_value(const app_key *row)
{
    return row->type != APP_KEY_SWITCH && row->type != APP_KEY_PICK;
}

/* ---- what a value must be ---- */

static void list_words(const app_key *row, char *text, size_t size)
{
    app_text_list(row->words + (int)row->low, text, size);
}

const char *app_key_argument(const app_key *row)
{
    if (row->argument) return row->argument;
    switch (row->type) {
    case APP_KEY_INT:
    case APP_KEY_INT64: return "N";
    case APP_KEY_REAL: return "X";
    case APP_KEY_CHOICE: return "WORD";
    default: return "TEXT";
    }
}

static void expected_real(const app_key *row, char *text, size_t size)
{
    const bool bounded = row->low != 0 || row->high != 0;
    if (!bounded || (row->low == -DBL_MAX && row->high == DBL_MAX))
        snprintf(text, size, "a number");
    else if (row->high < DBL_MAX && row->low == APP_KEY_ABOVE_0)
        snprintf(text, size, "a number above 0, at most %.10g", row->high);
    else if (row->high < DBL_MAX)
        snprintf(text, size, "a number from %.10g to %.10g", row->low, row->high);
    else if (row->low == APP_KEY_ABOVE_0)
        snprintf(text, size, "a number above 0");
    else
        snprintf(text, size, "a number, %.10g or more", row->low);
}

static void expected_whole(const app_key *row, char *text, size_t size)
{
    const char *const automatic = row->automatic ? row->automatic : "";
    const char *const between = row->automatic ? " or " : "";
    if (row->low == 0 && row->high == 0)
        snprintf(text, size, "%s%sa whole number", automatic, between);
    else
        snprintf(text, size, "%s%sa whole number from %.0f to %.0f", automatic, between, row->low,
                 row->high);
}

const char *app_key_expected(const app_key *row, app_expected *expected)
{
    char *text = expected->text;
    size_t size = sizeof expected->text;
    if (row->stride > 0 && row->sources != APP_KEY_RECORD) {
        const int used =
            snprintf(text, size, "up to %d values, divided by commas, each ", row->capacity);
        text += used;
        size -= (size_t)used;
    }
    switch (row->type) {
    case APP_KEY_SWITCH:
    case APP_KEY_PICK: snprintf(text, size, "no value"); break;
    case APP_KEY_INT:
    case APP_KEY_INT64: expected_whole(row, text, size); break;
    case APP_KEY_REAL: expected_real(row, text, size); break;
    case APP_KEY_CHOICE: list_words(row, text, size); break;
    case APP_KEY_TEXT: snprintf(text, size, "%s", app_key_argument(row)); break;
    }
    return expected->text;
}

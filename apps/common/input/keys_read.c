/* Reads a whole input: a deck, and what the command line overrides, one line a key. The simplest
 * deck has lines of key=value. */
#include "keys.h"

#include "text.h"

#include <string.h>

static bool is_separator(char c) { return c == '=' || c == ':'; }

static app_word trim(app_word word)
{
    for (; word.length > 0 && app_text_is_blank(word.text[0]); word.text++) word.length--;
    while (word.length > 0 && app_text_is_blank(word.text[word.length - 1])) word.length--;
    return word;
}

/* A comment ends a line of a file. What comes from the command line has none. */
static size_t length_without_comment(const app_keys *keys, const char *line, size_t length)
{
    if (keys->source == APP_KEY_COMMAND) return length;
    for (size_t i = 0; i < length; i++)
        if (line[i] == '#' || line[i] == '!') return i;
    return length;
}

mx_err app_keys_check_text(const app_keys *keys, const app_word *line)
{
    const app_word place = {.text = "text", .length = 4, .line = line->line};
    const char *const control = app_text_find_control(line->text, line->length);
    app_shown shown;
    if (control == NULL) return MX_OK;
    return app_keys_fail(keys, &place, "got the byte %s, expected a text file",
                         app_text_show(control, 1, &shown));
}

/* `line` is not empty, and begins with the key. */
static mx_err read_pair(app_keys *keys, const app_word *line)
{
    app_word key = *line, value = {.text = NULL, .line = line->line};
    size_t end = 0;
    while (end < line->length && !app_text_is_blank(line->text[end]) &&
           !is_separator(line->text[end]))
        end++;
    key.length = end;
    app_word rest = trim((app_word){line->text + end, line->length - end, line->line});
    if (rest.length > 0 && is_separator(rest.text[0])) {
        value = trim((app_word){rest.text + 1, rest.length - 1, line->line});
    } else if (rest.length > 0) {
        value = rest;
    }
    const app_key *const row = app_keys_find(keys, key.text, key.length);
    if (!row) return app_keys_fail_unknown(keys, &key);
    return app_keys_set(keys, row, &key, value.length > 0 ? &value : NULL);
}

mx_err app_keys_read_lines(app_keys *keys, const char *text, size_t length)
{
    long number = keys->source == APP_KEY_FILE ? keys->last_line : 0;
    for (size_t at = 0; at < length;) {
        const char *const end = memchr(text + at, '\n', length - at);
        const size_t line_length = end ? (size_t)(end - text) - at : length - at;
        number++;
        app_word line = {.text = text + at,
                         .length = length_without_comment(keys, text + at, line_length),
                         .line = keys->source == APP_KEY_FILE ? number : 0};
        at += line_length + 1;
        line = trim(line);
        MX_TRY(app_keys_check_text(keys, &line));
        if (line.length > 0) MX_TRY(read_pair(keys, &line));
    }
    if (keys->source == APP_KEY_FILE) keys->last_line = number;
    return MX_OK;
}

mx_err app_keys_read(app_keys *keys, const app_input *input, const char *file, const char *text,
                     size_t length, const char *overrides, void *target)
{
    MX_TRY(app_keys_open(keys, input, file ? file : "input", target));
    if (text) MX_TRY((input->read ? input->read : app_keys_read_lines)(keys, text, length));
    keys->source = APP_KEY_COMMAND;
    if (overrides) MX_TRY(app_keys_read_lines(keys, overrides, strlen(overrides)));
    return input->check ? input->check(keys) : MX_OK;
}

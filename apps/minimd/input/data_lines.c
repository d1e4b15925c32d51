/* Lines and words of data files, and their messages. */
#include "md_data_private.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

mx_err md_data_fail(const struct md_data_file *f, const char *what, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return MX_FAIL(MX_ERR_INPUT, "%.250s:%ld: %s: %s", f->path, f->line > 0 ? f->line : 1, what,
                   text);
}

/* ---- lines ---- */

/* Moves what is not yet used to the front, and fills the rest of the buffer. */
static mx_err fill(struct md_data_file *f)
{
    memmove(f->buffer, f->buffer + f->at, f->end - f->at);
    f->end -= f->at;
    f->at = 0;
    const size_t room = sizeof f->buffer - f->end;
    size_t got;
    if (f->stream) {
        got = fread(f->buffer + f->end, 1, room, f->stream);
        MX_REQUIRE(!ferror(f->stream), MX_ERR_IO, "%s: reading broke off behind line %ld: %s",
                   f->path, f->line, strerror(errno));
    } else {
        got = f->text_length < room ? f->text_length : room;
        if (got > 0) memcpy(f->buffer + f->end, f->text, got);
        f->text += got;
        f->text_length -= got;
    }
    f->stream_ended = got < room;
    f->end += got;
    return MX_OK;
}

static mx_err check_bytes(const struct md_data_file *f, const char *text, size_t length)
{
    const char *const control = app_text_find_control(text, length);
    app_shown shown;
    if (control == NULL) return MX_OK;
    return md_data_fail(f, "text", "got the byte %s, expected a text file",
                        app_text_show(control, 1, &shown));
}

mx_err md_data_pass_line(struct md_data_file *f, const char **text, size_t *length, bool *ended)
{
    const char *end = memchr(f->buffer + f->at, '\n', f->end - f->at);
    if (!end && !f->stream_ended) {
        MX_TRY(fill(f));
        end = memchr(f->buffer + f->at, '\n', f->end - f->at);
    }
    *text = f->buffer + f->at;
    *length = end ? (size_t)(end - *text) : f->end - f->at;
    *ended = !end && *length == 0;
    if (*ended) return MX_OK;
    f->line++;
    if (!end && *length == sizeof f->buffer)
        return md_data_fail(f, "line", "got more than %d bytes, expected a text file",
                            MD_DATA_LINE);
    f->at += *length + (end ? 1 : 0);
    return check_bytes(f, *text, *length);
}

/* ---- words ---- */

/* The next word of [*at, end), of length 0 behind the last one. */
static app_word next_word(const char **at, const char *end, long number)
{
    while (*at < end && app_text_is_blank(**at)) ++*at;
    app_word word = {.text = *at, .line = number};
    while (*at < end && !app_text_is_blank(**at)) ++*at;
    word.length = (size_t)(*at - word.text);
    return word;
}

void md_data_split(const char *text, size_t length, md_data_line *line)
{
    const char *const comment = memchr(text, '#', length);
    const char *const end = comment ? comment : text + length;
    const char *at = text;
    for (;;) {
        const app_word word = next_word(&at, end, line->number);
        if (word.length == 0) break;
        if (line->words == 0) line->all = word;
        line->all.length = (size_t)(word.text + word.length - line->all.text);
        if (line->words < MD_DATA_WORDS) line->word[line->words] = word;
        if (line->words <= MD_DATA_WORDS) line->words++;
    }
    at = comment ? comment + 1 : text + length;
    line->style = next_word(&at, text + length, line->number);
}

mx_err md_data_read_line(struct md_data_file *f, md_data_line *line)
{
    do {
        const char *text;
        size_t length;
        bool ended;
        MX_TRY(md_data_pass_line(f, &text, &length, &ended));
        *line = (md_data_line){.number = f->line, .end = ended};
        if (ended) return MX_OK;
        md_data_split(text, length, line);
    } while (line->words == 0);
    return MX_OK;
}

bool md_data_is(const md_data_line *line, int from, const char *text)
{
    for (int w = from; w < line->words && w < MD_DATA_WORDS; w++) {
        const app_word *const word = &line->word[w];
        if (strncmp(text, word->text, word->length) != 0) return false;
        text += word->length;
        if (*text == '\0') return w + 1 == line->words;
        if (*text++ != ' ') return false;
    }
    return false;
}

/* ---- numbers ---- */

bool md_data_is_number(const app_word *word)
{
    double value;
    return app_text_real(word->text, word->length, &value) != APP_NUMBER_SYNTAX;
}

mx_err md_data_real(const struct md_data_file *f, const md_data_line *line, int w, const char *what,
                    double *value)
{
    const app_word *const word = &line->word[w];
    app_shown shown;
    if (app_text_real(word->text, word->length, value) == APP_NUMBER_OK) return MX_OK;
    return md_data_fail(f, what, "got %s, expected a number",
                        app_text_show(word->text, word->length, &shown));
}

mx_err md_data_whole(const struct md_data_file *f, const md_data_line *line, int w,
                     const char *what, int64_t low, int64_t high, int64_t *value)
{
    const app_word *const word = &line->word[w];
    app_shown shown;
    if (app_text_whole(word->text, word->length, value) == APP_NUMBER_OK && *value >= low &&
        *value <= high)
        return MX_OK;
    return md_data_fail(f, what, "got %s, expected a whole number from %lld to %lld",
                        app_text_show(word->text, word->length, &shown), (long long)low,
                        (long long)high);
}

#include "tl_deck_lexer.h"

#include "input/text.h"

#include <string.h>

/* A part of the deck's form, as the key of a message. */
static app_word part(const tl_lexer *x, const char *name)
{
    return (app_word){.text = name, .length = strlen(name), .line = x->line};
}

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '=' || c == ','; }

static bool is_comment(char c) { return c == '!' || c == ';' || c == '#'; }

static bool is_control(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u < 0x20 && u != '\t' && !is_line_end(c)) || u == 0x7f;
}

static mx_err fail_byte(const tl_lexer *x)
{
    app_shown shown;
    const app_word text = part(x, "text");
    return app_keys_fail(x->keys, &text, "got the byte %s, expected a text file",
                         app_text_show(x->at, 1, &shown));
}

static mx_err fail_marker(const tl_lexer *x, const char *what, const char *got)
{
    const app_word marker = part(x, what);
    return app_keys_fail(x->keys, &marker, "got %s", got);
}

static void pass_line_end(tl_lexer *x)
{
    if (x->end - x->at >= 2 && x->at[0] == '\r' && x->at[1] == '\n') x->at++;
    x->at++;
    x->line++;
}

static void pass_blanks(tl_lexer *x)
{
    while (x->at < x->end && is_blank(*x->at)) x->at++;
}

/* Moves to the end of the line, over blanks and a comment if there is one. */
static mx_err pass_comment(tl_lexer *x)
{
    pass_blanks(x);
    if (x->at == x->end || !is_comment(*x->at)) return MX_OK;
    for (; x->at < x->end && !is_line_end(*x->at); x->at++) {
        if (is_control(*x->at)) return fail_byte(x);
    }
    return MX_OK;
}

static bool at_line_end(const tl_lexer *x) { return x->at == x->end || is_line_end(*x->at); }

/* After *tea and *endtea stands nothing. */
static mx_err pass_marker_line(tl_lexer *x, const char *marker)
{
    MX_TRY(pass_comment(x));
    if (!at_line_end(x))
        return fail_marker(x, marker, "more on its line, expected nothing after it");
    if (x->at < x->end) pass_line_end(x);
    return MX_OK;
}

/* Is there a *tea here, as a word of its own? */
static bool at_begin_marker(const tl_lexer *x)
{
    const size_t left = (size_t)(x->end - x->at);
    if (left < 4 || !app_text_is(x->at, 4, "*tea")) return false;
    return left == 4 || is_blank(x->at[4]) || is_line_end(x->at[4]) || is_comment(x->at[4]);
}

mx_err tl_lexer_open(const app_keys *keys, const char *text, size_t length, tl_lexer *lexer)
{
    *lexer =
        (tl_lexer){.keys = keys, .at = text, .end = text + length, .line = 1, .line_start = true};
    tl_lexer *const x = lexer;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        x->at += 3; /* a byte order mark, from some editors */
    while (x->at < x->end) {
        pass_blanks(x);
        if (at_begin_marker(x)) {
            x->at += 4;
            return pass_marker_line(x, "*tea");
        }
        while (!at_line_end(x)) x->at++;
        if (x->at < x->end) pass_line_end(x);
    }
    return fail_marker(x, "*tea", "the end of the file, expected a deck between *tea and *endtea");
}

/* Moves over '\' and the line end behind it. */
static mx_err pass_continuation(tl_lexer *x)
{
    x->at++;
    MX_TRY(pass_comment(x));
    if (!at_line_end(x))
        return fail_marker(x, "\\",
                           "more behind it, expected the end of the line that it continues");
    if (x->at == x->end)
        return fail_marker(x, "\\", "the end of the file, expected a line that continues this one");
    pass_line_end(x);
    x->joined = true;
    return MX_OK;
}

static mx_err read_word(tl_lexer *x, app_word *word)
{
    *word = (app_word){.text = x->at, .line = x->line};
    for (; !at_line_end(x) && !is_blank(*x->at) && !is_comment(*x->at) && *x->at != '\\'; x->at++) {
        if (is_control(*x->at) || (unsigned char)*x->at >= 0x80) return fail_byte(x);
    }
    word->length = (size_t)(x->at - word->text);
    x->joined = false;
    return MX_OK;
}

/* A word that begins with '*' where a line may begin can only end the deck. */
static mx_err read_end_marker(tl_lexer *x, app_word *word)
{
    const bool joined = x->joined;
    MX_TRY(read_word(x, word));
    if (joined)
        return fail_marker(
            x, "\\", "a line that begins with *, expected one that continues the line before");
    if (!app_text_is(word->text, word->length, "*endtea") &&
        !app_text_is(word->text, word->length, "*tea")) {
        app_shown shown;
        const app_word marker = part(x, "*endtea");
        return app_keys_fail(x->keys, &marker, "got %s, expected *endtea or a key",
                             app_text_show(word->text, word->length, &shown));
    }
    word->length = 0;
    x->finished = true;
    return pass_marker_line(x, "*endtea");
}

mx_err tl_lexer_next(tl_lexer *lexer, app_word *word)
{
    tl_lexer *const x = lexer;
    *word = (app_word){.text = x->at, .line = x->line};
    if (x->finished) return MX_OK;
    for (;;) {
        MX_TRY(pass_comment(x));
        if (x->at == x->end) {
            return fail_marker(x, "*endtea",
                               "the end of the file, expected *endtea after the last key");
        }
        if (*x->at == '\\') {
            MX_TRY(pass_continuation(x));
            continue;
        }
        if (is_line_end(*x->at)) {
            *word = (app_word){.text = x->at, .line = x->line};
            pass_line_end(x);
            x->joined = false;
            x->line_start = true;
            return MX_OK;
        }
        if (*x->at == '*' && (x->line_start || x->joined)) return read_end_marker(x, word);
        x->line_start = false;
        return read_word(x, word);
    }
}

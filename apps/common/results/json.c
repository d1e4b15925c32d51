#include "json.h"

#include <inttypes.h>
#include <math.h>

#define ADD(json, ...)                                                                      \
    do {                                                                                    \
        if ((json)->err == MX_OK) (json)->err = app_strbuf_add(&(json)->text, __VA_ARGS__); \
    } while (0)

/* ---- entries ---- */

static void begin_line(app_json *json) { ADD(json, "%*s", 2 * json->depth, ""); }

static void begin_entry(app_json *json, const char *key)
{
    if (json->follows) ADD(json, ",");
    if (json->depth > 0) ADD(json, "\n");
    begin_line(json);
    if (key) ADD(json, "\"%s\": ", key);
    json->follows = true;
}

void app_json_begin(app_json *json, const char *key)
{
    begin_entry(json, key);
    ADD(json, "{");
    json->depth++;
    json->follows = false;
}

void app_json_end(app_json *json)
{
    json->depth--;
    ADD(json, "\n");
    begin_line(json);
    ADD(json, json->depth > 0 ? "}" : "}\n");
    json->follows = true;
}

void app_json_whole(app_json *json, const char *key, int64_t value)
{
    begin_entry(json, key);
    ADD(json, "%" PRId64, value);
}

void app_json_flag(app_json *json, const char *key, bool value)
{
    begin_entry(json, key);
    ADD(json, value ? "true" : "false");
}

void app_json_real(app_json *json, const char *key, double value)
{
    begin_entry(json, key);
    if (isfinite(value))
        ADD(json, "%.17g", value);
    else
        ADD(json, "null");
}

/* ---- texts ---- */

/* A character of UTF-8, and its bytes. */
typedef struct character {
    uint32_t code;
    int bytes;
} character;

/* The character that begins here. Of what is none, one byte, as Python's surrogateescape has it:
 * bytes that follow no first byte, forms that are longer than they need be, surrogates, and codes
 * above the last one. The text ends with a NUL, which continues no character. */
static character read_character(const unsigned char *at)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000}; /* by the number of bytes */
    const character wrong = {.code = 0xdc00u + at[0], .bytes = 1};
    const int bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (bytes == 0 || at[0] > 0xf4) return wrong;
    if (bytes == 1) return (character){.code = at[0], .bytes = 1};
    uint32_t code = at[0] & (0x7fu >> bytes);
    for (int b = 1; b < bytes; b++) {
        if ((at[b] & 0xc0) != 0x80) return wrong;
        code = code << 6 | (at[b] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < lowest[bytes] || code > 0x10ffff || surrogate) return wrong;
    return (character){.code = code, .bytes = bytes};
}

static void add_character(app_json *json, uint32_t code)
{
    const bool printable = code >= 0x20 && code < 0x7f;
    const bool quoted = code == '"' || code == '\\';
    if (printable)
        ADD(json, "%s%c", quoted ? "\\" : "", (int)code);
    else if (code < 0x10000)
        ADD(json, "\\u%04x", (unsigned)code);
    else
        ADD(json, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
            (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
}

void app_json_text(app_json *json, const char *key, const char *text)
{
    begin_entry(json, key);
    if (!text) {
        ADD(json, "null");
        return;
    }
    ADD(json, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const character c = read_character(at);
        add_character(json, c.code);
        at += c.bytes;
    }
    ADD(json, "\"");
}

void app_json_free(app_json *json)
{
    app_strbuf_free(&json->text);
    *json = (app_json){0};
}

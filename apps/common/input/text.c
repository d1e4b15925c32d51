#include "text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Own tests for characters: those of ctype.h depend on the locale and are undefined for negative
 * chars. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t skip_digits(const char *word, size_t length, size_t at)
{
    while (at < length && is_digit(word[at])) at++;
    return at;
}

static size_t skip_sign(const char *word, size_t length, size_t at)
{
    return at < length && (word[at] == '+' || word[at] == '-') ? at + 1 : at;
}

/* [sign] digits [. [digits]] [exponent] | [sign] . digits [exponent]; sets *nonzero if a digit of
 * the mantissa is. */
static bool real_syntax(const char *word, size_t length, bool *nonzero)
{
    const size_t whole = skip_sign(word, length, 0);
    size_t at = skip_digits(word, length, whole);
    size_t digits = at - whole;
    if (at < length && word[at] == '.') {
        const size_t fraction = at + 1;
        at = skip_digits(word, length, fraction);
        digits += at - fraction;
    }
    *nonzero = false;
    for (size_t i = whole; i < at; i++) *nonzero |= word[i] >= '1' && word[i] <= '9';
    if (digits == 0) return false;
    if (at == length) return true;
    if (lower(word[at]) != 'e' && lower(word[at]) != 'd') return false;
    const size_t exponent = skip_sign(word, length, at + 1);
    at = skip_digits(word, length, exponent);
    return at > exponent && at == length;
}

/* A number as 0.DIGITS times ten to the power of `exponent`, without leading zeros. A double and
 * the midpoints between doubles have at most 767 significant digits, so of the digits after DIGITS
 * it only matters whether all are zero. */
enum { DIGITS = 800 };
typedef struct decimal {
    char digits[DIGITS + 2]; /* with one more that stands for the rest, and a NUL */
    size_t count;
    int64_t exponent;
} decimal;

static void add_digit(decimal *d, char digit, bool behind_point)
{
    if (d->count == 0 && digit == '0') {
        d->exponent -= behind_point ? 1 : 0;
        return;
    }
    d->exponent += behind_point ? 0 : 1;
    if (d->count < DIGITS)
        d->digits[d->count++] = digit;
    else if (digit != '0')
        d->digits[DIGITS] = '1';
}

/* The mantissa, and the exponent behind it; beyond 1e9 it makes no difference any more. */
static decimal read_decimal(const char *word, size_t length)
{
    decimal d = {.count = 0};
    bool behind_point = false;
    size_t at = skip_sign(word, length, 0);
    for (; at < length && (is_digit(word[at]) || word[at] == '.'); at++) {
        if (word[at] == '.')
            behind_point = true;
        else
            add_digit(&d, word[at], behind_point);
    }
    int64_t exponent = 0;
    const bool down = at + 1 < length && word[at + 1] == '-';
    for (at = skip_sign(word, length, at + 1); at < length; at++)
        if (exponent < 1000000000) exponent = exponent * 10 + (word[at] - '0');
    d.exponent += down ? -exponent : exponent;
    return d;
}

app_number app_text_real(const char *word, size_t length, double *value)
{
    char text[DIGITS + 64];
    bool nonzero;
    if (!real_syntax(word, length, &nonzero)) return APP_NUMBER_SYNTAX;
    const decimal d = read_decimal(word, length);
    snprintf(text, sizeof text, "%s0.%se%lld", word[0] == '-' ? "-" : "",
             d.count > 0 ? d.digits : "0", (long long)(d.count > 0 ? d.exponent : 0));
    const double result = strtod(text, NULL);
    if (!isfinite(result) || (nonzero && result == 0.0)) return APP_NUMBER_RANGE;
    *value = result;
    return APP_NUMBER_OK;
}

app_number app_text_whole(const char *word, size_t length, int64_t *value)
{
    const size_t first = skip_sign(word, length, 0);
    if (first == length || skip_digits(word, length, first) != length) return APP_NUMBER_SYNTAX;
    /* accumulated as a negative number: the range of int64_t has one more value below zero */
    int64_t sum = 0;
    for (size_t i = first; i < length; i++) {
        const int digit = word[i] - '0';
        if (sum < (INT64_MIN + digit) / 10) return APP_NUMBER_RANGE;
        sum = sum * 10 - digit;
    }
    if (word[0] != '-' && sum == INT64_MIN) return APP_NUMBER_RANGE;
    *value = word[0] == '-' ? sum : -sum;
    return APP_NUMBER_OK;
}

int app_text_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char *app_text_find_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if ((c < 0x20 || c == 0x7f) && !app_text_is_blank(text[i])) return text + i;
    }
    return NULL;
}

const char *app_text_show(const char *word, size_t length, app_shown *shown)
{
    const size_t room =
        sizeof shown->text - sizeof "\\xNN...\""; /* room for what may follow the last byte shown */
    size_t used = 0;
    size_t i = 0;
    shown->text[used++] = '"';
    for (; i < length && used < room; i++) {
        const unsigned char c = (unsigned char)word[i];
        if (c >= 0x20 && c < 0x7f) {
            shown->text[used++] = (char)c;
        } else {
            used += (size_t)snprintf(shown->text + used, sizeof shown->text - used, "\\x%02x", c);
        }
    }
    snprintf(shown->text + used, sizeof shown->text - used, "%s", i < length ? "...\"" : "\"");
    return shown->text;
}

void app_text_list(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words[i] && used < size; i++) {
        const char *const between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
    }
}

/* The bytes of the UTF-8 character that begins here, by its first byte and the marks of the others;
 * 0 where there is none. Control characters of two bytes (U+0080 to U+009F) count as none. */
static size_t printable_length(const unsigned char *text)
{
    if (text[0] < 0x80) return text[0] >= 0x20 && text[0] != 0x7f ? 1 : 0;
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    const size_t length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0; /* also at the NUL that ends the text */
    }
    return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : length;
}

void app_text_print(FILE *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = printable_length(at);
        if (length > 0)
            fwrite(at, 1, length, out);
        else
            fprintf(out, "\\x%02x", *at);
        at += length > 0 ? length : 1;
    }
}

int app_text_is(const char *word, size_t length, const char *name)
{
    if (strlen(name) != length) return 0;
    for (size_t i = 0; i < length; i++) {
        if (lower(word[i]) != lower(name[i])) return 0;
    }
    return 1;
}

enum { MAX_NAME = 63 }; /* names to compare are not longer; longer words have no near name */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment by rows: row[i][j] is the distance of the first i characters of the word
 * from the first j of the name; a swap looks two rows back, so three are kept. */
static size_t distance(const char *word, size_t length, const char *name, size_t name_length)
{
    size_t rows[3][MAX_NAME + 1];
    for (size_t j = 0; j <= name_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t *const now = rows[i % 3];
        const size_t *const before = rows[(i - 1) % 3];
        const size_t *const two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= name_length; j++) {
            const char a = lower(word[i - 1]);
            const char b = lower(name[j - 1]);
            now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + (a != b));
            if (i > 1 && j > 1 && a == lower(name[j - 2]) && lower(word[i - 2]) == b) {
                now[j] = least(now[j], two_before[j - 2] + 1);
            }
        }
    }
    return rows[length % 3][name_length];
}

void app_nearest_offer(app_nearest *nearest, const char *word, size_t length, const char *name)
{
    const size_t name_length = strlen(name);
    if (length > MAX_NAME || name_length > MAX_NAME) return;
    const size_t d = distance(word, length, name, name_length);
    if (3 * d <= name_length && d < nearest->distance) {
        nearest->name = name;
        nearest->distance = d;
    }
}

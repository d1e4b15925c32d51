/* The deck of miniMD: 14 lines, whose place says what they mean.
 *
 *      1, 2  anything                              6  epsilon sigma         11  density
 *      3     units: lj or metal                    7  nx ny nz              12  steps between neighbour lists
 *      4     a LAMMPS data file, or none           8  steps                 13  cutoff skin
 *      5     force: lj or eam                      9  length of a step      14  steps between thermodynamic lines
 *                                                 10  initial temperature
 *
 * What stands behind the values of a line is a comment. Lines after these are of minx: key=value,
 * '#' and '!' begin a comment.
 *
 * The original does not check what it reads: a short file repeats its last line, and a word that is
 * no number leaves the value before. Here each value is read by the table of keys, with its range.
 * Older decks have 13 lines, without line 6; read as 14 they would mean something else, so they are
 * recognised. */
#include "md_input.h"

#include "input/text.h"

#include <string.h>

enum { MAX_WORDS = 3, FIRST_LINE = 3, LAST_LINE = 14 };

static const struct {
    const char *keys[MAX_WORDS];
} positions[LAST_LINE - FIRST_LINE + 1] = {
    {{"units"}},
    {{"data_file"}},
    {{"force"}},
    {{"epsilon", "sigma"}},
    {{"nx", "ny", "nz"}},
    {{"steps"}},
    {{"dt"}},
    {{"temperature"}},
    {{"density"}},
    {{"every"}},
    {{"cutoff", "skin"}},
    {{"thermo"}},
};

typedef struct deck_line {
    app_word whole;
    app_word word[MAX_WORDS]; /* the first ones; of length 0: there is none */
} deck_line;

static void split(deck_line *line)
{
    const char *at = line->whole.text;
    const char *const end = at + line->whole.length;
    for (int w = 0; w < MAX_WORDS; w++) {
        while (at < end && app_text_is_blank(*at)) at++;
        line->word[w] = (app_word){.text = at, .line = line->whole.line};
        while (at < end && !app_text_is_blank(*at)) at++;
        line->word[w].length = (size_t)(at - line->word[w].text);
    }
}

/* The lines of the text, up to LAST_LINE; *used: their bytes. */
static mx_err split_lines(app_keys *keys, const char *text, size_t length, deck_line *lines,
                          int *count, size_t *used)
{
    *count = 0;
    *used = 0;
    while (*used < length && *count < LAST_LINE) {
        const char *const start = text + *used;
        const char *const end = memchr(start, '\n', length - *used);
        const size_t bytes = end ? (size_t)(end - start) : length - *used;
        deck_line *const line = &lines[*count];
        line->whole = (app_word){.text = start, .length = bytes, .line = ++*count};
        *used += bytes + (end ? 1 : 0);
        MX_TRY(app_keys_check_text(keys, &line->whole));
        split(line);
    }
    return MX_OK;
}

static bool is_whole(const app_word *word)
{
    int64_t value;
    return app_text_whole(word->text, word->length, &value) == APP_NUMBER_OK;
}

/* Without the line of epsilon and sigma all that follow stand one line earlier: line 6 has the
 * three numbers of cells, and line 7 only one number. */
static mx_err refuse_older(const app_keys *keys, const deck_line *lines)
{
    const deck_line *const sixth = &lines[5], *const seventh = &lines[6];
    const app_word place = {.text = "epsilon, sigma", .length = 14, .line = 6};
    app_shown shown;
    for (int w = 0; w < MAX_WORDS; w++)
        if (!is_whole(&sixth->word[w])) return MX_OK;
    if (!is_whole(&seventh->word[0]) || is_whole(&seventh->word[1])) return MX_OK;
    return app_keys_fail(keys, &place,
                         "got %s, expected two numbers: this is an older deck of 13 lines, without "
                         "this line; insert one, as \"1.0 1.0\", between lines 5 and 6",
                         app_text_show(sixth->whole.text, sixth->whole.length, &shown));
}

static mx_err read_line(app_keys *keys, const deck_line *line, const char *const *names)
{
    for (int w = 0; w < MAX_WORDS && names[w]; w++) {
        const app_word key = {
            .text = names[w], .length = strlen(names[w]), .line = line->whole.line};
        const app_key *const row = app_keys_find(keys, key.text, key.length);
        MX_REQUIRE(row, MX_ERR_ARG, "the table of keys has no %s", names[w]);
        MX_TRY(app_keys_set(keys, row, &key, line->word[w].length > 0 ? &line->word[w] : NULL));
    }
    return MX_OK;
}

mx_err md_deck_read(app_keys *keys, const char *text, size_t length)
{
    deck_line lines[LAST_LINE];
    int count = 0;
    size_t used = 0;
    MX_TRY(split_lines(keys, text, length, lines, &count, &used));
    if (count > 6) MX_TRY(refuse_older(keys, lines));
    for (int i = FIRST_LINE; i <= LAST_LINE; i++) {
        const char *const *const names = positions[i - FIRST_LINE].keys;
        const app_word key = {
            .text = names[0], .length = strlen(names[0]), .line = count > 0 ? count : 1};
        if (i > count)
            return app_keys_fail(
                keys, &key, "got the end of the file, expected it on line %d of %d", i, LAST_LINE);
        MX_TRY(read_line(keys, &lines[i - 1], names));
    }
    keys->last_line = LAST_LINE;
    return app_keys_read_lines(keys, text + used, length - used);
}

/* Strict reading of user input: numbers that are whole words, words made safe for messages, the
 * nearest valid name for an invalid one. Shared by decks and command lines. Pure functions: no MPI,
 * no allocation, no state. Words are slices (pointer and length), not necessarily ended by a
 * NUL. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum app_number {
    APP_NUMBER_OK,
    APP_NUMBER_SYNTAX, /* not a number, or something follows it */
    APP_NUMBER_RANGE   /* too large for the type, or so small that it would become 0 */
} app_number;

/* A real number that takes the whole word: sign, digits with or without a point, exponent by e, E,
 * d or D (as Fortran writes it). NaN, infinities and hexadecimal are APP_NUMBER_SYNTAX. *value is
 * set only on APP_NUMBER_OK. */
app_number app_text_real(const char *word, size_t length, double *value);

/* A whole number in decimal that takes the whole word. "1.0" and "1e3" are APP_NUMBER_SYNTAX. */
app_number app_text_whole(const char *word, size_t length, int64_t *value);

/* What separates words in a line: a space, a tab, or the CR of a line end of Windows. */
int app_text_is_blank(char c);

/* The first byte that a line of a text file does not have, a control character that is no blank;
 * NULL: there is none. */
const char *app_text_find_control(const char *text, size_t length);

/* A word made fit for a message: in quotes, unprintable bytes as \xNN, cut short with "..." .
 * Returns shown->text. */
typedef struct app_shown {
    char text[88];
} app_shown;
const char *app_text_show(const char *word, size_t length, app_shown *shown);

/* Writes the words, which end with NULL, as "a, b or c" to `text`, which has `size` bytes. */
void app_text_list(const char *const *words, char *text, size_t size);

/* Prints text that comes from a file: a terminal would act on its control characters. They, and
 * bytes that are no UTF-8, appear as \xNN. */
void app_text_print(FILE *out, const char *text);

/* Whether the word equals a NUL-terminated name, letters of either case being the same. */
int app_text_is(const char *word, size_t length, const char *name);

/* Finds the valid name nearest to a wrong word: start with APP_NEAREST_NONE, offer every valid
 * name, then read `name`, which is NULL when nothing is near enough to be what was meant (more than
 * a third of the name would have to change). Distance counts insertions, removals, replacements and
 * swaps of neighbours. Ties go to the name offered first. */
typedef struct app_nearest {
    const char *name;
    size_t distance;
} app_nearest;
#define APP_NEAREST_NONE ((app_nearest){NULL, SIZE_MAX})
void app_nearest_offer(app_nearest *nearest, const char *word, size_t length, const char *name);

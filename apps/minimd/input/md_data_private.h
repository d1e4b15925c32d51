/* The parts of the reader of data files: data_lines.c splits, data_header.c and
 * data_file.c understand. Private to them. */
#pragma once
#include "md_data_file.h"

#include "input/text.h"

#include <stdio.h>

enum { MD_DATA_WORDS = 10 };

/* Of ids and numbers of atoms: they, and sums over atoms, must be exact as 64-bit integers and as
 * doubles. */
#define MD_DATA_MAX_ID (((int64_t)1 << 53) - 1)

/* A line without its comment, and the comment without '#'. */
typedef struct md_data_line {
    long number;
    int words; /* as many as fit; MD_DATA_WORDS + 1: more */
    app_word word[MD_DATA_WORDS];
    app_word all;   /* from the first word to the last one */
    app_word style; /* the first word of the comment */
    bool end;       /* the file has ended; there is nothing else then */
} md_data_line;

struct md_data_file {
    char *path;
    FILE *stream;     /* NULL: the text below */
    const char *text; /* what is left of it */
    size_t text_length;

    char buffer[MD_DATA_LINE + 1]; /* bytes at to end - 1 are read, and not yet used */
    size_t at, end;
    bool stream_ended;
    long line; /* number of the line that was read last */

    md_data_about about;
    bool open_section; /* `section` has further rows */
    md_data_section section;
    int64_t rows;         /* of it, that were read */
    md_data_line pending; /* the title of the next section, or the end */
    char title[160];      /* for messages: what is odd about line 1; "": nothing */
    bool seen[5];         /* sections, in the order of titles in data_file.c */
    bool side_given[3];
    bool atoms_given, types_given;
};

/* ---- data_lines.c ---- */

/* "PATH:LINE: WHAT: ", and the formatted text; returns MX_ERR_INPUT. */
mx_err md_data_fail(const struct md_data_file *f, const char *what, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The next line with a word in it, or the end. */
mx_err md_data_read_line(struct md_data_file *f, md_data_line *line);

/* The next line, whatever text it has; *ended: there is none. */
mx_err md_data_pass_line(struct md_data_file *f, const char **text, size_t *length, bool *ended);

/* The words of a line; *line has its number. */
void md_data_split(const char *text, size_t length, md_data_line *line);

/* Word number `w` of the line as a number. `what` names it in messages. */
mx_err md_data_real(const struct md_data_file *f, const md_data_line *line, int w, const char *what,
                    double *value);
mx_err md_data_whole(const struct md_data_file *f, const md_data_line *line, int w,
                     const char *what, int64_t low, int64_t high, int64_t *value);

/* Do the words from number `from` on, with one blank between them, make this text? */
bool md_data_is(const md_data_line *line, int from, const char *text);

/* Is the word a number? */
bool md_data_is_number(const app_word *word);

/* ---- data_header.c ---- */

/* Reads the header; the title of the first section is f->pending then. */
mx_err md_data_read_header(struct md_data_file *f);

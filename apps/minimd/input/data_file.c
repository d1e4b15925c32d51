/* The sections of a data file. A section that has rows of atoms is given to the caller in pieces;
 * the small ones are read whole. */
#define _POSIX_C_SOURCE 200809L /* stat: a folder opens like a file; strdup */
#include "md_data_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ATOMS, VELOCITIES, MASSES, PAIRS, EACH_PAIR, TITLES };

static const char *const titles[TITLES] = {"Atoms", "Velocities", "Masses", "Pair Coeffs",
                                           "PairIJ Coeffs"};

/* So many lengths of the box may a position be outside: it is moved into the box, and loses
 * digits. */
#define MAX_LENGTHS 1e6

/* ---- rows ---- */

static mx_err fail_words(const struct md_data_file *f, const char *what, const md_data_line *line,
                         const char *expected)
{
    app_shown shown;
    return md_data_fail(f, what, "got %s, expected %s",
                        app_text_show(line->all.text, line->all.length, &shown), expected);
}

/* The next row of a section that has `expected` rows, of which `read` were read. */
static mx_err read_row(struct md_data_file *f, int title, int64_t read, int64_t expected,
                       md_data_line *line)
{
    app_shown shown;
    MX_TRY(md_data_read_line(f, line));
    if (line->end)
        return md_data_fail(f, titles[title],
                            "got the end of the file after %lld rows, expected %lld",
                            (long long)read, (long long)expected);
    if (md_data_is_number(&line->word[0])) return MX_OK;
    return md_data_fail(f, titles[title], "got %s after %lld rows, expected %lld rows",
                        app_text_show(line->all.text, line->all.length, &shown), (long long)read,
                        (long long)expected);
}

static mx_err read_position(const struct md_data_file *f, const md_data_line *line, int d, int w,
                            double *x)
{
    static const char *const names[] = {"x", "y", "z"};
    const double low = f->about.low[d], length = f->about.high[d] - low;
    MX_TRY(md_data_real(f, line, w, names[d], x));
    if (fabs(*x - low) <= MAX_LENGTHS * length) return MX_OK;
    return md_data_fail(f, names[d], "got %g, expected a position near the box, from %g to %g", *x,
                        low, f->about.high[d]);
}

/* id, type, x, y, z; and how often it crossed the sides. */
static mx_err read_atom(struct md_data_file *f, const md_data_line *line, md_data_row *row)
{
    int64_t value;
    *row = (md_data_row){.line = line->number};
    if (line->words != 5 && line->words != 8)
        return fail_words(f, "Atoms", line,
                          "id, type, x, y and z, and no or three whole numbers behind them");
    MX_TRY(md_data_whole(f, line, 0, "id", 1, MD_DATA_MAX_ID, &row->id));
    MX_TRY(md_data_whole(f, line, 1, "type", 1, f->about.types, &value));
    row->type = (int32_t)value - 1;
    for (int d = 0; d < 3; d++) MX_TRY(read_position(f, line, d, 2 + d, &row->value[d]));
    for (int w = 5; w < line->words; w++)
        MX_TRY(md_data_whole(f, line, w, "image flag", INT32_MIN, INT32_MAX, &value));
    return MX_OK;
}

static mx_err read_velocity(struct md_data_file *f, const md_data_line *line, md_data_row *row)
{
    static const char *const names[] = {"vx", "vy", "vz"};
    *row = (md_data_row){.line = line->number, .type = -1};
    if (line->words != 4) return fail_words(f, "Velocities", line, "id, vx, vy and vz");
    MX_TRY(md_data_whole(f, line, 0, "id", 1, MD_DATA_MAX_ID, &row->id));
    for (int d = 0; d < 3; d++) MX_TRY(md_data_real(f, line, 1 + d, names[d], &row->value[d]));
    return MX_OK;
}

/* ---- small sections ---- */

static mx_err read_masses(struct md_data_file *f)
{
    md_data_about *const a = &f->about;
    bool given[MD_MAX_TYPES] = {false};
    for (int n = 0; n < a->types; n++) {
        md_data_line line;
        int64_t type;
        MX_TRY(read_row(f, MASSES, n, a->types, &line));
        if (line.words != 2) return fail_words(f, "Masses", &line, "a type and its mass");
        MX_TRY(md_data_whole(f, &line, 0, "type", 1, a->types, &type));
        double *const mass = &a->mass[type - 1];
        MX_TRY(md_data_real(f, &line, 1, "mass", mass));
        if (!(*mass > 0)) return fail_words(f, "mass", &line, "a mass above 0");
        if (given[type - 1])
            return md_data_fail(f, "Masses", "got type %lld a second time, expected it once",
                                (long long)type);
        given[type - 1] = true;
    }
    a->has_masses = true;
    return MX_OK;
}

/* The numbers behind the types, from word `w` on. */
static mx_err read_coefficients(struct md_data_file *f, const md_data_line *line, int w,
                                md_data_pair *pair)
{
    if (pair->given)
        return fail_words(f, titles[w == 1 ? PAIRS : EACH_PAIR], line, "these types once");
    *pair = (md_data_pair){.given = true};
    MX_TRY(md_data_real(f, line, w, "epsilon", &pair->epsilon));
    MX_TRY(md_data_real(f, line, w + 1, "sigma", &pair->sigma));
    if (line->words > w + 2) {
        MX_TRY(md_data_real(f, line, w + 2, "cutoff", &pair->cutoff));
        if (!(pair->cutoff > 0)) return fail_words(f, "cutoff", line, "a cutoff above 0");
    }
    if (!(pair->epsilon >= 0)) return fail_words(f, "epsilon", line, "0 or more");
    if (!(pair->sigma > 0)) return fail_words(f, "sigma", line, "a sigma above 0");
    return MX_OK;
}

/* Of each type, or with `types` 2 of each pair of types, in either order. */
static mx_err read_pairs(struct md_data_file *f, int types)
{
    md_data_about *const a = &f->about;
    const int title = types == 1 ? PAIRS : EACH_PAIR;
    const int rows = types == 1 ? a->types : a->types * (a->types + 1) / 2;
    if (a->has_pairs)
        return md_data_fail(f, titles[title], "got a second section of pairs, expected one");
    for (int n = 0; n < rows; n++) {
        md_data_line line;
        int64_t type[2];
        MX_TRY(read_row(f, title, n, rows, &line));
        if (line.words != types + 2 && line.words != types + 3)
            return fail_words(f, titles[title], &line,
                              types == 1 ? "a type, epsilon, sigma, and a cutoff or none"
                                         : "two types, epsilon, sigma, and a cutoff or none");
        for (int t = 0; t < types; t++)
            MX_TRY(md_data_whole(f, &line, t, "type", 1, a->types, &type[t]));
        if (types == 1) type[1] = type[0];
        const int64_t i = type[0] < type[1] ? type[0] : type[1];
        const int64_t j = type[0] < type[1] ? type[1] : type[0];
        MX_TRY(read_coefficients(f, &line, types, &a->pair[i - 1][j - 1]));
    }
    a->has_pairs = true;
    a->each_pair = types == 2;
    return MX_OK;
}

/* ---- sections ---- */

static mx_err fail_title(const struct md_data_file *f)
{
    const app_word *const all = &f->pending.all;
    app_nearest nearest = APP_NEAREST_NONE;
    app_shown shown;
    app_text_show(all->text, all->length, &shown);
    if (md_data_is_number(&f->pending.word[0]))
        return md_data_fail(
            f, "section",
            "got %s, expected no more rows here: a section has as many as the header says",
            shown.text);
    for (int t = 0; t < TITLES; t++) app_nearest_offer(&nearest, all->text, all->length, titles[t]);
    return md_data_fail(
        f, "section",
        "got %s, expected %s: minimd knows Atoms, Velocities, Masses, Pair Coeffs and PairIJ Coeffs",
        shown.text, nearest.name ? nearest.name : "one that it knows");
}

static mx_err check_style(const struct md_data_file *f, int title)
{
    const app_word *const style = &f->pending.style;
    const char *const expected = title == ATOMS                         ? "atomic"
                                 : title == PAIRS || title == EACH_PAIR ? "lj/cut"
                                                                        : NULL;
    app_shown shown;
    if (!expected || style->length == 0) return MX_OK;
    if (style->length == strlen(expected) && memcmp(style->text, expected, style->length) == 0)
        return MX_OK;
    return md_data_fail(f, titles[title], "got the style %s, expected %s",
                        app_text_show(style->text, style->length, &shown), expected);
}

/* The section whose title is f->pending. One with rows of atoms is only begun. */
static mx_err begin_section(struct md_data_file *f)
{
    int title = 0;
    while (title < TITLES && !md_data_is(&f->pending, 0, titles[title])) title++;
    if (title == TITLES) return fail_title(f);
    if (f->seen[title])
        return md_data_fail(f, titles[title], "got it a second time, expected it once");
    f->seen[title] = true;
    MX_TRY(check_style(f, title));
    switch (title) {
    case MASSES: MX_TRY(read_masses(f)); break;
    case PAIRS: MX_TRY(read_pairs(f, 1)); break;
    case EACH_PAIR: MX_TRY(read_pairs(f, 2)); break;
    default:
        f->open_section = true;
        f->section = title == ATOMS ? MD_DATA_ATOMS : MD_DATA_VELOCITIES;
        f->rows = 0;
        if (title == VELOCITIES) f->about.has_velocities = true;
        return MX_OK;
    }
    return md_data_read_line(f, &f->pending);
}

/* Rows of the section that is open. */
static mx_err read_rows(struct md_data_file *f, md_data_rows *rows)
{
    const bool atoms = f->section == MD_DATA_ATOMS;
    rows->section = f->section;
    for (; rows->count < MD_DATA_ROWS && f->rows < f->about.atoms; rows->count++, f->rows++) {
        md_data_line line;
        MX_TRY(read_row(f, atoms ? ATOMS : VELOCITIES, f->rows, f->about.atoms, &line));
        MX_TRY((atoms ? read_atom : read_velocity)(f, &line, &rows->row[rows->count]));
    }
    if (f->rows < f->about.atoms) return MX_OK;
    f->open_section = false;
    return md_data_read_line(f, &f->pending);
}

mx_err md_data_next(md_data_file file, md_data_rows *rows)
{
    rows->count = 0;
    while (!file->open_section && !file->pending.end) MX_TRY(begin_section(file));
    if (file->open_section) return read_rows(file, rows);
    if (!file->seen[ATOMS])
        return md_data_fail(file, "Atoms", "got the end of the file, expected the section Atoms");
    return MX_OK;
}

/* ---- opening and closing ---- */

static mx_err open_stream(struct md_data_file *f)
{
    struct stat about;
    MX_REQUIRE(stat(f->path, &about) == 0, MX_ERR_INPUT, "%s: %s, expected a LAMMPS data file",
               f->path, strerror(errno));
    MX_REQUIRE(!S_ISDIR(about.st_mode), MX_ERR_INPUT, "%s: got a folder, expected a file", f->path);
    f->stream = fopen(f->path, "rb");
    MX_REQUIRE(f->stream, MX_ERR_INPUT, "%s: %s, expected a LAMMPS data file", f->path,
               strerror(errno));
    return MX_OK;
}

mx_err md_data_open(const char *path, const char *text, size_t length, md_data_file *file)
{
    *file = NULL;
    md_data_file f = calloc(1, sizeof *f);
    MX_REQUIRE(f, MX_ERR_MEMORY, "no memory to read %s", path);
    f->path = strdup(path);
    mx_err err = f->path ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to read %s", path);
    f->text = text;
    f->text_length = length;
    if (err == MX_OK && !text) err = open_stream(f);
    if (err == MX_OK) err = md_data_read_header(f);
    if (err != MX_OK) md_data_close(&f);
    *file = f;
    return err;
}

const md_data_about *md_data_header(md_data_file file) { return &file->about; }

void md_data_close(md_data_file *file)
{
    if (!file || !*file) return;
    if ((*file)->stream) fclose((*file)->stream);
    free((*file)->path);
    free(*file);
    *file = NULL;
}

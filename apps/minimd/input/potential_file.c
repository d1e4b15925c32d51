/* Reads potential files: funcfl and setfl (md_potential.h). No number is skipped: only comments,
 * and words behind the last number of a line. Room is taken only for as many values as the rest
 * of the file can have. */
#include "input/text.h"
#include "md_potential.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *name;
    const char *at, *end;
    long line; /* that `at` stands on */
    md_potential *potential;
} reader;

typedef struct word {
    const char *text;
    size_t length; /* 0: the end of the file */
    long line;
} word;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static mx_err
fail(const reader *x, long line, const char *part, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return MX_FAIL(MX_ERR_INPUT, "%s:%ld: %s: %s", x->name, line, part, text);
}

/* ---- words ---- */

static void pass_blanks(reader *x)
{
    while (x->at < x->end && app_text_is_blank(*x->at)) x->at++;
}

/* A comment ends what is read of a line. */
static bool at_line_end(const reader *x)
{
    return x->at == x->end || *x->at == '\n' || *x->at == '#';
}

/* The next word of this line; of length 0 at its end. */
static word line_word(reader *x)
{
    pass_blanks(x);
    word w = {.text = x->at, .line = x->line};
    while (!at_line_end(x) && !app_text_is_blank(*x->at)) x->at++;
    w.length = (size_t)(x->at - w.text);
    return w;
}

static void pass_line(reader *x)
{
    while (x->at < x->end && *x->at != '\n') x->at++;
    if (x->at == x->end) return;
    x->at++;
    x->line++;
}

/* To the next line with a word. */
static void find_line(reader *x)
{
    pass_blanks(x);
    while (at_line_end(x) && x->at < x->end) {
        pass_line(x);
        pass_blanks(x);
    }
}

/* The next word of the file. */
static word file_word(reader *x)
{
    find_line(x);
    return line_word(x);
}

static mx_err fail_word(const reader *x, const word *w, const char *part, const char *expected)
{
    app_shown shown;
    if (w->length > 0)
        return fail(x, w->line, part, "got %s, expected %s",
                    app_text_show(w->text, w->length, &shown), expected);
    return fail(x, w->line, part, "got the end of the %s, expected %s",
                x->at == x->end ? "file" : "line", expected);
}

/* ---- numbers ---- */

static mx_err read_real(const reader *x, const word *w, const char *part, const char *expected,
                        double *value)
{
    return app_text_real(w->text, w->length, value) == APP_NUMBER_OK
               ? MX_OK
               : fail_word(x, w, part, expected);
}

static mx_err read_positive(reader *x, const char *part, double *value)
{
    static const char expected[] = "a number above 0";
    const word w = line_word(x);
    MX_TRY(read_real(x, &w, part, expected, value));
    return *value > 0 ? MX_OK : fail_word(x, &w, part, expected);
}

static mx_err read_whole(reader *x, const char *part, int low, int high, int *value)
{
    char expected[64];
    int64_t number = 0;
    const word w = line_word(x);
    snprintf(expected, sizeof expected, "a whole number from %d to %d", low, high);
    if (app_text_whole(w.text, w.length, &number) != APP_NUMBER_OK || number < low || number > high)
        return fail_word(x, &w, part, expected);
    *value = (int)number;
    return MX_OK;
}

static bool is_number(const word *w)
{
    double value;
    return app_text_real(w->text, w->length, &value) != APP_NUMBER_SYNTAX;
}

/* Behind the last number of a line may stand words, but no number. */
static mx_err end_line(reader *x, const char *part)
{
    const word w = line_word(x);
    if (is_number(&w)) return fail_word(x, &w, part, "the end of the line");
    pass_line(x);
    return MX_OK;
}

/* `count` values on as many lines as they take; behind the last one stands no further number. */
static mx_err read_values(reader *x, const char *part, int count, double *values)
{
    for (int i = 0; i < count; i++) {
        char expected[64];
        const word w = file_word(x);
        snprintf(expected, sizeof expected, "value %d of %d, at most 1e100 in size", i + 1, count);
        MX_TRY(read_real(x, &w, part, expected, &values[i]));
        if (fabs(values[i]) > 1e100) return fail_word(x, &w, part, expected);
    }
    return end_line(x, part);
}

/* ---- parts ---- */

/* "number mass lattice-constant lattice": the lattice is a word, and may be absent. */
static mx_err read_element(reader *x, md_element *element)
{
    find_line(x);
    MX_TRY(read_whole(x, "atomic number", 0, 118, &element->number));
    MX_TRY(read_positive(x, "mass", &element->mass));
    const word w = line_word(x);
    MX_TRY(read_real(x, &w, "lattice constant", "a number", &element->lattice_constant));
    const word lattice = line_word(x);
    if (is_number(&lattice)) return fail_word(x, &lattice, "lattice", "a word such as fcc");
    pass_line(x);
    return MX_OK;
}

static mx_err fail_dialect(const reader *x, const char *dialect)
{
    return MX_FAIL(
        MX_ERR_INPUT,
        "%s:%ld: potential: got the dialect %s, expected funcfl (LAMMPS: eam), setfl (eam/alloy) or "
        "eam/fs",
        x->name, x->line, dialect);
}

/* "nrho drho nr dr cutoff" */
static mx_err read_grid(reader *x)
{
    md_potential *const p = x->potential;
    find_line(x);
    const long line = x->line;
    MX_TRY(read_whole(x, "nrho", MD_MIN_KNOTS, MD_MAX_KNOTS, &p->rho_knots));
    MX_TRY(read_positive(x, "drho", &p->rho_step));
    MX_TRY(read_whole(x, "nr", MD_MIN_KNOTS, MD_MAX_KNOTS, &p->r_knots));
    MX_TRY(read_positive(x, "dr", &p->r_step));
    MX_TRY(read_positive(x, "cutoff", &p->cutoff));
    /* eam/he has the highest density as a sixth number */
    const word sixth = line_word(x);
    if (is_number(&sixth) && p->form != MD_FUNCFL) return fail_dialect(x, "eam/he");
    if (is_number(&sixth)) return fail_word(x, &sixth, "cutoff", "the end of the line");
    pass_line(x);
    /* some files end one step before the cutoff, where the functions are 0 anyway; the steps are
     * rounded */
    const double longest = p->r_knots * p->r_step * (1 + 1e-6);
    if (!isfinite(p->rho_knots * p->rho_step) || !isfinite(longest) || p->cutoff > longest)
        return fail(x, line, "cutoff", "got %g, expected at most nr * dr = %g", p->cutoff,
                    p->r_knots * p->r_step);
    return MX_OK;
}

/* How many functions f there are. */
static int density_tables(const md_potential *p)
{
    return p->form == MD_SETFL_FS ? p->elements * p->elements : p->elements;
}

/* All arrays. A value takes two characters of the file at least. */
static mx_err make_room(reader *x)
{
    md_potential *const p = x->potential;
    const size_t n = (size_t)p->elements, rho = n * (size_t)p->rho_knots, r = (size_t)p->r_knots;
    const size_t densities = (size_t)density_tables(p);
    const size_t total = rho + (densities + (size_t)md_pairs(p->elements)) * r;
    const size_t left = (size_t)(x->end - x->at) / 2 + 1;
    if (total > left)
        return fail(
            x, x->line, "values",
            "got a file with room for at most %zu, expected %zu: %d elements, nrho %d, nr %d", left,
            total, p->elements, p->rho_knots, p->r_knots);
    p->values = malloc(total * sizeof *p->values);
    if (!p->values) return MX_FAIL(MX_ERR_MEMORY, "%s: no memory for %zu values", x->name, total);
    p->embedding = p->values;
    p->density = p->embedding + rho;
    p->pair = p->density + densities * r;
    return MX_OK;
}

static mx_err read_funcfl(reader *x)
{
    md_potential *const p = x->potential;
    p->elements = 1;
    pass_line(x);
    MX_TRY(read_element(x, &p->element[0]));
    strcpy(p->element[0].name, md_element_symbol(p->element[0].number));
    MX_TRY(read_grid(x));
    MX_TRY(make_room(x));
    MX_TRY(read_values(x, "F(rho)", p->rho_knots, p->embedding));
    MX_TRY(read_values(x, "Z(r)", p->r_knots, p->pair)); /* not yet r phi(r) */
    return read_values(x, "f(r)", p->r_knots, p->density);
}

/* "n name ..." */
static mx_err read_names(reader *x)
{
    md_potential *const p = x->potential;
    find_line(x);
    MX_TRY(read_whole(x, "elements", 1, MD_MAX_ELEMENTS, &p->elements));
    for (int i = 0; i < p->elements; i++) {
        md_element *const e = &p->element[i];
        const word w = line_word(x);
        if (w.length == 0 || w.length >= sizeof e->name || !isalpha((unsigned char)w.text[0]))
            return fail_word(x, &w, "elements", "the name of an element");
        memcpy(e->name, w.text, w.length);
    }
    const word w = line_word(x);
    if (w.length > 0) return fail_word(x, &w, "elements", "the end of the line");
    pass_line(x);
    return MX_OK;
}

/* The same rules as read_values has, without the values: is there a part of `count`? */
static bool pass_values(reader *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const word w = file_word(x);
        if (!is_number(&w)) return false;
    }
    const word behind = line_word(x);
    if (is_number(&behind)) return false;
    pass_line(x);
    return true;
}

/* How far the file has the parts of a form; what is behind them is not a number if *whole. */
static const char *pass_parts(reader x, int densities, int pair_tables, bool *whole)
{
    const md_potential *const p = x.potential;
    bool good = true;
    for (int i = 0; i < p->elements && good; i++) {
        find_line(&x);
        good = pass_values(&x, 3) && pass_values(&x, p->rho_knots);
        for (int j = 0; j < densities && good; j++) good = pass_values(&x, p->r_knots);
    }
    for (int i = 0; i < pair_tables && good; i++) good = pass_values(&x, p->r_knots);
    const char *const end = x.at;
    const word rest = file_word(&x);
    *whole = good && !is_number(&rest);
    return end;
}

/* eam/alloy has n functions f and n (n + 1) / 2 pair potentials behind F of n elements, eam/fs
 * has n^2 functions f, adp three tables for each pair. So a file has all parts of one form at
 * most, for n > 1. Where it has those of none, the message is that of the form of which it has
 * more. */
static mx_err choose_form(reader *x)
{
    md_potential *const p = x->potential;
    const int n = p->elements, pairs = md_pairs(n);
    bool alloy, fs, adp;
    const char *const alloy_end = pass_parts(*x, 1, pairs, &alloy);
    const char *const fs_end = pass_parts(*x, n, pairs, &fs);
    (void)pass_parts(*x, 1, 3 * pairs, &adp);
    if (adp) return fail_dialect(x, "adp");
    if (n > 1 && (fs || (!alloy && fs_end > alloy_end))) p->form = MD_SETFL_FS;
    return MX_OK;
}

static mx_err read_setfl(reader *x)
{
    md_potential *const p = x->potential;
    for (int i = 0; i < 3; i++) pass_line(x);
    MX_TRY(read_names(x));
    MX_TRY(read_grid(x));
    MX_TRY(choose_form(x));
    MX_TRY(make_room(x));
    const size_t rho = (size_t)p->rho_knots, r = (size_t)p->r_knots;
    const int densities = density_tables(p) / p->elements;
    double *density = p->density;
    for (int i = 0; i < p->elements; i++) {
        MX_TRY(read_element(x, &p->element[i]));
        MX_TRY(read_values(x, "F(rho)", p->rho_knots, p->embedding + (size_t)i * rho));
        for (int j = 0; j < densities; j++, density += r)
            MX_TRY(read_values(x, "f(r)", p->r_knots, density));
    }
    for (int i = 0; i < md_pairs(p->elements); i++)
        MX_TRY(read_values(x, "r phi(r)", p->r_knots, p->pair + (size_t)i * r));
    return MX_OK;
}

/* The first line behind three lines has a number and a name in setfl; in funcfl it has values,
 * or what its header has. */
static bool is_setfl(reader x)
{
    for (int i = 0; i < 3; i++) pass_line(&x);
    (void)file_word(&x);
    const word second = line_word(&x);
    return second.length > 0 && isalpha((unsigned char)second.text[0]);
}

static mx_err check_bytes(reader x)
{
    while (x.at < x.end) {
        const char *const start = x.at, *const end = memchr(start, '\n', (size_t)(x.end - start));
        const char *const control =
            app_text_find_control(start, (size_t)((end ? end : x.end) - start));
        app_shown shown;
        if (control)
            return fail(&x, x.line, "text", "got the byte %s, expected a text file",
                        app_text_show(control, 1, &shown));
        pass_line(&x);
    }
    return MX_OK;
}

/* Behind the parts of eam/alloy, eam/cd has a line with the number of a polynomial's coefficients,
 * and these. */
static bool has_polynomial(reader x)
{
    int64_t count = 0;
    const word first = file_word(&x);
    if (app_text_whole(first.text, first.length, &count) != APP_NUMBER_OK || count < 1)
        return false;
    for (word w = line_word(&x); is_number(&w); w = line_word(&x)) count--;
    return count == 0;
}

/* A file of funcfl is not yet resampled. */
static mx_err parse(reader *x)
{
    md_potential *const p = x->potential;
    MX_TRY(check_bytes(*x));
    p->form = is_setfl(*x) ? MD_SETFL : MD_FUNCFL;
    MX_TRY(p->form == MD_SETFL ? read_setfl(x) : read_funcfl(x));
    if (p->form == MD_SETFL && has_polynomial(*x)) return fail_dialect(x, "eam/cd");
    const word rest = file_word(x);
    return is_number(&rest) ? fail_word(x, &rest, "end", "the end of the file") : MX_OK;
}

/* What LAMMPS has beside funcfl, setfl and eam/fs, by the endings that its files have. NULL:
 * none of these. */
static const char *dialect_of(const char *name)
{
    static const struct {
        const char *ending, *dialect;
    } known[] = {{".adp", "adp"}, {".he", "eam/he"}, {".cdeam", "eam/cd"}, {".meam", "meam"}};
    const char *const slash = strrchr(name, '/');
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *const at = strstr(slash ? slash : name, known[i].ending);
        const char after = at ? at[strlen(known[i].ending)] : 'x';
        if (after == '\0' || after == '.') return known[i].dialect;
    }
    return NULL;
}

static mx_err parse_file(const md_potential_text *file, md_potential *potential)
{
    *potential = (md_potential){.elements = 0};
    reader x = {.name = file->name,
                .at = file->text,
                .end = file->text + file->length,
                .line = 1,
                .potential = potential};
    const mx_err err = parse(&x);
    if (err == MX_OK) return MX_OK;
    const char *const dialect = err == MX_ERR_INPUT ? dialect_of(file->name) : NULL;
    md_potential_free(potential);
    return dialect ? fail_dialect(&x, dialect) : err;
}

static mx_err parse_each(const md_potential_text *files, int count, md_potential *each)
{
    for (int i = 0; i < count; i++) {
        MX_TRY(parse_file(&files[i], &each[i]));
        MX_REQUIRE(count == 1 || each[i].form == MD_FUNCFL, MX_ERR_INPUT,
                   "%s: got a setfl file, expected a funcfl file where there are several",
                   files[i].name);
    }
    return MX_OK;
}

int md_potential_count(const char *list)
{
    int count = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || count == MD_MAX_ELEMENTS) return 0;
        count++;
        at += length;
        if (*at == '\0') return count;
    }
}

md_potential_copy md_potential_copy_of(int file)
{
    md_potential_copy copy = {"potential"};
    if (file > 0) snprintf(copy.name, sizeof copy.name, "potential_%d", file + 1);
    return copy;
}

mx_err md_potential_parse_all(const md_potential_text *files, int count, md_potential *potential)
{
    md_potential each[MD_MAX_ELEMENTS] = {{.elements = 0}};
    *potential = (md_potential){.elements = 0};
    MX_REQUIRE(count >= 1 && count <= MD_MAX_ELEMENTS, MX_ERR_INPUT,
               "potential: got %d files, expected 1 to %d", count, MD_MAX_ELEMENTS);
    mx_err err = parse_each(files, count, each);
    if (err == MX_OK && each[0].form != MD_FUNCFL) {
        *potential = each[0];
        return MX_OK;
    }
    if (err == MX_OK) err = md_combine_funcfl(each, count, potential);
    if (err != MX_OK) *potential = (md_potential){.elements = 0};
    for (int i = 0; i < count; i++) md_potential_free(&each[i]);
    return err;
}

mx_err md_potential_parse(const char *name, const char *text, size_t length,
                          md_potential *potential)
{
    const md_potential_text file = {.name = name, .text = text, .length = length};
    return md_potential_parse_all(&file, 1, potential);
}

void md_potential_free(md_potential *potential)
{
    free(potential->values);
    *potential = (md_potential){.elements = 0};
}

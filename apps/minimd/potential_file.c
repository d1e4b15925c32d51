/* Reads potential files: funcfl and setfl (md_potential.h). Every word is looked at, nothing is
 * skipped but comments, and room is taken only for as many values as the rest of the file can
 * have. */
#include "md_potential.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hartree in eV, and Bohr's radius in Angstrom, as rounded by those who tabulate funcfl files. */
#define HARTREE 27.2
#define BOHR 0.529

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

static bool at_line_end(const reader *x) { return x->at == x->end || *x->at == '\n'; }

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
    while (!at_line_end(x)) x->at++;
    if (x->at == x->end) return;
    x->at++;
    x->line++;
}

/* The next word of the file. */
static word file_word(reader *x)
{
    for (;;) {
        const word w = line_word(x);
        if (w.length > 0 || x->at == x->end) return w;
        pass_line(x);
    }
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

static mx_err end_line(reader *x, const char *part)
{
    const word w = line_word(x);
    if (w.length > 0) return fail_word(x, &w, part, "the end of the line");
    pass_line(x);
    return MX_OK;
}

/* `count` values on as many lines as they take; behind the last one the line ends. */
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
    MX_TRY(read_whole(x, "atomic number", 0, 118, &element->number));
    MX_TRY(read_positive(x, "mass", &element->mass));
    const word w = line_word(x);
    MX_TRY(read_real(x, &w, "lattice constant", "a number", &element->lattice_constant));
    const word lattice = line_word(x);
    if (lattice.length > 0 && !isalpha((unsigned char)lattice.text[0]))
        return fail_word(x, &lattice, "lattice", "a word such as fcc");
    return end_line(x, "lattice");
}

/* "nrho drho nr dr cutoff" */
static mx_err read_grid(reader *x)
{
    md_potential *const p = x->potential;
    const long line = x->line;
    MX_TRY(read_whole(x, "nrho", MD_MIN_KNOTS, MD_MAX_KNOTS, &p->rho_knots));
    MX_TRY(read_positive(x, "drho", &p->rho_step));
    MX_TRY(read_whole(x, "nr", MD_MIN_KNOTS, MD_MAX_KNOTS, &p->r_knots));
    MX_TRY(read_positive(x, "dr", &p->r_step));
    MX_TRY(read_positive(x, "cutoff", &p->cutoff));
    MX_TRY(end_line(x, "cutoff"));
    /* some files end one step before the cutoff, where the functions are 0 anyway; the steps are
     * rounded */
    const double longest = p->r_knots * p->r_step * (1 + 1e-6);
    if (!isfinite(p->rho_knots * p->rho_step) || !isfinite(longest) || p->cutoff > longest)
        return fail(x, line, "cutoff", "got %g, expected at most nr * dr = %g", p->cutoff,
                    p->r_knots * p->r_step);
    return MX_OK;
}

/* All arrays. A value takes two characters of the file at least. */
static mx_err make_room(reader *x)
{
    md_potential *const p = x->potential;
    const size_t n = (size_t)p->elements, rho = n * (size_t)p->rho_knots, r = (size_t)p->r_knots;
    const size_t total = rho + (n + (size_t)md_pairs(p->elements)) * r;
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
    p->pair = p->density + n * r;
    return MX_OK;
}

static mx_err read_funcfl(reader *x)
{
    md_potential *const p = x->potential;
    p->elements = 1;
    pass_line(x);
    MX_TRY(read_element(x, &p->element[0]));
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
    MX_TRY(read_whole(x, "elements", 1, MD_MAX_ELEMENTS, &p->elements));
    for (int i = 0; i < p->elements; i++) {
        md_element *const e = &p->element[i];
        const word w = line_word(x);
        if (w.length == 0 || w.length >= sizeof e->name || !isalpha((unsigned char)w.text[0]))
            return fail_word(x, &w, "elements", "the name of an element");
        memcpy(e->name, w.text, w.length);
    }
    return end_line(x, "elements");
}

static mx_err read_setfl(reader *x)
{
    md_potential *const p = x->potential;
    for (int i = 0; i < 3; i++) pass_line(x);
    MX_TRY(read_names(x));
    MX_TRY(read_grid(x));
    MX_TRY(make_room(x));
    const size_t rho = (size_t)p->rho_knots, r = (size_t)p->r_knots;
    for (int i = 0; i < p->elements; i++) {
        MX_TRY(read_element(x, &p->element[i]));
        MX_TRY(read_values(x, "F(rho)", p->rho_knots, p->embedding + (size_t)i * rho));
        MX_TRY(read_values(x, "f(r)", p->r_knots, p->density + (size_t)i * r));
    }
    for (int i = 0; i < md_pairs(p->elements); i++)
        MX_TRY(read_values(x, "r phi(r)", p->r_knots, p->pair + (size_t)i * r));
    return MX_OK;
}

/* Line 4 of setfl has a name behind its first word; of funcfl, values. */
static bool is_setfl(reader x)
{
    for (int i = 0; i < 3; i++) pass_line(&x);
    (void)line_word(&x);
    const word second = line_word(&x);
    return second.length > 0 && isalpha((unsigned char)second.text[0]);
}

/* Tables as the original makes them: with the file's steps, of one knot less than the file has. */
static mx_err make_funcfl_tables(md_potential *p)
{
    const int rho = p->rho_knots - 1, r = p->r_knots - 1;
    md_potential to = *p;
    to.values = malloc((size_t)(rho + 2 * r) * sizeof *to.values);
    if (!to.values) return MX_FAIL(MX_ERR_MEMORY, "no memory for the tables of a potential");
    to.rho_knots = rho;
    to.r_knots = r;
    to.embedding = to.values;
    to.density = to.embedding + rho;
    to.pair = to.density + r;
    md_resample(p->embedding, rho + 1, p->rho_step, to.embedding, rho, p->rho_step);
    md_resample(p->density, r + 1, p->r_step, to.density, r, p->r_step);
    md_resample(p->pair, r + 1, p->r_step, to.pair, r, p->r_step);
    for (int k = 0; k < r; k++) to.pair[k] *= HARTREE * BOHR * to.pair[k];
    free(p->values);
    *p = to;
    return MX_OK;
}

static mx_err parse(reader *x)
{
    md_potential *const p = x->potential;
    p->form = is_setfl(*x) ? MD_SETFL : MD_FUNCFL;
    MX_TRY(p->form == MD_SETFL ? read_setfl(x) : read_funcfl(x));
    const word rest = file_word(x);
    if (rest.length > 0) return fail_word(x, &rest, "end", "the end of the file");
    return p->form == MD_FUNCFL ? make_funcfl_tables(p) : MX_OK;
}

mx_err md_potential_parse(const char *name, const char *text, size_t length,
                          md_potential *potential)
{
    *potential = (md_potential){.elements = 0};
    reader x = {.name = name, .at = text, .end = text + length, .line = 1, .potential = potential};
    const mx_err err = parse(&x);
    if (err != MX_OK) md_potential_free(potential);
    return err;
}

void md_potential_free(md_potential *potential)
{
    free(potential->values);
    *potential = (md_potential){.elements = 0};
}

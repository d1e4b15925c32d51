/* The header of a data file: lines "NUMBERS KEYWORD", in any order, up to the first section. */
#include "md_data_private.h"

#include <math.h>
#include <string.h>

static const char *const sides[] = {"xlo xhi", "ylo yhi", "zlo zhi"};

/* Numbers of what minimd has not: they must be 0. */
static const char *const absent[] = {"bonds",      "angles", "dihedrals", "impropers",
                                     "ellipsoids", "lines",  "triangles", "bodies"};

/* Numbers that say nothing about atoms, nor about what there is between them. */
static const char *const without_effect[] = {"bond types",
                                             "angle types",
                                             "dihedral types",
                                             "improper types",
                                             "extra bond per atom",
                                             "extra angle per atom",
                                             "extra dihedral per atom",
                                             "extra improper per atom",
                                             "extra special per atom"};

static int leading_numbers(const md_data_line *line)
{
    int n = 0;
    while (n < line->words && n < MD_DATA_WORDS && md_data_is_number(&line->word[n])) n++;
    return n;
}

static mx_err fail_twice(const struct md_data_file *f, const char *what)
{
    return md_data_fail(f, what, "got it a second time, expected it once");
}

static mx_err read_side(struct md_data_file *f, const md_data_line *line, int d)
{
    md_data_about *const a = &f->about;
    if (f->side_given[d]) return fail_twice(f, sides[d]);
    f->side_given[d] = true;
    MX_TRY(md_data_real(f, line, 0, sides[d], &a->low[d]));
    MX_TRY(md_data_real(f, line, 1, sides[d], &a->high[d]));
    const double length = a->high[d] - a->low[d];
    if (length > 0 && isnormal(length * length * length)) return MX_OK;
    return md_data_fail(f, sides[d],
                        "got %g and %g, expected a side whose cube double precision can hold",
                        a->low[d], a->high[d]);
}

static mx_err read_tilt(const struct md_data_file *f, const md_data_line *line)
{
    app_shown shown;
    for (int w = 0; w < 3; w++) {
        double tilt;
        MX_TRY(md_data_real(f, line, w, "xy xz yz", &tilt));
        if (tilt != 0)
            return md_data_fail(f, "xy xz yz", "got %s, expected 0: the box must not be tilted",
                                app_text_show(line->word[w].text, line->word[w].length, &shown));
    }
    return MX_OK;
}

/* The name among these that stands behind a number; NULL: none. */
static const char *find_name(const md_data_line *line, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (md_data_is(line, 1, names[i])) return names[i];
    return NULL;
}

/* A number of something; *found: the line is one. */
static mx_err read_count(struct md_data_file *f, const md_data_line *line, bool *found)
{
    int64_t count;
    *found = true;
    if (md_data_is(line, 1, "atoms")) {
        if (f->atoms_given) return fail_twice(f, "atoms");
        f->atoms_given = true;
        return md_data_whole(f, line, 0, "atoms", 1, MD_DATA_MAX_ID, &f->about.atoms);
    }
    if (md_data_is(line, 1, "atom types")) {
        if (f->types_given) return fail_twice(f, "atom types");
        f->types_given = true;
        MX_TRY(md_data_whole(f, line, 0, "atom types", 1, MD_MAX_TYPES, &count));
        f->about.types = (int)count;
        return MX_OK;
    }
    const char *name = find_name(line, absent, sizeof absent / sizeof absent[0]);
    if (name) return md_data_whole(f, line, 0, name, 0, 0, &count);
    name = find_name(line, without_effect, sizeof without_effect / sizeof without_effect[0]);
    if (name) return md_data_whole(f, line, 0, name, 0, INT32_MAX, &count);
    *found = false;
    return MX_OK;
}

static mx_err fail_line(const struct md_data_file *f, const md_data_line *line)
{
    app_shown shown;
    return md_data_fail(f, "header",
                        "got %s, expected a line as \"100 atoms\", \"1 atom types\" or "
                        "\"0 10 xlo xhi\", or a section",
                        app_text_show(line->all.text, line->all.length, &shown));
}

/* A line that begins with a number. */
static mx_err read_header_line(struct md_data_file *f, const md_data_line *line)
{
    const int numbers = leading_numbers(line);
    bool found = false;
    if (numbers == 1) MX_TRY(read_count(f, line, &found));
    if (found) return MX_OK;
    for (int d = 0; d < 3; d++)
        if (numbers == 2 && md_data_is(line, 2, sides[d])) return read_side(f, line, d);
    if (numbers == 3 && md_data_is(line, 3, "xy xz yz")) return read_tilt(f, line);
    return fail_line(f, line);
}

static bool looks_like_header(const md_data_line *line)
{
    const int numbers = leading_numbers(line);
    if (numbers == 1)
        return md_data_is(line, 1, "atoms") || md_data_is(line, 1, "atom types") ||
               find_name(line, absent, sizeof absent / sizeof absent[0]) ||
               find_name(line, without_effect, sizeof without_effect / sizeof without_effect[0]);
    for (int d = 0; d < 3; d++)
        if (numbers == 2 && md_data_is(line, 2, sides[d])) return true;
    return numbers == 3 && md_data_is(line, 3, "xy xz yz");
}

/* Line 1 is a title, which is not read. If it looks like a line of the header, the title was left
 * out, and messages about what is missing say so. */
static mx_err read_title(struct md_data_file *f)
{
    const char *text;
    size_t length;
    bool ended;
    app_shown shown;
    md_data_line line = {.number = 1};
    MX_TRY(md_data_pass_line(f, &text, &length, &ended));
    md_data_split(text, length, &line);
    if (looks_like_header(&line))
        snprintf(f->title, sizeof f->title, "; line 1, %s, is a title, which is not read",
                 app_text_show(line.all.text, line.all.length, &shown));
    return MX_OK;
}

static mx_err fail_missing(const struct md_data_file *f, const char *what, const char *got,
                           const char *expected)
{
    return md_data_fail(f, what, "got no %s, expected a line \"%s %s\" in the header%s", got,
                        expected, what, f->title);
}

static mx_err check_complete(const struct md_data_file *f)
{
    if (!f->atoms_given) return fail_missing(f, "atoms", "number of atoms", "N");
    if (!f->types_given) return fail_missing(f, "atom types", "number of types", "N");
    for (int d = 0; d < 3; d++)
        if (!f->side_given[d]) return fail_missing(f, sides[d], "side of the box", "LOW HIGH");
    return MX_OK;
}

mx_err md_data_read_header(struct md_data_file *f)
{
    MX_TRY(read_title(f));
    for (;;) {
        MX_TRY(md_data_read_line(f, &f->pending));
        if (f->pending.end || !md_data_is_number(&f->pending.word[0])) break;
        MX_TRY(read_header_line(f, &f->pending));
    }
    return check_complete(f);
}

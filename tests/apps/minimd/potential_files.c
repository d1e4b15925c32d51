/* Files of miniMD's potentials: what the reader takes and what it refuses, with which message, and
 * which element each type of atoms is. Nothing runs in parallel, so neither ranks nor backends
 * matter. */
#include "input/md_potential.h"
#include "potential_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bad files ---- */

#define GRID "6 0.5 6 0.5 3.0\n"
#define SIX "1 2 3 4 5 6\n"
#define FUNCFL "comment\n29 63.5 3.6 fcc\n" GRID SIX SIX SIX
#define SETFL "a\nb\nc\n1 Cu\n" GRID "29 63.5 3.6 fcc\n" SIX SIX SIX

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "p:1: atomic number: got the end of the file, expected a whole number from 0 to 118"},
    {"comment\n", "p:2: atomic number: got the end of the file"},
    {"c\nx 63.5 3.6 fcc\n" GRID, "p:2: atomic number: got \"x\""},
    {"c\n29 0 3.6 fcc\n" GRID, "p:2: mass: got \"0\", expected a number above 0"},
    {"c\n29\n63.5 3.6\n" GRID, "p:2: mass: got the end of the line"},
    {"c\n29 63.5 nan fcc\n" GRID, "p:2: lattice constant: got \"nan\""},
    {"c\n29 63.5 3.6 4\n" GRID, "p:2: lattice: got \"4\", expected a word such as fcc"},
    {"c\n29 63.5 3.6 fcc\n6.0 0.5 6 0.5 3.0\n", "p:3: nrho: got \"6.0\""},
    {"c\n29 63.5 3.6 fcc\n5 0.5 6 0.5 3.0\n",
     "p:3: nrho: got \"5\", expected a whole number from 6 to 1000000"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 1000001 0.5 3.0\n", "p:3: nr: got \"1000001\""},
    {"c\n29 63.5 3.6 fcc\n6 -0.5 6 0.5 3.0\n", "p:3: drho: got \"-0.5\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0 3.0\n", "p:3: dr: got \"0\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3.5\n", "p:3: cutoff: got 3.5, expected at most nr * dr = 3"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5\n", "p:3: cutoff: got the end of the line"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3 1\n",
     "p:3: cutoff: got \"1\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n1000 0.5 1000 0.5 3\n" SIX,
     "p:4: values: got a file with room for at most 7, expected 3000"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3\n4 5 six\n" SIX SIX,
     "p:5: F(rho): got \"six\", expected value 6 of 6"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3 4 5 6 7\n" SIX SIX,
     "p:4: F(rho): got \"7\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n" GRID SIX "1 2 3 4 5 1e101\n" SIX,
     "p:5: Z(r): got \"1e101\", expected value 6 of 6, at most 1e100"},
    {"c\n29 63.5 3.6 fcc\n" GRID SIX SIX "1 2 3 4 5                                \n",
     "p:7: f(r): got the end of the file, expected value 6 of 6"},
    {FUNCFL "7\n", "p:7: end: got \"7\", expected the end of the file"},
    {"a\nb\nc\n9 Cu\n" GRID, "p:4: elements: got \"9\", expected a whole number from 1 to 8"},
    {"a\nb\nc\n2 Cu\n" GRID, "p:4: elements: got the end of the line, expected the name"},
    {"a\nb\nc\n1 Cu Ni\n" GRID, "p:4: elements: got \"Ni\", expected the end of the line"},
    {"a\nb\nc\n1 Cuprum_of_a_long_name\n" GRID, "p:4: elements: got \"Cuprum_of_a_long_name\""},
    {"a\nb\nc\n1 Cu\n6 0.5 6 0.5 4\n", "p:5: cutoff: got 4"},
    {"a\nb\nc\n1 Cu\n" GRID SIX SIX SIX, "p:6: lattice: got \"4\", expected a word"},
    {"a\nb\nc\n1 Cu\n" GRID "29 63.5 3.6 fcc\n" SIX SIX "1 2 3 4 \0016 5\n",
     "p:9: text: got the byte \"\\x01\", expected a text file"},
    {"c # \033[31m\n29 63.5 3.6 fcc\n" GRID SIX SIX SIX, "p:1: text: got the byte \"\\x1b\""},
    {FUNCFL "# \177", "p:7: text: got the byte \"\\x7f\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3 # 1\n1 2 3 4 5 # 6\n" SIX SIX,
     "p:5: F(rho): got \"2\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3 4 5 6 seven\n1 2 three 4 5 6\n" SIX,
     "p:5: Z(r): got \"three\", expected value 3 of 6"},
    {"a\nb\nc\n1 Cu name\n" GRID, "p:4: elements: got \"name\", expected the end of the line"},
    {SETFL SIX, "p:10: end: got \"1\", expected the end of the file"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        md_potential p;
        const mx_err err = md_potential_parse("p", bad[i].text, strlen(bad[i].text), &p);
        const char *const message = err == MX_OK ? "" : mx_err_message();
        if (err == MX_ERR_INPUT && strncmp(message, bad[i].message, strlen(bad[i].message)) == 0 &&
            p.values == NULL)
            continue;
        fprintf(stderr, "bad file %zu: got \"%s\", expected \"%s\"\n", i, message, bad[i].message);
        failures++;
    }
}

/* A file that ends early is an error wherever it ends. */
static void test_cut(const char *text)
{
    md_potential p;
    const size_t length = strlen(text);
    for (size_t n = 0; n < length; n++) {
        const mx_err err = md_potential_parse("p", text, n, &p);
        md_potential_free(&p);
        if (err == MX_ERR_INPUT || n + 1 == length) continue; /* the last line end may be absent */
        fprintf(stderr, "cut behind %zu characters: got no error\n", n);
        failures++;
    }
    if (md_potential_parse("p", text, length, &p) != MX_OK) failures++;
    check("Z(r) or r phi(r)", p.pair[1], p.form == MD_SETFL ? 2 : 27.2 * 0.529 * 4, 1e-12);
    check("knots", p.r_knots, p.form == MD_SETFL ? 6 : 5, 0);
    md_potential_free(&p);
}

/* ---- what LAMMPS reads, too ---- */

static void read_text(const char *name, const char *text, md_potential *p)
{
    if (md_potential_parse(name, text, strlen(text), p) == MX_OK) return;
    fprintf(stderr, "%s\n", mx_err_message());
    exit(1);
}

static void expect_error(const char *what, mx_err err, const char *message)
{
    if (err == MX_ERR_INPUT && strstr(mx_err_message(), message)) return;
    fprintf(stderr, "%s: got \"%s\", expected \"%s\"\n", what,
            err == MX_OK ? "no error" : mx_err_message(), message);
    failures++;
}

/* Comments, and words behind the last number of a line, wherever they may stand. */
static void test_comments(void)
{
    static const char *const same[] = {
        FUNCFL,
        "# c\n# more\n\n29 63.5 3.6 fcc  Cu by hand 4\n# grid\n6 0.5 6 0.5 3.0 nrho drho\n# F\n" SIX
        "  # Z\n1 2 3# 4\n4 5 6 Z(r) 7\n1 2 3 4 5 6 f\nend of the file\n# 7\n",
    };
    static const char *const alloys[] = {
        SETFL,
        "a\nb\nc\n# names\n\n1 Cu # Ni\n6 0.5 6 0.5 3.0 # nrho\n29 63.5 3.6 fcc # Cu\n1 2 3 # 4\n#\n4 5 6 "
        "F\n1 2 3 4 5 6 # 7\n\n" SIX "# end",
    };
    const char *const *const sets[] = {same, alloys};
    for (int n = 0; n < 2; n++) {
        md_potential plain, other;
        read_text("plain", sets[n][0], &plain);
        read_text("with comments", sets[n][1], &other);
        check("mass", other.element[0].mass, 63.5, 0);
        check("form", other.form, n == 0 ? MD_FUNCFL : MD_SETFL, 0);
        if (strcmp(other.element[0].name, "Cu") != 0) failures++; /* of funcfl: 29 */
        check("knots", other.rho_knots + other.r_knots, plain.rho_knots + plain.r_knots, 0);
        for (int k = 0; k < plain.rho_knots + 2 * plain.r_knots; k++)
            check("value", other.values[k], plain.values[k], 0);
        md_potential_free(&plain);
        md_potential_free(&other);
    }
}

/* Two elements: F of 1 and of 2, and what they add at an atom of each element. */
#define TWO "a\nb\nc\n2 Cu Al\n" GRID
#define CU "29 63.5 3.6 fcc\n"
#define AL "13 26.98 4.05 fcc words 1 2\n"
#define ROW(X) X " 0 0 0 0 0\n"
#define PAIRS ROW("11") ROW("21") ROW("22")

static void test_forms(void)
{
    md_potential p;
    read_text("fs", TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") PAIRS, &p);
    check("form of eam/fs", p.form, MD_SETFL_FS, 0);
    check("what Cu adds at Cu", md_density(&p, 0, 0)[0], 1, 0);
    check("what Cu adds at Al", md_density(&p, 1, 0)[0], 2, 0);
    check("what Al adds at Cu", md_density(&p, 0, 1)[0], 3, 0);
    check("what Al adds at Al", md_density(&p, 1, 1)[0], 4, 0);
    check("pair", md_pair_table(&p, 0, 1)[0], 21, 0);
    md_potential_free(&p);
    read_text("alloy", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS, &p);
    check("form of eam/alloy", p.form, MD_SETFL, 0);
    check("what Al adds at Cu", md_density(&p, 0, 1)[0], 3, 0);
    check("pair", md_pair_table(&p, 0, 1)[0], 21, 0);
    md_potential_free(&p);
}

/* Words behind the end, and numbers behind them, are not read; the name says nothing. */
#define BEHIND "made by X\n2009 12 1\n"

static void test_forms_by_content(void)
{
    static const char fs[] = TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") PAIRS BEHIND;
    static const char alloy[] = TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS BEHIND;
    static const char *const names[] = {"x.fs", "x.alloy", "x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        md_potential p;
        read_text(names[i], fs, &p);
        check("form of eam/fs", p.form, MD_SETFL_FS, 0);
        check("pair", md_pair_table(&p, 1, 1)[0], 22, 0);
        md_potential_free(&p);
        read_text(names[i], alloy, &p);
        check("form of eam/alloy", p.form, MD_SETFL, 0);
        check("pair", md_pair_table(&p, 1, 1)[0], 22, 0);
        md_potential_free(&p);
    }
}

static void test_dialects(void)
{
    static const struct {
        const char *name, *text, *message;
    } all[] = {
        {"by values", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS PAIRS PAIRS, "got the dialect adp"},
        {"one element", SETFL SIX SIX, "got the dialect adp"},
        {"by the grid", "a\nb\nc\n1 Cu\n6 0.5 6 0.5 3 90\n",
         "by the grid:5: potential: got the dialect eam/he"},
        {"Pd.eam.he", "a\nb\n", "got the dialect eam/he"},
        {"a polynomial behind the end", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS "4 1 2 3 4\n",
         "got the dialect eam/cd"},
        {"x", TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") ROW("11"),
         "x:15: r phi(r): got the end of the file"},
        {"x.fs", TWO CU SIX ROW("1") AL SIX ROW("3") ROW("11"),
         "x.fs:13: r phi(r): got the end of the file"},
        {"x/FeCr.cdeam", SETFL "4 1 2 3 4 5\n", "got the dialect eam/cd"},
        {"Cu.meam", "# c\nrc = 4.0\n", "got the dialect meam"},
        {"a.meam.d/Ti.meam.spline", "a\n10\n-42 0.0\n", "got the dialect meam"},
        {"Ni.adp", "a\n", "got the dialect adp"},
        {"x.fs", TWO CU SIX ROW("1") ROW("2") "x\n" PAIRS PAIRS PAIRS,
         "x.fs:10: atomic number: got \"x\""},
        {"x.alloy", TWO CU SIX ROW("1") ROW("x2") PAIRS PAIRS,
         "x.alloy:9: atomic number: got \"x2\""},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        md_potential p;
        expect_error(all[i].name,
                     md_potential_parse(all[i].name, all[i].text, strlen(all[i].text), &p),
                     all[i].message);
        md_potential_free(&p);
    }
}

/* Files with other steps and lengths: the grid is the coarsest and the longest of both, and the
 * pair potential has the product of the charges. All functions are straight lines, which
 * Lagrange's interpolation does not change; the shorter file's stay as they are at its end. */
static void test_several(void)
{
    static const char first[] =
        "c\n29 63.5 3.6\n7 1 8 0.5 3\n0 1 2 3 4 5 6\n9 8 7 6 5 4 3 2\n1 2 3 4 5 6 7 8\n";
    static const char second[] =
        "n\n28 58.7 3.5\n8 0.5 6 0.4 2\n0 1 2 3 4 5 6 7\n6 5 4 3 2 1\n6 5 4 3 2 1\n";
    const md_potential_text files[] = {{"copper", first, sizeof first - 1},
                                       {"nickel", second, sizeof second - 1},
                                       {"alloy", SETFL, sizeof SETFL - 1}};
    md_potential p;
    if (md_potential_parse_all(files, 2, &p) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        exit(1);
    }
    check("elements", p.elements, 2, 0);
    check("cutoff", p.cutoff, 3, 0);
    check("steps", p.r_step, 0.5, 0);
    check("knots of r", p.r_knots, 7, 0);     /* 3.5 / 0.5 */
    check("knots of rho", p.rho_knots, 6, 0); /* 6 / 1 */
    check("mass", p.element[1].mass, 58.7, 0);
    if (strcmp(p.element[0].name, "Cu") != 0 || strcmp(p.element[1].name, "Ni") != 0) failures++;
    for (int k = 0; k < p.r_knots; k++) {
        const double r = 0.5 * k, z = 9 - k, other = 6 - (r < 2 ? r : 2) / 0.4;
        check("density", md_density(&p, 0, 1)[k], other, 1e-12);
        check("pair", md_pair_table(&p, 0, 1)[k], 27.2 * 0.529 * z * other, 1e-11);
        check("pair", md_pair_table(&p, 0, 0)[k], 27.2 * 0.529 * z * z, 1e-11);
    }
    for (int k = 0; k < p.rho_knots; k++)
        check("embedding", md_embedding(&p, 1)[k], k < 3.5 ? 2 * k : 7, 1e-12);
    md_potential_free(&p);
    expect_error("a setfl file among several", md_potential_parse_all(files + 1, 2, &p),
                 "alloy: got a setfl file, expected a funcfl file where there are several");
}

/* ---- elements ---- */

static void test_elements(void)
{
    static const md_potential alloy = {.elements = 3,
                                       .element = {{.name = "Cu", .mass = 63.55},
                                                   {.name = "Al", .mass = 26.98},
                                                   {.name = "Ni", .mass = 58.69}}};
    static const md_potential twice = {
        .elements = 2, .element = {{.name = "Cu", .mass = 63.55}, {.name = "Cu", .mass = 63.55}}};
    static const struct {
        const md_potential *p;
        const char *names;
        int types;
        double mass[3]; /* 0: none */
        int element[3];
        const char *message; /* NULL: it works */
    } all[] = {
        {&alloy, NULL, 3, {63.6, 27.1, 58.2}, {0, 1, 2}, NULL},
        {&alloy, NULL, 3, {0}, {0, 1, 2}, NULL},
        {&alloy, "Al,Cu,Cu", 3, {1, 2, 3}, {1, 0, 0}, NULL},
        {&alloy, "Ni", 1, {0}, {2}, NULL},
        {&alloy,
         NULL,
         3,
         {26.98, 63.55, 58.69},
         {0},
         "got the mass 26.98 for type 1 in the data file, expected 63.55 within 1 percent, that of Cu, the "
         "potential's element 1: elements=Al,Cu,Ni would fit the masses"},
        {&alloy, NULL, 3, {63.55, 26.98, 58.0}, {0}, "got the mass 58 for type 3"},
        {&alloy,
         NULL,
         3,
         {63.55, 26.98, 58.0},
         {0},
         "elements=NAME,... says the element of each type"},
        {&alloy, NULL, 1, {26.98}, {0}, "elements=Al would fit the masses"},
        {&alloy,
         NULL,
         2,
         {0},
         {0},
         "got a potential of 3 elements (Cu,Al,Ni) for 2 types of atoms, expected as many elements as types, or one: elements=NAME"},
        {&alloy, "Al,Cu", 3, {0}, {0}, "got 2 names, \"Al,Cu\", expected 3"},
        {&alloy, "Al,,Cu", 3, {0}, {0}, "got \"\", expected an element of the potential: Cu,Al,Ni"},
        {&alloy, "Al,Cu,", 3, {0}, {0}, "got \"\", expected an element"},
        {&alloy, "al", 1, {0}, {0}, "got \"al\", expected an element"},
        {&alloy, "Al,Cu,Cux", 3, {0}, {0}, "got \"Cux\""},
        {&twice, "Cu", 1, {0}, {0}, "expected a name that only one element has"},
        {&twice, NULL, 1, {63.55}, {0}, "elements=NAME"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int element[MD_MAX_ELEMENTS];
        const double *const masses = all[i].mass[0] > 0 ? all[i].mass : NULL;
        const mx_err err =
            md_choose_elements(all[i].p, all[i].names, all[i].types, masses, element);
        if (all[i].message) {
            expect_error("elements", err, all[i].message);
            continue;
        }
        check("error", err, MX_OK, 0);
        for (int t = 0; t < all[i].types; t++) check("element", element[t], all[i].element[t], 0);
    }
}

static void test_windows(void)
{
    static const char text[] = "c\r\n29 63.5 3.6\r\n6 1 6 1 3\r\n1 2 3\r\n4 5 6\r\n" SIX SIX "\r\n";
    md_potential p;
    if (md_potential_parse("p", text, sizeof text - 1, &p) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        failures++;
    }
    md_potential_free(&p);
}

int main(void)
{
    test_bad();
    test_cut(FUNCFL);
    test_cut(SETFL);
    test_comments();
    test_forms();
    test_forms_by_content();
    test_dialects();
    test_several();
    test_elements();
    test_windows();
    return failures > 0 ? 1 : 0;
}

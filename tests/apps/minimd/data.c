/* The reader of data files: good files become what they say, bad ones the message they should, and
 * a file that LAMMPS wrote (MINX_REFERENCE_DATA) has what it has. Expected values are written out
 * here. Nothing runs in parallel, so neither ranks nor backends matter. */
#include "input/md_data_file.h"

#include "data_bad.h"

#include <stdlib.h>
#include <string.h>

static int failures;
static md_data_rows rows;

typedef struct contents {
    md_data_about about;
    md_data_row atom[8], velocity[8]; /* by id */
    int64_t atoms, velocities;
    double position_sum, velocity_square;
} contents;

static void fail(const char *which, const char *what)
{
    fprintf(stderr, "%s: got %s\n", which, what);
    failures++;
}

static void check(bool holds, const char *what)
{
    if (!holds) fail(what, "otherwise");
}

static void add_rows(contents *c)
{
    for (int i = 0; i < rows.count; i++) {
        const md_data_row *const row = &rows.row[i];
        const double *const v = row->value;
        if (rows.section == MD_DATA_ATOMS) {
            c->atoms++;
            c->position_sum += v[0] + v[1] + v[2];
            if (row->id <= 8) c->atom[row->id - 1] = *row;
        } else {
            c->velocities++;
            c->velocity_square += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            if (row->id <= 8) c->velocity[row->id - 1] = *row;
        }
    }
}

static mx_err read_all(const char *path, const char *text, size_t length, contents *c)
{
    md_data_file file;
    memset(c, 0, sizeof *c);
    MX_TRY(md_data_open(path, text, length, &file));
    mx_err err;
    do {
        err = md_data_next(file, &rows);
        if (err == MX_OK) add_rows(c);
    } while (err == MX_OK && rows.count > 0);
    c->about = *md_data_header(file);
    md_data_close(&file);
    return err;
}

/* Reads a copy that ends where the text ends, so that a sanitizer sees a read beyond it. */
static mx_err read_text(const char *text, size_t length, contents *c)
{
    char *const copy = malloc(length > 0 ? length : 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    const mx_err err = read_all("file", copy, length, c);
    free(copy);
    return err;
}

static void test_simple(void)
{
    static const char text[] =
        "a comment with 7 atoms\n\n# more\n2 atoms\n-1.5 8.5 ylo yhi # first\n1 atom types\n0 10 xlo "
        "xhi\r\n0 4e0 zlo zhi\n0 bonds\n0.0 0.0 0.0 xy xz yz\n3 bond types\n1 angle types\n0 dihedral "
        "types\n2 improper types\n2 extra bond per atom\n3 extra angle per atom\n1 extra dihedral per "
        "atom\n1 extra improper per atom\n6 extra special per atom # 1-4\n\nVelocities\n\n2 1 2 3\n1 -1 -2 "
        "-3\n\nAtoms\n\n2 1 1.5 -2 3 # so\n1 1 0 0 0\n\nMasses\n\n1 63.55 # Cu\n";
    contents c;
    if (read_text(text, sizeof text - 1, &c) != MX_OK) fail("a simple file", mx_err_message());
    check(c.about.atoms == 2 && c.about.types == 1 && c.about.low[1] == -1.5 &&
              c.about.high[1] == 8.5 && c.about.low[0] == 0 && c.about.high[2] == 4,
          "header");
    check(c.about.has_masses && c.about.mass[0] == 63.55 && c.about.has_velocities &&
              !c.about.has_pairs,
          "sections");
    check(c.atoms == 2 && c.atom[1].value[0] == 1.5 && c.atom[1].value[1] == -2 &&
              c.atom[1].type == 0 && c.atom[1].line == 28,
          "atoms");
    check(c.velocities == 2 && c.velocity[0].value[2] == -3 && c.velocity[0].type == -1,
          "velocities");
}

static void test_types(void)
{
    static const char text[] =
        "\n3 atoms\n2 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\nMasses\n\n2 2.5\n1 "
        "1\n\nPair Coeffs # lj/cut\n\n1 1 1\n2 0.5 0.9 2.2\n\nAtoms # atomic\n\n1 2 0 0 0 0 0 0\n3 1 "
        "1.25 -.5 0 -1 2 0\n2 2 0 0 0 0 0 0";
    static const char each[] =
        "\n1 atoms\n2 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\nPairIJ Coeffs # lj/cut\n\n1 1 "
        "1 1\n2 1 0.7 0.8\n2 2 0 1 3\n\nAtoms\n\n1 1 0 0 0\n";
    contents c;
    if (read_text(text, sizeof text - 1, &c) != MX_OK) fail("two types", mx_err_message());
    check(c.about.mass[0] == 1 && c.about.mass[1] == 2.5, "masses");
    check(c.about.has_pairs && !c.about.each_pair && c.about.pair[1][1].epsilon == 0.5 &&
              c.about.pair[1][1].sigma == 0.9 && c.about.pair[1][1].cutoff == 2.2 &&
              c.about.pair[0][0].cutoff == 0 && !c.about.pair[0][1].given,
          "Pair Coeffs");
    check(c.atom[0].type == 1 && c.atom[2].type == 0 && c.atom[2].value[0] == 1.25,
          "types of atoms, image flags");
    check(!c.about.has_velocities, "no velocities");
    if (read_text(each, sizeof each - 1, &c) != MX_OK) fail("PairIJ Coeffs", mx_err_message());
    check(c.about.each_pair && c.about.pair[0][1].epsilon == 0.7 &&
              c.about.pair[0][1].sigma == 0.8 && c.about.pair[1][1].cutoff == 3 &&
              c.about.pair[0][0].given,
          "PairIJ Coeffs");
}

/* More rows than are read at once, and lines across the edges of the buffer. */
static void test_long(void)
{
    enum { MANY = 2 * MD_DATA_ROWS + 7, LINE = 40 };
    char *const text = malloc((size_t)MANY * LINE + 1000);
    if (!text) abort();
    size_t used = (size_t)sprintf(
        text, "\n%d atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\nAtoms\n\n", MANY);
    for (int i = MANY; i >= 1; i--)
        used += (size_t)sprintf(text + used, "%d 1 0.%06d 0.5 %d\n", i, i, i % 3);
    contents c;
    if (read_text(text, used, &c) != MX_OK) fail("a long file", mx_err_message());
    check(c.atoms == MANY && c.atom[4].value[0] == 0.000005 && c.atom[4].value[2] == 2 &&
              c.atom[4].line == 8 + MANY - 4,
          "a long file");
    free(text);
}

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        const bad_text *const b = &bad_files[i];
        contents c;
        const mx_err err = read_text(b->text, b->length, &c);
        if (err == MX_ERR_INPUT && strncmp(mx_err_message(), "file:", 5) == 0 &&
            strstr(mx_err_message(), b->message) && strstr(mx_err_message(), "expected"))
            continue;
        fail(b->message, err == MX_OK ? "accepted" : mx_err_message());
    }
}

static void test_bad_long(void)
{
    static char text[2 * MD_DATA_LINE];
    contents c;
    memset(text, 'a', sizeof text);
    check(read_text(text, sizeof text, &c) == MX_ERR_INPUT &&
              strstr(mx_err_message(), "file:1: line: got more than 65535 bytes"),
          "a line without end");
    check(read_all("no/such.data", NULL, 0, &c) == MX_ERR_INPUT &&
              strstr(mx_err_message(), "no/such.data: No such file or directory, expected"),
          "a missing file");
    check(read_all("/", NULL, 0, &c) == MX_ERR_INPUT && strstr(mx_err_message(), "got a folder"),
          "a folder");
}

static int test_reference(void)
{
    const char *const folder = getenv("MINX_REFERENCE_DATA");
    char path[512];
    contents c;
    if (!folder || !*folder) {
        fprintf(stderr, "minimd_data: MINX_REFERENCE_DATA is not set: lj4k.data was not read\n");
        return getenv("MINX_REQUIRE_DATA") ? 1 : 77;
    }
    snprintf(path, sizeof path, "%s/minimd/lj4k.data", folder);
    if (read_all(path, NULL, 0, &c) != MX_OK) fail("lj4k.data", mx_err_message());
    check(c.about.atoms == 4000 && c.about.types == 1 && c.about.low[0] == 0 &&
              c.about.high[2] == 16.795961913825074 && c.about.mass[0] == 1,
          "header of lj4k.data");
    check(c.atoms == 4000 && c.velocities == 4000 && c.atom[1].value[0] == 1.0053992491000037 &&
              c.velocity[1].value[2] == 1.7146273222583976,
          "rows of lj4k.data");
    /* LAMMPS: T = 1.1 = sum of m v^2 / (3 N - 3); it wrote 17 digits */
    const double temperature = c.velocity_square / (3 * 4000 - 3);
    check(temperature > 1.1 * (1 - 1e-12) && temperature < 1.1 * (1 + 1e-12),
          "temperature of lj4k.data");
    return 0;
}

int main(void)
{
    test_simple();
    test_types();
    test_long();
    test_bad();
    test_bad_long();
    const int skipped = test_reference();
    return failures > 0 ? 1 : skipped;
}

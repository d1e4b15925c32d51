#include "fe_input.h"

#include "input/text.h"

#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const problems[] = {"original", "manufactured", NULL};
static const char *const meshes[] = {"uniform", "distorted", NULL};
static const char *const assemblies[] = {"auto", "blocks", "colours", "atomics", NULL};
static const char *const operators[] = {
#define FE_OPERATOR(NAME, word, ...) #word,
#include "operators.def"
#undef FE_OPERATOR
    NULL};
static const char *const precisions[] = {"double", "mixed", NULL};
static const char *const switches[] = {"off", "on", NULL};
static const char *const solvers[] = {"cg", "single-reduction", NULL};
static const char *const preconditioners[] = {"none",
#define FE_PRECONDITIONER(NAME, word, ...) #word,
#include "preconditioners.def"
#undef FE_PRECONDITIONER
                                              NULL};

/* The words of what has a property of the .def files. */
#define WORD_IF_true(word) #word,
#define WORD_IF_false(word)
static const char *const preconditioners_with_degree[] = {
#define FE_PRECONDITIONER(NAME, word, has_degree, ...) WORD_IF_##has_degree(word)
#include "preconditioners.def"
#undef FE_PRECONDITIONER
    NULL};
const char *const fe_stored_operators[] = {
#define FE_OPERATOR(NAME, word, stores_matrix, ...) WORD_IF_##stores_matrix(word)
#include "operators.def"
#undef FE_OPERATOR
    NULL};

const fe_operator_traits fe_traits_of_operators[] = {
#define FE_OPERATOR(NAME, word, stores_matrix, equal_elements) \
    {#word, stores_matrix, equal_elements},
#include "operators.def"
#undef FE_OPERATOR
};

/* What a preconditioner needs: preconditioners.def. By fe_preconditioning. */
static const struct {
    bool has_degree, rows_of_csr;
    int multiple_of;
} needs[] = {
    {false, false, 1},
#define FE_PRECONDITIONER(NAME, word, has_degree, rows_of_csr, multiple_of) \
    {has_degree, rows_of_csr, multiple_of},
#include "preconditioners.def"
#undef FE_PRECONDITIONER
};

const char *fe_problem_name(const fe_input *in, fe_name *name)
{
    const bool plain = in->preconditioner == FE_PRECONDITIONER_NONE;
    snprintf(name->text, sizeof name->text, "%s%s%s", operators[in->operator_kind],
             plain ? "" : " ", plain ? "" : preconditioners[in->preconditioner]);
    return name->text;
}

#define AT(member) .offset = offsetof(fe_input, member)

/* A key of the original that is refused above `standard`, with what to write instead. */
#define NOT_HERE(NAME, TYPE, ACCEPTED, HELP, INSTEAD)                                              \
    {                                                                                              \
        .name = NAME, .type = TYPE, .offset = APP_KEY_NOWHERE, .standard = ACCEPTED, .help = HELP, \
        .instead = INSTEAD                                                                         \
    }
/* A key of the original that means nothing here: read, with a note on stderr. */
#define IGNORED(NAME, TYPE, HELP)                                                          \
    {                                                                                      \
        .name = NAME, .type = TYPE, .offset = APP_KEY_NOWHERE, .flags = FE_KEY_IS_IGNORED, \
        .help = HELP                                                                       \
    }

enum { CHEBYSHEV_DEGREE = 2 };

/* The original's first, with its defaults. */
static const app_key keys[] = {
    {.name = "nx",
     .type = APP_KEY_INT64,
     AT(nx),
     .low = 1,
     .high = INT32_MAX - 1,
     .standard = 10,
     .help = "elements along x"},
    {.name = "ny",
     .type = APP_KEY_INT64,
     AT(ny),
     .low = 1,
     .high = INT32_MAX - 1,
     .automatic = "nx",
     .help = "elements along y"},
    {.name = "nz",
     .type = APP_KEY_INT64,
     AT(nz),
     .low = 1,
     .high = INT32_MAX - 1,
     .automatic = "ny",
     .help = "elements along z"},
    {.name = "load_imbalance",
     .type = APP_KEY_REAL,
     AT(load_imbalance),
     .low = 0,
     .high = 1e6,
     .unit = "%",
     .help = "moves planes between ranks until a rank differs so much from the mean"},
    {.name = "input_file",
     .type = APP_KEY_TEXT,
     .offset = APP_KEY_NOWHERE,
     .sources = APP_KEY_DECK_NAME,
     .argument = "FILE",
     .help = "the parameter file, as the argument INPUT"},
    {.name = "verify_solution",
     .type = APP_KEY_INT,
     AT(verify_solution),
     .low = 0,
     .high = INT32_MAX,
     .help = "above 0: compares with the analytic solution; here that is always done"},
    {.name = "max_iterations",
     .type = APP_KEY_INT64,
     AT(max_iterations),
     .low = 0,
     .high = 1e9,
     .standard = 200,
     .help = "at most so many iterations of the solver"},
    {.name = "tolerance",
     .type = APP_KEY_REAL,
     AT(tolerance),
     .low = 0,
     .high = DBL_MAX,
     .standard = DBL_EPSILON,
     .help = "stop at this 2-norm of the residual (absolute)"},
    {.name = "relative_tolerance",
     .type = APP_KEY_REAL,
     AT(relative_tolerance),
     .low = 0,
     .high = 1,
     .standard = 0,
     .help = "stop at this share of the initial residual's 2-norm"},
    {.name = "solver",
     .type = APP_KEY_CHOICE,
     AT(solver),
     .words = solvers,
     .help = "conjugate gradients: as the original, or with one sum over ranks an iteration"},
    {.name = "preconditioner",
     .type = APP_KEY_CHOICE,
     AT(preconditioner),
     .words = preconditioners,
     .help = "of the solver"},
    {.name = "chebyshev_degree",
     .type = APP_KEY_INT64,
     AT(chebyshev_degree),
     .low = 1,
     .high = 100,
     .standard = CHEBYSHEV_DEGREE,
     .help = "steps of the preconditioner chebyshev, and of each smoother of multigrid"},
    {.name = "overlap",
     .type = APP_KEY_CHOICE,
     AT(overlap),
     .words = switches,
     .help = "ghosts are exchanged while the rest of a product is computed"},
    {.name = "problem",
     .type = APP_KEY_CHOICE,
     AT(problem),
     .words = problems,
     .help = "the original's, or one whose exact solution is known"},
    {.name = "mesh",
     .type = APP_KEY_CHOICE,
     AT(mesh),
     .words = meshes,
     .help = "equal boxes, or elements that are smoothly distorted"},
    {.name = "assembly",
     .type = APP_KEY_CHOICE,
     AT(assembly),
     .words = assemblies,
     .help =
         "how elements are added to the matrix and to b (without a stored matrix: to b and to the "
         "diagonal): blocks or colours (same bits for any threads), atomics; auto: blocks on hosts, "
         "colours on devices"},
    {.name = "operator",
     .type = APP_KEY_CHOICE,
     AT(operator_kind),
     .words = operators,
     .help =
         "the form of the matrix: csr; csr8 (a byte for each column number); ell, sell; lines of the mesh (no column numbers), or half of "
         "them (symmetric); none, but products by elements or by nodes from the coordinates, or by the "
         "stencil of a uniform mesh"},
    {.name = "precision",
     .type = APP_KEY_CHOICE,
     AT(precision),
     .words = precisions,
     .help =
         "of the numbers: double; mixed: the matrix's coefficients are float, also those of coarser "
         "levels, while vectors and sums are double. For operators that store a matrix"},
    {.name = "dump",
     .type = APP_KEY_TEXT,
     AT(dump),
     .argument = "FOLDER",
     .parameter = "",
     .help = "writes matrix and vectors of small problems as Matrix Market text into this folder"},
    {.name = "yaml",
     .type = APP_KEY_TEXT,
     AT(yaml),
     .argument = "FOLDER",
     .parameter = "",
     .help = "writes the original's YAML file into this folder"},
    {.name = "name",
     .type = APP_KEY_TEXT,
     AT(name),
     .argument = "TEXT",
     .parameter = "",
     .help =
         "a part of the YAML file's name, which is written then: into the working folder, without yaml"},

    IGNORED("use_locking", APP_KEY_INT,
            "locks of the TBB variant; assembly= says how the matrix is added up"),
    {.name = "mv_overlap_comm_comp",
     .type = APP_KEY_INT,
     AT(overlap),
     .low = 0,
     .high = 1,
     .parameter = "",
     .help = "1: overlap=on"},
    {.name = "numthreads",
     .type = APP_KEY_INT,
     .offset = APP_KEY_NOWHERE,
     .sources = APP_KEY_FILE,
     .help = "threads of a rank",
     .instead = "--threads=N on the command line"},
    {.name = "device",
     .type = APP_KEY_INT,
     .offset = APP_KEY_NOWHERE,
     .sources = APP_KEY_FILE,
     .help = "device of the first rank",
     .instead = "--device=N on the command line"},
    NOT_HERE("num_devices", APP_KEY_INT, -1, "devices to use; below 0: all, as here",
             "CUDA_VISIBLE_DEVICES, which lists those to use"),
    NOT_HERE("skip_device", APP_KEY_INT, -1, "a device to leave out",
             "CUDA_VISIBLE_DEVICES, which lists those to use"),
    IGNORED("elem_group_size", APP_KEY_INT, "elements of a task of the TBB variant"),
    IGNORED("use_elem_mat_fields", APP_KEY_INT, "used by no variant"),
    IGNORED("numa", APP_KEY_INT, "used by no variant"),
    IGNORED("scheduler", APP_KEY_TEXT, "of the qthreads variant"),
    IGNORED("topology", APP_KEY_TEXT, "of the qthreads variant"),
};

static const char *const synonyms[] = {"numthreads", "threads", NULL};

/* ---- parameter files ---- */

/* Is the file what the original's programs, and this one, write about a run? */
static bool is_report(const char *text, size_t length)
{
    static const char start[] = "Mini-Application Name:";
    return length >= sizeof start - 1 && memcmp(text, start, sizeof start - 1) == 0;
}

/* One line "  key: value" of a report; only what determines the run is read. Of "0 (no)" the first word is the value. */
static mx_err read_report_line(app_keys *k, const char *line, size_t length, long number)
{
    static const char *const wanted[] = {"nx", "ny", "nz", "load_imbalance",
                                         "mv_overlap_comm_comp"};
    app_word key = {.text = line, .line = number}, value = {.line = number};
    const char *const colon = memchr(line, ':', length);
    if (colon == NULL) return MX_OK;
    key.length = (size_t)(colon - line);
    size_t at = key.length + 1;
    while (at < length && (line[at] == ' ' || line[at] == '"')) at++;
    value.text = line + at;
    while (at < length && line[at] != ' ' && line[at] != '\r') at++;
    value.length = (size_t)(line + at - value.text);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (app_text_is(key.text, key.length, wanted[i]))
            return app_keys_set(k, app_keys_find(k, key.text, key.length), &key, &value);
    return MX_OK;
}

static bool line_is(const char *line, size_t length, const char *text)
{
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r')) length--;
    return length == strlen(text) && memcmp(line, text, length) == 0;
}

/* The block of indented lines behind "Global Run Parameters:". */
static mx_err read_report(app_keys *k, const char *text, size_t length)
{
    bool inside = false;
    long number = 0;
    for (size_t at = 0; at < length;) {
        const char *line = text + at;
        const char *const end = memchr(line, '\n', length - at);
        size_t line_length = end ? (size_t)(end - line) : length - at;
        at += line_length + 1;
        number++;
        if (line_length > 0 && *line != ' ')
            inside = line_is(line, line_length, "Global Run Parameters:");
        for (; line_length > 0 && *line == ' '; line++) line_length--;
        if (inside) MX_TRY(read_report_line(k, line, line_length, number));
    }
    const app_word place = {.text = "nx", .length = 2, .line = number};
    return app_keys_given(k, offsetof(fe_input, nx))
               ? MX_OK
               : app_keys_fail(k, &place, "got no value in this report of a run, expected %s",
                               "nx: N below Global Run Parameters");
}

static mx_err read_deck(app_keys *k, const char *text, size_t length)
{
    return is_report(text, length) ? read_report(k, text, length)
                                   : app_keys_read_lines(k, text, length);
}

/* ---- checks ---- */

/* A name that is given is there to be used. */
static mx_err check_name(const app_keys *k, fe_input *in)
{
    enum { LONGEST = 40 };
    if (in->yaml == NULL) in->yaml = ".";
    if (strchr(in->name, '/') == NULL && strlen(in->name) <= LONGEST) return MX_OK;
    return app_keys_fail(k, &app_keys_given(k, offsetof(fe_input, name))->key,
                         "got \"%.60s\", expected at most %d characters without /", in->name,
                         LONGEST);
}

/* Some 50 bytes each as text. */
enum { MAX_DUMPED = 10000000 };

/* Rows and nonzeros of the whole matrix must be 64-bit numbers; a matrix that is dumped must be
 * small. */
static mx_err check_size(const app_keys *k, const fe_input *in)
{
    const app_word place = {.text = "nx, ny, nz", .length = 10};
    const double entries =
        (3.0 * (double)in->nx + 1) * (3.0 * (double)in->ny + 1) * (3.0 * (double)in->nz + 1);
    if (entries >= 9.2e18)
        return app_keys_fail(k, &place,
                             "got %lld x %lld x %lld elements, expected at most 2^63 nonzeros",
                             (long long)in->nx, (long long)in->ny, (long long)in->nz);
    if (in->dump == NULL || entries <= MAX_DUMPED) return MX_OK;
    return app_keys_fail(k, &app_keys_given(k, offsetof(fe_input, dump))->key,
                         "got a matrix of %.0f nonzeros, expected at most %d", entries, MAX_DUMPED);
}

/* A preconditioner may have nested levels, and go through the rows of csr. */
static mx_err check_preconditioner(const app_keys *k, const fe_input *in)
{
    static const char *const names[] = {"nx", "ny", "nz"};
    const int64_t n[] = {in->nx, in->ny, in->nz};
    const char *const word = preconditioners[in->preconditioner];
    const int multiple = needs[in->preconditioner].multiple_of;
    const app_word key = {.text = "preconditioner", .length = 14};
    if (needs[in->preconditioner].rows_of_csr &&
        (in->operator_kind != FE_OPERATOR_CSR || in->precision != FE_PRECISION_DOUBLE))
        return app_keys_fail(k, &key, "got %s, expected it with operator=csr, precision=double",
                             word);
    for (int d = 0; d < 3; d++) {
        const app_word place = {.text = names[d], .length = 2};
        if (n[d] % multiple != 0)
            return app_keys_fail(k, &place,
                                 "got %lld, expected a multiple of %d, for preconditioner=%s "
                                 "(preconditioner=multigrid takes any number)",
                                 (long long)n[d], multiple, word);
    }
    return MX_OK;
}

/* Some preconditioners have steps; for others the degree must be the default. */
static mx_err check_degree(const app_keys *k, const fe_input *in)
{
    const app_word key = {.text = "chebyshev_degree", .length = 16};
    const bool used = needs[in->preconditioner].has_degree;
    if (used || in->chebyshev_degree == CHEBYSHEV_DEGREE) return MX_OK;
    char words[128];
    app_text_list(preconditioners_with_degree, words, sizeof words);
    return app_keys_fail(k, &key, "got %lld, expected it with preconditioner=%s",
                         (long long)in->chebyshev_degree, words);
}

/* Some operators store no matrix, and some are for equal elements. */
static mx_err check_operator(const app_keys *k, const fe_input *in)
{
    const app_given *const given = app_keys_given(k, offsetof(fe_input, operator_kind));
    if (given == NULL) return MX_OK;
    const app_word *const place = &given->key;
    if (fe_traits_of_operators[in->operator_kind].equal_elements && in->mesh == FE_MESH_DISTORTED)
        return app_keys_fail(k, place,
                             "got %s, which is for equal elements, with mesh=distorted, expected "
                             "another operator",
                             operators[in->operator_kind]);
    if (!fe_is_stored(in->operator_kind) && in->dump != NULL)
        return app_keys_fail(k, place, "got %s, which stores no matrix, with dump, expected %s",
                             operators[in->operator_kind], "operator=csr");
    return MX_OK;
}

/* Float coefficients need a matrix that is stored. */
static mx_err check_precision(const app_keys *k, const fe_input *in)
{
    if (in->precision == FE_PRECISION_DOUBLE || fe_is_stored(in->operator_kind)) return MX_OK;
    return app_keys_fail(k, &app_keys_given(k, offsetof(fe_input, precision))->key,
                         "got mixed with operator=%s, which stores no matrix, expected "
                         "precision=double, or an operator that stores one",
                         operators[in->operator_kind]);
}

/* ny is nx and nz is ny where they are not given. */
static mx_err check(app_keys *k)
{
    fe_input *const in = k->target;
    if (in->ny == 0) in->ny = in->nx;
    if (in->nz == 0) in->nz = in->ny;
    if (in->name != NULL) MX_TRY(check_name(k, in));
    MX_TRY(check_degree(k, in));
    MX_TRY(check_operator(k, in));
    MX_TRY(check_precision(k, in));
    MX_TRY(check_size(k, in));
    return check_preconditioner(k, in);
}

const app_input fe_keys = {
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .size = sizeof(fe_input),
    .about =
        "A parameter file has a line for each key: key=value, key: value, or key value; # and ! begin a comment.\n"
        "The YAML file that the original writes is one too: its dimensions, load_imbalance and mv_overlap_comm_comp\n"
        "are read. On the command line dashes in front of a key do not matter.\n",
    .read = read_deck,
    .check = check,
    .deck_optional = true,
    .synonyms = synonyms,
    .free_form = true,
};

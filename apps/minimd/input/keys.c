/* The table of keys: the deck's, in the order of its lines, the original's options, and ours. */
#include "md_input.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* So many unit cells along each direction that ids, 8 nx ny nz at most, fit 64 bits. */
#define MAX_CELLS 1e6
#define MAX_STEPS 1e15
#define INT_LIMIT 2147483647.0
#define ABOVE_0 APP_KEY_ABOVE_0

static const char *const units[] = {"lj", "metal", NULL};
static const char *const forces[] = {"lj", "eam", NULL};
static const char *const mixings[] = {"geometric", "arithmetic", NULL};
static const char *const shifts[] = {"none", "force", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const neighbours[] = {"auto", "full", "half", "half_2d", NULL};
static const char *const list_kinds[] = {"auto", "2d",       "2d_right", "2d_left",
                                         "csr",  "clusters", NULL};
static const char *const newtons[] = {"scatter", "atomic", NULL};
static const char *const policies[] = {"range", "team", NULL};
static const char *const precisions[] = {"double", "mixed", NULL};
static const char *const half_words[] = {"auto", "0", "1", "-1", NULL}; /* of the same member */

const char *md_problem_name(const md_input *in) { return forces[in->force]; }

/* clang-format off */
#define AT(MEMBER) .offset = offsetof(md_input, MEMBER)
#define LIST(MEMBER, COUNT) \
    AT(MEMBER), .stride = sizeof(double), .length = offsetof(md_input, COUNT), .capacity = MD_MAX_TYPES
#define REAL(NAME, ALSO, MEMBER, LOW, HELP) \
    {.name = NAME, .aliases = ALSO, .type = APP_KEY_REAL, AT(MEMBER), .low = LOW, .high = DBL_MAX, .help = HELP}
#define BY_TYPE(NAME, MEMBER, COUNT, LOW, HELP) \
    {.name = NAME, .type = APP_KEY_REAL, LIST(MEMBER, COUNT), .low = LOW, .high = DBL_MAX, .help = HELP}
#define COUNT(NAME, ALSO, MEMBER, LOW, HIGH, HELP) \
    {.name = NAME, .aliases = ALSO, .type = APP_KEY_INT64, AT(MEMBER), .low = LOW, .high = HIGH, .help = HELP}
#define WORD(NAME, ALSO, MEMBER, WORDS, HELP) \
    {.name = NAME, .aliases = ALSO, .type = APP_KEY_CHOICE, AT(MEMBER), .words = WORDS, .help = HELP}
/* options of the original that minx refuses, but for values up to PASS, which ask for nothing */
#define REFUSED(NAME, ALSO, PASS, HELP, INSTEAD) \
    {.name = NAME, .aliases = ALSO, .type = APP_KEY_INT, .sources = APP_KEY_COMMAND, .offset = APP_KEY_NOWHERE, \
     .standard = PASS, .help = HELP, .instead = INSTEAD}

static const app_key keys[] = {
    /* the deck */
    WORD("units", "-u", units, units, "units of the deck and of what is printed"),
    {.name = "data_file", .aliases = "-f", .type = APP_KEY_TEXT, AT(data_file), .argument = "FILE",
     .help = "a LAMMPS data file with the atoms; none: a lattice"},
    WORD("force", "-p", force, forces, "Lennard-Jones, or the embedded atom method"),
    BY_TYPE("epsilon", epsilon, epsilons, 0, "depth of the Lennard-Jones well, of each type or of all"),
    BY_TYPE("sigma", sigma, sigmas, ABOVE_0, "where the Lennard-Jones energy is 0, of each type or of all"),
    COUNT("nx", "-nx", nx, 1, MAX_CELLS, "unit cells along x, with four atoms each; alone on the command line it sets ny and nz too"),
    COUNT("ny", "-ny", ny, 1, MAX_CELLS, "unit cells along y"),
    COUNT("nz", "-nz", nz, 1, MAX_CELLS, "unit cells along z"),
    COUNT("steps", "-n nsteps", steps, 0, MAX_STEPS, "time steps"),
    REAL("dt", NULL, dt, ABOVE_0, "length of a time step"),
    REAL("temperature", NULL, temperature, 0, "at the start; a data file has velocities instead"),
    REAL("density", NULL, density, ABOVE_0, "atoms per volume; a data file has a box instead"),
    {.name = "every", .type = APP_KEY_INT, AT(every), .low = 1, .high = INT_LIMIT,
     .help = "steps from one neighbour list to the next; with neigh_check from one check to the next"},
    REAL("cutoff", NULL, cutoff, ABOVE_0, "beyond it there is no force"),
    REAL("skin", NULL, skin, 0, "neighbour lists go up to cutoff + skin"),
    COUNT("thermo", NULL, thermo, 0, MAX_STEPS, "steps between lines of output; 0: at the start and the end"),

    /* the original's options */
    {.name = "input_file", .aliases = "-i", .type = APP_KEY_TEXT, .sources = APP_KEY_DECK_NAME,
     .offset = APP_KEY_NOWHERE, .argument = "DECK", .help = "the deck"},
    {.name = "size", .aliases = "-s", .type = APP_KEY_INT64, .sources = APP_KEY_COMMAND, AT(size), .low = 1,
     .high = MAX_CELLS, .parameter = "", .help = "nx = ny = nz = N"},
    {.name = "ntypes", .type = APP_KEY_INT, AT(types), .low = 1, .high = MD_MAX_TYPES, .standard = 1,
     .help = "types of the lattice's atoms"},
    {.name = "neigh_bins", .aliases = "-b", .type = APP_KEY_INT, AT(bins), .low = 1, .high = MAX_CELLS,
     .automatic = "auto", .help = "bins along each direction, for neighbour lists"},
    {.name = "half_neigh", .type = APP_KEY_CHOICE, .sources = APP_KEY_COMMAND, AT(neighbours), .low = 1,
     .words = half_words, .parameter = "", .help = "1: half neighbour lists, 0: full ones, -1: half ones with list=2d"},
    {.name = "ghost_newton", .aliases = "-gn", .type = APP_KEY_INT, AT(ghost_newton), .low = 0, .high = 1, .standard = -1,
     .automatic = "auto",
     .help = "half lists: 1: a pair of atoms of two ranks is computed on one of them, 0: on both"},
    {.name = "sort", .type = APP_KEY_INT, AT(sort), .low = -INT_LIMIT, .high = INT_LIMIT, .standard = -1,
     .help = "sort the atoms by bins after N steps; 0: never; below 0: with each neighbour list"},
    {.name = "yaml_output", .aliases = "-o", .type = APP_KEY_INT, .sources = APP_KEY_COMMAND, AT(yaml), .low = 0, .high = 1,
     .help = "1: write miniMD-DATE.yaml"},
    {.name = "yaml_screen", .type = APP_KEY_SWITCH, .sources = APP_KEY_COMMAND, AT(yaml_screen),
     .help = "print what --yaml_output would write"},
    {.name = "check_exchange", .type = APP_KEY_SWITCH, .sources = APP_KEY_COMMAND, AT(check_exchange),
     .help = "warn when an atom moved over more than a rank's part of the box between two neighbour lists"},
    {.name = "safe_exchange", .type = APP_KEY_SWITCH, .sources = APP_KEY_COMMAND, AT(safe_exchange),
     .help = "let atoms go to any rank (minimd always does)"},
    REFUSED("teams", NULL, 1, "teams of threads, which the original reads and never uses", "--threads"),
    REFUSED("sse", "-sse", 0, "intrinsics of one kind of processor", "no such option: all loops are vectorised"),
    REFUSED("team_neigh", NULL, 0, "neighbour lists by teams", "no such option: lists are made on the device"),
    REFUSED("device_map", "-dm", -INT_LIMIT, "devices by the rank within a host", "--device=auto, which does this"),
    REFUSED("num_gpus", "-ng", -INT_LIMIT, "devices of a host", "CUDA_VISIBLE_DEVICES, which limits them"),
    REFUSED("skip_gpu", NULL, -INT_LIMIT, "a device not to use", "CUDA_VISIBLE_DEVICES without it"),

    /* ours */
    COUNT("frames", NULL, frames, 0, MAX_STEPS, "steps between frames of the trajectory in the results file (H5MD); 0: none"),
    {.name = "potential", .type = APP_KEY_TEXT, AT(potential), .argument = "FILE",
     .help = "the embedded-atom potential, a funcfl or setfl file, or a funcfl file for each element, A,B; none: Cu_u6.eam"},
    {.name = "elements", .type = APP_KEY_TEXT, AT(elements), .argument = "NAME,...",
     .help = "the potential's element for each type of atoms; none: in the order of the potential, whose masses must be those of a data file"},
    BY_TYPE("mass", mass, masses, ABOVE_0, "of the atoms, of each type or of all; none: 1, or that of the potential"),
    WORD("mixing", NULL, mixing, mixings, "epsilon and sigma between two types"),
    WORD("shift", NULL, shift, shifts, "force: the Lennard-Jones energy and force fall to 0 at the cutoff"),
    WORD("neighbours", NULL, neighbours, neighbours, "full: a pair is in the lists of both atoms; half: in one of them; half_2d: half, with list=2d. Half lists of clusters are for hosts: a device has too few threads at work on them, and takes far longer than with full lists"),
    WORD("list", NULL, list, list_kinds,
         "how lists are stored: 2d: a row of atoms for each atom, in the backend's layout or in layout right or left; csr: rows without gaps; clusters: rows of groups of eight atoms"),
    WORD("newton", NULL, newton, newtons, "half lists but clusters: forces on the other atoms are added in a copy for each thread, or by atomics"),
    WORD("policy", NULL, policy, policies, "lists but clusters: an item computes the force on an atom, or lanes of a team share it"),
    WORD("precision", NULL, precision, precisions,
         "mixed: the arithmetic of pairs is in single precision; sums of forces and energies, and the motion, in double. With force=lj, and list=clusters or full lists in rows (2d)"),
    {.name = "overlap", .type = APP_KEY_CHOICE, AT(overlap), .words = off_on, .standard = 1,
     .help = "compute forces that need no ghost atoms while the ghost atoms are on their way"},
    {.name = "neigh_check", .type = APP_KEY_SWITCH, AT(neigh_check),
     .help = "after every so many steps as `every` says, make a neighbour list only if an atom moved by half the skin; every=1 misses no pair"},
};
/* clang-format on */

/* ---- what needs several keys ---- */

static bool on_command_line(const app_keys *k, size_t offset)
{
    const app_given *const given = app_keys_given(k, offset);
    return given && given->source == APP_KEY_COMMAND;
}

/* Where a member was set last; else the end of the deck. */
static app_word place_of(const app_keys *k, const char *name, size_t offset)
{
    const app_given *const given = app_keys_given(k, offset);
    return (app_word){name, strlen(name), given ? given->key.line : k->last_line};
}

/* -s sets all directions, -nx alone too; the others set theirs. */
static void set_size(app_keys *k)
{
    md_input *const in = k->target;
    const bool x = on_command_line(k, offsetof(md_input, nx));
    const bool y = on_command_line(k, offsetof(md_input, ny));
    const bool z = on_command_line(k, offsetof(md_input, nz));
    const int64_t all = in->size > 0 ? in->size : x && !y && !z ? in->nx : 0;
    if (all == 0) return;
    if (!x) in->nx = all;
    if (!y) in->ny = all;
    if (!z) in->nz = all;
}

/* With a data file the atoms, their types and their box come from there. */
static mx_err check_data_file(app_keys *k)
{
    static const struct {
        const char *name;
        size_t offset;
    } of_lattice[] = {
        {"size", offsetof(md_input, size)},
        {"nx", offsetof(md_input, nx)},
        {"ny", offsetof(md_input, ny)},
        {"nz", offsetof(md_input, nz)},
        {"ntypes", offsetof(md_input, types)},
        {"density", offsetof(md_input, density)},
        {"temperature", offsetof(md_input, temperature)},
    };
    md_input *const in = k->target;
    if (in->data_file && strcmp(in->data_file, "none") == 0) in->data_file = NULL;
    for (size_t i = 0; in->data_file && i < sizeof of_lattice / sizeof of_lattice[0]; i++) {
        const app_word key = {of_lattice[i].name, strlen(of_lattice[i].name), 0};
        if (on_command_line(k, of_lattice[i].offset))
            return app_keys_fail(k, &key,
                                 "got a value for a lattice, expected none with a data file");
    }
    return MX_OK;
}

/* The box of the lattice must be one that double precision can hold. */
static mx_err check_lattice(const app_keys *k)
{
    const md_input *const in = k->target;
    if (in->data_file) return MX_OK;
    const double side = cbrt(4.0 / in->density);
    const double volume = side * side * side * (double)in->nx * (double)in->ny * (double)in->nz;
    const app_word place = place_of(k, "density", offsetof(md_input, density));
    if (isnormal(volume) && isnormal(side * side)) return MX_OK;
    return app_keys_fail(k, &place,
                         "got %g, expected one with which the box has a volume that double "
                         "precision can hold",
                         in->density);
}

/* Values of each type: one for all, or one for each. */
static mx_err check_types(const app_keys *k)
{
    const md_input *const in = k->target;
    const struct {
        const char *name;
        size_t offset;
        int count;
    } lists[] = {
        {"epsilon", offsetof(md_input, epsilon), in->epsilons},
        {"sigma", offsetof(md_input, sigma), in->sigmas},
        {"mass", offsetof(md_input, mass), in->masses},
    };
    for (size_t i = 0; !in->data_file && i < sizeof lists / sizeof lists[0]; i++) {
        const app_word place = place_of(k, lists[i].name, lists[i].offset);
        if (lists[i].count <= 1 || lists[i].count == in->types) continue;
        return app_keys_fail(k, &place, "got %d values, expected one, or %d as there are types",
                             lists[i].count, in->types);
    }
    return MX_OK;
}

static mx_err check_cutoff(const app_keys *k)
{
    const md_input *const in = k->target;
    const double list_cutoff = in->cutoff + in->skin;
    const app_word place = place_of(k, "cutoff, skin", offsetof(md_input, cutoff));
    if (isnormal(list_cutoff * list_cutoff) && isnormal(in->cutoff * in->cutoff)) return MX_OK;
    return app_keys_fail(k, &place,
                         "got %g and %g, expected lengths whose squares double precision can hold",
                         in->cutoff, in->skin);
}

/* What each kind of list can be combined with. */
static mx_err check_lists(const app_keys *k)
{
    const md_input *const in = k->target;
    const bool eam = in->force == MD_FORCE_EAM, clusters = in->list == MD_LIST_CLUSTERS;
    const bool half =
        in->neighbours == MD_NEIGHBOURS_HALF || in->neighbours == MD_NEIGHBOURS_HALF_2D;
    const bool rows = in->list != MD_LIST_AUTO && !clusters;
    const bool mixed = in->precision == MD_PRECISION_MIXED;
    const bool flat = (rows && in->list != MD_LIST_2D) || in->policy == MD_POLICY_TEAM ||
                      in->newton == MD_NEWTON_ATOMIC || in->ghost_newton == 1 ||
                      in->neighbours == MD_NEIGHBOURS_HALF_2D || (half && (rows || in->bins > 0));
    const struct {
        bool wrong;
        const char *name;
        size_t offset;
        const char *text;
    } rules[] = {
        {in->ghost_newton == 1 && in->neighbours == MD_NEIGHBOURS_FULL, "ghost_newton",
         offsetof(md_input, ghost_newton),
         "got 1 with full lists, expected half lists (--half_neigh 1), or 0"},
        {eam && rows && in->list != MD_LIST_2D, "list", offsetof(md_input, list),
         "expected clusters or 2d with force=eam"},
        {eam && half && rows, "neighbours", offsetof(md_input, neighbours),
         "got half, expected full lists with force=eam and list=2d"},
        {eam && in->neighbours == MD_NEIGHBOURS_HALF_2D, "neighbours",
         offsetof(md_input, neighbours), "got half_2d, expected half or full with force=eam"},
        {eam && half && in->bins > 0, "neigh_bins", offsetof(md_input, bins),
         "got a number of bins with half lists, expected none with force=eam"},
        {eam && in->newton == MD_NEWTON_ATOMIC, "newton", offsetof(md_input, newton),
         "got atomic, expected scatter with force=eam"},
        {eam && in->ghost_newton == 1, "ghost_newton", offsetof(md_input, ghost_newton),
         "got 1, expected 0 with force=eam"},
        {eam && in->policy == MD_POLICY_TEAM, "policy", offsetof(md_input, policy),
         "got team, expected range with force=eam"},
        {eam && mixed, "precision", offsetof(md_input, precision),
         "got mixed, expected double with force=eam"},
        {mixed && flat, "precision", offsetof(md_input, precision),
         "got mixed, expected it with list=clusters, or with full lists in rows (list=2d, "
         "policy=range)"},
        {clusters && in->neighbours == MD_NEIGHBOURS_HALF_2D, "list", offsetof(md_input, list),
         "got clusters, expected 2d with half_neigh=-1"},
        {clusters && in->ghost_newton == 1, "list", offsetof(md_input, list),
         "got clusters, expected another list with ghost_newton=1"},
        {clusters && in->bins > 0, "list", offsetof(md_input, list),
         "got clusters, expected another list with neigh_bins"},
        {clusters && in->policy == MD_POLICY_TEAM, "policy", offsetof(md_input, policy),
         "got team, expected range with list=clusters"},
        {clusters && in->newton == MD_NEWTON_ATOMIC, "newton", offsetof(md_input, newton),
         "got atomic, expected scatter with list=clusters"},
        {in->newton == MD_NEWTON_ATOMIC && !half && in->ghost_newton != 1, "newton",
         offsetof(md_input, newton), "got atomic with full lists, expected neighbours=half too"},
    };
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        const app_word place = place_of(k, rules[r].name, rules[r].offset);
        if (rules[r].wrong) return app_keys_fail(k, &place, "%s", rules[r].text);
    }
    return MX_OK;
}

/* A key that the other force does not use is an error, not a wish that is ignored. */
static mx_err check_force(const app_keys *k)
{
    static const struct {
        md_force used_by;
        const char *name;
        size_t offset;
    } all[] = {
        {MD_FORCE_EAM, "potential", offsetof(md_input, potential)},
        {MD_FORCE_EAM, "elements", offsetof(md_input, elements)},
        {MD_FORCE_LJ, "mixing", offsetof(md_input, mixing)},
        {MD_FORCE_LJ, "shift", offsetof(md_input, shift)},
    };
    const md_input *const in = k->target;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const app_word place = place_of(k, all[i].name, all[i].offset);
        if (app_keys_given(k, all[i].offset) && in->force != (int)all[i].used_by)
            return app_keys_fail(k, &place, "got a value with force=%s, expected none",
                                 forces[in->force]);
    }
    return MX_OK;
}

static mx_err check(app_keys *k)
{
    MX_TRY(check_data_file(k));
    set_size(k);
    MX_TRY(check_lattice(k));
    MX_TRY(check_types(k));
    MX_TRY(check_cutoff(k));
    MX_TRY(check_force(k));
    return check_lists(k);
}

/* What the original calls options that every app here has. */
static const char *const synonyms[] = {
    "-t", "threads", "--num_threads", "threads", "-d", "device", "-h", "help", NULL,
};

const app_input md_keys = {
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .size = sizeof(md_input),
    .read = md_deck_read,
    .check = check,
    .synonyms = synonyms,
    .about =
        "The deck: 14 lines, whose place says what they mean (docs/minimd.md), then lines key=value.\n"
        "The 14 lines set the keys from units to thermo. All keys can be set on the command line."};

mx_err md_deck_parse(const char *name, const char *text, size_t length, app_keys *k,
                     md_input *input)
{
    return app_keys_read(k, &md_keys, name, length > 0 ? text : "", length, NULL, input);
}

/* Which element of a potential each type of atoms is. */
#include "input/text.h"
#include "md_potential.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS_TOLERANCE 0.01

const char *md_element_symbol(int number)
{
    static const char symbols[][3] = {
        "",   "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si",
        "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu",
        "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru",
        "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr",
        "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",
        "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac",
        "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf",
        "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};
    const int count = (int)(sizeof symbols / sizeof symbols[0]);
    return number > 0 && number < count ? symbols[number] : "";
}

/* Names of elements for a message: at most MD_MAX_ELEMENTS, or MD_MAX_TYPES of them. */
typedef struct name_list {
    char text[MD_MAX_ELEMENTS * sizeof((md_element){0}.name) + 1];
} name_list;

static void add_name(name_list *list, const char *name)
{
    const size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s%s", used > 0 ? "," : "", name);
}

static name_list all_names(const md_potential *p)
{
    name_list list = {""};
    for (int e = 0; e < p->elements; e++) add_name(&list, p->element[e].name);
    return list;
}

/* ---- by name ---- */

static mx_err find_element(const md_potential *p, const char *name, size_t length, int *element)
{
    int found = 0;
    app_shown shown;
    for (int e = 0; e < p->elements; e++) {
        const char *const known = p->element[e].name;
        if (length == 0 || strlen(known) != length || memcmp(known, name, length) != 0) continue;
        *element = e;
        found++;
    }
    return found == 1 ? MX_OK
                      : MX_FAIL(MX_ERR_INPUT, "elements: got %s, expected %s of the potential: %s",
                                app_text_show(name, length, &shown),
                                found > 1 ? "a name that only one element has" : "an element",
                                all_names(p).text);
}

static mx_err choose_by_name(const md_potential *p, const char *names, int types, int *element)
{
    const char *at = names;
    int count = 1;
    for (const char *c = names; *c; c++) count += *c == ',';
    MX_REQUIRE(count == types, MX_ERR_INPUT,
               "elements: got %d names, \"%.100s\", expected %d, of the element of each type",
               count, names, types);
    for (int t = 0; t < types; t++) {
        const size_t length = strcspn(at, ",");
        MX_TRY(find_element(p, at, length, &element[t]));
        at += length + (at[length] == ',');
    }
    return MX_OK;
}

/* ---- by position ---- */

static bool is_mass_of(const md_potential *p, int element, double mass)
{
    const double expected = p->element[element].mass;
    return fabs(mass - expected) <= MASS_TOLERANCE * expected;
}

/* The only element with this mass; -1: there is none, or there are several. */
static int element_of_mass(const md_potential *p, double mass)
{
    int found = -1;
    for (int e = 0; e < p->elements; e++) {
        if (!is_mass_of(p, e, mass)) continue;
        if (found >= 0) return -1;
        found = e;
    }
    return found;
}

/* What to write instead. */
typedef struct advice {
    char text[256];
} advice;
static advice advise(const md_potential *p, int types, const double *masses)
{
    advice a = {"elements=NAME,... says the element of each type; then masses may differ"};
    name_list fitting = {""};
    for (int t = 0; t < types; t++) {
        const int element = masses ? element_of_mass(p, masses[t]) : -1;
        if (element < 0 || p->element[element].name[0] == '\0') return a;
        add_name(&fitting, p->element[element].name);
    }
    snprintf(a.text, sizeof a.text, "elements=%s would fit the masses", fitting.text);
    return a;
}

static mx_err choose_by_position(const md_potential *p, int types, const double *masses,
                                 int *element)
{
    MX_REQUIRE(p->elements == 1 || p->elements == types, MX_ERR_INPUT,
               "elements: got a potential of %d elements (%s) for %d type%s of atoms, expected as "
               "many elements as types, or one: %s",
               p->elements, all_names(p).text, types, types == 1 ? "" : "s",
               advise(p, types, masses).text);
    for (int t = 0; t < types; t++) {
        const int e = p->elements > 1 ? t : 0;
        element[t] = e;
        MX_REQUIRE(masses == NULL || is_mass_of(p, e, masses[t]), MX_ERR_INPUT,
                   "elements: got the mass %g for type %d in the data file, expected %g within 1 "
                   "percent, that of %s, the potential's element %d: %s",
                   masses[t], t + 1, p->element[e].mass,
                   p->element[e].name[0] ? p->element[e].name : "the element", e + 1,
                   advise(p, types, masses).text);
    }
    return MX_OK;
}

mx_err md_choose_elements(const md_potential *potential, const char *names, int types,
                          const double *masses, int *element)
{
    return names ? choose_by_name(potential, names, types, element)
                 : choose_by_position(potential, types, masses, element);
}

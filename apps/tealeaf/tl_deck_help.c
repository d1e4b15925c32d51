/* The deck's tables as text: what a value must be, and the listing for --help-deck. */
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *tl_geometry_word(tl_dialect dialect, tl_geometry geometry)
{
    switch (geometry) {
    case TL_RECTANGLE: return "rectangle";
    case TL_CIRCLE: return dialect == TL_DIALECT_PORT ? "circular" : "circle";
    case TL_POINT: return "point";
    }
    return "unknown";
}

const char *tl_real_expected(double low, tl_expected *expected)
{
    const char *const range = low == -DBL_MAX ? "" : low == 0.0 ? ", 0 or more" : " above 0";
    snprintf(expected->text, sizeof expected->text, "a number%s", range);
    return expected->text;
}

static void list_words(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words[i] != NULL && used < size; i++) {
        const char *const between = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
    }
}

const char *tl_key_expected(const tl_key *key, tl_expected *expected)
{
    switch (key->kind) {
    case TL_KEY_REAL: return tl_real_expected(key->low, expected);
    case TL_KEY_COUNT:
        snprintf(expected->text, sizeof expected->text, "a whole number from %.0f to %.0f",
                 key->low, key->high);
        break;
    case TL_KEY_WORD: list_words(key->words, expected->text, sizeof expected->text); break;
    case TL_KEY_SWITCH: snprintf(expected->text, sizeof expected->text, "nothing"); break;
    }
    return expected->text;
}

static const char *dialects_word(unsigned dialects)
{
    return dialects == TL_BOTH ? "both" : dialects == TL_REFERENCE ? "reference" : "port";
}

static void print_default(const tl_key *key, char *text, size_t size)
{
    if (key->kind == TL_KEY_SWITCH || key->kind == TL_KEY_WORD) {
        snprintf(text, size, "%s", key->kind == TL_KEY_SWITCH ? "" : key->words[0]);
    } else {
        snprintf(text, size, key->value == DBL_MAX ? "none" : "%.10g", key->value);
    }
}

/* Three lists from one table: keys with an effect, keys without one, keys that are not supported. */
typedef enum key_list { LIST_WORKING, LIST_IGNORED, LIST_LATER } key_list;

static key_list list_of(const tl_key *key)
{
    if (key->instead != NULL) return LIST_LATER;
    return key->store == TL_STORE_NONE ? LIST_IGNORED : LIST_WORKING;
}

static void print_working(FILE *out)
{
    fprintf(out, "  %-31s %-10s %-11s %-11s %s\n", "key", "dialect", "default", "unit", "meaning");
    for (int i = 0; i < tl_key_count; i++) {
        const tl_key *const key = &tl_keys[i];
        char standard[32];
        if (list_of(key) != LIST_WORKING) continue;
        print_default(key, standard, sizeof standard);
        fprintf(out, "  %-31s %-10s %-11s %-11s %s\n", key->name, dialects_word(key->dialects),
                standard, key->kind == TL_KEY_SWITCH ? "switch" : key->unit, key->help);
    }
}

static void print_others(FILE *out, key_list list)
{
    for (int i = 0; i < tl_key_count; i++) {
        const tl_key *const key = &tl_keys[i];
        if (list_of(key) != list) continue;
        fprintf(out, "  %-31s %-10s %s\n", key->name, dialects_word(key->dialects), key->help);
        if (list == LIST_LATER) fprintf(out, "  %42s instead: %s\n", "", key->instead);
    }
}

static void print_state_keys(FILE *out)
{
    static const struct {
        unsigned shape;
        const char *name;
    } shapes[] = {
        {TL_FOR_RECTANGLE, "rectangle"}, {TL_FOR_CIRCLE, "circle"}, {TL_FOR_POINT, "point"}};
    for (int i = 0; i < tl_state_key_count; i++) {
        const tl_state_key *const key = &tl_state_keys[i];
        fprintf(out, "  %-10s %-12s %-26s needed by:", key->name, key->unit, key->help);
        if (key->needed == TL_FOR_ALL) {
            fprintf(out, " all\n");
            continue;
        }
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            if (key->needed & shapes[s].shape) fprintf(out, " %s", shapes[s].name);
        }
        fprintf(out, "\n");
    }
}

void tl_deck_keys(FILE *out)
{
    fprintf(
        out,
        "A deck stands between the lines *tea and *endtea. Blanks, = and , separate words; ! and ; begin a comment;\n"
        "\\ at the end of a line continues it; letters of either case are the same. Two dialects: that of the\n"
        "reference code (tl_use_cg, tl_eps) and that of its C++ port (use_cg, eps); a deck keeps to one.\n\n");
    fprintf(out, "Keys:\n");
    print_working(out);
    fprintf(
        out,
        "\nStates: state N key=value ... on one line, N from 1 to %d without gaps. State 1 fills the domain; each\n"
        "later one fills its shape, over those before it. geometry is rectangle, circle (circular in the port's\n"
        "dialect) or point:\n",
        TL_MAX_STATES);
    print_state_keys(out);
    fprintf(out, "\nRead, and without effect here:\n");
    print_others(out, LIST_IGNORED);
    fprintf(out, "\nKnown, and not in this version:\n");
    print_others(out, LIST_LATER);
}

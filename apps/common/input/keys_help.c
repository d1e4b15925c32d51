/* Tables of keys as text: the lists for --help and --help-deck. */
#include "keys.h"

#include <math.h>
#include <string.h>

static const char *show_default(const app_key *row, char *text, size_t size)
{
    switch (row->type) {
    case APP_KEY_SWITCH:
    case APP_KEY_PICK: return "";
    case APP_KEY_CHOICE: return row->words[(int)row->standard];
    case APP_KEY_TEXT: return row->text ? row->text : "none";
    default: break;
    }
    if (row->stride > 0) return "none";
    if (row->automatic) return row->automatic;
    const bool bounded = row->low != 0 || row->high != 0;
    if (row->standard == DBL_MAX || (bounded && row->standard < row->low)) return "none";
    snprintf(text, size, "%.10g", row->standard);
    return text;
}

/* ---- --help ---- */

void app_key_print_option(const app_key *row, FILE *out)
{
    char left[96], text[64];
    app_expected expected;
    if (app_key_has_value(row))
        snprintf(left, sizeof left, "--%s=%s", row->name, app_key_argument(row));
    else
        snprintf(left, sizeof left, "--%s", row->name);
    fprintf(out, "  %-24s %s", left, row->help);
    if (row->instead) {
        fprintf(out, " (not in this version; instead: %s)\n", row->instead);
        return;
    }
    if (row->type == APP_KEY_CHOICE) fprintf(out, " (%s)", app_key_expected(row, &expected));
    if (app_key_has_value(row)) fprintf(out, " [%s]", show_default(row, text, sizeof text));
    if (row->aliases) fprintf(out, " (also %s)", row->aliases);
    fprintf(out, "\n");
}

/* ---- --help-deck: three lists from one table ---- */

typedef enum key_list { LIST_WORKING, LIST_IGNORED, LIST_LATER, LIST_HIDDEN } key_list;

static key_list list_of(const app_key *row)
{
    if (row->sources && !(row->sources & APP_KEY_FILE)) return LIST_HIDDEN;
    if (row->instead) return LIST_LATER;
    return row->offset == APP_KEY_NOWHERE ? LIST_IGNORED : LIST_WORKING;
}

/* The dialects that have a row: "both", "all", or their names with commas between them. */
typedef struct dialect_names {
    char text[128];
} dialect_names;

static const char *dialects_of(const app_input *input, const app_key *row, dialect_names *names)
{
    int known = 0, all = 0;
    size_t used = 0;
    names->text[0] = '\0';
    for (; input->dialects[all]; all++) {
        if (row->dialects && !(row->dialects >> all & 1u)) continue;
        if (used < sizeof names->text)
            used += (size_t)snprintf(names->text + used, sizeof names->text - used, "%s%s",
                                     known > 0 ? "," : "", input->dialects[all]);
        known++;
    }
    if (known < all) return names->text;
    return all == 2 ? "both" : "all";
}

/* The width of the column of dialects. */
static int dialect_width(const app_input *input)
{
    dialect_names names;
    int width = (int)strlen("dialect");
    for (int i = 0; i < input->count; i++) {
        const int length = (int)strlen(dialects_of(input, &input->keys[i], &names));
        if (list_of(&input->keys[i]) != LIST_HIDDEN && length > width) width = length;
    }
    return width;
}

static void print_name(const app_input *input, const app_key *row, FILE *out)
{
    dialect_names names;
    fprintf(out, "  %-31s ", row->name);
    if (input->dialects)
        fprintf(out, "%-*s ", dialect_width(input), dialects_of(input, row, &names));
}

static const char *unit_of(const app_key *row)
{
    if (!app_key_has_value(row)) return "switch";
    if (row->unit) return row->unit;
    return row->argument ? row->argument : "1";
}

static void print_working(const app_input *input, FILE *out)
{
    fprintf(out, "Keys:\n  %-31s ", "key");
    if (input->dialects) fprintf(out, "%-*s ", dialect_width(input), "dialect");
    fprintf(out, "%-11s %-11s %s\n", "default", "unit", "meaning");
    for (int i = 0; i < input->count; i++) {
        const app_key *const row = &input->keys[i];
        char standard[64];
        app_expected expected;
        if (list_of(row) != LIST_WORKING) continue;
        print_name(input, row, out);
        fprintf(out, "%-11s %-11s %s", show_default(row, standard, sizeof standard), unit_of(row),
                row->help);
        if (row->type == APP_KEY_CHOICE) fprintf(out, " (%s)", app_key_expected(row, &expected));
        if (row->aliases) fprintf(out, " (also %s)", row->aliases);
        fprintf(out, "\n");
    }
}

static void print_others(const app_input *input, key_list list, const char *title, FILE *out)
{
    int printed = 0;
    for (int i = 0; i < input->count; i++) {
        const app_key *const row = &input->keys[i];
        if (list_of(row) != list) continue;
        if (printed++ == 0) fprintf(out, "\n%s:\n", title);
        print_name(input, row, out);
        fprintf(out, "%s\n", row->help);
        const int width = input->dialects ? dialect_width(input) + 1 : 0;
        if (list == LIST_LATER) fprintf(out, "  %*s instead: %s\n", 31 + width, "", row->instead);
    }
}

void app_keys_help(const app_input *input, FILE *out)
{
    if (input->about) fprintf(out, "%s\n", input->about);
    print_working(input, out);
    if (input->more) input->more(out);
    print_others(input, LIST_IGNORED, "Read, and without effect here", out);
    print_others(input, LIST_LATER, "Known, and not in this version", out);
}

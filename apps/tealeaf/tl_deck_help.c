/* What --help-deck says beside the list of keys: the lines of states. */
#include "tl_deck_table.h"

static void print_needed_by(unsigned shapes, FILE *out)
{
    static const struct {
        unsigned shape;
        const char *name;
    } all[] = {{TL_FOR_RECTANGLE, "rectangle"}, {TL_FOR_CIRCLE, "circle"}, {TL_FOR_POINT, "point"}};
    fprintf(out, " needed by:");
    if (shapes == TL_FOR_ALL) fprintf(out, " all");
    for (size_t s = 0; s < sizeof all / sizeof all[0]; s++)
        if (shapes != TL_FOR_ALL && (shapes & all[s].shape)) fprintf(out, " %s", all[s].name);
    fprintf(out, "\n");
}

/* Does a row above have the same key, for another dialect? */
static bool is_repeated(int at)
{
    for (int i = 0; i < at; i++)
        if (tl_is_state_key(&tl_keys[i]) && tl_keys[i].offset == tl_keys[at].offset) return true;
    return false;
}

void tl_deck_help_states(FILE *out)
{
    fprintf(
        out,
        "\nStates: state N key=value ... on one line, N from 1 to %d without gaps. State 1 fills the domain; each\n"
        "later one fills its shape, over those before it. geometry is rectangle, circle (circular in the port's\n"
        "dialect) or point; in three dimensions cuboid, sphere (or circle) or point, densities are mass/length^3, and\n"
        "states have zmin and zmax too:\n",
        TL_MAX_STATES);
    for (int i = 0; i < tl_key_count; i++) {
        const app_key *const row = &tl_keys[i];
        if (!tl_is_state_key(row) || is_repeated(i)) continue;
        fprintf(out, "  %-10s %-12s %-26s", row->name, row->unit ? row->unit : "1", row->help);
        print_needed_by(row->flags & TL_FOR_ALL, out);
    }
}

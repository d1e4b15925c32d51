/* Throws text at the reader of miniMD's decks.
 *
 * Properties checked for any text:
 *   1. the reader returns, reads nothing beyond the end, and gives MX_OK, or MX_ERR_INPUT with a message;
 *   2. an accepted deck keeps what md_input.h promises: ranges, lists of as many values as there are types, a box and
 *      cutoffs that double precision can hold;
 *   3. reading twice gives the same. */
#include "input/md_input.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_list(const md_input *in, const double *list, int count, bool zero)
{
    HOLDS(count >= 0 && count <= MD_MAX_TYPES);
    HOLDS(in->data_file || count <= 1 || count == in->types);
    for (int i = 0; i < count; i++)
        HOLDS(isfinite(list[i]) && (list[i] > 0 || (zero && list[i] == 0)));
}

static void check_input(const md_input *in)
{
    HOLDS(in->units == MD_UNITS_LJ || in->units == MD_UNITS_METAL);
    HOLDS(in->force == MD_FORCE_LJ || in->force == MD_FORCE_EAM);
    HOLDS(!in->data_file || in->data_file[0] != '\0');
    HOLDS(in->nx >= 1 && in->ny >= 1 && in->nz >= 1 && in->nx <= INT64_MAX / in->ny / in->nz / 8);
    HOLDS(in->steps >= 0 && in->thermo >= 0 && in->every >= 1);
    HOLDS(in->dt > 0 && isfinite(in->dt) && in->temperature >= 0 && isfinite(in->temperature));
    HOLDS(in->density > 0 && isfinite(in->density));
    HOLDS(in->cutoff > 0 && in->skin >= 0 && isnormal(pow(in->cutoff + in->skin, 2)));
    HOLDS(in->types >= 1 && in->types <= MD_MAX_TYPES && in->bins >= 0);
    HOLDS(in->ghost_newton >= -1 && in->ghost_newton <= 1);
    HOLDS(in->epsilons >= 1 && in->sigmas >= 1);
    check_list(in, in->epsilon, in->epsilons, true);
    check_list(in, in->sigma, in->sigmas, false);
    check_list(in, in->mass, in->masses, false);
}

/* Texts are copies that belong to the keys: they are compared, and taken out of the structs. */
static bool same(md_input a, md_input b)
{
    for (int i = 0; i < md_keys.count; i++) {
        const app_key *const row = &md_keys.keys[i];
        if (row->type != APP_KEY_TEXT || row->offset == APP_KEY_NOWHERE) continue;
        const char **const one = (const char **)(void *)((char *)&a + row->offset);
        const char **const other = (const char **)(void *)((char *)&b + row->offset);
        if (!*one != !*other || (*one && strcmp(*one, *other) != 0)) return false;
        *one = *other = NULL;
    }
    return memcmp(&a, &b, sizeof a) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static md_input first, second;
    static app_keys keys, again;
    char *const text = own_block(data, size);
    mx_err_clear();
    const mx_err err = md_deck_parse("deck", text, size, &keys, &first);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT);
    if (err == MX_ERR_INPUT) {
        HOLDS(strncmp(mx_err_message(), "deck:", 5) == 0 && strstr(mx_err_message(), "expected "));
    } else {
        check_input(&first);
        HOLDS(md_deck_parse("deck", text, size, &again, &second) == MX_OK);
        HOLDS(same(first, second));
        app_keys_close(&again);
    }
    app_keys_close(&keys);
    free(text);
    return 0;
}

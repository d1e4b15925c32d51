#include "compare.h"

#include "input/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    app_compare_kind kind;
    const char *word;
    bool has_number;
} kinds[] = {
    {APP_COMPARE_EXACT, "exact", false},   {APP_COMPARE_RELATIVE, "relative ", true},
    {APP_COMPARE_WITHIN, "within ", true}, {APP_COMPARE_ROUNDING, "rounding", false},
    {APP_COMPARE_NEVER, "never", false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *app_compare_text(app_compare compare, app_compare_words *words)
{
    int k = 0;
    while (k < KINDS - 1 && kinds[k].kind != compare.kind) ++k;
    if (kinds[k].has_number)
        snprintf(words->text, sizeof words->text, "%s%.6g", kinds[k].word, compare.number);
    else
        snprintf(words->text, sizeof words->text, "%s", kinds[k].word);
    return words->text;
}

mx_err app_compare_parse(const char *text, app_compare *compare)
{
    for (int k = 0; k < KINDS; ++k) {
        const size_t length = strlen(kinds[k].word);
        const char *const rest = text + length;
        if (strncmp(text, kinds[k].word, length) != 0) continue;
        *compare = (app_compare){.kind = kinds[k].kind};
        if (!kinds[k].has_number && *rest == '\0') return MX_OK;
        if (kinds[k].has_number &&
            app_text_real(rest, strlen(rest), &compare->number) == APP_NUMBER_OK &&
            compare->number >= 0.0)
            return MX_OK;
    }
    return MX_FAIL(MX_ERR_INPUT,
                   "got \"%.80s\", expected exact, relative TOLERANCE, within COUNT, rounding or "
                   "never",
                   text);
}

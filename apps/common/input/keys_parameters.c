/* The parameters of /input, from a table of keys: written by the app, compared by minx-verify. */
#include "keys.h"

#include "strbuf.h"

#include <stdlib.h>
#include <string.h>

/* Is this the row that gives its member's parameter? The first one of the dialect that fills the
 * member. */
static bool is_parameter(const app_input *input, int dialect, int at)
{
    const app_key *const row = &input->keys[at];
    if (row->offset == APP_KEY_NOWHERE || (row->parameter && row->parameter[0] == '\0'))
        return false;
    if (row->dialects && !(row->dialects >> dialect & 1u)) return false;
    for (int i = 0; i < at; i++) {
        const app_key *const other = &input->keys[i];
        if (other->offset == row->offset && is_parameter(input, dialect, i)) return false;
    }
    return true;
}

static const void *member_of(const app_key *row, const void *target, int index)
{
    return (const char *)target + row->offset + (size_t)index * row->stride;
}

static double number_of(const app_key *row, const void *member)
{
    switch (row->type) {
    case APP_KEY_REAL: return *(const double *)member;
    case APP_KEY_INT64: return (double)*(const int64_t *)member;
    default: return *(const int *)member;
    }
}

static mx_err list_parameter(const app_key *row, const void *target, app_parameter *p)
{
    p->kind = APP_PARAMETER_LIST;
    p->list = malloc((size_t)(p->count > 0 ? p->count : 1) * sizeof *p->list);
    MX_REQUIRE(p->list, MX_ERR_MEMORY, "no memory for the parameter %s", p->name);
    for (int i = 0; i < p->count; i++) p->list[i] = number_of(row, member_of(row, target, i));
    return MX_OK;
}

/* The words of a choice, or of a list of choices, with blanks between them. */
static mx_err words_parameter(const app_key *row, const void *target, app_parameter *p)
{
    app_strbuf text = {0};
    mx_err err = app_strbuf_add(&text, "%s", "");
    for (int i = 0; i < p->count && err == MX_OK; i++)
        err = app_strbuf_add(&text, "%s%s", i > 0 ? " " : "",
                             row->words[*(const int *)member_of(row, target, i)]);
    p->kind = APP_PARAMETER_TEXT;
    p->text = text.text;
    return err;
}

static mx_err text_parameter(const char *text, app_parameter *p)
{
    p->kind = APP_PARAMETER_TEXT;
    p->text = strdup(text ? text : "");
    MX_REQUIRE(p->text, MX_ERR_MEMORY, "no memory for the parameter %s", p->name);
    return MX_OK;
}

static mx_err make(const app_key *row, const void *target, app_parameter *p)
{
    const void *const member = member_of(row, target, 0);
    p->name = row->parameter ? row->parameter : row->name;
    p->unit = row->unit ? row->unit : "1";
    p->count =
        row->stride > 0 ? *(const int *)(const void *)((const char *)target + row->length) : 1;
    p->kind = APP_PARAMETER_WHOLE;
    if (row->type == APP_KEY_CHOICE || row->type == APP_KEY_PICK)
        return words_parameter(row, target, p);
    if (row->stride > 0) return list_parameter(row, target, p);
    switch (row->type) {
    case APP_KEY_TEXT: return text_parameter(*(const char *const *)member, p);
    case APP_KEY_SWITCH: p->whole = *(const bool *)member; break;
    case APP_KEY_INT64: p->whole = *(const int64_t *)member; break;
    case APP_KEY_REAL:
        p->kind = APP_PARAMETER_REAL;
        p->real = *(const double *)member;
        break;
    default: p->whole = *(const int *)member;
    }
    return MX_OK;
}

mx_err app_keys_parameter(const app_input *input, int dialect, const void *target, int index,
                          app_parameter *parameter)
{
    *parameter = (app_parameter){0};
    for (int i = 0; i < input->count; i++) {
        if (!is_parameter(input, dialect, i) || index-- > 0) continue;
        const mx_err err = make(&input->keys[i], target, parameter);
        if (err != MX_OK) app_parameter_free(parameter);
        return err;
    }
    return MX_OK;
}

void app_parameter_free(app_parameter *parameter)
{
    free(parameter->text);
    free(parameter->list);
    *parameter = (app_parameter){0};
}

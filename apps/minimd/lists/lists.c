/* The forms of neighbour lists, and which one a run has. */
#include "md_app.h"

#include <stdio.h>
#include <stdlib.h>

/* The first one that fits is taken. */
#define FORMS(FORM)        \
    FORM(md_form_clusters) \
    FORM(md_form_rows)     \
    FORM(md_form_strided)

#define DECLARE(form) extern const md_list_form form;
#define ADDRESS(form) &form,
FORMS(DECLARE)
static const md_list_form *const forms[] = {FORMS(ADDRESS)};
enum { COUNT = sizeof forms / sizeof forms[0] };

static mx_err refuse(void)
{
    char names[128] = "";
    size_t used = 0;
    for (int f = 0; f < COUNT && used < sizeof names; f++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", f > 0 ? ", " : "",
                                 forms[f]->name);
    return MX_FAIL(MX_ERR_INPUT,
                   "list, neighbours: this program has lists of the forms %s, and none of them is "
                   "what the input asks for",
                   names);
}

static mx_err choose(md_app *app)
{
    const md_input *const in = &app->input;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const bool on_host = info.host_accessible;
    for (int f = 0; f < COUNT && app->form == NULL; f++)
        if (forms[f]->fits(in, on_host)) app->form = forms[f];
    if (app->form == NULL) return refuse();
    app->in_blocks = !on_host;
    app->half = in->neighbours != MD_NEIGHBOURS_AUTO
                    ? in->neighbours != MD_NEIGHBOURS_FULL
                    : in->ghost_newton == 1 || (on_host && app->form->half_on_hosts);
    app->list = calloc(1, app->form->state_bytes);
    MX_REQUIRE(app->list != NULL, MX_ERR_MEMORY, "no memory for a neighbour list");
    return app->form->create != NULL ? app->form->create(app) : MX_OK;
}

mx_err md_choose_list(md_app *app) { return app_agree(app->base.comm, choose(app)); }

void md_free_list(md_app *app)
{
    if (app->list != NULL) app->form->destroy(app);
    free(app->list);
    app->list = NULL;
}

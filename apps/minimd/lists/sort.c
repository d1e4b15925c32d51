/* Puts local atoms into the order of the list, so that atoms that are near each other are near in
 * memory. */
#include "md_app.h"

/* Moves a vector of all atoms to `spare`, in the new order, and swaps the views. */
static mx_err sort_vector(md_app *app, mx_view *vector, mx_view *spare)
{
    md_sort_vectors_args args;
    MX_TRY(mx_bind(app->base.ctx, app->views.order, &args.order));
    MX_TRY(mx_bind(app->base.ctx, *vector, &args.from));
    MX_TRY(mx_bind(app->base.ctx, *spare, &args.to));
    MX_TRY(md_sort_vectors(md_local_range(app), &args));
    return mx_view_swap(vector, spare);
}

/* The forces will be computed anew, so that their view is the spare one for positions and
 * velocities. */
mx_err md_sort_atoms(md_app *app)
{
    md_views *const v = &app->views;
    md_sort_names_args names;
    MX_TRY(app->form->order(app));
    MX_TRY(sort_vector(app, &v->position, &v->force));
    MX_TRY(sort_vector(app, &v->velocity, &v->force));
    MX_TRY(md_sort_names_args_bind(app->base.ctx, v, &names));
    MX_TRY(md_sort_names(md_local_range(app), &names));
    MX_TRY(mx_view_swap(&v->type, &v->type_spare));
    MX_TRY(mx_view_swap(&v->id, &v->id_spare));
    return md_bind(app);
}

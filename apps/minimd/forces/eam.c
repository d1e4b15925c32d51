/* The embedded-atom method, in the steps of a force evaluation:
 *
 *   1. each local atom sums the densities that its neighbours add, rho_i, and from it F(rho_i)
 *      and F'(rho_i)
 *   2. ghosts get F'(rho) of the atoms that they are images of
 *   3. each local atom sums the forces -(F'_i f'_j + F'_j f'_i + phi') r_ij / r of its neighbours
 *
 * The form of the list does 1 and 3 (md_list_form). */
#include "comm/read_file.h"
#include "md_app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The original's. */
#define DEFAULT_POTENTIAL "Cu_u6.eam"

MX_STATIC_ASSERT((int)MD_MAX_TYPES <= (int)MD_MAX_ELEMENTS, "md_eam_tables.element has all types");

/* ---- set-up ---- */

const char *md_potential_name(const md_app *app)
{
    return app->input.potential ? app->input.potential : DEFAULT_POTENTIAL;
}

/* The next name of a list with commas between them, which *list is moved behind. False: it is too
 * long. */
static bool next_name(const char **list, md_path *name)
{
    const size_t length = strcspn(*list, ",");
    if (length >= sizeof name->text) return false;
    memcpy(name->text, *list, length);
    name->text[length] = '\0';
    *list += length + ((*list)[length] == ',');
    return true;
}

static mx_err read_file(md_app *app, const char *name, char **text, size_t *length)
{
    MX_TRY(app_path_reads(&app->base, "the potential", name));
    const mx_err read = app_read_file(app->base.comm, name, text, length);
    if (read == MX_ERR_INPUT)
        return MX_FAIL(read,
                       "%s. It is the potential, which potential=FILE sets; the file is looked for "
                       "in the working folder, then beside the deck",
                       mx_err_message());
    return read;
}

static mx_err read_potential(md_app *app)
{
    md_path name[MD_MAX_ELEMENTS], found[MD_MAX_ELEMENTS];
    md_potential_text files[MD_MAX_ELEMENTS];
    const char *list = md_potential_name(app);
    const int count = md_potential_count(list);
    int n = 0;
    MX_REQUIRE(count > 0, MX_ERR_INPUT,
               "potential: got %.200s, expected a file, or 2 to %d with commas between them", list,
               MD_MAX_ELEMENTS);
    for (; n < count; n++) {
        MX_REQUIRE(next_name(&list, &name[n]), MX_ERR_INPUT,
                   "potential: got %.200s..., expected a name of at most %zu bytes", list,
                   sizeof name[n].text - 1);
        const char *const path = md_find_file(app, name[n].text, &found[n]);
        size_t *const length = &app->potential_lengths[n];
        MX_TRY(read_file(app, path, &app->potential_texts[n], length));
        app->potential_count = n + 1;
        files[n] = (md_potential_text){path, app->potential_texts[n], *length};
    }
    return md_potential_parse_all(files, n, &app->potential);
}

/* Tables are made for the elements that types have, in the order of the types. */
static void number_elements(md_app *app, md_eam_tables *t)
{
    t->elements = 0;
    for (int i = 0; i < app->types; i++) {
        int at = 0;
        while (at < t->elements && app->used_elements[at] != app->elements[i]) at++;
        if (at == t->elements) app->used_elements[t->elements++] = app->elements[i];
        t->element[i] = at;
    }
}

/* The element of each type, and its mass. */
static mx_err choose_elements(md_app *app)
{
    const md_input *const in = &app->input;
    const double *const masses = app->data.has_masses ? app->data.mass : NULL;
    const mx_err err =
        md_choose_elements(&app->potential, in->elements, app->types, masses, app->elements);
    if (err != MX_OK) return MX_FAIL(err, "%s: %s", md_potential_name(app), mx_err_message());
    number_elements(app, &app->eam);
    for (int i = 0; i < app->types; i++)
        app->mass[i] = in->masses == 0   ? app->potential.element[app->elements[i]].mass
                       : in->masses == 1 ? in->mass[0]
                                         : in->mass[i];
    return MX_OK;
}

/* The splines of elements i and j: r phi(r) is the same both ways, the density is that of j at
 * i. */
static void fill_pair(const md_potential *p, int i, int j, double *work, double *rows)
{
    const size_t knots = (size_t)p->r_knots;
    for (int which = 0; which < 2; which++) {
        md_spline(which == 0 ? md_density(p, i, j) : md_pair_table(p, i, j), p->r_knots, work);
        for (size_t k = 0; k < knots; k++)
            memcpy(rows + k * MD_PAIR_SPLINES + (size_t)which * MD_SPLINE, work + k * MD_SPLINE,
                   MD_SPLINE * sizeof *work);
    }
}

/* The row of slopes of interval k, from its splines at (r - r_k) / step = p: f', and with z = r
 * phi r^2 phi' = r z' - z. As r = (k + p) step, that is a polynomial of the third degree in p,
 * too. Beyond the last knot z' is constant, and z is not its integral but constant, too. */
static void fill_slopes(const double *splines, int k, bool last, double step, double *slopes)
{
    const double *const f = splines, *const z = splines + MD_SPLINE;
    slopes[0] = 3 * f[0] / step;
    slopes[1] = 2 * f[1] / step;
    slopes[2] = f[2] / step;
    slopes[3] = 0;
    slopes[4] = 2 * z[0];
    slopes[5] = 3 * z[0] * k + z[1];
    slopes[6] = 2 * z[1] * k + (last ? z[2] : 0);
    slopes[7] = z[2] * k - z[3];
}

static mx_err import_rows(md_app *app, const char *label, int64_t rows, int columns,
                          const double *values, mx_view *view)
{
    const mx_view_options options = {.layout = MX_LAYOUT_RIGHT};
    const int64_t extents[] = {rows, columns};
    MX_TRY(mx_view_create(app->base.ctx, label, MX_F64, 2, extents, &options, view));
    return mx_import(app->base.ctx, *view, values, NULL);
}

/* Where the form of the list asks for it, slopes are in a table of their own. So the values beyond
 * the last knot can be constant in theirs. */
static mx_err make_slopes(md_app *app, int64_t rows, double *pairs)
{
    const md_potential *const p = &app->potential;
    double *const slopes = malloc((size_t)rows * MD_PAIR_SPLINES * sizeof *slopes);
    MX_REQUIRE(slopes, MX_ERR_MEMORY, "no memory for the slopes of a potential");
    for (int64_t row = 0; row < rows; row++) {
        double *const splines = pairs + row * MD_PAIR_SPLINES;
        const int k = (int)(row % p->r_knots);
        const bool last = k == p->r_knots - 1;
        fill_slopes(splines, k, last, p->r_step, slopes + row * MD_PAIR_SPLINES);
        if (last) splines[2] = splines[MD_SPLINE + 2] = 0;
    }
    const mx_err err =
        import_rows(app, "pair slopes", rows, MD_PAIR_SPLINES, slopes, &app->views.pair_slopes);
    free(slopes);
    return err;
}

static mx_err make_tables(md_app *app, double *pairs, double *embeddings, double *work)
{
    const md_potential *const p = &app->potential;
    const int n = app->eam.elements;
    const int *const used = app->used_elements;
    const size_t rho = (size_t)p->rho_knots, r = (size_t)p->r_knots;
    for (int i = 0; i < n; i++) {
        md_spline(md_embedding(p, used[i]), p->rho_knots, embeddings + (size_t)i * rho * MD_SPLINE);
        for (int j = 0; j < n; j++)
            fill_pair(p, used[i], used[j], work, pairs + (size_t)(i * n + j) * r * MD_PAIR_SPLINES);
    }
    const int64_t rows = (int64_t)n * n * p->r_knots;
    if (app->form->eam_slopes) MX_TRY(make_slopes(app, rows, pairs));
    MX_TRY(import_rows(app, "pair knots", rows, MD_PAIR_SPLINES, pairs, &app->views.pair_knots));
    return import_rows(app, "embedding knots", (int64_t)n * p->rho_knots, MD_SPLINE, embeddings,
                       &app->views.embedding_knots);
}

static mx_err fill_tables(md_app *app)
{
    const md_potential *const p = &app->potential;
    const size_t n = (size_t)app->eam.elements;
    const size_t rho = (size_t)p->rho_knots, r = (size_t)p->r_knots;
    double *const pairs = malloc(n * n * r * MD_PAIR_SPLINES * sizeof *pairs);
    double *const embeddings = malloc(n * rho * MD_SPLINE * sizeof *embeddings);
    double *const work = malloc(r * MD_SPLINE * sizeof *work);
    const mx_err err = pairs && embeddings && work
                           ? make_tables(app, pairs, embeddings, work)
                           : MX_FAIL(MX_ERR_MEMORY, "no memory for the splines of a potential");
    free(pairs);
    free(embeddings);
    free(work);
    return err;
}

/* The list goes at least as far as the potential: the deck's cutoff makes it longer, never
 * shorter. */
mx_err md_prepare_eam(md_app *app)
{
    const md_input *const in = &app->input;
    const md_potential *const p = &app->potential;
    MX_TRY(read_potential(app));
    const md_eam_tables tables = {.r_knots = p->r_knots,
                                  .rho_knots = p->rho_knots,
                                  .r_inverse = 1 / p->r_step,
                                  .rho_inverse = 1 / p->rho_step,
                                  .cutoff_square = p->cutoff * p->cutoff};
    app->eam = tables;
    MX_TRY(choose_elements(app));
    app->force_cutoff = p->cutoff;
    app->list_cutoff = fmax(in->cutoff, p->cutoff) + in->skin;
    return app_agree(app->base.comm, fill_tables(app));
}

void md_free_eam(md_app *app)
{
    md_views *const v = &app->views;
    mx_view *const all[] = {&v->pair_knots, &v->pair_slopes, &v->embedding_knots, &v->derivative};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    md_potential_free(&app->potential);
    for (int i = 0; i < app->potential_count; i++) free(app->potential_texts[i]);
    app->potential_count = 0;
}

/* ---- forces ---- */

mx_err md_compute_eam(md_app *app, bool energy)
{
    MX_TRY(app->form->eam_density(app, energy ? &app->embedding : NULL));
    MX_TRY(app_forward(app->halo, 1, &app->views.derivative, APP_UNSHIFTED));
    MX_TRY(app->form->eam_force(app, energy ? &app->energy : NULL));
    if (energy) app->energy.potential += app->embedding;
    return MX_OK;
}

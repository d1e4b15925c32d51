/* Tables of funcfl files, on one grid (md_potential.h). As LAMMPS and the original make them:
 * the steps are the longest of all files, and the grid goes as far as the longest table. Each
 * function is interpolated on that grid; one that ends earlier stays as it is at its end. */
#include "md_potential.h"

#include <math.h>
#include <stdlib.h>

/* Hartree in eV, and Bohr's radius in Angstrom, as rounded by those who tabulate funcfl files. */
#define HARTREE 27.2
#define BOHR 0.529

typedef struct grid {
    double step, length;
} grid;

/* Makes the grid cover a table too. */
static void cover(grid *g, int knots, double step)
{
    g->step = fmax(g->step, step);
    g->length = fmax(g->length, (knots - 1) * step);
}

static mx_err count_knots(const grid *g, const char *name, int *knots)
{
    const double count = floor(g->length / g->step + 0.5);
    MX_REQUIRE(count >= MD_MIN_KNOTS - 1 && count <= MD_MAX_KNOTS, MX_ERR_INPUT,
               "potential: got a common grid of %.0f knots for %s, expected %d to %d", count, name,
               MD_MIN_KNOTS - 1, MD_MAX_KNOTS);
    *knots = (int)count;
    return MX_OK;
}

static mx_err choose_grid(const md_potential *files, int count, md_potential *to)
{
    grid rho = {0, 0}, r = {0, 0};
    for (int i = 0; i < count; i++) {
        cover(&rho, files[i].rho_knots, files[i].rho_step);
        cover(&r, files[i].r_knots, files[i].r_step);
        to->cutoff = fmax(to->cutoff, files[i].cutoff);
        to->element[i] = files[i].element[0];
    }
    to->rho_step = rho.step;
    to->r_step = r.step;
    MX_TRY(count_knots(&rho, "the density", &to->rho_knots));
    return count_knots(&r, "the distance", &to->r_knots);
}

static void fill_tables(const md_potential *files, const md_potential *to)
{
    const size_t rho = (size_t)to->rho_knots, r = (size_t)to->r_knots;
    double *const charge = to->pair + (size_t)md_pairs(to->elements) * r;
    for (int i = 0; i < to->elements; i++) {
        const md_potential *const f = &files[i];
        md_resample(f->embedding, f->rho_knots, f->rho_step, to->embedding + (size_t)i * rho,
                    to->rho_knots, to->rho_step);
        md_resample(f->density, f->r_knots, f->r_step, to->density + (size_t)i * r, to->r_knots,
                    to->r_step);
        md_resample(f->pair, f->r_knots, f->r_step, charge + (size_t)i * r, to->r_knots,
                    to->r_step);
        for (int j = 0; j <= i; j++)
            for (size_t k = 0; k < r; k++)
                to->pair[(size_t)md_table_pair(i, j) * r + k] =
                    HARTREE * BOHR * charge[(size_t)i * r + k] * charge[(size_t)j * r + k];
    }
}

mx_err md_combine_funcfl(const md_potential *files, int count, md_potential *to)
{
    *to = (md_potential){.form = MD_FUNCFL, .elements = count};
    MX_TRY(choose_grid(files, count, to));
    const size_t n = (size_t)count, rho = (size_t)to->rho_knots, r = (size_t)to->r_knots;
    /* behind the tables: the charges of all elements */
    to->values = malloc((n * rho + (2 * n + (size_t)md_pairs(count)) * r) * sizeof *to->values);
    MX_REQUIRE(to->values, MX_ERR_MEMORY, "no memory for the tables of a potential");
    to->embedding = to->values;
    to->density = to->embedding + n * rho;
    to->pair = to->density + n * r;
    fill_tables(files, to);
    return MX_OK;
}

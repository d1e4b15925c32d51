/* The extreme eigenvalues of M^-1 A, from the scalars of conjugate gradients.
 *
 * The iteration is Lanczos's in another form: its scalars make the tridiagonal matrix
 *
 *     d(i) = 1 / alpha(i) + beta(i-1) / alpha(i-1),   e(i) = sqrt(beta(i)) / alpha(i)
 *
 * (Golub and Van Loan, Matrix Computations, 10.2.6), whose extreme eigenvalues approach those of
 * M^-1 A from inside. They are found by bisection: the number of negative pivots of T - x is the
 * number of eigenvalues below x. */
#include "tl_polynomials.h"

#include <float.h>
#include <math.h>

typedef struct tridiagonal {
    const double *rho, *pw; /* r.z of iterations 0 to n, p.w of iterations 1 to n */
    int64_t n;
} tridiagonal;

static double alpha(const tridiagonal *t, int64_t i) { return t->rho[i - 1] / t->pw[i - 1]; }
static double beta(const tridiagonal *t, int64_t i) { return t->rho[i] / t->rho[i - 1]; }

/* Of row i, 1 to n. */
static double diagonal(const tridiagonal *t, int64_t i)
{
    return 1 / alpha(t, i) + (i > 1 ? beta(t, i - 1) / alpha(t, i - 1) : 0);
}

/* The square of the element between rows i and i + 1. */
static double square_beside(const tridiagonal *t, int64_t i)
{
    return beta(t, i) / (alpha(t, i) * alpha(t, i));
}

static int64_t eigenvalues_below(const tridiagonal *t, double x)
{
    int64_t below = 0;
    double pivot = 1;
    for (int64_t i = 1; i <= t->n; i++) {
        pivot = diagonal(t, i) - x - (i > 1 ? square_beside(t, i - 1) / pivot : 0);
        if (pivot == 0) pivot = DBL_MIN;
        below += pivot < 0;
    }
    return below;
}

/* The eigenvalue with `number` smaller ones, which is between 0 and `high`. */
static double bisect(const tridiagonal *t, int64_t number, double high)
{
    double low = 0;
    for (int i = 0; i < 200 && high - low > 4 * DBL_EPSILON * high; i++) {
        const double middle = low + (high - low) / 2;
        if (eigenvalues_below(t, middle) > number)
            high = middle;
        else
            low = middle;
    }
    return high;
}

mx_err tl_estimate_eigenvalues(const double *rho, const double *pw, int64_t n, tl_eigenvalues *e)
{
    const tridiagonal t = {rho, pw, n};
    double bound = 0; /* Gershgorin */
    for (int64_t i = 1; i <= n; i++) {
        const double left = i > 1 ? sqrt(square_beside(&t, i - 1)) : 0;
        const double right = i < n ? sqrt(square_beside(&t, i)) : 0;
        bound = fmax(bound, diagonal(&t, i) + left + right);
    }
    MX_REQUIRE(n >= 1 && isfinite(bound) && bound > 0, MX_ERR_INPUT,
               "no eigenvalues could be estimated from %lld iterations of CG: use another solver",
               (long long)n);
    /* the true ones are further out; the factors are those of the reference code */
    e->low = 0.95 * bisect(&t, 0, bound);
    e->high = 1.05 * bisect(&t, n - 1, bound);
    e->known = true;
    return MX_OK;
}

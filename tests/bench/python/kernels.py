"""The kernels of the comparison, in Python. native_kernels.c has them in C, rivals.py for Numba, gpu_rivals.py for
CuPy's RawKernel."""

import minx


@minx.kernel
def axpy(i, y, x, alpha):
    y[i] += alpha * x[i]


@minx.kernel
def triad(i, a, b, c, s):
    a[i] = b[i] + s * c[i]


@minx.kernel
def stencil(i, j, k, out, u, c):
    out[i, j, k] = u[i, j, k] + c * (
        u[i - 1, j, k]
        + u[i + 1, j, k]
        + u[i, j - 1, k]
        + u[i, j + 1, k]
        + u[i, j, k - 1]
        + u[i, j, k + 1]
        - 6 * u[i, j, k]
    )


@minx.kernel
def yax(team, y, A, x):
    """The sum of y A x: a team for each element, its threads share the rows, and their lanes the columns."""
    e = team.league_rank
    total = 0.0
    for j in team.threads(A.shape[1]):
        row = 0.0
        for i in team.lanes(A.shape[2]):
            row += A[e, j, i] * x[e, i]
        total += y[e, j] * row
    return total


@minx.kernel
def lj(i, f, x, count, neighbours, cutoff2, lj1, lj2):
    """The Lennard-Jones force of a full neighbour list, as one writes it first: with a branch."""
    xi, yi, zi = x[i, 0], x[i, 1], x[i, 2]
    fx = fy = fz = 0.0
    for n in range(count[i]):
        j = neighbours[i, n]
        dx, dy, dz = xi - x[j, 0], yi - x[j, 1], zi - x[j, 2]
        square = dx * dx + dy * dy + dz * dz
        if square < cutoff2:
            inverse2 = 1.0 / square
            inverse6 = inverse2 * inverse2 * inverse2
            force = inverse6 * (lj1 * inverse6 - lj2) * inverse2
            fx += dx * force
            fy += dy * force
            fz += dz * force
    f[i, 0] = fx
    f[i, 1] = fy
    f[i, 2] = fz


@minx.kernel
def lj_simd(i, f, x, count, neighbours, cutoff2, lj1, lj2):
    """The same without the branch, for vectors, and with the reciprocal of the core."""
    xi, yi, zi = x[i, 0], x[i, 1], x[i, 2]
    fx = fy = fz = 0.0
    for n in minx.simd(range(count[i])):
        j = neighbours[i, n]
        dx, dy, dz = xi - x[j, 0], yi - x[j, 1], zi - x[j, 2]
        square = dx * dx + dy * dy + dz * dz
        inverse2 = minx.recip(square)
        inverse6 = inverse2 * inverse2 * inverse2
        force = inverse6 * (lj1 * inverse6 - lj2) * inverse2 if square < cutoff2 else 0.0
        fx += dx * force
        fy += dy * force
        fz += dz * force
    f[i, 0] = fx
    f[i, 1] = fy
    f[i, 2] = fz


@minx.kernel
def dot(i, x, y):
    return x[i] * y[i]

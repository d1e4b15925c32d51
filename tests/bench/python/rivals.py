"""The kernels in Numba, on two threads as the others: as its documentation writes them."""

import numba
from numba import njit, prange


@njit(parallel=True)
def triad(a, b, c, s):
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]


@njit(parallel=True)
def stencil(out, u, c):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for k in range(1, u.shape[2] - 1):
                out[i, j, k] = u[i, j, k] + c * (
                    u[i - 1, j, k]
                    + u[i + 1, j, k]
                    + u[i, j - 1, k]
                    + u[i, j + 1, k]
                    + u[i, j, k - 1]
                    + u[i, j, k + 1]
                    - 6 * u[i, j, k]
                )


@njit(parallel=True, fastmath={"reassoc", "contract"})
def yax(y, A, x):
    total = 0.0
    for e in prange(y.shape[0]):
        part = 0.0
        for j in range(A.shape[1]):
            row = 0.0
            for i in range(A.shape[2]):
                row += A[e, j, i] * x[e, i]
            part += y[e, j] * row
        total += part
    return total


def _lj(f, x, count, neighbours, cutoff2, lj1, lj2):
    for i in prange(f.shape[0]):
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


lj = njit(parallel=True)(_lj)
lj_fast = njit(parallel=True, fastmath=True)(_lj)


def use_threads(number: int) -> None:
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))

"""The kernels as CuPy's RawKernel: CUDA C by hand, on the same arrays. Layout left but for y A x, as the backend's own
is."""

import cupy

SOURCE = r"""
extern "C" __global__ void triad(double *a, const double *b, const double *c, double s, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}

#define U(i, j, k) u[(i) + n * ((j) + (long long)n * (k))]
extern "C" __global__ void stencil(double *__restrict__ out, const double *__restrict__ u, double c, int n)
{
    const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    const int k = 1 + blockIdx.z;
    if (i >= n - 1 || j >= n - 1) return;
    const double sum = U(i - 1, j, k) + U(i + 1, j, k) + U(i, j - 1, k) + U(i, j + 1, k) + U(i, j, k - 1)
                       + U(i, j, k + 1);
    out[i + n * (j + (long long)n * k)] = U(i, j, k) + c * (sum - 6 * U(i, j, k));
}

/* A block for each element, its warps share the rows, their lanes the columns. */
extern "C" __global__ void yax(double *sum, const double *__restrict__ y, const double *__restrict__ A,
                               const double *__restrict__ x, int rows)
{
    const int e = blockIdx.x, warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __shared__ double parts[32];
    double total = 0;
    for (int j = warp; j < rows; j += warps) {
        double row = 0;
        for (int i = lane; i < rows; i += 32) row += A[((long long)e * rows + j) * rows + i] * x[e * rows + i];
        total += y[e * rows + j] * row;
    }
    for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, d);
    if (lane == 0) parts[warp] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < warps; w++) total += parts[w];
        atomicAdd(sum, total);
    }
}

extern "C" __global__ void lj(double *__restrict__ f, const double *__restrict__ x, const int *__restrict__ count,
                              const int *__restrict__ neighbours, double cutoff2, double lj1, double lj2, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double xi = x[i], yi = x[i + n], zi = x[i + 2LL * n];
    double fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < count[i]; k++) {
        const int j = neighbours[i + (long long)k * n];
        const double dx = xi - x[j], dy = yi - x[j + n], dz = zi - x[j + 2LL * n], square = dx * dx + dy * dy + dz * dz;
        if (square < cutoff2) {
            const double inverse2 = 1.0 / square, inverse6 = inverse2 * inverse2 * inverse2;
            const double force = inverse6 * (lj1 * inverse6 - lj2) * inverse2;
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
        }
    }
    f[i] = fx;
    f[i + n] = fy;
    f[i + 2LL * n] = fz;
}
"""


def launch(name: str, arrays, numbers):
    """A function that launches the kernel on arrays of CuPy. That of yax gives the array of one element that has the
    sum."""
    kernel = cupy.RawModule(code=SOURCE).get_function(name)
    n = arrays[0].shape[0]
    blocks = (-(-n // 256),)
    if name == "stencil":
        side = -(-(n - 2) // 64), -(-(n - 2) // 4), n - 2
        return lambda: kernel(side, (64, 4, 1), (*arrays, numbers[0], cupy.int32(n)))
    if name == "yax":
        total = cupy.zeros(1)

        def run():
            total.fill(0)
            kernel((n,), (256,), (total, *arrays, cupy.int32(arrays[0].shape[1])))
            return float(total[0])  # as parallel_reduce, which gives a number too

        return run
    size = cupy.int64(n) if name == "triad" else cupy.int32(n)
    return lambda: kernel(blocks, (256,), (*arrays, *numbers, size))

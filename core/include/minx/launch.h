/* Launching kernels. A header shared by driver and kernel file declares each kernel with its argument struct:
 *
 *     typedef struct tl_cg_update_args { mx_f64_2 u, r; mx_cf64_2 p, w; double alpha; } tl_cg_update_args;
 *     MX_DECLARE_REDUCE_2D(tl_cg_update, tl_cg_update_args, double)
 *
 * which gives the driver typed functions:
 *
 *     mx_err tl_cg_update(mx_range_2 range, const tl_cg_update_args *args, double *result);
 *     mx_err tl_cg_update_into(mx_range_2 range, const tl_cg_update_args *args, mx_view view, int64_t index);
 *
 * The first waits for the result. The second leaves it in element `index` of a view of rank 0 (index 0) or 1 in memory that
 * the context reaches, and does not wait. A kernel without result gives one function,
 *
 *     mx_err tl_update(mx_range_2 range, const tl_update_args *args);
 *
 * and a reduction into an array one with a length:
 *
 *     mx_err name(mx_range_1 range, const ARGS *args, int64_t length, T *result);
 *     mx_err name_into(mx_range_1 range, const ARGS *args, mx_view view);
 *
 * of which the second fills the whole view, of rank 0 or 1, and does not wait.
 *
 * The _64 forms have bodies with int64_t indices, the others int; a range beyond MX_INDEX_END is MX_ERR_EXTENT there.
 * Arguments are copied at the call. A launch checks the accessors in them: MX_ERR_STALE, _SPACE, _LAYOUT. */
#pragma once
#include "minx/policy.h"
#include "minx/reduce.h"
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mx_kernel;

/* One dimension of a launch. Hosts: a unit of work is one tile, `tiles` counts them along the dimension. */
typedef struct mx_axis {
    int64_t begin, end, tile, tiles;
} mx_axis;

/* One launch as planned. Axes are in loop order: 0 is the outermost, dims-1 the contiguous one of the layout. What the
 * threads of a host backend read comes first, in few neighbouring cache lines: they fetch it from the core that launches,
 * and in a launch of some microseconds each line counts. */
typedef struct mx_launch {
    const void *args; /* hosts: as the prologue left them */
    char *partials;   /* partial results: one of each unit (hosts) or thread block (accelerators) */
    int64_t partial_bytes; /* hosts: from one to the next */
    int64_t length;        /* values of an array reduction, else 1 */
    int64_t units;
    mx_axis axis[MX_MAX_DIMS];
    void *result; /* where the joined result goes */
    void *own; /* hosts: memory for the arguments of a kernel with a prologue, of whoever planned */
    mx_ctx ctx;
    const struct mx_kernel *kernel;
    int dims;
    /* accelerators only */
    int per_thread; /* rows that a thread takes, or items in one dimension */
    unsigned grid[3], block[2];
    int64_t blocks;
    void *queue;
    bool overlaps; /* the device can set a kernel up while the one before it runs */
} __attribute__((aligned(128))) mx_launch;

/* What a kernel file compiles to, once for each instance (an instance kind and a layout). */
typedef struct mx_instance {
    /* hosts: run the units first..last-1 of a launch on the calling thread */
    void (*run)(const mx_launch *launch, int64_t first, int64_t last);
    /* hosts: the prologue, NULL if there is none */
    void (*prologue)(void *args);
    /* hosts: join n partial results, in order, into *result; array reductions: elements first..last-1 */
    void (*join)(const mx_launch *launch, void *result, int64_t n);
    void (*join_array)(const mx_launch *launch, int64_t first, int64_t last);
    /* accelerators: put the launch on launch->queue; the device's error code, 0 if none */
    int (*enqueue)(const mx_launch *launch);
    /* accelerators: rows that one thread takes (items, in one dimension) */
    int per_thread;
} mx_instance;

enum { MX_INSTANCE_HOST, MX_INSTANCE_SIMT, MX_INSTANCE_CUDA, MX_INSTANCE_KINDS };

typedef enum mx_pattern { MX_PATTERN_FOR, MX_PATTERN_REDUCE, MX_PATTERN_REDUCE_ARRAY } mx_pattern;

/* A number inside a reduction's value, for comparing the results of two backends. Fields follow each other in order, each
 * aligned to its size. */
typedef struct mx_field {
    const char *name;
    mx_type type;
} mx_field;

typedef struct mx_kernel {
    const char *name;
    mx_pattern pattern;
    int dims;
    bool wide; /* 64-bit indices */
    int block; /* hosts: at least so many items to a partial result */
    size_t args_size, value_size;
    int field_count; /* 0: a value of the user's own */
    const mx_field *fields;
    const mx_instance *instance[MX_INSTANCE_KINDS][3]; /* by kind and mx_layout; NULL: not built */
} mx_kernel;

/* Where a result goes: host memory (the launch waits), or element `index` of a view. */
typedef struct mx_result {
    void *host;
    mx_view view;
    int64_t index;
    int64_t length;
} mx_result;

mx_err mx_launch_(const mx_kernel *kernel, mx_ctx ctx, const int64_t *begin, const int64_t *end,
                  const int64_t *tile, const void *args, const mx_result *result);

#define MX_LAUNCHER_ static inline __attribute__((unused))

#define MX_DECLARE_FOR_(name, ARGS, D)                                                          \
    typedef ARGS name##__args;                                                                  \
    extern const mx_kernel name##__kernel;                                                      \
    MX_LAUNCHER_ mx_err name(mx_range_##D range, const ARGS *args)                              \
    {                                                                                           \
        return mx_launch_(&name##__kernel, range.ctx, range.begin, range.end, range.tile, args, \
                          NULL);                                                                \
    }

#define MX_DECLARE_REDUCE_(name, ARGS, T, D)                                                    \
    typedef ARGS name##__args;                                                                  \
    typedef T name##__value;                                                                    \
    extern const mx_kernel name##__kernel;                                                      \
    MX_LAUNCHER_ mx_err name(mx_range_##D range, const ARGS *args, T *result)                   \
    {                                                                                           \
        const mx_result to = {result, {0, 0}, 0, 1};                                            \
        return mx_launch_(&name##__kernel, range.ctx, range.begin, range.end, range.tile, args, \
                          &to);                                                                 \
    }                                                                                           \
    MX_LAUNCHER_ mx_err name##_into(mx_range_##D range, const ARGS *args, mx_view view,         \
                                    int64_t index)                                              \
    {                                                                                           \
        const mx_result to = {NULL, view, index, 1};                                            \
        return mx_launch_(&name##__kernel, range.ctx, range.begin, range.end, range.tile, args, \
                          &to);                                                                 \
    }

#define MX_DECLARE_FOR_1D(name, ARGS) MX_DECLARE_FOR_(name, ARGS, 1)
#define MX_DECLARE_FOR_2D(name, ARGS) MX_DECLARE_FOR_(name, ARGS, 2)
#define MX_DECLARE_FOR_3D(name, ARGS) MX_DECLARE_FOR_(name, ARGS, 3)
#define MX_DECLARE_REDUCE_1D(name, ARGS, T) MX_DECLARE_REDUCE_(name, ARGS, T, 1)
#define MX_DECLARE_REDUCE_2D(name, ARGS, T) MX_DECLARE_REDUCE_(name, ARGS, T, 2)
#define MX_DECLARE_REDUCE_3D(name, ARGS, T) MX_DECLARE_REDUCE_(name, ARGS, T, 3)
#define MX_DECLARE_REDUCE_ARRAY_1D(name, ARGS, T)                                               \
    typedef ARGS name##__args;                                                                  \
    typedef T name##__value;                                                                    \
    extern const mx_kernel name##__kernel;                                                      \
    MX_LAUNCHER_ mx_err name(mx_range_1 range, const ARGS *args, int64_t length, T *result)     \
    {                                                                                           \
        const mx_result to = {result, {0, 0}, 0, length};                                       \
        return mx_launch_(&name##__kernel, range.ctx, range.begin, range.end, range.tile, args, \
                          &to);                                                                 \
    }                                                                                           \
    MX_LAUNCHER_ mx_err name##_into(mx_range_1 range, const ARGS *args, mx_view view)           \
    {                                                                                           \
        mx_view_info info;                                                                      \
        MX_TRY(mx_view_get_info(view, &info));                                                  \
        const mx_result to = {NULL, view, 0, info.count};                                       \
        return mx_launch_(&name##__kernel, range.ctx, range.begin, range.end, range.tile, args, \
                          &to);                                                                 \
    }

#ifdef __cplusplus
}
#endif

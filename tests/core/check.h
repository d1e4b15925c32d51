/* What the core's tests share. Checks are silent when they hold; else they print file, line, got,
 * expected and tolerance, and the program ends with 1. A test is one function of a context; the
 * program's argument names the context's resource:
 *
 *     static void test(mx_ctx ctx) { ... CHECK_I64(got, expected); }
 *     int main(int argc, char **argv) { return check_main(argc, argv, test); } */
#pragma once
#include "minx/extend.h"
#include "minx/minx.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_SKIPPED = 77, CHECK_PRINTED = 20 };

/* Weak: one counter for all files of a test. */
__attribute__((weak)) int check_failures;

/* Counts a failure; is it one of the first, which are printed? */
static inline bool check_contains_(const char *file, int line)
{
    if (++check_failures > CHECK_PRINTED) return false;
    fprintf(stderr, "%s:%d: ", file, line);
    return true;
}

static inline void check_true_(bool holds, const char *what, const char *file, int line)
{
    if (!holds && check_contains_(file, line)) fprintf(stderr, "expected: %s\n", what);
}

static inline void check_i64_(int64_t got, int64_t expected, const char *what, const char *file,
                              int line)
{
    if (got != expected && check_contains_(file, line))
        fprintf(stderr, "%s: got %" PRId64 ", expected %" PRId64 "\n", what, got, expected);
}

static inline void check_f64_(double got, double expected, double tolerance, const char *what,
                              const char *file, int line)
{
    if (got == expected || fabs(got - expected) <= tolerance) return;
    if (check_contains_(file, line))
        fprintf(stderr, "%s: got %.17g, expected %.17g, tolerance %g\n", what, got, expected,
                tolerance);
}

static inline void check_text_(const char *got, const char *part, const char *what,
                               const char *file, int line)
{
    if (strstr(got, part) == NULL && check_contains_(file, line))
        fprintf(stderr, "%s: got \"%s\", expected it to contain \"%s\"\n", what, got, part);
}

static inline bool check_ok_(mx_err err, const char *what, const char *file, int line)
{
    if (err != MX_OK && check_contains_(file, line))
        fprintf(stderr, "%s: got %s: %s\n%s", what, mx_err_name(err), mx_err_message(),
                mx_err_trace());
    return err == MX_OK;
}

/* The call must fail with this code, and its message must contain `part`. */
static inline void check_fails_(mx_err got, mx_err expected, const char *part, const char *what,
                                const char *file, int line)
{
    if (got == expected && strstr(mx_err_message(), part) != NULL) return;
    if (check_contains_(file, line))
        fprintf(stderr, "%s: got %s \"%s\", expected %s with \"%s\"\n", what, mx_err_name(got),
                got == MX_OK ? "" : mx_err_message(), mx_err_name(expected), part);
}

#define CHECK(holds) check_true_((holds), #holds, __FILE__, __LINE__)
#define CHECK_I64(got, expected) \
    check_i64_((int64_t)(got), (int64_t)(expected), #got, __FILE__, __LINE__)
#define CHECK_F64(got, expected, tolerance) \
    check_f64_((got), (expected), (tolerance), #got, __FILE__, __LINE__)
#define CHECK_TEXT(got, part) check_text_((got), (part), #got, __FILE__, __LINE__)
#define CHECK_OK(call) ((void)check_ok_((call), #call, __FILE__, __LINE__))
#define CHECK_FAILS(call, code, part) \
    check_fails_((call), (code), (part), #call, __FILE__, __LINE__)

/* What a test cannot go on without. */
#define MUST(call)                                                  \
    do {                                                            \
        if (!check_ok_((call), #call, __FILE__, __LINE__)) exit(1); \
    } while (0)

/* ---- random numbers with a fixed seed: xorshift64*, Vigna 2016 ---- */
static uint64_t check_random_state = 88172645463325252u;

static inline uint64_t check_random(void)
{
    uint64_t x = check_random_state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    check_random_state = x;
    return x * 2685821657736338717u;
}

/* From low to high, both included. */
static inline int64_t check_random_int(int64_t low, int64_t high)
{
    return low + (int64_t)(check_random() % (uint64_t)(high - low + 1));
}

/* ---- views, seen from the host ---- */

static inline mx_view_info check_info(mx_view view)
{
    mx_view_info info;
    MUST(mx_view_get_info(view, &info));
    return info;
}

/* The contents of a view, in host memory and with its strides; end it with mx_view_destroy. */
static inline mx_view check_fetch(mx_ctx ctx, mx_view view)
{
    mx_view mirror;
    MUST(mx_mirror_create(view, &mirror));
    MUST(mx_deep_copy(ctx, mirror, view));
    MUST(mx_fence(ctx));
    return mirror;
}

/* Copies elements to a view of rank 1. */
static inline void check_upload(mx_ctx ctx, mx_view view, const void *elements)
{
    mx_view mirror;
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info info = check_info(mirror);
    memcpy(info.data, elements, info.bytes);
    MUST(mx_deep_copy(ctx, view, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
}

/* Copies the elements of a view of rank 1 to the host. */
static inline void check_download(mx_ctx ctx, mx_view view, void *elements)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    memcpy(elements, info.data, info.bytes);
    MUST(mx_view_destroy(&mirror));
}

/* Where an element is, by the strides alone. */
static inline void *check_at(const mx_view_info *info, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < info->rank; d++) at += index[d] * info->stride[d];
    return (char *)info->data + (size_t)at * MX_TYPE_SIZE(info->type);
}

/* Steps to the next index of a view, the last dimension fastest; false behind the end. Start with
 * zeros. */
static inline bool check_next(const mx_view_info *info, int64_t *index)
{
    for (int d = info->rank - 1; d >= 0; d--) {
        if (++index[d] < info->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

static inline void *check_memory(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "no %zu bytes for the test\n", bytes);
        exit(1);
    }
    return memory;
}

/* ---- the program ---- */

/* The resource that the program was started with. */
static const char *check_resource = "serial";

static inline bool check_is(mx_ctx ctx, const char *backend)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return strcmp(info.backend, backend) == 0;
}

/* The backend of this run, if it is one of GPUs; else NULL. */
static inline const char *check_gpu(void)
{
    return strncmp(check_resource, "cuda", 4) == 0  ? "cuda"
           : strncmp(check_resource, "hip", 3) == 0 ? "hip"
                                                    : NULL;
}

static inline bool check_is_gpu(mx_ctx ctx)
{
    return check_is(ctx, "cuda") || check_is(ctx, "hip");
}

/* Does the context run the code for devices: that of a GPU, or that of simt (serial:order=shuffled
 * too)? */
static inline bool check_runs_device_code(mx_ctx ctx)
{
    mx_ctx_details details;
    MUST(mx_ctx_get_details(ctx, &details));
    return details.instance != MX_INSTANCE_HOST;
}

/* Is the memory of the context's views accessible to host code? */
static inline bool check_host_can_access(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.host_accessible;
}

/* Reads the command line, and initializes minx. A code other than 0 is what main returns at once. */
static inline int check_begin(int argc, char **argv)
{
    const char *why;
    if (argc > 1) check_resource = argv[1];
    if (mx_init() != MX_OK) {
        /* valgrind knows no AVX-512: kernels tuned for it cannot run there */
        const bool skip = getenv("MINX_TEST_VALGRIND") != NULL;
        printf("%s: %s\n", skip ? "skipped under valgrind" : "failed", mx_err_message());
        return skip ? CHECK_SKIPPED : 1;
    }
    if (check_gpu() != NULL && !mx_backend_available(check_gpu(), &why)) {
        printf("skipped: %s: %s\n", check_gpu(), why);
        return CHECK_SKIPPED;
    }
    return 0;
}

static inline int check_main(int argc, char **argv, void (*test)(mx_ctx ctx))
{
    mx_ctx ctx;
    const int code = check_begin(argc, argv);
    if (code != 0) return code;
    MUST(mx_ctx_create(check_resource, &ctx));
    test(ctx);
    CHECK_OK(mx_fence(ctx));
    mx_ctx_destroy(&ctx);
    CHECK_I64(mx_views_alive(), 0);
    mx_views_report();
    mx_finalize();
    if (check_failures > CHECK_PRINTED) fprintf(stderr, "%d failures in all\n", check_failures);
    return check_failures > 0;
}

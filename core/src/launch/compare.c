/* Comparing the results of two backends. Floating-point numbers agree if they differ by at most the
 * tolerance (for f32: at least 1e-5) times the largest magnitude in that view, because sums may be
 * computed in another order. Integers and elements of user types agree if they are equal. In results
 * of user types, eight bytes that may be a double or two floats are compared as such. */
#include "compare.h"
#include "minx/reduce.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements of views of any layout ---- */

static char *element_of(const mx_view_info *v, const int64_t *index)
{
    return (char *)v->data + (size_t)mx_view_offset(v, index) * MX_TYPE_SIZE(v->type);
}

/* Advances to the next index; the last dimension changes fastest, `fixed` does not change. false:
 * there is none. */
static bool next_index(const mx_view_info *v, int fixed, int64_t *index)
{
    for (int d = v->rank - 1; d >= 0; d--) {
        if (d == fixed) continue;
        if (++index[d] < v->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

/* Elements of two views with the same indices. */
typedef struct row {
    const char *a, *b;
    int64_t count;
    ptrdiff_t step_a, step_b, size; /* bytes: from an element to the next one, and of one */
} row;

/* Done with each row. false ends it. */
typedef bool visit_row(const row *r, void *state);

/* Are elements in the same order in both, without gaps? */
static bool same_order(const mx_view_info *a, const mx_view_info *b)
{
    bool same = (size_t)a->count * MX_TYPE_SIZE(a->type) == a->bytes && a->bytes == b->bytes &&
                a->layout <= MX_LAYOUT_STRIDE && b->layout <= MX_LAYOUT_STRIDE;
    for (int d = 0; d < a->rank; d++)
        same = same && (a->extent[d] == 1 || (a->stride[d] == b->stride[d] && a->stride[d] > 0));
    return same;
}

/* The dimension along which rows are: the one with the shortest steps in `a`. -1: none, for layouts
 * without strides, and views of rank 0. */
static int row_dimension(const mx_view_info *a, const mx_view_info *b)
{
    int along = -1;
    if (a->layout > MX_LAYOUT_STRIDE || b->layout > MX_LAYOUT_STRIDE) return along;
    for (int d = 0; d < a->rank; d++)
        if (along < 0 || a->extent[along] == 1 ||
            (a->extent[d] > 1 && llabs(a->stride[d]) < llabs(a->stride[along])))
            along = d;
    return along;
}

/* All elements, as few rows as possible. The views have the same shape. */
static bool visit_rows(const mx_view_info *a, const mx_view_info *b, visit_row *each, void *state)
{
    const ptrdiff_t size = (ptrdiff_t)MX_TYPE_SIZE(a->type);
    int64_t index[MX_MAX_RANK] = {0};
    if (a->count == 0) return true;
    if (same_order(a, b)) {
        const row all = {a->data, b->data, a->count, size, size, size};
        return each(&all, state);
    }
    const int d = row_dimension(a, b);
    row r = {.count = 1, .size = size};
    if (d >= 0) {
        r.count = a->extent[d];
        r.step_a = a->stride[d] * size;
        r.step_b = b->stride[d] * size;
    }
    do {
        r.a = element_of(a, index);
        r.b = element_of(b, index);
        if (!each(&r, state)) return false;
    } while (next_index(a, d, index));
    return true;
}

/* ---- numbers ---- */

static double number_at(mx_type type, const void *at)
{
    double f64;
    float f32;
    int32_t i32;
    int64_t i64;
    uint32_t u32;
    uint64_t u64;
#define MX_NUMBER(variable) (memcpy(&(variable), at, sizeof(variable)), (double)(variable))
    switch (type) {
    case MX_F64: return MX_NUMBER(f64);
    case MX_F32: return MX_NUMBER(f32);
    case MX_I32: return MX_NUMBER(i32);
    case MX_I64: return MX_NUMBER(i64);
    case MX_U8: return (double)*(const uint8_t *)at;
    case MX_U32: return MX_NUMBER(u32);
    case MX_U64: return MX_NUMBER(u64);
    default: return 0;
    }
#undef MX_NUMBER
}

/* By how much two floating-point numbers may differ. */
static double allowed_difference(mx_type type, double scale, double tolerance)
{
    return (type == MX_F32 ? fmax(tolerance, 1e-5) : tolerance) * scale;
}

static bool same_number(mx_type type, const void *a, const void *b, double scale, double tolerance)
{
    if (memcmp(a, b, MX_TYPE_SIZE(type)) == 0) return true;
    const double x = number_at(type, a), y = number_at(type, b);
    if (type != MX_F64 && type != MX_F32) return false;
    return (isnan(x) && isnan(y)) || x == y ||
           fabs(x - y) <= allowed_difference(type, scale, tolerance);
}

mx_err mx_compare_numbers(const mx_comparison *c, const char *what, int64_t index, mx_type type,
                          const void *original, const void *other)
{
    const double a = number_at(type, original), b = number_at(type, other);
    const double scale = fmax(fmax(fabs(a), fabs(b)), c->scale);
    MX_REQUIRE(same_number(type, original, other, scale, c->tolerance), MX_ERR_MISMATCH,
               "kernel %s: %s %lld: %s gives %.17g, %s gives %.17g", c->kernel, what,
               (long long)index, c->name[0], a, c->name[1], b);
    return MX_OK;
}

/* ---- structs, whose members are not known ---- */

/* Do two numbers agree? Whole numbers of small and medium size are no normal numbers when their bits
 * are taken for a double or a float. */
static bool near(double x, double y, double scale, double tolerance)
{
    if (isnan(x) && isnan(y)) return true;
    if ((x != 0 && !isnormal(x)) || (y != 0 && !isnormal(y))) return false;
    return fabs(x - y) <= tolerance * fmax(fmax(fabs(x), fabs(y)), scale);
}

static bool same_float(const mx_comparison *c, const char *a, const char *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return memcmp(&x, &y, sizeof x) == 0 || near(x, y, 0, fmax(c->tolerance, 1e-5));
}

mx_err mx_compare_structs(const mx_comparison *c, const char *what, size_t size, const char *a,
                          const char *b)
{
    for (size_t at = 0, bytes; at < size; at += bytes) {
        double x = 0, y = 0;
        bytes = size - at < sizeof x ? size - at : sizeof x;
        memcpy(&x, a + at, bytes);
        memcpy(&y, b + at, bytes);
        if (memcmp(a + at, b + at, bytes) == 0) continue;
        if (bytes == sizeof x && near(x, y, c->scale, c->tolerance)) continue;
        if (bytes == sizeof x && same_float(c, a + at, b + at) &&
            same_float(c, a + at + 4, b + at + 4))
            continue;
        if (bytes == sizeof(float) && same_float(c, a + at, b + at)) continue;
        int64_t i = 0, j = 0;
        memcpy(&i, a + at, bytes);
        memcpy(&j, b + at, bytes);
        return MX_FAIL(
            MX_ERR_MISMATCH,
            "kernel %s: %s, bytes %zu to %zu: %s gives %.17g (as a whole number %lld), %s "
            "gives %.17g (%lld)",
            c->kernel, what, at, at + bytes - 1, c->name[0], x, (long long)i, c->name[1], y,
            (long long)j);
    }
    return MX_OK;
}

mx_err mx_compare_locations(const mx_comparison *c, const char *what, int64_t index, mx_type type,
                            size_t size, const char *a, const char *b)
{
    static const char *const parts[] = {"", ".min", ".max"};
    enum { LOCATION = sizeof(mx_loc_f64), INDEX = offsetof(mx_loc_f64, index) };
    for (size_t at = 0; at < size; at += LOCATION) {
        const char *const part = parts[size > LOCATION ? 1 + at / LOCATION : 0];
        char name[128];
        snprintf(name, sizeof name, "value of %s%s", what, part);
        MX_TRY(mx_compare_numbers(c, name, index, type, a + at, b + at));
        snprintf(name, sizeof name, "index of %s%s", what, part);
        MX_TRY(mx_compare_numbers(c, name, index, MX_I64, a + at + INDEX, b + at + INDEX));
    }
    return MX_OK;
}

/* ---- views ---- */

enum { PART = 1 << 16 };

typedef struct memory {
    const char *a, *b;
    size_t bytes;
    bool *differ;
} memory;

static void compare_parts(const mx_launch *l, int64_t first, int64_t last)
{
    const memory *const m = l->args;
    const size_t begin = (size_t)first * PART, end = (size_t)last * PART;
    if (memcmp(m->a + begin, m->b + begin, (end < m->bytes ? end : m->bytes) - begin) != 0)
        __atomic_store_n(m->differ, true, __ATOMIC_RELAXED);
}

/* One pass over memory: several threads are faster than one. */
static bool same_memory(mx_ctx ctx, const char *a, const char *b, size_t bytes)
{
    bool differ = false;
    if (bytes <= PART || ctx->backend->host.chunks_are_items) return memcmp(a, b, bytes) == 0;
    const memory m = {a, b, bytes, &differ};
    const mx_launch l = {.ctx = ctx, .args = &m};
    ctx->backend->host.run(ctx, &l, compare_parts, (int64_t)((bytes + PART - 1) / PART));
    return !differ;
}

static bool same_bits(const row *r, void *ctx)
{
    if (r->step_a == r->size && r->step_b == r->size)
        return same_memory(ctx, r->a, r->b, (size_t)(r->count * r->size));
    for (int64_t i = 0; i < r->count; i++)
        if (memcmp(r->a + i * r->step_a, r->b + i * r->step_b, (size_t)r->size) != 0) return false;
    return true;
}

/* The elements of row->b enter a largest magnitude. Those that are not finite do not. */
#define MX_DEFINE_MAGNITUDE(T, name)                                      \
    static bool name(const row *r, void *state)                           \
    {                                                                     \
        double largest = *(double *)state;                                \
        for (int64_t i = 0; i < r->count; i++) {                          \
            T x;                                                          \
            memcpy(&x, r->b + i * r->step_b, sizeof x);                   \
            const double size = fabs((double)x);                          \
            largest = size > largest && size <= DBL_MAX ? size : largest; \
        }                                                                 \
        *(double *)state = largest;                                       \
        return true;                                                      \
    }
MX_DEFINE_MAGNITUDE(double, magnitude_f64)
MX_DEFINE_MAGNITUDE(float, magnitude_f32)

/* As same_number, of elements whose bits may differ; state: by how much they may differ. */
#define MX_DEFINE_NEAR(T, name)                                                                   \
    static bool name(const row *r, void *state)                                                   \
    {                                                                                             \
        const double allowed = *(const double *)state;                                            \
        bool agree = true;                                                                        \
        for (int64_t i = 0; i < r->count; i++) {                                                  \
            T x, y;                                                                               \
            memcpy(&x, r->a + i * r->step_a, sizeof x);                                           \
            memcpy(&y, r->b + i * r->step_b, sizeof y);                                           \
            agree &= (x == y) | (fabs((double)x - (double)y) <= allowed) | ((x != x) & (y != y)); \
        }                                                                                         \
        return agree;                                                                             \
    }
MX_DEFINE_NEAR(double, near_f64)
MX_DEFINE_NEAR(float, near_f32)

static mx_err report_first(const mx_comparison *c, const mx_view_info *original,
                           const mx_view_info *other, double scale)
{
    int64_t index[MX_MAX_RANK] = {0};
    const mx_type type = original->type;
    do {
        const char *const a = element_of(original, index);
        const char *const b = element_of(other, index);
        if (same_number(type, a, b, scale, c->tolerance)) continue;
        char where[256] = "";
        size_t used = 0;
        for (int d = 0; d < original->rank; d++)
            used += (size_t)snprintf(where + used, sizeof where - used, "%s%lld", d > 0 ? ", " : "",
                                     (long long)index[d]);
        return MX_FAIL(MX_ERR_MISMATCH,
                       "kernel %s: view '%s' at (%s): %s gives %.17g, %s gives %.17g", c->kernel,
                       original->label, where, c->name[0], number_at(type, a), c->name[1],
                       number_at(type, b));
    } while (next_index(original, -1, index));
    return MX_OK;
}

mx_err mx_compare_views(const mx_comparison *c, const mx_view_info *original,
                        const mx_view_info *other)
{
    const mx_type type = original->type;
    const bool is_f64 = type == MX_F64, is_real = is_f64 || type == MX_F32;
    double scale = c->scale;
    if (visit_rows(original, other, same_bits, c->ctx)) return MX_OK;
    if (is_real) {
        (void)visit_rows(original, other, is_f64 ? magnitude_f64 : magnitude_f32, &scale);
        double allowed = allowed_difference(type, scale, c->tolerance);
        if (visit_rows(original, other, is_f64 ? near_f64 : near_f32, &allowed)) return MX_OK;
    }
    return report_first(c, original, other, scale);
}

/* Comparing the results of two backends. Floating-point numbers agree if they differ by at most the
 * tolerance (for f32: at least 1e-5) times the largest magnitude in that view, because sums may be
 * computed in another order. Integers and elements of user types agree if they are equal. In results
 * of user types, eight bytes that may be a double or two floats are compared as such. */
#include "compare.h"
#include "minx/reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements of views of any layout ---- */

static char *element_of(const mx_view_info *v, const int64_t *index)
{
    return (char *)v->data + (size_t)mx_view_offset(v, index) * MX_TYPE_SIZE(v->type);
}

/* Advances to the next index; the last dimension changes fastest. false: there is none. */
static bool next_index(const mx_view_info *v, int64_t *index)
{
    for (int d = v->rank - 1; d >= 0; d--) {
        if (++index[d] < v->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

void mx_copy_elements(const mx_view_info *to, const mx_view_info *from)
{
    int64_t index[MX_MAX_RANK] = {0};
    const size_t size = MX_TYPE_SIZE(to->type);
    if (to->count == 0) return;
    do {
        memcpy(element_of(to, index), element_of(from, index), size);
    } while (next_index(to, index));
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

static bool same_number(mx_type type, const void *a, const void *b, double scale, double tolerance)
{
    if (memcmp(a, b, MX_TYPE_SIZE(type)) == 0) return true;
    const double x = number_at(type, a), y = number_at(type, b);
    if (type != MX_F64 && type != MX_F32) return false;
    return (isnan(x) && isnan(y)) || x == y ||
           fabs(x - y) <= (type == MX_F32 ? fmax(tolerance, 1e-5) : tolerance) * scale;
}

static double magnitude(const mx_view_info *v)
{
    int64_t index[MX_MAX_RANK] = {0};
    double largest = 0;
    if (v->count == 0) return 0;
    do {
        const double x = fabs(number_at(v->type, element_of(v, index)));
        if (x > largest && isfinite(x)) largest = x;
    } while (next_index(v, index));
    return largest;
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

mx_err mx_compare_views(const mx_comparison *c, const mx_view_info *original,
                        const mx_view_info *other)
{
    int64_t index[MX_MAX_RANK] = {0};
    const mx_type type = original->type;
    const double scale = fmax(magnitude(other), c->scale);
    if (original->count == 0) return MX_OK;
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
    } while (next_index(original, index));
    return MX_OK;
}

/* Accessors with a trait (MX_ACCESSOR). A view has no trait: bind it to an accessor with a trait
 * for the kernel that gets faster by it, and to a plain accessor elsewhere. All traits except
 * RESTRICT need elements that are numbers. MX_TRAIT_
 *     RANDOM_ACCESS  const elements that nothing writes during the launch.
 *                    cuda: loads use the read-only cache (ld.global.nc). Hosts: plain loads.
 *                    With MINX_PLAIN_LOADS defined they are plain loads there, too, which shows
 *                    what the trait gains.
 *     RESTRICT       no other accessor is used for elements that are written through this one.
 *                    gcc keeps values in registers across stores; other compilers ignore it.
 *     ATOMIC         each access is a relaxed atomic of 4 or 8 bytes. Loops are not vectorised;
 *                    MX_ADD costs as much as mx_atomic_add.
 *
 *     x = MX_LOAD(v, i, j)    MX_STORE(x, v, i, j)    MX_ADD(x, v, i, j)
 *     mx_atomic_fetch_max(MX_ADDRESS(v, i, j), x)
 *
 * These work with any accessor of numbers (MX_ADD: of types that mx_atomic_add takes) and respect
 * its trait. MX_AT is a plain access, and a compile error for atomic elements.
 *
 * Several elements at once, of an accessor of double with rank 2 and the layout right:
 *
 *     const mx_double2 x = MX_LOAD2(v, i, j);     x.a and x.b: elements (i, j) and (i, j + 1)
 *     const mx_double4 x = MX_LOAD4(v, i, j);     x.a to x.d: elements (i, j) to (i, j + 3)
 *     MX_STORE2(x, v, i, j);                      elements (i, j) and (i, j + 1) become x.a and x.b
 *
 * Element (i, j) must be at a multiple of 16 bytes. i and j are evaluated more than once. Nothing may
 * write the elements of MX_LOAD4 during the launch. On cuda these are accesses of 16 bytes. MX_LOAD4
 * uses the read-only cache, MX_LOAD2 with the trait RANDOM_ACCESS; a kernel that gathers rows takes
 * half as long. Another layout, type or rank is a compile error, and so is the trait ATOMIC. */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"

typedef struct mx_double2 {
    double a, b;
} mx_double2;
typedef struct mx_double4 {
    double a, b, c, d;
} mx_double4;

#define MX_TRAIT_OF_(...) ((int)MX_STATIC_((MX_FIRST_(__VA_ARGS__, 0)).shape->trait))
#define MX_ELEMENT_(...) __typeof__(*(MX_FIRST_(__VA_ARGS__, 0)).element)
#define MX_ADDRESS(...) ((MX_ELEMENT_(__VA_ARGS__) *)&MX_AT(__VA_ARGS__))

/* Has the accessor rank 2 and the layout right, and no atomic elements? With the layout left,
 * neighbours in a row are not neighbours in memory. The layout of the instance is refused too: with
 * it, only cuda would give wrong numbers. bits: the part of the shape's code that is compared, 0xff
 * for rank and layout, 0x7ff for the kind of number too. In C++ the type of a pointer shows the
 * kind. */
#define MX_ROW_FITS_(v, bits)                 \
    (MX_TRAIT_OF_(v, 0) != MX_TRAIT_ATOMIC && \
     (MX_CODE_(v) & (bits)) == (MX_SHAPE_CODE_(2, MX_LAYOUT_RIGHT, 1, 0, 0, 0, 0) & (bits)))
#define MX_ROW_FITS_TEXT_                                                                         \
    "MX_LOAD2, MX_LOAD4 and MX_STORE2: expected an accessor of double, rank 2, MX_LAYOUT_RIGHT, " \
    "without MX_TRAIT_ATOMIC"

#ifdef MX_GPU_CODE_
#ifdef MINX_PLAIN_LOADS
#define MX_READ_ONLY_(p) (*(p))
#else
#define MX_READ_ONLY_(p) __ldg(p)
#endif
template <int trait, class T> MX_INLINE T mx_load_(const T *p)
{
    return trait == MX_TRAIT_ATOMIC          ? *(const volatile T *)p
           : trait == MX_TRAIT_RANDOM_ACCESS ? MX_READ_ONLY_(p)
                                             : *p;
}
#define MX_LOAD(...) mx_load_<MX_TRAIT_OF_(__VA_ARGS__)>(MX_ADDRESS(__VA_ARGS__))
/* last: the address of the last element. MX_AT gives it, and so checks the index of that element in
 * builds that check indices. */
template <bool fits> MX_INLINE mx_double4 mx_load4_(const double *p, const double *last)
{
    MX_STATIC_ASSERT(fits, MX_ROW_FITS_TEXT_);
    (void)last;
    const double2 first = MX_READ_ONLY_((const double2 *)p);
    const double2 second = MX_READ_ONLY_((const double2 *)p + 1);
    const mx_double4 all = {first.x, first.y, second.x, second.y};
    return all;
}
template <bool fits, int trait> MX_INLINE mx_double2 mx_load2_(const double *p, const double *last)
{
    MX_STATIC_ASSERT(fits, MX_ROW_FITS_TEXT_);
    (void)last;
    const double2 both =
        trait == MX_TRAIT_RANDOM_ACCESS ? MX_READ_ONLY_((const double2 *)p) : *(const double2 *)p;
    const mx_double2 all = {both.x, both.y};
    return all;
}
#define MX_LOAD2(v, row, first)                                                     \
    mx_load2_<MX_ROW_FITS_(v, 0xff), MX_TRAIT_OF_(v, 0)>(MX_ADDRESS(v, row, first), \
                                                         MX_ADDRESS(v, row, (first) + 1))
template <bool fits> MX_INLINE void mx_store2_(mx_double2 x, double *p, double *last)
{
    MX_STATIC_ASSERT(fits, MX_ROW_FITS_TEXT_);
    (void)last;
    *(double2 *)p = make_double2(x.a, x.b);
}
#define MX_STORE2(x, v, row, first) \
    mx_store2_<MX_ROW_FITS_(v, 0xff)>(x, MX_ADDRESS(v, row, first), MX_ADDRESS(v, row, (first) + 1))
#define MX_LOAD4(v, row, first) \
    mx_load4_<MX_ROW_FITS_(v, 0xff)>(MX_ADDRESS(v, row, first), MX_ADDRESS(v, row, (first) + 3))
#define MX_STORE_ATOMIC_(p, x) (void)(*(volatile __typeof__(x) *)(p) = (x))
#else
#define MX_LOAD2(v, row, first)                                             \
    __extension__({                                                         \
        MX_STATIC_ASSERT(MX_ROW_FITS_(v, 0x7ff), MX_ROW_FITS_TEXT_);        \
        (mx_double2){MX_LOAD(v, row, first), MX_LOAD(v, row, (first) + 1)}; \
    })
#define MX_STORE2(x, v, row, first)                                  \
    do {                                                             \
        MX_STATIC_ASSERT(MX_ROW_FITS_(v, 0x7ff), MX_ROW_FITS_TEXT_); \
        const mx_double2 mx_pair_ = (x);                             \
        MX_STORE(mx_pair_.a, v, row, first);                         \
        MX_STORE(mx_pair_.b, v, row, (first) + 1);                   \
    } while (0)
/* Four loads with the indices of the row: from these gcc makes gathers. */
#define MX_LOAD4(v, row, first)                                                   \
    __extension__({                                                               \
        MX_STATIC_ASSERT(MX_ROW_FITS_(v, 0x7ff), MX_ROW_FITS_TEXT_);              \
        (mx_double4){MX_LOAD(v, row, first), MX_LOAD(v, row, (first) + 1),        \
                     MX_LOAD(v, row, (first) + 2), MX_LOAD(v, row, (first) + 3)}; \
    })
/* The address of an element's value: p or, if the element is atomic, *copy, which gets the value.
 * size: of the element, 4 or 8. */
MX_INLINE const void *mx_load_(int trait, const void *p, mx_bits64_ *copy, size_t size)
{
    if (trait != MX_TRAIT_ATOMIC) return p;
    MX_BARRIER_();
    if (size == 4)
        *(mx_bits32_ *)copy = MX_ATOMIC_SEE_(mx_bits32_, p);
    else
        *copy = MX_ATOMIC_SEE_(mx_bits64_, p);
    return copy;
}
#define MX_LOAD(...)                                                                             \
    (*(const MX_ELEMENT_(__VA_ARGS__) *)mx_load_(MX_TRAIT_OF_(__VA_ARGS__), &MX_AT(__VA_ARGS__), \
                                                 &(mx_bits64_){0},                               \
                                                 sizeof(MX_ELEMENT_(__VA_ARGS__))))
#define MX_STORE_ATOMIC_(p, x) (MX_BARRIER_(), __atomic_store(p, &x, __ATOMIC_RELAXED))
#endif

#define MX_UPDATE_(x, ATOMIC, PLAIN, ...)                                        \
    do {                                                                         \
        MX_ELEMENT_(__VA_ARGS__) *mx_to_ = MX_ADDRESS(__VA_ARGS__), mx_x_ = (x); \
        if (MX_TRAIT_OF_(__VA_ARGS__) == MX_TRAIT_ATOMIC)                        \
            ATOMIC(mx_to_, mx_x_);                                               \
        else                                                                     \
            *mx_to_ PLAIN mx_x_;                                                 \
    } while (0)
#define MX_STORE(x, ...) MX_UPDATE_(x, MX_STORE_ATOMIC_, =, __VA_ARGS__)
#define MX_ADD(x, ...) MX_UPDATE_(x, mx_atomic_add, +=, __VA_ARGS__)

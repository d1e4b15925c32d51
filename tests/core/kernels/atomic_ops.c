#include "minx/kernel.h"

#include "atomic_ops.h"

/* ---- every form of every operation, on an element of its own ---- */
#define AO_FORMS(op, i, v)                                                \
    mx_atomic_##op(&MX_AT(a->plain, i), v);                               \
    MX_AT(a->before, i) = mx_atomic_fetch_##op(&MX_AT(a->fetched, i), v); \
    MX_AT(a->after, i) = mx_atomic_##op##_fetch(&MX_AT(a->updated, i), v);
#define AO_STEP(op)                            \
    {                                          \
        const int at = AO_##op * a->cases + i; \
        AO_FORMS(op, at, MX_AT(a->v, at))      \
    }
#define AO_UNARY_STEP(op)                                                     \
    {                                                                         \
        const int at = AO_##op * a->cases + i;                                \
        mx_atomic_##op(&MX_AT(a->plain, at));                                 \
        MX_AT(a->before, at) = mx_atomic_fetch_##op(&MX_AT(a->fetched, at));  \
        MX_AT(a->after, at) = mx_atomic_##op##_fetch(&MX_AT(a->updated, at)); \
    }
#define AO_VALUES(tag, MORE)                                                           \
    MX_BODY void ao_values_##tag##_body(const ao_##tag##_args *a, int i){AO_FLOAT_OPS( \
        AO_STEP) AO_UNARY_STEP(inc) AO_UNARY_STEP(dec) MORE} MX_FOR(1D, ao_values_##tag)

/* ---- all items on the same elements; what comes out does not depend on their order ---- */
#define AO_NUMBER(which, number) mx_atomic_inc(&MX_AT(a->hits, (which)*a->items + (int)(number)))
#define AO_CROWD(tag, T, MORE)                                                                 \
    MX_BODY void ao_crowd_##tag##_body(const ao_##tag##_crowd_args *a, int i)                  \
    {                                                                                          \
        const T x = (T)((int64_t)i * 7919 % a->items + 5);                                     \
        AO_NUMBER(AO_FETCH_ADD, mx_atomic_fetch_add(&MX_AT(a->slot, AO_FETCH_ADD), (T)1));     \
        AO_NUMBER(AO_ADD_FETCH, mx_atomic_add_fetch(&MX_AT(a->slot, AO_ADD_FETCH), (T)1) - 1); \
        AO_NUMBER(AO_FETCH_INC, mx_atomic_fetch_inc(&MX_AT(a->slot, AO_FETCH_INC)));           \
        AO_NUMBER(AO_INC_FETCH, mx_atomic_inc_fetch(&MX_AT(a->slot, AO_INC_FETCH)) - 1);       \
        AO_NUMBER(AO_FETCH_SUB, mx_atomic_fetch_sub(&MX_AT(a->slot, AO_FETCH_SUB), (T)1) - 1); \
        AO_NUMBER(AO_SUB_FETCH, mx_atomic_sub_fetch(&MX_AT(a->slot, AO_SUB_FETCH), (T)1));     \
        AO_NUMBER(AO_FETCH_DEC, mx_atomic_fetch_dec(&MX_AT(a->slot, AO_FETCH_DEC)) - 1);       \
        AO_NUMBER(AO_DEC_FETCH, mx_atomic_dec_fetch(&MX_AT(a->slot, AO_DEC_FETCH)));           \
        mx_atomic_mul(&MX_AT(a->slot, AO_MUL), i % 1000 == 0 && i < 20000 ? (T)2 : (T)-1);     \
        mx_atomic_div(&MX_AT(a->slot, AO_DIV), i % 1000 == 0 && i < 20000 ? (T)2 : (T)1);      \
        if (mx_atomic_min_fetch(&MX_AT(a->slot, AO_MIN), x) > x) MX_AT(a->wrong, i) = 1;       \
        if (mx_atomic_max_fetch(&MX_AT(a->slot, AO_MAX), x) < x) MX_AT(a->wrong, i) = 1;       \
        MORE                                                                                   \
    }                                                                                          \
    MX_FOR(1D, ao_crowd_##tag)
#define AO_CROWD_INTEGERS(T)                                                                \
    mx_atomic_mod(&MX_AT(a->slot, AO_MOD), i % 2 ? (T)60 : (T)12);                          \
    mx_atomic_nand(&MX_AT(a->slot, AO_NAND), (T) ~(T)0);                                    \
    mx_atomic_lshift(&MX_AT(a->slot, AO_LSHIFT), i % 1000 == 0 && i < 20000 ? (T)1 : (T)0); \
    mx_atomic_rshift(&MX_AT(a->slot, AO_RSHIFT), i % 1000 == 0 && i < 20000 ? (T)1 : (T)0);

#define AO_FLOAT_KERNELS(tag, T) \
    AO_VALUES(tag, )             \
    AO_CROWD(tag, T, )
#define AO_INTEGER_KERNELS(tag, T)          \
    AO_VALUES(tag, AO_INTEGER_OPS(AO_STEP)) \
    AO_CROWD(tag, T, AO_CROWD_INTEGERS(T))
AO_FLOATS(AO_FLOAT_KERNELS)
AO_INTEGERS(AO_INTEGER_KERNELS)

/* ---- comparing bits: a NaN is found, zeros of other sign are not ---- */
MX_BODY void ao_bits_body(const ao_bits_args *a, int i)
{
    const double d = i == 0 ? (double)NAN : -0.0;
    const float f = i == 0 ? NAN : -0.0f;
    MX_AT(a->d_got, i) = mx_atomic_compare_exchange(&MX_AT(a->d, i), d, 3.0);
    MX_AT(a->f_got, i) = mx_atomic_compare_exchange(&MX_AT(a->f, i), f, 3.0f);
}
MX_FOR(1D, ao_bits)

/* ---- a struct under a lock ---- */
MX_BODY void ao_struct_body(const ao_struct_args *a, int i)
{
    const int which = i % AO_TALLIES;
    int64_t before = -1;
    MX_ATOMIC_UPDATE(ao_tally, &MX_AT(a->tally, which), t, {
        before = t.count;
        t.sum += i, t.count += 1;
        if (t.highest < i) t.highest = i;
    });
    mx_atomic_inc(&MX_AT(a->hits, which * a->items + (int)before));
}
MX_FOR(1D, ao_struct)

/* ---- fences ---- */
MX_BODY void ao_fence_body(const ao_fence_args *a, int i)
{
    const int pair = i % a->pairs;
    /* waits a little for the other item, which may come later on this very thread */
    mx_atomic_inc(&MX_AT(a->arrived, pair));
    for (int tries = 0; tries < 1000 && mx_atomic_load(&MX_AT(a->arrived, pair)) < 2; tries++) {
    }
    if (i < a->pairs) {
        mx_atomic_store(&MX_AT(a->x, pair), 1);
        mx_memory_fence();
        MX_AT(a->saw_y, pair) = mx_atomic_load(&MX_AT(a->y, pair));
        mx_atomic_store(&MX_AT(a->data, pair), 42);
        mx_store_fence();
        mx_atomic_store(&MX_AT(a->flag, pair), 1);
    } else {
        mx_atomic_store(&MX_AT(a->y, pair), 1);
        mx_memory_fence();
        MX_AT(a->saw_x, pair) = mx_atomic_load(&MX_AT(a->x, pair));
        const int flag = mx_atomic_load(&MX_AT(a->flag, pair));
        mx_load_fence();
        MX_AT(a->wrong, pair) = flag && mx_atomic_load(&MX_AT(a->data, pair)) != 42;
    }
}
MX_FOR(1D, ao_fence, MX_ITEMS_PLAIN)

/* How a kernel file is compiled for hosts: each kernel becomes a function that runs some units of a launch on the calling
 * thread. Which thread runs which units is the backend's affair, so serial, openmp and any other host backend share this
 * one instance. The simt instance differs in two things: its layout, and that nothing is vectorised.
 *
 * The arguments are copied into the function: behind a pointer that a store in the loop might reach, they would be loaded
 * again at every item (3 to 9 times slower). Loop counter and body index have one type: mixing them turns contiguous
 * loads into gathers. */
#pragma once

#if defined(MX_INSTANCE_SIMT_) || defined(MX_NO_SIMD)
#define MX_SIMD_LOOP_(...)
#else
#define MX_SIMD_LOOP_(...) MX_PRAGMA_(omp simd __VA_ARGS__)
#endif
#define MX_PLAIN_LOOP_(...)
#define MX_STENCIL_LOOP_(...) MX_SIMD_LOOP_(__VA_ARGS__)

typedef struct mx_box_ {
    int64_t begin[3], end[3];
} mx_box_;

/* The tile that is unit number `unit`. */
MX_INLINE mx_box_ mx_unit_box_(const mx_launch *launch, int dims, int64_t unit)
{
    mx_box_ box;
    for (int d = dims - 1; d >= 0; d--) {
        const int64_t t = d > 0 ? unit % launch->tiles[d] : unit;
        if (d > 0) unit /= launch->tiles[d];
        box.begin[d] = launch->begin[d] + t * launch->tile[d];
        box.end[d] = box.begin[d] + launch->tile[d];
        if (box.end[d] > launch->end[d]) box.end[d] = launch->end[d];
    }
    return box;
}

#define MX_ROWS_1D_(I)
#define MX_ROWS_2D_(I) for (I o = (I)box.begin[0]; o < (I)box.end[0]; o++)
#define MX_ROWS_3D_(I)                                  \
    for (I o = (I)box.begin[0]; o < (I)box.end[0]; o++) \
        for (I m = (I)box.begin[1]; m < (I)box.end[1]; m++)

/* The function of a kernel: for each unit BEFORE, for each row ROW, AFTER. */
#define MX_STAMP_RUN_(name, D, I, prologue, BEFORE, ROW, AFTER)                   \
    static void name##__run(const mx_launch *launch, int64_t first, int64_t last) \
    {                                                                             \
        name##__args a = *(const name##__args *)launch->args;                     \
        prologue(&a);                                                             \
        for (int64_t unit = first; unit < last; unit++) {                         \
            const mx_box_ box = mx_unit_box_(launch, D, unit);                    \
            const I i0 = (I)box.begin[D - 1], i1 = (I)box.end[D - 1];             \
            BEFORE                                                                \
            MX_ROWS_##D##D_(I){ROW} AFTER                                         \
        }                                                                         \
    }

#define MX_STAMP_FOR_(name, D, I, S, prologue)                                      \
    MX_STAMP_RUN_(name, D, I, prologue, ,                                           \
                  S() for (I i = i0; i < i1; i++) name##_body(&a, MX_ITEM_##D##D_); \
                  , )                                                               \
    const mx_instance MX_SYMBOL_(name) = {name##__run, NULL, NULL, NULL, 0};

/* What an item's value starts from: the identity. Of a floating-point sum that is -0.0, strictly: -0.0 + x is x, which the
 * compiler knows, while 0.0 + x may be another zero. One addition less, and a product goes into the sum by one fma. Of a
 * minimum or maximum it is a variable whose value the compiler does not know: it would make branches of it, one for items
 * that are the identity, and the other fields of a list would follow them (2.3 times slower). */
#define MX_SUM_START_(T, v, identity) (*(v) = (T)(-(T)0))
#define MX_PROD_START_(T, v, identity) MX_PROD_INIT(T, v)
#define MX_MIN_START_(T, v, identity) (*(v) = *(identity))
#define MX_MAX_START_(T, v, identity) (*(v) = *(identity))
#define MX_LAND_START_(T, v, identity) MX_LAND_INIT(T, v)
#define MX_LOR_START_(T, v, identity) MX_LOR_INIT(T, v)
#define MX_BAND_START_(T, v, identity) MX_BAND_INIT(T, v)
#define MX_BOR_START_(T, v, identity) MX_BOR_INIT(T, v)
#define MX_UNKNOWN_(variable) __asm__("" : "+m"(variable))

/* One number: a simd reduction along each row, into the unit's total. */
#define MX_STAMP_REDUCE_(name, D, I, S, R, prologue)                                             \
    MX_INLINE void name##__init(name##__value *v)                                                \
    {                                                                                            \
        R##_INIT(name##__value, v);                                                              \
    }                                                                                            \
    MX_INLINE void name##__join(name##__value *into, const name##__value *v)                     \
    {                                                                                            \
        R##_JOIN(name##__value, into, v);                                                        \
    }                                                                                            \
    MX_STAMP_RUN_(                                                                               \
        name, D, I, prologue, name##__value total; name##__value identity; name##__init(&total); \
        name##__init(&identity); MX_UNKNOWN_(identity);                                          \
        ,                                                                                        \
        S(reduction(R##_OP                                                                       \
                    : total)) for (I i = i0; i < i1; i++) {                                      \
            name##__value item;                                                                  \
            R##_START_(name##__value, &item, &identity);                                         \
            name##_body(&a, MX_ITEM_##D##D_, &item);                                             \
            name##__join(&total, &item);                                                         \
        },                                                                                       \
        ((name##__value *)launch->partials)[unit] = total;)                                      \
    MX_STAMP_JOIN_(name)

/* A list of fields: each field is a scalar with a reduction clause of its own, which is what vectorises. The item is set
 * here field by field: set by a function, it stays in memory, and the loop ran 4 times slower. */
#define MX_FIELD_INIT_(T, field, R) R##_INIT(T, &v->field);
#define MX_FIELD_JOIN_(T, field, R) R##_JOIN(T, &into->field, &v->field);
#define MX_FIELD_BEGIN_(T, field, R) \
    T total_##field;                 \
    R##_INIT(T, &total_##field);
#define MX_FIELD_CLAUSE_(T, field, R) reduction(R##_OP : total_##field)
#define MX_FIELD_ADD_(T, field, R) R##_JOIN(T, &total_##field, &item.field);
#define MX_FIELD_END_(T, field, R) partial->field = total_##field;
#define MX_FIELD_ITEM_(T, field, R) R##_START_(T, &item.field, &identity.field);
#define MX_FIELD_UNKNOWN_(T, field, R) MX_UNKNOWN_(identity.field);
#define MX_STAMP_FIELDS_(name, D, I, S, LIST, prologue)                                                \
    MX_INLINE void name##__init(name##__value *v){LIST(MX_FIELD_INIT_)} MX_INLINE void                 \
        name##__join(name##__value *into, const name##__value *v){LIST(MX_FIELD_JOIN_)} MX_STAMP_RUN_( \
            name, D, I, prologue, LIST(MX_FIELD_BEGIN_) name##__value identity;                        \
            name##__init(&identity);                                                                   \
            LIST(MX_FIELD_UNKNOWN_),                                                                   \
            S(LIST(MX_FIELD_CLAUSE_)) for (I i = i0; i < i1; i++) {                                    \
                name##__value item;                                                                    \
                LIST(MX_FIELD_ITEM_)                                                                   \
                name##_body(&a, MX_ITEM_##D##D_, &item);                                               \
                LIST(MX_FIELD_ADD_)                                                                    \
            },                                                                                         \
            name##__value *partial = (name##__value *)launch->partials + unit;                         \
            LIST(MX_FIELD_END_)) MX_STAMP_JOIN_(name)

#define MX_STAMP_CUSTOM_(name, D, I, init, join, prologue)                   \
    MX_INLINE void name##__init(name##__value *v)                            \
    {                                                                        \
        init(v);                                                             \
    }                                                                        \
    MX_INLINE void name##__join(name##__value *into, const name##__value *v) \
    {                                                                        \
        join(into, v);                                                       \
    }                                                                        \
    MX_STAMP_RUN_(                                                           \
        name, D, I, prologue, name##__value total; name##__init(&total);     \
        ,                                                                    \
        for (I i = i0; i < i1; i++) {                                        \
            name##__value item;                                              \
            name##__init(&item);                                             \
            name##_body(&a, MX_ITEM_##D##D_, &item);                         \
            name##__join(&total, &item);                                     \
        },                                                                   \
        ((name##__value *)launch->partials)[unit] = total;)                  \
    MX_STAMP_JOIN_(name)

#define MX_STAMP_JOIN_(name)                                                       \
    static void name##__join_all(const mx_launch *launch, void *result, int64_t n) \
    {                                                                              \
        name##__value total;                                                       \
        name##__init(&total);                                                      \
        for (int64_t unit = 0; unit < n; unit++)                                   \
            name##__join(&total, (const name##__value *)launch->partials + unit);  \
        *(name##__value *)result = total;                                          \
    }                                                                              \
    const mx_instance MX_SYMBOL_(name) = {name##__run, name##__join_all, NULL, NULL, 0};

/* An array of launch->length values: one array a unit, joined element by element. */
#define MX_STAMP_ARRAY_(name, R)                                                                  \
    static void name##__run(const mx_launch *launch, int64_t first, int64_t last)                 \
    {                                                                                             \
        const name##__args a = *(const name##__args *)launch->args;                               \
        for (int64_t unit = first; unit < last; unit++) {                                         \
            const mx_box_ box = mx_unit_box_(launch, 1, unit);                                    \
            name##__value *values = (name##__value *)launch->partials + unit * launch->length;    \
            for (int64_t e = 0; e < launch->length; e++) R##_INIT(name##__value, &values[e]);     \
            for (int i = (int)box.begin[0]; i < (int)box.end[0]; i++) name##_body(&a, i, values); \
        }                                                                                         \
    }                                                                                             \
    static void name##__join_array(const mx_launch *launch, int64_t first, int64_t last)          \
    {                                                                                             \
        name##__value *result = (name##__value *)launch->result;                                  \
        for (int64_t e = first; e < last; e++) R##_INIT(name##__value, &result[e]);               \
        for (int64_t unit = 0; unit < launch->units; unit++) {                                    \
            const name##__value *values =                                                         \
                (const name##__value *)launch->partials + unit * launch->length;                  \
            for (int64_t e = first; e < last; e++)                                                \
                R##_JOIN(name##__value, &result[e], &values[e]);                                  \
        }                                                                                         \
    }                                                                                             \
    const mx_instance MX_SYMBOL_(name) = {name##__run, NULL, name##__join_array, NULL, 0};

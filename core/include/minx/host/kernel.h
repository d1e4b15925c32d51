/* How a kernel file is compiled for hosts. Each kernel becomes a function that runs some chunks of
 * a launch on the calling thread. The backend decides which thread runs which chunks. So serial,
 * openmp and any other host backend share this instance. The simt instance differs in two things:
 * its layout, and that no loop is vectorised.
 *
 * The function copies the arguments to local variables. Through a pointer they would be loaded
 * again for every item, because a store in the loop might change them. The
 * loop counter and the index of the body have the same type: with different types the compiler
 * turned contiguous loads into gathers. */
#pragma once

/* The number of this thread in a launch, set by the backend. It is a short, a type that kernels
 * seldom store: by C's rules for types a store of a double or an int cannot change it, so compilers
 * load it once for a loop over items. */
extern __thread short mx_thread_;

typedef struct mx_tile_ {
    int64_t begin[MX_MAX_DIMS], end[MX_MAX_DIMS];
} mx_tile_;

/* The tile of a chunk. */
MX_INLINE mx_tile_ mx_chunk_tile_(const mx_launch *launch_, int dims, int64_t chunk_)
{
    mx_tile_ tile_;
    for (int d = dims - 1; d >= 0; d--) {
        const mx_axis *axis = &launch_->axis[d];
        int64_t t = chunk_;
        if (d > 0 && axis->tiles == 1) { /* the usual case needs no division */
            t = 0;
        } else if (d > 0) {
            t = chunk_ % axis->tiles;
            chunk_ /= axis->tiles;
        }
        tile_.begin[d] = axis->begin + t * axis->tile;
        tile_.end[d] = tile_.begin[d] + axis->tile;
        if (tile_.end[d] > axis->end) tile_.end[d] = axis->end;
    }
    return tile_;
}

/* In the functions that the macros below define, names that a user's type may have end with an
 * underscore; otherwise -Wshadow would warn in the user's files. */

/* The loops over the rows of a tile. A row is one combination of the outer indices; o0 is the
 * outermost index, o1 the next. */
#define MX_OUTER_(I, d) for (I o##d = (I)tile_.begin[d]; o##d < (I)tile_.end[d]; o##d++)
#define MX_ROWS_1D_(I)
#define MX_ROWS_2D_(I) MX_OUTER_(I, 0)
#define MX_ROWS_3D_(I) MX_ROWS_2D_(I) MX_OUTER_(I, 1)
#define MX_ROWS_4D_(I) MX_ROWS_3D_(I) MX_OUTER_(I, 2)
#define MX_ROWS_5D_(I) MX_ROWS_4D_(I) MX_OUTER_(I, 3)
#define MX_ROWS_6D_(I) MX_ROWS_5D_(I) MX_OUTER_(I, 4)

/* A kernel has two functions. NAME__run calls NAME__tile for the tile of each chunk of a thread.
 * NAME__tile executes BEGIN, ROW for each row, and END. There `a` are the arguments, i0 to i1-1 is
 * the range of the contiguous index, `out_` is the memory for the tile's partial result, and
 * `lanes_` is the number of partial values of a reduction. It is never inlined, so that the loop
 * over a row, which may be short, has all registers. */
#define MX_DEFINE_RUN_(name, D, I, lanes, prologue, BEGIN, ROW, END)                           \
    static __attribute__((noinline)) void name##__tile(                                        \
        const name##__args *MX_RESTRICT args_, const mx_tile_ *MX_RESTRICT shape_, void *out_) \
    {                                                                                          \
        const mx_tile_ tile_ = *shape_;                                                        \
        const name##__args a = *args_;                                                         \
        const I i0 = (I)tile_.begin[D - 1], i1 = (I)tile_.end[D - 1];                          \
        enum { lanes_ = lanes };                                                               \
        (void)a;                                                                               \
        (void)out_;                                                                            \
        BEGIN MX_ROWS_##D##D_(I){ROW} END                                                      \
    }                                                                                          \
    static void name##__run(const mx_launch *launch_, int64_t first_, int64_t last_)           \
    {                                                                                          \
        for (int64_t u = first_; u < last_; u++) {                                             \
            const int64_t chunk_ = launch_->first_chunk + u;                                   \
            const mx_tile_ tile_ = mx_chunk_tile_(launch_, D, chunk_);                         \
            name##__tile((const name##__args *)launch_->args, &tile_,                          \
                         launch_->partials + chunk_ * launch_->partial_bytes);                 \
        }                                                                                      \
    }                                                                                          \
    MX_DEFINE_PROLOGUE_(name, prologue)
#define MX_DEFINE_PROLOGUE_(name, prologue) \
    MX_INLINE void name##__prologue(void *args_) { prologue((name##__args *)args_); }
#define MX_PROLOGUE_(name, prologue) \
    (__builtin_strcmp(#prologue, "MX_DEFAULT_") != 0 ? name##__prologue : NULL)

/* How a row is vectorised: in pairs of groups of eight items, then at most one more group, then the
 * remaining items one by one. This form has the lowest cost at the start of a row, and rows may be
 * short: an ordinary `omp simd` loop takes longer with some hundred items a row. Only a kernel
 * without result over one dimension uses such a loop, because its one row is long.
 *
 * A group has eight items on every CPU, even if its vectors are shorter. In a reduction each item
 * of a pair has a lane of its own, and the remaining items have one more. So an addition need not
 * wait for the result of the addition before it, and the result has the same bits on all CPUs. The
 * lanes stay in registers from row to row; an `omp simd reduction` would join them at the end of
 * each row. The remaining items must not be added to lanes of the groups: those would then stay in
 * memory. The empty asm statement keeps compilers from vectorising these items too.
 *
 * clang needs more than `omp simd`. It would unroll the eight items before it vectorises, and then
 * not recognise that their loads and stores are independent. It gets a pair as one loop, and loads
 * the vectors of both groups before it stores one: a load may have to wait for an earlier store
 * with the same low bits of its address. */
enum { MX_GROUP_ = 8 };
#ifdef __clang__
#define MX_GROUPS_(count)                                              \
    MX_PRAGMA_(clang loop vectorize(assume_safety) vectorize_width(8)) \
    MX_PRAGMA_(clang loop interleave_count(count) unroll(disable))
/* With `omp simd` clang extends a 32-bit index again for each item of a loop that it cannot
 * vectorise. */
#define MX_LONG_ROW_ MX_PRAGMA_(clang loop vectorize(assume_safety))
#define MX_PAIR_(I, ITEM) MX_ITEMS_(I, MX_GROUPS_(2), at, 2 * MX_GROUP_, 0, ITEM)
#else
#define MX_GROUPS_(count) MX_PRAGMA_(omp simd)
#define MX_LONG_ROW_ MX_PRAGMA_(omp simd)
#define MX_PAIR_(I, ITEM)                               \
    MX_ITEMS_(I, MX_GROUPS_(1), at, MX_GROUP_, 0, ITEM) \
    MX_ITEMS_(I, MX_GROUPS_(1), at + MX_GROUP_, MX_GROUP_, MX_GROUP_, ITEM)
#endif
/* The items first to first + count - 1, in the lanes from `lane` on. */
#define MX_ITEMS_(I, LOOP, first, count, lane, ITEM) \
    LOOP for (int e = 0; e < (count); e++)           \
    {                                                \
        const I i = (first) + e;                     \
        const int l = (lane) + e;                    \
        (void)l;                                     \
        ITEM;                                        \
    }
#define MX_END_OF_(I, count) (I)(i0 + ((int64_t)i1 - i0) / (count) * (count))

#define MX_PLAIN_ROW_(I, ITEM)    \
    for (I i = i0; i < i1; i++) { \
        enum { l = 0 };           \
        ITEM;                     \
    }
#if defined(MX_INSTANCE_SIMT_) || defined(MX_NO_SIMD)
#define MX_ITEMS_SIMD_ROW_ MX_PLAIN_ROW_
#define MX_ITEMS_SIMD_LONG_ROW_ MX_PLAIN_ROW_
#define MX_ITEMS_SIMD_LANES_ 1
#else
#define MX_ITEMS_SIMD_ROW_(I, ITEM)                                                    \
    const I pairs_ = MX_END_OF_(I, 2 * MX_GROUP_), groups_ = MX_END_OF_(I, MX_GROUP_); \
    for (I at = i0; at < pairs_; at += 2 * MX_GROUP_) {                                \
        MX_PAIR_(I, ITEM)                                                              \
    }                                                                                  \
    for (I at = pairs_; at < groups_; at += MX_GROUP_) {                               \
        MX_ITEMS_(I, MX_GROUPS_(1), at, MX_GROUP_, 0, ITEM)                            \
    }                                                                                  \
    MX_PRAGMA_(GCC unroll 1)                                                           \
    for (I at = groups_; at < i1; at++) {                                              \
        __asm__ volatile("");                                                          \
        const I i = at;                                                                \
        enum { l = lanes_ - 1 };                                                       \
        ITEM;                                                                          \
    }
#define MX_ITEMS_SIMD_LONG_ROW_(I, ITEM) MX_LONG_ROW_ for (I i = i0; i < i1; i++) ITEM;
#define MX_ITEMS_SIMD_LANES_ (2 * MX_GROUP_ + 1)
#endif
#define MX_ITEMS_PLAIN_ROW_ MX_PLAIN_ROW_
#define MX_ITEMS_PLAIN_LONG_ROW_ MX_PLAIN_ROW_
#define MX_ITEMS_PLAIN_LANES_ 1

/* A row of a kernel without result. */
#define MX_FOR_ROW_1D_(I, S, ITEM) S##_LONG_ROW_(I, ITEM)
#define MX_FOR_ROW_2D_(I, S, ITEM) S##_ROW_(I, ITEM)
#define MX_FOR_ROW_3D_ MX_FOR_ROW_2D_
#define MX_FOR_ROW_4D_ MX_FOR_ROW_2D_
#define MX_FOR_ROW_5D_ MX_FOR_ROW_2D_
#define MX_FOR_ROW_6D_ MX_FOR_ROW_2D_
#define MX_DEFINE_RANGE_FOR_(name, D, I, S, what, prologue)                       \
    MX_DEFINE_RUN_(name, D, I, 1, prologue, ,                                     \
                   MX_FOR_ROW_##D##D_(I, S, name##__item(&a, MX_ITEM_##D##D_)), ) \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                     \
                                          .prepare = MX_PROLOGUE_(name, prologue)};

/* NAME__init and NAME__join: INIT is a statement on `v`, JOIN one on `into` and `v`. */
#define MX_DEFINE_VALUE_(name, INIT, JOIN)                  \
    MX_INLINE void name##__init(name##__value *v) { INIT; } \
    MX_INLINE void name##__join(name##__value *into, const name##__value *v) { JOIN; }

/* Joins all lanes into lane 0: JOIN joins lane l+n into lane l. The last lane, that of the remaining
 * items, comes first. */
#define MX_JOIN_LANES_(JOIN)                  \
    if (lanes_ > 1) {                         \
        enum { l = 0, n = lanes_ - 1 };       \
        JOIN;                                 \
    }                                         \
    for (int n = lanes_ / 2; n > 0; n /= 2) { \
        for (int l = 0; l < n; l++) {         \
            JOIN;                             \
        }                                     \
    }

/* ---- a reduction to one number ---- */

#define MX_NUMBER_BEGIN_(name)   \
    name##__value lane_[lanes_]; \
    for (int l = 0; l < lanes_; l++) name##__init(&lane_[l]);
#define MX_NUMBER_END_(name)                               \
    MX_JOIN_LANES_(name##__join(&lane_[l], &lane_[l + n])) \
    *(name##__value *)out_ = lane_[0];
#define MX_NUMBER_ITEM_(name, D)                \
    name##__value value_ = lane_[l];            \
    name##__item(&a, MX_ITEM_##D##D_, &value_); \
    lane_[l] = value_
#define MX_DEFINE_RANGE_REDUCE_(name, D, I, S, R, prologue)                              \
    MX_DEFINE_VALUE_(name, R##_INIT(name##__value, v), R##_JOIN(name##__value, into, v)) \
    MX_DEFINE_RUN_(name, D, I, S##_LANES_, prologue, MX_NUMBER_BEGIN_(name),             \
                   S##_ROW_(I, MX_NUMBER_ITEM_(name, D)), MX_NUMBER_END_(name))          \
    MX_DEFINE_JOIN_(name, prologue)

/* ---- a reduction to a struct with a list of fields ----
 *
 * Each field has its own lanes, so the loop can be vectorised. The struct that the body gets is
 * filled field by field here: if a function fills it, compilers keep it in memory. */
#define MX_FIELD_LANES_(T, field, R) T lane_##field[lanes_];
#define MX_FIELD_BEGIN_(T, field, R) R##_INIT(T, &lane_##field[l]);
#define MX_FIELD_IN_(T, field, R) value_.field = lane_##field[l];
#define MX_FIELD_OUT_(T, field, R) lane_##field[l] = value_.field;
#define MX_FIELD_LANE_JOIN_(T, field, R) R##_JOIN(T, &lane_##field[l], &lane_##field[l + n]);
#define MX_FIELD_STORE_(T, field, R) partial->field = lane_##field[0];
#define MX_FIELDS_BEGIN_(LIST)         \
    LIST(MX_FIELD_LANES_)              \
    for (int l = 0; l < lanes_; l++) { \
        LIST(MX_FIELD_BEGIN_)          \
    }
#define MX_FIELDS_ITEM_(name, D, LIST)          \
    name##__value value_;                       \
    LIST(MX_FIELD_IN_)                          \
    name##__item(&a, MX_ITEM_##D##D_, &value_); \
    LIST(MX_FIELD_OUT_)
#define MX_FIELDS_END_(name, LIST)                  \
    name##__value *partial = (name##__value *)out_; \
    MX_JOIN_LANES_(LIST(MX_FIELD_LANE_JOIN_))       \
    LIST(MX_FIELD_STORE_)
#define MX_DEFINE_RANGE_FIELDS_(name, D, I, S, LIST, prologue)                              \
    MX_DEFINE_VALUE_(name, LIST(MX_FIELD_INIT_), LIST(MX_FIELD_JOIN_))                      \
    MX_DEFINE_RUN_(name, D, I, S##_LANES_, prologue, MX_FIELDS_BEGIN_(LIST),                \
                   S##_ROW_(I, MX_FIELDS_ITEM_(name, D, LIST)), MX_FIELDS_END_(name, LIST)) \
    MX_DEFINE_JOIN_(name, prologue)

/* ---- a reduction with functions of the user ---- */

#define MX_DEFINE_RANGE_CUSTOM_(name, D, I, S, functions, prologue)                      \
    MX_DEFINE_VALUE_(name, MX_INIT_OF_ functions(v), MX_JOIN_OF_ functions(into, v))     \
    MX_DEFINE_RUN_(name, D, I, 1, prologue, name##__value total_; name##__init(&total_); \
                   , MX_PLAIN_ROW_(I, name##__item(&a, MX_ITEM_##D##D_, &total_)),       \
                   *(name##__value *)out_ = total_;)                                     \
    MX_DEFINE_JOIN_(name, prologue)

#define MX_DEFINE_JOIN_ALL_(name)                                                           \
    static void name##__join_all(const mx_launch *launch_, void *result_, int64_t n)        \
    {                                                                                       \
        name##__value total_;                                                               \
        name##__init(&total_);                                                              \
        for (int64_t part_ = 0; part_ < n; part_++)                                         \
            name##__join(&total_, (const name##__value *)(launch_->partials +               \
                                                          part_ * launch_->partial_bytes)); \
        *(name##__value *)result_ = total_;                                                 \
    }
#define MX_DEFINE_JOIN_(name, prologue)    \
    MX_DEFINE_JOIN_ALL_(name)              \
    const mx_instance MX_SYMBOL_(name) = { \
        .run = name##__run, .prepare = MX_PROLOGUE_(name, prologue), .join = name##__join_all};

#include "minx/host/reduce_array.h"

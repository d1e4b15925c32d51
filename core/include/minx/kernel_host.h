/* How a kernel file is compiled for hosts. Each kernel becomes a function that runs some chunks of
 * a launch on the calling thread. The backend decides which thread runs which chunks. So serial,
 * openmp and any other host backend share this instance. The simt instance differs in two things:
 * its layout, and that no loop is vectorised.
 *
 * The function copies the arguments to local variables. Through a pointer they would be loaded
 * again for every item, because a store in the loop might change them (3 to 9 times slower). The
 * loop counter and the index of the body have the same type: with different types the compiler
 * turned contiguous loads into gathers. */
#pragma once

#if defined(MX_INSTANCE_SIMT_) || defined(MX_NO_SIMD)
#define MX_ITEMS_SIMD_LOOP_(...)
#elif defined(__clang__)
/* With `omp simd` clang extends a 32-bit index again for each item of a loop that it cannot
 * vectorise. */
#define MX_ITEMS_SIMD_LOOP_(...) MX_PRAGMA_(clang loop vectorize(assume_safety))
#else
#define MX_ITEMS_SIMD_LOOP_(...) MX_PRAGMA_(omp simd __VA_ARGS__)
#endif
#define MX_ITEMS_PLAIN_LOOP_(...)
#define MX_ITEMS_STENCIL_LOOP_(...) MX_ITEMS_SIMD_LOOP_(__VA_ARGS__)

/* The number of this thread in a launch, set by the backend. */
extern __thread int mx_thread_;

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

/* A kernel has five functions. NAME__run runs the chunks of a thread. For the tile of each it calls
 * NAME__rows_of_2, NAME__rows_of_3 or NAME__rows_of_4 if the rows are of the items 0 to 1, 2 or 3,
 * else NAME__tile.
 *
 * NAME__tile executes BEFORE, ROWS (the loops over all rows) and AFTER. There `a` are the
 * arguments, i0 to i1-1 is the range of the contiguous index, `out_` is the memory for the tile's
 * partial result, and `lanes_` is the number of lanes of a reduction; LAST_LANES more are for the
 * remaining items of rows. It is never inlined, so that the loop over a row, which may be short,
 * has all registers. */
#define MX_DEFINE_TILE_(name, D, I, function, LANES, LAST_LANES, BEFORE, ROWS, AFTER)     \
    static __attribute__((noinline)) void function(const name##__args *MX_RESTRICT args_, \
                                                   const mx_tile_ *shape, void *out_)     \
    {                                                                                     \
        const mx_tile_ tile_ = *shape;                                                    \
        const name##__args a = *args_;                                                    \
        const I i0 = (I)tile_.begin[D - 1], i1 = (I)tile_.end[D - 1];                     \
        enum { lanes_ = LANES, all_lanes_ = lanes_ + LAST_LANES };                        \
        (void)a;                                                                          \
        (void)out_;                                                                       \
        (void)i0;                                                                         \
        (void)i1;                                                                         \
        BEFORE{ROWS} AFTER                                                                \
    }
/* Rows of two, three and four items have a function of their own each, NAME__rows_of_2 and so on:
 * in one function with the other rows, clang had fewer registers for those. SHORT(N) are the loops
 * over such rows. */
#define MX_DEFINE_SHORT_ROWS_(name, D, I, N, BEFORE, SHORT, AFTER) \
    MX_DEFINE_TILE_(name, D, I, name##__rows_of_##N, MX_SHORT_ROWS_LANES_, 0, BEFORE, SHORT, AFTER)
#define MX_DEFINE_RUN_(...) MX_DEFINE_RUN_OF_(__VA_ARGS__)
#define MX_DEFINE_RUN_OF_(name, D, I, S, HAS_SHORT_ROWS, prologue, BEFORE, SHORT_2, SHORT_3, \
                          SHORT_4, ROW, AFTER)                                               \
    MX_DEFINE_TILE_(name, D, I, name##__tile, MX_ROW_LANES_(S), MX_LAST_LANES_(S), BEFORE,   \
                    MX_ROWS_##D##D_(I){ROW}, AFTER)                                          \
    MX_DEFINE_SHORT_ROWS_(name, D, I, 2, BEFORE, SHORT_2, AFTER)                             \
    MX_DEFINE_SHORT_ROWS_(name, D, I, 3, BEFORE, SHORT_3, AFTER)                             \
    MX_DEFINE_SHORT_ROWS_(name, D, I, 4, BEFORE, SHORT_4, AFTER)                             \
    static void name##__run(const mx_launch *launch_, int64_t first_, int64_t last_)         \
    {                                                                                        \
        const name##__args *args_ = (const name##__args *)launch_->args;                     \
        for (int64_t u = first_; u < last_; u++) {                                           \
            const int64_t chunk_ = launch_->first_chunk + u;                                 \
            const mx_tile_ tile_ = mx_chunk_tile_(launch_, D, chunk_);                       \
            void *const out_ = launch_->partials + chunk_ * launch_->partial_bytes;          \
            const int64_t items_ =                                                           \
                HAS_SHORT_ROWS && D > 1 && tile_.begin[D - 1] == 0 ? tile_.end[D - 1] : 0;   \
            if (items_ == 2)                                                                 \
                name##__rows_of_2(args_, &tile_, out_);                                      \
            else if (items_ == 3)                                                            \
                name##__rows_of_3(args_, &tile_, out_);                                      \
            else if (items_ == 4)                                                            \
                name##__rows_of_4(args_, &tile_, out_);                                      \
            else                                                                             \
                name##__tile(args_, &tile_, out_);                                           \
        }                                                                                    \
    }                                                                                        \
    MX_DEFINE_PROLOGUE_(name, prologue)
#define MX_DEFINE_PROLOGUE_(name, prologue) \
    MX_INLINE void name##__prologue(void *args_) { prologue((name##__args *)args_); }
#define MX_PROLOGUE_(name, prologue) \
    (__builtin_strcmp(#prologue, "MX_NO_PROLOGUE_") != 0 ? name##__prologue : NULL)

/* How a row is vectorised: in groups of eight items, and the remaining items one by one. This form
 * has the lowest cost at the start of a row, and rows may be short: an ordinary `omp simd` loop was
 * 2 to 5 percent slower with some hundred items a row. Only a kernel without result over one
 * dimension uses such a loop, because its one row is long.
 *
 * A group has eight items on every CPU, even if its vectors are shorter. Two groups take turns. In
 * a reduction each has a lane for each of its items. So an addition need not wait for the result of
 * the addition before it (a dot product is 1.7 times faster in cache), and the result has the same
 * bits on all CPUs. The lanes stay in registers from row to row; an `omp simd reduction` would join
 * them at the end of each row.
 *
 * The remaining items of a row, fewer than eight, have two lanes of their own in a reduction, which
 * they take in turn. If they were added to lanes of the groups, all lanes would stay in memory, and
 * a vector would be loaded from there before the store of one of its elements has ended: sums over
 * rows of 9 to 15 items took two to four times as long. The empty asm statement prevents that
 * compilers vectorise these items too.
 *
 * clang needs more than `omp simd`. It would unroll the eight items before it vectorises, and then
 * not recognise that their loads and stores are independent (a stencil was 5 times slower). It gets
 * two groups as one loop, and then loads the vectors of both before it stores one: a load may have
 * to wait for an earlier store with the same low bits of its address (a stencil in three dimensions
 * took 1.25 times as long on an Intel CPU). */
#if defined(MX_INSTANCE_SIMT_) || defined(MX_NO_SIMD)
#define MX_ITEMS_SIMD_LANES_ 1
#define MX_ITEMS_SIMD_VECTOR_
#else
#define MX_ITEMS_SIMD_LANES_ 8
#ifdef __clang__
#define MX_CLANG_VECTOR_(width, count)                                     \
    MX_PRAGMA_(clang loop vectorize(assume_safety) vectorize_width(width)) \
    MX_PRAGMA_(clang loop interleave_count(count) unroll(disable))
#define MX_ITEMS_SIMD_VECTOR_ MX_CLANG_VECTOR_(8, 1)
#else
#define MX_ITEMS_SIMD_VECTOR_ MX_PRAGMA_(omp simd)
#endif
#endif
#define MX_ITEMS_STENCIL_LANES_ MX_ITEMS_SIMD_LANES_
#define MX_ITEMS_STENCIL_VECTOR_ MX_ITEMS_SIMD_VECTOR_
#define MX_ITEMS_PLAIN_LANES_ 1
#define MX_ITEMS_PLAIN_VECTOR_

/* The items of one vector: the first is item `at`, in lane `lane0`. */
#define MX_VECTOR_ITEMS_(I, S, at, lane0, ITEM)      \
    S##_VECTOR_ for (int e = 0; e < S##_LANES_; e++) \
    {                                                \
        const I i = (at) + e;                        \
        const int l = (lane0) + e;                   \
        (void)l;                                     \
        ITEM;                                        \
    }
/* The item `at`, one of those after the last whole vector of a row. */
#define MX_REMAINING_ITEM_(I, at, lane, ITEM) \
    {                                         \
        const I i = at;                       \
        const int l = lane;                   \
        (void)l;                              \
        __asm__ volatile("");                 \
        ITEM;                                 \
    }
#define MX_END_OF_VECTORS_(I, lanes) (I)(i0 + ((int64_t)i1 - i0) / (lanes) * (lanes))

/* Two groups, from item `at` on. */
#if defined(__clang__) && MX_ITEMS_SIMD_LANES_ > 1
#define MX_PAIR_ITEMS_(I, S, ITEM)                                  \
    MX_CLANG_VECTOR_(8, 2) for (int e = 0; e < 2 * S##_LANES_; e++) \
    {                                                               \
        const I i = at + e;                                         \
        const int l = e;                                            \
        (void)l;                                                    \
        ITEM;                                                       \
    }
#else
#define MX_PAIR_ITEMS_(I, S, ITEM)      \
    MX_VECTOR_ITEMS_(I, S, at, 0, ITEM) \
    MX_VECTOR_ITEMS_(I, S, at + S##_LANES_, MX_ROW_LANES_(S) / 2, ITEM)
#endif

#define MX_ROW_LANES_(S) (S##_LANES_ > 1 ? 2 * S##_LANES_ : 1)
/* Where the pairs of vectors of a row end, and where its whole vectors end. */
#define MX_ROW_ENDS_(I, S)                                      \
    const I end_of_vectors = MX_END_OF_VECTORS_(I, S##_LANES_); \
    const I end_of_pairs = S##_LANES_ > 1 ? MX_END_OF_VECTORS_(I, MX_ROW_LANES_(S)) : i0;
/* The whole vectors of a row: pairs, then at most one more; with one lane, all items. */
#define MX_ROW_PAIRS_(I, S, ITEM)                                \
    MX_ROW_ENDS_(I, S)                                           \
    for (I at = i0; at < end_of_pairs; at += MX_ROW_LANES_(S)) { \
        MX_PAIR_ITEMS_(I, S, ITEM)                               \
    }
#define MX_ROW_LAST_VECTOR_(I, S, ITEM)                                \
    for (I at = end_of_pairs; at < end_of_vectors; at += S##_LANES_) { \
        MX_VECTOR_ITEMS_(I, S, at, 0, ITEM)                            \
    }

/* A row of a kernel without result. */
#define MX_FOR_ROW_(I, S, ITEM)     \
    MX_ROW_PAIRS_(I, S, ITEM)       \
    MX_ROW_LAST_VECTOR_(I, S, ITEM) \
    MX_PRAGMA_(GCC unroll 1)        \
    for (I last_ = end_of_vectors; last_ < i1; last_++) MX_REMAINING_ITEM_(I, last_, 0, ITEM)
#define MX_ITEMS_SIMD_FOR_ROW_ MX_FOR_ROW_
#define MX_ITEMS_PLAIN_FOR_ROW_ MX_FOR_ROW_

/* The same in one loop, from three dimensions on, for items that read their neighbours. The items
 * after the pairs then use the addresses of the pairs, so fewer registers are needed. After the
 * pairs the loop runs at most once more; with one lane, once for each item. In cache a step of the
 * heat equation took 0.9 of the time. Items with fewer addresses do not gain, and the second
 * condition in the loop costs time: with clang p = r + beta p took 1.13 times as long, and out of
 * cache a stencil in two dimensions 1.1 times. */
#define MX_ITEMS_STENCIL_FOR_ROW_(I, S, ITEM)                                                     \
    MX_ROW_ENDS_(I, S)                                                                            \
    for (I at = i0; at < i1; at += MX_ROW_LANES_(S)) {                                            \
        if (__builtin_expect(at < end_of_pairs, S##_LANES_ != 1)) {                               \
            MX_PAIR_ITEMS_(I, S, ITEM)                                                            \
            continue;                                                                             \
        }                                                                                         \
        if (at < end_of_vectors) MX_VECTOR_ITEMS_(I, S, at, 0, ITEM)                              \
        MX_PRAGMA_(GCC unroll 1)                                                                  \
        for (I last_ = end_of_vectors; last_ < i1; last_++) MX_REMAINING_ITEM_(I, last_, 0, ITEM) \
    }

/* A row of a reduction. With one lane there are no remaining items. Their code is compiled all the
 * same and must not name a lane outside of the array, so it names lane 0. */
#define MX_LAST_LANES_(S) (S##_LANES_ > 1 ? 2 : 0)
#define MX_LAST_LANE_(S, n) (S##_LANES_ > 1 ? MX_ROW_LANES_(S) + (n) : 0)
#define MX_ROW_(I, S, ITEM)                                                     \
    MX_ROW_PAIRS_(I, S, ITEM)                                                   \
    if (MX_ROW_HAS_MORE_(S)) {                                                  \
        I last_ = end_of_vectors;                                               \
        MX_ROW_LAST_VECTOR_(I, S, ITEM)                                         \
        MX_PRAGMA_(GCC unroll 1)                                                \
        for (; last_ < i1 - 1; last_ += 2) {                                    \
            MX_REMAINING_ITEM_(I, last_, MX_LAST_LANE_(S, 0), ITEM)             \
            MX_REMAINING_ITEM_(I, last_ + 1, MX_LAST_LANE_(S, 1), ITEM)         \
        }                                                                       \
        if (last_ < i1) MX_REMAINING_ITEM_(I, last_, MX_LAST_LANE_(S, 0), ITEM) \
    }
/* Whether a row has items after its pairs of groups. This is the same for all rows of a tile. So
 * compilers make two versions of the loop over rows, and one has no code for these items. The hint
 * puts their code after that loop. With clang, an update with a norm took 1.03 times as long
 * without the hint. With gcc a stronger hint is harmful: sums over rows of five to seven items took
 * 1.5 times as long. A kernel without result has no such condition: with clang, an update without a
 * norm took 1.5 times as long with it. */
#ifdef __clang__
#define MX_ROW_HAS_MORE_(S) __builtin_expect(end_of_pairs < i1, S##_LANES_ == 1)
#else
#define MX_ROW_HAS_MORE_(S) \
    __builtin_expect_with_probability(end_of_pairs < i1, S##_LANES_ == 1, 0.6)
#endif

#define MX_FOR_ROW_1D_(I, S, ITEM) S##_LOOP_() for (I i = i0; i < i1; i++) ITEM;
#define MX_FOR_ROW_2D_ MX_FOR_ROW_
#define MX_FOR_ROW_3D_(I, S, ITEM) S##_FOR_ROW_(I, S, ITEM)
#define MX_FOR_ROW_4D_(I, S, ITEM) S##_FOR_ROW_(I, S, ITEM)
#define MX_FOR_ROW_5D_(I, S, ITEM) S##_FOR_ROW_(I, S, ITEM)
#define MX_FOR_ROW_6D_(I, S, ITEM) S##_FOR_ROW_(I, S, ITEM)
/* Rows of the items 0 and 1, 0 to 2 or 0 to 3, such as coordinates. The indices are constants, so
 * that compilers know that the items are contiguous, if the accessor's extent is constant too (rows
 * of three: 18 times faster with clang). d is the dimension of the rows. Kernels over one
 * dimension, of other traits than MX_ITEMS_SIMD, with a custom result or an array, and those of a
 * file that defines MX_LONG_ROWS do not have this form.
 *
 * A kernel without result is a plain loop over the rows, and the compiler decides whether to
 * vectorise it. `omp simd` would enforce vectors across the rows. Where a row's number comes from
 * an index array, these need gathers and scatters (1.5 to 3 times slower).
 *
 * In a reduction the vectors extend across sixteen rows, and across eight where fewer are left:
 * item 0 of the rows, then item 1, and so on. Each item has sixteen lanes of its own, so that no
 * addition waits for the addition before it. The items of the last rows, fewer than eight, are
 * added to the first lane of each. So all lanes are named by constants, and clang keeps them in
 * registers (1.4 times faster). */
#define MX_ITEM_OF_ROW_(I, item, lane, ITEM) \
    {                                        \
        const I i = item;                    \
        const int l = (lane) + 16 * (item);  \
        (void)l;                             \
        ITEM;                                \
    }
#define MX_ITEMS_OF_2_(I, ITEM, lane) \
    MX_ITEM_OF_ROW_(I, 0, lane, ITEM) MX_ITEM_OF_ROW_(I, 1, lane, ITEM)
#define MX_ITEMS_OF_3_(I, ITEM, lane) \
    MX_ITEMS_OF_2_(I, ITEM, lane) MX_ITEM_OF_ROW_(I, 2, lane, ITEM)
#define MX_ITEMS_OF_4_(I, ITEM, lane) \
    MX_ITEMS_OF_3_(I, ITEM, lane) MX_ITEM_OF_ROW_(I, 3, lane, ITEM)
#define MX_FOR_SHORT_ROWS_(I, d, N, ITEM)                              \
    for (I o##d = (I)tile_.begin[d]; o##d < (I)tile_.end[d]; o##d++) { \
        MX_ITEMS_OF_##N##_(I, ITEM, 0)                                 \
    }
/* The number of lanes of such a reduction: sixteen for each of four items. */
enum { MX_SHORT_ROWS_LANES_ = 64 };
/* The elements of a vector of clang are one item of each row: every second, third or fourth number
 * in memory. If it has as many as a register, clang loads whole registers and picks the elements;
 * if it has more, clang loads each element by itself (1.9 times slower). Registers are of 256 bits,
 * which clang prefers on Intel's CPUs with AVX-512 too, and of 512 bits on AMD's. */
#ifndef __clang__
#define MX_ROWS_VECTOR_(rows) MX_ITEMS_SIMD_VECTOR_
#elif defined(__znver4__) || defined(__znver5__)
#define MX_ROWS_VECTOR_(rows) MX_CLANG_VECTOR_(8, (rows) / 8)
#else
#define MX_ROWS_VECTOR_(rows) MX_CLANG_VECTOR_(4, (rows) / 4)
#endif
/* `rows` rows at a time, as long as there are so many, from row `first_` on. */
#define MX_SEVERAL_SHORT_ROWS_(I, d, N, rows, ITEM)             \
    for (; first_ + (rows) <= tile_.end[d]; first_ += (rows)) { \
        MX_ROWS_VECTOR_(rows) for (int e = 0; e < (rows); e++)  \
        {                                                       \
            const I o##d = (I)first_ + e;                       \
            MX_ITEMS_OF_##N##_(I, ITEM, e)                      \
        }                                                       \
    }
#define MX_REDUCE_SHORT_ROWS_(I, d, N, ITEM)                       \
    {                                                              \
        int64_t first_ = tile_.begin[d];                           \
        MX_SEVERAL_SHORT_ROWS_(I, d, N, 16, ITEM)                  \
        MX_SEVERAL_SHORT_ROWS_(I, d, N, 8, ITEM)                   \
        for (I o##d = (I)first_; o##d < (I)tile_.end[d]; o##d++) { \
            MX_ITEMS_OF_##N##_(I, ITEM, 0)                         \
        }                                                          \
    }
#define MX_SHORT_ROWS_1D_(I, LOOP, N, ITEM)
#define MX_SHORT_ROWS_2D_(I, LOOP, N, ITEM) LOOP(I, 0, N, ITEM)
#define MX_SHORT_ROWS_3D_(I, LOOP, N, ITEM) MX_ROWS_2D_(I) LOOP(I, 1, N, ITEM)
#define MX_SHORT_ROWS_4D_(I, LOOP, N, ITEM) MX_ROWS_3D_(I) LOOP(I, 2, N, ITEM)
#define MX_SHORT_ROWS_5D_(I, LOOP, N, ITEM) MX_ROWS_4D_(I) LOOP(I, 3, N, ITEM)
#define MX_SHORT_ROWS_6D_(I, LOOP, N, ITEM) MX_ROWS_5D_(I) LOOP(I, 4, N, ITEM)
/* Three arguments of MX_DEFINE_RUN_: the loops over rows of 2, of 3 and of 4 items. */
#define MX_ALL_SHORT_ROWS_(D, I, LOOP, ITEM)                                          \
    MX_SHORT_ROWS_##D##D_(I, LOOP, 2, ITEM), MX_SHORT_ROWS_##D##D_(I, LOOP, 3, ITEM), \
        MX_SHORT_ROWS_##D##D_(I, LOOP, 4, ITEM)
#if defined(MX_INSTANCE_SIMT_) || defined(MX_NO_SIMD) || defined(MX_LONG_ROWS)
#define MX_ITEMS_SIMD_HAS_SHORT_ROWS_ 0
#define MX_ITEMS_SIMD_SHORT_ROWS_(D, I, LOOP, ITEM) , ,
#else
#define MX_ITEMS_SIMD_HAS_SHORT_ROWS_ 1
#define MX_ITEMS_SIMD_SHORT_ROWS_ MX_ALL_SHORT_ROWS_
#endif
#define MX_ITEMS_STENCIL_HAS_SHORT_ROWS_ 0
#define MX_ITEMS_PLAIN_HAS_SHORT_ROWS_ 0
#define MX_ITEMS_STENCIL_SHORT_ROWS_(D, I, LOOP, ITEM) , ,
#define MX_ITEMS_PLAIN_SHORT_ROWS_(D, I, LOOP, ITEM) , ,

#define MX_DEFINE_FOR_(name, D, I, S, prologue)                                                  \
    MX_DEFINE_RUN_(name, D, I, S, S##_HAS_SHORT_ROWS_, prologue, ,                               \
                   S##_SHORT_ROWS_(D, I, MX_FOR_SHORT_ROWS_, name##__item(&a, MX_ITEM_##D##D_)), \
                   MX_FOR_ROW_##D##D_(I, S, name##__item(&a, MX_ITEM_##D##D_)), )                \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                                    \
                                          .prepare = MX_PROLOGUE_(name, prologue)};

/* NAME__init and NAME__join: INIT is a statement on `v`, JOIN one on `into` and `v`. */
#define MX_DEFINE_VALUE_(name, INIT, JOIN)                  \
    MX_INLINE void name##__init(name##__value *v) { INIT; } \
    MX_INLINE void name##__join(name##__value *into, const name##__value *v) { JOIN; }

/* Runs the statement DO for each lane l of a reduction. */
#define MX_EACH_LANE_(DO)                  \
    for (int l = 0; l < all_lanes_; l++) { \
        DO;                                \
    }
/* Joins all lanes into lane 0: JOIN joins lane l+n into lane l. Those of the remaining items come
 * first, named by constants: with a loop over them, an update with a norm took 1.1 times as long
 * with clang. Without such lanes n is 0: the statement does not run, but its lane must exist. */
#define MX_JOIN_LANE_(lane, JOIN)                      \
    if (all_lanes_ > lanes_) {                         \
        enum { l = 0 };                                \
        enum { n = (lane) < all_lanes_ ? (lane) : 0 }; \
        JOIN;                                          \
    }
#define MX_JOIN_LANES_(JOIN)                  \
    MX_JOIN_LANE_(lanes_, JOIN)               \
    MX_JOIN_LANE_(lanes_ + 1, JOIN)           \
    for (int n = lanes_ / 2; n > 0; n /= 2) { \
        for (int l = 0; l < n; l++) {         \
            JOIN;                             \
        }                                     \
    }

/* ---- a reduction to one number ---- */

#define MX_NUMBER_BEGIN_(name)       \
    name##__value lane_[all_lanes_]; \
    MX_EACH_LANE_(name##__init(&lane_[l]))
#define MX_NUMBER_END_(name)                               \
    MX_JOIN_LANES_(name##__join(&lane_[l], &lane_[l + n])) \
    *(name##__value *)out_ = lane_[0];
#define MX_NUMBER_ITEM_(name, D)                \
    name##__value value_ = lane_[l];            \
    name##__item(&a, MX_ITEM_##D##D_, &value_); \
    lane_[l] = value_
#define MX_DEFINE_REDUCE_(name, D, I, S, R, prologue)                                      \
    MX_DEFINE_VALUE_(name, R##_INIT(name##__value, v), R##_JOIN(name##__value, into, v))   \
    MX_DEFINE_RUN_(name, D, I, S, S##_HAS_SHORT_ROWS_, prologue, MX_NUMBER_BEGIN_(name),   \
                   S##_SHORT_ROWS_(D, I, MX_REDUCE_SHORT_ROWS_, MX_NUMBER_ITEM_(name, D)), \
                   MX_ROW_(I, S, MX_NUMBER_ITEM_(name, D)), MX_NUMBER_END_(name))          \
    MX_DEFINE_JOIN_(name, prologue)

/* ---- a reduction to a struct with a list of fields ----
 *
 * Each field has its own lanes, so the loop can be vectorised. The struct that the body gets is
 * filled field by field here; when a function filled it, the compiler kept it in memory, and the
 * loop was 4 times slower. */
#define MX_FIELD_LANES_(T, field, R) T lane_##field[all_lanes_];
#define MX_FIELD_BEGIN_(T, field, R) R##_INIT(T, &lane_##field[l]);
#define MX_FIELD_IN_(T, field, R) value_.field = lane_##field[l];
#define MX_FIELD_OUT_(T, field, R) lane_##field[l] = value_.field;
#define MX_FIELD_LANE_JOIN_(T, field, R) R##_JOIN(T, &lane_##field[l], &lane_##field[l + n]);
#define MX_FIELD_STORE_(T, field, R) partial->field = lane_##field[0];
#define MX_FIELDS_BEGIN_(LIST) \
    LIST(MX_FIELD_LANES_)      \
    MX_EACH_LANE_(LIST(MX_FIELD_BEGIN_))
#define MX_FIELDS_ITEM_(name, D, LIST)          \
    name##__value value_;                       \
    LIST(MX_FIELD_IN_)                          \
    name##__item(&a, MX_ITEM_##D##D_, &value_); \
    LIST(MX_FIELD_OUT_)
#define MX_FIELDS_END_(name, LIST)                  \
    name##__value *partial = (name##__value *)out_; \
    MX_JOIN_LANES_(LIST(MX_FIELD_LANE_JOIN_))       \
    LIST(MX_FIELD_STORE_)
#define MX_DEFINE_FIELDS_(name, D, I, S, LIST, prologue)                                         \
    MX_DEFINE_VALUE_(name, LIST(MX_FIELD_INIT_), LIST(MX_FIELD_JOIN_))                           \
    MX_DEFINE_RUN_(name, D, I, S, S##_HAS_SHORT_ROWS_, prologue, MX_FIELDS_BEGIN_(LIST),         \
                   S##_SHORT_ROWS_(D, I, MX_REDUCE_SHORT_ROWS_, MX_FIELDS_ITEM_(name, D, LIST)), \
                   MX_ROW_(I, S, MX_FIELDS_ITEM_(name, D, LIST)), MX_FIELDS_END_(name, LIST))    \
    MX_DEFINE_JOIN_(name, prologue)

#define MX_DEFINE_CUSTOM_(name, D, I, S, init, join, prologue)                                     \
    MX_DEFINE_VALUE_(name, init(v), join(into, v))                                                 \
    MX_DEFINE_RUN_(name, D, I, S, 0, prologue, name##__value total_; name##__init(&total_);        \
                   , , , , for (I i = i0; i < i1; i++) name##__item(&a, MX_ITEM_##D##D_, &total_); \
                   , *(name##__value *)out_ = total_;)                                             \
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

#include "minx/kernel_host_array.h"

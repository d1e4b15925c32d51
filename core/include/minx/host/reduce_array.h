/* Reductions to an array of launch->length values, compiled for hosts.
 *
 * Each chunk sums its items in an array of its own. The chunks are the leaves of a binary tree, and
 * two neighbouring arrays are joined at each inner node. The tree depends on the number of chunks
 * only, so the result has the same bits for any number of threads:
 *
 *     chunk       0   1   2   3   4          a subtree of 2^k chunks begins at a multiple of 2^k;
 *                 (0 1)   (2 3)   |          where chunks are missing at the end, it has fewer
 *                   (0 ... 3)     |
 *                       (0 ... 4)
 *
 * A thread joins the subtrees that are complete within its own chunks. It needs few arrays for
 * this, which stay in its cache: at most k+1 for a subtree of 2^k chunks, the sums that wait for
 * their right neighbour. Chunk number c of a subtree is summed in array popcount(c) of that
 * subtree. It is joined to the array before it for each bit 1 at the end of c. So the sum of the
 * subtree ends in its first array.
 *
 * Then all threads join the sums of subtrees, each thread for a part of the elements, in blocks
 * that stay in its first cache.
 *
 * The first array is the result itself, unless the body may need what is there before. So a launch
 * of one chunk needs no copy.
 *
 * Rejected: an array for each chunk until the end, joined in order (slower out of cache),
 * and an array for each thread (the bits change with the number of threads). */
#pragma once

/* The bytes of elements that are joined at a time. */
enum { MX_JOIN_BYTES_ = 4096 };

/* Array number `number`, of as many as there are chunks. */
MX_INLINE char *mx_array_(const mx_launch *launch_, int64_t number)
{
    if (number == 0 && launch_->sums_in_result) return (char *)launch_->result;
    return launch_->partials + number * launch_->partial_bytes;
}

/* Behind the arrays: for each chunk with which a subtree begins, the number of its chunks. */
MX_INLINE int64_t *mx_subtrees_(const mx_launch *launch_)
{
    const uintptr_t end = (uintptr_t)mx_array_(launch_, launch_->chunks);
    return (int64_t *)((end + 7) & ~(uintptr_t)7);
}

/* The number of chunks of the largest complete subtree that begins with chunk `begin`, and ends
 * before chunk `end`. */
MX_INLINE int64_t mx_subtree_chunks_(int64_t begin, int64_t end)
{
    int64_t chunks = 1;
    while ((begin & chunks) == 0 && 2 * chunks <= end - begin) chunks *= 2;
    return chunks;
}

/* Joins n elements of the array `from` to those of `into`. */
typedef void (*mx_join_values_)(void *into, const void *from, int64_t n);

/* Joins n elements of all subtrees, from byte `offset` of their arrays on, and stores them at
 * `result_`. `pending` are the sums that wait for their right neighbour. */
MX_INLINE void mx_join_subtrees_(const mx_launch *launch_, mx_join_values_ join, size_t offset,
                                 void *result_, int64_t n)
{
    const int64_t *const subtrees = mx_subtrees_(launch_);
    void *pending[64];
    int count = 0;
    if (!launch_->sums_in_result)
        memcpy(result_, mx_array_(launch_, 0) + offset, (size_t)n * launch_->kernel->value_size);
    for (int64_t at = 0; at < launch_->chunks; at += subtrees[at]) {
        int64_t begin = at, chunks = subtrees[at];
        pending[count++] = at == 0 ? result_ : mx_array_(launch_, at) + offset;
        for (; begin & chunks; begin -= chunks, chunks *= 2, count--)
            join(pending[count - 2], pending[count - 1], n);
    }
    for (; count > 1; count--) join(pending[count - 2], pending[count - 1], n);
}

#define MX_DEFINE_RANGE_ARRAY_(name, D, I, S, R, prologue)                                        \
    static void name##__join_values(void *into_, const void *from_, int64_t n)                    \
    {                                                                                             \
        name##__value *MX_RESTRICT into = (name##__value *)into_;                                 \
        const name##__value *MX_RESTRICT from = (const name##__value *)from_;                     \
        for (int64_t e = 0; e < n; e++) R##_JOIN(name##__value, &into[e], &from[e]);              \
    }                                                                                             \
    static void name##__chunk(const mx_launch *launch_, int64_t chunk_, name##__value *values)    \
    {                                                                                             \
        const name##__args a = *(const name##__args *)launch_->args;                              \
        const mx_tile_ tile_ = mx_chunk_tile_(launch_, D, chunk_);                                \
        const I i0 = (I)tile_.begin[D - 1], i1 = (I)tile_.end[D - 1];                             \
        const name##__array array_ =                                                              \
            MX_ARRAY_(values, launch_->length, mx_launch_fault_(launch_));                        \
        for (int64_t e = 0; e < launch_->length; e++) R##_INIT(name##__value, &values[e]);        \
        MX_ROWS_##D##D_(I) for (I i = i0; i < i1; i++) name##__item(&a, MX_ITEM_##D##D_, array_); \
    }                                                                                             \
    static void name##__run(const mx_launch *launch_, int64_t first_, int64_t last_)              \
    {                                                                                             \
        int64_t chunks_;                                                                          \
        for (int64_t begin = first_; begin < last_; begin += chunks_) {                           \
            mx_subtrees_(launch_)[begin] = chunks_ = mx_subtree_chunks_(begin, last_);            \
            for (int64_t c = 0; c < chunks_; c++) {                                               \
                int64_t at = begin + __builtin_popcountll((uint64_t)c);                           \
                name##__chunk(launch_, begin + c, (name##__value *)mx_array_(launch_, at));       \
                for (int64_t bits = c; bits & 1; bits >>= 1, at--)                                \
                    name##__join_values(mx_array_(launch_, at - 1), mx_array_(launch_, at),       \
                                        launch_->length);                                         \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    static void name##__join_array(const mx_launch *launch_, int64_t first_, int64_t last_)       \
    {                                                                                             \
        name##__value *const result_ = (name##__value *)launch_->result;                          \
        const int64_t block_ = MX_JOIN_BYTES_ / (int64_t)sizeof *result_;                         \
        if (launch_->chunks == 0)                                                                 \
            for (int64_t e = first_; e < last_; e++) R##_INIT(name##__value, &result_[e]);        \
        else                                                                                      \
            for (int64_t e = first_; e < last_; e += block_)                                      \
                mx_join_subtrees_(launch_, name##__join_values, (size_t)e * sizeof *result_,      \
                                  &result_[e], last_ - e < block_ ? last_ - e : block_);          \
    }                                                                                             \
    MX_DEFINE_PROLOGUE_(name, prologue)                                                           \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                                     \
                                          .prepare = MX_PROLOGUE_(name, prologue),                \
                                          .join_array = name##__join_array};

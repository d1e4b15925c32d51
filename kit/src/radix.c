/* Radix sort of bits on hosts, by digits of eight bits (Knuth, vol. 3, 5.2.5).
 *
 *   1. Items move into buckets by the highest digit in which they differ. The items are cut into parts. Each part counts its
 *      digits. The prefix sums of the counts, over all digits and parts, give where each part writes its first item of a digit.
 *   2. Each bucket fits into a cache, and one thread sorts it: a radix sort from lower to higher digits (LSD) by a few of the
 *      highest digits, as many as separate that number of items, and then an insertion sort.
 *   3. If many keys are close together, the insertion sort needs too many moves. Then the bucket is sorted again, by all digits
 *      from the lowest.
 *   4. If one bucket has a large share of all items, one thread would get most of the work. Then all threads sort all items
 *      together by all digits from the lowest.
 *
 * Every step is stable, so the result does not depend on the number of parts. Cost for random keys
 * of 64 bits: two passes through memory, and two or three in cache. Rejected: all digits from the
 * lowest, which takes eight passes through memory. */
#include "containers.h"

#include <string.h>

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    MAX_DIGITS = 64 / DIGIT_BITS,
    FEW_ITEMS = 8, /* items with equal digits, which insertion sorts fast */
    MAX_MOVES = 16 /* of an insertion sort, for each item */
};

typedef struct radix {
    mx_pairs *pairs;
    uint64_t sign; /* bits ^ sign have the order of unsigned numbers */
    int parts;
    int shift; /* of the current digit */
    /* for each part: counts of digits, then where the next item of each goes */
    int64_t (*at)[DIGITS];
    int64_t *largest; /* the largest count of a digit */
} radix;

/* Replaces the counts of digits by their exclusive prefix sums, from `sum` on, with the parts of a
 * digit in order. Returns the largest count of a digit. */
static int64_t starts_of_digits(int64_t (*at)[DIGITS], int parts, int64_t sum)
{
    int64_t largest = 0;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t before = sum;
        for (int part = 0; part < parts; part++) {
            const int64_t count = at[part][d];
            at[part][d] = sum;
            sum += count;
        }
        if (sum - before > largest) largest = sum - before;
    }
    return largest;
}

static void move(const radix *r, int current, int shift, int64_t begin, int64_t end,
                 int64_t *MX_RESTRICT at)
{
    const mx_pairs *p = r->pairs;
    const uint64_t *MX_RESTRICT bits = p->bits[current], sign = r->sign;
    const int32_t *MX_RESTRICT index = p->index[current];
    uint64_t *MX_RESTRICT to_bits = p->bits[!current];
    int32_t *MX_RESTRICT to_index = p->index[!current];
    if (p->keys_only) {
        for (int64_t i = begin; i < end; i++)
            to_bits[at[((bits[i] ^ sign) >> shift) % DIGITS]++] = bits[i];
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t to = at[((bits[i] ^ sign) >> shift) % DIGITS]++;
        to_bits[to] = bits[i];
        to_index[to] = index[i];
    }
}

/* ---- one digit by all threads ---- */

static void count_parts(void *work, int64_t first, int64_t last)
{
    const radix *r = work;
    const uint64_t *MX_RESTRICT bits = r->pairs->bits[r->pairs->current], sign = r->sign;
    const int64_t count = r->pairs->count;
    const int shift = r->shift;
    for (int64_t part = first; part < last; part++) {
        int64_t *MX_RESTRICT at = r->at[part], end = count * (part + 1) / r->parts;
        memset(at, 0, sizeof r->at[part]);
        for (int64_t i = count * part / r->parts; i < end; i++)
            at[((bits[i] ^ sign) >> shift) % DIGITS]++;
    }
}

/* Runs on a thread of the context, because other host code may not be able to access its
 * scratch. */
static void compute_offsets(void *work, int64_t first, int64_t last)
{
    const radix *r = work;
    (void)first;
    (void)last;
    *r->largest = starts_of_digits(r->at, r->parts, 0);
}

static void move_parts(void *work, int64_t first, int64_t last)
{
    const radix *r = work;
    const int64_t count = r->pairs->count;
    for (int64_t part = first; part < last; part++)
        move(r, r->pairs->current, r->shift, count * part / r->parts, count * (part + 1) / r->parts,
             r->at[part]);
}

/* ---- buckets by one thread ---- */

/* Sorts items by some digits, from `shift` upwards. Returns the number of the arrays that then have
 * them. */
static int sort_digits(const radix *r, int current, int64_t begin, int64_t end, int shift,
                       int digits)
{
    const uint64_t *bits = r->pairs->bits[current];
    int64_t at[MAX_DIGITS][DIGITS];
    memset(at, 0, (size_t)digits * sizeof at[0]);
    for (int64_t i = begin; i < end; i++) {
        uint64_t rest = (bits[i] ^ r->sign) >> shift;
        for (int d = 0; d < digits; d++, rest >>= DIGIT_BITS) at[d][rest % DIGITS]++;
    }
    for (int d = 0; d < digits; d++) {
        if (starts_of_digits(&at[d], 1, begin) == end - begin)
            continue; /* all items have the same digit */
        move(r, current, shift + d * DIGIT_BITS, begin, end, at[d]);
        current = !current;
    }
    return current;
}

/* Insertion sort. Returns false if it needs too many moves; the items are then partly sorted, and
 * equal ones keep their order. */
static bool insert_items(const radix *r, int current, int64_t begin, int64_t end)
{
    const bool keys_only = r->pairs->keys_only;
    const uint64_t sign = r->sign;
    uint64_t *bits = r->pairs->bits[current];
    int32_t *index = r->pairs->index[current];
    int64_t moves_left = MAX_MOVES * (end - begin);
    for (int64_t i = begin + 1; i < end && moves_left >= 0; i++) {
        const uint64_t item = bits[i], key = item ^ sign;
        if ((bits[i - 1] ^ sign) <= key) continue;
        const int32_t item_index = keys_only ? 0 : index[i];
        int64_t to = i;
        for (; to > begin && (bits[to - 1] ^ sign) > key; to--) {
            bits[to] = bits[to - 1];
            if (!keys_only) index[to] = index[to - 1];
        }
        bits[to] = item;
        if (!keys_only) index[to] = item_index;
        moves_left -= i - to;
    }
    return moves_left >= 0;
}

/* Sorts a bucket, whose items have the same digits from r->shift on, into the arrays that are not
 * current. */
static void sort_bucket(const radix *r, int64_t begin, int64_t end)
{
    const mx_pairs *p = r->pairs;
    const int below = r->shift / DIGIT_BITS;
    const int64_t count = end - begin;
    int digits = 0;
    while (digits < below && count > (int64_t)FEW_ITEMS << digits * DIGIT_BITS) digits++;
    int current = sort_digits(r, p->current, begin, end, r->shift - digits * DIGIT_BITS, digits);
    if (digits < below && !insert_items(r, current, begin, end))
        current = sort_digits(r, current, begin, end, 0, below);
    if (current != p->current) return;
    memcpy(p->bits[!current] + begin, p->bits[current] + begin, (size_t)count * sizeof(uint64_t));
    if (p->keys_only) return;
    memcpy(p->index[!current] + begin, p->index[current] + begin, (size_t)count * sizeof(int32_t));
}

/* Sorts the buckets that begin in a part's share of the items. The write positions of the last part
 * give the ends of buckets. */
static void sort_buckets(void *work, int64_t first, int64_t last)
{
    const radix *r = work;
    const int64_t *ends = r->at[r->parts - 1], count = r->pairs->count;
    const int64_t from = count * first / r->parts, to = count * last / r->parts;
    for (int64_t d = 0, begin = 0; d < DIGITS; begin = ends[d++])
        if (begin >= from && begin < to && begin < ends[d]) sort_bucket(r, begin, ends[d]);
}

mx_err mx_sort_on_host(mx_ctx ctx, mx_pairs *p, int bits)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    radix r = {.pairs = p, .sign = p->signed_keys ? (uint64_t)1 << 63 : 0, .parts = info.threads};
    int64_t largest = p->count;
    r.largest = &largest;
    p->work_bytes = (size_t)r.parts * sizeof *r.at;
    if (p->work == NULL) return MX_OK;
    r.at = p->work;
    for (r.shift = bits; r.shift > 0 && largest == p->count;) {
        r.shift -= DIGIT_BITS;
        MX_TRY(mx_ctx_run(ctx, count_parts, &r, r.parts));
        MX_TRY(mx_ctx_run(ctx, compute_offsets, &r, 1));
    }
    if (largest == p->count) return MX_OK; /* all keys are equal */
    if (r.parts == 1 || largest * r.parts <= p->count + p->count / 2) {
        MX_TRY(mx_ctx_run(ctx, move_parts, &r, r.parts));
        p->current = !p->current;
        MX_TRY(mx_ctx_run(ctx, sort_buckets, &r, r.parts));
        p->current = !p->current;
        return MX_OK;
    }
    const int top = r.shift;
    for (r.shift = 0; r.shift <= top; r.shift += DIGIT_BITS) {
        MX_TRY(mx_ctx_run(ctx, count_parts, &r, r.parts));
        MX_TRY(mx_ctx_run(ctx, compute_offsets, &r, 1));
        if (largest == p->count) continue;
        MX_TRY(mx_ctx_run(ctx, move_parts, &r, r.parts));
        p->current = !p->current;
    }
    return MX_OK;
}

/* Unordered maps, compared with sorted arrays: keys with many duplicates, all items with few keys,
 * the keys 0 and UINT64_MAX, full maps, rehash with values. */
#include "map.h"
#include "check.h"

enum { ITEMS = 30000 };

typedef struct run {
    mx_ctx ctx;
    mx_view map, key, slot, state, count, found;
    mp_args args;
    int64_t capacity;
    int n; /* items */
    uint64_t keys[ITEMS];
    int32_t slots[ITEMS], states[ITEMS];
    uint64_t unique[ITEMS];
    int uniques;
} run;

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void bind(run *r)
{
    MUST(mx_map_capacity(r->map, &r->capacity));
    MUST(mx_view_destroy(&r->count));
    MUST(mx_view_destroy(&r->found));
    MUST(mx_view_create_1d(r->ctx, "count", MX_I64, r->capacity, &r->count));
    MUST(mx_view_create_1d(r->ctx, "found", MX_U64, r->capacity, &r->found));
    MUST(mx_bind(r->ctx, r->map, &r->args.map));
    MUST(mx_bind(r->ctx, r->count, &r->args.count));
    MUST(mx_bind(r->ctx, r->found, &r->args.found));
}

static void set_up(mx_ctx ctx, run *r, int64_t keys)
{
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    MUST(mx_map_create(ctx, "map", keys, &r->map));
    MUST(mx_view_create_1d(ctx, "key", MX_U64, ITEMS, &r->key));
    MUST(mx_view_create_1d(ctx, "slot", MX_I32, ITEMS, &r->slot));
    MUST(mx_view_create_1d(ctx, "state", MX_I32, ITEMS, &r->state));
    MUST(mx_bind(ctx, r->key, &r->args.key));
    MUST(mx_bind(ctx, r->slot, &r->args.slot));
    MUST(mx_bind(ctx, r->state, &r->args.state));
    bind(r);
}

static void tear_down(run *r)
{
    mx_view *const views[] = {&r->map, &r->key, &r->slot, &r->state, &r->count, &r->found};
    for (int v = 0; v < 6; v++) MUST(mx_view_destroy(views[v]));
}

/* Runs a kernel over the first n keys. */
static void run_over(run *r, mx_err (*kernel)(mx_range_1, const mp_args *))
{
    check_upload(r->ctx, r->key, r->keys);
    MUST(kernel(mx_range_1d(r->ctx, 0, r->n), &r->args));
    check_download(r->ctx, r->slot, r->slots);
    check_download(r->ctx, r->state, r->states);
}

static void find_unique(run *r)
{
    memcpy(r->unique, r->keys, (size_t)r->n * sizeof *r->keys);
    qsort(r->unique, (size_t)r->n, sizeof *r->unique, by_value);
    r->uniques = 0;
    for (int i = 0; i < r->n; i++)
        if (i == 0 || r->unique[i] != r->unique[i - 1]) r->unique[r->uniques++] = r->unique[i];
}

static int rank_of(const run *r, uint64_t key)
{
    const uint64_t *at = bsearch(&key, r->unique, (size_t)r->uniques, sizeof *r->unique, by_value);
    return at != NULL ? (int)(at - r->unique) : -1;
}

static void check_size(run *r, int64_t expected, bool expected_failed)
{
    int64_t size = -1;
    bool failed = !expected_failed;
    CHECK_OK(mx_map_size(r->ctx, r->map, &size, &failed));
    CHECK_I64(size, expected);
    CHECK_I64(failed, expected_failed);
}

/* Valid slots have the unique keys, each once. */
static void check_list(run *r)
{
    uint64_t *found = check_memory((size_t)r->capacity * sizeof *found);
    int64_t *valid = check_memory((size_t)r->capacity * sizeof *valid), kept = 0;
    MUST(mp_list(mx_range_1d(r->ctx, 0, r->capacity), &r->args));
    check_download(r->ctx, r->found, found);
    check_download(r->ctx, r->count, valid);
    for (int64_t s = 0; s < r->capacity; s++)
        if (valid[s]) found[kept++] = found[s];
    qsort(found, (size_t)kept, sizeof *found, by_value);
    CHECK_I64(kept, r->uniques);
    CHECK(memcmp(found, r->unique, (size_t)r->uniques * sizeof *found) == 0);
    free(found);
    free(valid);
}

/* Inserts r->keys, which fit; `fresh`: into an empty map. */
static void check_inserts(run *r, bool fresh)
{
    find_unique(r);
    int32_t *slot_of = check_memory((size_t)r->uniques * sizeof *slot_of),
            *wins = check_memory((size_t)r->uniques * sizeof *wins);
    int64_t *count = check_memory((size_t)r->capacity * sizeof *count),
            *times = check_memory((size_t)r->capacity * sizeof *times);
    const int64_t zero = 0;
    MUST(mx_fill(r->ctx, r->count, &zero));
    run_over(r, mp_insert);
    for (int u = 0; u < r->uniques; u++) slot_of[u] = -1;
    for (int i = 0; i < r->n; i++) {
        const int u = rank_of(r, r->keys[i]), s = r->slots[i];
        CHECK(r->states[i] != MX_MAP_FAILED && s >= 0 && s < r->capacity);
        if (s < 0 || s >= r->capacity) break;
        if (slot_of[u] < 0) slot_of[u] = s;
        CHECK_I64(s, slot_of[u]);
        wins[u] += r->states[i] == MX_MAP_SUCCESS;
        times[s]++;
    }
    for (int u = 0; u < r->uniques; u++) CHECK_I64(wins[u], fresh);
    check_download(r->ctx, r->count, count);
    CHECK(memcmp(count, times, (size_t)r->capacity * sizeof *count) == 0);
    check_size(r, r->uniques, false);
    run_over(r, mp_find);
    for (int i = 0; i < r->n; i++) {
        CHECK_I64(r->slots[i], slot_of[rank_of(r, r->keys[i])]);
        CHECK_I64(r->states[i], 1);
    }
    check_list(r);
    free(slot_of);
    free(wins);
    free(count);
    free(times);
}

static void check_absent(run *r)
{
    for (int i = 0; i < r->n; i++) do
            r->keys[i] = check_random();
        while (rank_of(r, r->keys[i]) >= 0);
    run_over(r, mp_find);
    for (int i = 0; i < r->n; i++) {
        CHECK_I64(r->slots[i], -1);
        CHECK_I64(r->states[i], 0);
    }
}

/* Moves to a larger map, counts of slots with it; then back, which must fail where there is no
 * room. */
static void check_rehash(run *r, int64_t keys)
{
    mx_view origin, moved, last;
    mp_move_args move;
    memset(&move, 0, sizeof move);
    int64_t before = r->capacity;
    int64_t *old = check_memory((size_t)before * sizeof *old);
    run_over(r, mp_find);
    int32_t *old_slot = check_memory((size_t)r->n * sizeof *old_slot);
    memcpy(old_slot, r->slots, (size_t)r->n * sizeof *old_slot);
    for (int64_t s = 0; s < before; s++) old[s] = 1000 + 7 * s;
    check_upload(r->ctx, r->count, old);
    MUST(mx_map_rehash(r->ctx, &r->map, keys, &origin));
    MUST(mx_map_capacity(r->map, &r->capacity));
    CHECK(r->capacity > keys + keys / 3);
    MUST(mx_view_create_1d(r->ctx, "moved", MX_I64, r->capacity, &moved));
    MUST(mx_bind(r->ctx, moved, &move.to));
    MUST(mx_bind(r->ctx, r->count, &move.from));
    MUST(mx_bind(r->ctx, origin, &move.origin));
    MUST(mp_move(mx_range_1d(r->ctx, 0, r->capacity), &move));
    int64_t *now = check_memory((size_t)r->capacity * sizeof *now);
    check_download(r->ctx, moved, now);
    bind(r);
    run_over(r, mp_find);
    for (int i = 0; i < r->n; i++) CHECK_I64(now[r->slots[i]], old[old_slot[i]]);
    check_list(r);
    check_size(r, r->uniques, false);
    const mx_view same = r->map;
    CHECK_FAILS(mx_map_rehash(r->ctx, &r->map, 1, &last), MX_ERR_EXTENT, "'map'");
    CHECK(same.slot == r->map.slot && same.generation == r->map.generation);
    check_size(r, r->uniques, false);
    CHECK_I64(last.generation, 0);
    CHECK_OK(mx_map_rehash(r->ctx, &r->map, r->uniques, &last));
    bind(r);
    check_list(r);
    MUST(mx_view_destroy(&origin));
    MUST(mx_view_destroy(&last));
    MUST(mx_view_destroy(&moved));
    free(old);
    free(old_slot);
    free(now);
}

/* One slot more than fits: as many inserts succeed as there are slots, and the others fail. */
static void check_full(mx_ctx ctx)
{
    static run r;
    int64_t won = 0, failed = 0;
    set_up(ctx, &r, 100);
    r.n = 1000;
    for (int i = 0; i < r.n; i++) r.keys[i] = (uint64_t)i;
    run_over(&r, mp_insert);
    for (int i = 0; i < r.n; i++) {
        won += r.states[i] == MX_MAP_SUCCESS;
        failed += r.states[i] == MX_MAP_FAILED;
        CHECK((r.states[i] == MX_MAP_FAILED) == (r.slots[i] == -1));
    }
    CHECK_I64(won, r.capacity);
    CHECK_I64(failed, r.n - r.capacity);
    check_size(&r, r.capacity, true);
    CHECK_OK(mx_map_clear(ctx, r.map));
    check_size(&r, 0, false);
    r.n = 100; /* what it was made for fits */
    check_inserts(&r, true);
    tear_down(&r);
}

static void test(mx_ctx ctx)
{
    static const uint64_t special[] = {0, 1, UINT64_MAX, (uint64_t)INT64_MIN, (uint64_t)-2, 12345};
    static run r;
    mx_view none;
    set_up(ctx, &r, 4000);
    check_size(&r, 0, false);
    r.n = ITEMS;
    for (int i = 0; i < 4000; i++) r.keys[i] = i < 6 ? special[i] : check_random();
    for (int i = 4000; i < ITEMS; i++) r.keys[i] = r.keys[check_random_int(0, 3999)];
    check_inserts(&r, true);
    check_inserts(&r, false);
    check_rehash(&r, 20000);
    check_absent(&r);
    tear_down(&r);
    set_up(ctx, &r, 3);
    r.n = ITEMS; /* all on three keys, then on the one without a hash */
    for (int i = 0; i < ITEMS; i++) r.keys[i] = special[i % 3];
    check_inserts(&r, true);
    MUST(mx_map_clear(ctx, r.map));
    for (int i = 0; i < ITEMS; i++) r.keys[i] = 0;
    check_inserts(&r, true);
    tear_down(&r);
    check_full(ctx);
    CHECK_FAILS(mx_map_create(ctx, "none", 0, &none), MX_ERR_ARG, "'none': got 0 keys");
    CHECK_FAILS(mx_map_capacity(none, &r.capacity), MX_ERR_STALE, "");
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

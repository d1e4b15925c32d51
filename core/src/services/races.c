/* The race check (check=races): two items of a launch must not access the same element, unless both
 * only read it, or both use atomics or a scatter view.
 *
 * In builds with MINX_RACE_CHECK compilers instrument kernel files: in front of each load and store
 * of memory they call one of the functions at the end of this file (the interface of the thread
 * sanitizer, of which nothing else is used). So reads and writes are told apart, whether they go
 * through MX_AT, a pointer to a row or a plain pointer, and a write of the value that is already
 * there counts too. Atomics have functions of their own. The backend runs all items in order, on
 * one thread (backends/host/watched.c), so what is reported depends on neither timing nor the
 * number of threads.
 *
 * Each element of the views in the arguments has a cell, which keeps who accessed it: the last
 * writer, two items that used atomics, and two readers. Two are enough: an item that writes differs
 * from one of them if it differs from any. In teams the two are of two threads, if there are two.
 * Cells of pages of the view that no item accesses are not allocated.
 *
 *     an item       conflicts with an earlier one that
 *     reads         wrote, or changed by an atomic
 *     writes        wrote, read, or used an atomic
 *     by atomics    wrote or read; an atomic load only with one that wrote
 *
 * Atomic loads are not kept: a write behind one by another item is not reported.
 *
 * In teams whose members run in turn, an actor is a member between two barriers. Actors of one team
 * are ordered if they are the same member, or if a barrier of the team is between them, or for
 * lanes of one thread a barrier of these.
 *
 * Not watched: views that belong to the threads of a context (scatter views on hosts, tokens),
 * memory of no view in the arguments, and functions that kernel files call in libraries (libm).
 *
 * Rejected: comparing elements before and after each item (does not see a write of the same
 * value, nor who read), a C++ class in place of the element (no operators on the members of
 * structs), running subsets of items in two orders (finds a race only by its effect on the
 * result). Shadow memory for each access goes back to Savage et al., Eraser, 1997; the happens-
 * before order of the members to Flanagan and Freund, FastTrack, 2009. */
#include "races.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static region nowhere; /* no address is in it */

/* The launch that is watched on this thread. */
static __thread struct mx_races *watched;

/* ---- accesses ---- */

/* Could the two actors run at the same time? */
static bool concurrent(const struct mx_races *w, const region *g, uint32_t x, uint32_t y)
{
    if (x == y || x == 0) return false;
    if (w->actor == NULL) return true;
    const actor *const a = &w->actor[x], *const b = &w->actor[y];
    if (a->league != b->league) return !g->scratch; /* teams use the same scratch in turn */
    if (a->member == b->member || a->team_phase != b->team_phase) return false;
    return a->member / w->lanes != b->member / w->lanes || a->lane_phase == b->lane_phase;
}

/* Are both lanes of one thread of one team? Barriers of the lanes order them. */
static bool same_thread(const struct mx_races *w, uint32_t x, uint32_t y)
{
    if (w->actor == NULL) return false;
    const actor *const a = &w->actor[x], *const b = &w->actor[y];
    return a->league == b->league && a->member / w->lanes == b->member / w->lanes;
}

/* Adds the actor to two that accessed an element, unless they are enough. */
static void keep(const struct mx_races *w, const region *g, uint32_t two[2])
{
    if (!concurrent(w, g, two[0], w->now))
        two[0] = w->now;
    else if (!concurrent(w, g, two[1], w->now) || same_thread(w, two[0], two[1]))
        two[1] = w->now;
}

static __attribute__((noinline)) void note(struct mx_races *w, region *g, uint32_t first,
                                           int before, int after, uintptr_t at, uintptr_t pc)
{
    if (g->second != 0) return;
    g->number = w->races++;
    g->first = first;
    g->second = w->now;
    g->before = before;
    g->after = after;
    g->at = at;
    g->pc = pc;
}

static void access_cell(struct mx_races *w, region *g, cell *c, int kind, uintptr_t at,
                        uintptr_t pc)
{
    const uint32_t now = w->now;
    if (c->writer != now && concurrent(w, g, c->writer, now))
        note(w, g, c->writer, WRITE, kind, at, pc);
    for (int n = 0; n < 2; n++) {
        if (kind < ATOMIC_READ && concurrent(w, g, c->atomic[n], now))
            note(w, g, c->atomic[n], ATOMIC_WRITE, kind, at, pc);
        if ((kind == WRITE || kind == ATOMIC_WRITE) && concurrent(w, g, c->reader[n], now))
            note(w, g, c->reader[n], READ, kind, at, pc);
    }
    if (kind == WRITE)
        c->writer = now;
    else if (kind == ATOMIC_WRITE)
        keep(w, g, c->atomic);
    else if (kind == READ)
        keep(w, g, c->reader);
}

static __attribute__((noinline)) region *region_of(struct mx_races *w, uintptr_t at)
{
    int low = 0, high = w->regions; /* the first region that ends behind `at` */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (w->region[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->regions && w->region[low].begin <= at ? &w->region[low] : NULL;
}

/* A body cannot fail. */
static void *must_have(const struct mx_races *w, void *memory)
{
    if (memory != NULL) return memory;
    fprintf(stderr, "minx: kernel %s: no memory for check=races\n", w->launch->kernel->name);
    abort();
}

static size_t pages_of(const region *g)
{
    return (((g->end - 1 - g->begin) >> g->shift) / PAGE_CELLS) + 1;
}

/* Pages of earlier launches are used again: the first word of each is the address of the next. */
static __attribute__((noinline)) cell *new_page(struct mx_races *w)
{
    cell *const page = w->unused != NULL ? w->unused : malloc(PAGE_CELLS * sizeof *page);
    must_have(w, page);
    if (page == w->unused) memcpy(&w->unused, page, sizeof w->unused);
    return memset(page, 0, PAGE_CELLS * sizeof *page);
}

static inline cell *cell_of(struct mx_races *w, region *g, uintptr_t number)
{
    cell **const page = &g->page[number / PAGE_CELLS];
    if (*page == NULL) *page = new_page(w);
    return *page + number % PAGE_CELLS;
}

static __attribute__((noinline)) void access_cells(struct mx_races *w, region *g, uintptr_t at,
                                                   size_t size, int kind, uintptr_t pc)
{
    const uintptr_t end = at + size < g->end ? at + size : g->end;
    if (w->exclusive > 0 && kind < ATOMIC_READ) kind += ATOMIC_READ;
    for (uintptr_t c = (at - g->begin) >> g->shift; c <= (end - 1 - g->begin) >> g->shift; c++)
        access_cell(w, g, cell_of(w, g, c), kind, g->begin + (c << g->shift), pc);
}

/* Is there nobody else, and nothing to do but to note this item? The usual cases of items that
 * are no members of teams, in fewer instructions. */
static inline bool access_alone(const struct mx_races *w, cell *c, int kind)
{
    const uint32_t now = w->now;
    if ((c->writer != 0 && c->writer != now) || c->atomic[0] != 0) return false;
    if (kind == READ) {
        if (c->reader[0] == 0)
            c->reader[0] = now;
        else if (c->reader[0] != now && c->reader[1] == 0)
            c->reader[1] = now;
        return true;
    }
    if ((c->reader[0] != 0 && c->reader[0] != now) || c->reader[1] != 0) return false;
    c->writer = now;
    return true;
}

/* An instruction accesses the same view most of the time. */
static inline void see(const void *address, size_t size, int kind, uintptr_t pc)
{
    struct mx_races *const w = watched;
    if (w == NULL || w->now == 0 || size == 0) return;
    const uintptr_t at = (uintptr_t)address;
    region **const last = &w->last[pc / 4 % LAST];
    region *g = *last;
    if (at - g->begin >= g->end - g->begin) {
        g = region_of(w, at);
        if (g == NULL) return;
        *last = g;
    }
    if (kind == READ && g->read_only) return;
    if (kind < ATOMIC_READ && size == (size_t)1 << g->shift && w->actor == NULL &&
        w->exclusive == 0) {
        cell *const c = cell_of(w, g, (at - g->begin) >> g->shift);
        if (access_alone(w, c, kind)) return;
    }
    access_cells(w, g, at, size, kind, pc);
}

/* ---- regions ---- */

static void free_pages(struct mx_races *w, region *g)
{
    const size_t pages = pages_of(g);
    for (size_t p = 0; p < pages; p++) {
        if (g->page[p] == NULL) continue;
        memcpy(g->page[p], &w->unused, sizeof w->unused);
        w->unused = g->page[p];
    }
    free(g->page);
}

/* Adds a region, or extends those that share memory with it. No item has run yet. */
static mx_err add_region(struct mx_races *w, const region *added)
{
    region one = *added;
    int kept = 0, at = 0;
    region *const bigger = realloc(w->region, (size_t)(w->regions + 1) * sizeof *bigger);
    if (bigger != NULL) w->region = bigger;
    for (int g = 0; g < w->regions && bigger != NULL; g++) {
        region *const other = &w->region[g];
        if (other->end <= one.begin || one.end <= other->begin) {
            w->region[kept++] = *other;
            continue;
        }
        one.begin = other->begin < one.begin ? other->begin : one.begin;
        one.end = other->end > one.end ? other->end : one.end;
        one.shift = other->shift < one.shift ? other->shift : one.shift;
        one.read_only = one.read_only && other->read_only;
        free_pages(w, other);
    }
    w->regions = kept;
    one.page = calloc(pages_of(&one), sizeof *one.page);
    MX_REQUIRE(bigger != NULL && one.page != NULL, MX_ERR_MEMORY,
               "kernel %s: no memory for check=races", w->launch->kernel->name);
    while (at < kept && w->region[at].begin < one.begin) at++;
    memmove(&w->region[at + 1], &w->region[at], (size_t)(kept - at) * sizeof one);
    w->region[at] = one;
    w->regions++;
    return MX_OK;
}

/* ---- who accesses ---- */

/* The running member is now another actor. */
static void next_actor(struct mx_races *w)
{
    struct where *const m = &w->member[w->running];
    if (w->actors == w->max_actors) {
        w->max_actors *= 2;
        w->actor = must_have(w, realloc(w->actor, w->max_actors * sizeof *w->actor));
    }
    w->actor[w->actors] = m->at;
    m->number = w->now = w->actors++;
}

void mx_races_item_(int32_t dims, const int64_t *index)
{
    struct mx_races *const w = watched;
    int64_t item = 0;
    mx_item_now_.dims = dims;
    for (int d = 0; d < dims; d++) mx_item_now_.index[d] = index[d];
    if (w == NULL || mx_body_ctx_ != w->launch->ctx)
        return; /* or it belongs to a launch of a body */
    w->exclusive = 0;
    for (int d = 0; d < dims; d++) item = item * w->extent[d] + index[d] - w->begin[d];
    w->now = dims > 0 ? (uint32_t)(item + 1) : 0;
    if (w->member == NULL) return;
    w->member[w->running].number = 0;
    if (dims == 0) return;
    w->member[w->running].at.league = (int32_t)item;
    next_actor(w);
}

void mx_races_exclusive_(int change)
{
    if (watched != NULL) watched->exclusive += change;
}

void mx_races_no_item(void)
{
    if (watched != NULL) watched->now = 0;
}

bool mx_races_watches(mx_ctx ctx) { return watched != NULL && watched == mx_core(ctx)->races; }

mx_err mx_races_members(const mx_launch *l, int members, size_t shared)
{
    struct mx_races *const w = watched;
    if (w == NULL || w->launch != l) return MX_OK;
    w->lanes = l->team.lanes;
    w->running = 0;
    w->actors = 1;
    w->max_actors = 1024;
    w->actor = malloc(w->max_actors * sizeof *w->actor);
    w->member = calloc((size_t)members, sizeof *w->member);
    MX_REQUIRE(w->actor != NULL && w->member != NULL, MX_ERR_MEMORY,
               "kernel %s: no memory for check=races", l->kernel->name);
    for (int m = 0; m < members; m++) w->member[m].at.member = m;
    const region scratch = {.begin = (uintptr_t)l->scratch + shared,
                            .end = (uintptr_t)l->scratch + l->scratch_bytes,
                            .scratch = true};
    return scratch.begin < scratch.end ? add_region(w, &scratch) : MX_OK;
}

void mx_races_member(int member)
{
    struct mx_races *const w = watched;
    if (w == NULL || w->member == NULL) return;
    w->member[w->running].exclusive = w->exclusive;
    w->running = member;
    w->exclusive = w->member[member].exclusive;
    w->now = w->member[member].number;
}

void mx_races_barrier(bool of_lanes)
{
    struct mx_races *const w = watched;
    if (w == NULL || w->member == NULL) return;
    w->member[w->running].at.team_phase += !of_lanes;
    w->member[w->running].at.lane_phase += of_lanes;
    next_actor(w);
}

/* ---- what is watched ---- */

/* log2 of the bytes of a cell. Items may write different members of one struct. */
static int shift_of(mx_type type)
{
    return MX_TYPE_KIND(type) == 0 ? 0 : __builtin_ctzll(MX_TYPE_SIZE(type));
}

static mx_err watch_views(struct mx_races *w)
{
    const mx_args_table *const table = w->launch->kernel->table();
    for (size_t a = 0; a < table->count; a++) {
        const mx_record *const r = mx_races_record(w, &table->accessor[a]);
        if (r == NULL) continue;
        const region one = {.begin = (uintptr_t)r->data,
                            .end = (uintptr_t)r->data + (size_t)r->span * MX_TYPE_SIZE(r->type),
                            .shift = shift_of(r->type),
                            .read_only = (table->accessor[a].shape >> 11 & 1) != 0};
        MX_TRY(add_region(w, &one));
    }
    return MX_OK;
}

static void forget(struct mx_races *w)
{
    for (int g = 0; g < w->regions; g++) free_pages(w, &w->region[g]);
    free(w->region);
    free(w->actor);
    free(w->member);
    w->region = NULL;
    w->regions = 0;
    w->actor = NULL;
    w->member = NULL;
}

mx_err mx_races_begin(mx_ctx ctx, const mx_launch *l, const void *args)
{
    struct mx_races *const w = mx_core(ctx)->races;
    double items = 1;
    w->launch = l;
    w->args = args;
    w->now = 0;
    w->races = 0;
    for (int n = 0; n < LAST; n++) w->last[n] = &nowhere;
    for (int n = 0; n < l->dims; n++) {
        const int d = ctx->layout == MX_LAYOUT_LEFT ? l->dims - 1 - n : n;
        w->begin[d] = l->axis[n].begin;
        w->extent[d] = l->axis[n].end - l->axis[n].begin;
        items *= (double)w->extent[d];
    }
    MX_REQUIRE(items < UINT32_MAX, MX_ERR_EXTENT,
               "kernel %s: check=races: a range of %g items is too large: check a smaller run",
               l->kernel->name, items);
    const mx_err err = watch_views(w);
    if (err != MX_OK) {
        forget(w);
        return err;
    }
    w->outer = watched;
    watched = w;
    return MX_OK;
}

mx_err mx_races_end(mx_ctx ctx, mx_err err)
{
    struct mx_races *const w = mx_core(ctx)->races;
    char text[900];
    watched = w->outer;
    if (err == MX_OK) mx_races_describe(w, text, sizeof text);
    forget(w);
    if (err != MX_OK) return err;
    MX_REQUIRE(w->races == 0, MX_ERR_MISMATCH, "kernel %s: race on %s", w->launch->kernel->name,
               text);
    return MX_OK;
}

mx_err mx_races_create(mx_ctx ctx)
{
    mx_core(ctx)->races = calloc(1, sizeof *mx_core(ctx)->races);
    MX_REQUIRE(mx_core(ctx)->races != NULL, MX_ERR_MEMORY, "%s: no memory for check=races",
               ctx->name);
    return MX_OK;
}

void mx_races_destroy(mx_ctx ctx)
{
    struct mx_races *const w = mx_core(ctx)->races;
    for (cell *page = w != NULL ? w->unused : NULL, *next; page != NULL; page = next) {
        memcpy(&next, page, sizeof next);
        free(page);
    }
    free(w);
    mx_core(ctx)->races = NULL;
}

/* ---- what instrumented code calls ---- */

#define PC (uintptr_t) __builtin_return_address(0)
#define ACCESS(name, size, kind)        \
    void __tsan_##name(const void *at); \
    void __tsan_##name(const void *at) { see(at, size, kind, PC); }
#define ACCESSES(size)                       \
    ACCESS(read##size, size, READ)           \
    ACCESS(write##size, size, WRITE)         \
    ACCESS(unaligned_read##size, size, READ) \
    ACCESS(unaligned_write##size, size, WRITE)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define DECLARED(...) \
    __VA_ARGS__;      \
    __VA_ARGS__
DECLARED(void __tsan_read_range(const void *at, size_t size)) { see(at, size, READ, PC); }
DECLARED(void __tsan_write_range(const void *at, size_t size)) { see(at, size, WRITE, PC); }
DECLARED(void *__tsan_memcpy(void *to, const void *from, size_t size))
{
    see(from, size, READ, PC);
    see(to, size, WRITE, PC);
    return memcpy(to, from, size);
}
DECLARED(void *__tsan_memmove(void *to, const void *from, size_t size))
{
    see(from, size, READ, PC);
    see(to, size, WRITE, PC);
    return memmove(to, from, size);
}
DECLARED(void *__tsan_memset(void *to, int value, size_t size))
{
    see(to, size, WRITE, PC);
    return memset(to, value, size);
}
DECLARED(void __tsan_init(void)) {}
DECLARED(void __tsan_func_entry(const void *caller)) { (void)caller; }
DECLARED(void __tsan_func_exit(void)) {}
DECLARED(void __tsan_atomic_thread_fence(int order))
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
DECLARED(void __tsan_atomic_signal_fence(int order)) { (void)order; }

#define ATOMIC(bits, name, kind, result, T, PARAMETERS, ...) \
    result __tsan_atomic##bits##_##name PARAMETERS;          \
    result __tsan_atomic##bits##_##name PARAMETERS           \
    {                                                        \
        (void)order;                                         \
        see(at, sizeof(T), kind, PC);                        \
        __VA_ARGS__;                                         \
    }
#define FETCH(bits, T, op)                                                 \
    ATOMIC(bits, fetch_##op, ATOMIC_WRITE, T, T, (T * at, T v, int order), \
           return __atomic_fetch_##op(at, v, __ATOMIC_SEQ_CST))
#define COMPARE(bits, T, name)                                                      \
    ATOMIC(bits, compare_exchange_##name, ATOMIC_WRITE, int, T,                     \
           (T * at, T * expected, T v, int order, int otherwise), (void)otherwise;  \
           return __atomic_compare_exchange_n(at, expected, v, 0, __ATOMIC_SEQ_CST, \
                                              __ATOMIC_SEQ_CST))
#define ATOMICS(bits, T)                                                            \
    ATOMIC(bits, load, ATOMIC_READ, T, T, (const T *at, int order),                 \
           return __atomic_load_n(at, __ATOMIC_SEQ_CST))                            \
    ATOMIC(bits, store, ATOMIC_WRITE, void, T, (T * at, T v, int order),            \
           __atomic_store_n(at, v, __ATOMIC_SEQ_CST))                               \
    ATOMIC(bits, exchange, ATOMIC_WRITE, T, T, (T * at, T v, int order),            \
           return __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST))                     \
    FETCH(bits, T, add)                                                             \
    FETCH(bits, T, sub)                                                             \
    FETCH(bits, T, and)                                                             \
    FETCH(bits, T, or)                                                              \
    FETCH(bits, T, xor)                                                             \
    FETCH(bits, T, nand)                                                            \
    COMPARE(bits, T, strong)                                                        \
    COMPARE(bits, T, weak)                                                          \
    ATOMIC(bits, compare_exchange_val, ATOMIC_WRITE, T, T,                          \
           (T * at, T expected, T v, int order, int otherwise), (void)otherwise;    \
           (void)__atomic_compare_exchange_n(at, &expected, v, 0, __ATOMIC_SEQ_CST, \
                                             __ATOMIC_SEQ_CST);                     \
           return expected)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

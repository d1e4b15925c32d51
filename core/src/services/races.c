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

/* The launch that is watched on this thread. */
static __thread struct mx_races *watched;

/* For the usual accesses of items that are no members of teams. An instruction accesses the same
 * view most of the time. */
static __thread struct usual {
    uint32_t now; /* the item; 0: none, and `last` is empty */
    struct instruction {
        uintptr_t pc;           /* where it is; ~pc: what it accesses need not be noted */
        uintptr_t begin, bytes; /* what it accesses, by single cells */
        page **page;            /* of these bytes */
    } last[LAST];
    region *region[LAST]; /* what they accessed in any way */
} usual;

static void set_usual(const struct mx_races *w)
{
    const bool is = w != NULL && w->now != 0 && w->actor == NULL && w->exclusive == 0;
    if (!is && usual.now != 0) memset(usual.last, 0, sizeof usual.last);
    usual.now = is ? w->now : 0;
}

/* In place of pages that no item has accessed: cells that access_alone does not take. */
static others more_than_one;
static page untouched = {.others = &more_than_one};

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
static void keep(const struct mx_races *w, const region *g, uint32_t *first, uint32_t *second)
{
    if (!concurrent(w, g, *first, w->now))
        *first = w->now;
    else if (!concurrent(w, g, *second, w->now) || same_thread(w, *first, *second))
        *second = w->now;
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

/* A body cannot fail. */
static void *must_have(const struct mx_races *w, void *memory)
{
    if (memory != NULL) return memory;
    fprintf(stderr, "minx: kernel %s: no memory for check=races\n", w->launch->kernel->name);
    abort();
}

static others *others_of(const struct mx_races *w, page *p, size_t n)
{
    if (p->others == NULL) p->others = must_have(w, calloc(PAGE_CELLS, sizeof *p->others));
    return &p->others[n];
}

/* Cell number n of a page. */
static void access_cell(struct mx_races *w, region *g, page *p, size_t n, int kind, uintptr_t at,
                        uintptr_t pc)
{
    static const others nobody;
    const uint32_t now = w->now;
    cell *const c = &p->cell[n];
    const others *const o = p->others != NULL ? &p->others[n] : &nobody;
    const uint32_t reader[2] = {c->reader, o->reader};
    if (c->writer != now && concurrent(w, g, c->writer, now))
        note(w, g, c->writer, WRITE, kind, at, pc);
    for (int k = 0; k < 2; k++) {
        if (kind < ATOMIC_READ && concurrent(w, g, o->atomic[k], now))
            note(w, g, o->atomic[k], ATOMIC_WRITE, kind, at, pc);
        if ((kind == WRITE || kind == ATOMIC_WRITE) && concurrent(w, g, reader[k], now))
            note(w, g, reader[k], READ, kind, at, pc);
    }
    if (kind == WRITE)
        c->writer = now;
    else if (kind == ATOMIC_WRITE)
        keep(w, g, &others_of(w, p, n)->atomic[0], &others_of(w, p, n)->atomic[1]);
    else if (kind == READ && !concurrent(w, g, c->reader, now))
        c->reader = now;
    else if (kind == READ)
        keep(w, g, &c->reader, &others_of(w, p, n)->reader);
}

static __attribute__((noinline)) region *find_region(const struct mx_races *w, uintptr_t at)
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

static size_t pages_of(const region *g)
{
    return (((g->end - 1 - g->begin) >> g->shift) / PAGE_CELLS) + 1;
}

/* Pages of earlier launches are used again. */
static __attribute__((noinline)) page *new_page(struct mx_races *w)
{
    page *const p = w->unused != NULL ? w->unused : must_have(w, malloc(sizeof *p));
    if (p == w->unused) w->unused = p->next;
    return memset(p, 0, sizeof *p);
}

static inline size_t slot_of(uintptr_t pc) { return pc / 4 % LAST; }

static inline region *region_of(const struct mx_races *w, uintptr_t at, uintptr_t pc)
{
    region **const last = &usual.region[slot_of(pc)];
    if (*last != NULL && at - (*last)->begin < (*last)->end - (*last)->begin) return *last;
    region *const found = find_region(w, at);
    if (found != NULL) *last = found;
    return found;
}

static void remember(struct instruction i, uintptr_t pc)
{
    if (usual.now != 0) usual.last[slot_of(pc)] = i;
}

static __attribute__((noinline)) void access_cells(const void *address, size_t size, int kind,
                                                   uintptr_t pc)
{
    struct mx_races *const w = watched;
    const uintptr_t at = (uintptr_t)address;
    if (w == NULL || w->now == 0 || size == 0) return;
    if (at < w->low || at >= w->high) { /* the stack, for example: from high on, around to low */
        remember((struct instruction){~pc, w->high, w->low - w->high, NULL}, pc);
        return;
    }
    region *const g = region_of(w, at, pc);
    if (g == NULL) return;
    const bool skipped = kind == READ && g->read_only;
    if (skipped || (kind < ATOMIC_READ && size == (size_t)1 << g->shift))
        remember((struct instruction){skipped ? ~pc : pc, g->begin, g->end - g->begin, g->page},
                 pc);
    if (skipped) return;
    const uintptr_t end = at + size < g->end ? at + size : g->end;
    if (w->exclusive > 0 && kind < ATOMIC_READ) kind += ATOMIC_READ;
    for (uintptr_t c = (at - g->begin) >> g->shift; c <= (end - 1 - g->begin) >> g->shift; c++) {
        page **const p = &g->page[c / PAGE_CELLS];
        if (*p == &untouched) *p = new_page(w);
        access_cell(w, g, *p, c % PAGE_CELLS, kind, g->begin + (c << g->shift), pc);
    }
}

/* Is there nobody else, and nothing to do but to note this item? What an item does again was
 * checked the first time. */
static inline bool access_alone(page *p, size_t n, int kind, uint32_t now)
{
    cell *const c = &p->cell[n];
    if ((kind == READ && c->reader == now) || c->writer == now) return true;
    if (c->writer != 0 || (c->reader != 0 && c->reader != now) || p->others != NULL) return false;
    if (kind == READ)
        c->reader = now;
    else
        c->writer = now;
    return true;
}

/* The usual cases in few instructions and registers. */
static inline void see(const void *address, size_t size, int kind, uintptr_t pc)
{
    const struct instruction *const i = &usual.last[slot_of(pc)];
    const uintptr_t offset = (uintptr_t)address - i->begin;
    if (i->pc == pc && offset < i->bytes) {
        page *const p = i->page[offset / size / PAGE_CELLS];
        if (access_alone(p, offset / size % PAGE_CELLS, kind, usual.now)) return;
    } else if (i->pc == ~pc && offset < i->bytes) {
        return;
    }
    access_cells(address, size, kind, pc);
}

/* ---- regions ---- */

static void free_pages(struct mx_races *w, region *g)
{
    const size_t pages = pages_of(g);
    for (size_t p = pages; p-- > 0;) { /* so that they come again in this order */
        if (g->page[p] == &untouched) continue;
        free(g->page[p]->others);
        g->page[p]->next = w->unused;
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
    one.page = malloc(pages_of(&one) * sizeof *one.page);
    MX_REQUIRE(bigger != NULL && one.page != NULL, MX_ERR_MEMORY,
               "kernel %s: no memory for check=races", w->launch->kernel->name);
    for (size_t p = 0; p < pages_of(&one); p++) one.page[p] = &untouched;
    while (at < kept && w->region[at].begin < one.begin) at++;
    memmove(&w->region[at + 1], &w->region[at], (size_t)(kept - at) * sizeof one);
    w->region[at] = one;
    w->regions++;
    w->low = w->region[0].begin;
    w->high = w->region[w->regions - 1].end;
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

void mx_races_item_(int32_t dims, int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4,
                    int64_t i5)
{
    struct mx_races *const w = watched;
    const int64_t index[] = {i0, i1, i2, i3, i4, i5};
    int64_t item = 0;
    mx_item_now_.dims = dims;
    for (int d = 0; d < dims; d++) mx_item_now_.index[d] = index[d];
    if (w == NULL || mx_body_ctx_ != w->launch->ctx)
        return; /* or it belongs to a launch of a body */
    w->exclusive = 0;
    for (int d = 0; d < dims; d++) item = item * w->extent[d] + index[d] - w->begin[d];
    w->now = (uint32_t)(item + 1);
    set_usual(w);
    if (w->member == NULL) return;
    w->member[w->running].at.league = (int32_t)item;
    next_actor(w);
}

void mx_races_exclusive_(int change)
{
    if (watched != NULL) watched->exclusive += change;
    set_usual(watched);
}

void mx_races_no_item(void)
{
    mx_item_now_.dims = 0;
    if (watched != NULL) watched->now = 0;
    set_usual(watched);
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

static void watch(struct mx_races *w)
{
    watched = w;
    memset(&usual, 0, sizeof usual);
    set_usual(w);
}

static void forget(struct mx_races *w)
{
    for (int g = 0; g < w->regions; g++) free_pages(w, &w->region[g]);
    free(w->region);
    free(w->actor);
    free(w->member);
    w->region = NULL;
    w->regions = 0;
    w->low = w->high = 0;
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
    watch(w);
    return MX_OK;
}

mx_err mx_races_end(mx_ctx ctx, mx_err err)
{
    struct mx_races *const w = mx_core(ctx)->races;
    char text[900];
    watch(w->outer);
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
    for (page *p = w != NULL ? w->unused : NULL, *next; p != NULL; p = next) {
        next = p->next;
        free(p);
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
DECLARED(void __tsan_read_range(const void *at, size_t size)) { access_cells(at, size, READ, PC); }
DECLARED(void __tsan_write_range(const void *at, size_t size))
{
    access_cells(at, size, WRITE, PC);
}
DECLARED(void *__tsan_memcpy(void *to, const void *from, size_t size))
{
    access_cells(from, size, READ, PC);
    access_cells(to, size, WRITE, PC);
    return memcpy(to, from, size);
}
DECLARED(void *__tsan_memmove(void *to, const void *from, size_t size))
{
    access_cells(from, size, READ, PC);
    access_cells(to, size, WRITE, PC);
    return memmove(to, from, size);
}
DECLARED(void *__tsan_memset(void *to, int value, size_t size))
{
    access_cells(to, size, WRITE, PC);
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
        access_cells(at, sizeof(T), kind, PC);               \
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

/* The table of views. A handle is the number of a slot, and the generation that the slot had when
 * the view was created. The generation of a slot grows by 1 when a view is created there, and again
 * when it is destroyed. So a handle or an accessor of a destroyed view does not match its slot any
 * more. mx_view_swap makes only accessors stale: a stamp has the generation plus twice the number of
 * swaps, and the slot's next view gets a generation beyond that.
 *
 * A stamp is a word inside an accessor. A launch finds accessors by it:
 *     bits 63..48  0xfff7, which other arguments of kernels do not contain (as a double, it is a NaN that no arithmetic gives)
 *     bits 47..45  memory space             bits 42..20  generation (low 23 bits)
 *     bits 44..43  layout that the kernel   bits 19..0   slot
 *                  instance must have (0: any)
 * A word with an even generation, or with a slot that the table does not have, is no stamp. It can
 * be a number of the user next to padding that still has half of an earlier stamp.
 *
 * A launch finds the views of all its arguments without a lock. Invariants:
 *  1. slot s < count has a record, whose address never changes (chunks are never moved or freed);
 *  2. a generation is odd while its view exists and even while the slot is free, and it only grows; so a handle with generation 0
 *     never has a view;
 *  3. a record is written under the lock, and only while its generation is even; the odd generation is stored last.
 *     `swaps` alone grows while it is odd;
 *  4. the slot that has been free for the longest time is used first. A stamp has only the low bits of a generation, so a
 *     stale stamp looks valid again only after the slot was used many times. */
#include "memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, CHUNKS = 1024, NO_SLOT = CHUNK * CHUNKS };
/* the line of the program that creates a view now */
static _Thread_local const char *source_file;
static _Thread_local int source_line;
static const uint64_t STAMP_MAGIC = 0xfff7;
static const uint64_t GENERATION_BITS = 0x7fffff;

static struct {
    pthread_mutex_t lock;
    mx_record *chunk[CHUNKS];
    uint32_t count;
    uint32_t first_free, last_free; /* a queue through mx_record.next_free */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .first_free = NO_SLOT, .last_free = NO_SLOT};

static mx_record *slot_record(uint32_t slot) { return &table.chunk[slot / CHUNK][slot % CHUNK]; }

static uint32_t generation_of(const mx_record *record)
{
    return __atomic_load_n(&record->generation, __ATOMIC_ACQUIRE);
}

/* ---- looking up ---- */

/* The generation in the stamps of accessors that are bound now. */
static uint32_t bound_generation(const mx_record *record, uint32_t generation)
{
    return (uint32_t)GENERATION_BITS &
           (generation + 2 * __atomic_load_n(&record->swaps, __ATOMIC_RELAXED));
}

mx_record *mx_record_of(mx_view view)
{
    if (view.slot >= __atomic_load_n(&table.count, __ATOMIC_ACQUIRE)) return NULL;
    mx_record *record = slot_record(view.slot);
    return view.generation % 2 == 1 && generation_of(record) == view.generation ? record : NULL;
}

mx_err mx_record_find(mx_view view, mx_record **record)
{
    *record = mx_record_of(view);
    MX_REQUIRE(*record != NULL || view.generation != 0, MX_ERR_STALE,
               "the handle is of a view that " MX_EMPTY_HANDLE);
    MX_REQUIRE(*record != NULL, MX_ERR_STALE,
               "the handle is of a view that does not exist (any more): slot %u, generation %u",
               view.slot, view.generation);
    return MX_OK;
}

/* mx_stamp_read has checked the slot. */
mx_record *mx_record_of_stamp(const mx_stamp *stamp)
{
    mx_record *record = slot_record(stamp->slot);
    const uint32_t now = generation_of(record);
    return now % 2 == 1 && bound_generation(record, now) == stamp->generation ? record : NULL;
}

const mx_record *mx_record_swapped(const mx_stamp *stamp)
{
    const mx_record *record = slot_record(stamp->slot);
    const uint32_t now = generation_of(record);
    const uint32_t since =
        (uint32_t)GENERATION_BITS & (bound_generation(record, now) - stamp->generation);
    return now % 2 == 1 && since > 0 &&
                   since <= 2 * __atomic_load_n(&record->swaps, __ATOMIC_RELAXED)
               ? record
               : NULL;
}

const mx_record *mx_record_bound_to(const mx_stamp *stamp)
{
    const mx_record *const r = mx_record_of_stamp(stamp);
    return r != NULL ? r : mx_record_swapped(stamp);
}

mx_view mx_view_of_stamp(const mx_stamp *stamp)
{
    const mx_record *record = mx_record_of_stamp(stamp);
    return record != NULL ? (mx_view){stamp->slot, generation_of(record)} : MX_VIEW_NULL;
}

uint64_t mx_stamp_make(const mx_record *record, mx_view view, mx_layout needs)
{
    return STAMP_MAGIC << 48 | (uint64_t)record->space << 45 | (uint64_t)needs << 43 |
           (uint64_t)bound_generation(record, view.generation) << 20 | view.slot;
}

bool mx_stamp_is_none(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word == MX_STAMP_NONE_;
}

bool mx_stamp_read(const void *at, mx_stamp *stamp)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    if (word >> 48 != STAMP_MAGIC || (word >> 20 & 1) == 0) return false;
    stamp->space = (mx_space)(word >> 45 & 7);
    stamp->needs = (mx_layout)(word >> 43 & 3);
    stamp->generation = (uint32_t)(word >> 20 & GENERATION_BITS);
    stamp->slot = (uint32_t)(word & (NO_SLOT - 1));
    return stamp->slot < __atomic_load_n(&table.count, __ATOMIC_ACQUIRE);
}

bool mx_view_in_range(mx_space space, const void *begin, const void *end, char (*label)[64])
{
    const uint32_t count = __atomic_load_n(&table.count, __ATOMIC_ACQUIRE);
    for (uint32_t s = 0; s < count; s++) {
        const mx_record *r = slot_record(s);
        if (generation_of(r) % 2 == 0 || r->space != space || r->root.generation != 0) continue;
        const char *const data = r->data;
        const int64_t elements = r->span > 0 ? r->span : 1; /* an empty view has memory too */
        if (data >= (const char *)end ||
            data + (size_t)elements * MX_TYPE_SIZE(r->type) <= (const char *)begin)
            continue;
        memcpy(*label, r->label, sizeof *label);
        return true;
    }
    return false;
}

/* ---- inserting and removing records ---- */

/* Finds a free slot. The caller holds the lock. */
static mx_err allocate_slot(uint32_t *slot)
{
    if (table.first_free != NO_SLOT) {
        *slot = table.first_free;
        table.first_free = slot_record(*slot)->next_free;
        return MX_OK;
    }
    MX_REQUIRE(table.count < NO_SLOT, MX_ERR_MEMORY, "more than %d views at once", NO_SLOT);
    mx_record **chunk = &table.chunk[table.count / CHUNK];
    if (*chunk == NULL) *chunk = calloc(CHUNK, sizeof **chunk);
    MX_REQUIRE(*chunk != NULL, MX_ERR_MEMORY, "no memory for the table of views");
    *slot = table.count;
    __atomic_store_n(&table.count, table.count + 1, __ATOMIC_RELEASE);
    return MX_OK;
}

void mx_source_line_(const char *file, int line)
{
    source_file = file;
    source_line = line;
}

static void in_child(void) { table.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
static void watch_forks(void) { mx_fork_holds(MX_FORK_VIEWS, &table.lock, in_child); }

mx_err mx_record_insert(const mx_record *described, mx_view *view)
{
    static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
    uint32_t slot = 0;
    pthread_once(&forks_watched, watch_forks);
    pthread_mutex_lock(&table.lock);
    const mx_err err = allocate_slot(&slot);
    if (err == MX_OK) {
        mx_record *record = slot_record(slot);
        const uint32_t generation = record->generation + 2 * record->swaps + 1;
        mx_record initial = *described;
        initial.generation = generation - 1;
        initial.swaps = 0;
        initial.references = 1;
        initial.parts = 0;
        initial.file = source_file;
        initial.line = source_line;
        for (int d = 0; initial.root.generation == 0 && d < initial.rank; d++) {
            initial.root_begin[d] = 0;
            initial.root_end[d] = initial.extent[d];
            initial.root_dim[d] = d;
        }
        *record = initial;
        __atomic_store_n(&record->generation, generation, __ATOMIC_RELEASE);
        *view = (mx_view){slot, generation};
    }
    pthread_mutex_unlock(&table.lock);
    return err;
}

mx_record mx_record_retain(mx_record *record, int owners, int parts)
{
    pthread_mutex_lock(&table.lock);
    record->references += owners;
    record->parts += parts;
    const mx_record copy = *record;
    pthread_mutex_unlock(&table.lock);
    return copy;
}

mx_err mx_record_release(mx_view view, bool part, mx_record *last)
{
    mx_record *record = slot_record(view.slot);
    pthread_mutex_lock(&table.lock);
    const bool live =
        record->generation == view.generation; /* another thread may have removed it */
    if (live) record->parts -= part;
    const bool owned = live && record->references > record->parts;
    if (owned && --record->references == 0) {
        *last = *record;
        __atomic_store_n(&record->generation, view.generation + 1, __ATOMIC_RELEASE);
        record->next_free = NO_SLOT;
        if (table.first_free == NO_SLOT)
            table.first_free = view.slot;
        else
            slot_record(table.last_free)->next_free = view.slot;
        table.last_free = view.slot;
    }
    pthread_mutex_unlock(&table.lock);
    MX_REQUIRE(owned, MX_ERR_STALE, "view '%s' was destroyed before; only parts of it exist now",
               record->label);
    return MX_OK;
}

mx_err mx_view_set_null(mx_view *view)
{
    MX_REQUIRE(view != NULL, MX_ERR_ARG, "the pointer to the view is NULL");
    *view = MX_VIEW_NULL;
    return MX_OK;
}

mx_err mx_record_writable(const mx_record *r)
{
    MX_REQUIRE(!r->constant, MX_ERR_CONST, "view '%s' is read-only", r->label);
    return MX_OK;
}

/* ---- views that exist ---- */

/* Calls `call` for every record of a live view, under the lock. Returns their number. */
static int each_alive(void (*call)(const mx_record *record))
{
    int alive = 0;
    pthread_mutex_lock(&table.lock);
    for (uint32_t s = 0; s < table.count; s++) {
        const mx_record *record = slot_record(s);
        if (record->generation % 2 == 0) continue;
        alive++;
        if (call != NULL) call(record);
    }
    pthread_mutex_unlock(&table.lock);
    return alive;
}

int mx_views_alive(void) { return each_alive(NULL); }

static void report_one(const mx_record *r)
{
    char created_at[256] = "";
    if (r->file != NULL)
        snprintf(created_at, sizeof created_at, ", created at %s:%d", r->file, r->line);
    fprintf(stderr, "minx: view '%s' (%zu bytes in %s%s) still has %d owner%s\n", r->label,
            (size_t)r->span * MX_TYPE_SIZE(r->type), mx_space_name(r->space), created_at,
            r->references, r->references > 1 ? "s" : "");
}

void mx_views_report(void) { each_alive(report_one); }

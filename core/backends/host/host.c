/* What host backends have in common. A launch is divided into chunks (tiles of its range). A
 * backend only decides which thread runs which chunks.
 *
 * A kernel without result has about one chunk for each thread. A thread works on one contiguous
 * part, the same at every launch over the same range, so its pages stay local (first touch).
 *
 * For a reduction the chunks depend on the range only, not on the number of threads. A chunk has at
 * least 8192 items (256 if the body has a loop, 2048 where values are joined one by one, or as the kind
 * of the kernel's items says), and there are at most about 1024 chunks. If there are fewer than 64, their number is a power of two,
 * so that threads get equal parts. Partial results are joined in the order of the chunks, arrays in a
 * tree over the chunks (minx/host/reduce_array.h). This gives the same bits for any number of threads,
 * and costs as much as an ordinary omp reduction. Rejected: a tree over threads (the bits change
 * with their number) and Kahan sums (slower, and still not the same bits as on a GPU). */
#include "base/backend.h"
#include "minx/team.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    REDUCE_BLOCKS = 1024,
    FEW_BLOCKS = 64, /* fewer blocks than this: their number is a power of two */
    ARRAY_CHUNKS = 64,
    ARRAY_ITEMS = 16384, /* the minimum of items in a chunk with an array of its own */
    /* one thread joins the arrays if their values, times the threads, are at most so many */
    SERIAL_JOIN = 4096,
    SHARES = 16,      /* chunks for each thread, with the dynamic schedule */
    SCAN_CHUNKS = 16, /* chunks for each thread, in a part of a scan */
    PARALLEL_BYTES = 16384,
    PAST_CACHE_BYTES = 16 << 20, /* of one thread: more than its share of the cache */
    LONG_TILE = 512, /* items or short rows; tiles from this size on are rounded to cache lines */
    SHORT_ROW = 8,   /* a row with fewer items is short, such as one of coordinates */
    LINE = 64        /* bytes of a cache line, and the alignment of memory */
};

__thread short mx_thread_;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static size_t round_up(size_t bytes) { return (bytes + LINE - 1) & ~(size_t)(LINE - 1); }

static int64_t items_of(const mx_launch *l)
{
    int64_t items = 1;
    for (int d = 0; d < l->dims; d++) items *= l->axis[d].end - l->axis[d].begin;
    return items;
}

static int64_t power_of_two_up_to(int64_t n)
{
    int64_t power = 1;
    while (2 * power <= n) power *= 2;
    return power;
}

/* The number of items that a chunk should have. */
static int64_t chunk_items(mx_ctx ctx, const mx_launch *l, int64_t items)
{
    if (l->kernel->pattern == MX_PATTERN_FOR && l->dynamic)
        return ceil_div(items, SHARES * ctx->threads);
    if (l->kernel->pattern == MX_PATTERN_SCAN) return l->kernel->block;
    if (l->kernel->pattern == MX_PATTERN_FOR)
        return items < ceil_div(l->kernel->block, 4) ? items : ceil_div(items, ctx->threads);
    if (l->kernel->pattern == MX_PATTERN_REDUCE_ARRAY) {
        /* There are so few chunks that joining their arrays costs less than filling them. */
        const int64_t min_items = 2 * l->length > ARRAY_ITEMS ? 2 * l->length : ARRAY_ITEMS;
        const int64_t chunks = power_of_two_up_to(items / min_items);
        return ceil_div(items, chunks > ARRAY_CHUNKS ? ARRAY_CHUNKS : chunks);
    }
    int64_t blocks = items / l->kernel->block;
    if (blocks > REDUCE_BLOCKS) blocks = REDUCE_BLOCKS;
    if (blocks < FEW_BLOCKS) blocks = power_of_two_up_to(blocks);
    return ceil_div(items, blocks);
}

/* The shape of the launch's teams, and the bytes of scratch for each team. */
static mx_err plan_teams(mx_ctx ctx, mx_launch *l)
{
    mx_team_shape *team = &l->team;
    const bool lanes_are_threads = ctx->backend->host.chunks_are_items;
    const mx_backend_host *host = &ctx->backend->host;
    const bool several = host->auto_team_size > 0;
    const bool any_size = lanes_are_threads || (host->watched && team->size == MX_AUTO);
    if (team->size == MX_AUTO) team->size = several ? host->auto_team_size : 1;
    if (team->lanes == MX_AUTO)
        team->lanes = ctx->auto_lanes > 0 ? ctx->auto_lanes : several ? host->auto_team_lanes : 1;
    if (!lanes_are_threads) team->lanes = 1;
    const int max_count = MX_TEAM_MAX / team->lanes,
              available = any_size                                      ? max_count
                          : ctx->backend->host.run_team_members != NULL ? ctx->threads
                                                                        : 1;
    MX_REQUIRE(team->size <= max_count && team->size <= available, MX_ERR_ARG,
               "kernel %s: teams of %d threads with %d lanes: expected at most %d threads on %s",
               l->kernel->name, team->size, team->lanes,
               available < max_count ? available : max_count, ctx->name);
    const int members = team->size * team->lanes;
    size_t bytes = members > 1 ? sizeof(mx_team_shared_) : 0;
    for (int level = 0; level < 2; level++) {
        team->team_bytes[level] = (team->team_bytes[level] + 15) & ~(size_t)15;
        team->thread_bytes[level] = (team->thread_bytes[level] + 15) & ~(size_t)15;
        bytes += team->team_bytes[level] + (size_t)team->size * team->thread_bytes[level];
    }
    l->scratch_bytes = round_up(bytes);
    return MX_OK;
}

/* Plans the tiles: whole rows if a row has no more items than a chunk should have, else parts of
 * rows. */
mx_err mx_host_plan(mx_ctx ctx, mx_launch *l)
{
    const int64_t items = items_of(l);
    const bool single =
        ctx->backend->host.chunks_are_items && l->kernel->pattern != MX_PATTERN_REDUCE_ARRAY;
    if (l->team.size != 0) MX_TRY(plan_teams(ctx, l));
    int64_t wanted = items > 0 ? chunk_items(ctx, l, items) : 1;
    int64_t row = 1; /* items of the dimensions behind this one */
    l->chunks = items > 0 ? 1 : 0;
    for (int d = l->dims - 1; d >= 0; d--) {
        mx_axis *axis = &l->axis[d];
        const int64_t extent = axis->end - axis->begin;
        int64_t tile = single ? 1 : axis->tile > 0 ? axis->tile : wanted;
        if (row < SHORT_ROW && axis->tile == 0 && tile >= LONG_TILE)
            tile = (tile + 7) & ~(int64_t)7; /* tiles start at a cache line */
        row *= extent;
        if (tile > extent) tile = extent > 0 ? extent : 1;
        wanted = ceil_div(wanted, tile);
        axis->tile = tile;
        axis->tiles = ceil_div(extent, tile);
        l->chunks *= axis->tiles;
    }
    /* Threads should not share cache lines (false sharing). With many chunks it is more important to
     * save memory. */
    l->partial_bytes = l->length * (int64_t)l->kernel->value_size;
    if (l->chunks <= REDUCE_BLOCKS) l->partial_bytes = (l->partial_bytes + LINE - 1) / LINE * LINE;
    if (mx_instance_of(ctx, l->kernel)->prepare != NULL) {
        const size_t size = round_up(l->kernel->args_size);
        l->args_copy = aligned_alloc(LINE, size);
        l->args = l->args_copy;
        MX_REQUIRE(l->args_copy != NULL, MX_ERR_MEMORY, "kernel %s: no memory for its arguments",
                   l->kernel->name);
        memset(l->args_copy, 0, size);
    }
    return MX_OK;
}

/* Runs the prologue on a copy of the arguments. Writes only the cache lines that changed: the
 * others stay in the caches of the threads. */
static mx_err prepare(mx_launch *l, const mx_instance *instance, const void *args)
{
    if (l->args_copy == NULL) {
        if (l->args != args) l->args = args;
        return MX_OK;
    }
    const size_t size = l->kernel->args_size;
    char on_stack[1024];
    char *const copy = size <= sizeof on_stack ? on_stack : malloc(size);
    MX_REQUIRE(copy != NULL, MX_ERR_MEMORY, "kernel %s: no memory for its arguments",
               l->kernel->name);
    memcpy(copy, args, size);
    instance->prepare(copy);
    for (size_t at = 0; at < size; at += LINE) {
        const size_t part = size - at < LINE ? size - at : LINE;
        if (memcmp((char *)l->args_copy + at, copy + at, part) != 0)
            memcpy((char *)l->args_copy + at, copy + at, part);
    }
    if (copy != on_stack) free(copy);
    return MX_OK;
}

/* The bytes of all partial results. */
static size_t partials_bytes(const mx_launch *l)
{
    const int64_t members = l->team.size > 0 ? l->team.size * l->team.lanes : 1;
    if (l->kernel->pattern == MX_PATTERN_FOR) return 0;
    /* a scan has one more, the total of the chunks before */
    const size_t bytes = round_up((size_t)((l->chunks * members + 1) * l->partial_bytes));
    const bool arrays = l->kernel->pattern == MX_PATTERN_REDUCE_ARRAY;
    return bytes + (arrays ? round_up((size_t)l->chunks * sizeof(int64_t)) : 0);
}

/* Allocates partial results, and after them the scratch of teams. */
static mx_err allocate_scratch(mx_ctx ctx, mx_launch *l)
{
    const size_t partial_bytes = partials_bytes(l);
    const size_t areas = l->team.size > 0 ? (size_t)ctx->threads : 0;
    void *memory = NULL;
    if (partial_bytes == 0 && areas == 0) return MX_OK;
    MX_TRY(mx_scratch(ctx, partial_bytes + areas * l->scratch_bytes + 1, &memory));
    if (l->partials != memory) l->partials = memory;
    if (l->scratch != l->partials + partial_bytes) l->scratch = l->partials + partial_bytes;
    return MX_OK;
}

/* A scan processes its range in parts of several chunks, which stay in cache. For each part: the sum
 * of each chunk, the prefix sums of these, then all items again. The second pass over a part and the
 * first pass over the next part are one step, with one join of the threads after it. The chunks
 * depend on the range only, so the result has the same bits for any number of threads. Rejected: two
 * passes over the whole range (twice the memory traffic), and one chunk for each thread (the bits
 * change with their number). */
typedef struct scan {
    const mx_launch *launch;
    const mx_instance *instance;
    int64_t parts, per_part; /* chunks of a part */
    void *carry;             /* the total of the chunks before */
    mx_barrier_ barrier;     /* of the threads, if they run all steps in one parallel region */
} scan;

/* The chunks first_chunk to first_chunk + chunks - 1. */
typedef struct scan_part {
    mx_launch launch;
    int64_t chunks;
} scan_part;

/* Step p: part p-1 for the second time, part p for the first time. */
typedef struct scan_step {
    const mx_instance *instance;
    const scan_part *summed; /* part p-1: its prefix sums are known */
    const scan_part *next;   /* part p */
    int64_t chunks;          /* of the longer one */
} scan_step;

static scan_step step_of(const scan *s, scan_part *parts, int64_t p)
{
    scan_part *const next = &parts[p % 2], *const summed = &parts[(p + 1) % 2];
    const int64_t begin = p * s->per_part,
                  left = s->launch->chunks > begin ? s->launch->chunks - begin : 0;
    next->launch.first_chunk = begin;
    next->chunks = left < s->per_part ? left : s->per_part;
    return (scan_step){s->instance, summed, next,
                       summed->chunks > next->chunks ? summed->chunks : next->chunks};
}

static void run_scan_step(const mx_launch *l, int64_t first, int64_t last)
{
    const scan_step *step = l->args;
    const int64_t summed = step->summed->chunks, next = step->next->chunks;
    if (first < summed)
        step->instance->scan(&step->summed->launch, first, last < summed ? last : summed);
    if (first >= next) return;
    const bool outer = mx_body_again_;
    mx_body_again_ = true;
    step->instance->run(&step->next->launch, first, last < next ? last : next);
    mx_body_again_ = outer;
}

static void compute_prefix_sums(const scan *s, const scan_step *step)
{
    const int64_t begin = step->next->launch.first_chunk;
    s->instance->prefix(s->launch, s->carry, begin, begin + step->next->chunks);
}

/* What one thread of the parallel region does: its share of every step. */
static void run_scan_thread(const mx_launch *l, int64_t thread, int64_t threads)
{
    scan *const s = (scan *)l->args;
    scan_part parts[2] = {{*s->launch, 0}, {*s->launch, 0}};
    int phase = 0;
    for (int64_t p = 0; p <= s->parts; p++) {
        const scan_step step = step_of(s, parts, p);
        const mx_launch both = {.args = &step};
        run_scan_step(&both, (step.chunks * thread + threads - 1) / threads,
                      (step.chunks * (thread + 1) + threads - 1) / threads);
        if (p == s->parts) return;
        mx_barrier_wait_(NULL, &s->barrier, &phase, (int)threads, false);
        if (thread == 0) compute_prefix_sums(s, &step);
        mx_barrier_wait_(NULL, &s->barrier, &phase, (int)threads, false);
    }
}

/* Runs all steps in one parallel region. false: that is not possible, or not faster. It is slower
 * where there are more threads than cores. */
static bool run_scan_together(mx_ctx ctx, const mx_launch *l, scan *s)
{
    const mx_backend_host *const host = &ctx->backend->host;
    const mx_launch all = {.args = s, .ctx = ctx};
    return l->chunks > 1 && ctx->threads > 1 && ctx->threads <= mx_host_cores() && !l->dynamic &&
           !host->chunks_are_items && !host->watched && host->run_team_members != NULL &&
           host->run_team_members(ctx, &all, run_scan_thread, ctx->threads);
}

static void run_scan_by_steps(mx_ctx ctx, const mx_launch *l, const scan *s)
{
    scan_part parts[2] = {{*l, 0}, {*l, 0}};
    for (int64_t p = 0; p <= s->parts; p++) {
        const scan_step step = step_of(s, parts, p);
        const mx_launch both = {.args = &step, .dynamic = l->dynamic, .ctx = ctx};
        ctx->backend->host.run(ctx, &both, run_scan_step, step.chunks);
        compute_prefix_sums(s, &step);
    }
}

static void run_scan(mx_ctx ctx, mx_launch *l, const mx_instance *instance)
{
    const int64_t chunks = l->chunks;
    const int64_t max_part =
        ctx->backend->host.chunks_are_items ? chunks : SCAN_CHUNKS * ctx->threads;
    const int64_t parts = chunks > 0 ? ceil_div(chunks, max_part) : 0;
    scan s = {.launch = l,
              .instance = instance,
              .parts = parts,
              .per_part = parts > 0 ? ceil_div(chunks, parts) : 0,
              .carry = l->partials + chunks * l->partial_bytes,
              .barrier = {ctx->threads, 0}};
    instance->join(l, s.carry, 0); /* the identity */
    if (!run_scan_together(ctx, l, &s)) run_scan_by_steps(ctx, l, &s);
    if (l->result != NULL) memcpy(l->result, s.carry, l->kernel->value_size);
}

/* LLVM's run time starts new threads in a child process after fork(). GNU's waits for the old ones,
 * which are not there. */
bool mx_host_openmp_available(const char **why)
{
#ifdef KMP_VERSION_MAJOR /* LLVM's omp.h */
    const bool available = true;
#else
    const bool available = !mx_threads_lost;
#endif
    if (!available)
        *why = "OpenMP cannot start threads in this child process, because its parent created "
               "contexts with several threads before fork(): use serial here, or fork first";
    return available;
}

/* Runs the members of teams in a parallel region. They need all their threads at the same time, so
 * the region must not have fewer, as it could with OMP_DYNAMIC=true. */
bool mx_host_run_team_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads)
{
    const char *why;
    bool enough = true;
    if (!mx_host_openmp_available(&why)) return false;
    const int cores = ctx->cores;
    const int dynamic = omp_get_dynamic();
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        mx_cores_bind_thread(ctx, cores, thread, threads);
        if (omp_get_num_threads() == threads)
            mx_host_run_part(ctx, launch, run, thread, thread, threads);
        else if (thread == 0)
            enough = false;
    }
    omp_set_dynamic(dynamic);
    return enough;
}

/* Teams of several threads. All threads run at the same time. */
static mx_err run_team_members(mx_ctx ctx, mx_launch *l, const mx_instance *instance)
{
    const int members = l->team.size * l->team.lanes;
    const mx_backend_host *const host = &ctx->backend->host;
    const int groups = host->chunks_are_items || host->watched ? 1 : ctx->threads / members;
    for (int g = 0; g < groups; g++) {
        mx_team_shared_ *shared = (mx_team_shared_ *)(l->scratch + (size_t)g * l->scratch_bytes);
        shared->team = (mx_barrier_){members, 0};
        shared->kernel = l->kernel->name;
        shared->idle = MX_TEAM_MAX;
        for (int r = 0; r < l->team.size; r++) shared->thread[r] = (mx_barrier_){l->team.lanes, 0};
    }
    MX_REQUIRE(
        host->run_team_members(ctx, l, instance->run_team_members, groups * members), MX_ERR_DEVICE,
        "kernel %s: its teams need %d threads at the same time, and %s could not start them: use "
        "fewer threads, and launch outside of OpenMP parallel regions",
        l->kernel->name, groups * members, ctx->name);
    return MX_OK;
}

mx_err mx_host_launch(mx_ctx ctx, mx_launch *l, const void *args, const mx_result *result)
{
    const mx_instance *instance = mx_instance_of(ctx, l->kernel);
    const mx_pattern pattern = l->kernel->pattern;
    const int members = l->team.size > 0 ? l->team.size * l->team.lanes : 1;
    (void)result;
    mx_cores_bind_thread(ctx, ctx->cores, 0, 1);
    MX_TRY(prepare(l, instance, args));
    MX_TRY(allocate_scratch(ctx, l));
    if (pattern == MX_PATTERN_SCAN)
        run_scan(ctx, l, instance);
    else if (members > 1 && l->chunks > 0)
        MX_TRY(run_team_members(ctx, l, instance));
    else if (l->chunks > 0)
        ctx->backend->host.run(ctx, l, instance->run, l->chunks);
    if (pattern == MX_PATTERN_REDUCE) instance->join(l, l->result, l->chunks * members);
    const bool joins_arrays =
        pattern == MX_PATTERN_REDUCE_ARRAY && !(l->chunks == 1 && l->sums_in_result);
    if (joins_arrays && l->length * ctx->threads <= SERIAL_JOIN)
        instance->join_array(l, 0, l->length);
    else if (joins_arrays)
        ctx->backend->host.run(ctx, l, instance->join_array, l->length);
    if (l->team.size > 0) MX_TRY(mx_overflow_check(ctx));
    return mx_fault_check(ctx);
}

mx_err mx_host_fence(mx_ctx ctx)
{
    (void)ctx;
    return MX_OK;
}

/* Copies and fills run on all threads too, divided at multiples of 64 bytes or of one element. So
 * each thread first touches the memory that it will use in kernels. */
typedef struct move_args {
    char *to;
    const char *from;
    size_t size, bytes;
} move_args;

/* As memcpy, for parts that do not stay in the cache. An ordinary store reads the line that it changes
 * from memory; these stores do not. memcpy has them too. It uses them for parts larger than the whole
 * cache: too late where several threads copy, and never on a virtual machine that claims a cache of
 * hundreds of MiB. */
static void copy_past_cache(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    const size_t head = (LINE - (uintptr_t)to % LINE) % LINE;
    memcpy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= LINE; bytes -= LINE) {
        for (size_t part = 0; part < LINE; part += sizeof(__m128i))
            _mm_stream_si128((void *)(to + part), _mm_loadu_si128((const void *)(from + part)));
        to += LINE;
        from += LINE;
    }
    _mm_sfence(); /* other threads see these stores before later ones */
#endif
    memcpy(to, from, bytes);
}

static void run_copy(const mx_launch *l, int64_t first, int64_t last)
{
    const move_args *a = l->args;
    const size_t begin = (size_t)first * a->size,
                 end = (size_t)last * a->size < a->bytes ? (size_t)last * a->size : a->bytes;
    if (end - begin < PAST_CACHE_BYTES)
        memcpy(a->to + begin, a->from + begin, end - begin);
    else
        copy_past_cache(a->to + begin, a->from + begin, end - begin);
}

/* Requests the pages of unused memory in one call, which is faster than a page fault at the first
 * write to each. Where the system does not have this call (Linux before 5.14), nothing happens. */
static void populate(char *part, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096 };
    unsigned char is_there = 0;
    char *const begin = part + (PAGE - (uintptr_t)part % PAGE) % PAGE;
    if (mincore(begin, PAGE, &is_there) == 0 && !(is_there & 1))
        (void)madvise(begin, bytes - (size_t)(begin - part), MADV_POPULATE_WRITE);
#else
    (void)part;
    (void)bytes;
#endif
}

/* Writes zeros part by part: new pages, which the system has already set to zero, are then still in
 * the cache. */
static void zero(char *to, size_t bytes)
{
    enum { PART = 1 << 20 };
    for (; bytes >= PART; to += PART, bytes -= PART) {
        populate(to, PART);
        memset(to, 0, PART);
    }
    memset(to, 0, bytes);
}

static void run_zero(const mx_launch *l, int64_t first, int64_t last)
{
    const move_args *a = l->args;
    zero(a->to + (size_t)first * a->size, (size_t)(last - first) * a->size);
}

static void run_strided(const mx_launch *l, int64_t first, int64_t last)
{
    mx_strided_run(l->args, first, last);
}

static mx_err move(mx_ctx ctx, const void *args, size_t size, mx_run_fn run, int64_t chunks)
{
    mx_launch l;
    memset(&l, 0, sizeof l);
    l.ctx = ctx;
    l.args = args;
    if (chunks * (int64_t)size < PARALLEL_BYTES || ctx->backend->host.chunks_are_items)
        run(&l, 0, chunks);
    else
        ctx->backend->host.run(ctx, &l, run, chunks);
    return MX_OK;
}

mx_err mx_host_copy_strided(mx_ctx ctx, const mx_strided *copy)
{
    return move(ctx, copy, copy->size, run_strided, copy->count);
}

mx_err mx_host_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    const move_args a = {destination, source, LINE, bytes};
    return move(ctx, &a, LINE, run_copy, ceil_div((int64_t)bytes, LINE));
}

mx_err mx_host_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size)
{
    const move_args a = {destination, NULL, size, 0};
    const mx_strided same = {.to = destination,
                             .from = value,
                             .size = size,
                             .count = count,
                             .axes = 1,
                             .axis = {{.extent = count, .to = 1}}};
    bool zero = true;
    for (size_t b = 0; b < size; b++) zero = zero && ((const char *)value)[b] == 0;
    return zero ? move(ctx, &a, size, run_zero, count) : mx_host_copy_strided(ctx, &same);
}

/* simt's memory behaves like the memory of a device: kernels and copies of simt contexts can access
 * it, host code cannot. Each allocation in MX_SPACE_SIMT is a region with pages of its own. Its
 * pages are accessible only while a launch of a simt context runs, or a copy that reads or writes
 * this region. Host code that accesses them at another time gets a signal, and so does a kernel that
 * accesses no memory at all. The handler here prints the name of the view or the kernel, and
 * then calls the earlier handler of the signal (by default the program ends, and a debugger or a core
 * file shows the line).
 *
 * Invariants:
 *  1. the pages of a region are accessible exactly while launches run (memory.users > 0), or copies
 *     of it (its own users > 0);
 *  2. regions are in a search tree, ordered by address, so that neighbours change their protection
 *     in one call.
 * Cost: creating a view, copying and destroying it change the pages of its own region only, and
 * find it in a time that grows with the logarithm of the number of regions. A launch changes the
 * pages of all regions.
 *
 * A copy of a region to memory that host code can access is done late, at the context's next fence,
 * launch, fill, or copy that is not late itself, or when the last view of memory of the caller ends.
 * Where the memory is freed, it is not done. Until then the destination has bytes of ones (NaN),
 * as host code must not read it. It is done at once where a gap or another layout makes it no copy
 * of one range of bytes.
 *
 * MX_SPACE_PINNED and MX_SPACE_MANAGED are ordinary memory here, since host code and kernels both
 * access them. They are regions too, so that the memory space of an address is known. Limit: while
 * one thread runs a launch, an access by host code on another thread is not found. */
#include "simt_memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) /* gcc */
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature) /* clang */
#define ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ADDRESS_SANITIZER 0
#endif
#if ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

typedef struct region {
    char *data;
    size_t bytes; /* of MX_SPACE_SIMT: whole pages */
    mx_space space;
    int users; /* running copies */
} region;

static struct {
    pthread_mutex_t lock;
    void *tree; /* of regions, by tsearch */
    int users;  /* running launches */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* The order of the tree. Regions do not overlap, so the region that overlaps a range of one byte is
 * the one that has this byte. */
static int compare_regions(const void *a, const void *b)
{
    const region *x = a;
    const region *y = b;
    const uintptr_t x_begin = (uintptr_t)x->data, y_begin = (uintptr_t)y->data;
    return x_begin + x->bytes <= y_begin ? -1 : y_begin + y->bytes <= x_begin;
}

/* The region that has this address; NULL: none. The caller holds the lock. */
static region *region_of(const void *address)
{
    region one = {.bytes = 1};
    memcpy(&one.data, &address, sizeof address);
    region **const found = tfind(&one, &memory.tree, compare_regions);
    return found != NULL ? *found : NULL;
}

/* ---- protection ---- */

/* The caller holds the lock. On pages that were mapped here mprotect fails only if the operating
 * system has no memory; the program cannot continue then. */
static void protect(void *data, size_t bytes, int access)
{
    if (bytes == 0 || mprotect(data, bytes, access) == 0) return;
    perror("minx: simt's memory: mprotect");
    abort();
}

/* Neighbouring regions whose protection changes together. */
static struct {
    char *begin, *end;
    int access;
} run;

static void extend_run(const void *node, VISIT visit, int depth)
{
    const region *one = *(region *const *)node;
    (void)depth;
    if (visit != postorder && visit != leaf) return; /* here in the order of addresses */
    if (one->space != MX_SPACE_SIMT || one->users > 0) return;
    if (one->data != run.end) {
        protect(run.begin, (size_t)(run.end - run.begin), run.access);
        run.begin = one->data;
    }
    run.end = one->data + one->bytes;
}

/* Copies have opened their regions, and will close them. The caller holds the lock. */
static void protect_all(int access)
{
    run.begin = run.end = NULL;
    run.access = access;
    twalk(memory.tree, extend_run);
    protect(run.begin, (size_t)(run.end - run.begin), access);
}

void mx_simt_memory_open(void)
{
    pthread_mutex_lock(&memory.lock);
    if (memory.users++ == 0) protect_all(PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&memory.lock);
}

void mx_simt_memory_close(void)
{
    pthread_mutex_lock(&memory.lock);
    if (--memory.users == 0) protect_all(PROT_NONE);
    pthread_mutex_unlock(&memory.lock);
}

/* The same for the region that has this address, if there is one; `users` is +1 or -1. */
static void add_users(const void *address, int users)
{
    pthread_mutex_lock(&memory.lock);
    region *const one = region_of(address);
    if (one != NULL && one->space == MX_SPACE_SIMT) {
        const int before = one->users;
        one->users += users;
        if (memory.users == 0 && (before == 0 || one->users == 0))
            protect(one->data, one->bytes, one->users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
    pthread_mutex_unlock(&memory.lock);
}

/* ---- fork ---- */

static void end_copies(const void *node, VISIT visit, int depth)
{
    (void)depth;
    if (visit == postorder || visit == leaf) (*(region *const *)node)->users = 0;
}

/* The launches and copies of other threads do not end here. The launch of a body does that calls
 * fork(). */
static void in_child(void)
{
    memory.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (mx_body_ctx_ == NULL) memory.users = 0;
    twalk(memory.tree, end_copies);
    protect_all(memory.users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/* ---- accesses that end the program ---- */

static struct sigaction previous;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* The instruction that caused the signal. NULL: not known on this processor. */
static const void *instruction_of(const void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)c->uc_mcontext.pc;
#else
    (void)c;
    return NULL;
#endif
}

enum { TEXT_BYTES = 1024 };

/* Prints the text, which is `used` bytes long, and how to find the line of the instruction. */
static void report(char *text, int used, const void *instruction)
{
    Dl_info file = {0};
    if (instruction != NULL && dladdr(instruction, &file) != 0 && file.dli_fname != NULL)
        used +=
            snprintf(text + used, TEXT_BYTES - (size_t)used,
                     "minx: to see the source line: addr2line -e %.600s 0x%zx\n", file.dli_fname,
                     (size_t)((const char *)instruction - (const char *)file.dli_fbase));
    const ssize_t written = write(STDERR_FILENO, text, (size_t)used);
    (void)written;
}

/* kernel: the one that runs, on a host backend; NULL: none. */
static void report_host(const char *kernel, const char *label, const void *address,
                        const void *instruction)
{
    char text[TEXT_BYTES], in_kernel[256] = "";
    if (kernel != NULL) snprintf(in_kernel, sizeof in_kernel, " (in kernel %.200s)", kernel);
    const int used = snprintf(
        text, sizeof text,
        "minx: host code%s accessed view '%s' at %p. Only simt's kernels and copies can access its "
        "memory space, %s, as with a GPU: use mx_import and mx_export, or a mirror.\n",
        in_kernel, label, address, mx_space_name(MX_SPACE_SIMT));
    report(text, used, instruction);
}

static void report_kernel(const char *kernel, const void *address, const void *instruction)
{
    char text[TEXT_BYTES];
    const int used = snprintf(
        text, sizeof text,
        "minx: kernel %.200s accessed address %p, where no memory is. Is an index out of range? A "
        "minx built with -DMINX_BOUNDS_CHECK=ON names the view and the index.\n",
        kernel, address);
    report(text, used, instruction);
}

/* Calls the earlier handler of the signal. If there was none, the instruction is executed again,
 * and ends the program. */
static void call_previous_handler(int number, siginfo_t *info, void *context)
{
    const bool details = (previous.sa_flags & SA_SIGINFO) != 0;
    if (details) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else {
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number); /* it was sent: no instruction caused it */
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    char label[64];
    const size_t page = page_bytes();
    const char *begin = (const char *)info->si_addr - (uintptr_t)info->si_addr % page;
    const char *const kernel = mx_body_kernel();
    /* while simt runs a launch, all its views are open */
    if (info->si_code > 0 && mx_view_in_range(MX_SPACE_SIMT, begin, begin + page, &label))
        report_host(kernel, label, info->si_addr, instruction_of(context));
    else if (info->si_code > 0 && kernel != NULL)
        report_kernel(kernel, info->si_addr, instruction_of(context));
    call_previous_handler(number, info, context);
}

static void prepare(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &previous) != 0) perror("minx: simt's memory: sigaction");
    mx_fork_holds(MX_FORK_SIMT_MEMORY, &memory.lock, in_child);
}

void mx_simt_memory_prepare(void) { pthread_once(&prepared, prepare); }

/* A shared libminx may be unloaded. Its handler must not remain then. */
__attribute__((destructor)) static void uninstall(void)
{
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == handle)
        sigaction(SIGSEGV, &previous, NULL);
}

/* ---- late copies ---- */

typedef struct late_copy {
    struct late_copy *next;
    mx_ctx ctx;
    char *to;
    size_t bytes;
    char data[];
} late_copy;

static late_copy *late_copies; /* in the order of the calls; for those with memory.lock */

/* Removes the late copies of a context or, ctx NULL, those to some of these bytes; `done`: does them
 * before. */
static void end_late_copies(mx_ctx ctx, const void *to, size_t bytes, bool done)
{
    pthread_mutex_lock(&memory.lock);
    for (late_copy **at = &late_copies; *at != NULL;) {
        late_copy *const one = *at;
        const uintptr_t first = (uintptr_t)one->to, begin = (uintptr_t)to;
        const bool ends =
            ctx != NULL ? one->ctx == ctx : first < begin + bytes && begin < first + one->bytes;
        if (!ends) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        if (done) memcpy(one->to, one->data, one->bytes);
        free(one);
    }
    pthread_mutex_unlock(&memory.lock);
}

void mx_simt_finish_copies(mx_ctx ctx) { end_late_copies(ctx, NULL, 0, true); }

void mx_simt_leave(const void *data, size_t bytes, bool freed)
{
    end_late_copies(NULL, data, bytes, !freed);
}

/* NULL: the copy is to be done at once, after the late ones of its context. */
static late_copy *new_late_copy(mx_ctx ctx, void *to, const void *from, size_t bytes)
{
    pthread_mutex_lock(&memory.lock);
    const region *const source = region_of(from), *const target = region_of(to);
    const bool to_host = source != NULL && source->space == MX_SPACE_SIMT &&
                         (target == NULL || target->space != MX_SPACE_SIMT);
    pthread_mutex_unlock(&memory.lock);
    late_copy *const late = to_host ? malloc(sizeof *late + bytes) : NULL;
    if (late == NULL)
        mx_simt_finish_copies(ctx);
    else
        *late = (late_copy){.ctx = ctx, .to = to, .bytes = bytes};
    return late;
}

/* Earlier ones to some of its bytes are done now: so those that are left may be done in any order. */
static void add_late_copy(late_copy *late)
{
    end_late_copies(NULL, late->to, late->bytes, true);
    memset(late->to, 0xff, late->bytes);
    pthread_mutex_lock(&memory.lock);
    late_copy **end = &late_copies;
    while (*end != NULL) end = &(*end)->next;
    *end = late;
    pthread_mutex_unlock(&memory.lock);
}

/* ---- allocation ---- */

/* The caller holds the lock. */
static mx_err insert_region(const region *added)
{
    region *const one = malloc(sizeof *one);
    if (one != NULL) *one = *added;
    const bool inserted = one != NULL && tsearch(one, &memory.tree, compare_regions) != NULL;
    if (!inserted) free(one);
    MX_REQUIRE(inserted, MX_ERR_MEMORY, "no memory for the tree of simt's regions");
    return MX_OK;
}

static mx_err map_pages(size_t bytes, region *added)
{
    const size_t page = page_bytes();
    MX_REQUIRE(bytes <= PTRDIFF_MAX - page, MX_ERR_MEMORY, "no %zu bytes of simt's memory", bytes);
    added->bytes = (bytes + page - 1) / page * page;
    void *const data =
        mmap(NULL, added->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MX_REQUIRE(data != MAP_FAILED, MX_ERR_MEMORY, "no %zu bytes of simt's memory", bytes);
    added->data = data;
    ASAN_POISON_MEMORY_REGION(added->data + bytes, added->bytes - bytes);
    return MX_OK;
}

static void free_region(const region *removed)
{
    if (removed->space != MX_SPACE_SIMT) {
        mx_host_release(removed->space, removed->data);
        return;
    }
    ASAN_UNPOISON_MEMORY_REGION(removed->data, removed->bytes);
    munmap(removed->data, removed->bytes);
}

mx_err mx_simt_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data)
{
    region added = {.bytes = bytes, .space = space};
    *data = NULL;
    if (space == MX_SPACE_SIMT) {
        MX_TRY(map_pages(bytes, &added));
    } else {
        void *ordinary = NULL;
        MX_TRY(mx_host_allocate(ctx, space, bytes, &ordinary));
        added.data = ordinary;
    }
    pthread_mutex_lock(&memory.lock);
    const mx_err err = insert_region(&added);
    if (err == MX_OK && space == MX_SPACE_SIMT && memory.users == 0)
        protect(added.data, added.bytes, PROT_NONE);
    pthread_mutex_unlock(&memory.lock);
    if (err != MX_OK)
        free_region(&added);
    else
        *data = added.data;
    return err;
}

void mx_simt_release(mx_space space, void *data)
{
    (void)space;
    if (data == NULL) return;
    pthread_mutex_lock(&memory.lock);
    region *const removed = region_of(data);
    const bool known = removed != NULL && removed->data == (char *)data;
    if (known) tdelete(removed, &memory.tree, compare_regions);
    pthread_mutex_unlock(&memory.lock);
    MX_ASSERT(known);
    if (!known) return; /* in builds without assertions it stays allocated */
    mx_simt_leave(removed->data, removed->bytes, true);
    free_region(removed);
    free(removed);
}

bool mx_simt_identify(const void *address, mx_space *space, int *device)
{
    pthread_mutex_lock(&memory.lock);
    const region *const found = region_of(address);
    if (found != NULL) *space = found->space;
    pthread_mutex_unlock(&memory.lock);
    if (found != NULL) *device = -1;
    return found != NULL;
}

/* ---- copies ---- */

mx_err mx_simt_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    late_copy *const late = new_late_copy(ctx, destination, source, bytes);
    add_users(destination, 1);
    add_users(source, 1);
    const mx_err err = mx_host_copy(ctx, late != NULL ? late->data : destination, source, bytes);
    add_users(source, -1);
    add_users(destination, -1);
    if (late != NULL) add_late_copy(late);
    return err;
}

mx_err mx_simt_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size)
{
    mx_simt_finish_copies(ctx);
    add_users(destination, 1);
    const mx_err err = mx_host_fill(ctx, destination, count, value, size);
    add_users(destination, -1);
    return err;
}

mx_err mx_simt_copy_strided(mx_ctx ctx, const mx_strided *copy)
{
    mx_simt_finish_copies(ctx);
    const void *const used[] = {copy->to, copy->from, copy->index};
    for (int u = 0; u < 3; u++) add_users(used[u], 1);
    const mx_err err = mx_host_copy_strided(ctx, copy);
    for (int u = 0; u < 3; u++) add_users(used[u], -1);
    return err;
}

/* simt's memory behaves like the memory of a device: kernels and copies of simt contexts can access
 * it, host code cannot. Each allocation in MX_SPACE_SIMT has pages of its own. They are accessible
 * only while a launch or a copy of a simt context runs. Host code that accesses them at another
 * time gets a signal. The handler here prints the name of the view, and then calls the earlier
 * handler of the signal (by default the program ends, and a debugger or a core file shows the
 * line).
 *
 * Invariants:
 *  1. pages of MX_SPACE_SIMT are accessible exactly while `users` > 0, the number of running launches and copies;
 *  2. regions are sorted by address, so that neighbours change their protection in one call.
 * MX_SPACE_PINNED and MX_SPACE_MANAGED are ordinary memory here, since host code and kernels both
 * access them. They are regions too, so that the memory space of an address is known. Limit: while
 * one thread runs a launch, an access by host code on another thread is not found. */
#include "simt_memory.h"

#include <dlfcn.h>
#include <pthread.h>
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
} region;

static struct {
    pthread_mutex_t lock;
    region *list;
    int count;
    int capacity; /* of the list */
    int users;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* ---- protection ---- */

/* The caller holds the lock. On pages that were mapped here mprotect fails only if the operating
 * system has no memory; the program cannot continue then. */
static void protect(void *data, size_t bytes, int access)
{
    if (bytes == 0 || mprotect(data, bytes, access) == 0) return;
    perror("minx: simt's memory: mprotect");
    abort();
}

/* The caller holds the lock. */
static void protect_all(int access)
{
    char *begin = NULL;
    char *end = NULL;
    for (int r = 0; r < memory.count; r++) {
        const region *one = &memory.list[r];
        if (one->space != MX_SPACE_SIMT) continue;
        if (one->data != end) {
            protect(begin, (size_t)(end - begin), access);
            begin = one->data;
        }
        end = one->data + one->bytes;
    }
    protect(begin, (size_t)(end - begin), access);
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

/* ---- accesses by host code ---- */

static struct sigaction previous;
static pthread_once_t handler_installed = PTHREAD_ONCE_INIT;

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

static void report_access(const char *label, const void *address, const void *instruction)
{
    char text[1024];
    Dl_info file = {0};
    int used = snprintf(
        text, sizeof text,
        "minx: host code accessed view '%s' at %p. Only kernels and copies can access its memory "
        "space, %s, as with a GPU: use mx_import and mx_export, or a mirror.\n",
        label, address, mx_space_name(MX_SPACE_SIMT));
    if (instruction != NULL && dladdr(instruction, &file) != 0 && file.dli_fname != NULL)
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "minx: to see the source line: addr2line -e %.600s 0x%zx\n", file.dli_fname,
                     (size_t)((const char *)instruction - (const char *)file.dli_fbase));
    const ssize_t written = write(STDERR_FILENO, text, (size_t)used);
    (void)written;
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
    if (info->si_code > 0 && mx_view_in_range(MX_SPACE_SIMT, begin, begin + page, &label))
        report_access(label, info->si_addr, instruction_of(context));
    call_previous_handler(number, info, context);
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &previous) != 0) perror("minx: simt's memory: sigaction");
}

void mx_simt_memory_install_handler(void) { pthread_once(&handler_installed, install); }

/* A shared libminx may be unloaded. Its handler must not remain then. */
__attribute__((destructor)) static void uninstall(void)
{
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == handle)
        sigaction(SIGSEGV, &previous, NULL);
}

/* ---- allocation ---- */

/* The number of the first region that begins after this address. The caller holds the lock. */
static int first_region_after(const void *address)
{
    int low = 0;
    int high = memory.count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (memory.list[middle].data <= (const char *)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The caller holds the lock. */
static mx_err insert_region(const region *added)
{
    if (memory.count == memory.capacity) {
        const int capacity = 2 * memory.capacity + 64;
        region *list = realloc(memory.list, (size_t)capacity * sizeof *list);
        MX_REQUIRE(list != NULL, MX_ERR_MEMORY, "no memory for the list of simt's regions");
        memory.list = list;
        memory.capacity = capacity;
    }
    const int at = first_region_after(added->data);
    memmove(memory.list + at + 1, memory.list + at,
            (size_t)(memory.count - at) * sizeof *memory.list);
    memory.list[at] = *added;
    memory.count++;
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
    const int at = first_region_after(data) - 1;
    MX_ASSERT(at >= 0 && memory.list[at].data == (char *)data);
    const region removed = memory.list[at];
    memory.count--;
    memmove(memory.list + at, memory.list + at + 1,
            (size_t)(memory.count - at) * sizeof *memory.list);
    pthread_mutex_unlock(&memory.lock);
    free_region(&removed);
}

bool mx_simt_identify(const void *address, mx_space *space, int *device)
{
    pthread_mutex_lock(&memory.lock);
    const int at = first_region_after(address) - 1;
    const bool found =
        at >= 0 && (const char *)address < memory.list[at].data + memory.list[at].bytes;
    if (found) *space = memory.list[at].space;
    pthread_mutex_unlock(&memory.lock);
    if (found) *device = -1;
    return found;
}

/* ---- copies ---- */

mx_err mx_simt_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    mx_simt_memory_open();
    const mx_err err = mx_host_copy(ctx, destination, source, bytes);
    mx_simt_memory_close();
    return err;
}

mx_err mx_simt_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size)
{
    mx_simt_memory_open();
    const mx_err err = mx_host_fill(ctx, destination, count, value, size);
    mx_simt_memory_close();
    return err;
}

mx_err mx_simt_copy_strided(mx_ctx ctx, const mx_strided *copy)
{
    mx_simt_memory_open();
    const mx_err err = mx_host_copy_strided(ctx, copy);
    mx_simt_memory_close();
    return err;
}

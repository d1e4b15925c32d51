/* Host code that accesses memory of a device, and a kernel that accesses no memory at all. On simt the program ends there, with a message that
 * names the view or the kernel. Each case runs this program again as a child process. There is nothing to test on
 * backends whose memory host code can access, and on a GPU, where the access is an ordinary
 * segmentation fault without a message. */
#include "check.h"
#include "fork.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10000 };

typedef struct world {
    mx_ctx ctx;
    mx_view view; /* 'temperature', N numbers */
    volatile double *data;
} world;

static void read_data(world *w) { CHECK(w->data[0] == 0); }
static void write_data(world *w) { w->data[N - 1] = 1; }

static void read_through_accessor(world *w)
{
    mx_f64_1 u;
    MUST(mx_bind(w->ctx, w->view, &u));
    CHECK(MX_AT(u, 17) == 0);
}

/* Fills and copies open the memory, and close it again. */
static void read_behind_copies(world *w)
{
    const double one = 1;
    double all[N];
    MUST(mx_fill(w->ctx, w->view, &one));
    MUST(mx_export(w->ctx, w->view, all, NULL));
    CHECK_F64(all[N - 1], 1, 0);
    read_data(w);
}

/* Another context of the kind changes nothing. */
static void read_beside_another_context(world *w)
{
    mx_ctx other;
    MUST(mx_ctx_create("simt:threads=2", &other));
    mx_ctx_destroy(&other);
    read_data(w);
}

static void read_part(world *w)
{
    mx_view part;
    MUST(mx_subview(w->view, MX_SLICES(mx_span(100, 200)), &part));
    const volatile double *at = check_info(part).data;
    CHECK(*at == 0);
}

static void copy_out(world *w)
{
    double all[N];
    memcpy(all, (const void *)(uintptr_t)w->data, sizeof all);
    CHECK(all[0] == 0);
}

static const volatile char *nowhere;
static void read_nowhere(void) { CHECK(*nowhere == 0); }

/* A body accesses what is no memory: as with an index that is far out of range. */
static void read_in_kernel(world *w)
{
    const fk_calls args = {.call = read_nowhere};
    int64_t count;
    nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(nowhere != MAP_FAILED);
    MUST(fk_count(mx_range_1d(w->ctx, 0, 8), &args, &count));
}

/* A kernel of another backend is host code, too. */
static void read_in_host_kernel(world *w)
{
    const fk_calls args = {.call = read_nowhere};
    int64_t count;
    mx_ctx serial;
    nowhere = (const volatile char *)w->data;
    MUST(mx_ctx_create("serial", &serial));
    MUST(fk_count(mx_range_1d(serial, 0, 8), &args, &count));
}

#define HOST_SAYS "minx: host code accessed view 'temperature' at 0x", "use mx_import and mx_export"
#define HOST_KERNEL_SAYS \
    "minx: host code (in kernel fk_count) accessed view 'temperature' at 0x", "Only simt's kernels"
#define KERNEL_SAYS "minx: kernel fk_count accessed address 0x", "built with -DMINX_BOUNDS_CHECK=ON"

/* A handler that was there before is called behind the message. */
static void say_and_exit(int number)
{
    static const char text[] = "the handler that was there\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written > 0 && number == SIGSEGV ? 3 : 4);
}

static const struct {
    const char *name;
    void (*touch)(world *w);
    bool handler;
    const char *says[2];
} cases[] = {
    {"read", read_data, false, {HOST_SAYS}},
    {"write", write_data, false, {HOST_SAYS}},
    {"accessor", read_through_accessor, false, {HOST_SAYS}},
    {"copies", read_behind_copies, false, {HOST_SAYS}},
    {"context", read_beside_another_context, false, {HOST_SAYS}},
    {"part", read_part, false, {HOST_SAYS}},
    {"memcpy", copy_out, false, {HOST_SAYS}},
    {"handler", read_data, true, {HOST_SAYS}},
    {"kernel", read_in_kernel, false, {KERNEL_SAYS}},
    {"host kernel", read_in_host_kernel, false, {HOST_KERNEL_SAYS}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* In the child: does what the case does, which must not return. */
static int child(const char *resource, const char *name)
{
    world w;
    for (int c = 0; c < CASES; c++) {
        if (strcmp(cases[c].name, name) != 0) continue;
        if (cases[c].handler) signal(SIGSEGV, say_and_exit);
        MUST(mx_init());
        MUST(mx_ctx_create(resource, &w.ctx));
        MUST(mx_view_create_1d(w.ctx, "temperature", MX_F64, N, &w.view));
        w.data = check_info(w.view).data;
        cases[c].touch(&w);
    }
    fprintf(stderr, "nothing happened\n");
    return 0;
}

static const char *program;

static void run_case(const char *name, const char *const *says, bool handler)
{
    char command[1024], text[8192];
    snprintf(command, sizeof command, "'%s' %s '%s' 2>&1", program, check_resource, name);
    FILE *out = popen(command, "r"); /* the shell gives 128 and the signal's number as status */
    if (out == NULL) {
        CHECK(out != NULL);
        return;
    }
    const size_t read = fread(text, 1, sizeof text - 1, out);
    text[read] = '\0';
    while (fgetc(out) != EOF) {
    }
    const int status = pclose(out);
    CHECK(status != 0);
    for (int t = 0; t < 2; t++) CHECK_TEXT(text, says[t]);
    CHECK_TEXT(text, "addr2line -e ");
    if (handler) CHECK_TEXT(text, "the handler that was there");
    if (handler) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void test(mx_ctx ctx)
{
    if (check_is(ctx, "simt"))
        for (int c = 0; c < CASES; c++) run_case(cases[c].name, cases[c].says, cases[c].handler);
}

int main(int argc, char **argv)
{
    program = argv[0];
    return argc > 2 ? child(argv[1], argv[2]) : check_main(argc, argv, test);
}

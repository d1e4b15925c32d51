/* Tools: the test loads a connector (connector.c), and compares the lines that it recorded with
 * the expected ones. Each part of the test starts and ends the run time itself, with or without
 * a tool. */
#define _GNU_SOURCE
#include "tools.h"
#include "check.h"
#include "minx/kit/dual.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>

enum { ITEMS = 100, BYTES = ITEMS * 8 };

/* ---- what should happen ---- */

static struct {
    char text[65536];
    unsigned device;  /* of the first context */
    const char *name; /* of the space of its views */
    bool host;        /* accessible to host code */
    /* results come from a device: there are fences in reductions, and graphs of its own */
    bool waits;
    bool fencing;
    int contexts; /* open */
} model;

__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    va_list list;
    const size_t used = strlen(model.text);
    va_start(list, format);
    vsnprintf(model.text + used, sizeof model.text - used, format, list);
    va_end(list);
}

static void expect_fence(const char *name, unsigned device)
{
    expect("begin fence %s %08x\nend fence\n", name, device);
}

static void expect_fence_of_all(const char *name)
{
    for (int c = 0; c < model.contexts; c++) expect_fence(name, model.device - 1);
}

static void expect_idle(void)
{
    if (model.fencing)
        expect_fence_of_all("Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence");
}

/* waits: a fence inside, where a result is fetched from a device */
static void expect_kernel(const char *what, const char *name, unsigned device, bool waits)
{
    expect_idle();
    expect("begin %s %s %08x\n", what, name, device);
    if (waits && model.waits) expect_fence("minx::fence", device);
    expect_idle();
    expect("end %s\n", what);
}

static void expect_copy(const char *to, const char *from, unsigned bytes)
{
    expect("begin copy %s from %s %08x\nend copy\n", to, from, bytes);
}

static void expect_start(const char *args)
{
    expect("init 0 20240906 0 NULL\nsettings 1 1\ninterface 1 fence\n%smetadata\n", args);
}

/* ---- the connector ---- */

static const char *connector_text(const char *path, const char *function)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library != NULL ? dlsym(library, function) : NULL;
    const char *(*call)(void);
    if (symbol == NULL) return "the connector is not loaded";
    memcpy(&call, &symbol, sizeof call);
    const char *text = call();
    dlclose(library);
    return text;
}

/* The first line that differs is named. */
static void check_log(const char *path, const char *part)
{
    const char *got = connector_text(path, "connector_log"), *expected = model.text;
    size_t line = 0;
    for (size_t c = 0; got[c] == expected[c] && got[c] != '\0'; c++)
        if (got[c] == '\n') line = c + 1;
    if (strcmp(got, expected) != 0) {
        fprintf(stderr, "%s: got '%.*s', expected '%.*s'\n", part, (int)strcspn(got + line, "\n"),
                got + line, (int)strcspn(expected + line, "\n"), expected + line);
        CHECK(false);
    }
    const char *problems = connector_text(path, "connector_problems");
    if (problems[0] != '\0') fprintf(stderr, "%s: %s", part, problems);
    CHECK(problems[0] == '\0');
}

static void reset(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "connector_reset") : NULL;
    void (*call)(void);
    CHECK(symbol != NULL);
    if (symbol == NULL) exit(1);
    memcpy(&call, &symbol, sizeof call);
    call();
    model.text[0] = '\0';
    model.contexts = 0;
}

static mx_ctx open_context(void)
{
    mx_ctx ctx;
    mx_ctx_info info;
    MUST(mx_ctx_create(check_resource, &ctx));
    MUST(mx_ctx_get_info(ctx, &info));
    model.contexts++;
    model.host = info.host_accessible;
    model.waits = info.device >= 0;
    model.name = mx_space_name(info.space);
    model.device = strcmp(info.backend, "serial") == 0   ? 0x00000001
                   : strcmp(info.backend, "openmp") == 0 ? 0x01000001
                   : strcmp(info.backend, "cuda") == 0   ? 0x02000001
                   : strcmp(info.backend, "hip") == 0    ? 0x03000001
                                                         : 0x09000001;
    return ctx;
}

static void close_context(mx_ctx ctx, unsigned device)
{
    model.contexts--;
    expect_fence("minx::Context::destruction", device);
    mx_ctx_destroy(&ctx);
}

/* ---- the scenario ---- */

static void expect_view(const char *label, int bytes)
{
    char name[128];
    expect("allocate %s %s %d\n", model.name, label, bytes);
    snprintf(name, sizeof name, "minx::View::initialization [%s]", label);
    expect_kernel("for", name, model.device, false);
    if (model.host) expect_fence("minx::View::initialization", model.device);
}

static mx_view make_view(mx_ctx ctx, const char *label)
{
    mx_view view;
    MUST(mx_view_create_1d(ctx, label, MX_F64, ITEMS, &view));
    expect_view(label, BYTES);
    return view;
}

static void run_kernels(mx_ctx ctx, mx_view x, unsigned device)
{
    to_args args;
    double sum = 0, bins[2] = {0, 0};
    const mx_range_1 all = mx_range_1d(ctx, 0, ITEMS);
    MUST(mx_bind(ctx, x, &args.x));
    CHECK_OK(to_set(all, &args));
    expect_kernel("for", "to_set", device, false);
    CHECK_OK(to_sum(all, &args, &sum));
    expect_kernel("reduce", "to_sum", device, true);
    CHECK_F64(sum, ITEMS * (ITEMS - 1) / 2, 0);
    CHECK_OK(to_bins(all, &args, 2, bins));
    expect_kernel("reduce", "to_bins", device, true);
    CHECK_OK(to_scan(all, &args, NULL));
    expect_kernel("scan", "to_scan", device, false);
    CHECK_OK(to_set(mx_range_1d(ctx, 3, 3), &args)); /* empty: nothing runs */
}

/* On a device a graph is one thing that runs; on hosts it is its kernels. */
static void run_graph(mx_ctx ctx, mx_view x)
{
    to_args args;
    mx_graph graph;
    MUST(mx_bind(ctx, x, &args.x));
    CHECK_OK(mx_graph_create(ctx, &graph));
    mx_region_push("recorded"); /* the context that records is left alone */
    mx_region_pop();
    expect("push recorded\npop\n");
    CHECK_OK(to_set(mx_range_1d(ctx, 0, ITEMS), &args));
    CHECK_OK(to_scan(mx_range_1d(ctx, 0, ITEMS), &args, NULL));
    CHECK_OK(mx_graph_finish(graph));
    CHECK_OK(mx_graph_run(graph));
    if (!model.waits) {
        expect_kernel("for", "to_set", model.device, false);
        expect_kernel("scan", "to_scan", model.device, false);
    } else {
        expect_kernel("for", "minx::Graph", model.device, false);
    }
    mx_graph_destroy(&graph);
    expect_fence("minx::Graph::destruction", model.device);
}

static void run_copies(mx_ctx ctx, mx_view x)
{
    mx_view mirror;
    const double two = 2;
    double one = 0;
    char own[64];
    snprintf(own, sizeof own, "%s x", model.name);
    CHECK_OK(mx_mirror_create(x, &mirror));
    expect("allocate Host x %d\n", BYTES);
    CHECK_OK(mx_deep_copy(ctx, mirror, x));
    expect_copy("Host x", own, BYTES);
    CHECK_OK(mx_fence(ctx));
    expect_fence("minx::fence", model.device);
    CHECK_OK(mx_fill(ctx, x, &two));
    expect_copy(own, "Host Scalar", BYTES);
    CHECK_OK(mx_write_element(ctx, x, 7, &two));
    expect_copy(own, "Host Scalar", 8);
    CHECK_OK(mx_read_element(ctx, x, 99, &one));
    expect_copy("Host Scalar", own, 8);
    expect_fence("minx::fence", model.device);
    CHECK_F64(one, 2, 0);
    CHECK_FAILS(mx_deep_copy(ctx, mirror, MX_VIEW_NULL), MX_ERR_STALE, "");
    CHECK_OK(mx_view_destroy(&mirror));
    expect("deallocate Host x %d\n", BYTES);
}

static void mark(void)
{
    uint32_t first = 0, second = 0;
    mx_section_create("first", &first);
    mx_section_create("second", &second);
    mx_section_start(first);
    mx_section_start(second);
    mx_section_stop(first);
    mx_section_stop(second);
    mx_section_destroy(second);
    expect(
        "section first 70\nsection second 71\nstart 70\nstart 71\nstop 70\nstop 71\ndestroy 71\n");
    mx_event_mark("now");
    mx_event_mark("fence");
    expect("event now\nevent fence\n");
    expect_fence_of_all("minx::fence requested by the tool");
    mx_metadata("deck", "small");
}

/* A column to a column, which is strided in one layout; a view that grows, and is two for a
 * while. */
static void run_parts(mx_ctx ctx)
{
    mx_view grid, column[2];
    const int64_t extents[] = {10, 20};
    char to[64], from[64];
    snprintf(to, sizeof to, "%s grid[:,3]", model.name);
    snprintf(from, sizeof from, "%s grid[:,5]", model.name);
    MUST(mx_view_create_2d(ctx, "grid", MX_F64, 10, 10, &grid));
    expect_view("grid", BYTES);
    CHECK_OK(mx_subview(grid, MX_SLICES(mx_all(), mx_index(3)), &column[0]));
    CHECK_OK(mx_subview(grid, MX_SLICES(mx_all(), mx_index(5)), &column[1]));
    CHECK_OK(mx_deep_copy(ctx, column[0], column[1]));
    expect_copy(to, from, 80);
    CHECK_OK(mx_remap(ctx, column[1], column[0]));
    expect_copy(from, to, 80);
    for (int c = 0; c < 2; c++) CHECK_OK(mx_view_destroy(&column[c]));
    CHECK_OK(mx_view_resize(ctx, &grid, extents));
    expect_view("grid", 2 * BYTES);
    expect_kernel("for", "minx::View::resize [grid]", model.device, false);
    expect("deallocate %s grid %d\n", model.name, BYTES);
    CHECK_OK(mx_view_destroy(&grid));
    expect("deallocate %s grid %d\n", model.name, 2 * BYTES);
}

static void run_dual(mx_ctx ctx)
{
    const int64_t extents[] = {ITEMS};
    char device[64];
    mx_dual pair;
    MUST(mx_dual_create(ctx, "pair", MX_F64, 1, extents, NULL, &pair));
    expect_view("pair", BYTES);
    if (!model.host) expect("allocate Host pair %d\n", BYTES);
    mx_dual_modify(&pair, MX_SIDE_HOST);
    CHECK_OK(mx_dual_sync(ctx, &pair, MX_SIDE_DEVICE));
    expect("modify pair data 0\nsync pair data 1\n");
    snprintf(device, sizeof device, "%s pair", model.name);
    if (!model.host) expect_copy(device, "Host pair", BYTES);
    CHECK_OK(mx_dual_sync(ctx, &pair, MX_SIDE_HOST)); /* nothing to do */
    mx_dual_modify(&pair, MX_SIDE_DEVICE);
    CHECK_OK(mx_dual_sync(ctx, &pair, MX_SIDE_HOST));
    expect("modify pair data 1\nsync pair data 0\n");
    if (!model.host) expect_copy("Host pair", device, BYTES);
    expect_fence("minx::fence", model.device);
    CHECK_OK(mx_dual_destroy(&pair));
    if (!model.host) expect("deallocate Host pair %d\n", BYTES);
    expect("deallocate %s pair %d\n", model.name, BYTES);
}

static void push(const char *name)
{
    mx_region_push(name);
    expect_idle();
    expect("push %s\n", name != NULL && name[0] != '\0' ? name : "[unnamed]");
}

static void expect_pop(void)
{
    expect_idle();
    expect("pop\n");
}

static void scenario(void)
{
    mx_ctx ctx = open_context();
    const unsigned device = model.device;
    push("outer");
    mx_view x = make_view(ctx, "x");
    run_kernels(ctx, x, device);
    run_graph(ctx, x);
    push(NULL);
    push("");
    run_copies(ctx, x);
    run_parts(ctx);
    run_dual(ctx);
    mx_region_pop();
    expect_pop();
    mx_region_pop();
    expect_pop();
    /* a second one: the next number */
    mx_ctx other = open_context();
    run_kernels(other, x, device + 1);
    mx_ctx third = open_context();
    CHECK_OK(mx_fence_all());
    for (unsigned c = 0; c < 3; c++) expect_fence("minx::fence", device + c);
    close_context(other, device + 1);
    mark();
    CHECK_OK(mx_fence_all());
    expect_fence("minx::fence", device);
    expect_fence("minx::fence", device + 2);
    close_context(third, device + 2);
    mx_region_pop();
    expect_pop();
    mx_region_pop(); /* one too many */
    CHECK_OK(mx_view_destroy(&x));
    expect("deallocate %s x %d\n", model.name, BYTES);
    push("left");
    close_context(ctx, device);
    mx_finalize();
    expect_pop();
    expect("finalize\n");
}

/* ---- the parts of the test ---- */

/* The library from an option, with others that it would call, and arguments. */
static void test_option(char *program)
{
    char libs[] = "--mx-tools-libs=" TEST_CONNECTOR ";other.so;third.so";
    char args[] = "--mx-tools-args=  one\ttwo=2   three ", help[] = "--mx-tools-help", rest[] = "x";
    char *list[] = {program, libs, rest, help, args, NULL};
    char **argv = list;
    int argc = 5;
    reset(TEST_CONNECTOR);
    setenv("KOKKOS_TOOLS_LIBS", "overridden.so", 1);
    model.fencing = true;
    MUST(mx_init_args(&argc, &argv));
    CHECK_I64(argc, 2);
    CHECK_TEXT(getenv("KOKKOS_TOOLS_LIBS"), TEST_CONNECTOR ";other.so;third.so");
    expect_start("help test_core_tools\nargs 'one' 'two=2' 'three'\n");
    scenario();
    check_log(TEST_CONNECTOR, "with fences");
    const char *metadata = connector_text(TEST_CONNECTOR, "connector_metadata");
    CHECK_TEXT(metadata, "version=");
    CHECK_TEXT(metadata, "\nopenmp=available");
    CHECK_TEXT(metadata, "\ntools-args=  one");
    CHECK_TEXT(metadata, "\ndeck=small\n");
    /* a program that starts again without the option finds what it had put there */
    CHECK_TEXT(getenv("KOKKOS_TOOLS_LIBS"), "overridden.so");
}

/* The library from the environment; it needs no fences. */
static void test_environment(void)
{
    reset(TEST_CONNECTOR);
    setenv("KOKKOS_TOOLS_LIBS", TEST_CONNECTOR, 1);
    setenv("CONNECTOR_FENCING", "no", 1);
    model.fencing = false;
    MUST(mx_init());
    expect_start("");
    scenario();
    check_log(TEST_CONNECTOR, "without fences");
    unsetenv("CONNECTOR_FENCING");
}

/* A tool that exports begins without ends, and a pop without a push. */
static void test_partial(void)
{
    reset(TEST_PARTIAL_CONNECTOR);
    setenv("KOKKOS_TOOLS_LIBS", TEST_PARTIAL_CONNECTOR, 1);
    MUST(mx_init());
    mx_ctx ctx = open_context();
    mx_view x;
    to_args args;
    double sum = 0;
    MUST(mx_view_create_1d(ctx, "x", MX_F64, ITEMS, &x));
    MUST(mx_bind(ctx, x, &args.x));
    mx_region_push("silent");
    CHECK_OK(to_set(mx_range_1d(ctx, 0, ITEMS), &args));
    CHECK_OK(to_sum(mx_range_1d(ctx, 0, ITEMS), &args, &sum));
    CHECK_F64(sum, ITEMS * (ITEMS - 1) / 2, 0);
    mx_region_pop();
    MUST(mx_view_destroy(&x));
    mx_ctx_destroy(&ctx);
    mx_finalize();
    /* settings are not asked for, so fences are needed; nothing of reductions */
    const unsigned d = model.device;
    const char *tool = "Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence";
    expect("init 0 20240906 0 NULL\nallocate %s x %d\n", model.name, BYTES);
    expect("begin fence %s %08x\nbegin for minx::View::initialization [x] %08x\n", tool, d - 1, d);
    if (model.host) expect("begin fence minx::View::initialization %08x\n", d);
    expect("begin fence %s %08x\nbegin for to_set %08x\n", tool, d - 1, d);
    if (model.waits) expect("begin fence minx::fence %08x\n", d); /* in the reduction */
    expect("begin fence %s %08x\npop\n", tool, d - 1);
    expect("begin fence minx::Context::destruction %08x\n", d);
    check_log(TEST_PARTIAL_CONNECTOR, "a partial tool");
}

/* A library that is not there, or is no tool: one line on stderr, and everything works. */
static void test_missing(const char *path, const char *why)
{
    char text[1024] = "";
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    CHECK(file != NULL && kept >= 0);
    if (file == NULL) return;
    setenv("KOKKOS_TOOLS_LIBS", path, 1);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const mx_err err = mx_init();
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    CHECK_OK(err);
    CHECK_TEXT(text, path);
    CHECK_TEXT(text, why);
    CHECK(length > 0 && strchr(text, '\n') == text + length - 1); /* one line */
    uint32_t section = 5;
    mx_ctx ctx = open_context();
    mx_region_push("none");
    mx_section_create("none", &section);
    CHECK_I64(section, 0);
    mx_section_start(section);
    mx_event_mark("none");
    mx_region_pop();
    CHECK_OK(mx_fence_all());
    mx_ctx_destroy(&ctx);
    mx_finalize();
    CHECK_TEXT(getenv("KOKKOS_TOOLS_LIBS"), path);
}

/* Named by an option alone: gone from the environment at the end. */
static void test_option_alone(char *program)
{
    char libs[] = "--mx-tools-libs=" TEST_CONNECTOR;
    char *list[] = {program, libs, NULL}, **argv = list;
    int argc = 2;
    unsetenv("KOKKOS_TOOLS_LIBS");
    MUST(mx_init_args(&argc, &argv));
    CHECK(getenv("KOKKOS_TOOLS_LIBS") != NULL);
    mx_finalize();
    CHECK(getenv("KOKKOS_TOOLS_LIBS") == NULL);
}

int main(int argc, char **argv)
{
    const int code = check_begin(argc, argv);
    if (code != 0) return code;
    mx_finalize();
    test_option(argv[0]);
    test_environment();
    test_partial();
    test_missing("/nowhere/libtool.so", "/nowhere/libtool.so");
    test_missing("libm.so.6", "exports no kokkosp_ function");
    test_option_alone(argv[0]);
    CHECK_I64(mx_views_alive(), 0);
    return check_failures > 0;
}

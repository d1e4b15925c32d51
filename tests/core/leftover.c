/* A program that does not destroy its views: mx_views_report prints which they are, and where they
 * were created. mx_finalize prints the same. */
#include "check.h"
#include "minx/kit/map.h"

#include <unistd.h>

enum { FORGOTTEN = 8 };
static mx_view forgotten[FORGOTTEN];

static int forget(mx_ctx ctx)
{
    static double mine[10];
    mx_ctx serial;
    const int64_t n = 10;
    MUST(mx_ctx_create("serial", &serial));
    const int line =
        __LINE__ + 1; /* each call on one line: compilers differ in which they take of several */
    MUST(mx_view_create_1d(ctx, "one", MX_F64, n, &forgotten[0]));
    MUST(mx_view_retain(forgotten[0]));
    MUST(mx_subview(forgotten[0], MX_SLICES(mx_span(2, 5)), &forgotten[1]));
    MUST(mx_view_constant(forgotten[0], &forgotten[2]));
    MUST(mx_mirror_create(forgotten[0], &forgotten[3]));
    MUST(mx_view_wrap(serial, "mine", MX_F64, 1, &n, NULL, NULL, mine, &forgotten[4]));
    MUST(mx_view_create_1d(ctx, "two", MX_F64, n, &forgotten[5]));
    MUST(mx_view_resize(ctx, &forgotten[5], &n));
    MUST(mx_map_create(ctx, "map", 6, &forgotten[6]));
    MUST(mx_map_rehash(ctx, &forgotten[6], 12, &forgotten[7]));
    mx_ctx_destroy(&serial);
    return line;
}

/* What it writes to stderr. */
static void capture(void (*call)(void), char *text, size_t size)
{
    char path[] = "minx_leftover_XXXXXX";
    fflush(stderr);
    const int saved = dup(STDERR_FILENO), file = mkstemp(path);
    CHECK(saved >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    call();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    memset(text, 0, size);
    CHECK(pread(file, text, size - 1, 0) >= 0);
    close(saved);
    close(file);
    unlink(path);
}

/* Maps for 6 and 12 keys have 8 and 16 slots, one more for key 0, and a note behind them. */
static void check_report(const char *text, int line, const char *space)
{
    static const struct {
        const char *label;
        int bytes, line, owners;
        bool host;
    } views[] = {{"one", 80, 0, 4, false},     {"one[2:5]", 24, 2, 1, false},
                 {"one", 80, 3, 1, false},     {"one", 80, 4, 1, true},
                 {"mine", 80, 5, 1, true},     {"two", 80, 7, 1, false},
                 {"map", 8 * 18, 9, 1, false}, {"origin", 4 * 17, 9, 1, false}};
    char expected[256];
    int lines = 0;
    for (int v = 0; v < FORGOTTEN; v++) {
        snprintf(expected, sizeof expected,
                 "minx: view '%s' (%d bytes in %s, created at %s:%d) still has %d owner%s\n",
                 views[v].label, views[v].bytes, views[v].host ? "Host" : space, __FILE__,
                 line + views[v].line, views[v].owners, views[v].owners > 1 ? "s" : "");
        CHECK_TEXT(text, expected);
    }
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    CHECK_I64(lines, FORGOTTEN);
}

static void test(mx_ctx ctx)
{
    char text[4096];
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const int line = forget(ctx);
    capture(mx_views_report, text, sizeof text);
    check_report(text, line, mx_space_name(info.space));
    capture(mx_finalize, text, sizeof text);
    check_report(text, line, mx_space_name(info.space));
    MUST(mx_init());
    CHECK_FAILS(mx_view_destroy(&(mx_view){forgotten[0].slot, 1000001}), MX_ERR_STALE, "any more");
    capture(mx_finalize, text, sizeof text);
    CHECK_TEXT(text, "minx: 8 views still exist, after a call that failed: mx_views_report() ");
    CHECK(strchr(text, '\n') == text + strlen(text) - 1); /* one line */
    mx_err_clear();
    MUST(mx_view_destroy(&(mx_view){forgotten[0].slot, forgotten[0].generation}));
    for (int v = 0; v < FORGOTTEN; v++) MUST(mx_view_destroy(&forgotten[v]));
    MUST(mx_init());
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

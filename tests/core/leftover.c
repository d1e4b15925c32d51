/* A program that forgets its views: mx_finalize of a debug build says which and where they were made, of others nothing. */
#include "check.h"

#include <unistd.h>

static mx_view forgotten[6];

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
    mx_ctx_destroy(&serial);
    return line;
}

static void test(mx_ctx ctx)
{
    char path[] = "minx_leftover_XXXXXX", text[4096] = "", expected[256];
    mx_ctx_info info;
    mx_ctx_get_info(ctx, &info);
    const int line = forget(ctx);
    fflush(stderr);
    const int saved = dup(STDERR_FILENO), file = mkstemp(path);
    CHECK(saved >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    mx_finalize();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    CHECK(pread(file, text, sizeof text - 1, 0) >= 0);
    close(saved);
    close(file);
    unlink(path);
#ifdef NDEBUG
    CHECK_I64(strlen(text), 0);
    (void)expected, (void)line, (void)info;
#else
    const struct {
        const char *label;
        int bytes, line, owners;
    } views[] = {{"one", 80, 0, 4},
                 {"one[2:5]", 24, 2, 1},
                 {"one", 80, 3, 1},
                 {"mine", 80, 5, 1},
                 {"two", 80, 7, 1}};
    for (int v = 0; v < 5; v++) {
        snprintf(expected, sizeof expected,
                 "minx: view '%s' (%d bytes in %s, made at %s:%d) still has %d owner%s\n",
                 views[v].label, views[v].bytes, v == 3 ? "Host" : mx_space_name(info.space),
                 __FILE__, line + views[v].line, views[v].owners, views[v].owners > 1 ? "s" : "");
        CHECK_TEXT(text, expected);
    }
    snprintf(expected, sizeof expected, "'one' (80 bytes in Host, made at %s:%d)", __FILE__,
             line + 4);
    CHECK_TEXT(text, expected);
#endif
    MUST(mx_view_destroy(&(mx_view){forgotten[0].slot, forgotten[0].generation}));
    for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&forgotten[v]));
    MUST(mx_init());
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

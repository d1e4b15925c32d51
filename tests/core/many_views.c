/* Many views at the same time. Creating, filling, copying and destroying one must not touch the
 * memory of the others: on simt, whose memory is protected from host code, this program counts the
 * pages whose protection changes. If they were those of all views, n views would take a time that
 * grows with n^2. */
#define _GNU_SOURCE
#include "check.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { VIEWS = 1500, PAGES = 3 }; /* a view has at most 3 pages */

static int64_t pages_changed;

/* In place of that of the C library. */
int mprotect(void *at, size_t bytes, int access)
{
    pages_changed += (int64_t)bytes / sysconf(_SC_PAGESIZE);
    return (int)syscall(SYS_mprotect, at, bytes, access);
}

static mx_view views[VIEWS];

/* The pages that change for each of the views, while `use` runs for all of them. */
static void check_pages(mx_ctx ctx, const char *what, void (*use)(mx_ctx ctx, int v))
{
    const int64_t before = pages_changed;
    for (int v = 0; v < VIEWS; v++) use(ctx, v);
    /* a call opens and closes what it copies from and what it copies to */
    const int64_t changed = pages_changed - before, limit = (int64_t)VIEWS * 4 * PAGES;
    if (!check_is(ctx, "simt")) return;
    CHECK(pages_changed > 0);
    if (changed > limit)
        fprintf(stderr, "%s %d views: %" PRId64 " pages, expected at most %" PRId64 "\n", what,
                VIEWS, changed, limit);
    CHECK(changed <= limit);
}

static void create(mx_ctx ctx, int v)
{
    MUST(mx_view_create_1d(ctx, "one of many", MX_F64, 1 + v % 1000, &views[v]));
}

static void fill(mx_ctx ctx, int v)
{
    const double value = v;
    MUST(mx_fill(ctx, views[v], &value));
}

static void copy(mx_ctx ctx, int v)
{
    if (v >= 1000) MUST(mx_deep_copy(ctx, views[v], views[v - 1000])); /* of the same extent */
}

static void read_last(mx_ctx ctx, int v)
{
    double value = -1;
    MUST(mx_read_element(ctx, views[v], v % 1000, &value));
    CHECK_F64(value, v % 1000, 0);
}

static void destroy(mx_ctx ctx, int v)
{
    (void)ctx;
    MUST(mx_view_destroy(&views[(v * 7) % VIEWS])); /* in another order */
}

static void test(mx_ctx ctx)
{
    check_pages(ctx, "create", create);
    check_pages(ctx, "fill", fill);
    check_pages(ctx, "copy", copy);
    check_pages(ctx, "read", read_last);
    check_pages(ctx, "destroy", destroy);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

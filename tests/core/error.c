/* Errors: messages, the trace of calls, a separate record for each thread. */
#include "check.h"

#include <pthread.h>

static mx_err innermost(int n)
{
    MX_REQUIRE(n > 0, MX_ERR_ARG, "n must be positive, got %d", n);
    return MX_OK;
}

static mx_err middle(int n)
{
    MX_TRY(innermost(n));
    return MX_OK;
}

static mx_err outer(int n) { return MX_PASS(middle(n)); }

static void test_message_and_trace(void)
{
    mx_err_clear();
    CHECK_I64(strlen(mx_err_message()), 0);
    CHECK_I64(strlen(mx_err_trace()), 0);
    CHECK_OK(outer(1));
    CHECK_I64(strlen(mx_err_trace()), 0);
    CHECK_FAILS(outer(-3), MX_ERR_ARG, "n must be positive, got -3");
    const char *trace = mx_err_trace();
    const char *a = strstr(trace, "innermost (");
    const char *b = strstr(trace, "middle (");
    const char *c = strstr(trace, "outer (");
    CHECK(a != NULL && b != NULL && c != NULL && a < b && b < c);
    CHECK_TEXT(trace, "error.c:");
    CHECK_FAILS(MX_FAIL(MX_ERR_IO, "second"), MX_ERR_IO, "second");
    CHECK(strstr(mx_err_trace(), "innermost") == NULL); /* a new failure starts a new path */
    /* a message may be made from the one before */
    CHECK_FAILS(MX_FAIL(MX_ERR_IO, "outer: %s", mx_err_message()), MX_ERR_IO, "outer: second");
    mx_err_clear();
    CHECK_I64(strlen(mx_err_message()), 0);
}

static void test_names(void)
{
    CHECK_I64(strcmp(mx_err_name(MX_OK), "MX_OK"), 0);
    CHECK_I64(strcmp(mx_err_name(MX_ERR_STALE), "MX_ERR_STALE"), 0);
    CHECK_I64(strcmp(mx_err_name(MX_ERR_COMM), "MX_ERR_COMM"), 0);
    for (int e = 0; e <= MX_ERR_COMM; e++)
        for (int f = 0; f < e; f++)
            CHECK(strcmp(mx_err_name((mx_err)e), mx_err_name((mx_err)f)) != 0);
    CHECK_TEXT(mx_err_name((mx_err)1000), "unknown");
    CHECK_TEXT(mx_err_name((mx_err)-1), "unknown");
}

/* Too long a message or path is cut, never written past its end. */
static void test_lengths(void)
{
    char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK_FAILS(MX_FAIL(MX_ERR_ARG, "start %s", longer), MX_ERR_ARG, "start xxx");
    CHECK(strlen(mx_err_message()) < 2000);
    for (int n = 0; n < 1000; n++) mx_frame_("file.c", n, "some_function");
    CHECK(strlen(mx_err_trace()) < 5000);
}

static void *fail_on_a_thread(void *at)
{
    char *mine = at;
    if (strlen(mx_err_message()) > 0) snprintf(mine, 64, "not empty at the start");
    for (int n = 0; n < 1000; n++) {
        (void)outer(-n);
        char expected[64];
        snprintf(expected, sizeof expected, "n must be positive, got %d", -n);
        if (strcmp(mx_err_message(), expected) != 0) snprintf(mine, 64, "%.63s", mx_err_message());
    }
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    char said[THREADS][64] = {{0}};
    (void)outer(-77777);
    for (int t = 0; t < THREADS; t++)
        CHECK_I64(pthread_create(&threads[t], NULL, fail_on_a_thread, said[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        CHECK_I64(pthread_join(threads[t], NULL), 0);
        CHECK_I64(strlen(said[t]), 0);
    }
    CHECK_TEXT(mx_err_message(), "-77777");
}

static void test(mx_ctx ctx)
{
    (void)ctx;
    test_message_and_trace();
    test_names();
    test_lengths();
    test_threads();
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

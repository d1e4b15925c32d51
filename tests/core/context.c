/* Contexts: valid and invalid resource strings, and the properties that a context reports. */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <unistd.h>

#define LONG_64 "0123456789012345678901234567890123456789012345678901234567890123"

static const struct {
    const char *resource;
    mx_err code;
    const char *words;
} bad[] = {
    {NULL, MX_ERR_INPUT, "empty"},
    {"", MX_ERR_INPUT, "empty"},
    {":", MX_ERR_INPUT, "got '', expected key=value"},
    {"sreial", MX_ERR_INPUT, "backend: got 'sreial', expected one of serial, openmp"},
    {"Serial", MX_ERR_INPUT, "backend: got 'Serial'"},
    {" serial", MX_ERR_INPUT, "backend: got ' serial'"},
    {"serial,threads=1", MX_ERR_INPUT, "expected a colon: write serial:threads=1"},
    {"serialserialserialserialserialserialserial", MX_ERR_INPUT, "backend: got 'serialserial"},
    {"openmp:", MX_ERR_INPUT, "got '', expected key=value"},
    {"openmp:threads", MX_ERR_INPUT, "got 'threads', expected key=value"},
    {"openmp:threads=2,", MX_ERR_INPUT, "got '', expected key=value"},
    {"openmp:,threads=2", MX_ERR_INPUT, "got '', expected key=value"},
    {"openmp:threads=", MX_ERR_INPUT, "threads: got '', expected a whole number from 1 to"},
    {"openmp:threads=0", MX_ERR_INPUT, "threads: got '0'"},
    {"openmp:threads=-1", MX_ERR_INPUT, "threads: got '-1'"},
    {"openmp:threads=+2", MX_ERR_INPUT, "threads: got '+2'"},
    {"openmp:threads= 2", MX_ERR_INPUT, "threads: got ' 2'"},
    {"openmp:threads=2x", MX_ERR_INPUT, "threads: got '2x'"},
    {"openmp:threads=2.5", MX_ERR_INPUT, "threads: got '2.5'"},
    {"openmp:threads=99999999999999999999", MX_ERR_INPUT, "threads: got '99999999999999999999'"},
    {"openmp:threads=4097", MX_ERR_INPUT, "threads: got '4097'"},
    {"openmp:threads=4096", MX_ERR_INPUT, "threads: got 4096, expected at most"},
    {"simt:threads=4096", MX_ERR_INPUT, "threads: got 4096, expected at most"},
    {"openmp:thread=2", MX_ERR_INPUT, "unknown key 'thread', expected one of threads, device"},
    {"openmp:=2", MX_ERR_INPUT, "unknown key ''"},
    {"openmp:threads=2,threads=3", MX_ERR_INPUT, "threads is given twice"},
    {"openmp:layout=up", MX_ERR_INPUT, "layout: got 'up', expected left or right"},
    {"openmp:layout=stride", MX_ERR_INPUT, "layout: got 'stride'"},
    {"openmp:layout=", MX_ERR_INPUT, "layout: got ''"},
    {"serial:threads=2", MX_ERR_INPUT, "threads: got 2, expected 1"},
    {"serial:order=random", MX_ERR_INPUT, "order: got 'random', expected shuffled"},
    {"openmp:order=shuffled", MX_ERR_INPUT, "order=shuffled: got backend openmp, expected serial"},
    {"serial:order=shuffled,threads=2", MX_ERR_INPUT, "threads: got 2, expected 1"},
    {"serial:seed=3", MX_ERR_INPUT, "seed"},
    {"serial:order=shuffled,seed=-3", MX_ERR_INPUT, "seed: got '-3'"},
    {"serial:cores=0", MX_ERR_INPUT, "cores: got backend serial, expected openmp"},
    {"openmp:cores=", MX_ERR_INPUT, "cores: got ''"},
    {"openmp:cores=-1", MX_ERR_INPUT, "cores: got ''"},
    {"openmp:cores=1-0", MX_ERR_INPUT, "cores: got '0', expected a whole number from 1 to"},
    {"openmp:cores=0-", MX_ERR_INPUT, "cores: got ''"},
    {"openmp:cores=0-1x", MX_ERR_INPUT, "cores: got '1x'"},
    {"openmp:cores=0-1-2", MX_ERR_INPUT, "cores: got '1-2'"},
    {"openmp:cores=0000000000000000000000000000000x", MX_ERR_INPUT, "cores: got '00000"},
    {"openmp:cores=0000000000000000000000000000000000-0", MX_ERR_INPUT, "cores: got ''"},
    {"openmp:cores=2000000000", MX_ERR_INPUT, "this process has"},
    {"simt:lanes=0", MX_ERR_INPUT, "lanes: got '0', expected a whole number from 1 to 64"},
    {"simt:lanes=12", MX_ERR_INPUT, "lanes: got 12, expected a power of two"},
    {"openmp:lanes=4", MX_ERR_INPUT, "lanes: got backend openmp, expected simt"},
    {"serial:order=shuffled,lanes=4", MX_ERR_INPUT, "lanes: got backend serial, expected simt"},
    {"serial:device=0", MX_ERR_INPUT, "device: got 0, serial has no devices"},
    {"openmp:device=x", MX_ERR_INPUT, "device: got 'x'"},
    {"openmp:priority=high", MX_ERR_INPUT, "priority: got high, openmp has no devices"},
    {"serial:priority=low", MX_ERR_INPUT, "priority: got 'low', expected high"},
    {"serial:check=", MX_ERR_INPUT, "check: got ''"},
    {"serial:check=nothing", MX_ERR_INPUT, "backend: got 'nothing'"},
    {"serial,check=openmp", MX_ERR_INPUT,
     "got a comma behind the name of the backend, expected a colon: write serial:check=openmp"},
    {"openmp,threads=2,layout=right", MX_ERR_INPUT, "write openmp:threads=2,layout=right"},
    {"serial,check=openmp:threads=2", MX_ERR_INPUT, "write serial:check=openmp:threads=2"},
    {"serial:check=serial,check=openmp", MX_ERR_INPUT, "check is given twice"},
    {"serial:check=openmp,openmp", MX_ERR_INPUT, "got 'openmp', expected key=value"},
    {"serial,openmp", MX_ERR_INPUT, "got 'serial,openmp', expected the name of one backend"},
    {"serial,", MX_ERR_INPUT, "got 'serial,', expected the name of one backend"},
    {"serial:check=openmp:threads=0", MX_ERR_INPUT, "threads: got '0'"},
    {"serial:check=" LONG_64, MX_ERR_INPUT, "backend: got '0123456789"},
    {LONG_64 LONG_64 LONG_64 LONG_64, MX_ERR_INPUT, "longer than 255"},
};

static void test_bad(void)
{
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        mx_ctx ctx = (mx_ctx)&ctx; /* a failed create sets NULL */
        const mx_err err = mx_ctx_create(bad[b].resource, &ctx);
        const bool as_expected =
            err == bad[b].code && strstr(mx_err_message(), bad[b].words) != NULL;
        if (!as_expected)
            fprintf(stderr, "resource '%s': got %s \"%s\"\n", bad[b].resource, mx_err_name(err),
                    mx_err_message());
        CHECK(as_expected);
        CHECK(err == MX_OK || ctx == NULL);
        if (err == MX_OK) mx_ctx_destroy(&ctx);
    }
}

static void test_good(void)
{
    static const struct {
        const char *resource, *backend;
        mx_layout layout;
        int threads;       /* 0: the cores of this process */
        bool built_by_all; /* only builds with MINX_LAYOUTS=all have it */
    } good[] = {
        {"serial", "serial", MX_LAYOUT_RIGHT, 1, false},
        {"serial:threads=1", "serial", MX_LAYOUT_RIGHT, 1, false},
        {"serial:layout=left", "serial", MX_LAYOUT_LEFT, 1, true},
        {"openmp", "openmp", MX_LAYOUT_RIGHT, 0, false},
        {"openmp:threads=5", "openmp", MX_LAYOUT_RIGHT, 5, false},
        {"openmp:layout=left,threads=2", "openmp", MX_LAYOUT_LEFT, 2, true},
        {"openmp:threads=2,check=serial", "openmp", MX_LAYOUT_RIGHT, 2, false},
        {"openmp:threads=2,check=openmp:threads=3", "openmp", MX_LAYOUT_RIGHT, 2, false},
        {"simt:layout=right", "simt", MX_LAYOUT_RIGHT, 4, true},
        {"simt:threads=3", "simt", MX_LAYOUT_LEFT, 3, false},
        {"serial:order=shuffled", "serial:order=shuffled", MX_LAYOUT_LEFT, 1, false},
        {"serial:order=shuffled,seed=9,layout=right", "serial:order=shuffled", MX_LAYOUT_RIGHT, 1,
         true},
    };
    for (size_t g = 0; g < sizeof good / sizeof good[0]; g++) {
        mx_ctx ctx;
        mx_ctx_info info;
        CHECK(mx_resource_built(good[g].resource) == (TEST_LAYOUTS_ALL || !good[g].built_by_all));
        if (good[g].built_by_all && !TEST_LAYOUTS_ALL) {
            CHECK_FAILS(mx_ctx_create(good[g].resource, &ctx), MX_ERR_BACKEND, "MINX_LAYOUTS=all");
            CHECK(ctx == NULL);
            continue;
        }
        MUST(mx_ctx_create(good[g].resource, &ctx));
        CHECK_OK(mx_ctx_get_info(ctx, &info));
        CHECK_I64(strcmp(info.backend, good[g].backend), 0);
        CHECK_I64(info.layout, good[g].layout);
        CHECK_I64(info.threads, good[g].threads > 0 ? good[g].threads : mx_host_cores());
        const bool simt = strcmp(info.backend, "simt") == 0;
        CHECK_I64(info.space, simt ? MX_SPACE_SIMT : MX_SPACE_HOST);
        CHECK_I64(info.device, -1);
        CHECK_I64(strlen(info.device_name), 0);
        CHECK_I64(info.launches, 0);
        CHECK(info.host_accessible != simt);
        CHECK_OK(mx_fence(ctx));
        mx_ctx_destroy(&ctx);
        CHECK(ctx == NULL);
    }
    mx_ctx none = NULL;
    mx_ctx_destroy(&none);
    mx_ctx_destroy(NULL);
}

static void test_check_layout(void)
{
    mx_ctx ctx;
    mx_ctx_info info;
    MUST(mx_ctx_create("openmp:threads=2", &ctx));
    CHECK_OK(mx_ctx_get_info(ctx, &info));
    CHECK_I64(info.check_layout, MX_LAYOUT_RIGHT);
    MUST(mx_ctx_check_against(ctx, "simt", 1e-9));
    CHECK_OK(mx_ctx_get_info(ctx, &info));
    CHECK_I64(info.check_layout, MX_LAYOUT_LEFT);
    CHECK_I64(info.layout, MX_LAYOUT_RIGHT);
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    CHECK_OK(mx_ctx_get_info(ctx, &info));
    CHECK_I64(info.check_layout, MX_LAYOUT_RIGHT);
    mx_ctx_destroy(&ctx);
}

static void test_null(void)
{
    mx_ctx_info info;
    CHECK_FAILS(mx_fence(NULL), MX_ERR_ARG, "no context");
    CHECK_FAILS(mx_ctx_wait(NULL, NULL), MX_ERR_ARG, "no context");
    CHECK_FAILS(mx_ctx_get_info(NULL, &info), MX_ERR_ARG, "the context or the output");
    CHECK_FAILS(mx_ctx_check_against(NULL, "serial", 1e-9), MX_ERR_ARG, "no context");
    CHECK_FAILS(mx_ctx_check_against(NULL, NULL, 0), MX_ERR_ARG, "no context");
}

/* OMP_PROC_BIND binds this thread before main starts. The process still has all the cores of its
 * parent. */
static void test_cores(void)
{
    cpu_set_t parent;
    if (getenv("OMP_PROC_BIND") == NULL) return;
    CHECK_I64(sched_getaffinity(getppid(), sizeof parent, &parent), 0);
    CHECK_I64(mx_host_cores(), CPU_COUNT(&parent));
}

static void test_backends(void)
{
    const char *why = NULL;
    int count = 0;
    for (; mx_backend_name(count) != NULL; count++) {
        const bool available = mx_backend_available(mx_backend_name(count), &why);
        CHECK(mx_resource_built(mx_backend_name(count)) == (strcmp(why, "not in this build") != 0));
        CHECK(available || strlen(why) > 0);
        CHECK(available == mx_backend_available(mx_backend_name(count), NULL));
    }
    CHECK(count >= 4);
    CHECK(mx_backend_name(-1) == NULL);
    CHECK(mx_backend_available("serial", NULL));
    CHECK(mx_backend_available("openmp", NULL));
    CHECK(mx_backend_available("simt", NULL));
    CHECK(!mx_backend_available("nothing", &why));
    CHECK_TEXT(why, "no such backend");
    CHECK(!mx_resource_built("nothing") && !mx_resource_built("serial:layout"));
    CHECK(!mx_resource_built("serial:check=nothing") && mx_resource_built("serial:check=openmp"));
    CHECK_I64(mx_backend_devices("serial"), 0);
    CHECK_I64(mx_backend_devices("nothing"), 0);
    static const char *const gpus[] = {"cuda", "hip"};
    for (int g = 0; g < 2; g++) {
        mx_ctx ctx;
        if (mx_backend_available(gpus[g], &why)) continue;
        CHECK_I64(mx_backend_devices(gpus[g]), 0);
        CHECK_FAILS(mx_ctx_create(gpus[g], &ctx), MX_ERR_BACKEND, gpus[g]);
        CHECK(ctx == NULL);
    }
}

static void test_names(void)
{
    CHECK_I64(strcmp(mx_layout_name(MX_LAYOUT_LEFT), "left"), 0);
    CHECK_I64(strcmp(mx_layout_name(MX_LAYOUT_RIGHT), "right"), 0);
    CHECK_I64(strcmp(mx_space_name(MX_SPACE_HOST), "Host"), 0);
    CHECK_I64(strcmp(mx_space_name(MX_SPACE_PINNED), "CudaHostPinned"), 0);
    CHECK_I64(strcmp(mx_space_name(MX_SPACE_SIMT), "Simt"), 0);
    CHECK_I64(strcmp(mx_space_name(MX_SPACE_HIP), "HIP"), 0);
    CHECK_I64(strcmp(mx_space_name(MX_SPACE_STAGING), "staging"), 0);
    CHECK(mx_host_cores() >= 1);
    CHECK(mx_version()[0] >= '0' && mx_version()[0] <= '9');
    CHECK(strlen(mx_build_description()) > 0);
}

/* The context of this run, and what is only wrong on a device. */
static void test_own(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    CHECK(info.threads >= 1);
    CHECK(info.layout == MX_LAYOUT_LEFT || info.layout == MX_LAYOUT_RIGHT);
    if (!check_is_gpu(ctx)) return;
    mx_ctx other;
    char resource[64];
    const char *const gpu = info.backend;
    CHECK_I64(info.device, 0);
    CHECK_I64(info.space, strcmp(gpu, "cuda") == 0 ? MX_SPACE_CUDA : MX_SPACE_HIP);
    CHECK(strlen(info.device_name) > 0);
    CHECK(mx_backend_devices(gpu) > 0);
    snprintf(resource, sizeof resource, "%s:device=%d", gpu, mx_backend_devices(gpu));
    CHECK_FAILS(mx_ctx_create(resource, &other), MX_ERR_BACKEND, "this machine has");
    CHECK(other == NULL);
    snprintf(resource, sizeof resource, "%s:threads=2", gpu);
    CHECK_FAILS(mx_ctx_create(resource, &other), MX_ERR_INPUT, "threads: got 2");
    snprintf(resource, sizeof resource, "%s:order=shuffled", gpu);
    CHECK_FAILS(mx_ctx_create(resource, &other), MX_ERR_INPUT, "expected serial");
    snprintf(resource, sizeof resource, "serial:check=%s", gpu);
    CHECK_FAILS(mx_ctx_create(resource, &other), MX_ERR_INPUT, "runs on the host");
    CHECK(other == NULL);
}

static void test(mx_ctx ctx)
{
    test_bad();
    test_good();
    test_check_layout();
    test_null();
    test_cores();
    test_backends();
    test_names();
    test_own(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

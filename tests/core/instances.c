/* Several contexts at the same time, each used by a thread of its own. Their results are compared
 * with a plain array. On openmp also the cores on which their threads run. */
#define _GNU_SOURCE
#include "instances.h"
#include "check.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

enum { SIDES = 3, ITEMS = 20011, STEPS = 40 };

typedef struct side {
    char resource[64];
    int number;
    int cpus, cpu; /* of the thread after its launches: how many it may run on, and one of them */
    int wrong;
} side;

static void run_steps(mx_ctx ctx, side *s)
{
    static const uint64_t factor[SIDES] = {6364136223846793005u, 3935559000370003845u,
                                           25214903917u};
    uint64_t *model = check_memory(ITEMS * sizeof *model);
    in_args args = {.factor = factor[s->number]};
    for (int step = 0; step < STEPS; step++) {
        uint64_t sum = 0, expected = 0;
        mx_view x;
        MUST(mx_view_create_1d(ctx, "x", MX_U64, ITEMS, &x));
        MUST(mx_bind(ctx, x, &args.x));
        memset(model, 0, ITEMS * sizeof *model);
        for (int again = 0; again <= step % 4; again++) {
            MUST(in_step(mx_range_1d(ctx, 0, ITEMS - step), &args));
            for (int i = 0; i < ITEMS - step; i++) model[i] = model[i] * args.factor + (uint64_t)i;
        }
        MUST(in_sum(mx_range_1d(ctx, step, ITEMS), &args, &sum));
        for (int i = step; i < ITEMS; i++) expected += model[i];
        s->wrong += sum != expected;
        MUST(mx_view_destroy(&x));
    }
    free(model);
}

static void record_cores(side *s)
{
    cpu_set_t mask;
    s->cpu = -1;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return;
    s->cpus = CPU_COUNT(&mask);
    for (int c = 0; c < CPU_SETSIZE && s->cpu < 0; c++)
        if (CPU_ISSET(c, &mask)) s->cpu = c;
}

static void *use_one(void *of)
{
    side *s = of;
    mx_ctx ctx;
    MUST(mx_ctx_create(s->resource, &ctx));
    run_steps(ctx, s);
    record_cores(s);
    MUST(mx_fence(ctx));
    mx_ctx_destroy(&ctx);
    return NULL;
}

/* All at once. */
static void use_all(side *sides)
{
    pthread_t threads[SIDES];
    for (int s = 0; s < SIDES; s++) {
        sides[s].number = s;
        CHECK_I64(pthread_create(&threads[s], NULL, use_one, &sides[s]), 0);
    }
    for (int s = 0; s < SIDES; s++) {
        pthread_join(threads[s], NULL);
        CHECK_I64(sides[s].wrong, 0);
    }
}

/* A thread that was bound to one core leaves no trace in what is made then: the number of cores,
 * other contexts, the threads that OpenMP starts for them, and other backends. */
static void check_released(const side *home)
{
    enum { THREADS = 5 }; /* more than there have been */
    mx_ctx one, fresh, serial;
    mx_ctx_info info;
    char resource[64];
    const int cores = mx_host_cores();
    side bound = {.number = 0}, seen[THREADS] = {{.number = 0}}, alone = bound;
    MUST(mx_ctx_create("openmp:cores=0", &one));
    run_steps(one, &bound);
    record_cores(&bound);
    CHECK_I64(bound.cpus, 1);
    CHECK_I64(mx_host_cores(), cores);
    snprintf(resource, sizeof resource, "openmp:threads=%d", THREADS);
    MUST(mx_ctx_create(resource, &fresh));
    run_steps(fresh, &bound);
#pragma omp parallel num_threads(THREADS)
    record_cores(&seen[omp_get_thread_num()]);
    for (int t = 0; omp_get_num_places() == 0 && t < THREADS; t++)
        CHECK_I64(seen[t].cpus, home->cpus);
    run_steps(one, &bound);
    MUST(mx_ctx_create("serial", &serial));
    run_steps(serial, &alone);
    record_cores(&alone);
    CHECK_I64(alone.cpus, home->cpus);
    mx_ctx_destroy(&serial);
    MUST(mx_ctx_create("openmp", &serial));
    MUST(mx_ctx_get_info(serial, &info));
    CHECK_I64(info.threads, cores);
    mx_ctx_destroy(&serial);
    run_steps(one, &bound);
    snprintf(resource, sizeof resource, "openmp:cores=%d", cores - 1);
    CHECK_OK(mx_ctx_create(resource, &serial));
    mx_ctx_destroy(&serial);
    run_steps(fresh, &bound);
    CHECK_I64(bound.wrong + alone.wrong, 0);
    mx_ctx_destroy(&one);
    mx_ctx_destroy(&fresh);
    /* all threads on one core, then on simt; and from the core of a context that is gone */
    snprintf(resource, sizeof resource, "openmp:cores=0,threads=%d", THREADS);
    MUST(mx_ctx_create(resource, &one));
    snprintf(resource, sizeof resource, "simt:threads=%d", THREADS);
    MUST(mx_ctx_create(resource, &fresh));
    run_steps(one, &bound);
    run_steps(fresh, &bound);
#pragma omp parallel num_threads(THREADS)
    record_cores(&seen[omp_get_thread_num()]);
    for (int t = 0; t < THREADS; t++) CHECK_I64(seen[t].cpus, home->cpus);
    run_steps(one, &bound);
    mx_ctx_destroy(&one);
    record_cores(&alone);
    CHECK_I64(alone.cpus, home->cpus);
    mx_ctx_destroy(&fresh);
    CHECK_I64(bound.wrong, 0);
}

/* Contexts that share the cores of the process among them. */
static void test_cores(mx_ctx whole)
{
    side sides[SIDES] = {{.wrong = 0}}, home = {.number = 0}, bound = home, back = home;
    const int cores = mx_host_cores();
    mx_ctx part, many;
    mx_ctx_info info;
    for (int s = 0; s < SIDES; s++)
        snprintf(sides[s].resource, sizeof sides[s].resource, "openmp:cores=%d", s % cores);
    use_all(sides);
    for (int s = 0; s < SIDES; s++) {
        CHECK_I64(sides[s].cpus, 1);
        for (int t = 0; t < s; t++)
            CHECK((sides[s].cpu == sides[t].cpu) == (s % cores == t % cores));
    }
    /* one thread on a part and on the whole machine in turn */
    char resource[64];
    run_steps(whole, &home);
    record_cores(&home);
    snprintf(resource, sizeof resource, "openmp:cores=0-%d", cores - 1);
    MUST(mx_ctx_create(resource, &part));
    MUST(mx_ctx_get_info(part, &info));
    CHECK_I64(info.threads, cores);
    run_steps(part, &bound);
    record_cores(&bound);
    CHECK_I64(bound.cpus, 1);
    MUST(mx_ctx_create("openmp:cores=0,threads=3", &many));
    MUST(mx_ctx_get_info(many, &info));
    CHECK_I64(info.threads, 3);
    run_steps(many, &bound);
    run_steps(whole, &back);
    record_cores(&back);
    CHECK_I64(back.cpus, home.cpus);
    CHECK_I64(back.cpu, home.cpu);
    CHECK_I64(home.wrong + bound.wrong + back.wrong, 0);
    check_released(&home);
    mx_ctx_destroy(&part);
    mx_ctx_destroy(&many);
    snprintf(resource, sizeof resource, "openmp:cores=0-%d", cores);
    CHECK_FAILS(mx_ctx_create(resource, &many), MX_ERR_INPUT, "this process has");
    CHECK(many == NULL);
}

/* Two contexts take turns with one view, and wait only for each other. */
static void test_wait(mx_ctx one)
{
    enum { MANY = 100000, TURNS = 60 };
    mx_ctx two, host;
    mx_view x;
    char resource[128];
    in_args args[2] = {{.factor = 3935559000370003845u}, {.factor = 25214903917u}};
    uint64_t sum = 0, expected = 0;
    snprintf(resource, sizeof resource, "%s%s", check_resource,
             check_is_gpu(one) ? strchr(check_resource, ':') ? ",priority=high" : ":priority=high"
                               : "");
    MUST(mx_ctx_create(resource, &two));
    MUST(mx_ctx_create("serial", &host));
    mx_ctx const ctx[2] = {one, two};
    MUST(mx_view_create_1d(one, "x", MX_U64, MANY, &x));
    for (int c = 0; c < 2; c++) MUST(mx_bind(ctx[c], x, &args[c].x));
    for (int turn = 0; turn < TURNS; turn++) {
        MUST(mx_ctx_wait(ctx[turn % 2], ctx[1 - turn % 2]));
        MUST(in_step(mx_range_1d(ctx[turn % 2], 0, MANY), &args[turn % 2]));
    }
    MUST(mx_ctx_wait(one, one));
    MUST(mx_ctx_wait(one, host)); /* complete already */
    MUST(mx_ctx_wait(host, two)); /* the host waits */
    MUST(in_sum(mx_range_1d(one, 0, MANY), &args[0], &sum));
    for (int i = 0; i < MANY; i++) {
        uint64_t value = 0;
        for (int turn = 0; turn < TURNS; turn++)
            value = value * args[turn % 2].factor + (uint64_t)i;
        expected += value;
    }
    CHECK(sum == expected);
    MUST(mx_view_destroy(&x));
    mx_ctx_destroy(&two);
    mx_ctx_destroy(&host);
}

static void test(mx_ctx ctx)
{
    side sides[SIDES] = {{.wrong = 0}};
    for (int s = 0; s < SIDES; s++)
        snprintf(sides[s].resource, sizeof sides[s].resource, "%s", check_resource);
    use_all(sides);
    if (check_is(ctx, "openmp")) test_cores(ctx);
    test_wait(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }

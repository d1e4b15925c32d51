/* Direct messages between hosts' processes, by the protocol of direct_words.h: mailboxes in shared
 * memory, a thread for each block. Rings and chunks are short, so that messages go round them, and
 * blocks few. Turns soon begin again from 0. */
#pragma once
#include "comm/comm.h"
#include "comm/transport_direct.h"
#include "minx/extend.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- words ---- */

#define DIRECT_FUNCTION static inline
#define DIRECT_BOTH static inline
#define DIRECT_ALL(ok) (ok) /* a block has one lane */

enum { FAKE_BLOCKS = 2, FAKE_NUMBERS = 16 };

static const uint32_t FAKE_TURN = UINT32_MAX - 1;

DIRECT_FUNCTION void direct_put(uint64_t *at, uint64_t unit, uint32_t turn)
{
    const uint64_t tag = (uint64_t)turn << 32;
    __atomic_store_n(&at[0], (unit & 0xffffffffu) | tag, __ATOMIC_RELAXED);
    __atomic_store_n(&at[1], (unit >> 32) | tag, __ATOMIC_RELAXED);
}

DIRECT_FUNCTION void direct_look(const uint64_t *at, uint64_t words[2])
{
    words[0] = __atomic_load_n(&at[0], __ATOMIC_RELAXED);
    words[1] = __atomic_load_n(&at[1], __ATOMIC_RELAXED);
}

DIRECT_FUNCTION void direct_put_word(uint64_t *at, uint64_t word)
{
    __atomic_store_n(at, word, __ATOMIC_RELEASE);
}

DIRECT_FUNCTION uint64_t direct_look_word(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

DIRECT_FUNCTION uint32_t direct_look_state(const uint32_t *state)
{
    return __atomic_load_n(state, __ATOMIC_ACQUIRE);
}

DIRECT_FUNCTION void direct_set_state(uint32_t *state, uint32_t value)
{
    __atomic_store_n(state, value, __ATOMIC_RELEASE);
}

DIRECT_FUNCTION uint64_t direct_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

DIRECT_FUNCTION void direct_pause(uint32_t looks)
{
    /* ranks share cores: one that waits for long sleeps for the shortest time that the system knows */
    if (looks >= 64)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    else if (looks % 8 == 0)
        (void)sched_yield();
}

DIRECT_FUNCTION uint64_t direct_load(const char *from, uint64_t left)
{
    uint64_t unit = 0;
    memcpy(&unit, from, left < 8 ? left : 8);
    return unit;
}

DIRECT_FUNCTION void direct_store(char *to, uint64_t unit, uint64_t left)
{
    memcpy(to, &unit, left < 8 ? left : 8);
}

DIRECT_FUNCTION void direct_join(const app_direct_group *g, int lane, direct_number *numbers)
{
    const double *const values = g->partials.values;
    (void)lane;
    for (int64_t i = 0; i < g->sum_count; i++) {
        double sum = 0;
        for (int64_t p = 0; p < g->partials.count; p++) sum += values[p * g->sum_count + i];
        numbers[i * g->ranks + g->self].f64 = sum;
    }
}

#include "comm/direct_words.h"

/* ---- a kind of device ---- */

typedef struct fake_mailbox {
    int file;
    size_t bytes;
    uint64_t *box;
    uint32_t state;
} fake_mailbox;

static inline mx_err fake_map(int file, size_t bytes, uint64_t **box)
{
    void *const data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    MX_REQUIRE(data != MAP_FAILED, MX_ERR_MEMORY, "no shared memory for a test");
    *box = data;
    return MX_OK;
}

static inline mx_err fake_mailbox_open(mx_ctx ctx, size_t bytes, void **opened, uint64_t **box,
                                       uint32_t **state, int *blocks)
{
    const uint64_t before = FAKE_TURN - 1;
    fake_mailbox *const m = calloc(1, sizeof *m);
    (void)ctx;
    MX_REQUIRE(m != NULL, MX_ERR_MEMORY, "no memory for a test");
    *opened = m; /* which close frees, also after a failure */
    char name[] = "/tmp/minx_mailbox_XXXXXX";
    m->file = mkstemp(name); /* others open it by the number of the file */
    if (m->file >= 0) unlink(name);
    m->bytes = bytes;
    MX_REQUIRE(m->file >= 0 && ftruncate(m->file, (off_t)bytes) == 0, MX_ERR_MEMORY,
               "no shared memory for a test");
    MX_TRY(fake_map(m->file, bytes, &m->box));
    for (size_t w = 0; w < bytes / sizeof before; w++) m->box[w] = before << 32 | before;
    *box = m->box;
    *state = &m->state;
    *blocks = 3 * FAKE_BLOCKS;
    return MX_OK;
}

static inline void fake_mailbox_close(void *opened)
{
    fake_mailbox *const m = opened;
    if (m == NULL) return;
    if (m->box != NULL) munmap(m->box, m->bytes);
    close(m->file);
    free(m);
}

static inline mx_err fake_mailbox_share(void *opened, char handle[APP_DIRECT_HANDLE])
{
    const fake_mailbox *const m = opened;
    snprintf(handle, APP_DIRECT_HANDLE, "/proc/%d/fd/%d", (int)getpid(), m->file);
    return MX_OK;
}

static inline mx_err fake_mailbox_map(void *opened, const char handle[APP_DIRECT_HANDLE],
                                      uint64_t **box)
{
    const fake_mailbox *const m = opened;
    const int file = open(handle, O_RDWR);
    MX_REQUIRE(file >= 0, MX_ERR_MEMORY, "no shared memory for a test");
    const mx_err err = fake_map(file, m->bytes, box);
    close(file);
    return err;
}

static inline void fake_mailbox_unmap(void *opened, uint64_t *box)
{
    const fake_mailbox *const m = opened;
    munmap(box, m->bytes);
}

typedef struct fake_block {
    const app_direct_group *group;
    const app_direct_part *parts;
    int number;
    pthread_t thread;
} fake_block;

static inline void *fake_run_block(void *block)
{
    const fake_block *const b = block;
    direct_number numbers[FAKE_NUMBERS];
    direct_block(b->group, b->parts, b->number, 0, 1, numbers);
    return NULL;
}

static inline mx_err fake_mailbox_run(void *opened, mx_ctx ctx, const app_direct_group *group,
                                      const app_direct_part *parts)
{
    const direct_blocks blocks = direct_blocks_of(group);
    const int count = blocks.send + blocks.receive + blocks.sum;
    fake_block block[3 * FAKE_BLOCKS];
    (void)opened;
    MX_TRY(mx_fence(ctx));
    for (int b = 0; b < count; b++) {
        block[b] = (fake_block){.group = group, .parts = parts, .number = b};
        MX_REQUIRE(pthread_create(&block[b].thread, NULL, fake_run_block, &block[b]) == 0,
                   MX_ERR_MEMORY, "no thread for a test");
    }
    for (int b = 0; b < count; b++) pthread_join(block[b].thread, NULL);
    return MX_OK;
}

static const app_direct_device fake_mailboxes = {.slots = 2,
                                                 .units = 8,
                                                 .numbers = FAKE_NUMBERS,
                                                 .turn = FAKE_TURN,
                                                 .open = fake_mailbox_open,
                                                 .close = fake_mailbox_close,
                                                 .share = fake_mailbox_share,
                                                 .map = fake_mailbox_map,
                                                 .unmap = fake_mailbox_unmap,
                                                 .run = fake_mailbox_run};

static inline mx_err fake_direct_open(app_transport t)
{
    const bool hosts = app_local_size(t->comm) < app_size(t->comm);
    return app_direct_open(t, &fake_mailboxes, hosts ? &app_path_host : NULL, UINT64_MAX);
}

static inline mx_err fake_direct_large_open(app_transport t)
{
    enum { LARGE = 300 };
    return app_direct_open(t, &fake_mailboxes, &app_path_host, LARGE);
}

/* Direct messages within a host; between hosts by the path of hosts. */
static inline app_path fake_direct(void)
{
    app_path path = app_path_direct;
    path.name = "fake direct";
    path.open = fake_direct_open;
    return path;
}

/* Large messages and sums go by the path of hosts, too. */
static inline app_path fake_direct_large(void)
{
    app_path path = app_path_direct_large;
    path.name = "fake direct, large";
    path.open = fake_direct_large_open;
    return path;
}

/* Direct messages: GPUs of one host write into each other's memory. This is what the ranks have in
 * common: where things are in memory, and what one group of messages is. direct_words.h has the
 * protocol, direct_cuda.cu runs it on GPUs, and a path of the tests runs it on hosts.
 *
 * Each rank of a host has a mailbox, which all of them have mapped. For each rank that sends to it,
 * it has
 *
 *     a ring     `slots` chunks of `units` units, for messages
 *     sums       for each block of a sum two chunks of `sum_chunk` units, in turn
 *     receipts   a word for each slot of the ring of the *other* rank in which this one writes
 *
 * A unit is 8 bytes of data and takes two words of 8 bytes: each has 4 of the bytes, and the number
 * of the turn. A word is written and read whole. So the reader knows that the data are there when
 * the number is, and no fence is needed.
 *
 * Chunk n of the messages from one rank to another uses slot n mod slots, and the number of its
 * turn is n / slots. It may be written when the receipt of the slot has the number of the turn
 * before. Words have the lowest 32 bits of a turn: an old word could be taken for a new one if it was
 * the last one at its place for exactly 2^32 turns. */
#pragma once
#include "minx/context.h"
#include "minx/launch.h"

enum {
    APP_DIRECT_RANKS = 16,     /* of one host, at most */
    APP_DIRECT_FEW = 24,       /* parts that the arguments of a kernel have room for */
    APP_DIRECT_BLOCKS = 64,    /* of a kind, at most */
    APP_DIRECT_NUMBERS = 1024, /* of all ranks, in a chunk of a sum, at most */
    APP_DIRECT_JOINED = 4,     /* numbers of a sum that are joined first, at most */
    APP_DIRECT_HANDLE = 64     /* bytes */
};

/* A message, as one of its two ranks sees it. */
typedef struct app_direct_part {
    char *data;
    uint64_t bytes;
    uint64_t first; /* the number of its first chunk, between these two ranks */
    int64_t before; /* chunks of the parts before it in the list */
    int peer;       /* the other rank, by its number on the host */
    /* its units are one behind the other (0), or in rows of so many, as in an app_message_place */
    int length;
    int64_t along, across;
} app_direct_part;

typedef enum app_direct_type {
    APP_DIRECT_F64,
    APP_DIRECT_F32,
    APP_DIRECT_I32,
    APP_DIRECT_I64
} app_direct_type;

/* A number of a sum as a unit, and back. */
typedef union direct_number {
    uint64_t unit;
    double f64;
    float f32;
    int32_t i32;
    int64_t i64;
} direct_number;

/* Why a kernel stops to wait, in the word that `state` points to: 0, or one of these plus the number
 * on the host of the rank it waited for. */
enum { APP_DIRECT_LATE = 0x100, APP_DIRECT_ENDED = 0x200 };

/* What one launch does: messages out, messages in, and a sum over the ranks of the host. */
typedef struct app_direct_group {
    int ranks, self;                 /* of the host */
    uint64_t slots, units;           /* of a ring, of a slot: powers of two */
    int sum_chunk;                   /* numbers in a chunk of a sum */
    int max_blocks;                  /* of a kind: to send, to receive, to sum */
    bool shared;                     /* other ranks use this rank's device, too */
    uint64_t *box[APP_DIRECT_RANKS]; /* the mailboxes */
    uint32_t *state;                 /* of this rank; host and device access it */
    uint64_t patience;               /* for one word, in nanoseconds */
    int sends, receives;             /* the lengths of the two lists of parts */
    int64_t send_chunks, receive_chunks;
    void *sum; /* NULL: none */
    app_direct_type sum_type;
    int64_t sum_count;
    int sum_blocks;
    uint64_t sum_first[APP_DIRECT_BLOCKS]; /* the number of the first chunk, of each block */
    /* This rank's numbers of the sum are the sums of so many partial results, each of sum_count
     * doubles; 0: they are there. */
    mx_partials partials;
    /* the parts that are sent, then those that are received: in `few` if there is room, else in `many` */
    const app_direct_part *many;
    app_direct_part few[APP_DIRECT_FEW];
} app_direct_group;

/* What a kind of device does for direct messages. */
typedef struct app_direct_device {
    uint64_t slots, units;
    int numbers;   /* of all ranks, in a chunk of a sum */
    uint32_t turn; /* the first one; the words of a new mailbox are from the one before */
    /* Makes a mailbox, and *state. blocks: of a group, that run at the same time where no other
     * program uses the device. Not collective. close accepts NULL. */
    mx_err (*open)(mx_ctx ctx, size_t bytes, void **opened, uint64_t **box, uint32_t **state,
                   int *blocks);
    void (*close)(void *opened);
    /* The mailbox as others find it, and the mailbox of another rank as this one finds it. */
    mx_err (*share)(void *opened, char handle[APP_DIRECT_HANDLE]);
    mx_err (*map)(void *opened, const char handle[APP_DIRECT_HANDLE], uint64_t **box);
    void (*unmap)(void *opened, uint64_t *box);
    /* Queues a group on ctx. parts: of both lists. */
    mx_err (*run)(void *opened, mx_ctx ctx, const app_direct_group *group,
                  const app_direct_part *parts);
} app_direct_device;

#ifdef __cplusplus
extern "C" {
#endif

/* Of direct_cuda.cu. */
extern const app_direct_device app_direct_cuda;

#ifdef __cplusplus
}
#endif

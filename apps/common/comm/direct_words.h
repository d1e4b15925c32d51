/* The protocol of direct.h: what the blocks of a group do. A file that includes this says how words
 * are read and written, and how the lanes of a block wait for each other:
 *
 *     DIRECT_FUNCTION            begins the definition of a function
 *     direct_put(at, unit, turn) writes the two words of a unit
 *     direct_look(at, words)     reads them, once
 *     direct_put_word, direct_look_word   the same of one word, for receipts
 *     direct_load, direct_store  8 bytes, or `left` if these are fewer, at any address
 *     direct_join(g, lane, numbers)   this rank's numbers of a sum from its partial results, at
 *                                their places; waits for all lanes
 *     direct_now()               in nanoseconds
 *     direct_pause(n)            after n looks in vain
 *     DIRECT_BOTH                the same, of one that the host calls too
 *     DIRECT_ALL(ok)             waits for all lanes of the block: is it true for all of them?
 *
 * Three kinds of blocks run at the same time: they send, they receive, they sum. Chunk c of a list
 * belongs to block c mod blocks of its kind. Each block takes its chunks in the order of the list.
 * A block has few loads on their way at a time, so large messages and sums need many blocks.
 *
 * No deadlock: lists are sorted by rank. A block that receives chunk c from rank p at rank q waits
 * for the block of p that sends it. That one waits, if at all, for a receipt of q' of a chunk c' that
 * is not behind c in the order of p. So q' waits for a chunk of p' <= p, with q' <= q, and with
 * c' < c if both are equal: no circle. Groups of a rank run one after another, in the same order on
 * all ranks, and sums wait for sums only. All of this needs that the blocks of all ranks run, so a
 * device has to have room for those of all ranks that share it.
 *
 * Sums: a rank writes its numbers to all others, waits for those of the others, and adds in the order
 * of ranks: all get the same bits. A block writes chunk n where it wrote n-2. All others have read that,
 * because it has got their words of chunk n-1, and a block that writes n-1 has ended n-2. */
#pragma once
#include "direct.h"

/* ---- where things are in a mailbox, in words ---- */

DIRECT_FUNCTION uint64_t direct_ring_at(const app_direct_group *g, int from, uint64_t slot)
{
    return ((uint64_t)from * g->slots + slot) * g->units * 2;
}

DIRECT_FUNCTION uint64_t direct_sum_at(const app_direct_group *g, int from, int block, uint64_t n)
{
    const uint64_t chunk = (uint64_t)from * APP_DIRECT_BLOCKS * 2 + (uint64_t)block * 2 + n % 2;
    return direct_ring_at(g, g->ranks, 0) + chunk * (uint64_t)g->sum_chunk * 2;
}

/* In the mailbox of the sender: what `to` has received. */
DIRECT_FUNCTION uint64_t direct_receipt_at(const app_direct_group *g, int to, uint64_t slot)
{
    return direct_sum_at(g, g->ranks, 0, 0) + (uint64_t)to * g->slots + slot;
}

/* ---- waiting ---- */

/* After `looks` looks in vain since `began`: is it of no use to wait on? */
DIRECT_FUNCTION bool direct_gives_up(const app_direct_group *g, int peer, uint32_t looks,
                                     uint64_t *began)
{
    enum { LOOKS = 512 };
    direct_pause(looks);
    if (looks % LOOKS != 0) return false;
    if (direct_look_state(g->state) != 0) return true;
    const uint64_t now = direct_now();
    if (*began == 0) *began = now;
    if (now - *began < g->patience) return false;
    direct_set_state(g->state, APP_DIRECT_LATE + (uint32_t)peer);
    return true;
}

DIRECT_FUNCTION bool direct_get(const app_direct_group *g, const uint64_t *at, uint32_t turn,
                                int peer, uint64_t *unit)
{
    uint64_t words[2], began = 0;
    for (uint32_t looks = 1;; looks++) {
        direct_look(at, words);
        if ((uint32_t)(words[0] >> 32) == turn && (uint32_t)(words[1] >> 32) == turn) break;
        if (direct_gives_up(g, peer, looks, &began)) return false;
    }
    *unit = (words[0] & 0xffffffffu) | (words[1] << 32);
    return true;
}

DIRECT_FUNCTION bool direct_wait_receipt(const app_direct_group *g, int peer, uint64_t slot,
                                         uint32_t turn)
{
    const uint64_t *const at = g->box[g->self] + direct_receipt_at(g, peer, slot);
    uint64_t began = 0;
    for (uint32_t looks = 1; (uint32_t)direct_look_word(at) != turn; looks++)
        if (direct_gives_up(g, peer, looks, &began)) return false;
    return true;
}

/* ---- messages ---- */

/* The first chunk of the part that belongs to the block. */
DIRECT_FUNCTION int64_t direct_first_chunk(const app_direct_part *part, int block, int blocks)
{
    return (block - part->before % blocks + blocks) % blocks;
}

DIRECT_BOTH uint64_t direct_minimum(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Where a unit of a message is in the memory of this rank. */
DIRECT_FUNCTION char *direct_place(const app_direct_part *part, uint64_t unit)
{
    if (part->length == 0) return part->data + unit * 8;
    const uint32_t u = (uint32_t)unit, length = (uint32_t)part->length, row = u / length;
    return part->data + (int64_t)row * part->across + (int64_t)(u - row * length) * part->along;
}

DIRECT_FUNCTION void direct_send(const app_direct_group *g, const app_direct_part *parts, int block,
                                 int blocks, int lane, int lanes)
{
    const uint64_t chunk = g->units * 8;
    for (const app_direct_part *p = parts; p < parts + g->sends; p++) {
        const int peer = p->peer;
        for (uint64_t c = (uint64_t)direct_first_chunk(p, block, blocks); c * chunk < p->bytes;
             c += (uint64_t)blocks) {
            const uint64_t bytes = direct_minimum(p->bytes - c * chunk, chunk);
            const uint64_t slot = (p->first + c) % g->slots;
            const uint32_t turn = (uint32_t)((p->first + c) / g->slots);
            uint64_t *const to = g->box[peer] + direct_ring_at(g, g->self, slot);
            bool free_slot = false;
            for (uint64_t u = (uint64_t)lane; u * 8 < bytes; u += (uint64_t)lanes) {
                const uint64_t unit = direct_load(direct_place(p, c * g->units + u), bytes - u * 8);
                if (!free_slot && !direct_wait_receipt(g, peer, slot, turn - 1)) return;
                free_slot = true;
                direct_put(to + u * 2, unit, turn);
            }
        }
    }
}

DIRECT_FUNCTION void direct_receive(const app_direct_group *g, const app_direct_part *parts,
                                    int block, int blocks, int lane, int lanes)
{
    const uint64_t chunk = g->units * 8;
    for (const app_direct_part *p = parts; p < parts + g->receives; p++) {
        const int peer = p->peer;
        for (uint64_t c = (uint64_t)direct_first_chunk(p, block, blocks); c * chunk < p->bytes;
             c += (uint64_t)blocks) {
            const uint64_t bytes = direct_minimum(p->bytes - c * chunk, chunk);
            const uint64_t slot = (p->first + c) % g->slots;
            const uint32_t turn = (uint32_t)((p->first + c) / g->slots);
            const uint64_t *const from = g->box[g->self] + direct_ring_at(g, peer, slot);
            bool ok = true;
            for (uint64_t u = (uint64_t)lane; u * 8 < bytes && ok; u += (uint64_t)lanes) {
                uint64_t unit;
                ok = direct_get(g, from + u * 2, turn, peer, &unit);
                if (ok) direct_store(direct_place(p, c * g->units + u), unit, bytes - u * 8);
            }
            if (!DIRECT_ALL(ok)) return;
            if (lane == 0)
                direct_put_word(g->box[peer] + direct_receipt_at(g, g->self, slot), turn);
        }
    }
}

/* ---- sums ---- */

DIRECT_FUNCTION direct_number direct_number_at(const app_direct_group *g, int64_t i)
{
    direct_number x;
    x.unit = 0;
    if (g->sum_type == APP_DIRECT_F64)
        x.f64 = ((const double *)g->sum)[i];
    else if (g->sum_type == APP_DIRECT_F32)
        x.f32 = ((const float *)g->sum)[i];
    else if (g->sum_type == APP_DIRECT_I32)
        x.i32 = ((const int32_t *)g->sum)[i];
    else
        x.i64 = ((const int64_t *)g->sum)[i];
    return x;
}

DIRECT_FUNCTION void direct_set_number(const app_direct_group *g, int64_t i, direct_number x)
{
    if (g->sum_type == APP_DIRECT_F64)
        ((double *)g->sum)[i] = x.f64;
    else if (g->sum_type == APP_DIRECT_F32)
        ((float *)g->sum)[i] = x.f32;
    else if (g->sum_type == APP_DIRECT_I32)
        ((int32_t *)g->sum)[i] = x.i32;
    else
        ((int64_t *)g->sum)[i] = x.i64;
}

/* Integers wrap. */
DIRECT_FUNCTION direct_number direct_add(const app_direct_group *g, direct_number a,
                                         direct_number b)
{
    if (g->sum_type == APP_DIRECT_F64)
        a.f64 += b.f64;
    else if (g->sum_type == APP_DIRECT_F32)
        a.f32 += b.f32;
    else if (g->sum_type == APP_DIRECT_I32)
        a.i32 = (int32_t)((uint32_t)a.i32 + (uint32_t)b.i32);
    else
        a.unit += b.unit;
    return a;
}

/* Numbers first to first+count-1, chunk n of this block. numbers: for all lanes of the block.
 * Number i of rank r is place i * ranks + r. Joined numbers are in their places before. */
DIRECT_FUNCTION bool direct_sum_chunk(const app_direct_group *g, int64_t first, int count,
                                      int block, uint64_t n, int lane, int lanes,
                                      direct_number *numbers)
{
    const int places = count * g->ranks;
    const bool joined = g->partials.count > 0;
    const uint32_t turn = (uint32_t)(n / 2);
    bool ok = true;
    for (int k = lane; k < places; k += lanes) {
        const int r = k % g->ranks, i = k / g->ranks;
        const direct_number mine =
            joined ? numbers[i * g->ranks + g->self] : direct_number_at(g, first + i);
        if (r != g->self)
            direct_put(g->box[r] + direct_sum_at(g, g->self, block, n) + 2 * i, mine.unit, turn);
        else if (!joined)
            numbers[k] = mine;
    }
    for (int k = lane; k < places && ok; k += lanes) {
        const int r = k % g->ranks, i = k / g->ranks;
        if (r == g->self) continue;
        ok = direct_get(g, g->box[g->self] + direct_sum_at(g, r, block, n) + 2 * i, turn, r,
                        &numbers[k].unit);
    }
    if (!DIRECT_ALL(ok)) return false;
    for (int i = lane; i < count; i += lanes) {
        direct_number sum = numbers[i * g->ranks];
        for (int r = 1; r < g->ranks; r++) sum = direct_add(g, sum, numbers[i * g->ranks + r]);
        direct_set_number(g, first + i, sum);
    }
    return DIRECT_ALL(true);
}

DIRECT_FUNCTION void direct_sum(const app_direct_group *g, int block, int lane, int lanes,
                                direct_number *numbers)
{
    uint64_t n = g->sum_first[block];
    if (g->partials.count > 0) direct_join(g, lane, numbers);
    for (int64_t first = (int64_t)block * g->sum_chunk; first < g->sum_count;
         first += (int64_t)g->sum_blocks * g->sum_chunk) {
        const int64_t left = g->sum_count - first;
        const int count = left < g->sum_chunk ? (int)left : g->sum_chunk;
        if (!direct_sum_chunk(g, first, count, block, n, lane, lanes, numbers)) return;
        n++;
    }
}

/* ---- a group ---- */

typedef struct direct_blocks {
    int send, receive, sum;
} direct_blocks;

DIRECT_BOTH direct_blocks direct_blocks_of(const app_direct_group *g)
{
    const uint64_t most = (uint64_t)g->max_blocks;
    direct_blocks blocks;
    blocks.send = (int)direct_minimum((uint64_t)g->send_chunks, most);
    blocks.receive = (int)direct_minimum((uint64_t)g->receive_chunks, most);
    blocks.sum = g->sum != NULL ? g->sum_blocks : 0;
    return blocks;
}

/* Block number `block` of all blocks of a group. */
DIRECT_FUNCTION void direct_block(const app_direct_group *g, const app_direct_part *parts,
                                  int block, int lane, int lanes, direct_number *numbers)
{
    const direct_blocks blocks = direct_blocks_of(g);
    const int receiver = block - blocks.send, summer = receiver - blocks.receive;
    if (receiver < 0)
        direct_send(g, parts, block, blocks.send, lane, lanes);
    else if (summer < 0)
        direct_receive(g, parts + g->sends, receiver, blocks.receive, lane, lanes);
    else
        direct_sum(g, summer, lane, lanes, numbers);
}

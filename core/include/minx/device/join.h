/* How the blocks of a reduction on a GPU join their values: see minx/device/kernel.h. */
#pragma once
#include "minx/device/range.h"

#include <string.h>

template <class T>
static __device__ __forceinline__ T mx_gpu_shuffle_down_(const T &v, int distance)
{
    enum { length = (sizeof(T) + 3) / 4 };
    unsigned words[length] = {0};
    memcpy(words, &v, sizeof(T));
#pragma unroll
    for (int w = 0; w < length; w++) words[w] = MX_GPU_SHUFFLE_DOWN_(words[w], distance);
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
}

/* Joins the values of all threads of a block. Thread 0 gets the result. Every thread must call
 * it. */
template <class K> static __device__ __forceinline__ void mx_gpu_block_join_(typename K::value *v)
{
    typedef typename K::value T;
    __shared__ T wave_value[MX_JOIN_THREADS / MX_GPU_WAVE_];
    const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x;
    const unsigned lane = thread % MX_GPU_WAVE_, wave = thread / MX_GPU_WAVE_;
    const unsigned waves = blockDim.x * blockDim.y / MX_GPU_WAVE_;
    for (int distance = MX_GPU_WAVE_ / 2; distance > 0; distance >>= 1) {
        const T other = mx_gpu_shuffle_down_(*v, distance);
        K::mx_join_(v, &other);
    }
    if (lane == 0) wave_value[wave] = *v;
    __syncthreads();
    if (wave > 0) return;
    if (lane < waves)
        *v = wave_value[lane];
    else
        K::mx_init_(v);
    for (int distance = MX_GPU_WAVE_ / 2; distance > 0; distance >>= 1) {
        const T other = mx_gpu_shuffle_down_(*v, distance);
        K::mx_join_(v, &other);
    }
}

/* A slot for the partial result of a block. The low half of each word holds four bytes of the value.
 * The bit MX_GPU_FULL_ says that they are there. The two words may be read and written in any order,
 * but each word in one access. So a reader needs no fence: where it reads the bit, it reads the
 * bytes too. */
typedef struct mx_gpu_slot_ {
    alignas(16) unsigned long long word[2];
} mx_gpu_slot_;
MX_STATIC_ASSERT(sizeof(mx_gpu_slot_) == MX_GPU_SLOT_BYTES_, "a slot has another size");
MX_STATIC_ASSERT(2 * sizeof(unsigned) == MX_GPU_SLOT_VALUE_BYTES_, "a value has another size");
#define MX_GPU_FULL_ (1ull << 32)

static __device__ __forceinline__ void mx_gpu_write_slot_(mx_gpu_slot_ *slot, unsigned long long w0,
                                                          unsigned long long w1)
{
    mx_gpu_write_words_(slot->word, w0, w1);
}

static __device__ __forceinline__ mx_gpu_slot_ mx_gpu_read_slot_(const mx_gpu_slot_ *slot)
{
    mx_gpu_slot_ read;
    mx_gpu_read_words_(slot->word, &read.word[0], &read.word[1]);
    return read;
}

template <class T>
static __device__ __forceinline__ void mx_gpu_fill_slot_(mx_gpu_slot_ *slot, const T &value)
{
    unsigned half[2] = {0, 0};
    memcpy(half, &value, sizeof(T));
    mx_gpu_write_slot_(slot, half[0] | MX_GPU_FULL_, half[1] | MX_GPU_FULL_);
}

/* How long a thread has waited for slots. A thread reads the clock once in MX_GPU_READS_ reads of a
 * slot, so that the limit does not make short waits longer. */
enum : unsigned { MX_GPU_READS_ = 1u << 16 };
typedef struct mx_gpu_waited_ {
    unsigned reads;
    unsigned long long since; /* nanoseconds; 0: the clock was not read yet */
} mx_gpu_waited_;

static __device__ __forceinline__ bool mx_gpu_waits_too_long_(const mx_gpu_slot_ *slots,
                                                              mx_gpu_waited_ *waited)
{
    if (++waited->reads % MX_GPU_READS_ != 0) return false;
    const mx_gpu_limit_ limit = *(const mx_gpu_limit_ *)(slots + MX_GPU_SLOTS_);
    const unsigned long long now = mx_gpu_nanoseconds_();
    if (waited->since == 0) waited->since = now;
    /* signed: the clock of another multiprocessor may be a little behind */
    if ((long long)(now - waited->since) < (long long)limit.seconds * 1000000000) return false;
    *(volatile int64_t *)limit.exceeded = limit.seconds;
    return true;
}

/* Waits until slot p is full, empties it, and sets *value. false: that took too long. `read` is what
 * the caller read in the slot. If the slot is full by then, nothing waits. */
template <class T>
static __device__ __forceinline__ bool
mx_gpu_empty_slot_(mx_gpu_slot_ *slots, int p, mx_gpu_slot_ read, mx_gpu_waited_ *waited, T *value)
{
    while ((read.word[0] & read.word[1] & MX_GPU_FULL_) == 0) {
        if (mx_gpu_waits_too_long_(slots, waited)) return false;
        read = mx_gpu_read_slot_(&slots[p]);
    }
    mx_gpu_write_slot_(&slots[p], 0, 0);
    const unsigned half[2] = {(unsigned)read.word[0], (unsigned)read.word[1]};
    memcpy(value, half, sizeof(T));
    return true;
}

/* The block with the highest number joins the values of all blocks, in the order of mx_gpu_join_
 * with a block of this size. Only this block waits. Present devices start blocks in the order of
 * their numbers, so all others have started before it. No vendor promises this order. In another order the others still end if the device has room for n + 1 blocks, where n
 * is the number of reductions that run at the same time. Without this room, the waiting block gives
 * up after the time of the setting reduction-wait, and the host reports an error. Slots may then have
 * any contents, and the context does not use them again. */
template <class K>
static __device__ __forceinline__ void
mx_gpu_join_slots_(mx_gpu_slot_ *slots, typename K::value *total, typename K::value *result)
{
    typedef typename K::value T;
    __shared__ T last;
    const int block = (int)(blockIdx.x + gridDim.x * mx_gpu_block_row_<unsigned>());
    const int blocks = (int)(gridDim.x * gridDim.y * gridDim.z);
    const int thread = (int)(threadIdx.x + threadIdx.y * blockDim.x);
    if (block < blocks - 1) {
        if (thread == 0) mx_gpu_fill_slot_(&slots[block], *total);
        return;
    }
    if (thread == 0) last = *total;
    __syncthreads();
    K::mx_init_(total);
    mx_gpu_waited_ waited = {0, 0};
    for (int p = thread; p < blocks; p += (int)(blockDim.x * blockDim.y)) {
        T value = last;
        if (p == blocks - 1 ||
            mx_gpu_empty_slot_<T>(slots, p, mx_gpu_read_slot_(&slots[p]), &waited, &value))
            K::mx_join_(total, &value);
    }
    mx_gpu_block_join_<K>(total);
    if (thread == 0) *result = *total;
}

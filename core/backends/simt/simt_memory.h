/* simt's memory: see simt_memory.c. */
#pragma once
#include "base/backend.h"

/* Makes all of simt's memory accessible to this process. Calls of open are counted: the memory is
 * inaccessible again after as many calls of close. */
void mx_simt_memory_open(void);
void mx_simt_memory_close(void);

/* From now on an access by host code ends the program with a message, and fork() leaves the memory
 * of the child process as if no other thread had used it. */
void mx_simt_memory_prepare(void);

/* Does the copies of the context to memory of hosts that are not done yet. */
void mx_simt_finish_copies(mx_ctx ctx);

/* Members of the backend's table. */
void mx_simt_leave(const void *data, size_t bytes, bool freed);
mx_err mx_simt_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data);
void mx_simt_release(mx_space space, void *data);
mx_err mx_simt_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes);
mx_err mx_simt_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size);
mx_err mx_simt_copy_strided(mx_ctx ctx, const mx_strided *copy);
bool mx_simt_identify(const void *address, mx_space *space, int *device);

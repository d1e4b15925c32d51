/* Random damage of the structure of results files, and what damage.c and damage_structure.c
 * share. */
#pragma once
#include "must.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream of random numbers (SplitMix64); the same for the same seed everywhere. */
typedef struct dm_random {
    uint64_t state;
} dm_random;
dm_random dm_seed(int64_t number);
int64_t dm_below(dm_random *r, int64_t limit); /* 0 to limit - 1 */

enum { DM_SPARE = 4096 };

/* A whole file, with room for DM_SPARE more bytes behind it; the caller frees it. */
unsigned char *dm_read(const char *path, size_t *size);
void dm_write(const char *path, const void *data, size_t size);
void dm_copy(const char *from, const char *to);

/* Call once: HDF5 prints nothing from here on, and the files to which damaged files refer exist. */
void dm_begin(void);

/* Changes one to three things in the structure of the file. */
void dm_damage_structure(dm_random *r, const char *path);

/* Makes the digests of the file hold, if it can be read. */
void dm_seal(const char *path);

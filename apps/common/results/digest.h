/* The digests of a results file: what docs/results-file.md calls its integrity. Private to the
 * results files; both the writer and the reader compute them here, always from data that were
 * read back from the file. */
#pragma once
#include "tree.h"

#include "minx/context.h"

enum { APP_DIGEST_BYTES = 32, APP_DIGEST_HEX = 2 * APP_DIGEST_BYTES + 1 };

/* SHA-256 of `length` bytes; as binary, or as hexadecimal text. MX_ERR_IO if the library refuses.
 */
mx_err app_digest_bytes(const void *data, size_t length, unsigned char digest[APP_DIGEST_BYTES]);
mx_err app_digest_text(const void *data, size_t length, char hex[APP_DIGEST_HEX]);

/* Who computes: the blocks whose number modulo `size` is `rank` fall to this rank. */
typedef struct app_digest_share {
    int rank, size;
    mx_ctx ctx;  /* a host context, whose threads compute */
    bool shared; /* without a context: those of share.h compute; else the calling thread does */
} app_digest_share;

/* Digests of the blocks that fall to this rank into blocks[tree->blocks], which the caller zeroed
 * and afterwards combines over ranks by bitwise or. The calling thread reads. Not collective. */
mx_err app_digest_blocks(const app_digest_share *share, hid_t file, const app_tree *tree,
                         unsigned char (*blocks)[APP_DIGEST_BYTES]);

/* The lines of an object's attributes. The caller frees *lines, which is NULL on failure. */
mx_err app_digest_attributes(hid_t file, const char *path, char **lines);

/* The manifest: one line "HEX  PATH" per object in the tree's order, from all blocks. The caller
 * frees *manifest, which is NULL on failure. */
mx_err app_digest_manifest(hid_t file, const app_tree *tree,
                           unsigned char (*blocks)[APP_DIGEST_BYTES], char **manifest);

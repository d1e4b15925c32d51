/* Digests in three levels.
 *
 * - block: SHA-256 of the bytes of some whole rows of a dataset, about 1 MiB; what ranks share out
 *   among themselves, and each rank among its threads.
 * - object: SHA-256 of a short text: kind, type, shape, path, then a line per attribute (with the
 *   SHA-256 of its bytes), then a line per block.
 * - file: SHA-256 of the manifest, the list of all objects' digests and paths, in the format of
 *   sha256sum.
 *
 * Invariants: (1) a digest depends on what is stored and on nothing else: not on the number of
 * ranks, the chunks or the library that wrote it; (2) two files with the same manifest hold the
 * same objects, types, shapes, attributes and bytes; (3) every byte was read back from the file.
 * Cost: one reading of the file, shared by the ranks, and 32 bytes a block in one reduction; with
 * threads 16 MiB of memory. Not done: reading while other threads hash. It needs a second batch, and
 * with two threads it would save a fifth of the time.
 * Rejected: HDF5's own Fletcher32 filter (per chunk, 32 bits, blind to attributes and to missing
 * objects); a digest of the whole file as bytes (differs between library versions, cannot be shared
 * by ranks). */
#include "digest.h"

#include "input/strbuf.h"
#include "share.h"

#include "minx/extend.h"
#include "minx/math.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hash(const void *data, size_t length, unsigned char digest[APP_DIGEST_BYTES])
{
    unsigned int got = 0;
    return EVP_Digest(data, length, digest, &got, EVP_sha256(), NULL) == 1 &&
           got == APP_DIGEST_BYTES;
}

static mx_err hash_error(bool good)
{
    MX_REQUIRE(good, MX_ERR_IO, "the OpenSSL library cannot compute SHA-256");
    return MX_OK;
}

mx_err app_digest_bytes(const void *data, size_t length, unsigned char digest[APP_DIGEST_BYTES])
{
    return hash_error(hash(data, length, digest));
}

static void to_hex(const unsigned char digest[APP_DIGEST_BYTES], char hex[APP_DIGEST_HEX])
{
    for (int i = 0; i < APP_DIGEST_BYTES; ++i) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

mx_err app_digest_text(const void *data, size_t length, char hex[APP_DIGEST_HEX])
{
    unsigned char digest[APP_DIGEST_BYTES];
    MX_TRY(app_digest_bytes(data, length, digest));
    to_hex(digest, hex);
    return MX_OK;
}

/* As they are stored: the type in memory is the file's own, so nothing is converted. */
static mx_err read_rows(hid_t set, const app_node *node, int64_t first, int64_t rows, void *buffer)
{
    const hid_t type = H5Dget_type(set);
    MX_REQUIRE(type >= 0, MX_ERR_IO, "cannot read %s: %s", node->path, app_h5_reason());
    const mx_err err = app_tree_read_rows(set, type, node, first, rows, buffer);
    (void)app_h5_close(type);
    return err;
}

static int64_t rows_of(const app_node *node) { return node->rank > 0 ? node->shape[0] : 1; }

static size_t bytes_of_rows(const app_node *node, int64_t rows)
{
    return (size_t)(node->count / rows_of(node) * rows) * node->item_bytes;
}

/* Blocks that are read one after the other and hashed together, each by one thread. Most blocks have
 * about 1 MiB. A row of a large mesh may have much more, and is then read and hashed alone. */
enum { BATCH_BLOCKS = 16, BATCH_BYTES = 16 << 20 };

typedef struct batch {
    char *data;
    size_t stride; /* bytes from one block to the next */
    int count, capacity;
    size_t bytes[BATCH_BLOCKS];
    unsigned char *digest[BATCH_BLOCKS];
    bool good[BATCH_BLOCKS];
} batch;

static mx_err make_batch(const app_digest_share *share, const app_node *node, batch *b)
{
    *b = (batch){.stride = bytes_of_rows(node, mx_min(node->rows, rows_of(node))), .capacity = 1};
    const int64_t mine = (node->blocks + share->size - 1) / share->size;
    const int64_t fitting = mx_min(BATCH_BYTES / (int64_t)b->stride, mine);
    if (share->ctx || share->shared) b->capacity = (int)mx_clamp(fitting, 1, BATCH_BLOCKS);
    b->data = malloc((size_t)b->capacity * b->stride);
    MX_REQUIRE(b->data, MX_ERR_MEMORY, "no memory to read blocks of %s", node->path);
    return MX_OK;
}

static mx_err read_block(hid_t set, const app_node *node, int64_t block, unsigned char *digest,
                         batch *b)
{
    const int64_t first = block * node->rows, rows = mx_min(node->rows, rows_of(node) - first);
    const int at = b->count++;
    b->bytes[at] = bytes_of_rows(node, rows);
    b->digest[at] = digest;
    return read_rows(set, node, first, rows, b->data + (size_t)at * b->stride);
}

static void hash_range(void *work, int64_t first, int64_t last)
{
    batch *const b = work;
    for (int64_t n = first; n < last; ++n)
        b->good[n] = hash(b->data + (size_t)n * b->stride, b->bytes[n], b->digest[n]);
}

static void hash_one(void *work, int64_t n) { hash_range(work, n, n + 1); }

static mx_err hash_batch(mx_ctx ctx, batch *b)
{
    if (b->count > 1 && ctx)
        MX_TRY(mx_ctx_run(ctx, hash_range, b, b->count));
    else if (b->count > 1)
        app_share(b->count, hash_one, b);
    else
        hash_range(b, 0, b->count);
    bool good = true;
    for (int n = 0; n < b->count; ++n) good = good && b->good[n];
    b->count = 0;
    return hash_error(good);
}

static mx_err digest_dataset(const app_digest_share *share, hid_t file, const app_node *node,
                             unsigned char (*digests)[APP_DIGEST_BYTES])
{
    batch b;
    MX_TRY(make_batch(share, node, &b));
    const hid_t set = H5Dopen2(file, node->path, H5P_DEFAULT);
    mx_err err =
        set >= 0 ? MX_OK : MX_FAIL(MX_ERR_IO, "cannot open %s: %s", node->path, app_h5_reason());
    for (int64_t n = 0; n < node->blocks && err == MX_OK; ++n) {
        const int64_t number = node->first_block + n;
        if (number % share->size == share->rank)
            err = read_block(set, node, n, digests[number], &b);
        if (err == MX_OK && (b.count == b.capacity || n + 1 == node->blocks))
            err = hash_batch(share->ctx, &b);
    }
    (void)app_h5_close(set);
    free(b.data);
    return err;
}

mx_err app_digest_blocks(const app_digest_share *share, hid_t file, const app_tree *tree,
                         unsigned char (*blocks)[APP_DIGEST_BYTES])
{
    for (int i = 0; i < tree->count; ++i) {
        if (tree->node[i].blocks > 0) MX_TRY(digest_dataset(share, file, &tree->node[i], blocks));
    }
    return MX_OK;
}

static mx_err add_shape(app_strbuf *text, int rank, const int64_t *shape)
{
    MX_TRY(app_strbuf_add(text, "["));
    for (int d = 0; d < rank; ++d)
        MX_TRY(app_strbuf_add(text, "%s%lld", d > 0 ? "," : "", (long long)shape[d]));
    return app_strbuf_add(text, "]");
}

/* What an attribute holds: its shape, and the digest of its bytes. */
typedef struct attribute_value {
    app_node_kind kind;
    char type[24];
    int rank;
    int64_t shape[H5S_MAX_RANK];
    char hex[APP_DIGEST_HEX];
} attribute_value;

/* A text of variable length, as H5MD's readers want units. */
static mx_err read_variable_text(hid_t attribute, hid_t type, attribute_value *value)
{
    char *text = NULL;
    snprintf(value->type, sizeof value->type, "|O");
    MX_REQUIRE(value->rank == 0 && H5Aread(attribute, type, &text) >= 0, MX_ERR_IO,
               "cannot read an attribute: %s", app_h5_reason());
    const mx_err err = app_digest_text(text ? text : "", text ? strlen(text) : 0, value->hex);
    H5free_memory(text);
    return err;
}

static mx_err read_attribute(hid_t attribute, hid_t type, attribute_value *value)
{
    if (H5Tis_variable_str(type) > 0) return read_variable_text(attribute, type, value);
    value->kind = app_tree_type(type, value->type, sizeof value->type);
    const size_t bytes = value->kind == APP_NODE_OTHER ? 0 : (size_t)H5Aget_storage_size(attribute);
    void *const buffer = malloc(bytes > 0 ? bytes : 1);
    MX_REQUIRE(buffer, MX_ERR_MEMORY, "no memory to read an attribute");
    mx_err err = MX_OK;
    if (bytes > 0 && H5Aread(attribute, type, buffer) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot read an attribute: %s", app_h5_reason());
    } else {
        err = app_digest_text(buffer, bytes, value->hex);
    }
    free(buffer);
    return err;
}

static mx_err describe_attribute(hid_t attribute, attribute_value *value)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hsize_t shape[H5S_MAX_RANK] = {0};
    mx_err err = MX_OK;
    if (type >= 0 && space >= 0 && H5Sget_simple_extent_dims(space, shape, NULL) >= 0) {
        value->rank = H5Sget_simple_extent_ndims(space);
        for (int d = 0; d < value->rank; ++d) value->shape[d] = (int64_t)shape[d];
        err = read_attribute(attribute, type, value);
    } else {
        err = MX_FAIL(MX_ERR_IO, "cannot read an attribute: %s", app_h5_reason());
    }
    (void)app_h5_close(space);
    (void)app_h5_close(type);
    return err;
}

static mx_err add_attribute(hid_t owner, const char *name, app_strbuf *text)
{
    MX_REQUIRE(!strchr(name, '\n'), MX_ERR_INPUT,
               "the name of an attribute has control characters");
    const hid_t attribute = H5Aopen(owner, name, H5P_DEFAULT);
    MX_REQUIRE(attribute >= 0, MX_ERR_IO, "cannot open attribute %s: %s", name, app_h5_reason());
    attribute_value value = {0};
    mx_err err = describe_attribute(attribute, &value);
    if (err == MX_OK) err = app_strbuf_add(text, "attribute %s %s ", value.hex, value.type);
    if (err == MX_OK) err = add_shape(text, value.rank, value.shape);
    if (err == MX_OK) err = app_strbuf_add(text, " %s\n", name);
    const mx_err closed = app_h5_close(attribute);
    return err != MX_OK ? err : closed;
}

typedef struct attribute_list {
    app_strbuf *text;
    mx_err err;
} attribute_list;

static herr_t visit_attribute(hid_t owner, const char *name, const H5A_info_t *info, void *data)
{
    (void)info;
    attribute_list *const list = data;
    list->err = add_attribute(owner, name, list->text);
    return list->err == MX_OK ? 0 : 1;
}

/* In the order of names, bytewise: HDF5's name index. */
static mx_err add_attributes(hid_t file, const char *path, app_strbuf *text)
{
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    MX_REQUIRE(object >= 0, MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    attribute_list list = {.text = text, .err = MX_OK};
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, &list) < 0) {
        list.err =
            MX_FAIL(MX_ERR_IO, "cannot list the attributes of %s: %s", path, app_h5_reason());
    }
    (void)app_h5_close(object);
    return list.err;
}

mx_err app_digest_attributes(hid_t file, const char *path, char **lines)
{
    app_strbuf text = {0};
    *lines = NULL;
    mx_err err = app_strbuf_add(&text, "%s", "");
    if (err == MX_OK) err = add_attributes(file, path, &text);
    if (err != MX_OK) {
        app_strbuf_free(&text);
        return MX_PASS(err);
    }
    *lines = text.text;
    return MX_OK;
}

static mx_err add_object(hid_t file, const app_node *node,
                         unsigned char (*blocks)[APP_DIGEST_BYTES], app_strbuf *text)
{
    if (node->kind == APP_NODE_GROUP) {
        MX_TRY(app_strbuf_add(text, "group %s\n", node->path));
    } else {
        MX_TRY(app_strbuf_add(text, "dataset %s ", node->type));
        MX_TRY(add_shape(text, node->rank, node->shape));
        MX_TRY(app_strbuf_add(text, " %s\n", node->path));
    }
    MX_TRY(add_attributes(file, node->path, text));
    for (int64_t b = 0; b < node->blocks; ++b) {
        char hex[APP_DIGEST_HEX];
        to_hex(blocks[node->first_block + b], hex);
        MX_TRY(app_strbuf_add(text, "block %s\n", hex));
    }
    return MX_OK;
}

static mx_err add_manifest_line(hid_t file, const app_node *node,
                                unsigned char (*blocks)[APP_DIGEST_BYTES], app_strbuf *manifest)
{
    app_strbuf text = {0};
    char hex[APP_DIGEST_HEX];
    mx_err err = add_object(file, node, blocks, &text);
    if (err == MX_OK) err = app_digest_text(text.text, text.length, hex);
    if (err == MX_OK) err = app_strbuf_add(manifest, "%s  %s\n", hex, node->path);
    app_strbuf_free(&text);
    return err;
}

mx_err app_digest_manifest(hid_t file, const app_tree *tree,
                           unsigned char (*blocks)[APP_DIGEST_BYTES], char **manifest)
{
    *manifest = NULL;
    app_strbuf lines = {0};
    mx_err err = MX_OK;
    for (int i = 0; i < tree->count && err == MX_OK; ++i) {
        err = add_manifest_line(file, &tree->node[i], blocks, &lines);
    }
    if (err != MX_OK) {
        app_strbuf_free(&lines);
        return MX_PASS(err);
    }
    *manifest = lines.text;
    return MX_OK;
}

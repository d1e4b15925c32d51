#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digest blocks are whole rows of the first dimension, as many as fit here, at least one: so they
 * depend on the shape alone, never on who wrote it, and each is a single rectangle to read. */
enum { BLOCK_BYTES = 1 << 20 };

typedef struct walk {
    hid_t file;
    app_tree *tree;
    int capacity;
    mx_err err;
} walk;

app_node_kind app_tree_type(hid_t type, char *text, size_t capacity)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    if (class == H5T_STRING && H5Tis_variable_str(type) == 0) {
        snprintf(text, capacity, "|S%zu", bytes);
        return APP_NODE_TEXT;
    }
    if (class != H5T_INTEGER && class != H5T_FLOAT) {
        snprintf(text, capacity, "other");
        return APP_NODE_OTHER;
    }
    const char *const order = bytes == 1 ? "|" : H5Tget_order(type) == H5T_ORDER_LE ? "<" : ">";
    const char *const letter = class == H5T_FLOAT                  ? "f"
                               : H5Tget_sign(type) == H5T_SGN_NONE ? "u"
                                                                   : "i";
    snprintf(text, capacity, "%s%s%zu", order, letter, bytes);
    if (strcmp(text, "<f4") == 0) return APP_NODE_F32;
    if (strcmp(text, "<i4") == 0) return APP_NODE_I32;
    if (strcmp(text, "<f8") == 0) return APP_NODE_F64;
    if (strcmp(text, "<i8") == 0) return APP_NODE_I64;
    return APP_NODE_OTHER;
}

/* The shape comes from the file and may be anything. false: its elements cannot be counted in 64 bits. */
static bool count_elements(const hsize_t *shape, int rank, int64_t *count)
{
    int64_t product = 1;
    for (int d = 0; d < rank; ++d) {
        if (__builtin_mul_overflow(product, shape[d], &product)) return false;
    }
    *count = product;
    return true;
}

static mx_err describe_shape(hid_t set, app_node *node)
{
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t shape[H5S_MAX_RANK] = {0};
    mx_err err = MX_OK;
    if (space < 0 || rank < 0 || H5Sget_simple_extent_dims(space, shape, NULL) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot read the shape of %s: %s", node->path, app_h5_reason());
    } else if (rank > APP_NODE_MAX_RANK) {
        err = MX_FAIL(MX_ERR_INPUT, "%s has %d dimensions, expected at most %d", node->path, rank,
                      APP_NODE_MAX_RANK);
    }
    if (err == MX_OK) {
        node->rank = rank;
        node->count = 1;
        for (int d = 0; d < rank; ++d) node->shape[d] = (int64_t)shape[d];
        if (!count_elements(shape, rank, &node->count))
            err =
                MX_FAIL(MX_ERR_INPUT, "%s claims more elements than any file can hold", node->path);
    }
    (void)app_h5_close(space);
    return err;
}

static void lay_blocks(app_node *node)
{
    if (node->count == 0) return;
    const int64_t all_rows = node->rank > 0 ? node->shape[0] : 1;
    const int64_t row_bytes = node->count / all_rows * (int64_t)node->item_bytes;
    node->rows = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    node->blocks = (all_rows + node->rows - 1) / node->rows;
}

static mx_err describe_dataset(hid_t set, app_node *node)
{
    MX_TRY(describe_shape(set, node));
    const hid_t type = H5Dget_type(set);
    MX_REQUIRE(type >= 0, MX_ERR_IO, "cannot read the type of %s: %s", node->path, app_h5_reason());
    node->kind = app_tree_type(type, node->type, sizeof node->type);
    node->item_bytes = H5Tget_size(type);
    int64_t bytes;
    if (__builtin_mul_overflow(node->count, node->item_bytes, &bytes)) {
        (void)app_h5_close(type);
        return MX_FAIL(MX_ERR_INPUT, "%s claims more bytes than any file can hold", node->path);
    }
    if (node->kind != APP_NODE_OTHER) lay_blocks(node);
    return app_h5_close(type);
}

static mx_err describe(hid_t file, app_node *node)
{
    const hid_t object = H5Oopen(file, node->path, H5P_DEFAULT);
    MX_REQUIRE(object >= 0, MX_ERR_IO, "cannot open %s: %s", node->path, app_h5_reason());
    mx_err err = MX_OK;
    switch (H5Iget_type(object)) {
    case H5I_GROUP: node->kind = APP_NODE_GROUP; break;
    case H5I_DATASET: err = describe_dataset(object, node); break;
    default: node->kind = APP_NODE_OTHER; break;
    }
    const mx_err closed = app_h5_close(object);
    return err != MX_OK ? err : closed;
}

static mx_err add_node(walk *w, const char *path)
{
    app_tree *const tree = w->tree;
    for (const char *c = path; *c; ++c) {
        MX_REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f, MX_ERR_INPUT,
                   "a name in the file has control characters");
    }
    if (tree->count == w->capacity) {
        const int grown = w->capacity > 0 ? 2 * w->capacity : 64;
        app_node *const node = realloc(tree->node, (size_t)grown * sizeof *node);
        MX_REQUIRE(node, MX_ERR_MEMORY, "no memory for a list of %d objects", grown);
        tree->node = node;
        w->capacity = grown;
    }
    app_node *const node = &tree->node[tree->count];
    *node = (app_node){.path = strdup(path)};
    MX_REQUIRE(node->path, MX_ERR_MEMORY, "no memory for a name");
    ++tree->count;
    return describe(w->file, node);
}

static mx_err visit(walk *w, const char *name, H5L_type_t type)
{
    if (strcmp(name, "integrity") == 0 || strncmp(name, "integrity/", strlen("integrity/")) == 0)
        return MX_OK;
    MX_REQUIRE(type == H5L_TYPE_HARD, MX_ERR_INPUT,
               "/%s is a soft or external link; a results file has none", name);
    const size_t bytes = strlen(name) + 2;
    char *const path = malloc(bytes);
    MX_REQUIRE(path, MX_ERR_MEMORY, "no memory for a name");
    snprintf(path, bytes, "/%s", name);
    const mx_err err = add_node(w, path);
    free(path);
    return err;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    walk *const w = data;
    w->err = visit(w, name, info->type);
    return w->err == MX_OK ? 0 : 1; /* a positive value ends the walk without an error */
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const app_node *)a)->path, ((const app_node *)b)->path);
}

mx_err app_tree_read(hid_t file, app_tree *tree)
{
    *tree = (app_tree){0};
    walk w = {.file = file, .tree = tree};
    w.err = add_node(&w, "/");
    if (w.err == MX_OK && H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_link, &w) < 0) {
        w.err = MX_FAIL(MX_ERR_IO, "cannot list the objects of the file: %s", app_h5_reason());
    }
    if (w.err != MX_OK) {
        app_tree_free(tree);
        return MX_PASS(w.err);
    }
    qsort(tree->node, (size_t)tree->count, sizeof *tree->node, by_path);
    for (int i = 0; i < tree->count; ++i) {
        tree->node[i].first_block = tree->blocks;
        tree->blocks += tree->node[i].blocks;
    }
    return MX_OK;
}

void app_tree_free(app_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) free(tree->node[i].path);
    free(tree->node);
    *tree = (app_tree){0};
}

const app_node *app_tree_find(const app_tree *tree, const char *path)
{
    int low = 0, high = tree->count; /* the node, if there, is in [low, high) */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(path, tree->node[middle].path);
        if (order == 0) return &tree->node[middle];
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

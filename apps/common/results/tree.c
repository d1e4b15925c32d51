#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digest blocks are whole rows of the first dimension, as many as fit here, at least one: so they
 * depend on the shape alone, never on who wrote it, and each is a single rectangle to read. */
enum { BLOCK_BYTES = 1 << 20 };

/* Bounds on the names of objects. The schema needs 3 levels (/performance/REGION/calls). */
enum { MAX_DEPTH = 8, MAX_PATH = 1024 };

/* The smallest size of a link in a group. With it the size of the file bounds the number of
 * objects. */
enum { MIN_LINK_BYTES = 8 };

typedef struct walk {
    app_tree *tree;
    int capacity;
    bool integrity; /* list /integrity alone, or all but it */
    hsize_t file_bytes;
    const char *path; /* of the group that is being listed; "" for the root */
    int depth;        /* of the objects in that group */
    mx_err err;
} walk;

static mx_err list_group(walk *w, hid_t group, const char *path);

/* Types of numbers must be exactly those of the schema. H5Tequal compares the whole type, with
 * sign, offset and exponent, which come from the file too. */
static app_node_kind number_kind(hid_t type)
{
    if (H5Tequal(type, H5T_IEEE_F32LE) > 0) return APP_NODE_F32;
    if (H5Tequal(type, H5T_STD_I32LE) > 0) return APP_NODE_I32;
    if (H5Tequal(type, H5T_IEEE_F64LE) > 0) return APP_NODE_F64;
    if (H5Tequal(type, H5T_STD_I64LE) > 0) return APP_NODE_I64;
    return APP_NODE_OTHER;
}

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
    return number_kind(type);
}

/* The shape comes from the file and may be anything. false: its elements cannot be counted in 64
 * bits. */
static bool count_elements(const hsize_t *shape, int rank, int64_t *count)
{
    int64_t product = 1;
    for (int d = 0; d < rank; ++d) {
        if (shape[d] > INT64_MAX || __builtin_mul_overflow(product, shape[d], &product))
            return false;
    }
    *count = product;
    return true;
}

static mx_err read_shape(hid_t space, app_node *node)
{
    hsize_t shape[H5S_MAX_RANK] = {0};
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    MX_REQUIRE(class == H5S_SCALAR || class == H5S_SIMPLE, MX_ERR_INPUT, "%s has no shape",
               node->path);
    const int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    MX_REQUIRE(rank >= 0, MX_ERR_IO, "cannot read the shape of %s: %s", node->path,
               app_h5_reason());
    MX_REQUIRE(rank <= APP_NODE_MAX_RANK, MX_ERR_INPUT, "%s has %d dimensions, expected at most %d",
               node->path, rank, APP_NODE_MAX_RANK);
    MX_REQUIRE(count_elements(shape, rank, &node->count), MX_ERR_INPUT,
               "%s claims more elements than any file can hold", node->path);
    node->rank = rank;
    for (int d = 0; d < rank; ++d) node->shape[d] = (int64_t)shape[d];
    return MX_OK;
}

static mx_err describe_shape(hid_t set, app_node *node)
{
    const hid_t space = H5Dget_space(set);
    MX_REQUIRE(space >= 0, MX_ERR_IO, "cannot read the shape of %s: %s", node->path,
               app_h5_reason());
    const mx_err err = read_shape(space, node);
    const mx_err closed = app_h5_close(space);
    return err != MX_OK ? err : closed;
}

static mx_err describe_type(hid_t set, app_node *node)
{
    const hid_t type = H5Dget_type(set);
    MX_REQUIRE(type >= 0, MX_ERR_IO, "cannot read the type of %s: %s", node->path, app_h5_reason());
    node->kind = app_tree_type(type, node->type, sizeof node->type);
    node->item_bytes = H5Tget_size(type);
    MX_TRY(app_h5_close(type));
    MX_REQUIRE(node->item_bytes > 0, MX_ERR_INPUT, "%s has a type without a size", node->path);
    return MX_OK;
}

/* Refuses data that other files hold, and data that have to be computed. */
static mx_err check_storage(hid_t list, const app_node *node, hsize_t file_bytes)
{
    const H5D_layout_t layout = H5Pget_layout(list);
    MX_REQUIRE(layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED,
               MX_ERR_INPUT, "%s is a virtual dataset; a results file has none", node->path);
    MX_REQUIRE(H5Pget_external_count(list) == 0, MX_ERR_INPUT,
               "%s keeps its data in other files; a results file keeps its own", node->path);
    MX_REQUIRE(H5Pget_nfilters(list) == 0, MX_ERR_INPUT,
               "%s is stored through filters; a results file uses none", node->path);
    if (layout != H5D_CHUNKED || node->count == 0) return MX_OK;
    hsize_t chunk[H5S_MAX_RANK] = {0}, bytes = node->item_bytes;
    const int rank = H5Pget_chunk(list, H5S_MAX_RANK, chunk);
    MX_REQUIRE(rank == node->rank, MX_ERR_INPUT, "%s has chunks of another rank", node->path);
    for (int d = 0; d < rank; ++d) {
        MX_REQUIRE(!__builtin_mul_overflow(bytes, chunk[d], &bytes) && bytes <= file_bytes,
                   MX_ERR_INPUT, "%s has chunks larger than the file", node->path);
    }
    return MX_OK;
}

/* The data must be in the file, each byte of it, before anything of their size is allocated. */
static mx_err check_size(walk *w, hid_t set, const app_node *node)
{
    int64_t bytes;
    MX_REQUIRE(!__builtin_mul_overflow(node->count, node->item_bytes, &bytes), MX_ERR_INPUT,
               "%s claims more bytes than any file can hold", node->path);
    MX_REQUIRE((hsize_t)bytes <= w->file_bytes - (hsize_t)w->tree->bytes, MX_ERR_INPUT,
               "%s claims more bytes than the file has", node->path);
    const hid_t list = H5Dget_create_plist(set);
    MX_REQUIRE(list >= 0, MX_ERR_IO, "cannot read how %s is stored: %s", node->path,
               app_h5_reason());
    const mx_err err = check_storage(list, node, w->file_bytes);
    const mx_err closed = app_h5_close(list);
    MX_TRY(err);
    MX_TRY(closed);
    const hsize_t stored = bytes > 0 ? H5Dget_storage_size(set) : 0;
    MX_REQUIRE(stored >= (hsize_t)bytes, MX_ERR_INPUT,
               "%s claims %lld bytes, but only %llu are stored", node->path, (long long)bytes,
               (unsigned long long)stored);
    w->tree->bytes += bytes;
    return MX_OK;
}

static void lay_blocks(app_node *node)
{
    if (node->count == 0) return;
    const int64_t all_rows = node->rank > 0 ? node->shape[0] : 1;
    const int64_t row_bytes = node->count / all_rows * (int64_t)node->item_bytes;
    node->rows = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    node->blocks = (all_rows + node->rows - 1) / node->rows;
}

static mx_err describe_dataset(walk *w, hid_t set, app_node *node)
{
    MX_TRY(describe_shape(set, node));
    MX_TRY(describe_type(set, node));
    if (node->kind == APP_NODE_OTHER) return MX_OK;
    MX_TRY(check_size(w, set, node));
    lay_blocks(node);
    return MX_OK;
}

static mx_err describe(walk *w, hid_t object, app_node *node)
{
    const H5I_type_t type = H5Iget_type(object);
    if (type == H5I_DATASET) return describe_dataset(w, object, node);
    node->kind = type == H5I_GROUP ? APP_NODE_GROUP : APP_NODE_OTHER;
    return MX_OK;
}

static mx_err grow(walk *w)
{
    app_tree *const tree = w->tree;
    if (tree->count < w->capacity) return MX_OK;
    MX_REQUIRE((hsize_t)tree->count <= w->file_bytes / MIN_LINK_BYTES, MX_ERR_INPUT,
               "the file names more objects than it has room for");
    const int grown = w->capacity > 0 ? 2 * w->capacity : 64;
    app_node *const node = realloc(tree->node, (size_t)grown * sizeof *node);
    MX_REQUIRE(node, MX_ERR_MEMORY, "no memory for a list of %d objects", grown);
    tree->node = node;
    w->capacity = grown;
    return MX_OK;
}

/* Adds an object, and if it is a group all that is in it. */
static mx_err add_node(walk *w, hid_t object, const char *path)
{
    app_tree *const tree = w->tree;
    MX_TRY(grow(w));
    app_node *const node = &tree->node[tree->count];
    *node = (app_node){.path = strdup(path[0] ? path : "/")};
    MX_REQUIRE(node->path, MX_ERR_MEMORY, "no memory for a name");
    ++tree->count;
    MX_TRY(describe(w, object, node));
    return node->kind == APP_NODE_GROUP ? list_group(w, object, path) : MX_OK;
}

static mx_err check_name(const walk *w, const char *path, size_t length)
{
    MX_REQUIRE(length < MAX_PATH, MX_ERR_INPUT, "a name in the file is longer than %d bytes",
               MAX_PATH);
    for (const char *c = path; *c; ++c) {
        MX_REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f, MX_ERR_INPUT,
                   "a name in the file has control characters");
    }
    MX_REQUIRE(w->depth <= MAX_DEPTH, MX_ERR_INPUT,
               "%s: groups are nested more than %d deep; those of a results file are not", path,
               MAX_DEPTH);
    return MX_OK;
}

/* An object with two names could be in a group that it contains. */
static mx_err check_single(hid_t object, const char *path)
{
    H5O_info_t info;
    MX_REQUIRE(H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0, MX_ERR_IO,
               "cannot describe %s: %s", path, app_h5_reason());
    MX_REQUIRE(info.rc == 1, MX_ERR_INPUT,
               "%s has %u names in the file; an object of a results file has one", path, info.rc);
    return MX_OK;
}

static mx_err visit(walk *w, hid_t group, const char *name, H5L_type_t type)
{
    char path[MAX_PATH];
    if (w->depth == 1 && (strcmp(name, "integrity") == 0) != w->integrity) return MX_OK;
    const int length = snprintf(path, sizeof path, "%s/%s", w->path, name);
    MX_TRY(check_name(w, path, (size_t)length));
    MX_REQUIRE(type == H5L_TYPE_HARD, MX_ERR_INPUT,
               "%s is a soft or external link; a results file has none", path);
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    MX_REQUIRE(object >= 0, MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    mx_err err = check_single(object, path);
    if (err == MX_OK) err = add_node(w, object, path);
    const mx_err closed = app_h5_close(object);
    return err != MX_OK ? err : closed;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    walk *const w = data;
    w->err = visit(w, group, name, info->type);
    return w->err == MX_OK ? 0 : 1; /* a positive value ends the walk without an error */
}

static mx_err list_group(walk *w, hid_t group, const char *path)
{
    const char *const outer = w->path;
    w->path = path;
    ++w->depth;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, w) < 0 && w->err == MX_OK)
        w->err = MX_FAIL(MX_ERR_IO, "cannot list the objects of %s/: %s", path, app_h5_reason());
    --w->depth;
    w->path = outer;
    return w->err;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const app_node *)a)->path, ((const app_node *)b)->path);
}

static mx_err add_root(walk *w, hid_t file)
{
    MX_REQUIRE(H5Fget_filesize(file, &w->file_bytes) >= 0, MX_ERR_IO,
               "cannot get the size of the file: %s", app_h5_reason());
    const hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    MX_REQUIRE(root >= 0, MX_ERR_IO, "cannot open the root of the file: %s", app_h5_reason());
    const mx_err err = add_node(w, root, "");
    const mx_err closed = app_h5_close(root);
    return err != MX_OK ? err : closed;
}

static mx_err read_part(hid_t file, bool integrity, app_tree *tree)
{
    *tree = (app_tree){0};
    walk w = {.tree = tree, .integrity = integrity, .path = ""};
    w.err = add_root(&w, file);
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

mx_err app_tree_read(hid_t file, app_tree *tree) { return read_part(file, false, tree); }

mx_err app_tree_read_integrity(hid_t file, app_tree *tree) { return read_part(file, true, tree); }

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

mx_err app_tree_read_rows(hid_t set, hid_t type, const app_node *node, int64_t first, int64_t rows,
                          void *buffer)
{
    const hid_t space = H5Dget_space(set);
    hid_t memory = H5S_ALL;
    bool good = space >= 0;
    if (good && node->rank > 0) {
        hsize_t start[APP_NODE_MAX_RANK] = {(hsize_t)first},
                count[APP_NODE_MAX_RANK] = {(hsize_t)rows};
        for (int d = 1; d < node->rank; ++d) count[d] = (hsize_t)node->shape[d];
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
        memory = H5Screate_simple(node->rank, count, NULL);
        good = good && memory >= 0;
    }
    good = good &&
           H5Dread(set, type, memory, node->rank > 0 ? space : H5S_ALL, H5P_DEFAULT, buffer) >= 0;
    const mx_err err =
        good ? MX_OK : MX_FAIL(MX_ERR_IO, "cannot read %s: %s", node->path, app_h5_reason());
    if (memory != H5S_ALL) (void)app_h5_close(memory);
    (void)app_h5_close(space);
    return err;
}

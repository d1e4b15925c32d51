#include "results_reader.h"

#include "digest.h"
#include "results_schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct app_reader {
    char *path;
    hid_t file;
    app_tree tree, integrity;
};

/* Checks that need no HDF5: is it a regular file, can it be opened and read, is it empty? Opening a
 * pipe could wait for ever. */
static mx_err check_readable(const char *path)
{
    struct stat info;
    MX_REQUIRE(stat(path, &info) == 0, MX_ERR_IO, "%s: cannot be opened: %s", path,
               strerror(errno));
    MX_REQUIRE(!S_ISDIR(info.st_mode), MX_ERR_IO, "%s: cannot be read: %s", path, strerror(EISDIR));
    MX_REQUIRE(S_ISREG(info.st_mode), MX_ERR_IO, "%s: is a device or a pipe, expected a file",
               path);
    FILE *const file = fopen(path, "rb");
    MX_REQUIRE(file, MX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const int first = fgetc(file);
    const int reason = errno;
    const bool failed = ferror(file) != 0;
    fclose(file);
    MX_REQUIRE(!failed, MX_ERR_IO, "%s: cannot be read: %s", path, strerror(reason));
    MX_REQUIRE(first != EOF, MX_ERR_INPUT, "%s: is empty", path);
    return MX_OK;
}

/* Reading needs no locks of the file system's; where there are some, they show that a program still
 * writes the file. The variable HDF5_USE_FILE_LOCKING takes precedence. */
static hid_t access_list(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
    if (list >= 0) (void)H5Pset_file_locking(list, true, true);
#endif
    return list;
}

static mx_err fail_open(const char *path)
{
    const char *const reason = app_h5_reason();
    if (strstr(reason, "lock file")) {
        return MX_FAIL(MX_ERR_IO,
                       "%s: is locked by a program that writes it: try again when that has ended "
                       "(HDF5_USE_FILE_LOCKING=FALSE ignores locks): %s",
                       path, reason);
    }
    return MX_FAIL(MX_ERR_INPUT, "%s: is %s: %s", path,
                   strstr(reason, "truncated") ? "cut short" : "damaged", reason);
}

static mx_err open_file(const char *path, hid_t *file)
{
    app_h5_quiet();
    (void)H5PLset_loading_state(0); /* a file must not make us load a library */
    MX_REQUIRE(H5Fis_hdf5(path) > 0, MX_ERR_INPUT, "%s: is not an HDF5 file", path);
    const hid_t list = access_list();
    MX_REQUIRE(list >= 0, MX_ERR_IO, "cannot prepare to read %s: %s", path, app_h5_reason());
    *file = H5Fopen(path, H5F_ACC_RDONLY, list);
    mx_err err = MX_OK;
    if (*file < 0) err = fail_open(path);
    (void)app_h5_close(list);
    return err;
}

static mx_err check_schema(app_reader reader)
{
    char *schema = NULL;
    if (app_reader_attribute_text(reader, "/", "schema", &schema) != MX_OK) {
        return MX_FAIL(MX_ERR_INPUT,
                       "%s: is not a results file of minx: it has no attribute \"schema\"",
                       reader->path);
    }
    const bool ours = strcmp(schema, APP_SCHEMA_NAME) == 0;
    const mx_err err =
        ours ? MX_OK
             : MX_FAIL(MX_ERR_INPUT,
                       "%s: is no results file: got the schema \"%.80s\", expected \"%s\"",
                       reader->path, schema, APP_SCHEMA_NAME);
    free(schema);
    MX_TRY(err);
    int64_t version = 0;
    MX_TRY(app_reader_attribute_i64(reader, "/", "schema_version", &version));
    MX_REQUIRE(
        version <= APP_SCHEMA_VERSION, MX_ERR_INPUT,
        "%s: follows version %lld of the schema, newer than the version %d that this program knows",
        reader->path, (long long)version, APP_SCHEMA_VERSION);
    MX_REQUIRE(version >= 1, MX_ERR_INPUT, "%s: schema_version must be positive, got %lld",
               reader->path, (long long)version);
    return MX_OK;
}

static mx_err reader_fill(const char *path, app_reader reader)
{
    reader->path = strdup(path);
    MX_REQUIRE(reader->path, MX_ERR_MEMORY, "no memory for a name");
    MX_TRY(open_file(path, &reader->file));
    MX_TRY(check_schema(reader));
    mx_err err = app_tree_read(reader->file, &reader->tree);
    if (err == MX_OK) err = app_tree_read_integrity(reader->file, &reader->integrity);
    if (err != MX_OK) return MX_FAIL(err, "%s: %s", path, mx_err_message());
    return MX_OK;
}

mx_err app_reader_open(const char *path, app_reader *reader)
{
    *reader = NULL;
    MX_TRY(check_readable(path));
    app_reader made = calloc(1, sizeof *made);
    MX_REQUIRE(made, MX_ERR_MEMORY, "no memory to read %s", path);
    made->file = H5I_INVALID_HID;
    const mx_err err = reader_fill(path, made);
    if (err != MX_OK) {
        app_reader_close(&made);
        return MX_PASS(err);
    }
    *reader = made;
    return MX_OK;
}

void app_reader_close(app_reader *reader)
{
    if (!*reader) return;
    app_tree_free(&(*reader)->integrity);
    app_tree_free(&(*reader)->tree);
    (void)app_h5_close((*reader)->file);
    free((*reader)->path);
    free(*reader);
    *reader = NULL;
}

int app_reader_count(app_reader reader) { return reader->tree.count; }

const app_node *app_reader_node(app_reader reader, int index) { return &reader->tree.node[index]; }

const app_node *app_reader_find(app_reader reader, const char *path)
{
    return app_tree_find(&reader->tree, path);
}

static mx_err read_all(app_reader reader, const char *path, hid_t type, void *buffer)
{
    const hid_t set = H5Dopen2(reader->file, path, H5P_DEFAULT);
    MX_REQUIRE(set >= 0, MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    mx_err err = MX_OK;
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot read %s: %s", path, app_h5_reason());
    }
    const mx_err closed = app_h5_close(set);
    return err != MX_OK ? err : closed;
}

/* As numbers of 8 bytes, also those of the narrower kind, which HDF5 widens. */
static mx_err read_numbers(app_reader reader, const char *path, app_node_kind kind, int64_t *count,
                           void **values)
{
    *values = NULL;
    *count = 0;
    const app_node *const node = app_reader_find(reader, path);
    MX_REQUIRE(node, MX_ERR_INPUT, "%s is missing", path);
    const app_node_kind narrow = kind == APP_NODE_F64 ? APP_NODE_F32 : APP_NODE_I32;
    MX_REQUIRE(node->kind == kind || node->kind == narrow, MX_ERR_INPUT,
               "%s: got type %s, expected %s", path, node->type,
               kind == APP_NODE_F64 ? "<f8" : "<i8");
    void *const buffer = malloc(node->count > 0 ? (size_t)node->count * 8 : 1);
    MX_REQUIRE(buffer, MX_ERR_MEMORY, "no memory for the %lld values of %s", (long long)node->count,
               path);
    mx_err err = MX_OK;
    if (node->count > 0) {
        err = read_all(reader, path, kind == APP_NODE_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                       buffer);
    }
    if (err != MX_OK) {
        free(buffer);
        return MX_PASS(err);
    }
    *values = buffer;
    *count = node->count;
    return MX_OK;
}

mx_err app_reader_f64(app_reader reader, const char *path, int64_t *count, double **values)
{
    void *buffer = NULL;
    const mx_err err = read_numbers(reader, path, APP_NODE_F64, count, &buffer);
    *values = buffer;
    return err;
}

mx_err app_reader_i64(app_reader reader, const char *path, int64_t *count, int64_t **values)
{
    void *buffer = NULL;
    const mx_err err = read_numbers(reader, path, APP_NODE_I64, count, &buffer);
    *values = buffer;
    return err;
}

static mx_err read_part(app_reader reader, const app_node *node, int64_t first, int64_t rows,
                        hid_t type, void *values)
{
    const hid_t set = H5Dopen2(reader->file, node->path, H5P_DEFAULT);
    MX_REQUIRE(set >= 0, MX_ERR_IO, "cannot open %s: %s", node->path, app_h5_reason());
    const mx_err err = app_tree_read_rows(set, type, node, first, rows, values);
    const mx_err closed = app_h5_close(set);
    return err != MX_OK ? err : closed;
}

mx_err app_reader_f64_rows(app_reader reader, const app_node *node, int64_t first, int64_t rows,
                           double *values)
{
    return read_part(reader, node, first, rows, H5T_NATIVE_DOUBLE, values);
}

mx_err app_reader_i64_rows(app_reader reader, const app_node *node, int64_t first, int64_t rows,
                           int64_t *values)
{
    return read_part(reader, node, first, rows, H5T_NATIVE_INT64, values);
}

static mx_err check_text(const app_node *node, const char *path)
{
    MX_REQUIRE(node, MX_ERR_INPUT, "%s is missing", path);
    MX_REQUIRE(node->kind == APP_NODE_TEXT, MX_ERR_INPUT, "%s: got type %s, expected a text", path,
               node->type);
    MX_REQUIRE(node->count == 1, MX_ERR_INPUT, "%s: got %lld values, expected one text", path,
               (long long)node->count);
    return MX_OK;
}

/* Texts are read as they are stored: HDF5 does not convert between character sets. */
static mx_err read_text(app_reader reader, const char *path, char *buffer)
{
    const hid_t set = H5Dopen2(reader->file, path, H5P_DEFAULT);
    MX_REQUIRE(set >= 0, MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    const hid_t type = H5Dget_type(set);
    mx_err err = MX_OK;
    if (type < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer) < 0)
        err = MX_FAIL(MX_ERR_IO, "cannot read %s: %s", path, app_h5_reason());
    (void)app_h5_close(type);
    const mx_err closed = app_h5_close(set);
    return err != MX_OK ? err : closed;
}

mx_err app_reader_text(app_reader reader, const char *path, size_t *length, char **text)
{
    *text = NULL;
    *length = 0;
    const app_node *node = app_tree_find(&reader->tree, path);
    if (!node) node = app_tree_find(&reader->integrity, path);
    MX_TRY(check_text(node, path));
    char *const buffer = calloc(node->item_bytes + 1, 1);
    MX_REQUIRE(buffer, MX_ERR_MEMORY, "no memory for the %zu bytes of %s", node->item_bytes, path);
    const mx_err err = read_text(reader, node->path, buffer);
    if (err != MX_OK) {
        free(buffer);
        return MX_PASS(err);
    }
    const bool empty = node->item_bytes == 1 && buffer[0] == '\0'; /* how an empty text is stored */
    *length = empty ? 0 : node->item_bytes;
    *text = buffer;
    return MX_OK;
}

/* A new buffer for an attribute of this type, zero beyond the text; MX_ERR_INPUT if the type is no
 * fixed-length string. */
static mx_err text_buffer(hid_t attribute, hid_t type, const char *name, char **text)
{
    char shown[24];
    const app_node_kind kind = app_tree_type(type, shown, sizeof shown);
    MX_REQUIRE(kind == APP_NODE_TEXT, MX_ERR_INPUT, "%s: got type %s, expected a text", name,
               shown);
    const size_t bytes = H5Tget_size(type);
    MX_REQUIRE(bytes <= H5Aget_storage_size(attribute), MX_ERR_INPUT,
               "%s claims %zu bytes, which are not stored", name, bytes);
    *text = calloc(bytes + 1, 1);
    MX_REQUIRE(*text, MX_ERR_MEMORY, "no memory for the %zu bytes of %s", bytes, name);
    return MX_OK;
}

/* Opens a scalar attribute and its type; the caller closes both, also on failure. */
static mx_err open_attribute(app_reader reader, const char *path, const char *name,
                             hid_t *attribute, hid_t *type)
{
    *type = H5I_INVALID_HID;
    *attribute = H5Aopen_by_name(reader->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    MX_REQUIRE(*attribute >= 0, MX_ERR_INPUT, "%s: attribute \"%s\" is missing", path, name);
    *type = H5Aget_type(*attribute);
    const hid_t space = H5Aget_space(*attribute);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    (void)app_h5_close(space);
    MX_REQUIRE(*type >= 0 && points == 1, MX_ERR_INPUT, "%s: attribute \"%s\" must be one value",
               path, name);
    return MX_OK;
}

mx_err app_reader_attribute_text(app_reader reader, const char *path, const char *name, char **text)
{
    *text = NULL;
    hid_t attribute, type;
    char *buffer = NULL;
    mx_err err = open_attribute(reader, path, name, &attribute, &type);
    if (err == MX_OK) err = text_buffer(attribute, type, name, &buffer);
    if (err == MX_OK && H5Aread(attribute, type, buffer) < 0) {
        err =
            MX_FAIL(MX_ERR_IO, "%s: cannot read attribute \"%s\": %s", path, name, app_h5_reason());
    }
    (void)app_h5_close(type);
    (void)app_h5_close(attribute);
    if (err != MX_OK) {
        free(buffer);
        return MX_PASS(err);
    }
    *text = buffer;
    return MX_OK;
}

mx_err app_reader_attribute_i64(app_reader reader, const char *path, const char *name,
                                int64_t *value)
{
    hid_t attribute, type;
    mx_err err = open_attribute(reader, path, name, &attribute, &type);
    if (err == MX_OK && H5Tget_class(type) != H5T_INTEGER) {
        err = MX_FAIL(MX_ERR_INPUT, "%s: attribute \"%s\" must be a whole number", path, name);
    }
    if (err == MX_OK && H5Aread(attribute, H5T_NATIVE_INT64, value) < 0) {
        err =
            MX_FAIL(MX_ERR_IO, "%s: cannot read attribute \"%s\": %s", path, name, app_h5_reason());
    }
    (void)app_h5_close(type);
    (void)app_h5_close(attribute);
    return err;
}

mx_err app_reader_attributes(app_reader reader, const char *path, char **lines)
{
    return app_digest_attributes(reader->file, path, lines);
}

mx_err app_reader_manifest(app_reader reader, char **manifest)
{
    *manifest = NULL;
    const app_tree *const tree = &reader->tree;
    unsigned char(*const blocks)[APP_DIGEST_BYTES] =
        calloc((size_t)tree->blocks + 1, sizeof *blocks);
    MX_REQUIRE(blocks, MX_ERR_MEMORY, "no memory for %lld digests", (long long)tree->blocks);
    const app_digest_share whole = {.size = 1, .shared = true};
    mx_err err = app_digest_blocks(&whole, reader->file, tree, blocks);
    if (err == MX_OK) err = app_digest_manifest(reader->file, tree, blocks, manifest);
    free(blocks);
    return err;
}

mx_err app_reader_sha256(const char *text, size_t length, char hex[65])
{
    return app_digest_text(text, length, hex);
}

/* Small items of a results file. A parallel HDF5 creates every object on every rank, so all ranks
 * must know all names, types and counts, and the values of attributes; values of datasets are
 * written by rank 0 alone. One message per item would need three collective operations for each of
 * a hundred items. So rank 0 collects them and sends them in one message:
 *
 *     item = head, owner, name, units, and for an attribute its data     (texts with their NUL)
 *
 * With a serial HDF5 nothing is sent: rank 0 writes. */
#include "results_put.h"

#include "input/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum put_what { PUT_GROUP, PUT_DATASET, PUT_ATTRIBUTE } put_what;

typedef struct app_put {
    put_what what;
    const char *owner; /* the path of a group or dataset; the object that an attribute belongs to */
    const char *name;  /* of an attribute; else "" */
    const char *units; /* "": none */
    app_h5_item item;
    void *memory; /* of an item of the list: what the others point to */
} app_put;

/* How an item begins in the message. */
typedef struct put_head {
    put_what what;
    app_h5_kind kind;
    bool vector;
    hsize_t count, texts;
    size_t owner, name, units, data; /* bytes */
} put_head;

/* Names become parts of paths and lines of manifests. */
static mx_err check_letters(const char *name, size_t length)
{
    MX_REQUIRE(length > 0 && (length != 1 || name[0] != '.'), MX_ERR_ARG,
               "a name in a results file must not be empty or \".\"");
    for (size_t c = 0; c < length; ++c) {
        MX_REQUIRE(
            (unsigned char)name[c] >= 0x20 && name[c] != 0x7f && name[c] != '/', MX_ERR_ARG,
            "a name in a results file must not contain '/' or control characters, got \"%s\"",
            name);
    }
    return MX_OK;
}

mx_err app_results_check_path(const char *path)
{
    MX_REQUIRE(path && path[0] == '/', MX_ERR_ARG,
               "a path in a results file begins with '/', got \"%s\"", path ? path : "");
    for (const char *name = path; *name == '/'; name += 1 + strcspn(name + 1, "/"))
        MX_TRY(check_letters(name + 1, strcspn(name + 1, "/")));
    return MX_OK;
}

mx_err app_results_path(const char *parent, const char *name, char **path)
{
    *path = NULL;
    MX_TRY(check_letters(name, strlen(name)));
    app_strbuf text = {0};
    MX_TRY(app_strbuf_add(&text, "%s/%s", parent, name));
    *path = text.text;
    return MX_OK;
}

/* ---- collecting, on rank 0 ---- */

void app_put_list_free(app_put_list *list)
{
    for (int i = 0; i < list->count; ++i) free(list->put[i].memory);
    free(list->put);
    *list = (app_put_list){0};
}

static char *append(char *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
    return to + bytes;
}

/* A copy that owns what it points to. */
static mx_err copy_put(const app_put *put, app_put *copy)
{
    const size_t owner = strlen(put->owner) + 1, name = strlen(put->name) + 1;
    const size_t units = strlen(put->units) + 1, data = app_h5_bytes(&put->item);
    char *const memory = malloc(data + owner + name + units);
    MX_REQUIRE(memory, MX_ERR_MEMORY, "no memory for %s of the results file", put->owner);
    *copy = *put;
    copy->memory = memory;
    copy->item.data = memory;
    char *const texts = append(memory, put->item.data, data);
    copy->owner = texts;
    copy->name = append(texts, put->owner, owner);
    copy->units = append(texts + owner, put->name, name);
    append(texts + owner + name, put->units, units);
    return MX_OK;
}

static mx_err grow(app_put_list *list)
{
    const int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
    app_put *const put = realloc(list->put, (size_t)capacity * sizeof *put);
    MX_REQUIRE(put, MX_ERR_MEMORY, "no memory for %d items of the results file", capacity);
    list->put = put;
    list->capacity = capacity;
    return MX_OK;
}

static mx_err check_new(const app_put_list *list, const app_put *put)
{
    for (int i = 0; i < list->count && put->what != PUT_GROUP; ++i) {
        const app_put *const other = &list->put[i];
        MX_REQUIRE(other->what != put->what || strcmp(other->name, put->name) != 0 ||
                       strcmp(other->owner, put->owner) != 0,
                   MX_ERR_ARG,
                   "results file: %s%s%s is stored a second time, expected another name",
                   put->owner, put->what == PUT_ATTRIBUTE ? ", attribute " : "", put->name);
    }
    return MX_OK;
}

static mx_err add(app_put_list *list, const app_put *put)
{
    app_put copy;
    MX_TRY(check_new(list, put));
    if (list->count == list->capacity) MX_TRY(grow(list));
    MX_TRY(copy_put(put, &copy));
    list->put[list->count++] = copy;
    return MX_OK;
}

/* A failure is kept for the next flush, where the ranks agree. */
static void keep_failure(app_put_list *list, mx_err err)
{
    if (err == MX_OK || list->failed != MX_OK) return;
    list->failed = err;
    snprintf(list->reason, sizeof list->reason, "%s", mx_err_message());
}

static void collect(app_results results, const app_put *put)
{
    app_put_list *const list = &results->list;
    if (app_rank(results->comm) == 0 && list->failed == MX_OK) keep_failure(list, add(list, put));
}

void app_results_put(app_results results, const char *path, const app_small *small)
{
    app_compare_words words;
    const app_put set = {.what = PUT_DATASET,
                         .owner = path,
                         .name = "",
                         .units = small->unit ? small->unit : "",
                         .item = small->item};
    const app_put rule = {.what = PUT_ATTRIBUTE,
                          .owner = path,
                          .name = APP_COMPARE_ATTRIBUTE,
                          .units = "",
                          .item = app_h5_text(app_compare_text(small->compare, &words))};
    collect(results, &set);
    collect(results, &rule);
}

mx_err app_results_put_in(app_results results, const char *group, const char *name,
                          const app_small *small)
{
    char *path = NULL;
    const mx_err err = app_results_path(group, name, &path);
    if (err == MX_ERR_ARG) return err;
    if (err == MX_OK) app_results_put(results, path, small);
    keep_failure(&results->list, err);
    free(path);
    return MX_OK;
}

void app_results_put_attribute(app_results results, const char *owner, const char *name,
                               const app_h5_item *item)
{
    const app_put put = {
        .what = PUT_ATTRIBUTE, .owner = owner, .name = name, .units = "", .item = *item};
    collect(results, &put);
}

void app_results_put_group(app_results results, const char *path)
{
    const app_put put = {
        .what = PUT_GROUP, .owner = path, .name = "", .units = "", .item = {.kind = APP_H5_TEXT}};
    collect(results, &put);
}

/* ---- the message ---- */

static size_t data_bytes(const app_put *put)
{
    return put->what == PUT_ATTRIBUTE ? app_h5_bytes(&put->item) : 0;
}

static put_head head_of(const app_put *put)
{
    return (put_head){.what = put->what,
                      .kind = put->item.kind,
                      .vector = put->item.vector,
                      .count = put->item.count,
                      .texts = put->item.texts,
                      .owner = strlen(put->owner) + 1,
                      .name = strlen(put->name) + 1,
                      .units = strlen(put->units) + 1,
                      .data = data_bytes(put)};
}

static size_t packed_bytes(const put_head *head)
{
    return sizeof *head + head->owner + head->name + head->units + head->data;
}

/* The message of all items, on rank 0. */
static mx_err pack(const app_put_list *list, char **message, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < list->count; ++i) {
        const put_head head = head_of(&list->put[i]);
        *bytes += packed_bytes(&head);
    }
    *message = malloc(*bytes + 1);
    MX_REQUIRE(*message, MX_ERR_MEMORY, "no memory for %d items of the results file", list->count);
    char *to = *message;
    for (int i = 0; i < list->count; ++i) {
        const app_put *const put = &list->put[i];
        const put_head head = head_of(put);
        to = append(to, &head, sizeof head);
        to = append(to, put->owner, head.owner);
        to = append(to, put->name, head.name);
        to = append(to, put->units, head.units);
        to = append(to, put->item.data, head.data);
    }
    return MX_OK;
}

/* An item that points into the message; returns the number of its bytes. */
static size_t unpack(const char *from, app_put *put)
{
    put_head head;
    memcpy(&head, from, sizeof head);
    const char *const owner = from + sizeof head;
    *put = (app_put){
        .what = head.what,
        .owner = owner,
        .name = owner + head.owner,
        .units = owner + head.owner + head.name,
        .item = {
            .kind = head.kind, .vector = head.vector, .count = head.count, .texts = head.texts}};
    put->item.data = put->units + head.units;
    return packed_bytes(&head);
}

/* ---- writing ---- */

static mx_err write_attribute(hid_t file, const app_put *put)
{
    const hid_t owner = H5Oopen(file, put->owner, H5P_DEFAULT);
    MX_REQUIRE(owner >= 0, MX_ERR_IO, "cannot open %s: %s", put->owner, app_h5_reason());
    const mx_err err = app_h5_put_attribute(owner, put->name, &put->item);
    const mx_err closed = app_h5_close(owner);
    return err != MX_OK ? err : closed;
}

static mx_err write_one(hid_t file, const app_put *put, bool with_data)
{
    if (put->what == PUT_GROUP) return app_h5_put_group(file, put->owner);
    if (put->what == PUT_ATTRIBUTE) return write_attribute(file, put);
    return app_h5_put(file, put->owner, &put->item, put->units[0] ? put->units : NULL, with_data);
}

static mx_err write_list(const app_results results)
{
    const app_put_list *const list = &results->list;
    for (int i = 0; i < list->count; ++i) MX_TRY(write_one(results->file.id, &list->put[i], true));
    return MX_OK;
}

static mx_err write_message(hid_t file, const char *message, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        app_put put;
        at += unpack(message + at, &put);
        MX_TRY(write_one(file, &put, false));
    }
    return MX_OK;
}

static mx_err reserve(app_results results)
{
    app_put_list *const list = &results->list;
    if (list->failed != MX_OK) return MX_FAIL(list->failed, "%s", list->reason);
    for (int i = 0; i < list->count; ++i)
        MX_TRY(app_file_reserve(&results->file, app_h5_bytes(&list->put[i].item)));
    return MX_OK;
}

/* The message reaches the ranks that hold the file open; elsewhere *message stays NULL. */
static mx_err share(app_results results, char **message, size_t *bytes)
{
    mx_err err = reserve(results);
    *message = NULL;
    *bytes = 0;
    if (err == MX_OK && app_file_is_parallel() && app_rank(results->comm) == 0)
        err = pack(&results->list, message, bytes);
    MX_TRY(app_agree(results->comm, err));
    if (!app_file_is_parallel()) return MX_OK;
    MX_TRY(app_broadcast(results->comm, bytes, sizeof *bytes));
    if (!*message) *message = malloc(*bytes + 1);
    err = *message ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for what the results file says");
    MX_TRY(app_agree(results->comm, err));
    return app_broadcast(results->comm, *message, *bytes);
}

mx_err app_results_flush(app_results results)
{
    char *message;
    size_t bytes;
    mx_err err = share(results, &message, &bytes);
    if (err == MX_OK) {
        err = app_rank(results->comm) == 0 ? write_list(results)
                                           : write_message(results->file.id, message, bytes);
        err = app_agree(results->comm, err);
    }
    free(message);
    app_put_list_free(&results->list);
    return err;
}

mx_err app_results_begin_arrays(app_results results)
{
    if (results->begun) return MX_OK;
    results->begun = true;
    return app_results_flush(results);
}

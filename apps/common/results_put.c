/* Small items of a results file. A parallel HDF5 creates every object on every rank, so all ranks
 * must know all names, types and counts, and the values of attributes; values of datasets are
 * written by rank 0 alone. One message per item would need three collective operations for each of
 * a hundred items. So rank 0 collects them and sends them in one message:
 *
 *     item = head, owner, name, units, and for an attribute its data     (texts with their NUL)
 *
 * With a serial HDF5 nothing is sent: rank 0 writes. */
#include "results_put.h"

#include "strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum put_what { PUT_GROUP, PUT_DATASET, PUT_ATTRIBUTE } put_what;

typedef struct app_put {
    put_what what;
    char *owner; /* the path of a group or dataset; the object that an attribute belongs to */
    char *name;  /* of an attribute */
    char *units; /* "": none */
    app_h5_item item;
    void *data;
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
static mx_err check_name(const char *name)
{
    MX_REQUIRE(name[0] != '\0' && strcmp(name, ".") != 0, MX_ERR_ARG,
               "a name in a results file must not be empty or \".\"");
    for (const char *c = name; *c; ++c) {
        MX_REQUIRE(
            (unsigned char)*c >= 0x20 && *c != 0x7f && *c != '/', MX_ERR_ARG,
            "a name in a results file must not contain '/' or control characters, got \"%s\"",
            name);
    }
    return MX_OK;
}

mx_err app_results_path(const char *parent, const char *name, char **path)
{
    *path = NULL;
    MX_TRY(check_name(name));
    app_strbuf text = {0};
    MX_TRY(app_strbuf_add(&text, "%s/%s", parent, name));
    *path = text.text;
    return MX_OK;
}

/* ---- collecting, on rank 0 ---- */

static void free_put(app_put *put)
{
    free(put->owner);
    free(put->name);
    free(put->units);
    free(put->data);
}

void app_put_list_free(app_put_list *list)
{
    for (int i = 0; i < list->count; ++i) free_put(&list->put[i]);
    free(list->put);
    *list = (app_put_list){0};
}

static mx_err copy_item(app_put *put, const char *owner, const char *name, const char *units,
                        const app_h5_item *item)
{
    const size_t bytes = app_h5_bytes(item);
    put->owner = strdup(owner);
    put->name = strdup(name);
    put->units = strdup(units ? units : "");
    put->data = calloc(bytes + 1, 1);
    MX_REQUIRE(put->owner && put->name && put->units && put->data, MX_ERR_MEMORY,
               "no memory for %s of the results file", owner);
    if (bytes > 0) memcpy(put->data, item->data, bytes);
    put->item = *item;
    put->item.data = put->data;
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

static mx_err check_new(const app_put_list *list, put_what what, const char *owner,
                        const char *name)
{
    for (int i = 0; i < list->count && what != PUT_GROUP; ++i) {
        const app_put *const put = &list->put[i];
        MX_REQUIRE(
            put->what != what || strcmp(put->name, name) != 0 || strcmp(put->owner, owner) != 0,
            MX_ERR_ARG, "results file: %s%s%s is stored a second time, expected another name",
            owner, what == PUT_ATTRIBUTE ? ", attribute " : "", name);
    }
    return MX_OK;
}

static mx_err add(app_put_list *list, put_what what, const char *owner, const char *name,
                  const char *units, const app_h5_item *item)
{
    MX_TRY(check_new(list, what, owner, name));
    if (list->count == list->capacity) MX_TRY(grow(list));
    app_put put = {.what = what};
    const mx_err err = copy_item(&put, owner, name, units, item);
    if (err != MX_OK) {
        free_put(&put);
        return err;
    }
    list->put[list->count++] = put;
    return MX_OK;
}

/* A failure is kept for the next flush, where the ranks agree. */
static void collect(app_results results, put_what what, const char *owner, const char *name,
                    const char *units, const app_h5_item *item)
{
    app_put_list *const list = &results->list;
    if (app_rank(results->comm) != 0 || list->failed != MX_OK) return;
    list->failed = add(list, what, owner, name, units, item);
    if (list->failed != MX_OK) snprintf(list->reason, sizeof list->reason, "%s", mx_err_message());
}

mx_err app_results_put(app_results results, const char *group, const char *name,
                       const app_h5_item *item, const char *units, app_compare compare)
{
    char *path = NULL;
    app_compare_words words;
    const app_h5_item rule = app_h5_text(app_compare_text(compare, &words));
    MX_TRY(check_name(name));
    const mx_err err = app_results_path(group, name, &path);
    if (err == MX_OK) {
        collect(results, PUT_DATASET, path, "", units, item);
        collect(results, PUT_ATTRIBUTE, path, APP_COMPARE_ATTRIBUTE, NULL, &rule);
    }
    if (err != MX_OK) results->list.failed = err;
    free(path);
    return MX_OK;
}

mx_err app_results_put_attribute(app_results results, const char *owner, const char *name,
                                 const app_h5_item *item)
{
    MX_TRY(check_name(name));
    collect(results, PUT_ATTRIBUTE, owner, name, NULL, item);
    return MX_OK;
}

mx_err app_results_put_group(app_results results, const char *path)
{
    const app_h5_item nothing = {.kind = APP_H5_TEXT};
    collect(results, PUT_GROUP, path, "", NULL, &nothing);
    return MX_OK;
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

static char *append(char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
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
        to = append(to, put->data, head.data);
    }
    return MX_OK;
}

/* An item that points into the message; returns the number of its bytes. */
static size_t unpack(const char *from, app_put *put)
{
    put_head head;
    memcpy(&head, from, sizeof head);
    char *const owner = (char *)(uintptr_t)(from + sizeof head);
    *put = (app_put){
        .what = head.what,
        .owner = owner,
        .name = owner + head.owner,
        .units = owner + head.owner + head.name,
        .item = {
            .kind = head.kind, .vector = head.vector, .count = head.count, .texts = head.texts}};
    put->data = put->units + head.units;
    put->item.data = put->data;
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

/* Reading a results file, from one process and without MPI: the basis of minx-verify. The
 * description of what is stored is docs/results-file.md. Nothing here is collective. */
#pragma once
#include "minx/error.h"

enum { APP_NODE_MAX_RANK = 8 };

typedef enum app_node_kind {
    APP_NODE_GROUP,
    APP_NODE_F32,
    APP_NODE_F64,
    APP_NODE_I32,
    APP_NODE_I64,
    APP_NODE_TEXT,
    APP_NODE_OTHER /* of a type that schema 1 does not use; listed, digested, never read */
} app_node_kind;

/* An object of the file. Scalars have rank 0 and count 1. */
typedef struct app_node {
    char *path; /* absolute; "/" for the root */
    app_node_kind kind;
    int rank;
    int64_t shape[APP_NODE_MAX_RANK];
    int64_t count;       /* elements; of a text always 1 */
    size_t item_bytes;   /* of one element; the length of a text */
    char type[24];       /* as numpy writes it: "<f8", "<i8", "|S12"; "" for groups */
    int64_t rows;        /* of the first dimension in one digest block */
    int64_t first_block; /* counted over all nodes */
    int64_t blocks;
} app_node;

typedef struct app_reader *app_reader;

/* Opens a file of schema minx-results 1. MX_ERR_IO when it cannot be read; MX_ERR_INPUT when it is
 * no HDF5 file, is cut short, or follows another schema or a newer version. The message says which.
 */
mx_err app_reader_open(const char *path, app_reader *reader);

/* Accepts NULL; sets *reader = NULL. */
void app_reader_close(app_reader *reader);

/* Every object outside /integrity, ordered by path, bytewise. Valid until the reader is closed. */
int app_reader_count(app_reader reader);
const app_node *app_reader_node(app_reader reader, int index);
const app_node *app_reader_find(app_reader reader, const char *path); /* NULL if there is none */

/* The whole of a dataset, row-major, in *values (the caller frees it; NULL on failure), its number
 * of elements in *count. f4 and i4 are widened. MX_ERR_INPUT if it is missing or of another kind,
 * MX_ERR_IO if it cannot be read. */
mx_err app_reader_f64(app_reader reader, const char *path, int64_t *count, double **values);
mx_err app_reader_i64(app_reader reader, const char *path, int64_t *count, int64_t **values);

/* Rows [first, first + rows) of the first dimension of a dataset of such numbers; of a scalar its
 * value. The dataset's node says how many rows make a good block. */
mx_err app_reader_f64_rows(app_reader reader, const app_node *node, int64_t first, int64_t rows,
                           double *values);
mx_err app_reader_i64_rows(app_reader reader, const app_node *node, int64_t first, int64_t rows,
                           int64_t *values);

/* A text dataset (also under /integrity), ended by a NUL that *length does not count. The caller
 * frees it. */
mx_err app_reader_text(app_reader reader, const char *path, size_t *length, char **text);

/* An attribute of an object ("/" for the root). The caller frees the text. MX_ERR_INPUT if missing
 * or of another kind. */
mx_err app_reader_attribute_text(app_reader reader, const char *path, const char *name,
                                 char **text);
mx_err app_reader_attribute_i64(app_reader reader, const char *path, const char *name,
                                int64_t *value);

/* The attributes of an object, a line each in bytewise order of names: "attribute DIGEST TYPE
 * [SHAPE] NAME". The caller frees *lines. */
mx_err app_reader_attributes(app_reader reader, const char *path, char **lines);

/* The manifest recomputed from what the file holds now: a line "DIGEST  PATH" per object. The
 * caller frees it. */
mx_err app_reader_manifest(app_reader reader, char **manifest);

/* The SHA-256 of a text, in 64 hexadecimal digits and a NUL. */
mx_err app_reader_sha256(const char *text, size_t length, char hex[65]);

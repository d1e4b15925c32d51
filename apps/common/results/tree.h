/* What an open results file holds: its objects in the order of their paths. Private to the results
 * files. */
#pragma once
#include "h5_util.h"
#include "results_reader.h"

typedef struct app_tree {
    app_node *node;
    int count;
    int64_t blocks; /* digest blocks of all nodes */
    int64_t bytes;  /* of the data of all nodes */
} app_tree;

/* Lists every object outside /integrity. MX_ERR_INPUT for what no results file holds: soft and
 * external links, an object with two names, deeply nested groups, names with control characters,
 * virtual datasets, data in other files, filters, and datasets that claim more than the file
 * stores. So what can be read later is at most as large as the file. On failure *tree is empty.
 * Safe on one rank of a parallel file. */
mx_err app_tree_read(hid_t file, app_tree *tree);

/* The same for "/" and the objects of /integrity, which app_tree_read leaves out. */
mx_err app_tree_read_integrity(hid_t file, app_tree *tree);

void app_tree_free(app_tree *tree);

/* The node at `path`, or NULL. */
const app_node *app_tree_find(const app_tree *tree, const char *path);

/* Reads rows [first, first + rows) of an open dataset, in this type; of a scalar its value. */
mx_err app_tree_read_rows(hid_t set, hid_t type, const app_node *node, int64_t first, int64_t rows,
                          void *buffer);

/* Describes a type as numpy would ("<f8"), and which kind it is. Also used for attributes. */
app_node_kind app_tree_type(hid_t type, char *text, size_t capacity);

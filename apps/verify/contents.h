/* What a results file must hold. Each dataset that an app writes has a row here, made from the
 * input: its type, its shape, its attributes, and the bounds of its values. A dataset of the file
 * without a row is an error, and so is a row without its dataset. docs/results-file.md is the
 * description for users.
 *
 * Failures are printed one a line. Where a dataset is missing, is of another type or shape, or has
 * a value out of bounds, base->intact becomes false, and the rows of vf_physics are not checked:
 * these may rely on what was described. */
#pragma once
#include "physics.h"

enum { VF_MAX_RANK = 4 };
/* An extent that a row of vf_physics checks. */
#define VF_ANY_EXTENT ((int64_t)-1)

typedef struct vf_dataset {
    const char *path;
    app_node_kind kind;
    int rank; /* 0: a scalar, or a text */
    int64_t shape[VF_MAX_RANK];
    const char *units; /* NULL: a text, which has none */
    app_compare compare;
    double low, high;         /* of numbers, both included; both 0: any finite number */
    bool not_empty;           /* of texts */
    const char *const *words; /* of texts: one of these; ends with NULL. NULL: any */
    /* attributes of a uniform mesh, `rank` entries each; NULL: there are none */
    const double *origin, *spacing;
    const char *h5md_units; /* the attribute "unit" of H5MD, where its readers know the unit */
} vf_dataset;

/* Whether every one of the rows' datasets is there, with type, shape and values. */
bool vf_expect(vf_base *base, const vf_dataset *rows, int count);

/* An attribute that an object must have: `extent` numbers or texts, 0: a scalar. */
typedef struct vf_attribute {
    const char *name;
    const char *type; /* as numpy writes it: "<f8", "|S8"; "|O": a text of variable length */
    int64_t extent;
    const void *data;
    size_t bytes;
} vf_attribute;

/* Compares the attributes of an object with a list ordered by name; there may be no others. */
void vf_expect_attributes(vf_base *base, const char *path, const vf_attribute *list, int count);

/* The same for texts of fixed length: names and values by turns, ends with NULL. */
void vf_expect_text_attributes(vf_base *base, const char *path, const char *const *texts);

/* The attributes of the root. Which values they may have is compared elsewhere: by the reader
 * (schema, schema_version), as the app (app), with the checks (exit_code, verdict), and in
 * vf_expect_common (command_line, utc_time). */
void vf_expect_root(vf_base *base);

/* A region of /performance. calls -1: any number of them. */
void vf_expect_region(vf_base *base, const char *name, int64_t calls);

/* ---- what is done every so many steps ---- */

/* The multiples of `every` above `after` and up to `last`, and `last` itself where with_last.
 * after -1: from step 0 on. */
typedef struct vf_schedule {
    int64_t every; /* 0: no multiples */
    int64_t after, last;
    bool with_last;
} vf_schedule;
int64_t vf_schedule_count(const vf_schedule *s);
int64_t vf_schedule_step(const vf_schedule *s, int64_t i); /* i from 0 to before the count */

/* Frames (frames.h): PATH/step, PATH/time and PATH/value. Steps and times are compared with the
 * schedule. */
typedef struct vf_frames {
    const char *path;
    vf_schedule schedule;
    double dt;
    int rank; /* of one frame */
    int64_t shape[VF_MAX_RANK - 1];
    const char *units, *time_units;
    const char *h5md_units, *h5md_time_units; /* NULL: there are none */
    app_compare compare;
} vf_frames;
void vf_expect_frames(vf_base *base, const vf_frames *frames);

/* ---- of minx-verify itself ---- */

/* What the run says of itself: its ranks, and the step that it began with. */
void vf_read_run(vf_base *base);

/* /provenance, and what all apps write. */
void vf_expect_common(vf_base *base);

/* /summary, and a region in it; it agrees with the rest of the file. */
void vf_expect_summary(vf_base *base);
void vf_expect_summary_region(vf_base *base, const char *name);

/* Scalars. False, and *value is as before: there is none. */
bool vf_read_real(const vf_base *base, const char *path, double *value);
int64_t vf_read_whole(const vf_base *base, const char *path, int64_t otherwise);

/* The checks, /verification/NAME. */
void vf_expect_checks(vf_base *base);

/* Every object that nothing describes: a dataset without a row, a group without an expected
 * dataset, and attributes of groups that were not compared. */
void vf_find_foreign(vf_base *base);

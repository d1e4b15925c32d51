/* YAML documents, which original codes write beside what they print: mappings, lists of mappings,
 * and values. Built in memory, and written at once.
 *
 *     app_yaml yaml = {0};
 *     app_yaml_map(&yaml, "run");              run:
 *     app_yaml_text(&yaml, "name", "a: b");      name: "a: b"
 *     app_yaml_real(&yaml, "time", 0.5);         time: 0.5
 *     app_yaml_up(&yaml);
 *     app_yaml_list(&yaml, "steps");           steps:
 *     app_yaml_item(&yaml);                    -
 *     app_yaml_whole(&yaml, "step", 1);          step: 1
 *     app_yaml_up(&yaml);
 *     app_yaml_up(&yaml);
 *     MX_TRY(app_yaml_write(comm, &yaml, "run.yaml"));
 *     app_yaml_free(&yaml);
 *
 * It writes only what any YAML library reads back as the same data: keys that differ within a
 * mapping (the caller's part), numbers with 17 digits, texts in quotes. */
#pragma once
#include "comm/comm.h"
#include "input/strbuf.h"

/* Start from {0}. After an error nothing more is added; app_yaml_write returns it. */
typedef struct app_yaml {
    app_strbuf text;
    int depth;
    mx_err err;
} app_yaml;

/* Key: letters, digits, '_' and blanks; not yes, no, on or off, which YAML takes for truth values.
 * What follows belongs to it until app_yaml_up. */
void app_yaml_map(app_yaml *yaml, const char *key);
void app_yaml_list(app_yaml *yaml, const char *key);
/* The next entry of a list, a mapping; until app_yaml_up. */
void app_yaml_item(app_yaml *yaml);
void app_yaml_up(app_yaml *yaml);

void app_yaml_text(app_yaml *yaml, const char *key, const char *text);
void app_yaml_whole(app_yaml *yaml, const char *key, int64_t value);
void app_yaml_real(app_yaml *yaml, const char *key, double value);
void app_yaml_reals(app_yaml *yaml, const char *key, const double *values, int count);
void app_yaml_wholes(app_yaml *yaml, const char *key, const int64_t *values, int count);

/* Writes the document of rank 0 to a new file. It replaces none: if there is one of that name, as
 * two runs may end in one second, the new name gets -2, -3, ... in front of .yaml. Collective,
 * agreed: MX_ERR_IO, MX_ERR_MEMORY. */
mx_err app_yaml_write(app_comm comm, const app_yaml *yaml, const char *path);

void app_yaml_free(app_yaml *yaml);

/* "PREFIXyyyy-mm-dd-HH-MM-SS.yaml" at this moment, in local time; DATE: the form for strftime,
 * NULL: this one. */
typedef struct app_yaml_name {
    char text[256];
} app_yaml_name;
const char *app_yaml_file_name(const char *prefix, const char *date, app_yaml_name *name);

/* JSON documents: objects and values, built in memory.
 *
 *     app_json json = {0};
 *     app_json_begin(&json, NULL);               {
 *     app_json_text(&json, "app", "heat");         "app": "heat",
 *     app_json_begin(&json, "fom");                "fom": {
 *     app_json_real(&json, "value", 0.5);            "value": 0.5
 *     app_json_end(&json);                         }
 *     app_json_end(&json);                       }
 *     ... json.text.text ...
 *     app_json_free(&json);
 *
 * The document has ASCII characters only, so that it is the same in every encoding. Keys are
 * plain: no quotes, no backslashes, no control characters. */
#pragma once
#include "input/strbuf.h"

/* Start from {0}. After an error, `err`, nothing more is added. */
typedef struct app_json {
    app_strbuf text; /* the document so far */
    int depth;       /* of objects that are not ended */
    bool follows;    /* an entry is in front of the next one */
    mx_err err;
} app_json;

/* An object, as the value of `key`; NULL: the document itself. What follows belongs to it until
 * app_json_end. */
void app_json_begin(app_json *json, const char *key);
void app_json_end(app_json *json);

/* NULL: null. A byte that is no UTF-8 becomes \udcXX, which Python's os.fsencode makes that byte
 * again. */
void app_json_text(app_json *json, const char *key, const char *text);
void app_json_whole(app_json *json, const char *key, int64_t value);
/* With 17 digits, by which any two doubles differ. NaN and infinities are null. */
void app_json_real(app_json *json, const char *key, double value);
void app_json_flag(app_json *json, const char *key, bool value);

void app_json_free(app_json *json);

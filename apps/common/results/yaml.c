#define _POSIX_C_SOURCE 200809L /* localtime_r */
#include "yaml.h"

#include "comm/signals.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- text ---- */

#define ADD(yaml, ...)                                                                      \
    do {                                                                                    \
        if ((yaml)->err == MX_OK) (yaml)->err = app_strbuf_add(&(yaml)->text, __VA_ARGS__); \
    } while (0)

static void begin(app_yaml *yaml, const char *key)
{
    ADD(yaml, "%*s%s:", 2 * yaml->depth, "", key);
}

void app_yaml_map(app_yaml *yaml, const char *key)
{
    begin(yaml, key);
    ADD(yaml, "\n");
    yaml->depth++;
}

void app_yaml_list(app_yaml *yaml, const char *key) { app_yaml_map(yaml, key); }

void app_yaml_item(app_yaml *yaml)
{
    ADD(yaml, "%*s-\n", 2 * yaml->depth, "");
    yaml->depth++;
}

void app_yaml_up(app_yaml *yaml) { yaml->depth--; }

/* Quotes and backslashes are escaped, and so are control characters, which YAML does not allow in a
 * text. */
void app_yaml_text(app_yaml *yaml, const char *key, const char *text)
{
    begin(yaml, key);
    ADD(yaml, " \"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            ADD(yaml, "\\x%02x", c);
        else
            ADD(yaml, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    ADD(yaml, "\"\n");
}

void app_yaml_whole(app_yaml *yaml, const char *key, int64_t value)
{
    begin(yaml, key);
    ADD(yaml, " %" PRId64 "\n", value);
}

/* YAML 1.1 takes a number for one with a fraction only if it has a point. */
static void add_real(app_yaml *yaml, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    const size_t mantissa = strcspn(digits, "e");
    if (isnan(value))
        ADD(yaml, ".nan");
    else if (isinf(value))
        ADD(yaml, "%s.inf", value < 0 ? "-" : "");
    else
        ADD(yaml, "%.*s%s%s", (int)mantissa, digits, strchr(digits, '.') ? "" : ".0",
            digits + mantissa);
}

void app_yaml_real(app_yaml *yaml, const char *key, double value)
{
    begin(yaml, key);
    ADD(yaml, " ");
    add_real(yaml, value);
    ADD(yaml, "\n");
}

void app_yaml_reals(app_yaml *yaml, const char *key, const double *values, int count)
{
    begin(yaml, key);
    ADD(yaml, " [");
    for (int i = 0; i < count; i++) {
        ADD(yaml, "%s", i > 0 ? ", " : "");
        add_real(yaml, values[i]);
    }
    ADD(yaml, "]\n");
}

void app_yaml_wholes(app_yaml *yaml, const char *key, const int64_t *values, int count)
{
    begin(yaml, key);
    ADD(yaml, " [");
    for (int i = 0; i < count; i++) ADD(yaml, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    ADD(yaml, "]\n");
}

void app_yaml_free(app_yaml *yaml)
{
    app_strbuf_free(&yaml->text);
    *yaml = (app_yaml){0};
}

/* ---- files ---- */

/* Opens a new file of this name, or of the first one that is free; `name` is its own. */
static mx_err open_new(const char *path, char *name, size_t size, FILE **file)
{
    enum { ATTEMPTS = 1000 };
    const size_t length = strlen(path), ending = sizeof ".yaml" - 1;
    const bool has_ending = length > ending && strcmp(path + length - ending, ".yaml") == 0;
    const int stem = (int)(has_ending ? length - ending : length);
    *file = NULL;
    for (int attempt = 1; attempt <= ATTEMPTS && !*file; attempt++) {
        char number[16] = "";
        if (attempt > 1) snprintf(number, sizeof number, "-%d", attempt);
        const int used = snprintf(name, size, "%.*s%s%s", stem, path, number, path + stem);
        MX_REQUIRE(used < (int)size, MX_ERR_IO, "%.100s...: the name is too long", path);
        *file = fopen(name, "wx");
        if (!*file && errno != EEXIST) break;
    }
    MX_REQUIRE(*file, MX_ERR_IO, "%s: %s, expected a name for a new file", path, strerror(errno));
    return MX_OK;
}

static mx_err write_here(const app_yaml *yaml, const char *path)
{
    char name[PATH_MAX];
    FILE *file;
    if (yaml->err != MX_OK) return MX_FAIL(yaml->err, "no memory for %s", path);
    MX_TRY(open_new(path, name, sizeof name, &file));
    app_signals_note(name);
    const size_t length = yaml->text.length;
    bool written = length == 0 || fwrite(yaml->text.text, 1, length, file) == length;
    written = fclose(file) == 0 && written;
    const mx_err err =
        written ? MX_OK : MX_FAIL(MX_ERR_IO, "%s: writing failed: %s", name, strerror(errno));
    if (err != MX_OK) (void)remove(name);
    app_signals_forget(name);
    return err;
}

mx_err app_yaml_write(app_comm comm, const app_yaml *yaml, const char *path)
{
    return app_agree(comm, app_rank(comm) == 0 ? write_here(yaml, path) : MX_OK);
}

const char *app_yaml_file_name(const char *prefix, const char *date, app_yaml_name *name)
{
    char when[64] = "";
    struct tm local;
    const time_t now = time(NULL);
    if (localtime_r(&now, &local))
        (void)strftime(when, sizeof when, date ? date : "%Y-%m-%d-%H-%M-%S", &local);
    snprintf(name->text, sizeof name->text, "%.180s%s.yaml", prefix, when);
    return name->text;
}

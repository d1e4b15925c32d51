/* Resource strings: "BACKEND" or "BACKEND:KEY=VALUE,KEY=VALUE", such as openmp:threads=4. */
#include "base/parse.h"
#include "context.h"

#include <stdio.h>
#include <string.h>

enum { MAX_THREADS = 4096, MAX_DEVICE = 1023, MAX_LANES = 64 };

/* ---- values ---- */

static mx_err read_threads(const char *text, const char *value, mx_resource *r)
{
    int64_t number = 0;
    MX_TRY(mx_parse_number(text, "threads", value, 1, MAX_THREADS, &number));
    r->threads = (int)number;
    return MX_OK;
}

static mx_err read_device(const char *text, const char *value, mx_resource *r)
{
    int64_t number = 0;
    MX_TRY(mx_parse_number(text, "device", value, 0, MAX_DEVICE, &number));
    r->device = (int)number;
    return MX_OK;
}

static mx_err read_layout(const char *text, const char *value, mx_resource *r)
{
    const bool left = strcmp(value, "left") == 0;
    MX_REQUIRE(left || strcmp(value, "right") == 0, MX_ERR_INPUT,
               "%s: layout: got '%s', expected left or right", text, value);
    r->layout = left ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT;
    return MX_OK;
}

static mx_err read_order(const char *text, const char *value, mx_resource *r)
{
    MX_REQUIRE(strcmp(value, "shuffled") == 0, MX_ERR_INPUT,
               "%s: order: got '%s', expected shuffled", text, value);
    r->shuffled = true;
    return MX_OK;
}

static mx_err read_seed(const char *text, const char *value, mx_resource *r)
{
    return mx_parse_number(text, "seed", value, 0, INT64_MAX, &r->seed);
}

/* "FIRST-LAST", or the number of one. */
static mx_err read_cores(const char *text, const char *value, mx_resource *r)
{
    char first[32];
    const char *const dash = strchr(value, '-');
    if (dash == NULL) {
        MX_TRY(mx_parse_number(text, "cores", value, 0, INT32_MAX, &r->cores[0]));
        r->cores[1] = r->cores[0];
        return MX_OK;
    }
    const int length = dash - value < (int)sizeof first ? (int)(dash - value) : 0;
    snprintf(first, sizeof first, "%.*s", length, value);
    MX_TRY(mx_parse_number(text, "cores", first, 0, INT32_MAX, &r->cores[0]));
    return mx_parse_number(text, "cores", dash + 1, r->cores[0], INT32_MAX, &r->cores[1]);
}

static mx_err read_lanes(const char *text, const char *value, mx_resource *r)
{
    int64_t number = 0;
    MX_TRY(mx_parse_number(text, "lanes", value, 1, MAX_LANES, &number));
    MX_REQUIRE((number & (number - 1)) == 0, MX_ERR_INPUT,
               "%s: lanes: got %s, expected a power of two", text, value);
    r->lanes = (int)number;
    return MX_OK;
}

static mx_err read_check(const char *text, const char *value, mx_resource *r)
{
    MX_REQUIRE(value[0] != '\0', MX_ERR_INPUT,
               "%s: check: got '', expected a resource or " MX_CHECK_RACES, text);
    snprintf(r->check, sizeof r->check, "%s", value);
    return MX_OK;
}

static mx_err read_priority(const char *text, const char *value, mx_resource *r)
{
    MX_REQUIRE(strcmp(value, "high") == 0, MX_ERR_INPUT, "%s: priority: got '%s', expected high",
               text, value);
    r->high_priority = true;
    return MX_OK;
}

static const struct {
    const char *name;
    mx_err (*read)(const char *text, const char *value, mx_resource *r);
} keys[] = {
    {"threads", read_threads}, {"device", read_device}, {"layout", read_layout},
    {"order", read_order},     {"seed", read_seed},     {"cores", read_cores},
    {"lanes", read_lanes},     {"check", read_check},   {"priority", read_priority},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

/* ---- the string ---- */

static mx_err read_key(const char *text, const char *key, const char *value, mx_resource *r)
{
    for (unsigned k = 0; k < KEYS; k++) {
        if (strcmp(key, keys[k].name) != 0) continue;
        MX_REQUIRE(!(r->given & 1u << k), MX_ERR_INPUT, "%s: %s is given twice", text, key);
        r->given |= 1u << k;
        return keys[k].read(text, value, r);
    }
    char all[128] = "";
    for (size_t k = 0, used = 0; k < KEYS; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "",
                                 keys[k].name);
    return MX_FAIL(MX_ERR_INPUT, "%s: unknown key '%s', expected one of %s", text, key, all);
}

/* `name` is what stands in front of the first colon. Says what to write where it has a comma, as in
 * serial,check=openmp. */
static mx_err check_name(const char *text, const char *name)
{
    const char *const comma = strchr(name, ',');
    if (comma == NULL) return MX_OK;
    MX_REQUIRE(strchr(comma, '=') != NULL, MX_ERR_INPUT,
               "%s: got '%s', expected the name of one backend", text, name);
    return MX_FAIL(
        MX_ERR_INPUT,
        "%s: got a comma behind the name of the backend, expected a colon: write %.*s:%s", text,
        (int)(comma - name), name, text + (comma - name) + 1);
}

mx_err mx_resource_parse(const char *text, mx_resource *r)
{
    char copy[256];
    memset(r, 0, sizeof *r);
    r->device = -1;
    r->seed = -1;
    r->cores[0] = -1;
    MX_REQUIRE(text != NULL && text[0] != '\0', MX_ERR_INPUT,
               "the resource of a context is empty: expected the name of a backend");
    MX_REQUIRE(strlen(text) < sizeof copy, MX_ERR_INPUT,
               "resource '%.40s...' is longer than %zu characters", text, sizeof copy - 1);
    strcpy(copy, text);
    char *options = strchr(copy, ':');
    if (options != NULL) *options++ = '\0';
    MX_TRY(check_name(text, copy));
    snprintf(r->backend, sizeof r->backend, "%.31s", copy);
    while (options != NULL) {
        const char *key = strsep(&options, ",");
        char *value = strchr(key, '=');
        MX_REQUIRE(value != NULL, MX_ERR_INPUT, "%s: got '%s', expected key=value", text, key);
        *value++ = '\0';
        MX_TRY(read_key(text, key, value, r));
    }
    return MX_OK;
}

/* ---- what the backend takes ---- */

/* The names of the backends with something, for messages: "serial". */
static void list_backends_with(bool (*has)(const mx_backend *backend), char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    for (int b = 0; (name = mx_backend_name(b)) != NULL && used < size; b++) {
        bool known;
        const mx_backend *const backend = mx_backend_find(name, &known);
        if (backend != NULL && has(backend))
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "", name);
    }
}

static bool takes_order(const mx_backend *backend) { return backend->host.shuffled != NULL; }
static bool takes_lanes(const mx_backend *backend) { return backend->host.auto_team_lanes > 0; }
static bool takes_cores(const mx_backend *backend) { return backend->info.binds_cores; }

static mx_err check_keys(const mx_resource *r, const mx_backend *named)
{
    char those[128] = "none";
    list_backends_with(takes_order, those, sizeof those);
    MX_REQUIRE(!r->shuffled || takes_order(named), MX_ERR_INPUT,
               "order=shuffled: got backend %s, expected %s", r->backend, those);
    MX_REQUIRE(!r->shuffled || r->threads <= 1, MX_ERR_INPUT,
               "threads: got %d, expected 1: %s has one thread", r->threads, r->backend);
    MX_REQUIRE(r->shuffled || r->seed < 0, MX_ERR_INPUT,
               "seed: got %lld without order=shuffled, the only order that uses it",
               (long long)r->seed);
    MX_REQUIRE(
        r->device < 0 || named->info.devices != NULL, MX_ERR_INPUT,
        "device: got %d, %s has no devices: leave the key out, or choose a backend with devices",
        r->device, r->backend);
    MX_REQUIRE(
        !r->high_priority || named->info.devices != NULL, MX_ERR_INPUT,
        "priority: got high, %s has no devices: leave the key out, or choose a backend with devices",
        r->backend);
    list_backends_with(takes_lanes, those, sizeof those);
    MX_REQUIRE(r->lanes == 0 || takes_lanes(named), MX_ERR_INPUT,
               "lanes: got backend %s, expected %s", r->backend, those);
    list_backends_with(takes_cores, those, sizeof those);
    MX_REQUIRE(r->cores[0] < 0 || takes_cores(named), MX_ERR_INPUT,
               "cores: got backend %s, expected %s", r->backend, those);
    return MX_OK;
}

/* The CMake option that builds a backend: "MINX_CUDA" for cuda. */
static void name_option(const char *backend, char *text, size_t size)
{
    snprintf(text, size, "MINX_%s", backend);
    for (char *c = text; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
}

mx_err mx_resource_backend(const mx_resource *r, const mx_backend **named, const mx_backend **runs)
{
    char have[128], option[64];
    const char *why;
    bool known;
    mx_backend_list(have, sizeof have);
    name_option(r->backend, option, sizeof option);
    *named = mx_backend_find(r->backend, &known);
    MX_REQUIRE(known, MX_ERR_INPUT, "backend: got '%s', expected one of %s", r->backend, have);
    MX_REQUIRE(
        *named != NULL, MX_ERR_BACKEND,
        "backend '%s' is not in this build, which has %s; configure with -D%s=ON to build it",
        r->backend, have, option);
    MX_TRY(check_keys(r, *named));
    *runs = r->shuffled ? (*named)->host.shuffled : *named;
    MX_REQUIRE(mx_backend_available((*runs)->info.name, &why), MX_ERR_BACKEND,
               "backend '%s' is not available here: %s", r->backend, why);
    return MX_OK;
}

static bool check_built(const mx_resource *r, const mx_backend *runs)
{
    if (strcmp(r->check, MX_CHECK_RACES) != 0) return mx_resource_built(r->check);
#ifdef MINX_RACE_CHECK
    return runs->host.run != NULL;
#else
    (void)runs;
    return false;
#endif
}

bool mx_resource_built(const char *text)
{
    mx_resource r;
    bool known;
    if (mx_resource_parse(text, &r) != MX_OK) return false;
    const mx_backend *const named = mx_backend_find(r.backend, &known);
    const mx_backend *const runs = named != NULL && r.shuffled ? named->host.shuffled : named;
    if (runs == NULL) return false;
    const mx_layout layout = r.layout == MX_LAYOUT_DEFAULT ? runs->info.layout : r.layout;
    return mx_backend_has_layout(runs, layout) && (r.check[0] == '\0' || check_built(&r, runs));
}

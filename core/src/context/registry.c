/* The backends that this version knows, by name. */
#include "context.h"

#include <stdio.h>
#include <string.h>

#define MX_BACKEND_IN_1(name) extern const mx_backend mx_backend_##name;
#define MX_BACKEND_IN_0(name)
#define MX_BACKEND_AT_1(name) {#name, &mx_backend_##name},
#define MX_BACKEND_AT_0(name) {#name, NULL},
#define MX_BACKEND_PASTE(prefix, in_build, name) prefix##in_build(name)
#define MX_BACKEND_EXPAND(prefix, in_build, name) MX_BACKEND_PASTE(prefix, in_build, name)

#define MX_BACKEND(name, in_build) MX_BACKEND_EXPAND(MX_BACKEND_IN_, in_build, name)
#include "../backends/backends.def"
#undef MX_BACKEND
#define MX_BACKEND(name, in_build) MX_BACKEND_EXPAND(MX_BACKEND_AT_, in_build, name)
static const struct {
    const char *name;
    const mx_backend *backend; /* NULL: not in this build */
} backends[] = {
#include "../backends/backends.def"
};
#undef MX_BACKEND

enum { BACKENDS = sizeof backends / sizeof backends[0] };

const char *mx_backend_name(int index)
{
    return index >= 0 && index < BACKENDS ? backends[index].name : NULL;
}

const mx_backend *mx_backend_find(const char *name, bool *known)
{
    *known = false;
    for (int b = 0; b < BACKENDS && name != NULL; b++) {
        if (strcmp(backends[b].name, name) != 0) continue;
        *known = true;
        return backends[b].backend;
    }
    return NULL;
}

bool mx_backend_available(const char *name, const char **why)
{
    const char *unused;
    bool known;
    const mx_backend *backend = mx_backend_find(name, &known);
    if (why == NULL) why = &unused;
    *why = "";
    if (backend == NULL) {
        *why = known ? "not in this build" : "no such backend";
        return false;
    }
    return backend->info.available == NULL || backend->info.available(why);
}

int mx_backend_devices(const char *name)
{
    bool known;
    const mx_backend *backend = mx_backend_find(name, &known);
    if (!mx_backend_available(name, NULL) || backend->info.devices == NULL) return 0;
    return backend->info.devices();
}

void mx_backend_list(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int b = 0; b < BACKENDS && used < size; b++)
        if (backends[b].backend != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     backends[b].name);
}

bool mx_backend_has_layout(const mx_backend *backend, mx_layout layout)
{
    /* MINX_INSTANCES_BUILT: "host:right simt:left" */
    static const char *const kinds[] = {MX_INSTANCE_KINDS_(MX_INSTANCE_TEXT_)};
    char instance[32];
    snprintf(instance, sizeof instance, "%s:%s", kinds[backend->info.instance],
             mx_layout_name(layout));
    return strstr(MINX_INSTANCES_BUILT, instance) != NULL;
}

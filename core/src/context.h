/* Contexts: what the core does with them beside what backends see (backend.h). */
#pragma once
#include "backend.h"

/* ---- fence.c: waiting, and the list of open contexts ---- */

/* Puts a context at the end of the list, and numbers it. */
void mx_ctx_list(mx_ctx ctx);
/* Takes it out, if it is there. */
void mx_ctx_unlist(mx_ctx ctx);
/* The next context is number 1 again. */
void mx_ctx_restart_numbers(void);

/* A fence that a tool asks for, of every context that records no graph: what went wrong is left to the next mx_fence. */
void mx_fence_for_tool(const char *name);

/* ---- fault.c: what kernels note for the host ---- */

/* Memory for the notes: ctx->overflow and, with MINX_BOUNDS_CHECK, ctx->fault. */
mx_err mx_notes_create(mx_ctx ctx);
void mx_notes_destroy(mx_ctx ctx);

/* ---- cores.c ---- */

/* Cores of its own for a context, number first to last of those of the process. Sets ctx->threads where that is 0. */
mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last);

/* Lets the backend open the context. Threads that it starts may run on all cores of the process, also where OpenMP has bound
 * the calling thread to one. */
mx_err mx_cores_open(mx_ctx ctx);

/* ---- scratch.c ---- */

void mx_scratch_destroy(mx_ctx ctx);

/* ---- registry.c: the backends of backends.def ---- */

/* A backend by its name; NULL: no such name, or not in this build, which *known tells apart. */
const mx_backend *mx_backend_find(const char *name, bool *known);

/* The names of what this build has, for messages: "serial, openmp, simt". */
void mx_backend_list(char *text, size_t size);

/* Are there kernels of this layout for the backend in this build? */
bool mx_backend_has_layout(const mx_backend *backend, mx_layout layout);

/* ---- resource.c: resource strings ---- */

typedef struct mx_resource {
    char backend[32];
    int threads;      /* 0: not given */
    int device;       /* -1: not given */
    int64_t seed;     /* -1: not given */
    int64_t cores[2]; /* first and last; -1: not given */
    mx_layout layout; /* MX_LAYOUT_DEFAULT: not given */
    bool shuffled;
    char check[256]; /* "": not given */
    unsigned given;  /* the keys seen so far, a bit each */
} mx_resource;

/* Reads a resource string. */
mx_err mx_resource_parse(const char *text, mx_resource *resource);

/* The backend that a resource names, and the one that runs it: another one where order=shuffled. Checks that it takes the keys
 * that were given, and that it is available. */
mx_err mx_resource_backend(const mx_resource *resource, const mx_backend **named,
                           const mx_backend **runs);

/* ---- context.c ---- */

/* What settings say of contexts whose resource says nothing. */
typedef struct mx_ctx_defaults {
    int threads;              /* 0: nothing */
    int device;               /* -1: nothing */
    int64_t device_by_number; /* this number modulo the devices; -1: nothing */
} mx_ctx_defaults;
void mx_ctx_set_defaults(const mx_ctx_defaults *defaults);

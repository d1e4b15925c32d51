/* How contexts are made: the functions for the core only. */
#pragma once
#include "base/state.h"

/* ---- registry.c: the backends of backends.def ---- */

/* Finds a backend by its name. NULL: if *known, it is not in this build, else there is no such
 * name. */
const mx_backend *mx_backend_find(const char *name, bool *known);

/* The names of the backends in this build, for messages: "serial, openmp, simt". */
void mx_backend_list(char *text, size_t size);

/* Are there kernels of this layout for the backend in this build? */
bool mx_backend_has_layout(const mx_backend *backend, mx_layout layout);

/* ---- resource.c: resource strings ---- */

/* The check that is no resource. */
#define MX_CHECK_RACES "races"

typedef struct mx_resource {
    char backend[32];
    int threads;      /* 0: not given */
    int device;       /* -1: not given */
    int lanes;        /* 0: not given */
    int64_t seed;     /* -1: not given */
    int64_t cores[2]; /* first and last; -1: not given */
    mx_layout layout; /* MX_LAYOUT_DEFAULT: not given */
    bool shuffled;
    bool high_priority;
    char check[256]; /* "": not given */
    unsigned given;  /* the keys seen so far, a bit each */
} mx_resource;

/* Reads a resource string. */
mx_err mx_resource_parse(const char *text, mx_resource *resource);

/* Finds the backend that a resource names, and the one that runs it (another one with
 * order=shuffled). Checks that the named one takes the given keys, and is available. */
mx_err mx_resource_backend(const mx_resource *resource, const mx_backend **named,
                           const mx_backend **runs);

/* ---- context.c ---- */

/* Settings for contexts whose resource string has no such key. */
typedef struct mx_ctx_defaults {
    int threads;                /* 0: not set */
    const char *threads_origin; /* the option or the variable */
    int device;                 /* -1: not set */
    int64_t device_by_number;   /* the device is this modulo the number of devices; -1: not set */
    int reduction_wait;         /* see mx_ctx_s */
    bool races;                 /* check=races, for contexts of host backends without check= */
} mx_ctx_defaults;
enum { MX_REDUCTION_WAIT = 60 };
void mx_ctx_set_defaults(const mx_ctx_defaults *defaults);

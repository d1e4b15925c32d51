/* The input of the program: what a deck may set. The program, minx-verify and --help-deck read this table. */
#pragma once
#include "input/keys.h"

typedef struct ripple_input {
    int64_t cells, steps;
} ripple_input;

/* clang-format off */
static const app_key ripple_rows[] = {
    {.name = "cells", .type = APP_KEY_INT64, .low = 4, .high = 4096, .standard = 48,
     .offset = offsetof(ripple_input, cells), .help = "cells along each side"},
    {.name = "steps", .type = APP_KEY_INT64, .low = 1, .high = 1e9, .standard = 100,
     .offset = offsetof(ripple_input, steps), .help = "time steps"},
};
/* clang-format on */
static const app_input ripple_keys = {
    .keys = ripple_rows, .count = 2, .size = sizeof(ripple_input)};

/* alpha dt / h^2 */
#define RIPPLE_R 0.2
/* Sums of rounded terms: relative. */
#define RIPPLE_TOLERANCE 1e-11

#pragma once
#include "input/keys.h"

typedef struct sample_input {
    int64_t cells, steps;
} sample_input;
/* clang-format off */
static const app_key rows[] = {
    {.name = "cells", .type = APP_KEY_INT64, .low = 1, .high = 4096, .standard = 16,
     .offset = offsetof(sample_input, cells), .help = "cells along each side"},
    {.name = "steps", .type = APP_KEY_INT64, .low = 1, .high = 1e9, .standard = 10,
     .offset = offsetof(sample_input, steps), .help = "time steps"},
};
static const app_input sample_keys = {.keys = rows, .count = 2, .size = sizeof(sample_input)};

/* What a test needs before it can check anything: where it does not hold, the test ends. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define MUST(holds)                                                               \
    do {                                                                          \
        if (!(holds)) {                                                           \
            fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #holds); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

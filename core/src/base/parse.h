/* Reading numbers from the user's input. */
#pragma once
#include "minx/error.h"

#include <stdint.h>

/* Reads a whole number from low to high. If it is not, MX_ERR_INPUT: "WHERE: KEY: got 'VALUE',
 * expected ...". */
mx_err mx_parse_number(const char *where, const char *key, const char *value, int64_t low,
                       int64_t high, int64_t *number);

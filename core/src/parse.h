/* Reading numbers that a user wrote. */
#pragma once
#include "minx/error.h"

#include <stdint.h>

/* A whole number from low to high; else MX_ERR_INPUT, "WHERE: KEY: got 'VALUE', expected ...". */
mx_err mx_parse_number(const char *where, const char *key, const char *value, int64_t low,
                       int64_t high, int64_t *number);

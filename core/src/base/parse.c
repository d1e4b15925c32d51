#include "parse.h"

#include <errno.h>
#include <stdlib.h>

mx_err mx_parse_number(const char *where, const char *key, const char *value, int64_t low,
                       int64_t high, int64_t *number)
{
    char *end;
    errno = 0;
    const long long n = strtoll(value, &end, 10);
    /* strtoll would accept leading blanks and a sign */
    const bool digit = value[0] >= '0' && value[0] <= '9';
    MX_REQUIRE(digit && *end == '\0' && errno == 0 && n >= low && n <= high, MX_ERR_INPUT,
               "%s: %s: got '%s', expected a whole number from %lld to %lld", where, key, value,
               (long long)low, (long long)high);
    *number = n;
    return MX_OK;
}

#define MX_NOT_CHECKED
#include "minx/kernel.h"

#include "check_against.h"

MX_BODY void ca_not_checked_body(const ca_args *a, int i)
{
    MX_AT(a->marks, i) += i + (i >= 5 ? CA_MISTAKE : 0);
}
MX_FOR(1D, ca_not_checked)

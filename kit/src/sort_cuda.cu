/* Sorting on cuda. */
#define _GLIBCXX_IOSTREAM 1 /* CUB includes <iostream>, whose objects need the C++ run time */
#include "sort_device.h"

mx_err mx_sort_on_cuda(mx_ctx ctx, mx_pairs *p, int bits) { return sort_on_device(ctx, p, bits); }

/* Work of a process without contexts, as minx-verify, divided among threads: as many as there are
 * cores that this process may use. What comes out does not depend on their number where a part
 * writes only what no other part reads or writes, and where sums of parts are added in the order of
 * the parts. */
#pragma once
#include <stdint.h>

typedef void app_part(void *work, int64_t part);

/* Calls part(work, n) for n from 0 to parts - 1, each once, in any order. Done on return. */
void app_share(int64_t parts, app_part *part, void *work);

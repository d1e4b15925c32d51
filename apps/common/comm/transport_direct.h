/* What tests of direct messages need: a path with another kind of device. Apps never include this. */
#pragma once
#include "direct.h"
#include "transport_path.h"

/* For the open of a path whose other functions are those of app_path_direct. outer: the path of
 * messages to other hosts, and of messages and sums of at least outer_bytes bytes; NULL, if all ranks
 * are on one host and outer_bytes is UINT64_MAX: none. */
mx_err app_direct_open(app_transport transport, const app_direct_device *device,
                       const app_path *outer, uint64_t outer_bytes);

/* What tests of direct messages need: a path with another kind of device. Apps never include this. */
#pragma once
#include "direct.h"
#include "transport_path.h"

/* For the open of a path whose other functions are those of app_path_direct. outer: the path of
 * messages to other hosts; NULL: all ranks are on one. */
mx_err app_direct_open(app_transport transport, const app_direct_device *device,
                       const app_path *outer);

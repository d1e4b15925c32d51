/* A part of clusters.c: the embedded-atom method. */
#pragma once
#include "minx/context.h"

/* The number of failed checks so far. */
int test_eam_clusters(mx_ctx ctx);

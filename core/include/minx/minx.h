/* minx for drivers: the core, but what kernel files need (minx/kernel.h); the kit's headers are
 * included by name. */
#pragma once
#include "minx/accessor.h"
#include "minx/context.h"
#include "minx/error.h"
#include "minx/graph.h"
#include "minx/launch.h"
#include "minx/math.h"
#include "minx/policy.h"
#include "minx/reduce.h"
#include "minx/tools.h"
#include "minx/trait.h"
#include "minx/view.h"

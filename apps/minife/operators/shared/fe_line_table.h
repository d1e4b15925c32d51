/* What operators share that go through lines of the mesh: lines, symmetric and uniform. */
#pragma once
#include "fe_line_kernels.h"
#include "fe_matrix.h"

/* level->views.line: see fe_lines_args. */
mx_err fe_make_line_table(fe_level *level);
/* How long a line of so many nodes and a plane of so many lines are. A plane has an odd number of
 * cache lines, so that its slots do not fall into the same sets of a cache. */
void fe_choose_pitch(fe_storage *storage, int nodes, int lines);

enum { FE_LINES_PER_TEAM = 4 }; /* lines, symmetric */

/* The rows of a product, by planes, lines and nodes along x: the items of a kernel on devices. */
mx_range_3 fe_range_of_rows(const fe_level *level, fe_part part);
/* Hosts: teams with some lines each. */
mx_teams fe_teams_of_lines(const fe_level *level, fe_part part, int lines_per_team);
/* All arguments. */
mx_err fe_bind_lines(const fe_level *level, const fe_product *product, fe_lines_args *args);

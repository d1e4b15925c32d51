/* Index spaces: the first argument of the macros that declare kernels (launch.h) and define them
 * (kernel.h).
 *
 *     1D 2D 3D 4D 5D 6D      a range (mx_range_1d and so on); bodies have int indices
 *     1D_64 to 6D_64         the same range types; bodies have int64_t indices
 *     TEAM                   a league of teams (mx_league); kernel files include minx/team.h
 *
 * The rest of this header is for those macros. They look words up in tables. A word that is not in
 * the table gives one error instead of many. */
#pragma once
#include "minx/language.h"

#define MX_PASTE_(a, b) a##b
#define MX_PASTE(a, b) MX_PASTE_(a, b)
#define MX_SECOND_(a, b, ...) b
#define MX_THIRD_(a, b, c, ...) c
#define MX_FOURTH_(a, b, c, d, ...) d
#define MX_FIFTH_(a, b, c, d, e, ...) e
#define MX_SIXTH_(a, b, c, d, e, f, ...) f

/* The macros pass on words that end with an underscore, because a user may have a macro with the
 * word itself as its name.
 *
 * A row of a table is a macro with the text "~, value". `none` is the value if there is no such
 * row. */
#define MX_LOOK_UP_(row, none) MX_SECOND_OF_(row, none, ~)
#define MX_SECOND_OF_(...) MX_SECOND_(__VA_ARGS__)

/* The kind of an index space; UNKNOWN_ if the word is not an index space. */
#define MX_INDEX_KIND_1D_ ~, LINE_
#define MX_INDEX_KIND_2D_ ~, GRID_
#define MX_INDEX_KIND_3D_ ~, GRID_
#define MX_INDEX_KIND_4D_ ~, GRID_
#define MX_INDEX_KIND_5D_ ~, GRID_
#define MX_INDEX_KIND_6D_ ~, GRID_
#define MX_INDEX_KIND_1D_64_ ~, LINE_
#define MX_INDEX_KIND_2D_64_ ~, GRID_
#define MX_INDEX_KIND_3D_64_ ~, GRID_
#define MX_INDEX_KIND_4D_64_ ~, GRID_
#define MX_INDEX_KIND_5D_64_ ~, GRID_
#define MX_INDEX_KIND_6D_64_ ~, GRID_
#define MX_INDEX_KIND_TEAM_ ~, TEAM_
#define MX_INDEX_KIND_(S) MX_LOOK_UP_(MX_INDEX_KIND_##S##_, UNKNOWN_)

/* The number of an index space, by which a definition is compared with its declaration. */
#define MX_INDEX_NUMBER_1D_ 1
#define MX_INDEX_NUMBER_2D_ 2
#define MX_INDEX_NUMBER_3D_ 3
#define MX_INDEX_NUMBER_4D_ 4
#define MX_INDEX_NUMBER_5D_ 5
#define MX_INDEX_NUMBER_6D_ 6
#define MX_INDEX_NUMBER_1D_64_ 7
#define MX_INDEX_NUMBER_2D_64_ 8
#define MX_INDEX_NUMBER_3D_64_ 9
#define MX_INDEX_NUMBER_4D_64_ 10
#define MX_INDEX_NUMBER_5D_64_ 11
#define MX_INDEX_NUMBER_6D_64_ 12
#define MX_INDEX_NUMBER_TEAM_ 13

/* M(dimensions, index type, policy type, how a policy is passed on, ...) */
#define MX_INDEX_WITH_1D_(M, ...) M(1, int, mx_range_1, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_2D_(M, ...) M(2, int, mx_range_2, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_3D_(M, ...) M(3, int, mx_range_3, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_4D_(M, ...) M(4, int, mx_range_4, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_5D_(M, ...) M(5, int, mx_range_5, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_6D_(M, ...) M(6, int, mx_range_6, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_1D_64_(M, ...) M(1, int64_t, mx_range_1, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_2D_64_(M, ...) M(2, int64_t, mx_range_2, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_3D_64_(M, ...) M(3, int64_t, mx_range_3, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_4D_64_(M, ...) M(4, int64_t, mx_range_4, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_5D_64_(M, ...) M(5, int64_t, mx_range_5, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_6D_64_(M, ...) M(6, int64_t, mx_range_6, MX_OF_RANGE_, __VA_ARGS__)
#define MX_INDEX_WITH_TEAM_(M, ...) M(1, int, mx_teams, MX_OF_TEAMS_, __VA_ARGS__)

/* The patterns that each kind has. minx/team.h and minx/scan.h have the rows for teams and
 * scans. */
#define MX_OVER_LINE_FOR_ ~, RANGE_
#define MX_OVER_LINE_REDUCE_ ~, RANGE_
#define MX_OVER_LINE_FIELDS_ ~, RANGE_
#define MX_OVER_LINE_CUSTOM_ ~, RANGE_
#define MX_OVER_LINE_ARRAY_ ~, RANGE_
#define MX_OVER_GRID_FOR_ ~, RANGE_
#define MX_OVER_GRID_REDUCE_ ~, RANGE_
#define MX_OVER_GRID_FIELDS_ ~, RANGE_
#define MX_OVER_GRID_CUSTOM_ ~, RANGE_
#define MX_OVER_GRID_ARRAY_ ~, RANGE_
#define MX_OVER_UNKNOWN_FOR_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_REDUCE_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_FIELDS_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_CUSTOM_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_ARRAY_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_SCAN_ ~, NO_SPACE_
#define MX_OVER_UNKNOWN_SCAN_CUSTOM_ ~, NO_SPACE_

/* The traits that each kind has; kernel.h explains them. */
#define MX_ITEMS_OVER_LINE_MX_ITEMS_DEFAULT_ ~, MX_ITEMS_SIMD
#define MX_ITEMS_OVER_LINE_MX_ITEMS_SIMD_ ~, MX_ITEMS_SIMD
#define MX_ITEMS_OVER_LINE_MX_ITEMS_PLAIN_ ~, MX_ITEMS_PLAIN
#ifdef __CUDACC__
#define MX_ITEMS_OVER_LINE_MX_ITEMS_GATHER_ ~, MX_ITEMS_GATHER
#else
#define MX_ITEMS_OVER_LINE_MX_ITEMS_GATHER_ ~, MX_ITEMS_PLAIN
#endif
#define MX_ITEMS_OVER_GRID_MX_ITEMS_DEFAULT_ ~, MX_ITEMS_SIMD
#define MX_ITEMS_OVER_GRID_MX_ITEMS_SIMD_ ~, MX_ITEMS_SIMD
#define MX_ITEMS_OVER_GRID_MX_ITEMS_PLAIN_ ~, MX_ITEMS_PLAIN
#define MX_ITEMS_OVER_GRID_MX_ITEMS_STENCIL_ ~, MX_ITEMS_STENCIL
#ifdef __CUDACC__
#define MX_ITEMS_OVER_GRID_MX_ITEMS_COLUMN_ ~, MX_ITEMS_COLUMN
#else
#define MX_ITEMS_OVER_GRID_MX_ITEMS_COLUMN_ ~, MX_ITEMS_PLAIN
#endif
#define MX_ITEMS_OVER_TEAM_MX_ITEMS_DEFAULT_ ~, MX_ITEMS_PLAIN
#define MX_ITEMS_OVER_TEAM_MX_ITEMS_PLAIN_ ~, MX_ITEMS_PLAIN
#define MX_ITEMS_OVER_TEAM_MX_ITEMS_SIMD_ ~, MX_ITEMS_SIMD

/* The names of the patterns' macros, for messages. */
#define MX_TEXT_FOR_ "MX_FOR"
#define MX_TEXT_REDUCE_ "MX_REDUCE"
#define MX_TEXT_FIELDS_ "MX_REDUCE_FIELDS"
#define MX_TEXT_CUSTOM_ "MX_REDUCE_CUSTOM"
#define MX_TEXT_ARRAY_ "MX_REDUCE_ARRAY"
#define MX_TEXT_SCAN_ "MX_SCAN"
#define MX_TEXT_SCAN_CUSTOM_ "MX_SCAN_CUSTOM"
#define MX_NO_SPACE_TEXT_(S) \
#S " is no index space: 1D to 6D, 1D_64 to 6D_64, or TEAM (the first argument)"

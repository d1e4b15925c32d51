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
#include "minx/detail/language.h"

#define MX_PASTE_(a, b) a##b
#define MX_PASTE_OF_(a, b) MX_PASTE_(a, b)
#define MX_SECOND_(a, b, ...) b

/* A row of a table is a macro with the text "~, value". `none` is the value if there is no such
 * row. */
#define MX_LOOK_UP_(row, none) MX_SECOND_OF_(row, none, ~)
#define MX_SECOND_OF_(...) MX_SECOND_(__VA_ARGS__)

/* An index space is a row MX_INDEX_S_. Its value is a macro that calls
 * M(kind, dimensions, index type, policy type, how a policy is passed on, ...). */
#define MX_INDEX_1D_ ~, MX_OVER_1D_
#define MX_INDEX_2D_ ~, MX_OVER_2D_
#define MX_INDEX_3D_ ~, MX_OVER_3D_
#define MX_INDEX_4D_ ~, MX_OVER_4D_
#define MX_INDEX_5D_ ~, MX_OVER_5D_
#define MX_INDEX_6D_ ~, MX_OVER_6D_
#define MX_INDEX_1D_64_ ~, MX_OVER_1D_64_
#define MX_INDEX_2D_64_ ~, MX_OVER_2D_64_
#define MX_INDEX_3D_64_ ~, MX_OVER_3D_64_
#define MX_INDEX_4D_64_ ~, MX_OVER_4D_64_
#define MX_INDEX_5D_64_ ~, MX_OVER_5D_64_
#define MX_INDEX_6D_64_ ~, MX_OVER_6D_64_
#define MX_INDEX_TEAM_ ~, MX_OVER_TEAM_
#define MX_OVER_1D_(M, ...) M(RANGE_, 1, int, mx_range_1, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_2D_(M, ...) M(RANGE_, 2, int, mx_range_2, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_3D_(M, ...) M(RANGE_, 3, int, mx_range_3, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_4D_(M, ...) M(RANGE_, 4, int, mx_range_4, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_5D_(M, ...) M(RANGE_, 5, int, mx_range_5, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_6D_(M, ...) M(RANGE_, 6, int, mx_range_6, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_1D_64_(M, ...) M(RANGE_, 1, int64_t, mx_range_1, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_2D_64_(M, ...) M(RANGE_, 2, int64_t, mx_range_2, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_3D_64_(M, ...) M(RANGE_, 3, int64_t, mx_range_3, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_4D_64_(M, ...) M(RANGE_, 4, int64_t, mx_range_4, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_5D_64_(M, ...) M(RANGE_, 5, int64_t, mx_range_5, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_6D_64_(M, ...) M(RANGE_, 6, int64_t, mx_range_6, MX_OF_RANGE_, __VA_ARGS__)
#define MX_OVER_TEAM_(M, ...) M(TEAM_, 1, int, mx_teams, MX_OF_TEAMS_, __VA_ARGS__)
#define MX_NO_INDEX_(M, PATTERN, S, name, ...) \
    MX_STATIC_ASSERT(                          \
        false, #name                           \
        ": " #S " is no index space: 1D to 6D, 1D_64 to 6D_64, or TEAM (the first argument)");

/* minx/scan.h replaces these. */
#define MX_SCAN(S, name, ...) \
    MX_STATIC_ASSERT(false, #name ": scans are defined in minx/scan.h, which is not included");
#define MX_SCAN_CUSTOM MX_SCAN

/* The parameters of a body behind its arguments: the indices (or the team), then those of the
 * pattern. */
#define MX_PARAMETERS_RANGE_(D, I) MX_PARAMETERS_##D##_(I)
#define MX_PARAMETERS_TEAM_(D, I) struct mx_team *t
#define MX_PARAMETERS_1_(I) I i0
#define MX_PARAMETERS_2_(I) MX_PARAMETERS_1_(I), I i1
#define MX_PARAMETERS_3_(I) MX_PARAMETERS_2_(I), I i2
#define MX_PARAMETERS_4_(I) MX_PARAMETERS_3_(I), I i3
#define MX_PARAMETERS_5_(I) MX_PARAMETERS_4_(I), I i4
#define MX_PARAMETERS_6_(I) MX_PARAMETERS_5_(I), I i5
#define MX_TAIL_FOR_(name)
#define MX_TAIL_REDUCE_(name) , name##__value *v
#define MX_TAIL_FIELDS_(name) , name##__value *v
#define MX_TAIL_CUSTOM_(name) , name##__value *v
#define MX_TAIL_ARRAY_(name) , name##__array v
#define MX_TAIL_SCAN_(name) , name##__value *v, bool final
#define MX_TAIL_SCAN_CUSTOM_(name) , name##__value *v, bool final

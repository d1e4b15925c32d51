/* Products y = A x of one level, for each form of the matrix (fe_storage.h). A kernel `..._dot`
 * also gives x . y. x has ghosts. */
#pragma once
#include "fe_storage.h"

/* Read once in each product, and not written by it. */
MX_ACCESSOR(fe_column_numbers, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_values, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_f32values, const float, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* Coefficient number `at` of arguments with both types of coefficients, in a kernel. */
#define FE_VALUE(a, at, is_f32) \
    ((is_f32) ? (double)MX_LOAD((a)->f32value, at) : MX_LOAD((a)->value, at))

/* Kernels `name`, `name_dot`, and those for coefficients of type float. */
#define FE_DECLARE_PRODUCTS(S, name, ARGS)         \
    MX_DECLARE_FOR(S, name, ARGS)                  \
    MX_DECLARE_FOR(S, name##_f32, ARGS)            \
    MX_DECLARE_REDUCE(S, name##_dot, ARGS, double) \
    MX_DECLARE_REDUCE(S, name##_f32_dot, ARGS, double)

/* Defines the kernels of FE_DECLARE_PRODUCTS(TEAM, ...) in a kernel file. rows(args, team, is_f32)
 * computes the team's rows, and returns what this lane adds to x . y. */
#define FE_DEFINE_PRODUCTS(name, ARGS, rows)                                            \
    MX_BODY void name##_body(const ARGS *a, mx_team *t) { (void)rows(a, t, false); }    \
    MX_BODY void name##_f32_body(const ARGS *a, mx_team *t) { (void)rows(a, t, true); } \
    MX_BODY void name##_dot_body(const ARGS *a, mx_team *t, double *dot)                \
    {                                                                                   \
        *dot += rows(a, t, false);                                                      \
    }                                                                                   \
    MX_BODY void name##_f32_dot_body(const ARGS *a, mx_team *t, double *dot)            \
    {                                                                                   \
        *dot += rows(a, t, true);                                                       \
    }                                                                                   \
    MX_FOR(TEAM, name)                                                                  \
    MX_FOR(TEAM, name##_f32)                                                            \
    MX_REDUCE(TEAM, name##_dot, MX_SUM)                                                 \
    MX_REDUCE(TEAM, name##_f32_dot, MX_SUM)

/* The same for FE_DECLARE_PRODUCTS(3D, ...). row(args, i, j, k, is_f32) computes one row, and
 * returns its part of x . y. */
#define FE_DEFINE_ROW_PRODUCTS(name, ARGS, row)                                                    \
    MX_BODY void name##_body(const ARGS *a, int i, int j, int k) { (void)row(a, i, j, k, false); } \
    MX_BODY void name##_f32_body(const ARGS *a, int i, int j, int k)                               \
    {                                                                                              \
        (void)row(a, i, j, k, true);                                                               \
    }                                                                                              \
    MX_BODY void name##_dot_body(const ARGS *a, int i, int j, int k, double *dot)                  \
    {                                                                                              \
        *dot += row(a, i, j, k, false);                                                            \
    }                                                                                              \
    MX_BODY void name##_f32_dot_body(const ARGS *a, int i, int j, int k, double *dot)              \
    {                                                                                              \
        *dot += row(a, i, j, k, true);                                                             \
    }                                                                                              \
    MX_FOR(3D, name, MX_ITEMS_PLAIN)                                                               \
    MX_FOR(3D, name##_f32, MX_ITEMS_PLAIN)                                                         \
    MX_REDUCE(3D, name##_dot, MX_SUM, MX_ITEMS_PLAIN)                                              \
    MX_REDUCE(3D, name##_f32_dot, MX_SUM, MX_ITEMS_PLAIN)

/* Declarations for the operators that store the coefficients of a matrix. */
#pragma once
#include "kernels/fe_product_kernels.h"
#include "level/fe_level.h"

/* Calls the kernel of a form that the level's precision and the caller want. range: of teams or
 * items; dot: NULL, or an fe_dot_product. */
#define FE_LAUNCH(level, name, range, args, dot)                                  \
    (!(level)->storage.is_f32                                                     \
         ? ((dot) == NULL ? name(range, args)                                     \
                          : name##_dot_into(range, args, (dot)->view, (dot)->at)) \
         : ((dot) == NULL ? name##_f32(range, args)                               \
                          : name##_f32_dot_into(range, args, (dot)->view, (dot)->at)))

/* One of them is the matrix, by the level's precision; the other one is empty. */
mx_err fe_bind_values(const fe_level *level, fe_matrix_values *value,
                      fe_matrix_f32values *f32value);

/* Bytes of a matrix that has its entries once, and `more` bytes beside each coefficient. */
double fe_bytes_of_entries(const fe_level *level, double more);

/* The work of a product that reads `stored` coefficients, and `more` bytes beside each of them. A
 * row has its elements of x and y; what is stored for padding does not count. */
fe_work fe_work_of_stored(const fe_level *level, double stored, double more);

/* The table of operators: input/operators.def lists the rows. */
#pragma once
#include "input/fe_input.h"
#include "level/fe_operator.h"

/* By fe_operator. */
extern const fe_operator_row *const fe_operator_rows[FE_OPERATORS];

/* The table of operators: input/operators.def lists the rows. */
#pragma once
#include "input/fe_input.h"
#include "level/fe_operator.h"

/* By fe_operator. */
extern const fe_operator_form *const fe_operator_forms[FE_OPERATORS];

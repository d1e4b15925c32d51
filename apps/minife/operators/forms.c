#include "fe_operators.h"

#define FE_OPERATOR(NAME, word, ...) extern const fe_operator_form fe_operator_##word;
#include "input/operators.def"
#undef FE_OPERATOR

const fe_operator_form *const fe_operator_forms[] = {
#define FE_OPERATOR(NAME, word, ...) &fe_operator_##word,
#include "input/operators.def"
#undef FE_OPERATOR
};

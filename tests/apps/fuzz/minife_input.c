/* Throws text at the reader of miniFE's parameter files.
 *
 * Properties checked for any text:
 *   1. the reader returns, reads nothing beyond the end, and gives MX_OK, or MX_ERR_INPUT with a message that names the file and
 *      what was expected;
 *   2. accepted input keeps the ranges of its table, and the matrix has at most 2^63 nonzeros;
 *   3. reading twice gives the same parameters. */
#include "input/fe_input.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_input(const fe_input *in)
{
    HOLDS(in->nx >= 1 && in->ny >= 1 && in->nz >= 1);
    HOLDS((3.0 * (double)in->nx + 1) * (3.0 * (double)in->ny + 1) * (3.0 * (double)in->nz + 1) <
          9223372036854775808.0);
    HOLDS(in->max_iterations >= 0 && in->verify_solution >= 0);
    HOLDS(in->tolerance >= 0 && isfinite(in->tolerance));
    HOLDS(in->relative_tolerance >= 0 && in->relative_tolerance <= 1);
    HOLDS(in->load_imbalance >= 0 && isfinite(in->load_imbalance));
    HOLDS(in->name == NULL || (in->yaml != NULL && strchr(in->name, '/') == NULL));
}

/* Every parameter of /input, as bits. */
static void check_same(const fe_input *one, const fe_input *other)
{
    for (int i = 0;; i++) {
        app_parameter a, b;
        HOLDS(app_keys_parameter(&fe_keys, 0, one, i, &a) == MX_OK);
        HOLDS(app_keys_parameter(&fe_keys, 0, other, i, &b) == MX_OK);
        HOLDS((a.name == NULL) == (b.name == NULL));
        if (a.name == NULL) return;
        HOLDS(a.kind == b.kind && a.whole == b.whole && a.real == b.real);
        HOLDS(a.kind != APP_PARAMETER_TEXT || strcmp(a.text, b.text) == 0);
        app_parameter_free(&a);
        app_parameter_free(&b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static app_keys keys, again;
    fe_input first, second;
    char *const text = own_block(data, size);
    mx_err_clear();
    const mx_err err = app_keys_read(&keys, &fe_keys, "input", text, size, NULL, &first);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT);
    if (err == MX_ERR_INPUT) {
        HOLDS(strstr(mx_err_message(), "expected ") != NULL);
        HOLDS(strncmp(mx_err_message(), "input:", 6) == 0 ||
              strncmp(mx_err_message(), "command line: ", 14) == 0); /* of several keys together */
    } else {
        check_input(&first);
        HOLDS(app_keys_read(&again, &fe_keys, "input", text, size, NULL, &second) == MX_OK);
        check_same(&first, &second);
        app_keys_close(&again);
    }
    app_keys_close(&keys);
    free(text);
    return 0;
}

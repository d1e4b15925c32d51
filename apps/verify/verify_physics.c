#include "comm/comm.h"
#include "contents.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stored check, /verification/NAME. */
typedef struct check_data {
    const char *name;
    double value, expected, tolerance;
    bool passed;
} check_data;

static bool read_f64(app_reader reader, const char *group, const char *name, double *value)
{
    char path[512];
    int64_t count = 0;
    double *values = NULL;
    snprintf(path, sizeof path, "%s/%s", group, name);
    if (app_reader_f64(reader, path, &count, &values) != MX_OK) return false;
    const bool one = count == 1;
    if (one) *value = values[0];
    free(values);
    return one;
}

static bool read_flag(app_reader reader, const char *group, const char *name, bool *flag)
{
    char path[512];
    int64_t count = 0, *values = NULL;
    snprintf(path, sizeof path, "%s/%s", group, name);
    if (app_reader_i64(reader, path, &count, &values) != MX_OK) return false;
    const bool good = count == 1 && (values[0] == 0 || values[0] == 1);
    if (good) *flag = values[0] == 1;
    free(values);
    return good;
}

static bool read_check(app_reader reader, const char *group, check_data *check)
{
    check->name = strrchr(group, '/') + 1;
    return read_f64(reader, group, "value", &check->value) &&
           read_f64(reader, group, "expected", &check->expected) &&
           read_f64(reader, group, "tolerance", &check->tolerance) &&
           read_flag(reader, group, "passed", &check->passed);
}

static const vf_recomputed *find_recomputed(const vf_base *base, const char *name)
{
    for (int i = 0; i < base->recomputed_count; ++i) {
        if (strcmp(base->recomputed[i].name, name) == 0) return &base->recomputed[i];
    }
    return NULL;
}

static void verify_number(const char *check, const char *part, double got, double expected,
                          double tolerance, vf_verdict *verdict)
{
    char name[128];
    snprintf(name, sizeof name, "check %s: %s", check, part);
    vf_number(verdict, name, got, expected, tolerance);
}

/* Tolerances are relative, but where 0 is expected. */
static double scale_of(const check_data *check)
{
    return check->expected != 0.0 ? fabs(check->expected) : 1.0;
}

static bool holds(const check_data *check)
{
    return fabs(check->value - check->expected) <= check->tolerance * scale_of(check);
}

/* The stored value must be the recomputed one, and the stored verdict what value, expected and
 * tolerance say. */
static void verify_check(const check_data *check, const vf_base *base, vf_verdict *verdict)
{
    char name[128];
    snprintf(name, sizeof name, "check %s: passed", check->name);
    vf_text(verdict, name, check->passed ? "yes" : "no", holds(check) ? "yes" : "no");
    const vf_recomputed *const again = find_recomputed(base, check->name);
    if (!again) {
        snprintf(name, sizeof name, "check %s: value", check->name);
        vf_impossible(verdict, name, "no check of this name can be recomputed");
        return;
    }
    verify_number(check->name, "value", check->value, again->value, again->value_tolerance,
                  verdict);
    verify_number(check->name, "expected", check->expected, again->expected,
                  again->expected_tolerance, verdict);
    const double scale = again->absolute ? scale_of(check) : 1.0;
    verify_number(check->name, "tolerance", check->tolerance * scale, again->tolerance,
                  again->tolerance_tolerance, verdict);
}

/* The verdict and the exit code must be what the checks say. */
static void verify_outcome(app_reader reader, const vf_base *base, bool all, vf_verdict *verdict)
{
    int64_t exit_code = -1;
    char *words = NULL;
    if (app_reader_attribute_i64(reader, "/", "exit_code", &exit_code) != MX_OK)
        vf_impossible(verdict, "exit code", mx_err_message());
    else
        vf_count(verdict, "exit code, from the stored checks", exit_code,
                 all ? base->exit_code : APP_EXIT_FAILED);
    if (app_reader_attribute_text(reader, "/", "verdict", &words) != MX_OK)
        vf_impossible(verdict, "verdict", mx_err_message());
    else if (!all || base->outcome)
        vf_text(verdict, "verdict", words, all ? base->outcome : "failed");
    free(words);
}

/* Is this the group of a check, /verification/NAME? */
static bool is_check(const app_node *node)
{
    static const char prefix[] = "/verification/";
    return node->kind == APP_NODE_GROUP && strncmp(node->path, prefix, sizeof prefix - 1) == 0;
}

static void verify_checks(app_reader reader, vf_base *base, vf_verdict *verdict)
{
    bool all = true;
    vf_expect_checks(base);
    for (int i = 0; i < app_reader_count(reader); ++i) {
        const app_node *const node = app_reader_node(reader, i);
        check_data check;
        if (!is_check(node)) continue;
        if (!read_check(reader, node->path, &check)) {
            vf_impossible(verdict, node->path,
                          "needs value, expected, tolerance (numbers) and passed (0 or 1)");
            continue;
        }
        verify_check(&check, base, verdict);
        all = all && holds(&check);
    }
    verify_outcome(reader, base, all, verdict);
}

/* If a row ends the checks, all rows after it count as failed, so that none is left out
 * silently. */
static void check_rows(const vf_physics *physics, void *state, bool good, vf_verdict *verdict)
{
    int i = good ? 0 : -1;
    while (good && i < physics->count && physics->rows[i].check(state)) ++i;
    for (int rest = i + 1; rest < physics->count; ++rest)
        vf_impossible(verdict, physics->rows[rest].name, "cannot be checked without the above");
}

static void check_state(const vf_physics *physics, vf_base *base, void *input)
{
    base->outcome = "passed";
    base->input = input;
    base->intact = true;
    vf_read_run(base);
    const bool parsed = !physics->input || vf_input(base, physics->input, input);
    if (parsed && physics->contents) physics->contents(base);
    vf_expect_common(base);
    const bool intact = parsed && base->intact;
    check_rows(physics, base, intact, base->verdict);
    verify_checks(base->reader, base, base->verdict);
    if (intact && physics->contents) vf_find_foreign(base);
    if (physics->release) physics->release(base);
    app_keys_close(&base->keys);
}

static void check_physics(const vf_physics *physics, app_reader reader, vf_verdict *verdict)
{
    const size_t bytes = physics->state_bytes > 0 ? physics->state_bytes : sizeof(vf_base);
    vf_base *const base = calloc(1, bytes);
    void *const input = physics->input ? calloc(1, physics->input->size) : NULL;
    vf_mark *const marks = calloc((size_t)app_reader_count(reader) + 1, sizeof *marks);
    if (!base || !marks || (physics->input && !input)) {
        vf_impossible(verdict, physics->app, "no memory");
    } else {
        base->reader = reader;
        base->verdict = verdict;
        base->marks = marks;
        check_state(physics, base, input);
    }
    free(marks);
    free(input);
    free(base);
}

void vf_recompute(vf_base *base, vf_recomputed check)
{
    if (base->recomputed_count < VF_MAX_RECOMPUTED)
        base->recomputed[base->recomputed_count++] = check;
    else
        vf_impossible(base->verdict, check.name, "more checks than there is room for");
}

void vf_check_physics(app_reader reader, vf_verdict *verdict)
{
    char *app = NULL;
    if (app_reader_attribute_text(reader, "/", "app", &app) != MX_OK) {
        vf_impossible(verdict, "app", mx_err_message());
        return;
    }
    int i = 0;
    while (vf_physics_list[i] && strcmp(vf_physics_list[i]->app, app) != 0) ++i;
    if (vf_physics_list[i])
        check_physics(vf_physics_list[i], reader, verdict);
    else
        vf_words(verdict, "app", false, "got %s, whose physics this program does not know", app);
    free(app);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle_fused.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Errors of the first order are summed; their products are far smaller than this part of them. */
#define MORE 1.01

double fused_rounding(double value)
{
    return ldexp(fabs(value), -24) + ldexp(1, -149);
}

void fused_scale(struct fused_row *row, int64_t i, double factor, bool divides)
{
    const double by = divides ? 1 / factor : factor;
    row->value[i] *= by;
    row->wrong[i] = row->wrong[i] * fabs(by) * MORE + fused_rounding(row->value[i]);
}

void fused_put(struct rig_problem *problem, int y, int64_t at, int digits,
               const struct fused_row *row, int64_t i, double offset, bool has_offset)
{
    const double value = row->value[i] + (has_offset ? offset : 0);
    const double wrong = row->wrong[i] + (has_offset ? fused_rounding(value) : 0);
    oracle_rounded(problem, y, at, digits, value, wrong);
}

static void put_made(struct rig_problem *problem, int made, int64_t number, double value,
                     double wrong)
{
    problem->is_sum = true;
    problem->tensor[made].sums[number] =
        (struct oracle_sum){value, isnan(wrong) ? 0 : ldexp(wrong, 24), 1};
}

void fused_put_dynamic(struct rig_problem *problem, int y, int made, int64_t number, int digits,
                       const struct fused_row *row, bool is_inverse)
{
    const double high = ldexp(1, digits - 1) - 1;
    double most = 0, wrong = 0;
    for (int64_t i = 0; i < row->count; i++) {
        const double size = fabs(row->value[i]);
        most = isnan(most) || isnan(size) ? NAN : fmax(most, size);
        wrong = fmax(wrong, row->wrong[i]);
    }
    /* The scale's error, relative; too large where rows are next to zero, or their inverse is
     * infinite in FLOAT. */
    const double scale = is_inverse ? high / most : most / high;
    const double part = (wrong > 0 ? wrong / most * MORE : 0) +
                        (scale > 0 && isfinite(scale) ? fused_rounding(scale) / scale : 0);
    const bool is_any = part > 0.01 || (most > 0 && scale > FLT_MAX);
    put_made(problem, made, number, scale, is_any ? (double)INFINITY : scale * part);
    for (int64_t i = 0; i < row->count; i++) {
        const double value = row->value[i] * high / most;
        const double own = row->wrong[i] * high / most + fabs(value) * part;
        oracle_rounded(problem, y, number * row->count + i, digits, value,
                       is_any ? (double)INFINITY : MORE * own + 3 * fused_rounding(value));
    }
}

void fused_leave(struct rig_problem *problem, int operand)
{
    if (operand < 0) return;
    struct rig_tensor *t = &problem->tensor[operand];
    for (int64_t i = 0; i < t->count; i++) {
        if (!oracle_is_float(t->view.dtype)) {
            oracle_whole(problem, operand, i, CASE_I64, -1);
            continue;
        }
        problem->is_sum = true;
        t->sums[i] = (struct oracle_sum){(double)NAN, 0, 1};
    }
}

void fused_text(struct test_case *test, const char *name, const char *text)
{
    snprintf(case_add(test, name, CASE_ALONE)->text, CASE_TEXT, "%s", text);
}

const char *fused_text_of(const struct rig_problem *problem, const char *name)
{
    const char *const *names = problem->op->names->text;
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return problem->call.text[i];
    return NULL;
}

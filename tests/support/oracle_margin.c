/* SPDX-License-Identifier: Apache-2.0 */
/* Margins of several classes, from the definition. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

static bool is_target(const struct rig_problem *problem, int64_t first, int64_t classes,
                      int64_t class)
{
    for (int64_t n = 0; n < classes && oracle_whole_value(problem, 1, first + n) >= 0; n++)
        if (oracle_whole_value(problem, 1, first + n) == class) return true;
    return false;
}

static void margin(struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    const int64_t classes = view->rank > 0 ? view->dims[view->rank - 1] : 1;
    const int64_t reduction = problem->call.number[0];
    const int64_t samples = view->rank == 2 ? view->dims[0] : 1;
    double all = 0;
    for (int64_t s = 0; s < samples && classes > 0; s++) {
        const int64_t first = s * classes;
        double loss = 0;
        for (int64_t n = 0; n < classes; n++) {
            const int64_t target = oracle_whole_value(problem, 1, first + n);
            if (target < 0) break;
            if (target >= classes && problem->sync_code == ACL_SUCCESS) {
                problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
                snprintf(problem->sync_words, sizeof problem->sync_words,
                         "element %" PRId64 " of target is %" PRId64 ";", first + n, target);
            }
            for (int64_t i = 0; i < classes && target < classes; i++)
                if (!is_target(problem, first, classes, i))
                    loss += fmax(0, 1 - oracle_value(problem, 0, first + target) +
                                        oracle_value(problem, 0, first + i));
        }
        for (int64_t i = 0; i < classes; i++)
            norm_put_sum(problem, 3, first + i, is_target(problem, first, classes, i), 0, 1);
        loss /= (double)classes;
        all += loss;
        if (reduction == 0) norm_put_sum(problem, 2, s, loss, loss, (double)(classes * classes));
    }
    if (reduction > 0 && problem->tensor[0].count > 0)
        norm_put_sum(problem, 2, 0, reduction == 1 ? all / (double)samples : all, all,
                     (double)(samples + classes * classes));
}

/* Some classes, then -1, then anything; with data=ties some that are none. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *target = &problem->tensor[1];
    const int64_t classes = target->view.rank > 0 ? target->view.dims[target->view.rank - 1] : 1;
    for (int64_t i = 0; i < target->count; i++) {
        int64_t class = random_below(random, classes);
        if (random_once_in(random, 3) && target->view.dtype != CASE_U8) class = -1;
        if (problem->test->data == CASE_TIES && random_once_in(random, 8)) class = classes + 1;
        target->bits[i] = oracle_cast_whole(target->view.dtype, class);
    }
}

static struct test_case random_margin(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t dims[] = {random_between(random, 1, 20), random_between(random, 1, 12)};
    const int rank = (int)random_between(random, 0, 2), reduction = (int)random_below(random, 3);
    const int64_t *own = dims + 2 - rank;
    const bool is_one = reduction > 0 || rank < 2;
    random_tensor(&test, random, "self", dtype, own, rank, false);
    random_tensor(&test, random, "target", random_once_in(random, 2) ? CASE_I64 : CASE_I32, own,
                  rank, false);
    random_number(&test, "reduction", reduction);
    random_tensor(&test, random, "out", norm_some_type(op, random, dtype),
                  is_one ? (const int64_t[]){1} : dims, is_one ? (int)random_below(random, 2) : 1,
                  true);
    random_tensor(&test, random, "isTarget", norm_some_type(op, random, dtype), own, rank, true);
    return test;
}

const struct oracle_row oracle_margin_rows[] = {
    {.name = "aclnnMultilabelMarginLoss",
     .oracle = margin,
     .random = random_margin,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("multilabel_margin_loss f32 self=40x9 target=40x9:i64 reduction=1 out=scalar "
                    "isTarget=40x9 data=ties",
                    "multilabel_margin_loss f32 self=40x9 target=40x9:i32:strided reduction=0 "
                    "out=40 isTarget=40x9:strided data=ties",
                    "multilabel_margin_loss f32 self=scalar target=scalar:i64 reduction=0 "
                    "out=scalar isTarget=scalar"),
     .sound = "multilabel_margin_loss f32 self=3x4 target=3x4:i64 reduction=0 out=3 isTarget=3x4"},
    {.name = NULL},
};

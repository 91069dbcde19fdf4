/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and what is made of it, from the definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { ELEMENTS = 700 };

static bool is_log(const struct rig_problem *problem)
{
    return strstr(problem->op->name, "Log") != NULL;
}

static void softmax(struct rig_problem *problem)
{
    const struct norm_lines lines =
        norm_lines_of(&problem->tensor[0].view, norm_integer(problem, "dim", 0));
    for (int64_t line = 0; line < lines.lines; line++) {
        double most = -INFINITY, sum = 0;
        for (int64_t i = 0; i < lines.count; i++)
            most = fmax(most, oracle_value(problem, 0, norm_at(&lines, line, i)));
        for (int64_t i = 0; i < lines.count; i++)
            sum += exp(oracle_value(problem, 0, norm_at(&lines, line, i)) - most);
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = norm_at(&lines, line, i);
            const double x = oracle_value(problem, 0, at) - most;
            norm_put(problem, 1, at, is_log(problem) ? x - log(sum) : exp(x) / sum, 1,
                     (double)lines.count);
        }
    }
}

static void softmax_backward(struct rig_problem *problem)
{
    const struct norm_lines lines =
        norm_lines_of(&problem->tensor[0].view, norm_integer(problem, "dim", 0));
    for (int64_t line = 0; line < lines.lines; line++) {
        double sum = 0, size = 0;
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = norm_at(&lines, line, i);
            const double dy = oracle_value(problem, 0, at), y = oracle_value(problem, 1, at);
            sum += is_log(problem) ? dy : dy * y;
            size += fabs(is_log(problem) ? dy : dy * y);
        }
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = norm_at(&lines, line, i);
            const double dy = oracle_value(problem, 0, at), y = oracle_value(problem, 1, at);
            norm_put(problem, 2, at, is_log(problem) ? dy - exp(y) * sum : (dy - sum) * y,
                     is_log(problem) ? fabs(dy) + exp(y) * size : (fabs(dy) + size) * fabs(y),
                     (double)lines.count);
        }
    }
}

/* Gradients of huge numbers overflow on the way. */
static struct test_case random_softmax(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    const bool is_gradient = strstr(op->name, "Backward") != NULL;
    struct test_case test =
        is_gradient ? norm_start(op, random, dtype) : random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS), axes = rank > 0 ? rank : 1;
    for (int slot = 0; op->tensor[slot]; slot++)
        random_tensor(&test, random, op->tensor[slot],
                      slot == 0 ? dtype : norm_some_type(op, random, dtype), dims, rank,
                      op->tensor[slot + 1] == NULL);
    random_number(&test, "dim", (double)random_between(random, -axes, axes - 1));
    return test;
}

const struct oracle_row oracle_softmax_rows[] = {
    {.name = "aclnnSoftmax",
     .oracle = softmax,
     .random = random_softmax,
     .ulp = 1,
     .lines = LINES("softmax f32 self=3x1024 dim=1 out=3x1024",
                    "softmax f32 self=2x9001 dim=-1 out=2x9001",
                    "softmax f32 self=2x9001 dim=-1 out=2x9001 data=special",
                    "softmax f16 self=40x37x50 dim=1 out=40x37x50",
                    "softmax f32 self=3x900x41 dim=1 out=3x900x41",
                    "softmax f64 self=2x5000x19 dim=1 out=2x5000x19",
                    "softmax bf16 self=33x65:s1x33 dim=0 out=33x65",
                    "softmax f32 self=5x4 dim=-2 out=5x4:f16 data=special"),
     .sound = "softmax f32 self=2x3x4 dim=2 out=2x3x4"},
    {.name = "aclnnLogSoftmax",
     .oracle = softmax,
     .random = random_softmax,
     .ulp = 1,
     .lines = LINES("log_softmax f32 self=4x5000 dim=1 out=4x5000",
                    "log_softmax bf16 self=3x5000 dim=1 out=3x5000 data=special",
                    "log_softmax f32 self=30x21x40 dim=1 out=30x21x40"),
     .sound = "log_softmax f32 self=2x3x4 dim=2 out=2x3x4"},
    {.name = "aclnnSoftmaxBackward",
     .oracle = softmax_backward,
     .random = random_softmax,
     .ulp = 1,
     .lines = LINES("softmax_backward f32 gradOutput=3x5001 output=3x5001 dim=1 out=3x5001"),
     .sound = "softmax_backward f32 gradOutput=2x3x4 output=2x3x4 dim=0 out=2x3x4"},
    {.name = "aclnnLogSoftmaxBackward",
     .oracle = softmax_backward,
     .random = random_softmax,
     .ulp = 1,
     .lines = LINES("log_softmax_backward f32 gradOutput=3x5001 output=3x5001 dim=1 out=3x5001",
                    "log_softmax_backward f64 gradOutput=3x51 output=3x51 dim=0 out=3x51"),
     .sound = "log_softmax_backward f32 gradOutput=2x3x4 output=2x3x4 dim=0 out=2x3x4"},
    {.name = NULL},
};

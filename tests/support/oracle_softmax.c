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
            norm_put_single(problem, 2, at, is_log(problem) ? dy - exp(y) * sum : (dy - sum) * y,
                            is_log(problem) ? fabs(dy) + exp(y) * size
                                            : (fabs(dy) + size) * fabs(y),
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

/* ---- scaled and masked ---- */

static int64_t mask_at(const struct rig_problem *problem, int mask, int64_t i)
{
    return oracle_whole_value(
        problem, mask, oracle_broadcast(&problem->tensor[0].view, i, &problem->tensor[mask].view));
}

static void masked_softmax(struct rig_problem *problem)
{
    const struct norm_lines lines = norm_lines_of(&problem->tensor[0].view, -1);
    const double scale = norm_real(problem, "scale", 1);
    for (int64_t line = 0; line < lines.lines; line++) {
        double most = -INFINITY, sum = 0;
        for (int pass = 0; pass < 3; pass++)
            for (int64_t i = 0; i < lines.count; i++) {
                const int64_t at = norm_at(&lines, line, i);
                const double x =
                    mask_at(problem, 1, at) ? -10000 : scale * oracle_value(problem, 0, at);
                if (pass == 0) most = fmax(most, x);
                if (pass == 1) sum += exp(x - most);
                if (pass == 2)
                    norm_put(problem, 2, at, exp(x - most) / sum, 1, (double)lines.count);
            }
    }
}

static void masked_backward(struct rig_problem *problem)
{
    const struct norm_lines lines = norm_lines_of(&problem->tensor[0].view, -1);
    const double scale = norm_real(problem, "scale", 1);
    for (int64_t line = 0; line < lines.lines; line++) {
        double sum = 0, size = 0;
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = norm_at(&lines, line, i);
            sum += oracle_value(problem, 0, at) * oracle_value(problem, 1, at);
            size += fabs(oracle_value(problem, 0, at) * oracle_value(problem, 1, at));
        }
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = norm_at(&lines, line, i);
            const double dy = oracle_value(problem, 0, at), y = oracle_value(problem, 1, at);
            const bool is_masked = mask_at(problem, 2, at) != 0;
            norm_put_sum(problem, 3, at, is_masked ? 0 : (dy - sum) * y * scale,
                         is_masked ? 0 : (fabs(dy) + size) * fabs(y * scale), (double)lines.count);
        }
    }
}

static struct test_case random_masked(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    static const enum case_dtype masks[] = {CASE_BOOL, CASE_U8, CASE_I8, CASE_BOOL};
    struct test_case test = norm_start(op, random, dtype);
    int64_t dims[4], mask[4];
    for (int i = 0; i < 4; i++) {
        dims[i] = random_once_in(random, 30) ? 0 : random_between(random, 1, i < 3 ? 5 : 12);
        mask[i] = i < 2 && random_once_in(random, 2) ? 1 : dims[i];
    }
    for (int slot = 0; op->tensor[slot]; slot++) {
        const bool is_mask = strcmp(op->tensor[slot], "mask") == 0;
        const enum case_dtype type = is_mask     ? masks[random_below(random, 4)]
                                     : slot == 0 ? dtype
                                                 : norm_some_type(op, random, dtype);
        random_tensor(&test, random, op->tensor[slot], type, is_mask ? mask : dims, 4,
                      rig_is_output(&op->operand[slot]));
    }
    random_number(&test, "scale", 0.375);
    return test;
}

/* Half of a mask is 0. */
static void fill_mask(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *mask = &problem->tensor[norm_operand(problem, "mask")];
    for (int64_t i = 0; i < mask->count; i++)
        mask->bits[i] = (uint64_t)random_below(random, 2);
}

/* ---- with probabilities ---- */

static void labels(struct rig_problem *problem)
{
    const struct norm_lines lines = norm_lines_of(&problem->tensor[0].view, 1);
    for (int64_t line = 0; line < lines.lines && lines.count > 0; line++) {
        double most = -INFINITY, sum = 0, loss = 0, size = 0;
        for (int64_t i = 0; i < lines.count; i++)
            most = fmax(most, oracle_value(problem, 0, line * lines.count + i));
        for (int64_t i = 0; i < lines.count; i++)
            sum += exp(oracle_value(problem, 0, line * lines.count + i) - most);
        for (int64_t i = 0; i < lines.count; i++) {
            const int64_t at = line * lines.count + i;
            const double logs = oracle_value(problem, 0, at) - most - log(sum);
            const double label = oracle_value(problem, 1, at);
            loss -= label * logs;
            size += fabs(label) * (fabs(logs) + 1);
            norm_put(problem, 3, at, exp(logs) - label, 1 + fabs(label), (double)lines.count);
        }
        norm_put(problem, 2, line, loss, size, (double)lines.count);
    }
}

static struct test_case random_labels(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t dims[] = {random_between(random, 0, 20), random_between(random, 1, 30)};
    for (int slot = 0; op->tensor[slot]; slot++)
        random_tensor(
            &test, random, op->tensor[slot], slot == 0 ? dtype : norm_some_type(op, random, dtype),
            dims, strcmp(op->tensor[slot], "loss") == 0 ? 1 : 2, rig_is_output(&op->operand[slot]));
    return test;
}

/* ---- slices of bounded norm ---- */

static void renorm(struct rig_problem *problem)
{
    const int out = problem->operands - 1;
    const struct norm_lines lines =
        norm_lines_of(&problem->tensor[0].view, norm_integer(problem, "dim", 0));
    const double p = problem->call.scalar[0].value[0].real;
    const double most = problem->call.scalar[1].value[0].real;
    for (int64_t k = 0; k < lines.count; k++) {
        double all = 0;
        for (int64_t line = 0; line < lines.lines; line++) {
            const double x = fabs(oracle_value(problem, 0, norm_at(&lines, line, k)));
            if (isinf(p))
                all = fmax(all, x);
            else
                all += p == 0 ? x != 0 : pow(x, p);
        }
        if (!isinf(p) && p != 0) all = pow(all, 1 / p);
        for (int64_t line = 0; line < lines.lines; line++) {
            const int64_t at = norm_at(&lines, line, k);
            const double x = oracle_value(problem, 0, at);
            norm_put_sum(problem, out, at, all > most ? x * (most / (all + 1e-7)) : x, 0,
                         (double)lines.lines * (p > 0 ? fmax(1, 1 / p) : 1));
        }
    }
}

static struct test_case random_renorm(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    static const double orders[] = {0, 1, 2, 3, 0.5, INFINITY};
    struct test_case test = norm_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    int rank = random_shape(random, dims, ELEMENTS);
    for (; rank < 2; rank++)
        dims[rank] = random_between(random, 1, 20);
    random_tensor(&test, random, op->tensor[0], dtype, dims, rank, op->tensor[1] == NULL);
    if (op->tensor[1])
        random_tensor(&test, random, op->tensor[1], norm_some_type(op, random, dtype), dims, rank,
                      true);
    random_number(&test, "dim", (double)random_between(random, -rank, rank - 1));
    for (int i = 0; i < 2; i++) {
        struct case_argument *scalar =
            random_scalar(&test, random, i == 0 ? "p" : "maxNorm", CASE_F32);
        scalar->real = i == 0 ? orders[random_below(random, 6)] : 2.5;
        scalar->has_real = true;
    }
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
    {.name = "aclnnLogSoftmaxV2",
     .oracle = softmax,
     .random = random_softmax,
     .ulp = 1,
     .sound = "log_softmax_v2 f32 self=2x3x4 dim=2 out=2x3x4"},
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
    {.name = "aclnnScaledMaskedSoftmax",
     .oracle = masked_softmax,
     .random = random_masked,
     .fill = fill_mask,
     .ulp = 1,
     .lines = LINES("scaled_masked_softmax f16 x=2x3x4x5000 mask=1x3x4x5000:bool scale=0.25 "
                    "y=2x3x4x5000"),
     .sound = "scaled_masked_softmax f32 x=2x3x4x5 mask=2x1x4x5:bool scale=0.25 y=2x3x4x5"},
    {.name = "aclnnScaledMaskedSoftmaxBackward",
     .oracle = masked_backward,
     .random = random_masked,
     .fill = fill_mask,
     .ulp = 1,
     .sound = "scaled_masked_softmax_backward f32 gradOutput=2x3x4x5 y=2x3x4x5 mask=2x1x4x5:bool "
              "scale=0.25 out=2x3x4x5"},
    {.name = "aclnnSoftmaxCrossEntropyWithLogits",
     .oracle = labels,
     .random = random_labels,
     .ulp = 1,
     .lines = LINES("softmax_cross_entropy_with_logits f32 features=3x5003 labels=3x5003 loss=3 "
                    "backprop=3x5003"),
     .sound = "softmax_cross_entropy_with_logits f32 features=3x4 labels=3x4 loss=3 backprop=3x4"},
    {.name = "aclnnRenorm aclnnInplaceRenorm", .oracle = renorm, .random = random_renorm, .ulp = 1},
    {.name = NULL},
};

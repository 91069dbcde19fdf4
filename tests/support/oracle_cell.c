/* SPDX-License-Identifier: Apache-2.0 */
/* What an LSTM cell does behind its products, and its gradients, from the definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { INPUT, CELL, FORGET, OUTPUT, GATES };

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* Some eight roundings of terms of that size. */
static void give(struct rig_problem *problem, const char *name, int64_t i, double value,
                 double size)
{
    const int out = norm_operand(problem, name);
    if (out < 0) return;
    const enum case_dtype type = problem->tensor[out].view.dtype;
    oracle_real(problem, out, i, type, value);
    if (isfinite(size))
        problem->tensor[out].slack[i] = size * (type == CASE_F64 ? 0x1p-50 : 0x1p-21);
}

static double of(const struct rig_problem *problem, const char *name, int64_t i)
{
    return norm_value(problem, norm_operand(problem, name), i, 0);
}

static void cell(struct rig_problem *problem)
{
    static const char *const terms[] = {"inputGates", "hiddenGates"};
    static const char *const biases[] = {"inputBiasOptional", "hiddenBiasOptional"};
    const struct operand *cx = &problem->tensor[norm_operand(problem, "cx")].view;
    const int64_t hidden = cx->dims[1];
    for (int64_t i = 0; i < cx->dims[0] * hidden; i++) {
        double gate[GATES], size = 1;
        for (int k = 0; k < GATES; k++) {
            const int64_t column = k * hidden + i % hidden;
            const int64_t at = i / hidden * GATES * hidden + column;
            double sum = 0;
            for (int n = 0; n < 2; n++) {
                sum += of(problem, terms[n], at) + of(problem, biases[n], column);
                size += fabs(of(problem, terms[n], at)) + fabs(of(problem, biases[n], column));
            }
            gate[k] = k == CELL ? tanh(sum) : logistic(sum);
        }
        const double before = of(problem, "cx", i);
        const double state = gate[FORGET] * before + gate[INPUT] * gate[CELL];
        for (int k = 0; k < GATES; k++)
            give(problem, "storageOut", i / hidden * GATES * hidden + k * hidden + i % hidden,
                 gate[k], size);
        give(problem, "cyOut", i, state, size * (1 + fabs(before)));
        give(problem, "hyOut", i, gate[OUTPUT] * tanh(state), size * (1 + fabs(before)));
    }
}

static void cell_grad(struct rig_problem *problem)
{
    const struct operand *cx = &problem->tensor[norm_operand(problem, "cx")].view;
    const int64_t hidden = cx->dims[1];
    double *sums = calloc((size_t)(GATES * hidden) + 1, sizeof *sums);
    double *sizes = calloc((size_t)(GATES * hidden) + 1, sizeof *sizes);
    const bool has_hy = norm_operand(problem, "gradHyOptional") >= 0;
    const bool has_c = norm_operand(problem, "gradCOptional") >= 0;
    for (int64_t i = 0; i < cx->dims[0] * hidden; i++) {
        const int64_t first = i / hidden * GATES * hidden + i % hidden;
        double a[GATES], grad[GATES], most = 1;
        for (int k = 0; k < GATES; k++) {
            a[k] = of(problem, "storage", first + k * hidden);
            most += fabs(a[k]);
        }
        const double hy = of(problem, "gradHyOptional", i), c = of(problem, "gradCOptional", i);
        const double bent = tanh(of(problem, "cy", i)), before = of(problem, "cx", i);
        double state = has_hy ? hy * a[OUTPUT] * (1 - bent * bent) : 0; /* of no sign */
        if (has_c) state += c;
        grad[OUTPUT] = has_hy ? hy * bent * a[OUTPUT] * (1 - a[OUTPUT]) : 0;
        grad[INPUT] = state * a[CELL] * a[INPUT] * (1 - a[INPUT]);
        grad[FORGET] = state * before * a[FORGET] * (1 - a[FORGET]);
        grad[CELL] = state * a[INPUT] * (1 - a[CELL] * a[CELL]);
        const double size =
            (fabs(hy * a[OUTPUT]) + fabs(hy) + fabs(c)) * (1 + fabs(before)) * most * most * most;
        give(problem, "gradCxOut", i, state * a[FORGET], size);
        for (int k = 0; k < GATES; k++) {
            give(problem, "gradGatesOut", first + k * hidden, grad[k], size);
            sums[k * hidden + i % hidden] += grad[k];
            sizes[k * hidden + i % hidden] += size;
        }
    }
    for (int64_t k = 0; k < GATES * hidden; k++)
        if (norm_integer(problem, "hasBias", 0)) give(problem, "gradBiasOut", k, sums[k], sizes[k]);
    free(sums);
    free(sizes);
}

static struct test_case random_cell(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t batch = random_between(random, random_once_in(random, 20) ? 0 : 1, 7);
    const int64_t hidden = random_between(random, random_once_in(random, 20) ? 0 : 1, 19);
    const int64_t all[] = {batch, GATES * hidden}, one[] = {batch, hidden};
    const bool has_bias = random_once_in(random, 2);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const bool is_bias = strstr(name, "Bias") != NULL;
        const bool is_wide =
            norm_has_word("inputGates hiddenGates storageOut storage gradGatesOut", name);
        if (is_bias && !has_bias) continue;
        if (norm_has_word("gradHyOptional gradCOptional", name) && random_once_in(random, 4))
            continue;
        random_tensor(&test, random, name, dtype,
                      is_bias   ? &all[1]
                      : is_wide ? all
                                : one,
                      is_bias ? 1 : 2, rig_is_output(&op->operand[slot]));
    }
    if (strstr(op->name, "Backward")) random_number(&test, "hasBias", has_bias);
    return test;
}

const struct oracle_row oracle_cell_rows[] = {
    {.name = "aclnnThnnFusedLstmCell",
     .oracle = cell,
     .random = random_cell,
     .ulp = 1,
     .lines = LINES("thnn_fused_lstm_cell f32 inputGates=70x400 hiddenGates=70x400 cx=70x100 "
                    "inputBiasOptional=400 hiddenBiasOptional=400 hyOut=70x100 cyOut=70x100 "
                    "storageOut=70x400"),
     .sound = "thnn_fused_lstm_cell f32 inputGates=2x12 hiddenGates=2x12 cx=2x3 "
              "inputBiasOptional=12 hiddenBiasOptional=12 hyOut=2x3 cyOut=2x3 storageOut=2x12"},
    {.name = "aclnnThnnFusedLstmCellBackward",
     .oracle = cell_grad,
     .random = random_cell,
     .ulp = 1,
     .by_strides = true,
     .lines = LINES("thnn_fused_lstm_cell_backward f32 gradHyOptional=70x100 gradCOptional=70x100 "
                    "cx=70x100 cy=70x100 storage=70x400 hasBias=1 gradGatesOut=70x400 "
                    "gradCxOut=70x100 gradBiasOut=400"),
     .sound = "thnn_fused_lstm_cell_backward f32 gradHyOptional=2x3 gradCOptional=2x3 cx=2x3 "
              "cy=2x3 storage=2x12 hasBias=1 gradGatesOut=2x12 gradCxOut=2x3 gradBiasOut=12"},
    {.name = NULL},
};

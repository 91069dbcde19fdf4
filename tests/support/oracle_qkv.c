/* SPDX-License-Identifier: Apache-2.0 */
/* Query, key and value of all heads from one product. */
#include <math.h>

#include "tests/support/oracle_norm.h"

static void qkv(struct rig_problem *problem)
{
    static const char *const names[] = {"qOut", "kOut", "vOut"};
    for (int part = 0; part < 3; part++) {
        const int out = norm_operand(problem, names[part]);
        const int64_t *size = problem->tensor[out].view.dims;
        const int64_t heads = size[1], rows = size[2], columns = size[3];
        for (int64_t i = 0; i < problem->tensor[out].count; i++) {
            const int64_t d = i % columns, t = i / columns % rows, n = i / columns / rows % heads;
            const int64_t b = i / columns / rows / heads;
            const int64_t column = (part * heads + n) * columns + d;
            const double sum =
                oracle_value(problem, 0, (b * rows + t) * 3 * heads * columns + column) +
                oracle_value(problem, 1, column);
            oracle_real(problem, out, i, problem->tensor[out].view.dtype,
                        part == 0 ? sum / sqrt((double)columns) : sum);
        }
    }
}

static struct test_case random_qkv(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int64_t batch = random_once_in(random, 20) ? 0 : random_between(random, 1, 3);
    const int64_t rows = random_once_in(random, 20) ? 0 : random_between(random, 1, 9);
    const int64_t heads = random_between(random, 1, 4), columns = random_between(random, 1, 20);
    const int64_t whole[] = {batch, rows, 3 * heads * columns};
    const int64_t part[] = {batch, heads, rows, columns};
    random_tensor(&test, random, "qkv", dtype, whole, 3, false);
    random_tensor(&test, random, "qkvBias", dtype, whole + 2, 1, false);
    random_number(&test, "numHeads", (double)heads);
    random_tensor(&test, random, "qOut", dtype, part, 4, true);
    random_tensor(&test, random, "kOut", dtype, part, 4, true);
    random_tensor(&test, random, "vOut", dtype, part, 4, true);
    return test;
}

const struct oracle_row oracle_qkv_rows[] = {
    {.name = "aclnnTransformBiasRescaleQkv",
     .oracle = qkv,
     .random = random_qkv,
     .ulp = 2,
     .sound = "transform_bias_rescale_qkv f32 qkv=2x3x24 qkvBias=24 numHeads=2 qOut=2x2x3x4 "
              "kOut=2x2x3x4 vOut=2x2x3x4",
     .lines = LINES("transform_bias_rescale_qkv bf16 qkv=2x50x1536:strided qkvBias=1536 numHeads=8 "
                    "qOut=2x8x50x64 kOut=2x8x50x64 vOut=2x8x50x64")},
    {.name = NULL},
};

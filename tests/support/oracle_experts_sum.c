/* SPDX-License-Identifier: Apache-2.0 */
/* Products of experts, added to the rows that an index names: each operation rounded to FLOAT. */
#include <string.h>

#include "tests/support/oracle_experts.h"

static int out_of(const struct rig_problem *problem)
{
    return norm_one_of(problem, "out y");
}

static int64_t columns_of(const struct rig_problem *problem)
{
    return problem->tensor[out_of(problem)].view.dims[1];
}

static void experts_sum(struct rig_problem *problem)
{
    const int out = out_of(problem), logit = norm_one_of(problem, "logitOptional logit");
    const int shared = norm_one_of(problem, "sharedInputOptional sharedInput");
    const int index = norm_one_of(problem, "rowIndexOptional rowIndex");
    const int64_t n = columns_of(problem), rows = problem->tensor[out].view.dims[0];
    const struct experts e = experts_of(problem, n);
    const float weight = (float)norm_real(problem, "sharedInputWeight", 0);
    const int64_t begin = norm_integer(problem, "sharedInputOffset", 0);
    const int64_t end = begin + (shared < 0 ? 0 : problem->tensor[shared].view.dims[0]);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            if (row >= begin && row < end)
                sum = (float)oracle_value(problem, shared, (row - begin) * n + j) * weight;
            for (int64_t i = 0; i < e.m; i++) {
                if (oracle_whole_value(problem, index, i) != row) continue;
                const int64_t expert = experts_group(problem, &e, i);
                if (expert < 0) continue;
                const float by = logit < 0 ? 1 : (float)oracle_value(problem, logit, i);
                const float term = by * experts_product(problem, &e, expert, i, j);
                sum = sum + term;
            }
            oracle_real(problem, out, row * n + j, CASE_F32, (double)sum);
        }
}

static void fill(struct rig_problem *problem, struct random *random)
{
    const int index = norm_one_of(problem, "rowIndexOptional rowIndex"), out = out_of(problem);
    const int64_t rows = problem->tensor[out].view.dims[0];
    experts_fill(problem, random, columns_of(problem));
    for (int64_t i = 0; i < problem->tensor[index].count; i++)
        problem->tensor[index].bits[i] = (uint64_t)(rows > 0 ? random_below(random, rows) : 0);
}

static struct test_case random_sum(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    static const enum case_dtype scales[] = {CASE_F32, CASE_F16, CASE_BF16};
    const bool is_nz = strstr(op->name, "Nz") != NULL;
    const bool is_first = !is_nz && strstr(op->name, "V") == NULL;
    const bool is_later = strstr(op->name, "V2") != NULL || strstr(op->name, "V3") != NULL;
    const bool has_tuning = strstr(op->name, "NzV2") != NULL || strstr(op->name, "V3") != NULL;
    struct test_case test = norm_start(op, random, dtype);
    const struct experts_draw d = experts_draw(random, false, false, true);
    const int64_t rows = random_between(random, 1, 12);
    const int64_t begin = random_below(random, rows);
    const int64_t out[] = {rows, d.n}, shared[] = {random_between(random, 0, rows - begin), d.n};
    const enum case_dtype scale = d.is_four ? (random_once_in(random, 2) ? CASE_U64 : CASE_I64)
                                            : scales[random_below(random, 3)];
    const enum case_dtype bias = d.is_four || random_once_in(random, 2) ? CASE_F32 : CASE_BF16;
    const bool has_offset = is_later && d.is_four && d.parts == 1 && random_once_in(random, 2);
    experts_add_x(&test, random, is_first ? "x" : "x1", &d);
    experts_add_weight(&test, random, is_first ? "w" : "x2", &d);
    experts_add_rows(&test, random, is_nz ? "scale" : "scaleOptional", scale, &d, d.parts, true);
    experts_add_rows(&test, random, is_nz ? "bias" : "biasOptional", bias, &d, 0,
                     d.is_four || random_once_in(random, 3));
    if (is_later) {
        experts_add_rows(&test, random, "offsetOptional", CASE_F32, &d, 1, has_offset);
        norm_optional(&test, random, "antiquantScaleOptional", CASE_F32, out, 1, false, false);
        norm_optional(&test, random, "antiquantOffsetOptional", CASE_F32, out, 1, false, false);
    }
    norm_optional(&test, random, "pertokenScaleOptional", CASE_F32, &d.m, 1, false,
                  random_once_in(random, 2));
    random_tensor(&test, random, is_nz ? "groupList" : "groupListOptional", CASE_I64, &d.groups, 1,
                  true);
    norm_optional(&test, random, is_nz ? "sharedInput" : "sharedInputOptional", CASE_BF16, shared,
                  2, false, random_once_in(random, 2));
    norm_optional(&test, random, is_nz ? "logit" : "logitOptional", CASE_F32, &d.m, 1, false,
                  random_once_in(random, 2));
    random_tensor(&test, random, is_nz ? "rowIndex" : "rowIndexOptional",
                  random_once_in(random, 2) ? CASE_I64 : CASE_I32, &d.m, 1, true);
    random_number(&test, "dtype", 0);
    random_number(&test, "sharedInputWeight", (double)random_between(random, -8, 8) / 4);
    random_number(&test, "sharedInputOffset", (double)begin);
    random_number(&test, is_first ? "transposeX" : "transposeX1", 0);
    random_number(&test, is_first ? "transposeW" : "transposeX2", d.is_transposed);
    random_number(&test, "groupListType", random_once_in(random, 2));
    if (has_tuning) case_add(&test, "tuningConfigOptional", CASE_ALONE)->is_null = true;
    random_tensor(&test, random, is_first ? "y" : "out", CASE_F32, out, 2, true);
    return test;
}

#define ROW(name_of, a_sound, ...)                                                                 \
    {                                                                                              \
        .name = name_of, .oracle = experts_sum, .random = random_sum, .fill = fill,                \
        .sound = a_sound, .lines = LINES(__VA_ARGS__)                                              \
    }

const struct oracle_row oracle_experts_sum_rows[] = {
    ROW("aclnnGroupedMatmulFinalizeRouting",
        "grouped_matmul_finalize_routing i8 x=6x7 w=3x7x8 scaleOptional=3x8:f32 "
        "biasOptional=3x8:f32 "
        "pertokenScaleOptional=6:f32 groupListOptional=3:i64 sharedInputOptional=2x8:bf16 "
        "logitOptional=6:f32 rowIndexOptional=6:i64 dtype=0 sharedInputWeight=0.5 "
        "sharedInputOffset=1 transposeX=0 transposeW=0 groupListType=1 y=4x8:f32",
        "grouped_matmul_finalize_routing i8 x=300x130 w=2x130x40:i32 scaleOptional=2x1x320:i64 "
        "biasOptional=2x320:f32 pertokenScaleOptional=300:f32 groupListOptional=2:i64 "
        "sharedInputOptional=null logitOptional=300:f32 rowIndexOptional=300:i64 dtype=0 "
        "sharedInputWeight=1 sharedInputOffset=0 transposeX=0 transposeW=0 groupListType=0 "
        "y=37x320:f32:strided"),
    ROW("aclnnGroupedMatmulFinalizeRoutingV2 aclnnGroupedMatmulFinalizeRoutingV3", NULL, NULL),
    ROW("aclnnGroupedMatmulFinalizeRoutingWeightNz aclnnGroupedMatmulFinalizeRoutingWeightNzV2",
        NULL, NULL),
    {.name = NULL},
};

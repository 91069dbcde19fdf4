/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of INT8, term by term in 64 bits, then scaled step by step in FLOAT. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* Element i of a factor of one axis; one element serves all. */
static float factor(const struct rig_problem *problem, int operand, int64_t i)
{
    const int64_t count = problem->tensor[operand].count;
    return (float)oracle_value(problem, operand, count == 1 ? 0 : i);
}

static bool is_packed(const struct rig_problem *problem, int operand)
{
    const enum case_dtype dtype = problem->tensor[operand].view.dtype;
    return dtype == CASE_U64 || dtype == CASE_I64;
}

static uint64_t packed(const struct rig_problem *problem, int operand, int64_t i)
{
    const int64_t count = problem->tensor[operand].count;
    return (uint64_t)oracle_whole_value(problem, operand, count == 1 ? 0 : i);
}

static float scale_of(const struct rig_problem *problem, int operand, int64_t j)
{
    if (!is_packed(problem, operand)) return factor(problem, operand, j);
    const uint32_t bits = (uint32_t)packed(problem, operand, j) & 0xffffe000;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static float packed_offset(const struct rig_problem *problem, int operand, int64_t j)
{
    const int64_t nine = (int64_t)(packed(problem, operand, j) >> 37 & 511);
    return (float)(nine > 255 ? nine - 512 : nine);
}

static int64_t whole_of(float value)
{
    if (isnan(value)) return 0;
    const float made = rintf(value);
    return made < -128 ? -128 : made > 127 ? 127 : (int64_t)made;
}

/* Element (row, column) of matrix `batch` of the result's batch. */
static int64_t place(const struct rig_problem *problem, int operand, const struct operand *out,
                     int64_t batch, int64_t row, int64_t column)
{
    const struct operand *view = &problem->tensor[operand].view;
    int64_t at = 0, step = 1;
    for (int i = 3; i <= out->rank; i++) {
        const int64_t size = i <= view->rank ? view->dims[view->rank - i] : 1;
        at += size == 1 ? 0 : batch % out->dims[out->rank - i] * step;
        step *= size;
        batch /= out->dims[out->rank - i];
    }
    const int64_t rows = view->dims[view->rank - 2], columns = view->dims[view->rank - 1];
    return (at * rows + row) * columns + column;
}

static void quant_matmul(struct rig_problem *problem)
{
    const int token = norm_one_of(problem, "pertokenScaleOptional x1Scale");
    const int scale = norm_one_of(problem, "scale x2Scale deqScale");
    const int offset = norm_one_of(problem, "offset x2Offset"),
              bias = norm_operand(problem, "bias");
    const int out = norm_operand(problem, "out");
    const struct operand *y = &problem->tensor[out].view, *x1 = &problem->tensor[0].view;
    const bool left = norm_integer(problem, "transposeX1", norm_integer(problem, "adjX1", 0)) != 0;
    const bool right = norm_integer(problem, "transposeX2", norm_integer(problem, "adjX2", 0)) != 0;
    const int64_t m = y->dims[y->rank - 2], n = y->dims[y->rank - 1];
    const int64_t k = x1->dims[x1->rank - 1 - left];
    for (int64_t at = 0; at < problem->tensor[out].count; at++) {
        const int64_t batch = at / (m * n), i = at / n % m, j = at % n;
        const int64_t rank = bias < 0 ? 0 : problem->tensor[bias].view.rank;
        const int64_t of_bias = rank == 3 ? batch * n + j : j;
        int64_t sum = 0;
        for (int64_t p = 0; p < k; p++)
            sum += oracle_whole_value(problem, 0,
                                      place(problem, 0, y, batch, left ? p : i, left ? i : p)) *
                   oracle_whole_value(problem, 1,
                                      place(problem, 1, y, batch, right ? j : p, right ? p : j));
        const bool is_whole = bias >= 0 && problem->tensor[bias].view.dtype == CASE_I32;
        if (is_whole) sum += oracle_whole_value(problem, bias, of_bias);
        sum = (int32_t)(uint32_t)(uint64_t)sum;
        if (y->dtype == CASE_I32) {
            oracle_whole(problem, out, at, CASE_I32, sum);
            continue;
        }
        const float number = (float)norm_real(problem, "deqScale", 1);
        float value = (float)sum * (scale < 0 ? number : scale_of(problem, scale, j));
        if (token >= 0) value = value * factor(problem, token, i);
        if (bias >= 0 && !is_whole) value = value + (float)oracle_value(problem, bias, of_bias);
        if (offset >= 0)
            value = value + factor(problem, offset, j);
        else if (y->dtype == CASE_I8 && scale >= 0 && is_packed(problem, scale))
            value = value + packed_offset(problem, scale, j);
        if (y->dtype == CASE_I8)
            oracle_whole(problem, out, at, CASE_I8, whole_of(value));
        else
            oracle_real(problem, out, at, y->dtype, (double)value);
    }
}

/* Scales as they are made, with an offset in them. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const int scale = norm_one_of(problem, "scale x2Scale deqScale");
    if (scale < 0 || !is_packed(problem, scale)) return;
    struct rig_tensor *t = &problem->tensor[scale];
    for (int64_t i = 0; i < t->count; i++) {
        const float number = (float)random_between(random, -40, 40) / 1024;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        const uint64_t both = bits | (uint64_t)random_below(random, 512) << 37 | UINT64_C(1) << 46;
        t->bits[i] = both;
    }
}

/* ---- random problems ---- */

static struct test_case random_quant_matmul(const struct rig_operator *op, struct random *random,
                                            enum case_dtype dtype)
{
    static const enum case_dtype results[] = {CASE_F16, CASE_BF16, CASE_I8, CASE_I32};
    static const enum case_dtype scales[] = {CASE_F32, CASE_BF16, CASE_U64, CASE_I64};
    static const enum case_dtype biases[] = {CASE_I32, CASE_F32, CASE_F16, CASE_BF16};
    const char last = op->name[strlen(op->name) - 1];
    const char version = last == 'l' ? '1' : last == 'z' ? '5' : last; /* ...Matmul, ...WeightNz */
    struct test_case test = norm_start(op, random, CASE_I8);
    int64_t x1[CASE_RANK], x2[CASE_RANK], y[CASE_RANK];
    const int batch = (int)random_below(random, 3);
    const int64_t m = random_once_in(random, 20) ? 0 : random_between(random, 1, 20);
    const int64_t k = random_between(random, 1, 70), n = random_between(random, 1, 70);
    const bool left = version > '1' && random_once_in(random, 2);
    const bool right = version > '1' && random_once_in(random, 2);
    for (int i = 0; i < batch; i++) {
        y[i] = random_between(random, 1, 2);
        x1[i] = random_once_in(random, 4) ? 1 : y[i];
        x2[i] = x1[i] == y[i] && random_once_in(random, 3) ? 1 : y[i];
    }
    x1[batch] = left ? k : m, x1[batch + 1] = left ? m : k;
    x2[batch] = right ? n : k, x2[batch + 1] = right ? k : n;
    y[batch] = m, y[batch + 1] = n;
    (void)dtype;
    const enum case_dtype result = version < '3' ? CASE_F16 : results[random_below(random, 4)];
    const enum case_dtype scale = version < '3' ? CASE_U64 : scales[random_below(random, 4)];
    const bool is_real = result == CASE_F16 || result == CASE_BF16;
    const bool is_free = is_real && (scale == CASE_F32 || scale == CASE_BF16);
    const int64_t most = version == '2' && random_once_in(random, 2) ? ((n - 1) | 15) + 1 : n;
    const int64_t columns[CASE_RANK] = {random_once_in(random, 3) ? 1 : most};
    const int64_t rows[CASE_RANK] = {random_once_in(random, 4) ? 1 : m};
    const int64_t offsets[CASE_RANK] = {random_once_in(random, 3) ? 1 : n};
    const bool has_token = is_free && m > 0 && random_once_in(random, 2);
    const bool has_offset = result == CASE_I8 && random_once_in(random, 2);
    random_tensor(&test, random, "x1", CASE_I8, x1, batch + 2, false);
    random_tensor(&test, random, "x2", CASE_I8, x2, batch + 2, false);
    if (version == '5') {
        norm_optional(&test, random, "x1Scale", CASE_F32, rows, 1, false, has_token);
        random_tensor(&test, random, "x2Scale", scale, columns, 1, false);
        norm_optional(&test, random, "yScale", CASE_F32, rows, 1, false, false);
        norm_optional(&test, random, "x1Offset", CASE_F32, (const int64_t[CASE_RANK]){0}, 1, false,
                      true);
        norm_optional(&test, random, "x2Offset", CASE_F32, offsets, 1, false, has_offset);
        norm_optional(&test, random, "yOffset", CASE_F32, rows, 1, false, false);
    } else if (version == '1') {
        random_number(&test, "deqScale", (double)random_between(random, -40, 40) / 1024);
    } else if (version == '2') {
        random_tensor(&test, random, "deqScale", scale, columns, 1, false);
    } else {
        random_tensor(&test, random, "scale", scale, columns, 1, false);
        norm_optional(&test, random, "offset", CASE_F32, offsets, 1, false, has_offset);
        if (version == '4')
            norm_optional(&test, random, "pertokenScaleOptional", CASE_F32, rows, 1, false,
                          has_token);
    }
    const int64_t wide[CASE_RANK] = {batch == 1 ? y[0] : 1, 1, n};
    const int rank = batch == 1 && random_once_in(random, 2) ? 3 : 1;
    norm_optional(&test, random, "bias", is_free ? biases[random_below(random, 4)] : CASE_I32,
                  wide + 3 - rank, rank, false, random_once_in(random, 2));
    if (version > '1') {
        random_number(&test, version == '2' ? "adjX1" : "transposeX1", left);
        random_number(&test, version == '2' ? "adjX2" : "transposeX2", right);
    }
    if (version == '5') random_number(&test, "groupSize", 0);
    random_tensor(&test, random, "out", result, y, batch + 2, true);
    return test;
}

/* ---- aclnnTransQuantParamV2 ---- */

static void quant_param(struct rig_problem *problem)
{
    const int offset = norm_operand(problem, "offset"), out = norm_operand(problem, "out");
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const float scale = factor(problem, 0, i);
        uint32_t bits;
        memcpy(&bits, &scale, sizeof bits);
        uint64_t both = (uint64_t)(bits >> 13) << 13 | UINT64_C(1) << 46;
        if (offset >= 0) {
            const double whole = rint((double)factor(problem, offset, i));
            const int64_t held = !(whole < 255) ? 255 : whole < -256 ? -256 : (int64_t)whole;
            both += (uint64_t)(held < 0 ? held + 512 : held) << 37;
        }
        oracle_whole(problem, out, i, problem->tensor[out].view.dtype, (int64_t)both);
    }
}

static struct test_case random_quant_param(const struct rig_operator *op, struct random *random,
                                           enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool is_wide = random_once_in(random, 3), has_offset = random_once_in(random, 2);
    const int64_t n = random_between(random, 1, 40), rows = has_offset ? 1 : 3;
    int64_t scale[CASE_RANK] = {n}, offset[CASE_RANK] = {n}, out[CASE_RANK] = {n};
    if (is_wide) scale[0] = out[0] = rows, scale[1] = out[1] = n;
    if (!is_wide && random_once_in(random, 3)) scale[0] = 1;
    if (random_once_in(random, 3)) offset[0] = 1;
    if (!is_wide) out[0] = has_offset && offset[0] > scale[0] ? offset[0] : scale[0];
    random_tensor(&test, random, "scale", CASE_F32, scale, 1 + is_wide, false);
    norm_optional(&test, random, "offset", CASE_F32, offset, 1, false, has_offset);
    random_tensor(&test, random, "out", random_once_in(random, 2) ? CASE_U64 : CASE_I64, out,
                  1 + is_wide, true);
    return test;
}

const struct oracle_row oracle_int8_rows[] = {
    {.name = "aclnnQuantMatmulV3",
     .oracle = quant_matmul,
     .random = random_quant_matmul,
     .fill = fill,
     .lines = LINES("quant_matmul_v3 i8 x1=270x33 x2=33x300 scale=300:f32 offset=null bias=300:i32 "
                    "transposeX1=0 transposeX2=0 out=270x300:bf16",
                    "quant_matmul_v3 i8 x1=9x1100 x2=50x1100 scale=50:u64 offset=50:f32 bias=null "
                    "transposeX1=0 transposeX2=1 out=9x50:strided"),
     .sound = "quant_matmul_v3 i8 x1=5x7 x2=7x9 scale=9:f32 offset=9:f32 bias=9:i32 transposeX1=0 "
              "transposeX2=0 out=5x9"},
    {.name = "aclnnQuantMatmulV4",
     .oracle = quant_matmul,
     .random = random_quant_matmul,
     .fill = fill,
     .lines = LINES("quant_matmul_v4 i8 x1=3x2060 x2=53x2060:s2061x1 scale=53:f32 offset=null "
                    "pertokenScaleOptional=3:f32 bias=53:bf16 transposeX1=0 transposeX2=1 "
                    "out=3x53:f16")},
    {.name = "aclnnQuantMatmulV5",
     .oracle = quant_matmul,
     .random = random_quant_matmul,
     .fill = fill,
     .lines = LINES("quant_matmul_v5 i8 x1=1x9 x2=300x9 x1Scale=null x2Scale=1:f32 yScale=null "
                    "x1Offset=0:f32 x2Offset=1:f32 yOffset=0:f32 bias=300:i32 transposeX1=0 "
                    "transposeX2=1 groupSize=0 out=1x300")},
    {.name = "aclnnQuantMatmul aclnnQuantMatmulV2 aclnnQuantMatmulWeightNz",
     .oracle = quant_matmul,
     .random = random_quant_matmul,
     .fill = fill},
    {.name = "aclnnTransQuantParamV2",
     .oracle = quant_param,
     .random = random_quant_param,
     .lines = LINES("trans_quant_param_v2 f32 scale=9 offset=9 out=9:u64 data=special"),
     .sound = "trans_quant_param_v2 f32 scale=9 offset=9 out=9:u64"},
    {.name = NULL},
};

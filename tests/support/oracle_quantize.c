/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers and back, element by element, each operation in FLOAT. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* The factor of element i of x; dims of 1 are repeated, one dimension lies along `axis`. */
static float factor(const struct rig_problem *problem, int operand, int64_t i, float otherwise)
{
    if (operand < 0) return otherwise;
    const struct operand *x = &problem->tensor[0].view, *view = &problem->tensor[operand].view;
    int64_t size = 1, at = i, axis = norm_integer(problem, "axis", -1);
    if (axis < 0) axis += x->rank;
    for (int j = 0; j < view->rank; j++)
        size *= view->dims[j];
    for (int j = x->rank - 1; j > axis; j--)
        at /= x->dims[j];
    return (float)oracle_value(problem, operand, size == 1 ? 0 : at % x->dims[axis]);
}

static double whole(const char *mode, float value)
{
    if (isnan(value)) return 0;
    const float made = strcmp(mode, "ceil") == 0    ? ceilf(value)
                       : strcmp(mode, "floor") == 0 ? floorf(value)
                       : strcmp(mode, "trunc") == 0 ? truncf(value)
                                                    : rintf(value);
    return made < -128 ? -128 : made > 127 ? 127 : (double)made;
}

static void quantize(struct rig_problem *problem)
{
    const bool is_back = strstr(problem->op->name, "Anti") != NULL;
    const bool is_square = norm_integer(problem, "sqrtMode", 0) != 0;
    const int scale = norm_operand(problem, "scale"), offset = norm_operand(problem, "offset");
    const int y = norm_operand(problem, "y");
    const char *mode = is_back ? "" : problem->call.text[0];
    for (int64_t i = 0; i < problem->tensor[y].count; i++) {
        const float by = factor(problem, scale, i, 1), more = factor(problem, offset, i, 0);
        float value = (float)oracle_value(problem, 0, i);
        if (is_back && offset >= 0) value = value + more;
        value = value * by;
        if (is_square) value = value * by;
        if (!is_back && offset >= 0) value = value + more;
        if (is_back)
            oracle_real(problem, y, i, problem->tensor[y].view.dtype, (double)value);
        else
            oracle_whole(problem, y, i, CASE_I8, (int64_t)whole(mode ? mode : "", value));
    }
}

static float smoothed(const struct rig_problem *problem, int smooth, int64_t row, int64_t column)
{
    const struct operand *x = &problem->tensor[0].view;
    const int groups = norm_operand(problem, "groupIndexOptional");
    const int64_t columns = x->dims[x->rank - 1];
    const float value = (float)oracle_value(problem, 0, row * columns + column);
    int64_t expert = 0;
    while (groups >= 0 && row >= oracle_whole_value(problem, groups, expert))
        expert++;
    return smooth < 0 ? value
                      : value * (float)oracle_value(problem, smooth, expert * columns + column);
}

/* Whole numbers of four bits, eight in one. */
static void put_four(struct rig_problem *problem, int y, int64_t i, double value)
{
    struct rig_tensor *t = &problem->tensor[y];
    const uint64_t four = (uint64_t)(int64_t)(value > 7 ? 7 : value < -8 ? -8 : value) & 15;
    if (i % 8 == 0) t->want[i / 8] = 0;
    t->want[i / 8] |= four << i % 8 * 4;
}

static void quantize_rows(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view;
    const int smooth = norm_operand(problem, "smoothScalesOptional");
    const int y = norm_operand(problem, "yOut"), made = norm_operand(problem, "scaleOut");
    const int shift = norm_operand(problem, "offsetOut");
    const int64_t columns = x->dims[x->rank - 1];
    const bool is_four = problem->tensor[y].view.dtype == CASE_I32;
    const float high = is_four ? 7 : 127, low = is_four ? -8 : -128;
    for (int64_t row = 0; row < problem->tensor[made].count; row++) {
        float most = 0, top = -INFINITY, bottom = INFINITY, more = 0;
        bool has_nan = false;
        for (int64_t j = 0; j < columns; j++) {
            const float value = smoothed(problem, smooth, row, j);
            has_nan |= isnan(value);
            most = fmaxf(most, fabsf(value));
            top = fmaxf(top, value);
            bottom = fminf(bottom, value);
        }
        if (has_nan) most = top = bottom = NAN;
        float scale = most / high;
        if (shift >= 0 && columns > 0) {
            scale = (top - bottom) / (high - low);
            more = high - top / scale;
        }
        oracle_real(problem, made, row, CASE_F32, (double)scale);
        if (shift >= 0) oracle_real(problem, shift, row, CASE_F32, (double)more);
        for (int64_t j = 0; j < columns; j++) {
            float value = smoothed(problem, smooth, row, j) / scale;
            if (shift >= 0) value = value + more;
            if (is_four)
                put_four(problem, y, row * columns + j, whole("", value));
            else
                oracle_whole(problem, y, row * columns + j, CASE_I8, (int64_t)whole("", value));
        }
    }
}

/* ---- scales along an axis ---- */

static int64_t limited(enum case_dtype dtype, float value)
{
    const double made = (double)rintf(value);
    const double low = dtype == CASE_I8 ? -128 : dtype == CASE_U8 ? 0 : INT32_MIN;
    const double high = dtype == CASE_I8 ? 127 : dtype == CASE_U8 ? 255 : INT32_MAX;
    return isnan(value) ? 0 : (int64_t)(made < low ? low : made > high ? high : made);
}

static void quantize_axis(struct rig_problem *problem)
{
    const int scale = norm_one_of(problem, "scales scale");
    const int zero = norm_one_of(problem, "zeroPoints zeroPoint");
    const int out = norm_operand(problem, "out"), mask = norm_operand(problem, "mask");
    const double least = (double)norm_integer(problem, "quantMin", 0);
    const double most = (double)norm_integer(problem, "quantMax", 0);
    const bool is_on = norm_real(problem, "fakeQuantEnbled", 1) >= 1;
    const enum case_dtype dtype = problem->tensor[out].view.dtype;
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const float by = factor(problem, scale, i, 1), more = factor(problem, zero, i, 0);
        const float value = (float)oracle_value(problem, 0, i) / by;
        const double made = (double)rintf(value) + (double)more;
        const double held = isnan(made) || made < least ? least : made > most ? most : made;
        if (mask < 0) {
            oracle_whole(problem, out, i, dtype, limited(dtype, zero < 0 ? value : value + more));
            continue;
        }
        const float result = (float)(held - (double)more) * by;
        oracle_real(problem, out, i, dtype, is_on ? (double)result : oracle_value(problem, 0, i));
        oracle_whole(problem, mask, i, CASE_BOOL, !is_on || (made >= least && made <= most));
    }
}

/* ---- random problems ---- */

static void add_factors(struct test_case *test, struct random *random, const char *names[2],
                        const int64_t *x, int rank, int axis)
{
    int64_t dims[CASE_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const enum case_dtype types[] = {CASE_F32, CASE_F16, CASE_BF16};
    const enum case_dtype dtype = types[random_below(random, 3)];
    const bool is_one = random_once_in(random, 3), is_flat = random_once_in(random, 2);
    if (!is_one) dims[is_flat ? 0 : axis] = x[axis];
    for (int i = 0; i < 2; i++) {
        if (i == 1 && random_once_in(random, 3))
            case_add(test, names[i], CASE_ALONE)->is_null = true;
        else
            random_tensor(test, random, names[i], dtype, dims, is_flat ? 1 : rank, false);
    }
}

static enum case_dtype some_float(const struct rig_operator *op, enum case_dtype dtype)
{
    for (int i = 0; i < op->type_count; i++)
        if (op->types[i] == dtype) return dtype;
    return op->types[0];
}

static struct test_case random_quantize(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    static const char *const modes[] = {"round", "ceil", "floor", "trunc"};
    const char *names[] = {"scale", "offset"};
    const bool is_back = strstr(op->name, "Anti") != NULL,
               has_axis = strstr(op->name, "V3") != NULL;
    dtype = some_float(op, dtype);
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = (int)random_between(random, 1, 4);
    for (int i = 0; i < rank; i++)
        dims[i] = random_once_in(random, 30) ? 0 : random_between(random, 1, 7);
    const int back = has_axis && rank > 1 && random_once_in(random, 2) ? 2 : 1;
    const double type = is_back ? (dtype == CASE_F16 ? 1 : 27) : 2;
    random_tensor(&test, random, "x", is_back ? CASE_I8 : dtype, dims, rank, false);
    add_factors(&test, random, names, dims, rank, rank - back);
    if (is_back) random_number(&test, "dstType", type);
    random_number(&test, "sqrtMode", (double)random_below(random, 2));
    if (!is_back) {
        snprintf(case_add(&test, "roundMode", CASE_ALONE)->text, CASE_TEXT, "%s",
                 modes[random_below(random, 4)]);
        random_number(&test, "dstType", type);
    }
    if (has_axis) random_number(&test, "axis", random_once_in(random, 2) ? -back : rank - back);
    random_tensor(&test, random, "y", is_back ? dtype : CASE_I8, dims, rank, true);
    return test;
}

static struct test_case random_rows(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    dtype = some_float(op, dtype);
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], rows = 1;
    const int rank = (int)random_between(random, 2, 4);
    const bool is_second = strstr(op->name, "V2") != NULL, is_four = random_once_in(random, 3);
    for (int i = 0; i < rank; i++)
        dims[i] = random_once_in(random, 30) ? 0 : random_between(random, 1, 8);
    if (is_four) dims[rank - 1] = 8 * random_between(random, 1, 3);
    for (int i = 0; i < rank - 1; i++)
        rows *= dims[i];
    const bool has_groups = is_second && rows > 0 && random_once_in(random, 2);
    const int64_t smooth[CASE_RANK] = {random_between(random, 1, 5), dims[rank - 1]};
    int64_t y[CASE_RANK];
    memcpy(y, dims, sizeof y);
    if (is_four) y[rank - 1] /= 8;
    random_tensor(&test, random, "x", dtype, dims, rank, false);
    norm_optional(&test, random, "smoothScalesOptional", dtype, smooth + !has_groups,
                  1 + has_groups, false, has_groups || random_once_in(random, 2));
    if (is_second) {
        norm_optional(&test, random, "groupIndexOptional", CASE_I32, smooth, 1, true, has_groups);
        random_number(&test, "dstType", is_four ? 3 : 2);
    }
    random_tensor(&test, random, "yOut", is_four ? CASE_I32 : CASE_I8, y, rank, true);
    random_tensor(&test, random, "scaleOut", CASE_F32, dims, rank - 1, true);
    if (is_second)
        norm_optional(&test, random, "offsetOut", CASE_F32, dims, rank - 1, true,
                      random_once_in(random, 2));
    return test;
}

/* The last group ends behind all rows; those before it anywhere. */
static void fill_groups(struct rig_problem *problem, struct random *random)
{
    const int groups = norm_operand(problem, "groupIndexOptional");
    const int made = norm_operand(problem, "scaleOut");
    if (groups < 0) return;
    struct rig_tensor *t = &problem->tensor[groups];
    for (int64_t i = 0; i < t->count; i++)
        t->bits[i] =
            (uint64_t)(i == t->count - 1 ? problem->tensor[made].count : random_below(random, 10));
}

/* Scales that are no zeros. */
static void fill_scales(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *t = &problem->tensor[norm_one_of(problem, "scales scale")];
    for (int64_t i = 0; i < t->count; i++)
        t->bits[i] = oracle_to_bits(t->view.dtype, (double)random_between(random, 1, 40) / 16);
}

static struct test_case random_axis(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    static const enum case_dtype results[] = {CASE_I8, CASE_U8, CASE_I32};
    static const enum case_dtype zeros[] = {CASE_I32, CASE_I8, CASE_U8, CASE_F32, CASE_BF16};
    static const enum case_dtype factors[] = {CASE_F32, CASE_F16, CASE_BF16};
    const bool is_fake = strstr(op->name, "Fake") != NULL;
    const bool is_tensor = strstr(op->name, "PerTensor") != NULL;
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = (int)random_between(random, is_fake ? 0 : 1, 5);
    for (int i = 0; i < rank; i++)
        dims[i] = random_once_in(random, 40) ? 0 : random_between(random, 1, 6);
    const int axis = rank > 0 ? (int)random_below(random, rank) : 0;
    const bool is_one = is_tensor || rank == 0 || (!is_fake && random_once_in(random, 3));
    const int64_t count[CASE_RANK] = {is_one ? 1 : dims[axis]};
    const int least = is_tensor && random_once_in(random, 2) ? 0 : 1;
    const enum case_dtype result = results[random_below(random, 3)];
    random_tensor(&test, random, is_fake ? "self" : "x", dtype, dims, rank, false);
    random_tensor(&test, random, is_fake ? "scale" : "scales", factors[random_below(random, 3)],
                  count, least, true);
    norm_optional(&test, random, is_fake ? "zeroPoint" : "zeroPoints",
                  is_fake ? CASE_I32 : zeros[random_below(random, 5)], count, least, false,
                  is_fake || random_once_in(random, 2));
    if (is_tensor) random_number(&test, "fakeQuantEnbled", random_once_in(random, 4) ? 0.5 : 1);
    if (!is_fake) random_type(&test, "dtype", result);
    if (!is_tensor)
        random_number(&test, "axis", random_once_in(random, 2) && rank > 0 ? axis - rank : axis);
    if (is_fake) {
        const int64_t low = random_between(random, -20, 5);
        random_number(&test, "quantMin", (double)low);
        random_number(&test, "quantMax", (double)(low + random_below(random, 30)));
    }
    random_tensor(&test, random, "out", is_fake ? dtype : result, dims, rank, true);
    if (is_fake) random_tensor(&test, random, "mask", CASE_BOOL, dims, rank, true);
    return test;
}

/* ---- sums as numbers ---- */

static void dequantize(struct rig_problem *problem)
{
    enum { X, COLUMN, ROW, BIAS, OUT };
    const int64_t columns = problem->tensor[X].view.dims[1];
    const bool is_whole =
        !problem->call.is_null[BIAS] && problem->tensor[BIAS].view.dtype == CASE_I32;
    for (int64_t i = 0; i < problem->tensor[OUT].count; i++) {
        const double bias =
            norm_value(problem, problem->call.is_null[BIAS] ? -1 : BIAS, i % columns, 0);
        const double by =
            norm_value(problem, problem->call.is_null[ROW] ? -1 : ROW, i / columns, 1);
        const double sum = oracle_value(problem, X, i) + (is_whole ? bias : 0);
        const double scaled = sum * oracle_value(problem, COLUMN, i % columns) * by;
        oracle_real(problem, OUT, i, problem->tensor[OUT].view.dtype,
                    is_whole ? scaled : scaled + bias);
        problem->tensor[OUT].slack[i] = ldexp(fabs(scaled) + fabs(bias), -50);
    }
}

static struct test_case random_dequantize(const struct rig_operator *op, struct random *random,
                                          enum case_dtype dtype)
{
    static const enum case_dtype biases[] = {CASE_F32, CASE_F16, CASE_BF16, CASE_I32};
    struct test_case test = norm_start(op, random, dtype);
    const int64_t dims[] = {random_between(random, 0, 12), random_between(random, 0, 40)};
    const bool is_half = random_once_in(random, 2);
    random_tensor(&test, random, "x", CASE_I32, dims, 2, false);
    random_tensor(&test, random, "weightScale", random_once_in(random, 2) ? CASE_F32 : CASE_BF16,
                  dims + 1, 1, false);
    norm_optional(&test, random, "activateScaleOptional", CASE_F32, dims, 1, false,
                  random_once_in(random, 2));
    norm_optional(&test, random, "biasOptional", biases[random_below(random, 4)], dims + 1, 1,
                  false, random_once_in(random, 2));
    random_number(&test, "outputDtype", is_half ? 1 : 27);
    random_tensor(&test, random, "out", is_half ? CASE_F16 : CASE_BF16, dims, 2, true);
    return test;
}

const struct oracle_row oracle_quantize_rows[] = {
    {.name = "aclnnDequantBias",
     .oracle = dequantize,
     .random = random_dequantize,
     .ulp = 1,
     .lines = LINES("dequant_bias i32 x=30x2100 weightScale=2100:f32 activateScaleOptional=30:f32 "
                    "biasOptional=2100 outputDtype=1 out=30x2100:f16:strided"),
     .sound = "dequant_bias i32 x=3x21 weightScale=21:f32 activateScaleOptional=3:f32 "
              "biasOptional=21:f16 outputDtype=27 out=3x21:bf16"},
    {.name = "aclnnAscendQuant",
     .oracle = quantize,
     .random = random_quantize,
     .lines = LINES("ascend_quant f32 x=3x2100 scale=2100 offset=2100 sqrtMode=0 roundMode=round "
                    "dstType=2 y=3x2100:i8"),
     .sound = "ascend_quant f32 x=3x21 scale=21 offset=21 sqrtMode=0 roundMode=round dstType=2 "
              "y=3x21:i8"},
    {.name = "aclnnAscendQuantV3",
     .oracle = quantize,
     .random = random_quantize,
     .lines = LINES("ascend_quant_v3 f16 x=2x3x1030 scale=3 offset=3 sqrtMode=1 roundMode=floor "
                    "dstType=2 axis=1 y=2x3x1030:i8:strided"),
     .sound = "ascend_quant_v3 f32 x=3x21 scale=21 offset=21 sqrtMode=0 roundMode=round dstType=2 "
              "axis=-1 y=3x21:i8"},
    {.name = "aclnnAscendAntiQuant",
     .oracle = quantize,
     .random = random_quantize,
     .lines = LINES("ascend_anti_quant f16 x=3x2100:i8 scale=2100:f32 offset=2100:f32 dstType=1 "
                    "sqrtMode=0 y=3x2100"),
     .sound = "ascend_anti_quant f16 x=3x21:i8 scale=21:f32 offset=21:f32 dstType=1 sqrtMode=0 "
              "y=3x21"},
    {.name = "aclnnDynamicQuant",
     .oracle = quantize_rows,
     .random = random_rows,
     .lines = LINES("dynamic_quant f16 x=3x2100 smoothScalesOptional=2100 yOut=3x2100:i8 "
                    "scaleOut=3:f32",
                    "dynamic_quant bf16 x=5x40 smoothScalesOptional=null yOut=5x40:i8 "
                    "scaleOut=5:f32 data=special"),
     .sound = "dynamic_quant f16 x=3x21 smoothScalesOptional=21 yOut=3x21:i8 scaleOut=3:f32"},
    {.name = "aclnnDynamicQuantV2",
     .oracle = quantize_rows,
     .random = random_rows,
     .fill = fill_groups,
     .lines = LINES("dynamic_quant_v2 f16 x=3x2104 smoothScalesOptional=2x2104 "
                    "groupIndexOptional=2:i32 dstType=3 yOut=3x263:i32 scaleOut=3:f32 "
                    "offsetOut=3:f32")},
    {.name = "aclnnQuantize",
     .oracle = quantize_axis,
     .random = random_axis,
     .fill = fill_scales,
     .lines = LINES("quantize f32 x=3x5x1030 scales=3 zeroPoints=3:u8 dtype=u8 axis=0 "
                    "out=3x5x1030:u8:strided data=special"),
     .sound = "quantize f32 x=3x21 scales=21 zeroPoints=21:i32 dtype=i8 axis=1 out=3x21:i8"},
    {.name = "aclnnFakeQuantPerTensorAffineCachemask aclnnFakeQuantPerChannelAffineCachemask",
     .oracle = quantize_axis,
     .random = random_axis,
     .fill = fill_scales},
    {.name = NULL},
};

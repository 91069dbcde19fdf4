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

static float smoothed(const struct rig_problem *problem, int smooth, int64_t i)
{
    const float value = (float)oracle_value(problem, 0, i);
    return smooth < 0 ? value : value * factor(problem, smooth, i, 1);
}

static void quantize_rows(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view;
    const int smooth = norm_operand(problem, "smoothScalesOptional");
    const int y = norm_operand(problem, "yOut"), made = norm_operand(problem, "scaleOut");
    const int64_t columns = x->dims[x->rank - 1];
    for (int64_t row = 0; row < problem->tensor[made].count; row++) {
        float most = 0;
        for (int64_t j = 0; j < columns; j++) {
            const float size = fabsf(smoothed(problem, smooth, row * columns + j));
            if (isnan(size) || size > most) most = size;
            if (isnan(most)) break;
        }
        most = most / 127;
        oracle_real(problem, made, row, CASE_F32, (double)most);
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
            const float value = smoothed(problem, smooth, i) / most;
            oracle_whole(problem, y, i, CASE_I8, (int64_t)whole("", value));
        }
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
    int64_t dims[CASE_RANK];
    const int rank = (int)random_between(random, 2, 4);
    for (int i = 0; i < rank; i++)
        dims[i] = random_once_in(random, 30) ? 0 : random_between(random, 1, 8);
    random_tensor(&test, random, "x", dtype, dims, rank, false);
    if (random_once_in(random, 2))
        random_tensor(&test, random, "smoothScalesOptional", dtype, dims + rank - 1, 1, false);
    else
        case_add(&test, "smoothScalesOptional", CASE_ALONE)->is_null = true;
    random_tensor(&test, random, "yOut", CASE_I8, dims, rank, true);
    random_tensor(&test, random, "scaleOut", CASE_F32, dims, rank - 1, true);
    return test;
}

const struct oracle_row oracle_quantize_rows[] = {
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
    {.name = NULL},
};

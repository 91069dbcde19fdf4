/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of sums of small integers as INT8: of products of experts, and of sums that are given. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_experts.h"

/* 1 / (1 + exp(-x)) */
static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* Element i of a row: silu(a) b. SiLU is good to 1 ULP. */
static void put_gate(struct fused_row *row, int64_t i, double a, double b)
{
    const double silu = a * logistic(a);
    row->value[i] = silu * b;
    row->wrong[i] = 2 * fused_rounding(silu) * fabs(b) + fused_rounding(row->value[i]);
}

static void leave_row(struct rig_problem *problem, int y, int made, int64_t row, int64_t columns)
{
    problem->is_sum = true;
    problem->tensor[made].sums[row] = (struct oracle_sum){(double)NAN, 0, 1};
    for (int64_t i = 0; i < columns; i++)
        oracle_rounded(problem, y, row * columns + i, 8, -1, 0);
}

/* ---- products of experts ---- */

static int64_t columns_of(const struct rig_problem *problem)
{
    return problem->tensor[experts_operand(problem, "output")].view.dims[1];
}

static void experts_gate(struct rig_problem *problem)
{
    static struct fused_row row;
    const int y = experts_operand(problem, "output");
    const int made = experts_operand(problem, "outputScale");
    const int smooth = experts_operand(problem, "smoothScale");
    const int64_t columns = columns_of(problem);
    const struct experts e = experts_of(problem, 2 * columns);
    row.count = columns;
    for (int64_t r = 0; r < e.m; r++) {
        const int64_t expert = experts_group(problem, &e, r);
        if (expert < 0) {
            leave_row(problem, y, made, r, columns);
            continue;
        }
        for (int64_t i = 0; i < columns; i++) {
            const float a = experts_product(problem, &e, expert, r, i);
            put_gate(&row, i, (double)a,
                     (double)experts_product(problem, &e, expert, r, columns + i));
            if (smooth < 0) continue;
            const bool by_column = problem->tensor[smooth].view.rank == 2;
            fused_scale(&row, i,
                        oracle_value(problem, smooth, by_column ? expert * columns + i : expert),
                        false);
        }
        fused_put_dynamic(problem, y, made, r, 8, &row, false);
    }
}

static void fill_experts(struct rig_problem *problem, struct random *random)
{
    experts_fill(problem, random, 2 * columns_of(problem));
}

static struct test_case random_experts(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    static const enum case_dtype scales[] = {CASE_F32, CASE_F16, CASE_BF16};
    const bool is_second = strstr(op->name, "V2") != NULL;
    const char *tuning = strstr(op->name, "Nz") ? "tuningConfigOptional" : "tuningConfig";
    struct test_case test = norm_start(op, random, dtype);
    const struct experts_draw d = experts_draw(random, is_second, is_second, false);
    const int64_t y[CASE_RANK] = {d.m, d.n / 2}, list[CASE_RANK] = {d.groups};
    const int64_t smooth[CASE_RANK] = {d.experts, d.n / 2};
    const enum case_dtype scale = d.is_four ? (random_once_in(random, 2) ? CASE_U64 : CASE_I64)
                                            : scales[random_below(random, 3)];
    const bool has_bias = d.is_four && !d.is_small_x;
    experts_add_x(&test, random, "x", &d);
    experts_add_weight(&test, random, "weight", &d);
    if (is_second) {
        experts_add_rows(&test, random, "weightScale", scale, &d, d.parts, true);
        experts_add_rows(&test, random, "weightAssistMatrix", CASE_F32, &d, 0, has_bias);
        norm_optional(&test, random, "bias", CASE_F32, y, 1, false, false);
    } else {
        experts_add_rows(&test, random, "bias", CASE_F32, &d, 0, has_bias);
        norm_optional(&test, random, "offset", CASE_F32, y, 1, false, false);
        experts_add_rows(&test, random, "weightScale", scale, &d, d.parts, true);
    }
    random_tensor(&test, random, "xScale", CASE_F32, y, 1, false);
    if (is_second)
        norm_optional(&test, random, "smoothScale", CASE_F32, smooth, 1 + random_once_in(random, 2),
                      false, d.is_small_x && random_once_in(random, 2));
    random_tensor(&test, random, "groupList", CASE_I64, list, 1, true);
    if (is_second) {
        random_number(&test, "dequantMode", d.parts > 1);
        random_number(&test, "dequantDtype", random_once_in(random, 2) ? 28 : 0);
        random_number(&test, "quantMode", 0);
        random_number(&test, "groupListType", random_once_in(random, 2));
        case_add(&test, tuning, CASE_ALONE)->is_null = true;
    }
    random_tensor(&test, random, "output", CASE_I8, y, 2, true);
    random_tensor(&test, random, "outputScale", CASE_F32, y, 1, true);
    if (!is_second) norm_optional(&test, random, "outputOffset", CASE_F32, y, 1, true, false);
    return test;
}

/* ---- sums that are given ---- */

struct dequant {
    int scale, token, bias, smooth, offset, list, y, made;
    int64_t rows, columns, groups, mode;
    bool is_left, is_dynamic, is_pair;
};

static struct dequant dequant_of(const struct rig_problem *problem)
{
    const char *mode = fused_text_of(problem, "quantModeOptional");
    struct dequant d = {
        .scale = norm_operand(problem, "weightScaleOptional"),
        .token = norm_operand(problem, "activationScaleOptional"),
        .bias = norm_operand(problem, "biasOptional"),
        .smooth = norm_operand(problem, "quantScaleOptional"),
        .offset = norm_operand(problem, "quantOffsetOptional"),
        .list = norm_operand(problem, "groupIndexOptional"),
        .y = norm_operand(problem, "yOut"),
        .made = norm_operand(problem, "scaleOut"),
        .rows = 1,
        .groups = 1,
        .mode = norm_integer(problem, "swigluMode", 0),
        .is_left = norm_integer(problem, "activateLeft", 1) != 0,
        .is_dynamic = mode && strcmp(mode, "dynamic") == 0,
    };
    const struct operand *x = &problem->tensor[0].view;
    for (int i = 0; i < x->rank - 1; i++)
        d.rows *= x->dims[i];
    d.columns = x->dims[x->rank - 1] / 2;
    if (d.list < 0) return d;
    d.groups = problem->tensor[d.list].view.dims[0];
    d.is_pair = problem->tensor[d.list].view.rank == 2;
    return d;
}

/* Whose factors a row has, -1: of no group. */
static int64_t factors_of(const struct rig_problem *problem, const struct dequant *d, int64_t row)
{
    int64_t end = 0;
    if (d->list < 0) return 0;
    for (int64_t i = 0; i < d->groups; i++) {
        end += oracle_whole_value(problem, d->list, d->is_pair ? 2 * i + 1 : i);
        if (row < end) return d->is_pair ? oracle_whole_value(problem, d->list, 2 * i) : i;
    }
    return -1;
}

/* Column j of x as a number, each operation one of FLOAT. */
static double number_of(const struct rig_problem *problem, const struct dequant *d, int64_t group,
                        int64_t row, int64_t j)
{
    const int64_t width = 2 * d->columns, at = row * width + j, factor = group * width + j;
    if (problem->tensor[0].view.dtype != CASE_I32) return oracle_value(problem, 0, at);
    const bool is_whole = d->bias >= 0 && problem->tensor[d->bias].view.dtype == CASE_I32;
    const int64_t sum = oracle_whole_value(problem, 0, at) +
                        (is_whole ? oracle_whole_value(problem, d->bias, factor) : 0);
    float value = (float)(int32_t)(uint32_t)(uint64_t)sum;
    value = value * (float)oracle_value(problem, d->scale, factor);
    if (d->token >= 0) value = value * (float)oracle_value(problem, d->token, row);
    if (d->bias >= 0 && !is_whole) value = value + (float)oracle_value(problem, d->bias, factor);
    return (double)value;
}

static double held(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Modes other than 0: sigmoid is good to 1 ULP, its argument to a half of one, and there are four
 * roundings more. */
static void put_clamped(const struct rig_problem *problem, const struct dequant *d,
                        struct fused_row *row, int64_t i, double a, double b)
{
    const double limit = (double)(float)norm_real(problem, "clampLimit", 0);
    const double alpha = (double)(float)norm_real(problem, "gluAlpha", 0);
    const double more = (double)(float)norm_real(problem, "gluBias", 0);
    const double left =
        d->mode == 3 ? held(a * logistic(a), -INFINITY, limit) : held(a, -INFINITY, limit);
    const double right = held(b, -limit, limit) + (d->mode == 3 ? 0 : more);
    const double argument = alpha * left;
    row->value[i] = d->mode == 3 ? left * right : left * logistic(argument) * right;
    row->wrong[i] =
        (8 + fabs(argument)) * fused_rounding(row->value[i]) + ldexp(1 + fabs(right), -149);
}

static double factor(const struct rig_problem *problem, const struct dequant *d, int operand,
                     int64_t group, int64_t i)
{
    const struct rig_tensor *t = &problem->tensor[operand];
    const bool by_column = t->view.rank == 2 || t->count != d->groups;
    return oracle_value(problem, operand, by_column ? group * d->columns + i : group);
}

static void dequant_gate(struct rig_problem *problem)
{
    static struct fused_row row;
    const struct dequant d = dequant_of(problem);
    row.count = d.columns;
    for (int64_t r = 0; r < d.rows; r++) {
        const int64_t group = factors_of(problem, &d, r);
        if (group < 0) {
            leave_row(problem, d.y, d.made, r, d.columns);
            continue;
        }
        for (int64_t i = 0; i < d.columns; i++) {
            const bool by_pairs = d.mode == 1;
            const double first = number_of(problem, &d, group, r, by_pairs ? 2 * i : i);
            const double second =
                number_of(problem, &d, group, r, by_pairs ? 2 * i + 1 : d.columns + i);
            if (d.mode == 0)
                put_gate(&row, i, d.is_left ? first : second, d.is_left ? second : first);
            else
                put_clamped(problem, &d, &row, i, d.is_left ? first : second,
                            d.is_left ? second : first);
            if (d.smooth >= 0)
                fused_scale(&row, i, factor(problem, &d, d.smooth, group, i), !d.is_dynamic);
            if (d.is_dynamic) continue;
            const bool has_offset = d.offset >= 0;
            fused_put(problem, d.y, r * d.columns + i, 8, &row, i,
                      has_offset ? factor(problem, &d, d.offset, group, i) : 0, has_offset);
        }
        if (d.is_dynamic) fused_put_dynamic(problem, d.y, d.made, r, 8, &row, false);
    }
    if (!d.is_dynamic) fused_leave(problem, d.made);
}

static void fill_dequant(struct rig_problem *problem, struct random *random)
{
    const struct dequant d = dequant_of(problem);
    const int reals[] = {d.scale, d.token, d.smooth, d.offset};
    int64_t left = d.rows;
    for (int64_t i = 0; problem->tensor[0].view.dtype == CASE_I32 && i < problem->tensor[0].count;
         i++)
        problem->tensor[0].bits[i] = (uint32_t)random_between(random, -3000, 3000);
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; reals[k] >= 0 && i < problem->tensor[reals[k]].count; i++) {
            const double some = (double)random_between(random, -60, 60);
            problem->tensor[reals[k]].bits[i] =
                oracle_to_bits(CASE_F32, (some == 0 ? 1 : some) / (k == 0 ? 4096 : 16));
        }
    for (int64_t i = 0; d.list >= 0 && i < d.groups; i++) {
        const int64_t rows = random_below(random, left + 1);
        left -= rows;
        if (d.is_pair)
            problem->tensor[d.list].bits[2 * i] = (uint64_t)random_below(random, d.groups);
        problem->tensor[d.list].bits[d.is_pair ? 2 * i + 1 : i] = (uint64_t)rows;
    }
}

static struct test_case random_dequant(const struct rig_operator *op, struct random *random,
                                       enum case_dtype some)
{
    const enum case_dtype dtype = some == CASE_F16 || some == CASE_BF16 ? some : CASE_I32;
    static const enum case_dtype biases[] = {CASE_F32, CASE_F16, CASE_BF16, CASE_I32};
    const bool is_second = strstr(op->name, "V2") != NULL, is_dynamic = random_once_in(random, 2);
    struct test_case test = norm_start(op, random, dtype);
    int64_t x[CASE_RANK], y[CASE_RANK];
    int rank = random_shape(random, x, 200);
    while (rank < 2)
        x[rank++] = random_between(random, 1, 20);
    memcpy(y, x, sizeof y);
    x[rank - 1] *= 2;
    const bool has_groups = random_once_in(random, 2), is_whole = dtype == CASE_I32;
    const bool is_pair = is_second && random_once_in(random, 2);
    const int64_t groups = has_groups ? random_between(random, 1, 4) : 1;
    const int64_t wide[] = {groups, x[rank - 1]}, own[] = {groups, y[rank - 1]};
    const int64_t pairs[] = {groups, 2};
    const int flat = groups == 1 && random_once_in(random, 2);
    const bool has_smooth = (is_second && !is_dynamic) || random_once_in(random, 2);
    const bool is_one = random_once_in(random, 3);
    const int64_t mode = is_second ? random_below(random, 4) : 0;
    const int own_rank = is_one ? 1 : 2 - flat, own_skip = is_one ? 0 : flat;
    random_tensor(&test, random, "x", dtype, x, rank, false);
    norm_optional(&test, random, "weightScaleOptional", CASE_F32, wide + flat, 2 - flat, false,
                  is_whole);
    norm_optional(&test, random, "activationScaleOptional", CASE_F32, y, rank - 1, false,
                  is_whole && random_once_in(random, 2));
    norm_optional(&test, random, "biasOptional", biases[random_below(random, 4)], wide + flat,
                  2 - flat, false, is_whole && random_once_in(random, 2));
    norm_optional(&test, random, "quantScaleOptional", CASE_F32, own + own_skip, own_rank, false,
                  has_smooth);
    norm_optional(&test, random, "quantOffsetOptional", CASE_F32, own + own_skip, own_rank, false,
                  has_smooth && !(is_second && is_dynamic) && random_once_in(random, 2));
    norm_optional(&test, random, "groupIndexOptional",
                  is_second || random_once_in(random, 2) ? CASE_I64 : CASE_I32, pairs, 1 + is_pair,
                  true, has_groups);
    random_number(&test, "activateLeft", mode == 1 || random_once_in(random, 2));
    if (is_dynamic || random_once_in(random, 2))
        fused_text(&test, "quantModeOptional", is_dynamic ? "dynamic" : "static");
    if (is_second) {
        random_number(&test, "dstType", 2);
        if (random_once_in(random, 2)) fused_text(&test, "roundModeOptional", "rint");
        random_number(&test, "activateDim", random_once_in(random, 2) ? -1 : rank - 1);
        random_number(&test, "swigluMode", (double)mode);
        random_number(&test, "clampLimit", 7);
        random_number(&test, "gluAlpha", 1.702);
        random_number(&test, "gluBias", 1);
    }
    random_tensor(&test, random, "yOut", CASE_I8, y, rank, true);
    random_tensor(&test, random, "scaleOut", CASE_F32, y, rank - 1, true);
    return test;
}

#define DEQUANT(name_of, a_sound, ...)                                                             \
    {                                                                                              \
        .name = name_of, .oracle = dequant_gate, .random = random_dequant, .fill = fill_dequant,   \
        .ulp = 1, .sound = a_sound, .lines = LINES(__VA_ARGS__)                                    \
    }
#define EXPERTS(name_of, a_sound, ...)                                                             \
    {                                                                                              \
        .name = name_of, .oracle = experts_gate, .random = random_experts, .fill = fill_experts,   \
        .ulp = 1, .sound = a_sound, .lines = LINES(__VA_ARGS__)                                    \
    }

const struct oracle_row oracle_experts_gate_rows[] = {
    DEQUANT("aclnnDequantSwigluQuant",
            "dequant_swiglu_quant i32 x=2x3x8 weightScaleOptional=2x8:f32 "
            "activationScaleOptional=2x3:f32 biasOptional=2x8:f32 quantScaleOptional=2x4:f32 "
            "quantOffsetOptional=2x4:f32 groupIndexOptional=2:i64 activateLeft=1 "
            "quantModeOptional=static yOut=2x3x4:i8 scaleOut=2x3:f32",
            "dequant_swiglu_quant i32 x=7x12000 weightScaleOptional=2x12000:f32 "
            "activationScaleOptional=7:f32 biasOptional=2x12000:i32 quantScaleOptional=2x6000:f32 "
            "quantOffsetOptional=null groupIndexOptional=2:i64 activateLeft=0 "
            "quantModeOptional=dynamic yOut=7x6000:i8:strided scaleOut=7:f32"),
    DEQUANT("aclnnDequantSwigluQuantV2",
            "dequant_swiglu_quant_v2 i32 x=2x3x8 weightScaleOptional=2x8:f32 "
            "activationScaleOptional=2x3:f32 biasOptional=2x8:f32 quantScaleOptional=2x4:f32 "
            "quantOffsetOptional=2x4:f32 groupIndexOptional=2x2:i64 activateLeft=1 "
            "quantModeOptional=static dstType=2 roundModeOptional=rint activateDim=-1 "
            "swigluMode=1 clampLimit=7 gluAlpha=1.702 gluBias=1 yOut=2x3x4:i8 scaleOut=2x3:f32",
            "dequant_swiglu_quant_v2 bf16 x=9x6000 weightScaleOptional=null "
            "activationScaleOptional=null biasOptional=null quantScaleOptional=3000:f32 "
            "quantOffsetOptional=null groupIndexOptional=null activateLeft=1 "
            "quantModeOptional=dynamic dstType=2 activateDim=1 swigluMode=1 clampLimit=7 "
            "gluAlpha=1.702 gluBias=1 yOut=9x3000:i8 scaleOut=9:f32"),
    EXPERTS("aclnnGroupedMatmulSwigluQuant", NULL,
            "grouped_matmul_swiglu_quant i8 x=330x70 weight=3x70x400 bias=null offset=null "
            "weightScale=3x400:bf16 xScale=330:f32 groupList=3:i64 output=330x200:i8 "
            "outputScale=330:f32 outputOffset=null",
            "grouped_matmul_swiglu_quant i8 x=290x1100 weight=2x1100x50:i32 bias=2x400:f32 "
            "offset=null weightScale=2x2x400:u64 xScale=290:f32 groupList=2:i64 output=290x200:i8 "
            "outputScale=290:f32 outputOffset=null"),
    EXPERTS("aclnnGroupedMatmulSwigluQuantWeightNZ aclnnGroupedMatmulSwigluQuantWeightNzV2", NULL,
            NULL),
    EXPERTS("aclnnGroupedMatmulSwigluQuantV2", NULL,
            "grouped_matmul_swiglu_quant_v2 i8 x=9x40:i32 weight=[320x13:i32,320x13:i32] "
            "weightScale=[4x104:i64,4x104:i64] weightAssistMatrix=null bias=null xScale=9:f32 "
            "smoothScale=2x52:f32 groupList=2:i64 dequantMode=1 dequantDtype=0 quantMode=0 "
            "groupListType=1 tuningConfig=null output=9x52:i8 outputScale=9:f32"),
    {.name = NULL},
};

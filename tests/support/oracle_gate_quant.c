/* SPDX-License-Identifier: Apache-2.0 */
/* Activations as small integers, from the definitions. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_fused.h"

/* What a call says. */
struct gate {
    int scale, offset, groups, y, made; /* operands; -1: not there */
    int64_t rows, columns, experts;
    bool has_halves, is_static, is_left, is_tanh, is_count;
};

static bool has_halves(const struct rig_operator *op)
{
    return strstr(op->name, "SwiGlu") != NULL;
}

static struct gate gate_of(const struct rig_problem *problem)
{
    const char *one = fused_text_of(problem, "quantMode"),
               *other = fused_text_of(problem, "quantModeOptional");
    const char *mode = one ? one : other, *approximate = fused_text_of(problem, "approximate");
    struct gate g = {
        .scale = norm_one_of(problem, "smoothScalesOptional inputScaleOptional"),
        .offset = norm_one_of(problem, "offsetsOptional inputOffsetOptional"),
        .groups = norm_operand(problem, "groupIndexOptional"),
        .y = norm_one_of(problem, "yOut y"),
        .made = norm_one_of(problem, "scaleOut outScaleOptional"),
        .has_halves = has_halves(problem->op),
        .is_static = mode && strcmp(mode, "static") == 0,
        .is_left = norm_integer(problem, "activateLeft", 1) != 0,
        .is_tanh = approximate && strcmp(approximate, "tanh") == 0,
        .is_count = norm_integer(problem, "groupListType", 0) == 1,
        .rows = 1,
    };
    const struct operand *x = &problem->tensor[0].view;
    for (int i = 0; i < x->rank - 1; i++)
        g.rows *= x->dims[i];
    g.columns = x->dims[x->rank - 1] / (1 + g.has_halves);
    g.experts = g.groups >= 0 ? problem->tensor[g.groups].count : 1;
    return g;
}

/* 1 / (1 + exp(-x)) */
static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* wrong: 8 ULP of GELU as a function of x, 1 of its form with tanh, as docs/numerics.md says; gates
 * are made in double, of functions that are good to 2^-30 of their argument's part. */
static double activate(const struct rig_problem *problem, const struct gate *g, int64_t row,
                       int64_t i, double *wrong)
{
    const int64_t at = row * g->columns * (1 + g->has_halves) + i;
    const double x = oracle_value(problem, 0, at + (g->is_left ? 0 : g->columns));
    const double cubic = 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    if (g->has_halves) {
        const double value =
            x * logistic(x) * oracle_value(problem, 0, at + (g->is_left ? g->columns : 0));
        *wrong = fused_rounding(value) + ldexp(fabs(value) * (1 + fabs(x)), -27);
        return value;
    }
    const double value =
        g->is_tanh ? x * logistic(cubic) : x * 0.5 * erfc(-x * 0.70710678118654752440);
    *wrong = 2 * fused_rounding(value) * (g->is_tanh ? 1 : 8);
    return value;
}

/* The group of a row; `experts` where it is behind all of them. */
static int64_t expert_of(const struct rig_problem *problem, const struct gate *g, int64_t row)
{
    int64_t end = 0, expert = 0;
    if (g->groups < 0) return 0;
    for (; expert < g->experts; expert++) {
        const int64_t number = oracle_whole_value(problem, g->groups, expert);
        end = g->is_count ? end + number : number;
        if (row < end) break;
    }
    return expert;
}

/* The factor of an element: one, one for each group, or one for each column of it. */
static double factor(const struct rig_problem *problem, const struct gate *g, int operand,
                     int64_t expert, int64_t i)
{
    const struct operand *view = &problem->tensor[operand].view;
    const bool is_by_column =
        g->has_halves ? view->rank == 2 : problem->tensor[operand].count == g->columns;
    return oracle_value(problem, operand, is_by_column ? expert * g->columns + i : expert);
}

static void quantized(struct rig_problem *problem)
{
    static struct fused_row row;
    const struct gate g = gate_of(problem);
    const bool is_empty = g.columns == 0;
    for (int64_t r = 0; r < g.rows; r++) {
        const int64_t expert = expert_of(problem, &g, r);
        const bool has_factors = g.scale >= 0 && expert < g.experts;
        row.count = g.columns;
        for (int64_t i = 0; i < g.columns; i++) {
            row.value[i] = activate(problem, &g, r, i, &row.wrong[i]);
            if (has_factors) fused_scale(&row, i, factor(problem, &g, g.scale, expert, i), false);
            if (!g.is_static) continue;
            const bool has_offset = has_factors && g.offset >= 0;
            fused_put(problem, g.y, r * g.columns + i, 8, &row, i,
                      has_offset ? factor(problem, &g, g.offset, expert, i) : 0, has_offset);
        }
        if (!g.is_static && !is_empty)
            fused_put_dynamic(problem, g.y, g.made, r, 8, &row, g.has_halves);
        else if (g.made >= 0)
            oracle_real(problem, g.made, r, CASE_F32, 0);
    }
}

/* ---- random problems ---- */

static struct test_case random_gate(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool halves = has_halves(op), is_static = random_once_in(random, 2);
    const bool is_second = strstr(op->name, "V2") != NULL;
    int64_t x[CASE_RANK], y[CASE_RANK];
    int rank = random_shape(random, x, 200);
    while (rank < 1 + (halves || !is_static))
        x[rank++] = random_between(random, 1, 20);
    memcpy(y, x, sizeof y);
    if (halves) x[rank - 1] *= 2;
    const bool has_groups = halves && random_once_in(random, 2);
    const int64_t groups = has_groups ? random_between(random, 1, 4) : 1;
    const bool is_by_column = random_once_in(random, 2);
    const int64_t factors[] = {groups, y[rank - 1]};
    const int64_t *own = halves || !is_by_column ? factors : factors + 1;
    const int own_rank = halves && is_by_column ? 2 : 1;
    const enum case_dtype type = norm_some_single(op, random, CASE_F32);
    const bool has_scale = is_static || random_once_in(random, 2);
    random_tensor(&test, random, halves ? "x" : "self", dtype, x, rank, false);
    norm_optional(&test, random, halves ? "smoothScalesOptional" : "inputScaleOptional", type, own,
                  own_rank, false, has_scale);
    norm_optional(&test, random, halves ? "offsetsOptional" : "inputOffsetOptional", type, own,
                  own_rank, false, has_scale && random_once_in(random, 2));
    if (halves) {
        norm_optional(&test, random, "groupIndexOptional", CASE_I32, &groups, 1, false, has_groups);
        random_number(&test, "activateLeft", random_once_in(random, 2));
    } else {
        fused_text(&test, "approximate", random_once_in(random, 2) ? "none" : "tanh");
    }
    if (!halves || is_static || random_once_in(random, 2))
        fused_text(&test, halves ? "quantModeOptional" : "quantMode",
                   is_static ? "static" : "dynamic");
    if (!halves) fused_text(&test, "roundMode", "rint");
    if (is_second) random_number(&test, "groupListType", random_once_in(random, 2));
    if (is_second || !halves) random_number(&test, "dstType", 2);
    random_tensor(&test, random, halves ? "yOut" : "y", CASE_I8, y, rank, true);
    norm_optional(&test, random, halves ? "scaleOut" : "outScaleOptional", CASE_F32, y, rank - 1,
                  true, halves || !is_static);
    return test;
}

/* Factors that use many whole numbers; groups of some rows each, at times with rows behind them. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const struct gate g = gate_of(problem);
    int64_t left = g.rows, end = 0;
    for (int k = 0; k < 2; k++) {
        const int operand = k == 0 ? g.scale : g.offset;
        for (int64_t i = 0; operand >= 0 && i < problem->tensor[operand].count; i++) {
            struct rig_tensor *t = &problem->tensor[operand];
            const double some = (double)random_between(random, -60, 60);
            t->bits[i] = oracle_to_bits(t->view.dtype, some == 0 ? 1 : some / 2);
        }
    }
    for (int64_t i = 0; g.groups >= 0 && i < g.experts; i++) {
        const int64_t rows = random_below(random, left + 1);
        left -= rows;
        end += rows;
        problem->tensor[g.groups].bits[i] = (uint64_t)(g.is_count ? rows : end);
    }
}

#define ROW(name_of, a_sound, ...)                                                                 \
    {                                                                                              \
        .name = name_of, .oracle = quantized, .random = random_gate, .fill = fill, .ulp = 1,       \
        .sound = a_sound, .lines = LINES(__VA_ARGS__)                                              \
    }

const struct oracle_row oracle_gate_quant_rows[] = {
    ROW("aclnnSwiGluQuant",
        "swi_glu_quant f16 x=2x3x8 smoothScalesOptional=2x4:f32 offsetsOptional=2x4:f32 "
        "groupIndexOptional=2:i32 activateLeft=1 quantModeOptional=static yOut=2x3x4:i8 "
        "scaleOut=2x3:f32",
        "swi_glu_quant bf16 x=9x6000 smoothScalesOptional=3x3000:f32 groupIndexOptional=3:i32 "
        "activateLeft=0 yOut=9x3000:i8:strided scaleOut=9:f32",
        "swi_glu_quant f32 x=9x0 activateLeft=0 yOut=9x0:i8 scaleOut=9"),
    ROW("aclnnSwiGluQuantV2",
        "swi_glu_quant_v2 f16 x=2x3x8 smoothScalesOptional=2x4:f32 offsetsOptional=2x4:f32 "
        "groupIndexOptional=2:i32 activateLeft=1 quantModeOptional=static groupListType=1 "
        "dstType=2 yOut=2x3x4:i8 scaleOut=2x3:f32",
        "swi_glu_quant_v2 f16 x=9x6000 smoothScalesOptional=1:f32 activateLeft=1 "
        "quantModeOptional=dynamic groupListType=0 dstType=2 yOut=9x3000:i8 scaleOut=9:f32"),
    ROW("aclnnGeluQuant",
        "gelu_quant f16 self=2x3x8 inputScaleOptional=8 inputOffsetOptional=8 approximate=none "
        "quantMode=dynamic roundMode=rint dstType=2 y=2x3x8:i8 outScaleOptional=2x3:f32",
        "gelu_quant f32 self=9x3000 inputScaleOptional=3000 inputOffsetOptional=3000 "
        "approximate=tanh quantMode=static roundMode=rint dstType=2 y=9x3000:i8:strided"),
    {.name = NULL},
};

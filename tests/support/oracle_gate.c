/* SPDX-License-Identifier: Apache-2.0 */
/* Gated units, weights per channel and random slopes, from the definitions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_norm.h"
#include "tests/support/oracle_random.h"

enum { ELEMENTS = 300 };

/* ---- what they share ---- */

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* What is read promotes to it. */
static enum case_dtype type_of(const struct rig_problem *problem)
{
    enum case_dtype type = CASE_DTYPES;
    for (int i = 0; i < problem->operands; i++) {
        const enum case_dtype own = problem->tensor[i].view.dtype;
        if (problem->call.is_null[i] || rig_is_output(&problem->op->operand[i])) continue;
        type = type == CASE_DTYPES ? own : oracle_promote(type, own);
    }
    return type;
}

/* size: the magnitude of the terms that may cancel; functions are good to 2^-30 in FLOAT. */
static void give(struct rig_problem *problem, const char *name, int64_t i, enum case_dtype type,
                 double value, double size)
{
    const int out = norm_operand(problem, name);
    oracle_real(problem, out, i, type, value);
    if (isfinite(size))
        problem->tensor[out].slack[i] = size * (type == CASE_F64 ? 0x1p-49 : 0x1p-27);
}

/* ---- gates ---- */

struct value {
    double of, slope, slope_size;
};

static struct value gelu(double x, bool is_tanh)
{
    const double density = exp(-x * x / 2) * 0.39894228040143267794;
    const double normal = erfc(-x * 0.70710678118654752440) / 2;
    const double twice = 2 * 0.79788456080286535588, u = twice * (x + 0.044715 * x * x * x);
    const double s = logistic(u), inner = x * (s * logistic(-u)) * twice * (1 + 0.134145 * x * x);
    if (is_tanh) return (struct value){x * s, s + inner, (fabs(s) + fabs(inner)) * (1 + fabs(u))};
    return (struct value){x * normal, normal + x * density,
                          (fabs(normal) + fabs(x * density)) * (1 + x * x)};
}

/* Of the gate b, or of what is activated. */
static struct value activation(const struct rig_problem *problem, double x)
{
    const double s = logistic(x), rest = logistic(-x);
    if (strstr(problem->op->name, "GeGlu"))
        return gelu(x, norm_integer(problem, "approximate", 0) == 1);
    if (strstr(problem->op->name, "GeluMul"))
        return gelu(x, problem->call.text[0] && strcmp(problem->call.text[0], "tanh") == 0);
    if (strstr(problem->op->name, "SwiGlu"))
        return (struct value){x * s, s * (1 + x * rest), s * (1 + fabs(x * rest)) * (1 + fabs(x))};
    return (struct value){s, s * rest, s * rest * (1 + fabs(x))};
}

static void gates(struct rig_problem *problem)
{
    const bool is_swi = strstr(problem->op->name, "SwiGlu") || strstr(problem->op->name, "GeluMul");
    const bool is_left = is_swi || norm_integer(problem, "activateLeft", 0) != 0;
    const int whole = norm_one_of(problem, "self x input");
    const int dy = norm_one_of(problem, "gradOutput gradOut yGrad");
    const int kept = norm_operand(problem, "gelu");
    const enum case_dtype type = type_of(problem);
    const struct norm_lines l =
        norm_lines_of(&problem->tensor[whole].view, norm_integer(problem, "dim", -1));
    const char *out = norm_operand(problem, "gradInput") >= 0 ? "gradInput" : "out";
    int64_t at = 0;
    for (int64_t line = 0; line < l.lines; line++)
        for (int64_t i = 0; i < l.count / 2; i++) {
            const int64_t first = norm_at(&l, line, i), second = norm_at(&l, line, i + l.count / 2);
            const double a = oracle_value(problem, whole, is_left ? second : first);
            const double x = oracle_value(problem, whole, is_left ? first : second);
            const struct value v = activation(problem, x);
            /* The place among the halves. */
            at = line / l.step * l.step * (l.count / 2) + i * l.step + line % l.step;
            const double power = 1 + fabs(x) + fabs(x) * x * x; /* of exponents that are rounded */
            if (dy < 0) {
                give(problem, "out", at, type, a * v.of, fabs(a * v.of) * power);
                if (norm_operand(problem, "outGelu") >= 0)
                    give(problem, "outGelu", at, type, v.of, fabs(v.of) * power);
                continue;
            }
            const double g = oracle_value(problem, dy, at);
            const double of = kept < 0 ? v.of : oracle_value(problem, kept, at);
            give(problem, out, is_left ? second : first, type, g * of, fabs(g * of) * power);
            give(problem, out, is_left ? first : second, type, g * a * v.slope,
                 fabs(g * a) * v.slope_size);
        }
}

static struct test_case random_gates(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], halves[CASE_RANK];
    int rank = random_shape(random, dims, ELEMENTS / 2);
    if (rank == 0) dims[rank++] = 5;
    const bool is_mul = strstr(op->name, "GeluMul") != NULL;
    const int axis = is_mul ? rank - 1 : (int)random_below(random, rank);
    memcpy(halves, dims, sizeof halves);
    dims[axis] *= 2;
    const bool is_grad = strstr(op->name, "Backward") || strstr(op->name, "Grad");
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const bool is_written = rig_is_output(&op->operand[slot]);
        const bool is_whole = norm_has_word("self x input", name) || (is_grad && is_written);
        random_tensor(&test, random, name, norm_some_type(op, random, dtype),
                      is_whole ? dims : halves, rank, is_written);
    }
    if (!is_mul) random_number(&test, "dim", random_once_in(random, 2) ? axis : axis - rank);
    if (is_mul && random_once_in(random, 2))
        snprintf(case_add(&test, "approximateOptional", CASE_ALONE)->text, CASE_TEXT, "%s",
                 random_once_in(random, 2) ? "tanh" : "none");
    for (int i = 0; op->number[i]; i++)
        if (norm_has_word("approximate activateLeft", op->number[i]))
            random_number(&test, op->number[i], random_once_in(random, 2));
    return test;
}

/* ---- logarithm of the sigmoid ---- */

static void log_sigmoid(struct rig_problem *problem)
{
    const int self = norm_operand(problem, "self"), dy = norm_operand(problem, "gradOutput");
    const enum case_dtype type = type_of(problem);
    for (int64_t i = 0; i < problem->tensor[self].count; i++) {
        const double x = oracle_value(problem, self, i);
        const double value = -((x < 0 ? -x : x == x ? 0 : x) + log1p(exp(-fabs(x))));
        if (dy < 0)
            give(problem, "out", i, type, value, 0);
        else
            give(problem, "gradInput", i, type, oracle_value(problem, dy, i) * logistic(-x),
                 fabs(oracle_value(problem, dy, i) * logistic(-x)) * (1 + fabs(x)));
    }
}

/* Of one shape, but for the buffer. */
static struct test_case random_log_sigmoid(const struct rig_operator *op, struct random *random,
                                           enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const bool is_buffer = strcmp(op->tensor[slot], "buffer") == 0;
        if (is_buffer && !strstr(op->name, "Backward") && random_once_in(random, 2)) continue;
        const bool is_empty = is_buffer && random_once_in(random, 2);
        random_tensor(&test, random, op->tensor[slot], norm_some_type(op, random, dtype),
                      is_empty ? (const int64_t[]){0} : dims, is_empty ? 1 : rank,
                      rig_is_output(&op->operand[slot]));
    }
    return test;
}

/* ---- a weight per channel ---- */

static void prelu(struct rig_problem *problem)
{
    const int self = norm_operand(problem, "self"), weight = norm_operand(problem, "weight");
    const int dy = norm_operand(problem, "gradOutput"), sums = norm_operand(problem, "gradWeight");
    const struct operand *view = &problem->tensor[self].view;
    const int64_t weights = problem->tensor[weight].count;
    const enum case_dtype type = type_of(problem);
    int64_t inner = 1;
    long double sum[ELEMENTS * 2] = {0};
    double size[ELEMENTS * 2] = {0};
    for (int axis = 2; axis < view->rank; axis++)
        inner *= view->dims[axis];
    for (int64_t i = 0; i < problem->tensor[self].count; i++) {
        const int64_t channel = weights == 1 ? 0 : i / inner % weights;
        const double x = oracle_value(problem, self, i), w = oracle_value(problem, weight, channel);
        if (dy < 0) {
            give(problem, "out", i, type, x > 0 ? x : w * x, 0);
            continue;
        }
        const double g =
            oracle_value(problem, dy, oracle_broadcast(view, i, &problem->tensor[dy].view));
        give(problem, "gradInput", i, type, x > 0 ? g : w * g, 0);
        const double product = x > 0 ? 0 : x * g;
        sum[channel] += (long double)(type == CASE_F64 ? product : oracle_round(CASE_F32, product));
        size[channel] += fabs(product);
    }
    if (dy < 0) return;
    for (int64_t i = 0; i < weights; i++) {
        oracle_real(problem, sums, i, type, (double)sum[i]);
        if (isfinite(size[i]))
            problem->tensor[sums].slack[i] = size[i] * (type == CASE_F64 ? 0x1p-46 : 0x1p-18);
    }
}

static struct test_case random_prelu(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], shape[3] = {1, 1, 1};
    const int rank = random_shape(random, dims, ELEMENTS);
    int weight_rank = (int)random_below(random, 3);
    if (rank > 1 && dims[1] > 0 && random_once_in(random, 2)) {
        weight_rank = (int)random_between(random, 1, 3);
        shape[random_below(random, weight_rank)] = dims[1];
    }
    test.data = CASE_PLAIN;
    for (int slot = 0; op->tensor[slot]; slot++) {
        const bool is_weight = norm_has_word("weight gradWeight", op->tensor[slot]);
        random_tensor(&test, random, op->tensor[slot], norm_some_type(op, random, dtype),
                      is_weight ? shape : dims, is_weight ? weight_rank : rank,
                      rig_is_output(&op->operand[slot]));
    }
    return test;
}

/* ---- random slopes ---- */

static uint32_t word(uint64_t seed, uint64_t offset, uint64_t i)
{
    const struct philox_block counter = {
        {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)offset, (uint32_t)(offset >> 32)}};
    return oracle_philox(counter, seed).word[i % 4];
}

/* In [0, 1): of 24 bits, or of 53. */
static double fraction(uint64_t seed, uint64_t offset, bool is_wide, uint64_t i)
{
    if (!is_wide) return ldexp(word(seed, offset, i) >> 8, -24);
    const uint64_t low = word(seed, offset, 2 * i), high = word(seed, offset, 2 * i + 1);
    return ldexp((double)((low | high << 32) >> 11), -53);
}

/* The largest number of the type below a positive one. */
static double below(enum case_dtype dtype, double x)
{
    uint64_t bits = oracle_to_bits(dtype, x);
    while (oracle_from_bits(dtype, bits) >= x)
        bits--;
    return oracle_from_bits(dtype, bits);
}

static void rrelu(struct rig_problem *problem)
{
    const int self = norm_operand(problem, "self"), noise = norm_operand(problem, "noise");
    const enum case_dtype dtype = problem->tensor[self].view.dtype;
    const bool is_training = norm_integer(problem, "training", 0) != 0;
    const double lower = problem->call.scalar[0].value[0].real;
    const double upper = problem->call.scalar[1].value[0].real;
    const char *out = norm_operand(problem, "out") >= 0 ? "out" : "self";
    for (int64_t i = 0; i < problem->tensor[self].count; i++) {
        const double x = oracle_value(problem, self, i);
        double slope = (lower + upper) / 2;
        if (dtype != CASE_F64) slope = oracle_round(CASE_F32, slope);
        if (is_training) {
            const double u = fraction((uint64_t)norm_integer(problem, "seed", 0),
                                      (uint64_t)norm_integer(problem, "offset", 0),
                                      dtype == CASE_F64, (uint64_t)i);
            const double limit = lower < upper ? below(dtype, upper) : lower;
            const double r = lower + u * (upper - lower);
            slope = oracle_round(dtype, r > limit ? limit : r);
        }
        give(problem, "noise", i, dtype,
             is_training ? (x <= 0 ? slope : 1) : oracle_value(problem, noise, i), 0);
        /* A NaN is not positive, and has the slope 1. */
        give(problem, out, i, dtype, x > 0 || x != x ? x : slope * x, 0);
    }
}

static struct test_case random_rrelu(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    struct case_argument *one;
    for (int slot = 0; op->tensor[slot]; slot++)
        random_tensor(&test, random, op->tensor[slot], dtype, dims, rank,
                      rig_is_output(&op->operand[slot]));
    for (int k = 0; k < 2; k++) {
        one = random_scalar(&test, random, k == 0 ? "lower" : "upper", CASE_F32);
        one->has_real = true;
        one->rank = 0;
        one->real = k == 0 ? 0.125 : random_once_in(random, 4) ? 0.125 : 0.375;
    }
    random_number(&test, "training", random_once_in(random, 2));
    random_number(&test, "offset", (double)random_below(random, 1000));
    return test;
}

#define ROW(names, function, random_of, sum_order, a_sound, ...)                                   \
    {                                                                                              \
        .name = names, .oracle = function, .random = random_of, .ulp = 1, .by_strides = sum_order, \
        .sound = a_sound, .lines = LINES(__VA_ARGS__)                                              \
    }

const struct oracle_row oracle_gate_rows[] = {
    ROW("aclnnGlu", gates, random_gates, false, "glu f32 self=2x3x4 dim=2 out=2x3x2",
        "glu bf16 self=70x2x90:s180x1x2 dim=1 out=70x1x90"),
    ROW("aclnnGluBackward", gates, random_gates, false,
        "glu_backward f32 gradOut=2x3x2 self=2x3x4 dim=2 out=2x3x4",
        "glu_backward f32 gradOut=35x90 self=70x90 dim=-2 out=70x90"),
    ROW("aclnnGeGlu", gates, random_gates, false,
        "ge_glu f32 self=2x3x4 dim=2 approximate=0 out=2x3x2 outGelu=2x3x2",
        "ge_glu f32 self=50x80 dim=-1 approximate=1 out=50x40 outGelu=50x40"),
    ROW("aclnnGeGluV3", gates, random_gates, false,
        "ge_glu_v3 f32 self=2x3x4 dim=2 approximate=0 activateLeft=1 out=2x3x2 outGelu=2x3x2",
        "ge_glu_v3 f16 self=50x80 dim=-1 approximate=0 activateLeft=0 out=50x40 outGelu=50x40"),
    ROW("aclnnGeGluBackward", gates, random_gates, false,
        "ge_glu_backward f32 gradOutput=2x3x2 self=2x3x4 gelu=2x3x2 dim=2 approximate=0 "
        "gradInput=2x3x4",
        "ge_glu_backward f32 gradOutput=50x40 self=50x80 gelu=50x40 dim=1 approximate=1 "
        "gradInput=50x80"),
    ROW("aclnnGeGluV3Backward", gates, random_gates, false,
        "ge_glu_v3_backward f32 gradOutput=2x3x2 self=2x3x4 gelu=2x3x2 dim=2 approximate=0 "
        "activateLeft=1 gradInput=2x3x4",
        "ge_glu_v3_backward f32 gradOutput=50x40 self=50x80 gelu=50x40 dim=1 approximate=0 "
        "activateLeft=1 gradInput=50x80"),
    ROW("aclnnSwiGlu", gates, random_gates, false, "swi_glu f32 x=2x3x4 dim=2 out=2x3x2",
        "swi_glu bf16 x=70x180:strided dim=-1 out=70x90"),
    ROW("aclnnSwiGluGrad", gates, random_gates, false,
        "swi_glu_grad f32 yGrad=2x3x2 x=2x3x4 dim=2 out=2x3x4",
        "swi_glu_grad bf16 yGrad=70x90 x=70x180 dim=1 out=70x180"),
    ROW("aclnnGeluMul", gates, random_gates, false,
        "gelu_mul f32 input=2x3x4 approximateOptional=none out=2x3x2",
        "gelu_mul bf16 input=70x180:strided approximateOptional=tanh out=70x90"),
    ROW("aclnnLogSigmoidForward", log_sigmoid, random_log_sigmoid, false, NULL,
        "log_sigmoid_forward f32 self=2x3x4 out=2x3x4 buffer=0",
        "log_sigmoid_forward f32 self=2x3x4 out=2x3x4"),
    ROW("aclnnLogSigmoidBackward", log_sigmoid, random_log_sigmoid, false, NULL,
        "log_sigmoid_backward f32 gradOutput=2x3x4 self=2x3x4 buffer=0 gradInput=2x3x4"),
    ROW("aclnnPrelu", prelu, random_prelu, false, "prelu f32 self=2x3x4 weight=3 out=2x3x4",
        "prelu f32 self=2x300x4 weight=300 out=2x300x4", "prelu f32 self=0x3x4 weight=3 out=0x3x4"),
    ROW("aclnnPreluBackward", prelu, random_prelu, true,
        "prelu_backward f32 gradOutput=2x3x4 self=2x3x4 weight=3 gradInput=2x3x4 gradWeight=3",
        "prelu_backward f32 gradOutput=5x30x70 self=5x30x70:strided weight=1x30 "
        "gradInput=5x30x70 gradWeight=1x30",
        "prelu_backward f32 gradOutput=200x300 self=200x300 weight=scalar gradInput=200x300 "
        "gradWeight=scalar",
        "prelu_backward f32 gradOutput=30x1 self=5x30x70 weight=30 gradInput=5x30x70 "
        "gradWeight=30",
        "prelu_backward f32 gradOutput=0x3x4 self=0x3x4 weight=3 gradInput=0x3x4 gradWeight=3"),
    ROW("aclnnRReluWithNoise", rrelu, random_rrelu, false,
        "r_relu_with_noise f32 self=2x3x4 noise=2x3x4 lower=0.125 upper=0.375 training=1 seed=3 "
        "offset=5 out=2x3x4",
        "r_relu_with_noise f32 self=2x3x4 noise=2x3x4 lower=0.125 upper=0.375 training=0 seed=3 "
        "offset=5 out=2x3x4"),
    ROW("aclnnInplaceRReluWithNoise", rrelu, random_rrelu, false,
        "inplace_r_relu_with_noise f32 self=2x3x4 noise=2x3x4 lower=0.125 upper=0.375 training=1 "
        "seed=3 offset=5",
        "inplace_r_relu_with_noise f32 self=2x3x4 noise=2x3x4 lower=0.125 upper=0.375 training=0 "
        "seed=3 offset=5"),
    {.name = NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Factors and addends that have some axes of a tensor, from the definitions. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { ELEMENTS = 300 };

static double rounded(enum case_dtype type, double value)
{
    return oracle_round(type == CASE_F64 ? CASE_F64 : CASE_F32, value);
}

/* The index of element i along an axis. */
static int64_t index_of(const struct operand *view, int64_t i, int axis)
{
    for (int k = view->rank - 1; k > axis; k--)
        i /= view->dims[k];
    return i % view->dims[axis];
}

/* ---- aclnnScale ---- */

/* The element of scale that element i of x meets. */
static int64_t element_of(const struct operand *x, const struct operand *scale, int64_t axis,
                          int64_t i)
{
    int64_t at = 0;
    if (scale->rank == 0 || (scale->rank == 1 && scale->dims[0] == 1)) return 0;
    for (int k = 0; k < scale->rank; k++)
        at = at * scale->dims[k] + index_of(x, i, (int)axis + k);
    return at;
}

static void scale(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view;
    const int bias = norm_operand(problem, "bias"), y = norm_operand(problem, "y");
    int64_t axis = norm_integer(problem, "axis", 0);
    if (axis < 0) axis += x->rank > 0 ? x->rank : 1;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t at = element_of(x, &problem->tensor[1].view, axis, i);
        const double product = oracle_value(problem, 0, i) * oracle_value(problem, 1, at);
        const double addend = bias < 0 ? 0 : oracle_value(problem, bias, at);
        oracle_real(problem, y, i, x->dtype, bias < 0 ? product : product + addend);
        if (isfinite(product + addend))
            problem->tensor[y].slack[i] =
                (fabs(product) + fabs(addend)) * (x->dtype == CASE_F64 ? 0x1p-52 : 0x1p-23);
    }
}

static struct test_case random_scale(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS), most = rank > 0 ? rank : 1;
    const int axis = (int)random_below(random, most);
    const bool from_blob = random_once_in(random, 2);
    int axes = (int)random_between(random, 0, rank > 0 ? rank - axis : 0);
    /* One element where there are no axes, with a dimension or without. */
    const bool is_one = axes == 0 && from_blob;
    const int64_t one = 1;
    random_tensor(&test, random, "x", dtype, dims, rank, false);
    for (int i = 0; i < 2; i++)
        if (i == 0 || random_once_in(random, 2))
            random_tensor(&test, random, i == 0 ? "scale" : "bias", dtype,
                          is_one ? &one : dims + axis, is_one ? 1 : axes, false);
    random_number(&test, "axis", random_once_in(random, 2) ? axis : axis - most);
    random_number(&test, "numAxes",
                  !from_blob ? (double)random_between(random, -1, 9)
                  : axes == rank - axis && rank > 0 && random_once_in(random, 2) ? -1
                                                                                 : axes);
    random_number(&test, "scaleFromBlob", from_blob);
    random_tensor(&test, random, "y", dtype, dims, rank, true);
    return test;
}

/* ---- aclnnModulate ---- */

static void modulate(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const int factor = norm_operand(problem, "scaleOptional");
    const int shift = norm_operand(problem, "shiftOptional"), out = norm_operand(problem, "out");
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t at = index_of(self, i, 0) * self->dims[2] + index_of(self, i, 2);
        const double one = rounded(self->dtype, 1 + norm_value(problem, factor, at, 0));
        const double product = oracle_value(problem, 0, i) * one;
        const double addend = norm_value(problem, shift, at, 0);
        oracle_real(problem, out, i, self->dtype, shift < 0 ? product : product + addend);
        if (isfinite(product + addend))
            problem->tensor[out].slack[i] =
                (fabs(product) + fabs(addend)) * (self->dtype == CASE_F64 ? 0x1p-52 : 0x1p-23);
    }
}

static struct test_case random_modulate(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[3];
    for (int i = 0; i < 3; i++)
        dims[i] = random_between(random, random_once_in(random, 20) ? 0 : 1, 7);
    random_tensor(&test, random, "self", dtype, dims, 3, false);
    for (int i = 0; i < 2; i++) {
        const bool is_short = random_once_in(random, 2);
        const int64_t own[] = {dims[0], is_short ? dims[2] : 1, dims[2]};
        if (!random_once_in(random, 4))
            random_tensor(&test, random, i == 0 ? "scaleOptional" : "shiftOptional", dtype, own,
                          is_short ? 2 : 3, false);
    }
    random_tensor(&test, random, "out", dtype, dims, 3, true);
    return test;
}

/* ---- aclnnBiasAdd ---- */

static void bias_add(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view;
    const char *format = problem->call.text[0];
    const int axis = format && format[1] == 'C' ? 1 : x->rank - 1;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t at = index_of(x, i, axis);
        if (oracle_is_float(x->dtype))
            oracle_real(problem, 2, i, x->dtype,
                        oracle_value(problem, 0, i) + oracle_value(problem, 1, at));
        else
            oracle_whole(problem, 2, i, x->dtype,
                         (int64_t)((uint64_t)oracle_whole_value(problem, 0, i) +
                                   (uint64_t)oracle_whole_value(problem, 1, at)));
    }
}

static struct test_case random_bias(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    static const char *const formats[] = {NULL, "NHWC", "NDHWC", "NCHW", "NCDHW"};
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    int rank = random_shape(random, dims, ELEMENTS);
    while (rank < 2)
        dims[rank++] = 3;
    const int format = (int)random_below(random, 5);
    random_tensor(&test, random, "x", dtype, dims, rank, false);
    random_tensor(&test, random, "bias", dtype, &dims[format > 2 ? 1 : rank - 1], 1, false);
    if (formats[format])
        strcpy(case_add(&test, "dataFormatOptional", CASE_ALONE)->text, formats[format]);
    random_tensor(&test, random, "out", dtype, dims, rank, true);
    return test;
}

/* ---- aclnnAddRelu ---- */

static void add_relu(struct rig_problem *problem)
{
    const int out = strstr(problem->op->name, "Inplace") ? 0 : 2;
    const struct operand *to = &problem->tensor[out].view;
    const enum case_dtype type =
        oracle_promote(problem->tensor[0].view.dtype, problem->tensor[1].view.dtype);
    const struct rig_scalar *alpha = &problem->call.scalar[0].value[0];
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const int64_t a = oracle_broadcast(to, i, &problem->tensor[0].view),
                      b = oracle_broadcast(to, i, &problem->tensor[1].view);
        if (oracle_is_float(type)) {
            const double product = rounded(type, alpha->real) * oracle_value(problem, 1, b);
            const double sum = oracle_value(problem, 0, a) + product;
            oracle_real(problem, out, i, type, sum < 0 ? 0 : sum);
            if (isfinite(sum))
                problem->tensor[out].slack[i] =
                    fabs(product) * (type == CASE_F64 ? 0x1p-52 : 0x1p-50);
        } else {
            const uint64_t sum =
                (uint64_t)oracle_whole_value(problem, 0, a) +
                (uint64_t)alpha->integer * (uint64_t)oracle_whole_value(problem, 1, b);
            const int64_t wrapped = oracle_integer(type, oracle_cast_whole(type, (int64_t)sum));
            oracle_whole(problem, out, i, type, wrapped < 0 ? 0 : wrapped);
        }
    }
}

static struct test_case random_add_relu(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool in_place = strstr(op->name, "Inplace") != NULL;
    int64_t dims[CASE_RANK], self[CASE_RANK], other[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    const int left = rank > 0 ? (int)random_below(random, rank + 1) : 0;
    for (int i = 0; i < rank; i++) {
        self[i] = !in_place && random_once_in(random, 5) ? 1 : dims[i];
        other[i] = self[i] == dims[i] && random_once_in(random, 5) ? 1 : dims[i];
    }
    random_tensor(&test, random, in_place ? "selfRef" : "self", dtype, self, rank, in_place);
    bool is_needed = false;
    for (int i = 0; i < left; i++)
        is_needed = is_needed || self[i] != dims[i];
    const int skip = is_needed ? 0 : left;
    random_tensor(&test, random, "other", dtype, other + skip, rank - skip, false);
    random_scalar(&test, random, "alpha", oracle_is_float(dtype) ? CASE_F32 : CASE_I64);
    if (!in_place) random_tensor(&test, random, "out", dtype, dims, rank, true);
    return test;
}

/* ---- aclnnFatreluMul ---- */

static void fatrelu(struct rig_problem *problem)
{
    const struct operand *out = &problem->tensor[2].view;
    const int64_t half = out->dims[out->rank - 1];
    const double threshold = oracle_value(problem, 1, 0);
    for (int64_t i = 0; i < problem->tensor[2].count; i++) {
        const int64_t first = i / half * 2 * half + i % half;
        const double x = oracle_value(problem, 0, first);
        oracle_real(problem, 2, i, out->dtype,
                    (x < threshold ? 0 : x) * oracle_value(problem, 0, first + half));
    }
}

static struct test_case random_fatrelu(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    static const int64_t ones[] = {1, 1, 1};
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    int rank = random_shape(random, dims, ELEMENTS);
    if (rank == 0) dims[rank++] = 5;
    dims[rank - 1] *= 2;
    random_tensor(&test, random, "input", dtype, dims, rank, false);
    random_tensor(&test, random, "threshold", dtype, ones, (int)random_below(random, 4), false);
    dims[rank - 1] /= 2;
    random_tensor(&test, random, "out", dtype, dims, rank, true);
    return test;
}

const struct oracle_row oracle_modulate_rows[] = {
    {.name = "aclnnScale",
     .oracle = scale,
     .random = random_scale,
     .ulp = 1,
     .lines = LINES("scale f32 x=20x30x40 scale=30x40 bias=30x40 axis=-2 numAxes=2 "
                    "scaleFromBlob=1 y=20x30x40",
                    "scale bf16 x=20x30x40:strided scale=30 axis=1 y=20x30x40"),
     .sound = "scale f32 x=2x3x4 scale=3 bias=3 axis=1 y=2x3x4"},
    {.name = "aclnnModulate",
     .oracle = modulate,
     .random = random_modulate,
     .ulp = 1,
     .lines = LINES("modulate f16 self=4x50x70 scaleOptional=4x70 shiftOptional=4x1x70 out=4x50x70",
                    "modulate f32 self=2x3x4 out=2x3x4"),
     .sound = "modulate f32 self=2x3x4 scaleOptional=2x4 shiftOptional=2x1x4 out=2x3x4"},
    {.name = "aclnnBiasAdd",
     .oracle = bias_add,
     .random = random_bias,
     .lines = LINES("bias_add f32 x=2x30x7x9 bias=30 dataFormatOptional=NCHW out=2x30x7x9"),
     .sound = "bias_add f32 x=2x3x4 bias=4 out=2x3x4"},
    {.name = "aclnnInplaceAddRelu",
     .oracle = add_relu,
     .random = random_add_relu,
     .ulp = 1,
     .sound = "inplace_add_relu f32 selfRef=2x3 other=3 alpha=2"},
    {.name = "aclnnAddRelu",
     .oracle = add_relu,
     .random = random_add_relu,
     .ulp = 1,
     .lines = LINES("add_relu i8 self=100 other=100 alpha=3 out=100:i32",
                    "add_relu f32 self=70x101 other=101 alpha=-1.5 out=70x101"),
     .sound = "add_relu f32 self=2x3 other=3 alpha=2 out=2x3"},
    {.name = "aclnnFatreluMul",
     .oracle = fatrelu,
     .random = random_fatrelu,
     .ulp = 1,
     .lines = LINES("fatrelu_mul f32 input=70x180:strided threshold=1x1 out=70x90"),
     .sound = "fatrelu_mul f32 input=2x3x4 threshold=1 out=2x3x2"},
    {.name = NULL},
};

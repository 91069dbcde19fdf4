/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of the last axes as small integers, from the definitions. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_fused.h"

enum { RESULTS = 2 };

/* What a call says. */
struct fused {
    int x, x2, bias, gamma, beta, sum, plain; /* operands; -1: not there */
    int scale[RESULTS], zero[RESULTS], y[RESULTS], made[RESULTS];
    int64_t rows, count;
    bool is_centred, is_dynamic, divides, is_asked[RESULTS];
    double epsilon;
};

static bool is_dynamic(const struct rig_problem *problem)
{
    const char *mode = fused_text_of(problem, "quantMode");
    return mode ? strcmp(mode, "dynamic") == 0 : strstr(problem->op->name, "Dynamic") != NULL;
}

/* A gamma of (1, n), of the last axis. */
static bool is_row_of(const struct rig_problem *problem, const struct operand *gamma)
{
    return gamma->rank == 2 && strcmp(problem->op->name, "aclnnRmsNormQuant") == 0;
}

static struct fused fused_of(const struct rig_problem *problem)
{
    const struct rig_array *mask = &problem->call.array[0];
    struct fused f = {
        .x = norm_one_of(problem, "x1 x"),
        .x2 = norm_operand(problem, "x2"),
        .bias = norm_operand(problem, "biasOptional"),
        .gamma = norm_operand(problem, "gamma"),
        .beta = norm_one_of(problem, "beta betaOptional"),
        .sum = norm_operand(problem, "xOut"),
        .plain = norm_operand(problem, "rmsNormOut"),
        .scale = {norm_one_of(problem, "scales1 scale smoothScale1Optional scales1Optional"),
                  norm_one_of(problem, "scales2Optional smoothScale2Optional")},
        .zero = {norm_one_of(problem, "zeroPoints1Optional offset"),
                 norm_operand(problem, "zeroPoints2Optional")},
        .y = {norm_one_of(problem, "y1Out y"), norm_operand(problem, "y2Out")},
        .made = {norm_one_of(problem, "scale1Out outScales1Out"),
                 norm_one_of(problem, "scale2Out outScales2Out")},
        .count = 1,
        .is_centred = strstr(problem->op->name, "LayerNorm") != NULL,
        .is_dynamic = is_dynamic(problem),
        .divides = norm_integer(problem, "divMode", 1) != 0,
        .epsilon = norm_real(problem, "epsilon", 0),
    };
    f.is_asked[0] = true;
    f.is_asked[1] = f.scale[1] >= 0;
    for (int i = 0; i < RESULTS && problem->op->array[0] && !mask->is_null; i++)
        f.is_asked[i] = mask->values[i] != 0;
    const struct operand *x = &problem->tensor[f.x].view, *g = &problem->tensor[f.gamma].view;
    const int normalised = is_row_of(problem, g) ? 1 : g->rank;
    f.rows = 1;
    for (int i = 0; i < x->rank; i++)
        *(i < x->rank - normalised ? &f.rows : &f.count) *= x->dims[i];
    return f;
}

/* What is normalised: element i of a row. size: of what it is made of. */
static double element(const struct rig_problem *problem, const struct fused *f, int64_t row,
                      int64_t i, double *size)
{
    const int64_t at = row * f->count + i;
    const double x = oracle_value(problem, f->x, at), x2 = norm_value(problem, f->x2, at, 0);
    const bool is_row = f->bias >= 0 && problem->tensor[f->bias].count == f->count;
    const double bias = norm_value(problem, f->bias, is_row ? i : at, 0);
    *size = fabs(x) + fabs(x2) + fabs(bias);
    return x + x2 + bias;
}

/* The row, and what is a result beside it. */
static void normalize(struct rig_problem *problem, const struct fused *f, int64_t row,
                      struct fused_row *to)
{
    const double n = (double)f->count;
    double mean = 0, squares = 0, sizes = 0, all_squares = 0, size;
    for (int64_t i = 0; i < f->count && f->is_centred; i++)
        mean += element(problem, f, row, i, &size) / n;
    for (int64_t i = 0; i < f->count; i++) {
        const double x = element(problem, f, row, i, &size) - mean;
        squares += x * x;
        sizes += size;
        all_squares += size * size;
    }
    const double rstd = 1 / sqrt(squares / n + f->epsilon);
    const double doubt = 1 + rstd * rstd * all_squares / n; /* of rstd, relative */
    to->count = f->count;
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t at = row * f->count + i;
        const double x = element(problem, f, row, i, &size);
        const double gamma = oracle_value(problem, f->gamma, i);
        const double beta = norm_value(problem, f->beta, i, 0);
        const double plain = (x - mean) * rstd * gamma;
        const double of_plain = (size + sizes / n) * rstd * fabs(gamma) * doubt;
        if (norm_integer(problem, "additionalOutput", 1))
            norm_put_single(problem, f->sum, at, x, size, 2);
        norm_put_single(problem, f->plain, at, plain, of_plain, n);
        to->value[i] = plain + beta;
        to->wrong[i] = 4 * fused_rounding(fabs(plain + beta) + fabs(beta) + of_plain);
    }
}

static void put_result(struct rig_problem *problem, const struct fused *f, int k, int64_t row,
                       const struct fused_row *from)
{
    static struct fused_row own;
    const int digits = problem->tensor[f->y[k]].view.dtype == CASE_I32 ? 4 : 8;
    const bool is_one = f->scale[k] >= 0 && problem->tensor[f->scale[k]].count == 1;
    const bool divides = f->divides && !f->is_dynamic;
    own = *from;
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t at = is_one ? 0 : i;
        if (f->scale[k] >= 0) fused_scale(&own, i, oracle_value(problem, f->scale[k], at), divides);
        if (!f->is_dynamic)
            fused_put(problem, f->y[k], row * f->count + i, digits, &own, i,
                      norm_value(problem, f->zero[k], at, 0), f->zero[k] >= 0);
    }
    if (f->is_dynamic) fused_put_dynamic(problem, f->y[k], f->made[k], row, digits, &own, false);
}

static void quantized(struct rig_problem *problem)
{
    static struct fused_row row;
    const struct fused f = fused_of(problem);
    for (int k = 0; k < RESULTS; k++) {
        if (!f.is_asked[k]) fused_leave(problem, f.y[k]);
        if (!f.is_asked[k] || !f.is_dynamic) fused_leave(problem, f.made[k]);
    }
    if (!norm_integer(problem, "additionalOutput", 1)) fused_leave(problem, f.sum);
    for (int64_t i = 0; i < f.rows; i++) {
        normalize(problem, &f, i, &row);
        for (int k = 0; k < RESULTS; k++)
            if (f.is_asked[k]) put_result(problem, &f, k, i, &row);
    }
}

/* ---- sums and casts ---- */

static void cast(struct rig_problem *problem)
{
    static struct fused_row row;
    struct fused f = fused_of(problem);
    const int rstd = norm_operand(problem, "rstdOut"), again = norm_operand(problem, "y2Out");
    f.plain = norm_operand(problem, "y1Out");
    for (int64_t i = 0; i < f.rows; i++) {
        double squares = 0, sizes = 0, size;
        for (int64_t j = 0; j < f.count; j++) {
            const double x = element(problem, &f, i, j, &size);
            squares += x * x;
            sizes += size * size;
        }
        const double by = 1 / sqrt(squares / (double)f.count + f.epsilon);
        norm_put_single(problem, rstd, i, by, by * (1 + by * by * sizes / (double)f.count), 8);
        normalize(problem, &f, i, &row);
        for (int64_t j = 0; j < f.count; j++)
            problem->tensor[again].sums[i * f.count + j] =
                problem->tensor[f.plain].sums[i * f.count + j];
    }
}

/* ---- random problems ---- */

/* What is drawn before any argument is. */
struct draw {
    int rank, normalised, leading;
    int64_t dims[CASE_RANK], rows;
    bool is_dynamic, is_four, is_flat, has_mask;
    bool has_scale[RESULTS], has_zero[RESULTS], is_asked[RESULTS];
};

static void draw_scales(struct draw *d, const struct rig_operator *op, struct random *random)
{
    const bool is_layer = strstr(op->name, "LayerNorm") != NULL;
    d->has_mask = op->array[0] && random_once_in(random, 2);
    d->has_scale[0] = !d->is_dynamic || random_once_in(random, 2);
    d->has_scale[1] = d->has_scale[0] && random_once_in(random, 2);
    for (int k = 0; k < RESULTS; k++)
        d->has_zero[k] = !d->is_dynamic && d->has_scale[k] && random_once_in(random, 2);
    if (is_layer && d->has_scale[1]) d->has_zero[1] = d->has_zero[0];
    d->is_asked[0] = true;
    d->is_asked[1] = d->has_scale[1];
    if (!d->has_mask) return;
    d->is_asked[0] = random_once_in(random, 2);
    d->is_asked[1] = !d->is_asked[0] || random_once_in(random, 2);
    for (int k = 0; k < RESULTS; k++)
        d->has_scale[k] = d->is_asked[k] && random_once_in(random, 2);
}

static struct draw draw_of(const struct rig_operator *op, struct random *random)
{
    struct draw d = {.is_dynamic = strstr(op->name, "Dynamic") ||
                                   (strstr(op->name, "LayerNorm") && random_once_in(random, 2)),
                     .rows = 1};
    const bool is_last = d.is_dynamic || strcmp(op->name, "aclnnRmsNormQuant") == 0;
    const bool may_be_four = op->array[0] || strcmp(op->name, "aclnnRmsNormQuant") == 0;
    d.rank = random_shape(random, d.dims, 300);
    while (d.rank < 1 + d.is_dynamic)
        d.dims[d.rank++] = random_between(random, 1, 20);
    d.normalised = is_last ? 1 : (int)random_between(random, 1, d.rank);
    d.leading = d.rank - d.normalised;
    for (int i = d.leading; i < d.rank; i++)
        if (d.dims[i] == 0) d.dims[i] = 1;
    d.is_four = may_be_four && random_once_in(random, 3);
    if (d.is_four) d.dims[d.rank - 1] = 8 * random_between(random, 1, 3);
    for (int i = 0; i < d.leading; i++)
        d.rows *= d.dims[i];
    d.is_flat = d.is_dynamic && !strstr(op->name, "LayerNorm") && random_once_in(random, 3);
    draw_scales(&d, op, random);
    return d;
}

static int result_of(const char *name)
{
    return strchr(name, '2') != NULL && strcmp(name, "x2") != 0;
}

static void add_factor(const struct draw *d, struct test_case *test, struct random *random,
                       const struct rig_operator *op, const char *name, bool is_zero)
{
    static const enum case_dtype zeros[] = {CASE_I32, CASE_I8, CASE_F32, CASE_F16, CASE_BF16};
    const int k = result_of(name);
    const bool is_one = strcmp(op->name, "aclnnRmsNormQuant") == 0;
    const bool is_there = is_one || (is_zero ? d->has_zero[k] : d->has_scale[k]);
    const enum case_dtype dtype =
        is_zero ? zeros[random_below(random, 5)] : norm_some_single(op, random, CASE_F32);
    const int64_t one = 1;
    norm_optional(test, random, name, dtype, is_one ? &one : d->dims + d->leading,
                  is_one ? 1 : d->normalised, false, is_there);
}

/* An integer result or a scale that is made; what is not asked for has some shape, or is not
 * there. */
static void add_result(const struct draw *d, struct test_case *test, struct random *random,
                       const struct rig_operator *op, const char *name, bool is_scale)
{
    const int k = result_of(name);
    const bool is_asked = d->is_asked[k] && (!is_scale || d->is_dynamic);
    const int64_t one = 1, columns = d->dims[d->rank - 1] / (d->is_four ? 8 : 1);
    const int64_t flat[] = {d->rows, columns};
    const enum case_dtype dtype = is_scale ? CASE_F32 : d->is_four ? CASE_I32 : CASE_I8;
    int64_t dims[CASE_RANK];
    memcpy(dims, d->dims, sizeof dims);
    dims[d->rank - 1] = columns;
    if (!is_asked)
        norm_optional(test, random, name, dtype, &one, 1, true,
                      !op->array[0] || random_once_in(random, 2));
    else if (d->is_flat)
        random_tensor(test, random, name, dtype, flat, 2 - is_scale, true);
    else
        random_tensor(test, random, name, dtype, dims, d->rank - is_scale, true);
}

static struct test_case random_fused(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const struct draw d = draw_of(op, random);
    const bool may_be_row = strcmp(op->name, "aclnnRmsNormQuant") == 0;
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const enum case_dtype type = slot == 0 ? dtype : norm_some_type(op, random, dtype);
        const bool is_written = rig_is_output(&op->operand[slot]);
        const int64_t row[] = {1, d.dims[d.rank - 1]};
        if (norm_has_word("scales1 scales2Optional scale smoothScale1Optional smoothScale2Optional "
                          "scales1Optional",
                          name))
            add_factor(&d, &test, random, op, name, false);
        else if (norm_has_word("zeroPoints1Optional zeroPoints2Optional offset", name))
            add_factor(&d, &test, random, op, name, true);
        else if (norm_has_word("y1Out y2Out y", name))
            add_result(&d, &test, random, op, name, false);
        else if (norm_has_word("scale1Out scale2Out outScales1Out outScales2Out", name))
            add_result(&d, &test, random, op, name, true);
        else if (norm_has_word("gamma beta", name) && may_be_row && random_once_in(random, 2))
            random_tensor(&test, random, name, type, row, 2, false);
        else if (norm_has_word("gamma beta", name))
            random_tensor(&test, random, name, type, d.dims + d.leading, d.normalised, false);
        else if (norm_has_word("betaOptional", name) ||
                 (norm_has_word("biasOptional", name) && random_once_in(random, 2)))
            norm_optional(&test, random, name, type, d.dims + d.leading, d.normalised, false,
                          random_once_in(random, 2));
        else
            norm_optional(&test, random, name, type, d.dims, d.rank, is_written,
                          !norm_has_word("biasOptional rmsNormOut", name) ||
                              random_once_in(random, 2));
    }
    const int64_t mask[] = {d.is_asked[0], d.is_asked[1]};
    if (d.has_mask) random_ints(&test, "outputMaskOptional", mask, RESULTS);
    for (int i = 0; op->number[i]; i++)
        random_number(&test, op->number[i],
                      strcmp(op->number[i], "epsilon") == 0 ? 0.001
                      : strcmp(op->number[i], "axis") == 0  ? -1
                                                            : random_once_in(random, 2));
    if (op->names->text[0]) fused_text(&test, "quantMode", d.is_dynamic ? "dynamic" : "static");
    return test;
}

/* Scales that are no zeros and use many whole numbers, zero points within INT8. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const struct fused f = fused_of(problem);
    for (int k = 0; k < RESULTS; k++) {
        for (int64_t i = 0; f.scale[k] >= 0 && i < problem->tensor[f.scale[k]].count; i++) {
            struct rig_tensor *t = &problem->tensor[f.scale[k]];
            const double some = (double)random_between(random, 1, 60);
            t->bits[i] =
                oracle_to_bits(t->view.dtype, f.divides && !f.is_dynamic ? some / 512 : some / 2);
        }
        for (int64_t i = 0; f.zero[k] >= 0 && i < problem->tensor[f.zero[k]].count; i++) {
            struct rig_tensor *t = &problem->tensor[f.zero[k]];
            t->bits[i] = oracle_to_bits(t->view.dtype, (double)random_between(random, -30, 30));
        }
    }
}

static struct test_case random_cast(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const struct draw d = draw_of(op, random);
    int64_t ones[CASE_RANK];
    for (int i = 0; i < d.rank; i++)
        ones[i] = i < d.leading ? d.dims[i] : 1;
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const bool is_first = strcmp(name, "y1Out") == 0;
        const enum case_dtype type = is_first ? CASE_F32 : norm_some_type(op, random, dtype);
        const bool is_written = rig_is_output(&op->operand[slot]);
        if (strcmp(name, "gamma") == 0)
            random_tensor(&test, random, name, type, d.dims + d.leading, d.normalised, false);
        else
            random_tensor(&test, random, name, type, strcmp(name, "rstdOut") == 0 ? ones : d.dims,
                          d.rank, is_written);
    }
    random_number(&test, "epsilon", 0.001);
    return test;
}

/* The first line is the sound one. */
#define FIRST(...)        FIRST_(__VA_ARGS__, )
#define FIRST_(line, ...) line
#define ROW(name_of, function, random_of, fill_of, ...)                                            \
    {                                                                                              \
        .name = name_of, .oracle = function, .random = random_of, .fill = fill_of, .ulp = 1,       \
        .lines = LINES(__VA_ARGS__), .sound = FIRST(__VA_ARGS__)                                   \
    }

const struct oracle_row oracle_norm_quant_rows[] = {
    ROW("aclnnAddRmsNormCast", cast, random_cast, NULL,
        "add_rms_norm_cast f16 x1=2x3x4 x2=2x3x4 gamma=4 epsilon=0.1 y1Out=2x3x4:f32 y2Out=2x3x4 "
        "rstdOut=2x3x1:f32 xOut=2x3x4",
        "add_rms_norm_cast bf16 x1=7x5000 x2=7x5000 gamma=5000 epsilon=0.1 "
        "y1Out=7x5000:f32:strided y2Out=7x5000 rstdOut=7x1:f32 xOut=7x5000"),
    ROW("aclnnRmsNormQuant", quantized, random_fused, fill,
        "rms_norm_quant f16 x=2x3x8 gamma=8 beta=8 scale=1 offset=1:i8 epsilon=0.1 y=2x3x8:i8",
        "rms_norm_quant bf16 x=7x2104 gamma=1x2104 beta=2104 scale=1:f32 offset=1:i32 epsilon=0.1 "
        "y=7x263:i32"),
    ROW("aclnnAddRmsNormQuant", quantized, random_fused, fill,
        "add_rms_norm_quant f16 x1=2x3x4 x2=2x3x4 gamma=4 scales1=4:f32 scales2Optional=4:f32 "
        "zeroPoints1Optional=4:i32 zeroPoints2Optional=4:i32 axis=-1 epsilon=0.1 divMode=1 "
        "y1Out=2x3x4:i8 y2Out=2x3x4:i8 xOut=2x3x4",
        "add_rms_norm_quant bf16 x1=7x4000 x2=7x4000 gamma=4000 scales1=4000 "
        "zeroPoints1Optional=4000 axis=0 epsilon=0.1 divMode=0 y1Out=7x4000:i8:strided "
        "y2Out=1:i8 xOut=7x4000"),
    ROW("aclnnAddRmsNormQuantV2", quantized, random_fused, fill,
        "add_rms_norm_quant_v2 f16 x1=2x3x4 x2=2x3x4 gamma=4 scales1=4:f32 scales2Optional=4:f32 "
        "zeroPoints1Optional=4:i32 zeroPoints2Optional=4:i32 betaOptional=4 axis=-1 epsilon=0.1 "
        "divMode=1 y1Out=2x3x4:i8 y2Out=2x3x4:i8 xOut=2x3x4 rmsNormOut=2x3x4"),
    ROW("aclnnAddRmsNormDynamicQuant", quantized, random_fused, fill,
        "add_rms_norm_dynamic_quant f16 x1=2x3x4 x2=2x3x4 gamma=4 smoothScale1Optional=4 "
        "smoothScale2Optional=4 epsilon=0.1 y1Out=2x3x4:i8 y2Out=2x3x4:i8 xOut=2x3x4 "
        "scale1Out=2x3:f32 scale2Out=2x3:f32",
        "add_rms_norm_dynamic_quant bf16 x1=7x4000 x2=7x4000 gamma=4000 epsilon=0.1 "
        "y1Out=7x4000:i8 y2Out=1:i8 xOut=7x4000 scale1Out=7:f32 scale2Out=1:f32",
        "add_rms_norm_dynamic_quant bf16 x1=3x0 x2=3x0 gamma=0 epsilon=0.1 y1Out=3x0:i8 "
        "y2Out=1:i8 xOut=3x0 scale1Out=3:f32 scale2Out=1:f32"),
    {.name = "aclnnAddRmsNormDynamicQuantV2",
     .oracle = quantized,
     .random = random_fused,
     .fill = fill,
     .ulp = 1,
     .lines =
         LINES("add_rms_norm_dynamic_quant_v2 f16 x1=2x3x8 x2=2x3x8 gamma=8 smoothScale1Optional=8 "
               "smoothScale2Optional=8 betaOptional=8 epsilon=0.1 outputMaskOptional=1x1 "
               "y1Out=2x3x8:i8 y2Out=2x3x8:i8 xOut=2x3x8 scale1Out=2x3:f32 scale2Out=2x3:f32")},
    ROW("aclnnAddLayerNormQuant", quantized, random_fused, fill,
        "add_layer_norm_quant f16 x1=2x3x4 x2=2x3x4 gamma=4 beta=4 biasOptional=4 "
        "scales1Optional=4 scales2Optional=4 zeroPoints1Optional=4 zeroPoints2Optional=4 "
        "quantMode=static epsilon=0.1 additionalOutput=1 divMode=0 y1Out=2x3x4:i8 y2Out=2x3x4:i8 "
        "xOut=2x3x4 outScales1Out=2x3:f32 outScales2Out=2x3:f32",
        "add_layer_norm_quant f32 x1=7x4000 x2=7x4000 gamma=4000 beta=4000 scales1Optional=4000 "
        "zeroPoints1Optional=4000 quantMode=static epsilon=0.1 additionalOutput=0 divMode=1 "
        "y1Out=7x4000:i8 y2Out=1:i8 xOut=7x4000 outScales1Out=1 outScales2Out=1",
        "add_layer_norm_quant bf16 x1=7x4000 x2=7x4000 gamma=4000 beta=4000 scales1Optional=4000 "
        "scales2Optional=4000 quantMode=dynamic epsilon=0.1 additionalOutput=1 divMode=1 "
        "y1Out=7x4000:i8 y2Out=7x4000:i8 xOut=7x4000 outScales1Out=7:f32 outScales2Out=7:f32"),
    {.name = NULL},
};

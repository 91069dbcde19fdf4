/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of the last axes, from the definitions. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { X, X2, BIAS, GAMMA, BETA, MEAN, RSTD, OUT, SUM, DY, DSUM, DX, DX2, DGAMMA, DBETA, PARTS };

static const char *const names[PARTS] = {
    [X] = "input x x1",
    [X2] = "x2 gx",
    [BIAS] = "biasOptional",
    [GAMMA] = "weightOptional gamma",
    [BETA] = "beta",
    [MEAN] = "meanOutOptional meanOut mean",
    [RSTD] = "rstdOutOptional rstdOut rstd",
    [OUT] = "out yOut",
    [SUM] = "xOut",
    [DY] = "gradOut dy",
    [DSUM] = "dsumOptional",
    [DX] = "gradInputOut dxOut",
    [DX2] = "dgxOut",
    [DGAMMA] = "gradWeightOut dgammaOut",
    [DBETA] = "gradBiasOut dbetaOut",
};

struct layer {
    int at[PARTS]; /* operands */
    int64_t rows, count;
    double alpha, epsilon;
    bool is_centred;
};

static bool adds_bias(const struct rig_operator *op)
{
    return strcmp(op->name, "aclnnAddLayerNorm") == 0;
}

static struct layer layer_of(const struct rig_problem *problem)
{
    struct layer l = {.rows = 1, .count = 1, .is_centred = !strstr(problem->op->name, "Rms")};
    for (int i = 0; i < PARTS; i++)
        l.at[i] = norm_one_of(problem, names[i]);
    if (!adds_bias(problem->op) && l.at[BIAS] >= 0) { /* layer norm's is added at the end */
        l.at[BETA] = l.at[BIAS];
        l.at[BIAS] = -1;
    }
    const struct operand *x = &problem->tensor[l.at[X]].view;
    const int normalised = problem->op->array[0] ? problem->call.array[0].length
                                                 : problem->tensor[l.at[GAMMA]].view.rank;
    for (int i = 0; i < x->rank; i++)
        *(i < x->rank - normalised ? &l.rows : &l.count) *= x->dims[i];
    l.alpha = norm_real(problem, "alpha", 1);
    l.epsilon = norm_real(problem, "eps", norm_real(problem, "epsilon", 0));
    return l;
}

/* What is normalised: element i of a row. size: of what it is made of. */
static double element(const struct rig_problem *problem, const struct layer *l, int64_t row,
                      int64_t i, double *size)
{
    const int64_t at = row * l->count + i;
    const double x = oracle_value(problem, l->at[X], at),
                 x2 = norm_value(problem, l->at[X2], at, 0);
    double bias = 0;
    if (l->at[BIAS] >= 0)
        bias = oracle_value(problem, l->at[BIAS],
                            problem->tensor[l->at[BIAS]].count == l->count ? i : at);
    if (size) *size = fabs(l->alpha * x) + fabs(x2) + fabs(bias);
    return l->alpha * x + x2 + bias;
}

static void forward(struct rig_problem *problem)
{
    const struct layer l = layer_of(problem);
    const double n = (double)l.count, offset = strstr(problem->op->name, "Gemma") ? 1 : 0;
    for (int64_t row = 0; row < l.rows; row++) {
        double mean = 0, squares = 0, sizes = 0, all_squares = 0, size;
        for (int64_t i = 0; i < l.count && l.is_centred; i++)
            mean += element(problem, &l, row, i, NULL) / n;
        for (int64_t i = 0; i < l.count; i++) {
            const double x = element(problem, &l, row, i, &size) - mean;
            squares += x * x;
            sizes += size;
            all_squares += size * size;
        }
        const double rstd = 1 / sqrt(squares / n + l.epsilon);
        const double wrong = 1 + rstd * rstd * all_squares / n; /* of rstd, relative */
        norm_put_single(problem, l.at[MEAN], row, mean, sizes / n, n);
        norm_put_single(problem, l.at[RSTD], row, rstd, rstd * wrong, n);
        for (int64_t i = 0; i < l.count; i++) {
            const double x = element(problem, &l, row, i, &size);
            const double gamma = norm_value(problem, l.at[GAMMA], i, 1) + offset;
            const double beta = norm_value(problem, l.at[BETA], i, 0);
            norm_put_single(problem, l.at[SUM], row * l.count + i, x, size, 2);
            norm_put_single(problem, l.at[OUT], row * l.count + i, (x - mean) * rstd * gamma + beta,
                            fabs(beta) + (size + sizes / n) * rstd * fabs(gamma) * wrong, n);
        }
    }
}

/* ---- gradients ---- */

static bool is_asked(const struct rig_problem *problem, int i)
{
    for (int array = 0; problem->op->array[array]; array++)
        if (strcmp(problem->op->array[array], "outputMask") == 0)
            return problem->call.array[array].values[i] != 0;
    return true;
}

static void parameters(struct rig_problem *problem, const struct layer *l)
{
    for (int64_t i = 0; i < l->count; i++) {
        double gamma = 0, beta = 0, of_gamma = 0, of_beta = 0, size;
        for (int64_t row = 0; row < l->rows; row++) {
            const double mean = norm_value(problem, l->at[MEAN], row, 0);
            const double rstd = oracle_value(problem, l->at[RSTD], row);
            const double x = element(problem, l, row, i, &size) - mean;
            const double dy = oracle_value(problem, l->at[DY], row * l->count + i);
            gamma += dy * (x * rstd);
            beta += dy;
            of_gamma += fabs(dy * rstd) * (size + fabs(mean));
            of_beta += fabs(dy);
        }
        if (is_asked(problem, 1))
            norm_put_single(problem, l->at[DGAMMA], i, gamma, of_gamma, (double)l->rows);
        if (is_asked(problem, 2))
            norm_put_single(problem, l->at[DBETA], i, beta, of_beta, (double)l->rows);
    }
}

static void backward(struct rig_problem *problem)
{
    const struct layer l = layer_of(problem);
    const double n = (double)l.count;
    parameters(problem, &l);
    for (int64_t row = 0; row < l.rows && is_asked(problem, 0); row++) {
        const double mean = norm_value(problem, l.at[MEAN], row, 0);
        const double rstd = oracle_value(problem, l.at[RSTD], row);
        double all = 0, of_xhat = 0, sizes = 0, size;
        for (int64_t i = 0; i < l.count; i++) {
            const double x = element(problem, &l, row, i, &size) - mean;
            const double g = oracle_value(problem, l.at[DY], row * l.count + i) *
                             norm_value(problem, l.at[GAMMA], i, 1);
            all += g;
            of_xhat += g * (x * rstd);
            sizes += fabs(g) * (1 + (size + fabs(mean)) * fabs(rstd));
        }
        for (int64_t i = 0; i < l.count; i++) {
            const int64_t at = row * l.count + i;
            const double x = (element(problem, &l, row, i, &size) - mean) * rstd;
            const double g =
                oracle_value(problem, l.at[DY], at) * norm_value(problem, l.at[GAMMA], i, 1);
            const double more = norm_value(problem, l.at[DSUM], at, 0);
            const double dx = (g - (l.is_centred ? all / n : 0) - x * (of_xhat / n)) * rstd + more;
            const double of_x = (size + fabs(mean)) * fabs(rstd);
            const double of_dx = (fabs(g) + sizes * (1 + of_x)) * fabs(rstd) + fabs(more);
            norm_put_single(problem, l.at[DX2], at, dx, of_dx, n);
            norm_put_single(problem, l.at[DX], at, l.at[DX2] >= 0 ? l.alpha * dx : dx,
                            fabs(l.alpha) * of_dx, n);
        }
    }
}

/* ---- random problems ---- */

static struct test_case random_layer(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    int64_t dims[CASE_RANK], ones[CASE_RANK];
    int rank = random_shape(random, dims, 700);
    if (rank == 0) dims[rank++] = random_between(random, 1, 30);
    const int normalised = (int)random_between(random, 1, rank), leading = rank - normalised;
    for (int i = leading; i < rank; i++)
        if (dims[i] == 0) dims[i] = 1;
    for (int i = 0; i < rank; i++)
        ones[i] = i < leading ? dims[i] : 1;
    const bool has_sum = random_once_in(random, 2);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const enum case_dtype type = slot == 0 ? dtype : norm_some_type(op, random, dtype);
        const bool is_written = rig_is_output(&op->operand[slot]);
        const bool is_weight = norm_has_word("weightOptional biasOptional gamma beta gradWeightOut "
                                             "gradBiasOut dgammaOut dbetaOut",
                                             name);
        if (norm_has_word("weightOptional biasOptional meanOutOptional rstdOutOptional "
                          "dsumOptional",
                          name) &&
            random_once_in(random, 3))
            continue;
        if (strcmp(name, "xOut") == 0 && !has_sum) continue;
        if (norm_has_word("mean rstd meanOut rstdOut meanOutOptional rstdOutOptional", name))
            random_tensor(&test, random, name, type, ones,
                          random_once_in(random, 3) ? leading : rank, is_written);
        else if (is_weight && !(adds_bias(op) && slot == 4 && random_once_in(random, 2)))
            random_tensor(&test, random, name, type, dims + leading, normalised, is_written);
        else
            random_tensor(&test, random, name, type, dims, rank, is_written);
    }
    if (op->array[0]) random_ints(&test, op->array[0], dims + leading, normalised);
    if (op->array[0] && op->array[1])
        random_ints(&test, op->array[1], (const int64_t[]){1, 1, 1}, 3);
    for (int i = 0; op->number[i]; i++)
        random_number(&test, op->number[i],
                      op->number[i][0] == 'e'                          ? 0.001
                      : strcmp(op->number[i], "additionalOutput") == 0 ? has_sum
                      : strcmp(op->number[i], "alpha") == 0            ? 0.75
                                                                       : 1);
    return test;
}

/* The first line is the sound one. */
#define FIRST(...)        FIRST_(__VA_ARGS__, )
#define FIRST_(line, ...) line
#define ROW(name_of, function, ...)                                                                \
    {                                                                                              \
        .name = name_of, .oracle = function, .random = random_layer, .ulp = 1,                     \
        .lines = LINES(__VA_ARGS__), .sound = FIRST(__VA_ARGS__)                                   \
    }

const struct oracle_row oracle_layer_norm_rows[] = {
    ROW("aclnnLayerNorm", forward,
        "layer_norm f32 input=2x3x4 normalizedShape=4 weightOptional=4 biasOptional=4 eps=0.1 "
        "out=2x3x4 meanOutOptional=2x3x1 rstdOutOptional=2x3x1",
        "layer_norm f32 input=3x9000 normalizedShape=9000 weightOptional=9000 eps=0.00001 "
        "out=3x9000 meanOutOptional=3x1 rstdOutOptional=3x1",
        "layer_norm bf16 input=30x77x10:s1x300x30 normalizedShape=77x10 biasOptional=77x10 "
        "eps=0.00001 out=30x77x10",
        "layer_norm f32 input=5x1024 normalizedShape=1024 weightOptional=1024:f16 eps=0 "
        "out=5x1024:f16"),
    ROW("aclnnLayerNormWithImplMode", forward,
        "layer_norm_with_impl_mode f32 input=2x3x4 normalizedShape=4 weightOptional=4 "
        "biasOptional=4 eps=0.1 out=2x3x4 meanOutOptional=2x3x1 rstdOutOptional=2x3x1 implMode=1"),
    ROW("aclnnFastLayerNorm", forward,
        "fast_layer_norm f32 input=2x3x4 normalizedShape=4 weightOptional=4 biasOptional=4 eps=0.1 "
        "out=2x3x4 meanOutOptional=2x3x1 rstdOutOptional=2x3x1"),
    ROW("aclnnRmsNorm", forward,
        "rms_norm f32 x=2x3x4 gamma=4 epsilon=0.1 yOut=2x3x4 rstdOut=2x3x1",
        "rms_norm f16 x=7x5000 gamma=5000 epsilon=0.1 yOut=7x5000 rstdOut=7:f32",
        "rms_norm f32 x=50x33:s1x50 gamma=33 epsilon=0.1 yOut=50x33:s1x50 rstdOut=50"),
    ROW("aclnnGemmaRmsNorm", forward,
        "gemma_rms_norm f32 x=2x3x4 gamma=4 epsilon=0.1 yOut=2x3x4 rstdOut=2x3x1",
        "gemma_rms_norm f16 x=7x5000 gamma=5000 epsilon=0.1 yOut=7x5000 rstdOut=7:f32"),
    ROW("aclnnAddRmsNorm", forward,
        "add_rms_norm f32 x1=2x3x4 x2=2x3x4 gamma=4 epsilon=0.1 yOut=2x3x4 rstdOut=2x3x1 "
        "xOut=2x3x4",
        "add_rms_norm bf16 x1=7x5000 x2=7x5000 gamma=5000 epsilon=0.1 yOut=7x5000 xOut=7x5000"),
    ROW("aclnnAddLayerNorm", forward,
        "add_layer_norm f32 x1=2x3x4 x2=2x3x4 gamma=4 beta=4 biasOptional=4 epsilon=0.1 "
        "additionalOutput=1 yOut=2x3x4 meanOut=2x3x1 rstdOut=2x3x1 xOut=2x3x4",
        "add_layer_norm f32 x1=7x5000 x2=7x5000 gamma=5000 beta=5000 biasOptional=7x5000 "
        "epsilon=0.1 additionalOutput=1 yOut=7x5000 xOut=7x5000"),
    ROW("aclnnDeepNorm", forward,
        "deep_norm f32 x=2x3x4 gx=2x3x4 beta=4 gamma=4 alpha=0.5 epsilon=0.1 meanOut=2x3x1 "
        "rstdOut=2x3x1 yOut=2x3x4"),
    ROW("aclnnLayerNormBackward", backward,
        "layer_norm_backward f32 gradOut=2x3x4 input=2x3x4 normalizedShape=4 mean=2x3x1 "
        "rstd=2x3x1 weightOptional=4 biasOptional=4 outputMask=1x1x1 gradInputOut=2x3x4 "
        "gradWeightOut=4 gradBiasOut=4",
        "layer_norm_backward f32 gradOut=700x1100 input=700x1100 normalizedShape=1100 mean=700x1 "
        "rstd=700x1 outputMask=0x1x1 gradWeightOut=1100 gradBiasOut=1100",
        "layer_norm_backward f32 gradOut=3x9000 input=3x9000 normalizedShape=9000 mean=3x1 "
        "rstd=3x1 weightOptional=9000 outputMask=1x0x1 gradInputOut=3x9000 gradBiasOut=9000",
        "layer_norm_backward f32 gradOut=0x90 input=0x90 normalizedShape=90 mean=0x1 "
        "rstd=0x1 outputMask=0x1x1 gradWeightOut=90 gradBiasOut=90"),
    ROW("aclnnRmsNormGrad", backward,
        "rms_norm_grad f32 dy=2x3x4 x=2x3x4 rstd=2x3x1 gamma=4 dxOut=2x3x4 dgammaOut=4",
        "rms_norm_grad bf16 dy=300x500 x=300x500 rstd=300:f32 gamma=500 dxOut=300x500 "
        "dgammaOut=500:f32"),
    ROW("aclnnAddLayerNormGrad", backward,
        "add_layer_norm_grad f32 dy=2x3x4 x1=2x3x4 x2=2x3x4 rstd=2x3x1 mean=2x3x1 gamma=4 "
        "dsumOptional=2x3x4 dxOut=2x3x4 dgammaOut=4 dbetaOut=4",
        "add_layer_norm_grad f32 dy=3x5000 x1=3x5000 x2=3x5000 rstd=3x1 mean=3x1 gamma=5000 "
        "dsumOptional=3x5000 dxOut=3x5000 dgammaOut=5000 dbetaOut=5000"),
    ROW("aclnnDeepNormGrad", backward,
        "deep_norm_grad f32 dy=2x3x4 x=2x3x4 gx=2x3x4 gamma=4 mean=2x3x1 rstd=2x3x1 alpha=0.5 "
        "dxOut=2x3x4 dgxOut=2x3x4 dbetaOut=4 dgammaOut=4"),
    {.name = NULL},
};

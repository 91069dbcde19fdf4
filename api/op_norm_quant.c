/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of the last axes as small integers, by one scale or two: aclnnRmsNormQuant,
 * AddRmsNormQuant, AddRmsNormDynamicQuant, V2 of both, AddLayerNormQuant. The normalised rows are
 * FLOAT in scratch, from which each result is quantized. */
#include <string.h>

#include "api/op_norm.h"
#include "api/op_quantize.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

enum { RESULTS = 2 };

/* The arguments' names; NULL at the end. */
static const char *const x_names[] = {"x1", "x", NULL};
static const char *const scale_names[RESULTS][5] = {
    {"scales1", "scale", "smoothScale1Optional", "scales1Optional", NULL},
    {"scales2Optional", "smoothScale2Optional", NULL}};
static const char *const zero_names[RESULTS][3] = {{"zeroPoints1Optional", "offset", NULL},
                                                   {"zeroPoints2Optional", NULL}};
static const char *const y_names[RESULTS][3] = {{"y1Out", "y", NULL}, {"y2Out", NULL}};
static const char *const made_names[RESULTS][3] = {{"scale1Out", "outScales1Out", NULL},
                                                   {"scale2Out", "outScales2Out", NULL}};

/* What a call says; NULL: not there. */
struct norm_quant {
    const struct op_value *x, *scale[RESULTS], *zero[RESULTS], *y[RESULTS], *made[RESULTS];
    bool is_dynamic, is_asked[RESULTS];
};

static const struct op_value *first_given(const struct op_problem *problem,
                                          const char *const *names)
{
    for (; *names; names++)
        if (op_given(problem, *names)) return op_given(problem, *names);
    return NULL;
}

static bool is_dynamic(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "quantMode");
    if (mode) return mode->text && strcmp(mode->text, "dynamic") == 0;
    return op_argument_named(problem, "scale1Out") != NULL;
}

static struct norm_quant norm_quant_of(const struct op_problem *problem)
{
    const struct op_value *mask = op_argument_of_kind(problem, OP_BOOLS);
    struct norm_quant q = {.x = first_given(problem, x_names), .is_dynamic = is_dynamic(problem)};
    for (int i = 0; i < RESULTS; i++) {
        q.scale[i] = first_given(problem, scale_names[i]);
        q.zero[i] = first_given(problem, zero_names[i]);
        q.y[i] = first_given(problem, y_names[i]);
        q.made[i] = first_given(problem, made_names[i]);
    }
    q.is_asked[0] = true;
    q.is_asked[1] = q.scale[1] != NULL;
    for (int i = 0; i < RESULTS && mask && mask->bools && mask->bools->size == RESULTS; i++)
        q.is_asked[i] = mask->bools->values[i];
    return q;
}

/* ---- what must be given, and what must not ---- */

/* Which of two results are wanted; both of the mask's entries count. */
static aclnnStatus check_mask(const struct op_problem *problem, const struct norm_quant *q)
{
    const char *name = problem->row->name;
    const struct op_value *mask = op_argument_of_kind(problem, OP_BOOLS);
    if (!mask || !mask->bools) return ACLNN_SUCCESS;
    OP_CHECK(name, mask->bools->size == RESULTS, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have %d", mask->name, mask->bools->size,
             (int)RESULTS);
    OP_CHECK(name, q->is_asked[0] || q->is_asked[1], ACLNN_ERR_PARAM_INVALID,
             "%s is false twice; one of the results must be asked for", mask->name);
    for (int i = 0; i < RESULTS; i++)
        OP_CHECK(name, q->is_asked[i] || !q->scale[i], ACLNN_ERR_PARAM_INVALID,
                 "%s is given and %s[%d] is false; it must be true", q->scale[i]->name, mask->name,
                 i);
    return ACLNN_SUCCESS;
}

/* Names of the arguments of the i-th result that the operator has, for those that are missing. */
static const char *own_name(const struct op_problem *problem, const char *const *names)
{
    for (; *names; names++)
        if (op_argument_named(problem, *names)) return *names;
    return "";
}

static aclnnStatus check_presence(const struct op_problem *problem, const struct norm_quant *q)
{
    const char *name = problem->row->name;
    const bool has_mask =
        op_argument_of_kind(problem, OP_BOOLS) && op_argument_of_kind(problem, OP_BOOLS)->bools;
    OP_TRY(check_mask(problem, q));
    OP_CHECK(name, q->is_dynamic || q->scale[0], ACLNN_ERR_PARAM_INVALID,
             "scales1Optional is NULL and quantMode \"static\"; it must be given");
    OP_CHECK(name, has_mask || !q->scale[1] || q->scale[0], ACLNN_ERR_PARAM_INVALID,
             "%s is given and %s is NULL; both must be given", q->scale[1]->name,
             own_name(problem, scale_names[0]));
    OP_CHECK(name,
             problem->row->core != OP_NORM_add_layer_norm_quant || !q->scale[1] ||
                 !q->zero[0] == !q->zero[1],
             ACLNN_ERR_PARAM_INVALID,
             "one of zeroPoints1Optional and zeroPoints2Optional is NULL and scales2Optional is "
             "given; both or none must be given");
    for (int i = 0; i < RESULTS; i++) {
        OP_CHECK(name, !q->is_asked[i] || q->y[i], ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
                 own_name(problem, y_names[i]));
        OP_CHECK(name, !q->is_asked[i] || !q->is_dynamic || q->made[i], ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL", own_name(problem, made_names[i]));
        OP_CHECK(name, !q->zero[i] || !q->is_dynamic, ACLNN_ERR_PARAM_INVALID,
                 "%s is given and quantMode \"dynamic\"; it must be NULL", q->zero[i]->name);
        OP_CHECK(name, !q->zero[i] || q->scale[i], ACLNN_ERR_PARAM_INVALID,
                 "%s is given and %s is NULL; both must be given", q->zero[i]->name,
                 own_name(problem, scale_names[i]));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_mode(const struct op_problem *problem)
{
    const struct op_value *mode = op_argument_named(problem, "quantMode");
    if (!mode) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, mode->text, ACLNN_ERR_PARAM_NULLPTR, "quantMode is NULL");
    OP_CHECK(problem->row->name,
             strcmp(mode->text, "static") == 0 || strcmp(mode->text, "dynamic") == 0,
             ACLNN_ERR_PARAM_INVALID, "quantMode is \"%.20s\"; it must be static or dynamic",
             mode->text);
    return ACLNN_SUCCESS;
}

/* ---- types ---- */

static aclnnStatus check_result_types(const struct op_problem *problem, const struct norm_quant *q,
                                      int i)
{
    const char *name = problem->row->name;
    const bool takes_four =
        problem->row->core == OP_NORM_rms_norm_quant || op_argument_of_kind(problem, OP_BOOLS);
    const uint64_t zeros = OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_FLOAT) |
                           OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    if (q->scale[i]) OP_TRY(op_check_float(name, q->scale[i]->name, q->scale[i]->tensor));
    if (q->zero[i])
        OP_TRY(op_check_type(name, q->zero[i]->name, q->zero[i]->tensor, zeros,
                             "INT32, INT8, FLOAT, FLOAT16, BF16"));
    if (!q->is_asked[i]) return ACLNN_SUCCESS;
    OP_TRY(op_check_type(name, q->y[i]->name, q->y[i]->tensor,
                         takes_four ? OP_SMALL_TYPES : OP_TYPE(ACL_INT8),
                         takes_four ? op_small_types : "INT8"));
    if (i == 1 && q->is_asked[0])
        OP_TRY(op_check_same_type(name, q->y[1]->name, q->y[1]->tensor, q->y[0]->name,
                                  q->y[0]->tensor));
    return q->is_dynamic ? op_check_type(name, q->made[i]->name, q->made[i]->tensor,
                                         OP_TYPE(ACL_FLOAT), "FLOAT")
                         : ACLNN_SUCCESS;
}

static aclnnStatus norm_quant_types(struct op_problem *problem)
{
    static const char *const names[] = {
        "x1", "x", "x2", "gamma", "beta", "betaOptional", "biasOptional", "xOut", "rmsNormOut"};
    OP_TRY(check_mode(problem));
    const struct norm_quant q = norm_quant_of(problem);
    OP_TRY(check_presence(problem, &q));
    for (int i = 0; i < (int)RT_LENGTH(names); i++)
        if (op_given(problem, names[i]))
            OP_TRY(op_check_type(problem->row->name, names[i], op_tensor_named(problem, names[i]),
                                 problem->row->types, problem->row->type_names));
    for (int i = 0; i < RESULTS; i++)
        OP_TRY(check_result_types(problem, &q, i));
    problem->type = problem->result = (aclDataType)q.x->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* ---- shapes ---- */

/* As that of gamma, of aclnnRmsNormQuant one element. */
static aclnnStatus check_factor(const struct op_problem *problem, const struct op_value *value,
                                int leading)
{
    const struct ex_descriptor *x = &norm_quant_of(problem).x->tensor->descriptor;
    if (!value) return ACLNN_SUCCESS;
    if (problem->row->core == OP_NORM_rms_norm_quant)
        return op_check_shape(problem, value, value->tensor, 1, (const int64_t[]){1});
    return op_check_shape(problem, value, value->tensor, x->rank - leading, x->sizes + leading);
}

/* x's shape less the last axis, or all those as one. */
static aclnnStatus check_made(const struct op_problem *problem, const struct norm_quant *q, int i)
{
    const struct ex_descriptor *x = &q->x->tensor->descriptor;
    const struct ex_descriptor *d = &q->made[i]->tensor->descriptor;
    const int64_t rows = op_element_count(x->rank - 1, x->sizes);
    const bool may_be_one = problem->row->core != OP_NORM_add_layer_norm_quant;
    if (may_be_one && d->rank == 1 && d->sizes[0] == rows) return ACLNN_SUCCESS;
    return op_check_shape(problem, q->made[i], q->made[i]->tensor, x->rank - 1, x->sizes);
}

static aclnnStatus check_result(const struct op_problem *problem, const struct norm_quant *q, int i)
{
    const struct ex_descriptor *x = &q->x->tensor->descriptor;
    const int64_t flat[] = {op_element_count(x->rank - 1, x->sizes), x->sizes[x->rank - 1]};
    const bool may_be_flat = q->is_dynamic && problem->row->core != OP_NORM_add_layer_norm_quant;
    if (!q->is_asked[i]) return ACLNN_SUCCESS;
    if (may_be_flat && q->y[i]->tensor->descriptor.rank == 2)
        OP_TRY(op_check_small(problem, q->y[i], 2, flat));
    else
        OP_TRY(op_check_small(problem, q->y[i], x->rank, x->sizes));
    return q->is_dynamic ? check_made(problem, q, i) : ACLNN_SUCCESS;
}

static aclnnStatus norm_quant_shapes(struct op_problem *problem)
{
    const struct norm_quant q = norm_quant_of(problem);
    const char *name = problem->row->name;
    int leading;
    OP_TRY(op_check_rank(name, q.x->name, q.x->tensor, q.is_dynamic ? 2 : 1, EX_MAX_RANK));
    if (q.is_dynamic) OP_TRY(op_check_rank(name, "gamma", op_tensor_named(problem, "gamma"), 1, 1));
    OP_TRY(op_layer_norm_shapes(problem, &leading));
    for (int i = 0; i < RESULTS; i++) {
        OP_TRY(check_factor(problem, q.scale[i], leading));
        OP_TRY(check_factor(problem, q.zero[i], leading));
        OP_TRY(check_result(problem, &q, i));
    }
    return ACLNN_SUCCESS;
}

/* ---- plan ---- */

static int argument_of(const struct op_problem *problem, const struct op_value *value)
{
    return (int)(value - problem->values);
}

/* Where a factor lies: copied before any result is written over it. */
static int source(const struct op_shape_call *call, const struct op_value *value)
{
    return value ? op_dense_source(call, argument_of(call->problem, value)).buffer : -1;
}

static void quantize(const struct op_shape_call *call, const struct norm_quant *q, int i, int from,
                     int scale, int zero)
{
    const struct op_problem *problem = call->problem;
    const struct ex_descriptor *x = &q->x->tensor->descriptor;
    const int64_t factors = q->scale[i] ? op_element_count(q->scale[i]->tensor->descriptor.rank,
                                                           q->scale[i]->tensor->descriptor.sizes)
                                        : 1;
    const struct ex_descriptor *gamma = &op_tensor_named(problem, "gamma")->descriptor;
    const struct k_quantize k = {
        .what = q->is_dynamic ? K_QUANTIZE_DYNAMIC : K_QUANTIZE,
        .from = K_F32,
        .to = K_I8,
        .factor = q->scale[i] ? op_k_dtype(q->scale[i]->tensor) : K_F32,
        .offset = q->zero[i] ? op_k_dtype(q->zero[i]->tensor) : K_F32,
        .is_four = q->y[i]->tensor->descriptor.data_type != ACL_INT8,
        .columns = op_element_count(gamma->rank, gamma->sizes),
        .rows = op_element_count(x->rank, x->sizes) / op_element_count(gamma->rank, gamma->sizes),
        .inner = 1,
        .by_column = factors != 1 || problem->row->core != OP_NORM_rms_norm_quant,
        .has_scale = q->scale[i] != NULL,
        .has_offset = q->zero[i] != NULL,
        .divides = !q->is_dynamic && op_integer_named(problem, "divMode", 1) != 0,
    };
    const struct op_place to = op_dense_target(call, argument_of(problem, q->y[i]));
    const struct op_place made =
        q->is_dynamic ? op_dense_target(call, argument_of(problem, q->made[i])) : to;
    ex_step(
        call->plan, "quantize", k_best()->quantize, &k, sizeof k, k_quantize_plan(&k),
        EX_BUFFERS(from, scale < 0 ? from : scale, zero < 0 ? from : zero, to.buffer, made.buffer));
    op_deliver(call, &to, argument_of(problem, q->y[i]));
    if (q->is_dynamic) op_deliver(call, &made, argument_of(problem, q->made[i]));
}

static void plan_norm_quant(struct op_norm_call *call)
{
    const struct norm_quant q = norm_quant_of(call->problem);
    const struct op_shape_call shape = {call->plan, call->problem, call->buffers};
    int scale[RESULTS], zero[RESULTS];
    if (op_is_empty(q.x->tensor)) { /* rows without elements have a scale */
        for (int i = 0; i < RESULTS && q.is_dynamic; i++)
            if (q.is_asked[i]) op_norm_fill(call, q.made[i], 0);
        return;
    }
    for (int i = 0; i < RESULTS; i++) {
        scale[i] = source(&shape, q.is_asked[i] ? q.scale[i] : NULL);
        zero[i] = source(&shape, q.is_asked[i] ? q.zero[i] : NULL);
    }
    const int from = op_layer_norm_made(call);
    for (int i = 0; i < RESULTS; i++)
        if (q.is_asked[i]) quantize(&shape, &q, i, from, scale[i], zero[i]);
}

static const struct op_norm_rule norm_quant = {.plan = plan_norm_quant};
const struct op_rule op_rule_norm_quant = {.types = norm_quant_types,
                                           .shapes = norm_quant_shapes,
                                           .runs_empty = true,
                                           .more = &norm_quant};

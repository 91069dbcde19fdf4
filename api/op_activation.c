/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of activations and their gradients: which core, and which numbers where they follow from
 * the operator. */
#include <float.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_elementwise.h"
#include "api/op_rule.h"

/* ---- swish: x / (1 + e^-(beta x)) ---- */

/* The last scalar argument, if there is one, is beta: a number and no operand. */
static void give_beta(const struct op_problem *problem, struct k_elementwise *e)
{
    double beta = 1;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_scalar(value) && value->scalar) beta = op_scalar_real(value->scalar);
    }
    e->reals[0] = beta;
    e->constants = 0;
}

static void give_fast_gelu(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->reals[0] = 1.702;
}

const struct op_rule op_rule_swish = {.types = op_types_promoted,
                                      .shapes = op_check_broadcast,
                                      .more = &(const struct op_elementwise){give_beta}};
const struct op_rule op_rule_fast_gelu = {.types = op_types_promoted,
                                          .shapes = op_check_broadcast,
                                          .more = &(const struct op_elementwise){give_fast_gelu}};

/* ---- gelu: approximate says which ---- */

static aclnnStatus gelu_types(struct op_problem *problem)
{
    const int64_t approximate = problem->values[1].integer;
    OP_CHECK(problem->row->name, approximate == 0 || approximate == 1, ACLNN_ERR_PARAM_INVALID,
             "approximate is %" PRId64 "; it must be 0 (none) or 1 (tanh)", approximate);
    return op_types_promoted(problem);
}

static void gelu_core(const struct op_problem *problem, struct k_elementwise *e)
{
    if (problem->values[1].integer == 1) e->core = K_CORE_gelu_tanh;
}

const struct op_rule op_rule_gelu = {.types = gelu_types,
                                     .shapes = op_check_broadcast,
                                     .more = &(const struct op_elementwise){gelu_core}};

static aclnnStatus gelu_grad_types(struct op_problem *problem)
{
    const char *approximate = problem->values[2].text;
    OP_CHECK(problem->row->name, approximate, ACLNN_ERR_PARAM_NULLPTR, "approximate is NULL");
    OP_CHECK(problem->row->name,
             strcmp(approximate, "none") == 0 || strcmp(approximate, "tanh") == 0,
             ACLNN_ERR_PARAM_INVALID, "approximate is \"%s\"; it must be \"none\" or \"tanh\"",
             approximate);
    return op_types_promoted(problem);
}

static void gelu_grad_core(const struct op_problem *problem, struct k_elementwise *e)
{
    if (strcmp(problem->values[2].text, "tanh") == 0) e->core = K_CORE_gelu_tanh_grad;
}

const struct op_rule op_rule_gelu_grad = {.types = gelu_grad_types,
                                          .shapes = op_check_broadcast,
                                          .more = &(const struct op_elementwise){gelu_grad_core}};

/* ---- elu and its special cases: alpha, scale, input scale ---- */

#define SELU_ALPHA 1.6732632423543772848170429916717
#define SELU_SCALE 1.0507009873554804934193349852946

static void give_selu(const struct op_problem *problem, struct k_elementwise *e)
{
    e->reals[0] = SELU_ALPHA;
    e->reals[1] = SELU_SCALE;
    e->reals[2] = 1;
    /* Of the gradient: a result of 0 counts as positive, so the bound is the number before 0. */
    e->reals[3] = problem->type == ACL_DOUBLE ? -DBL_TRUE_MIN : (double)-FLT_TRUE_MIN;
}

const struct op_rule op_rule_selu = {.types = op_types_promoted,
                                     .shapes = op_check_broadcast,
                                     .more = &(const struct op_elementwise){give_selu}};

/* self, alpha */
static aclnnStatus celu_types(struct op_problem *problem)
{
    OP_TRY(op_types_promoted(problem));
    OP_CHECK(problem->row->name, op_scalar_real(problem->values[1].scalar) != 0,
             ACLNN_ERR_PARAM_INVALID, "%s is 0; it must be another number",
             problem->values[1].name);
    return ACLNN_SUCCESS;
}

static void give_celu(const struct op_problem *problem, struct k_elementwise *e)
{
    if (problem->type != ACL_DOUBLE) e->reals[0] = (float)e->reals[0];
    e->reals[1] = 1;
    e->reals[2] = 1 / e->reals[0];
}

const struct op_rule op_rule_celu = {.types = celu_types,
                                     .shapes = op_check_broadcast,
                                     .more = &(const struct op_elementwise){give_celu}};

/* gradOutput, alpha, scale, inputScale, isResult, selfOrResult */
static aclnnStatus elu_grad_types(struct op_problem *problem)
{
    const struct op_value *alpha = &problem->values[1], *is_result = &problem->values[4];
    OP_TRY(op_types_promoted(problem));
    const double value = op_scalar_real(alpha->scalar);
    OP_CHECK(problem->row->name, !is_result->integer || !(value < 0), ACLNN_ERR_PARAM_INVALID,
             "%s is %g; it must not be negative where %s is true", alpha->name, value,
             is_result->name);
    return ACLNN_SUCCESS;
}

/* The fourth number is isResult: of the other core it is the bound. */
static void elu_grad_core(const struct op_problem *problem, struct k_elementwise *e)
{
    if (!problem->values[4].integer) return;
    e->core = K_CORE_elu_result_grad;
    e->reals[3] = 0;
}

const struct op_rule op_rule_elu_grad = {.types = elu_grad_types,
                                         .shapes = op_check_broadcast,
                                         .more = &(const struct op_elementwise){elu_grad_core}};

/* ---- softshrink ---- */

/* self, lambd */
static aclnnStatus softshrink_types(struct op_problem *problem)
{
    OP_TRY(op_types_promoted(problem));
    const double lambda = op_scalar_real(problem->values[1].scalar);
    OP_CHECK(problem->row->name, !(lambda < 0), ACLNN_ERR_PARAM_INVALID,
             "%s is %g; it must not be negative", problem->values[1].name, lambda);
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_softshrink = {.types = softshrink_types, .shapes = op_check_broadcast};

/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of elementwise operators of two and more operands. */
#include "api/op_check.h"
#include "api/op_complex.h"
#include "api/op_elementwise.h"
#include "api/op_rule.h"

/* ---- clamp ---- */

/* One of the two bounds must be there; they are the arguments after the first. */
static aclnnStatus clamp_types(struct op_problem *problem)
{
    const struct op_value *lower = &problem->values[1], *upper = &problem->values[2];
    OP_CHECK(problem->row->name, lower->pointer || upper->pointer, ACLNN_ERR_PARAM_NULLPTR,
             "%s and %s are both NULL", lower->name, upper->name);
    OP_TRY(op_find_type(problem));
    return op_check_results(problem, problem->type);
}

/* With one bound it is a maximum or a minimum. */
static void clamp_bounds(const struct op_problem *problem, struct k_elementwise *e)
{
    const struct op_value *lower = &problem->values[1], *upper = &problem->values[2];
    if (lower->pointer && upper->pointer) return;
    e->core = lower->pointer ? K_CORE_maximum : K_CORE_minimum;
    if (!e->constants) return;
    e->constants = 2;
    e->reals[0] = e->reals[lower->pointer ? 0 : 1];
    e->integers[0] = e->integers[lower->pointer ? 0 : 1];
}

const struct op_rule op_rule_clamp = {.types = clamp_types,
                                      .shapes = op_check_broadcast,
                                      .more = &(const struct op_elementwise){clamp_bounds}};

/* The bounds are cast to the operand's type, whatever they are. */
static aclnnStatus hardtanh_types(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    return op_check_written(problem, problem->type);
}

/* The clamp whose second and third operands are numbers. */
static void hardtanh_bounds(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->constants = 2 | 4;
}

const struct op_rule op_rule_hardtanh = {.types = hardtanh_types,
                                         .shapes = op_check_broadcast,
                                         .more = &(const struct op_elementwise){hardtanh_bounds}};

/* ---- masked fill ---- */

/* The first operand's type is the result's, whatever the value's; the second one selects. */
static aclnnStatus filled(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    problem->result = problem->type;
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_masked_fill = {
    .types = filled, .shapes = op_check_broadcast, .selectors = 2};

/* ---- quotients and powers ---- */

/* self, other, mode: 0 the quotient of real numbers, 1 rounded towards 0, 2 towards minus infinity
 */
static aclnnStatus div_mod_types(struct op_problem *problem)
{
    const int64_t mode = problem->values[2].integer;
    OP_TRY(op_find_type(problem));
    OP_CHECK(problem->row->name, mode >= 0 && mode <= 2, ACLNN_ERR_PARAM_INVALID,
             "mode is %" PRId64 "; it must be 0, 1 or 2", mode);
    if (op_is_complex(problem->type))
        OP_CHECK(problem->row->name, mode == 0, ACLNN_ERR_PARAM_INVALID,
                 "mode is %" PRId64 "; of complex numbers it must be 0", mode);
    else if (mode == 0 && !op_is_floating(problem->type))
        problem->type = ACL_FLOAT;
    return op_check_results(problem, problem->type);
}

static void div_mod_core(const struct op_problem *problem, struct k_elementwise *e)
{
    static const enum k_core cores[] = {K_CORE_div, K_CORE_div_trunc, K_CORE_div_floor};
    e->core = cores[problem->values[2].integer];
}

const struct op_rule op_rule_div_mod = {.types = div_mod_types,
                                        .shapes = op_check_broadcast,
                                        .more = &(const struct op_elementwise){div_mod_core}};

static aclnnStatus power_types(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    return op_check_results(problem, problem->type);
}

/* Squares and reciprocals are powers that are rounded once. */
static void power_core(const struct op_problem *problem, struct k_elementwise *e)
{
    if (e->reals[0] == 2)
        e->core = K_CORE_square;
    else if (e->reals[0] == -1 && op_is_floating(problem->type))
        e->core = K_CORE_reciprocal;
    else
        return;
    e->constants = 0;
}

/* The exponent is a scalar. */
const struct op_rule op_rule_power = {.types = power_types,
                                      .shapes = op_check_broadcast,
                                      .more = &(const struct op_elementwise){power_core}};

/* ---- a truth value of real numbers ---- */

static aclnnStatus real_truth(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    if (!op_is_floating(problem->type)) problem->type = ACL_FLOAT;
    return op_check_results(problem, ACL_BOOL);
}

const struct op_rule op_rule_real_truth = {.types = real_truth, .shapes = op_check_broadcast};

/* ---- bits ---- */

static aclnnStatus integral(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    OP_CHECK(problem->row->name, problem->type == ACL_BOOL || op_is_integer(problem->type),
             ACLNN_ERR_PARAM_INVALID, "%s's data type is %s; it must be an integer or BOOL",
             problem->values[1].name, op_data_type_name(problem->values[1].scalar->data_type));
    return op_check_results(problem, problem->type);
}

/* The second argument is a scalar. */
const struct op_rule op_rule_integral = {.types = integral, .shapes = op_check_broadcast};

/* ---- gradients ---- */

/* gradOutput, self, negativeSlope, selfIsResult */
static aclnnStatus leaky_relu_grad(struct op_problem *problem)
{
    const struct op_value *slope = &problem->values[2], *is_result = &problem->values[3];
    OP_TRY(op_find_type(problem));
    OP_TRY(op_check_results(problem, problem->type));
    const double value = op_scalar_real(slope->scalar);
    OP_CHECK(problem->row->name, !is_result->integer || !(value < 0), ACLNN_ERR_PARAM_INVALID,
             "%s is %g; it must not be negative where %s is true", slope->name, value,
             is_result->name);
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_leaky_relu_grad = {.types = leaky_relu_grad,
                                                .shapes = op_check_broadcast};

/* ---- numbers that the prototype leaves out, or bounds ---- */

static void give_one(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->reals[0] = 1;
    e->integers[0] = 1;
}

/* A difference without a factor. */
const struct op_rule op_rule_difference = {.types = op_types_promoted,
                                           .shapes = op_check_broadcast,
                                           .more = &(const struct op_elementwise){give_one}};

static aclnnStatus huber_types(struct op_problem *problem)
{
    const double delta = op_real_named(problem, "delta", 0);
    OP_TRY(op_types_promoted(problem));
    OP_CHECK(problem->row->name, delta > 0, ACLNN_ERR_PARAM_INVALID,
             "delta is %g; it must be greater than 0", delta);
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_huber = {.types = huber_types, .shapes = op_check_broadcast};

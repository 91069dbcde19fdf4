/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of elementwise operators that choose what is computed by the arguments. */
#include <math.h>

#include "api/op_check.h"
#include "api/op_elementwise.h"
#include "api/op_rule.h"

static void keep_integers(const struct op_problem *problem, struct k_elementwise *e)
{
    if (!op_is_floating(problem->type)) e->core = K_CORE_copy;
}

/* Roundings leave integers as they are. */
const struct op_rule op_rule_rounding = {.types = op_types_promoted,
                                         .shapes = op_check_broadcast,
                                         .more = &(const struct op_elementwise){keep_integers}};

/* Of BOOL all bits are one. */
static void negate_bools(const struct op_problem *problem, struct k_elementwise *e)
{
    if (problem->type == ACL_BOOL) e->core = K_CORE_logical_not;
}

const struct op_rule op_rule_bitwise_not = {.types = op_types_promoted,
                                            .shapes = op_check_broadcast,
                                            .more = &(const struct op_elementwise){negate_bools}};

/* aclnnIsInTensorScalar: equal or not. */
static void invert(const struct op_problem *problem, struct k_elementwise *e)
{
    if (problem->values[3].integer) e->core = K_CORE_ne;
}

const struct op_rule op_rule_is_in_scalar = {.types = op_types_truth,
                                             .shapes = op_check_broadcast,
                                             .more = &(const struct op_elementwise){invert}};

/* Nothing of an integer is behind the point, as none is infinite. */
static void clear_integers(const struct op_problem *problem, struct k_elementwise *e)
{
    if (!op_is_floating(problem->type)) e->core = K_CORE_is_inf;
}

const struct op_rule op_rule_frac = {.types = op_types_promoted,
                                     .shapes = op_check_broadcast,
                                     .more = &(const struct op_elementwise){clear_integers}};

/* self, decimals */
static aclnnStatus round_decimals_types(struct op_problem *problem)
{
    const int64_t decimals = problem->values[1].integer;
    OP_TRY(op_types_promoted(problem));
    OP_CHECK(problem->row->name, op_is_floating(problem->type) || decimals >= 0,
             ACLNN_ERR_PARAM_INVALID,
             "decimals is %" PRId64 "; of integers it must not be negative", decimals);
    return ACLNN_SUCCESS;
}

static void give_power_of_ten(const struct op_problem *problem, struct k_elementwise *e)
{
    const double decimals = (double)problem->values[1].integer;
    keep_integers(problem, e);
    e->reals[0] = pow(10, fabs(decimals));
    e->reals[1] = decimals < 0;
}

const struct op_rule op_rule_round_decimals = {
    .types = round_decimals_types,
    .shapes = op_check_broadcast,
    .more = &(const struct op_elementwise){give_power_of_ten}};

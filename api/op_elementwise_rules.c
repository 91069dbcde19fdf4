/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of elementwise operators that choose what is computed by the arguments. */
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

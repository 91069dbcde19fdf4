/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows or terms: the arguments of aclnnGroupedMatmul, V2 to V5. */
#include "api/op_group.h"

/* ---- the arguments ---- */

static const struct op_value *given_list(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (!value || !value->tensors) return NULL;
    for (uint64_t i = 0; i < value->tensors->size; i++)
        if (!op_is_empty(value->tensors->elements[i])) return value;
    return NULL;
}

static bool is_half(aclDataType type)
{
    return type == ACL_FLOAT16 || type == ACL_BF16;
}

/* The first version has no groupType. */
static int group_type(const struct op_problem *problem, const struct op_group *g)
{
    const struct op_value *type = op_argument_named(problem, "groupType");
    const bool is_apart = op_group_size(g->x) > 1 && op_group_size(g->y) > 1;
    const bool is_alone =
        op_group_size(g->x) == 1 && op_group_size(g->y) == 1 && op_group_size(g->weight) == 1;
    if (type) return (int)type->integer;
    return is_apart || is_alone ? OP_GROUP_NONE : OP_GROUP_ROWS;
}

/* The largest number where there are more: without columns nobody has counted them. */
int64_t op_group_rows(const struct op_value *list, uint64_t i)
{
    const struct ex_descriptor *d = op_group_tensor(list, i);
    int64_t rows = 1;
    for (int axis = 0; axis < d->rank - 1; axis++)
        if (__builtin_mul_overflow(rows, d->sizes[axis], &rows)) return INT64_MAX;
    return rows;
}

int64_t op_group_all_rows(const struct op_value *list)
{
    int64_t rows = 0;
    for (uint64_t i = 0; i < op_group_size(list); i++)
        if (__builtin_add_overflow(rows, op_group_rows(list, i), &rows)) return INT64_MAX;
    return rows;
}

static int64_t groups_of(const struct op_group *g)
{
    if (op_group_size(g->x) > 1) return (int64_t)op_group_size(g->x);
    if (op_group_size(g->weight) > 1) return (int64_t)op_group_size(g->weight);
    if (g->type == OP_GROUP_NONE || !g->list) return 1;
    if (!g->is_tensor) return (int64_t)g->list->ints->size;
    const struct ex_descriptor *list = &g->list->tensor->descriptor;
    return list->rank > 0 ? list->sizes[0] : 0;
}

struct op_group op_group_of(const struct op_problem *problem)
{
    const struct op_value *y = op_argument_named(problem, "y");
    struct op_group g = {
        .x = op_argument_named(problem, "x"),
        .weight = op_argument_named(problem, "weight"),
        .y = y ? y : op_argument_named(problem, "out"),
        .bias = given_list(problem, "biasOptional"),
        .token = given_list(problem, "perTokenScaleOptional"),
        .list = op_argument_named(problem, "groupListOptional"),
        .form = (enum k_group_form)op_integer_named(problem, "groupListType", 0),
    };
    const aclDataType x = op_group_type(g.x);
    g.kind = x == ACL_INT8                  ? K_GROUP_WHOLE
             : x == op_group_type(g.weight) ? K_GROUP_PLAIN
                                            : K_GROUP_WEIGHT;
    g.is_four = g.kind == K_GROUP_WHOLE && op_group_is_four((int32_t)op_group_type(g.weight));
    g.is_tensor = g.list->kind == OP_OPTIONAL;
    if (!g.list->pointer) g.list = NULL;
    g.scale =
        given_list(problem, g.kind == K_GROUP_WEIGHT ? "antiquantScaleOptional" : "scaleOptional");
    g.offset = given_list(problem,
                          g.kind == K_GROUP_WEIGHT ? "antiquantOffsetOptional" : "offsetOptional");
    g.type = group_type(problem, &g);
    g.is_joint = op_group_size(g.weight) == 1 && g.type == OP_GROUP_ROWS;
    g.groups = groups_of(&g);
    return g;
}

/* ---- types ---- */

/* The lists that must be there, of one type each. */
static aclnnStatus check_lists(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *list = &problem->values[i];
        if (!op_is_list(list) || !list->tensors) continue;
        const bool may_lack = list->kind == OP_OPTIONAL_INS || list->kind == OP_OPTIONAL_OUTS;
        OP_CHECK(name, may_lack || op_group_size(list) > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has no tensor", list->name);
        OP_CHECK(name, op_group_size(list) <= OP_GROUP_TENSORS, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " tensors; it may have at most %d", list->name,
                 op_group_size(list), (int)OP_GROUP_TENSORS);
        for (uint64_t j = 1; j < op_group_size(list); j++)
            OP_TRY(op_check_same_type(name, list->name, list->tensors->elements[j], list->name,
                                      list->tensors->elements[0]));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_absent(const struct op_problem *problem, const char *argument,
                                const char *why)
{
    OP_CHECK(problem->row->name, !given_list(problem, argument), ACLNN_ERR_PARAM_INVALID,
             "%s is given; %s", argument, why);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_list_type(const struct op_problem *problem, const struct op_value *list,
                                   uint64_t types, const char *names)
{
    return list ? op_check_type(problem->row->name, list->name, list->tensors->elements[0], types,
                                names)
                : ACLNN_SUCCESS;
}

static const uint64_t float_types = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);

/* x INT8, weight INT4: what stands for the 8 that are taken off x, and scales, must be there. */
static aclnnStatus check_fours(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    OP_CHECK(name, op_argument_named(problem, "perTokenScaleOptional"), ACLNN_ERR_PARAM_INVALID,
             "x's data type is INT8 and weight's %s; from V4 on it may be INT4",
             op_data_type_name(op_group_type(g->weight)));
    OP_CHECK(name, g->type == OP_GROUP_ROWS, ACLNN_ERR_PARAM_INVALID,
             "groupType is %d and weight INT4; only groups of rows (0) have products of INT8 and "
             "INT4",
             g->type);
    OP_CHECK(name, g->bias, ACLNN_ERR_PARAM_INVALID,
             "biasOptional is NULL or empty; products of INT8 and INT4 need it");
    OP_CHECK(name, g->scale, ACLNN_ERR_PARAM_INVALID,
             "scaleOptional is NULL or empty; products of INT8 and INT4 need it");
    OP_TRY(check_list_type(problem, g->y, OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16),
                           "FLOAT16, BF16 where x is INT8 and weight INT4"));
    OP_TRY(check_list_type(problem, g->bias, OP_TYPE(ACL_FLOAT), "FLOAT where weight is INT4"));
    OP_TRY(check_list_type(problem, g->scale, OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64),
                           "UINT64, INT64 where weight is INT4"));
    OP_TRY(check_list_type(problem, g->offset, OP_TYPE(ACL_FLOAT), "FLOAT"));
    return check_list_type(problem, g->token, OP_TYPE(ACL_FLOAT), "FLOAT");
}

static aclnnStatus check_whole(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const aclDataType y = op_group_type(g->y);
    OP_TRY(check_absent(problem, "offsetOptional", "products of INT8 have none"));
    OP_TRY(check_list_type(problem, g->y,
                           OP_TYPE(ACL_INT8) | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_FLOAT16) |
                               OP_TYPE(ACL_BF16),
                           "INT8, INT32, FLOAT16, BF16 where x is INT8"));
    OP_CHECK(name, g->scale || y == ACL_INT32, ACLNN_ERR_PARAM_INVALID,
             "scaleOptional is NULL or empty and the result's data type is %s; only INT32 needs no "
             "scale",
             op_data_type_name(y));
    OP_TRY(check_list_type(problem, g->scale,
                           OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_FLOAT) |
                               OP_TYPE(ACL_BF16),
                           "UINT64, INT64, FLOAT, BF16"));
    const bool is_packed =
        g->scale && (op_group_type(g->scale) == ACL_UINT64 || op_group_type(g->scale) == ACL_INT64);
    const bool is_free = is_half(y) && !is_packed;
    OP_CHECK(name, !g->token || is_free, ACLNN_ERR_PARAM_INVALID,
             "perTokenScaleOptional is given; the result's data type is %s and scaleOptional's "
             "%s; they must be FLOAT16 or BF16, and FLOAT or BF16",
             op_data_type_name(y), g->scale ? op_data_type_name(op_group_type(g->scale)) : "none");
    OP_TRY(check_list_type(problem, g->token, OP_TYPE(ACL_FLOAT), "FLOAT"));
    return check_list_type(problem, g->bias,
                           OP_TYPE(ACL_INT32) | (is_free ? float_types : UINT64_C(0)),
                           is_free ? "INT32, FLOAT, FLOAT16, BF16"
                                   : "INT32 (the result is not FLOAT16 or BF16, or the scale "
                                     "packed)");
}

static aclnnStatus check_kind(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const aclDataType x = op_group_type(g->x), weight = op_group_type(g->weight);
    const bool is_small = weight == ACL_INT8 || op_group_is_four((int32_t)weight);
    const bool fits = g->kind == K_GROUP_WHOLE   ? is_small
                      : g->kind == K_GROUP_PLAIN ? is_half(x) || x == ACL_FLOAT
                                                 : is_half(x) && is_small;
    OP_CHECK(name, fits, ACLNN_ERR_PARAM_INVALID,
             "x's data type is %s and weight's %s; both must be FLOAT, FLOAT16, BF16 or INT8, or x "
             "FLOAT16, BF16 or INT8 and weight INT8, INT4 or INT32 (eight INT4 in one)",
             op_data_type_name(x), op_data_type_name(weight));
    if (g->kind != K_GROUP_WEIGHT) {
        OP_TRY(check_absent(problem, "antiquantScaleOptional", "the weight has x's type"));
        OP_TRY(check_absent(problem, "antiquantOffsetOptional", "the weight has x's type"));
    }
    if (g->is_four) return check_fours(problem, g);
    if (g->kind == K_GROUP_WHOLE) return check_whole(problem, g);
    if (g->kind == K_GROUP_WEIGHT) {
        OP_CHECK(name, g->scale, ACLNN_ERR_PARAM_INVALID,
                 "antiquantScaleOptional is NULL or empty; a weight of type %s needs it",
                 op_data_type_name(weight));
        OP_TRY(op_check_same_type(name, g->scale->name, g->scale->tensors->elements[0], "x",
                                  g->x->tensors->elements[0]));
        if (g->offset)
            OP_TRY(op_check_same_type(name, g->offset->name, g->offset->tensors->elements[0], "x",
                                      g->x->tensors->elements[0]));
    }
    OP_TRY(check_absent(problem, "scaleOptional", "only products of INT8 have it"));
    OP_TRY(check_absent(problem, "offsetOptional", "results are not quantised again"));
    OP_TRY(check_absent(problem, "perTokenScaleOptional", "only products of INT8 have it"));
    OP_TRY(check_list_type(problem, g->bias, float_types, "FLOAT, FLOAT16, BF16"));
    return op_check_same_type(name, g->y->name, g->y->tensors->elements[0], "x",
                              g->x->tensors->elements[0]);
}

static aclnnStatus check_activation(const struct op_problem *problem, const struct op_group *g)
{
    static const char *const reserved[] = {
        "activationInputOptional", "activationQuantScaleOptional", "activationQuantOffsetOptional",
        "activationFeatureOutOptional", "dynQuantScaleOutOptional"};
    const int64_t type = op_integer_named(problem, "actType", 0);
    for (int i = 0; i < (int)RT_LENGTH(reserved); i++)
        OP_TRY(check_absent(problem, reserved[i], "it is not supported and must be NULL or empty"));
    OP_CHECK(problem->row->name, type >= 0 && type <= 5 && type != 3, ACLNN_ERR_PARAM_INVALID,
             "actType is %" PRId64 "; it must be 0 (none), 1 (ReLU), 2 (GELU by tanh), 4 (fast "
             "GELU) or 5 (SiLU)",
             type);
    OP_CHECK(problem->row->name,
             type == 0 || (g->kind == K_GROUP_WHOLE && !g->is_four && is_half(op_group_type(g->y))),
             ACLNN_ERR_PARAM_INVALID,
             "actType is %" PRId64 "; only products of INT8 with INT8 with results of FLOAT16 or "
             "BF16 have an activation",
             type);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *type = op_argument_named(problem, "groupType");
    const int64_t split = op_integer_named(problem, "splitItem", 0);
    const int64_t form = op_integer_named(problem, "groupListType", 0);
    OP_CHECK(name, !type || type->integer == -1 || type->integer == 0 || type->integer == 2,
             ACLNN_ERR_PARAM_INVALID,
             "groupType is %" PRId64 "; it must be -1 (no groups), 0 (of rows) or 2 (of terms)",
             type->integer);
    OP_CHECK(name, split >= 0 && split <= 3, ACLNN_ERR_PARAM_INVALID,
             "splitItem is %" PRId64 "; it must be between 0 and 3", split);
    OP_CHECK(name, form >= 0 && form <= 2, ACLNN_ERR_PARAM_INVALID,
             "groupListType is %" PRId64 "; it must be 0 (sums), 1 (counts) or 2 (pairs)", form);
    OP_CHECK(name, form != 2 || !type || type->integer == 0, ACLNN_ERR_PARAM_INVALID,
             "groupListType is 2 and groupType %" PRId64 "; pairs are of groups of rows (0)",
             type->integer);
    return ACLNN_SUCCESS;
}

static aclnnStatus group_types(struct op_problem *problem)
{
    OP_TRY(check_lists(problem));
    const struct op_group g = op_group_of(problem);
    OP_TRY(check_kind(problem, &g));
    OP_TRY(check_numbers(problem));
    OP_TRY(check_activation(problem, &g));
    if (g.list && g.is_tensor)
        OP_TRY(op_check_type(problem->row->name, g.list->name, g.list->tensor, OP_TYPE(ACL_INT64),
                             "INT64"));
    problem->type = problem->result = op_group_type(g.y);
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_group = {
    .types = group_types,
    .shapes = op_group_shapes,
    .runs_empty = true,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){op_group_plan},
};

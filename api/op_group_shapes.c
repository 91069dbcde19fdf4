/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows or terms: which lists, shapes and groups fit each other. */
#include "api/op_group.h"

static aclnnStatus check_ranks(const struct op_problem *problem, const struct op_value *list,
                               int least, int most)
{
    for (uint64_t i = 0; i < op_group_size(list); i++)
        OP_TRY(
            op_check_rank(problem->row->name, list->name, list->tensors->elements[i], least, most));
    return ACLNN_SUCCESS;
}

/* One size of a tensor, which another one says. */
static aclnnStatus check_size(const struct op_problem *problem, const struct op_value *list,
                              uint64_t i, int axis, int64_t wanted, const char *what)
{
    struct op_shape_text text;
    OP_CHECK(problem->row->name, op_group_tensor(list, i)->sizes[axis] == wanted,
             ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRIu64 "]'s shape is %s; dimension %d must be %" PRId64 ", %s", list->name, i,
             op_shape(&text, list->tensors->elements[i]), axis, wanted, what);
    return ACLNN_SUCCESS;
}

/* Weight i multiplies rows of x[j] into rows of y[l]. */
static aclnnStatus check_product(const struct op_problem *problem, const struct op_group *g,
                                 uint64_t i, uint64_t j, uint64_t l)
{
    struct op_shape_text text, other;
    const struct ex_descriptor *x = op_group_tensor(g->x, j),
                               *weight = op_group_tensor(g->weight, i);
    const struct ex_descriptor *y = op_group_tensor(g->y, l);
    const int64_t k = x->sizes[x->rank - 1];
    OP_CHECK(problem->row->name, weight->sizes[weight->rank - 2] == k, ACLNN_ERR_PARAM_INVALID,
             "x[%" PRIu64 "]'s shape is %s and weight[%" PRIu64 "]'s %s; x must have as many "
             "columns as the weight rows",
             j, op_shape(&text, g->x->tensors->elements[j]), i,
             op_shape(&other, g->weight->tensors->elements[i]));
    OP_CHECK(problem->row->name, k >= 1 || g->kind == K_GROUP_PLAIN, ACLNN_ERR_PARAM_INVALID,
             "x[%" PRIu64 "] has no columns; there must be at least 1", j);
    return check_size(problem, g->y, l, y->rank - 1, op_group_columns(weight),
                      "the weight's columns");
}

static aclnnStatus check_no_groups(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const uint64_t count = op_group_size(g->x);
    OP_CHECK(name, op_group_size(g->weight) == count && op_group_size(g->y) == count,
             ACLNN_ERR_PARAM_INVALID,
             "x has %" PRIu64 " tensors, weight %" PRIu64 " and %s %" PRIu64 "; without groups "
             "they must be as many",
             count, op_group_size(g->weight), g->y->name, op_group_size(g->y));
    OP_TRY(check_ranks(problem, g->x, 2, 6));
    OP_TRY(check_ranks(problem, g->weight, 2, 2));
    for (uint64_t i = 0; i < count; i++) {
        const struct ex_descriptor *x = op_group_tensor(g->x, i);
        OP_TRY(op_check_same_rank(name, g->y->name, g->y->tensors->elements[i], "x",
                                  g->x->tensors->elements[i]));
        for (int axis = 0; axis < x->rank - 1; axis++)
            OP_TRY(check_size(problem, g->y, i, axis, x->sizes[axis], "as x's"));
        OP_TRY(check_product(problem, g, i, i, i));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_rows(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const uint64_t xs = op_group_size(g->x), weights = op_group_size(g->weight),
                   ys = op_group_size(g->y);
    OP_CHECK(name, (xs == 1 || xs == weights) && (ys == 1 || ys == weights) && (xs == 1 || ys == 1),
             ACLNN_ERR_PARAM_INVALID,
             "x has %" PRIu64 " tensors, weight %" PRIu64 " and %s %" PRIu64 "; of groups of rows "
             "x or %s must have one, the other one or as many as weight",
             xs, weights, g->y->name, ys, g->y->name);
    OP_CHECK(name, ys == 1 || !g->is_tensor, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors, whose rows only a list of groups that is an array can "
             "tell; it must have one",
             g->y->name, ys);
    OP_TRY(check_ranks(problem, g->x, 2, 2));
    OP_TRY(check_ranks(problem, g->weight, g->is_joint ? 3 : 2, g->is_joint ? 3 : 2));
    OP_TRY(check_ranks(problem, g->y, 2, 2));
    for (uint64_t i = 0; i < weights; i++)
        OP_TRY(check_product(problem, g, i, xs == 1 ? 0 : i, ys == 1 ? 0 : i));
    const int64_t x = op_group_all_rows(g->x), y = op_group_all_rows(g->y);
    OP_CHECK(name, x == y, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows, x has %" PRId64 "; they must be as many", g->y->name, y, x);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_terms(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    OP_CHECK(name,
             op_group_size(g->x) == 1 && op_group_size(g->weight) == 1 && op_group_size(g->y) == 1,
             ACLNN_ERR_PARAM_INVALID,
             "x has %" PRIu64 " tensors, weight %" PRIu64 " and %s %" PRIu64 "; of groups of terms "
             "each must have one",
             op_group_size(g->x), op_group_size(g->weight), g->y->name, op_group_size(g->y));
    OP_CHECK(name, g->kind == K_GROUP_PLAIN, ACLNN_ERR_PARAM_INVALID,
             "groupType is 2 and weight's data type %s; groups of terms are of FLOAT, FLOAT16 and "
             "BF16",
             op_data_type_name(op_group_type(g->weight)));
    OP_CHECK(name, !g->bias, ACLNN_ERR_PARAM_INVALID,
             "biasOptional is given; groups of terms have none");
    OP_TRY(check_ranks(problem, g->x, 2, 2));
    OP_TRY(check_ranks(problem, g->weight, 2, 2));
    OP_TRY(check_ranks(problem, g->y, 3, 3));
    OP_TRY(check_size(problem, g->y, 0, 1, op_group_tensor(g->x, 0)->sizes[0], "x's rows"));
    OP_TRY(check_product(problem, g, 0, 0, 0));
    return check_size(problem, g->y, 0, 0, g->groups, "the number of groups");
}

/* An array of groups: ends, which the rows of lists say again. */
static aclnnStatus check_array(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const int64_t *ends = g->list->ints->values;
    const int64_t count = (int64_t)g->list->ints->size;
    const int64_t extent =
        g->type == OP_GROUP_TERMS ? op_group_tensor(g->x, 0)->sizes[1] : op_group_all_rows(g->x);
    const struct op_value *apart = op_group_size(g->x) > 1   ? g->x
                                   : op_group_size(g->y) > 1 ? g->y
                                                             : NULL;
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = i == 0 ? 0 : ends[i - 1];
        OP_CHECK(name, ends[i] >= begin, ACLNN_ERR_PARAM_INVALID,
                 "groupListOptional[%" PRId64 "] is %" PRId64 "; it must be at least %" PRId64
                 ", where the group begins",
                 i, ends[i], begin);
        const int64_t rows = apart ? op_group_rows(apart, (uint64_t)i) : 0;
        OP_CHECK(name, !apart || ends[i] - begin == rows, ACLNN_ERR_PARAM_INVALID,
                 "groupListOptional[%" PRId64 "] is %" PRId64 " after %" PRId64 "; %s[%" PRId64
                 "] has %" PRId64 " rows",
                 i, ends[i], begin, apart->name, i, rows);
    }
    OP_CHECK(name, ends[count - 1] == extent, ACLNN_ERR_PARAM_INVALID,
             "groupListOptional ends with %" PRId64 "; it must end with %" PRId64 ", all %s",
             ends[count - 1], extent, g->type == OP_GROUP_TERMS ? "terms" : "rows");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_group_list(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const bool is_known = g->type == OP_GROUP_NONE || op_group_size(g->x) > 1;
    OP_CHECK(name, g->list || is_known,
             g->is_tensor ? ACLNN_ERR_PARAM_INVALID : ACLNN_ERR_PARAM_NULLPTR,
             "groupListOptional is NULL; only lists of tensors x tell their groups themselves");
    if (!g->list) return ACLNN_SUCCESS;
    int64_t count = g->is_tensor ? 0 : (int64_t)g->list->ints->size;
    if (g->is_tensor) {
        const int64_t pair = 2;
        const int rank = g->form == K_GROUP_PAIRS ? 2 : 1;
        struct op_shape_text text;
        OP_TRY(op_check_rank(name, g->list->name, g->list->tensor, rank, rank));
        const int64_t *sizes = g->list->tensor->descriptor.sizes;
        OP_CHECK(name, rank == 1 || sizes[1] == pair, ACLNN_ERR_PARAM_INVALID,
                 "groupListOptional's shape is %s; pairs need (groups, 2)",
                 op_shape(&text, g->list->tensor));
        count = sizes[0];
    }
    const int64_t most = g->is_tensor ? OP_GROUP_MOST : OP_GROUP_TENSORS;
    OP_CHECK(name, count >= 1 && count <= most, ACLNN_ERR_PARAM_INVALID,
             "groupListOptional has %" PRId64 " groups; it must have from 1 to %" PRId64, count,
             most);
    const int64_t wanted = is_known                   ? (int64_t)op_group_size(g->x)
                           : g->type != OP_GROUP_ROWS ? count
                           : g->is_joint              ? op_group_tensor(g->weight, 0)->sizes[0]
                                                      : (int64_t)op_group_size(g->weight);
    OP_CHECK(name, count == wanted || (g->form == K_GROUP_PAIRS && !is_known),
             ACLNN_ERR_PARAM_INVALID,
             "groupListOptional has %" PRId64 " groups; there are %" PRId64 " %s", count, wanted,
             is_known ? "tensors x" : "weights");
    return g->is_tensor ? ACLNN_SUCCESS : check_array(problem, g);
}

/* How many weights there are. */
static int64_t weights_of(const struct op_group *g)
{
    return g->is_joint ? op_group_tensor(g->weight, 0)->sizes[0]
                       : (int64_t)op_group_size(g->weight);
}

/* A row of numbers for each weight; has_parts: or several rows, of equal parts of the terms. */
static aclnnStatus check_factors(const struct op_problem *problem, const struct op_group *g,
                                 const struct op_value *list, bool has_parts)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    if (!list) return ACLNN_SUCCESS;
    OP_CHECK(name, op_group_size(list) == op_group_size(g->weight), ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors, weight %" PRIu64 "; they must be as many", list->name,
             op_group_size(list), op_group_size(g->weight));
    for (uint64_t i = 0; i < op_group_size(list); i++) {
        const struct ex_descriptor *d = op_group_tensor(list, i);
        const struct ex_descriptor *weight = op_group_tensor(g->weight, i);
        const int64_t k = weight->sizes[weight->rank - 2], n = op_group_columns(weight);
        const bool in_parts = has_parts && d->rank == 2 + g->is_joint;
        const int64_t parts = in_parts ? d->sizes[d->rank - 2] : 1;
        bool fits = (d->rank == 1 + g->is_joint || in_parts) && d->sizes[d->rank - 1] == n;
        fits = fits && (!g->is_joint || d->sizes[0] == weights_of(g));
        OP_CHECK(name, fits, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "]'s shape is %s; it must be (%s%" PRId64
                 ")%s, the weight's columns",
                 list->name, i, op_shape(&text, list->tensors->elements[i]),
                 g->is_joint ? "weights, " : "", n,
                 has_parts ? ", or have a dimension of groups of terms before the last" : "");
        OP_CHECK(name,
                 parts > 0 && k % parts == 0 && (parts == 1 || k / parts % K_QUANT_GROUP == 0),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] has %" PRId64 " groups of terms; the %" PRId64
                 " terms must be a multiple of them, each group a multiple of %d",
                 list->name, i, parts, k, (int)K_QUANT_GROUP);
    }
    return ACLNN_SUCCESS;
}

/* Offsets of products of INT8 and INT4 go with one row of scales. */
static aclnnStatus check_one_part(const struct op_problem *problem, const struct op_group *g)
{
    for (uint64_t i = 0; g->is_four && g->offset && i < op_group_size(g->offset); i++) {
        const struct ex_descriptor *d = op_group_tensor(g->offset, i);
        const int64_t parts = d->rank == 2 + g->is_joint ? d->sizes[d->rank - 2] : 1;
        OP_CHECK(problem->row->name, parts == 1, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] has %" PRId64
                 " groups of terms; where x is INT8 and weight INT4 there may be one",
                 g->offset->name, i, parts);
    }
    return ACLNN_SUCCESS;
}

static bool is_single(int64_t size, int64_t stride)
{
    return size <= 1 || stride == 1;
}

static bool is_even(int64_t size, int64_t stride)
{
    return size <= 1 || stride % 2 == 0;
}

/* INT4: one of the last two strides is 1, and each weight begins at a whole byte; eight of them in
 * an INT32 lie along the last axis. */
static aclnnStatus check_fours(const struct op_problem *problem, const struct op_group *g)
{
    const char *name = problem->row->name;
    const aclDataType type = op_group_type(g->weight);
    for (uint64_t i = 0; op_group_is_four((int32_t)type) && i < op_group_size(g->weight); i++) {
        const struct ex_descriptor *d = op_group_tensor(g->weight, i);
        const int last = d->rank - 1;
        const bool by_columns = is_single(d->sizes[last], d->strides[last]);
        const bool by_rows = is_single(d->sizes[last - 1], d->strides[last - 1]);
        OP_CHECK(name, by_columns || (by_rows && type == ACL_INT4), ACLNN_ERR_PARAM_INVALID,
                 "weight[%" PRIu64 "] holds INT4 and has strides %" PRId64 " and %" PRId64
                 "; %s must be 1",
                 i, d->strides[last - 1], d->strides[last],
                 type == ACL_INT4 ? "one of them" : "the last one");
        OP_CHECK(name, type != ACL_INT4 || d->offset % 2 == 0, ACLNN_ERR_PARAM_INVALID,
                 "weight[%" PRIu64 "] is of type INT4 and begins at element %" PRId64
                 "; it must be an even one",
                 i, d->offset);
        OP_CHECK(name,
                 type != ACL_INT4 || d->rank == 2 || d->sizes[0] == 1 || d->strides[0] % 2 == 0,
                 ACLNN_ERR_PARAM_INVALID,
                 "weight[%" PRIu64 "] is of type INT4 and its matrices are %" PRId64
                 " elements apart; that must be even",
                 i, d->strides[0]);
        OP_CHECK(name,
                 !g->is_four || (by_columns && (type == ACL_INT32 ||
                                                is_even(d->sizes[last - 1], d->strides[last - 1]))),
                 ACLNN_ERR_PARAM_INVALID,
                 "weight[%" PRIu64 "] holds INT4 and has strides %" PRId64 " and %" PRId64
                 "; where x is INT8 the last one must be 1 and the other even",
                 i, d->strides[last - 1], d->strides[last]);
        OP_CHECK(name, !g->is_four || op_group_columns(d) % 2 == 0, ACLNN_ERR_PARAM_INVALID,
                 "weight[%" PRIu64 "] has %" PRId64
                 " columns of INT4; where x is INT8 they must be even",
                 i, op_group_columns(d));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_token(const struct op_problem *problem, const struct op_group *g)
{
    const struct op_value *token = g->token;
    if (!token) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name,
             op_group_size(token) == 1 && op_group_size(g->x) == 1 && op_group_size(g->y) == 1,
             ACLNN_ERR_PARAM_INVALID,
             "perTokenScaleOptional has %" PRIu64 " tensors, x %" PRIu64 " and %s %" PRIu64
             "; each must have one",
             op_group_size(token), op_group_size(g->x), g->y->name, op_group_size(g->y));
    const int64_t rows = op_group_all_rows(g->x);
    return op_check_shape(problem, token, token->tensors->elements[0], 1, &rows);
}

/* Which sides are one tensor. */
static aclnnStatus check_split(const struct op_problem *problem, const struct op_group *g)
{
    const int64_t split = op_integer_named(problem, "splitItem", 0);
    const bool is_one = g->type != OP_GROUP_NONE && op_group_size(g->y) == 1;
    OP_CHECK(problem->row->name, (split >= 2) == is_one, ACLNN_ERR_PARAM_INVALID,
             "splitItem is %" PRId64 "; it must be %s, as %s %s", split,
             is_one ? "2 or 3" : "0 or 1", g->y->name,
             is_one ? "is one tensor for all groups" : "has a tensor for each group");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_tuning(const struct op_problem *problem, const struct op_group *g)
{
    const struct op_value *tuning = op_argument_named(problem, "tuningConfigOptional");
    if (!tuning || !tuning->ints || tuning->ints->size == 0) return ACLNN_SUCCESS;
    const int64_t rows = tuning->ints->values[0], most = op_group_all_rows(g->x);
    OP_CHECK(problem->row->name, rows >= 0 && rows <= most, ACLNN_ERR_PARAM_INVALID,
             "tuningConfigOptional[0] is %" PRId64 "; it must be between 0 and %" PRId64
             ", x's rows",
             rows, most);
    return ACLNN_SUCCESS;
}

/* The terms of a part, told once more. */
static aclnnStatus check_part_size(const struct op_problem *problem, const struct op_group *g)
{
    const int64_t size = op_integer_named(problem, "quantGroupSize", 0);
    const struct ex_descriptor *weight = op_group_tensor(g->weight, 0);
    const int64_t terms = weight->sizes[weight->rank - 2];
    if (size == 0) return ACLNN_SUCCESS;
    const bool has_parts = (g->kind == K_GROUP_WEIGHT || g->is_four) && g->scale;
    const struct ex_descriptor *d = has_parts ? op_group_tensor(g->scale, 0) : NULL;
    const int64_t parts = d && d->rank == 2 + g->is_joint ? d->sizes[d->rank - 2] : 1;
    OP_CHECK(problem->row->name, size == terms / parts, ACLNN_ERR_PARAM_INVALID,
             "quantGroupSize is %" PRId64 "; it must be 0 or %" PRId64 ", the terms of a part",
             size, terms / parts);
    return ACLNN_SUCCESS;
}

aclnnStatus op_group_shapes(struct op_problem *problem)
{
    const struct op_group g = op_group_of(problem);
    OP_TRY(check_split(problem, &g));
    if (g.type == OP_GROUP_NONE)
        OP_TRY(check_no_groups(problem, &g));
    else if (g.type == OP_GROUP_ROWS)
        OP_TRY(check_rows(problem, &g));
    else
        OP_TRY(check_terms(problem, &g));
    OP_TRY(check_group_list(problem, &g));
    OP_TRY(check_factors(problem, &g, g.bias, false));
    OP_TRY(check_factors(problem, &g, g.scale, g.kind == K_GROUP_WEIGHT || g.is_four));
    OP_TRY(check_factors(problem, &g, g.offset, true));
    OP_TRY(check_one_part(problem, &g));
    for (uint64_t i = 0; g.offset && i < op_group_size(g.offset); i++)
        OP_TRY(op_check_same_shape(problem->row->name, g.offset->name,
                                   g.offset->tensors->elements[i], g.scale->name,
                                   g.scale->tensors->elements[i]));
    OP_TRY(check_token(problem, &g));
    OP_TRY(check_fours(problem, &g));
    OP_TRY(check_part_size(problem, &g));
    return check_tuning(problem, &g);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions of lists: for each place i of the lists, the operator on their tensors i,
 * one step each. Scalars of a list go with the tensors at their place; everything else serves all.
 */
#include <string.h>

#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"

extern const struct op_rule op_rule_reduce, op_rule_each_by_place;

static uint64_t length_of(const struct op_value *value)
{
    return value->kind == OP_SCALARS ? value->scalars->size : value->tensors->size;
}

static bool has_places(const struct op_value *value)
{
    return op_is_list(value) || value->kind == OP_SCALARS;
}

static const struct op_value *first_list(const struct op_problem *problem)
{
    int i = 0;
    while (!has_places(&problem->values[i]))
        i++;
    return &problem->values[i];
}

/* The problem at one place of the lists. */
struct place {
    struct op_row row;
    struct op_value values[OP_ROW_ARGUMENTS];
    struct op_problem problem;
};

static void go_to(struct place *place, const struct op_problem *problem, uint64_t i)
{
    place->row = *problem->row;
    place->row.rule = problem->row->rule->base;
    place->problem = (struct op_problem){
        .row = &place->row, .values = place->values, .count = problem->count, .place = (int64_t)i};
    for (int j = 0; j < problem->count; j++) {
        const struct op_value *value = &problem->values[j];
        struct op_value *one = &place->values[j];
        *one = *value;
        if (value->kind == OP_SCALARS) {
            one->kind = OP_SCALAR;
            one->scalar = value->scalars->elements[i];
        } else if (op_is_list(value)) {
            one->kind = value->kind == OP_INS ? OP_IN : value->kind == OP_OUTS ? OP_OUT : OP_REF;
            one->tensor = value->tensors->elements[i];
        }
        if (op_is_tensor(one) && one->tensor)
            place->problem.tensor[place->problem.tensor_count++] = one;
    }
}

/* The lists' tensors at a place have one shape; another tensor has one element, or one for each
 * place. */
static aclnnStatus find_shape(struct place *place, const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const bool is_by_place = problem->row->rule == &op_rule_each_by_place;
    const int64_t elements = is_by_place ? (int64_t)length_of(first_list(problem)) : 1;
    const struct op_value *first = NULL;
    struct op_shape_text text, other;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *one = &place->values[i];
        int64_t count;
        if (!op_is_tensor(one) || !one->tensor) continue;
        if (!op_is_list(&problem->values[i])) {
            const struct ex_descriptor *d = &one->tensor->descriptor;
            OP_CHECK(name, ex_element_count(d->sizes, d->rank, &count) && count == elements,
                     ACLNN_ERR_PARAM_INVALID,
                     "%s's shape is %s; it must have as many elements as %" PRId64, one->name,
                     op_shape(&text, one->tensor), elements);
        } else if (!first) {
            first = one;
        } else {
            OP_CHECK(name, op_same_shape(one->tensor, first->tensor), ACLNN_ERR_PARAM_INVALID,
                     "%s[%" PRId64 "] has shape %s; it must be %s's there, which is %s", one->name,
                     place->problem.place, op_shape(&text, one->tensor), first->name,
                     op_shape(&other, first->tensor));
        }
    }
    const struct ex_descriptor *d = &first->tensor->descriptor;
    place->problem.rank = d->rank;
    memcpy(place->problem.sizes, d->sizes, (size_t)d->rank * sizeof *d->sizes);
    return ACLNN_SUCCESS;
}

static aclnnStatus each_types(struct op_problem *problem)
{
    const struct op_value *first = first_list(problem);
    struct place place;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (!has_places(value)) continue;
        OP_CHECK(problem->row->name, length_of(value) == length_of(first), ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " elements; it must have as many as %s, %" PRIu64, value->name,
                 length_of(value), first->name, length_of(first));
        for (uint64_t j = 0; value->kind == OP_SCALARS && j < value->scalars->size; j++)
            OP_CHECK(problem->row->name, value->scalars->elements[j], ACLNN_ERR_PARAM_NULLPTR,
                     "%s[%" PRIu64 "] is NULL", value->name, j);
    }
    /* What the rule of each place asks of it is asked of none where there are no places. */
    for (int i = 0; i < problem->count && length_of(first) == 0; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_tensor(value) && !op_is_list(value) && value->tensor)
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor,
                                 problem->row->types, problem->row->type_names));
    }
    for (uint64_t i = 0; i < length_of(first); i++) {
        go_to(&place, problem, i);
        OP_TRY(place.row.rule->types(&place.problem));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus each_shapes(struct op_problem *problem)
{
    const uint64_t length = length_of(first_list(problem));
    struct place place;
    for (uint64_t i = 0; i < length; i++) {
        go_to(&place, problem, i);
        OP_TRY(find_shape(&place, problem));
    }
    return ACLNN_SUCCESS;
}

/* The sum's or difference's second operand counts once. */
static void alpha_is_one(const struct op_problem *problem, struct k_elementwise *e)
{
    const int constants = __builtin_popcount(e->constants);
    (void)problem;
    e->reals[constants] = 1;
    e->integers[constants] = 1;
}

/* x1 + alpha x2 is x1 + 1 x2 alpha, and so the difference with -1. */
static void minus_one(const struct op_problem *problem, struct k_elementwise *e)
{
    alpha_is_one(problem, e);
    const int constants = __builtin_popcount(e->constants);
    e->reals[constants] = -1;
    e->integers[constants] = -1;
}

static void all_zero(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->loop.operands = 0;
    e->constants = 1;
    e->reals[0] = 0;
    e->integers[0] = 0;
}

/* The last operand is the tensor `scalars`, of which this place has its own element. */
static void one_element(const struct op_problem *problem, struct k_elementwise *e)
{
    struct k_loop_operand *operand = &e->loop.operand[e->loop.results + e->loop.operands - 1];
    const struct ex_descriptor *d = &op_tensor_named(problem, "scalars")->descriptor;
    int64_t rest = problem->place;
    operand->offset = 0;
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        operand->offset += rest % d->sizes[axis] * d->strides[axis];
        rest /= d->sizes[axis];
    }
    memset(operand->strides, 0, sizeof operand->strides);
}

/* The rules of one place; find_shape has the shapes. */
static const struct op_rule promoted = {.types = op_types_promoted};
static const struct op_rule real = {.types = op_types_real};
static const struct op_rule without_alpha = {.types = op_types_promoted,
                                             .more = &(const struct op_elementwise){alpha_is_one}};
static const struct op_rule minus_alpha = {.types = op_types_promoted,
                                           .more = &(const struct op_elementwise){minus_one}};
static const struct op_rule by_place = {.types = op_types_promoted,
                                        .more = &(const struct op_elementwise){one_element}};
static const struct op_rule zero = {.types = op_types_promoted,
                                    .more = &(const struct op_elementwise){all_zero}};

const struct op_rule op_rule_each = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &promoted};
const struct op_rule op_rule_each_real = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &real};
const struct op_rule op_rule_each_sum = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &without_alpha};
const struct op_rule op_rule_each_difference = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &minus_alpha};
const struct op_rule op_rule_each_by_place = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &by_place};
const struct op_rule op_rule_each_zero = {
    .types = each_types, .shapes = each_shapes, .runs_empty = true, .base = &zero};

/* Reductions: the shapes at a place are the rule's to check. */
static aclnnStatus reduce_shapes(struct op_problem *problem)
{
    const uint64_t length = length_of(first_list(problem));
    struct place place;
    for (uint64_t i = 0; i < length; i++) {
        go_to(&place, problem, i);
        OP_TRY(place.row.rule->types(&place.problem));
        OP_TRY(place.row.rule->shapes(&place.problem));
    }
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_each_reduce = {
    .types = each_types, .shapes = reduce_shapes, .runs_empty = true, .base = &op_rule_reduce};

void op_plan_each_reduce(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const uint64_t length = length_of(first_list(problem));
    struct place place;
    int own[OP_ROW_ARGUMENTS];
    for (uint64_t i = 0; i < length; i++) {
        go_to(&place, problem, i);
        if (place.row.rule->types(&place.problem) != ACLNN_SUCCESS ||
            place.row.rule->shapes(&place.problem) != ACLNN_SUCCESS)
            return;
        for (int j = 0; j < problem->count; j++)
            own[j] = op_is_list(&problem->values[j]) ? buffers[j] + (int)i : buffers[j];
        op_plan_reduce(plan, &place.problem, own);
    }
}

void op_plan_foreach(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const uint64_t length = length_of(first_list(problem));
    struct place place;
    int own[OP_ROW_ARGUMENTS];
    for (uint64_t i = 0; i < length; i++) {
        bool is_empty = false;
        go_to(&place, problem, i);
        /* Checked before: they cannot fail now, and find what the plan needs. */
        if (place.row.rule->types(&place.problem) != ACLNN_SUCCESS ||
            find_shape(&place, problem) != ACLNN_SUCCESS)
            return;
        for (int j = 0; j < problem->count; j++)
            own[j] = op_is_list(&problem->values[j]) ? buffers[j] + (int)i : buffers[j];
        for (int j = 0; j < place.problem.tensor_count; j++)
            is_empty |= op_is_empty(place.problem.tensor[j]->tensor);
        if (!is_empty) op_plan_elementwise(plan, &place.problem, own);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, casts and fills. */
#include "api/op_copy.h"

#include <string.h>

#include "api/op_complex.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "kernels/copy/k_copy.h"

/* ---- views ---- */

struct op_view op_view_of(const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    struct op_view view = {.type = (aclDataType)d->data_type, .rank = d->rank};
    const bool is_empty = op_is_empty(tensor);
    for (int i = 0; i < d->rank; i++) {
        view.sizes[i] = d->sizes[i];
        view.strides[i] = is_empty || d->sizes[i] == 1 ? 0 : d->strides[i];
    }
    return view;
}

struct op_view op_view_dense(aclDataType type, int rank, const int64_t *sizes)
{
    struct op_view view = {.type = type, .rank = rank};
    int64_t dense = 1;
    for (int i = rank - 1; i >= 0; i--) {
        view.sizes[i] = sizes[i];
        view.strides[i] = dense;
        dense *= sizes[i];
    }
    return view;
}

struct op_view op_view_broadcast(const struct op_view *view, int rank, const int64_t *sizes)
{
    struct op_view wide = {.type = view->type, .rank = rank, .offset = view->offset};
    for (int i = 0; i < rank; i++) {
        const int axis = i - (rank - view->rank);
        wide.sizes[i] = sizes[i];
        wide.strides[i] = axis < 0 || view->sizes[axis] == 1 ? 0 : view->strides[axis];
    }
    return wide;
}

bool op_find_axis(int64_t axis, int rank, int *found)
{
    const int axes = rank > 0 ? rank : 1;
    if (axis < -axes || axis >= axes) return false;
    *found = (int)(axis < 0 ? axis + axes : axis);
    return true;
}

/* ---- a step ---- */

static void copy_raw(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                     const struct op_view *to_view)
{
    struct k_copy copy = {.rank = to_view->rank,
                          .element_size = (int)ex_element_size(to_view->type),
                          .from_offset = from_view->offset,
                          .to_offset = to_view->offset};
    for (int i = 0; i < copy.rank; i++) {
        copy.sizes[i] = to_view->sizes[i];
        copy.from_strides[i] = from_view->strides[i];
        copy.to_strides[i] = to_view->strides[i];
    }
    k_copy_simplify(&copy);
    ex_step_way(plan, "copy", K_CHOICE_copy_strided, K_F32, &copy, sizeof copy,
                EX_BUFFERS(from, to), NULL);
}

static void lay_out(const struct op_view *view, struct k_loop_operand *operand)
{
    operand->dtype = operand->via = op_k_dtype_of(view->type);
    operand->offset = view->offset;
    for (int i = 0; i < view->rank; i++)
        operand->strides[i] = view->strides[i];
}

static void copy_cast(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                      const struct op_view *to_view)
{
    struct k_elementwise e = {.core = K_CORE_copy,
                              .loop = {.results = 1,
                                       .operands = 1,
                                       .rank = to_view->rank,
                                       .compute = k_compute_of(op_k_dtype_of(from_view->type))}};
    for (int i = 0; i < to_view->rank; i++)
        e.loop.sizes[i] = to_view->sizes[i];
    lay_out(to_view, &e.loop.operand[0]);
    lay_out(from_view, &e.loop.operand[1]);
    const struct k_work work = k_elementwise_finish(&e);
    ex_step(plan, "elementwise", k_best()->elementwise, &e, sizeof e, work, EX_BUFFERS(to, from));
}

void op_copy_step(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                  const struct op_view *to_view)
{
    if (from < 0 || to < 0) return;
    for (int i = 0; i < to_view->rank; i++)
        if (to_view->sizes[i] == 0) return;
    if (from_view->type == to_view->type)
        copy_raw(plan, from, from_view, to, to_view);
    else if (op_is_complex(from_view->type) || op_is_complex(to_view->type))
        op_complex_cast(plan, from, from_view, to, to_view);
    else
        copy_cast(plan, from, from_view, to, to_view);
}

/* ---- rules ---- */

/* Each of the row's types as each other, but no complex one as BOOL. */
static aclnnStatus any_types(struct op_problem *problem)
{
    const struct op_value *first = problem->tensor[0], *source = first, *target = first;
    for (int i = 0; i < problem->tensor_count; i++) {
        OP_TRY(op_check_type(problem->row->name, problem->tensor[i]->name,
                             problem->tensor[i]->tensor, problem->row->types,
                             problem->row->type_names));
        if (op_is_written(problem->tensor[i]))
            target = problem->tensor[i];
        else
            source = problem->tensor[i];
    }
    const aclDataType from = (aclDataType)source->tensor->descriptor.data_type;
    OP_CHECK(problem->row->name,
             !op_is_complex(from) || target->tensor->descriptor.data_type != ACL_BOOL,
             ACLNN_ERR_PARAM_INVALID, "%s has data type %s, which cannot be cast to %s's, BOOL",
             source->name, op_data_type_name(from), target->name);
    problem->type = problem->result = (aclDataType)first->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus cast_types(struct op_problem *problem)
{
    const struct op_value *dtype = &problem->values[1], *out = &problem->values[2];
    OP_TRY(any_types(problem));
    OP_CHECK(problem->row->name, out->tensor->descriptor.data_type == dtype->integer,
             ACLNN_ERR_PARAM_INVALID, "out's data type is %s; dtype asks for %s",
             op_data_type_name((aclDataType)out->tensor->descriptor.data_type),
             op_data_type_name((aclDataType)dtype->integer));
    return ACLNN_SUCCESS;
}

/* One tensor alone. */
static aclnnStatus own_shape(struct op_problem *problem)
{
    const struct ex_descriptor *d = &problem->tensor[0]->tensor->descriptor;
    problem->rank = d->rank;
    memcpy(problem->sizes, d->sizes, (size_t)d->rank * sizeof *d->sizes);
    return ACLNN_SUCCESS;
}

/* The second tensor broadcasts to the first one's shape. */
static aclnnStatus shape_of_first(struct op_problem *problem)
{
    const struct op_value *to = problem->tensor[0], *from = problem->tensor[1];
    const struct ex_descriptor *d = &from->tensor->descriptor;
    struct op_shape_text text, wanted;
    OP_TRY(own_shape(problem));
    bool fits = d->rank <= problem->rank;
    for (int i = 1; fits && i <= d->rank; i++)
        fits = d->sizes[d->rank - i] == 1 ||
               d->sizes[d->rank - i] == problem->sizes[problem->rank - i];
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it does not broadcast to %s's, %s", from->name,
             op_shape(&text, from->tensor), to->name, op_shape(&wanted, to->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus one_value(struct op_problem *problem)
{
    const struct op_value *value = problem->tensor[1];
    const struct ex_descriptor *d = &value->tensor->descriptor;
    struct op_shape_text text;
    OP_CHECK(problem->row->name, d->rank == 0 || (d->rank == 1 && d->sizes[0] == 1),
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must have one element", value->name,
             op_shape(&text, value->tensor));
    return own_shape(problem);
}

static void fill_zero(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->constants = 1;
    e->reals[0] = 0;
    e->integers[0] = 0;
}

static void fill_one(const struct op_problem *problem, struct k_elementwise *e)
{
    (void)problem;
    e->constants = 1;
    e->reals[0] = 1;
    e->integers[0] = 1;
}

const struct op_rule op_rule_copy = {.types = any_types, .shapes = shape_of_first};
const struct op_rule op_rule_move = {.types = op_types_same, .shapes = op_check_one_shape};
const struct op_rule op_rule_cast = {.types = cast_types, .shapes = op_check_one_shape};
const struct op_rule op_rule_fill = {.types = any_types, .shapes = own_shape};
const struct op_rule op_rule_fill_tensor = {.types = any_types, .shapes = one_value};
const struct op_rule op_rule_fill_zero = {
    .types = any_types, .shapes = own_shape, .more = &(const struct op_elementwise){fill_zero}};
const struct op_rule op_rule_fill_one = {
    .types = any_types, .shapes = own_shape, .more = &(const struct op_elementwise){fill_one}};

/* ---- plan ---- */

/* Every row of this family reads one tensor and writes one. */
void op_plan_copy(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    int from = -1, to = -1;
    for (int i = 0; i < problem->count; i++) {
        if (op_is_read(&problem->values[i])) from = i;
        if (op_is_written(&problem->values[i])) to = i;
    }
    const aclTensor *source = problem->values[from].tensor, *target = problem->values[to].tensor;
    const struct op_view target_view = op_view_of(target), own = op_view_of(source);
    struct op_view view = op_view_broadcast(&own, problem->rank, problem->sizes);
    const bool in_steps = view.type != target_view.type &&
                          (op_is_complex(view.type) || op_is_complex(target_view.type));
    const bool disturbs = in_steps ? op_meets(&target->descriptor, &source->descriptor)
                                   : op_disturbs(&target->descriptor, &source->descriptor);
    if (!disturbs) {
        op_copy_step(plan, buffers[from], &view, buffers[to], &target_view);
        return;
    }
    const struct op_view dense = op_view_dense(view.type, problem->rank, problem->sizes);
    const int64_t elements = op_element_count(problem->rank, problem->sizes);
    const int scratch = ex_scratch(plan, (size_t)elements * ex_element_size((int32_t)view.type));
    op_copy_step(plan, buffers[from], &view, scratch, &dense);
    op_copy_step(plan, scratch, &dense, buffers[to], &target_view);
}

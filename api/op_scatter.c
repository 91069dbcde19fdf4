/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write elements at places that indices name. */
#include "api/op_scatter.h"

#include <math.h>

#include "api/op_complex.h"
#include "api/op_elementwise.h"
#include "runtime/support/base.h"

enum { MAXIMUM = 3, MINIMUM, MEAN }; /* reduce */

/* ---- the table ---- */

int op_written_argument(const struct op_problem *problem)
{
    for (int i = 0; i < problem->count; i++)
        if (op_is_written(&problem->values[i])) return i;
    return -1;
}

static bool is_half(aclDataType type)
{
    return type == ACL_FLOAT16 || type == ACL_BF16;
}

/* A scalar as one element, whose strides are 0 in any shape. */
static struct op_place scalar_place(const struct op_shape_call *call, const aclScalar *scalar,
                                    aclDataType type)
{
    const struct op_place place = op_scratch_place(call->plan, type, 0, NULL);
    op_fill_scalar(call->plan, &place, scalar);
    return place;
}

/* A dense copy as that type. */
static struct op_place copy_of(const struct op_shape_call *call, const struct op_place *own,
                               aclDataType type)
{
    const struct op_place copy =
        op_scratch_place(call->plan, type, own->view.rank, own->view.sizes);
    op_copy_place(call->plan, own, &copy);
    return copy;
}

static struct op_place values_of(const struct op_shape_call *call, int argument, aclDataType type)
{
    const struct op_value *value = &call->problem->values[argument];
    if (op_is_scalar(value)) return scalar_place(call, value->scalar, type);
    const struct op_place own = op_source(call, argument, 0);
    return own.view.type == type ? own : copy_of(call, &own, type);
}

struct op_table op_table_of(const struct op_shape_call *call,
                            const struct op_table_request *request)
{
    const struct op_problem *problem = call->problem;
    const bool is_wide = request->combine != K_SET && is_half(problem->type);
    const aclDataType type = is_wide ? ACL_FLOAT : problem->type;
    struct op_table table = {.target = op_written_argument(problem)};
    if (request->values >= 0) table.values = values_of(call, request->values, type);
    table.place = op_target(call, table.target, 0);
    if (op_view_is_empty(&table.place.view)) return table;
    if (is_wide || (request->is_dense && !op_view_is_dense(&table.place.view)))
        table.place =
            op_scratch_place(call->plan, type, table.place.view.rank, table.place.view.sizes);
    if (request->is_zero) {
        op_fill_place(call->plan, &table.place, 0, 0);
        return table;
    }
    struct op_place before = op_target(call, request->before, 0);
    if (request->before != table.target) {
        const aclTensor *target = problem->values[table.target].tensor;
        const aclTensor *tensor = problem->values[request->before].tensor;
        if (op_disturbs(&target->descriptor, &tensor->descriptor))
            before = op_source(call, request->before, 0);
    }
    if (before.buffer != table.place.buffer) op_copy_place(call->plan, &before, &table.place);
    return table;
}

void op_table_deliver(const struct op_shape_call *call, const struct op_table *table)
{
    const struct op_place target = op_target(call, table->target, 0);
    if (table->place.buffer != target.buffer) op_copy_place(call->plan, &table->place, &target);
}

static void lay_out(const struct op_view *view, struct k_loop_operand *operand)
{
    operand->dtype = operand->via = op_k_dtype_of(view->type);
    operand->offset = view->offset;
    for (int i = 0; i < view->rank; i++)
        operand->strides[i] = view->sizes[i] == 1 ? 0 : view->strides[i];
}

void op_combine_places(struct ex_plan *plan, enum k_core core, const struct op_place *result,
                       const struct op_place *a, const struct op_place *b, const aclScalar *number)
{
    if (op_view_is_empty(&result->view)) return;
    const int operands = b ? 2 : 1;
    const int buffers[] = {result->buffer, a->buffer, b ? b->buffer : -1};
    struct k_elementwise e = {
        .core = core,
        .reals = {1}, /* how often a sum counts its second operand */
        .integers = {1},
        .loop = {.results = 1,
                 .operands = operands,
                 .rank = result->view.rank,
                 .compute = k_compute_of(op_k_dtype_of(b ? b->view.type : a->view.type))}};
    for (int i = 0; i < result->view.rank; i++)
        e.loop.sizes[i] = result->view.sizes[i];
    lay_out(&result->view, &e.loop.operand[0]);
    lay_out(&a->view, &e.loop.operand[1]);
    if (b) lay_out(&b->view, &e.loop.operand[2]);
    if (!b) {
        e.constants = 2;
        e.reals[0] = op_scalar_real(number);
        e.integers[0] = op_scalar_integer(number);
    }
    const struct k_work work = k_elementwise_finish(&e);
    ex_step(plan, "elementwise", k_best()->elementwise, &e, sizeof e, work, buffers, operands + 1);
}

/* ---- scatter: index is of the values' shape ---- */

/* The tensor that is written before it is. */
static const struct op_value *before(const struct op_problem *problem)
{
    const int self = op_place_of(problem, "self");
    return &problem->values[self >= 0 ? self : op_written_argument(problem)];
}

static aclnnStatus check_out(const struct op_problem *problem)
{
    const struct op_value *self = before(problem),
                          *out = &problem->values[op_written_argument(problem)];
    if (self == out) return ACLNN_SUCCESS;
    return op_check_same_shape(problem->row->name, out->name, out->tensor, self->name,
                               self->tensor);
}

/* index's sizes are within those of self, but along dim, and within those of src. */
static aclnnStatus check_within(const struct op_problem *problem, const aclTensor *index,
                                const char *name, const aclTensor *tensor, int free_axis)
{
    struct op_shape_text text, other;
    const struct ex_descriptor *i = &index->descriptor, *d = &tensor->descriptor;
    if (i->rank > 1 || d->rank > 1)
        OP_TRY(op_check_same_rank(problem->row->name, "index", index, name, tensor));
    for (int axis = 0; axis < i->rank; axis++)
        OP_CHECK(problem->row->name,
                 axis == free_axis || i->sizes[axis] <= op_size_of(tensor, axis),
                 ACLNN_ERR_PARAM_INVALID,
                 "index's shape is %s; at dimension %d it must not exceed %s's, which is %s",
                 op_shape(&text, index), axis, name, op_shape(&other, tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_reduce(const struct op_problem *problem, int64_t most, const char *words)
{
    const struct op_value *reduce = op_argument_named(problem, "reduce");
    OP_CHECK(problem->row->name, !reduce || (reduce->integer >= 0 && reduce->integer <= most),
             ACLNN_ERR_PARAM_INVALID, "reduce is %" PRId64 "; it must be %s", reduce->integer,
             words);
    return ACLNN_SUCCESS;
}

/* aclnnScatterReduce has numbers from 0 to 5. */
static bool takes_own_start(const struct op_problem *problem)
{
    return op_place_of(problem, "includeSelf") >= 0;
}

static enum k_combine combine_of(const struct op_problem *problem)
{
    static const enum k_combine combines[] = {K_SET, K_ADD, K_MUL, K_MAX, K_MIN, K_ADD};
    const struct op_value *reduce = op_argument_named(problem, "reduce");
    return reduce ? combines[reduce->integer] : K_ADD;
}

static bool is_mean(const struct op_problem *problem)
{
    return takes_own_start(problem) && op_argument_named(problem, "reduce")->integer == MEAN;
}

static aclnnStatus scatter_shapes(struct op_problem *problem)
{
    const struct op_value *self = before(problem), *src = op_argument_named(problem, "src");
    const aclTensor *index = op_tensor_named(problem, "index");
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &dim));
    OP_TRY(check_out(problem));
    if (!op_is_empty(index)) {
        OP_TRY(check_within(problem, index, self->name, self->tensor, dim));
        if (src) OP_TRY(check_within(problem, index, "src", src->tensor, -1));
        OP_CHECK(problem->row->name, op_size_of(self->tensor, dim) > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has no element along dimension %d; no index can name one", self->name, dim);
    }
    if (!takes_own_start(problem))
        return check_reduce(problem, 2, "0 (replace), 1 (add) or 2 (multiply)");
    const int64_t reduce = op_argument_named(problem, "reduce")->integer;
    OP_CHECK(problem->row->name, problem->type != ACL_BOOL || !is_mean(problem),
             ACLNN_ERR_PARAM_INVALID, "reduce is 5, mean; there is none of BOOL");
    OP_CHECK(problem->row->name,
             !op_is_complex(problem->type) || (reduce != MAXIMUM && reduce != MINIMUM),
             ACLNN_ERR_PARAM_INVALID,
             "reduce is %" PRId64 ", maximum or minimum; complex numbers have no order", reduce);
    return check_reduce(problem, MEAN,
                        "0 (replace), 1 (add), 2 (multiply), 3 (maximum), 4 (minimum) or 5 (mean)");
}

/* values: of at least index's shape, or one element. */
static void scatter_at(const struct op_shape_call *call, const struct op_place *table,
                       const struct op_place *index, const struct op_place *values,
                       enum k_combine combine)
{
    struct op_indexing x = op_indexing_of(call, table, values, "index");
    int dim;
    op_find_axis(op_argument_named(call->problem, "dim")->integer, table->view.rank, &dim);
    for (int axis = 0; axis < index->view.rank; axis++)
        op_indexing_axis(&x, index->view.sizes[axis],
                         axis == dim ? 0 : op_stride_of(&table->view, axis),
                         axis < values->view.rank ? values->view.strides[axis] : 0);
    op_indexing_tensor(&x, index, 0, table->view.rank > 0 ? table->view.sizes[dim] : 1,
                       op_stride_of(&table->view, dim));
    op_scatter(&x, combine);
}

/* A number at all places. */
static void scatter_number(const struct op_shape_call *call, const struct op_place *table,
                           const struct op_place *index, enum k_combine combine, double real,
                           int64_t whole)
{
    const struct op_place one = op_scratch_place(call->plan, table->view.type, 0, NULL);
    op_fill_place(call->plan, &one, real, whole);
    scatter_at(call, table, index, &one, combine);
}

/* What changes no value whose maximum or minimum with it is taken. */
static void scatter_extreme(const struct op_shape_call *call, const struct op_place *table,
                            const struct op_place *index, enum k_combine combine)
{
    const aclDataType type = table->view.type;
    const int bits = 8 * (int)ex_element_size((int32_t)type);
    const bool is_unsigned =
        type == ACL_UINT8 || type == ACL_UINT16 || type == ACL_UINT32 || type == ACL_BOOL;
    const int64_t most = type == ACL_BOOL ? 1
                         : is_unsigned    ? (INT64_C(1) << bits) - 1
                                          : (int64_t)(UINT64_MAX >> (65 - bits));
    const int64_t least = is_unsigned ? 0 : -most - 1;
    if (combine == K_MAX)
        scatter_number(call, table, index, K_SET, op_is_floating(type) ? -INFINITY : (double)least,
                       least);
    else
        scatter_number(call, table, index, K_SET, op_is_floating(type) ? INFINITY : (double)most,
                       most);
}

/* What changes no value that it is combined with. */
static void scatter_neutral(const struct op_shape_call *call, const struct op_place *table,
                            const struct op_place *index, enum k_combine combine)
{
    if (combine == K_ADD || combine == K_MUL)
        scatter_number(call, table, index, K_SET, combine == K_MUL, combine == K_MUL);
    else if (combine == K_MAX || combine == K_MIN)
        scatter_extreme(call, table, index, combine);
}

/* table = table / how many values each element has; of integers towards minus infinity. */
static void divide(const struct op_shape_call *call, const struct op_place *table,
                   const struct op_place *index, bool with_self)
{
    const aclDataType type = table->view.type;
    const bool is_complex = op_is_complex(type), is_real = is_complex || op_is_floating(type);
    const struct op_place counts = op_scratch_place(call->plan,
                                                    is_complex ? op_complex_part_type(type)
                                                    : is_real  ? type
                                                               : ACL_INT64,
                                                    table->view.rank, table->view.sizes);
    op_fill_place(call->plan, &counts, 1, 1);
    if (!with_self) scatter_number(call, &counts, index, K_SET, 0, 0);
    scatter_number(call, &counts, index, K_ADD, 1, 1);
    for (int part = 0; part <= is_complex; part++) {
        const struct op_place numbers = {
            table->buffer, is_complex ? op_complex_part(&table->view, part) : table->view};
        op_combine_places(call->plan, is_real ? K_CORE_div : K_CORE_div_floor, &numbers, &numbers,
                          &counts, NULL);
    }
}

static void plan_scatter(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const enum k_combine combine = combine_of(problem);
    const int src = op_place_of(problem, "src"), value = op_place_of(problem, "value");
    const int self = op_place_of(problem, "self");
    const struct op_place index = op_source(call, op_place_of(problem, "index"), 0);
    const struct op_table table =
        op_table_of(call, &(const struct op_table_request){
                              .combine = combine,
                              .values = src >= 0 ? src : value,
                              .before = self >= 0 ? self : op_written_argument(problem)});
    if (!op_view_is_empty(&index.view) && !op_view_is_empty(&table.place.view)) {
        const bool with_self =
            !takes_own_start(problem) || op_argument_named(problem, "includeSelf")->integer;
        if (!with_self) scatter_neutral(call, &table.place, &index, combine);
        scatter_at(call, &table.place, &index, &table.values, combine);
        if (is_mean(problem)) divide(call, &table.place, &index, with_self);
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_scatter = {
    .types = op_index_types,
    .shapes = scatter_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_scatter},
};

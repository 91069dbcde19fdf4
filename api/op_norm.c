/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_norm.h"

#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/reduce/k_reduce.h"

/* ---- checks ---- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if (at > words && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

aclnnStatus op_norm_types(struct op_problem *problem)
{
    const struct op_norm_rule *more = problem->row->rule->more;
    const uint64_t masks = OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT8);
    const uint64_t integers = OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_UINT8);
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (has_word(more->numbers, value->name))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor,
                                 problem->row->types | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64),
                                 "FLOAT, FLOAT16, BF16, DOUBLE, INT32, INT64"));
        else if (has_word(more->masks, value->name))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, masks,
                                 "BOOL, UINT8, INT8"));
        else if (has_word(more->integers, value->name))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, integers,
                                 "INT32, INT64, UINT8"));
        else
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor,
                                 problem->row->types, problem->row->type_names));
    }
    problem->type = (aclDataType)problem->tensor[0]->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static void shape_text(char *text, size_t size, int rank, const int64_t *sizes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? ", " : "", sizes[i]);
}

aclnnStatus op_norm_check_shape(const struct op_problem *problem, const char *name, int rank,
                                const int64_t *sizes)
{
    const aclTensor *tensor = op_tensor_named(problem, name);
    struct op_shape_text text;
    char wanted[200];
    if (!tensor) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &tensor->descriptor;
    bool fits = d->rank == rank;
    for (int i = 0; i < rank && fits; i++)
        fits = d->sizes[i] == sizes[i];
    if (fits) return ACLNN_SUCCESS;
    shape_text(wanted, sizeof wanted, rank, sizes);
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must be (%s)",
             name, op_shape(&text, tensor), wanted);
    return ACLNN_SUCCESS;
}

aclnnStatus op_norm_check_dim(const struct op_problem *problem, const aclTensor *tensor, int *axis)
{
    const int rank = tensor->descriptor.rank, axes = rank > 0 ? rank : 1;
    const int64_t dim = op_integer_named(problem, "dim", 0);
    OP_CHECK(problem->row->name, op_find_axis(dim, rank, axis), ACLNN_ERR_PARAM_INVALID,
             "dim is %" PRId64 "; it must be from %d to %d", dim, -axes, axes - 1);
    return ACLNN_SUCCESS;
}

bool op_norm_asks(const struct op_problem *problem, int i)
{
    const struct op_value *mask = op_argument_of_kind(problem, OP_BOOLS);
    return !mask || !mask->bools || mask->bools->values[i];
}

aclnnStatus op_norm_check_mask(const struct op_problem *problem, const char *const *names,
                               int count)
{
    const struct op_value *mask = op_argument_of_kind(problem, OP_BOOLS);
    OP_CHECK(problem->row->name, !mask || mask->bools, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             mask->name);
    OP_CHECK(problem->row->name, !mask || mask->bools->size == (uint64_t)count,
             ACLNN_ERR_PARAM_INVALID, "%s has %" PRIu64 " entries; it must have %d", mask->name,
             mask->bools->size, count);
    for (int i = 0; i < count; i++)
        OP_CHECK(problem->row->name,
                 !op_norm_asks(problem, i) || op_tensor_named(problem, names[i]),
                 ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", names[i]);
    return ACLNN_SUCCESS;
}

/* ---- steps ---- */

void op_norm_fill(struct op_norm_call *call, const struct op_value *value, double number)
{
    const struct op_place place = {call->buffers[value - call->problem->values],
                                   op_view_of(value->tensor)};
    op_fill_place(call->plan, &place, number, (int64_t)number);
}

void op_norm_sum_parts(struct op_norm_call *call, int from, int64_t parts,
                       const struct op_value *out)
{
    struct op_view view;
    const int to = op_norm_target(call, out, false, &view);
    const enum k_dtype dtype = op_k_dtype_of(view.type);
    struct k_reduce r = {.fold = K_FOLD_sum,
                         .compute = K_AS_F64,
                         .from = K_F64,
                         .via = K_F64,
                         .result = dtype,
                         .to = dtype,
                         .has_value = true,
                         .index_type = K_I64,
                         .reduced_rank = 1};
    int64_t step = 1;
    r.kept.rank = view.rank;
    for (int i = view.rank - 1; i >= 0; i--) {
        r.kept.sizes[i] = view.sizes[i];
        r.kept.from[i] = step;
        r.kept.to[i] = view.strides[i];
        step *= view.sizes[i];
    }
    r.inner = step;
    r.reduced_sizes[0] = parts;
    r.reduced_steps[0] = step;
    const struct k_work work = k_reduce_plan(&r);
    ex_step(call->plan, "reduce", k_best()->reduce, &r, sizeof r, work,
            EX_BUFFERS(from, to, from, to));
}

void op_norm_begin(struct op_norm_call *call, enum k_norm_kind kind, int rank, const int64_t *sizes,
                   unsigned reduced)
{
    memset(&call->norm, 0, sizeof call->norm);
    call->norm.kind = kind;
    call->rank = rank;
    call->reduced = reduced;
    for (int i = 0; i < rank; i++) {
        call->sizes[i] = sizes[i];
        if (reduced >> i & 1)
            call->norm.reduced_sizes[call->norm.reduced_rank++] = sizes[i];
        else
            call->norm.kept_sizes[call->norm.kept_rank++] = sizes[i];
    }
    for (int i = 0; i < K_NORM_OPERANDS; i++)
        call->buffer[i] = -1;
    for (int i = 0; i < call->problem->count; i++) {
        const struct op_value *value = &call->problem->values[i];
        if (op_is_tensor(value) && value->tensor)
            call->norm.is_precise |= value->tensor->descriptor.data_type == ACL_DOUBLE;
    }
}

void op_norm_place(struct op_norm_call *call, int slot, int buffer, const struct op_view *view,
                   bool is_written)
{
    struct k_norm_operand *operand = &call->norm.operand[slot];
    int kept = 0, reduced = 0;
    operand->is_there = true;
    operand->is_written = is_written;
    operand->dtype = op_k_dtype_of(view->type);
    for (int i = 0; i < call->rank; i++)
        if (call->reduced >> i & 1)
            operand->reduced[reduced++] = view->strides[i];
        else
            operand->kept[kept++] = view->strides[i];
    call->buffer[slot] = buffer;
    if (slot >= call->norm.operands) call->norm.operands = slot + 1;
}

int op_norm_target(struct op_norm_call *call, const struct op_value *value, bool is_last,
                   struct op_view *view)
{
    const struct op_problem *problem = call->problem;
    const int argument = (int)(value - problem->values);
    const struct ex_descriptor *to = &value->tensor->descriptor;
    bool is_apart = false;
    *view = op_view_of(value->tensor);
    const int64_t elements = op_element_count(view->rank, view->sizes);
    for (int i = 0; i < problem->tensor_count && elements > 0; i++) {
        const struct op_value *other = problem->tensor[i];
        const struct ex_descriptor *from = &other->tensor->descriptor;
        if (!op_is_read(other) || op_is_empty(other->tensor)) continue;
        if (op_is_changed(value) && other == value) continue;
        is_apart |= is_last ? op_disturbs(to, from) : op_meets(to, from);
    }
    if (!is_apart) return call->buffers[argument];
    *view = op_view_dense(view->type, view->rank, view->sizes);
    const int scratch =
        ex_scratch(call->plan, (size_t)elements * ex_element_size((int32_t)view->type));
    call->scratch[call->scratch_count].buffer = scratch;
    call->scratch[call->scratch_count].argument = argument;
    call->scratch[call->scratch_count++].view = *view;
    return scratch;
}

void op_norm_deliver(struct op_norm_call *call)
{
    for (int i = 0; i < call->scratch_count; i++) {
        const int argument = call->scratch[i].argument;
        const struct op_view to = op_view_of(call->problem->values[argument].tensor);
        op_copy_step(call->plan, call->scratch[i].buffer, &call->scratch[i].view,
                     call->buffers[argument], &to);
    }
    call->scratch_count = 0;
}

void op_norm_operand(struct op_norm_call *call, int slot, const char *name,
                     const struct op_view *view)
{
    const struct op_value *value = op_argument_named(call->problem, name);
    if (!value || !value->tensor) return;
    op_norm_place(call, slot, call->buffers[value - call->problem->values], view, false);
}

void op_norm_whole(struct op_norm_call *call, int slot, const char *name)
{
    const struct op_value *value = op_argument_named(call->problem, name);
    if (!value || !value->tensor) return;
    struct op_view view = op_view_of(value->tensor);
    int buffer = call->buffers[value - call->problem->values];
    if (op_is_written(value)) buffer = op_norm_target(call, value, true, &view);
    view = op_view_broadcast(&view, call->rank, call->sizes);
    op_norm_place(call, slot, buffer, &view, op_is_written(value));
}

const struct op_value *op_norm_given(const struct op_norm_call *call, const char *name)
{
    const struct op_value *value = op_argument_named(call->problem, name);
    return value && value->tensor ? value : NULL;
}

/* An operand as rows: the kept axes, then the reduced ones. */
static struct op_view rows_of(const struct op_norm_call *call, int slot)
{
    static const aclDataType types[] = {
        [K_F32] = ACL_FLOAT,  [K_F16] = ACL_FLOAT16, [K_BF16] = ACL_BF16,
        [K_F64] = ACL_DOUBLE, [K_U8] = ACL_UINT8,    [K_I8] = ACL_INT8,
        [K_I32] = ACL_INT32,  [K_I64] = ACL_INT64,   [K_BOOL] = ACL_BOOL};
    const struct k_norm *n = &call->norm;
    const struct k_norm_operand *operand = &n->operand[slot];
    struct op_view view = {.type = types[operand->dtype], .rank = call->rank};
    for (int i = 0; i < n->kept_rank; i++) {
        view.sizes[i] = n->kept_sizes[i];
        view.strides[i] = operand->kept[i];
    }
    for (int i = 0; i < n->reduced_rank; i++) {
        view.sizes[n->kept_rank + i] = n->reduced_sizes[i];
        view.strides[n->kept_rank + i] = operand->reduced[i];
    }
    return view;
}

/* Rows that lie across memory and are too long to be transposed by the kernel. */
static unsigned rows_to_copy(const struct k_norm *norm)
{
    struct k_norm planned = *norm;
    unsigned copied = 0;
    k_norm_plan(&planned, 1);
    for (int i = 0; i < planned.operands; i++)
        if (k_norm_lies_across(&planned, i) && !(planned.transposed >> i & 1)) copied |= 1U << i;
    return copied;
}

/* The operand becomes dense rows in scratch. Returns what it was. */
static struct op_view make_dense(struct op_norm_call *call, int slot)
{
    struct k_norm *n = &call->norm;
    struct k_norm_operand *operand = &n->operand[slot];
    const struct op_view was = rows_of(call, slot);
    const struct op_view dense = op_view_dense(was.type, was.rank, was.sizes);
    const int64_t elements = op_element_count(was.rank, was.sizes);
    const int scratch =
        ex_scratch(call->plan, (size_t)elements * ex_element_size((int32_t)was.type));
    if (!operand->is_written) op_copy_step(call->plan, call->buffer[slot], &was, scratch, &dense);
    for (int i = 0; i < n->kept_rank; i++)
        operand->kept[i] = dense.strides[i];
    for (int i = 0; i < n->reduced_rank; i++)
        operand->reduced[i] = dense.strides[n->kept_rank + i];
    call->buffer[slot] = scratch;
    return was;
}

static void add_step(struct op_norm_call *call, int cost, ex_describe_fault *describe);

void op_norm_end(struct op_norm_call *call, int cost, ex_describe_fault *describe)
{
    const unsigned copied = rows_to_copy(&call->norm);
    struct op_view was[K_NORM_OPERANDS], dense[K_NORM_OPERANDS];
    int to[K_NORM_OPERANDS], from[K_NORM_OPERANDS];
    bool is_back[K_NORM_OPERANDS] = {false};
    for (int i = 0; i < call->norm.operands; i++) {
        if (!(copied >> i & 1)) continue;
        to[i] = call->buffer[i];
        was[i] = make_dense(call, i);
        dense[i] = rows_of(call, i);
        from[i] = call->buffer[i];
        is_back[i] = call->norm.operand[i].is_written;
    }
    add_step(call, cost, describe);
    for (int i = 0; i < K_NORM_OPERANDS; i++)
        if (is_back[i]) op_copy_step(call->plan, from[i], &dense[i], to[i], &was[i]);
}

static void add_step(struct op_norm_call *call, int cost, ex_describe_fault *describe)
{
    struct k_norm *n = &call->norm;
    int any = -1;
    for (int i = 0; i < n->operands; i++)
        if (call->buffer[i] >= 0) any = call->buffer[i];
    for (int i = 0; i < n->operands; i++)
        if (!n->operand[i].is_there) call->buffer[i] = any;
    n->has_faults = describe != NULL;
    const struct k_work work = k_norm_plan(n, cost);
    const char *name = "norm_rows";
    k_fn *kernel = k_best()->norm_rows;
    if (n->kind < K_NORM_AFFINE) {
        name = "softmax";
        kernel = k_best()->softmax;
    } else if (n->kind >= K_NORM_ROTARY) {
        name = "rotary";
        kernel = k_best()->rotary;
    }
    if (n->rows == 0) return;
    if (describe)
        ex_step_with_faults(call->plan, name, kernel, n, sizeof *n, work, call->buffer, n->operands,
                            describe);
    else
        ex_step(call->plan, name, kernel, n, sizeof *n, work, call->buffer, n->operands);
}

void op_plan_norm(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct op_norm_rule *more = problem->row->rule->more;
    struct op_norm_call call;
    call.plan = plan;
    call.problem = problem;
    call.buffers = buffers;
    call.scratch_count = 0;
    more->plan(&call);
    op_norm_deliver(&call);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_index.h"

#include <stdio.h>
#include <string.h>

#include "api/op_complex.h"
#include "api/op_families.h"

/* ---- arguments ---- */

int op_place_of(const struct op_problem *problem, const char *name)
{
    for (int i = 0; i < problem->count; i++)
        if (strcmp(problem->values[i].name, name) == 0) return i;
    return -1;
}

/* One of two words. */
static bool is_named(const struct op_value *value, const char *one, const char *other)
{
    return strcmp(value->name, one) == 0 || strcmp(value->name, other) == 0;
}

/* A scalar that is written. */
static aclnnStatus check_value(const struct op_problem *problem)
{
    const struct op_value *value = op_argument_named(problem, "value");
    if (!value || !op_is_scalar(value)) return ACLNN_SUCCESS;
    const aclDataType type = value->scalar->data_type;
    OP_CHECK(problem->row->name, op_is_complex(problem->type) || !op_is_complex(type),
             ACLNN_ERR_PARAM_INVALID, "value is of type %s, which cannot be cast to %s",
             op_data_type_name(type), op_data_type_name(problem->type));
    return ACLNN_SUCCESS;
}

aclnnStatus op_index_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const uint64_t indices = OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64);
    const uint64_t masks = OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8);
    const struct op_value *first = NULL;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (is_named(value, "index", "indices") || is_named(value, "repeats", "repeats")) {
            OP_TRY(op_check_type(name, value->name, value->tensor, indices, "INT32, INT64"));
        } else if (is_named(value, "mask", "mask")) {
            OP_TRY(op_check_type(name, value->name, value->tensor, masks, "BOOL, UINT8"));
        } else {
            OP_TRY(op_check_type(name, value->name, value->tensor, problem->row->types,
                                 problem->row->type_names));
            if (first)
                OP_TRY(op_check_same_type(name, value->name, value->tensor, first->name,
                                          first->tensor));
            else
                first = value;
        }
    }
    if (first) problem->type = (aclDataType)first->tensor->descriptor.data_type;
    problem->result = problem->type;
    return check_value(problem);
}

/* ---- steps ---- */

struct op_indexing op_indexing_of(const struct op_shape_call *call, const struct op_place *table,
                                  const struct op_place *values, const char *name)
{
    struct op_indexing x = {.plan = call->plan, .buffers = {table->buffer, values->buffer}};
    x.k.element_size = (int)ex_element_size((int32_t)table->view.type);
    x.k.is_complex = op_is_complex(table->view.type);
    x.k.dtype =
        op_k_dtype_of(x.k.is_complex ? op_complex_part_type(table->view.type) : table->view.type);
    x.k.table_offset = table->view.offset;
    x.k.value_offset = values->view.offset;
    x.k.name = name;
    return x;
}

int op_indexing_axis(struct op_indexing *x, int64_t size, int64_t table_stride,
                     int64_t value_stride)
{
    const int axis = x->k.rank++;
    x->k.sizes[axis] = size;
    x->k.table_strides[axis] = table_stride;
    x->k.value_strides[axis] = value_stride;
    x->k.is_apart[axis] = table_stride != 0;
    return axis;
}

void op_indexing_tensor(struct op_indexing *x, const struct op_place *indices, int first,
                        int64_t size, int64_t step)
{
    struct k_index_tensor *tensor = &x->k.index[x->k.count];
    const struct op_view *view = &indices->view;
    int64_t number = 1;
    tensor->is_wide = view->type == ACL_INT64;
    tensor->size = size;
    tensor->step = size > 1 ? step : 0; /* the stride along one element may be any */
    tensor->offset = view->offset;
    x->k.number_rank = view->rank;
    for (int i = view->rank - 1; i >= 0; i--) {
        tensor->own[i] = view->strides[i];
        tensor->strides[first + i] = view->sizes[i] == 1 ? 0 : view->strides[i];
        x->k.numbers[i] = view->sizes[i];
        x->k.number_strides[first + i] = view->sizes[i] == 1 ? 0 : number;
        number *= view->sizes[i];
    }
    x->buffers[K_INDEX_FIRST + x->k.count++] = indices->buffer;
}

/* Which element of which index tensor; what it may be. */
static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_index *p = parameters;
    const int k = (int)(position % p->count);
    const struct k_index_tensor *tensor = &p->index[k];
    int64_t element = position / p->count, at = tensor->offset;
    char which[32] = "";
    const int64_t told = p->is_columns ? position : element;
    for (int axis = p->number_rank - 1; axis >= 0; axis--) {
        at += element % p->numbers[axis] * tensor->own[axis];
        element /= p->numbers[axis];
    }
    if (p->is_list) snprintf(which, sizeof which, "[%d], broadcast,", k);
    snprintf(text, size,
             "element %" PRId64 " of %s%s is %" PRId64 "; it must be from %" PRId64 " to %" PRId64,
             told, p->name, which, k_index_at(tensor, buffers[K_INDEX_FIRST + k], at),
             p->wraps ? -tensor->size : 0, tensor->size - 1);
}

void op_indexing_columns(struct op_indexing *x, const struct op_place *indices,
                         const int64_t *sizes, const int64_t *steps)
{
    const int last = indices->view.rank - 1, columns = (int)indices->view.sizes[last];
    x->k.is_columns = true;
    for (int k = 0; k < columns; k++) {
        struct op_place column = *indices;
        column.view.rank = last;
        column.view.offset += k * indices->view.strides[last];
        op_indexing_tensor(x, &column, 0, sizes[k], steps[k]);
    }
}

void op_gather(struct op_indexing *x)
{
    const struct k_work work = k_gather_finish(&x->k);
    ex_step_with_faults(x->plan, "gather", k_gather, &x->k, k_index_bytes(&x->k), work, x->buffers,
                        K_INDEX_FIRST + x->k.count, describe);
}

void op_scatter(struct op_indexing *x, enum k_combine combine)
{
    x->k.combine = combine;
    const struct k_work work = k_scatter_finish(&x->k);
    ex_step_with_faults(x->plan, "scatter", k_scatter, &x->k, k_index_bytes(&x->k), work,
                        x->buffers, K_INDEX_FIRST + x->k.count, describe);
}

void op_plan_index(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    op_plan_shape(plan, problem, buffers);
}

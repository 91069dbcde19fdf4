/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnApplyTopKTopP: rows are sorted as FLOAT, filtered, and put back in their order. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_rule.h"
#include "api/op_shape.h"
#include "api/op_sort.h"
#include "kernels/kernels.h"

enum { LOGITS, P, K, OUT };

static aclnnStatus keep_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *values = problem->values;
    for (int i = LOGITS; i <= OUT; i++) {
        if (i == K || !values[i].tensor) continue;
        OP_TRY(op_check_type(row->name, values[i].name, values[i].tensor, row->types,
                             row->type_names));
        OP_TRY(op_check_same_type(row->name, values[i].name, values[i].tensor, "logits",
                                  values[LOGITS].tensor));
    }
    if (values[K].tensor)
        OP_TRY(op_check_type(row->name, "k", values[K].tensor, OP_TYPE(ACL_INT32), "INT32"));
    OP_CHECK(row->name, values[P].tensor || values[K].tensor, ACLNN_ERR_PARAM_NULLPTR,
             "p and k are both NULL; one of them must be given");
    problem->type = (aclDataType)values[LOGITS].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus keep_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const aclTensor *logits = values[LOGITS].tensor;
    OP_TRY(op_check_rank(problem->row->name, "logits", logits, 2, 2));
    const int64_t *sizes = logits->descriptor.sizes;
    OP_CHECK(problem->row->name, sizes[1] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
             "logits has %" PRId64 " columns; at most %d are counted", sizes[1], INT32_MAX);
    for (int i = P; i <= K; i++)
        if (values[i].tensor)
            OP_TRY(op_check_shape(problem, &values[i], values[i].tensor, 1, sizes));
    return op_check_same_shape(problem->row->name, "out", values[OUT].tensor, "logits", logits);
}

/* Dense, of that type. */
static struct op_place dense_as(const struct op_shape_call *call, int argument, aclDataType type)
{
    const struct op_place own = op_target(call, argument, 0);
    if (own.view.type == type && op_view_is_dense(&own.view)) return own;
    const struct op_place copy = op_scratch_place(call->plan, type, own.view.rank, own.view.sizes);
    op_copy_place(call->plan, &own, &copy);
    return copy;
}

static void plan_keep(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place from = dense_as(call, LOGITS, ACL_FLOAT), to = op_target(call, OUT, 0);
    const int64_t *sizes = from.view.sizes;
    const struct op_place sorted = op_scratch_place(call->plan, ACL_FLOAT, 2, sizes);
    const struct op_place places = op_scratch_place(call->plan, ACL_INT32, 2, sizes);
    const struct op_place made = op_scratch_place(call->plan, ACL_FLOAT, 2, sizes);
    struct k_sort sort = {.dtype = K_F32,
                          .index_type = K_I32,
                          .has_values = true,
                          .has_index = true,
                          .rows = sizes[0],
                          .count = sizes[1],
                          .keep = sizes[1]};
    const struct k_top top = {.has_k = values[K].tensor != NULL,
                              .has_p = values[P].tensor != NULL,
                              .rows = sizes[0],
                              .count = sizes[1]};
    op_sort_steps(call->plan, &sort, from.buffer, sorted.buffer, places.buffer);
    const int k = top.has_k ? dense_as(call, K, ACL_INT32).buffer : sorted.buffer;
    const int p = top.has_p ? dense_as(call, P, ACL_FLOAT).buffer : sorted.buffer;
    ex_step(call->plan, "keep_top", k_best()->keep_top, &top, sizeof top, k_top_work(&top),
            EX_BUFFERS(sorted.buffer, places.buffer, k, p, made.buffer));
    op_copy_place(call->plan, &made, &to);
}

const struct op_rule op_rule_keep_top = {
    .types = keep_types,
    .shapes = keep_shapes,
    .more = &(const struct op_shape_rule){plan_keep},
};

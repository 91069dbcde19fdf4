/* SPDX-License-Identifier: Apache-2.0 */
/* Two results of attention over different keys become that over both. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/ring/k_ring.h"

static const char *const names[2][3] = {{"prevAttnOut", "prevSoftmaxMax", "prevSoftmaxSum"},
                                        {"curAttnOut", "curSoftmaxMax", "curSoftmaxSum"}};
static const char *const results[] = {"attnOutOut", "softmaxMaxOut", "softmaxSumOut"};

/* ---- checks ---- */

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, names[0][0]);
    const char *op = problem->row->name;
    OP_TRY(
        op_check_type(op, out->name, out->tensor, problem->row->types, problem->row->type_names));
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (strcmp(value->name, "actualSeqQlenOptional") == 0)
            OP_TRY(op_check_type(op, value->name, value->tensor, OP_TYPE(ACL_INT64), "INT64"));
        else if (strstr(value->name, "oftmax"))
            OP_TRY(op_check_type(op, value->name, value->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
        else
            OP_TRY(op_check_same_type(op, value->name, value->tensor, out->name, out->tensor));
    }
    problem->type = problem->result = (aclDataType)out->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* NULL is SBH. */
static aclnnStatus find_order(const struct op_problem *problem, struct k_ring *r)
{
    const struct op_value *layout = op_argument_named(problem, "inputLayoutOptional");
    const struct op_value *stats = op_argument_named(problem, "inputSoftmaxLayoutOptional");
    const char *text = layout->text && layout->text[0] ? layout->text : "SBH";
    const char *own = stats && stats->text ? stats->text : "";
    const char *op = problem->row->name;
    const bool by_rows = strcmp(text, "TND") == 0;
    OP_CHECK(op, by_rows || strcmp(text, "SBH") == 0, ACLNN_ERR_PARAM_INVALID,
             "inputLayoutOptional is \"%s\"; it must be SBH or TND", text);
    OP_CHECK(op, own[0] == '\0' || strcmp(own, "SBH") == 0 || strcmp(own, "TND") == 0,
             ACLNN_ERR_PARAM_INVALID,
             "inputSoftmaxLayoutOptional is \"%s\"; it must be empty, SBH or TND", own);
    r->order = !by_rows ? K_RING_BATCHES : strcmp(own, "TND") == 0 ? K_RING_ROWS : K_RING_SEQUENCES;
    return ACLNN_SUCCESS;
}

/* (S, B, heads and columns), or (T, N, D). */
static aclnnStatus find_sizes(const struct op_problem *problem, struct k_ring *r)
{
    const struct op_value *out = op_argument_named(problem, names[0][0]);
    const struct op_value *max = op_argument_named(problem, names[0][1]);
    const char *op = problem->row->name;
    const bool by_rows = r->order != K_RING_BATCHES;
    OP_TRY(op_check_rank(op, out->name, out->tensor, 3, 3));
    OP_TRY(op_check_rank(op, max->name, max->tensor, by_rows ? 3 : 4, by_rows ? 3 : 4));
    const int64_t *sizes = out->tensor->descriptor.sizes;
    r->rows = sizes[0];
    r->batch = by_rows ? 1 : sizes[1];
    r->heads = by_rows ? sizes[1] : max->tensor->descriptor.sizes[1];
    r->columns = sizes[2];
    if (by_rows) return ACLNN_SUCCESS;
    OP_CHECK(op, r->heads > 0 && sizes[2] % r->heads == 0, ACLNN_ERR_PARAM_INVALID,
             "%s has rows of %" PRId64 " elements; they must be a multiple of the heads of %s, "
             "%" PRId64,
             out->name, sizes[2], max->name, r->heads);
    r->columns = sizes[2] / r->heads;
    return ACLNN_SUCCESS;
}

static aclnnStatus find_lengths(const struct op_problem *problem, struct k_ring *r)
{
    const struct op_value *lengths = op_argument_named(problem, "actualSeqQlenOptional");
    const char *op = problem->row->name;
    if (r->order == K_RING_BATCHES) return ACLNN_SUCCESS;
    OP_CHECK(op, lengths->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL; it must be given where inputLayoutOptional is TND", lengths->name);
    OP_TRY(op_check_rank(op, lengths->name, lengths->tensor, 1, 1));
    r->lengths = lengths->tensor->descriptor.sizes[0];
    r->lengths_step = lengths->tensor->descriptor.strides[0];
    r->name = lengths->name;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_ring(const struct op_problem *problem, struct k_ring *r)
{
    memset(r, 0, sizeof *r);
    OP_TRY(find_order(problem, r));
    OP_TRY(find_sizes(problem, r));
    return find_lengths(problem, r);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, names[0][0]);
    struct k_ring r;
    OP_TRY(read_ring(problem, &r));
    const int64_t by_rows[] = {r.rows, r.heads, K_RING_STATS};
    const int64_t by_batch[] = {r.batch, r.heads, r.rows, K_RING_STATS};
    const bool has_batch = r.order == K_RING_BATCHES;
    for (int i = 0; i < 9; i++) {
        const struct op_value *value =
            op_argument_named(problem, i < 6 ? names[i / 3][i % 3] : results[i % 3]);
        if (i % 3 == 0)
            OP_TRY(op_check_shape(problem, value, value->tensor, 3, out->tensor->descriptor.sizes));
        else
            OP_TRY(op_check_shape(problem, value, value->tensor, has_batch ? 4 : 3,
                                  has_batch ? by_batch : by_rows));
    }
    return ACLNN_SUCCESS;
}

/* ---- plan ---- */

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_ring *r = parameters;
    int64_t length;
    memcpy(&length, (const char *)buffers[K_RING_LENGTHS] + position * r->lengths_step * 8,
           sizeof length);
    snprintf(text, size,
             "element %" PRId64 " of %s is %" PRId64
             "; they must begin with 0, never fall, and be at most %" PRId64,
             position, r->name, length, r->rows);
}

static struct k_ring_side side_of(const struct k_ring *r, const struct op_view *view)
{
    const int64_t *strides = view->strides;
    return r->order == K_RING_BATCHES
               ? (struct k_ring_side){strides[1], strides[0], r->columns * strides[2], strides[2]}
               : (struct k_ring_side){0, strides[0], strides[1], strides[2]};
}

static int argument_of(const struct op_shape_call *call, const char *name)
{
    return (int)(op_argument_named(call->problem, name) - call->problem->values);
}

static void plan_ring(const struct op_shape_call *call)
{
    int buffers[K_RING_BUFFERS];
    struct op_place made[3];
    struct k_ring r;
    if (read_ring(call->problem, &r) != ACLNN_SUCCESS) return; /* it was checked */
    r.dtype = op_k_dtype_of(call->problem->type);
    for (int i = 0; i < 6; i++) {
        const int argument = argument_of(call, names[i / 3][i % 3]);
        const struct op_place place =
            i % 3 == 0 ? op_source(call, argument, 0) : op_dense_source(call, argument);
        if (i % 3 == 0) r.from[i / 3] = side_of(&r, &place.view);
        buffers[i] = place.buffer;
    }
    buffers[K_RING_LENGTHS] = buffers[0];
    if (r.order == K_RING_SEQUENCES)
        buffers[K_RING_LENGTHS] =
            op_source(call, argument_of(call, "actualSeqQlenOptional"), 0).buffer;
    for (int i = 0; i < 3; i++) {
        const int argument = argument_of(call, results[i]);
        made[i] = i == 0 ? op_target(call, argument, 0) : op_dense_target(call, argument);
        buffers[K_RING_OUT + i] = made[i].buffer;
    }
    r.to = side_of(&r, &made[0].view);
    const struct k_work work = k_ring_update_work(&r);
    if (work.items > 0)
        ex_step_with_faults(call->plan, "ring_update", k_best()->ring_update, &r, sizeof r, work,
                            buffers, K_RING_BUFFERS, describe);
    for (int i = 1; i < 3; i++)
        op_deliver(call, &made[i], argument_of(call, results[i]));
}

const struct op_rule op_rule_ring = {
    .types = types,
    .shapes = shapes,
    .more = &(const struct op_shape_rule){plan_ring},
};

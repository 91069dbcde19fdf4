/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGlobalAveragePool: the mean of every plane. */
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_hand.h"
#include "executor/plan.h"
#include "executor/steps.h"
#include "kernels/pool/k_average.h"

static const char *const NAME = "aclnnGlobalAveragePool";

enum { LEAST_RANK = 4, MOST_RANK = EX_MAX_RANK };

/* The checks, in CANN's order. */

static aclnnStatus check_types(const aclTensor *self, const aclTensor *out)
{
    const uint64_t types =
        OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) | OP_TYPE(ACL_DOUBLE);
    const char *rule = "FLOAT, FLOAT16, BF16 or DOUBLE";
    OP_TRY(op_check_type(NAME, "self", self, types, rule));
    OP_TRY(op_check_type(NAME, "out", out, types, rule));
    return op_check_same_type(NAME, "out", out, "self", self);
}

static aclnnStatus check_formats(const aclTensor *self, const aclTensor *out)
{
    const uint64_t formats =
        OP_FORMAT(ACL_FORMAT_ND) | OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NCDHW);
    OP_TRY(op_check_format(NAME, "self", self, formats, "ND, NCHW or NCDHW"));
    return op_check_same_format(NAME, "out", out, "self", self);
}

/* (N, C, 1, ..., 1); the mean of no cell is refused. */
static aclnnStatus check_shapes(const aclTensor *self, const aclTensor *out)
{
    const struct ex_descriptor *s = &self->descriptor, *o = &out->descriptor;
    struct op_shape_text text;
    OP_TRY(op_check_rank(NAME, "self", self, LEAST_RANK, MOST_RANK));
    OP_TRY(op_check_rank(NAME, "out", out, LEAST_RANK, MOST_RANK));
    OP_TRY(op_check_same_rank(NAME, "out", out, "self", self));
    OP_TRY(op_check_sizes(NAME, "self", self));
    OP_TRY(op_check_sizes(NAME, "out", out));
    for (int i = 0; i < s->rank; i++) {
        const int64_t expected = i < 2 ? s->sizes[i] : 1;
        OP_CHECK(NAME, o->sizes[i] == expected, ACLNN_ERR_PARAM_INVALID,
                 "out has shape %s; its dimension %d must be %" PRId64, op_shape(&text, out), i,
                 expected);
    }
    for (int i = 2; i < s->rank; i++)
        OP_CHECK(NAME, s->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "self has size 0 at dimension %d; only its first two may be 0", i);
    return ACLNN_SUCCESS;
}

/* Phase 1. */

static void mean_steps(struct ex_plan *plan, int x, const aclTensor *self, int y)
{
    const struct ex_descriptor *d = &self->descriptor;
    const enum k_dtype dtype = op_k_dtype(self);
    const struct ex_order orders[] = {ex_order_identity(d->rank),
                                      ex_order_channels_last(d->rank, false)};
    const bool last = !ex_is_dense(d, &orders[0]) && ex_is_dense(d, &orders[1]);
    const struct ex_order *order = &orders[last];
    const int source = ex_packed(plan, x, order), target = ex_target(plan, y, order);
    struct k_mean mean = {.outer = last ? d->sizes[0] : d->sizes[0] * d->sizes[1],
                          .count = 1,
                          .channels = last ? d->sizes[1] : 1};
    for (int i = 2; i < d->rank; i++)
        mean.count *= d->sizes[i];
    mean.divisor = (double)mean.count;
    ex_step(plan, dtype == K_F64 ? "mean_f64" : "mean",
            dtype == K_F64 ? k_best()->mean_f64 : k_best()->mean[dtype], &mean, sizeof mean,
            k_mean_work(&mean), EX_BUFFERS(source, target));
    ex_deliver(plan, target, y, order);
}

aclnnStatus OP_HAND(aclnnGlobalAveragePool)(const aclTensor *self, aclTensor *out,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, self);
    OP_CHECK_NOT_NULL(NAME, out);
    OP_TRY(check_types(self, out));
    OP_TRY(check_formats(self, out));
    OP_TRY(check_shapes(self, out));
    OP_TRY(op_check_input_view(NAME, "self", self));
    OP_TRY(op_check_output_view(NAME, "out", out));

    struct ex_plan *plan = ex_plan_new(NAME);
    OP_CALL(plan, NAME, .axes = self->descriptor.rank - 2, .x = self, .y = out);
    const int x = ex_input(plan, op_descriptor(self));
    const int y = ex_output(plan, op_descriptor(out));
    if (!op_is_empty(self)) mean_steps(plan, x, self, y);
    return ex_seal(plan, workspaceSize, executor);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnCtcLoss and aclnnCtcLossBackward. */
#include <stdio.h>
#include <string.h>

#include "api/op_shape.h"
#include "kernels/ctc/k_ctc.h"
#include "runtime/support/alloc.h"

/* ---- checks ---- */

static aclnnStatus ctc_types(struct op_problem *problem)
{
    static const uint64_t classes = OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT16) |
                                    OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_BOOL) |
                                    OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16);
    const struct op_row *row = problem->row;
    const aclTensor *p = op_tensor_named(problem, "logProbs");
    OP_CHECK(row->name, op_argument_named(problem, "inputLengths")->ints, ACLNN_ERR_PARAM_NULLPTR,
             "inputLengths is NULL");
    OP_CHECK(row->name, op_argument_named(problem, "targetLengths")->ints, ACLNN_ERR_PARAM_NULLPTR,
             "targetLengths is NULL");
    OP_TRY(op_check_type(row->name, "logProbs", p, row->types, row->type_names));
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (strcmp(value->name, "targets") == 0)
            OP_TRY(op_check_type(row->name, value->name, value->tensor, classes,
                                 "INT64, INT32, INT16, INT8, UINT8, BOOL, FLOAT, FLOAT16"));
        else
            OP_TRY(op_check_same_type(row->name, value->name, value->tensor, "logProbs", p));
    }
    problem->type = problem->result = (aclDataType)p->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* What the arguments say of the samples. */
struct samples {
    bool is_batch;
    int64_t times, count, classes, longest;
    const aclIntArray *inputs, *targets; /* lengths */
};

static struct samples samples_of(const struct op_problem *problem)
{
    const struct ex_descriptor *p = &op_tensor_named(problem, "logProbs")->descriptor;
    struct samples s = {.is_batch = p->rank == 3,
                        .times = p->sizes[0],
                        .count = p->rank == 3 ? p->sizes[1] : 1,
                        .classes = p->sizes[p->rank - 1],
                        .inputs = op_argument_named(problem, "inputLengths")->ints,
                        .targets = op_argument_named(problem, "targetLengths")->ints};
    for (uint64_t i = 0; i < s.targets->size; i++)
        if (s.targets->values[i] > s.longest) s.longest = s.targets->values[i];
    return s;
}

static aclnnStatus check_lengths(const struct op_problem *problem, const struct samples *s,
                                 const char *name, const aclIntArray *lengths, int64_t longest)
{
    OP_CHECK(problem->row->name, lengths->size == (uint64_t)s->count, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " elements; it must have one for each of %" PRId64 " samples", name,
             lengths->size, s->count);
    for (uint64_t i = 0; i < lengths->size; i++)
        OP_CHECK(problem->row->name, lengths->values[i] >= 0 && lengths->values[i] <= longest,
                 ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be 0 to %" PRId64, name, i,
                 lengths->values[i], longest);
    return ACLNN_SUCCESS;
}

/* Targets side by side, or a row for each sample, which may be longer than the target. */
static aclnnStatus check_targets(const struct op_problem *problem, const struct samples *s)
{
    const char *name = problem->row->name;
    const aclTensor *targets = op_tensor_named(problem, "targets");
    const struct ex_descriptor *d = &targets->descriptor;
    struct op_shape_text text;
    int64_t sum = 0;
    OP_TRY(op_check_rank(name, "targets", targets, 1, 2));
    if (d->rank == 2) {
        OP_CHECK(name, d->sizes[0] == s->count, ACLNN_ERR_PARAM_INVALID,
                 "targets' shape is %s; it must have a row for each of %" PRId64 " samples",
                 op_shape(&text, targets), s->count);
        return check_lengths(problem, s, "targetLengths", s->targets, d->sizes[1]);
    }
    OP_TRY(check_lengths(problem, s, "targetLengths", s->targets, d->sizes[0]));
    for (uint64_t i = 0; i < s->targets->size && sum <= d->sizes[0]; i++)
        sum += s->targets->values[i];
    OP_CHECK(name, sum == d->sizes[0], ACLNN_ERR_PARAM_INVALID,
             "targets has %" PRId64 " elements; it must have as many as targetLengths says",
             d->sizes[0]);
    return ACLNN_SUCCESS;
}

/* The shape is (N), or () where logProbs has no batch, for which (1) is taken too. */
static aclnnStatus check_each(const struct op_problem *problem, const struct samples *s,
                              const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (!value) return ACLNN_SUCCESS;
    const int rank = s->is_batch || value->tensor->descriptor.rank == 1 ? 1 : 0;
    return op_check_shape(problem, value, value->tensor, rank, &s->count);
}

static aclnnStatus check_alpha(const struct op_problem *problem, const struct samples *s,
                               const char *name)
{
    const aclTensor *alpha = op_tensor_named(problem, name);
    struct op_shape_text text;
    if (!alpha) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &alpha->descriptor;
    const int rank = d->rank;
    const bool is_batch = rank == 3 && d->sizes[0] == s->count;
    OP_CHECK(problem->row->name,
             (is_batch || (rank == 2 && !s->is_batch)) && d->sizes[rank - 2] == s->times &&
                 d->sizes[rank - 1] >= 2 * s->longest + 1,
             ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ", %" PRId64 ", %" PRId64 " or more)", name,
             op_shape(&text, alpha), s->count, s->times, 2 * s->longest + 1);
    return ACLNN_SUCCESS;
}

static aclnnStatus ctc_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const aclTensor *p = op_tensor_named(problem, "logProbs");
    OP_TRY(op_check_rank(name, "logProbs", p, 2, 3));
    const struct samples s = samples_of(problem);
    const int64_t blank = op_integer_named(problem, "blank", 0);
    OP_CHECK(name, blank >= 0 && blank < s.classes, ACLNN_ERR_PARAM_INVALID,
             "blank is %" PRId64 "; it must be one of logProbs' %" PRId64 " classes", blank,
             s.classes);
    OP_TRY(check_lengths(problem, &s, "inputLengths", s.inputs, s.times));
    OP_TRY(check_targets(problem, &s));
    OP_TRY(check_each(problem, &s, "gradOut"));
    OP_TRY(check_each(problem, &s, "negLogLikelihood"));
    OP_TRY(check_each(problem, &s, "negLogLikelihoodOut"));
    OP_TRY(check_alpha(problem, &s, "logAlpha"));
    OP_TRY(check_alpha(problem, &s, "logAlphaOut"));
    const struct op_value *out = op_argument_named(problem, "out");
    return out ? op_check_shape(problem, out, out->tensor, p->descriptor.rank, p->descriptor.sizes)
               : ACLNN_SUCCESS;
}

/* ---- plans ---- */

static void describe_ctc(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    const struct k_ctc *ctc = parameters;
    snprintf(text, size, "element %" PRId64 " of targets is %" PRId64 "; it must be 0 to %" PRId64,
             position, ((const int64_t *)buffers[K_CTC_TARGETS])[position], ctc->classes - 1);
}

static int number_of(const struct op_shape_call *call, const char *name)
{
    return (int)(op_argument_named(call->problem, name) - call->problem->values);
}

static struct op_place targets_of(const struct op_shape_call *call)
{
    const struct op_place from = op_source(call, number_of(call, "targets"), 0);
    const struct op_place to =
        op_scratch_place(call->plan, ACL_INT64, from.view.rank, from.view.sizes);
    op_copy_place(call->plan, &from, &to);
    return to;
}

/* Strides of the three axes; the one in the middle of logProbs, the first one of alpha may lack. */
static void three_strides(const struct op_view *view, int lacks, int64_t strides[3])
{
    for (int i = 0, axis = 0; i < 3; i++)
        strides[i] = view->rank == 2 && i == lacks ? 0 : view->strides[axis++];
}

static int64_t one_stride(const struct op_view *view)
{
    return view->rank == 1 ? view->strides[0] : 0;
}

/* The part of the plan that both share; NULL where there is no memory. */
static struct k_ctc *ctc_of(const struct op_shape_call *call, const struct op_view *p,
                            const struct op_view *targets, const struct op_view *alpha)
{
    const struct samples s = samples_of(call->problem);
    struct k_ctc *ctc = rt_alloc_zeroed(sizeof *ctc + (size_t)s.count * sizeof ctc->sample[0]);
    if (!ctc) {
        ex_no_memory(call->plan);
        return NULL;
    }
    ctc->dtype = op_k_dtype_of(call->problem->type);
    ctc->zero_infinity = op_integer_named(call->problem, "zeroInfinity", 0) != 0;
    ctc->times = s.times;
    ctc->samples = s.count;
    ctc->classes = s.classes;
    ctc->blank = op_integer_named(call->problem, "blank", 0);
    ctc->places = alpha->sizes[alpha->rank - 1];
    three_strides(p, 1, ctc->p_strides);
    three_strides(alpha, 0, ctc->alpha_strides);
    int64_t target = 0;
    for (int64_t n = 0; n < s.count; n++) {
        ctc->sample[n] = (struct k_ctc_sample){
            .times = s.inputs->values[n], .length = s.targets->values[n], .target = target};
        target += targets->rank == 2 ? targets->sizes[1] : s.targets->values[n];
    }
    return ctc;
}

static size_t bytes_of(const struct k_ctc *ctc)
{
    return sizeof *ctc + (size_t)ctc->samples * sizeof ctc->sample[0];
}

static int scratch_of(const struct op_shape_call *call, const struct k_ctc *ctc)
{
    const int64_t sizes[] = {ctc->samples, ctc->scratch};
    return op_scratch_place(call->plan, ACL_DOUBLE, 2, sizes).buffer;
}

static void plan_ctc(const struct op_shape_call *call)
{
    const struct op_place loss = op_target(call, number_of(call, "negLogLikelihoodOut"), 0);
    const struct op_place alpha = op_target(call, number_of(call, "logAlphaOut"), 0);
    const struct op_place p = op_source(call, number_of(call, "logProbs"), 0);
    if (op_view_is_empty(&loss.view)) return;
    const struct op_place targets = targets_of(call);
    struct k_ctc *ctc = ctc_of(call, &p.view, &targets.view, &alpha.view);
    if (!ctc) return;
    ctc->loss_stride = one_stride(&loss.view);
    const struct k_work work = k_ctc_plan(ctc, false);
    ex_step_with_faults(
        call->plan, "ctc", k_best()->ctc, ctc, bytes_of(ctc), work,
        EX_BUFFERS(p.buffer, targets.buffer, scratch_of(call, ctc), loss.buffer, alpha.buffer),
        describe_ctc);
    rt_free(ctc);
}

static void plan_ctc_grad(const struct op_shape_call *call)
{
    const struct op_place out = op_target(call, number_of(call, "out"), 0);
    const struct op_place grad = op_source(call, number_of(call, "gradOut"), 0);
    const struct op_place p = op_source(call, number_of(call, "logProbs"), 0);
    const struct op_place loss = op_source(call, number_of(call, "negLogLikelihood"), 0);
    const struct op_place alpha = op_source(call, number_of(call, "logAlpha"), 0);
    if (op_view_is_empty(&out.view)) return;
    const struct op_place targets = targets_of(call);
    struct k_ctc *ctc = ctc_of(call, &p.view, &targets.view, &alpha.view);
    if (!ctc) return;
    ctc->loss_stride = one_stride(&loss.view);
    ctc->grad_stride = one_stride(&grad.view);
    three_strides(&out.view, 1, ctc->out_strides);
    const struct k_work work = k_ctc_plan(ctc, true);
    ex_step_with_faults(call->plan, "ctc_grad", k_best()->ctc_grad, ctc, bytes_of(ctc), work,
                        EX_BUFFERS(p.buffer, targets.buffer, scratch_of(call, ctc), loss.buffer,
                                   alpha.buffer, grad.buffer, out.buffer),
                        describe_ctc);
    rt_free(ctc);
}

/* Empty targets and no times at all have a loss. */
const struct op_rule op_rule_ctc = {
    .types = ctc_types,
    .shapes = ctc_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_ctc},
};
const struct op_rule op_rule_ctc_grad = {
    .types = ctc_types,
    .shapes = ctc_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_ctc_grad},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* A call of an operator by its name as a call of an aclnn operator: its tensors are made, used and
 * destroyed here. The first failure stays in `status`; what is asked for after it is NULL. */
#ifndef ACLNN_CPU_API_OP_NAMED_CALL_H
#define ACLNN_CPU_API_OP_NAMED_CALL_H

#include "api/op_by_name.h"
#include "api/op_copy.h"

#include "aclnn/acl_meta.h"

enum { OP_NAMED_OBJECTS = 64, OP_NAMED_BLOCKS = 8 };
enum op_named_side { OP_NAMED_INPUT, OP_NAMED_OUTPUT };

struct op_named_run {
    const char *who;
    const struct op_named_call *call;
    aclrtStream stream;
    aclError status;
    int tensor_count, list_count, block_count;
    aclTensor *tensors[OP_NAMED_OBJECTS]; /* that are in no list */
    aclTensorList *lists[OP_NAMED_OBJECTS];
    void *blocks[OP_NAMED_BLOCKS];
};

/* The attribute has one of the texts, or lacks and the first is NULL. Texts are those of
 * aclopSetAttr*: "true", "1", "\"tanh\"". */
struct op_named_attribute {
    const char *name;
    const char *texts[3];
};
void op_named_attributes(struct op_named_run *run, const struct op_named_attribute *known,
                         int count);

/* What an attribute says, `missing` where it is not set. A text that is none of it fails. */
double op_named_real(struct op_named_run *run, const char *name, double missing);
bool op_named_truth(struct op_named_run *run, const char *name, bool missing);
int64_t op_named_integer(struct op_named_run *run, const char *name, int64_t missing);
/* The values of a list of at most so many integers, which is the rule; returns how many, -1 where
 * it is not set or has failed. */
int op_named_integers(struct op_named_run *run, const char *name, int64_t *values, int most,
                      const char *rule);
/* Fails with this rule about an attribute: "it must ...". */
void op_named_refuse(struct op_named_run *run, const char *name, const char *rule);

/* There are at least so many inputs and outputs. */
void op_named_counts(struct op_named_run *run, int inputs, int outputs);

/* Fails with this rule, "it must ...", about a tensor unless it is held to. */
void op_named_demand(struct op_named_run *run, enum op_named_side side, int index, bool is_held,
                     const char *rule);

/* An input that is left out has no type. */
bool op_named_is_there(const struct op_named_run *run, enum op_named_side side, int index);

/* All of a tensor, dense, with axes of one element in front up to that rank; nothing after a
 * failure. */
struct op_view op_named_view(struct op_named_run *run, enum op_named_side side, int index,
                             int rank);
/* The same of its own rank. */
struct op_view op_named_whole(struct op_named_run *run, enum op_named_side side, int index);
/* The same in this shape, which is the tensor's but for axes of one element in front. */
struct op_view op_named_shaped(struct op_named_run *run, enum op_named_side side, int index,
                               int rank, const int64_t *sizes);

/* Elements of a tensor, of this format. */
aclTensor *op_named_formatted(struct op_named_run *run, enum op_named_side side, int index,
                              const struct op_view *view, aclFormat format);
/* The same of format ND. */
aclTensor *op_named_tensor(struct op_named_run *run, enum op_named_side side, int index,
                           const struct op_view *view);
/* Zeros of the device. */
aclTensor *op_named_zeros(struct op_named_run *run, aclDataType type, int64_t count);
/* Scratch in the shape of a view, of this type. */
aclTensor *op_named_scratch(struct op_named_run *run, aclDataType type, const struct op_view *view);
/* Takes the tensors over. */
aclTensorList *op_named_list(struct op_named_run *run, int count, aclTensor *const *tensors);

/* Runs phase 2, if phase 1, whose code and results these are, has succeeded, and destroys all that
 * was made. */
typedef aclnnStatus op_named_phase2(void *workspace, uint64_t bytes, aclOpExecutor *executor,
                                    aclrtStream stream);
void op_named_launch(struct op_named_run *run, aclnnStatus phase1, uint64_t bytes,
                     aclOpExecutor *executor, op_named_phase2 *phase2);
void op_named_end(struct op_named_run *run);

/* ---- operators ---- */

void op_named_rnn(struct op_named_run *run);
void op_named_rnn_grad(struct op_named_run *run);
void op_named_rnn_v2(struct op_named_run *run);
void op_named_rnn_v2_grad(struct op_named_run *run);
void op_named_gru_v2(struct op_named_run *run);
void op_named_gru_v2_grad(struct op_named_run *run);
void op_named_conv2d(struct op_named_run *run);
void op_named_cdist_grad(struct op_named_run *run);
void op_named_lp_norm_reduce(struct op_named_run *run);
void op_named_lp_norm_update(struct op_named_run *run);
void op_named_swish(struct op_named_run *run);
void op_named_swish_grad(struct op_named_run *run);
void op_named_silu_grad(struct op_named_run *run);
void op_named_mish(struct op_named_run *run);
void op_named_mish_grad(struct op_named_run *run);
void op_named_fast_gelu(struct op_named_run *run);
void op_named_fast_gelu_grad(struct op_named_run *run);
void op_named_masked_softmax(struct op_named_run *run);
void op_named_masked_softmax_grad(struct op_named_run *run);
void op_named_labels(struct op_named_run *run);
void op_named_arg_max(struct op_named_run *run);
void op_named_arg_min(struct op_named_run *run);
void op_named_batch_matmul(struct op_named_run *run);
void op_named_iou(struct op_named_run *run);
void op_named_transpose(struct op_named_run *run);
void op_named_broadcast_to(struct op_named_run *run);
void op_named_pad(struct op_named_run *run);
void op_named_slice(struct op_named_run *run);
void op_named_confusion_transpose(struct op_named_run *run);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by their names that move elements: Transpose, BroadcastTo, Slice, Pad, whose numbers
 * are constant inputs (aclSetTensorConst), and ConfusionTransposeD. */
#include <string.h>

#include "api/op_named_call.h"
#include "api/op_shape.h"
#include "api/tensor_desc.h"
#include "runtime/support/error.h"

#include "aclnnop/aclnn_confusion_transpose.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_permute.h"

enum { NUMBERS = 2 * EX_MAX_RANK };

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

/* What an input has told of its contents, or has on the host; NULL: neither, or too little. */
static const char *contents_of(const struct op_named_run *run, int index, size_t bytes)
{
    const struct op_stored_tensor tensor = op_stored_tensor(run->call->input[index]);
    const aclDataBuffer *data = run->call->input_data[index];
    if (tensor.constant && tensor.constant_size >= bytes) return tensor.constant;
    if (!tensor.is_on_host || !data || aclGetDataBufferSizeV2(data) < bytes) return NULL;
    return aclGetDataBufferAddr(data);
}

/* An input of numbers, INT32 or INT64; returns how many there are, 0 after a failure. */
static int numbers_of(struct op_named_run *run, int index, int64_t values[NUMBERS])
{
    int64_t count = 0;
    op_named_demand(run, IN, index, op_named_is_there(run, IN, index), "it must be there");
    if (run->status != ACL_SUCCESS) return 0;
    const struct op_stored_tensor tensor = op_stored_tensor(run->call->input[index]);
    const bool is_wide = tensor.type == ACL_INT64;
    op_named_demand(run, IN, index, is_wide || tensor.type == ACL_INT32,
                    "it must be INT64 or INT32");
    op_named_demand(run, IN, index,
                    tensor.rank <= EX_MAX_RANK &&
                        ex_element_count(tensor.sizes, tensor.rank, &count) && count <= NUMBERS,
                    "it must have 16 elements at most");
    if (run->status != ACL_SUCCESS || count == 0) return 0;
    const char *contents = contents_of(run, index, (size_t)count * (is_wide ? 8 : 4));
    op_named_demand(run, IN, index, contents != NULL,
                    "its contents must be constant, or lie on the host");
    for (int64_t i = 0; i < count && contents; i++) {
        int32_t narrow = 0;
        if (is_wide)
            memcpy(&values[i], contents + i * 8, sizeof *values);
        else
            memcpy(&narrow, contents + i * 4, sizeof narrow);
        if (!is_wide) values[i] = narrow;
    }
    return contents ? (int)count : 0;
}

static aclIntArray *array_of(struct op_named_run *run, const int64_t *values, int count)
{
    aclIntArray *array = aclCreateIntArray(values, (uint64_t)count);
    if (!array && run->status == ACL_SUCCESS)
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for an array");
    return array;
}

static aclTensor *whole(struct op_named_run *run, enum op_named_side side)
{
    const struct op_view view = op_named_whole(run, side, 0);
    return op_named_tensor(run, side, 0, &view);
}

typedef aclnnStatus whole_phase1(const aclTensor *x, const aclIntArray *numbers, aclTensor *y,
                                 uint64_t *bytes, aclOpExecutor **executor);
typedef aclnnStatus whole_phase2(void *workspace, uint64_t bytes, aclOpExecutor *executor,
                                 aclrtStream stream);

/* An operator of a tensor and the numbers in its second input. */
static void run_by_numbers(struct op_named_run *run, whole_phase1 *plan, whole_phase2 *launch)
{
    int64_t values[NUMBERS];
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, 2, 1);
    const int count = numbers_of(run, 1, values);
    aclTensor *x = whole(run, IN), *y = whole(run, OUT);
    aclIntArray *numbers = array_of(run, values, count);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 = plan(x, numbers, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, launch);
    }
    aclDestroyIntArray(numbers);
}

void op_named_transpose(struct op_named_run *run)
{
    run_by_numbers(run, aclnnPermuteGetWorkspaceSize, aclnnPermute);
}

void op_named_broadcast_to(struct op_named_run *run)
{
    run_by_numbers(run, aclnnExpandGetWorkspaceSize, aclnnExpand);
}

/* paddings: before and after, axis by axis; a padding of the last axis comes first in aclnn's. */
void op_named_pad(struct op_named_run *run)
{
    int64_t values[NUMBERS], padding[NUMBERS] = {0};
    float zero = 0;
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, 2, 1);
    const int count = numbers_of(run, 1, values);
    aclTensor *x = whole(run, IN), *y = whole(run, OUT);
    op_named_demand(run, IN, 1, count % 2 == 0, "it must have two numbers for each dimension");
    for (int i = 0; i < count / 2; i++)
        memcpy(padding + count - 2 - 2 * i, values + 2 * i, 2 * sizeof *values);
    aclIntArray *pads = array_of(run, padding, run->status == ACL_SUCCESS ? count : 0);
    aclScalar *value = aclCreateScalar(&zero, ACL_FLOAT);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 =
            aclnnConstantPadNdGetWorkspaceSize(x, pads, value, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnConstantPadNd);
    }
    aclDestroyIntArray(pads);
    aclDestroyScalar(value);
}

/* A size of -1 reaches to the end. */
void op_named_slice(struct op_named_run *run)
{
    int64_t begins[NUMBERS], sizes[NUMBERS];
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, 3, 1);
    const int count = numbers_of(run, 1, begins), size_count = numbers_of(run, 2, sizes);
    struct op_view from = op_named_whole(run, IN, 0);
    op_named_demand(run, IN, 1, count == from.rank, "it must have a number for each dimension");
    op_named_demand(run, IN, 2, size_count == from.rank,
                    "it must have a number for each dimension");
    for (int i = 0; i < from.rank && run->status == ACL_SUCCESS; i++) {
        const int64_t all = from.sizes[i], begin = begins[i];
        const bool is_inside = begin >= 0 && begin <= all;
        op_named_demand(run, IN, 1, is_inside, "its numbers must lie inside of the dimensions");
        const int64_t rest = is_inside ? all - begin : 0, size = sizes[i] == -1 ? rest : sizes[i];
        op_named_demand(run, IN, 2, size >= 0 && size <= rest,
                        "its numbers must end inside of the dimensions");
        if (run->status == ACL_SUCCESS) from = op_view_part(&from, i, begin, 1, size);
    }
    const aclTensor *x = op_named_tensor(run, IN, 0, &from);
    const struct op_view to = op_named_shaped(run, OUT, 0, from.rank, from.sizes);
    aclTensor *y = op_named_tensor(run, OUT, 0, &to);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus phase1 = aclnnInplaceCopyGetWorkspaceSize(y, x, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnInplaceCopy);
}

void op_named_confusion_transpose(struct op_named_run *run)
{
    static const char rule[] = "be a list of 8 integers at most";
    int64_t orders[EX_MAX_RANK], sizes[EX_MAX_RANK];
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, 1, 1);
    const int order_count = op_named_integers(run, "perm", orders, EX_MAX_RANK, rule);
    const int size_count = op_named_integers(run, "shape", sizes, EX_MAX_RANK, rule);
    const bool is_first = op_named_truth(run, "transpose_first", false);
    if (order_count < 0) op_named_refuse(run, "perm", rule);
    if (size_count < 0) op_named_refuse(run, "shape", rule);
    aclTensor *x = whole(run, IN), *y = whole(run, OUT);
    aclIntArray *order = array_of(run, orders, order_count < 0 ? 0 : order_count);
    aclIntArray *shape = array_of(run, sizes, size_count < 0 ? 0 : size_count);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 = aclnnConfusionTransposeGetWorkspaceSize(
            x, order, shape, is_first, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnConfusionTranspose);
    }
    aclDestroyIntArray(order);
    aclDestroyIntArray(shape);
}

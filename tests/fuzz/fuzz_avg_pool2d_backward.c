/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2dBackward, whose contract says of each call whether it must be accepted. */
#include <string.h>

#include "tests/support/rig_fuzz.h"
#include "tests/support/rows.h"

enum { DY, SELF, DX, TENSORS };
enum { KERNEL, STRIDE, PAD, ARRAYS };
enum { CEIL = 0, MATH = 3, LAST_MATH = 3, COUNTABLE = 4096 };

static int64_t entry(const struct rig_array *array, int axis)
{
    return array->values[array->length > 1 ? axis : 0];
}

static bool has_stride(const struct rig_call *call)
{
    return !call->array[STRIDE].is_null && call->array[STRIDE].length > 0;
}

static bool is_empty(const struct operand *operand)
{
    for (int i = 0; i < operand->rank; i++)
        if (operand->dims[i] == 0) return true;
    return false;
}

/* Of a type and format that pooling takes, and no size below 0. */
static bool is_tensor(const struct operand *operand)
{
    if (operand->type != ACL_FLOAT && operand->type != ACL_FLOAT16 && operand->type != ACL_BF16)
        return false;
    if (operand->format != ACL_FORMAT_NCHW && operand->format != ACL_FORMAT_NCL) return false;
    for (int i = 0; i < operand->rank; i++)
        if (operand->dims[i] < 0) return false;
    return operand->rank == 3 || operand->rank == 4;
}

static bool has_entries(const struct rig_array *array, int64_t least)
{
    if (array->is_null || array->length < 1 || array->length > 2) return false;
    for (int i = 0; i < array->length; i++)
        if (array->values[i] < least) return false;
    return true;
}

static bool same_dims(const struct operand *a, const struct operand *b, int count)
{
    return memcmp(a->dims, b->dims, (size_t)count * sizeof a->dims[0]) == 0;
}

/* Windows of one axis, in numbers that cannot overflow. */
static bool extent_fits(const struct rig_call *call, int axis)
{
    const struct operand *dy = &call->operand[DY], *dx = &call->operand[DX];
    const bool ceil = call->number[CEIL] != 0;
    __int128 input = dx->dims[dx->rank - 2 + axis], kernel = entry(&call->array[KERNEL], axis);
    __int128 pad = entry(&call->array[PAD], axis), stride = kernel;
    if (has_stride(call)) stride = entry(&call->array[STRIDE], axis);
    __int128 room = input + 2 * pad - kernel, output;
    if (room < 0 && !(ceil && room > -stride)) return false; /* ceil: one that is cut off */
    output = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    if (ceil && (output - 1) * stride >= input + pad) output--;
    return dy->dims[dy->rank - 2 + axis] == output;
}

/* All rules of the arguments but those of views. */
static bool has_sound_arguments(const struct rig_call *call)
{
    const struct operand *dy = &call->operand[DY], *dx = &call->operand[DX];
    const struct rig_array *kernel = &call->array[KERNEL], *pad = &call->array[PAD];
    const int8_t math = (int8_t)call->number[MATH];
    if (call->no_size || call->no_executor) return false;
    for (int i = 0; i < TENSORS; i++)
        if (call->is_null[i] || !is_tensor(&call->operand[i])) return false;
    if (dy->type != dx->type || dy->rank != dx->rank || call->operand[SELF].rank != dx->rank)
        return false;
    if (dx->rank == 4 && (dy->format != ACL_FORMAT_NCHW || dx->format != ACL_FORMAT_NCHW))
        return false;
    if (!has_entries(kernel, 1) || !has_entries(pad, 0) || math < 0 || math > LAST_MATH)
        return false;
    if (has_stride(call) && !has_entries(&call->array[STRIDE], 1)) return false;
    for (int i = 0; i < 2; i++)
        if (entry(pad, i) > entry(kernel, i) / 2) return false;
    if (!same_dims(&call->operand[SELF], dx, dx->rank)) return false;
    if (is_empty(dy) || is_empty(dx)) return true;
    return same_dims(dy, dx, dx->rank - 2) && extent_fits(call, 0) && extent_fits(call, 1);
}

/* A dense view of countable size in memory that holds it. */
static bool has_plain_view(const struct operand *operand)
{
    int64_t step = 1;
    if (operand->offset < 0 || operand->offset > COUNTABLE) return false;
    for (int i = operand->rank - 1; i >= 0; i--) {
        if (operand->dims[i] > COUNTABLE || operand->strides[i] != step) return false;
        step *= operand->dims[i];
    }
    return is_empty(operand) || operand->storage >= operand->offset + step;
}

static bool is_vast(const struct rig_array *array)
{
    for (int i = 0; !array->is_null && i < array->length; i++)
        if (array->values[i] > INT32_MAX) return true;
    return false;
}

/* Plain views of countable size and windows below 2^31 are no reason to refuse. */
static enum rig_verdict verdict(const struct rig_call *call)
{
    if (!has_sound_arguments(call)) return RIG_WRONG;
    for (int i = 0; i < TENSORS; i++)
        if (!has_plain_view(&call->operand[i])) return RIG_EITHER;
    for (int i = 0; i < ARRAYS; i++)
        if (is_vast(&call->array[i])) return RIG_EITHER;
    return RIG_SOUND;
}

static const struct rig_operator *const rig_rows[] = {&rig_avg_pool2d_backward, NULL};

#define RIG_CONTRACT verdict
#include "tests/fuzz/rig_target.h"

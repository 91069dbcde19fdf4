/* SPDX-License-Identifier: Apache-2.0 */
/* aclTensor: a counted description of a view of device memory. It stores what it is given, as CANN
 * does; whether sizes, strides, type and format make sense is each operator's to check. */
#include "api/tensor.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/log.h"

#include "aclnn/opdev/op_errno.h"

enum { MAX_STORED_RANK = 25 }; /* as CANN's */

/* The arguments of aclCreateTensor and aclInitTensor. */
struct shape {
    const int64_t *sizes;
    const int64_t *strides; /* NULL: row-major */
    const int64_t *storage_sizes;
    uint64_t rank;
    uint64_t storage_rank;
    int64_t offset;
    aclDataType data_type;
    aclFormat format;
};

static aclnnStatus check_shape(const char *who, const struct shape *s)
{
    if (s->rank && !s->sizes)
        return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, who,
                               "viewDims is NULL, but viewDimsNum is %" PRIu64, s->rank);
    if (s->storage_rank && !s->storage_sizes)
        return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, who,
                               "storageDims is NULL, but storageDimsNum is %" PRIu64,
                               s->storage_rank);
    if (s->rank > MAX_STORED_RANK)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "viewDimsNum is %" PRIu64 "; it must not exceed %d", s->rank,
                               MAX_STORED_RANK);
    if (s->storage_rank > MAX_STORED_RANK)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "storageDimsNum is %" PRIu64 "; it must not exceed %d",
                               s->storage_rank, MAX_STORED_RANK);
    return ACLNN_SUCCESS;
}

static uint64_t extents(const struct shape *s)
{
    return 2 * s->rank + s->storage_rank;
}

static bool is_private(aclFormat format)
{
    switch (format) {
    case ACL_FORMAT_NC1HWC0:
    case ACL_FORMAT_FRACTAL_Z:
    case ACL_FORMAT_NC1HWC0_C04:
    case ACL_FORMAT_FRACTAL_NZ:
    case ACL_FORMAT_NDC1HWC0:
    case ACL_FRACTAL_Z_3D:
    case ACL_FORMAT_FRACTAL_NZ_C0_16:
    case ACL_FORMAT_FRACTAL_NZ_C0_32:
    case ACL_FORMAT_FRACTAL_NZ_C0_2:
    case ACL_FORMAT_FRACTAL_NZ_C0_4:
    case ACL_FORMAT_FRACTAL_NZ_C0_8:
        return true;
    default:
        return false;
    }
}

/* A stride that does not fit is INT64_MAX: no operator accepts a tensor of that many elements. */
static void row_major(int64_t *strides, const int64_t *sizes, uint64_t rank)
{
    int64_t stride = 1;
    for (uint64_t i = rank; i-- > 0;) {
        strides[i] = stride;
        if (!rt_mul_ok(stride, sizes[i], &stride)) stride = INT64_MAX;
    }
}

static void copy_extents(int64_t *to, const int64_t *from, uint64_t count)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

/* Everything but the references and the address; block holds extents(s) values. */
static void describe(struct ex_descriptor *d, int64_t *block, const struct shape *s)
{
    int64_t *strides = block + s->rank, *storage_sizes = strides + s->rank;
    copy_extents(block, s->sizes, s->rank);
    if (s->strides)
        copy_extents(strides, s->strides, s->rank);
    else
        row_major(strides, block, s->rank);
    copy_extents(storage_sizes, s->storage_sizes, s->storage_rank);

    d->data_type = s->data_type;
    d->format = d->storage_format = s->format;
    d->rank = (int)s->rank;
    d->storage_rank = (int)s->storage_rank;
    d->offset = s->offset;
    d->sizes = block;
    d->strides = strides;
    d->storage_sizes = storage_sizes;
    if (is_private(s->format))
        rt_log(ACL_WARNING,
               "a tensor has the private format %d; operators refuse it, but products of matrices "
               "take FRACTAL_NZ as ND",
               (int)s->format);
}

static void free_tensor(struct ex_descriptor *descriptor)
{
    aclTensor *tensor = (aclTensor *)descriptor;
    rt_free(tensor->separate);
    rt_free(tensor);
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)
{
    struct shape shape = {
        .sizes = viewDims,
        .strides = stride,
        .storage_sizes = storageDims,
        .rank = viewDimsNum,
        .storage_rank = storageDimsNum,
        .offset = offset,
        .data_type = dataType,
        .format = format,
    };
    if (check_shape(__func__, &shape) != ACLNN_SUCCESS) return NULL;

    aclTensor *tensor = rt_alloc(sizeof *tensor + extents(&shape) * sizeof tensor->own[0]);
    if (!tensor) {
        RT_ERROR(ACLNN_ERR_INNER, "no host memory for a tensor of %" PRIu64 " dimensions",
                 viewDimsNum);
        return NULL;
    }
    tensor->separate = NULL;
    tensor->capacity = extents(&shape);
    tensor->descriptor.free = free_tensor;
    atomic_init(&tensor->descriptor.references, 1);
    atomic_init(&tensor->descriptor.is_destroyed, false);
    atomic_init(&tensor->descriptor.address, tensorData);
    describe(&tensor->descriptor, tensor->own, &shape);
    rt_check_born(RT_CHECK_TENSOR, tensor, 0);
    return tensor;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t *stride, int64_t offset,
                          aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                          void *tensorDataAddr)
{
    struct shape shape = {
        .sizes = viewDims,
        .strides = stride,
        .storage_sizes = storageDims,
        .rank = viewDimsNum,
        .storage_rank = storageDimsNum,
        .offset = offset,
        .data_type = dataType,
        .format = format,
    };
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    aclnnStatus status = check_shape(__func__, &shape);
    if (status != ACLNN_SUCCESS) return status;

    int64_t *block = tensor->separate ? tensor->separate : tensor->own;
    if (extents(&shape) > tensor->capacity) {
        block = rt_alloc(extents(&shape) * sizeof *block);
        RT_CHECK(block, ACLNN_ERR_INNER, "no host memory for a tensor of %" PRIu64 " dimensions",
                 viewDimsNum);
        rt_free(tensor->separate);
        tensor->separate = block;
        tensor->capacity = extents(&shape);
    }
    describe(&tensor->descriptor, block, &shape);
    return aclSetRawTensorAddr(tensor, tensorDataAddr);
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    struct ex_descriptor *descriptor = (struct ex_descriptor *)(uintptr_t)tensor;
    if (rt_check_on() && descriptor) {
        rt_check_died(RT_CHECK_TENSOR, tensor);
        atomic_store_explicit(&descriptor->is_destroyed, true, memory_order_relaxed);
    }
    ex_descriptor_release(descriptor);
    return ACLNN_SUCCESS;
}

/* The getters' arrays are the caller's to delete[]; an empty one is not NULL either. */
static aclnnStatus give_copy(const char *who, const char *what, const int64_t *values, int count,
                             int64_t **copy, const char *count_name, uint64_t *copied)
{
    if (!copy || !copied)
        return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, who, "%s is NULL",
                               copy ? count_name : what);
    int64_t *array = rt_alloc_for_delete((size_t)count * sizeof *array);
    if (!array) return rt_error_report(ACLNN_ERR_INNER, who, "no host memory for %d values", count);
    copy_extents(array, values, (uint64_t)count);
    *copy = array;
    *copied = (uint64_t)count;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    return give_copy(__func__, "viewDims", tensor->descriptor.sizes, tensor->descriptor.rank,
                     viewDims, "viewDimsNum", viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                               uint64_t *storageDimsNum)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    return give_copy(__func__, "storageDims", tensor->descriptor.storage_sizes,
                     tensor->descriptor.storage_rank, storageDims, "storageDimsNum",
                     storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    return give_copy(__func__, "stridesValue", tensor->descriptor.strides, tensor->descriptor.rank,
                     stridesValue, "stridesNum", stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    RT_CHECK(offset, ACLNN_ERR_PARAM_NULLPTR, "offset is NULL");
    *offset = tensor->descriptor.offset;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    RT_CHECK(format, ACLNN_ERR_PARAM_NULLPTR, "format is NULL");
    *format = (aclFormat)tensor->descriptor.format;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    RT_CHECK(dataType, ACLNN_ERR_PARAM_NULLPTR, "dataType is NULL");
    *dataType = (aclDataType)tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    atomic_store_explicit(&tensor->descriptor.address, addr, memory_order_release);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    RT_CHECK(tensor, ACLNN_ERR_PARAM_NULLPTR, "tensor is NULL");
    RT_CHECK(addr, ACLNN_ERR_PARAM_NULLPTR, "addr is NULL");
    *addr = atomic_load_explicit(&tensor->descriptor.address, memory_order_acquire);
    return ACLNN_SUCCESS;
}

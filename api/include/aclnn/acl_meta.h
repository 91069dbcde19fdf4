/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of tensors, scalars and arrays, which operators take, and the life of an executor.
 * Semantics are those of CANN 8.1; valid C11 as well as C++11.
 *
 * An object describes host values, which are copied when it is made, or device memory, which it
 * only points at. Different objects may be used from any threads at once; one object by one thread
 * at a time. An operator keeps what it needs: objects may be destroyed as soon as phase 1 or phase
 * 2 has returned, and also after aclFinalize.
 *
 * A constructor that fails returns NULL, every other function a code: ACLNN_ERR_PARAM_NULLPTR
 * (161001) for a required pointer that is NULL, ACLNN_ERR_PARAM_INVALID (161002) for a value that
 * is not allowed, ACLNN_ERR_INNER (561000) when host memory is exhausted. aclGetRecentErrMsg has
 * the text. Results are written on success only. */
#ifndef OP_API_OP_API_COMMON_INC_EXTERNAL_ACL_META_H
#define OP_API_OP_API_COMMON_INC_EXTERNAL_ACL_META_H

#ifdef __cplusplus
#include <cstdint>
#include <cstdlib>
#else
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#endif

#include <acl/acl_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Headers of custom operators define the same block behind the same fence. */
#ifndef ACLNN_META
#define ACLNN_META
typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

typedef int32_t aclnnStatus;
#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#else
static const aclnnStatus OK = 0;
#endif
#endif

/* ---- Tensors ---- */

/* Describes a view of device memory: element (i0, i1, ...) lies at
 *     tensorData + (offset + i0 * stride[0] + i1 * stride[1] + ...) * size of an element.
 * viewDims: viewDimsNum extents, at most 25; NULL for none, which means one element. A zero makes
 *     the tensor empty.
 * stride: as many steps in elements, 0 repeating an element; NULL means row-major.
 * offset: in elements.
 * storageDims: the shape of the memory behind the view, at most 25 extents; commonly viewDims, or
 *     one extent with the number of elements.
 * tensorData: aligned to its elements; may be NULL and set later. Stays the caller's.
 * Only NULL arrays and counts are checked here. Operators check the rest: that there are at most 8
 * extents, that none, no stride and no offset is negative, that the view lies inside the storage,
 * and that they know the type and the format. */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
                                               aclDataType dataType, const int64_t *stride,
                                               int64_t offset, aclFormat format,
                                               const int64_t *storageDims, uint64_t storageDimsNum,
                                               void *tensorData);

/* Describes something else with the same object, as aclCreateTensor would. On failure the tensor is
 * as before. Plans made before keep the old shape and follow the new address. */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims,
                                              uint64_t viewDimsNum, aclDataType dataType,
                                              const int64_t *stride, int64_t offset,
                                              aclFormat format, const int64_t *storageDims,
                                              uint64_t storageDimsNum, void *tensorDataAddr);

/* Never touches the memory behind it. NULL is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);

/* Each gives a new array, never NULL, and its length. The caller releases the array with delete[];
 * in a program without C++, with free. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
                                                uint64_t *viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                                   uint64_t *storageDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                                  uint64_t *stridesNum);

ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);

/* The address that offset 0 means. A repeatable executor uses it from its next phase 2 on. May be
 * called while work is queued: that keeps the address it was queued with. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/* ---- Scalars ---- */

/* Copies one value of the type (aclDataTypeSize bytes) from *value, which needs no alignment. NULL
 * for a NULL value, for ACL_STRING and for a value that is no type. */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value, aclDataType dataType);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);

/* ---- Arrays of host values ---- */

/* Copies size values. value NULL or size 0 makes an empty array. */
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);

/* NULL is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);

ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);

/* ---- Lists ---- */

/* Copies the pointers and takes over the elements: whoever destroys the list destroys them, and
 * must not do so himself. Elements may be NULL. value NULL or size 0 makes an empty list. */
ACL_FUNC_VISIBILITY aclTensorList *aclCreateTensorList(const aclTensor *const *value,
                                                       uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList *aclCreateScalarList(const aclScalar *const *value,
                                                       uint64_t size);

/* Destroys the list and its elements. NULL is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList *array);

ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList,
                                                     uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList,
                                                     uint64_t *size);

/* ---- Executors ----
 * Phase 1 gives an executor. Phase 2 consumes it, whether or not it succeeds, unless it was made
 * repeatable in between. One executor is used by one thread at a time.
 *
 * An executor is a handle, not an address. One that is used up or destroyed, and any other value,
 * is refused at any time: by phase 2 with ACLNN_ERR_PARAM_INVALID (161002), by the functions below
 * with ACLNN_ERR_INNER (561000). */

/* Lets phase 2 run any number of times, each with its own workspace and stream, and while earlier
 * runs are still queued. ACLNN_ERR_INNER_NULLPTR (561103) for NULL. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);

/* Frees a repeatable executor, or one whose phase 2 will never be called. Work that it queued is
 * not affected. ACLNN_ERR_INNER_NULLPTR (561103) for NULL. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

/* Each sets the address of one tensor of a repeatable executor from its next phase 2 on, as
 * aclSetRawTensorAddr does. index counts the tensors of phase 1 from 0 as they are declared: inputs
 * alone, outputs alone, or (aclSetTensorAddr) inputs, then outputs. A tensor list counts as one.
 * The Dynamic forms mean element relativeIndex of the list at irIndex. The tensor or list must be
 * the one that phase 1 was given. ACLNN_ERR_INNER_NULLPTR (561103) for a NULL executor, tensor or
 * list, ACLNN_ERR_PARAM_INVALID (161002) for an index beyond the last and for a list where the
 * other form is meant. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index,
                                                      aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index,
                                                       aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index,
                                                 aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor,
                                                             size_t irIndex,
                                                             const size_t relativeIndex,
                                                             aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor,
                                                              size_t irIndex,
                                                              const size_t relativeIndex,
                                                              aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex,
                                                        aclTensorList *tensors, void *addr);

/* The same six under the names that CANN first gave them. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index,
                                                      aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index,
                                                       aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index,
                                                 aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor,
                                                             size_t irIndex,
                                                             const size_t relativeIndex,
                                                             aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor,
                                                              size_t irIndex,
                                                              const size_t relativeIndex,
                                                              aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex,
                                                        aclTensorList *tensors, void *addr);

#ifdef __cplusplus
}
#endif

#endif

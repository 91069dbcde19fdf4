/* SPDX-License-Identifier: Apache-2.0 */
/* The older single-operator interface: attributes are kept, and the few operators that
 * aclopExecuteV2 names can be run by their names. For others that takes a compiler and a store of
 * compiled operators, which are not here. */
#ifndef INC_EXTERNAL_ACL_ACL_OP_H_
#define INC_EXTERNAL_ACL_ACL_OP_H_

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_OP_DUMP_OP_AICORE_ARGS 0x00000001U

typedef struct aclopHandle aclopHandle;
typedef struct aclopAttr aclopAttr;
typedef struct aclopKernelDesc aclopKernelDesc;

typedef void (*aclDataDeallocator)(void *data, size_t length);

static const int ACL_COMPILE_FLAG_BIN_SELECTOR = 1;

typedef enum aclEngineType {
    ACL_ENGINE_SYS,
    ACL_ENGINE_AICORE,
    ACL_ENGINE_VECTOR,
} aclopEngineType;

typedef aclError (*aclopCompileFunc)(int numInputs, const aclTensorDesc *const inputDesc[],
                                     int numOutputs, const aclTensorDesc *const outputDesc[],
                                     const aclopAttr *opAttr, aclopKernelDesc *aclopKernelDesc);

/* A set of named values. Setting a name again replaces its value; everything is copied. NULL
 * without host memory. One object must not be used by two threads at once. */
ACL_FUNC_VISIBILITY aclopAttr *aclopCreateAttr(void);

/* NULL is fine. */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr *attr);

/* ACL_ERROR_INVALID_PARAM for NULL, a negative number of values, and values that are missing. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName,
                                              uint8_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName,
                                             int64_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName,
                                               float attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr *attr, const char *attrName,
                                                const char *attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName,
                                                  aclDataType attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName,
                                                      int numValues, const aclDataType values[]);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName,
                                                  int numValues, const uint8_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName,
                                                 int numValues, const int64_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName,
                                                   int numValues, const float *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName,
                                                    int numValues, const char **values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName,
                                                     int numLists, const int *numValues,
                                                     const int64_t *const values[]);

/* Runs an operator by its name, as work of the stream, on tensors in device memory, row-major in
 * their formats, of known shapes.
 *
 * Copies of one input to one output:
 * - "Identity" and "TransData": of one type. Between NCHW, NHWC and HWCN, and between NCDHW and
 *   NDHWC, axes are permuted; ND on one side, or one format on both, keeps their order. NC and NCL.
 * - "TensorMove": of one type and format.
 * - "Cast": to the output's type, as aclnnInplaceCopy casts.
 *
 * "Conv2D": aclnnConvolution of x and filter to y with cubeMathType 0; a third input is bias.
 * strides, and dilations (all 1 if not set), have 4 integers in the order of data_format, 1 for N
 * and C; pads has top, bottom, left and right; groups is 1 if not set. data_format is "NCHW" or
 * "NHWC", which it is if not set: the format of x and y unless theirs is ND, and of a filter whose
 * format is ND; others are NCHW, NHWC or HWCN. offset_w must be left out and offset_x be 0.
 *
 * "LpNormReduceV2": y = the sum of |x|^p along axes (all if none is named), which keepdim keeps as
 * axes of one element; p = 0 counts what is not 0, infinite ones, which INT_MAX and INT_MIN mean
 * too, take the extreme. "LpNormUpdateV2": y = the larger of x^(1/p), for p 0, 1 and infinite ones
 * x itself, and epsilon, 1e-12 if not set and 1e-7 of FLOAT16 at least if not 0. p is 2 if not set.
 *
 * "CdistGrad": aclnnCdistBackward of grad, x1, x2 and the distances, with p 2 if not set. Where x1
 * has more axes than y, all are (..., P, R, M), as torch_npu repeats them: grad and the distances
 * along M, x1 along R, x2 along P; the first of what is repeated is read. y is (..., P, M), summed
 * over axes of the batch that it lacks or has once.
 *
 * "Swish" and "SwishGrad" (scale), "SiluGrad", "Mish", "MishGrad", "FastGelu", "FastGeluGrad",
 * "ScaledMaskedSoftmax" and its "Grad", "SoftmaxCrossEntropyWithLogits", "BatchMatMul" (adj_x1,
 * adj_x2), "ArgMaxWithValue" and "ArgMinWithValue" (dimension, keep_dims; places first), "Iou" (a
 * row for each box of gtboxes), "ConfusionTransposeD": the aclnn functions of these names.
 * "Transpose", "BroadcastTo", "Pad" (with zeros) and "Slice": x and lists of numbers, inputs that
 * lie on the host or whose contents aclSetTensorConst has told.
 *
 * "DynamicRNN", "DynamicRNNV2", "DynamicGRUV2" and, with "Grad" behind the name, their gradients:
 * one direction of one layer by aclnnLSTM and aclnnGRU, sequences of one length.
 *
 * ACL_ERROR_API_NOT_SUPPORT for all else, with a text that names the operator, its tensors and its
 * attributes, or the attribute; ACL_ERROR_INVALID_PARAM for NULL, negative numbers, a buffer
 * smaller than its tensor, tensors and attributes that the operator does not take; the codes of the
 * aclnn operator. */
ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char *opType, int numInputs,
                                            aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                            int numOutputs, aclTensorDesc *outputDesc[],
                                            aclDataBuffer *outputs[], aclopAttr *attr,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif

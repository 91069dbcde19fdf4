/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of argument checks. Every check is one line: condition, code, and a sentence that
 * names the argument, the value found and the rule. */
#ifndef ACLNN_CPU_API_OP_CHECK_H
#define ACLNN_CPU_API_OP_CHECK_H

#include <inttypes.h>
#include <stdbool.h>

#include "aclnn/opdev/op_errno.h"
#include "api/tensor.h"
#include "kernels/kernels.h"
#include "runtime/support/error.h"

/* Leaves the enclosing function when condition is false. op is the operator's name. */
#define OP_CHECK(op, condition, code, ...)                                                         \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) return rt_error_report((code), (op), __VA_ARGS__);  \
    } while (0)

/* Leaves the enclosing function when a check that it calls has failed. */
#define OP_TRY(check)                                                                              \
    do {                                                                                           \
        aclnnStatus op_try_status = (check);                                                       \
        if (__builtin_expect(op_try_status != ACLNN_SUCCESS, 0)) return op_try_status;             \
    } while (0)

/* A required pointer argument. */
#define OP_CHECK_NOT_NULL(op, argument)                                                            \
    OP_CHECK(op, (argument) != NULL, ACLNN_ERR_PARAM_NULLPTR, #argument " is NULL")

/* The part of a tensor that plans keep; they count references in it, so it is never const. */
static inline struct ex_descriptor *op_descriptor(const aclTensor *tensor)
{
    return (struct ex_descriptor *)&tensor->descriptor;
}

/* Names of values for messages; static storage. */
const char *op_data_type_name(aclDataType data_type);
const char *op_format_name(aclFormat format);

/* "(2, 3, 35, 35)" into text, which is returned. */
struct op_shape_text {
    char text[256];
};
const char *op_shape(struct op_shape_text *text, const aclTensor *tensor);
const char *op_shape_of(struct op_shape_text *text, int rank, const int64_t *sizes);

/* One of the types in the set (OP_TYPE of each), else 161002. rule names them for the message. */
#define OP_TYPE(type) (UINT64_C(1) << (type))
aclnnStatus op_check_type(const char *op, const char *argument, const aclTensor *tensor,
                          uint64_t types, const char *rule);
/* FLOAT, FLOAT16 or BF16, else 161002. */
aclnnStatus op_check_float(const char *op, const char *argument, const aclTensor *tensor);
aclnnStatus op_check_same_type(const char *op, const char *argument, const aclTensor *tensor,
                               const char *other_argument, const aclTensor *other);
/* The kernels' name of a floating, integer or BOOL type that a check has accepted. */
enum k_dtype op_k_dtype(const aclTensor *tensor);
enum k_dtype op_k_dtype_of(aclDataType type);

/* One of the formats in the set (OP_FORMAT of each), else 161002. The storage format counts. */
#define OP_FORMAT(format) (UINT64_C(1) << (format))
aclnnStatus op_check_format(const char *op, const char *argument, const aclTensor *tensor,
                            uint64_t formats, const char *rule);

/* Both storage formats are one, else 161002. */
aclnnStatus op_check_same_format(const char *op, const char *argument, const aclTensor *tensor,
                                 const char *other_argument, const aclTensor *other);
/* Not one of the device's own layouts (NC1HWC0, FRACTAL_Z, ...), else 161002. */
aclnnStatus op_check_public_format(const char *op, const char *argument, const aclTensor *tensor);
/* Nor one that lists the channels last, but for those in `honoured` (a set of OP_FORMATs). */
aclnnStatus op_check_channels_first(const char *op, const char *argument, const aclTensor *tensor,
                                    uint64_t honoured);
/* As many dimensions as the format counts: NCL 3, NCHW and NHWC 4, NCDHW and NDHWC 5; else 161002.
 * Other formats count none. */
aclnnStatus op_check_format_rank(const char *op, const char *argument, const aclTensor *tensor);

/* Dimensions: from least to most; as many as the other; all sizes as the other. Else 161002. */
aclnnStatus op_check_rank(const char *op, const char *argument, const aclTensor *tensor, int least,
                          int most);
aclnnStatus op_check_same_rank(const char *op, const char *argument, const aclTensor *tensor,
                               const char *other_argument, const aclTensor *other);
aclnnStatus op_check_same_shape(const char *op, const char *argument, const aclTensor *tensor,
                                const char *other_argument, const aclTensor *other);

/* cubeMathType in [0, last], else 161002. */
aclnnStatus op_check_math_type(const char *op, int8_t cube_math_type, int8_t last);

/* No size is negative, and the bytes of all elements can be counted. */
aclnnStatus op_check_sizes(const char *op, const char *argument, const aclTensor *tensor);

/* Elements follow each other in row-major order, whatever the offset; else 161002. */
aclnnStatus op_check_contiguous(const char *op, const char *argument, const aclTensor *tensor);

/* How many elements sizes say that op_check_sizes has taken. */
int64_t op_element_count(int rank, const int64_t *sizes);
bool op_is_empty(const aclTensor *tensor);
bool op_same_shape(const aclTensor *a, const aclTensor *b);

/* What phase 2 will touch exists and is sound: strides are not negative, no element
 * lies behind the allocation that holds the address (storage shapes are not asked), and an output's
 * elements do not share memory. That is exact but for strides so wild that the search for an
 * overlap is given up: those are refused (api/overlap.h). */
aclnnStatus op_check_input_view(const char *op, const char *argument, const aclTensor *tensor);
aclnnStatus op_check_output_view(const char *op, const char *argument, const aclTensor *tensor);

/* The axes of a format in the order of memory; NULL for a format that is cut into blocks, "" for
 * one that says nothing. */
const char *op_format_axes(aclFormat format);

#endif

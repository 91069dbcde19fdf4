/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_ACLNN_UTIL_H
#define OP_API_INC_ACLNN_UTIL_H

/* For all operators: entries of kernelSize (kernelShape), stride, padding and dilation (pads, ...)
 * of pooling, and strides, pads and dilations of convolution, are at most 2^31 - 1; larger ones are
 * refused with ACLNN_ERR_PARAM_INVALID (161002), as values out of range are. */

/* Marks an operator's two functions as public. */
#define ACLNN_API __attribute__((visibility("default")))

#endif

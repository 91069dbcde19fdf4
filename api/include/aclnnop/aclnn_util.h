/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_ACLNN_UTIL_H
#define OP_API_INC_ACLNN_UTIL_H

/* Marks an operator's two functions as public. */
#define ACLNN_API __attribute__((visibility("default")))

#endif

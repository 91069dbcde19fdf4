/* SPDX-License-Identifier: Apache-2.0 */
/* What every operator header includes. */
#ifndef OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H
#define OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lets operators be used without aclInit, as CANN 8.1; with aclInit there is no need for it, and no
 * harm. configPath may be NULL or name a JSON file, of which nothing is used: a file that is not
 * there is no error. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);

/* The counterpart. Releases nothing that aclFinalize would not. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif

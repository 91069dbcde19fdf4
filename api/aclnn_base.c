/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnInit and aclnnFinalize. Operators need no preparation beyond what the runtime does at first
 * use, so there is nothing to start, and what there is to end is aclFinalize's. */
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"

aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
    return ACLNN_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that CANN's acl.h brings. aclInit and its kin are declared in acl_rt.h, where newer
 * runtimes have them. */
#ifndef INC_EXTERNAL_ACL_ACL_H_
#define INC_EXTERNAL_ACL_ACL_H_

#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#endif

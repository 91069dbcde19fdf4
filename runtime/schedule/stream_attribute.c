/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams by their number. */
#include <inttypes.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/error.h"

static aclError refuse_attribute(const char *who, aclrtStreamAttr attribute)
{
    return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                           "stmAttrType is %d; it must be a value of aclrtStreamAttr",
                           (int)attribute);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    struct rt_stream *queue;
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    switch (stmAttrType) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        return aclrtSetStreamFailureMode(stream, value->failureMode);
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        return aclrtSetStreamOverflowSwitch(stream, value->overflowSwitch);
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        queue->custom_tag = value->userCustomTag;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        RT_CHECK(value->cacheOpInfoSwitch <= 1, ACL_ERROR_INVALID_PARAM,
                 "cacheOpInfoSwitch is %" PRIu32 "; it must be 0 or 1", value->cacheOpInfoSwitch);
        queue->cache_op_info = value->cacheOpInfoSwitch;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_PRIORITY:
        return RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "a stream has its priority from when it was made");
    default:
        return refuse_attribute(__func__, stmAttrType);
    }
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    struct rt_stream *queue;
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    aclrtStreamAttrValue found = {0};
    switch (stmAttrType) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        found.failureMode = queue->stops_on_failure ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
        break;
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        found.overflowSwitch = queue->overflow_switch;
        break;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        found.userCustomTag = queue->custom_tag;
        break;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        found.cacheOpInfoSwitch = queue->cache_op_info;
        break;
    case ACL_STREAM_ATTR_PRIORITY:
        found.streamPriority = queue->priority;
        break;
    default:
        return refuse_attribute(__func__, stmAttrType);
    }
    *value = found;
    return ACL_SUCCESS;
}

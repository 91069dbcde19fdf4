/* SPDX-License-Identifier: Apache-2.0 */
/* Options and properties of devices that a CPU keeps only to give them back, or knows from the
 * system. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/context.h"
#include "runtime/support/config.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"
#include "runtime/support/thread.h"

static struct rt_options process_options;
static _Atomic int saturation_mode = ACL_RT_OVERFLOW_MODE_INFNAN;

/* --- options -------------------------------------------------------------------------------- */

static aclError check_option(const char *who, aclSysParamOpt opt)
{
    if ((unsigned)opt < RT_OPTIONS) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "opt is %d; it must be a value of aclSysParamOpt", (int)opt);
}

static aclError set_option(const char *who, struct rt_options *options, aclSysParamOpt opt,
                           int64_t value)
{
    aclError status = check_option(who, opt);
    if (status != ACL_SUCCESS) return status;
    atomic_store_explicit(&options->value[opt], value, memory_order_relaxed);
    atomic_store_explicit(&options->is_set[opt], true, memory_order_release);
    return ACL_SUCCESS;
}

static aclError get_option(const char *who, struct rt_options *options, aclSysParamOpt opt,
                           int64_t *value)
{
    aclError status = check_option(who, opt);
    if (status != ACL_SUCCESS) return status;
    if (!value) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "value is NULL");
    if (!atomic_load_explicit(&options->is_set[opt], memory_order_acquire))
        return rt_error_report(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, who, "option %d has not been set",
                               (int)opt);
    *value = atomic_load_explicit(&options->value[opt], memory_order_relaxed);
    return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    return set_option(__func__, &process_options, opt, value);
}

/* 0 unless it was set. */
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    aclError status = check_option(__func__, opt);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    *value = atomic_load_explicit(&process_options.value[opt], memory_order_relaxed);
    return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    struct rt_context *context;
    aclError status = rt_context_current(__func__, &context);
    return status != ACL_SUCCESS ? status : set_option(__func__, &context->options, opt, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    struct rt_context *context;
    aclError status = rt_context_current(__func__, &context);
    return status != ACL_SUCCESS ? status : get_option(__func__, &context->options, opt, value);
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    RT_CHECK((unsigned)mode < ACL_RT_OVERFLOW_MODE_UNDEF, ACL_ERROR_INVALID_PARAM,
             "mode is %d; it must be a value of aclrtFloatOverflowMode", (int)mode);
    atomic_store_explicit(&saturation_mode, (int)mode, memory_order_relaxed);
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    RT_CHECK(mode, ACL_ERROR_INVALID_PARAM, "mode is NULL");
    *mode = (aclrtFloatOverflowMode)atomic_load_explicit(&saturation_mode, memory_order_relaxed);
    return ACL_SUCCESS;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    RT_CHECK((unsigned)tsId < ACL_TS_ID_RESERVED, ACL_ERROR_INVALID_PARAM,
             "tsId is %d; it must be ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR", (int)tsId);
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    (void)timeout;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
    (void)timeout;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
    (void)timeout;
    RT_CHECK(actualTimeout, ACL_ERROR_INVALID_PARAM, "actualTimeout is NULL");
    *actualTimeout = UINT64_MAX;
    return ACL_SUCCESS;
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
    RT_CHECK(taskId, ACL_ERROR_INVALID_PARAM, "taskId is NULL");
    *taskId = rt_self.last_task;
    return ACL_SUCCESS;
}

/* --- devices -------------------------------------------------------------------------------- */

static aclError check_device(const char *who, const char *argument, int64_t device)
{
    if (device <= INT32_MAX && rt_device_exists((int32_t)device)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                           "%s is %" PRId64 "; devices are numbered from 0 to %d", argument, device,
                           rt_device_count() - 1);
}

/* Two devices of one machine share its memory. */
static aclError check_peers(const char *who, int32_t device, int32_t peer)
{
    aclError status = check_device(who, "deviceId", device);
    if (status == ACL_SUCCESS && device == peer)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "peerDeviceId is %" PRId32 ", the device itself", peer);
    return status == ACL_SUCCESS ? check_device(who, "peerDeviceId", peer) : status;
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    RT_CHECK(canAccessPeer, ACL_ERROR_INVALID_PARAM, "canAccessPeer is NULL");
    aclError status = check_peers(__func__, deviceId, peerDeviceId);
    if (status == ACL_SUCCESS) *canAccessPeer = 1;
    return status;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    struct rt_context *context;
    RT_CHECK(flags == 0, ACL_ERROR_FEATURE_UNSUPPORTED, "flags is 0x%" PRIx32 "; it must be 0",
             flags);
    aclError status = rt_context_current(__func__, &context);
    return status != ACL_SUCCESS ? status : check_peers(__func__, context->device, peerDeviceId);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    struct rt_context *context;
    aclError status = rt_context_current(__func__, &context);
    return status != ACL_SUCCESS ? status : check_peers(__func__, context->device, peerDeviceId);
}

/* Per cent of the CPUs that this process may use, from the load of the last minute. */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    double load = 0;
    RT_CHECK(utilizationInfo, ACL_ERROR_INVALID_PARAM, "utilizationInfo is NULL");
    RT_CHECK(!utilizationInfo->utilizationExtend, ACL_ERROR_INVALID_PARAM,
             "utilizationExtend must be NULL");
    aclError status = check_device(__func__, "deviceId", deviceId);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(getloadavg(&load, 1) == 1, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "the system does not tell its load");
    double share = 100 * load / rt_config()->threads;
    int32_t rate = share < 100 ? (int32_t)share : 100;
    *utilizationInfo = (aclrtUtilizationInfo){.cubeUtilization = rate,
                                              .vectorUtilization = rate,
                                              .aicpuUtilization = rate,
                                              .memoryUtilization = -1};
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    aclError status = check_device(__func__, "deviceId", deviceId);
    if (status != ACL_SUCCESS) return status;
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = rt_config()->threads;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)rt_config()->device_memory;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        return aclGetDeviceCapability(deviceId, ACL_DEVICE_INFO_L2_SIZE, value);
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = deviceId;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        return ACL_SUCCESS;
    default:
        return RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a CPU has no device attribute %d",
                        (int)attr);
    }
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                  int32_t *value)
{
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    aclError status = check_device(__func__, "deviceId", deviceId);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(devFeatureType == ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV ||
                 devFeatureType == ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV,
             ACL_ERROR_INVALID_PARAM, "devFeatureType is %d; it must be one of aclrtDevFeatureType",
             (int)devFeatureType);
    *value = ACL_DEV_FEATURE_NOT_SUPPORT;
    return ACL_SUCCESS;
}

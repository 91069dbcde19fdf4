/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a driver, where none is. */
#include <time.h>

#include "runtime/support/devices.h"

#include "driver/ascend_hal.h"

drvError_t halGetAPIVersion(int *halAPIVersion)
{
    if (!halAPIVersion) return DRV_ERROR_INVALID_VALUE;
    *halAPIVersion = 0;
    return DRV_ERROR_NONE;
}

drvError_t halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType, int64_t *value)
{
    struct timespec now;
    if (!value) return DRV_ERROR_INVALID_VALUE;
    if (!rt_device_exists(devId)) return DRV_ERROR_INVALID_DEVICE;
    if (moduleType != MODULE_TYPE_SYSTEM || infoType != INFO_TYPE_MONOTONIC_RAW)
        return DRV_ERROR_NOT_SUPPORT;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    *value = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return DRV_ERROR_NONE;
}

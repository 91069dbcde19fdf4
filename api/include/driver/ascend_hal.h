/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's interface, as far as profilers ask it before they measure time. Programs load
 * libascend_hal.so by name. There is no driver: its version is 0, older than any that counts a
 * device's cycles, and who asks takes CLOCK_MONOTONIC_RAW instead. All functions may be called from
 * any thread, before aclInit too. */
#ifndef ASCEND_HAL_H
#define ASCEND_HAL_H

#include <stdint.h>

#ifndef DLLEXPORT
#define DLLEXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tagDrvError {
    DRV_ERROR_NONE = 0,
    DRV_ERROR_INVALID_DEVICE = 2,
    DRV_ERROR_INVALID_VALUE = 3,
    DRV_ERROR_NOT_SUPPORT = 0xfffe
} drvError_t;

typedef enum {
    MODULE_TYPE_SYSTEM = 0,
    MODULE_TYPE_AICPU = 1,
    MODULE_TYPE_AICORE = 4,
    MODULE_TYPE_VECTOR_CORE = 7
} DEV_MODULE_TYPE;

typedef enum {
    INFO_TYPE_CORE_NUM = 3,
    INFO_TYPE_SYS_COUNT = 13,
    INFO_TYPE_MONOTONIC_RAW = 14,
    INFO_TYPE_HOST_OSC_FREQUE = 24,
    INFO_TYPE_DEV_OSC_FREQUE = 25
} DEV_INFO_TYPE;

/* Writes 0. DRV_ERROR_INVALID_VALUE for NULL. */
DLLEXPORT drvError_t halGetAPIVersion(int *halAPIVersion);

/* Of MODULE_TYPE_SYSTEM it knows INFO_TYPE_MONOTONIC_RAW, in nanoseconds; all else is
 * DRV_ERROR_NOT_SUPPORT, cycles and their frequency among it. DRV_ERROR_INVALID_VALUE for NULL,
 * DRV_ERROR_INVALID_DEVICE for a device that is not there. */
DLLEXPORT drvError_t halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType,
                                      int64_t *value);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What profilers ask a driver for. */
#include <criterion/criterion.h>
#include <time.h>

#include "acl/acl.h"
#include "driver/ascend_hal.h"

static int64_t raw_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

Test(driver, is_older_than_any_that_counts_cycles)
{
    enum { FIRST_WITH_A_FREQUENCY = 0x071905 };
    int version = FIRST_WITH_A_FREQUENCY;
    cr_expect_eq(halGetAPIVersion(&version), DRV_ERROR_NONE);
    cr_expect_eq(version, 0);
    cr_expect_eq(halGetAPIVersion(NULL), DRV_ERROR_INVALID_VALUE);
}

Test(driver, tells_the_time_and_nothing_of_cycles)
{
    int64_t value = 7;
    const int32_t unknown[][2] = {{MODULE_TYPE_SYSTEM, INFO_TYPE_SYS_COUNT},
                                  {MODULE_TYPE_SYSTEM, INFO_TYPE_HOST_OSC_FREQUE},
                                  {MODULE_TYPE_SYSTEM, INFO_TYPE_DEV_OSC_FREQUE},
                                  {MODULE_TYPE_AICORE, INFO_TYPE_CORE_NUM},
                                  {MODULE_TYPE_AICORE, INFO_TYPE_MONOTONIC_RAW},
                                  {-1, INT32_MAX}};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cr_expect_eq(halGetDeviceInfo(0, unknown[i][0], unknown[i][1], &value),
                     DRV_ERROR_NOT_SUPPORT);
    cr_expect_eq(value, 7);
    cr_expect_eq(halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_MONOTONIC_RAW, NULL),
                 DRV_ERROR_INVALID_VALUE);
    uint32_t absent[] = {0, 64, UINT32_MAX};
    cr_assert_eq(aclrtGetDeviceCount(&absent[0]), ACL_SUCCESS);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        cr_expect_eq(
            halGetDeviceInfo(absent[i], MODULE_TYPE_SYSTEM, INFO_TYPE_MONOTONIC_RAW, &value),
            DRV_ERROR_INVALID_DEVICE);
    const int64_t before = raw_now();
    cr_expect_eq(halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_MONOTONIC_RAW, &value),
                 DRV_ERROR_NONE);
    cr_expect(before <= value && value <= raw_now());
}

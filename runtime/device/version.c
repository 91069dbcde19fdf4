/* SPDX-License-Identifier: Apache-2.0 */
/* What this installation and this machine are. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/support/base.h"
#include "runtime/support/config.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#include "acl/acl.h"

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    RT_CHECK(majorVersion, ACL_ERROR_INVALID_PARAM, "majorVersion is NULL");
    RT_CHECK(minorVersion, ACL_ERROR_INVALID_PARAM, "minorVersion is NULL");
    RT_CHECK(patchVersion, ACL_ERROR_INVALID_PARAM, "patchVersion is NULL");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

/* Of the packages this library stands for. The operators' interface is read from CANN 8.1's
 * headers, the runtime's from those of 8.5: programs choose by the version which functions they
 * call, and what they choose from 8.5 on is here. */
#define VERSION "8.5.0"

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    RT_CHECK(version, ACL_ERROR_INVALID_PARAM, "version is NULL");
    RT_CHECK((unsigned)name <= ACL_PKG_NAME_DRIVER, ACL_ERROR_INVALID_PARAM,
             "name is %d; it must be one of aclCANNPackageName", (int)name);
    if (name == ACL_PKG_NAME_HCCL || name == ACL_PKG_NAME_DRIVER)
        return rt_error_note(ACL_ERROR_INVALID_FILE, __func__,
                             "name is %d; that package is not there", (int)name);
    *version = (aclCANNPackageVersion){
        .version = VERSION,
        .majorVersion = "8",
        .minorVersion = "5",
        .releaseVersion = "0",
    };
    return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    static const char *const there[] = {"runtime", "opbase", "ops_math", "ops_nn"};
    RT_CHECK(pkgName, ACL_ERROR_INVALID_PARAM, "pkgName is NULL");
    RT_CHECK(versionStr, ACL_ERROR_INVALID_PARAM, "versionStr is NULL");
    for (size_t i = 0; i < RT_LENGTH(there); i++) {
        if (strcmp(pkgName, there[i]) != 0) continue;
        strcpy(versionStr, VERSION);
        return ACL_SUCCESS;
    }
    return rt_error_note(ACL_ERROR_INVALID_FILE, __func__,
                         "pkgName is %.64s; that package is not there", pkgName);
}

const char *aclrtGetSocName(void)
{
    return rt_config()->soc_name;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    RT_CHECK(runMode, ACL_ERROR_INVALID_PARAM, "runMode is NULL");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

/* Arithmetic keeps infinities and NaN, bf16 is a type; nothing is compiled at run time. */
static const aclCannAttr attributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    RT_CHECK(cannAttrList, ACL_ERROR_INVALID_PARAM, "cannAttrList is NULL");
    RT_CHECK(num, ACL_ERROR_INVALID_PARAM, "num is NULL");
    *cannAttrList = attributes;
    *num = RT_LENGTH(attributes);
    return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    RT_CHECK(cannAttr >= ACL_CANN_ATTR_INF_NAN && cannAttr <= ACL_CANN_ATTR_JIT_COMPILE,
             ACL_ERROR_INVALID_PARAM, "cannAttr is %d; it must be one of aclCannAttr",
             (int)cannAttr);
    *value = 0;
    for (size_t i = 0; i < RT_LENGTH(attributes); i++) {
        if (attributes[i] == cannAttr) *value = 1;
    }
    return ACL_SUCCESS;
}

static int64_t last_cache_size(void)
{
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size <= 0) size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return size > 0 ? size : 0;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    RT_CHECK(deviceId <= INT32_MAX && rt_device_exists((int32_t)deviceId),
             ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is %u; it must be less than %d", deviceId,
             rt_device_count());
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = rt_config()->threads;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = last_cache_size();
        return ACL_SUCCESS;
    default:
        return RT_ERROR(ACL_ERROR_INVALID_PARAM,
                        "deviceInfo is %d; it must be one of aclDeviceInfo", (int)deviceInfo);
    }
}

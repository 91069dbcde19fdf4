/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices, of the process, of packages; attributes of streams by number. */
#include <unistd.h>

#include "tests/unit/refusal.h"

#include "acl/acl.h"

Test(identity, of_a_device_is_lasting)
{
    aclrtUuid one, again, zero = {{0}};
    int32_t number = -1;
    cr_assert_eq(aclrtDeviceGetUuid(0, &one), ACL_SUCCESS);
    cr_assert_eq(aclrtDeviceGetUuid(0, &again), ACL_SUCCESS);
    cr_expect_arr_eq(one.bytes, again.bytes, sizeof one.bytes);
    cr_expect_arr_neq(one.bytes, zero.bytes, sizeof one.bytes);
    cr_expect_eq(one.bytes[6] & 0xf0, 0x80);
    cr_expect_eq(one.bytes[8] & 0xc0, 0x80);
    expect_refused(aclrtDeviceGetUuid(0, NULL), ACL_ERROR_INVALID_PARAM, "uuid is NULL");
    expect_refused(aclrtDeviceGetUuid(1000, &one), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is 1000");
    cr_expect_eq(aclrtGetLogicDevIdByUserDevId(0, &number), ACL_SUCCESS);
    cr_expect_eq(number, 0);
    expect_refused(aclrtGetLogicDevIdByUserDevId(-1, &number), ACL_ERROR_RT_INVALID_DEVICEID,
                   "userDevid is -1");
    expect_refused(aclrtGetLogicDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM,
                   "logicDevId is NULL");
}

Test(identity, of_the_process)
{
    int32_t id = 0;
    cr_expect_eq(aclrtDeviceGetBareTgid(&id), ACL_SUCCESS);
    cr_expect_eq(id, getpid());
    expect_refused(aclrtDeviceGetBareTgid(NULL), ACL_ERROR_INVALID_PARAM, "pid is NULL");
}

Test(identity, of_packages)
{
    static char runtime[] = "runtime", math[] = "ops_math", hccl[] = "hccl";
    char version[ACL_PKG_VERSION_MAX_SIZE];
    cr_expect_eq(aclsysGetVersionStr(runtime, version), ACL_SUCCESS);
    cr_expect_str_eq(version, "8.5.0");
    cr_expect_eq(aclsysGetVersionStr(math, version), ACL_SUCCESS);
    cr_expect_str_eq(version, "8.5.0");
    expect_refused(aclsysGetVersionStr(hccl, version), ACL_ERROR_INVALID_FILE, "pkgName is hccl");
    expect_refused(aclsysGetVersionStr(NULL, version), ACL_ERROR_INVALID_PARAM, "pkgName is NULL");
    expect_refused(aclsysGetVersionStr(runtime, NULL), ACL_ERROR_INVALID_PARAM,
                   "versionStr is NULL");
}

Test(identity, no_operator_is_stopped)
{
    uint64_t actual = 0;
    cr_expect_eq(aclrtSetOpExecuteTimeOutV2(1000000, &actual), ACL_SUCCESS);
    cr_expect_eq(actual, UINT64_MAX);
    expect_refused(aclrtSetOpExecuteTimeOutV2(1, NULL), ACL_ERROR_INVALID_PARAM,
                   "actualTimeout is NULL");
}

static aclrtStreamAttrValue get(aclrtStream stream, aclrtStreamAttr attribute)
{
    aclrtStreamAttrValue value;
    memset(&value, 0x55, sizeof value);
    cr_expect_eq(aclrtGetStreamAttribute(stream, attribute, &value), ACL_SUCCESS);
    return value;
}

Test(stream_attribute, is_what_the_other_functions_say)
{
    aclrtStream stream;
    uint32_t flag = 7;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStreamWithConfig(&stream, 3, 0), ACL_SUCCESS);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_PRIORITY).streamPriority, 3);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_FAILURE_MODE).failureMode, ACL_CONTINUE_ON_FAILURE);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG).userCustomTag, 0);

    aclrtStreamAttrValue value = {.overflowSwitch = 1};
    cr_expect_eq(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtGetStreamOverflowSwitch(stream, &flag), ACL_SUCCESS);
    cr_expect_eq(flag, 1);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK).overflowSwitch, 1);
    value.userCustomTag = 0xdeadbeef;
    cr_expect_eq(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value),
                 ACL_SUCCESS);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG).userCustomTag, 0xdeadbeef);
    value.cacheOpInfoSwitch = 1;
    cr_expect_eq(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value),
                 ACL_SUCCESS);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_CACHE_OP_INFO).cacheOpInfoSwitch, 1);
    value.failureMode = ACL_STOP_ON_FAILURE;
    cr_expect_eq(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value),
                 ACL_SUCCESS);
    cr_expect_eq(get(stream, ACL_STREAM_ATTR_FAILURE_MODE).failureMode, ACL_STOP_ON_FAILURE);
    cr_expect_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

Test(stream_attribute, refuses)
{
    aclrtStream stream;
    aclrtStreamAttrValue value = {.cacheOpInfoSwitch = 2};
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    expect_refused(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value),
                   ACL_ERROR_INVALID_PARAM, "cacheOpInfoSwitch is 2");
    expect_refused(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "priority");
    expect_refused(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)0, &value),
                   ACL_ERROR_RT_PARAM_INVALID, "stmAttrType is 0");
    expect_refused(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)6, &value),
                   ACL_ERROR_RT_PARAM_INVALID, "stmAttrType is 6");
    cr_expect_eq(value.cacheOpInfoSwitch, 2);
    expect_refused(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, NULL),
                   ACL_ERROR_INVALID_PARAM, "value is NULL");
    expect_refused(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, NULL),
                   ACL_ERROR_INVALID_PARAM, "value is NULL");
    expect_refused(aclrtGetStreamAttribute(&value, ACL_STREAM_ATTR_CACHE_OP_INFO, &value),
                   ACL_ERROR_RT_INVALID_HANDLE, "not a stream");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* By which names a device and this process are known. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

enum { LONGEST_ID = 256 };

static aclError check_device(const char *who, const char *argument, int32_t device)
{
    if (rt_device_exists(device)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                           "%s is %" PRId32 "; devices are numbered from 0 to %" PRId32, argument,
                           device, rt_device_count() - 1);
}

/* Of this installation of the system; where it has none, the machine's name on the network. */
static void read_machine_id(char id[LONGEST_ID])
{
    const int file = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, id, LONGEST_ID - 1) : 0;
    if (file >= 0) close(file);
    if (length > 1) {
        id[length] = '\0';
        return;
    }
    if (gethostname(id, LONGEST_ID) != 0) id[0] = '\0';
    id[LONGEST_ID - 1] = '\0';
}

/* FNV-1a. */
static uint64_t hash(uint64_t seed, const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return value;
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
    char id[LONGEST_ID], text[LONGEST_ID + 48];
    RT_CHECK(uuid, ACL_ERROR_INVALID_PARAM, "uuid is NULL");
    aclError status = check_device(__func__, "deviceId", deviceId);
    if (status != ACL_SUCCESS) return status;
    read_machine_id(id);
    snprintf(text, sizeof text, "aclnn-cpu %s %" PRId32, id, deviceId);
    const uint64_t halves[2] = {hash(0, text), hash(1, text)};
    memcpy(uuid->bytes, halves, sizeof uuid->bytes);
    uuid->bytes[6] = (char)((uuid->bytes[6] & 0x0f) | 0x80); /* version 8: of a maker's own kind */
    uuid->bytes[8] = (char)((uuid->bytes[8] & 0x3f) | 0x80);
    return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
    RT_CHECK(logicDevId, ACL_ERROR_INVALID_PARAM, "logicDevId is NULL");
    aclError status = check_device(__func__, "userDevid", userDevid);
    if (status == ACL_SUCCESS) *logicDevId = userDevid;
    return status;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    RT_CHECK(pid, ACL_ERROR_INVALID_PARAM, "pid is NULL");
    *pid = (int32_t)getpid();
    return ACL_SUCCESS;
}

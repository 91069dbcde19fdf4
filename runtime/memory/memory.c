/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory, pinned host memory and what is left of it: the checks and texts; blocks.c does the
 * work. */
#include "runtime/memory/memory.h"
#include "runtime/memory/blocks.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

#include <stdio.h>

enum {
    GRAIN = 32, /* sizes are rounded up to it */
    SPARE = 32, /* bytes behind a block that device code may read */
};

/* Room for the texts below. */
enum { USAGE_TEXT = 256 };

/* "of the device's 64 bytes 60 are used and 4 are free" */
static const char *describe_usage(int32_t device, char text[USAGE_TEXT])
{
    struct rt_block_usage usage = rt_blocks_usage(device);
    int length =
        snprintf(text, USAGE_TEXT, "of the device's %zu bytes %zu are used and %zu are free",
                 usage.total, usage.used, usage.free);
    if (usage.given > 0) {
        snprintf(text + length, USAGE_TEXT - (size_t)length,
                 "; %zu of the used bytes were freed, but queued work still uses them",
                 usage.given);
    }
    return text;
}

aclError rt_memory_refuse(const char *who, int32_t device, size_t size, bool fits)
{
    char usage[USAGE_TEXT];
    return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who, "%zu bytes were asked for%s; %s",
                           size, fits ? " and the system has no memory left" : "",
                           describe_usage(device, usage));
}

static aclError take(const char *who, const char *name, void **memory, size_t size, size_t spare,
                     enum rt_block_place place, bool huge)
{
    if (!memory) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", name);
    if (size == 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "size is 0; it must be greater than 0");
    }
    size_t reserved;
    if (!rt_size_add_ok(size, GRAIN - 1 + spare, &reserved)) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "size is %zu; rounded up it does not fit a size_t", size);
    }
    struct rt_context *context;
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;

    struct rt_block_request request = {
        .place = place,
        .device = context->device,
        .reserved = rt_round_up(size, GRAIN) + spare,
        .huge = huge,
    };
    enum rt_block_result result = rt_blocks_take(&request, memory);
    if (result != RT_BLOCK_OK)
        return rt_memory_refuse(who, context->device, size, result == RT_BLOCK_NO_MEMORY);
    rt_check_born(place == RT_BLOCK_DEVICE ? RT_CHECK_DEVICE_MEMORY : RT_CHECK_HOST_MEMORY, *memory,
                  size);
    return ACL_SUCCESS;
}

/* The low byte of a policy names the page size; the bits above choose a kind of memory. */
static bool wants_huge_pages(aclrtMemMallocPolicy policy)
{
    unsigned pages = (unsigned)policy & 0xFF;
    return pages != ACL_MEM_MALLOC_NORMAL_ONLY && pages != ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return take(__func__, "devPtr", devPtr, size, SPARE, RT_BLOCK_DEVICE, wants_huge_pages(policy));
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return take(__func__, "devPtr", devPtr, size, 0, RT_BLOCK_DEVICE, wants_huge_pages(policy));
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return take(__func__, "devPtr", devPtr, size, SPARE, RT_BLOCK_DEVICE, wants_huge_pages(policy));
}

/* The attributes of a configuration name a module and a device for a driver's books. */
static aclError check_config(const char *who, const aclrtMallocConfig *config)
{
    if (config && config->numAttrs > 0 && !config->attrs) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "cfg->attrs is NULL; cfg->numAttrs is %zu", config->numAttrs);
    }
    return ACL_SUCCESS;
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg)
{
    aclError status = check_config(__func__, cfg);
    if (status != ACL_SUCCESS) return status;
    return take(__func__, "devPtr", devPtr, size, SPARE, RT_BLOCK_DEVICE, wants_huge_pages(policy));
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    return take(__func__, "hostPtr", hostPtr, size, SPARE, RT_BLOCK_HOST, true);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    aclError status = check_config(__func__, cfg);
    if (status != ACL_SUCCESS) return status;
    return take(__func__, "ptr", ptr, size, SPARE, RT_BLOCK_HOST, true);
}

static void tell_death(const void *memory, enum rt_block_place place)
{
    struct rt_block_request block;
    if (rt_blocks_find(memory, &block) && block.place == place)
        rt_check_hooks.died(
            place == RT_BLOCK_DEVICE ? RT_CHECK_DEVICE_MEMORY : RT_CHECK_HOST_MEMORY, memory);
}

static aclError give(const char *who, const char *name, void *memory, enum rt_block_place place)
{
    if (!memory) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", name);
    static const char *const rules[] = {
        [RT_BLOCK_UNKNOWN] = "is not memory of this library, or was freed before",
        [RT_BLOCK_INSIDE] = "lies inside a block; only its beginning can be freed",
        [RT_BLOCK_GIVEN] = "was freed before",
        [RT_BLOCK_ELSEWHERE] = "is memory of the other kind; aclrtFree frees device memory, "
                               "aclrtFreeHost host memory",
    };
    /* Before another thread may be given the block. What is refused below has not died. */
    if (rt_check_on()) tell_death(memory, place);
    enum rt_block_result result = rt_blocks_give(memory, place);
    if (result == RT_BLOCK_OK) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_MEMORY_FREE, who, "%s, %p, %s", name, memory,
                           rules[result]);
}

aclError aclrtFree(void *devPtr)
{
    return give(__func__, "devPtr", devPtr, RT_BLOCK_DEVICE);
}

aclError aclrtFreeHost(void *hostPtr)
{
    return give(__func__, "hostPtr", hostPtr, RT_BLOCK_HOST);
}

/* A thread without a context has no device to wait for: the block is released when it is safe. */
static aclError synchronize(void)
{
    return rt_context_peek() ? aclrtSynchronizeDevice() : ACL_SUCCESS;
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    if (!devPtr) return RT_ERROR(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    aclError status = synchronize();
    aclError freed = give(__func__, "devPtr", devPtr, RT_BLOCK_DEVICE);
    return freed != ACL_SUCCESS ? freed : status;
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    if (!hostPtr) return RT_ERROR(ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    aclError status = synchronize();
    aclError freed = give(__func__, "hostPtr", hostPtr, RT_BLOCK_HOST);
    return freed != ACL_SUCCESS ? freed : status;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    RT_CHECK(free, ACL_ERROR_INVALID_PARAM, "free is NULL");
    RT_CHECK(total, ACL_ERROR_INVALID_PARAM, "total is NULL");
    struct rt_context *context;
    aclError status = rt_context_current(__func__, &context);
    if (status != ACL_SUCCESS) return status;

    struct rt_block_usage usage = {0};
    if ((unsigned)attr <= ACL_MEM_P2P_HUGE1G) usage = rt_blocks_usage(context->device);
    *total = usage.total;
    *free = usage.free;
    return ACL_SUCCESS;
}

/* What programs take is one component; the library's own memory is the host's. */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
                              size_t *outputNum)
{
    RT_CHECK(memUsageInfo, ACL_ERROR_INVALID_PARAM, "memUsageInfo is NULL");
    RT_CHECK(outputNum, ACL_ERROR_INVALID_PARAM, "outputNum is NULL");
    RT_CHECK(rt_device_exists(deviceId), ACL_ERROR_RT_INVALID_DEVICEID,
             "deviceId is %d; devices are numbered from 0 to %d", deviceId, rt_device_count() - 1);
    RT_CHECK(inputNum > 0, ACL_ERROR_RT_PARAM_INVALID, "inputNum is 0; it must be greater than 0");
    struct rt_block_usage usage = rt_blocks_usage(deviceId);
    *memUsageInfo =
        (aclrtMemUsageInfo){.name = "APP", .curMemSize = usage.used, .memPeakSize = usage.peak};
    *outputNum = 1;
    return ACL_SUCCESS;
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
    RT_CHECK(src, ACL_ERROR_INVALID_PARAM, "src is NULL");
    RT_CHECK(size > 0, ACL_ERROR_RT_PARAM_INVALID, "size is 0; it must be greater than 0");
    RT_CHECK((unsigned)cmoType <= ACL_RT_CMO_TYPE_FLUSH, ACL_ERROR_INVALID_PARAM,
             "cmoType is %d; it must be a value of aclrtCmoType", (int)cmoType);
    struct rt_stream *queue;
    return rt_stream_resolve(__func__, stream, &queue);
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    RT_CHECK(devPtr, ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    RT_CHECK(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater than 0");
    return ACL_SUCCESS;
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    RT_CHECK(devPtr, ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    RT_CHECK(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater than 0");
    return ACL_SUCCESS;
}

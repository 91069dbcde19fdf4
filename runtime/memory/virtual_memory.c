/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: the checks and texts; mappings.c does the work. */
#include <inttypes.h>
#include <stdint.h>

#include "runtime/memory/mappings.h"
#include "runtime/memory/memory.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

#define PAGE       ((size_t)4 << 10)
#define HUGE_PAGE  ((size_t)2 << 20)
#define GIANT_PAGE ((size_t)1 << 30)

/* Which kinds of memory can be had in pieces, and where; the others are 0. */
static const struct {
    size_t page;
    bool host;
    bool device;
} kinds[] = {
    [ACL_HBM_MEM_HUGE] = {HUGE_PAGE, true, true},
    [ACL_HBM_MEM_NORMAL] = {PAGE, true, true},
    [ACL_HBM_MEM_HUGE1G] = {GIANT_PAGE, false, true},
    [ACL_DDR_MEM_HUGE] = {HUGE_PAGE, true, false},
    [ACL_DDR_MEM_NORMAL] = {PAGE, true, false},
    [ACL_DDR_MEM_P2P_HUGE] = {HUGE_PAGE, true, false},
    [ACL_DDR_MEM_P2P_NORMAL] = {PAGE, true, false},
    [ACL_MEM_NORMAL] = {PAGE, true, true},
    [ACL_MEM_HUGE] = {HUGE_PAGE, true, true},
    [ACL_MEM_HUGE1G] = {GIANT_PAGE, false, true},
    [ACL_MEM_P2P_NORMAL] = {PAGE, true, true},
    [ACL_MEM_P2P_HUGE] = {HUGE_PAGE, true, true},
    [ACL_MEM_P2P_HUGE1G] = {GIANT_PAGE, false, true},
};

/* Fills in all of *piece but its size. */
static aclError check_prop(const char *who, const aclrtPhysicalMemProp *prop,
                           struct rt_piece *piece)
{
    if (!prop) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "prop is NULL");
    const aclrtMemLocation *location = &prop->location;
    if (location->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA) {
        return rt_error_report(
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
            "prop->location.type is HOST_NUMA; memory of one node cannot be had");
    }
    bool device = location->type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (!device && location->type != ACL_MEM_LOCATION_TYPE_HOST) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "prop->location.type is %d; it must be HOST or DEVICE",
                               (int)location->type);
    }
    if (device && (location->id > INT32_MAX || !rt_device_exists((int32_t)location->id))) {
        return rt_error_report(ACL_ERROR_RT_INVALID_DEVICEID, who,
                               "prop->location.id is %" PRIu32
                               "; devices are numbered from 0 to %d",
                               location->id, rt_device_count() - 1);
    }
    size_t kind = (size_t)prop->memAttr;
    if (kind >= RT_LENGTH(kinds) || !(device ? kinds[kind].device : kinds[kind].host)) {
        return rt_error_report(
            ACL_ERROR_INVALID_PARAM, who,
            "prop->memAttr is %d; %s memory of this kind cannot be had in pieces",
            (int)prop->memAttr, device ? "device" : "host");
    }
    piece->device = device ? (int32_t)location->id : 0;
    piece->place = device ? RT_BLOCK_DEVICE : RT_BLOCK_HOST;
    piece->granularity = kinds[kind].page;
    return ACL_SUCCESS;
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option, size_t *granularity)
{
    RT_CHECK(granularity, ACL_ERROR_INVALID_PARAM, "granularity is NULL");
    struct rt_piece piece = {0};
    aclError status = check_prop(__func__, prop, &piece);
    if (status != ACL_SUCCESS) return status;
    switch (option) {
    case ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM:
        *granularity = piece.granularity;
        return ACL_SUCCESS;
    case ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED:
        *granularity = piece.granularity > HUGE_PAGE ? piece.granularity : HUGE_PAGE;
        return ACL_SUCCESS;
    default:
        return RT_ERROR(ACL_ERROR_RT_PARAM_INVALID,
                        "option is %d; it must be MINIMUM or RECOMMENDED", (int)option);
    }
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags)
{
    RT_CHECK(virPtr, ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    RT_CHECK(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater than 0");
    RT_CHECK(flags <= 1, ACL_ERROR_INVALID_PARAM, "flags is %" PRIu64 "; it must be 0 or 1", flags);
    RT_CHECK(alignment == 0, ACL_ERROR_RT_PARAM_INVALID, "alignment is %zu; it must be 0",
             alignment);
    RT_CHECK((uintptr_t)expectPtr % HUGE_PAGE == 0, ACL_ERROR_RT_PARAM_INVALID,
             "expectPtr is %p; it must be a multiple of %zu", expectPtr, HUGE_PAGE);
    enum rt_mapping_result result = rt_mappings_reserve(size, expectPtr, virPtr);
    RT_CHECK(result != RT_MAPPING_OCCUPIED, ACL_ERROR_RT_PARAM_INVALID,
             "expectPtr is %p; the %zu bytes from there on are in use or cannot be used", expectPtr,
             size);
    RT_CHECK(result == RT_MAPPING_OK, ACL_ERROR_RT_MEMORY_ALLOCATION,
             "there are no %zu bytes of addresses left", size);
    return ACL_SUCCESS;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    RT_CHECK(virPtr, ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    enum rt_mapping_result result = rt_mappings_release(virPtr);
    RT_CHECK(result != RT_MAPPING_OCCUPIED, ACL_ERROR_RT_PARAM_INVALID,
             "memory is mapped in the range of virPtr, %p; aclrtUnmapMem comes first", virPtr);
    RT_CHECK(result == RT_MAPPING_OK, ACL_ERROR_RT_PARAM_INVALID,
             "virPtr, %p, is not the beginning of a reserved range, or was released before",
             virPtr);
    return ACL_SUCCESS;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                             const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    struct rt_piece piece = {.size = size};
    aclError status = check_prop(__func__, prop, &piece);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater than 0");
    RT_CHECK(flags == 0, ACL_ERROR_INVALID_PARAM, "flags is %" PRIu64 "; it must be 0", flags);
    RT_CHECK(prop->handleType == ACL_MEM_HANDLE_TYPE_NONE, ACL_ERROR_INVALID_PARAM,
             "prop->handleType is %d; it must be ACL_MEM_HANDLE_TYPE_NONE", (int)prop->handleType);
    RT_CHECK(prop->allocationType == ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_ERROR_INVALID_PARAM,
             "prop->allocationType is %d; it must be ACL_MEM_ALLOCATION_TYPE_PINNED",
             (int)prop->allocationType);
    enum rt_mapping_result result = rt_mappings_create(&piece, handle);
    if (result == RT_MAPPING_OK) return ACL_SUCCESS;
    return rt_memory_refuse(__func__, piece.device, size, result == RT_MAPPING_NO_MEMORY);
}

/* handle is not that of a piece that can be used. */
static aclError refuse_handle(const char *who, aclrtDrvMemHandle handle, bool freed)
{
    return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who, "handle, %p, %s", handle,
                           freed ? "was freed before"
                                 : "is not memory of aclrtMallocPhysical, or was freed before");
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    enum rt_mapping_result result = rt_mappings_free(handle);
    if (result == RT_MAPPING_OK) return ACL_SUCCESS;
    return refuse_handle(__func__, handle, result == RT_MAPPING_FREED);
}

static aclError refuse_misfit(const char *who, void *address, size_t size, aclrtDrvMemHandle handle)
{
    struct rt_piece piece;
    if (!rt_mappings_piece(handle, &piece)) return refuse_handle(who, handle, true);
    const size_t rounded = rt_round_up(piece.size, piece.granularity);
    if (size != piece.size && size != rounded) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "size is %zu; it must be the handle's, %zu, or that rounded up to "
                               "the granularity, %zu",
                               size, piece.size, rounded);
    }
    return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                           "virPtr is %p; it must be a multiple of %zu, the granularity of the "
                           "handle's memory",
                           address, piece.granularity);
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags)
{
    RT_CHECK(virPtr, ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    RT_CHECK(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater than 0");
    RT_CHECK(flags == 0, ACL_ERROR_INVALID_PARAM, "flags is %" PRIu64 "; it must be 0", flags);
    RT_CHECK(offset == 0, ACL_ERROR_RT_PARAM_INVALID, "offset is %zu; it must be 0", offset);
    switch (rt_mappings_map(virPtr, size, handle)) {
    case RT_MAPPING_OK:
        rt_check_born(RT_CHECK_MAPPED_MEMORY, virPtr, size);
        return ACL_SUCCESS;
    case RT_MAPPING_UNKNOWN:
        return refuse_handle(__func__, handle, false);
    case RT_MAPPING_FREED:
        return refuse_handle(__func__, handle, true);
    case RT_MAPPING_MISFIT:
        return refuse_misfit(__func__, virPtr, size, handle);
    case RT_MAPPING_OUTSIDE:
        return RT_ERROR(ACL_ERROR_RT_PARAM_INVALID,
                        "the %zu bytes at virPtr, %p, are not inside one range of "
                        "aclrtReserveMemAddress",
                        size, virPtr);
    case RT_MAPPING_OCCUPIED:
        return RT_ERROR(ACL_ERROR_RT_PARAM_INVALID,
                        "memory is mapped already in the %zu bytes at virPtr, %p", size, virPtr);
    default:
        return RT_ERROR(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system cannot map %zu bytes at %p",
                        size, virPtr);
    }
}

aclError aclrtUnmapMem(void *virPtr)
{
    RT_CHECK(virPtr, ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    rt_check_died(RT_CHECK_MAPPED_MEMORY, virPtr);
    enum rt_mapping_result result = rt_mappings_unmap(virPtr);
    RT_CHECK(result == RT_MAPPING_OK, ACL_ERROR_RT_PARAM_INVALID,
             result == RT_MAPPING_FREED ? "virPtr, %p, was unmapped before"
                                        : "virPtr, %p, is not the beginning of mapped memory",
             virPtr);
    return ACL_SUCCESS;
}

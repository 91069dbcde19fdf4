/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of memory an address belongs to, whichever family of functions it came from. */
#include <string.h>

#include "runtime/memory/blocks.h"
#include "runtime/memory/host_register.h"
#include "runtime/memory/mappings.h"
#include "runtime/memory/memory.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

enum { PAGE = 4 << 10, HUGE_PAGE = 2 << 20 };

/* In the order of how often programs have them. */
bool rt_memory_is_known(const void *address, size_t size)
{
    return rt_blocks_contain(address, size) || rt_host_registered(address, size) ||
           rt_mappings_contain(address, size);
}

static aclrtMemLocation location_of(enum rt_block_place place, int32_t device)
{
    if (place != RT_BLOCK_DEVICE) return (aclrtMemLocation){.type = ACL_MEM_LOCATION_TYPE_HOST};
    return (aclrtMemLocation){.type = ACL_MEM_LOCATION_TYPE_DEVICE, .id = (uint32_t)device};
}

void rt_memory_describe(const void *address, aclrtPtrAttributes *attributes)
{
    struct rt_block_request request;
    struct rt_piece piece;
    memset(attributes, 0, sizeof *attributes);
    if (rt_blocks_find(address, &request)) {
        attributes->location = location_of(request.place, request.device);
        attributes->pageSize = request.huge ? HUGE_PAGE : PAGE;
    } else if (rt_mappings_find(address, &piece)) {
        attributes->location = location_of(piece.place, piece.device);
        attributes->pageSize = (uint32_t)piece.granularity;
    } else if (rt_host_registered(address, 1)) {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
        attributes->pageSize = PAGE;
    } else {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    }
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    RT_CHECK(ptr, ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    RT_CHECK(attributes, ACL_ERROR_INVALID_PARAM, "attributes is NULL");
    rt_memory_describe(ptr, attributes);
    return ACL_SUCCESS;
}

__attribute__((constructor)) static void offer_hooks(void)
{
    rt_check_hooks.is_known = rt_memory_is_known;
    rt_check_hooks.is_kept = rt_blocks_keep;
}

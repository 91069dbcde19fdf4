/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and pieces of device memory, taken and given back by tests that do not expect refusals. */
#ifndef ACLNN_CPU_TESTS_UNIT_DEVICE_MEMORY_H
#define ACLNN_CPU_TESTS_UNIT_DEVICE_MEMORY_H

#include <criterion/criterion.h>

#include "acl/acl.h"

#define MIB  ((size_t)1 << 20)
#define PAGE ((size_t)2 << 20) /* of a huge piece */

static inline size_t free_bytes(void)
{
    size_t free, total;
    cr_assert_eq(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    cr_assert(free <= total);
    return free;
}

static inline void *take(size_t size)
{
    void *memory = NULL;
    cr_assert_eq(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS, "%zu", size);
    return memory;
}

static inline void give(void *memory)
{
    cr_assert_eq(aclrtFree(memory), ACL_SUCCESS);
}

static inline aclrtPhysicalMemProp prop_of(aclrtMemAttr attribute)
{
    return (aclrtPhysicalMemProp){.memAttr = attribute,
                                  .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
}

static inline char *reserve(size_t size)
{
    void *range = NULL;
    cr_assert_eq(aclrtReserveMemAddress(&range, size, 0, NULL, 1), ACL_SUCCESS);
    return range;
}

static inline aclrtDrvMemHandle piece_of(size_t size)
{
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    aclrtDrvMemHandle handle = NULL;
    cr_assert_eq(aclrtMallocPhysical(&handle, size, &prop, 0), ACL_SUCCESS);
    return handle;
}

static inline void map(void *address, size_t size, aclrtDrvMemHandle handle)
{
    cr_assert_eq(aclrtMapMem(address, size, 0, handle, 0), ACL_SUCCESS);
}

static inline void unmap(void *address)
{
    cr_assert_eq(aclrtUnmapMem(address), ACL_SUCCESS);
}

static inline void release(void *address)
{
    cr_assert_eq(aclrtReleaseMemAddress(address), ACL_SUCCESS);
}

static inline void free_piece(aclrtDrvMemHandle handle)
{
    cr_assert_eq(aclrtFreePhysical(handle), ACL_SUCCESS);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Registered host memory. There is nothing to lock into memory or to map for a device whose memory
 * is the host's: what registering changes is that asynchronous copies do not wait.
 *
 * One lock, `lock`, guards the tree and what is in it; nothing is locked inside it. */
#include "runtime/memory/host_register.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "runtime/schedule/context.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

enum { PAGE = 4096 };

struct registered {
    struct rt_block_node node; /* first, so that a node is its range */
    bool mapped;               /* a device pointer may be asked for */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_block_tree ranges;
static _Atomic size_t count; /* spares most programs the lock at each copy */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void guard_fork(void)
{
    pthread_atfork(take_lock, release_lock, release_lock);
}

bool rt_host_registered(const void *address, size_t size)
{
    if (atomic_load_explicit(&count, memory_order_relaxed) == 0) return false;
    take_lock();
    const struct rt_block_node *node = rt_block_tree_find(&ranges, address);
    bool inside = node && size <= node->capacity - (size_t)((const char *)address - node->memory);
    release_lock();
    return inside;
}

/* The range that begins at an address, or NULL. The lock is held. */
static struct registered *find(const void *address)
{
    struct rt_block_node *node = rt_block_tree_find(&ranges, address);
    return node && node->memory == address ? (struct registered *)node : NULL;
}

static aclError check_range(const char *who, const void *ptr, uint64_t size)
{
    if (!ptr) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "ptr is NULL");
    if (size == 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "size is 0; it must be greater than 0");
    }
    if ((uintptr_t)ptr % PAGE != 0) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "ptr is %p; it must be a multiple of %d", ptr, PAGE);
    }
    size_t end;
    if (!rt_size_add_ok((uintptr_t)ptr, size, &end)) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "size is %" PRIu64 "; the range passes the end of the address space",
                               size);
    }
    struct rt_context *context;
    return rt_context_current(who, &context);
}

static bool overlaps(const char *begin, size_t size)
{
    const struct rt_block_node *node = rt_block_tree_first(&ranges, begin);
    return node && node->memory < begin + size;
}

static aclError add(const char *who, void *ptr, uint64_t size, bool mapped)
{
    pthread_once(&once, guard_fork);
    struct registered *range = rt_alloc_zeroed(sizeof *range);
    if (!range) {
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who,
                               "no host memory to register a range");
    }
    range->node.memory = ptr;
    range->node.capacity = size;
    range->mapped = mapped;
    take_lock();
    bool taken = overlaps(ptr, size);
    if (!taken) {
        rt_block_tree_insert(&ranges, &range->node);
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
    release_lock();
    if (!taken) return ACL_SUCCESS;
    rt_free(range);
    return rt_error_report(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, who,
                           "some of the %" PRIu64 " bytes at ptr, %p, is registered already", size,
                           ptr);
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    RT_CHECK(devPtr, ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    RT_CHECK(type == ACL_HOST_REGISTER_MAPPED, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "type is %d; only ACL_HOST_REGISTER_MAPPED is supported", (int)type);
    aclError status = check_range(__func__, ptr, size);
    if (status == ACL_SUCCESS) status = add(__func__, ptr, size, true);
    if (status == ACL_SUCCESS) *devPtr = ptr;
    return status;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    const uint32_t kept = ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED;
    const uint32_t reserved = ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY;
    RT_CHECK(flag != 0 && (flag & ~(kept | reserved)) == 0, ACL_ERROR_RT_PARAM_INVALID,
             "flag is 0x%" PRIx32 "; it must be a combination of ACL_HOST_REG_*", flag);
    RT_CHECK((flag & reserved) == 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "flag is 0x%" PRIx32 "; ACL_HOST_REG_IOMEMORY and READONLY are not supported", flag);
    aclError status = check_range(__func__, ptr, size);
    return status == ACL_SUCCESS ? add(__func__, ptr, size, flag & ACL_HOST_REG_MAPPED) : status;
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    RT_CHECK(pHost, ACL_ERROR_INVALID_PARAM, "pHost is NULL");
    RT_CHECK(pDevice, ACL_ERROR_INVALID_PARAM, "pDevice is NULL");
    RT_CHECK(flag == 0, ACL_ERROR_INVALID_PARAM, "flag is %" PRIu32 "; it must be 0", flag);
    take_lock();
    const struct registered *range = find(pHost);
    bool mapped = range && range->mapped;
    release_lock();
    RT_CHECK(mapped, ACL_ERROR_RT_PARAM_INVALID,
             "pHost, %p, is not the beginning of memory that was registered as mapped", pHost);
    *pDevice = pHost;
    return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void *ptr)
{
    RT_CHECK(ptr, ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    take_lock();
    struct registered *range = find(ptr);
    if (range) {
        rt_block_tree_remove(&ranges, &range->node);
        atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
    }
    release_lock();
    RT_CHECK(range, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
             "ptr, %p, is not the beginning of registered memory", ptr);
    rt_free(range);
    return ACL_SUCCESS;
}

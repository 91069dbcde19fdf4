/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators that programs register for streams. On a device they serve the execution of models,
 * which this library does not have: they are kept, so that who asks for a stream's allocator gets
 * it, and never called.
 *
 * One lock, `lock`, guards both trees and what is in them. The registry's lock is taken inside it.
 */
#include "runtime/memory/allocator.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/schedule/queue.h"
#include "runtime/support/alloc.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/error.h"
#include "runtime/support/fork.h"

#include "acl/acl_rt.h"

struct functions {
    aclrtAllocator allocator;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
};

/* The key of a description is its own address, that of a registration its stream's: each node's
 * range is that one byte. */
struct description {
    struct rt_block_node node; /* first, so that a node is its object */
    struct functions functions;
};

struct registration {
    struct rt_block_node node;
    uint64_t serial; /* of the stream; another may have its address later */
    aclrtAllocatorDesc description;
    struct functions functions;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_block_tree descriptions;
static struct rt_block_tree registrations;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
    pthread_mutex_unlock(&lock);
}

/* fork takes locks in the reverse order of this: the registry's comes after ours. */
static void guard_fork(void)
{
    rt_fork_prepare();
    pthread_atfork(take_lock, release_lock, release_lock);
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
    pthread_once(&once, guard_fork);
    struct description *description = rt_alloc_zeroed(sizeof *description);
    if (!description) {
        RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for an allocator's description");
        return NULL;
    }
    description->node.memory = (char *)description;
    description->node.capacity = 1;
    take_lock();
    rt_block_tree_insert(&descriptions, &description->node);
    release_lock();
    return description;
}

/* The lock is taken in any case; NULL after an error, which is reported. */
static struct description *lock_and_find(const char *who, aclrtAllocatorDesc handle)
{
    take_lock();
    struct description *found = (struct description *)rt_block_tree_find(&descriptions, handle);
    if (!handle) {
        rt_error_report(ACL_ERROR_INVALID_PARAM, who, "allocatorDesc is NULL");
    } else if (!found) {
        rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                        "allocatorDesc, %p, is not a description, or was destroyed", handle);
    }
    return found;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
    struct description *description = lock_and_find(__func__, allocatorDesc);
    if (description) rt_block_tree_remove(&descriptions, &description->node);
    release_lock();
    rt_free(description);
    return description ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

/* Sets one member of a description. */
#define SET_MEMBER(allocatorDesc, member, argument)                                                \
    do {                                                                                           \
        RT_CHECK(argument, ACL_ERROR_INVALID_PARAM, #argument " is NULL");                         \
        struct description *description = lock_and_find(__func__, allocatorDesc);                  \
        if (description) description->functions.member = (argument);                               \
        release_lock();                                                                            \
        return description ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;                                \
    } while (0)

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator)
{
    SET_MEMBER(allocatorDesc, allocator, allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                          aclrtAllocatorAllocFunc func)
{
    SET_MEMBER(allocatorDesc, alloc, func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                         aclrtAllocatorFreeFunc func)
{
    SET_MEMBER(allocatorDesc, free, func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func)
{
    SET_MEMBER(allocatorDesc, advise, func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func)
{
    SET_MEMBER(allocatorDesc, address, func);
}

/* ---- Which stream has which ---- */

/* The lock is held. */
static struct registration *find_registration(aclrtStream stream)
{
    return (struct registration *)rt_block_tree_find(&registrations, stream);
}

/* The lock is held; NULL is fine. */
static void drop(struct registration *registration)
{
    if (!registration) return;
    rt_block_tree_remove(&registrations, &registration->node);
    rt_free(registration);
}

static aclError check_functions(const char *who, const struct functions *functions)
{
    const char *missing = NULL;
    if (!functions->address) missing = "aclrtAllocatorSetGetAddrFromBlockFuncToDesc";
    if (!functions->free) missing = "aclrtAllocatorSetFreeFuncToDesc";
    if (!functions->alloc) missing = "aclrtAllocatorSetAllocFuncToDesc";
    if (!functions->allocator) missing = "aclrtAllocatorSetObjToDesc";
    if (!missing) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "allocatorDesc is not complete: %s comes first", missing);
}

/* Fills the registration in and puts it into the place of an older one. The lock is held. */
static void put(struct registration *registration, struct rt_stream *stream,
                const struct description *description)
{
    drop(find_registration(stream));
    registration->node.memory = (char *)stream;
    registration->node.capacity = 1;
    registration->serial = stream->object.serial;
    registration->description = (aclrtAllocatorDesc)description;
    registration->functions = description->functions;
    rt_block_tree_insert(&registrations, &registration->node);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
    RT_CHECK(stream, ACL_ERROR_INVALID_PARAM, "stream is NULL");
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    struct registration *registration = rt_alloc_zeroed(sizeof *registration);
    RT_CHECK(registration, ACL_ERROR_BAD_ALLOC, "no host memory to register an allocator");
    const struct description *description = lock_and_find(__func__, allocatorDesc);
    status =
        description ? check_functions(__func__, &description->functions) : ACL_ERROR_INVALID_PARAM;
    if (status == ACL_SUCCESS) put(registration, queue, description);
    release_lock();
    if (status != ACL_SUCCESS) rt_free(registration);
    return status;
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
    RT_CHECK(stream, ACL_ERROR_INVALID_PARAM, "stream is NULL");
    take_lock();
    drop(find_registration(stream));
    release_lock();
    return ACL_SUCCESS;
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
                                   aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc,
                                   aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
    RT_CHECK(stream, ACL_ERROR_INVALID_PARAM, "stream is NULL");
    RT_CHECK(allocatorDesc, ACL_ERROR_INVALID_PARAM, "allocatorDesc is NULL");
    take_lock();
    struct registration *found = find_registration(stream);
    struct rt_object *alive =
        found ? rt_registry_acquire(stream, RT_OBJECT_STREAM, found->serial) : NULL;
    struct functions functions = {0};
    if (alive) {
        functions = found->functions;
        *allocatorDesc = found->description;
    } else {
        drop(found);
    }
    release_lock();
    rt_object_release(alive);
    RT_CHECK(alive, ACL_ERROR_INVALID_PARAM, "stream, %p, has no allocator", stream);
    if (allocator) *allocator = functions.allocator;
    if (allocFunc) *allocFunc = functions.alloc;
    if (freeFunc) *freeFunc = functions.free;
    if (allocAdviseFunc) *allocAdviseFunc = functions.advise;
    if (getAddrFromBlockFunc) *getAddrFromBlockFunc = functions.address;
    return ACL_SUCCESS;
}

void rt_allocators_end(void)
{
    take_lock();
    while (registrations.root)
        drop((struct registration *)registrations.root);
    release_lock();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators of the program's own. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/support/alloc.h"
#include "tests/unit/refusal.h"

static aclrtStream stream;

static void start(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

TestSuite(allocator, .init = start, .timeout = 600);

static void *take(aclrtAllocator allocator, size_t size)
{
    (void)size;
    return allocator;
}

static void give(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
    (void)allocator;
    (void)block;
}

static void *advise(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr address)
{
    (void)size;
    (void)address;
    return allocator;
}

static void *address_of(aclrtAllocatorBlock block)
{
    return block;
}

static int object;

static aclrtAllocatorDesc describe(void)
{
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    cr_assert_not_null(description);
    cr_assert_eq(aclrtAllocatorSetObjToDesc(description, &object), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetAllocFuncToDesc(description, take), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetFreeFuncToDesc(description, give), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address_of), ACL_SUCCESS);
    return description;
}

/* The arguments that may be NULL. */
#define NOTHING_ELSE NULL, NULL, NULL, NULL, NULL

Test(allocator, is_given_back_as_it_was_registered)
{
    aclrtAllocatorDesc description = describe();
    cr_assert_eq(aclrtAllocatorRegister(stream, description), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetAllocAdviseFuncToDesc(description, advise), ACL_SUCCESS);

    aclrtAllocatorDesc found;
    aclrtAllocator allocator;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc release;
    aclrtAllocatorAllocAdviseFunc with_advice;
    aclrtAllocatorGetAddrFromBlockFunc address;
    cr_assert_eq(aclrtAllocatorGetByStream(stream, &found, &allocator, &alloc, &release,
                                           &with_advice, &address),
                 ACL_SUCCESS);
    cr_expect_eq(found, description);
    cr_expect_eq(allocator, &object);
    cr_expect_eq(alloc, take);
    cr_expect_eq(release, give);
    cr_expect_null(with_advice, "set after the registration");
    cr_expect_eq(address, address_of);

    cr_assert_eq(aclrtAllocatorRegister(stream, description),
                 ACL_SUCCESS); /* the last one counts */
    cr_assert_eq(aclrtAllocatorDestroyDesc(description), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorGetByStream(stream, &found, NULL, NULL, NULL, &with_advice, NULL),
                 ACL_SUCCESS);
    cr_expect_eq(with_advice, advise);
    cr_assert_eq(aclrtAllocatorUnregister(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorUnregister(stream), ACL_SUCCESS);
    expect_refused(aclrtAllocatorGetByStream(stream, &found, NOTHING_ELSE), ACL_ERROR_INVALID_PARAM,
                   "has no allocator");
}

Test(allocator, belongs_to_its_stream)
{
    aclrtAllocatorDesc description = describe();
    aclrtAllocatorDesc found;
    aclrtStream other;
    cr_assert_eq(aclrtCreateStream(&other), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorRegister(stream, description), ACL_SUCCESS);
    expect_refused(aclrtAllocatorGetByStream(other, &found, NOTHING_ELSE), ACL_ERROR_INVALID_PARAM,
                   "has no allocator");
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    expect_refused(aclrtAllocatorGetByStream(stream, &found, NOTHING_ELSE), ACL_ERROR_INVALID_PARAM,
                   "has no allocator");
    for (int i = 0; i < 10; i++) { /* one may get the address of the first */
        aclrtStream fresh;
        cr_assert_eq(aclrtCreateStream(&fresh), ACL_SUCCESS);
        expect_refused(aclrtAllocatorGetByStream(fresh, &found, NOTHING_ELSE),
                       ACL_ERROR_INVALID_PARAM, "has no allocator");
    }
    cr_assert_eq(aclrtAllocatorUnregister(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorRegister(other, description), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS); /* forgets it; the description is the program's */
    cr_assert_eq(aclrtAllocatorDestroyDesc(description), ACL_SUCCESS);
}

Test(allocator, refusals)
{
    aclrtAllocatorDesc empty = aclrtAllocatorCreateDesc();
    aclrtAllocatorDesc full = describe();
    const aclError invalid = ACL_ERROR_INVALID_PARAM;
    expect_refused(aclrtAllocatorRegister(NULL, full), invalid, "stream is NULL");
    expect_refused(aclrtAllocatorRegister(stream, NULL), invalid, "allocatorDesc is NULL");
    expect_refused(aclrtAllocatorRegister(stream, &object), invalid, "not a description");
    expect_refused(aclrtAllocatorRegister(&object, full), ACL_ERROR_RT_INVALID_HANDLE, "stream");
    expect_refused(aclrtAllocatorUnregister(NULL), invalid, "stream is NULL");
    expect_refused(aclrtAllocatorGetByStream(NULL, &empty, NOTHING_ELSE), invalid,
                   "stream is NULL");
    expect_refused(aclrtAllocatorGetByStream(stream, NULL, NOTHING_ELSE), invalid,
                   "allocatorDesc is NULL");

    expect_refused(aclrtAllocatorRegister(stream, empty), invalid, "SetObjToDesc");
    cr_assert_eq(aclrtAllocatorSetObjToDesc(empty, &object), ACL_SUCCESS);
    expect_refused(aclrtAllocatorRegister(stream, empty), invalid, "SetAllocFuncToDesc");
    cr_assert_eq(aclrtAllocatorSetAllocFuncToDesc(empty, take), ACL_SUCCESS);
    expect_refused(aclrtAllocatorRegister(stream, empty), invalid, "SetFreeFuncToDesc");
    cr_assert_eq(aclrtAllocatorSetFreeFuncToDesc(empty, give), ACL_SUCCESS);
    expect_refused(aclrtAllocatorRegister(stream, empty), invalid, "SetGetAddrFromBlockFuncToDesc");

    expect_refused(aclrtAllocatorSetObjToDesc(NULL, &object), invalid, "allocatorDesc is NULL");
    expect_refused(aclrtAllocatorSetObjToDesc(empty, NULL), invalid, "allocator is NULL");
    expect_refused(aclrtAllocatorSetAllocFuncToDesc(empty, NULL), invalid, "func is NULL");
    expect_refused(aclrtAllocatorSetFreeFuncToDesc(empty, NULL), invalid, "func is NULL");
    expect_refused(aclrtAllocatorSetAllocAdviseFuncToDesc(empty, NULL), invalid, "func is NULL");
    expect_refused(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(empty, NULL), invalid, "func");
    expect_refused(aclrtAllocatorDestroyDesc(NULL), invalid, "allocatorDesc is NULL");
    cr_assert_eq(aclrtAllocatorDestroyDesc(empty), ACL_SUCCESS);
    expect_refused(aclrtAllocatorDestroyDesc(empty), invalid, "was destroyed");
    expect_refused(aclrtAllocatorSetFreeFuncToDesc(empty, give), invalid, "was destroyed");

    rt_alloc_fail_at(1);
    cr_expect_null(aclrtAllocatorCreateDesc());
    expect_text("aclrtAllocatorCreateDesc()", "no host memory");
    rt_alloc_fail_at(1);
    expect_refused(aclrtAllocatorRegister(stream, full), ACL_ERROR_BAD_ALLOC, "no host memory");
    rt_alloc_fail_at(0);
    cr_assert_eq(aclrtAllocatorDestroyDesc(full), ACL_SUCCESS);
}

/* The description comes before the runtime has started: locks must still be taken in one order. */
Test(allocator_first, process_can_fork)
{
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    aclrtAllocatorDesc found;
    start();
    cr_assert_eq(aclrtAllocatorSetObjToDesc(description, &object), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetAllocFuncToDesc(description, take), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetFreeFuncToDesc(description, give), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address_of), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorRegister(stream, description), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorGetByStream(stream, &found, NOTHING_ELSE), ACL_SUCCESS);
    pid_t child = fork();
    if (child == 0)
        _exit(aclrtAllocatorUnregister(stream) || aclrtAllocatorDestroyDesc(description));
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_expect_eq(aclrtAllocatorGetByStream(stream, &found, NOTHING_ELSE), ACL_SUCCESS);
    cr_assert_eq(aclrtAllocatorDestroyDesc(description), ACL_SUCCESS);
}

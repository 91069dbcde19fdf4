/* SPDX-License-Identifier: Apache-2.0 */
/* What is released when all that was queued before has run. */
#include <criterion/criterion.h>
#include <stdatomic.h>

#include "acl/acl.h"
#include "runtime/schedule/stream.h"
#include "tests/unit/stream_tasks.h"

static atomic_int released;

static void release(struct rt_deferred *deferred)
{
    (void)deferred;
    atomic_fetch_add(&released, 1);
}

Test(defer, at_once_when_nothing_is_queued)
{
    aclrtStream handle;
    struct rt_deferred deferred[3] = {
        {.release = release}, {.release = release}, {.release = release}};
    rt_defer(&deferred[0]);
    cr_expect_eq(released, 1, "before any stream exists");
    struct rt_stream *stream = open_stream(&handle);
    rt_defer(&deferred[1]);
    cr_expect_eq(released, 2);
    submit_times(stream, 10, 0);
    cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    rt_defer(&deferred[2]);
    cr_expect_eq(released, 3);
}

Test(defer, waits_for_what_is_queued_but_not_for_more, .timeout = 600)
{
    aclrtStream handle, other_handle;
    aclrtEvent gate, second_gate;
    struct rt_deferred deferred[3] = {
        {.release = release}, {.release = release}, {.release = release}};
    struct rt_stream *stream = open_stream(&handle);
    struct rt_stream *other = open_stream(&other_handle);
    cr_assert_eq(aclrtCreateEvent(&gate), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateEvent(&second_gate), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, gate), ACL_SUCCESS);
    submit_times(stream, 1, 0);
    rt_defer(&deferred[0]);
    rt_defer(&deferred[1]);
    cr_assert_eq(aclrtStreamWaitEvent(other_handle, second_gate), ACL_SUCCESS); /* queued later */
    submit_times(other, 1, 0);
    nap(5);
    cr_expect_eq(released, 0);
    cr_assert_eq(aclrtRecordEvent(gate, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(handle), ACL_SUCCESS);
    cr_expect_geq(released, 1, "the later stream does not hold the first back");
    rt_defer(&deferred[2]);
    cr_expect_lt(released, 3);
    cr_assert_eq(aclrtRecordEvent(second_gate, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(released, 3);
}

Test(defer, a_destroyed_stream_counts_as_passed, .timeout = 600)
{
    aclrtStream handle;
    aclrtEvent never;
    struct rt_deferred deferred = {.release = release};
    struct rt_stream *stream = open_stream(&handle);
    cr_assert_eq(aclrtCreateEvent(&never), ACL_SUCCESS);
    cr_assert_eq(aclrtStreamWaitEvent(handle, never), ACL_SUCCESS);
    submit_times(stream, 1, 0);
    rt_defer(&deferred);
    cr_expect_eq(released, 0);
    cr_assert_eq(aclrtDestroyStreamForce(handle), ACL_SUCCESS);
    cr_expect_eq(released, 1);
}

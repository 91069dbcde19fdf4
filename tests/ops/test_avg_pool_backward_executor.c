/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 and the executor's life: misuse, repeating, new addresses, flights that overlap. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/ops/suite.h"
#include "tests/support/rig_flight.h"
#include "tests/support/rows.h"

RIG_SUITE(avg_pool_backward_executor);

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

static const char *const DENSE = "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2 seed=1";
static const char *const STRIDED =
    "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2 strided seed=1";
static const char *const LARGE = "avg_pool2d_backward f32 n8c16 57x55 k3 s1 p1 strided seed=9";

static struct rig_flight start(const char *line)
{
    return rig_start(&rig, &rig_avg_pool2d_backward, line);
}

static void launch_ok(struct rig_flight *flight, aclrtStream stream)
{
    aclnnStatus status = rig_launch(flight, stream);
    cr_assert_eq(status, ACLNN_SUCCESS, "%d: %s", status, aclGetRecentErrMsg());
}

static void synchronize(aclrtStream stream)
{
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

/* Is the gradient of the flight's data in this memory? */
static void expect_gradient_in(const struct rig_flight *flight, void *dx)
{
    struct rig_flight moved = *flight;
    moved.call.operand[GRAD_INPUT].data = dx;
    cr_assert(rig_is_right(&rig, &moved), "%s", rig.text);
}

static void expect_gradient(const struct rig_flight *flight)
{
    expect_gradient_in(flight, flight->call.operand[GRAD_INPUT].data);
}

static void expect_unwritten(const struct rig_flight *flight)
{
    cr_assert(rig_is_unwritten(flight));
}

static void expect_text(const char *word)
{
    const char *text = aclGetRecentErrMsg();
    cr_assert(text && strstr(text, word), "the text does not mention %s: %s", word,
              text ? text : "none");
}

/* ---- misuse ---- */

Test(avg_pool_backward_executor, null_executor)
{
    cr_assert_eq(aclnnAvgPool2dBackward(NULL, 0, NULL, rig.stream), ACLNN_ERR_PARAM_NULLPTR);
    expect_text("executor");
}

/* The executor is freed with each failure: the leak checker sees it. */
Test(avg_pool_backward_executor, workspace_that_cannot_be_used)
{
    struct rig_flight flight = start(STRIDED);
    uint64_t size = flight.call.workspace_size;
    cr_assert_gt(size, 0u);
    cr_assert_eq(aclnnAvgPool2dBackward(NULL, size, flight.call.executor, rig.stream),
                 ACLNN_ERR_PARAM_NULLPTR);
    expect_text("workspace");

    cr_assert_eq(rig_phase1(&flight.call), ACLNN_SUCCESS);
    cr_assert_eq(
        aclnnAvgPool2dBackward(flight.workspace, size - 1, flight.call.executor, rig.stream),
        ACLNN_ERR_PARAM_INVALID);
    expect_text("workspaceSize");

    cr_assert_eq(rig_phase1(&flight.call), ACLNN_SUCCESS);
    cr_assert_eq(aclnnAvgPool2dBackward(NULL, 0, flight.call.executor, rig.stream),
                 ACLNN_ERR_PARAM_INVALID);
    expect_text("workspaceSize");
    synchronize(rig.stream);
    expect_unwritten(&flight);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, a_repeatable_one_survives_a_refused_workspace)
{
    struct rig_flight flight = start(STRIDED);
    uint64_t size = flight.call.workspace_size;
    aclOpExecutor *executor = flight.call.executor;
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    cr_assert_eq(aclnnAvgPool2dBackward(flight.workspace, size - 1, executor, rig.stream),
                 ACLNN_ERR_PARAM_INVALID);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, larger_workspace_than_needed_is_fine)
{
    struct rig_flight flight = start(DENSE);
    char spare[64];
    cr_assert_eq(flight.call.workspace_size, 0u);
    cr_assert_eq(aclnnAvgPool2dBackward(spare, sizeof spare, flight.call.executor, rig.stream),
                 ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, null_arguments_of_the_executor_functions)
{
    struct rig_flight flight = start(DENSE);
    aclTensor *tensor = flight.call.operand[GRAD_OUTPUT].tensor;
    aclOpExecutor *executor = flight.call.executor;
    cr_assert_eq(aclSetAclOpExecutorRepeatable(NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclDestroyAclOpExecutor(NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclSetInputTensorAddr(NULL, 0, tensor, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclSetInputTensorAddr(executor, 0, NULL, NULL), ACLNN_ERR_INNER_NULLPTR);
    expect_text("tensor");
    cr_assert_eq(aclSetOutputTensorAddr(NULL, 0, tensor, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclSetTensorAddr(executor, 0, NULL, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(AclSetInputTensorAddr(NULL, 0, tensor, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclSetDynamicTensorAddr(executor, 0, 0, NULL, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(AclSetDynamicInputTensorAddr(NULL, 0, 0, NULL, NULL), ACLNN_ERR_INNER_NULLPTR);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, an_unused_executor_can_be_destroyed)
{
    struct rig_flight flight = start(STRIDED);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, no_address_is_refused_in_phase_2)
{
    struct rig_flight flight = start(DENSE);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight.call.operand[GRAD_OUTPUT].tensor, NULL), ACLNN_SUCCESS);
    cr_assert_neq(rig_launch(&flight, rig.stream), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight.call.operand[GRAD_OUTPUT].tensor,
                                     flight.call.operand[GRAD_OUTPUT].data),
                 ACLNN_SUCCESS);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

/* ---- new addresses ---- */

typedef aclnnStatus set_address(aclOpExecutor *, const size_t, aclTensor *, void *);
typedef aclnnStatus set_list_address(aclOpExecutor *, size_t, const size_t, aclTensorList *,
                                     void *);

struct setters {
    set_address *input, *output, *any;
    set_list_address *list_input, *list_output, *list_any;
};

static const struct setters spellings[] = {
    {aclSetInputTensorAddr, aclSetOutputTensorAddr, aclSetTensorAddr, aclSetDynamicInputTensorAddr,
     aclSetDynamicOutputTensorAddr, aclSetDynamicTensorAddr},
    {AclSetInputTensorAddr, AclSetOutputTensorAddr, AclSetTensorAddr, AclSetDynamicInputTensorAddr,
     AclSetDynamicOutputTensorAddr, AclSetDynamicTensorAddr},
};

/* Runs with both tensors in new memory that set() names; the old memory must stay. */
static void check_moved(void (*set)(struct rig_flight *, void *dy, void *dx))
{
    struct rig_flight flight = start(STRIDED);
    size_t dy_bytes = operand_bytes(&flight.call.operand[GRAD_OUTPUT]),
           dx_bytes = operand_bytes(&flight.call.operand[GRAD_INPUT]);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++) {
        void *dy = malloc(dy_bytes), *dx = malloc(dx_bytes);
        cr_assert(dy && dx);
        memcpy(dy, flight.call.operand[GRAD_OUTPUT].data, dy_bytes);
        memset(dx, 0xFF, dx_bytes);
        set(&flight, dy, dx);
        launch_ok(&flight, rig.stream);
        synchronize(rig.stream);
        expect_gradient_in(&flight, dx);
        free(dy); /* the next run must not read it */
        free(dx);
    }
    expect_unwritten(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

static const struct setters *spelling;

static void set_by_kind(struct rig_flight *flight, void *dy, void *dx)
{
    aclOpExecutor *executor = flight->call.executor;
    cr_assert_eq(spelling->input(executor, 0, flight->call.operand[GRAD_OUTPUT].tensor, dy),
                 ACLNN_SUCCESS);
    cr_assert_eq(spelling->output(executor, 0, flight->call.operand[GRAD_INPUT].tensor, dx),
                 ACLNN_SUCCESS);
}

static void set_by_number(struct rig_flight *flight, void *dy, void *dx)
{
    aclOpExecutor *executor = flight->call.executor;
    cr_assert_eq(spelling->any(executor, 2, flight->call.operand[GRAD_INPUT].tensor, dx),
                 ACLNN_SUCCESS);
    cr_assert_eq(spelling->any(executor, 0, flight->call.operand[GRAD_OUTPUT].tensor, dy),
                 ACLNN_SUCCESS);
    cr_assert_eq(spelling->any(executor, 1, flight->call.operand[SELF].tensor, NULL),
                 ACLNN_SUCCESS);
}

static void set_raw(struct rig_flight *flight, void *dy, void *dx)
{
    void *now = NULL;
    cr_assert_eq(aclSetRawTensorAddr(flight->call.operand[GRAD_OUTPUT].tensor, dy), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight->call.operand[GRAD_INPUT].tensor, dx), ACLNN_SUCCESS);
    cr_assert_eq(aclGetRawTensorAddr(flight->call.operand[GRAD_INPUT].tensor, &now), ACLNN_SUCCESS);
    cr_assert_eq(now, dx);
}

Test(avg_pool_backward_executor, new_addresses_are_used_at_the_next_run)
{
    for (spelling = spellings; spelling < spellings + 2; spelling++) {
        check_moved(set_by_kind);
        check_moved(set_by_number);
    }
    check_moved(set_raw);
}

Test(avg_pool_backward_executor, indices_out_of_range)
{
    struct rig_flight flight = start(DENSE);
    aclOpExecutor *executor = flight.call.executor;
    aclTensor *tensor = flight.call.operand[GRAD_OUTPUT].tensor;
    const aclTensor *element = aclCreateTensor(
        flight.call.operand[GRAD_OUTPUT].dims, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW,
        flight.call.operand[GRAD_OUTPUT].dims, 4, flight.call.operand[GRAD_OUTPUT].data);
    aclTensorList *list = aclCreateTensorList(&element, 1);
    char elsewhere[64];
    void *address = NULL;
    for (int i = 0; i < 2; i++) {
        const struct setters *set = &spellings[i];
        cr_assert_eq(set->input(executor, 2, tensor, elsewhere), ACLNN_ERR_PARAM_INVALID);
        expect_text("index");
        cr_assert_eq(set->output(executor, 1, tensor, elsewhere), ACLNN_ERR_PARAM_INVALID);
        expect_text("1");
        cr_assert_eq(set->any(executor, 3, tensor, elsewhere), ACLNN_ERR_PARAM_INVALID);
        cr_assert_eq(set->any(executor, SIZE_MAX, tensor, elsewhere), ACLNN_ERR_PARAM_INVALID);
        cr_assert_eq(set->list_input(executor, 0, 1, list, elsewhere), ACLNN_ERR_PARAM_INVALID);
        cr_assert_eq(set->list_output(executor, 0, 1, list, elsewhere), ACLNN_ERR_PARAM_INVALID);
        cr_assert_eq(set->list_any(executor, 9, 1, list, elsewhere), ACLNN_ERR_PARAM_INVALID);
    }
    cr_assert_eq(aclGetRawTensorAddr(tensor, &address), ACLNN_SUCCESS);
    cr_assert_eq(address, flight.call.operand[GRAD_OUTPUT].data,
                 "a refused call changed the address");
    cr_assert_eq(aclDestroyTensorList(list), ACLNN_SUCCESS);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

/* ---- lifetimes ---- */

Test(avg_pool_backward_executor, descriptors_destroyed_right_after_phase_1)
{
    struct rig_flight flight = start(STRIDED);
    rig_close(&flight.call);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, descriptors_destroyed_right_after_phase_2)
{
    struct rig_flight flight = start(LARGE);
    launch_ok(&flight, rig.stream);
    rig_close(&flight.call);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, destroyed_in_flight)
{
    struct rig_flight flight = start(LARGE);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 20; i++)
        launch_ok(&flight, rig.stream);
    rig_close(&flight.call);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

static void *launch_elsewhere(void *argument)
{
    struct rig_flight *flight = argument;
    if (aclrtSetDevice(0) != ACL_SUCCESS) return (char *)"aclrtSetDevice";
    if (rig_launch(flight, rig.stream) != ACLNN_SUCCESS) return (char *)"phase 2";
    return NULL;
}

Test(avg_pool_backward_executor, phase_2_on_another_thread)
{
    struct rig_flight flight = start(STRIDED);
    pthread_t thread;
    void *failed;
    cr_assert_eq(pthread_create(&thread, NULL, launch_elsewhere, &flight), 0);
    cr_assert_eq(pthread_join(thread, &failed), 0);
    cr_assert_null(failed, "%s", (char *)failed);
    synchronize(rig.stream);
    expect_gradient(&flight);
    rig_finish(&flight);
}

Test(avg_pool_backward_executor, two_calls_interleaved)
{
    struct rig_flight first = start(STRIDED);
    struct rig_flight second = start("avg_pool2d_backward bf16 n1c7 19x23 k4 s3 p2 nhwc seed=2");
    launch_ok(&first, rig.stream);
    launch_ok(&second, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&second);
    expect_gradient(&first);
    rig_finish(&first);
    rig_finish(&second);
}

Test(avg_pool_backward_executor, default_stream)
{
    struct rig_flight flight = start(STRIDED);
    launch_ok(&flight, NULL);
    synchronize(NULL);
    expect_gradient(&flight);
    rig_finish(&flight);
}

/* ---- repeating ---- */

static uint64_t *bits_of(const struct rig_flight *flight, void *dx)
{
    struct operand operand = flight->call.operand[GRAD_INPUT];
    uint64_t *bits = malloc((size_t)operand_elements(&operand) * sizeof *bits);
    cr_assert(bits != NULL);
    operand.data = dx;
    operand_read_bits(&operand, bits);
    return bits;
}

Test(avg_pool_backward_executor, runs_of_one_executor_equal_runs_of_two)
{
    struct rig_flight repeated = start(LARGE), single = start(LARGE);
    size_t bytes = (size_t)operand_elements(&single.call.operand[GRAD_INPUT]) * sizeof(uint64_t);
    launch_ok(&single, rig.stream);
    synchronize(rig.stream);
    uint64_t *want = bits_of(&single, single.call.operand[GRAD_INPUT].data);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(repeated.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 5; i++) {
        operand_poison(&repeated.call.operand[GRAD_INPUT], 0xFF);
        launch_ok(&repeated, rig.stream);
        synchronize(rig.stream);
        uint64_t *got = bits_of(&repeated, repeated.call.operand[GRAD_INPUT].data);
        cr_assert(memcmp(got, want, bytes) == 0, "run %d", i);
        free(got);
    }
    free(want);
    cr_assert_eq(aclDestroyAclOpExecutor(repeated.call.executor), ACLNN_SUCCESS);
    rig_finish(&repeated);
    rig_finish(&single);
}

/* The addresses of a run are those at its phase 2: new ones may be set while it is in flight. */
Test(avg_pool_backward_executor, in_flight_on_two_streams_at_once)
{
    enum { ROUNDS = 30 };
    struct rig_flight flight = start(LARGE);
    aclOpExecutor *executor = flight.call.executor;
    aclrtStream streams[2];
    void *workspaces[2], *results[2];
    size_t bytes = operand_bytes(&flight.call.operand[GRAD_INPUT]);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(aclrtCreateStream(&streams[i]), ACL_SUCCESS);
        workspaces[i] = aligned_alloc(64, (flight.call.workspace_size + 64) & ~63ul);
        results[i] = malloc(bytes);
        cr_assert(workspaces[i] && results[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            memset(results[i], 0xFF, bytes);
            cr_assert_eq(aclSetOutputTensorAddr(executor, 0, flight.call.operand[GRAD_INPUT].tensor,
                                                results[i]),
                         ACLNN_SUCCESS);
            cr_assert_eq(aclnnAvgPool2dBackward(workspaces[i], flight.call.workspace_size, executor,
                                                streams[i]),
                         ACLNN_SUCCESS);
        }
        for (int i = 0; i < 2; i++) {
            synchronize(streams[i]);
            if (round % 10 == 0) expect_gradient_in(&flight, results[i]);
        }
        cr_assert(memcmp(results[0], results[1], bytes) == 0, "round %d", round);
    }
    expect_unwritten(&flight);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(aclrtDestroyStream(streams[i]), ACL_SUCCESS);
        free(workspaces[i]);
        free(results[i]);
    }
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

/* An empty call has a valid executor; its phase 2 does nothing, as often as one likes. */
Test(avg_pool_backward_executor, empty_tensors)
{
    struct rig_flight flight = start("avg_pool2d_backward f32 n2c3 8x8 k2 o0x4");
    cr_assert_eq(flight.call.workspace_size, 0u);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(aclnnAvgPool2dBackward(NULL, 0, flight.call.executor, rig.stream),
                     ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_unwritten(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    rig_finish(&flight);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 and the executor's life: misuse, repeating, new addresses, flights that overlap. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/support/avg_pool_call.h"
#include "tests/support/compare.h"

static struct avg_pool_rig rig;
static const char *const DENSE = "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2 seed=1";
static const char *const STRIDED =
    "avg_pool2d_backward f32 n2c3 35x41 k3x5 s2x1 p1x2 strided seed=1";
static const char *const LARGE = "avg_pool2d_backward f32 n8c16 57x55 k3 s1 p1 strided seed=9";

static void begin(void)
{
    avg_pool_rig_begin(&rig);
}

static void end(void)
{
    avg_pool_rig_end(&rig);
}

TestSuite(avg_pool_backward_executor, .init = begin, .fini = end, .timeout = 600);

/* One problem with its own memory, phase 1 done. */
struct flight {
    struct test_case test;
    struct avg_pool_call call;
    void *workspace;
};

static struct flight start(const char *line)
{
    struct flight flight;
    char error[256];
    cr_assert(case_parse(line, &flight.test, error, sizeof error), "%s: %s", line, error);
    flight.call = avg_pool_prepare(&flight.test);
    flight.call.dy.data = malloc(operand_bytes(&flight.call.dy));
    flight.call.dx.data = malloc(operand_bytes(&flight.call.dx));
    cr_assert(flight.call.dy.data && flight.call.dx.data);
    avg_pool_rig_load(&rig, &flight.test);
    operand_write(&flight.call.dy, rig.dy);
    operand_poison(&flight.call.dx, 0xFF);
    avg_pool_open(&flight.call, &flight.test);
    cr_assert_eq(avg_pool_phase1(&flight.call), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    flight.workspace = aligned_alloc(64, (flight.call.workspace_size + 64) & ~63ul);
    cr_assert(flight.workspace != NULL);
    return flight;
}

static aclnnStatus launch(struct flight *flight, aclrtStream stream)
{
    return aclnnAvgPool2dBackward(flight->workspace, flight->call.workspace_size,
                                  flight->call.executor, stream);
}

static void launch_ok(struct flight *flight, aclrtStream stream)
{
    aclnnStatus status = launch(flight, stream);
    cr_assert_eq(status, ACLNN_SUCCESS, "%d: %s", status, aclGetRecentErrMsg());
}

static void synchronize(aclrtStream stream)
{
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

/* Is the gradient of the flight's data in this memory? */
static void expect_gradient(struct flight *flight, void *dx)
{
    char line[CASE_LINE], text[512];
    struct operand operand = flight->call.dx;
    operand.data = dx;
    avg_pool_rig_load(&rig, &flight->test);
    operand_read(&operand, rig.got);
    cr_assert(compare_gradient(&flight->test, rig.want, rig.got, text, sizeof text), "%s\n  %s",
              case_print(&flight->test, line), text);
}

static void finish(struct flight *flight)
{
    avg_pool_close(&flight->call);
    free(flight->call.dy.data);
    free(flight->call.dx.data);
    free(flight->workspace);
}

static void expect_unwritten(const struct flight *flight)
{
    for (size_t i = 0; i < operand_bytes(&flight->call.dx); i++)
        cr_assert_eq(((unsigned char *)flight->call.dx.data)[i], 0xFF);
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
    struct flight flight = start(STRIDED);
    uint64_t size = flight.call.workspace_size;
    cr_assert_gt(size, 0u);
    cr_assert_eq(aclnnAvgPool2dBackward(NULL, size, flight.call.executor, rig.stream),
                 ACLNN_ERR_PARAM_NULLPTR);
    expect_text("workspace");

    cr_assert_eq(avg_pool_phase1(&flight.call), ACLNN_SUCCESS);
    cr_assert_eq(
        aclnnAvgPool2dBackward(flight.workspace, size - 1, flight.call.executor, rig.stream),
        ACLNN_ERR_PARAM_INVALID);
    expect_text("workspaceSize");

    cr_assert_eq(avg_pool_phase1(&flight.call), ACLNN_SUCCESS);
    cr_assert_eq(aclnnAvgPool2dBackward(NULL, 0, flight.call.executor, rig.stream),
                 ACLNN_ERR_PARAM_INVALID);
    expect_text("workspaceSize");
    synchronize(rig.stream);
    expect_unwritten(&flight);
    finish(&flight);
}

Test(avg_pool_backward_executor, a_repeatable_one_survives_a_refused_workspace)
{
    struct flight flight = start(STRIDED);
    uint64_t size = flight.call.workspace_size;
    aclOpExecutor *executor = flight.call.executor;
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    cr_assert_eq(aclnnAvgPool2dBackward(flight.workspace, size - 1, executor, rig.stream),
                 ACLNN_ERR_PARAM_INVALID);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    finish(&flight);
}

Test(avg_pool_backward_executor, larger_workspace_than_needed_is_fine)
{
    struct flight flight = start(DENSE);
    char spare[64];
    cr_assert_eq(flight.call.workspace_size, 0u);
    cr_assert_eq(aclnnAvgPool2dBackward(spare, sizeof spare, flight.call.executor, rig.stream),
                 ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

Test(avg_pool_backward_executor, null_arguments_of_the_executor_functions)
{
    struct flight flight = start(DENSE);
    aclTensor *tensor = flight.call.dy.tensor;
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
    finish(&flight);
}

Test(avg_pool_backward_executor, an_unused_executor_can_be_destroyed)
{
    struct flight flight = start(STRIDED);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    finish(&flight);
}

Test(avg_pool_backward_executor, no_address_is_refused_in_phase_2)
{
    struct flight flight = start(DENSE);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight.call.dy.tensor, NULL), ACLNN_SUCCESS);
    cr_assert_neq(launch(&flight, rig.stream), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight.call.dy.tensor, flight.call.dy.data), ACLNN_SUCCESS);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    finish(&flight);
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

/* Runs with both tensors in new memory that set() announces; the old memory must stay. */
static void check_moved(void (*set)(struct flight *, void *dy, void *dx))
{
    struct flight flight = start(STRIDED);
    size_t dy_bytes = operand_bytes(&flight.call.dy), dx_bytes = operand_bytes(&flight.call.dx);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++) {
        void *dy = malloc(dy_bytes), *dx = malloc(dx_bytes);
        cr_assert(dy && dx);
        memcpy(dy, flight.call.dy.data, dy_bytes);
        memset(dx, 0xFF, dx_bytes);
        set(&flight, dy, dx);
        launch_ok(&flight, rig.stream);
        synchronize(rig.stream);
        expect_gradient(&flight, dx);
        free(dy); /* the next run must not read it */
        free(dx);
    }
    expect_unwritten(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    finish(&flight);
}

static const struct setters *spelling;

static void set_by_kind(struct flight *flight, void *dy, void *dx)
{
    aclOpExecutor *executor = flight->call.executor;
    cr_assert_eq(spelling->input(executor, 0, flight->call.dy.tensor, dy), ACLNN_SUCCESS);
    cr_assert_eq(spelling->output(executor, 0, flight->call.dx.tensor, dx), ACLNN_SUCCESS);
}

static void set_by_number(struct flight *flight, void *dy, void *dx)
{
    aclOpExecutor *executor = flight->call.executor;
    cr_assert_eq(spelling->any(executor, 2, flight->call.dx.tensor, dx), ACLNN_SUCCESS);
    cr_assert_eq(spelling->any(executor, 0, flight->call.dy.tensor, dy), ACLNN_SUCCESS);
    cr_assert_eq(spelling->any(executor, 1, flight->call.self.tensor, NULL), ACLNN_SUCCESS);
}

static void set_raw(struct flight *flight, void *dy, void *dx)
{
    void *now = NULL;
    cr_assert_eq(aclSetRawTensorAddr(flight->call.dy.tensor, dy), ACLNN_SUCCESS);
    cr_assert_eq(aclSetRawTensorAddr(flight->call.dx.tensor, dx), ACLNN_SUCCESS);
    cr_assert_eq(aclGetRawTensorAddr(flight->call.dx.tensor, &now), ACLNN_SUCCESS);
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
    struct flight flight = start(DENSE);
    aclOpExecutor *executor = flight.call.executor;
    aclTensor *tensor = flight.call.dy.tensor;
    const aclTensor *element =
        aclCreateTensor(flight.call.dy.dims, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW,
                        flight.call.dy.dims, 4, flight.call.dy.data);
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
    cr_assert_eq(address, flight.call.dy.data, "a refused call changed the address");
    cr_assert_eq(aclDestroyTensorList(list), ACLNN_SUCCESS);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

/* ---- lifetimes ---- */

Test(avg_pool_backward_executor, descriptors_destroyed_right_after_phase_1)
{
    struct flight flight = start(STRIDED);
    avg_pool_close(&flight.call);
    launch_ok(&flight, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

Test(avg_pool_backward_executor, descriptors_destroyed_right_after_phase_2)
{
    struct flight flight = start(LARGE);
    launch_ok(&flight, rig.stream);
    avg_pool_close(&flight.call);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

Test(avg_pool_backward_executor, destroyed_in_flight)
{
    struct flight flight = start(LARGE);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 20; i++)
        launch_ok(&flight, rig.stream);
    avg_pool_close(&flight.call);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

static void *launch_elsewhere(void *argument)
{
    struct flight *flight = argument;
    if (aclrtSetDevice(0) != ACL_SUCCESS) return (char *)"aclrtSetDevice";
    if (launch(flight, rig.stream) != ACLNN_SUCCESS) return (char *)"phase 2";
    return NULL;
}

Test(avg_pool_backward_executor, phase_2_on_another_thread)
{
    struct flight flight = start(STRIDED);
    pthread_t thread;
    void *failed;
    cr_assert_eq(pthread_create(&thread, NULL, launch_elsewhere, &flight), 0);
    cr_assert_eq(pthread_join(thread, &failed), 0);
    cr_assert_null(failed, "%s", (char *)failed);
    synchronize(rig.stream);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

Test(avg_pool_backward_executor, two_calls_interleaved)
{
    struct flight first = start(STRIDED);
    struct flight second = start("avg_pool2d_backward bf16 n1c7 19x23 k4 s3 p2 nhwc seed=2");
    launch_ok(&first, rig.stream);
    launch_ok(&second, rig.stream);
    synchronize(rig.stream);
    expect_gradient(&second, second.call.dx.data);
    expect_gradient(&first, first.call.dx.data);
    finish(&first);
    finish(&second);
}

Test(avg_pool_backward_executor, default_stream)
{
    struct flight flight = start(STRIDED);
    launch_ok(&flight, NULL);
    synchronize(NULL);
    expect_gradient(&flight, flight.call.dx.data);
    finish(&flight);
}

/* ---- repeating ---- */

static uint64_t *bits_of(const struct flight *flight, void *dx)
{
    struct operand operand = flight->call.dx;
    uint64_t *bits = malloc((size_t)operand_elements(&operand) * sizeof *bits);
    cr_assert(bits != NULL);
    operand.data = dx;
    operand_read_bits(&operand, bits);
    return bits;
}

Test(avg_pool_backward_executor, runs_of_one_executor_equal_runs_of_two)
{
    struct flight repeated = start(LARGE), single = start(LARGE);
    size_t bytes = (size_t)operand_elements(&single.call.dx) * sizeof(uint64_t);
    launch_ok(&single, rig.stream);
    synchronize(rig.stream);
    uint64_t *want = bits_of(&single, single.call.dx.data);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(repeated.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 5; i++) {
        operand_poison(&repeated.call.dx, 0xFF);
        launch_ok(&repeated, rig.stream);
        synchronize(rig.stream);
        uint64_t *got = bits_of(&repeated, repeated.call.dx.data);
        cr_assert(memcmp(got, want, bytes) == 0, "run %d", i);
        free(got);
    }
    free(want);
    cr_assert_eq(aclDestroyAclOpExecutor(repeated.call.executor), ACLNN_SUCCESS);
    finish(&repeated);
    finish(&single);
}

/* The addresses of a run are those at its phase 2: new ones may be set while it is in flight. */
Test(avg_pool_backward_executor, in_flight_on_two_streams_at_once)
{
    enum { ROUNDS = 30 };
    struct flight flight = start(LARGE);
    aclOpExecutor *executor = flight.call.executor;
    aclrtStream streams[2];
    void *workspaces[2], *results[2];
    size_t bytes = operand_bytes(&flight.call.dx);
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
            cr_assert_eq(aclSetOutputTensorAddr(executor, 0, flight.call.dx.tensor, results[i]),
                         ACLNN_SUCCESS);
            cr_assert_eq(aclnnAvgPool2dBackward(workspaces[i], flight.call.workspace_size, executor,
                                                streams[i]),
                         ACLNN_SUCCESS);
        }
        for (int i = 0; i < 2; i++) {
            synchronize(streams[i]);
            if (round % 10 == 0) expect_gradient(&flight, results[i]);
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
    finish(&flight);
}

/* An empty call has a valid executor; its phase 2 does nothing, as often as one likes. */
Test(avg_pool_backward_executor, empty_tensors)
{
    struct flight flight = start("avg_pool2d_backward f32 n2c3 8x8 k2 o0x4");
    cr_assert_eq(flight.call.workspace_size, 0u);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(flight.call.executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(aclnnAvgPool2dBackward(NULL, 0, flight.call.executor, rig.stream),
                     ACLNN_SUCCESS);
    synchronize(rig.stream);
    expect_unwritten(&flight);
    cr_assert_eq(aclDestroyAclOpExecutor(flight.call.executor), ACLNN_SUCCESS);
    finish(&flight);
}

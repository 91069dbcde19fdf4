/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of aclnnMoe* that name nothing: not followed, told as the stream's error. And refusals.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_moe_finalize_routing_v2.h"
#include "aclnnop/aclnn_moe_gating_top_k.h"
#include "aclnnop/aclnn_moe_init_routing.h"
#include "aclnnop/aclnn_moe_init_routing_v2.h"
#include "aclnnop/aclnn_moe_token_unpermute_grad.h"

enum { INVALID = 161002, ROWS = 3, PICKS = 2, COLUMNS = 4, COUNT = ROWS * PICKS };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(moe, .init = set_up, .fini = tear_down);

static float x[COUNT * COLUMNS], y[COUNT * COLUMNS], scale[COUNT], scale_grad[COUNT];
static int32_t experts[COUNT], places[COUNT], to_places[COUNT], to_experts[COUNT], counts[4];

static aclTensor *tensor(void *data, aclDataType type, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns}, strides[] = {columns, 1};
    const int first = rows < 0; /* a vector */
    const int64_t storage = first ? columns : rows * columns;
    return aclCreateTensor(sizes + first, (uint64_t)(2 - first), type, strides + first, 0,
                           ACL_FORMAT_ND, &storage, 1, data);
}

typedef aclnnStatus phase2(void *, uint64_t, aclOpExecutor *, aclrtStream);

/* Runs what phase 1 has made; the stream must tell these words. */
static void run(aclnnStatus status, phase2 *launch, const uint64_t *size, aclOpExecutor **executor,
                const char *words)
{
    aclrtStream stream;
    cr_assert_eq(status, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, *size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(launch(workspace, *size, *executor, stream), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    const aclError told = aclrtSynchronizeStream(stream);
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(told, words ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS, "%d: %s", told,
                 message);
    if (words) cr_expect(message && strstr(message, words), "%s: %s", words, message);
    aclrtDestroyStream(stream);
    free(workspace);
}

static void destroy(aclTensor *const *tensors, int count)
{
    for (int i = 0; i < count; i++)
        aclDestroyTensor(tensors[i]);
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        experts[i] = i % 4;
        places[i] = COUNT - 1 - i;
        scale[i] = 1;
    }
    for (int i = 0; i < COUNT * COLUMNS; i++)
        x[i] = (float)i;
    memset(y, 0xff, sizeof y);
}

static void init_routing(const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *t[] = {
        tensor(x, ACL_FLOAT, ROWS, COLUMNS),     tensor(places, ACL_INT32, ROWS, PICKS),
        tensor(experts, ACL_INT32, ROWS, PICKS), tensor(y, ACL_FLOAT, COUNT, COLUMNS),
        tensor(to_places, ACL_INT32, -1, COUNT), tensor(to_experts, ACL_INT32, -1, COUNT)};
    run(aclnnMoeInitRoutingGetWorkspaceSize(t[0], t[1], t[2], ROWS, t[3], t[4], t[5], &size,
                                            &executor),
        aclnnMoeInitRouting, &size, &executor, words);
    destroy(t, 6);
}

/* Rows of places that are no places are zeros. */
Test(moe, places_of_rows)
{
    fill();
    init_routing(NULL);
    places[1] = COUNT;
    places[4] = -7;
    init_routing("element 1 of rowIdx is 6");
    cr_expect_eq(to_places[4], -1);
    for (int i = 0; i < COUNT; i++)
        cr_expect(i == 3 || to_places[i] < COUNT, "%d", to_places[i]);
}

static aclnnStatus prepare_second(int64_t capacity, int64_t number, int64_t mode, int64_t kind,
                                  uint64_t *size, aclOpExecutor **executor)
{
    aclTensor *t[] = {tensor(x, ACL_FLOAT, ROWS, COLUMNS), tensor(experts, ACL_INT32, ROWS, PICKS),
                      tensor(y, ACL_FLOAT, COUNT, COLUMNS), tensor(to_places, ACL_INT32, -1, COUNT),
                      tensor(counts, ACL_INT32, -1, 4)};
    const aclnnStatus status = aclnnMoeInitRoutingV2GetWorkspaceSize(
        t[0], t[1], 0, capacity, number, mode, kind, false, t[2], t[3], t[4], NULL, size, executor);
    destroy(t, 5);
    return status;
}

Test(moe, experts_that_are_not_there)
{
    uint64_t size;
    aclOpExecutor *executor;
    fill();
    experts[3] = 4;
    experts[5] = -1;
    const aclnnStatus status = prepare_second(0, 4, 0, 2, &size, &executor);
    run(status, aclnnMoeInitRoutingV2, &size, &executor, "element 3 of expertIdx is 4");
    cr_expect_eq(counts[0] + counts[1] + counts[2] + counts[3], COUNT - 2);
    cr_expect_eq(to_places[3], -1);
}

static void finalize(const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *t[] = {
        tensor(x, ACL_FLOAT, 4, COLUMNS),        tensor(places, ACL_INT32, -1, COUNT),
        tensor(x, ACL_FLOAT, 4, COLUMNS),        tensor(scale, ACL_FLOAT, ROWS, PICKS),
        tensor(experts, ACL_INT32, ROWS, PICKS), tensor(y, ACL_FLOAT, ROWS, COLUMNS)};
    run(aclnnMoeFinalizeRoutingV2GetWorkspaceSize(t[0], t[1], NULL, NULL, t[2], t[3], t[4], 2, t[5],
                                                  &size, &executor),
        aclnnMoeFinalizeRoutingV2, &size, &executor, words);
    destroy(t, 6);
}

Test(moe, rows_that_are_not_there)
{
    fill();
    finalize(NULL);
    places[2] = -2;
    finalize("element 2 of the indices of rows is -2; there are 4 rows");
    places[2] = COUNT;
    finalize("element 2 of the indices of rows is 6; there are 4 rows");
    places[2] = -1;
    finalize(NULL);
    experts[5] = 4;
    finalize("the expert at element 5 is 4; bias has 4 rows");
}

Test(moe, gradients_of_rows_that_are_not_there)
{
    uint64_t size;
    aclOpExecutor *executor;
    fill();
    places[4] = COUNT;
    aclTensor *t[] = {
        tensor(x, ACL_FLOAT, COUNT, COLUMNS), tensor(x, ACL_FLOAT, ROWS, COLUMNS),
        tensor(places, ACL_INT32, -1, COUNT), tensor(scale, ACL_FLOAT, ROWS, PICKS),
        tensor(y, ACL_FLOAT, COUNT, COLUMNS), tensor(scale_grad, ACL_FLOAT, ROWS, PICKS)};
    run(aclnnMoeTokenUnpermuteGradGetWorkspaceSize(t[0], t[1], t[2], t[3], false, NULL, t[4], t[5],
                                                   &size, &executor),
        aclnnMoeTokenUnpermuteGrad, &size, &executor, "element 4 of the indices of rows is 6");
    cr_expect_eq(scale_grad[4], 0);
    for (int i = 0; i < COLUMNS; i++) /* row 1 has no place */
        cr_expect_eq(y[COLUMNS + i], 0);
    destroy(t, 6);
}

static void expect_refusal(aclnnStatus status, const char *words)
{
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(status, INVALID, "%s: %d", words, status);
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
}

static aclnnStatus prepare_gate(int64_t k, int64_t best, int64_t groups, int64_t renorm)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *t[] = {tensor(x, ACL_FLOAT, 2, 8), tensor(y, ACL_FLOAT, 2, k > 0 ? k : 1),
                      tensor(to_experts, ACL_INT32, 2, k > 0 ? k : 1)};
    const aclnnStatus status = aclnnMoeGatingTopKGetWorkspaceSize(
        t[0], NULL, k, best, groups, 0, renorm, 1, false, 1, 0, t[1], t[2], NULL, &size, &executor);
    destroy(t, 3);
    return status;
}

Test(moe, refusals)
{
    uint64_t size;
    aclOpExecutor *executor;
    fill();
    expect_refusal(prepare_second(0, 4, 1, 0, &size, &executor), "both must be greater than 0");
    expect_refusal(prepare_second(0, 4, 2, 0, &size, &executor), "dropPadMode is 2");
    expect_refusal(prepare_second(0, 0, 0, 1, &size, &executor), "expertNum is 0");
    expect_refusal(prepare_second(0, 4, 0, 3, &size, &executor), "CountOrCumsumFlag is 3");
    expect_refusal(prepare_gate(3, 1, 3, 0), "groupCount is 3");
    expect_refusal(prepare_gate(3, 3, 2, 0), "kGroup is 3");
    expect_refusal(prepare_gate(3, 1, 4, 0), "k is 3");
    expect_refusal(prepare_gate(0, 1, 4, 0), "k is 0");
    expect_refusal(prepare_gate(2, 1, 4, 1), "renorm is 1");
}

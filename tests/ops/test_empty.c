/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of nothing: a tensor without elements needs no address, others do. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_prod.h"

static aclTensor *tensor_of(void *data, aclDataType type, int rank, int64_t rows)
{
    const int64_t sizes[] = {rows, 5}, strides[] = {5, 1};
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides + 2 - rank, 0, ACL_FORMAT_ND, sizes,
                           (uint64_t)rank, data);
}

static aclTensor *empty, *missing, *result, *truth;
static aclIntArray *first;
static float values[5];
static unsigned char flag;
static uint64_t size;
static aclOpExecutor *executor;
static aclrtStream stream;

static void set_up(void)
{
    static const int64_t axis[] = {0};
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    empty = tensor_of(NULL, ACL_FLOAT, 2, 0);
    missing = tensor_of(NULL, ACL_FLOAT, 2, 3);
    result = tensor_of(values, ACL_FLOAT, 1, 5);
    truth = tensor_of(&flag, ACL_BOOL, 0, 1);
    first = aclCreateIntArray(axis, 1);
}

static void tear_down(void)
{
    aclDestroyTensor(empty);
    aclDestroyTensor(missing);
    aclDestroyTensor(result);
    aclDestroyTensor(truth);
    aclDestroyIntArray(first);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(empty, .init = set_up, .fini = tear_down);

#define RUN(operator, ...)                                                                         \
    cr_assert_eq(operator##GetWorkspaceSize(__VA_ARGS__, &size, &executor), ACL_SUCCESS, "%s",     \
                 aclGetRecentErrMsg());                                                            \
    cr_assert_eq(size, 0);                                                                         \
    cr_assert_eq(operator(NULL, 0, executor, stream), ACL_SUCCESS, "%s", aclGetRecentErrMsg());    \
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS)

Test(empty, reductions_have_their_result)
{
    RUN(aclnnMean, empty, first, false, ACL_FLOAT, result);
    for (int i = 0; i < 5; i++)
        cr_expect(isnan(values[i]));
    RUN(aclnnProdDim, empty, 0, false, ACL_FLOAT, result);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(values[i], 1);
    RUN(aclnnAll, empty, NULL, false, truth);
    cr_expect_eq(flag, 1);
}

Test(empty, a_tensor_with_elements_must_have_an_address)
{
    cr_assert_eq(
        aclnnMeanGetWorkspaceSize(missing, first, false, ACL_FLOAT, result, &size, &executor),
        ACL_SUCCESS);
    cr_expect_eq(aclnnMean(NULL, 0, executor, stream), 161001);
    cr_expect_not_null(strstr(aclGetRecentErrMsg(), "has no address"));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Views that say how many unique elements there are, once the stream has been synchronised. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_unique2.h"
#include "aclnnop/aclnn_unique_dim.h"
#include "tests/unit/meta.h"

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}

TestSuite(unique, .init = begin, .fini = end);

static aclTensor *tensor_of(const int64_t *sizes, uint64_t rank, aclDataType type, void *data)
{
    return aclCreateTensor(sizes, rank, type, NULL, 0, ACL_FORMAT_ND, sizes, rank, data);
}

static void launch(aclnnStatus (*phase2)(void *, uint64_t, aclOpExecutor *, aclrtStream),
                   uint64_t size, aclOpExecutor *executor)
{
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(phase2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
}

static void check_view(const aclTensor *tensor, const int64_t *sizes, uint64_t rank)
{
    int64_t *have;
    uint64_t count;
    cr_assert_eq(aclGetViewShape(tensor, &have, &count), ACL_SUCCESS);
    cr_assert_eq(count, rank);
    cr_expect_arr_eq(have, sizes, rank * sizeof *sizes);
    delete_array(have);
}

/* More than one part of a sort and one block. */
Test(unique, elements_of_a_long_tensor)
{
    enum { N = 100000, KINDS = 5000 };
    static int32_t from[N], values[N];
    static int64_t inverse[N], counts[N];
    const int64_t bound = N, settled = KINDS;
    uint64_t size;
    aclOpExecutor *executor;
    for (int i = 0; i < N; i++)
        from[i] = (int)((uint32_t)i * 2654435761u % KINDS) - KINDS / 2;
    aclTensor *self = tensor_of(&bound, 1, ACL_INT32, from);
    aclTensor *value = tensor_of(&bound, 1, ACL_INT32, values);
    aclTensor *places = tensor_of(&bound, 1, ACL_INT64, inverse);
    aclTensor *numbers = tensor_of(&bound, 1, ACL_INT64, counts);
    cr_assert_eq(aclnnUnique2GetWorkspaceSize(self, true, true, true, value, places, numbers, &size,
                                              &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    launch(aclnnUnique2, size, executor);
    check_view(value, &settled, 1);
    check_view(numbers, &settled, 1);
    check_view(places, &bound, 1);
    int64_t all = 0;
    for (int i = 0; i < KINDS; i++) {
        cr_assert_eq(values[i], i - KINDS / 2);
        all += counts[i];
    }
    cr_expect_eq(all, N);
    for (int i = 0; i < N; i++)
        cr_assert_eq(values[inverse[i]], from[i]);
    aclDestroyTensor(self);
    aclDestroyTensor(value);
    aclDestroyTensor(places);
    aclDestroyTensor(numbers);
}

/* Columns of a matrix: the result is dense in its new shape. */
Test(unique, slices_along_the_second_axis)
{
    float from[2][4] = {{3, 1, 3, 1}, {0, 5, 0, 4}}, values[8];
    int64_t inverse[4], counts[4];
    const int64_t sizes[] = {2, 4}, four = 4, settled[] = {2, 3}, three = 3;
    const float want[] = {1, 1, 3, 4, 5, 0};
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(sizes, 2, ACL_FLOAT, from);
    aclTensor *value = tensor_of(sizes, 2, ACL_FLOAT, values);
    aclTensor *places = tensor_of(&four, 1, ACL_INT64, inverse);
    aclTensor *numbers = tensor_of(&four, 1, ACL_INT64, counts);
    cr_assert_eq(aclnnUniqueDimGetWorkspaceSize(self, true, true, 1, value, places, numbers, &size,
                                                &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    launch(aclnnUniqueDim, size, executor);
    check_view(value, settled, 2);
    check_view(numbers, &three, 1);
    cr_expect_arr_eq(values, want, sizeof want);
    cr_expect_arr_eq(inverse, ((int64_t[]){2, 1, 2, 0}), sizeof inverse);
    cr_expect_arr_eq(counts, ((int64_t[]){1, 1, 2}), 3 * sizeof *counts);
    aclDestroyTensor(self);
    aclDestroyTensor(value);
    aclDestroyTensor(places);
    aclDestroyTensor(numbers);
}

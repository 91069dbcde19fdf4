/* SPDX-License-Identifier: Apache-2.0 */
/* What rows cannot say of operators that are told places: sizes that only the data tell, views of
 * results, faults. */
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"

#include "tests/ops/suite.h"
#include "tests/unit/meta.h"

RIG_SUITE(index);

static aclTensor *tensor_of(const int64_t *sizes, uint64_t rank, const int64_t *strides,
                            aclDataType type, void *data)
{
    return aclCreateTensor(sizes, rank, type, strides, 0, ACL_FORMAT_ND, sizes, rank, data);
}

typedef aclnnStatus phase2(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);

static void launch(phase2 *run, uint64_t size, aclOpExecutor *executor)
{
    void *workspace = size > 0 ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
    cr_assert_eq(run(workspace, size, executor, rig.stream), ACLNN_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
    free(workspace);
}

static void check_view(const aclTensor *tensor, const int64_t *sizes, const int64_t *strides,
                       uint64_t rank)
{
    int64_t *have, *steps;
    uint64_t count;
    cr_assert_eq(aclGetViewShape(tensor, &have, &count), ACL_SUCCESS);
    cr_assert_eq(count, rank);
    for (uint64_t i = 0; i < rank; i++)
        cr_expect_eq(have[i], sizes[i], "size %d is %d", (int)i, (int)have[i]);
    cr_assert_eq(aclGetViewStrides(tensor, &steps, &count), ACL_SUCCESS);
    for (uint64_t i = 0; i < rank; i++)
        cr_expect_eq(steps[i], strides[i], "stride %d is %d", (int)i, (int)steps[i]);
    delete_array(have);
    delete_array(steps);
}

/* {{0, 5, 0}, {7, 0, 9}} */
static float matrix[6] = {0, 5, 0, 7, 0, 9};
static const int64_t matrix_sizes[] = {2, 3};

Test(index, nonzero_says_how_many_rows)
{
    static const int64_t want[] = {0, 1, 1, 0, 1, 2}, bound[] = {6, 2}, settled[] = {3, 2};
    int64_t places[12];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(matrix_sizes, 2, NULL, ACL_FLOAT, matrix);
    aclTensor *out = tensor_of(bound, 2, NULL, ACL_INT64, places);
    cr_assert_eq(aclnnNonzeroGetWorkspaceSize(self, out, &size, &executor), ACLNN_SUCCESS);
    launch(aclnnNonzero, size, executor);
    check_view(out, settled, (const int64_t[]){2, 1}, 2);
    cr_assert_arr_eq(places, want, sizeof want);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

Test(index, nonzero_by_columns_is_dense_if_its_result_is)
{
    static const int64_t dense[] = {0, 1, 1, 1, 0, 2}, bound[] = {2, 6}, settled[] = {2, 3};
    static const int64_t strides[] = {1, 2}, columns[] = {0, 1, 1, 0, 1, 2};
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        int64_t places[12];
        uint64_t size;
        aclOpExecutor *executor;
        aclTensor *self = tensor_of(matrix_sizes, 2, NULL, ACL_FLOAT, matrix);
        aclTensor *out = tensor_of(bound, 2, is_dense ? NULL : strides, ACL_INT64, places);
        cr_assert_eq(aclnnNonzeroV2GetWorkspaceSize(self, out, &size, &executor), ACLNN_SUCCESS);
        launch(aclnnNonzeroV2, size, executor);
        check_view(out, settled, is_dense ? (const int64_t[]){3, 1} : strides, 2);
        cr_assert_arr_eq(places, is_dense ? dense : columns, sizeof dense);
        aclDestroyTensor(self);
        aclDestroyTensor(out);
    }
}

/* Of nothing there are no places. */
Test(index, nonzero_of_an_empty_tensor)
{
    static const int64_t sizes[] = {0, 3}, bound[] = {0, 2};
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(sizes, 2, NULL, ACL_FLOAT, matrix);
    aclTensor *out = tensor_of(bound, 2, NULL, ACL_INT64, matrix);
    cr_assert_eq(aclnnNonzeroGetWorkspaceSize(self, out, &size, &executor), ACLNN_SUCCESS);
    launch(aclnnNonzero, size, executor);
    check_view(out, bound, (const int64_t[]){2, 1}, 2);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

/* One executor twice, with other data. */
Test(index, masked_select_says_how_many_each_time)
{
    static const int64_t bound[] = {6};
    bool mask[6] = {true, false, false, true, false, true};
    float selected[6];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(matrix_sizes, 2, NULL, ACL_FLOAT, matrix);
    aclTensor *by = tensor_of(matrix_sizes, 2, NULL, ACL_BOOL, mask);
    aclTensor *out = tensor_of(bound, 1, NULL, ACL_FLOAT, selected);
    cr_assert_eq(aclnnMaskedSelectGetWorkspaceSize(self, by, out, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    launch(aclnnMaskedSelect, size, executor);
    check_view(out, (const int64_t[]){3}, (const int64_t[]){1}, 1);
    cr_expect(selected[0] == 0 && selected[1] == 7 && selected[2] == 9);
    memset(mask, 1, sizeof mask);
    mask[4] = false;
    launch(aclnnMaskedSelect, size, executor);
    check_view(out, (const int64_t[]){5}, (const int64_t[]){1}, 1);
    cr_expect(selected[1] == 5 && selected[4] == 9);
    aclDestroyAclOpExecutor(executor);
    aclDestroyTensor(self);
    aclDestroyTensor(by);
    aclDestroyTensor(out);
}

/* The lowest bad element is told, the others are read. */
Test(index, an_index_outside_is_not_followed)
{
    static const int64_t rows[] = {4}, bound[] = {4, 3};
    int64_t which[] = {1, -1, 2, 0};
    float out[12];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(matrix_sizes, 2, NULL, ACL_FLOAT, matrix);
    aclTensor *index = tensor_of(rows, 1, NULL, ACL_INT64, which);
    aclTensor *to = tensor_of(bound, 2, NULL, ACL_FLOAT, out);
    cr_assert_eq(aclnnIndexSelectGetWorkspaceSize(self, 0, index, to, &size, &executor),
                 ACLNN_SUCCESS);
    cr_assert_eq(aclnnIndexSelect(NULL, size, executor, rig.stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    cr_expect(strstr(aclGetRecentErrMsg(),
                     "aclnnIndexSelect: element 1 of index is -1; it must be from 0 to 1"),
              "%s", aclGetRecentErrMsg());
    cr_expect(out[0] == 7 && out[3] == 0 && out[8] == 0 && out[10] == 5);
    aclDestroyTensor(self);
    aclDestroyTensor(index);
    aclDestroyTensor(to);
}

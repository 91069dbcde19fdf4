/* SPDX-License-Identifier: Apache-2.0 */
/* alpha of booleans is what PyTorch gives: a whole number, of which only whether it is 0 counts. */
#include "tests/unit/refusal.h"

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_add.h"

static bool self[4] = {true, false, true, false}, other[4] = {true, true, false, false}, out[4];

static aclnnStatus add(aclDataType type, void *number)
{
    const int64_t size = 4;
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *a = aclCreateTensor(&size, 1, ACL_BOOL, NULL, 0, ACL_FORMAT_ND, &size, 1, self);
    aclTensor *b = aclCreateTensor(&size, 1, ACL_BOOL, NULL, 0, ACL_FORMAT_ND, &size, 1, other);
    aclTensor *c = aclCreateTensor(&size, 1, ACL_BOOL, NULL, 0, ACL_FORMAT_ND, &size, 1, out);
    aclScalar *alpha = aclCreateScalar(number, type);
    memset(out, 0, sizeof out);
    aclnnStatus status = aclnnAddGetWorkspaceSize(a, b, alpha, c, &bytes, &executor);
    if (status == ACL_SUCCESS) {
        cr_assert_eq(bytes, 0);
        cr_assert_eq(aclnnAdd(NULL, 0, executor, NULL), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    }
    aclDestroyScalar(alpha);
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
    return status;
}

Test(boolean_coefficient, is_a_whole_number)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (int64_t alpha = 0; alpha < 4; alpha++) {
        int32_t small = (int32_t)alpha;
        cr_assert_eq(add(ACL_INT64, &alpha), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
        for (int i = 0; i < 4; i++)
            cr_expect_eq(out[i], self[i] || (alpha != 0 && other[i]), "alpha %d, element %d",
                         (int)alpha, i);
        cr_assert_eq(add(ACL_INT32, &small), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
        cr_expect_eq(out[1], alpha != 0);
    }
}

Test(boolean_coefficient, is_no_floating_number)
{
    float alpha = 1;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_expect_eq(add(ACL_FLOAT, &alpha), 161002);
    cr_expect(strstr(aclGetRecentErrMsg(), "alpha is of type FLOAT, which cannot be cast to BOOL"));
}

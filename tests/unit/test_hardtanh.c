/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of another kind than the operand are cut to it: torch_npu gives whole numbers real ones.
 */
#include "tests/unit/refusal.h"

#include <inttypes.h>
#include <math.h>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_hardtanh.h"

enum { SIZE = 6 };

static void hardtanh(void *self, void *out, aclDataType type, void *bounds, aclDataType bound_type,
                     size_t bound_size)
{
    const int64_t size = SIZE;
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *a = aclCreateTensor(&size, 1, type, NULL, 0, ACL_FORMAT_ND, &size, 1, self);
    aclTensor *b = aclCreateTensor(&size, 1, type, NULL, 0, ACL_FORMAT_ND, &size, 1, out);
    aclScalar *least = aclCreateScalar(bounds, bound_type),
              *most = aclCreateScalar((char *)bounds + bound_size, bound_type);
    cr_assert_eq(aclnnHardtanhGetWorkspaceSize(a, least, most, b, &bytes, &executor), ACL_SUCCESS,
                 "%s", aclGetRecentErrMsg());
    cr_assert_eq(bytes, 0);
    cr_assert_eq(aclnnHardtanh(NULL, 0, executor, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    aclDestroyScalar(least);
    aclDestroyScalar(most);
    aclDestroyTensor(a);
    aclDestroyTensor(b);
}

Test(hardtanh, cuts_the_bounds_of_whole_numbers)
{
    float reals[2] = {-2.75F, 3.75F};
    double wide[2] = {-2.75, 3.75};
    const int expected[SIZE] = {-2, -2, -1, 0, 3, 3};
    int8_t bytes[SIZE] = {-128, -3, -1, 0, 4, 127}, small[SIZE];
    int64_t whole[SIZE] = {INT64_MIN, -3, -1, 0, 4, INT64_MAX}, large[SIZE];
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    hardtanh(bytes, small, ACL_INT8, reals, ACL_FLOAT, sizeof *reals);
    hardtanh(whole, large, ACL_INT64, wide, ACL_DOUBLE, sizeof *wide);
    for (int i = 0; i < SIZE; i++) {
        cr_expect_eq(small[i], expected[i], "element %d is %d", i, small[i]);
        cr_expect_eq(large[i], expected[i], "element %d is %" PRId64, i, large[i]);
    }
}

Test(hardtanh, takes_whole_bounds_of_real_numbers)
{
    int64_t bounds[2] = {-1, 1};
    float self[SIZE] = {-INFINITY, -1.5F, -0.5F, 0.25F, 1.5F, INFINITY}, out[SIZE];
    const float expected[SIZE] = {-1, -1, -0.5F, 0.25F, 1, 1};
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    hardtanh(self, out, ACL_FLOAT, bounds, ACL_INT64, sizeof *bounds);
    for (int i = 0; i < SIZE; i++)
        cr_expect_eq(out[i], expected[i], "element %d is %g", i, (double)out[i]);
}

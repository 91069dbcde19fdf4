/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEqual of tensors that are equal but for one element, wherever that lies. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_equal.h"

enum { ELEMENTS = 300001 };

static aclTensor *tensor_of(void *data, aclDataType type, int64_t size, int64_t stride)
{
    return aclCreateTensor(&size, 1, type, &stride, 0, ACL_FORMAT_ND, &size, 1, data);
}

/* The truth value that the operator gives. */
static int equal(float *a, float *b, int64_t count, aclrtStream stream)
{
    unsigned char value = 77;
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(a, ACL_FLOAT, count, 1), *other = tensor_of(b, ACL_FLOAT, count, 1);
    aclTensor *out = tensor_of(&value, ACL_BOOL, 1, 1);
    cr_assert_eq(aclnnEqualGetWorkspaceSize(self, other, out, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnEqual(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
    aclDestroyTensor(self);
    aclDestroyTensor(other);
    aclDestroyTensor(out);
    return value;
}

Test(equal, one_element_counts)
{
    static const int64_t places[] = {0, 1, 1023, 1024, 150000, ELEMENTS - 1};
    aclrtStream stream;
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    float *a = malloc(ELEMENTS * sizeof *a), *b = malloc(ELEMENTS * sizeof *b);
    cr_assert(a && b);
    for (int64_t i = 0; i < ELEMENTS; i++)
        a[i] = b[i] = (float)i;
    a[0] = -0.0f;
    cr_expect_eq(equal(a, b, ELEMENTS, stream), 1);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const float kept = b[places[i]];
        b[places[i]] = -1;
        cr_expect_eq(equal(a, b, ELEMENTS, stream), 0, "element %d", (int)places[i]);
        b[places[i]] = kept;
    }
    a[7] = b[7] = NAN;
    cr_expect_eq(equal(a, b, ELEMENTS, stream), 0, "a NaN equals nothing");
    cr_expect_eq(equal(a, a, 7, stream), 1);
    free(a);
    free(b);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

static int equal_of_types(void *a, aclDataType a_type, void *b, aclDataType b_type)
{
    unsigned char value = 77;
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor_of(a, a_type, 3, 1), *other = tensor_of(b, b_type, 3, 1);
    aclTensor *out = tensor_of(&value, ACL_BOOL, 1, 1);
    cr_assert_eq(aclnnEqualGetWorkspaceSize(self, other, out, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnEqual(workspace, size, executor, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    free(workspace);
    aclDestroyTensor(self);
    aclDestroyTensor(other);
    aclDestroyTensor(out);
    return value;
}

Test(equal, complex_numbers_are_so_in_both_parts)
{
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 2, 3, 4, 5, 6}, real[] = {1, 3, 5};
    double wide[] = {1, 2, 3, 4, 5, 6};
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_expect_eq(equal_of_types(a, ACL_COMPLEX64, b, ACL_COMPLEX64), 1);
    cr_expect_eq(equal_of_types(a, ACL_COMPLEX64, wide, ACL_COMPLEX128), 1);
    for (int i = 0; i < 6; i++) {
        b[i] += 1;
        cr_expect_eq(equal_of_types(a, ACL_COMPLEX64, b, ACL_COMPLEX64), 0, "part %d", i);
        b[i] -= 1;
    }
    cr_expect_eq(equal_of_types(real, ACL_FLOAT, b, ACL_COMPLEX64), 0);
    b[1] = b[3] = b[5] = 0;
    cr_expect_eq(equal_of_types(real, ACL_FLOAT, b, ACL_COMPLEX64), 1);
    cr_expect_eq(equal_of_types(b, ACL_COMPLEX64, real, ACL_FLOAT), 1);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

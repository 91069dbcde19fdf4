/* SPDX-License-Identifier: Apache-2.0 */
/* Results larger than the last-level cache, which take non-temporal stores: wherever they begin in
 * a line, in place too, and not a byte beside them. */
#include <criterion/criterion.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "kernels/kernel.h"

enum { LARGEST = 128 << 20, GUARD = 3 };

static float *x, *y, *z;
static int64_t count;
static aclrtStream stream;

static float *device(void)
{
    void *memory = NULL;
    cr_assert_eq(
        aclrtMalloc(&memory, (size_t)(count + 64) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_SUCCESS);
    return memory;
}

static void set_up(void)
{
    const size_t cache = k_cache_last_level();
    if (cache > LARGEST) cr_skip_test("a last-level cache of %zu bytes", cache);
    count = (int64_t)(cache / sizeof(float)) + 12345;
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    x = device(), y = device(), z = device();
}

static void tear_down(void)
{
    aclrtFree(x);
    aclrtFree(y);
    aclrtFree(z);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(large, .init = set_up, .fini = tear_down);

static aclTensor *vector(float *at)
{
    return aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, at);
}

static void fill(void)
{
    for (int64_t i = 0; i < count + 64; i++) {
        x[i] = (float)(i % 1009);
        y[i] = (float)(i % 811);
        z[i] = -1.0f;
    }
}

/* to = from + 2 other, and the elements around it stay. */
static void add(float *to, float *from, float *other)
{
    float two = 2, before[GUARD], behind[GUARD];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = vector(from), *more = vector(other), *out = vector(to);
    aclScalar *alpha = aclCreateScalar(&two, ACL_FLOAT);
    for (int i = 0; i < GUARD; i++)
        before[i] = to[i - GUARD], behind[i] = to[count + i];
    cr_assert_eq(aclnnAddGetWorkspaceSize(self, more, alpha, out, &size, &executor), ACL_SUCCESS);
    cr_assert_eq(size, 0);
    cr_assert_eq(aclnnAdd(NULL, 0, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < GUARD; i++) {
        cr_expect_eq(before[i], to[i - GUARD]);
        cr_expect_eq(behind[i], to[count + i]);
    }
    aclDestroyScalar(alpha);
    aclDestroyTensor(self);
    aclDestroyTensor(more);
    aclDestroyTensor(out);
}

Test(large, results_begin_anywhere_in_a_line)
{
    for (int64_t to = GUARD; to < 20; to += 5) {
        fill();
        add(z + to, x + 16, y + 1);
        for (int64_t i = 0; i < count; i++)
            cr_assert_eq(z[to + i], (float)((i + 16) % 1009) + 2 * (float)((i + 1) % 811),
                         "element %ld, from %ld", (long)i, (long)to);
    }
}

Test(large, results_are_an_operand)
{
    fill();
    add(x + 5, x + 5, y + 7);
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(x[5 + i], (float)((i + 5) % 1009) + 2 * (float)((i + 7) % 811), "%ld",
                     (long)i);
}

/* `elements` of `type` from `at` on become 3. */
static void fill_with_three(void *at, int64_t elements, aclDataType type)
{
    float three = 3;
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = aclCreateTensor(&elements, 1, type, NULL, 0, ACL_FORMAT_ND, &elements, 1, at);
    aclScalar *value = aclCreateScalar(&three, ACL_FLOAT);
    cr_assert_eq(aclnnInplaceFillScalarGetWorkspaceSize(self, value, &size, &executor),
                 ACL_SUCCESS);
    cr_assert_eq(aclnnInplaceFillScalar(NULL, 0, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    aclDestroyScalar(value);
    aclDestroyTensor(self);
}

Test(large, one_value_begins_anywhere_in_a_line)
{
    const int64_t bytes = count * (int64_t)sizeof(float) - 11, shorts = count * 2 - 9;
    for (int64_t to = 1; to < 64; to += 31) {
        fill();
        fill_with_three((char *)z + to, bytes, ACL_INT8);
        for (int64_t i = -1; i <= bytes; i++)
            cr_assert((i < 0 || i == bytes) != (((char *)z)[to + i] == 3), "byte %ld from %ld",
                      (long)i, (long)to);
        fill();
        fill_with_three((short *)z + to, shorts, ACL_INT16);
        for (int64_t i = -1; i <= shorts; i++)
            cr_assert((i < 0 || i == shorts) != (((short *)z)[to + i] == 3), "short %ld from %ld",
                      (long)i, (long)to);
    }
}

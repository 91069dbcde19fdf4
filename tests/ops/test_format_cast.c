/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnNpuFormatCast between formats that list their axes in another order, and what its targets
 * must be. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_npu_format_cast.h"
#include "tests/unit/meta.h"

enum { N = 2, C = 3, H = 4, W = 5, ELEMENTS = N * C * H * W };

static aclTensor *tensor_of(float *data, const int64_t *sizes, aclFormat format)
{
    const int64_t strides[] = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    return aclCreateTensor(sizes, 4, ACL_FLOAT, strides, 0, format, sizes, 4, data);
}

static void cast(aclTensor *from, aclTensor *to)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclnnNpuFormatCastGetWorkspaceSize(from, to, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    cr_assert_eq(size, 0);
    cr_assert_eq(aclnnNpuFormatCast(NULL, 0, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(format_cast, .init = set_up, .fini = tear_down);

Test(format_cast, axes_change_their_order)
{
    static const int64_t nchw[] = {N, C, H, W};
    static const aclFormat formats[] = {ACL_FORMAT_NHWC, ACL_FORMAT_HWCN};
    float from[ELEMENTS], to[ELEMENTS], back[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        from[i] = (float)i;
    aclTensor *source = tensor_of(from, nchw, ACL_FORMAT_NCHW);
    aclTensor *again = tensor_of(back, nchw, ACL_FORMAT_NCHW);
    for (int f = 0; f < 2; f++) {
        int64_t *sizes;
        uint64_t rank;
        int actual;
        cr_assert_eq(aclnnNpuFormatCastCalculateSizeAndFormat(source, formats[f], -1, &sizes, &rank,
                                                              &actual),
                     ACL_SUCCESS);
        cr_assert_eq(rank, 4);
        cr_assert_eq(actual, formats[f]);
        aclTensor *target = tensor_of(to, sizes, formats[f]);
        cast(source, target);
        for (int i = 0; i < ELEMENTS; i++) {
            const int w = i % W, h = i / W % H, c = i / W / H % C, n = i / W / H / C;
            const int at = f == 0 ? ((n * H + h) * W + w) * C + c : ((h * W + w) * C + c) * N + n;
            cr_assert_eq(to[at], (float)i);
        }
        cast(target, again);
        cr_assert_arr_eq(back, from, sizeof from);
        aclDestroyTensor(target);
        delete_array(sizes);
    }
    aclDestroyTensor(source);
    aclDestroyTensor(again);
}

Test(format_cast, the_layouts_of_devices_are_the_plain_one)
{
    static const int64_t nchw[] = {N, C, H, W}, wrong[] = {N, C, W, H};
    float from[ELEMENTS] = {0}, to[ELEMENTS];
    int64_t *sizes;
    uint64_t rank, size;
    aclOpExecutor *executor;
    int actual;
    aclTensor *source = tensor_of(from, nchw, ACL_FORMAT_NCHW);
    cr_assert_eq(aclnnNpuFormatCastCalculateSizeAndFormat(source, ACL_FORMAT_FRACTAL_NZ,
                                                          ACL_FLOAT16, &sizes, &rank, &actual),
                 ACL_SUCCESS);
    cr_expect_eq(actual, ACL_FORMAT_NCHW);
    cr_expect_eq(rank, 4);
    cr_expect_arr_eq(sizes, nchw, sizeof nchw);
    delete_array(sizes);
    cr_expect_eq(aclnnNpuFormatCastCalculateSizeAndFormat(source, 1000, -1, &sizes, &rank, &actual),
                 161002);
    cr_expect_eq(aclnnNpuFormatCastCalculateSizeAndFormat(NULL, 2, -1, &sizes, &rank, &actual),
                 161001);
    cr_expect_eq(aclnnNpuFormatCastCalculateSizeAndFormat(source, 2, -1, NULL, &rank, &actual),
                 161001);
    aclTensor *other = tensor_of(to, wrong, ACL_FORMAT_NCHW);
    aclTensor *fractal = tensor_of(to, nchw, ACL_FORMAT_FRACTAL_NZ);
    cr_expect_eq(aclnnNpuFormatCastGetWorkspaceSize(source, other, &size, &executor), 161002);
    cr_expect_eq(aclnnNpuFormatCastGetWorkspaceSize(source, fractal, &size, &executor), 161002);
    aclDestroyTensor(source);
    aclDestroyTensor(other);
    aclDestroyTensor(fractal);
}

/* What TransMatmulWeight leaves as it is, a client then calls FRACTAL_NZ; a storage shape of that
 * layout has other extents. */
Test(format_cast, products_take_a_private_format_as_nd)
{
    static const int64_t sizes[] = {2, 2}, strides[] = {2, 1}, stored[] = {1, 1, 16, 16};
    float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[4] = {0};
    aclTensor *left = aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 2, a);
    aclTensor *right =
        aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_FRACTAL_NZ, stored, 4, b);
    aclTensor *out = aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 2, c);
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(aclnnMmGetWorkspaceSize(left, right, out, 0, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    void *workspace = malloc(size + 1);
    cr_assert_eq(aclnnMm(workspace, size, executor, NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    cr_expect(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
    free(workspace);
    aclDestroyTensor(left);
    aclDestroyTensor(right);
    aclDestroyTensor(out);
}

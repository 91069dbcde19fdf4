/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnResize of channels that come last is that of channels that come first, which the rows' tests
 * hold to the oracle: the case language has no such format. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_resize.h"

enum { INVALID = 161002, MOST = 4096, BATCH = 2, CHANNELS = 3, HEIGHT = 5, WIDTH = 4 };

static aclrtStream stream;

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(resize_formats, .init = set_up, .fini = tear_down);

static float image[MOST], first[MOST], last[MOST];

/* Dense in memory in the format's order, or with gaps. */
static aclTensor *tensor(float *data, aclFormat format, int64_t height, int64_t width, int64_t step)
{
    const bool is_last = format == ACL_FORMAT_NHWC;
    const int64_t sizes[] = {BATCH, is_last ? height : CHANNELS, is_last ? width : height,
                             is_last ? CHANNELS : width};
    int64_t strides[4], storage = MOST;
    for (int i = 3; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return aclCreateTensor(sizes, 4, ACL_FLOAT, strides, 0, format, &storage, 1, data);
}

static aclnnStatus plan(aclTensor *self, aclTensor *out, const float *scales, const char *mode,
                        uint64_t *size, aclOpExecutor **executor)
{
    aclFloatArray *array = aclCreateFloatArray(scales, 4);
    const aclnnStatus status = aclnnResizeGetWorkspaceSize(self, array, mode, out, size, executor);
    aclDestroyFloatArray(array);
    return status;
}

static void run(aclTensor *self, aclTensor *out, const float *scales, const char *mode)
{
    uint64_t size;
    aclOpExecutor *executor;
    void *workspace = NULL;
    cr_assert_eq(plan(self, out, scales, mode, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    if (size > 0)
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclnnResize(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    if (size > 0) aclrtFree(workspace);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

static void check(int64_t height, int64_t width, const char *mode)
{
    const float h = (float)height / HEIGHT, w = (float)width / WIDTH;
    for (int i = 0; i < MOST; i++)
        image[i] = (float)cos(1.3 * i), first[i] = last[i] = NAN;
    /* The same pixels: element (n, c, y, x) of the first is (n, y, x, c) of the last. */
    static float turned[MOST];
    for (int i = 0; i < BATCH * CHANNELS * HEIGHT * WIDTH; i++) {
        const int x = i % WIDTH, y = i / WIDTH % HEIGHT, c = i / WIDTH / HEIGHT % CHANNELS;
        const int n = i / WIDTH / HEIGHT / CHANNELS;
        turned[2 * (((n * HEIGHT + y) * WIDTH + x) * CHANNELS + c)] = image[i];
    }
    run(tensor(image, ACL_FORMAT_NCHW, HEIGHT, WIDTH, 1),
        tensor(first, ACL_FORMAT_NCHW, height, width, 1), (const float[]){1, 1, h, w}, mode);
    run(tensor(turned, ACL_FORMAT_NHWC, HEIGHT, WIDTH, 2),
        tensor(last, ACL_FORMAT_NHWC, height, width, 1), (const float[]){1, h, w, 1}, mode);
    for (int64_t i = 0; i < BATCH * CHANNELS * height * width; i++) {
        const int64_t x = i % width, y = i / width % height, c = i / width / height % CHANNELS;
        const int64_t n = i / width / height / CHANNELS;
        cr_assert(last[((n * height + y) * width + x) * CHANNELS + c] == first[i],
                  "%s to %d x %d, element %d", mode, (int)height, (int)width, (int)i);
    }
}

Test(resize_formats, channels_last_as_channels_first)
{
    check(10, 10, "bilinear");
    check(10, 8, "nearest");
    check(2, 9, "bilinear");
    check(15, 2, "nearest");
}

Test(resize_formats, refusals)
{
    static const float scales[] = {1, 1, 2, 2}, others[] = {1, 2, 2, 1};
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = tensor(image, ACL_FORMAT_NHWC, HEIGHT, WIDTH, 1);
    aclTensor *out = tensor(last, ACL_FORMAT_NHWC, 2 * HEIGHT, 2 * WIDTH, 1);
    aclTensor *other = tensor(last, ACL_FORMAT_NCHW, 2 * HEIGHT, 2 * WIDTH, 1);
    cr_expect_eq(plan(self, out, scales, "nearest", &size, &executor), INVALID);
    cr_expect(strstr(aclGetRecentErrMsg(), "scales[3] is 2; it must be 1"));
    cr_expect_eq(plan(self, other, others, "nearest", &size, &executor), INVALID);
    cr_expect(strstr(aclGetRecentErrMsg(), "format"));
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyTensor(other);
}

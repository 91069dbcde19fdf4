/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnDynamicQuantV2: INT4, rows of no group, refusals. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_dynamic_quant_v2.h"

enum { INVALID = 161002, ROWS = 3, COLUMNS = 16, COUNT = ROWS * COLUMNS, EXPERTS = 2 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(quantize, .init = set_up, .fini = tear_down);

static aclFloat16 x[COUNT], smooth[EXPERTS * COLUMNS];
static uint8_t y[COUNT];
static float scale[ROWS];
static int32_t groups[EXPERTS];

static aclTensor *tensor(void *data, aclDataType type, int rank, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns}, strides[] = {columns, 1}, storage = rows * columns;
    return aclCreateTensor(sizes, (uint64_t)rank, type, rank == 1 ? strides + 1 : strides, 0,
                           ACL_FORMAT_ND, &storage, 1, data);
}

struct call {
    aclDataType type;
    int64_t dst, columns, experts; /* columns: of y; experts: 0: no groups */
    bool no_smooth;
};

static aclnnStatus prepare(const struct call *c, uint64_t *size, aclOpExecutor **executor)
{
    aclTensor *t[] = {tensor(x, ACL_FLOAT16, 2, ROWS, COLUMNS),
                      tensor(y, c->type, 2, ROWS, c->columns), tensor(scale, ACL_FLOAT, 1, ROWS, 1),
                      c->no_smooth ? NULL : tensor(smooth, ACL_FLOAT16, 2, EXPERTS, COLUMNS),
                      c->experts > 0 ? tensor(groups, ACL_INT32, 1, c->experts, 1) : NULL};
    const aclnnStatus status = aclnnDynamicQuantV2GetWorkspaceSize(t[0], t[3], t[4], c->dst, t[1],
                                                                   t[2], NULL, size, executor);
    for (int i = 0; i < 5; i++)
        if (t[i]) aclDestroyTensor(t[i]);
    return status;
}

/* The stream must tell these words; NULL: none. */
static void run(const struct call *c, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    cr_assert_eq(prepare(c, &size, &executor), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclnnDynamicQuantV2(workspace, size, executor, stream), ACL_SUCCESS);
    const aclError told = aclrtSynchronizeStream(stream);
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(told, words ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS, "%d: %s", told,
                 message);
    if (words) cr_expect(message && strstr(message, words), "%s: %s", words, message);
    aclrtDestroyStream(stream);
    free(workspace);
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = aclFloatToFloat16((float)(i % COLUMNS - 7));
    for (int i = 0; i < EXPERTS * COLUMNS; i++)
        smooth[i] = aclFloatToFloat16(i < COLUMNS ? 1 : 2);
    memset(y, 0xff, sizeof y);
}

/* Rows are -7 to 8, times 1 or 2: the scale is 8 / 7 of that. */
Test(quantize, four_bits)
{
    const struct call c = {ACL_INT4, ACL_INT4, COLUMNS, EXPERTS, false};
    fill();
    groups[0] = 1, groups[1] = ROWS;
    run(&c, NULL);
    for (int i = 0; i < COUNT; i++) {
        const int bits = y[i / 2] >> (i % 2 * 4) & 15, four = bits < 8 ? bits : bits - 16;
        const float by = (i < COLUMNS ? 1.0F : 2.0F), value = (float)(i % COLUMNS - 7) * by;
        const float want = value / (8 * by / 7);
        cr_expect(want - 0.51F < (float)four && (float)four < want + 0.51F, "%d: %d, not %g", i,
                  four, (double)want);
    }
    cr_expect_eq(y[COUNT / 2], 0xff);
    cr_expect_eq(scale[0], 8.0F / 7);
    cr_expect_eq(scale[2], 16.0F / 7);
}

Test(quantize, rows_of_no_group)
{
    const struct call c = {ACL_INT8, ACL_INT8, COLUMNS, EXPERTS, false};
    fill();
    groups[0] = -5, groups[1] = 2;
    run(&c, "row 2 of x is in no group; groupIndexOptional[1] is 2");
    cr_expect_eq(scale[1], 16.0F / 127);
    cr_expect_eq(scale[2], 0);
    for (int i = 0; i < COLUMNS; i++)
        cr_expect_eq(y[2 * COLUMNS + i], 0);
}

Test(quantize, refusals)
{
    static const struct {
        struct call call;
        const char *words;
    } wrongs[] = {
        {{ACL_INT8, ACL_INT4, COLUMNS, EXPERTS, false}, "dstType is 29; yOut's type is INT8 (2)"},
        {{ACL_FLOAT, 0, COLUMNS, EXPERTS, false}, "yOut has data type"},
        {{ACL_INT32, ACL_INT32, COLUMNS, EXPERTS, false}, "yOut's shape is (3, 16)"},
        {{ACL_INT8, ACL_INT8, COLUMNS - 1, EXPERTS, false}, "yOut"},
        {{ACL_INT8, ACL_INT8, COLUMNS, EXPERTS + 1, false}, "smoothScalesOptional's shape is"},
        {{ACL_INT8, ACL_INT8, COLUMNS, 0, false}, "smoothScalesOptional's shape is (2, 16)"},
        {{ACL_INT8, ACL_INT8, COLUMNS, EXPERTS, true}, "smoothScalesOptional is NULL"},
    };
    for (int i = 0; i < (int)(sizeof wrongs / sizeof *wrongs); i++) {
        uint64_t size;
        aclOpExecutor *executor;
        cr_expect_eq(prepare(&wrongs[i].call, &size, &executor), INVALID, "%s", wrongs[i].words);
        const char *message = aclGetRecentErrMsg();
        cr_expect(message && strstr(message, wrongs[i].words), "%s: %s", wrongs[i].words, message);
    }
}

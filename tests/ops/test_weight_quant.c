/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnWeightQuantBatchMatmulV2: weights of INT4, two to a byte, and what it refuses. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"

enum { INVALID = 161002, MOST = 1 << 17 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(weight_quant, .init = set_up, .fini = tear_down);

/* A matrix at data; `storage` is what the descriptor claims of its memory. */
static aclTensor *matrix(void *data, aclDataType type, int64_t rows, int64_t columns, int64_t row,
                         int64_t column, int64_t offset, int64_t storage)
{
    const int64_t sizes[] = {rows, columns}, strides[] = {row, column};
    return aclCreateTensor(sizes, 2, type, strides, offset, ACL_FORMAT_ND, &storage, 1, data);
}

struct call {
    int64_t m, k, n, group, row, column, offset; /* of the weight */
};

static uint16_t x[MOST], scale[MOST], y[MOST];
static uint8_t weight[MOST];

static int four_at(int64_t index)
{
    const int bits = weight[index / 2] >> (index % 2 * 4) & 15;
    return bits < 8 ? bits : bits - 16;
}

static void fill(const struct call *c)
{
    unsigned seed = 1;
    for (int i = 0; i < MOST; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = aclFloatToFloat16((float)(int)(seed >> 24) / 64 - 2);
        scale[i] = aclFloatToFloat16((float)(seed >> 16 & 15) / 256 + 0.01F);
        weight[i] = (uint8_t)(seed >> 8);
    }
    memset(y, 0xff, sizeof y);
    (void)c;
}

/* Phase 1 of a call in which the scales have so many rows. */
static aclnnStatus prepare(const struct call *c, aclDataType type, int64_t groups, uint64_t *size,
                           aclOpExecutor **executor)
{
    aclTensor *tensor[] = {matrix(x, ACL_FLOAT16, c->m, c->k, c->k, 1, 0, c->m * c->k),
                           matrix(weight, type, c->k, c->n, c->row, c->column, c->offset, 1),
                           matrix(scale, ACL_FLOAT16, groups, c->n, 1, groups, 0, groups * c->n),
                           matrix(y, ACL_FLOAT16, c->m, c->n, c->n, 1, 0, c->m * c->n)};
    const aclnnStatus status = aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
        tensor[0], tensor[1], tensor[2], NULL, NULL, NULL, NULL, (int)c->group, tensor[3], size,
        executor);
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(tensor[i]);
    return status;
}

static void check(const struct call *c)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    const int64_t groups = c->group > 0 ? (c->k - 1) / c->group + 1 : 1;
    fill(c);
    cr_assert_eq(prepare(c, ACL_INT4, groups, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    void *workspace = malloc(size + 1);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclnnWeightQuantBatchMatmulV2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    free(workspace);
    for (int64_t at = 0; at < c->m * c->n; at++) {
        const int64_t i = at / c->n, j = at % c->n;
        double sum = 0, all = 0;
        for (int64_t p = 0; p < c->k; p++) {
            const int64_t group = c->group > 0 ? p / c->group : 0;
            const double term = (double)aclFloat16ToFloat(x[i * c->k + p]) *
                                four_at(c->offset + p * c->row + j * c->column) *
                                (double)aclFloat16ToFloat(scale[j * groups + group]);
            sum += term;
            all += fabs(term);
        }
        const double made = (double)aclFloat16ToFloat(y[at]);
        cr_assert_lt(
            fabs(made - sum), fabs(sum) * 0x1p-11 + (double)(c->k + 4) * all * 0x1p-24 + 0x1p-24,
            "m %d k %d n %d group %d strides %d %d: y[%d] is %g, not %g", (int)c->m, (int)c->k,
            (int)c->n, (int)c->group, (int)c->row, (int)c->column, (int)at, made, sum);
    }
}

/* Columns side by side in memory or terms; both ways; ends within bytes, vectors and groups. */
Test(weight_quant, four_bits)
{
    static const struct call calls[] = {
        {1, 64, 70, 32, 1, 64, 0},     {1, 2112, 37, 32, 1, 2112, 0}, {3, 100, 9, 32, 1, 100, 0},
        {2, 32, 33, 0, 1, 32, 0},      {4, 96, 5, 96, 1, 96, 4},      {16, 130, 40, 64, 1, 132, 2},
        {17, 130, 40, 64, 1, 130, 2},  {1, 33, 7, 0, 1, 33, 0},       {20, 33, 7, 32, 1, 33, 0},
        {2, 70, 9, 32, 9, 1, 0},       {30, 300, 51, 32, 51, 1, 2},   {1, 7, 1, 0, 1, 1, 0},
        {5, 1, 8, 0, 8, 1, 0},         {40, 520, 60, 128, 1, 520, 0}, {1, 5000, 25, 96, 1, 5000, 0},
        {1, 4224, 23, 32, 1, 4224, 0}, {7, 1100, 30, 32, 1, 1100, 0},
    };
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        check(&calls[i]);
}

static void refuse(const struct call *c, aclDataType type, int64_t groups, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_expect_eq(prepare(c, type, groups, &size, &executor), INVALID, "%s", words);
    cr_expect(strstr(aclGetRecentErrMsg(), words), "%s: %s", words, aclGetRecentErrMsg());
}

/* Groups that are none, and scales of another number of groups. */
Test(weight_quant, refusals_of_groups)
{
    static const struct {
        int64_t k, group, groups;
        const char *words;
    } calls[] = {
        {96, 40, 3, "antiquantGroupSize is 40; it must be 0 or a multiple of 32"},
        {96, 31, 4, "antiquantGroupSize is 31"},
        {96, 1, 96, "antiquantGroupSize is 1"},
        {96, -32, 3, "antiquantGroupSize is -32"},
        {96, 32, 2, "antiquantScale's shape is (2, 8)"},
        {96, 32, 4, "antiquantScale's shape is (4, 8)"},
        {96, 32, 1, "antiquantScale's shape is (1, 8)"},
        {100, 32, 3, "k 100 and n 8 need (4, 8)"},
        {96, 64, 3, "antiquantScale's shape is (3, 8)"},
        {96, 0, 3, "antiquantScale's shape is (3, 8)"},
        {0, 0, 1, "x has no columns"},
    };
    static const aclDataType types[] = {ACL_INT4, ACL_INT8};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
            refuse(&(struct call){2, calls[i].k, 8, calls[i].group, 1, calls[i].k, 0}, types[t],
                   calls[i].groups, calls[i].words);
}

Test(weight_quant, refusals_of_weights)
{
    refuse(&(struct call){2, 96, 8, 0, 1, 96, 1}, ACL_INT4, 1, "begins at element 1");
    refuse(&(struct call){2, 96, 8, 0, 2, 192, 0}, ACL_INT4, 1, "strides 2 and 192");
    refuse(&(struct call){2, 96, 8, 32, 1, 96, 0}, ACL_UINT8, 3, "weight");
    refuse(&(struct call){2, 96, 8, 32, 1, 96, 0}, ACL_FLOAT16, 3, "weight");
}

/* Two elements share a byte: a weight that fills its memory is no larger than that. */
Test(weight_quant, memory_of_four_bits)
{
    const struct call c = {1, 64, 1024, 32, 1, 64, 0};
    void *data;
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(aclrtMalloc(&data, 64 * 1024 / 2, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    aclTensor *tensor[] = {matrix(x, ACL_FLOAT16, 1, c.k, c.k, 1, 0, c.k),
                           matrix(data, ACL_INT4, c.k, c.n, 1, c.k, 0, 1),
                           matrix(scale, ACL_FLOAT16, 2, c.n, 1, 2, 0, 2 * c.n),
                           matrix(y, ACL_FLOAT16, 1, c.n, c.n, 1, 0, c.n)};
    cr_assert_eq(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(tensor[0], tensor[1], tensor[2],
                                                               NULL, NULL, NULL, NULL, 32,
                                                               tensor[3], &size, &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    aclDestroyAclOpExecutor(executor);
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(tensor[i]);
    aclrtFree(data);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnQuantMatmulV4 with INT4, alone and eight in an INT32, sums that wrap, and refusals. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_quant_matmul.h"
#include "aclnnop/aclnn_quant_matmul_v4.h"
#include "aclnnop/aclnn_quant_matmul_v5.h"
#include "aclnnop/aclnn_trans_quant_param.h"

enum { INVALID = 161002, MOST = 1 << 18 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(quant_matmul, .init = set_up, .fini = tear_down);

static uint8_t left[MOST], right[MOST];
static float scale[MOST], token[MOST];
static int32_t result[MOST];

/* A matrix, or a vector where rows is -1; is_swapped: columns lie side by side. */
static aclTensor *matrix(void *data, aclDataType type, int64_t rows, int64_t columns,
                         bool is_swapped, int64_t offset)
{
    const int64_t sizes[] = {rows, columns}, storage = MOST;
    const int64_t strides[] = {is_swapped ? 1 : columns, is_swapped ? rows : 1};
    const int first = rows < 0;
    return aclCreateTensor(sizes + first, (uint64_t)(2 - first), type, strides + first, offset,
                           ACL_FORMAT_ND, &storage, 1, data);
}

struct call {
    int64_t m, k, n;
    aclDataType type1, type2;
    bool transposed, swapped; /* x2: by the argument, in memory */
    int64_t offset, scales;   /* of x1; as many, or 0: n */
};

static int four_at(const uint8_t *data, int64_t index)
{
    const int bits = data[index / 2] >> (index % 2 * 4) & 15;
    return bits < 8 ? bits : bits - 16;
}

static int value_at(aclDataType type, const uint8_t *data, int64_t index)
{
    return type == ACL_INT8 ? (int8_t)data[index] : four_at(data, index);
}

static int64_t of_words(aclDataType type, int64_t count)
{
    return type == ACL_INT32 ? count / 8 : count;
}

/* Phase 1 with a result of INT32. */
static aclnnStatus prepare(const struct call *c, uint64_t *size, aclOpExecutor **executor)
{
    const int64_t scales = c->scales > 0 ? c->scales : c->n;
    /* The last axis in memory is k where exactly one of the two transposes. */
    const bool by_terms = c->transposed != c->swapped;
    int64_t rows = by_terms ? c->n : c->k, columns = of_words(c->type2, by_terms ? c->k : c->n);
    if (c->swapped) {
        const int64_t other = rows;
        rows = columns;
        columns = other;
    }
    aclTensor *tensor[] = {matrix(left, c->type1, c->m, of_words(c->type1, c->k), false, c->offset),
                           matrix(right, c->type2, rows, columns, c->swapped, 0),
                           matrix(scale, ACL_FLOAT, -1, scales, false, 0),
                           matrix(result, ACL_INT32, c->m, c->n, false, 0)};
    const aclnnStatus status =
        aclnnQuantMatmulV4GetWorkspaceSize(tensor[0], tensor[1], tensor[2], NULL, NULL, NULL, false,
                                           c->transposed, tensor[3], size, executor);
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(tensor[i]);
    return status;
}

static void run(const struct call *c)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    cr_assert_eq(prepare(c, &size, &executor), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclnnQuantMatmulV4(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    free(workspace);
}

static void check(const struct call *c)
{
    unsigned seed = 1;
    for (int i = 0; i < MOST; i++) {
        seed = seed * 1664525 + 1013904223;
        left[i] = (uint8_t)(seed >> 8);
        right[i] = (uint8_t)(seed >> 16);
    }
    run(c);
    const bool by_terms = c->transposed != c->swapped;
    for (int64_t at = 0; at < c->m * c->n; at++) {
        const int64_t i = at / c->n, j = at % c->n;
        int sum = 0;
        for (int64_t p = 0; p < c->k; p++)
            sum += value_at(c->type1, left, c->offset + i * c->k + p) *
                   value_at(c->type2, right, by_terms ? j * c->k + p : p * c->n + j);
        cr_assert_eq(result[at], sum, "m %d k %d n %d: element %d is %d, not %d", (int)c->m,
                     (int)c->k, (int)c->n, (int)at, (int)result[at], sum);
    }
}

Test(quant_matmul, four_bits)
{
    static const struct call calls[] = {
        {3, 10, 7, ACL_INT4, ACL_INT4, false, false, 0, 0},
        {5, 33, 9, ACL_INT4, ACL_INT4, true, false, 4, 0},
        {20, 64, 50, ACL_INT4, ACL_INT4, false, true, 2, 0},
        {9, 1104, 40, ACL_INT4, ACL_INT32, true, false, 0, 0},
        {17, 40, 24, ACL_INT32, ACL_INT32, false, false, 0, 0},
        {2, 48, 16, ACL_INT32, ACL_INT4, true, true, 0, 0},
        {4, 24, 6, ACL_INT32, ACL_INT32, false, true, 0, 0},
    };
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        check(&calls[i]);
}

/* Most extreme numbers: products of pairs exceed 16 bits, unsigned copies 8. */
Test(quant_matmul, extremes)
{
    const struct call c = {9, 4000, 50, ACL_INT8, ACL_INT8, true, false, 0, 0};
    static const uint8_t extremes[] = {0x80, 0x7f, 0x80, 0x80, 0xff};
    for (int first = 0; first < 2; first++)
        for (int second = 0; second < 2; second++) {
            memset(left, extremes[first], sizeof left);
            memset(right, extremes[second], sizeof right);
            run(&c);
            const int product = (int8_t)extremes[first] * (int8_t)extremes[second];
            for (int i = 0; i < c.m * c.n; i++)
                cr_assert_eq(result[i], product * c.k, "%d is not %d", result[i],
                             (int)(product * c.k));
        }
}

/* Around the edges of tiles and of few rows, over several depths; columns and rows side by side. */
Test(quant_matmul, edges)
{
    static const int64_t sizes[][3] = {
        {33, 130, 49}, {8, 64, 16},   {16, 1, 17}, {70, 1030, 250}, {47, 2048, 33}, {4, 2050, 99},
        {1, 4100, 60}, {3, 70, 2100}, {2, 3, 5},   {5, 64, 48},     {300, 65, 290}};
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++)
        for (int by_columns = 0; by_columns < 2; by_columns++)
            check(&(struct call){sizes[i][0], sizes[i][1], sizes[i][2], ACL_INT8, ACL_INT8,
                                 by_columns == 1, false, 0, 0});
}

/* 2^31 and more wrap. */
Test(quant_matmul, wraps)
{
    const struct call c = {1, 131080, 1, ACL_INT8, ACL_INT8, true, false, 0, 0};
    memset(left, 0x80, sizeof left);
    memset(right, 0x80, sizeof right);
    run(&c);
    cr_assert_eq(result[0], (int32_t)(uint32_t)(131080U * 16384));
}

static void refuse(const struct call *c, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_expect_eq(prepare(c, &size, &executor), INVALID, "%s", words);
    const char *message = aclGetRecentErrMsg();
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
}

Test(quant_matmul, refusals)
{
    refuse(&(struct call){2, 32, 8, ACL_INT8, ACL_INT4, false, false, 0, 0},
           "x1's data type is INT8 and x2's INT4");
    refuse(&(struct call){2, 32, 8, ACL_INT4, ACL_INT4, false, false, 1, 0}, "begins at element 1");
    refuse(&(struct call){2, 32, 8, ACL_INT8, ACL_INT8, false, false, 0, 7},
           "scale's shape is (7); it must be (8) or (1)");
    refuse(&(struct call){2, 32, 8, ACL_FLOAT, ACL_INT8, false, false, 0, 0}, "x1 has data type");
    refuse(&(struct call){2, 0, 8, ACL_INT8, ACL_INT8, false, false, 0, 0}, "x1 has no columns");
}

struct wrong {
    aclDataType scale, bias, out;
    int64_t tokens, offsets, biases, group; /* 0: not given */
    const char *words;
};

static aclTensor *row(void *data, aclDataType type, int64_t count)
{
    return count > 0 ? matrix(data, type, -1, count, false, 0) : NULL;
}

/* What the factors of a (4, 16) by (16, 8) product must not be. */
Test(quant_matmul, factors)
{
    static const struct wrong wrongs[] = {
        {ACL_FLOAT16, ACL_INT32, ACL_FLOAT16, 0, 0, 0, 0, "x2Scale has data type"},
        {ACL_UINT64, ACL_INT32, ACL_FLOAT16, 4, 0, 0, 0, "x1Scale is given and x2Scale's"},
        {ACL_FLOAT, ACL_INT32, ACL_INT8, 4, 0, 0, 0, "x1Scale is given and out's"},
        {ACL_FLOAT, ACL_INT32, ACL_FLOAT16, 5, 0, 0, 0, "x1Scale's shape is (5)"},
        {ACL_FLOAT, ACL_INT32, ACL_FLOAT16, 0, 8, 0, 0, "only INT8 has an offset"},
        {ACL_FLOAT, ACL_INT32, ACL_INT8, 0, 3, 0, 0, "x2Offset's shape is (3)"},
        {ACL_UINT64, ACL_FLOAT, ACL_FLOAT16, 0, 0, 8, 0, "bias has data type"},
        {ACL_FLOAT, ACL_FLOAT, ACL_INT32, 0, 0, 8, 0, "bias has data type"},
        {ACL_FLOAT, ACL_FLOAT, ACL_BF16, 0, 0, 9, 0, "bias's shape is (9)"},
        {ACL_FLOAT, ACL_FLOAT, ACL_BF16, 4, 0, 8, 128, "groupSize is 128"},
        {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT, 0, 0, 0, 0, "out has data type"},
    };
    for (int i = 0; i < (int)(sizeof wrongs / sizeof *wrongs); i++) {
        const struct wrong *w = &wrongs[i];
        uint64_t size;
        aclOpExecutor *executor;
        aclTensor *x1 = matrix(left, ACL_INT8, 4, 16, false, 0);
        aclTensor *x2 = matrix(right, ACL_INT8, 16, 8, false, 0);
        aclTensor *x1_scale = row(token, ACL_FLOAT, w->tokens), *x2_scale = row(scale, w->scale, 8);
        aclTensor *offset = row(token, ACL_FLOAT, w->offsets),
                  *bias = row(left, w->bias, w->biases);
        aclTensor *out = matrix(result, w->out, 4, 8, false, 0);
        cr_expect_eq(aclnnQuantMatmulV5GetWorkspaceSize(x1, x2, x1_scale, x2_scale, NULL, NULL,
                                                        offset, NULL, bias, false, false, w->group,
                                                        out, &size, &executor),
                     INVALID, "%s", w->words);
        const char *message = aclGetRecentErrMsg();
        cr_expect(message && strstr(message, w->words), "%s: %s", w->words, message);
        aclTensor *all[] = {x1, x2, x1_scale, x2_scale, offset, bias, out};
        for (int j = 0; j < 7; j++)
            if (all[j]) aclDestroyTensor(all[j]);
    }
}

/* Scales of the second version: as many as columns, or up to a multiple of 16. */
Test(quant_matmul, scales_of_the_second_version)
{
    static const struct {
        int64_t count;
        aclDataType type;
        const char *words;
    } calls[] = {{8, ACL_UINT64, NULL},
                 {16, ACL_UINT64, NULL},
                 {1, ACL_UINT64, NULL},
                 {9, ACL_UINT64, "deqScale's shape is (9)"},
                 {32, ACL_UINT64, "deqScale's shape is (32)"},
                 {8, ACL_FLOAT, "deqScale has data type"}};
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        uint64_t size;
        aclOpExecutor *executor;
        aclTensor *all[] = {
            matrix(left, ACL_INT8, 4, 16, false, 0), matrix(right, ACL_INT8, 16, 8, false, 0),
            row(scale, calls[i].type, calls[i].count), matrix(result, ACL_FLOAT16, 4, 8, false, 0)};
        const aclnnStatus status = aclnnQuantMatmulV2GetWorkspaceSize(
            all[0], all[1], NULL, all[2], false, false, all[3], &size, &executor);
        cr_expect_eq(status, calls[i].words ? INVALID : ACL_SUCCESS, "call %d", i);
        if (!calls[i].words) cr_expect_eq(aclDestroyAclOpExecutor(executor), ACL_SUCCESS);
        const char *message = aclGetRecentErrMsg();
        if (calls[i].words) cr_expect(message && strstr(message, calls[i].words), "%s", message);
        for (int j = 0; j < 4; j++)
            aclDestroyTensor(all[j]);
    }
}

/* ---- aclnnTransQuantParam ---- */

Test(quant_matmul, parameters_of_the_host)
{
    const float scales[] = {1, -0.5F, 3}, offsets[] = {-1, 2.5F, 1000};
    uint64_t *made = NULL, count = 0;
    cr_assert_eq(aclnnTransQuantParam(scales, 3, offsets, 3, &made, &count), ACL_SUCCESS);
    cr_assert_eq(count, 3);
    cr_expect_eq(made[0], 0x3f800000 | UINT64_C(1) << 46 | UINT64_C(511) << 37);
    cr_expect_eq(made[1], 0xbf000000 | UINT64_C(1) << 46 | UINT64_C(2) << 37);
    cr_expect_eq(made[2], 0x40400000 | UINT64_C(1) << 46 | UINT64_C(255) << 37);
    free(made);
    cr_assert_eq(aclnnTransQuantParam(scales, 1, offsets, 2, &made, &count), ACL_SUCCESS);
    cr_assert_eq(count, 2);
    cr_expect_eq(made[1], 0x3f800000 | UINT64_C(1) << 46 | UINT64_C(2) << 37);
    free(made);
    cr_assert_eq(aclnnTransQuantParam(scales, 3, NULL, 0, &made, &count), ACL_SUCCESS);
    cr_expect_eq(made[1], 0xbf000000 | UINT64_C(1) << 46);
    free(made);
    cr_expect_eq(aclnnTransQuantParam(NULL, 3, NULL, 0, &made, &count), 161001);
    cr_expect_eq(aclnnTransQuantParam(scales, 3, NULL, 0, NULL, &count), 161001);
    cr_expect_eq(aclnnTransQuantParam(scales, 3, NULL, 0, &made, NULL), 161001);
    cr_expect_eq(aclnnTransQuantParam(scales, 0, NULL, 0, &made, &count), INVALID);
    cr_expect_eq(aclnnTransQuantParam(scales, UINT64_MAX, NULL, 0, &made, &count), INVALID);
    cr_expect_eq(aclnnTransQuantParam(scales, 3, NULL, 1, &made, &count), INVALID);
    cr_expect_eq(aclnnTransQuantParam(scales, 3, offsets, 2, &made, &count), INVALID);
}

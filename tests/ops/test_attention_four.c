/* SPDX-License-Identifier: Apache-2.0 */
/* Attention with keys of 4 bits: as INT4 and as INT32 that hold eight of them, in memory of their
 * own and in that of the result. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"

enum { BATCH = 2, HEADS = 4, KEY_HEADS = 2, KEYS = 70, D = 16, QUERY = BATCH * HEADS * D };
enum { NUMBERS = BATCH * KEY_HEADS * KEYS * D, SCALES = BATCH * KEYS };

static aclrtStream stream;
static float query[QUERY], scale[SCALES], out[QUERY];
static _Alignas(64) uint8_t key[NUMBERS / 2 + sizeof out], value[NUMBERS / 2];

static void begin(void)
{
    unsigned seed = 1;
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int i = 0; i < NUMBERS / 2; i++) {
        seed = seed * 1664525 + 1013904223;
        key[i] = (uint8_t)(seed >> 24);
        value[i] = (uint8_t)(seed >> 16);
    }
    for (int i = 0; i < QUERY; i++)
        query[i] = (float)(i * 37 % 101) / 64 - 0.75F;
    for (int i = 0; i < SCALES; i++)
        scale[i] = (float)(i * 11 % 29) / 128 - 0.1F;
}

static void end(void)
{
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(attention_four, .init = begin, .fini = end);

static aclTensor *tensor(aclDataType type, const int64_t *sizes, const int64_t *strides, int rank,
                         int64_t offset, void *data)
{
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides, offset, ACL_FORMAT_ND, sizes,
                           (uint64_t)rank, data);
}

/* How keys are told: their type, what a step of each axis is, where they begin; whether each
 * sequence has a tensor of its own. */
struct told {
    aclDataType type;
    int64_t strides[4], offset;
    bool in_list;
};

/* One tensor, or one for each sequence. */
static aclTensorList *list(const struct told *told, uint8_t *data)
{
    const int64_t columns = told->type == ACL_INT32 ? D / 8 : D;
    const int64_t sizes[] = {told->in_list ? 1 : BATCH, KEY_HEADS, KEYS, columns};
    const int count = told->in_list ? BATCH : 1;
    const aclTensor *each[BATCH];
    for (int b = 0; b < count; b++)
        each[b] = tensor(told->type, sizes, told->strides, 4, told->offset,
                         data + b * (KEY_HEADS * KEYS * D / 2));
    return aclCreateTensorList(each, (uint64_t)count);
}

static aclnnStatus prepare(const struct told *told, float *to, uint64_t *size,
                           aclOpExecutor **executor)
{
    const int64_t of_query[] = {BATCH, HEADS, 1, D}, of_scale[] = {1, BATCH, KEYS};
    char layout[] = "BNSD";
    aclTensor *q = tensor(ACL_FLOAT, of_query, NULL, 4, 0, query);
    aclTensor *s = tensor(ACL_FLOAT, of_scale, NULL, 3, 0, scale);
    aclTensor *y = tensor(ACL_FLOAT, of_query, NULL, 4, 0, to);
    aclTensorList *keys = list(told, key), *values = list(told, value);
    const aclnnStatus status = aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
        q, keys, values, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, s, NULL, s, NULL, NULL, NULL, NULL, HEADS, 0.4, 0, 0, layout, KEY_HEADS, 0, 0,
        0, 0, false, 1, 1, y, NULL, size, executor);
    aclDestroyTensorList(keys);
    aclDestroyTensorList(values);
    aclDestroyTensor(q);
    aclDestroyTensor(s);
    aclDestroyTensor(y);
    return status;
}

static void run(const struct told *told, float *to)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(prepare(told, to, &size, &executor), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnFusedInferAttentionScoreV2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
}

static const struct told packed = {
    ACL_INT32, {KEY_HEADS * KEYS * D / 8, KEYS *D / 8, D / 8, 1}, 0, false};
static const struct told fours = {ACL_INT4, {KEY_HEADS * KEYS * D, KEYS *D, D, 1}, 0, false};
static const struct told fours_in_list = {ACL_INT4, {KEY_HEADS * KEYS * D, KEYS *D, D, 1}, 0, true};
static const struct told packed_in_list = {
    ACL_INT32, {KEY_HEADS * KEYS * D / 8, KEYS *D / 8, D / 8, 1}, 0, true};

static double number(const uint8_t *from, int64_t at)
{
    const int bits = from[at / 2] >> (at % 2 * 4) & 15;
    return bits < 8 ? bits : bits - 16;
}

/* From the definition, in double. */
static void expect(int64_t b, int64_t n, double *want)
{
    const int64_t row = (b * KEY_HEADS + n / (HEADS / KEY_HEADS)) * KEYS;
    double score[KEYS], most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < KEYS; j++) {
        score[j] = 0;
        for (int64_t d = 0; d < D; d++)
            score[j] += (double)query[(b * HEADS + n) * D + d] * number(key, (row + j) * D + d);
        score[j] *= 0.4 * (double)scale[b * KEYS + j];
        most = fmax(most, score[j]);
    }
    memset(want, 0, D * sizeof *want);
    for (int64_t j = 0; j < KEYS; j++) {
        const double e = exp(score[j] - most);
        sum += e;
        for (int64_t d = 0; d < D; d++)
            want[d] += e * number(value, (row + j) * D + d) * (double)scale[b * KEYS + j];
    }
    for (int64_t d = 0; d < D; d++)
        want[d] /= sum;
}

/* Scores are below 10 and within 2^-18 of theirs, values below 1. */
Test(attention_four, is_the_definition)
{
    double want[D];
    run(&packed, out);
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t n = 0; n < HEADS; n++) {
            expect(b, n, want);
            for (int64_t d = 0; d < D; d++)
                cr_expect_float_eq((double)out[(b * HEADS + n) * D + d], want[d], 0x1p-16,
                                   "sequence %d, head %d: %g, not %g", (int)b, (int)n,
                                   (double)out[(b * HEADS + n) * D + d], want[d]);
        }
}

Test(attention_four, of_either_type)
{
    float other[QUERY];
    run(&packed, out);
    run(&fours, other);
    cr_expect(memcmp(out, other, sizeof out) == 0);
}

Test(attention_four, a_tensor_for_each_sequence)
{
    float other[QUERY];
    run(&packed, out);
    run(&fours_in_list, other);
    cr_expect(memcmp(out, other, sizeof out) == 0);
    run(&packed_in_list, other);
    cr_expect(memcmp(out, other, sizeof out) == 0);
}

/* The result begins in the middle of the keys, which are read to the end. */
static void run_in_keys(const struct told *told)
{
    run(told, out);
    float *const to = (float *)(void *)(key + 64);
    run(told, to);
    cr_expect(memcmp(out, to, sizeof out) == 0);
}

Test(attention_four, in_the_memory_of_the_result)
{
    run_in_keys(&fours);
}

Test(attention_four, in_the_memory_of_the_result_from_a_list)
{
    run_in_keys(&fours_in_list);
}

Test(attention_four, refusals)
{
    static const struct {
        struct told told;
        const char *words;
    } faults[] = {
        {{ACL_INT4, {KEY_HEADS * KEYS * D, KEYS * D, D, 1}, 1, false}, "begins at element 1"},
        {{ACL_INT4, {KEY_HEADS * KEYS * D, KEYS * D, D - 1, 1}, 0, false}, "a stride of 15"},
        {{ACL_INT4, {KEY_HEADS * KEYS * D, KEYS * D, 1, KEYS}, 0, false}, "a last stride of 70"},
        {{ACL_INT4, {KEY_HEADS * KEYS * D, KEYS * D, D, 1}, 1, true}, "begins at element 1"},
        {{ACL_INT32, {KEY_HEADS * KEYS * D, KEYS * D / 8, 1, KEYS}, 0, false},
         "a last stride of 70"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint64_t size;
        aclOpExecutor *executor;
        cr_expect_eq(prepare(&faults[i].told, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        cr_expect(strstr(aclGetRecentErrMsg(), faults[i].words), "%s", aclGetRecentErrMsg());
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Two products with a function between them: lists of experts' rows that cannot be, rows of no
 * expert, results over operands, and refusals. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_ffn.h"
#include "aclnnop/aclnn_ffn_v2.h"
#include "aclnnop/aclnn_ffn_v3.h"

enum { INVALID = 161002, NULLPTR = 161001, M = 6, K = 4, N = 4, E = 2, MOST = 64 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(ffn, .init = set_up, .fini = tear_down);

static aclFloat16 x[MOST], first[MOST], second[MOST], y[MOST];
static float factor[MOST];
static int64_t list[E];
static uint64_t size;
static aclOpExecutor *executor;

/* What is different. */
struct call {
    const char *activation;
    int64_t precise, experts, columns; /* columns: of weight1 */
    aclDataType type;
    bool is_flat, has_ends, has_factor; /* is_flat: the weights are matrices */
    aclFloat16 *to;
};

static const struct call plain = {
    .activation = "relu", .experts = E, .columns = N, .type = ACL_FLOAT16, .to = y};

static aclTensor *tensor(void *data, aclDataType type, int rank, const int64_t *sizes)
{
    int64_t strides[3] = {1, 1, 1};
    const int64_t storage = MOST;
    for (int i = rank - 2; i >= 0; i--)
        strides[i] = strides[i + 1] * sizes[i + 1];
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND, &storage, 1,
                           data);
}

/* Version 3 with the list in a tensor, or version 2 with an array. */
static aclnnStatus prepare(const struct call *c, bool is_array)
{
    const int64_t rows[] = {M, K}, one[] = {E, K, c->columns}, two[] = {E, N, K}, flat = 1;
    const int skip = c->is_flat;
    aclTensor *tensors[] = {tensor(x, c->type, 2, rows),
                            tensor(first, c->type, 3 - skip, one + skip),
                            tensor(second, c->type, 3 - skip, two + skip),
                            tensor(list, ACL_INT64, 1, &c->experts),
                            tensor(factor, ACL_FLOAT, 1, &flat),
                            tensor(c->to, c->type, 2, rows)};
    aclIntArray *array = aclCreateIntArray(list, (uint64_t)c->experts);
    const aclTensor *scale = c->has_factor ? tensors[4] : NULL;
    const aclnnStatus status =
        is_array ? aclnnFFNV2GetWorkspaceSize(tensors[0], tensors[1], tensors[2], array, NULL, NULL,
                                              scale, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                              c->activation, c->precise, c->has_ends, tensors[5],
                                              &size, &executor)
                 : aclnnFFNV3GetWorkspaceSize(tensors[0], tensors[1], tensors[2], tensors[3], NULL,
                                              NULL, scale, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                              c->activation, c->precise, c->has_ends, tensors[5],
                                              &size, &executor);
    for (int i = 0; i < 6; i++)
        aclDestroyTensor(tensors[i]);
    aclDestroyIntArray(array);
    return status;
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        x[i] = aclFloatToFloat16((float)(i % 7 - 3));
        first[i] = aclFloatToFloat16((float)(i % 5 - 2));
        second[i] = aclFloatToFloat16((float)(i % 3 - 1));
        y[i] = aclFloatToFloat16(99);
    }
}

/* Element (i, j) by an expert's weights, with the numbers that fill() gives. */
static float wanted(int64_t i, int64_t j, int64_t expert)
{
    float sum = 0;
    for (int64_t q = 0; q < N; q++) {
        float inner = 0;
        for (int64_t p = 0; p < K; p++)
            inner += (float)((i * K + p) % 7 - 3) * (float)(((expert * K + p) * N + q) % 5 - 2);
        sum += inner > 0 ? inner * (float)(((expert * N + q) * K + j) % 3 - 1) : 0;
    }
    return sum;
}

/* Row i met the weights of expert[i]; -1: nobody wrote it. The stream tells `words`; NULL: none. */
static void run(const struct call *c, bool is_array, const int expert[M], const char *words)
{
    aclrtStream stream;
    cr_assert_eq(prepare(c, is_array), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq((is_array ? aclnnFFNV2 : aclnnFFNV3)(workspace, size, executor, stream),
                 ACL_SUCCESS);
    const aclError told = aclrtSynchronizeStream(stream);
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(told, words ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS, "%d", told);
    cr_expect(!words || (message && strstr(message, words)), "%s: %s", words, message);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < K; j++) {
            const float got = aclFloat16ToFloat(c->to[i * K + j]);
            const float want = expert[i] < 0 ? 99 : wanted(i, j, expert[i]);
            cr_expect_eq(got, want, "row %d is %g, not %g", (int)i, (double)got, (double)want);
        }
    aclrtDestroyStream(stream);
    free(workspace);
}

/* An expert whose rows cannot be has none, nor have those behind it. */
Test(ffn, lists)
{
    static const struct {
        int64_t list[E];
        bool has_ends;
        int expert[M];
        const char *words;
    } lists[] = {
        {{2, 4}, false, {0, 0, 1, 1, 1, 1}, NULL},
        {{2, 6}, true, {0, 0, 1, 1, 1, 1}, NULL},
        {{0, 5}, true, {1, 1, 1, 1, 1, -1}, NULL},
        {{2, 1}, false, {0, 0, 1, -1, -1, -1}, NULL},
        {{2, 5}, false, {0, 0, -1, -1, -1, -1}, "expertTokensOptional[1] is 5; the expert's rows"},
        {{3, 2}, true, {0, 0, 0, -1, -1, -1}, "expertTokensOptional[1] is 2; the expert's rows"},
        {{-1, 6}, true, {-1, -1, -1, -1, -1, -1}, "expertTokensOptional[0] is -1"},
        {{INT64_MAX, 1}, false, {-1, -1, -1, -1, -1, -1}, "expertTokensOptional[0] is 922337203"},
    };
    struct call c = plain;
    for (int i = 0; i < (int)(sizeof lists / sizeof *lists); i++) {
        fill();
        memcpy(list, lists[i].list, sizeof list);
        c.has_ends = lists[i].has_ends;
        run(&c, false, lists[i].expert, lists[i].words);
    }
}

static void refuse(const struct call *c, bool is_array, aclnnStatus code, const char *words)
{
    const aclnnStatus status = prepare(c, is_array);
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(status, code, "%d: %s", status, words);
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
}

/* An array is known in phase 1. */
Test(ffn, arrays)
{
    static const int both[M] = {0, 0, 1, 1, 1, 1};
    struct call c = plain;
    fill();
    list[0] = 2, list[1] = 4;
    run(&c, true, both, NULL);
    list[1] = 5;
    refuse(&c, true, INVALID, "expertTokens[1] is 5; its rows end behind all 6 rows of x");
    list[1] = 3;
    refuse(&c, true, INVALID, "expertTokens has 5 rows together, x has 6");
    list[1] = -1;
    refuse(&c, true, INVALID, "expertTokens[1] is -1; it must be at least 0");
    c.has_ends = true;
    list[1] = 1;
    refuse(&c, true, INVALID, "expertTokens[1] is 1; it must be at least 2");
    list[1] = INT64_MAX;
    refuse(&c, true, INVALID, "its rows end behind");
    fill();
    list[1] = 6;
    run(&c, true, both, NULL);
}

/* No experts; and results where operands are. */
Test(ffn, in_place)
{
    static const int only[M] = {0}, both[M] = {0, 0, 1, 1, 1, 1};
    aclFloat16 *const places[] = {y, x, first, second};
    struct call c = plain;
    for (int i = 0; i < 4; i++) {
        fill();
        c = plain, c.to = places[i];
        list[0] = 2, list[1] = 4;
        run(&c, false, both, NULL);
        fill();
        c.experts = 0, c.is_flat = true;
        run(&c, i % 2 == 0, only, NULL);
    }
}

Test(ffn, refusals)
{
    struct call c = plain;
    fill();
    list[0] = 2, list[1] = 4;
    c.activation = NULL;
    refuse(&c, false, NULLPTR, "activation is NULL");
    c.activation = "gelux";
    refuse(&c, false, INVALID, "activation is \"gelux\"");
    c.activation = "swiglu";
    refuse(&c, false, INVALID, "units with a gate are of 1 and FLOAT16");
    c.precise = 1;
    refuse(&c, false, INVALID, "units with a gate have no experts");
    c.experts = 0, c.is_flat = true;
    refuse(&c, false, INVALID, "weight2");
    c.columns = 7;
    refuse(&c, false, INVALID, "weight1 has 7 columns");
    c = plain, c.precise = 2;
    refuse(&c, false, INVALID, "innerPrecise is 2");
    c = plain, c.type = ACL_BF16, c.precise = 1;
    refuse(&c, false, INVALID, "innerPrecise is 1 and x's data type BF16");
    c = plain, c.type = ACL_INT8;
    refuse(&c, false, INVALID, "x has data type 2 (INT8); it must be FLOAT16, BF16");
    c = plain, c.has_factor = true;
    refuse(&c, false, INVALID, "scaleOptional is given; it belongs to integers");
    c = plain, c.is_flat = true;
    refuse(&c, false, INVALID, "weight1 has 2 dimensions");
    c = plain, c.experts = 1;
    refuse(&c, false, INVALID, "weight1");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of groups that cannot be: not followed, told as the stream's error. Rows of no group.
 * Weights of INT4. And refusals. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_grouped_matmul_add.h"
#include "aclnnop/aclnn_grouped_matmul_v2.h"
#include "aclnnop/aclnn_grouped_matmul_v4.h"
#include "aclnnop/aclnn_grouped_matmul_v5.h"

enum { INVALID = 161002, MISSING = 161001, M = 6, K = 64, N = 8, E = 3, MOST = M * K * N };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(grouped_matmul, .init = set_up, .fini = tear_down);

static float x[MOST], weight[MOST], y[MOST];
static aclFloat16 x_half[MOST], scale_half[MOST], y_half[MOST];
static uint8_t fours[MOST];
static int64_t list[2 * 8];

static aclTensor *tensor(void *data, aclDataType type, int rank, const int64_t *sizes,
                         const int64_t *strides)
{
    int64_t dense[4];
    const int64_t storage = MOST;
    for (int i = rank - 1, step = 1; i >= 0; i--) {
        dense[i] = step;
        step *= (int)sizes[i];
    }
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides ? strides : dense, 0, ACL_FORMAT_ND,
                           &storage, 1, data);
}

static aclTensorList *list_of(aclTensor *one)
{
    const aclTensor *tensors[] = {one};
    return one ? aclCreateTensorList(tensors, 1) : NULL;
}

/* One x, one weight of E matrices, one y; what is different. */
struct call {
    int64_t form, groups;
    int64_t type, split, activation;
    aclDataType x_type, weight_type;
    bool is_transposed;
    int64_t columns, parts; /* of x; of the scale: 0: none */
    int64_t tuning;
    bool no_list;
};

static const struct call plain = {
    .groups = E, .split = 3, .x_type = ACL_FLOAT, .weight_type = ACL_FLOAT, .columns = K};

static aclnnStatus prepare(const struct call *c, uint64_t *size, aclOpExecutor **executor)
{
    const bool is_half = c->x_type != ACL_FLOAT, is_word = c->weight_type == ACL_INT32;
    const int64_t rows[] = {M, c->columns}, results[] = {M, N};
    const int64_t matrices[] = {E, K, is_word ? N / 8 : N}, by_column[] = {K * N, 1, K};
    const int64_t factors[] = {E, c->parts, N}, pairs[] = {c->groups, 2};
    aclTensorList *lists[] = {
        list_of(tensor(is_half ? (void *)x_half : x, c->x_type, 2, rows, NULL)),
        list_of(tensor(c->weight_type == ACL_FLOAT ? (void *)weight : fours, c->weight_type, 3,
                       matrices, c->is_transposed ? by_column : NULL)),
        list_of(c->parts > 0 ? tensor(scale_half, ACL_FLOAT16, 3, factors, NULL) : NULL),
        list_of(tensor(is_half ? (void *)y_half : y, c->x_type, 2, results, NULL))};
    aclTensor *groups =
        c->no_list ? NULL : tensor(list, ACL_INT64, 1 + (c->form == 2), pairs, NULL);
    aclIntArray *tuning = aclCreateIntArray(&c->tuning, 1);
    const aclnnStatus status = aclnnGroupedMatmulV5GetWorkspaceSize(
        lists[0], lists[1], NULL, NULL, NULL, lists[2], NULL, NULL, groups, NULL, NULL, NULL,
        c->split, c->type, c->form, c->activation, tuning, lists[3], NULL, NULL, size, executor);
    for (int i = 0; i < 4; i++)
        if (lists[i]) aclDestroyTensorList(lists[i]);
    if (groups) aclDestroyTensor(groups);
    aclDestroyIntArray(tuning);
    return status;
}

/* The stream must tell these words; NULL: none. */
static void run(const struct call *c, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    memset(y, 0xff, sizeof y);
    memset(y_half, 0xff, sizeof y_half);
    cr_assert_eq(prepare(c, &size, &executor), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclnnGroupedMatmulV5(workspace, size, executor, stream), ACL_SUCCESS);
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
    for (int i = 0; i < MOST; i++) {
        x[i] = (float)(i % 7 - 3);
        weight[i] = (float)(i % 11 - 5);
        x_half[i] = aclFloatToFloat16(x[i]);
        scale_half[i] = aclFloatToFloat16((float)(1 + i % 3));
        fours[i] = (uint8_t)(i * 37);
    }
}

/* Rows from `begin` on that met matrix number `matrix`; matrix -1: that nobody wrote. */
static void expect_rows(int64_t begin, int64_t count, int64_t matrix)
{
    for (int64_t at = begin * N; at < (begin + count) * N; at++) {
        float sum = 0;
        for (int64_t p = 0; matrix >= 0 && p < K; p++)
            sum += x[at / N * K + p] * weight[(matrix * K + p) * N + at % N];
        if (matrix >= 0)
            cr_expect_eq(y[at], sum, "element %d is %g, not %g", (int)at, (double)y[at],
                         (double)sum);
        else
            cr_expect(y[at] != y[at], "element %d is %g", (int)at, (double)y[at]);
    }
}

/* Groups behind a wrong one are not followed either. */
Test(grouped_matmul, wrong_ends)
{
    static const struct {
        int64_t ends[E];
        int sound;
        const char *words;
    } wrongs[] = {
        {{2, 1, 6}, 1, "groupListOptional[1] is 1; the group begins at 2"},
        {{-1, 3, 6}, 0, "groupListOptional[0] is -1"},
        {{2, 4, 7},
         2,
         "groupListOptional[2] is 7; the group begins at 4 and must end there or "
         "behind, at most at 6"},
        {{INT64_MAX, 3, 6}, 0, "groupListOptional[0] is 9223372036854775807"},
    };
    fill();
    for (int i = 0; i < (int)(sizeof wrongs / sizeof *wrongs); i++) {
        memcpy(list, wrongs[i].ends, sizeof wrongs[i].ends);
        run(&plain, wrongs[i].words);
        int64_t begin = 0;
        for (int group = 0; group < wrongs[i].sound; begin = list[group++])
            expect_rows(begin, list[group] - begin, group);
        expect_rows(begin, M - begin, -1);
    }
}

Test(grouped_matmul, wrong_counts)
{
    struct call c = plain;
    c.form = 1;
    fill();
    list[0] = 2, list[1] = INT64_MAX, list[2] = 1;
    run(&c, "groupListOptional[1] is 9223372036854775807");
    expect_rows(0, 2, 0);
    expect_rows(2, M - 2, -1);
    list[0] = 2, list[1] = 3, list[2] = -1;
    run(&c, "groupListOptional[2] is -1; the group begins at 5");
    expect_rows(2, 3, 1);
    list[0] = 1, list[1] = 0, list[2] = 2; /* rows behind the last group stay */
    run(&c, NULL);
    expect_rows(0, 1, 0);
    expect_rows(1, 2, 2);
    expect_rows(3, M - 3, -1);
}

Test(grouped_matmul, pairs)
{
    struct call c = plain;
    c.form = 2;
    c.groups = 4;
    fill();
    memcpy(list, (const int64_t[]){2, 3, 99, 0, 0, 1, 2, 2}, 8 * sizeof *list);
    run(&c, NULL);
    expect_rows(0, 3, 2);
    expect_rows(3, 1, 0);
    expect_rows(4, 2, 2);
    memcpy(list, (const int64_t[]){1, 3, E, 1, 0, 1, 2, 1}, 8 * sizeof *list);
    run(&c, "groupListOptional[1][0] is 3; there are 3 weights");
    expect_rows(0, 3, 1);
    expect_rows(3, 3, -1);
    list[2] = 0, list[3] = 4;
    run(&c, "groupListOptional[1][1] is 4; the group begins at 3");
}

static int four_at(int64_t index)
{
    const int bits = fours[index / 2] >> (index % 2 * 4) & 15;
    return bits < 8 ? bits : bits - 16;
}

/* INT4 by rows, by columns, and eight in an INT32; scales of parts of the terms. */
Test(grouped_matmul, four_bits)
{
    static const struct call calls[] = {
        {.weight_type = ACL_INT4, .parts = 1},
        {.weight_type = ACL_INT4, .parts = 2, .is_transposed = true},
        {.weight_type = ACL_INT32, .parts = 2},
    };
    fill();
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        struct call c = calls[i];
        c.groups = E, c.split = 3, c.x_type = ACL_FLOAT16, c.columns = K;
        list[0] = 1, list[1] = 1, list[2] = M;
        run(&c, NULL);
        for (int64_t at = 0; at < (int64_t)M * N; at++) {
            const int64_t j = at % N, row = at / N, matrix = row == 0 ? 0 : 2;
            float sum = 0;
            for (int64_t p = 0; p < K; p++) {
                const int64_t part = p * c.parts / K;
                const int64_t place = matrix * K * N + (c.is_transposed ? j * K + p : p * N + j);
                sum += x[row * K + p] * (float)four_at(place) *
                       aclFloat16ToFloat(scale_half[(matrix * c.parts + part) * N + j]);
            }
            cr_expect_eq(y_half[at], aclFloatToFloat16(sum), "call %d, element %d is %g, not %g", i,
                         (int)at, (double)aclFloat16ToFloat(y_half[at]), (double)sum);
        }
    }
}

static void refuse(const struct call *c, aclnnStatus code, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_expect_eq(prepare(c, &size, &executor), code, "%s", words);
    const char *message = aclGetRecentErrMsg();
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
}

Test(grouped_matmul, refusals)
{
    struct call c = plain;
    c.groups = E + 1;
    refuse(&c, INVALID, "groupListOptional has 4 groups; there are 3 weights");
    c = plain, c.type = 1;
    refuse(&c, INVALID, "groupType is 1; it must be -1");
    c = plain, c.split = 1;
    refuse(&c, INVALID, "splitItem is 1; it must be 2 or 3");
    c = plain, c.form = 3;
    refuse(&c, INVALID, "groupListType is 3");
    c = plain, c.form = 2, c.type = 2;
    refuse(&c, INVALID, "groupListType is 2 and groupType 2");
    c = plain, c.activation = 1;
    refuse(&c, INVALID, "actType is 1; only products of INT8");
    c = plain, c.activation = 3;
    refuse(&c, INVALID, "actType is 3; it must be 0");
    c = plain, c.columns = K - 1;
    refuse(&c, INVALID, "x must have as many columns as the weight rows");
    c = plain, c.no_list = true;
    refuse(&c, INVALID, "groupListOptional is NULL");
    c = plain, c.tuning = M + 1;
    refuse(&c, INVALID, "tuningConfigOptional[0] is 7");
    c = plain, c.parts = 1;
    refuse(&c, INVALID, "antiquantScaleOptional is given; the weight has x's type");
    c = plain, c.weight_type = ACL_INT4;
    refuse(&c, INVALID, "x's data type is FLOAT and weight's INT4");
    c = plain, c.x_type = ACL_FLOAT16, c.weight_type = ACL_INT4;
    refuse(&c, INVALID, "antiquantScaleOptional is NULL or empty; a weight of type INT4 needs it");
    c.parts = 3;
    refuse(&c, INVALID, "antiquantScaleOptional[0] has 3 groups of terms; the 64 terms");
    c.parts = 4;
    refuse(&c, INVALID, "each group a multiple of 32");
}

/* An array of groups is known in phase 1. */
Test(grouped_matmul, arrays)
{
    static const struct {
        int64_t ends[E];
        const char *words;
    } wrongs[] = {{{2, 1, 6}, "groupListOptional[1] is 1; it must be at least 2"},
                  {{-2, 1, 6}, "groupListOptional[0] is -2"},
                  {{2, 3, 7}, "groupListOptional ends with 7; it must end with 6, all rows"}};
    const int64_t rows[] = {M, K}, results[] = {M, N}, matrices[] = {E, K, N};
    uint64_t size;
    aclOpExecutor *executor;
    aclTensorList *lists[] = {list_of(tensor(x, ACL_FLOAT, 2, rows, NULL)),
                              list_of(tensor(weight, ACL_FLOAT, 3, matrices, NULL)),
                              list_of(tensor(y, ACL_FLOAT, 2, results, NULL))};
    for (int i = 0; i <= 3; i++) {
        aclIntArray *groups = i < 3 ? aclCreateIntArray(wrongs[i].ends, E) : NULL;
        cr_expect_eq(aclnnGroupedMatmulV2GetWorkspaceSize(lists[0], lists[1], NULL, NULL, NULL,
                                                          NULL, NULL, groups, 3, 0, lists[2], &size,
                                                          &executor),
                     i < 3 ? INVALID : MISSING);
        const char *message = aclGetRecentErrMsg(), *words = i < 3 ? wrongs[i].words : "is NULL";
        cr_expect(message && strstr(message, words), "%s: %s", words, message);
        if (groups) aclDestroyIntArray(groups);
    }
    for (int i = 0; i < 3; i++)
        aclDestroyTensorList(lists[i]);
}

/* ---- products that are added ---- */

static aclnnStatus prepare_added(int64_t groups, bool first, bool second, int64_t type,
                                 uint64_t *size, aclOpExecutor **executor)
{
    const int64_t columns[] = {K, M}, rows[] = {K, N}, results[] = {E, M, N};
    aclTensor *tensors[] = {tensor(x_half, ACL_FLOAT16, 2, columns, NULL),
                            tensor(scale_half, ACL_FLOAT16, 2, rows, NULL),
                            tensor(list, ACL_INT64, 1, &groups, NULL),
                            tensor(y, ACL_FLOAT, 3, results, NULL)};
    const aclnnStatus status = aclnnGroupedMatmulAddGetWorkspaceSize(
        tensors[0], tensors[1], tensors[2], tensors[3], first, second, type, size, executor);
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(tensors[i]);
    return status;
}

static void expect_added(const int64_t ends[E])
{
    for (int at = 0; at < E * M * N; at++) {
        const int group = at / (M * N), row = at / N % M;
        float sum = (float)(at % 5);
        for (int64_t p = group > 0 ? ends[group - 1] : 0; p < ends[group]; p++)
            sum += x[p * M + row] * (float)(1 + (p * N + at % N) % 3);
        cr_expect_eq(y[at], sum, "element %d is %g, not %g", at, (double)y[at], (double)sum);
    }
}

/* A group that ends before it begins or behind all rows is empty, and so are those behind it. */
Test(grouped_matmul, added)
{
    static const struct {
        int64_t ends[E], sound[E];
        const char *words;
    } lists[] = {
        {{20, 20, 50}, {20, 20, 50}, NULL},
        {{20, 10, 64}, {20, 20, 20}, "groupList[1] is 10; it must be from 20 to 64"},
        {{-1, 10, 64}, {0, 0, 0}, "groupList[0] is -1; it must be from 0 to 64"},
        {{7, 64, 65}, {7, 64, 64}, "groupList[2] is 65; it must be from 64 to 64"},
    };
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    fill();
    for (int i = 0; i < (int)(sizeof lists / sizeof *lists); i++) {
        memcpy(list, lists[i].ends, sizeof lists[i].ends);
        for (int at = 0; at < E * M * N; at++)
            y[at] = (float)(at % 5);
        cr_assert_eq(prepare_added(E, true, false, 2, &size, &executor), ACL_SUCCESS, "%s",
                     aclGetRecentErrMsg());
        void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
        cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
        cr_assert_eq(aclnnGroupedMatmulAdd(workspace, size, executor, stream), ACL_SUCCESS);
        const aclError told = aclrtSynchronizeStream(stream);
        const char *message = aclGetRecentErrMsg(), *words = lists[i].words;
        cr_expect_eq(told, words ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS, "%d", told);
        cr_expect(!words || (message && strstr(message, words)), "%s: %s", words, message);
        expect_added(lists[i].sound);
        aclrtDestroyStream(stream);
        free(workspace);
    }
}

Test(grouped_matmul, refusals_of_added)
{
    static const struct {
        int64_t groups, type;
        bool first, second;
        const char *words;
    } wrongs[] = {{E, 2, false, false, "transposeX is false; it must be true"},
                  {E, 2, true, true, "transposeWeight is true; it must be false"},
                  {E, 0, true, false, "groupType is 0; it must be 2"},
                  {E - 1, 2, true, false, "yRef"}};
    uint64_t size;
    aclOpExecutor *executor;
    for (int i = 0; i < (int)(sizeof wrongs / sizeof *wrongs); i++) {
        cr_expect_eq(prepare_added(wrongs[i].groups, wrongs[i].first, wrongs[i].second,
                                   wrongs[i].type, &size, &executor),
                     INVALID);
        const char *message = aclGetRecentErrMsg(), *words = wrongs[i].words;
        cr_expect(message && strstr(message, words), "%s: %s", words, message);
    }
}

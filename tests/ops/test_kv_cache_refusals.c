/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of a text that grows: positions, lengths and blocks that are not in the cache.
 * Nothing outside of it is read or written, a code and a sentence name what is wrong, and other
 * streams go on. */
#include <string.h>

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_select.h"

#include "tests/ops/row_refusals.h"

RIG_SUITE(kv_cache_refusals);

enum { ROWS = 6, WIDTH = 4, GUARD = 2 };

/* Rows of the cache between rows that nobody may touch. */
static float memory[ROWS + 2 * GUARD][WIDTH], source[3][WIDTH];

static aclTensor *tensor_of(int64_t rows, int64_t columns, aclDataType type, void *data)
{
    const int64_t sizes[] = {rows, columns};
    return aclCreateTensor(sizes, columns > 0 ? 2 : 1, type, NULL, 0, ACL_FORMAT_ND, sizes,
                           columns > 0 ? 2 : 1, data);
}

static void fill(void)
{
    for (int row = 0; row < ROWS + 2 * GUARD; row++)
        for (int i = 0; i < WIDTH; i++)
            memory[row][i] = (float)-row;
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < WIDTH; i++)
            source[row][i] = (float)(10 * row + i + 100);
}

/* Three rows to these positions, as llama.cpp and others write what a token adds. */
static aclError write_rows(void *positions, aclDataType type, aclrtStream stream)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *cache = tensor_of(ROWS, WIDTH, ACL_FLOAT, memory[GUARD]);
    aclTensor *index = tensor_of(3, 0, type, positions);
    aclTensor *rows = tensor_of(3, WIDTH, ACL_FLOAT, source);
    cr_assert_eq(aclnnInplaceIndexCopyGetWorkspaceSize(cache, 0, index, rows, &size, &executor),
                 ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = NULL;
    if (size > 0) cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    cr_assert_eq(aclnnInplaceIndexCopy(workspace, size, executor, stream), ACLNN_SUCCESS);
    const aclError code = aclrtSynchronizeStream(stream);
    aclDestroyTensor(cache);
    aclDestroyTensor(index);
    aclDestroyTensor(rows);
    if (workspace) aclrtFree(workspace);
    return code;
}

static void expect_row(int row, const float *want)
{
    cr_expect_arr_eq(memory[row], want, sizeof memory[row], "row %d", row);
}

/* Row `at` of the cache holds source[from]; every other row is as it was. */
static void expect_rows(const int64_t *at, int count)
{
    for (int row = 0; row < ROWS + 2 * GUARD; row++) {
        float want[WIDTH] = {(float)-row, (float)-row, (float)-row, (float)-row};
        for (int i = 0; i < count; i++)
            if (at[i] + GUARD == row && at[i] >= 0 && at[i] < ROWS)
                memcpy(want, source[i], sizeof want);
        expect_row(row, want);
    }
}

Test(kv_cache_refusals, positions_beyond_it)
{
    static const struct {
        int64_t at[3];
        const char *words;
    } calls[] = {
        {{2, 0, 6}, "aclnnInplaceIndexCopy: element 2 of index is 6; it must be from"},
        {{7, 3, 4}, "element 0 of index is 7"},
        {{5, 1 << 30, 0}, "element 1 of index is 1073741824"},
        {{5, -7, 0}, "element 1 of index is -7"},
    };
    for (int i = 0; i < LENGTH(calls); i++) {
        for (int is_long = 0; is_long < 2; is_long++) {
            aclrtStream stream;
            int64_t at[3];
            int32_t short_at[3];
            fill();
            for (int j = 0; j < 3; j++)
                short_at[j] = (int32_t)(at[j] = calls[i].at[j]);
            cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
            cr_expect_eq(write_rows(is_long ? (void *)at : short_at,
                                    is_long ? ACL_INT64 : ACL_INT32, stream),
                         ACL_ERROR_RT_AICORE_EXCEPTION);
            cr_expect(strstr(aclGetRecentErrMsg(), calls[i].words), "%s: %s", calls[i].words,
                      aclGetRecentErrMsg());
            expect_rows(at, 3);
            cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
        }
    }
    int64_t right[] = {5, 0, 3};
    fill();
    cr_expect_eq(write_rows(right, ACL_INT64, rig.stream), ACL_SUCCESS, "another stream goes on");
    expect_rows(right, 3);
}

/* More keys than there are, and fewer than none. */
Test(kv_cache_refusals, lengths_beyond_it)
{
    static const struct rig_fault faults[] = {
        {"actualSeqLengthsKvOptional[0]=6", INVALID, "actualSeqLengthsKvOptional[0] is 6", "5"},
        {"actualSeqLengthsKvOptional[1]=-1", INVALID, "actualSeqLengthsKvOptional[1] is -1", "5"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV2"),
                   "fused_infer_attention_score_v2 f16 query=2x1x4x8 key=[2x5x2x8] value=[2x5x2x8] "
                   "actualSeqLengthsKvOptional=5x2 numHeads=4 scaleValue=0.5 inputLayout=BSND "
                   "numKeyValueHeads=2 attentionOut=2x1x4x8",
                   faults, NULL);
}

/* A table that names a block which is none. */
Test(kv_cache_refusals, blocks_outside_of_it)
{
    static const struct {
        int32_t block;
        const char *words;
    } calls[] = {{3, "is 3; it must be from 0 to 2"}, {-1, "is -1; it must be from 0 to 2"}};
    static uint16_t query[2][8], keys[3][4][8], values[3][4][8], out[2][8];
    const int64_t of_query[] = {2, 1, 8}, of_keys[] = {3, 4, 8}, of_table[] = {2, 2};
    const int64_t lengths[] = {7, 3};
    for (int i = 0; i < LENGTH(calls); i++) {
        int32_t table[2][2] = {{2, 0}, {1, 99}}; /* nobody looks at the last entry */
        uint64_t size;
        aclOpExecutor *executor;
        aclrtStream stream;
        aclTensor *q =
            aclCreateTensor(of_query, 3, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, of_query, 3, query);
        aclTensor *k =
            aclCreateTensor(of_keys, 3, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, of_keys, 3, keys);
        aclTensor *v =
            aclCreateTensor(of_keys, 3, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, of_keys, 3, values);
        aclTensor *blocks =
            aclCreateTensor(of_table, 2, ACL_INT32, NULL, 0, ACL_FORMAT_ND, of_table, 2, table);
        aclTensor *y =
            aclCreateTensor(of_query, 3, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, of_query, 3, out);
        const aclTensor *of_k[] = {k}, *of_v[] = {v};
        aclTensorList *key = aclCreateTensorList(of_k, 1), *value = aclCreateTensorList(of_v, 1);
        aclIntArray *rows = aclCreateIntArray(lengths, 2);
        char layout[] = "BSH";
        table[0][1] = calls[i].block;
        cr_assert_eq(aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
                         q, key, value, NULL, NULL, NULL, rows, NULL, NULL, NULL, NULL, NULL, NULL,
                         NULL, blocks, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0.5,
                         2147483647, 2147483647, layout, 1, 0, 0, 4, 0, false, 0, 0, y, NULL, &size,
                         &executor),
                     ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
        void *workspace;
        cr_assert_eq(aclrtMalloc(&workspace, size + 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
        cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
        cr_assert_eq(aclnnFusedInferAttentionScoreV2(workspace, size, executor, stream),
                     ACLNN_SUCCESS);
        cr_expect_eq(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
        cr_expect(strstr(aclGetRecentErrMsg(), calls[i].words), "%s", aclGetRecentErrMsg());
        cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
        aclrtFree(workspace);
        aclDestroyTensor(q);
        aclDestroyTensor(blocks);
        aclDestroyTensor(y);
        aclDestroyTensorList(key);
        aclDestroyTensorList(value);
        aclDestroyIntArray(rows);
    }
}

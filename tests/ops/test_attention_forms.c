/* SPDX-License-Identifier: Apache-2.0 */
/* Inference with keys in lists, in panels, and all of INT8: what is refused, and with which words;
 * and that exponentials are rounded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_prompt_flash_attention_v2.h"
#include "tests/ops/row_refusals.h"

RIG_SUITE(attention_forms);

Test(attention_forms, lists_are_refused)
{
    static const struct rig_fault faults[] = {
        {"key=null", NULLPTR, "key is NULL", NULL},
        {"key[1]=null", NULLPTR, "key[1] is NULL", NULL},
        {"value[2]=null", NULLPTR, "value[2] is NULL", NULL},
        {"key.length=0", INVALID, "key has 0 tensors", "one for each sequence"},
        {"value.length=0", INVALID, "value has 0 tensors", NULL},
        {"value.length=2", INVALID, "value has 2 tensors", "as many as key, 3"},
        {"key.length=2 value.length=2", INVALID, "key has 2 tensors", "3 sequences"},
        {"key[1].type=f32", INVALID, "key[1] has data type FLOAT", "key[0], FLOAT16"},
        {"value[2].type=i8", INVALID, "value[2] has data type INT8", NULL},
        {"key[1].rank=3", INVALID, "key[1]'s shape", "batch of 1"},
        {"key[0].dims[0]=2", INVALID, "key[0]'s shape", "batch of 1"},
        {"key[2].dims[0]=3", INVALID, "key[2]'s shape", "batch of 1"},
        {"key[1].dims[1]=4", INVALID, "key[1]'s shape", "key[0], (1, 2, 5, 8)"},
        {"value[1].dims[3]=7", INVALID, "value[1]'s shape", NULL},
        {"value[1].dims[2]=4", INVALID, "value[1] has 4 rows", "key[1], 9"},
        {"key[1].dims[2]=4611686018427387904 key[1].strides[2]=0 "
         "value[1].dims[2]=4611686018427387904 value[1].strides[2]=0",
         INVALID, "", NULL},
        {"actualSeqLengthsKvOptional[0]=6", INVALID, "actualSeqLengthsKvOptional[0] is 6",
         "key[0], 5"},
        {"actualSeqLengthsKvOptional.length=1 actualSeqLengthsKvOptional[0]=2", INVALID,
         "actualSeqLengthsKvOptional[0] is 2", "key[2], 0"},
        {"actualSeqLengthsKvOptional[2]=-1", INVALID, "actualSeqLengthsKvOptional[2] is -1", NULL},
        {"attenMaskOptional.dims[2]=6", INVALID, "attenMaskOptional's shape", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV2"),
                   "fused_infer_attention_score_v2 f16 query=3x4x3x8 "
                   "key=[1x2x5x8,1x2x9x8,1x2x0x8] value=[1x2x5x6,1x2x9x6,1x2x0x6] "
                   "attenMaskOptional=3x3x9:bool actualSeqLengthsKvOptional=5x7x0 numHeads=4 "
                   "scaleValue=0.5 inputLayout=BNSD numKeyValueHeads=2 attentionOut=3x4x3x6",
                   faults, any);
}

/* Each of these is given, or asked for, beside a list. */
Test(attention_forms, what_lists_do_not_go_with)
{
    static const struct {
        const char *line, *words;
    } faults[] = {
        {"fused_infer_attention_score_v3 f16 query=2x4x8 key=[5x2x8,9x2x8] value=[5x2x8,9x2x8] "
         "actualSeqLengthsOptional=1x2 actualSeqLengthsKvOptional=4x5 numHeads=4 "
         "numKeyValueHeads=2 inputLayout=TND attentionOut=2x4x8",
         "key has 2 tensors; it must have one where inputLayout is TND"},
        {"fused_infer_attention_score_v3 f16 query=2x4x1x8 key=[1x2x5x8,1x2x9x8] "
         "value=[1x2x5x8,1x2x9x8] blockTableOptional=2x2:i32 blockSize=5 "
         "actualSeqLengthsKvOptional=4x5 numHeads=4 numKeyValueHeads=2 inputLayout=BNSD "
         "attentionOut=2x4x1x8",
         "key has 2 tensors; it must have one where blockTableOptional is given"},
        {"fused_infer_attention_score_v3 f16 query=2x4x1x8 key=[1x2x5x8,1x2x9x8] "
         "value=[1x2x5x8,1x2x9x8] keySharedPrefixOptional=1x2x3x8 "
         "valueSharedPrefixOptional=1x2x3x8 numHeads=4 numKeyValueHeads=2 inputLayout=BNSD "
         "attentionOut=2x4x1x8",
         "keySharedPrefixOptional is given; it must be NULL or empty where key has several"},
        {"fused_infer_attention_score_v3 f16 query=2x4x3x8 key=[1x2x5x8,1x2x9x8] "
         "value=[1x2x5x8,1x2x9x8] kvPaddingSizeOptional=1:i64 numHeads=4 numKeyValueHeads=2 "
         "inputLayout=BNSD attentionOut=2x4x3x8",
         "kvPaddingSizeOptional is given; it must be NULL or empty where key has several"},
        {"fused_infer_attention_score_v3 f16 query=2x4x1x8 key=[1x2x5x8,1x2x9x8] "
         "value=[1x2x5x8,1x2x9x8] queryRopeOptional=2x4x1x4 keyRopeOptional=2x2x9x4 numHeads=4 "
         "numKeyValueHeads=2 inputLayout=BNSD attentionOut=2x4x1x8",
         "queryRopeOptional is given; it must be NULL or empty where key has several"},
    };
    const struct rig_operator *op = operator_named("aclnnFusedInferAttentionScoreV3");
    for (int i = 0; i < LENGTH(faults); i++) {
        struct test_case test;
        char error[256];
        cr_assert(case_parse(faults[i].line, &test, error, sizeof error), "%s", error);
        struct rig_call call = rig_call_of(op, &test);
        rig_open(&call);
        cr_expect_eq(rig_phase1(&call), INVALID);
        cr_expect(strstr(aclGetRecentErrMsg(), faults[i].words), "%s", aclGetRecentErrMsg());
        rig_close(&call);
    }
}

Test(attention_forms, panels_are_refused)
{
    static const struct rig_fault faults[] = {
        {"value[0].rank=4", INVALID, "value", "5"},
        {"key[0].dims[2]=3", INVALID, "a head of key has 12", "16"},
        {"value[0].dims[4]=5", INVALID, "a head of value has 20", NULL},
        {"value[0].dims[1]=3", INVALID, "value has 3 heads", "2"},
        {"value[0].dims[0]=4", INVALID, "value has 4 blocks", "key, 5"},
        {"value[0].dims[3]=4", INVALID, "value has 4 rows in a block", "key, 8"},
        {"key[0].dims[2]=4611686018427387904 key[0].dims[4]=4 key[0].dims[0]=0", INVALID,
         "key has more elements", NULL},
        {"keyRopeOptional.rank=4", INVALID, "keyRopeOptional", "5"},
        {"keyRopeOptional.dims[0]=4", INVALID, "keyRopeOptional's shape", "(5, 2, 4 / width, 8"},
        {"keyRopeOptional.dims[1]=1", INVALID, "keyRopeOptional's shape", NULL},
        {"keyRopeOptional.dims[2]=1", INVALID, "keyRopeOptional's shape", NULL},
        {"keyRopeOptional.dims[3]=7", INVALID, "keyRopeOptional's shape", NULL},
        {"blockSize=4", INVALID, "blockSize is 4", "8 rows"},
        {"blockTableOptional=null", INVALID, "key", "4"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV4"),
                   "fused_infer_attention_score_v4 f16 query=3x2x4x16 key=[5x2x4x8x4] "
                   "value=[5x2x4x8x4] queryRopeOptional=3x2x4x4 keyRopeOptional=5x2x2x8x2 "
                   "blockTableOptional=3x4:i32 blockSize=8 actualSeqLengthsKvOptional=32x0x9 "
                   "numHeads=4 scaleValue=0.5 inputLayout=BSND numKeyValueHeads=2 "
                   "attentionOut=3x2x4x16",
                   faults, any);
}

Test(attention_forms, products_of_whole_numbers_are_refused)
{
    static const struct rig_fault faults[] = {
        {"query.type=u8", INVALID, "query", "FLOAT16, BF16, INT8"},
        {"query.type=f16", INVALID, "key", "FLOAT16"},
        {"key.type=f16", INVALID, "key", "INT8"},
        {"value.type=f16", INVALID, "value", "INT8"},
        {"deqScale1=null", NULLPTR, "deqScale1 is NULL", "INT8"},
        {"quantScale1=null", NULLPTR, "quantScale1 is NULL", "INT8"},
        {"deqScale2=null", NULLPTR, "deqScale2 is NULL", "INT8"},
        {"deqScale1.dims[0]=2", INVALID, "deqScale1 has 2 elements", "one"},
        {"deqScale2.type=f16", INVALID, "deqScale2", "FLOAT, UINT64"},
        {"quantScale1.type=u64", INVALID, "quantScale1", "FLOAT"},
        {"attentionOut.type=i8", NULLPTR, "quantScale2 is NULL", "INT8"},
        {"attentionOut.type=f64", INVALID, "attentionOut", "INT8"},
    };
    CHECK_REFUSALS(operator_named("aclnnPromptFlashAttentionV2"),
                   "prompt_flash_attention_v2 f16 query=2x3x32:i8 key=2x5x32:i8 value=2x5x32:i8 "
                   "deqScale1=1:u64 quantScale1=1:f32 deqScale2=1:f32 numHeads=2 scaleValue=0.5 "
                   "inputLayout=BSH attentionOut=2x3x32",
                   faults, any);
}

Test(attention_forms, factors_of_rows_are_refused)
{
    static const struct rig_fault faults[] = {
        {"queryQuantMode=0", INVALID, "queryQuantMode is 0", "3"},
        {"keyAntiquantMode=1", INVALID, "keyAntiquantMode is 1", "0"},
        {"valueAntiquantMode=2", INVALID, "valueAntiquantMode is 2", "0"},
        {"dequantScaleQueryOptional=null", INVALID, "keyAntiquantScaleOptional is given",
         "no dequantScaleQueryOptional"},
        {"dequantScaleQueryOptional.dims[2]=5", INVALID, "dequantScaleQueryOptional", "(2, 3, 4)"},
        {"dequantScaleQueryOptional.type=f16", INVALID, "dequantScaleQueryOptional", "FLOAT"},
        {"keyAntiquantScaleOptional=null", NULLPTR, "keyAntiquantScaleOptional is NULL", "INT8"},
        {"valueAntiquantScaleOptional.dims[0]=2", INVALID, "valueAntiquantScaleOptional has 2",
         "one"},
        {"keyAntiquantScaleOptional.type=f16", INVALID, "keyAntiquantScaleOptional", "FLOAT"},
        {"keyRopeOptional.type=f16", INVALID, "keyRopeOptional", "queryRopeOptional"},
        {"queryRopeOptional.type=i8", INVALID, "queryRopeOptional", "FLOAT"},
        {"queryRopeOptional=null", INVALID, "keyRopeOptional is given alone", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV4"),
                   "fused_infer_attention_score_v4 bf16 query=2x3x4x32:i8 key=[2x5x1x32:i8] "
                   "value=[2x5x1x32:i8] queryRopeOptional=2x3x4x8 keyRopeOptional=2x5x1x8 "
                   "dequantScaleQueryOptional=2x3x4:f32 queryQuantMode=3 "
                   "keyAntiquantScaleOptional=1:f32 valueAntiquantScaleOptional=1:f32 numHeads=4 "
                   "numKeyValueHeads=1 scaleValue=0.5 inputLayout=BSND attentionOut=2x3x4x32",
                   faults, any);
}

/* What goes with neither of both. */
Test(attention_forms, what_whole_numbers_do_not_go_with)
{
    static const char *const lines[] = {
        "deqScale1Optional=1:f32 quantScale1Optional=1:f32 deqScale2Optional=1:f32 "
        "queryRopeOptional=2x3x4x8:f16 keyRopeOptional=2x3x4x8:f16",
        "deqScale1Optional=1:f32 quantScale1Optional=1:f32 deqScale2Optional=1:f32 "
        "keySharedPrefixOptional=1x3x4x32:i8 valueSharedPrefixOptional=1x3x4x32:i8",
        "deqScale1Optional=1:f32 quantScale1Optional=1:f32 deqScale2Optional=1:f32 "
        "antiquantScaleOptional=2:f16",
        "dequantScaleQueryOptional=2x3x4:f32 queryQuantMode=3 keyAntiquantScaleOptional=1:f32 "
        "valueAntiquantScaleOptional=1:f32 quantScale1Optional=1:f32",
        "dequantScaleQueryOptional=2x3x4:f32 queryQuantMode=3 keyAntiquantScaleOptional=1:f32 "
        "valueAntiquantScaleOptional=1:f32 keyAntiquantOffsetOptional=1:f32",
    };
    static const char *const words[] = {
        "queryRopeOptional is given", "keySharedPrefixOptional is given",
        "antiquantScaleOptional is given", "quantScale1Optional is given",
        "keyAntiquantOffsetOptional is given"};
    const struct rig_operator *op = operator_named("aclnnFusedInferAttentionScoreV4");
    for (int i = 0; i < LENGTH(lines); i++) {
        struct test_case test;
        char error[256], line[1024];
        snprintf(line, sizeof line,
                 "fused_infer_attention_score_v4 f16 query=2x3x4x32:i8 key=[2x3x4x32:i8] "
                 "value=[2x3x4x32:i8] numHeads=4 inputLayout=BSND attentionOut=2x3x4x32 %s",
                 lines[i]);
        cr_assert(case_parse(line, &test, error, sizeof error), "%s", error);
        struct rig_call call = rig_call_of(op, &test);
        rig_open(&call);
        cr_expect_eq(rig_phase1(&call), INVALID);
        cr_expect(strstr(aclGetRecentErrMsg(), words[i]), "%s", aclGetRecentErrMsg());
        rig_close(&call);
    }
}

/* ---- exponentials are rounded, and end at 127 ---- */

enum { QUERIES = 3, KEYS = 20, D = 32 };

static double rounded(const int8_t *q, int8_t k[KEYS][D], int8_t v[KEYS][D], int d)
{
    double score[KEYS], most = -INFINITY, sum = 0, out = 0;
    for (int j = 0; j < KEYS; j++) {
        score[j] = 0;
        for (int i = 0; i < D; i++)
            score[j] += q[i] * k[j][i];
        score[j] *= 0x1p-13 * 0.5;
        most = fmax(most, score[j]);
    }
    for (int j = 0; j < KEYS; j++) {
        const double e = exp(score[j] - most), scaled = 200 * e;
        cr_assert(fabs(scaled - floor(scaled) - 0.5) > 0x1p-10, "a tie, or close to it");
        sum += e;
        out += fmin(127, nearbyint(scaled)) * v[j][d];
    }
    return out * 0.0625 / sum;
}

static aclTensor *tensor(aclDataType type, const int64_t *sizes, uint64_t rank, void *data)
{
    return aclCreateTensor(sizes, rank, type, NULL, 0, ACL_FORMAT_ND, sizes, rank, data);
}

/* Sums of whole numbers are exact; what is left are KEYS additions and two more operations. */
Test(attention_forms, exponentials_are_rounded)
{
    static int8_t q[QUERIES][D], k[KEYS][D], v[KEYS][D];
    static float out[QUERIES][D], round = 200, second = 0.0625F;
    static uint64_t first = (uint64_t)7 << 32 | 0x39000000; /* 2^-13, below other bits */
    const int64_t of_query[] = {1, QUERIES, D}, of_key[] = {1, KEYS, D}, one[] = {1};
    char layout[] = "BSH";
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    unsigned seed = 1;
    int8_t *const all[] = {q[0], k[0], v[0]};
    const int counts[] = {QUERIES * D, KEYS * D, KEYS * D};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < counts[t]; i++) {
            seed = seed * 1664525 + 1013904223;
            all[t][i] = (int8_t)(seed >> 24);
        }
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    aclTensor *const tensors[] = {
        tensor(ACL_INT8, of_query, 3, q),   tensor(ACL_INT8, of_key, 3, k),
        tensor(ACL_INT8, of_key, 3, v),     tensor(ACL_UINT64, one, 1, &first),
        tensor(ACL_FLOAT, one, 1, &round),  tensor(ACL_FLOAT, one, 1, &second),
        tensor(ACL_FLOAT, of_query, 3, out)};
    cr_assert_eq(aclnnPromptFlashAttentionV2GetWorkspaceSize(
                     tensors[0], tensors[1], tensors[2], NULL, NULL, NULL, NULL, tensors[3],
                     tensors[4], tensors[5], NULL, NULL, 1, 0.5, 0, 0, layout, 1, 0, tensors[6],
                     &size, &executor),
                 ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnPromptFlashAttentionV2(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < QUERIES; i++)
        for (int d = 0; d < D; d++) {
            const double want = rounded(q[i], k, v, d);
            cr_expect_float_eq((double)out[i][d], want, 0x1p-23 * (KEYS + 8) * fabs(want) + 0x1p-40,
                               "%d, %d: %g, not %g", i, d, (double)out[i][d], want);
        }
    for (int i = 0; i < 7; i++)
        aclDestroyTensor(tensors[i]);
    free(workspace);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

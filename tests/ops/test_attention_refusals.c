/* SPDX-License-Identifier: Apache-2.0 */
/* What attention refuses, and with which words. */
#include "tests/ops/row_refusals.h"

RIG_SUITE(attention_refusals);

Test(attention_refusals, of_the_forward_pass)
{
    static const struct rig_fault faults[] = {
        {"query=null", NULLPTR, "query is NULL", NULL},
        {"softmaxMaxOut=null", NULLPTR, "softmaxMaxOut is NULL", NULL},
        {"attentionOutOut=null", NULLPTR, "attentionOutOut is NULL", NULL},
        {"inputLayout=null", NULLPTR, "inputLayout is NULL", NULL},
        {"query.type=f64", INVALID, "query", "DOUBLE"},
        {"key.type=f16", INVALID, "key", "FLOAT16"},
        {"attenMaskOptional.type=f32", INVALID, "attenMaskOptional", "BOOL, UINT8"},
        {"dropMaskOptional.type=bool", INVALID, "dropMaskOptional", "UINT8"},
        {"softmaxSumOut.type=f16", INVALID, "softmaxSumOut", "FLOAT"},
        {"realShiftOptional.type=f16", INVALID, "realShiftOptional", "FLOAT16"},
        {"query.rank=3", INVALID, "query", "4"},
        {"headNum=0", INVALID, "headNum is 0", "greater than 0"},
        {"headNum=3", INVALID, "headNum is 3", "4 heads"},
        {"key.dims[0]=3", INVALID, "key has a batch of 3", NULL},
        {"key.dims[1]=3", INVALID, "value has 2 heads", "3"},
        {"key.dims[1]=3 value.dims[1]=3", INVALID, "multiple of the 3", NULL},
        {"value.dims[2]=4", INVALID, "value has 4 rows", NULL},
        {"key.dims[3]=9", INVALID, "a head of key has 9", NULL},
        {"value.dims[3]=9", INVALID, "a head of value has 9", NULL},
        {"query.dims[3]=513 key.dims[3]=513", INVALID, "513", "from 1 to 512"},
        {"pseType=4", INVALID, "pseType is 4", NULL},
        {"realShiftOptional.dims[2]=7", INVALID, "realShiftOptional's shape", NULL},
        {"realShiftOptional=null pseType=2", INVALID, "realShiftOptional is NULL", NULL},
        {"pseType=3", INVALID, "realShiftOptional's shape", "(4)"},
        {"sparseMode=7", INVALID, "sparseMode is 7", "0 to 6"},
        {"sparseMode=-1", INVALID, "sparseMode is -1", NULL},
        {"attenMaskOptional.dims[1]=6", INVALID, "attenMaskOptional's shape", NULL},
        {"sparseMode=2", INVALID, "attenMaskOptional's shape", "(2048, 2048)"},
        {"sparseMode=6 attenMaskOptional.dims[0]=2048 attenMaskOptional.dims[1]=2048", INVALID,
         "attenMaskOptional's shape", "(3072, 2048)"},
        {"sparseMode=5 prefixOptional=null", NULLPTR, "prefixOptional is NULL", NULL},
        {"sparseMode=5 prefixOptional.length=1", INVALID, "prefixOptional has 1", NULL},
        {"sparseMode=5 prefixOptional[1]=6", INVALID, "prefixOptional[1] is 6", NULL},
        {"keepProb=0", INVALID, "keepProb is 0", NULL},
        {"keepProb=2", INVALID, "keepProb is 2", NULL},
        {"dropMaskOptional=null", NULLPTR, "dropMaskOptional is NULL", NULL},
        {"dropMaskOptional.dims[0]=14", INVALID, "dropMaskOptional has 14 bytes", "120"},
        {"softmaxMaxOut.dims[3]=4", INVALID, "softmaxMaxOut's shape", "(2, 4, 3, 8)"},
        {"attentionOutOut.dims[3]=8", INVALID, "attentionOutOut's shape", "(2, 4, 3, 6)"},
        {"key.dims[2]=4611686018427387904 value.dims[2]=4611686018427387904 key.strides[2]=0 "
         "value.strides[2]=0",
         INVALID, "", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnFlashAttentionScoreV2"),
                   "flash_attention_score_v2 f32 query=2x4x3x8 key=2x2x5x8 value=2x2x5x6 "
                   "realShiftOptional=2x4x3x5 dropMaskOptional=15:u8 attenMaskOptional=3x5:bool "
                   "prefixOptional=1x5 scaleValue=0.5 keepProb=0.5 headNum=4 inputLayout=BNSD "
                   "preTokens=9 nextTokens=9 softmaxMaxOut=2x4x3x8 softmaxSumOut=2x4x3x8 "
                   "attentionOutOut=2x4x3x6",
                   faults, any);
}

Test(attention_refusals, of_sequences)
{
    static const struct rig_fault faults[] = {
        {"actualSeqQLenOptional=null", NULLPTR, "actualSeqQLenOptional is NULL", NULL},
        {"actualSeqKvLenOptional=null", NULLPTR, "actualSeqKvLenOptional is NULL", NULL},
        {"actualSeqQLenOptional.length=0", INVALID, "actualSeqQLenOptional is empty", NULL},
        {"actualSeqKvLenOptional.length=1", INVALID, "actualSeqKvLenOptional has 1", NULL},
        {"actualSeqQLenOptional[1]=10", INVALID, "actualSeqQLenOptional[1] is 10", NULL},
        {"actualSeqKvLenOptional[1]=2", INVALID, "actualSeqKvLenOptional[1] is 2", "from 4"},
        {"actualSeqKvLenOptional[0]=-1", INVALID, "actualSeqKvLenOptional[0] is -1", NULL},
        {"sparseMode=5", INVALID, "sparseMode is 5", NULL},
        {"sparseMode=9", INVALID, "sparseMode is 9", NULL},
        {"softmaxSumOut.dims[0]=7", INVALID, "softmaxSumOut's shape", NULL},
        {"query.rank=2", INVALID, "query", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnFlashAttentionVarLenScore"),
                   "flash_attention_var_len_score f16 query=9x4x8 key=7x2x8 value=7x2x8 "
                   "actualSeqQLenOptional=3x9 actualSeqKvLenOptional=4x7 scaleValue=0.5 keepProb=1 "
                   "headNum=4 inputLayout=TND softmaxMaxOut=9x4x8:f32 softmaxSumOut=9x4x8:f32 "
                   "attentionOutOut=9x4x8",
                   faults, any);
}

Test(attention_refusals, of_the_gradient)
{
    static const struct rig_fault faults[] = {
        {"softmaxMaxOptional=null", NULLPTR, "softmaxMaxOptional is NULL", NULL},
        {"softmaxSumOptional=null", NULLPTR, "softmaxSumOptional is NULL", NULL},
        {"attentionInOptional=null", NULLPTR, "attentionInOptional is NULL", NULL},
        {"dvOut=null", NULLPTR, "dvOut is NULL", NULL},
        {"headNum=5", INVALID, "query has rows of 32", "headNum, 5"},
        {"keyIn.dims[2]=12", INVALID, "keyIn has rows of 12", NULL},
        {"value.dims[2]=15", INVALID, "value has rows of 15", NULL},
        {"dy.dims[2]=16", INVALID, "dy's shape", "(2, 3, 24)"},
        {"attentionInOptional.dims[1]=4", INVALID, "attentionInOptional's shape", NULL},
        {"dqOut.dims[1]=4", INVALID, "dqOut", NULL},
        {"dkOut.dims[1]=4", INVALID, "dkOut", NULL},
        {"dvOut.dims[1]=4", INVALID, "dvOut", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnFlashAttentionScoreGrad"),
                   "flash_attention_score_grad bf16 query=2x3x32 keyIn=2x5x16 value=2x5x12 "
                   "dy=2x3x24 softmaxMaxOptional=2x4x3x8:f32 softmaxSumOptional=2x4x3x8:f32 "
                   "attentionInOptional=2x3x24 scaleValue=0.5 keepProb=1 headNum=4 "
                   "inputLayout=BSH dqOut=2x3x32 dkOut=2x5x16 dvOut=2x5x12",
                   faults, any);
}

Test(attention_refusals, of_inference)
{
    static const struct rig_fault faults[] = {
        {"key=null", NULLPTR, "key is NULL", NULL},
        {"key.length=0", INVALID, "key has 0 tensors", NULL},
        {"value[0].type=f32", INVALID, "value", "FLOAT"},
        {"attentionOut.type=i8", NULLPTR, "quantScale2Optional is NULL", "INT8"},
        {"numHeads=0", INVALID, "numHeads is 0", NULL},
        {"numKeyValueHeads=4", INVALID, "numKeyValueHeads is 4", NULL},
        {"actualSeqLengthsOptional[0]=4", INVALID, "actualSeqLengthsOptional[0] is 4", NULL},
        {"actualSeqLengthsKvOptional.length=2", INVALID, "actualSeqLengthsKvOptional has 2", NULL},
        {"sparseMode=5", INVALID, "sparseMode is 5", "0 to 4"},
        {"sparseMode=3 attenMaskOptional=null", NULLPTR, "attenMaskOptional is NULL", NULL},
        {"attenMaskOptional.dims[0]=2", INVALID, "attenMaskOptional's shape", NULL},
        {"pseShiftOptional.dims[3]=2", INVALID, "pseShiftOptional's shape", NULL},
        {"attentionOut.dims[1]=2", INVALID, "attentionOut's shape", "(3, 4, 3, 6)"},
        {"softmaxLse=null", NULLPTR, "softmaxLse is NULL", NULL},
        {"softmaxLse.dims[3]=8", INVALID, "softmaxLse's shape", "(3, 4, 3, 1)"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV2"),
                   "fused_infer_attention_score_v2 f16 query=3x4x3x8 key=[3x2x5x8] "
                   "value=[3x2x5x6] pseShiftOptional=1x4x3x5 attenMaskOptional=3x3x5:bool "
                   "actualSeqLengthsOptional=3 actualSeqLengthsKvOptional=1x2x3 numHeads=4 "
                   "scaleValue=0.5 inputLayout=BNSD numKeyValueHeads=2 softmaxLseFlag=1 "
                   "attentionOut=3x4x3x6 softmaxLse=3x4x3x1:f32",
                   faults, any);
}

Test(attention_refusals, of_keys_in_blocks)
{
    static const struct rig_fault faults[] = {
        {"blocktable.type=i64", INVALID, "blocktable", "INT32"},
        {"blocktable.dims[0]=2", INVALID, "blocktable has 2 rows", "3 sequences"},
        {"blockSize=0", INVALID, "blockSize is 0", "8 rows"},
        {"blockSize=4", INVALID, "blockSize is 4", "8 rows"},
        {"value[0].dims[0]=6", INVALID, "value has 6 blocks", "key, 5"},
        {"value[0].dims[2]=4", INVALID, "value has 4 rows in a block", "key, 8"},
        {"actualSeqLengths=null", NULLPTR, "actualSeqLengths is NULL", "blocktable"},
        {"actualSeqLengths[1]=33", INVALID, "actualSeqLengths[1] is 33", "32"},
        {"query.dims[2]=2 attentionOut.dims[2]=2", INVALID, "query has 2 rows", NULL},
    };
    CHECK_REFUSALS(operator_named("aclnnIncreFlashAttentionV3"),
                   "incre_flash_attention_v3 f16 query=3x4x1x16 key=[5x2x8x16] value=[5x2x8x16] "
                   "blocktable=3x4:i32 blockSize=8 actualSeqLengths=32x0x9 numHeads=4 "
                   "scaleValue=0.5 inputLayout=BNSD numKeyValueHeads=2 attentionOut=3x4x1x16",
                   faults, any);
}

Test(attention_refusals, of_quantised_keys)
{
    static const struct rig_fault faults[] = {
        {"query.type=i8", INVALID, "query", "INT8"},
        {"key[0].type=i32", INVALID, "value", "INT32"},
        {"key[0].type=u8 value[0].type=u8", INVALID, "key", "INT8, INT4, INT32"},
        {"keyAntiquantScaleOptional=null", NULLPTR, "antiquantScaleOptional is NULL", "INT8"},
        {"valueAntiquantScaleOptional=null", INVALID, "valueAntiquantScaleOptional is NULL", NULL},
        {"keyAntiquantOffsetOptional=null", INVALID, "keyAntiquantOffsetOptional is NULL", NULL},
        {"keyAntiquantMode=6", INVALID, "keyAntiquantMode is 6", "0 to 5"},
        {"valueAntiquantMode=-1", INVALID, "valueAntiquantMode is -1", NULL},
        {"keyAntiquantMode=4 valueAntiquantMode=4", INVALID, "keyAntiquantMode is 4", "in blocks"},
        {"keyAntiquantMode=1", INVALID, "valueAntiquantMode is 0", "the same, or 0 and 1"},
        {"keyAntiquantMode=2 valueAntiquantMode=2", INVALID, "keyAntiquantScaleOptional's shape",
         "(N)"},
        {"keyAntiquantScaleOptional.dims[1]=7", INVALID, "keyAntiquantScaleOptional's shape",
         "D 8"},
        {"keyAntiquantScaleOptional.type=bf16", INVALID, "keyAntiquantScaleOptional", "query"},
        {"keyAntiquantScaleOptional.type=i8", INVALID, "keyAntiquantScaleOptional", "FLOAT"},
        {"valueAntiquantOffsetOptional.type=f32", INVALID, "valueAntiquantOffsetOptional", NULL},
        {"valueAntiquantOffsetOptional.dims[0]=1", INVALID, "valueAntiquantOffsetOptional", NULL},
        {"keySharedPrefixOptional=null", INVALID, "valueSharedPrefixOptional is given alone",
         "together"},
        {"keySharedPrefixOptional.type=f16", INVALID, "keySharedPrefixOptional", "INT8"},
        {"keySharedPrefixOptional.dims[0]=2", INVALID, "keySharedPrefixOptional", "(1, 2, 4, 8)"},
        {"valueSharedPrefixOptional.dims[2]=5", INVALID, "valueSharedPrefixOptional", NULL},
        {"keySharedPrefixOptional.rank=3", INVALID, "keySharedPrefixOptional", "4"},
        {"actualSharedPrefixLenOptional[0]=5", INVALID, "actualSharedPrefixLenOptional[0] is 5",
         "keySharedPrefixOptional, 4"},
        {"actualSharedPrefixLenOptional[0]=-1", INVALID, "actualSharedPrefixLenOptional[0] is -1",
         NULL},
        {"quantScale2Optional=null", NULLPTR, "quantScale2Optional is NULL", "INT8"},
        {"quantScale2Optional.dims[0]=23", INVALID, "quantScale2Optional has 23", NULL},
        {"quantScale2Optional.type=bf16", INVALID, "quantScale2Optional has data type BF16", NULL},
        {"quantScale2Optional.type=f16", INVALID, "quantScale2Optional", "FLOAT, BF16"},
        {"quantOffset2Optional.dims[0]=1", INVALID, "quantOffset2Optional", NULL},
        {"attentionOut.type=f16", INVALID, "quantScale2Optional is given", "INT8"},
        {"attentionOut.type=f32", INVALID, "attentionOut", "FLOAT16"},
    };
    CHECK_REFUSALS(
        operator_named("aclnnFusedInferAttentionScoreV3"),
        "fused_infer_attention_score_v3 f16 query=3x4x3x8 key=[3x2x5x8:i8] value=[3x2x5x6:i8] "
        "keyAntiquantScaleOptional=2x8 keyAntiquantOffsetOptional=2x8 "
        "valueAntiquantScaleOptional=2x6 valueAntiquantOffsetOptional=2x6 "
        "keySharedPrefixOptional=1x2x4x8:i8 valueSharedPrefixOptional=1x2x4x6:i8 "
        "actualSharedPrefixLenOptional=3 numHeads=4 numKeyValueHeads=2 scaleValue=0.5 "
        "inputLayout=BNSD quantScale2Optional=24:f32 quantOffset2Optional=24:f32 "
        "attentionOut=3x4x3x6:i8",
        faults, any);
}

Test(attention_refusals, of_one_scale_for_both)
{
    static const struct rig_fault faults[] = {
        {"antiquantScale=null", NULLPTR, "antiquantScale is NULL", "INT8"},
        {"antiquantMode=2", INVALID, "antiquantMode is 2", "0 to 1"},
        {"antiquantMode=0", INVALID, "antiquantScale's shape", "behind an axis of 2"},
        {"antiquantScale.dims[0]=1", INVALID, "antiquantScale's shape", NULL},
        {"antiquantScale.dims[2]=31", INVALID, "antiquantScale's shape", "at least 32"},
        {"antiquantScale.type=f16", INVALID, "antiquantScale", "FLOAT"},
        {"kvPaddingSize.dims[0]=2", INVALID, "kvPaddingSize has 2 elements", NULL},
        {"key[0].type=i32 value[0].type=i32", INVALID, "key", "INT8"},
        {"key[0].type=f16 value[0].type=f16", INVALID, "antiquantScale is given", "FLOAT16"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScore"),
                   "fused_infer_attention_score f16 query=3x4x1x16 key=[5x2x8x16:i8] "
                   "value=[5x2x8x16:i8] antiquantScale=2x3x32:f32 antiquantMode=1 "
                   "kvPaddingSize=1:i64 blockTable=3x4:i32 blockSize=8 actualSeqLengthsKv=32x0x9 "
                   "numHeads=4 numKeyValueHeads=2 scaleValue=0.5 inputLayout=BNSD "
                   "attentionOut=3x4x1x16",
                   faults, any);
}

Test(attention_refusals, of_second_parts_and_padding)
{
    static const struct rig_fault faults[] = {
        {"queryRopeOptional=null", INVALID, "keyRopeOptional is given alone", "together"},
        {"keyRopeOptional=null", INVALID, "queryRopeOptional is given alone", "together"},
        {"keyRopeOptional.dims[3]=5", INVALID, "keyRopeOptional", "(3, 2, 5, 4)"},
        {"queryRopeOptional.dims[3]=65", INVALID, "queryRopeOptional has rows of 65", "64"},
        {"queryRopeOptional.dims[1]=3", INVALID, "queryRopeOptional", NULL},
        {"keyRopeOptional.type=f32", INVALID, "keyRopeOptional", "query"},
        {"key[0].type=i8 value[0].type=i8", INVALID, "queryRopeOptional is given", "quantised"},
        {"kvPaddingSizeOptional.type=i32", INVALID, "kvPaddingSizeOptional", "INT64"},
        {"queryPaddingSizeOptional.dims[0]=2", INVALID, "queryPaddingSizeOptional has 2", NULL},
        {"query.dims[3]=513 key.dims[3]=513", INVALID, "513", "from 1 to 512"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV3"),
                   "fused_infer_attention_score_v3 f16 query=3x4x3x8 key=[3x2x5x8] "
                   "value=[3x2x5x6] queryRopeOptional=3x4x3x4 keyRopeOptional=3x2x5x4 "
                   "queryPaddingSizeOptional=1:i64 kvPaddingSizeOptional=1:i64 "
                   "actualSeqLengthsOptional=2 actualSeqLengthsKvOptional=1x2x3 numHeads=4 "
                   "numKeyValueHeads=2 scaleValue=0.5 inputLayout=BNSD attentionOut=3x4x3x6",
                   faults, any);
}

/* Sequences behind each other, or keys in blocks. */
Test(attention_refusals, of_what_does_not_go_together)
{
    static const struct rig_fault faults[] = {
        {"actualSeqLengthsKvOptional.length=1", INVALID, "actualSeqLengthsKvOptional has 1",
         "3 sequences"},
        {"key[0].type=i8 value[0].type=i8", INVALID, "key has data type INT8", "TND"},
    };
    CHECK_REFUSALS(operator_named("aclnnFusedInferAttentionScoreV2"),
                   "fused_infer_attention_score_v2 f16 query=9x4x16 key=[5x2x8x16] "
                   "value=[5x2x8x16] blockTableOptional=3x4:i32 blockSize=8 "
                   "actualSeqLengthsOptional=2x4x9 actualSeqLengthsKvOptional=32x0x9 numHeads=4 "
                   "numKeyValueHeads=2 scaleValue=0.5 inputLayout=TND attentionOut=9x4x16",
                   faults, any);
}

/* Sequences without number, of nothing. */
Test(attention_refusals, nothing_in_any_amount)
{
    static const char *const changes[] = {
        "query.dims[0]=1099511627776 key.dims[0]=1099511627776 "
        "value.dims[0]=1099511627776 softmaxMaxOut.dims[0]=1099511627776 "
        "softmaxSumOut.dims[0]=1099511627776 attentionOutOut.dims[0]=1099511627776"};
    CHECK_ACCEPTED(operator_named("aclnnFlashAttentionScore"),
                   "flash_attention_score f32 query=2x0x8 key=2x0x8 value=2x0x8 keepProb=1 "
                   "headNum=1 inputLayout=BSH softmaxMaxOut=2x1x0x8 softmaxSumOut=2x1x0x8 "
                   "attentionOutOut=2x0x8",
                   changes);
}

/* Another layout's name, or an unknown one, as the problem is another then. */
Test(attention_refusals, of_layouts)
{
    static const char *const layouts[] = {"TND", "bsh", "BSHD", ""};
    const struct rig_operator *op = operator_named("aclnnFlashAttentionScore");
    for (int i = 0; i < LENGTH(layouts); i++) {
        struct test_case test;
        char error[256];
        cr_assert(case_parse("flash_attention_score f32 query=2x3x8 key=2x3x8 value=2x3x8 "
                             "keepProb=1 headNum=1 inputLayout=BSH softmaxMaxOut=2x1x3x8 "
                             "softmaxSumOut=2x1x3x8 attentionOutOut=2x3x8",
                             &test, error, sizeof error));
        struct rig_call call = rig_call_of(op, &test);
        call.text[0] = layouts[i];
        rig_open(&call);
        cr_expect_eq(rig_phase1(&call), INVALID);
        cr_expect(strstr(aclGetRecentErrMsg(), "must be BSH, SBH, BSND or BNSD"));
        rig_close(&call);
    }
}

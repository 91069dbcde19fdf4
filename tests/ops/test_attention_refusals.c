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
        {"attentionOut.type=i8", INVALID, "attentionOut", "INT8"},
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

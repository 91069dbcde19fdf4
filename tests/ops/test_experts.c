/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of groups and of rows that cannot be: not followed, told as the stream's error; rows of no
 * group; gates of what is not finite. And refusals. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_dequant_swiglu_quant.h"
#include "aclnnop/aclnn_dequant_swiglu_quant_v2.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_v2.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant_v2.h"

enum { INVALID = 161002, MISSING = 161001, M = 6, K = 16, N = 8, E = 3, ROWS = 4, MOST = 4096 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(experts, .init = set_up, .fini = tear_down);

static int8_t x[MOST], weight[MOST], output[MOST];
static int32_t sums[MOST];
static float scale[MOST], token[MOST], bias[MOST], made[MOST], out[MOST];
static uint64_t packed[MOST];
static int64_t list[2 * E], rows[M];

static void fill(void)
{
    static const float one = 0.125F;
    uint32_t bits;
    memcpy(&bits, &one, sizeof bits);
    for (int i = 0; i < MOST; i++) {
        x[i] = (int8_t)(i % 7 - 3);
        weight[i] = (int8_t)(i % 11 - 5);
        sums[i] = i % 200 - 100;
        scale[i] = one;
        token[i] = 1;
        bias[i] = 0;
        packed[i] = bits;
    }
    for (int i = 0; i < M; i++)
        rows[i] = i % ROWS;
    memset(output, 0xff, sizeof output);
    memset(made, 0xff, sizeof made);
    memset(out, 0xff, sizeof out);
}

/* The tensors of a call, until it has run. */
static struct {
    aclTensor *tensor[16];
    aclTensorList *list[3];
    int tensors, lists;
} held;

static aclTensor *tensor(void *data, aclDataType type, int rank, int64_t a, int64_t b, int64_t c)
{
    const int64_t sizes[] = {a, b, c}, storage = MOST;
    const int64_t strides[] = {rank == 3 ? b * c : rank == 2 ? b : 1, rank == 3 ? c : 1, 1};
    return held.tensor[held.tensors++] = aclCreateTensor(sizes, (uint64_t)rank, type, strides, 0,
                                                         ACL_FORMAT_ND, &storage, 1, data);
}

/* Which ends with its list. */
static aclTensorList *list_of(aclTensor *only)
{
    if (!only) return NULL;
    for (int i = 0; i < held.tensors; i++)
        if (held.tensor[i] == only) held.tensor[i] = NULL;
    return held.list[held.lists++] = aclCreateTensorList((const aclTensor *const[]){only}, 1);
}

static void release(void)
{
    for (int i = 0; i < held.tensors; i++)
        if (held.tensor[i]) aclDestroyTensor(held.tensor[i]);
    for (int i = 0; i < held.lists; i++)
        aclDestroyTensorList(held.list[i]);
    held.tensors = held.lists = 0;
}

/* ---- calls ---- */

enum which { GATE, GATE_LIST, SUM, DEQUANT, DEQUANT_PAIRS };

/* What is different from a plain call. */
struct call {
    enum which which;
    aclDataType weight_type;
    int64_t groups, form, columns, k;
    bool no_bias, has_offset, has_smooth;
    int64_t mode, quant_mode, first; /* dequantMode or swigluMode; quantMode; sharedInputOffset */
    int64_t axis;
    double limit;
    const char *text;
};

static const struct call plain = {.weight_type = ACL_INT8,
                                  .groups = E,
                                  .columns = N,
                                  .k = K,
                                  .axis = -1,
                                  .limit = 7,
                                  .text = "dynamic"};

static aclnnStatus prepare_gate(const struct call *c, aclTensor *const t[], uint64_t *size,
                                aclOpExecutor **executor)
{
    if (c->which == GATE)
        return aclnnGroupedMatmulSwigluQuantGetWorkspaceSize(
            t[0], t[1], t[3], NULL, t[2], t[4], t[5], t[6], t[7], NULL, size, executor);
    return aclnnGroupedMatmulSwigluQuantV2GetWorkspaceSize(
        t[0], list_of(t[1]), list_of(t[2]), list_of(t[3]), NULL, t[4], c->has_smooth ? t[4] : NULL,
        t[5], c->mode, 0, c->quant_mode, c->form, NULL, t[6], t[7], size, executor);
}

static aclnnStatus prepare(const struct call *c, uint64_t *size, aclOpExecutor **executor)
{
    const bool is_four = c->weight_type != ACL_INT8;
    char text[16], round[] = "rint";
    snprintf(text, sizeof text, "%s", c->text);
    if (c->which == DEQUANT)
        return aclnnDequantSwigluQuantGetWorkspaceSize(
            tensor(sums, ACL_INT32, 2, M, 2 * N, 1), tensor(scale, ACL_FLOAT, 2, E, 2 * N, 1), NULL,
            NULL, NULL, NULL, tensor(list, ACL_INT64, 1, c->groups, 1, 1), true, text,
            tensor(output, ACL_INT8, 2, M, N, 1), tensor(made, ACL_FLOAT, 1, M, 1, 1), size,
            executor);
    if (c->which == DEQUANT_PAIRS)
        return aclnnDequantSwigluQuantV2GetWorkspaceSize(
            tensor(sums, ACL_INT32, 2, M, 2 * N, 1), tensor(scale, ACL_FLOAT, 2, E, 2 * N, 1), NULL,
            NULL, c->no_bias ? NULL : tensor(scale, ACL_FLOAT, 1, E, 1, 1),
            c->has_offset ? tensor(bias, ACL_FLOAT, 1, E, 1, 1) : NULL,
            tensor(list, ACL_INT64, 2, E, 2, 1), !c->has_smooth, text, 2, round, c->axis, c->mode,
            c->limit, 1.702, 1, tensor(output, ACL_INT8, 2, M, N, 1),
            tensor(made, ACL_FLOAT, 1, M, 1, 1), size, executor);
    aclTensor *const t[] = {tensor(x, ACL_INT8, 2, M, c->k, 1),
                            tensor(weight, c->weight_type, 3, E, K, N),
                            tensor(is_four ? (void *)packed : scale,
                                   is_four ? ACL_UINT64 : ACL_FLOAT, 2, E, c->columns, 1),
                            is_four && !c->no_bias ? tensor(bias, ACL_FLOAT, 2, E, N, 1) : NULL,
                            tensor(token, ACL_FLOAT, 1, M, 1, 1),
                            tensor(list, ACL_INT64, 1, c->groups, 1, 1),
                            tensor(output, ACL_INT8, 2, M, N / 2, 1),
                            tensor(made, ACL_FLOAT, 1, M, 1, 1)};
    if (c->which != SUM) return prepare_gate(c, t, size, executor);
    return aclnnGroupedMatmulFinalizeRoutingV2GetWorkspaceSize(
        t[0], t[1], t[2], t[3], c->has_offset ? tensor(bias, ACL_FLOAT, 2, E, N, 1) : NULL, NULL,
        NULL, t[4], t[5], NULL, NULL, tensor(rows, ACL_INT64, 1, M, 1, 1), c->mode, 1, c->first,
        false, false, c->form, tensor(out, ACL_FLOAT, 2, ROWS, N, 1), size, executor);
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
    cr_assert_eq((c->which == GATE        ? aclnnGroupedMatmulSwigluQuant
                  : c->which == GATE_LIST ? aclnnGroupedMatmulSwigluQuantV2
                  : c->which == SUM       ? aclnnGroupedMatmulFinalizeRoutingV2
                  : c->which == DEQUANT
                      ? aclnnDequantSwigluQuant
                      : aclnnDequantSwigluQuantV2)(workspace, size, executor, stream),
                 ACL_SUCCESS);
    const aclError told = aclrtSynchronizeStream(stream);
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(told, words ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS, "%d: %s", told,
                 message);
    if (words) cr_expect(message && strstr(message, words), "%s: %s", words, message);
    aclrtDestroyStream(stream);
    free(workspace);
    release();
}

/* Rows that were written, and those behind, which were not. */
static void expect_rows(int64_t written)
{
    for (int64_t i = 0; i < M; i++)
        cr_expect_eq(made[i] == made[i], i < written, "row %d: %g", (int)i, (double)made[i]);
}

/* ---- lists ---- */

Test(experts, wrong_ends)
{
    static const struct {
        int64_t ends[E], written;
        const char *words;
    } cases[] = {{{2, 1, 6}, 2, "groupList[1] is 1; the group begins at row 2"},
                 {{-1, 2, 6}, 0, "groupList[0] is -1; the group begins at row 0"},
                 {{2, 3, 7}, 3, "groupList[2] is 7"},
                 {{2, 2, INT64_MAX}, 2, "groupList[2] is 9223372036854775807"},
                 {{INT64_MIN, 2, 3}, 0, "groupList[0] is -9223372036854775808"},
                 {{1, 1, 4}, 4, NULL},
                 {{0, 0, 0}, 0, NULL}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        for (int four = 0; four < 2; four++) {
            struct call c = plain;
            c.weight_type = four ? ACL_INT4 : ACL_INT8;
            fill();
            memcpy(list, cases[i].ends, sizeof cases[i].ends);
            run(&c, cases[i].words);
            expect_rows(cases[i].written);
        }
}

Test(experts, wrong_counts)
{
    struct call c = plain;
    c.which = GATE_LIST, c.form = 1;
    fill();
    list[0] = 3, list[1] = 4, list[2] = 0;
    run(&c, "groupList[1] is 4; the group begins at row 3");
    expect_rows(3);
    fill();
    c.which = DEQUANT;
    list[0] = 2, list[1] = -1, list[2] = 1;
    run(&c, "groupIndexOptional[1] is -1");
    expect_rows(2);
    fill();
    list[0] = 2, list[1] = 0, list[2] = INT64_MAX;
    run(&c, "groupIndexOptional[2] is 9223372036854775807");
    expect_rows(2);
}

Test(experts, wrong_pairs)
{
    struct call c = plain;
    c.which = DEQUANT_PAIRS;
    fill();
    list[0] = 2, list[1] = 1, list[2] = E, list[3] = 2, list[4] = 0, list[5] = 1;
    run(&c, "groupIndexOptional[1][0] is 3; there are 3 groups");
    expect_rows(1);
    fill();
    list[2] = INT64_MIN;
    run(&c, "groupIndexOptional[1][0] is -9223372036854775808");
    fill();
    list[2] = 0, list[3] = 0, list[4] = -5, list[5] = 6;
    run(&c, "groupIndexOptional[2][0] is -5");
    expect_rows(1);
    fill();
    list[2] = -9, list[3] = 0, list[4] = 1, list[5] = 5;
    run(&c, NULL); /* a group without rows needs no factors */
    expect_rows(M);
}

/* Rows of no group may name any row. */
Test(experts, wrong_rows)
{
    struct call c = plain;
    c.which = SUM;
    fill();
    list[0] = 1, list[1] = 3, list[2] = 4;
    rows[4] = -7, rows[5] = 1000;
    run(&c, NULL);
    for (int i = 0; i < ROWS * N; i++)
        cr_expect(isfinite(out[i]), "element %d is %g", i, (double)out[i]);
    rows[1] = ROWS;
    run(&c, "rowIndexOptional[1] is 4; there are 4 rows");
    for (int i = 0; i < N; i++)
        cr_expect_eq(out[N + i], 0, "element %d is %g", i, (double)out[N + i]);
    rows[1] = INT64_MIN;
    run(&c, "rowIndexOptional[1] is -9223372036854775808");
    list[1] = 0;
    run(&c, "groupListOptional[1] is 0; the group begins at row 1");
}

/* A bias of eight times the scaled sums of the weight makes the plain product. */
Test(experts, four_bits)
{
    struct call c = plain;
    float narrow[ROWS * N];
    c.which = SUM, c.weight_type = ACL_INT4;
    fill();
    for (int i = 0; i < E * K * N; i++)
        bias[i / (K * N) * N + i % N] += 8 * 0.125F * (float)((i * 5 % 16 + 8) % 16 - 8);
    for (int i = 0; i < E * K * N / 2; i++)
        weight[i] = (int8_t)((2 * i * 5 % 16) | (2 * i + 1) * 5 % 16 << 4);
    list[0] = 2, list[1] = 2, list[2] = 6;
    run(&c, NULL);
    memcpy(narrow, out, sizeof narrow);
    for (int i = 0; i < E * K * N; i++)
        weight[i] = (int8_t)((i * 5 % 16 + 8) % 16 - 8);
    c.weight_type = ACL_INT8;
    run(&c, NULL);
    for (int i = 0; i < ROWS * N; i++)
        cr_expect_eq(narrow[i], out[i], "element %d is %g, not %g", i, (double)narrow[i],
                     (double)out[i]);
}

Test(experts, not_finite)
{
    struct call c = plain;
    c.which = DEQUANT;
    fill();
    list[0] = 2, list[1] = 2, list[2] = 2;
    scale[0] = INFINITY;
    scale[2 * N] = NAN;
    run(&c, NULL);
    cr_expect(isinf(made[0]) || isnan(made[0]));
    cr_expect(isnan(made[2]));
    for (int i = 0; i < N; i++)
        cr_expect_eq(output[2 * N + i], 0, "element %d is %d", i, output[2 * N + i]);
    memset(sums, 0, sizeof sums);
    memset(scale, 0, sizeof scale);
    run(&c, NULL);
    cr_expect_eq(made[5], 0);
    cr_expect_eq(output[5 * N], 0);
}

/* ---- refusals ---- */

static void refuse(const struct call *c, aclnnStatus code, const char *words)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_expect_eq(prepare(c, &size, &executor), code, "%s", words);
    const char *message = aclGetRecentErrMsg();
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
    release();
}

Test(experts, refusals)
{
    struct call c = plain;
    c.groups = E + 1;
    refuse(&c, INVALID, "groupList has 4 groups; there are 3 weights");
    c = plain, c.k = K - 1;
    refuse(&c, INVALID, "weight[0]'s shape is (3, 16, 8); it must have 15 rows");
    c = plain, c.columns = N - 1;
    refuse(&c, INVALID, "weightScale[0]'s shape is (3, 7); it must be (experts, 8)");
    c = plain, c.weight_type = ACL_INT4, c.no_bias = true;
    refuse(&c, MISSING, "need a bias of 8 times the scaled sums of the weights; it is NULL");
    c = plain, c.which = GATE_LIST, c.quant_mode = 1;
    refuse(&c, INVALID, "quantMode is 1; it must be 0");
    c.quant_mode = 0, c.mode = 2;
    refuse(&c, INVALID, "dequantMode is 2; it must be 0 or 1");
    c.mode = 0, c.form = 2;
    refuse(&c, INVALID, "groupListType is 2; it must be 0 or 1");
    c.form = 0, c.has_smooth = true;
    refuse(&c, INVALID, "smoothScale is given and x's data type is INT8; it must be NULL");
    c = plain, c.which = SUM, c.mode = 1;
    refuse(&c, INVALID, "dtype is 1; it must be 0, FLOAT");
    c.mode = 0, c.first = ROWS + 1;
    refuse(&c, INVALID, "sharedInputOffset is 5; it must be between 0 and 4, out's rows");
    c.first = 0, c.form = 2;
    refuse(&c, INVALID, "groupListType is 2; it must be 0 (sums) or 1 (counts)");
    c.form = 0, c.has_offset = true;
    refuse(&c, INVALID, "offsetOptional is given and the weights are INT8; it must be NULL");
}

Test(experts, refusals_of_sums)
{
    struct call c = plain;
    c.which = DEQUANT_PAIRS, c.text = "some";
    refuse(&c, INVALID, "quantModeOptional is \"some\"; it must be static or dynamic");
    c.text = "static", c.no_bias = true;
    refuse(&c, MISSING, "quantScaleOptional is NULL and quantModeOptional static");
    c.text = "dynamic", c.has_offset = true;
    refuse(&c, INVALID, "quantOffsetOptional is given and quantScaleOptional is NULL");
    c.no_bias = false;
    refuse(&c, INVALID, "quantOffsetOptional is given and quantModeOptional dynamic");
    c.has_offset = false, c.axis = 0;
    refuse(&c, INVALID, "activateDim is 0; it must be -1 or 1, the last dimension");
    c.axis = -1, c.mode = 4;
    refuse(&c, INVALID, "swigluMode is 4; it must be between 0 and 3");
    c.mode = 1, c.has_smooth = true;
    refuse(&c, INVALID, "activateLeft is false and swigluMode 1; it must be true");
    c.has_smooth = false, c.limit = 0;
    refuse(&c, INVALID, "clampLimit is 0; it must be above 0 and finite");
    c = plain, c.which = DEQUANT, c.groups = E + 1;
    refuse(&c, INVALID, "weightScaleOptional's shape is (3, 16); it must be (4, 16)");
}

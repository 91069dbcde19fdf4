/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that quantize what they make: NaN, INT4, groups of rows, what is not written, and
 * refusals that the rows' own tests do not ask for. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add_layer_norm_quant.h"
#include "aclnnop/aclnn_add_rms_norm_cast.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant_v2.h"
#include "aclnnop/aclnn_fused_matmul.h"
#include "aclnnop/aclnn_gelu_quant.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_rms_norm_quant.h"
#include "aclnnop/aclnn_swi_glu_quant_v2.h"
#include "aclnnop/aclnn_transpose_batch_mat_mul.h"

enum { INVALID = 161002, NULLPTR = 161001, ROWS = 3, COLUMNS = 8, COUNT = ROWS * COLUMNS };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

/* What a test has made. */
static struct {
    aclTensor *tensor[400];
    aclIntArray *ints[40];
    aclBoolArray *bools[40];
    int tensors, int_arrays, bool_arrays;
} made;

static void tear_down(void)
{
    while (made.tensors > 0)
        aclDestroyTensor(made.tensor[--made.tensors]);
    while (made.int_arrays > 0)
        aclDestroyIntArray(made.ints[--made.int_arrays]);
    while (made.bool_arrays > 0)
        aclDestroyBoolArray(made.bools[--made.bool_arrays]);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(fused_quant, .init = set_up, .fini = tear_down);

static float x[COUNT], x2[COUNT], ones[COLUMNS], zeros[COLUMNS], sum[COUNT], scale[2][ROWS];
static uint8_t y[2][COUNT];
static uint64_t size;
static aclOpExecutor *executor;

static aclTensor *keep(aclTensor *tensor)
{
    cr_assert_lt(made.tensors, 400);
    return made.tensor[made.tensors++] = tensor;
}

static aclTensor *tensor(void *data, aclDataType type, int rank, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns}, strides[] = {columns, 1}, storage = rows * columns;
    return keep(aclCreateTensor(sizes, (uint64_t)rank, type, rank == 1 ? strides + 1 : strides, 0,
                                ACL_FORMAT_ND, &storage, 1, data));
}

static aclIntArray *order_of(const int64_t *order)
{
    return order ? made.ints[made.int_arrays++] = aclCreateIntArray(order, 3) : NULL;
}

static aclBoolArray *mask_of(bool first, bool second)
{
    const bool flags[] = {first, second};
    return made.bools[made.bool_arrays++] = aclCreateBoolArray(flags, 2);
}

/* Of one dimension. */
static aclTensor *vector(void *data, aclDataType type, int64_t count)
{
    return tensor(data, type, 1, count, 1);
}

static aclTensor *matrix(void *data, aclDataType type)
{
    return tensor(data, type, 2, ROWS, COLUMNS);
}

typedef aclnnStatus phase2(void *workspace, uint64_t size, aclOpExecutor *executor, void *stream);

static void finish(aclnnStatus status, phase2 *second)
{
    aclrtStream stream;
    cr_assert_eq(status, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(second(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    aclrtDestroyStream(stream);
    free(workspace);
}

static void check_refused(aclnnStatus status, aclnnStatus code, const char *words)
{
    const char *message = aclGetRecentErrMsg();
    cr_expect_eq(status, code, "%d: %s", status, words);
    cr_expect(message && strstr(message, words), "%s: %s", words, message);
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % COLUMNS - 3);
        x2[i] = (float)(i / COLUMNS);
    }
    for (int i = 0; i < COLUMNS; i++)
        ones[i] = 1, zeros[i] = 0;
    memset(y, 0xee, sizeof y);
    memset(scale, 0xee, sizeof scale);
}

/* ---- normalisations ---- */

static aclnnStatus dynamic(bool has_second, aclTensor *second)
{
    aclTensor *of_ones = vector(ones, ACL_FLOAT, COLUMNS);
    return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
        matrix(x, ACL_FLOAT), matrix(x2, ACL_FLOAT), of_ones, of_ones, has_second ? of_ones : NULL,
        1e-6, matrix(y[0], ACL_INT8), second, matrix(sum, ACL_FLOAT),
        vector(scale[0], ACL_FLOAT, ROWS), vector(scale[1], ACL_FLOAT, ROWS), &size, &executor);
}

Test(fused_quant, a_nan_is_the_row_s_own)
{
    fill();
    x[COLUMNS + 2] = NAN;
    finish(dynamic(true, matrix(y[1], ACL_INT8)), aclnnAddRmsNormDynamicQuant);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS; i++) {
            cr_expect_eq(isnan(scale[k][i]) != 0, i == 1);
            for (int j = 0; j < COLUMNS; j++)
                cr_expect(i != 1 || y[k][i * COLUMNS + j] == 0);
        }
    cr_expect_eq(y[0][COLUMNS - 1], 127);
    cr_expect_eq(y[0][0], (uint8_t)-95); /* -3 of 4 */
}

Test(fused_quant, what_is_not_asked_for_keeps_what_it_has)
{
    fill();
    finish(dynamic(false, vector(y[1], ACL_FLOAT, 1)), aclnnAddRmsNormDynamicQuant);
    cr_expect_eq(y[0][COLUMNS - 1], 127);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(y[1][i], 0xee);
    uint32_t bits;
    memcpy(&bits, scale[1], sizeof bits);
    cr_expect_eq(bits, 0xeeeeeeee);
}

/* 1 / rms of the first row is 1 / sqrt(5.5); INT4 are two to a byte, the low half first. */
Test(fused_quant, four_bits)
{
    int32_t offset = 1;
    float by = 0.5F;
    fill();
    finish(aclnnRmsNormQuantGetWorkspaceSize(
               matrix(x, ACL_FLOAT), vector(ones, ACL_FLOAT, COLUMNS),
               tensor(zeros, ACL_FLOAT, 2, 1, COLUMNS), vector(&by, ACL_FLOAT, 1),
               vector(&offset, ACL_INT32, 1), 0, matrix(y[0], ACL_INT4), &size, &executor),
           aclnnRmsNormQuant);
    for (int i = 0; i < COUNT; i++) {
        const int bits = y[0][i / 2] >> (i % 2 * 4) & 15, four = bits < 8 ? bits : bits - 16;
        cr_expect_eq(four, (int)lrintf(x[i] / sqrtf(5.5F) * 2 + 1), "%d: %d", i, four);
    }
    cr_expect_eq(y[0][COUNT / 2], 0xee);
}

Test(fused_quant, a_cast_in_the_memory_of_an_operand)
{
    static float rstd[ROWS], wide[COUNT];
    static aclFloat16 half[COUNT];
    fill();
    for (int i = 0; i < COUNT; i++)
        half[i] = aclFloatToFloat16(x[i]);
    aclTensor *operand = matrix(half, ACL_FLOAT16);
    finish(aclnnAddRmsNormCastGetWorkspaceSize(
               operand, matrix(x2, ACL_FLOAT), vector(ones, ACL_FLOAT, COLUMNS), 0,
               matrix(wide, ACL_FLOAT), operand, tensor(rstd, ACL_FLOAT, 2, ROWS, 1),
               matrix(sum, ACL_FLOAT), &size, &executor),
           aclnnAddRmsNormCast);
    for (int i = 0; i < COUNT; i++) {
        const float want = (x[i] + x2[i]) * rstd[i / COLUMNS];
        cr_expect_float_eq(wide[i], want, 1e-6);
        cr_expect_eq(half[i], aclFloatToFloat16(wide[i]));
        cr_expect_eq(sum[i], x[i] + x2[i]);
    }
    check_refused(aclnnAddRmsNormCastGetWorkspaceSize(operand, matrix(x2, ACL_FLOAT),
                                                      vector(ones, ACL_FLOAT, COLUMNS), 0, operand,
                                                      operand, tensor(rstd, ACL_FLOAT, 2, ROWS, 1),
                                                      matrix(sum, ACL_FLOAT), &size, &executor),
                  INVALID, "y1Out has data type");
}

static aclnnStatus masked(bool first, bool second, int smooth, aclTensor *to, aclTensor *other)
{
    aclTensor *of_ones = vector(ones, ACL_FLOAT, COLUMNS);
    return aclnnAddRmsNormDynamicQuantV2GetWorkspaceSize(
        matrix(x, ACL_FLOAT), matrix(x2, ACL_FLOAT), of_ones, smooth & 1 ? of_ones : NULL,
        smooth & 2 ? of_ones : NULL, NULL, 0, smooth & 4 ? NULL : mask_of(first, second), to, other,
        matrix(sum, ACL_FLOAT), to ? vector(scale[0], ACL_FLOAT, ROWS) : NULL,
        other ? vector(scale[1], ACL_FLOAT, ROWS) : NULL, &size, &executor);
}

Test(fused_quant, masks)
{
    aclTensor *eight = matrix(y[0], ACL_INT8), *four = matrix(y[1], ACL_INT4);
    aclTensor *packed = tensor(y[1], ACL_INT32, 2, ROWS, 1);
    fill();
    finish(masked(false, true, 0, NULL, packed), aclnnAddRmsNormDynamicQuantV2);
    cr_expect_eq(y[1][3] >> 4, 7);
    check_refused(masked(false, false, 0, eight, NULL), INVALID, "false twice");
    check_refused(masked(false, true, 1, NULL, eight), INVALID, "smoothScale1Optional is given");
    check_refused(masked(true, true, 0, eight, four), INVALID, "y2Out");
    check_refused(masked(true, false, 0, NULL, eight), NULLPTR, "y1Out is NULL");
    check_refused(masked(true, false, 6, eight, eight), INVALID, "smoothScale1Optional is NULL");
}

static aclnnStatus layer(const char *mode, int scales, int zero_points)
{
    aclTensor *one = vector(ones, ACL_FLOAT, COLUMNS);
    return aclnnAddLayerNormQuantGetWorkspaceSize(
        matrix(x, ACL_FLOAT), matrix(x2, ACL_FLOAT), one, one, NULL, scales & 1 ? one : NULL,
        scales & 2 ? one : NULL, zero_points & 1 ? one : NULL, zero_points & 2 ? one : NULL, mode,
        0.1, true, true, matrix(y[0], ACL_INT8), matrix(y[1], ACL_INT8), matrix(sum, ACL_FLOAT),
        vector(scale[0], ACL_FLOAT, ROWS), vector(scale[1], ACL_FLOAT, ROWS), &size, &executor);
}

/* CANN's table of what goes with what. */
Test(fused_quant, modes_of_the_layer_norm)
{
    for (int scales = 0; scales < 4; scales++)
        for (int zero_points = 0; zero_points < 4; zero_points++) {
            const bool is_right = scales == 1   ? zero_points <= 1
                                  : scales == 3 ? zero_points == 0 || zero_points == 3
                                                : false;
            const aclnnStatus status = layer("static", scales, zero_points);
            cr_expect_eq(status, is_right ? ACL_SUCCESS : INVALID, "%d %d", scales, zero_points);
            if (status == ACL_SUCCESS) aclDestroyAclOpExecutor(executor);
            const bool is_sound = scales != 2 && zero_points == 0;
            const aclnnStatus other = layer("dynamic", scales, zero_points);
            cr_expect_eq(other, is_sound ? ACL_SUCCESS : INVALID, "%d %d", scales, zero_points);
            if (other == ACL_SUCCESS) aclDestroyAclOpExecutor(executor);
        }
    check_refused(layer("dynamical", 1, 0), INVALID, "quantMode is \"dynamical\"");
    check_refused(layer(NULL, 1, 0), NULLPTR, "quantMode is NULL");
}

/* ---- activations ---- */

static int32_t groups[2];
static float factors[2] = {1, 2}, offsets[2] = {0, 10};

static aclnnStatus gate(const char *mode, int64_t list, aclDataType type, int64_t told)
{
    return aclnnSwiGluQuantV2GetWorkspaceSize(
        matrix(x, ACL_FLOAT), vector(factors, ACL_FLOAT, 2), vector(offsets, ACL_FLOAT, 2),
        vector(groups, ACL_INT32, 2), true, (char *)(uintptr_t)mode, list, told,
        tensor(y[0], type, 2, ROWS, COLUMNS / 2), vector(scale[0], ACL_FLOAT, ROWS), &size,
        &executor);
}

static float gated(int row, int j)
{
    const float a = x[row * COLUMNS + j], b = x[row * COLUMNS + COLUMNS / 2 + j];
    return a / (1 + expf(-a)) * b;
}

/* Row 0 is of group 0, row 1 of group 1, row 2 of none, which is quantized without factors. */
Test(fused_quant, groups_of_rows)
{
    for (int list = 0; list < 2; list++) {
        fill();
        groups[0] = 1, groups[1] = list == 0 ? 2 : 1;
        finish(gate("static", list, ACL_INT8, 2), aclnnSwiGluQuantV2);
        for (int i = 0; i < ROWS; i++) {
            cr_expect_eq(scale[0][i], 0);
            for (int j = 0; j < COLUMNS / 2; j++) {
                const float by = i == 1 ? 2 : 1, more = i == 1 ? 10 : 0;
                const float want = gated(i, j) * by + more;
                cr_expect_float_eq((int8_t)y[0][i * (COLUMNS / 2) + j], want, 0.501, "%d %d", i, j);
            }
        }
    }
    finish(gate(NULL, 1, ACL_INT4, 29), aclnnSwiGluQuantV2);
    float most = 0;
    for (int j = 0; j < COLUMNS / 2; j++)
        most = fmaxf(most, fabsf(gated(0, j)));
    for (int i = 0; i < ROWS; i++)
        cr_expect_float_eq(scale[0][i], 7 / (most * (i == 1 ? 2 : 1)), 1e-5, "%d", i);
    check_refused(gate("dynamic_msd", 0, ACL_INT8, 2), INVALID, "quantModeOptional is");
    check_refused(gate("static", 2, ACL_INT8, 2), INVALID, "groupListType is 2");
    check_refused(gate("static", 0, ACL_INT8, 29), INVALID, "dstType is 29");
    check_refused(gate("static", 0, ACL_INT32, 3), INVALID, "yOut has data type");
}

struct gelu {
    const char *approximate, *mode, *round;
    bool no_factor, no_scale;
};

static aclnnStatus gelu(const struct gelu *g)
{
    return aclnnGeluQuantGetWorkspaceSize(
        matrix(x, ACL_FLOAT), g->no_factor ? NULL : vector(ones, ACL_FLOAT, COLUMNS), NULL,
        g->approximate, g->mode, g->round, 2, matrix(y[0], ACL_INT8),
        g->no_scale ? NULL : vector(scale[0], ACL_FLOAT, ROWS), &size, &executor);
}

Test(fused_quant, texts_of_gelu)
{
    static const struct {
        struct gelu call;
        aclnnStatus code;
        const char *words;
    } wrongs[] = {
        {{"erf", "dynamic", "rint", false, false}, INVALID, "approximate is \"erf\""},
        {{NULL, "dynamic", "rint", false, false}, NULLPTR, "approximate is NULL"},
        {{"none", "either", "rint", false, false}, INVALID, "quantMode is \"either\""},
        {{"none", "dynamic", "round", false, false}, INVALID, "roundMode is \"round\""},
        {{"none", "dynamic", NULL, false, false}, NULLPTR, "roundMode is NULL"},
        {{"none", "static", "rint", true, true}, NULLPTR, "inputScaleOptional is NULL"},
        {{"none", "static", "rint", false, false}, INVALID, "outScaleOptional is given"},
        {{"none", "dynamic", "rint", false, true}, NULLPTR, "outScaleOptional is NULL"},
    };
    for (int i = 0; i < (int)(sizeof wrongs / sizeof *wrongs); i++)
        check_refused(gelu(&wrongs[i].call), wrongs[i].code, wrongs[i].words);
}

/* ---- prepared weights ---- */

/* What aclnnTransMatmulWeight leaves as it is, a client then calls FRACTAL_NZ; a storage shape of
 * four dimensions says nothing. */
Test(fused_quant, weights_that_were_prepared)
{
    static float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4];
    const int64_t sizes[] = {3, 2}, strides[] = {2, 1}, stored[] = {1, 1, 16, 16};
    aclTensor *weight =
        keep(aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_FRACTAL_NZ, stored, 4, b));
    finish(aclnnMatmulWeightNzGetWorkspaceSize(tensor(a, ACL_FLOAT, 2, 2, 3), weight,
                                               tensor(c, ACL_FLOAT, 2, 2, 2), 4, &size, &executor),
           aclnnMatmulWeightNz);
    cr_expect(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
    check_refused(aclnnMatmulWeightNzGetWorkspaceSize(tensor(a, ACL_FLOAT, 2, 2, 3), weight,
                                                      tensor(c, ACL_FLOAT, 2, 2, 2), 5, &size,
                                                      &executor),
                  INVALID, "cubeMathType is 5");
}

static aclnnStatus transposed(const int64_t *order, int32_t split, bool has_bias)
{
    static float a[6], b[6], c[4];
    const int64_t sizes[] = {1, 2, 3}, strides[] = {6, 3, 1}, others[] = {1, 3, 2};
    const int64_t other_strides[] = {6, 2, 1}, results[] = {2, 1, 2}, result_strides[] = {2, 2, 1};
    const int64_t own[] = {0, 1, 2}, rows_first[] = {1, 0, 2};
    aclTensor *left =
        keep(aclCreateTensor(sizes, 3, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 3, a));
    aclTensor *right =
        keep(aclCreateTensor(others, 3, ACL_FLOAT, other_strides, 0, ACL_FORMAT_ND, others, 3, b));
    aclTensor *out = keep(
        aclCreateTensor(results, 3, ACL_FLOAT, result_strides, 0, ACL_FORMAT_ND, results, 3, c));
    return aclnnTransposeBatchMatMulGetWorkspaceSize(
        left, right, has_bias ? vector(c, ACL_FLOAT, 2) : NULL, NULL, order_of(order),
        order_of(own), order_of(rows_first), 0, split, out, &size, &executor);
}

Test(fused_quant, orders_of_axes)
{
    static const int64_t own[] = {0, 1, 2}, wrong[] = {2, 1, 0};
    finish(transposed(own, 1, false), aclnnTransposeBatchMatMul);
    check_refused(transposed(NULL, 1, false), NULLPTR, "permX1 is NULL");
    check_refused(transposed(wrong, 1, false), INVALID, "permX1 is (2, 1, 0)");
    check_refused(transposed(own, 0, false), INVALID, "batchSplitFactor is 0");
    check_refused(transposed(own, 2, false), INVALID, "batchSplitFactor is 2");
    check_refused(transposed(own, 1, true), INVALID, "bias is given");
}

/* ---- products with functions ---- */

static aclnnStatus fused(const char *kind, bool has_bias, bool has_x3, aclDataType type)
{
    static float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, bias[2] = {1, -20};
    return aclnnFusedMatmulGetWorkspaceSize(
        tensor(a, ACL_FLOAT, 2, 2, 3), tensor(b, ACL_FLOAT, 2, 3, 2),
        has_bias ? vector(bias, ACL_FLOAT, 2) : NULL, has_x3 ? tensor(b, ACL_FLOAT, 2, 2, 2) : NULL,
        kind, 0, tensor(sum, type, 2, 2, 2), &size, &executor);
}

Test(fused_quant, functions_of_a_product)
{
    static const char *const plain[] = {"", "16cast32"};
    for (int i = 0; i < 2; i++) {
        finish(fused(plain[i], true, false, ACL_FLOAT), aclnnFusedMatmul);
        cr_expect(sum[0] == 5 && sum[1] == -15 && sum[2] == 11 && sum[3] == -9, "%s", plain[i]);
    }
    finish(fused("relu", true, false, ACL_FLOAT), aclnnFusedMatmul);
    cr_expect(sum[0] == 5 && sum[1] == 0 && sum[2] == 11 && sum[3] == 0);
    check_refused(fused("16cast32", false, false, ACL_FLOAT16), INVALID, "y has data type");
    check_refused(fused("tanh", false, false, ACL_FLOAT), INVALID, "fusedOpType is \"tanh\"");
    check_refused(fused(NULL, false, false, ACL_FLOAT), NULLPTR, "fusedOpType is NULL");
    check_refused(fused("add", false, false, ACL_FLOAT), NULLPTR, "x3 is NULL");
    check_refused(fused("relu", false, true, ACL_FLOAT), INVALID, "x3 is given");
    check_refused(fused("gelu_erf", true, false, ACL_FLOAT), INVALID, "bias is given");
}

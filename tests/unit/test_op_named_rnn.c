/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers that run by their names: values from the definition, gradients by differences,
 * what is refused. */
#include <math.h>

#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"

enum { TIMES = 3, BATCH = 2, INPUTS = 3, HIDDEN = 2, MOST = 256, TENSORS = 17 };

struct tensor {
    aclDataType type;
    int rank;
    int64_t sizes[4];
};

static const struct tensor none = {.type = ACL_DT_UNDEFINED};
static const struct tensor x = {ACL_FLOAT, 3, {TIMES, BATCH, INPUTS}};
static const struct tensor plane = {ACL_FLOAT, 3, {TIMES, BATCH, HIDDEN}};
static const struct tensor state = {ACL_FLOAT, 3, {1, BATCH, HIDDEN}};
static const struct tensor matrix = {ACL_FLOAT, 2, {INPUTS + HIDDEN, 4 * HIDDEN}};
static const struct tensor bias = {ACL_FLOAT, 1, {4 * HIDDEN}};
static const struct tensor gru_ih = {ACL_FLOAT, 2, {INPUTS, 3 * HIDDEN}};
static const struct tensor gru_hh = {ACL_FLOAT, 2, {HIDDEN, 3 * HIDDEN}};
static const struct tensor gru_bias = {ACL_FLOAT, 1, {3 * HIDDEN}};

static aclrtStream stream;
static float *memory[2][TENSORS];

static void begin(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < TENSORS; i++) {
            cr_assert_eq(aclrtMalloc((void **)&memory[side][i], MOST, ACL_MEM_MALLOC_NORMAL_ONLY),
                         ACL_SUCCESS);
            for (int j = 0; j < (int)(MOST / sizeof(float)); j++)
                memory[side][i][j] = (float)sin(1.7 * j + 2.3 * i + 5 * side) * 0.8F;
        }
    }
}

TestSuite(op_named_rnn, .init = begin);

static aclopAttr *attributes(const char *gate_order)
{
    aclopAttr *attr = aclopCreateAttr();
    if (gate_order) cr_assert_eq(aclopSetAttrString(attr, "gate_order", gate_order), ACL_SUCCESS);
    cr_assert_eq(aclopSetAttrBool(attr, "time_major", 1), ACL_SUCCESS);
    cr_assert_eq(aclopSetAttrFloat(attr, "cell_clip", -1), ACL_SUCCESS);
    return attr;
}

struct call {
    const char *name;
    int counts[2];
    aclTensorDesc *descs[2][TENSORS];
    aclDataBuffer *buffers[2][TENSORS];
    aclopAttr *attr;
};

static void make(struct call *call, const char *name, const char *gate_order, int inputs,
                 const struct tensor *const *in, int outputs, const struct tensor *const *out)
{
    *call = (struct call){.name = name, .counts = {inputs, outputs}};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < call->counts[side]; i++) {
            const struct tensor *tensor = side == 0 ? in[i] : out[i];
            call->descs[side][i] =
                aclCreateTensorDesc(tensor->type, tensor->rank, tensor->sizes, ACL_FORMAT_ND);
            call->buffers[side][i] = aclCreateDataBuffer(memory[side][i], MOST);
        }
    }
    call->attr = attributes(gate_order);
    aclGetRecentErrMsg();
}

static aclError launch(struct call *call)
{
    return aclopCompileAndExecuteV2(call->name, call->counts[0], call->descs[0], call->buffers[0],
                                    call->counts[1], call->descs[1], call->buffers[1], call->attr,
                                    ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

static void destroy(struct call *call)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < call->counts[side]; i++) {
            aclDestroyTensorDesc(call->descs[side][i]);
            aclDestroyDataBuffer(call->buffers[side][i]);
        }
    }
    aclopDestroyAttr(call->attr);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

static aclError run(const char *name, const char *gate_order, int inputs,
                    const struct tensor *const *in, int outputs, const struct tensor *const *out)
{
    struct call call;
    make(&call, name, gate_order, inputs, in, outputs, out);
    const aclError status = launch(&call);
    destroy(&call);
    return status;
}

/* ---- LSTM ---- */

static const struct tensor *const lstm_in[] = {&x, &matrix, &bias, &none, &state, &state};
static const struct tensor *const lstm_out[] = {&plane, &plane, &plane, &plane,
                                                &plane, &plane, &plane, &plane};

static double sigmoid(double value)
{
    return 1 / (1 + exp(-value));
}

/* A gate's sum, from the matrix as the operator takes it. */
static double gate_of(const float *row, const double *h, int gate, int unit)
{
    const int column = gate * HIDDEN + unit;
    double sum = memory[0][2][column];
    for (int i = 0; i < INPUTS; i++)
        sum += (double)row[i] * memory[0][1][i * 4 * HIDDEN + column];
    for (int i = 0; i < HIDDEN; i++)
        sum += h[i] * memory[0][1][(INPUTS + i) * 4 * HIDDEN + column];
    return sum;
}

/* h of all times, row after row. */
static void lstm_by_hand(double result[TIMES][BATCH][HIDDEN])
{
    for (int b = 0; b < BATCH; b++) {
        double h[HIDDEN], c[HIDDEN], next[HIDDEN];
        for (int i = 0; i < HIDDEN; i++) {
            h[i] = memory[0][4][b * HIDDEN + i];
            c[i] = memory[0][5][b * HIDDEN + i];
        }
        for (int t = 0; t < TIMES; t++) {
            const float *row = &memory[0][0][(t * BATCH + b) * INPUTS];
            for (int i = 0; i < HIDDEN; i++) {
                c[i] = sigmoid(gate_of(row, h, 1, i)) * c[i] +
                       sigmoid(gate_of(row, h, 0, i)) * tanh(gate_of(row, h, 2, i));
                next[i] = sigmoid(gate_of(row, h, 3, i)) * tanh(c[i]);
            }
            for (int i = 0; i < HIDDEN; i++)
                result[t][b][i] = h[i] = next[i];
        }
    }
}

Test(op_named_rnn, lstm_is_its_definition)
{
    double expected[TIMES][BATCH][HIDDEN];
    lstm_by_hand(expected);
    cr_assert_eq(run("DynamicRNN", "ifjo", 6, lstm_in, 8, lstm_out), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    for (int i = 0; i < TIMES * BATCH * HIDDEN; i++) {
        cr_expect_float_eq(memory[1][0][i], (&expected[0][0][0])[i], 1e-6, "y[%d]", i);
        cr_expect_eq(memory[1][1][i], memory[1][0][i], "h[%d]", i);
    }
}

/* The sum of all h, which has gradients of ones. */
static double sum_of_lstm(void)
{
    double all[TIMES][BATCH][HIDDEN], sum = 0;
    lstm_by_hand(all);
    for (int i = 0; i < TIMES * BATCH * HIDDEN; i++)
        sum += (&all[0][0][0])[i];
    return sum;
}

static void expect_gradient(const char *name, float *of, const float *gradient, int count)
{
    for (int i = 0; i < count; i++) {
        const float kept = of[i];
        of[i] = kept + 0.0078125F;
        const double above = sum_of_lstm();
        of[i] = kept - 0.0078125F;
        const double below = sum_of_lstm();
        of[i] = kept;
        cr_expect_float_eq(gradient[i], (above - below) / 0.015625, 1e-4, "%s[%d]", name, i);
    }
}

Test(op_named_rnn, lstm_has_its_gradients)
{
    /* x, w, b, y, h0, c0, h, c, dy, dh, dc, i, j, f, o, tanh(c) from the call before */
    static const struct tensor *const in[] = {&x,     &matrix, &bias,  &plane, &state, &state,
                                              &plane, &plane,  &plane, &state, &state, &plane,
                                              &plane, &plane,  &plane, &plane};
    static const struct tensor *const out[] = {&matrix, &bias, &x, &state, &state};
    static const int from[] = {1, 2, 3, 4, 5, 6, 7}, to[] = {6, 7, 11, 12, 13, 14, 15};
    cr_assert_eq(run("DynamicRNN", "ifjo", 6, lstm_in, 8, lstm_out), ACL_SUCCESS);
    for (int i = 0; i < 7; i++)
        memcpy(memory[0][to[i]], memory[1][from[i]], MOST);
    for (int i = 0; i < (int)(MOST / sizeof(float)); i++) {
        memory[0][8][i] = 1;
        memory[0][9][i] = memory[0][10][i] = 0;
    }
    cr_assert_eq(run("DynamicRNNGrad", "ifjo", 16, in, 5, out), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    expect_gradient("w", memory[0][1], memory[1][0], (INPUTS + HIDDEN) * 4 * HIDDEN);
    expect_gradient("b", memory[0][2], memory[1][1], 4 * HIDDEN);
    expect_gradient("x", memory[0][0], memory[1][2], TIMES * BATCH * INPUTS);
    expect_gradient("h0", memory[0][4], memory[1][3], BATCH * HIDDEN);
    expect_gradient("c0", memory[0][5], memory[1][4], BATCH * HIDDEN);
}

/* ---- GRU ---- */

Test(op_named_rnn, gru_is_its_definition)
{
    static const struct tensor *const in[] = {&x,        &gru_ih, &gru_hh, &gru_bias,
                                              &gru_bias, &none,   &state};
    static const struct tensor *const out[] = {&plane, &plane, &plane, &plane, &plane, &plane};
    double h[HIDDEN], sums[2][3 * HIDDEN];
    cr_assert_eq(run("DynamicGRUV2", "rzh", 7, in, 6, out), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    for (int b = 0; b < BATCH; b++) {
        for (int i = 0; i < HIDDEN; i++)
            h[i] = memory[0][6][b * HIDDEN + i];
        for (int t = 0; t < TIMES; t++) {
            for (int g = 0; g < 3 * HIDDEN; g++) {
                sums[0][g] = memory[0][3][g];
                sums[1][g] = memory[0][4][g];
                for (int i = 0; i < INPUTS; i++)
                    sums[0][g] += (double)memory[0][0][(t * BATCH + b) * INPUTS + i] *
                                  memory[0][1][i * 3 * HIDDEN + g];
                for (int i = 0; i < HIDDEN; i++)
                    sums[1][g] += h[i] * memory[0][2][i * 3 * HIDDEN + g];
            }
            for (int i = 0; i < HIDDEN; i++) {
                const double r = sigmoid(sums[0][i] + sums[1][i]);
                const double z = sigmoid(sums[0][HIDDEN + i] + sums[1][HIDDEN + i]);
                const double n = tanh(sums[0][2 * HIDDEN + i] + r * sums[1][2 * HIDDEN + i]);
                const int at = (t * BATCH + b) * HIDDEN + i;
                h[i] = (1 - z) * n + z * h[i];
                cr_expect_float_eq(memory[1][0][at], h[i], 1e-6, "y[%d]", at);
                cr_expect_float_eq(memory[1][2][at], z, 1e-6, "z[%d]", at);
                cr_expect_float_eq(memory[1][3][at], r, 1e-6, "r[%d]", at);
            }
        }
    }
}

/* ---- refusals ---- */

static void expect_no_layer(const char *gate_order, int at, const struct tensor *instead,
                            aclError code, const char *fragment)
{
    const struct tensor *in[6];
    memcpy(in, lstm_in, sizeof in);
    if (at >= 0) in[at] = instead;
    memory[1][0][0] = 42;
    cr_expect_eq(run("DynamicRNN", gate_order, 6, in, 8, lstm_out), code);
    expect_text("aclopCompileAndExecuteV2()", fragment);
    cr_expect_eq(memory[1][0][0], 42, "%s: has written", fragment);
}

Test(op_named_rnn, what_is_not_that_layer_is_refused)
{
    static const struct tensor wide = {ACL_FLOAT, 2, {INPUTS + HIDDEN + 1, 4 * HIDDEN}};
    static const struct tensor half = {ACL_FLOAT16, 3, {1, BATCH, HIDDEN}};
    static const struct tensor no_time = {ACL_FLOAT, 3, {0, BATCH, INPUTS}};
    static const struct tensor large = {ACL_FLOAT, 3, {TIMES, BATCH, 1000}};
    const aclError bad = ACL_ERROR_INVALID_PARAM, unsupported = ACL_ERROR_API_NOT_SUPPORT;
    expect_no_layer("ijfo", -1, NULL, unsupported, "attribute gate_order is \"ijfo\"");
    expect_no_layer(NULL, -1, NULL, unsupported, "attribute gate_order is not set");
    expect_no_layer("ifjo", 1, &wide, bad, "inputs[1] is FLOAT[6,8]; it must be (5, 8)");
    expect_no_layer("ifjo", 1, &none, bad, "inputs[1] is UNDEFINED[]; it must be there");
    expect_no_layer("ifjo", 3, &plane, bad, "sequences have one length");
    expect_no_layer("ifjo", 0, &no_time, bad, "it must have a time");
    expect_no_layer("ifjo", 0, &large, bad, "inputs[0] has a buffer of 256 bytes");

    const struct tensor *in[6];
    memcpy(in, lstm_in, sizeof in);
    in[4] = &half;
    cr_expect_eq(run("DynamicRNN", "ifjo", 6, in, 8, lstm_out), ACLNN_ERR_PARAM_INVALID);
    cr_expect_not_null(strstr(aclGetRecentErrMsg(), "aclnnLSTM: hx has data type"));
}

Test(op_named_rnn, no_memory_is_an_error_and_no_crash)
{
    aclError status = ACL_ERROR_BAD_ALLOC;
    struct call call;
    int failures = 0;
    make(&call, "DynamicRNN", "ifjo", 6, lstm_in, 8, lstm_out);
    while (status != ACL_SUCCESS) {
        cr_assert_lt(failures, 1000);
        rt_alloc_fail_at(failures + 1);
        status = launch(&call);
        rt_alloc_fail_at(0);
        if (status != ACL_SUCCESS) failures++;
    }
    cr_expect_gt(failures, 20);
    destroy(&call);
}

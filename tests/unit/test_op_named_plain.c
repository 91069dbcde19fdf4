/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that are an aclnn function by another name: which argument is which, and what is
 * refused. */
#include <math.h>

#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"

enum { MOST = 2048, VALUES = MOST / sizeof(float), TENSORS = 3, RESULTS = 2 };

struct tensor {
    int rank;
    int64_t sizes[4];
    aclDataType type;        /* FLOAT is 0 */
    const int64_t *constant; /* contents of an INT64 one */
};

#define OF(kind, ...)                                                                              \
    {                                                                                              \
        .rank = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .sizes = {__VA_ARGS__}, \
        .type = (kind)                                                                             \
    }
#define FLOATS(...) OF(ACL_FLOAT, __VA_ARGS__)
#define TOLD(contents, kind, ...)                                                                  \
    {                                                                                              \
        .rank = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .sizes = {__VA_ARGS__}, \
        .type = (kind), .constant = (contents)                                                     \
    }

static aclrtStream stream;
static int fails_at; /* the allocation that fails, 0: none */
static float *memory[TENSORS], *result[RESULTS];

static void begin(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int i = 0; i < RESULTS; i++)
        cr_assert_eq(aclrtMalloc((void **)&result[i], MOST, ACL_MEM_MALLOC_NORMAL_ONLY),
                     ACL_SUCCESS);
    for (int i = 0; i < TENSORS; i++) {
        cr_assert_eq(aclrtMalloc((void **)&memory[i], MOST, ACL_MEM_MALLOC_NORMAL_ONLY),
                     ACL_SUCCESS);
        for (int j = 0; j < (int)VALUES; j++)
            memory[i][j] = (float)sin(1.7 * j + 2.3 * i) * 1.4F;
    }
}

TestSuite(op_named_plain, .init = begin);

struct call {
    const char *name;
    int inputs, outputs;
    struct tensor in[TENSORS], out[RESULTS];
    aclopAttr *attr;
};

static aclTensorDesc *describe(const struct tensor *tensor)
{
    aclTensorDesc *desc =
        aclCreateTensorDesc(tensor->type, tensor->rank, tensor->sizes, ACL_FORMAT_ND);
    cr_assert_not_null(desc);
    if (tensor->constant) {
        cr_assert_eq(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST), ACL_SUCCESS);
        cr_assert_eq(aclSetTensorConst(desc, (void *)tensor->constant, aclGetTensorDescSize(desc)),
                     ACL_SUCCESS);
    }
    return desc;
}

static aclError launch(const struct call *call)
{
    aclTensorDesc *in[TENSORS], *out[RESULTS];
    aclDataBuffer *data[TENSORS], *to[RESULTS];
    for (int i = 0; i < call->inputs; i++) {
        in[i] = describe(&call->in[i]);
        data[i] = aclCreateDataBuffer(memory[i], MOST);
    }
    for (int i = 0; i < call->outputs; i++) {
        out[i] = describe(&call->out[i]);
        to[i] = aclCreateDataBuffer(result[i], MOST);
        memset(result[i], 0x55, MOST);
    }
    aclGetRecentErrMsg();
    rt_alloc_fail_at(fails_at);
    const aclError status =
        aclopCompileAndExecuteV2(call->name, call->inputs, in, data, call->outputs, out, to,
                                 call->attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    rt_alloc_fail_at(0);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < call->inputs; i++) {
        aclDestroyTensorDesc(in[i]);
        aclDestroyDataBuffer(data[i]);
    }
    for (int i = 0; i < call->outputs; i++) {
        aclDestroyTensorDesc(out[i]);
        aclDestroyDataBuffer(to[i]);
    }
    return status;
}

static void run(const struct call *call)
{
    cr_assert_eq(launch(call), ACL_SUCCESS, "%s: %s", call->name, aclGetRecentErrMsg());
    aclopDestroyAttr(call->attr);
}

static void expect_values(const char *name, const float *got, int count, const double *want)
{
    for (int i = 0; i < count; i++)
        cr_expect_float_eq(got[i], want[i], 1e-6 * (1 + fabs(want[i])),
                           "%s, element %d: %g, not %g", name, i, (double)got[i], want[i]);
    cr_expect_eq(((const unsigned char *)got)[count * 4], 0x55, "%s", name);
}

/* ---- activations ---- */

static double swish(double x, double by)
{
    return x / (1 + exp(-by * x));
}

static double mish(double x, double by)
{
    (void)by;
    return x * tanh(log1p(exp(x)));
}

static double fast_gelu(double x, double by)
{
    (void)by;
    return x / (1 + exp(-1.702 * x));
}

static double slope(double (*f)(double, double), double x, double by)
{
    return (f(x + 1e-5, by) - f(x - 1e-5, by)) / 2e-5;
}

static void expect_activation(const char *name, const char *grad, double (*f)(double, double),
                              double by, aclopAttr *attr, aclopAttr *grad_attr)
{
    const struct tensor shape = FLOATS(4, 5);
    double want[20];
    for (int i = 0; i < 20 && name; i++)
        want[i] = f(memory[0][i], by);
    if (name) run(&(struct call){name, 1, 1, {shape}, {shape}, attr});
    if (name) expect_values(name, result[0], 20, want);
    for (int i = 0; i < 20; i++)
        want[i] = memory[0][i] * slope(f, memory[1][i], by);
    run(&(struct call){grad, 3, 1, {shape, shape, shape}, {shape}, grad_attr});
    expect_values(grad, result[0], 20, want);
}

static aclopAttr *scale(float value)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrFloat(attr, "scale", value), ACL_SUCCESS);
    return attr;
}

Test(op_named_plain, activations)
{
    expect_activation("Swish", "SwishGrad", swish, 1, NULL, NULL);
    expect_activation("Swish", "SwishGrad", swish, 0.5, scale(0.5F), scale(0.5F));
    expect_activation(NULL, "SiluGrad", swish, 1, NULL, NULL);
    expect_activation("Mish", "MishGrad", mish, 1, NULL, NULL);
    expect_activation("FastGelu", "FastGeluGrad", fast_gelu, 1, NULL, NULL);
}

/* ---- rows ---- */

Test(op_named_plain, masked_softmax)
{
    const struct tensor x = FLOATS(1, 1, 2, 4), mask = OF(ACL_BOOL, 1, 1, 2, 4);
    unsigned char *flags = (unsigned char *)memory[1];
    double want[8];
    for (int i = 0; i < 8; i++)
        flags[i] = i % 3 == 0;
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        for (int i = row * 4; i < row * 4 + 4; i++)
            sum += want[i] = flags[i] ? 0 : exp(0.5 * memory[0][i]);
        for (int i = row * 4; i < row * 4 + 4; i++)
            want[i] /= sum;
    }
    run(&(struct call){"ScaledMaskedSoftmax", 2, 1, {x, mask}, {x}, scale(0.5F)});
    expect_values("ScaledMaskedSoftmax", result[0], 8, want);
    memcpy(memory[1], result[0], 8 * sizeof(float));
    memcpy(memory[2], (const unsigned char[8]){1, 0, 0, 1, 0, 0, 1, 0}, 8);
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        for (int i = row * 4; i < row * 4 + 4; i++)
            sum += (double)memory[0][i] * memory[1][i];
        for (int i = row * 4; i < row * 4 + 4; i++)
            want[i] = 0.5 * memory[1][i] * (memory[0][i] - sum);
    }
    run(&(struct call){"ScaledMaskedSoftmaxGrad", 3, 1, {x, x, mask}, {x}, scale(0.5F)});
    expect_values("ScaledMaskedSoftmaxGrad", result[0], 8, want);
}

Test(op_named_plain, softmax_and_labels)
{
    const struct tensor x = FLOATS(2, 3);
    double loss[2] = {0}, back[6];
    for (int row = 0; row < 2; row++) {
        double sum = 0;
        for (int i = row * 3; i < row * 3 + 3; i++)
            sum += exp(memory[0][i]);
        for (int i = row * 3; i < row * 3 + 3; i++) {
            memory[1][i] = i % 3 == row;
            back[i] = exp(memory[0][i]) / sum - memory[1][i];
            loss[row] -= memory[1][i] * (memory[0][i] - log(sum));
        }
    }
    run(&(struct call){
        "SoftmaxCrossEntropyWithLogits", 2, 2, {x, x}, {FLOATS(2), x}, aclopCreateAttr()});
    expect_values("loss", result[0], 2, loss);
    expect_values("backprop", result[1], 6, back);
}

Test(op_named_plain, extremes_and_their_places)
{
    for (int is_least = 0; is_least < 2; is_least++) {
        aclopAttr *attr = aclopCreateAttr();
        cr_assert_eq(aclopSetAttrInt(attr, "dimension", 1), ACL_SUCCESS);
        cr_assert_eq(aclopSetAttrBool(attr, "keep_dims", 1), ACL_SUCCESS);
        run(&(struct call){is_least ? "ArgMinWithValue" : "ArgMaxWithValue",
                           1,
                           2,
                           {FLOATS(2, 4, 3)},
                           {OF(ACL_INT32, 2, 1, 3), FLOATS(2, 1, 3)},
                           attr});
        for (int i = 0; i < 6; i++) {
            int best = 0;
            for (int j = 1; j < 4; j++) {
                const float one = memory[0][i / 3 * 12 + j * 3 + i % 3];
                const float other = memory[0][i / 3 * 12 + best * 3 + i % 3];
                if (is_least ? one < other : one > other) best = j;
            }
            cr_expect_eq(((int32_t *)result[0])[i], best);
            cr_expect_eq(result[1][i], memory[0][i / 3 * 12 + best * 3 + i % 3]);
        }
    }
}

/* ---- products, boxes ---- */

Test(op_named_plain, batches_of_products)
{
    for (int way = 0; way < 4; way++) {
        const bool a_turned = way & 1, b_turned = way & 2;
        aclopAttr *attr = aclopCreateAttr();
        double want[2 * 3 * 5] = {0};
        cr_assert_eq(aclopSetAttrBool(attr, "adj_x1", a_turned), ACL_SUCCESS);
        cr_assert_eq(aclopSetAttrBool(attr, "adj_x2", b_turned), ACL_SUCCESS);
        for (int i = 0; i < 30; i++) {
            const int batch = i / 15, row = i / 5 % 3, column = i % 5;
            for (int k = 0; k < 4; k++)
                want[i] += (double)memory[0][batch * 12 + (a_turned ? k * 3 + row : row * 4 + k)] *
                           memory[1][batch * 20 + (b_turned ? column * 4 + k : k * 5 + column)];
        }
        run(&(struct call){
            "BatchMatMul",
            2,
            1,
            {a_turned ? (struct tensor)FLOATS(1, 2, 4, 3) : (struct tensor)FLOATS(1, 2, 3, 4),
             b_turned ? (struct tensor)FLOATS(1, 2, 5, 4) : (struct tensor)FLOATS(1, 2, 4, 5)},
            {FLOATS(1, 2, 3, 5)},
            attr});
        expect_values("BatchMatMul", result[0], 30, want);
    }
}

static double overlap(const float *box, const float *truth, double eps, bool is_iof)
{
    double common = 1, area[2] = {1, 1};
    for (int axis = 0; axis < 2; axis++) {
        const double begin = fmax(box[axis], truth[axis]),
                     end = fmin(box[axis + 2], truth[axis + 2]);
        common *= fmax(end - begin + eps, 0);
        area[0] *= box[axis + 2] - box[axis] + eps;
        area[1] *= truth[axis + 2] - truth[axis] + eps;
    }
    return common / (is_iof ? area[1] : area[0] + area[1] - common);
}

Test(op_named_plain, boxes)
{
    static const float boxes[2][3][4] = {{{0, 0, 10, 10}, {10, 10, 20, 20}, {32, 32, 38, 42}},
                                         {{0, 0, 10, 20}, {12, 10, 24, 20}}};
    for (int is_iof = 0; is_iof < 2; is_iof++) {
        aclopAttr *attr = aclopCreateAttr();
        double want[6];
        memcpy(memory[0], boxes[0], sizeof boxes[0]);
        memcpy(memory[1], boxes[1], sizeof boxes[1]);
        cr_assert_eq(aclopSetAttrString(attr, "mode", is_iof ? "iof" : "iou"), ACL_SUCCESS);
        cr_assert_eq(aclopSetAttrFloat(attr, "eps", 0.01F), ACL_SUCCESS);
        for (int i = 0; i < 6; i++)
            want[i] = overlap(boxes[0][i % 3], boxes[1][i / 3], 0.01F, is_iof);
        run(&(struct call){"Iou", 2, 1, {FLOATS(3, 4), FLOATS(2, 4)}, {FLOATS(2, 3)}, attr});
        expect_values("Iou", result[0], 6, want);
    }
}

/* ---- moves ---- */

Test(op_named_plain, moves)
{
    const int64_t order[] = {2, 0, 1}, shape[] = {2, 3, 4}, pads[] = {1, 0, 0, 2}, ends[] = {2, -1};
    const int64_t begins[] = {1, 2};
    double want[48];
    for (int i = 0; i < 24; i++)
        want[i] = memory[0][i / 6 + i / 3 % 2 * 12 + i % 3 * 4];
    run(&(struct call){
        "Transpose", 2, 1, {FLOATS(2, 3, 4), TOLD(order, ACL_INT64, 3)}, {FLOATS(4, 2, 3)}, NULL});
    expect_values("Transpose", result[0], 24, want);
    for (int i = 0; i < 24; i++)
        want[i] = memory[0][i / 4 % 3];
    run(&(struct call){
        "BroadcastTo", 2, 1, {FLOATS(3, 1), TOLD(shape, ACL_INT64, 3)}, {FLOATS(2, 3, 4)}, NULL});
    expect_values("BroadcastTo", result[0], 24, want);
    for (int i = 0; i < 15; i++)
        want[i] = i / 5 >= 1 && i % 5 < 3 ? memory[0][(i / 5 - 1) * 3 + i % 5] : 0;
    run(&(struct call){
        "Pad", 2, 1, {FLOATS(2, 3), TOLD(pads, ACL_INT64, 2, 2)}, {FLOATS(3, 5)}, NULL});
    expect_values("Pad", result[0], 15, want);
    for (int i = 0; i < 6; i++)
        want[i] = memory[0][(i / 3 + 1) * 5 + i % 3 + 2];
    run(&(struct call){"Slice",
                       3,
                       1,
                       {FLOATS(4, 5), TOLD(begins, ACL_INT64, 2), TOLD(ends, ACL_INT64, 2)},
                       {FLOATS(2, 3)},
                       NULL});
    expect_values("Slice", result[0], 6, want);
    for (int is_first = 0; is_first < 2; is_first++) {
        aclopAttr *attr = aclopCreateAttr();
        const int64_t perm[] = {1, 0}, sizes[] = {3, 4};
        cr_assert_eq(aclopSetAttrListInt(attr, "perm", 2, perm), ACL_SUCCESS);
        cr_assert_eq(aclopSetAttrListInt(attr, "shape", 2, sizes), ACL_SUCCESS);
        cr_assert_eq(aclopSetAttrBool(attr, "transpose_first", (uint8_t)is_first), ACL_SUCCESS);
        for (int i = 0; i < 12; i++)
            want[i] = memory[0][is_first ? i % 2 * 6 + i / 2 : i % 3 * 4 + i / 3];
        run(&(struct call){"ConfusionTransposeD",
                           1,
                           1,
                           {FLOATS(2, 6)},
                           {is_first ? (struct tensor)FLOATS(3, 4) : (struct tensor)FLOATS(4, 3)},
                           attr});
        expect_values("ConfusionTransposeD", result[0], 12, want);
    }
}

/* As torch_npu gives them: on the host, INT32 or INT64, and not told. */
Test(op_named_plain, numbers_on_the_host)
{
    const int64_t x_sizes[] = {2, 3}, y_sizes[] = {3, 2}, two = 2;
    int32_t narrow[] = {1, 0};
    int64_t wide[] = {1, 0};
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        for (size_t missing = 0; missing < 2; missing++) {
            const size_t bytes = (is_wide ? sizeof wide : sizeof narrow) - missing;
            aclTensorDesc *in[] = {
                aclCreateTensorDesc(ACL_FLOAT, 2, x_sizes, ACL_FORMAT_ND),
                aclCreateTensorDesc(is_wide ? ACL_INT64 : ACL_INT32, 1, &two, ACL_FORMAT_ND)};
            aclTensorDesc *out[] = {aclCreateTensorDesc(ACL_FLOAT, 2, y_sizes, ACL_FORMAT_ND)};
            aclDataBuffer *data[] = {
                aclCreateDataBuffer(memory[0], MOST),
                aclCreateDataBuffer(is_wide ? (void *)wide : (void *)narrow, bytes)};
            aclDataBuffer *to[] = {aclCreateDataBuffer(result[0], MOST)};
            cr_assert_eq(aclSetTensorPlaceMent(in[1], ACL_MEMTYPE_HOST), ACL_SUCCESS);
            const aclError status =
                aclopExecuteV2("Transpose", 2, in, data, 1, out, to, NULL, stream);
            cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
            cr_expect_eq(status, missing ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS);
            for (int i = 0; i < 6 && !missing; i++)
                cr_expect_eq(result[0][i], memory[0][i % 2 * 3 + i / 2]);
            for (int i = 0; i < 2; i++) {
                aclDestroyTensorDesc(in[i]);
                aclDestroyDataBuffer(data[i]);
            }
            aclDestroyTensorDesc(out[0]);
            aclDestroyDataBuffer(to[0]);
        }
    }
}

/* ---- refusals ---- */

static void expect_refusal(const struct call *call, aclError code, const char *fragment)
{
    cr_expect_eq(launch(call), code, "%s: %s", call->name, fragment);
    const char *text = aclGetRecentErrMsg();
    cr_expect(text && strstr(text, fragment), "%s: no \"%s\" in: %s", call->name, fragment, text);
    cr_expect_eq(((unsigned char *)result[0])[0], 0x55, "%s has written", call->name);
    aclopDestroyAttr(call->attr);
}

static aclopAttr *text(const char *name, const char *value)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrString(attr, name, value), ACL_SUCCESS);
    return attr;
}

Test(op_named_plain, unsound_calls_are_refused)
{
    const aclError bad = ACL_ERROR_INVALID_PARAM, invalid = ACLNN_ERR_PARAM_INVALID;
    const struct tensor two = FLOATS(2, 3), other = FLOATS(3, 2), four = FLOATS(2, 4);
    const int64_t numbers[] = {0, 3, 5};
    const struct tensor pair = TOLD(numbers, ACL_INT64, 2), none = OF(ACL_INT64, 2);
    const struct tensor three = TOLD(numbers, ACL_INT64, 3), real = TOLD(numbers, ACL_FLOAT, 2);
    expect_refusal(&(struct call){"Mish", 0, 1, {two}, {two}, NULL}, bad,
                   "Mish has 0 inputs and 1 outputs; it must have 1 and 1");
    expect_refusal(&(struct call){"Mish", 1, 1, {two}, {other}, NULL}, invalid, "out");
    expect_refusal(&(struct call){"Swish", 1, 1, {two}, {two}, text("scale", "big")}, bad,
                   "attribute scale is \"big\"; it must be a number");
    expect_refusal(
        &(struct call){
            "ArgMaxWithValue", 1, 2, {two}, {OF(ACL_INT32, 3), FLOATS(3)}, text("dimension", "x")},
        bad, "attribute dimension is \"x\"; it must be an integer");
    expect_refusal(&(struct call){"BatchMatMul", 2, 1, {two, other}, {two}, NULL}, bad,
                   "inputs[0] is FLOAT[2,3]; it must have 3 dimensions");
    expect_refusal(&(struct call){"Iou", 2, 1, {four, four}, {FLOATS(2, 2)}, text("mode", "giou")},
                   bad, "attribute mode is \"giou\"; it must be iou or iof");
    expect_refusal(&(struct call){"Transpose", 2, 1, {two, none}, {other}, NULL}, bad,
                   "inputs[1] is INT64[2]; its contents must be constant, or lie on the host");
    expect_refusal(&(struct call){"Transpose", 2, 1, {two, real}, {other}, NULL}, bad,
                   "it must be INT64 or INT32");
    expect_refusal(&(struct call){"Transpose", 2, 1, {two, pair}, {other}, NULL}, invalid, "dims");
    expect_refusal(&(struct call){"Pad", 2, 1, {two, three}, {two}, NULL}, bad,
                   "it must have two numbers for each dimension");
    expect_refusal(&(struct call){"Slice", 3, 1, {two, three, pair}, {two}, NULL}, bad,
                   "it must have a number for each dimension");
    expect_refusal(&(struct call){"Slice", 3, 1, {two, pair, pair}, {two}, NULL}, bad,
                   "its numbers must end inside of the dimensions");
    expect_refusal(&(struct call){"ConfusionTransposeD", 1, 1, {two}, {other}, NULL}, bad,
                   "attribute perm is not set; it must be a list");
}

Test(op_named_plain, no_memory_is_an_error_and_no_crash)
{
    const int64_t numbers[] = {1, 0};
    const struct tensor two = FLOATS(2, 3), other = FLOATS(3, 2),
                        pair = TOLD(numbers, ACL_INT64, 2);
    struct call calls[] = {
        {"Swish", 1, 1, {two}, {two}, NULL},
        {"Transpose", 2, 1, {two, pair}, {other}, NULL},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        aclError status = ACL_ERROR_BAD_ALLOC;
        for (fails_at = 1; status != ACL_SUCCESS; fails_at++) {
            cr_assert_lt(fails_at, 1000);
            status = launch(&calls[i]);
        }
        cr_expect_gt(fails_at, 4, "%s", calls[i].name);
    }
}

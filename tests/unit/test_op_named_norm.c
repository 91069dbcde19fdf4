/* SPDX-License-Identifier: Apache-2.0 */
/* Norms and the gradient of distances by their names: values from the definition, what is refused.
 */
#include <limits.h>
#include <math.h>

#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"

enum { MOST = 4096, VALUES = MOST / sizeof(float), TENSORS = 4 };

struct tensor {
    int rank;
    int64_t sizes[5];
    aclDataType type; /* FLOAT is 0 */
};

#define OF(kind, ...)                                                                              \
    {                                                                                              \
        .rank = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .sizes = {__VA_ARGS__}, \
        .type = (kind)                                                                             \
    }
#define FLOATS(...) OF(ACL_FLOAT, __VA_ARGS__)
#define SCALAR                                                                                     \
    {                                                                                              \
        .rank = 0                                                                                  \
    }

static aclrtStream stream;
static float *memory[TENSORS], *result;

static void begin(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc((void **)&result, MOST, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    for (int i = 0; i < TENSORS; i++) {
        cr_assert_eq(aclrtMalloc((void **)&memory[i], MOST, ACL_MEM_MALLOC_NORMAL_ONLY),
                     ACL_SUCCESS);
        for (int j = 0; j < (int)VALUES; j++)
            memory[i][j] = (float)sin(1.7 * j + 2.3 * i) * 1.4F;
    }
}

TestSuite(op_named_norm, .init = begin);

struct call {
    const char *name;
    int inputs;
    struct tensor in[TENSORS], out;
    aclopAttr *attr;
};

static aclError launch(const struct call *call)
{
    aclTensorDesc *in[TENSORS], *out[1];
    aclDataBuffer *data[TENSORS], *to[1] = {aclCreateDataBuffer(result, MOST)};
    for (int i = 0; i < call->inputs; i++) {
        in[i] = aclCreateTensorDesc(call->in[i].type, call->in[i].rank, call->in[i].sizes,
                                    ACL_FORMAT_ND);
        data[i] = aclCreateDataBuffer(memory[i], MOST);
    }
    out[0] = aclCreateTensorDesc(call->out.type, call->out.rank, call->out.sizes, ACL_FORMAT_ND);
    memset(result, 0x55, MOST);
    aclGetRecentErrMsg();
    const aclError status =
        aclopCompileAndExecuteV2(call->name, call->inputs, in, data, 1, out, to, call->attr,
                                 ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < call->inputs; i++) {
        aclDestroyTensorDesc(in[i]);
        aclDestroyDataBuffer(data[i]);
    }
    aclDestroyTensorDesc(out[0]);
    aclDestroyDataBuffer(to[0]);
    return status;
}

static void run(const struct call *call)
{
    cr_assert_eq(launch(call), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    aclopDestroyAttr(call->attr);
}

static aclopAttr *order(double p, double epsilon)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrFloat(attr, "p", (float)p), ACL_SUCCESS);
    cr_assert_eq(aclopSetAttrFloat(attr, "epsilon", (float)epsilon), ACL_SUCCESS);
    return attr;
}

static aclopAttr *order_along(double p, int count, const int64_t *axes, bool keeps)
{
    aclopAttr *attr = order(p, 0);
    cr_assert_eq(aclopSetAttrListInt(attr, "axes", count, axes), ACL_SUCCESS);
    cr_assert_eq(aclopSetAttrBool(attr, "keepdim", keeps), ACL_SUCCESS);
    return attr;
}

/* ---- LpNormReduceV2, LpNormUpdateV2 ---- */

static const double orders[] = {0,    1,    2,       3,       0.5, 2.5, 4,       -1,
                                -2.5, 1e-3, INT_MAX, INT_MIN, 1.5, 1e3, INFINITY};

static double added(double p, double sum, double x)
{
    if (p == 0) return sum + (x != 0);
    if (p >= INT_MAX) return fmax(sum, fabs(x));
    if (p <= INT_MIN) return fmin(sum, fabs(x));
    return sum + pow(fabs(x), p);
}

/* Each power and each sum is good to two units of FLOAT; 24 terms. */
static void expect_near(double got, double want, const char *what, double p)
{
    const double bound = 60 * 0x1p-24 * fabs(want) + 0x1p-149;
    if (isinf((float)want))
        cr_expect_eq((float)got, (float)want, "%s, p = %g: %g, not %g", what, p, got, want);
    else
        cr_expect_float_eq(got, want, bound, "%s, p = %g: %g, not %g", what, p, got, want);
}

Test(op_named_norm, reduces_to_sums_of_powers)
{
    const int64_t outer_axes[] = {0, -1};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const double p = (float)orders[i];
        for (int keeps = 0; keeps < 2; keeps++) {
            run(&(struct call){"LpNormReduceV2",
                               1,
                               {FLOATS(4, 5, 6)},
                               keeps ? (struct tensor)FLOATS(1, 5, 1) : (struct tensor)FLOATS(5),
                               order_along(p, 2, outer_axes, keeps)});
            for (int j = 0; j < 5; j++) {
                double sum = p <= INT_MIN ? INFINITY : 0;
                for (int k = 0; k < 24; k++)
                    sum = added(p, sum, memory[0][k / 6 * 30 + j * 6 + k % 6]);
                expect_near(result[j], sum, "sum", p);
            }
            cr_expect_eq(((unsigned char *)result)[20], 0x55);
        }
        run(&(struct call){
            "LpNormReduceV2", 1, {FLOATS(24)}, SCALAR, order_along(p, 0, NULL, false)});
        double sum = p <= INT_MIN ? INFINITY : 0;
        for (int k = 0; k < 24; k++)
            sum = added(p, sum, memory[0][k]);
        expect_near(result[0], sum, "sum of all", p);
    }
}

Test(op_named_norm, the_root_is_taken_and_held_above_epsilon)
{
    for (int i = 0; i < 20; i++)
        memory[0][i] = (float)(i * i) / 8;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const double p = (float)orders[i];
        const bool is_kept = p == 0 || p == 1 || p >= INT_MAX || p <= INT_MIN;
        for (int with = 0; with < 2; with++) {
            const double epsilon = with ? 0.75 : 0;
            run(&(struct call){
                "LpNormUpdateV2", 1, {FLOATS(4, 5)}, FLOATS(4, 5), order(p, epsilon)});
            for (int k = 0; k < 20; k++) {
                const double x = memory[0][k], root = is_kept ? x : pow(x, (float)(1 / p));
                expect_near(result[k], fmax(root, epsilon), "root", p);
            }
            cr_expect_eq(((unsigned char *)result)[80], 0x55);
        }
    }
}

Test(op_named_norm, attributes_have_defaults)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += (double)memory[0][k] * memory[0][k];
    run(&(struct call){"LpNormReduceV2", 1, {FLOATS(2, 3)}, SCALAR, aclopCreateAttr()});
    expect_near(result[0], sum, "sum of squares", 2);
    memory[0][0] = 0;
    memory[0][1] = 9;
    run(&(struct call){"LpNormUpdateV2", 1, {FLOATS(2)}, FLOATS(2), aclopCreateAttr()});
    cr_expect_eq(result[0], 1e-12F);
    cr_expect_eq(result[1], 3);
}

/* Squares beyond FLOAT16, whose root it has; the least epsilon of it. */
Test(op_named_norm, half_types_are_computed_in_float)
{
    uint16_t *x = (uint16_t *)memory[0], *y = (uint16_t *)result;
    for (int i = 0; i < 2; i++)
        x[i] = 0x5cb0; /* 300 */
    x[2] = x[3] = 0;
    run(&(struct call){"LpNormReduceV2",
                       1,
                       {OF(ACL_FLOAT16, 2, 2)},
                       OF(ACL_FLOAT, 2),
                       order_along(2, 1, (const int64_t[]){1}, false)});
    cr_expect_eq(result[0], 180000);
    cr_expect_eq(result[1], 0);
    run(&(struct call){
        "LpNormUpdateV2", 1, {OF(ACL_FLOAT16, 4)}, OF(ACL_FLOAT16, 4), order(1, 1e-12)});
    cr_expect_eq(y[0], 0x5cb0);
    cr_expect_eq(y[3], 2, "1e-7 is two of the least numbers");
}

Test(op_named_norm, empty_tensors_are_summed_to_zero)
{
    run(&(struct call){"LpNormReduceV2",
                       1,
                       {FLOATS(3, 0)},
                       FLOATS(3),
                       order_along(2.5, 1, (const int64_t[]){1}, false)});
    for (int i = 0; i < 3; i++)
        cr_expect_eq(result[i], 0);
    run(&(struct call){"LpNormUpdateV2", 1, {FLOATS(3, 0)}, FLOATS(3, 0), order(2.5, 0.5)});
    cr_expect_eq(((unsigned char *)result)[0], 0x55);
}

/* ---- CdistGrad ---- */

enum { B = 2, P = 3, R = 4, M = 5 };

static double slope(double p, double left, double by, double of)
{
    const double sign = (left > 0) - (left < 0);
    if (of == 0 || p == 0) return 0;
    if (p == -1) return (float)fabs(left) == (float)of ? sign * by : 0;
    if (left == 0) return 0;
    return sign * pow(fabs(left), p - 1) * by / pow(of, p - 1);
}

static double distance(double p, const float *x, const float *y)
{
    double sum = 0;
    for (int m = 0; m < M; m++) {
        const double size = fabs((double)x[m] - y[m]);
        sum = p == -1 ? fmax(sum, size) : p == 0 ? sum + (size != 0) : sum + pow(size, p);
    }
    return p == -1 || p == 0 ? sum : pow(sum, 1 / p);
}

/* memory: grad, x1, x2, distances, of their own shapes. */
static void make_distances(double p)
{
    for (int b = 0; b < B; b++)
        for (int i = 0; i < P; i++)
            for (int j = 0; j < R; j++)
                memory[3][(b * P + i) * R + j] =
                    (float)distance(p, memory[1] + (b * P + i) * M, memory[2] + (b * R + j) * M);
}

static void expect_slopes(double p, const float *grad, const float *x1, const float *x2,
                          const float *distances)
{
    for (int row = 0; row < B * P; row++) {
        for (int m = 0; m < M; m++) {
            double sum = 0, size = 0;
            for (int j = 0; j < R; j++) {
                const double left = (double)x1[row * M + m] - x2[(row / P * R + j) * M + m];
                const double term = slope(p, left, grad[row * R + j], distances[row * R + j]);
                sum += term;
                size += fabs(term);
            }
            cr_expect_float_eq(result[row * M + m], sum, 8 * 0x1p-24 * size, "p = %g: %d, %d", p,
                               row, m);
        }
    }
    cr_expect_eq(((unsigned char *)result)[B * P * M * 4], 0x55);
}

/* All operands in the shape of all pairs, as torch_npu repeats them. */
static void repeat(float own[TENSORS][B * R * M])
{
    for (int i = 0; i < TENSORS; i++)
        memcpy(own[i], memory[i], B * R * M * sizeof(float));
    for (int at = 0; at < B * P * R * M; at++) {
        const int m = at % M, j = at / M % R, row = at / M / R;
        memory[0][at] = own[0][row * R + j];
        memory[1][at] = own[1][row * M + m];
        memory[2][at] = own[2][(row / P * R + j) * M + m];
        memory[3][at] = own[3][row * R + j];
    }
}

static aclopAttr *cdist_order(double p)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrFloat(attr, "p", (float)p), ACL_SUCCESS);
    return attr;
}

static const struct tensor all = FLOATS(B, P, R, M), rows = FLOATS(B, P, M);

static void expect_gradient(double p)
{
    float own[TENSORS][B * R * M];
    make_distances(p);
    run(&(struct call){"CdistGrad",
                       4,
                       {FLOATS(B, P, R), rows, FLOATS(B, R, M), FLOATS(B, P, R)},
                       rows,
                       cdist_order(p)});
    expect_slopes(p, memory[0], memory[1], memory[2], memory[3]);
    repeat(own);
    run(&(struct call){"CdistGrad", 4, {all, all, all, all}, rows, cdist_order(p)});
    expect_slopes(p, own[0], own[1], own[2], own[3]);
}

Test(op_named_norm, gradient_of_distances)
{
    static const double each[] = {0, 0.5, 1, 1.5, 2, 3, -1};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        begin();
        expect_gradient(each[i]);
    }
}

/* x1 was repeated along the batch: its gradient is the sum over that. */
Test(op_named_norm, gradient_of_rows_that_a_batch_shares)
{
    static const struct tensor once[] = {FLOATS(1, P, M), FLOATS(P, M)};
    for (int i = 0; i < 2; i++) {
        float each[B * P * M], own[TENSORS][B * R * M];
        begin();
        make_distances(1.5);
        repeat(own);
        run(&(struct call){"CdistGrad", 4, {all, all, all, all}, rows, cdist_order(1.5)});
        memcpy(each, result, sizeof each);
        run(&(struct call){"CdistGrad", 4, {all, all, all, all}, once[i], cdist_order(1.5)});
        for (int at = 0; at < P * M; at++)
            cr_expect_float_eq(result[at], each[at] + each[P * M + at], 1e-6);
        cr_expect_eq(((unsigned char *)result)[P * M * 4], 0x55);
    }
}

Test(op_named_norm, gradient_of_no_distance_is_zero)
{
    const struct tensor none = FLOATS(B, P, 0, M), no_rows = FLOATS(B, 0, R, M);
    run(&(struct call){"CdistGrad", 4, {none, none, none, none}, rows, cdist_order(1)});
    for (int i = 0; i < B * P * M; i++)
        cr_expect_eq(result[i], 0);
    run(&(struct call){
        "CdistGrad", 4, {no_rows, no_rows, no_rows, no_rows}, FLOATS(B, 0, M), cdist_order(1)});
    cr_expect_eq(((unsigned char *)result)[0], 0x55);
    const struct tensor no_batch = FLOATS(0, P, R, M), shared = FLOATS(P, M);
    run(&(struct call){
        "CdistGrad", 4, {no_batch, no_batch, no_batch, no_batch}, shared, cdist_order(1)});
    for (int i = 0; i < P * M; i++)
        cr_expect_eq(result[i], 0);
}

/* ---- refusals ---- */

static void expect_refusal(const struct call *call, aclError code, const char *fragment)
{
    cr_expect_eq(launch(call), code, "%s", fragment);
    const char *who = code == ACLNN_ERR_PARAM_INVALID ? "aclnn" : "aclopCompileAndExecuteV2()";
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text, "%s", fragment);
    cr_expect(strncmp(text, who, strlen(who) - 2) == 0, "%s", text);
    cr_expect_not_null(strstr(text, fragment), "no \"%s\" in: %s", fragment, text);
    cr_expect_eq(((unsigned char *)result)[0], 0x55, "%s: has written", fragment);
    aclopDestroyAttr(call->attr);
}

static aclopAttr *text(const char *name, const char *value)
{
    aclopAttr *attr = aclopCreateAttr();
    cr_assert_eq(aclopSetAttrString(attr, name, value), ACL_SUCCESS);
    return attr;
}

Test(op_named_norm, unsound_norms_are_refused)
{
    const aclError bad = ACL_ERROR_INVALID_PARAM, invalid = ACLNN_ERR_PARAM_INVALID;
    const char *reduce = "LpNormReduceV2", *update = "LpNormUpdateV2";
    const struct tensor matrix = FLOATS(2, 3), two = FLOATS(2);
    const int64_t axes[] = {1, 5, 0, 0, 0, 0, 0, 0, 0};
    expect_refusal(&(struct call){reduce, 0, {matrix}, two, NULL}, bad,
                   "LpNormReduceV2 has 0 inputs and 1 outputs; it must have 1 and 1");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, text("p", "two")}, bad,
                   "attribute p is \"two\"; it must be a number");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, order(NAN, 0)}, bad,
                   "it must not be NaN");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, text("keepdim", "yes")}, bad,
                   "attribute keepdim is \"yes\"; it must be true or false");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, text("axes", "[1]")}, bad,
                   "it must be a list of integers, at most as many as dimensions");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, order_along(2, 9, axes, false)}, bad,
                   "it must be a list of integers, at most as many as dimensions");
    expect_refusal(&(struct call){reduce, 1, {matrix}, two, order_along(1, 2, axes, false)},
                   invalid, "dim has 5; it must be from -2 to 1");
    expect_refusal(&(struct call){reduce, 1, {matrix}, matrix, order_along(1, 1, axes, false)},
                   invalid, "out's shape is (2, 3); it must be (2)");
    expect_refusal(&(struct call){update, 1, {matrix}, matrix, order(2, -1)}, bad,
                   "attribute epsilon is -1; it must be at least 0");
    expect_refusal(&(struct call){update, 1, {matrix}, matrix, order(2, NAN)}, bad,
                   "it must be at least 0");
    expect_refusal(&(struct call){update, 1, {matrix}, two, order(2, 0)}, invalid, "out");
}

Test(op_named_norm, unsound_gradients_are_refused)
{
    const aclError bad = ACL_ERROR_INVALID_PARAM, invalid = ACLNN_ERR_PARAM_INVALID;
    const char *name = "CdistGrad";
    const struct tensor other = FLOATS(B, P, R, M + 1), two = FLOATS(3, 4), one = FLOATS(4);
    expect_refusal(&(struct call){name, 3, {all, all, all}, rows, NULL}, bad,
                   "CdistGrad has 3 inputs and 1 outputs; it must have 4 and 1");
    expect_refusal(&(struct call){name, 4, {all, all, other, all}, rows, NULL}, bad,
                   "inputs[2] is FLOAT[2,3,4,6]; it must have the shape of inputs[1]");
    expect_refusal(&(struct call){name, 4, {rows, all, all, all}, rows, NULL}, bad,
                   "inputs[0] is FLOAT[2,3,5]; it must have the shape of inputs[1]");
    expect_refusal(&(struct call){name, 4, {all, all, all, all}, FLOATS(B, P, R), NULL}, bad,
                   "outputs[0] is FLOAT[2,3,4]; it must be (..., P, M)");
    expect_refusal(&(struct call){name, 4, {two, two, two, two}, one, NULL}, bad,
                   "inputs[1] is FLOAT[3,4]; it must have 3 dimensions");
    expect_refusal(&(struct call){name, 4, {all, all, all, all}, rows, text("p", "x")}, bad,
                   "attribute p is \"x\"; it must be a number");
    expect_refusal(&(struct call){name, 4, {all, all, all, all}, rows, cdist_order(-2)}, invalid,
                   "p is -2; it must be at least 0");
}

Test(op_named_norm, no_memory_is_an_error_and_no_crash)
{
    struct call calls[] = {
        {"LpNormReduceV2", 1, {FLOATS(2, 3)}, SCALAR, order_along(2.5, 0, NULL, false)},
        {"LpNormReduceV2", 1, {FLOATS(2, 3)}, SCALAR, order_along(1, 0, NULL, false)},
        {"LpNormUpdateV2", 1, {FLOATS(2, 3)}, FLOATS(2, 3), order(2.5, 0.5)},
        {"LpNormUpdateV2", 1, {FLOATS(2, 3)}, FLOATS(2, 3), order(2, 0)},
        {"CdistGrad", 4, {all, all, all, all}, rows, cdist_order(1)},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        aclError status = ACL_ERROR_BAD_ALLOC;
        aclTensorDesc *in[TENSORS], *out[1];
        aclDataBuffer *data[TENSORS], *to[1] = {aclCreateDataBuffer(result, MOST)};
        int failures = 0;
        for (int k = 0; k < calls[i].inputs; k++) {
            in[k] = aclCreateTensorDesc(ACL_FLOAT, calls[i].in[k].rank, calls[i].in[k].sizes,
                                        ACL_FORMAT_ND);
            data[k] = aclCreateDataBuffer(memory[k], MOST);
        }
        out[0] =
            aclCreateTensorDesc(ACL_FLOAT, calls[i].out.rank, calls[i].out.sizes, ACL_FORMAT_ND);
        while (status != ACL_SUCCESS) {
            cr_assert_lt(failures, 1000);
            rt_alloc_fail_at(failures + 1);
            status = aclopCompileAndExecuteV2(calls[i].name, calls[i].inputs, in, data, 1, out, to,
                                              calls[i].attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
                                              stream);
            rt_alloc_fail_at(0);
            if (status != ACL_SUCCESS) failures++;
        }
        cr_expect_gt(failures, 2, "%s", calls[i].name);
        cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        for (int k = 0; k < calls[i].inputs; k++) {
            aclDestroyTensorDesc(in[k]);
            aclDestroyDataBuffer(data[k]);
        }
        aclDestroyTensorDesc(out[0]);
        aclDestroyDataBuffer(to[0]);
        aclopDestroyAttr(calls[i].attr);
    }
}

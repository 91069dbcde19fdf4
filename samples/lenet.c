/* SPDX-License-Identifier: Apache-2.0 */
#include "lenet.h"

#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lenet_check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}

/* ---- tensors ------------------------------------------------------------------------------------
 */

enum { CLASSES = 10 };

/* Tensors of the step: A activations, D their gradients. */
enum {
    CLASS_WEIGHTS = LENET_KEPT, /* all 1 */
    A_CONV1,
    A_POOL1,
    WHERE1,
    A_CONV2,
    A_POOL2,
    WHERE2,
    A_FULL3,
    A_FULL4,
    A_FULL5,
    LOG_P,
    TOTAL,
    GUESS,
    RIGHT,
    D_LOG_P,
    D_FULL5,
    D_FULL4,
    D_FULL3,
    D_POOL2,
    D_CONV2,
    D_POOL1,
    D_CONV1,
    TENSORS
};
_Static_assert(TENSORS <= (int)LENET_TENSORS, "there is room for all tensors");

enum { B = -1 /* the batch, in shapes */ };

struct shape {
    aclDataType type;
    int rank;
    int64_t dims[4];
};

static const struct shape shapes[TENSORS] = {
    [LENET_IMAGES] = {ACL_FLOAT, 4, {B, 1, DIGITS_SIDE, DIGITS_SIDE}},
    [LENET_LABELS] = {ACL_INT64, 1, {B}},
    [LENET_LOSS] = {ACL_FLOAT, 0, {0}},
    [LENET_HITS] = {ACL_INT64, 0, {0}},
    [LENET_SCALE] = {ACL_FLOAT, 0, {0}},
    [CLASS_WEIGHTS] = {ACL_FLOAT, 1, {CLASSES}},
    [A_CONV1] = {ACL_FLOAT, 4, {B, 6, 28, 28}},
    [A_POOL1] = {ACL_FLOAT, 4, {B, 6, 14, 14}},
    [WHERE1] = {ACL_INT32, 4, {B, 6, 14, 14}},
    [A_CONV2] = {ACL_FLOAT, 4, {B, 16, 10, 10}},
    [A_POOL2] = {ACL_FLOAT, 4, {B, 16, 5, 5}},
    [WHERE2] = {ACL_INT32, 4, {B, 16, 5, 5}},
    [A_FULL3] = {ACL_FLOAT, 2, {B, 120}},
    [A_FULL4] = {ACL_FLOAT, 2, {B, 84}},
    [A_FULL5] = {ACL_FLOAT, 2, {B, CLASSES}},
    [LOG_P] = {ACL_FLOAT, 2, {B, CLASSES}},
    [TOTAL] = {ACL_FLOAT, 0, {0}},
    [GUESS] = {ACL_INT64, 1, {B}},
    [RIGHT] = {ACL_BOOL, 1, {B}},
    [D_LOG_P] = {ACL_FLOAT, 2, {B, CLASSES}},
    [D_FULL5] = {ACL_FLOAT, 2, {B, CLASSES}},
    [D_FULL4] = {ACL_FLOAT, 2, {B, 84}},
    [D_FULL3] = {ACL_FLOAT, 2, {B, 120}},
    [D_POOL2] = {ACL_FLOAT, 4, {B, 16, 5, 5}},
    [D_CONV2] = {ACL_FLOAT, 4, {B, 16, 10, 10}},
    [D_POOL1] = {ACL_FLOAT, 4, {B, 6, 14, 14}},
    [D_CONV1] = {ACL_FLOAT, 4, {B, 6, 28, 28}},
};

static const struct shape parameters[LENET_PARAMETERS] = {
    {ACL_FLOAT, 4, {6, 1, 5, 5}}, {ACL_FLOAT, 1, {6}},        {ACL_FLOAT, 4, {16, 6, 5, 5}},
    {ACL_FLOAT, 1, {16}},         {ACL_FLOAT, 2, {120, 400}}, {ACL_FLOAT, 1, {120}},
    {ACL_FLOAT, 2, {84, 120}},    {ACL_FLOAT, 1, {84}},       {ACL_FLOAT, 2, {CLASSES, 84}},
    {ACL_FLOAT, 1, {CLASSES}},
};

static struct shape shape_of(const struct lenet *net, int tensor)
{
    const bool of_parameter = tensor >= LENET_PARAMETER && tensor < LENET_KEPT;
    struct shape shape =
        of_parameter ? parameters[(tensor - LENET_PARAMETER) % LENET_PARAMETERS] : shapes[tensor];
    for (int i = 0; i < shape.rank; i++)
        if (shape.dims[i] == B) shape.dims[i] = net->batch;
    return shape;
}

static int64_t elements_of(struct shape shape)
{
    int64_t elements = 1;
    for (int i = 0; i < shape.rank; i++)
        elements *= shape.dims[i];
    return elements;
}

uint64_t lenet_bytes(const struct lenet *net, int tensor)
{
    const struct shape shape = shape_of(net, tensor);
    return (uint64_t)elements_of(shape) * aclDataTypeSize(shape.type);
}

/* ---- submission ---------------------------------------------------------------------------------
 * The same calls are made three times: once to learn what lives when and how large the workspaces
 * are, with memory of each tensor's own, then for good, captured. */

enum { STEPS = 48, VIEWS = 16 };

struct submission {
    struct lenet *net;
    int step;               /* the number of the next operator */
    int64_t first[TENSORS]; /* steps that use a tensor; -1: none */
    int64_t last[TENSORS];
    bool plans; /* tell the plan of workspaces, and make them */
    int32_t buffers[TENSORS], workspaces[STEPS];
    aclTensor *views[VIEWS]; /* of the operator that is being submitted */
    int view_count;
    aclIntArray *zeros, *ones, *twos, *rows;
    aclScalar *zero, *one, *momentum, *minus_rate;
};

typedef aclnnStatus run_fn(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);

static void *new_block(uint64_t bytes)
{
    void *block;
    CHECK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}

static void *place_of(const struct lenet *net, int32_t buffer)
{
    uint64_t offset;
    CHECK(aclnnextMemoryPlanGetOffset(net->plan, buffer, &offset));
    return (char *)net->block + offset;
}

/* Phase 2. Memory may be freed at once: the library keeps it until the queued work has run. */
static void submit(struct submission *s, const char *name, run_fn *run, uint64_t size,
                   aclOpExecutor *executor)
{
    void *workspace;
    if (s->plans) {
        CHECK(aclnnextMemoryPlanAddWorkspace(s->net->plan, name, executor, s->step,
                                             &s->workspaces[s->step]));
        workspace = size > 0 ? new_block(size) : NULL;
    } else {
        workspace = place_of(s->net, s->workspaces[s->step]);
    }
    CHECK(run(workspace, size, executor, s->net->stream));
    if (s->plans && workspace) CHECK(aclrtFree(workspace));
    while (s->view_count > 0)
        aclDestroyTensor(s->views[--s->view_count]);
    s->step++;
}

#define RUN(s, operator, ...)                                                                      \
    do {                                                                                           \
        uint64_t size;                                                                             \
        aclOpExecutor *executor;                                                                   \
        CHECK(operator##GetWorkspaceSize(__VA_ARGS__, &size, &executor));                          \
        submit(s, #operator, operator, size, executor);                                            \
    } while (0)

static aclTensor *create(const struct lenet *net, int tensor, const struct shape *shape,
                         const int64_t *strides)
{
    const aclFormat format = shape->rank == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND;
    return aclCreateTensor(shape->dims, (uint64_t)shape->rank, shape->type, strides, 0, format,
                           shape->dims, (uint64_t)shape->rank, net->address[tensor]);
}

static aclTensor *used(struct submission *s, int tensor, const struct shape *shape,
                       const int64_t *strides)
{
    if (s->first[tensor] < 0) s->first[tensor] = s->step;
    s->last[tensor] = s->step;
    return s->views[s->view_count++] = create(s->net, tensor, shape, strides);
}

/* A tensor as it lies in memory, for the operator that is submitted next. */
static aclTensor *of(struct submission *s, int tensor)
{
    const struct shape shape = shape_of(s->net, tensor);
    int64_t strides[4] = {1, 1, 1, 1};
    for (int i = shape.rank - 2; i >= 0; i--)
        strides[i] = strides[i + 1] * shape.dims[i + 1];
    return used(s, tensor, &shape, strides);
}

/* The same memory as a matrix: all but the first axis joined; with rows and columns exchanged. */
static aclTensor *matrix(struct submission *s, int tensor)
{
    struct shape shape = shape_of(s->net, tensor);
    shape.dims[1] = elements_of(shape) / shape.dims[0];
    shape.rank = 2;
    return used(s, tensor, &shape, (const int64_t[]){shape.dims[1], 1});
}

static aclTensor *transposed(struct submission *s, int tensor)
{
    struct shape shape = shape_of(s->net, tensor);
    const int64_t rows = shape.dims[0], columns = elements_of(shape) / rows;
    shape = (struct shape){shape.type, 2, {columns, rows}};
    return used(s, tensor, &shape, (const int64_t[]){1, columns});
}

/* ---- the network --------------------------------------------------------------------------------
 */

static int weight(int layer)
{
    return LENET_PARAMETER + 2 * (layer - 1);
}
static int bias(int layer)
{
    return weight(layer) + 1;
}
static int gradient(int parameter)
{
    return parameter - LENET_PARAMETER + LENET_GRADIENT;
}

/* Convolution, what is above 0 of it, and its maximum over 2 x 2 cells. */
static void convolve(struct submission *s, int layer, int in, aclIntArray *padding, int out,
                     int pooled, int where)
{
    RUN(s, aclnnConvolution, of(s, in), of(s, weight(layer)), of(s, bias(layer)), s->ones, padding,
        s->ones, /* transposed */ false, s->zeros, /* groups */ 1, of(s, out), 0);
    RUN(s, aclnnInplaceRelu, of(s, out));
    RUN(s, aclnnMaxPool2dWithIndices, of(s, out), s->twos, s->twos, s->zeros, s->ones, false,
        of(s, pooled), of(s, where));
}

static void multiply(struct submission *s, int layer, int in, int out)
{
    RUN(s, aclnnAddmm, of(s, bias(layer)), matrix(s, in), transposed(s, weight(layer)), s->one,
        s->one, of(s, out), 0);
}

static void forward(struct submission *s)
{
    convolve(s, 1, LENET_IMAGES, s->twos, A_CONV1, A_POOL1, WHERE1);
    convolve(s, 2, A_POOL1, s->zeros, A_CONV2, A_POOL2, WHERE2);
    multiply(s, 3, A_POOL2, A_FULL3);
    RUN(s, aclnnInplaceRelu, of(s, A_FULL3));
    multiply(s, 4, A_FULL3, A_FULL4);
    RUN(s, aclnnInplaceRelu, of(s, A_FULL4));
    multiply(s, 5, A_FULL4, A_FULL5);
    RUN(s, aclnnLogSoftmax, of(s, A_FULL5), 1, of(s, LOG_P));
    RUN(s, aclnnNLLLoss, of(s, LOG_P), of(s, LENET_LABELS), of(s, CLASS_WEIGHTS),
        /* the mean */ 1, /* ignored */ -100, of(s, LENET_LOSS), of(s, TOTAL));
}

/* The gradients of a full layer's parameters and of its input. */
static void multiply_back(struct submission *s, int layer, int d_out, int in, int d_in)
{
    RUN(s, aclnnMm, transposed(s, d_out), matrix(s, in), of(s, gradient(weight(layer))), 0);
    RUN(s, aclnnReduceSum, of(s, d_out), s->rows, false, ACL_FLOAT, of(s, gradient(bias(layer))));
    RUN(s, aclnnMm, of(s, d_out), of(s, weight(layer)), matrix(s, d_in), 0);
}

/* The gradient passes where the output was above 0. */
static void rectify_back(struct submission *s, int out, int d_out)
{
    RUN(s, aclnnThresholdBackward, of(s, d_out), of(s, out), s->zero, of(s, d_out));
}

/* d_in is -1 where nobody asks for it. */
static void convolve_back(struct submission *s, int layer, int d_pooled, int where, int out,
                          int d_out, int in, aclIntArray *padding, int d_in)
{
    const bool mask[] = {d_in >= 0, true, true};
    const int64_t channels = shape_of(s->net, bias(layer)).dims[0];
    aclBoolArray *wanted = aclCreateBoolArray(mask, 3);
    aclIntArray *bias_size = aclCreateIntArray(&channels, 1);
    RUN(s, aclnnMaxPool2dWithIndicesBackward, of(s, d_pooled), of(s, out), of(s, where), s->twos,
        s->twos, s->zeros, s->ones, false, of(s, d_out));
    rectify_back(s, out, d_out);
    RUN(s, aclnnConvolutionBackward, of(s, d_out), of(s, in), of(s, weight(layer)), bias_size,
        s->ones, padding, s->ones, false, s->zeros, 1, wanted, 0, d_in < 0 ? NULL : of(s, d_in),
        of(s, gradient(weight(layer))), of(s, gradient(bias(layer))));
    CHECK(aclDestroyBoolArray(wanted));
    CHECK(aclDestroyIntArray(bias_size));
}

static void full_back(struct submission *s)
{
    RUN(s, aclnnNLLLossBackward, of(s, LENET_SCALE), of(s, LOG_P), of(s, LENET_LABELS),
        of(s, CLASS_WEIGHTS), 1, -100, of(s, TOTAL), of(s, D_LOG_P));
    RUN(s, aclnnLogSoftmaxBackward, of(s, D_LOG_P), of(s, LOG_P), 1, of(s, D_FULL5));
    multiply_back(s, 5, D_FULL5, A_FULL4, D_FULL4);
    rectify_back(s, A_FULL4, D_FULL4);
    multiply_back(s, 4, D_FULL4, A_FULL3, D_FULL3);
    rectify_back(s, A_FULL3, D_FULL3);
    multiply_back(s, 3, D_FULL3, A_POOL2, D_POOL2);
}

static void convolutions_back(struct submission *s)
{
    convolve_back(s, 2, D_POOL2, WHERE2, A_CONV2, D_CONV2, A_POOL1, s->zeros, D_POOL1);
    convolve_back(s, 1, D_POOL1, WHERE1, A_CONV1, D_CONV1, LENET_IMAGES, s->twos, -1);
}

/* All parameters, velocities or gradients as one list, which owns its tensors. */
static aclTensorList *list(struct submission *s, int begin)
{
    aclTensor *tensors[LENET_PARAMETERS];
    for (int i = 0; i < LENET_PARAMETERS; i++)
        tensors[i] = of(s, begin + i);
    s->view_count = 0;
    return aclCreateTensorList((const aclTensor *const *)tensors, LENET_PARAMETERS);
}

static void update(struct submission *s)
{
    aclTensorList *values = list(s, LENET_PARAMETER), *velocities = list(s, LENET_VELOCITY);
    aclTensorList *gradients = list(s, LENET_GRADIENT);
    RUN(s, aclnnForeachMulScalarV2, velocities, s->momentum, velocities);
    RUN(s, aclnnForeachAddListV2, velocities, gradients, s->one, velocities);
    RUN(s, aclnnForeachAddListV2, values, velocities, s->minus_rate, values);
    CHECK(aclDestroyTensorList(values));
    CHECK(aclDestroyTensorList(velocities));
    CHECK(aclDestroyTensorList(gradients));
}

static void count_hits(struct submission *s)
{
    RUN(s, aclnnArgMax, of(s, LOG_P), 1, false, of(s, GUESS));
    RUN(s, aclnnEqTensor, of(s, GUESS), of(s, LENET_LABELS), of(s, RIGHT));
    RUN(s, aclnnReduceSum, of(s, RIGHT), s->rows, false, ACL_INT64, of(s, LENET_HITS));
}

/* ---- plan, memory, graphs -----------------------------------------------------------------------
 */

static void prepare(struct submission *s, struct lenet *net)
{
    const int64_t zero[] = {0, 0}, one[] = {1, 1}, two[] = {2, 2};
    float none = 0, whole = 1, minus_rate = -net->rate;
    *s = (struct submission){.net = net};
    memset(s->first, -1, sizeof s->first);
    s->zeros = aclCreateIntArray(zero, 2);
    s->ones = aclCreateIntArray(one, 2);
    s->twos = aclCreateIntArray(two, 2);
    s->rows = aclCreateIntArray(zero, 1);
    s->zero = aclCreateScalar(&none, ACL_FLOAT);
    s->one = aclCreateScalar(&whole, ACL_FLOAT);
    s->momentum = aclCreateScalar(&net->momentum, ACL_FLOAT);
    s->minus_rate = aclCreateScalar(&minus_rate, ACL_FLOAT);
}

static void finish(struct submission *s)
{
    aclIntArray *const arrays[] = {s->zeros, s->ones, s->twos, s->rows};
    aclScalar *const scalars[] = {s->zero, s->one, s->momentum, s->minus_rate};
    for (int i = 0; i < 4; i++) {
        CHECK(aclDestroyIntArray(arrays[i]));
        CHECK(aclDestroyScalar(scalars[i]));
    }
}

/* Where the parts of a step begin in the count of operators. */
struct parts {
    int convolutions, update, count, end;
};

/* One step with memory of each tensor's own: afterwards the plan knows all. */
static struct parts rehearse(struct submission *s)
{
    struct lenet *net = s->net;
    struct parts parts;
    for (int t = 0; t < TENSORS; t++) {
        const uint64_t bytes = lenet_bytes(net, t);
        net->address[t] = new_block(bytes);
        CHECK(aclrtMemset(net->address[t], bytes, 0, bytes));
    }
    s->plans = true;
    forward(s);
    full_back(s);
    parts.convolutions = s->step;
    convolutions_back(s);
    parts.update = s->step;
    update(s);
    parts.count = s->step;
    count_hits(s);
    parts.end = s->step;
    CHECK(aclrtSynchronizeStream(net->stream));
    s->plans = false;
    for (int t = 0; t < TENSORS; t++)
        CHECK(aclrtFree(net->address[t]));
    return parts;
}

static uint64_t rounded_bytes(const struct lenet *net, int tensor)
{
    return (lenet_bytes(net, tensor) + 63) / 64 * 64;
}

/* All gradients are one buffer, so that those of several layers can travel as one. */
static void allocate(struct submission *s, struct parts parts)
{
    struct lenet *net = s->net;
    uint64_t total, gradients = 0;
    for (int t = 0; t < TENSORS; t++) {
        const bool kept = t < LENET_KEPT || t == CLASS_WEIGHTS;
        uint64_t bytes = lenet_bytes(net, t);
        if (t >= LENET_GRADIENT && t < LENET_KEPT) {
            gradients += rounded_bytes(net, t);
            bytes = t == LENET_KEPT - 1 ? gradients : 0;
        }
        CHECK(aclnnextMemoryPlanAddBuffer(net->plan, NULL, bytes, 64, kept ? 0 : s->first[t],
                                          kept ? parts.end : s->last[t], &s->buffers[t]));
    }
    CHECK(aclnnextMemoryPlanSolve(net->plan, &total));
    net->block = new_block(total);
    CHECK(aclrtMemset(net->block, total, 0, total));
    for (int t = 0; t < TENSORS; t++)
        net->address[t] = place_of(net, s->buffers[t]);
    char *gradient = net->address[LENET_KEPT - 1];
    for (int t = LENET_GRADIENT; t < LENET_KEPT; gradient += rounded_bytes(net, t++))
        net->address[t] = gradient;
}

float *lenet_gradients(const struct lenet *net, int first, int last, uint64_t *count)
{
    char *begin = net->address[gradient(weight(first))];
    const int end = gradient(bias(last));
    *count =
        (uint64_t)((char *)net->address[end] + rounded_bytes(net, end) - begin) / sizeof(float);
    return (float *)(void *)begin;
}

static void write_floats(const struct lenet *net, int tensor, double value, double spread,
                         uint64_t *seed)
{
    const uint64_t bytes = lenet_bytes(net, tensor);
    float *values = malloc(bytes);
    if (!values) exit(EXIT_FAILURE);
    for (uint64_t i = 0; i < bytes / sizeof(float); i++)
        values[i] = (float)(value + spread * (2 * digits_random(seed) - 1));
    CHECK(aclrtMemcpy(net->address[tensor], bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    free(values);
}

/* Weights uniform, of variance 2 over a cell's number of inputs (He et al.); biases 0. */
static void initialise(const struct lenet *net, uint64_t seed)
{
    for (int i = 0; i < LENET_PARAMETERS; i++) {
        const struct shape weights = parameters[i];
        const double inputs = (double)elements_of(weights) / (double)weights.dims[0];
        write_floats(net, LENET_PARAMETER + i, 0, i % 2 == 0 ? sqrt(6 / inputs) : 0, &seed);
        write_floats(net, LENET_VELOCITY + i, 0, 0, &seed);
    }
    write_floats(net, CLASS_WEIGHTS, 1, 0, &seed);
    write_floats(net, LENET_SCALE, 1, 0, &seed);
}

static void begin(struct submission *s, int step)
{
    s->step = step;
    CHECK(aclmdlRICaptureBegin(s->net->stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
}

/* Captured calls do not run; the graph keeps the executors, the program the memory. */
static void capture(struct submission *s, struct parts parts)
{
    struct lenet *net = s->net;
    begin(s, 0);
    forward(s);
    full_back(s);
    CHECK(aclmdlRICaptureEnd(net->stream, &net->full));
    begin(s, parts.convolutions);
    convolutions_back(s);
    CHECK(aclmdlRICaptureEnd(net->stream, &net->convolutions));
    begin(s, parts.update);
    update(s);
    CHECK(aclmdlRICaptureEnd(net->stream, &net->update));
    begin(s, 0);
    forward(s);
    s->step = parts.count;
    count_hits(s);
    CHECK(aclmdlRICaptureEnd(net->stream, &net->test));
}

void lenet_open(struct lenet *net, int64_t batch, float rate, float momentum, uint64_t seed)
{
    struct submission s;
    *net = (struct lenet){.batch = batch, .rate = rate, .momentum = momentum};
    CHECK(aclrtCreateStream(&net->stream));
    CHECK(aclnnextMemoryPlanCreate(&net->plan));
    prepare(&s, net);
    const struct parts parts = rehearse(&s);
    allocate(&s, parts);
    initialise(net, seed);
    capture(&s, parts);
    finish(&s);
}

void lenet_close(struct lenet *net)
{
    CHECK(aclmdlRIDestroy(net->full));
    CHECK(aclmdlRIDestroy(net->convolutions));
    CHECK(aclmdlRIDestroy(net->update));
    CHECK(aclmdlRIDestroy(net->test));
    CHECK(aclrtDestroyStream(net->stream));
    CHECK(aclnnextMemoryPlanDestroy(net->plan));
    CHECK(aclrtFree(net->block));
}

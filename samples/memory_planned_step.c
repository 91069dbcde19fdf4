/* SPDX-License-Identifier: Apache-2.0 */
/* One training step of a small network in one block of memory, captured once and replayed.
 *
 *     x -> convolution -> max pooling -> convolution -> average pooling -> y, and all gradients
 *
 * First the step runs as programs do without a plan: every tensor and every workspace has memory of
 * its own. Meanwhile a memory plan is told what each operator needs and when. Then the same step is
 * captured with all tensors in the plan's block, and replayed twice: the gradients have the same
 * bits as those of the first run. The plan's picture is written to the folder that is named as the
 * argument (default: the current one). With ACLNN_CPU_TIMELINE=file.json the library writes what
 * ran when. */
#include "acl/acl.h"
#include "aclnnext/aclnnext_memory_plan.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

/* ---- the network --------------------------------------------------------------------------------
 */

enum { BATCH = 8, COLOURS = 3, FIRST = 16, SECOND = 32, SIZE = 64 };

enum tensor {
    /* Of the program: alive before and after the step. */
    X,
    W1,
    B1,
    W2,
    B2,
    Y,
    DY,
    DW1,
    DB1,
    DW2,
    DB2,
    OWN,
    /* Of the step: the plan decides where they lie. */
    A1 = OWN,
    A2,
    WHERE,
    A3,
    D3,
    D2,
    D1,
    TENSORS,
};

/* Steps: the position of an operator in the order of submission. */
enum { CONV1, MAX, CONV2, MEAN, MEAN_BACK, CONV2_BACK, MAX_BACK, CONV1_BACK, STEPS };

struct description {
    const char *name;
    aclDataType type;
    int64_t dims[4];
    int rank;
    int first, last; /* steps that use it; of the step's tensors only */
};

static const struct description descriptions[TENSORS] = {
    [X] = {"x", ACL_FLOAT, {BATCH, COLOURS, SIZE, SIZE}, 4, 0, 0},
    [W1] = {"w1", ACL_FLOAT, {FIRST, COLOURS, 3, 3}, 4, 0, 0},
    [B1] = {"b1", ACL_FLOAT, {FIRST}, 1, 0, 0},
    [W2] = {"w2", ACL_FLOAT, {SECOND, FIRST, 3, 3}, 4, 0, 0},
    [B2] = {"b2", ACL_FLOAT, {SECOND}, 1, 0, 0},
    [Y] = {"y", ACL_FLOAT, {BATCH, SECOND, SIZE / 4, SIZE / 4}, 4, 0, 0},
    [DY] = {"dy", ACL_FLOAT, {BATCH, SECOND, SIZE / 4, SIZE / 4}, 4, 0, 0},
    [DW1] = {"dw1", ACL_FLOAT, {FIRST, COLOURS, 3, 3}, 4, 0, 0},
    [DB1] = {"db1", ACL_FLOAT, {FIRST}, 1, 0, 0},
    [DW2] = {"dw2", ACL_FLOAT, {SECOND, FIRST, 3, 3}, 4, 0, 0},
    [DB2] = {"db2", ACL_FLOAT, {SECOND}, 1, 0, 0},
    [A1] = {"a1", ACL_FLOAT, {BATCH, FIRST, SIZE, SIZE}, 4, CONV1, MAX_BACK},
    [A2] = {"a2", ACL_FLOAT, {BATCH, FIRST, SIZE / 2, SIZE / 2}, 4, MAX, CONV2_BACK},
    [WHERE] = {"where", ACL_INT32, {BATCH, FIRST, SIZE / 2, SIZE / 2}, 4, MAX, MAX_BACK},
    [A3] = {"a3", ACL_FLOAT, {BATCH, SECOND, SIZE / 2, SIZE / 2}, 4, CONV2, MEAN_BACK},
    [D3] = {"d3", ACL_FLOAT, {BATCH, SECOND, SIZE / 2, SIZE / 2}, 4, MEAN_BACK, CONV2_BACK},
    [D2] = {"d2", ACL_FLOAT, {BATCH, FIRST, SIZE / 2, SIZE / 2}, 4, CONV2_BACK, MAX_BACK},
    [D1] = {"d1", ACL_FLOAT, {BATCH, FIRST, SIZE, SIZE}, 4, MAX_BACK, CONV1_BACK},
};

static int64_t elements_of(enum tensor tensor)
{
    int64_t elements = 1;
    for (int i = 0; i < descriptions[tensor].rank; i++)
        elements *= descriptions[tensor].dims[i];
    return elements;
}

static uint64_t bytes_of(enum tensor tensor)
{
    return (uint64_t)elements_of(tensor) * aclDataTypeSize(descriptions[tensor].type);
}

/* ---- memory -------------------------------------------------------------------------------------
 */

static void *new_block(uint64_t bytes)
{
    void *block;
    CHECK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}

/* Where everything lies for one way of running the step. */
struct memory {
    void *tensors[TENSORS];
    void *workspaces[STEPS];
};

/* The block of a solved plan and what has its place in it. */
struct planned {
    aclnnextMemoryPlan *plan;
    int32_t tensors[TENSORS], workspaces[STEPS];
};

static void plan_tensors(struct planned *p)
{
    CHECK(aclnnextMemoryPlanCreate(&p->plan));
    for (enum tensor t = OWN; t < TENSORS; t++) {
        const struct description *d = &descriptions[t];
        CHECK(aclnnextMemoryPlanAddBuffer(p->plan, d->name, bytes_of(t), 0, d->first, d->last,
                                          &p->tensors[t]));
    }
}

static void *place(const struct planned *p, void *block, int32_t buffer)
{
    uint64_t offset;
    CHECK(aclnnextMemoryPlanGetOffset(p->plan, buffer, &offset));
    return (char *)block + offset;
}

/* The block with the step's tensors and workspaces; the program's own stay where they are. */
static void *place_all(const struct planned *p, const struct memory *own, struct memory *memory)
{
    aclnnextMemoryPlanSummary summary;
    CHECK(aclnnextMemoryPlanGetSummary(p->plan, &summary));
    void *block = new_block(summary.totalSize);
    *memory = *own;
    for (enum tensor t = OWN; t < TENSORS; t++)
        memory->tensors[t] = place(p, block, p->tensors[t]);
    for (int step = 0; step < STEPS; step++)
        memory->workspaces[step] = place(p, block, p->workspaces[step]);
    return block;
}

/* ---- the step -----------------------------------------------------------------------------------
 */

/* What the operators of a step have in common while they are submitted. */
struct run {
    struct memory *memory;
    struct planned *planned; /* to be told of the workspaces; NULL: they have their places */
    aclTensor *tensors[TENSORS];
    aclIntArray *ones, *twos, *zeros;
    aclrtStream stream;
};

typedef aclnnStatus run_fn(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);

/* Phase 2, and before it a word to the plan. Memory may be freed at once: the library keeps it
 * until the queued work has run. */
static void submit(struct run *r, int step, const char *name, run_fn *run, uint64_t size,
                   aclOpExecutor *executor)
{
    void *workspace = r->memory->workspaces[step];
    if (!r->planned) {
        CHECK(run(workspace, size, executor, r->stream));
        return;
    }
    CHECK(aclnnextMemoryPlanAddWorkspace(r->planned->plan, name, executor, step,
                                         &r->planned->workspaces[step]));
    workspace = size > 0 ? new_block(size) : NULL;
    CHECK(run(workspace, size, executor, r->stream));
    if (workspace) CHECK(aclrtFree(workspace));
}

static void convolve(struct run *r, int step, enum tensor in, enum tensor w, enum tensor b,
                     enum tensor out)
{
    uint64_t size;
    aclOpExecutor *executor;
    CHECK(aclnnConvolutionGetWorkspaceSize(r->tensors[in], r->tensors[w], r->tensors[b], r->ones,
                                           r->ones, r->ones, false, r->zeros, 1, r->tensors[out], 0,
                                           &size, &executor));
    submit(r, step, "convolution", aclnnConvolution, size, executor);
}

/* d_in is -1 where nobody asks for it. */
static void convolve_back(struct run *r, int step, enum tensor d_out, enum tensor in, enum tensor w,
                          int d_in, enum tensor d_w, enum tensor d_b)
{
    uint64_t size;
    aclOpExecutor *executor;
    const bool mask[] = {d_in >= 0, true, true};
    const int64_t channels = descriptions[d_b].dims[0];
    aclBoolArray *wanted = aclCreateBoolArray(mask, 3);
    aclIntArray *bias = aclCreateIntArray(&channels, 1);
    CHECK(aclnnConvolutionBackwardGetWorkspaceSize(
        r->tensors[d_out], r->tensors[in], r->tensors[w], bias, r->ones, r->ones, r->ones, false,
        r->zeros, 1, wanted, 0, d_in < 0 ? NULL : r->tensors[d_in], r->tensors[d_w],
        r->tensors[d_b], &size, &executor));
    submit(r, step, "convolution backward", aclnnConvolutionBackward, size, executor);
    CHECK(aclDestroyBoolArray(wanted));
    CHECK(aclDestroyIntArray(bias));
}

static void pool(struct run *r)
{
    uint64_t size;
    aclOpExecutor *executor;
    CHECK(aclnnMaxPool2dWithIndicesGetWorkspaceSize(r->tensors[A1], r->twos, r->twos, r->zeros,
                                                    r->ones, false, r->tensors[A2],
                                                    r->tensors[WHERE], &size, &executor));
    submit(r, MAX, "max pooling", aclnnMaxPool2dWithIndices, size, executor);
    convolve(r, CONV2, A2, W2, B2, A3);
    CHECK(aclnnAvgPool2dGetWorkspaceSize(r->tensors[A3], r->twos, r->twos, r->zeros, false, true, 0,
                                         0, r->tensors[Y], &size, &executor));
    submit(r, MEAN, "average pooling", aclnnAvgPool2d, size, executor);
}

static void pool_back(struct run *r)
{
    uint64_t size;
    aclOpExecutor *executor;
    CHECK(aclnnAvgPool2dBackwardGetWorkspaceSize(r->tensors[DY], r->tensors[A3], r->twos, r->twos,
                                                 r->zeros, false, true, 0, 0, r->tensors[D3], &size,
                                                 &executor));
    submit(r, MEAN_BACK, "average pooling backward", aclnnAvgPool2dBackward, size, executor);
    convolve_back(r, CONV2_BACK, D3, A2, W2, D2, DW2, DB2);
    CHECK(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
        r->tensors[D2], r->tensors[A1], r->tensors[WHERE], r->twos, r->twos, r->zeros, r->ones,
        false, r->tensors[D1], &size, &executor));
    submit(r, MAX_BACK, "max pooling backward", aclnnMaxPool2dWithIndicesBackward, size, executor);
}

static void submit_step(struct memory *memory, struct planned *planned, aclrtStream stream)
{
    const int64_t one[] = {1, 1}, two[] = {2, 2}, zero[] = {0, 0};
    struct run r = {.memory = memory, .planned = planned, .stream = stream};
    r.ones = aclCreateIntArray(one, 2);
    r.twos = aclCreateIntArray(two, 2);
    r.zeros = aclCreateIntArray(zero, 2);
    for (enum tensor t = 0; t < TENSORS; t++) {
        const struct description *d = &descriptions[t];
        aclFormat format = d->rank == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND;
        int64_t strides[4] = {1, 1, 1, 1};
        for (int i = d->rank - 2; i >= 0; i--)
            strides[i] = strides[i + 1] * d->dims[i + 1];
        r.tensors[t] = aclCreateTensor(d->dims, (uint64_t)d->rank, d->type, strides, 0, format,
                                       d->dims, (uint64_t)d->rank, memory->tensors[t]);
    }
    convolve(&r, CONV1, X, W1, B1, A1);
    pool(&r);
    pool_back(&r);
    convolve_back(&r, CONV1_BACK, D1, X, W1, -1, DW1, DB1);
    for (enum tensor t = 0; t < TENSORS; t++)
        CHECK(aclDestroyTensor(r.tensors[t]));
    CHECK(aclDestroyIntArray(r.ones));
    CHECK(aclDestroyIntArray(r.twos));
    CHECK(aclDestroyIntArray(r.zeros));
}

/* ---- comparing ----------------------------------------------------------------------------------
 */

static const enum tensor results[] = {Y, DW1, DB1, DW2, DB2};
enum { RESULTS = sizeof(results) / sizeof(results[0]) };

static void take_results(const struct memory *memory, void *copies[RESULTS])
{
    for (int i = 0; i < RESULTS; i++) {
        const uint64_t bytes = bytes_of(results[i]);
        copies[i] = malloc(bytes);
        if (!copies[i]) exit(EXIT_FAILURE);
        CHECK(aclrtMemcpy(copies[i], bytes, memory->tensors[results[i]], bytes,
                          ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(aclrtMemset(memory->tensors[results[i]], bytes, 0xFF, bytes));
    }
}

static bool same_results(const struct memory *memory, void *const expected[RESULTS])
{
    void *copies[RESULTS];
    bool same = true;
    take_results(memory, copies);
    for (int i = 0; i < RESULTS; i++) {
        same = same && memcmp(copies[i], expected[i], bytes_of(results[i])) == 0;
        free(copies[i]);
    }
    return same;
}

static void fill(void *tensor, int64_t elements, uint32_t seed)
{
    float *values = malloc((uint64_t)elements * sizeof(float));
    if (!values) exit(EXIT_FAILURE);
    for (int64_t i = 0; i < elements; i++) {
        seed = seed * 1664525U + 1013904223U;
        values[i] = (float)(seed >> 8) / (float)(1 << 23) - 1.0F;
    }
    const uint64_t bytes = (uint64_t)elements * sizeof(float);
    CHECK(aclrtMemcpy(tensor, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    free(values);
}

/* ---- telling ------------------------------------------------------------------------------------
 */

static void tell(const struct planned *p, const char *folder)
{
    const double mib = 1 << 20;
    char path[4096];
    aclnnextMemoryPlanSummary summary;
    CHECK(aclnnextMemoryPlanGetSummary(p->plan, &summary));
    printf("%" PRIu32 " buffers: %.2f MiB each by itself, %.2f MiB planned, %.2f MiB in use at the "
           "busiest step\n",
           summary.bufferCount, (double)summary.separateSize / mib, (double)summary.totalSize / mib,
           (double)summary.mostLiveSize / mib);
    snprintf(path, sizeof(path), "%s/memory_planned_step.svg", folder);
    CHECK(aclnnextMemoryPlanWriteSvg(p->plan, path));
    printf("the plan's picture: %s\n", path);
}

int main(int count, char **arguments)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));

    struct memory separate = {0};
    for (enum tensor t = 0; t < TENSORS; t++)
        separate.tensors[t] = new_block(bytes_of(t));
    for (enum tensor t = 0; t < OWN; t++)
        fill(separate.tensors[t], elements_of(t), (uint32_t)t + 1);

    struct planned planned = {0};
    void *expected[RESULTS];
    plan_tensors(&planned);
    submit_step(&separate, &planned, stream);
    CHECK(aclrtSynchronizeStream(stream));
    take_results(&separate, expected);
    for (enum tensor t = OWN; t < TENSORS; t++)
        CHECK(aclrtFree(separate.tensors[t]));

    uint64_t total;
    CHECK(aclnnextMemoryPlanSolve(planned.plan, &total));
    tell(&planned, count > 1 ? arguments[1] : ".");

    /* Captured calls do not run; the graph keeps the executors, the program the memory. */
    struct memory compact;
    aclmdlRI graph;
    void *block = place_all(&planned, &separate, &compact);
    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    submit_step(&compact, NULL, stream);
    CHECK(aclmdlRICaptureEnd(stream, &graph));

    bool same = true;
    for (int replay = 0; replay < 2; replay++) {
        CHECK(aclmdlRIExecuteAsync(graph, stream));
        CHECK(aclrtSynchronizeStream(stream));
        same = same_results(&compact, expected) && same;
    }
    printf("two replays: the results %s those of the run without a plan\n",
           same ? "equal bit for bit" : "DIFFER from");

    CHECK(aclmdlRIDestroy(graph));
    CHECK(aclnnextMemoryPlanDestroy(planned.plan));
    CHECK(aclrtFree(block));
    for (enum tensor t = 0; t < OWN; t++)
        CHECK(aclrtFree(separate.tensors[t]));
    for (int i = 0; i < RESULTS; i++)
        free(expected[i]);
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}

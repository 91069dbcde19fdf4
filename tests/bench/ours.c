/* SPDX-License-Identifier: Apache-2.0 */
/* This library through its public interface, as a program would call it: descriptors made once, a
 * repeatable executor, and for every run phase 2 and aclrtSynchronizeStream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

#include "tests/bench/contender.h"
#include "tests/bench/stats.h"

enum { SAMPLES = 1001, BATCHES = 101, BATCH = 32, RANK = 4 };

/* Everything one call of the operator needs. */
struct call {
    aclTensor *dy, *self, *dx;
    aclIntArray *kernel, *stride, *padding;
    const struct test_case *test;
    void *workspace;
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

struct op {
    const char *name;
    aclnnStatus (*prepare)(struct call *call);
    aclnnStatus (*execute)(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);
};

static aclnnStatus prepare_avg_pool2d_backward(struct call *call)
{
    const struct test_case *test = call->test;
    return aclnnAvgPool2dBackwardGetWorkspaceSize(call->dy, call->self, call->kernel, call->stride,
                                                  call->padding, test->ceil, !test->exclude_pad,
                                                  test->divisor, (int8_t)test->math, call->dx,
                                                  &call->workspace_size, &call->executor);
}

static const struct op ops[] = {
    {"avg_pool2d_backward", prepare_avg_pool2d_backward, aclnnAvgPool2dBackward},
};

static aclrtStream stream;
static const struct op *op;
static struct call call;
static struct test_case current;
static struct {
    void *data;
    size_t size;
} memory[2];

static void *device_memory(int slot, size_t bytes)
{
    if (bytes > memory[slot].size) {
        if (memory[slot].data != NULL) aclrtFree(memory[slot].data);
        memory[slot].data = NULL;
        if (aclrtMalloc(&memory[slot].data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
            abort();
        memory[slot].size = bytes;
        memset(memory[slot].data, 0xFF, bytes);
    }
    return memory[slot].data;
}

static aclTensor *tensor_of(const struct test_case *test, bool is_output, bool is_channels_last,
                            void *data)
{
    static const aclDataType types[] = {
        [CASE_F32] = ACL_FLOAT, [CASE_F16] = ACL_FLOAT16, [CASE_BF16] = ACL_BF16};
    struct case_window h = case_window(test, 0), w = case_window(test, 1);
    int64_t height = is_output ? h.output : h.input, width = is_output ? w.output : w.input;
    int64_t channels = test->channels;
    int64_t dims[RANK] = {test->batch, channels, height, width};
    int64_t first[RANK] = {channels * height * width, height * width, width, 1};
    int64_t last[RANK] = {channels * height * width, 1, width * channels, channels};
    return aclCreateTensor(dims, RANK, types[test->dtype], is_channels_last ? last : first, 0,
                           ACL_FORMAT_NCHW, dims, RANK, data);
}

static void call_close(struct call *c)
{
    if (c->executor != NULL) aclDestroyAclOpExecutor(c->executor);
    if (c->workspace != NULL) aclrtFree(c->workspace);
    aclDestroyTensor(c->dy);
    aclDestroyTensor(c->self);
    aclDestroyTensor(c->dx);
    aclDestroyIntArray(c->kernel);
    aclDestroyIntArray(c->stride);
    aclDestroyIntArray(c->padding);
    *c = (struct call){0};
}

static void call_open(struct call *c, const struct test_case *test, bool is_channels_last, void *dy,
                      void *dx)
{
    *c = (struct call){.test = test};
    c->dy = tensor_of(test, true, is_channels_last, dy);
    c->self = tensor_of(test, false, is_channels_last, dx);
    c->dx = tensor_of(test, false, is_channels_last, dx);
    c->kernel = aclCreateIntArray(test->kernel, (uint64_t)test->kernel_length);
    c->stride = aclCreateIntArray(test->stride, (uint64_t)test->stride_length);
    c->padding = aclCreateIntArray(test->pad, (uint64_t)test->pad_length);
}

/* Makes the executor repeatable and gives it its workspace. */
static bool call_keep(struct call *c)
{
    if (op->prepare(c) != ACL_SUCCESS) return false;
    if (aclSetAclOpExecutorRepeatable(c->executor) != ACL_SUCCESS) return false;
    return c->workspace_size == 0 ||
           aclrtMalloc(&c->workspace, c->workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS;
}

static const struct op *find_op(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, name) == 0) return &ops[i];
    return NULL;
}

static bool set_up(const struct bench_problem *problem, char *note, size_t note_size)
{
    call_close(&call);
    current = problem->test;
    op = find_op(current.op);
    if (op == NULL || problem->format == BENCH_BLOCKED) {
        snprintf(note, note_size, "not an operator or format of this library");
        return false;
    }
    void *dy = device_memory(0, problem->dy_bytes), *dx = device_memory(1, problem->dx_bytes);
    if (!bench_load(problem, dy, note, note_size)) return false;
    call_open(&call, &current, problem->format == BENCH_NHWC, dy, dx);
    if (!call_keep(&call)) {
        const char *text = aclGetRecentErrMsg();
        snprintf(note, note_size, "%s", text == NULL ? "phase 1 failed" : text);
        return false;
    }
    snprintf(note, note_size, "workspace %llu bytes", (unsigned long long)call.workspace_size);
    return true;
}

static double run(int64_t count)
{
    aclError status = ACL_SUCCESS;
    double begin = stats_now();
    for (int64_t i = 0; i < count; i++) {
        status |= op->execute(call.workspace, call.workspace_size, call.executor, stream);
        status |= aclrtSynchronizeStream(stream);
    }
    double seconds = stats_now() - begin;
    if (status != ACL_SUCCESS) {
        fprintf(stderr, "a run failed: %s\n", aclGetRecentErrMsg());
        exit(1);
    }
    return seconds;
}

static void *output(void)
{
    return memory[1].data;
}

static double elapsed(double *since)
{
    double now = stats_now(), seconds = now - *since;
    *since = now;
    return seconds;
}

/* Host time of one call of each phase: the stream is idle before each, and waited for outside the
 * clock. The clock's own cost, some 20 ns, is in the figures. */
static void add_phases(cJSON *figures, struct call *c)
{
    static double first[SAMPLES], second[SAMPLES], again[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double clock = stats_now();
        if (op->prepare(c) != ACL_SUCCESS) return;
        first[i] = elapsed(&clock) * 1e6;
        op->execute(c->workspace, c->workspace_size, c->executor, stream);
        second[i] = elapsed(&clock) * 1e6;
        aclrtSynchronizeStream(stream);
    }
    c->executor = NULL;
    if (!call_keep(c)) return;
    for (int i = 0; i < SAMPLES; i++) {
        double clock = stats_now();
        op->execute(c->workspace, c->workspace_size, c->executor, stream);
        again[i] = elapsed(&clock) * 1e6;
        aclrtSynchronizeStream(stream);
    }
    cJSON_AddNumberToObject(figures, "phase_1", stats_median(first, SAMPLES));
    cJSON_AddNumberToObject(figures, "phase_2", stats_median(second, SAMPLES));
    cJSON_AddNumberToObject(figures, "phase_2_repeatable", stats_median(again, SAMPLES));
}

/* Submit and synchronise of an operator that has nothing to do. */
static void add_empty(cJSON *figures, struct call *c)
{
    double times[BATCHES];
    if (!call_keep(c)) return;
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = stats_now();
        for (int i = 0; i < BATCH; i++) {
            op->execute(c->workspace, c->workspace_size, c->executor, stream);
            aclrtSynchronizeStream(stream);
        }
        times[batch] = (stats_now() - begin) / BATCH * 1e6;
    }
    cJSON_AddNumberToObject(figures, "empty_submit_synchronize", stats_median(times, BATCHES));
}

static void figures(cJSON *figures)
{
    struct test_case test;
    char error[128];
    if (!case_parse("avg_pool2d_backward f32 n1c16 14x14 k2 s2", &test, error, sizeof error))
        return;
    size_t bytes = (size_t)case_input_elements(&test) * sizeof(float);
    void *dy = device_memory(0, bytes), *dx = device_memory(1, bytes);
    memset(dy, 0x3E, (size_t)case_output_elements(&test) * sizeof(float));
    op = find_op(test.op);
    cJSON_AddStringToObject(figures, "unit", "microseconds");
    struct call c;
    call_open(&c, &test, false, dy, dx);
    add_phases(figures, &c);
    call_close(&c);
    struct test_case empty = test;
    empty.batch = 0;
    call_open(&c, &empty, false, dy, dx);
    add_empty(figures, &c);
    call_close(&c);
}

static void hello(cJSON *reply)
{
    const char *isa = getenv("ACLNN_CPU_ISA");
    if (isa != NULL) cJSON_AddStringToObject(reply, "version", isa);
}

int main(void)
{
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&stream) != ACL_SUCCESS) {
        fprintf(stderr, "%s\n", aclGetRecentErrMsg());
        return 1;
    }
    int status = bench_serve(&(struct bench_contender){
        .name = "aclnn-cpu",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .output = output,
        .figures = figures,
    });
    call_close(&call);
    for (int slot = 0; slot < 2; slot++)
        if (memory[slot].data != NULL) aclrtFree(memory[slot].data);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return status;
}

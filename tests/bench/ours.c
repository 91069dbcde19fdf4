/* SPDX-License-Identifier: Apache-2.0 */
/* This library through its public interface, as a program would call it: descriptors made once, a
 * repeatable executor, and for every run phase 2 and aclrtSynchronizeStream. */
#include "tests/bench/ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/contender.h"
#include "tests/bench/stats.h"

static aclrtStream stream;
static struct bench_problem current;
static struct call call;
static struct {
    void *data;
    size_t size;
} memory[BENCH_TENSORS];

static void *device_memory(int tensor, size_t bytes)
{
    if (bytes > memory[tensor].size) {
        if (memory[tensor].data != NULL) aclrtFree(memory[tensor].data);
        memory[tensor].data = NULL;
        if (aclrtMalloc(&memory[tensor].data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
            abort();
        memory[tensor].size = bytes;
        memset(memory[tensor].data, 0xFF, bytes);
    }
    return memory[tensor].data;
}

/* Of the element at that place in memory. */
static int64_t plane_at(int64_t place, int64_t plane_size)
{
    int64_t channels = current.test.channels;
    if (current.format == BENCH_NCHW) return place / plane_size;
    return place / (plane_size * channels) * channels + place % channels;
}

/* Plane offsets to offsets in the whole large side. */
static void convert_indices(int tensor, void *data)
{
    const struct bench_tensor *t = &current.tensor[tensor];
    if (t->role != CASE_I || current.op->indices != BENCH_IN_TENSOR) return;
    int64_t cells = current.tensor[bench_tensor_of(&current, CASE_DX)].plane;
    for (int64_t i = 0; i < current.planes * t->plane; i++) {
        int64_t before = plane_at(i, t->plane) * cells;
        if (t->dtype == CASE_I64)
            ((int64_t *)data)[i] += before;
        else
            ((int32_t *)data)[i] += (int32_t)before;
    }
}

/* A tensor that is given for its shape alone lies on the result, which has that shape. */
static bool load(void *data[BENCH_TENSORS], char *note, size_t note_size)
{
    for (int i = 0; i < current.tensors; i++)
        if (current.tensor[i].use != BENCH_SHAPE)
            data[i] = device_memory(i, call_tensor_bytes(&current, i));
    for (int i = 0; i < current.tensors; i++) {
        if (current.tensor[i].use == BENCH_SHAPE) data[i] = data[current.tensors - 1];
        if (current.tensor[i].use != BENCH_READS) continue;
        if (!bench_load(&current, i, data[i], note, note_size)) return false;
        convert_indices(i, data[i]);
    }
    return true;
}

static bool set_up(const struct bench_problem *problem, char *note, size_t note_size)
{
    void *data[BENCH_TENSORS] = {NULL};
    call_close(&call);
    current = *problem;
    if (problem->format == BENCH_BLOCKED) {
        snprintf(note, note_size, "not a format of this library");
        return false;
    }
    if (!load(data, note, note_size)) return false;
    if (!call_open(&call, &current, data) || !call_keep(&call)) {
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
        status |= call_execute(&call, stream);
        status |= aclrtSynchronizeStream(stream);
    }
    double seconds = stats_now() - begin;
    if (status != ACL_SUCCESS) {
        fprintf(stderr, "a run failed: %s\n", aclGetRecentErrMsg());
        exit(1);
    }
    return seconds;
}

static void *output(int tensor)
{
    return memory[tensor].data;
}

static void figures(cJSON *figures)
{
    host_times(figures, stream);
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
    for (int tensor = 0; tensor < BENCH_TENSORS; tensor++)
        if (memory[tensor].data != NULL) aclrtFree(memory[tensor].data);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return status;
}

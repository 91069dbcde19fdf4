/* SPDX-License-Identifier: Apache-2.0 */
/* This library's convolution through its public interface: descriptors made once, a repeatable
 * executor, and for every run phase 2 and aclrtSynchronizeStream. Layouts: nchw, and nhwc, which is
 * a view of channels-last activations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/bench/conv_contender.h"
#include "tests/bench/stats.h"

struct slot {
    const struct conv_problem *problem;
    void *data[LAYER_TENSORS], *other[LAYER_TENSORS]; /* what is read; results */
    aclTensor *tensor[LAYER_TENSORS], *result[LAYER_TENSORS];
    aclIntArray *stride, *pad, *dilation, *none, *bias_sizes;
    aclBoolArray *mask;
    void *workspace;
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

static aclrtStream stream;
static struct slot slots[CONV_SLOTS];

static size_t bytes_of(const struct slot *s, int tensor)
{
    return (size_t)layer_elements(&s->problem->layer, (enum layer_tensor)tensor) *
           layer_element_size(s->problem->dtype);
}

static bool is_last(const struct slot *s, int tensor)
{
    return strcmp(s->problem->layout, "nhwc") == 0 && (tensor == LAYER_X || tensor == LAYER_Y);
}

static bool is_result(const struct slot *s, int tensor)
{
    const enum layer_pass pass = s->problem->pass;
    return tensor == (int)layer_result(pass) || (pass == LAYER_WEIGHT && tensor == LAYER_B);
}

static aclTensor *describe(const struct slot *s, int tensor, void *data)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_BF16, ACL_FLOAT16};
    static const aclFormat formats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    int64_t dims[LAYER_RANK], strides[LAYER_RANK];
    const int rank = layer_dims(&s->problem->layer, (enum layer_tensor)tensor, dims);
    int64_t step = is_last(s, tensor) ? dims[1] : 1;
    for (int d = rank - 1; d >= (rank > 1 ? 2 : 0); d--) {
        strides[d] = step;
        step *= dims[d];
    }
    if (rank > 1) {
        strides[1] = is_last(s, tensor) ? 1 : step;
        strides[0] = is_last(s, tensor) ? step : step * dims[1];
    }
    return aclCreateTensor(dims, (uint64_t)rank, types[s->problem->dtype], strides, 0,
                           rank == 1 ? ACL_FORMAT_ND : formats[rank - 3], dims, (uint64_t)rank,
                           data);
}

/* Between channels first and channels last. */
static void turn(const struct slot *s, int tensor, const char *from, char *to, bool to_last)
{
    const size_t size = layer_element_size(s->problem->dtype);
    int64_t dims[LAYER_RANK], positions = 1;
    const int rank = layer_dims(&s->problem->layer, (enum layer_tensor)tensor, dims);
    for (int d = 2; d < rank; d++)
        positions *= dims[d];
    for (int64_t n = 0; n < dims[0]; n++)
        for (int64_t c = 0; c < dims[1]; c++)
            for (int64_t i = 0; i < positions; i++) {
                const size_t first = (size_t)((n * dims[1] + c) * positions + i) * size;
                const size_t last = (size_t)((n * positions + i) * dims[1] + c) * size;
                memcpy(to + (to_last ? last : first), from + (to_last ? first : last), size);
            }
}

static bool load(struct slot *s, char *note, size_t note_size)
{
    for (int i = 0; i < LAYER_TENSORS; i++) {
        const size_t bytes = bytes_of(s, i);
        if (aclrtMalloc(&s->data[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
            aclrtMalloc(&s->other[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
            abort();
        memset(s->other[i], 0xFF, bytes);
        char *dense = is_last(s, i) ? s->other[i] : s->data[i];
        if (!conv_read(s->problem, (enum layer_tensor)i, dense, note, note_size)) return false;
        if (is_last(s, i)) turn(s, i, dense, s->data[i], true);
        s->tensor[i] = describe(s, i, s->data[i]);
        if (is_result(s, i)) s->result[i] = describe(s, i, s->other[i]);
    }
    return true;
}

static aclnnStatus prepare(struct slot *s)
{
    const struct conv_layer *l = &s->problem->layer;
    const int64_t zeros[LAYER_AXES] = {0};
    const uint64_t axes = (uint64_t)l->axes;
    s->stride = aclCreateIntArray(l->stride, axes);
    s->pad = aclCreateIntArray(l->pad, axes);
    s->dilation = aclCreateIntArray(l->dilation, axes);
    s->none = aclCreateIntArray(zeros, axes);
    s->bias_sizes = aclCreateIntArray(&l->to, 1);
    if (s->problem->pass == LAYER_FORWARD)
        return aclnnConvolutionGetWorkspaceSize(s->tensor[LAYER_X], s->tensor[LAYER_W],
                                                s->tensor[LAYER_B], s->stride, s->pad, s->dilation,
                                                false, s->none, l->groups, s->result[LAYER_Y], 0,
                                                &s->workspace_size, &s->executor);
    const bool of_weight = s->problem->pass == LAYER_WEIGHT;
    const bool mask[] = {!of_weight, of_weight, of_weight};
    s->mask = aclCreateBoolArray(mask, 3);
    return aclnnConvolutionBackwardGetWorkspaceSize(
        s->tensor[LAYER_Y], s->tensor[LAYER_X], s->tensor[LAYER_W], s->bias_sizes, s->stride,
        s->pad, s->dilation, false, s->none, (int)l->groups, s->mask, 0, s->result[LAYER_X],
        s->result[LAYER_W], s->result[LAYER_B], &s->workspace_size, &s->executor);
}

static void clear(int slot)
{
    struct slot *s = &slots[slot];
    if (s->executor != NULL) aclDestroyAclOpExecutor(s->executor);
    if (s->workspace != NULL) aclrtFree(s->workspace);
    for (int i = 0; i < LAYER_TENSORS; i++) {
        aclDestroyTensor(s->tensor[i]);
        aclDestroyTensor(s->result[i]);
        if (s->data[i] != NULL) aclrtFree(s->data[i]);
        if (s->other[i] != NULL) aclrtFree(s->other[i]);
    }
    aclDestroyIntArray(s->stride);
    aclDestroyIntArray(s->pad);
    aclDestroyIntArray(s->dilation);
    aclDestroyIntArray(s->none);
    aclDestroyIntArray(s->bias_sizes);
    aclDestroyBoolArray(s->mask);
    *s = (struct slot){0};
}

static bool set_up(int slot, const struct conv_problem *problem, char *note, size_t note_size)
{
    struct slot *s = &slots[slot];
    *s = (struct slot){.problem = problem};
    if (strcmp(problem->layout, "nchw") != 0 && strcmp(problem->layout, "nhwc") != 0) {
        snprintf(note, note_size, "not a layout of this library");
        return false;
    }
    if (!load(s, note, note_size)) return false;
    if (prepare(s) != ACL_SUCCESS || aclSetAclOpExecutorRepeatable(s->executor) != ACL_SUCCESS ||
        (s->workspace_size > 0 &&
         aclrtMalloc(&s->workspace, s->workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)) {
        const char *text = aclGetRecentErrMsg();
        snprintf(note, note_size, "%s", text == NULL ? "phase 1 failed" : text);
        return false;
    }
    snprintf(note, note_size, "workspace %llu bytes", (unsigned long long)s->workspace_size);
    return true;
}

static double run(int slot, int64_t count)
{
    const struct slot *s = &slots[slot];
    aclError status = ACL_SUCCESS;
    const double begin = stats_now();
    for (int64_t i = 0; i < count; i++) {
        if (s->problem->pass == LAYER_FORWARD)
            status |= aclnnConvolution(s->workspace, s->workspace_size, s->executor, stream);
        else
            status |=
                aclnnConvolutionBackward(s->workspace, s->workspace_size, s->executor, stream);
        status |= aclrtSynchronizeStream(stream);
    }
    const double seconds = stats_now() - begin;
    if (status != ACL_SUCCESS) {
        fprintf(stderr, "a run failed: %s\n", aclGetRecentErrMsg());
        exit(1);
    }
    return seconds;
}

static void poison(int slot)
{
    const struct slot *s = &slots[slot];
    for (int i = 0; i < LAYER_TENSORS; i++)
        if (is_result(s, i)) memset(s->other[i], 0xFF, bytes_of(s, i));
}

static bool result(int slot, void *dense)
{
    const struct slot *s = &slots[slot];
    char *to = dense;
    for (int i = 0; i < LAYER_TENSORS; i++) {
        if (!is_result(s, i)) continue;
        if (is_last(s, i))
            turn(s, i, s->other[i], to, false);
        else
            memcpy(to, s->other[i], bytes_of(s, i));
        to += bytes_of(s, i);
    }
    return true;
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
    const int status = conv_serve(&(struct conv_contender){
        .name = "aclnn-cpu",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .poison = poison,
        .result = result,
        .clear = clear,
    });
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return status;
}

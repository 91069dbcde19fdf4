/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams and an event between them: one copies batches in, the other computes on each batch as
 * soon as it has arrived. One repeatable executor serves all batches; before each run it is pointed
 * at that batch's memory. At the end a call is refused, and the library says why. */
#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 3, CHANNELS = 8, OUT = 16, IN = 32, DY = CHANNELS * OUT * OUT };
enum { DX = CHANNELS * IN * IN };

static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

struct batch {
    float *host_dy,
        *host_dx;       /* pinned host memory: copies from and to it do not block the caller */
    void *dy, *dx;      /* device memory */
    aclrtEvent arrived; /* dy has been copied in */
};

static void batch_new(struct batch *b, float value)
{
    void *host_dy, *host_dx;
    CHECK(aclrtMallocHost(&host_dy, DY * sizeof(float)));
    CHECK(aclrtMallocHost(&host_dx, DX * sizeof(float)));
    b->host_dy = host_dy;
    b->host_dx = host_dx;
    for (int i = 0; i < DY; i++)
        b->host_dy[i] = value;
    CHECK(aclrtMalloc(&b->dy, DY * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&b->dx, DX * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtCreateEvent(&b->arrived));
}

static void batch_free(struct batch *b)
{
    CHECK(aclrtDestroyEvent(b->arrived));
    CHECK(aclrtFree(b->dx));
    CHECK(aclrtFree(b->dy));
    CHECK(aclrtFreeHost(b->host_dx));
    CHECK(aclrtFreeHost(b->host_dy));
}

static aclTensor *describe(int64_t extent)
{
    const int64_t dims[] = {1, CHANNELS, extent, extent};
    const int64_t strides[] = {CHANNELS * extent * extent, extent * extent, extent, 1};
    return aclCreateTensor(dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, dims, 4, NULL);
}

/* What one executor needs; the tensors stay alive, because their addresses are set before a run. */
struct pooling {
    aclTensor *dy, *self, *dx;
    aclIntArray *kernel, *stride, *padding;
    aclOpExecutor *executor;
    void *workspace;
    uint64_t workspace_size;
};

static void pooling_new(struct pooling *p)
{
    const int64_t two[] = {2, 2}, zero[] = {0, 0};
    p->dy = describe(OUT);
    p->self = describe(IN);
    p->dx = describe(IN);
    p->kernel = aclCreateIntArray(two, 2);
    p->stride = aclCreateIntArray(two, 2);
    p->padding = aclCreateIntArray(zero, 2);
    p->workspace = NULL;
    CHECK(aclnnAvgPool2dBackwardGetWorkspaceSize(p->dy, p->self, p->kernel, p->stride, p->padding,
                                                 false, true, 0, 0, p->dx, &p->workspace_size,
                                                 &p->executor));
    CHECK(aclSetAclOpExecutorRepeatable(p->executor));
    if (p->workspace_size > 0) {
        CHECK(aclrtMalloc(&p->workspace, p->workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
}

static void pooling_run(struct pooling *p, const struct batch *b, aclrtStream stream)
{
    CHECK(aclSetInputTensorAddr(p->executor, 0, p->dy, b->dy));
    CHECK(aclSetOutputTensorAddr(p->executor, 0, p->dx, b->dx));
    CHECK(aclnnAvgPool2dBackward(p->workspace, p->workspace_size, p->executor, stream));
}

static void pooling_free(struct pooling *p)
{
    CHECK(aclDestroyAclOpExecutor(p->executor));
    if (p->workspace) CHECK(aclrtFree(p->workspace));
    aclDestroyTensor(p->dy);
    aclDestroyTensor(p->self);
    aclDestroyTensor(p->dx);
    aclDestroyIntArray(p->kernel);
    aclDestroyIntArray(p->stride);
    aclDestroyIntArray(p->padding);
}

/* A window that moves by 0: phase 1 refuses it with a code and a sentence. */
static void refused_call(const struct pooling *p)
{
    const int64_t zero[] = {0, 0};
    aclIntArray *stride = aclCreateIntArray(zero, 2);
    uint64_t size;
    aclOpExecutor *executor;
    int code = aclnnAvgPool2dBackwardGetWorkspaceSize(p->dy, p->self, p->kernel, stride, p->padding,
                                                      false, true, 0, 0, p->dx, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    printf("a refused call: code %d\n  %s\n", code, text ? text : "(no text)");
    aclDestroyIntArray(stride);
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream copies, work;
    CHECK(aclrtCreateStream(&copies));
    CHECK(aclrtCreateStream(&work));

    struct batch batches[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        batch_new(&batches[i], 4.0F * (float)(i + 1));
    struct pooling pooling;
    pooling_new(&pooling);

    /* Everything is queued at once; the event makes each run wait for its own copy only. */
    for (int i = 0; i < BATCHES; i++) {
        struct batch *b = &batches[i];
        CHECK(aclrtMemcpyAsync(b->dy, DY * sizeof(float), b->host_dy, DY * sizeof(float),
                               ACL_MEMCPY_HOST_TO_DEVICE, copies));
        CHECK(aclrtRecordEvent(b->arrived, copies));
        CHECK(aclrtStreamWaitEvent(work, b->arrived));
        pooling_run(&pooling, b, work);
        CHECK(aclrtMemcpyAsync(b->host_dx, DX * sizeof(float), b->dx, DX * sizeof(float),
                               ACL_MEMCPY_DEVICE_TO_HOST, work));
    }
    CHECK(aclrtSynchronizeStream(work));

    /* A 2x2 window shares its gradient 4 (i + 1) among 4 elements. */
    for (int i = 0; i < BATCHES; i++) {
        double sum = 0;
        for (int k = 0; k < DX; k++)
            sum += (double)batches[i].host_dx[k];
        printf("batch %d: every element is %g, their mean %g\n", i, (double)batches[i].host_dx[0],
               sum / DX);
    }
    refused_call(&pooling);

    pooling_free(&pooling);
    for (int i = 0; i < BATCHES; i++)
        batch_free(&batches[i]);
    CHECK(aclrtDestroyStream(copies));
    CHECK(aclrtDestroyStream(work));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers by turns: one stream uploads the next batch while another computes the last one.
 * The upload of batch i overwrites batch i - 2, so it must wait until that one has been computed;
 * here it waits for batch i - 3. Whether the numbers are right depends on the schedule; the report
 * does not:
 *     ACLNN_CPU_CHECK=race ./checked          # names the two operations, and what would order them
 *     ACLNN_CPU_CHECK=race ./checked right    # is silent */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_abs.h"

enum { BATCHES = 6, SLOTS = 2, COUNT = 1024, BYTES = COUNT * sizeof(float) };

#define CHECK(call) check((call), #call)

static void check(int status, const char *call)
{
    if (status == 0) return;
    fprintf(stderr, "%s returned %d: %s\n", call, status, aclGetRecentErrMsg());
    exit(1);
}

struct loop {
    aclrtStream loads, computes;
    aclrtEvent loaded[BATCHES], computed[BATCHES];
    void *slots[SLOTS], *results[BATCHES];
    float *host; /* pinned: BATCHES of them */
};

static void compute(const struct loop *l, void *in, void *out)
{
    const int64_t count = COUNT, one = 1;
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *from = aclCreateTensor(&count, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &count, 1, in);
    aclTensor *to = aclCreateTensor(&count, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &count, 1, out);
    CHECK(aclnnAbsGetWorkspaceSize(from, to, &size, &executor));
    CHECK(aclnnAbs(NULL, 0, executor, l->computes));
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

static void run(const struct loop *l, int distance)
{
    for (int i = 0; i < BATCHES; i++) {
        void *slot = l->slots[i % SLOTS];
        if (i >= distance) CHECK(aclrtStreamWaitEvent(l->loads, l->computed[i - distance]));
        CHECK(aclrtMemcpyAsync(slot, BYTES, l->host + (size_t)i * COUNT, BYTES,
                               ACL_MEMCPY_HOST_TO_DEVICE, l->loads));
        CHECK(aclrtRecordEvent(l->loaded[i], l->loads));
        CHECK(aclrtStreamWaitEvent(l->computes, l->loaded[i]));
        compute(l, slot, l->results[i]);
        CHECK(aclrtRecordEvent(l->computed[i], l->computes));
    }
    CHECK(aclrtSynchronizeDevice());
}

static void open_loop(struct loop *l)
{
    void *host;
    CHECK(aclrtCreateStream(&l->loads));
    CHECK(aclrtCreateStream(&l->computes));
    CHECK(aclrtMallocHost(&host, BATCHES * (size_t)BYTES));
    l->host = host;
    for (int batch = 0; batch < BATCHES; batch++)
        for (int i = 0; i < COUNT; i++)
            l->host[batch * COUNT + i] = (float)(-1 - batch);
    for (int i = 0; i < SLOTS; i++)
        CHECK(aclrtMalloc(&l->slots[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < BATCHES; i++) {
        CHECK(aclrtMalloc(&l->results[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtCreateEvent(&l->loaded[i]));
        CHECK(aclrtCreateEvent(&l->computed[i]));
    }
}

static void close_loop(const struct loop *l)
{
    for (int i = 0; i < BATCHES; i++) {
        CHECK(aclrtFree(l->results[i]));
        CHECK(aclrtDestroyEvent(l->loaded[i]));
        CHECK(aclrtDestroyEvent(l->computed[i]));
    }
    for (int i = 0; i < SLOTS; i++)
        CHECK(aclrtFree(l->slots[i]));
    CHECK(aclrtFreeHost(l->host));
    CHECK(aclrtDestroyStream(l->loads));
    CHECK(aclrtDestroyStream(l->computes));
}

int main(int count, char **arguments)
{
    struct loop l;
    float first;
    const int is_right = count > 1 && strcmp(arguments[1], "right") == 0;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    open_loop(&l);
    run(&l, is_right ? SLOTS : SLOTS + 1);
    for (int i = 0; i < BATCHES; i++) {
        CHECK(aclrtMemcpy(&first, sizeof first, l.results[i], sizeof first,
                          ACL_MEMCPY_DEVICE_TO_HOST));
        printf("batch %d: %g\n", i, (double)first);
    }
    close_loop(&l);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

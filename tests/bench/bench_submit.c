/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls cost that queue the least work, each the shortest of many rounds: run with
 * ACLNN_CPU_CHECK and without, it tells what the checker adds to a call (docs/checker.md). */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "runtime/support/futex.h"

enum { ROUNDS = 100, CALLS = 20000, BYTES = 64 };

static aclrtStream stream;
static aclrtEvent event;
static void *memory;

static void check(int status)
{
    if (status == 0) return;
    fprintf(stderr, "bench_submit: %s\n", aclGetRecentErrMsg());
    exit(2);
}

static void record(void)
{
    check(aclrtRecordEvent(event, stream));
}

static void fill(void)
{
    check(aclrtMemsetAsync(memory, BYTES, 0, BYTES, stream));
}

static void fill_and_wait(void)
{
    fill();
    check(aclrtSynchronizeStream(stream));
}

/* What is queued runs between the rounds. */
static void tell(const char *what, void (*call)(void))
{
    int64_t shortest = INT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t start = rt_now_ns();
        for (int i = 0; i < CALLS; i++)
            call();
        const int64_t took = rt_now_ns() - start;
        if (took < shortest) shortest = took;
        check(aclrtSynchronizeStream(stream));
    }
    printf("  %-44s %6.0f ns\n", what, (double)shortest / CALLS);
}

int main(void)
{
    const char *kinds = getenv("ACLNN_CPU_CHECK");
    printf("ACLNN_CPU_CHECK %s\n", kinds ? kinds : "(unset)");
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    check(aclrtCreateEvent(&event));
    check(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    tell("aclrtRecordEvent", record);
    tell("aclrtMemsetAsync of 64 bytes", fill);
    tell("the same, and aclrtSynchronizeStream", fill_and_wait);
    check(aclrtFree(memory));
    check(aclrtDestroyEvent(event));
    check(aclrtDestroyStream(stream));
    check(aclrtResetDevice(0));
    check(aclFinalize());
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that learn together: each has a part of the points of a line and adds up its gradient,
 * AllReduce makes the gradient of all, and every rank takes the same step.
 *
 *     ranks.sh 2 all_reduce     starts two on this machine; ranks.h tells of other ways
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "ranks.h"

enum { POINTS = 1 << 12, STEPS = 200, NUMBERS = 2 };

static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((int)(call), #call)

/* Point i lies on y = 3 x + 1. */
static float point(uint32_t i)
{
    return (float)(i % 64) / 32 - 1;
}

/* This rank's part of the gradient of the squared error. */
static void own_gradient(const float weights[NUMBERS], uint32_t rank, uint32_t ranks,
                         float *gradient)
{
    gradient[0] = gradient[1] = 0;
    for (uint32_t i = rank; i < POINTS; i += ranks) {
        const float x = point(i), error = weights[0] * x + weights[1] - (3 * x + 1);
        gradient[0] += error * x;
        gradient[1] += error;
    }
}

int main(int argc, char **argv)
{
    const size_t bytes = NUMBERS * sizeof(float);
    struct ranks ranks;
    aclrtStream stream;
    void *host, *device, *all;
    if (argc != 2) {
        fprintf(stderr, "usage: all_reduce FILE, where the root info is left\n");
        return EXIT_FAILURE;
    }
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMallocHost(&host, bytes));
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ranks_open(&ranks, argv[1]);
    CHECK(aclrtMalloc(&all, ranks.count * bytes, ACL_MEM_MALLOC_HUGE_FIRST));

    float weights[NUMBERS] = {0, 0}, *gradient = host;
    for (int step = 0; step < STEPS; step++) {
        own_gradient(weights, ranks.own, ranks.count, gradient);
        /* The three are queued at once and run in this order. */
        CHECK(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK(HcclAllReduce(device, device, NUMBERS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                            ranks.comm, stream));
        CHECK(aclrtMemcpyAsync(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK(aclrtSynchronizeStream(stream));
        for (int i = 0; i < NUMBERS; i++)
            weights[i] -= gradient[i] * (1.0F / POINTS);
    }

    /* All have taken the same steps: their weights are the same bits. */
    uint32_t own[NUMBERS], others[NUMBERS];
    memcpy(own, weights, bytes);
    CHECK(aclrtMemcpy(device, bytes, own, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(HcclAllGather(device, all, NUMBERS, HCCL_DATA_TYPE_FP32, ranks.comm, stream));
    CHECK(aclrtSynchronizeStream(stream));
    for (uint32_t r = 0; r < ranks.count; r++) {
        CHECK(
            aclrtMemcpy(others, bytes, (char *)all + r * bytes, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        if (memcmp(others, own, bytes) != 0) {
            fprintf(stderr, "rank %u has other weights than rank %u\n", r, ranks.own);
            return EXIT_FAILURE;
        }
    }
    if (ranks.own == 0)
        printf("%u ranks: y = %.3f x + %.3f, the same bits on all\n", ranks.count,
               (double)weights[0], (double)weights[1]);

    ranks_close(&ranks);
    CHECK(aclrtFree(all));
    CHECK(aclrtFree(device));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return EXIT_SUCCESS;
}

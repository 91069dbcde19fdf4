/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that learn together: each has a part of the points of a line and adds up its gradient,
 * AllReduce makes the gradient of all, and every rank takes the same step.
 *
 *     all_reduce.sh RANKS     starts them on this machine
 *     all_reduce FILE         is one of them; its number comes from the environment, as mpirun and
 *                             torchrun set it: OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and _SIZE,
 * or RANK and WORLD_SIZE
 *
 * FILE carries the root info from rank 0 to the others: on several machines, a file that all see.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

enum { POINTS = 1 << 12, STEPS = 200, NUMBERS = 2 };

static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((int)(call), #call)

/* The first of these variables that is set, as a number. */
static uint32_t number(const char *const *names, uint32_t otherwise)
{
    for (; *names; names++)
        if (getenv(*names)) return (uint32_t)strtoul(getenv(*names), NULL, 10);
    return otherwise;
}

/* Rank 0 makes the root info and writes it; a rename shows the file when it is whole. */
static void give_root_info(const char *path, HcclRootInfo *info)
{
    char half[4096];
    CHECK(HcclGetRootInfo(info));
    snprintf(half, sizeof(half), "%s.half", path);
    FILE *file = fopen(half, "wb");
    if (!file || fwrite(info, sizeof(*info), 1, file) != 1 || fclose(file) != 0 ||
        rename(half, path) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void take_root_info(const char *path, HcclRootInfo *info)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (;;) {
        FILE *file = fopen(path, "rb");
        if (file) {
            size_t read = fread(info, sizeof(*info), 1, file);
            fclose(file);
            if (read == 1) return;
        }
        nanosleep(&pause, NULL);
    }
}

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
    static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", NULL};
    static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE",
                                             NULL};
    const uint32_t rank = number(rank_names, 0), ranks = number(size_names, 1);
    const size_t bytes = NUMBERS * sizeof(float);
    HcclRootInfo info;
    HcclComm comm;
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
    CHECK(aclrtMalloc(&all, ranks * bytes, ACL_MEM_MALLOC_HUGE_FIRST));

    if (rank == 0)
        give_root_info(argv[1], &info);
    else
        take_root_info(argv[1], &info);
    CHECK(HcclCommInitRootInfo(ranks, &info, rank, &comm));

    float weights[NUMBERS] = {0, 0}, *gradient = host;
    for (int step = 0; step < STEPS; step++) {
        own_gradient(weights, rank, ranks, gradient);
        /* The three are queued at once and run in this order. */
        CHECK(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK(HcclAllReduce(device, device, NUMBERS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                            stream));
        CHECK(aclrtMemcpyAsync(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK(aclrtSynchronizeStream(stream));
        for (int i = 0; i < NUMBERS; i++)
            weights[i] -= gradient[i] * (1.0F / POINTS);
    }

    /* All have taken the same steps: their weights are the same bits. */
    uint32_t own[NUMBERS], others[NUMBERS];
    memcpy(own, weights, bytes);
    CHECK(aclrtMemcpy(device, bytes, own, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(HcclAllGather(device, all, NUMBERS, HCCL_DATA_TYPE_FP32, comm, stream));
    CHECK(aclrtSynchronizeStream(stream));
    for (uint32_t r = 0; r < ranks; r++) {
        CHECK(
            aclrtMemcpy(others, bytes, (char *)all + r * bytes, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        if (memcmp(others, own, bytes) != 0) {
            fprintf(stderr, "rank %u has other weights than rank %u\n", r, rank);
            return EXIT_FAILURE;
        }
    }
    if (rank == 0)
        printf("%u ranks: y = %.3f x + %.3f, the same bits on all\n", ranks, (double)weights[0],
               (double)weights[1]);

    CHECK(HcclCommDestroy(comm));
    CHECK(aclrtFree(all));
    CHECK(aclrtFree(device));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return EXIT_SUCCESS;
}

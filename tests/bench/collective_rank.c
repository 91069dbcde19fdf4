/* SPDX-License-Identifier: Apache-2.0 */
/* collective_rank FOLDER HOST SHARE: a rank (RANK, WORLD_SIZE) of `bench collective`. Calls of our
 * AllReduce and of gloo's own in turns, each timed from a moment when all ranks are there; a SHARE
 * of the usual number of calls. Rank 0 prints bytes, gloo's time in terms of ours, ours, and
 * gloo's. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/bench/collective_gloo.h"
#include "tests/bench/collective_sizes.h"
#include "tests/bench/stats.h"

struct rank {
    uint32_t id, size;
    HcclComm comm;
    aclrtStream stream;
    struct collective_gloo *gloo;
    float *data;
};

static void check(int status)
{
    const char *text = status == 0 ? NULL : aclGetRecentErrMsg();
    if (status == 0) return;
    fprintf(stderr, "bench_collective_rank: %s\n", text ? text : "failed");
    exit(2);
}

static uint32_t number(const char *name)
{
    const char *value = getenv(name);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

/* Rank 0 makes the root info; a rename shows the file when it is whole. */
static void meet(const struct rank *rank, const char *folder, HcclRootInfo *info)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    char path[4096], half[4096];
    FILE *file;
    snprintf(path, sizeof(path), "%s/info", folder);
    snprintf(half, sizeof(half), "%s/half", folder);
    if (rank->id == 0) {
        check((int)HcclGetRootInfo(info));
        file = fopen(half, "wb");
        check(!file || fwrite(info, sizeof(*info), 1, file) != 1 || fclose(file) != 0 ||
              rename(half, path) != 0);
        return;
    }
    while (!(file = fopen(path, "rb")))
        nanosleep(&pause, NULL);
    check(fread(info, sizeof(*info), 1, file) != 1);
    fclose(file);
}

static void start(struct rank *rank, const char *folder, const char *host)
{
    HcclRootInfo info;
    setenv("HCCL_IF_IP", host, 1);
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&rank->stream));
    check(aclrtMalloc((void **)&rank->data, COLLECTIVE_MOST_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(rank->data, 0, COLLECTIVE_MOST_BYTES);
    meet(rank, folder, &info);
    check((int)HcclCommInitRootInfo(rank->size, &info, rank->id, &rank->comm));
    rank->gloo = collective_gloo_new((int)rank->id, (int)rank->size, folder, host);
    if (!rank->gloo) exit(2);
}

static double timed(struct rank *rank, bool ours, size_t count)
{
    check((int)HcclBarrier(rank->comm, rank->stream));
    check(aclrtSynchronizeStream(rank->stream));
    double begin = stats_now();
    if (ours) {
        check((int)HcclAllReduce(rank->data, rank->data, count, HCCL_DATA_TYPE_FP32,
                                 HCCL_REDUCE_SUM, rank->comm, rank->stream));
        check(aclrtSynchronizeStream(rank->stream));
    } else {
        collective_gloo_sum(rank->gloo, rank->data, count);
    }
    return stats_now() - begin;
}

/* Rank 0 prints each pair's times: what slows the machine for a moment slows both. A connection's
 * first messages of a size are slow, and not counted. */
static void measure(struct rank *rank, size_t bytes, int rounds)
{
    const int warm = rounds < 10 ? 1 : 3;
    for (int round = -warm; round < rounds; round++) {
        const double ours = timed(rank, true, bytes / sizeof(float));
        const double gloo = timed(rank, false, bytes / sizeof(float));
        if (rank->id == 0 && round >= 0)
            printf("pair %zu %.9f %.9f %.9f\n", bytes, gloo / ours, ours, gloo);
    }
}

int main(int count, char **arguments)
{
    if (count != 4) return 2;
    struct rank rank = {.id = number("RANK"), .size = number("WORLD_SIZE")};
    start(&rank, arguments[1], arguments[2]);
    for (size_t i = 0; i < COLLECTIVE_SIZES; i++)
        measure(&rank, collective_sizes[i].bytes, collective_rounds(i, strtod(arguments[3], NULL)));
    check((int)HcclBarrier(rank.comm, rank.stream));
    check(aclrtSynchronizeStream(rank.stream));
    collective_gloo_free(rank.gloo);
    check((int)HcclCommDestroy(rank.comm));
    check(aclFinalize());
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* network_rank ROUNDS FILE: a rank (RANK, WORLD_SIZE) that adds up 1 MiB so many times and looks at
 * each sum. FILE is where rank 0 leaves the root info; after a tenth of a second of work it makes
 * FILE.works. Tells the time of a round; ends with 3 when
 * a round fails, and tells how long that took. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

enum { COUNT = 1 << 18, FAILED = 3 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const char *text(void)
{
    const char *said = aclGetRecentErrMsg();
    return said ? said : "";
}

static void check(int status)
{
    if (status == 0) return;
    fprintf(stderr, "network_rank: %d: %s\n", status, text());
    exit(EXIT_FAILURE);
}

static uint32_t number(const char *name)
{
    const char *value = getenv(name);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static void meet(const char *path, uint32_t rank, HcclRootInfo *info)
{
    char half[4096];
    FILE *file;
    snprintf(half, sizeof(half), "%s.half", path);
    if (rank == 0) {
        check((int)HcclGetRootInfo(info));
        file = fopen(half, "wb");
        if (!file || fwrite(info, sizeof(*info), 1, file) != 1 || fclose(file) != 0) check(1);
        check(rename(half, path));
        return;
    }
    const struct timespec pause = {.tv_nsec = 10000000};
    while (!(file = fopen(path, "rb")))
        nanosleep(&pause, NULL);
    if (fread(info, sizeof(*info), 1, file) != 1) check(1);
    fclose(file);
}

static void tell_that_it_works(const char *path)
{
    char name[4096];
    snprintf(name, sizeof(name), "%s.works", path);
    FILE *file = fopen(name, "wb");
    if (file) fclose(file);
}

/* 0, or the code of what failed. */
static int add_up(float *data, uint32_t rank, uint32_t size, HcclComm comm, aclrtStream stream)
{
    for (int i = 0; i < COUNT; i++)
        data[i] = (float)(i % 1000 + (int)rank);
    int status =
        (int)HcclAllReduce(data, data, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream);
    if (status == 0) status = aclrtSynchronizeStream(stream);
    for (int i = 0; i < COUNT && status == 0; i++) {
        const int sum = (int)size * (i % 1000) + (int)(size * (size - 1) / 2);
        if (data[i] == (float)sum) continue;
        fprintf(stderr, "rank %u: element %d is %g, not %d\n", rank, i, (double)data[i], sum);
        exit(EXIT_FAILURE);
    }
    return status;
}

int main(int argc, char **argv)
{
    const uint32_t rank = number("RANK"), size = number("WORLD_SIZE");
    HcclRootInfo info;
    HcclComm comm;
    aclrtStream stream;
    float *data;
    if (argc != 3 || size == 0) return EXIT_FAILURE;
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    check(aclrtMalloc((void **)&data, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    meet(argv[2], rank, &info);
    check((int)HcclCommInitRootInfo(size, &info, rank, &comm));
    const long rounds = strtol(argv[1], NULL, 10);
    const double begin = now();
    bool is_told = rank != 0;
    for (long round = 0; round < rounds; round++) {
        const double since = now();
        if (!is_told && since - begin > 0.1) {
            tell_that_it_works(argv[2]);
            is_told = true;
        }
        if (add_up(data, rank, size, comm, stream) == 0) continue;
        printf("rank %u: round %ld failed after %.1f s: %s\n", rank, round, now() - since, text());
        fflush(stdout);
        HcclCommDestroy(comm);
        return FAILED;
    }
    if (rank == 0)
        printf("%u ranks: %.1f ms a round\n", size, (now() - begin) * 1e3 / (double)rounds);
    check((int)HcclCommDestroy(comm));
    check(aclrtDestroyStream(stream));
    return aclFinalize();
}

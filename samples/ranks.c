/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

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
    enum { TURNS = 12000 }; /* two minutes */
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < TURNS; i++) {
        FILE *file = fopen(path, "rb");
        if (file) {
            size_t read = fread(info, sizeof(*info), 1, file);
            fclose(file);
            if (read == 1) return;
        }
        nanosleep(&pause, NULL);
    }
    fprintf(stderr, "%s: rank 0 has left no root info there\n", path);
    exit(EXIT_FAILURE);
}

void ranks_open(struct ranks *ranks, const char *file)
{
    static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", NULL};
    static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE",
                                             NULL};
    HcclRootInfo info;
    ranks->own = number(rank_names, 0);
    ranks->count = number(size_names, 1);
    if (ranks->own == 0)
        give_root_info(file, &info);
    else
        take_root_info(file, &info);
    const HcclResult joined = HcclCommInitRootInfo(ranks->count, &info, ranks->own, &ranks->comm);
    /* It returns when all ranks have joined, and so have read the file, or rank 0 has given up. The
     * next run must not take this one's root info for its own. */
    if (ranks->own == 0) unlink(file);
    check((int)joined, "HcclCommInitRootInfo");
}

void ranks_close(struct ranks *ranks)
{
    CHECK(HcclCommDestroy(ranks->comm));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks as processes over the loopback, each with a device, a stream and a communicator.
 * What goes wrong in one is printed with its rank, and fails the test. */
#ifndef ACLNN_CPU_TESTS_COLLECTIVE_RANKS_H
#define ACLNN_CPU_TESTS_COLLECTIVE_RANKS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

enum { RANKS_MAX = 64 };

/* What ranks share, zeroed before they start. */
struct ranks_shared {
    atomic_int has_info;
    HcclRootInfo info;
    atomic_int mark[16];
    atomic_int process[RANKS_MAX];
    char bytes[1 << 16];
};

struct rank {
    uint32_t id, size;
    struct ranks_shared *shared;
    aclrtStream stream;
    HcclComm comm;
    int failures;
};

#define RANK_EXPECT(rank, condition, ...)                                                          \
    do {                                                                                           \
        if (!(condition) && (rank)->failures++ < 5) {                                              \
            fprintf(stderr, "%s:%d: rank %u of %u: %s: ", __FILE__, __LINE__, (rank)->id,          \
                    (rank)->size, #condition);                                                     \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
        }                                                                                          \
    } while (0)

static inline const char *rank_text(void)
{
    const char *text = aclGetRecentErrMsg();
    return text ? text : "no text";
}

/* Expects a call to succeed. */
#define RANK_CALL(rank, call)                                                                      \
    do {                                                                                           \
        int code_ = (int)(call);                                                                   \
        RANK_EXPECT(rank, code_ == 0, "%s returned %d: %s", #call, code_, rank_text());            \
    } while (0)

static inline void rank_nap(int ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* Until mark[index] is at least value. */
static inline void rank_await_mark(struct rank *rank, int index, int value)
{
    for (int i = 0; i < 60000 && atomic_load(&rank->shared->mark[index]) < value; i++)
        rank_nap(1);
    RANK_EXPECT(rank, atomic_load(&rank->shared->mark[index]) >= value, "mark %d", index);
}

/* A thread of a rank's process, its main one where name is NULL: whether it sleeps, as the kernel
 * tells it. One that waits for a CPU does not. */
static inline bool rank_is_asleep(const struct rank *rank, uint32_t other, const char *name)
{
    const int process = atomic_load(&rank->shared->process[other]);
    char path[300], line[512];
    bool is_asleep = false;
    snprintf(path, sizeof(path), "/proc/%d/task", process);
    DIR *threads = opendir(path);
    for (struct dirent *at; threads && (at = readdir(threads));) {
        snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", process, at->d_name);
        FILE *file = fopen(path, "r");
        const bool is_read = file && fgets(line, sizeof(line), file);
        if (file) fclose(file);
        char *begin = is_read ? strchr(line, '(') : NULL,
             *end = is_read ? strrchr(line, ')') : NULL;
        if (!begin || !end) continue;
        *end = '\0';
        if (name ? strcmp(begin + 1, name) == 0 : atoi(at->d_name) == process)
            is_asleep = end[2] == 'S';
    }
    if (threads) closedir(threads);
    return is_asleep;
}

/* Until the rank, which is about to join, has joined: it waits for the others, and so does the
 * root's service, in rank 0's process. */
static inline void rank_await_joined(struct rank *rank, uint32_t other)
{
    int looks = 0;
    for (int i = 0; i < 60000 && looks < 20; i++) {
        rank_nap(1);
        bool rests = rank_is_asleep(rank, other, NULL) && rank_is_asleep(rank, 0, "hccl/root");
        looks = rests ? looks + 1 : 0;
    }
    RANK_EXPECT(rank, looks == 20, "rank %u does not join", other);
}

/* The root info, which rank 0 makes. */
static inline void rank_get_info(struct rank *rank)
{
    if (rank->id == 0) {
        RANK_CALL(rank, HcclGetRootInfo(&rank->shared->info));
        atomic_store(&rank->shared->has_info, 1);
    }
    for (int i = 0; i < 60000 && !atomic_load(&rank->shared->has_info); i++)
        rank_nap(1);
}

static inline void rank_device(struct rank *rank)
{
    RANK_CALL(rank, aclrtSetDevice(0));
    RANK_CALL(rank, aclrtCreateStream(&rank->stream));
}

static inline void rank_start(struct rank *rank)
{
    rank_device(rank);
    rank_get_info(rank);
    RANK_CALL(rank, HcclCommInitRootInfo(rank->size, &rank->shared->info, rank->id, &rank->comm));
}

static inline void rank_end(struct rank *rank)
{
    if (rank->comm) RANK_CALL(rank, HcclCommDestroy(rank->comm));
    if (rank->stream) RANK_CALL(rank, aclrtDestroyStream(rank->stream));
    RANK_CALL(rank, aclFinalize());
}

typedef void rank_fn(struct rank *rank);

/* A rank is this program run anew, since the sanitizers do not support threads in a forked child:
 * it finds in its environment what to do, and does it before main. */
extern const char __executable_start[];

static inline void rank_run(rank_fn *fn, uint32_t id, uint32_t size, int file)
{
    struct ranks_shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) abort();
    struct rank rank = {.id = id, .size = size, .shared = shared};
    atomic_store(&shared->process[id], getpid());
    alarm(500); /* should it hang, it keeps nobody waiting */
    fn(&rank);
    fflush(NULL);
    _exit(rank.failures > 0);
}

__attribute__((constructor)) static void rank_begin(void)
{
    const char *asked = getenv("ACLNN_TEST_RANK");
    uintptr_t offset;
    uint32_t id, size;
    int file;
    if (!asked) return;
    if (sscanf(asked, "%" SCNuPTR " %" SCNu32 " %" SCNu32 " %d", &offset, &id, &size, &file) != 4)
        abort();
    unsetenv("ACLNN_TEST_RANK");
    rank_run((rank_fn *)((uintptr_t)__executable_start + offset), id, size, file);
}

static inline pid_t rank_fork(rank_fn *fn, uint32_t id, uint32_t size, int file)
{
    char asked[80];
    snprintf(asked, sizeof(asked), "%" PRIuPTR " %u %u %d",
             (uintptr_t)fn - (uintptr_t)__executable_start, id, size, file);
    setenv("ACLNN_TEST_RANK", asked, 1);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "rank", (char *)NULL);
        _exit(127);
    }
    unsetenv("ACLNN_TEST_RANK");
    return child;
}

/* Runs fn in `size` processes; returns how many of them failed. `killed`: a rank that is expected
 * to die by a signal; -1: none. */
static inline int ranks_run_but(uint32_t size, rank_fn *fn, int killed)
{
    pid_t children[RANKS_MAX];
    int failed = 0, file = memfd_create("ranks", 0);
    cr_assert(file >= 0 && ftruncate(file, sizeof(struct ranks_shared)) == 0);
    setenv("HCCL_IF_IP", "127.0.0.1", 0);
    for (uint32_t id = 0; id < size; id++) {
        children[id] = rank_fork(fn, id, size, file);
        cr_assert_geq(children[id], 0);
    }
    for (uint32_t id = 0; id < size; id++) {
        int status = 0;
        cr_assert_eq(waitpid(children[id], &status, 0), children[id]);
        bool is_well = (int)id == killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                                         : WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (is_well) continue;
        fprintf(stderr, "rank %u of %u ended with status %#x\n", id, size, (unsigned)status);
        failed++;
    }
    close(file);
    return failed;
}

static inline int ranks_run(uint32_t size, rank_fn *fn)
{
    return ranks_run_but(size, fn, -1);
}

#endif

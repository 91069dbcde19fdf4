/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators made of others, ended, failed, suspended and made anew; what they leave behind. */
#include <malloc.h>

#include "tests/collective/ranks.h"
#include "tests/unit/process.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void expect_sum_on(struct rank *rank, HcclComm comm, float want)
{
    float one = 1;
    RANK_CALL(rank, HcclAllReduce(&one, &one, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                                  rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    RANK_EXPECT(rank, one == want, "%g, not %g", (double)one, (double)want);
}

/* --- sub-communicators
 * ---------------------------------------------------------------------------- */

/* Odd and even ranks, each turned round; rank 0 is in none but its own; then all, while one of the
 * first is in use; the first is destroyed before those that were made of it. */
static void subs(struct rank *rank)
{
    HcclComm halves = NULL, all = NULL;
    HcclCommConfig config;
    uint32_t ranks[8], count = 0, own = 0, order[] = {3, 1, 0, 2};
    rank_start(rank);
    HcclCommConfigInit(&config);
    for (uint32_t r = rank->size; r-- > 0;) {
        if (r % 2 != rank->id % 2) continue;
        if (r == rank->id) own = count;
        ranks[count++] = r;
    }
    RANK_CALL(rank, HcclCreateSubCommConfig(&rank->comm, count, ranks, 1 + rank->id % 2, own,
                                            &config, &halves));
    uint32_t size = 0, id = 9;
    RANK_CALL(rank, HcclGetRankSize(halves, &size));
    RANK_CALL(rank, HcclGetRankId(halves, &id));
    RANK_EXPECT(rank, size == count && id == own, "%u of %u", id, size);
    for (own = 0; order[own] != rank->id; own++) {
    }
    RANK_CALL(rank, HcclCreateSubCommConfig(&rank->comm, 4, order, 5, own, NULL, &all));
    uint32_t ids[4] = {9, 9, 9, 9}, mine = rank->id;
    RANK_CALL(rank, HcclAllGather(&mine, ids, 1, HCCL_DATA_TYPE_UINT32, all, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    RANK_EXPECT(rank, memcmp(ids, order, sizeof(ids)) == 0, "%u %u %u %u", ids[0], ids[1], ids[2],
                ids[3]);
    expect_sum_on(rank, rank->comm, 4);
    RANK_CALL(rank, HcclCommDestroy(rank->comm));
    rank->comm = NULL;
    expect_sum_on(rank, halves, 2);
    expect_sum_on(rank, all, 4);
    RANK_CALL(rank, HcclCommDestroy(all));
    RANK_CALL(rank, HcclCommDestroy(halves));
    rank_end(rank);
}

Test(lives, communicators_of_some_ranks, .timeout = 600)
{
    cr_expect_eq(ranks_run(4, subs), 0);
}

static void sub_refusals(struct rank *rank)
{
    HcclComm sub = NULL;
    uint32_t both[] = {0, 1}, twice[] = {0, 0}, far[] = {0, 2};
    rank_start(rank);
    RANK_CALL(rank, HcclCreateSubCommConfig(&rank->comm, 0, NULL, 1, 0, NULL, &sub));
    RANK_EXPECT(rank, sub == NULL, "a communicator of nobody");
    RANK_EXPECT(rank, HcclCreateSubCommConfig(NULL, 2, both, 1, rank->id, NULL, &sub) == HCCL_E_PTR,
                "comm");
    RANK_EXPECT(rank,
                HcclCreateSubCommConfig(&rank->comm, 2, both, 1, !rank->id, NULL, &sub) ==
                    HCCL_E_PARA,
                "another's number");
    RANK_EXPECT(rank,
                HcclCreateSubCommConfig(&rank->comm, 2, twice, 1, 0, NULL, &sub) == HCCL_E_PARA,
                "a rank twice");
    RANK_EXPECT(rank, HcclCreateSubCommConfig(&rank->comm, 2, far, 1, 0, NULL, &sub) == HCCL_E_PARA,
                "no such rank");
    RANK_EXPECT(rank, HcclCreateSubCommConfig(&rank->comm, 3, far, 1, 0, NULL, &sub) == HCCL_E_PARA,
                "too many");
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    if (rank->id == 0) {
        HcclResult code = HcclCreateSubCommConfig(&rank->comm, 2, both, 3, 0, NULL, &sub);
        RANK_EXPECT(rank, code == HCCL_E_TIMEOUT, "%d: %s", (int)code, rank_text());
    }
    expect_sum_on(rank, rank->comm, 2); /* which disturbs nothing */
    rank_end(rank);
}

Test(lives, sub_communicators_refused, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, sub_refusals), 0);
}

/* --- failures ------------------------------------------------------------------------------- */

/* Rank 1 is killed while the others are in an AllReduce of 8 MiB, half of which it takes part in.
 */
static void killed(struct rank *rank)
{
    enum { COUNT = 2 << 20 };
    static float numbers[COUNT];
    rank_start(rank);
    expect_sum_on(rank, rank->comm, (float)rank->size);
    atomic_fetch_add(&rank->shared->mark[0], 1);
    if (rank->id == 1) {
        rank_await_mark(rank, 0, (int)rank->size); /* all have the sum */
        for (int i = 0; i < 2; i++)
            RANK_CALL(rank, HcclAllReduce(numbers, numbers, COUNT, HCCL_DATA_TYPE_FP32, 0,
                                          rank->comm, rank->stream));
        rank_nap(5);
        kill(getpid(), SIGKILL);
    }
    double begin = seconds();
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < 10 && code == ACL_SUCCESS; i++) {
        if (HcclAllReduce(numbers, numbers, COUNT, HCCL_DATA_TYPE_FP32, 0, rank->comm,
                          rank->stream) != HCCL_SUCCESS)
            break;
        code = aclrtSynchronizeStream(rank->stream);
    }
    const char *text = rank_text();
    RANK_EXPECT(rank, code == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR || code == ACL_SUCCESS, "%d", code);
    RANK_EXPECT(rank, strlen(text) > 20, "%s", text);
    RANK_EXPECT(rank, seconds() - begin < 100, "%g s", seconds() - begin);
    HcclResult error = HCCL_SUCCESS;
    for (int i = 0; i < 5000 && error == HCCL_SUCCESS; i++) {
        RANK_CALL(rank, HcclGetCommAsyncError(rank->comm, &error));
        rank_nap(1);
    }
    RANK_EXPECT(rank, error == HCCL_E_REMOTE, "%d", (int)error);
    HcclResult again =
        HcclAllReduce(numbers, numbers, 1, HCCL_DATA_TYPE_FP32, 0, rank->comm, rank->stream);
    RANK_EXPECT(rank, again == HCCL_E_REMOTE, "%d", (int)again);
    rank_end(rank);
}

Test(lives, a_killed_rank_is_told_to_all, .timeout = 600)
{
    for (int i = 0; i < 3; i++)
        cr_expect_eq(ranks_run_but(4, killed, 1), 0);
}

static void root_killed(struct rank *rank)
{
    rank_start(rank);
    atomic_fetch_add(&rank->shared->mark[0], 1);
    rank_await_mark(rank, 0, 3);
    if (rank->id == 0) kill(getpid(), SIGKILL);
    float one = 1;
    HcclResult queued =
        HcclAllReduce(&one, &one, 1, HCCL_DATA_TYPE_FP32, 0, rank->comm, rank->stream);
    aclError code = aclrtSynchronizeStream(rank->stream);
    RANK_EXPECT(rank, queued == HCCL_E_REMOTE || code == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, "%d",
                code);
    rank_end(rank);
}

Test(lives, the_roots_process_is_killed, .timeout = 600)
{
    cr_expect_eq(ranks_run_but(3, root_killed, 0), 0);
}

/* Rank 0 calls with another count, or alone: an error in time, and the communicator can be made
 * anew. */
static void differs(struct rank *rank)
{
    float numbers[8] = {0};
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    rank_start(rank);
    uint64_t count = rank->id == 0 ? 8 : 4;
    RANK_CALL(rank, HcclAllReduce(numbers, numbers, count, HCCL_DATA_TYPE_FP32, 0, rank->comm,
                                  rank->stream));
    aclError code = aclrtSynchronizeStream(rank->stream);
    const char *text = rank_text();
    RANK_EXPECT(rank,
                code == ACL_ERROR_RT_TASK_TIMEOUT || code == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR,
                "%d: %s", code, text);
    RANK_EXPECT(rank, strstr(text, "another count") != NULL || strstr(text, "losed") != NULL, "%s",
                text);
    RANK_EXPECT(rank, HcclBarrier(rank->comm, rank->stream) != HCCL_SUCCESS, "it has failed");
    RANK_CALL(rank, HcclCommResume(rank->comm));
    expect_sum_on(rank, rank->comm, 2);
    HcclResult error = HCCL_E_REMOTE;
    RANK_CALL(rank, HcclGetCommAsyncError(rank->comm, &error));
    RANK_EXPECT(rank, error == HCCL_SUCCESS, "%d", (int)error);
    rank_end(rank);
}

Test(lives, calls_that_differ_fail_in_time, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, differs), 0);
}

/* Rank 0, whose process is the root's, ends without destroying anything: that is no failure of the
 * others. */
static void just_ends(struct rank *rank)
{
    HcclComm others = NULL;
    uint32_t ranks[] = {1, 2};
    rank_start(rank);
    if (rank->id > 0)
        RANK_CALL(rank,
                  HcclCreateSubCommConfig(&rank->comm, 2, ranks, 1, rank->id - 1, NULL, &others));
    expect_sum_on(rank, rank->comm, 3);
    if (rank->id == 0) exit(rank->failures > 0);
    rank_nap(300);
    expect_sum_on(rank, others, 2);
    HcclResult error = HCCL_E_REMOTE;
    RANK_CALL(rank, HcclGetCommAsyncError(rank->comm, &error));
    RANK_EXPECT(rank, error == HCCL_SUCCESS, "%d", (int)error);
    RANK_CALL(rank, HcclCommDestroy(others));
    rank_end(rank);
}

Test(lives, a_process_that_just_ends, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, just_ends), 0);
}

/* --- suspending ----------------------------------------------------------------------------- */

static void suspended(struct rank *rank)
{
    float one = 1;
    rank_start(rank);
    expect_sum_on(rank, rank->comm, 2);
    if (rank->id == 0) { /* what waits for rank 1 is ended */
        RANK_CALL(rank,
                  HcclAllReduce(&one, &one, 1, HCCL_DATA_TYPE_FP32, 0, rank->comm, rank->stream));
        rank_nap(20);
    }
    RANK_CALL(rank, HcclCommSuspend(rank->comm));
    HcclResult code = HcclBarrier(rank->comm, rank->stream);
    RANK_EXPECT(rank, code == HCCL_E_SUSPENDING, "%d", (int)code);
    if (rank->id == 0)
        RANK_EXPECT(rank, aclrtSynchronizeStream(rank->stream) == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR,
                    "%s", rank_text());
    for (int i = 0; i < 2; i++) {
        RANK_CALL(rank, HcclCommResume(rank->comm));
        expect_sum_on(rank, rank->comm, 2);
    }
    rank_end(rank);
}

Test(lives, suspend_and_resume, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, suspended), 0);
}

/* Work that is still queued when its communicator goes has an error, and harms nothing. */
static void destroyed_early(struct rank *rank)
{
    aclrtEvent event;
    float one = 1;
    rank_start(rank);
    RANK_CALL(rank, aclrtCreateEvent(&event));
    RANK_CALL(rank, aclrtStreamWaitEvent(rank->stream, event));
    RANK_CALL(rank, HcclAllReduce(&one, &one, 1, HCCL_DATA_TYPE_FP32, 0, rank->comm, rank->stream));
    RANK_CALL(rank, HcclCommDestroy(rank->comm));
    rank->comm = NULL;
    aclrtStream other;
    RANK_CALL(rank, aclrtCreateStream(&other));
    RANK_CALL(rank, aclrtRecordEvent(event, other));
    aclError code = aclrtSynchronizeStream(rank->stream);
    RANK_EXPECT(rank, code == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, "%d", code);
    RANK_EXPECT(rank, strstr(rank_text(), "destroyed") != NULL, "another text");
    RANK_CALL(rank, aclrtDestroyStream(other));
    RANK_CALL(rank, aclrtDestroyEvent(event));
    rank_end(rank);
}

Test(lives, destroyed_with_work_queued, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, destroyed_early), 0);
}

/* --- what is left --------------------------------------------------------------------------- */

static void hundred(struct rank *rank)
{
    enum {
        FIRST = 30,
        TURNS = 130,
        SLACK = 8192
    }; /* what malloc keeps for threads settles first */
    size_t used = 0;
    int threads = 0, files = 0;
    rank_device(rank);
    for (int turn = 0; turn < TURNS; turn++) {
        if (rank->id == 0) {
            RANK_CALL(rank, HcclGetRootInfo(&rank->shared->info));
            atomic_store(&rank->shared->mark[0], turn + 1);
        }
        rank_await_mark(rank, 0, turn + 1);
        RANK_CALL(rank,
                  HcclCommInitRootInfo(rank->size, &rank->shared->info, rank->id, &rank->comm));
        expect_sum_on(rank, rank->comm, (float)rank->size);
        RANK_CALL(rank, HcclCommDestroy(rank->comm));
        rank->comm = NULL;
        atomic_fetch_add(&rank->shared->mark[1], 1);
        rank_await_mark(rank, 1, (turn + 1) * (int)rank->size);
        if (turn != FIRST - 1) continue;
        rank_nap(50);
        threads = process_count(PROCESS_THREADS);
        files = process_count(PROCESS_FILES);
        used = mallinfo2().uordblks;
    }
    for (int i = 0; i < 2000 && process_count(PROCESS_THREADS) > threads; i++)
        rank_nap(1);
    RANK_EXPECT(rank, process_count(PROCESS_THREADS) <= threads, "%d threads, %d before",
                process_count(PROCESS_THREADS), threads);
    RANK_EXPECT(rank, process_count(PROCESS_FILES) <= files, "%d files, %d before",
                process_count(PROCESS_FILES), files);
    /* Under a sanitizer both are 0. */
    RANK_EXPECT(rank, mallinfo2().uordblks <= used + SLACK, "%zu bytes, %zu before",
                mallinfo2().uordblks, used);
    rank_end(rank);
}

Test(lives, a_hundred_communicators_leave_nothing, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, hundred), 0);
}

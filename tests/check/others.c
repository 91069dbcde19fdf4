/* SPDX-License-Identifier: Apache-2.0 */
/* Work of other libraries in a stream: tasks that say what they touch, and collectives of one rank.
 */
#include "aclnnext/aclnnext_extend.h"
#include "tests/check/program.h"
#ifdef HAS_COLLECTIVES
#include "hccl/hccl.h"
#endif

static aclError nothing(void *data, char *text, size_t room)
{
    (void)data, (void)text, (void)room;
    return ACL_SUCCESS;
}

static void task(struct world *w, int stream, int buffer, int writes)
{
    const aclnnextAccess access = {w->d[buffer], BYTES, writes};
    const aclnnextStreamTask what = {.name = "task of others", .run = nothing};
    aclnnextTellAccesses(w->s[stream], what.name, &access, 1);
    OK(aclnnextLaunchStreamTask(w->s[stream], &what));
}

static void task_writes_what_is_read(struct world *w)
{
    task(w, 0, 1, 1);
    download(w, 1, 1);
}

static void task_reads_what_is_written(struct world *w)
{
    put(w, 1, 1);
    task(w, 0, 1, 0);
}

static void tasks_read_both(struct world *w)
{
    task(w, 0, 1, 0);
    task(w, 1, 1, 0);
}

static void task_is_waited_for(struct world *w)
{
    task(w, 0, 1, 1);
    after(w, 0, 0, 1);
    download(w, 1, 1);
}

#ifdef HAS_COLLECTIVES
static HcclComm alone(void)
{
    HcclComm comm;
    int32_t device = 0;
    OK(HcclCommInitAll(1, &device, &comm));
    return comm;
}

/* A gradient is summed over ranks while another stream still makes it. */
static void reduced_too_early(struct world *w)
{
    HcclComm comm = alone();
    put(w, 0, 1);
    OK(HcclAllReduce(w->d[1], w->d[2], FLOATS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                     w->s[1]));
    OK(aclrtSynchronizeDevice());
    OK(HcclCommDestroy(comm));
}

static void gathered_and_read_too_early(struct world *w)
{
    HcclComm comm = alone();
    OK(HcclAllGather(w->d[1], w->d[2], FLOATS, HCCL_DATA_TYPE_FP32, comm, w->s[1]));
    download(w, 0, 2);
    OK(aclrtSynchronizeDevice());
    OK(HcclCommDestroy(comm));
}

/* The root of a broadcast only reads. */
static void broadcast_is_read(struct world *w)
{
    HcclComm comm = alone();
    OK(HcclBroadcast(w->d[1], FLOATS, HCCL_DATA_TYPE_FP32, 0, comm, w->s[1]));
    download(w, 0, 1);
    OK(aclrtSynchronizeDevice());
    OK(HcclCommDestroy(comm));
}

static void reduced_in_place(struct world *w)
{
    HcclComm comm = alone();
    put(w, 0, 1);
    after(w, 0, 0, 1);
    OK(HcclAllReduce(w->d[1], w->d[1], FLOATS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                     w->s[1]));
    after(w, 1, 1, 0);
    download(w, 0, 1);
    OK(aclrtSynchronizeDevice());
    OK(HcclCommDestroy(comm));
}
#endif

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_others[] = {
    PROGRAM(task_writes_what_is_read, "race/unordered"),
    PROGRAM(task_reads_what_is_written, "race/unordered"),
#ifdef HAS_COLLECTIVES
    PROGRAM(reduced_too_early, "race/unordered"),
    PROGRAM(gathered_and_read_too_early, "race/unordered"),
#endif
};
const size_t wrong_other_count = sizeof wrong_others / sizeof *wrong_others;

const struct program right_others[] = {
    PROGRAM(tasks_read_both, ""),
    PROGRAM(task_is_waited_for, ""),
#ifdef HAS_COLLECTIVES
    PROGRAM(broadcast_is_read, ""),
    PROGRAM(reduced_in_place, ""),
#endif
};
const size_t right_other_count = sizeof right_others / sizeof *right_others;

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that look like those of wrong_lives.c, and are right. */
#include "tests/check/program.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "aclnnop/aclnn_abs.h"

static void freed_behind_stream(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

static void freed_behind_event(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    put(w, 0, 0);
    OK(aclrtSynchronizeEvent(w->e[0]));
    OK(aclrtFree(memory));
}

/* It waits by itself. */
static void freed_with_device(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    OK(aclrtFreeWithDevSync(memory));
}

/* Waiting for a stream that has waited. */
static void freed_behind_chain(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    after(w, 0, 0, 1);
    OK(aclrtSynchronizeStream(w->s[1]));
    OK(aclrtFree(memory));
}

static void workspace_reused(struct world *w)
{
    const size_t size = workspace_bytes(w);
    void *workspace = device(size);
    for (int i = 0; i < 3; i++)
        with_workspace(w, 0, 1, 0, workspace, size);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(workspace));
}

static void pinned_freed(struct world *w)
{
    void *pinned;
    OK(aclrtMallocHost(&pinned, BYTES));
    OK(aclrtMemcpyAsync(w->d[0], BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, w->s[0]));
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFreeHost(pinned));
}

/* Memory that comes to the same address is live again. */
static void handed_out_again(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtFree(memory));
    memory = device(BYTES);
    OK(aclrtMemset(memory, BYTES, 0, BYTES));
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* Host memory is the host's side of a copy. */
static void host_copies(struct world *w)
{
    OK(aclrtMemcpy(w->d[0], BYTES, w->pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(w->pageable, BYTES, w->d[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMemcpy(w->pinned, BYTES, w->pageable, BYTES, ACL_MEMCPY_HOST_TO_HOST));
}

/* The kind is left to the library. */
static void default_kind(struct world *w)
{
    OK(aclrtMemcpy(w->d[0], BYTES, w->pinned, BYTES, ACL_MEMCPY_DEFAULT));
}

static void to_the_very_end(struct world *w)
{
    char *memory = device(1000);
    OK(aclrtMemset(memory, 1000, 0, 1000));
    copy_part(w, 0, w->d[0], memory + 968, 32);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* The last row of a view ends where its last element does. */
static void strided_to_the_end(struct world *w)
{
    char *memory = device(BYTES - 4);
    OK(aclrtMemset(memory, BYTES - 4, 0, BYTES - 4));
    absolute_view(w, 0, w->d[0], memory, 32, 31, 32);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* Nothing is read of a tensor without elements. */
static void empty_tensor(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *in = tensor_of(w->pageable, 0), *out = tensor_of(w->d[0], 0);
    OK(aclnnAbsGetWorkspaceSize(in, out, &size, &executor));
    OK(aclnnAbs(NULL, 0, executor, w->s[0]));
    aclDestroyTensor(in);
    aclDestroyTensor(out);
}

/* An output may be fresh. */
static void written_by_operator(struct world *w)
{
    char *memory = device(BYTES);
    absolute(w, 0, memory, w->d[0]);
    absolute(w, 0, w->d[1], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

static void written_in_pieces(struct world *w)
{
    char *memory = device(BYTES);
    for (size_t i = 16; i-- > 0;)
        OK(aclrtMemset(memory + 256 * i, 256, 0, 256));
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* Only what has been written is read. */
static void half_written_half_read(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, 2048, 0, 2048));
    copy_part(w, 0, w->d[0], memory, 2048);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* The rows of a view that has gaps, which nobody has written. */
static void gaps_unwritten(struct world *w)
{
    char *memory = device(BYTES);
    absolute_view(w, 0, memory, w->d[0], 32, 16, 32);
    absolute_view(w, 0, w->d[1], memory, 32, 16, 32);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* The program maps memory of its own where a block lay that the library has given back to the
 * system: it keeps 4096 blocks. */
static void own_where_freed(struct world *w)
{
    enum { LARGE = 1 << 20, BLOCKS = 4200 };
    static void *small[BLOCKS];
    char *freed = device(LARGE);
    OK(aclrtFree(freed));
    for (int i = 0; i < BLOCKS; i++)
        small[i] = device(BYTES);
    for (int i = 0; i < BLOCKS; i++)
        OK(aclrtFree(small[i]));
    char *own = mmap(freed, LARGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (own != freed) abort();
    OK(aclrtMemcpy(w->d[0], BYTES, own, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    munmap(own, LARGE);
}

/* The program writes pinned memory by itself. */
static void pinned_written_by_program(struct world *w)
{
    for (int i = 0; i < BYTES; i++)
        w->pinned[i] = 1;
    upload(w, 0, 0);
}

/* Both phases use an executor up. */
static void executor_used_up(struct world *w)
{
    absolute(w, 0, w->d[1], w->d[0]);
}

static void executor_destroyed(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *in = tensor_of(w->d[0], FLOATS), *out = tensor_of(w->d[1], FLOATS);
    OK(aclnnAbsGetWorkspaceSize(in, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclnnAbs(NULL, 0, executor, w->s[0]));
    OK(aclnnAbs(NULL, 0, executor, w->s[0]));
    OK(aclDestroyAclOpExecutor(executor));
    aclDestroyTensor(in);
    aclDestroyTensor(out);
}

/* A list owns its tensors. */
static void list_destroyed(struct world *w)
{
    const aclTensor *tensors[] = {tensor_of(w->d[0], FLOATS), tensor_of(w->d[1], FLOATS)};
    const aclTensorList *list = aclCreateTensorList(tensors, 2);
    OK(aclDestroyTensorList(list));
}

/* One of each that lives in a context. */
static void make_one_of_each(struct world *w)
{
    aclrtStream stream;
    aclrtEvent event;
    aclrtNotify notify;
    aclmdlRI graph;
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemsetAsync(w->d[0], BYTES, 0, BYTES, stream));
    OK(aclmdlRICaptureEnd(stream, &graph));
}

/* They go with their context. */
static void context_destroyed(struct world *w)
{
    aclrtContext before, own;
    OK(aclrtGetCurrentContext(&before));
    OK(aclrtCreateContext(&own, 0));
    make_one_of_each(w);
    OK(aclrtDestroyContext(own));
    OK(aclrtSetCurrentContext(before));
}

/* So do those of the default context, when aclrtResetDevice ends it. */
static void device_reset(struct world *w)
{
    make_one_of_each(w);
}

#define PROGRAM(name)                                                                              \
    {                                                                                              \
#name, name, ""                                                                            \
    }
const struct program right_lives[] = {
    PROGRAM(freed_behind_stream), PROGRAM(freed_behind_event), PROGRAM(freed_with_device),
    PROGRAM(freed_behind_chain),  PROGRAM(workspace_reused),   PROGRAM(pinned_freed),
    PROGRAM(handed_out_again),    PROGRAM(host_copies),        PROGRAM(default_kind),
    PROGRAM(to_the_very_end),     PROGRAM(strided_to_the_end), PROGRAM(empty_tensor),
    PROGRAM(written_by_operator), PROGRAM(written_in_pieces),  PROGRAM(half_written_half_read),
    PROGRAM(gaps_unwritten),      PROGRAM(own_where_freed),    PROGRAM(pinned_written_by_program),
    PROGRAM(executor_used_up),    PROGRAM(executor_destroyed), PROGRAM(list_destroyed),
    PROGRAM(context_destroyed),   PROGRAM(device_reset),
};
const size_t right_life_count = sizeof right_lives / sizeof *right_lives;

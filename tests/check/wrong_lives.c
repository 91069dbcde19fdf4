/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that use memory which they must not, read what nobody has written, or leave things
 * behind. Host memory stands for a stray address: here it can be touched without harm. */
#include "tests/check/program.h"

#include "aclnnop/aclnn_abs.h"

/* The address sanitizer ends a program that does. */
#if defined(__SANITIZE_ADDRESS__)
#define TOUCHES_NOTHING_FREED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOUCHES_NOTHING_FREED 1
#endif
#endif
#ifndef TOUCHES_NOTHING_FREED
#define TOUCHES_NOTHING_FREED 0
#endif

#define FREED       "memory/freed"
#define FREED_EARLY "memory/freed-early"
#define HOST        "memory/host-memory"
#define PAST        "memory/past-its-end"
#define UNKNOWN     "memory/unknown"
#define UNWRITTEN   "init/unwritten"

/* Freed while the stream still writes it. */
static void freed_early(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    OK(aclrtFree(memory));
}

/* The wrong stream is synchronised before. */
static void freed_behind_wrong_stream(struct world *w)
{
    void *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    OK(aclrtSynchronizeStream(w->s[1]));
    OK(aclrtFree(memory));
}

/* The workspace goes right behind phase 2. */
static void workspace_freed_early(struct world *w)
{
    const size_t size = workspace_bytes(w);
    void *workspace = device(size);
    with_workspace(w, 0, 1, 0, workspace, size);
    OK(aclrtFree(workspace));
}

/* An event is recorded behind the use, but nobody waits for it before the memory is freed. */
static void freed_without_waiting(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, w->s[0]));
    after(w, 0, 0, 1);
    OK(aclrtFree(memory));
}

/* Pinned memory, while an upload reads it. */
static void pinned_freed_early(struct world *w)
{
    void *pinned;
    OK(aclrtMallocHost(&pinned, BYTES));
    OK(aclrtMemcpyAsync(w->d[0], BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, w->s[0]));
    OK(aclrtFreeHost(pinned));
}

#if !TOUCHES_NOTHING_FREED
/* The tensor outlives its memory, which the library keeps for the next request: it can be touched.
 */
static void used_after_free(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, BYTES, 0, BYTES));
    OK(aclrtFree(memory));
    absolute(w, 0, w->d[1], memory);
}

static void copied_after_free(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, BYTES, 0, BYTES));
    OK(aclrtFree(memory));
    OK(aclrtMemcpy(w->d[0], BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

/* The second half of it only. */
static void inside_of_freed(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, BYTES, 0, BYTES));
    OK(aclrtFree(memory));
    OK(aclrtMemcpy(w->d[0], 64, memory + 2048, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

#endif

/* An operator on memory of the program's own. */
static void stack_memory(struct world *w)
{
    absolute(w, 0, w->d[0], w->pageable);
    OK(aclrtSynchronizeStream(w->s[0]));
}

/* An operator on pinned memory: a device's cores do not reach it. */
static void pinned_operand(struct world *w)
{
    absolute(w, 0, w->d[0], w->pinned);
}

static void pinned_output(struct world *w)
{
    absolute(w, 0, w->pinned, w->d[0]);
}

static void pinned_workspace(struct world *w)
{
    void *pinned;
    const size_t size = workspace_bytes(w);
    OK(aclrtMallocHost(&pinned, size));
    with_workspace(w, 0, 1, 0, pinned, size);
    OK(aclrtSynchronizeDevice());
    OK(aclrtFreeHost(pinned));
}

/* A copy whose kind says device, of memory of the host. */
static void wrong_kind(struct world *w)
{
    OK(aclrtMemcpy(w->d[0], BYTES, w->pageable, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

static void wrong_kind_pinned(struct world *w)
{
    OK(aclrtMemcpy(w->d[0], BYTES, w->pinned, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

/* Target and source the wrong way round. */
static void kind_turned_round(struct world *w)
{
    OK(aclrtMemcpy(w->pageable, BYTES, w->d[0], BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
}

/* One element too many. */
static void past_the_end(struct world *w)
{
    char *memory = device(BYTES - 4);
    OK(aclrtMemset(memory, BYTES - 4, 0, BYTES - 4));
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* The copy counts from the wrong place. */
static void shifted_copy(struct world *w)
{
    char *memory = device(1024);
    OK(aclrtMemset(memory, 1024, 0, 1024));
    copy_part(w, 0, w->d[0], memory + 1008, 32);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* A fill behind the end, into the bytes that lie spare there. */
static void fill_past_the_end(struct world *w)
{
    char *memory = device(1000);
    (void)w;
    OK(aclrtMemset(memory, 1008, 0, 1008));
    OK(aclrtFree(memory));
}

/* The last row of a strided view ends behind the memory. */
static void strided_past_the_end(struct world *w)
{
    char *memory = device(BYTES - 8);
    OK(aclrtMemset(memory, BYTES - 8, 0, BYTES - 8));
    absolute_view(w, 0, w->d[0], memory, 32, 31, 32);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* Nobody has written the input. */
static void unwritten_input(struct world *w)
{
    char *memory = device(BYTES);
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* All but the last element. */
static void unwritten_tail(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, BYTES - 4, 0, BYTES - 4));
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* A hole in the middle. */
static void unwritten_hole(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemset(memory, 2048, 0, 2048));
    OK(aclrtMemset(memory + 2064, 2032, 0, 2032));
    absolute(w, 0, w->d[0], memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(memory));
}

/* A download of what was never computed. */
static void unwritten_download(struct world *w)
{
    char *memory = device(BYTES);
    OK(aclrtMemcpy(w->pageable, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtFree(memory));
}

/* Written before it was freed, and handed out again: it is fresh. */
static void unwritten_again(struct world *w)
{
    for (int i = 0; i < 2; i++) {
        char *memory = device(BYTES);
        if (i == 0) OK(aclrtMemset(memory, BYTES, 0, BYTES));
        copy_part(w, 0, w->d[0], memory, BYTES);
        OK(aclrtSynchronizeStream(w->s[0]));
        OK(aclrtFree(memory));
    }
}

/* What a workspace holds is nobody's result, but the input of a sum that goes on must be cleared.
 */
static void accumulator(struct world *w)
{
    char *sum = device(BYTES);
    absolute(w, 0, sum, sum);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(sum));
}

static void leaked_memory(struct world *w)
{
    (void)w;
    device(100);
}

static void leaked_pinned(struct world *w)
{
    void *pinned;
    (void)w;
    OK(aclrtMallocHost(&pinned, 100));
}

static void leaked_tensor(struct world *w)
{
    tensor_of(w->d[0], FLOATS);
}

/* Planned, never launched, never destroyed. */
static void leaked_executor(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *in = tensor_of(w->d[0], FLOATS), *out = tensor_of(w->d[1], FLOATS);
    OK(aclnnAbsGetWorkspaceSize(in, out, &size, &executor));
    aclDestroyTensor(in);
    aclDestroyTensor(out);
}

/* A repeatable executor is the program's until it destroys it. */
static void leaked_repeatable(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *in = tensor_of(w->d[0], FLOATS), *out = tensor_of(w->d[1], FLOATS);
    OK(aclnnAbsGetWorkspaceSize(in, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclnnAbs(NULL, 0, executor, w->s[0]));
    aclDestroyTensor(in);
    aclDestroyTensor(out);
}

/* A context of the program's own, current until leave_context, which it does not destroy: then what
 * lives in it is left behind. */
static aclrtContext enter_context(void)
{
    aclrtContext before, own;
    OK(aclrtGetCurrentContext(&before));
    OK(aclrtCreateContext(&own, 0));
    return before;
}

static void leave_context(aclrtContext before)
{
    OK(aclrtSetCurrentContext(before));
}

static void leaked_stream(struct world *w)
{
    aclrtStream stream;
    const aclrtContext before = enter_context();
    (void)w;
    OK(aclrtCreateStream(&stream));
    leave_context(before);
}

static void leaked_event(struct world *w)
{
    aclrtEvent event;
    const aclrtContext before = enter_context();
    (void)w;
    OK(aclrtCreateEvent(&event));
    leave_context(before);
}

static void leaked_notify(struct world *w)
{
    aclrtNotify notify;
    const aclrtContext before = enter_context();
    (void)w;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    leave_context(before);
}

/* The stream goes, what was captured from it stays. */
static void leaked_graph(struct world *w)
{
    aclrtStream stream;
    aclmdlRI graph;
    const aclrtContext before = enter_context();
    OK(aclrtCreateStream(&stream));
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemsetAsync(w->d[0], BYTES, 0, BYTES, stream));
    OK(aclmdlRICaptureEnd(stream, &graph));
    OK(aclrtDestroyStream(stream));
    leave_context(before);
}

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_lives[] = {
    PROGRAM(freed_early, FREED_EARLY),
    PROGRAM(freed_behind_wrong_stream, FREED_EARLY),
    PROGRAM(workspace_freed_early, FREED_EARLY),
    PROGRAM(freed_without_waiting, FREED_EARLY),
    PROGRAM(pinned_freed_early, FREED_EARLY),
#if !TOUCHES_NOTHING_FREED
    PROGRAM(used_after_free, FREED),
    PROGRAM(copied_after_free, FREED),
    PROGRAM(inside_of_freed, FREED),
#endif
    PROGRAM(stack_memory, UNKNOWN),
    PROGRAM(pinned_operand, HOST),
    PROGRAM(pinned_output, HOST),
    PROGRAM(pinned_workspace, HOST),
    PROGRAM(wrong_kind, UNKNOWN),
    PROGRAM(wrong_kind_pinned, HOST),
    PROGRAM(kind_turned_round, UNKNOWN),
    PROGRAM(past_the_end, PAST),
    PROGRAM(shifted_copy, PAST),
    PROGRAM(fill_past_the_end, PAST),
    PROGRAM(strided_past_the_end, PAST),
    PROGRAM(unwritten_input, UNWRITTEN),
    PROGRAM(unwritten_tail, UNWRITTEN),
    PROGRAM(unwritten_hole, UNWRITTEN),
    PROGRAM(unwritten_download, UNWRITTEN),
    PROGRAM(unwritten_again, UNWRITTEN),
    PROGRAM(accumulator, UNWRITTEN),
    PROGRAM(leaked_memory, "leak/device memory"),
    PROGRAM(leaked_pinned, "leak/host memory"),
    PROGRAM(leaked_tensor, "leak/tensor"),
    PROGRAM(leaked_executor, "leak/executor"),
    PROGRAM(leaked_repeatable, "leak/executor"),
    PROGRAM(leaked_stream, "leak/stream"),
    PROGRAM(leaked_event, "leak/event"),
    PROGRAM(leaked_notify, "leak/notify"),
    PROGRAM(leaked_graph, "leak/graph"),
};
const size_t wrong_life_count = sizeof wrong_lives / sizeof *wrong_lives;

/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills. The synchronous forms run on the calling thread and wait for no stream. The
 * asynchronous forms are tasks of a stream; when one of the addresses is not known to us (pageable
 * memory) they return after the task has run, as a device does, because the caller may
 * reuse a buffer on its stack at once. */
#include "runtime/memory/copy.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"
#include "runtime/profile/profile.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

enum { LARGE_TASK = 32 << 10 }; /* bytes; some microseconds */

/* ---- Checks ---- */

static aclError check_copy(const char *who, const void *to, size_t room, const void *from,
                           size_t count, aclrtMemcpyKind kind)
{
    if (!to) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "dst is NULL");
    if (!from) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "src is NULL");
    if ((unsigned)kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "kind is %d; it must be one of aclrtMemcpyKind", (int)kind);
    }
    if (count == 0) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "count is 0; it must be greater than 0");
    }
    if (count > room) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "count is %zu; it must not exceed destMax, %zu", count, room);
    }
    return ACL_SUCCESS;
}

static aclError check_fill(const char *who, const void *to, size_t room, size_t count)
{
    if (!to) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "devPtr is NULL");
    if (count == 0) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "count is 0; it must be greater than 0");
    }
    if (count > room) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "count is %zu; it must not exceed maxCount, %zu", count, room);
    }
    return ACL_SUCCESS;
}

/* The bytes from the first to the last of height rows; false when they pass the address space. */
static bool extent_ok(const void *address, size_t pitch, size_t width, size_t height,
                      size_t *extent)
{
    size_t end;
    return rt_size_mul_ok(height - 1, pitch, extent) && rt_size_add_ok(*extent, width, extent) &&
           rt_size_add_ok((uintptr_t)address, *extent, &end);
}

static aclError check_rows(const char *who, const struct rt_rows *rows, aclrtMemcpyKind kind)
{
    if (!rows->to) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "dst is NULL");
    if (!rows->from) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "src is NULL");
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST &&
        kind != ACL_MEMCPY_DEVICE_TO_DEVICE && kind != ACL_MEMCPY_DEFAULT) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "kind is %d; it must be HOST_TO_DEVICE, DEVICE_TO_HOST, "
                               "DEVICE_TO_DEVICE or DEFAULT",
                               (int)kind);
    }
    if (rows->width == 0 || rows->height == 0) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "width is %zu and height is %zu; both must be greater than 0",
                               rows->width, rows->height);
    }
    if (rows->width > rows->to_pitch || rows->width > rows->from_pitch) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "width is %zu; it must not exceed dpitch, %zu, nor spitch, %zu",
                               rows->width, rows->to_pitch, rows->from_pitch);
    }
    size_t extent;
    if (!extent_ok(rows->to, rows->to_pitch, rows->width, rows->height, &extent) ||
        !extent_ok(rows->from, rows->from_pitch, rows->width, rows->height, &extent)) {
        return rt_error_report(
            ACL_ERROR_RT_PARAM_INVALID, who,
            "height is %zu; with dpitch %zu and spitch %zu the rows pass the end "
            "of the address space",
            rows->height, rows->to_pitch, rows->from_pitch);
    }
    return ACL_SUCCESS;
}

/* ---- What is told to the checker ---- */

/* The host's side of a copy may be any memory of the program. */
static void tell_copy(struct rt_stream *stream, const char *who, const struct rt_rows *rows,
                      aclrtMemcpyKind kind)
{
    const bool to_device =
        kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
        kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE || kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    const bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST ||
                             kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
                             kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    const struct rt_check_access accesses[] = {
        {.address = rows->from,
         .width = rows->width,
         .pitch = rows->from_pitch,
         .rows = rows->height,
         .role = "source",
         .argument = -1,
         .reads = true,
         .needs_device = from_device,
         .may_be_foreign = !from_device},
        {.address = rows->to,
         .width = rows->width,
         .pitch = rows->to_pitch,
         .rows = rows->height,
         .role = "target",
         .argument = -1,
         .writes = true,
         .needs_device = to_device,
         .may_be_foreign = !to_device,
         .is_plain = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE},
    };
    rt_check_hooks.access(stream, who, accesses, RT_LENGTH(accesses));
}

void rt_copy_tell(struct rt_stream *stream, const char *who, const void *to, const void *from,
                  size_t count)
{
    const struct rt_rows rows = {(char *)(uintptr_t)to, count, from, count, count, 1};
    tell_copy(stream, who, &rows, ACL_MEMCPY_DEFAULT);
}

static void tell_fill(struct rt_stream *stream, const char *who, const void *memory, size_t count)
{
    const struct rt_check_access access = {.address = memory,
                                           .width = count,
                                           .rows = 1,
                                           .role = "target",
                                           .argument = -1,
                                           .writes = true,
                                           .may_be_foreign = true};
    rt_check_hooks.access(stream, who, &access, 1);
}

/* ---- Synchronous ---- */

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    aclError status = check_copy(__func__, dst, destMax, src, count, kind);
    if (status == ACL_SUCCESS) status = rt_capture_check_unsafe(__func__);
    if (status != ACL_SUCCESS) return status;
    int64_t begin = rt_profile_begin();
    if (rt_check_on())
        tell_copy(NULL, __func__, &(struct rt_rows){dst, count, src, count, count, 1}, kind);
    if (dst != src) rt_move(dst, src, count);
    if (begin != 0) rt_profile_call(__func__, begin, 2 * count);
    return ACL_SUCCESS;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind)
{
    struct rt_rows rows = {dst, dpitch, src, spitch, width, height};
    aclError status = check_rows(__func__, &rows, kind);
    if (status == ACL_SUCCESS) status = rt_capture_check_unsafe(__func__);
    if (status != ACL_SUCCESS) return status;
    int64_t begin = rt_profile_begin();
    if (rt_check_on()) tell_copy(NULL, __func__, &rows, kind);
    rt_move_rows(&rows);
    if (begin != 0) rt_profile_call(__func__, begin, 2 * width * height);
    return ACL_SUCCESS;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    aclError status = check_fill(__func__, devPtr, maxCount, count);
    if (status == ACL_SUCCESS) status = rt_capture_check_unsafe(__func__);
    if (status != ACL_SUCCESS) return status;
    int64_t begin = rt_profile_begin();
    if (rt_check_on()) tell_fill(NULL, __func__, devPtr, count);
    rt_fill(devPtr, value, count);
    if (begin != 0) rt_profile_call(__func__, begin, count);
    return ACL_SUCCESS;
}

/* ---- Tasks ---- */

static void run_move(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    rt_profile_note(2 * task->word[2].number, 0);
    rt_move(task->word[0].pointer, task->word[1].pointer, task->word[2].number);
}

static void drop_snapshot(struct rt_task *task)
{
    rt_free(task->word[1].pointer);
}

static void run_snapshot(struct rt_task *task, struct rt_stream *stream)
{
    run_move(task, stream);
    drop_snapshot(task);
}

static void run_rows(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct rt_rows rows = {
        .to = task->word[0].pointer,
        .to_pitch = task->word[1].number,
        .from = task->word[2].pointer,
        .from_pitch = task->word[3].number,
        .width = task->word[4].number,
        .height = task->word[5].number,
    };
    rt_profile_note(2 * rows.width * rows.height, 0);
    rt_move_rows(&rows);
}

static void run_fill(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    rt_profile_note(task->word[2].number, 0);
    rt_fill(task->word[0].pointer, (int)task->word[1].number, task->word[2].number);
}

static const struct rt_task_kind move_kind = {.name = "memcpy", .run = run_move, .rerun = run_move};
static const struct rt_task_kind snapshot_kind = {
    .name = "memcpy from a buffer", .run = run_snapshot, .drop = drop_snapshot, .rerun = run_move};
static const struct rt_task_kind rows_kind = {
    .name = "memcpy2d", .run = run_rows, .rerun = run_rows};
static const struct rt_task_kind fill_kind = {.name = "memset", .run = run_fill, .rerun = run_fill};

/* bytes: how much the task touches. */
static aclError submit(struct rt_stream *stream, const struct rt_task *task, size_t bytes,
                       bool wait)
{
    aclError status = wait ? rt_capture_check_pageable(task->kind->name, stream) : ACL_SUCCESS;
    if (status == ACL_SUCCESS && wait) status = rt_stream_check_wait(task->kind->name, stream);
    if (status == ACL_SUCCESS)
        status = rt_stream_submit(stream, task, bytes >= LARGE_TASK ? RT_SUBMIT_LARGE : 0);
    if (status == ACL_SUCCESS && wait) rt_stream_drain(stream);
    return status;
}

/* Copies a pinned source that the caller may reuse at once; NULL without memory. */
static void *snapshot(const void *from, size_t count)
{
    void *copy = rt_alloc(count);
    if (copy) rt_move(copy, from, count);
    return copy;
}

aclError rt_copy_queue(struct rt_stream *stream, void *to, const void *from, size_t count)
{
    struct rt_task task = {.kind = &move_kind};
    task.word[0].pointer = to;
    task.word[1].pointer = (void *)from;
    task.word[2].number = count;
    if (rt_check_on()) rt_copy_tell(stream, "aclrtMemcpyBatchAsync", to, from, count);
    return submit(stream, &task, count, false);
}

static aclError copy_async(const char *who, void *to, size_t room, const void *from, size_t count,
                           aclrtMemcpyKind kind, aclrtStream handle)
{
    aclError status = check_copy(who, to, room, from, count, kind);
    if (status != ACL_SUCCESS) return status;
    struct rt_stream *stream;
    status = rt_stream_resolve(who, handle, &stream);
    if (status != ACL_SUCCESS || to == from) return status;

    struct rt_task task = {.kind = &move_kind};
    task.word[0].pointer = to;
    task.word[1].pointer = (void *)from;
    task.word[2].number = count;
    if (rt_check_on())
        tell_copy(stream, who, &(struct rt_rows){to, count, from, count, count, 1}, kind);
    bool wait = !rt_memory_is_known(to, count) || !rt_memory_is_known(from, count);
    if (!wait && kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        void *copy = snapshot(from, count);
        if (copy) {
            task.kind = &snapshot_kind;
            task.word[1].pointer = copy;
        } else {
            wait = true;
        }
    }
    status = submit(stream, &task, count, wait);
    if (status != ACL_SUCCESS && task.kind == &snapshot_kind) drop_snapshot(&task);
    return status;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    return copy_async(__func__, dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream)
{
    return copy_async(__func__, dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    struct rt_rows rows = {dst, dpitch, src, spitch, width, height};
    aclError status = check_rows(__func__, &rows, kind);
    if (status != ACL_SUCCESS) return status;
    struct rt_stream *queue;
    status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;

    struct rt_task task = {.kind = &rows_kind};
    task.word[0].pointer = dst;
    task.word[1].number = dpitch;
    task.word[2].pointer = (void *)src;
    task.word[3].number = spitch;
    task.word[4].number = width;
    task.word[5].number = height;
    if (rt_check_on()) tell_copy(queue, __func__, &rows, kind);
    size_t to_extent = (height - 1) * dpitch + width;
    size_t from_extent = (height - 1) * spitch + width;
    bool wait = !rt_memory_is_known(dst, to_extent) || !rt_memory_is_known(src, from_extent);
    return submit(queue, &task, width * height, wait);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream)
{
    aclError status = check_fill(__func__, devPtr, maxCount, count);
    if (status != ACL_SUCCESS) return status;
    struct rt_stream *queue;
    status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;

    struct rt_task task = {.kind = &fill_kind};
    task.word[0].pointer = devPtr;
    task.word[1].number = (uint64_t)(uint8_t)value;
    task.word[2].number = count;
    if (rt_check_on()) tell_fill(queue, __func__, devPtr, count);
    return submit(queue, &task, count, !rt_memory_is_known(devPtr, count));
}

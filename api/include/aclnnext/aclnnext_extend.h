/* SPDX-License-Identifier: Apache-2.0 */
/* For libraries that add functions of their own to streams, as libhccl does. Ours; CANN has nothing
 * like it. */
#ifndef ACLNN_CPU_ACLNNEXT_EXTEND_H
#define ACLNN_CPU_ACLNNEXT_EXTEND_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of work that may block.
 * name: what timelines and tables call it; static storage.
 * run: does the work, on a thread that runs nothing else meanwhile; the stream waits for its
 * return, other streams do not. Like a host function (aclrtLaunchHostFunc) it may submit work and
 * must not wait for a stream. A result other than ACL_SUCCESS becomes the stream's error, with what
 *      it has written to text, a zero-terminated sentence of at most room bytes.
 * release: called once, when run will not be called any more: after it has run, when the task is
 *      dropped unrun, or, for a captured task, when its graph is destroyed. NULL: nothing to do.
 * data: for both.
 * bytes: what it moves, for timelines. */
typedef struct aclnnextStreamTask {
    const char *name;
    aclError (*run)(void *data, char *text, size_t room);
    void (*release)(void *data);
    void *data;
    uint64_t bytes;
} aclnnextStreamTask;

/* Queues the task behind all that was submitted to the stream (NULL: the context's default one); it
 * can be captured and is then run by each replay. *task is copied. On failure (100000 for a NULL
 * task, name or run; 107002, 107003, 107017 for the stream; 207001 without memory) release is not
 * called. */
ACL_FUNC_VISIBILITY aclError aclnnextLaunchStreamTask(aclrtStream stream,
                                                      const aclnnextStreamTask *task);

/* Bytes of device memory that a task reads, or writes. */
typedef struct aclnnextAccess {
    const void *address;
    uint64_t bytes;
    int32_t writes; /* 0: reads */
} aclnnextAccess;

/* Tells ACLNN_CPU_CHECK what a task touches: called right before the task is queued to this stream
 * (NULL: the context's default one), which is refused or not by itself. Nothing happens unless
 * something is checked. name: as the task's. */
ACL_FUNC_VISIBILITY void aclnnextTellAccesses(aclrtStream stream, const char *name,
                                              const aclnnextAccess *accesses, size_t count);

/* Leaves "who: text" for the calling thread's aclGetRecentErrMsg and in the log, and returns code.
 */
ACL_FUNC_VISIBILITY int32_t aclnnextReportError(int32_t code, const char *who, const char *text);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of timelines record: a folder for the files, a program of two streams, and what
 * its timeline must show. */
#ifndef ACLNN_CPU_TESTS_UNIT_PROFILE_PROGRAM_H
#define ACLNN_CPU_TESTS_UNIT_PROFILE_PROGRAM_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "tests/unit/gate.h"
#include "tests/unit/timeline_file.h"

static char folder[] = "/tmp/aclnn-cpu-timeline-XXXXXX", path[256];

static inline void make_folder(void)
{
    static const char *const variables[] = {
        "ACLNN_CPU_TIMELINE",      "ACLNN_CPU_SUMMARY",           "ACLNN_CPU_LOG",
        "ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_SLOG_PRINT_TO_STDOUT", "ASCEND_LAUNCH_BLOCKING"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/timeline.json", folder);
}

static inline void remove_folder(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s", aclGetRecentErrMsg())

/* Two streams; the second waits for an event that the first records behind a gate, so that it is
 * parked when the gate opens. */
static inline void work(aclrtStream streams[2], void *memory)
{
    struct gate gate;
    aclrtEvent event;
    OK(aclrtCreateEvent(&event));
    gate_close(&gate, streams[0]);
    OK(aclrtMemsetAsync(memory, 4096, 1, 4096, streams[0]));
    OK(aclrtRecordEvent(event, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], event));
    OK(aclrtMemcpyAsync((char *)memory + 2048, 2048, memory, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE,
                        streams[1]));
    gate_open(&gate);
    OK(aclrtSynchronizeStream(streams[1]));
    OK(aclrtSynchronizeStream(streams[0]));
    OK(aclrtDestroyEvent(event));
    sem_destroy(&gate.opened);
}

static inline void run_program(int rounds)
{
    aclrtStream streams[2];
    void *memory;
    aclError status = aclInit(NULL);
    cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_REPEAT_INITIALIZE);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&streams[0]));
    OK(aclrtCreateStream(&streams[1]));
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < rounds; i++)
        work(streams, memory);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(streams[0]));
    OK(aclrtDestroyStream(streams[1]));
}

static inline void check_rounds(const struct timeline *timeline, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        const struct timeline_event *fill = timeline_slice(timeline, "task", "memset", i);
        const struct timeline_event *move = timeline_slice(timeline, "task", "memcpy", i);
        const struct timeline_event *wait =
            timeline_slice(timeline, "task", "aclrtStreamWaitEvent", i);
        cr_assert(fill && move && wait);
        cr_expect_eq(timeline_argument(fill, "bytes"), 4096);
        cr_expect_eq(timeline_argument(move, "bytes"), 2 * 2048);
        cr_expect(timeline_same_track(move, wait) && !timeline_same_track(move, fill));
        cr_expect_geq(move->begin, wait->end);
        cr_expect_geq(wait->end, fill->end);
        cr_expect_not_null(timeline_slice(timeline, "submit", "memset", i));
    }
    cr_expect_eq(timeline_count(timeline, 'f', "event"), rounds);
    cr_expect_eq(timeline_count(timeline, 'X', "memset"), 2 * rounds);
    /* Every task has its submit: gate, memset, record, wait, memcpy. */
    cr_expect_eq(timeline_count(timeline, 'f', "submit"), 5 * rounds);
    cr_expect_eq(timeline_lost(timeline), 0);
}

#endif

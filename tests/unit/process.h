/* SPDX-License-Identifier: Apache-2.0 */
/* What the system says about this process. */
#ifndef ACLNN_CPU_TESTS_UNIT_PROCESS_H
#define ACLNN_CPU_TESTS_UNIT_PROCESS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define PROCESS_FILES   "/proc/self/fd"
#define PROCESS_THREADS "/proc/self/task"

static inline int process_count(const char *folder)
{
    DIR *open = opendir(folder);
    cr_assert_not_null(open, "%s", folder);
    int count = 0;
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

/* Whether as many as `count` are left in the end: the kernel shows a thread for a moment after it
 * was joined, for longer when others want the CPU. */
static inline bool process_settles(const char *folder, int count)
{
    struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 100000; i++) {
        if (process_count(folder) == count) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* At the begin of a test that forks while other threads run: one of them may hold a sanitizer's own
 * lock at the fork, for which the child would wait for ever. */
static inline void process_begin_forks(void)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    cr_skip_test("the sanitizer does not support threads in a forked child");
#endif
}

/* In the child: should it hang, it ends before the suite's time is over, and keeps nobody waiting.
 */
static inline void process_begin_child(void)
{
    alarm(500);
}

#endif

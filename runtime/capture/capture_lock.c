/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/capture/capture_lock.h"

#include <pthread.h>

#include "runtime/support/fork.h"

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;

void rt_capture_lock(void)
{
    pthread_mutex_lock(&capture_lock);
}

void rt_capture_unlock(void)
{
    pthread_mutex_unlock(&capture_lock);
}

/* A capture goes on in the child if it is the forking thread's. */
static void in_child(void)
{
    pthread_mutex_init(&capture_lock, NULL);
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {rt_capture_lock, rt_capture_unlock, in_child};
    rt_fork_guard(RT_FORK_CAPTURE, &handlers);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit and aclFinalize. `lock` guards `references` and `ended` and is held through both, so that
 * a start and an end do not overlap; the locks of the other files are taken inside it. It is not
 * held across a fork: the child gets a fresh one. */

#include <pthread.h>
#include <stdbool.h>

#include "runtime/device/device.h"
#include "runtime/device/init_file.h"
#include "runtime/memory/allocator.h"
#include "runtime/memory/blocks.h"
#include "runtime/profile/profile.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/checked.h"
#include "runtime/support/config.h"
#include "runtime/support/error.h"

#include "acl/acl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t references;
static bool ended; /* by an end, until the next aclInit */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void renew_lock(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void guard_fork(void)
{
    pthread_atfork(NULL, NULL, renew_lock);
}

static aclError start(const char *path)
{
    if (references > 0) {
        references++;
        return rt_error_note(ACL_ERROR_REPEAT_INITIALIZE, "aclInit",
                             "initialised already; the call counts as reference %llu",
                             (unsigned long long)references);
    }
    (void)rt_config(); /* what it asks for begins here */
    struct rt_init_options options;
    aclError status = rt_init_file_read(path, &options);
    if (status != ACL_SUCCESS) return status;
    rt_error_set_process_wide(options.process_wide_texts);
    rt_context_set_default_device(options.default_device);
    references = 1;
    ended = false;
    return ACL_SUCCESS;
}

static void end(void)
{
    rt_runtime_shutdown();
    if (rt_check_on()) rt_check_hooks.end();
    rt_profile_finish();
    rt_allocators_end();
    rt_blocks_end();
    rt_error_set_process_wide(false);
    rt_context_set_default_device(-1);
    references = 0;
    ended = true;
}

aclError aclInit(const char *configPath)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
    aclError status = start(configPath);
    pthread_mutex_unlock(&lock);
    return status;
}

/* A program that never called aclInit may end the library once. */
aclError aclFinalize(void)
{
    aclError status = rt_stream_check_wait(__func__, NULL);
    if (status != ACL_SUCCESS) return status;
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
    bool again = ended;
    if (!again) end();
    pthread_mutex_unlock(&lock);
    if (!again) return ACL_SUCCESS;
    return rt_error_note(ACL_ERROR_REPEAT_FINALIZE, __func__,
                         "finalised already; there was no aclInit since");
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    aclError status = rt_stream_check_wait(__func__, NULL);
    if (status != ACL_SUCCESS) return status;
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
    bool again = references == 0;
    if (references > 1)
        references--;
    else if (!again)
        end();
    if (refCount) *refCount = references;
    pthread_mutex_unlock(&lock);
    if (!again) return ACL_SUCCESS;
    return rt_error_note(ACL_ERROR_REPEAT_FINALIZE, __func__,
                         "the count of references is 0 already");
}

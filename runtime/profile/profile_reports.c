/* SPDX-License-Identifier: Apache-2.0 */
/* What frameworks report, and whom they want to be told of a recording.
 * Locks: `lock` guards modules, names and what is recorded; nothing is taken inside it, and it is
 * not held while a module's function is called. */
#include "runtime/profile/profile_reports.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/profile/profile.h"
#include "runtime/profile/profile_records.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/error.h"

#include "acl/acl_prof.h"
#include "experiment/msprof/toolchain/prof_api.h"

enum { MOST_MODULES = 64, MOST_NAMES = 65536, FIRST_PLACES = 256 };

struct name {
    uint64_t id; /* 0: the place is free */
    char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    uint32_t id;
    ProfCommandHandle handle;
} modules[MOST_MODULES];
static size_t module_count;
static struct name *names; /* a power of two of places, at most three quarters of them taken */
static size_t place_count, name_count;
static uint64_t recorded; /* ACL_PROF_* of the recording; 0: there is none */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void guard_fork(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static void take_lock(void)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
}

/* --- who is told ------------------------------------------------------------------------------ */

static void tell(ProfCommandHandle handle, uint32_t type, uint64_t data)
{
    struct MsprofCommandHandle command = {
        .profSwitch = data, .devNums = 1, .devIdList = {0}, .type = type};
    (void)handle(PROF_CTRL_SWITCH, &command, sizeof command);
}

static void tell_all(uint32_t type, uint64_t data)
{
    ProfCommandHandle handles[MOST_MODULES];
    take_lock();
    const size_t count = module_count;
    for (size_t i = 0; i < count; i++)
        handles[i] = modules[i].handle;
    recorded = type == PROF_COMMANDHANDLE_TYPE_START ? data : 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        tell(handles[i], type, data);
}

void rt_profile_tell_start(uint64_t data)
{
    tell_all(PROF_COMMANDHANDLE_TYPE_START, data);
}

void rt_profile_tell_stop(uint64_t data)
{
    tell_all(PROF_COMMANDHANDLE_TYPE_STOP, data);
}

int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle)
{
    if (!handle) return RT_ERROR(MSPROF_ERROR, "handle is NULL");
    (void)rt_config(); /* may start a recording, before there is anybody to tell */
    take_lock();
    size_t at = 0;
    while (at < module_count && modules[at].id != moduleId)
        at++;
    const bool fits = at < MOST_MODULES;
    if (fits) {
        modules[at].id = moduleId;
        modules[at].handle = handle;
        if (at == module_count) module_count++;
    }
    const uint64_t data = recorded;
    pthread_mutex_unlock(&lock);
    if (!fits)
        return RT_ERROR(MSPROF_ERROR_MEM_NOT_ENOUGH, "there are %d modules, the most there may be",
                        MOST_MODULES);
    if (data != 0) tell(handle, PROF_COMMANDHANDLE_TYPE_START, data);
    return MSPROF_ERROR_NONE;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Where id is, or where it would go. There is a free place. */
static struct name *place_of(struct name *places, size_t count, uint64_t id)
{
    size_t at = (size_t)id & (count - 1);
    while (places[at].id != 0 && places[at].id != id)
        at = (at + 1) & (count - 1);
    return &places[at];
}

static bool make_room(void)
{
    if (name_count < place_count / 4 * 3) return true;
    const size_t count = place_count > 0 ? 2 * place_count : FIRST_PLACES;
    struct name *larger = rt_alloc_zeroed(count * sizeof *larger);
    if (!larger) return false;
    for (size_t i = 0; i < place_count; i++) {
        if (names[i].id != 0) *place_of(larger, count, names[i].id) = names[i];
    }
    rt_free(names);
    names = larger;
    place_count = count;
    return true;
}

/* Without memory the id has no text. */
static void keep_name(uint64_t id, const char *text, size_t length)
{
    if (name_count >= MOST_NAMES || !make_room()) return;
    struct name *place = place_of(names, place_count, id);
    if (place->id == id) return;
    char *own = rt_alloc(length + 1);
    if (!own) return;
    memcpy(own, text, length);
    own[length] = '\0';
    *place = (struct name){.id = id, .text = own};
    name_count++;
}

/* FNV-1a. */
uint64_t MsprofGetHashId(const char *hashInfo, size_t length)
{
    if (!hashInfo || length == 0) return 0;
    uint64_t id = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        id = (id ^ (unsigned char)hashInfo[i]) * UINT64_C(0x100000001b3);
    if (id == 0) id = 1;
    take_lock();
    keep_name(id, hashInfo, length);
    pthread_mutex_unlock(&lock);
    return id;
}

/* An allocation of the caller's; NULL without memory. */
static char *copy_name(uint64_t id)
{
    char unknown[32];
    snprintf(unknown, sizeof unknown, "call %" PRIx64, id);
    take_lock();
    const char *text = unknown;
    if (place_count > 0 && id != 0) {
        const struct name *place = place_of(names, place_count, id);
        if (place->id == id) text = place->text;
    }
    const size_t size = strlen(text) + 1;
    char *own = rt_alloc(size);
    if (own) memcpy(own, text, size);
    pthread_mutex_unlock(&lock);
    return own;
}

/* --- reports ---------------------------------------------------------------------------------- */

uint64_t MsprofSysCycleTime(void)
{
    rt_ticks_choose();
    return (uint64_t)rt_ticks();
}

int32_t MsprofReportApi(uint32_t agingFlag, const struct MsprofApi *api)
{
    (void)agingFlag;
    if (!api) return RT_ERROR(MSPROF_ERROR, "api is NULL");
    if (api->magicNumber != MSPROF_REPORT_DATA_MAGIC_NUM)
        return RT_ERROR(MSPROF_ERROR, "magicNumber is 0x%x; it must be 0x%x", api->magicNumber,
                        MSPROF_REPORT_DATA_MAGIC_NUM);
    if (api->endTime < api->beginTime)
        return RT_ERROR(MSPROF_ERROR, "endTime is %" PRIu64 ", before beginTime, %" PRIu64,
                        api->endTime, api->beginTime);
    const unsigned flags = atomic_load_explicit(&rt_profile_flags, memory_order_acquire);
    struct rt_record_log *log = flags & RT_PROFILE_HOST ? rt_record_own_log() : NULL;
    char *text = log ? copy_name(api->itemId) : NULL;
    if (!text) return MSPROF_ERROR_NONE;
    const struct rt_record record = {.kind = RT_RECORD_CALL,
                                     .begin = (int64_t)api->beginTime,
                                     .end = (int64_t)api->endTime,
                                     .name = text,
                                     .traits = RT_RECORD_OWNS_NAME};
    if (!rt_record_put(log, &record)) rt_free(text);
    return MSPROF_ERROR_NONE;
}

static int32_t check_info(const char *who, const void *data, size_t length, size_t expected)
{
    uint16_t magic = 0;
    if (!data) return rt_error_report(MSPROF_ERROR, who, "data is NULL");
    if (length != expected)
        return rt_error_report(MSPROF_ERROR, who, "length is %zu; it must be %zu", length,
                               expected);
    memcpy(&magic, data, sizeof magic);
    if (magic != MSPROF_REPORT_DATA_MAGIC_NUM)
        return rt_error_report(MSPROF_ERROR, who, "magicNumber is 0x%x; it must be 0x%x", magic,
                               MSPROF_REPORT_DATA_MAGIC_NUM);
    return MSPROF_ERROR_NONE;
}

int32_t MsprofReportCompactInfo(uint32_t agingFlag, const VOID_PTR data, uint32_t length)
{
    (void)agingFlag;
    return check_info(__func__, data, length, sizeof(struct MsprofCompactInfo));
}

int32_t MsprofReportAdditionalInfo(uint32_t agingFlag, const VOID_PTR data, uint32_t length)
{
    (void)agingFlag;
    return check_info(__func__, data, length, sizeof(struct MsprofAdditionalInfo));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. Each thread has its own current one and inherits none.
 * Locks: device_lock guards the primary contexts and their counts; it is never held while waiting
 * for work, and taken before any other lock. Else none: the registry tells who is alive, what a
 * thread remembers is its own. */
#include "runtime/schedule/context.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/hooks.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"
#include "runtime/support/fork.h"
#include "runtime/support/stack.h"
#include "runtime/support/thread.h"

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static struct primary {
    struct rt_context *context;
    uint64_t count; /* aclrtSetDevice calls not yet undone; 0 with a context that only threads
                       without one use (aclInit's defaultDevice) */
} primaries[RT_DEVICES_MAX];
static _Atomic int32_t default_device = -1;

static void free_context(struct rt_object *object)
{
    rt_free(object);
}

static const struct rt_object_class context_class = {.free = free_context};

struct rt_context *rt_context_new(int32_t device, bool is_primary)
{
    rt_fork_prepare();
    struct rt_context *context = rt_alloc_zeroed(sizeof(*context));
    if (!context) return NULL;
    context->device = device;
    context->is_primary = is_primary;
    context->default_stream = rt_stream_new(context, 0, 0);
    if (!context->default_stream) {
        rt_free(context);
        return NULL;
    }
    rt_registry_add(&context->object, RT_OBJECT_CONTEXT, NULL, &context_class);
    return context;
}

static void forget_streams(struct rt_thread *self)
{
    memset(self->known, 0, sizeof(self->known));
    self->default_stream = NULL;
}

void rt_context_enter(struct rt_context *context)
{
    struct rt_thread *self = &rt_self;
    if (self->id == 0) {
        self->id = (uint32_t)gettid();
        rt_stack_look();
    }
    forget_streams(self);
    self->epoch = rt_registry_epoch();
    self->context = context;
    self->context_serial = context ? context->object.serial : 0;
    self->default_stream = context ? context->default_stream : NULL;
}

/* --- primary contexts ------------------------------------------------------------------------ */

void rt_context_set_default_device(int32_t device)
{
    atomic_store_explicit(&default_device, device, memory_order_relaxed);
}

int32_t rt_context_default_device(void)
{
    return atomic_load_explicit(&default_device, memory_order_relaxed);
}

struct rt_context *rt_context_use_primary(int32_t device, uint64_t uses)
{
    pthread_mutex_lock(&device_lock);
    struct primary *primary = &primaries[device];
    if (!primary->context) primary->context = rt_context_new(device, true);
    struct rt_context *context = primary->context;
    if (context) primary->count += uses;
    pthread_mutex_unlock(&device_lock);
    return context;
}

bool rt_context_leave_primary(int32_t device, bool at_once, struct rt_context **ending)
{
    *ending = NULL;
    pthread_mutex_lock(&device_lock);
    struct primary *primary = &primaries[device];
    bool is_set = primary->count > 0;
    if (is_set && (at_once || --primary->count == 0)) {
        *ending = primary->context;
        *primary = (struct primary){0};
    }
    pthread_mutex_unlock(&device_lock);
    return is_set;
}

bool rt_context_has_primary(int32_t device)
{
    pthread_mutex_lock(&device_lock);
    bool has_primary = primaries[device].context != NULL;
    pthread_mutex_unlock(&device_lock);
    return has_primary;
}

void rt_context_forget_primaries(void)
{
    pthread_mutex_lock(&device_lock);
    for (int i = 0; i < RT_DEVICES_MAX; i++)
        primaries[i] = (struct primary){0};
    pthread_mutex_unlock(&device_lock);
}

static void before_fork(void)
{
    pthread_mutex_lock(&device_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&device_lock);
}

static void in_child(void)
{
    pthread_mutex_init(&device_lock, NULL);
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_DEVICE, &handlers);
}

/* --- the calling thread's --------------------------------------------------------------------- */

/* The epoch is read before the look-up: what dies in between makes it stale again. */
static void look_again(struct rt_thread *self)
{
    uint64_t epoch = rt_registry_epoch();
    if (self->epoch == epoch) return;
    forget_streams(self);
    self->epoch = epoch;
    if (!self->context) return;
    struct rt_object *object =
        rt_registry_acquire(self->context, RT_OBJECT_CONTEXT, self->context_serial);
    if (object)
        self->default_stream = self->context->default_stream;
    else
        self->context = NULL;
    rt_object_release(object);
}

struct rt_context *rt_context_peek(void)
{
    look_again(&rt_self);
    return rt_self.context;
}

#define NO_CONTEXT                                                                                 \
    "the calling thread has no context; aclrtSetDevice or aclrtSetCurrentContext gives it one"

/* NULL when the thread has no context. */
static struct rt_context *find_current(void)
{
    struct rt_context *context = rt_context_peek();
    if (context) return context;
    int32_t device = rt_context_default_device();
    if (rt_device_exists(device)) context = rt_context_use_primary(device, 0);
    if (context) rt_context_enter(context);
    return context;
}

aclError rt_context_current(const char *who, struct rt_context **context)
{
    *context = find_current();
    if (*context) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_CONTEXT_NULL, who, NO_CONTEXT);
}

aclError rt_context_probe(const char *who, struct rt_context **context)
{
    *context = find_current();
    if (*context) return ACL_SUCCESS;
    return rt_error_note(ACL_ERROR_RT_CONTEXT_NULL, who, NO_CONTEXT);
}

void rt_context_remember(struct rt_stream *stream)
{
    rt_self.known[rt_thread_slot(stream)] = stream;
}

static void destroy_all(enum rt_object_kind kind, struct rt_context *context, bool is_due)
{
    struct rt_object **objects;
    size_t count;
    while (!rt_registry_list(kind, &context->object, &objects, &count)) {
        /* Without memory for the list: nothing better than to try again. */
    }
    for (size_t i = 0; i < count && kind == RT_OBJECT_STREAM; i++)
        rt_queue_finish(rt_stream_of(objects[i]));
    if (!is_due) rt_check_own_begin();
    for (size_t i = 0; i < count; i++)
        objects[i]->class->end(objects[i]);
    if (!is_due) rt_check_own_end();
    rt_registry_list_free(objects, count);
}

void rt_context_destroy(struct rt_context *context, bool is_due)
{
    if (!rt_registry_remove(&context->object)) return;
    if (rt_hooks.capture.abandon) rt_hooks.capture.abandon(context);
    destroy_all(RT_OBJECT_STREAM, context, is_due);
    destroy_all(RT_OBJECT_GRAPH, context, is_due);
    destroy_all(RT_OBJECT_EVENT, context, is_due);
    destroy_all(RT_OBJECT_NOTIFY, context, is_due);
    destroy_all(RT_OBJECT_COUNT_NOTIFY, context, is_due);
    rt_object_release(&context->object);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    RT_CHECK(context, ACL_ERROR_INVALID_PARAM, "context is NULL");
    RT_CHECK(rt_device_exists(deviceId), ACL_ERROR_RT_INVALID_DEVICEID,
             "deviceId is %d; devices are numbered from 0 to %d", deviceId, rt_device_count() - 1);
    struct rt_context *created = rt_context_new(deviceId, false);
    RT_CHECK(created, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a context");
    rt_context_enter(created);
    *context = created;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
    RT_CHECK(context, ACL_ERROR_INVALID_PARAM, "context is NULL");
    struct rt_context *found = (struct rt_context *)rt_registry_find(context, RT_OBJECT_CONTEXT);
    RT_CHECK(found, ACL_ERROR_RT_CONTEXT_NULL, "context %p is not a context, or has been destroyed",
             context);
    RT_CHECK(!found->is_primary, ACL_ERROR_INVALID_PARAM,
             "context %p is a device's default context; aclrtResetDevice ends it", context);
    aclError status = rt_stream_check_wait(__func__, NULL);
    if (status == ACL_SUCCESS) rt_context_destroy(found, true);
    return status;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    RT_CHECK(context, ACL_ERROR_INVALID_PARAM, "context is NULL");
    struct rt_context *found = (struct rt_context *)rt_registry_find(context, RT_OBJECT_CONTEXT);
    RT_CHECK(found, ACL_ERROR_RT_CONTEXT_NULL, "context %p is not a context, or has been destroyed",
             context);
    rt_context_enter(found);
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    struct rt_context *current;
    RT_CHECK(context, ACL_ERROR_INVALID_PARAM, "context is NULL");
    aclError status = rt_context_probe(__func__, &current);
    if (status == ACL_SUCCESS) *context = current;
    return status;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    struct rt_context *current;
    RT_CHECK(stream, ACL_ERROR_INVALID_PARAM, "stream is NULL");
    aclError status = rt_context_current(__func__, &current);
    if (status == ACL_SUCCESS) *stream = current->default_stream;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. Each thread has its own current one and inherits none.
 * Locks: none; the registry tells who is alive, what a thread remembers is its own. */
#include "runtime/schedule/context.h"

#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/device/device.h"
#include "runtime/event/notify.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "runtime/support/stack.h"
#include "runtime/support/thread.h"

static void free_context(struct rt_object *object)
{
    rt_free(object);
}

struct rt_context *rt_context_new(int32_t device, bool is_primary)
{
    rt_runtime_prepare();
    struct rt_context *context = rt_alloc_zeroed(sizeof(*context));
    if (!context) return NULL;
    context->device = device;
    context->is_primary = is_primary;
    context->default_stream = rt_stream_new(context, 0, 0);
    if (!context->default_stream) {
        rt_free(context);
        return NULL;
    }
    rt_registry_add(&context->object, RT_OBJECT_CONTEXT, NULL, free_context);
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

aclError rt_context_current(const char *who, struct rt_context **context)
{
    *context = rt_context_peek();
    if (*context) return ACL_SUCCESS;
    *context = rt_device_default_context();
    if (*context) {
        rt_context_enter(*context);
        return ACL_SUCCESS;
    }
    return rt_error_report(ACL_ERROR_RT_CONTEXT_NULL, who,
                           "the calling thread has no context; aclrtSetDevice or "
                           "aclrtSetCurrentContext gives it one");
}

void rt_context_remember(struct rt_stream *stream)
{
    rt_self.known[rt_thread_slot(stream)] = stream;
}

static void destroy_all(enum rt_object_kind kind, struct rt_context *context)
{
    struct rt_object **objects;
    size_t count;
    while (!rt_registry_list(kind, &context->object, &objects, &count)) {
        /* Without memory for the list: nothing better than to try again. */
    }
    for (size_t i = 0; i < count && kind == RT_OBJECT_STREAM; i++)
        rt_queue_finish(rt_stream_of(objects[i]));
    for (size_t i = 0; i < count; i++) {
        if (kind == RT_OBJECT_STREAM)
            rt_stream_destroy(rt_stream_of(objects[i]), false);
        else if (kind == RT_OBJECT_GRAPH)
            rt_graph_destroy((struct rt_graph *)objects[i]);
        else if (kind == RT_OBJECT_EVENT)
            rt_event_destroy((struct rt_event *)objects[i]);
        else
            rt_notify_destroy(objects[i]);
    }
    rt_registry_list_free(objects, count);
}

void rt_context_destroy(struct rt_context *context)
{
    if (!rt_registry_remove(&context->object)) return;
    rt_capture_abandon(context);
    destroy_all(RT_OBJECT_STREAM, context);
    destroy_all(RT_OBJECT_GRAPH, context);
    destroy_all(RT_OBJECT_EVENT, context);
    destroy_all(RT_OBJECT_NOTIFY, context);
    destroy_all(RT_OBJECT_COUNT_NOTIFY, context);
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
    if (status == ACL_SUCCESS) rt_context_destroy(found);
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
    aclError status = rt_context_current(__func__, &current);
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

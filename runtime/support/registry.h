/* SPDX-License-Identifier: Apache-2.0 */
/* The handles that are alive, so that a stale or foreign pointer is an error code and not a crash.
 * Contexts, streams, events and notifies begin with a struct rt_object and are freed with their
 * last reference. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_REGISTRY_H
#define ACLNN_CPU_RUNTIME_SUPPORT_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rt_object_kind {
    RT_OBJECT_CONTEXT,
    RT_OBJECT_STREAM,
    RT_OBJECT_EVENT,
    RT_OBJECT_NOTIFY,
    RT_OBJECT_COUNT_NOTIFY,
    RT_OBJECT_GRAPH,
    RT_OBJECT_TASK_GROUP,
};

struct rt_object;

/* What a file does with its objects. */
struct rt_object_class {
    void (*free)(struct rt_object *object); /* with the last reference */
    /* The owner ends: waits for what uses the object, if need be, takes the handle out and gives
     * the registry's reference back. Nothing when somebody has done so. NULL: never owned. */
    void (*end)(struct rt_object *object);
    void (*after_fork_child)(struct rt_object *object); /* of a live one; NULL: nothing to do */
};

struct rt_object {
    enum rt_object_kind kind;
    _Atomic int32_t references;
    uint64_t serial;         /* unique in the process, from 1: tells a reused address apart */
    struct rt_object *owner; /* the context of the others; never dereferenced here */
    const struct rt_object_class *class;
    struct rt_object *next; /* in its bucket */
};

/* Fills in the object, which then has one reference, and makes it findable. */
void rt_registry_add(struct rt_object *object, enum rt_object_kind kind, struct rt_object *owner,
                     const struct rt_object_class *class);
/* Takes the handle out. True for exactly one caller, who then owns the registry's reference. */
bool rt_registry_remove(struct rt_object *object);

/* NULL unless handle is a live object of this kind; the caller then owns a reference. serial 0
 * takes any. */
struct rt_object *rt_registry_acquire(const void *handle, enum rt_object_kind kind,
                                      uint64_t serial);
/* The same without the reference: for objects that the caller may assume to stay alive, as CANN
 * lets him. */
struct rt_object *rt_registry_find(const void *handle, enum rt_object_kind kind);

void rt_object_retain(struct rt_object *object);
void rt_object_release(struct rt_object *object); /* accepts NULL */

/* References to all live objects of a kind (of one owner, or of any when owner is NULL) in order of
 * creation; the array is the caller's. False without memory. */
bool rt_registry_list(enum rt_object_kind kind, const struct rt_object *owner,
                      struct rt_object ***objects, size_t *count);
void rt_registry_list_free(struct rt_object **objects, size_t count);

/* Grows whenever a handle dies: what was found under an older epoch must be looked up again. */
uint64_t rt_registry_epoch(void);
void rt_registry_bump(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table in shards, each with its lock, so that threads that use different events do not
 * meet. The buckets are chains through the objects: adding cannot fail. A shard whose chains grow
 * long gets twice the buckets, if there is memory for them.
 * Locks: a shard's lock guards its chains; nothing else is locked while one is held but what the
 * allocator locks, except by before_fork and rt_registry_list, which take shards in rising order.
 */
#include "runtime/support/registry.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/support/alloc.h"
#include "runtime/support/fork.h"

enum {
    SHARDS = 16,
    BUCKETS = 256, /* of a shard, to begin with */
};

static struct shard {
    _Alignas(64) pthread_mutex_t lock;
    size_t count;
    size_t buckets; /* a power of two; 0: none has been added yet */
    struct rt_object **bucket;
    struct rt_object *first_buckets[BUCKETS];
} shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static _Atomic uint64_t last_serial;
static _Atomic uint64_t epoch = 1;

static uint64_t hash(const void *handle)
{
    return (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15u >> 32;
}

static struct shard *shard_of(const void *handle)
{
    return &shards[hash(handle) % SHARDS];
}

/* What says "locked" needs the shard's lock. */
static struct rt_object **bucket_of_locked(struct shard *shard, const void *handle)
{
    return &shard->bucket[hash(handle) / SHARDS & (shard->buckets - 1)];
}

static void use_buckets_locked(struct shard *shard, struct rt_object **bucket, size_t buckets)
{
    struct rt_object **old = shard->bucket;
    size_t old_buckets = shard->buckets;
    shard->bucket = bucket;
    shard->buckets = buckets;
    for (size_t b = 0; b < old_buckets; b++) {
        for (struct rt_object *object = old[b], *next; object; object = next) {
            struct rt_object **place = bucket_of_locked(shard, object);
            next = object->next;
            object->next = *place;
            *place = object;
        }
        old[b] = NULL;
    }
    if (old_buckets > BUCKETS) rt_free(old);
}

/* Room for one more. */
static void make_room_locked(struct shard *shard)
{
    if (shard->buckets == 0) use_buckets_locked(shard, shard->first_buckets, BUCKETS);
    if (shard->count < shard->buckets || shard->buckets > SIZE_MAX / 2 / sizeof(*shard->bucket))
        return;
    struct rt_object **bucket = rt_alloc_zeroed(2 * shard->buckets * sizeof(*bucket));
    if (bucket) use_buckets_locked(shard, bucket, 2 * shard->buckets);
}

void rt_registry_add(struct rt_object *object, enum rt_object_kind kind, struct rt_object *owner,
                     const struct rt_object_class *class)
{
    object->kind = kind;
    object->owner = owner;
    object->class = class;
    object->serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
    atomic_init(&object->references, 1);
    struct shard *shard = shard_of(object);
    pthread_mutex_lock(&shard->lock);
    make_room_locked(shard);
    struct rt_object **bucket = bucket_of_locked(shard, object);
    object->next = *bucket;
    *bucket = object;
    shard->count++;
    pthread_mutex_unlock(&shard->lock);
}

bool rt_registry_remove(struct rt_object *object)
{
    struct shard *shard = shard_of(object);
    pthread_mutex_lock(&shard->lock);
    struct rt_object **link = shard->count > 0 ? bucket_of_locked(shard, object) : NULL;
    while (link && *link && *link != object)
        link = &(*link)->next;
    bool found = link && *link;
    if (found) {
        *link = object->next;
        shard->count--;
    }
    if (shard->count == 0 && shard->buckets > BUCKETS)
        use_buckets_locked(shard, shard->first_buckets, BUCKETS);
    pthread_mutex_unlock(&shard->lock);
    if (found) rt_registry_bump();
    return found;
}

static struct rt_object *look_up_locked(struct shard *shard, const void *handle,
                                        enum rt_object_kind kind)
{
    if (shard->count == 0) return NULL;
    for (struct rt_object *object = *bucket_of_locked(shard, handle); object; object = object->next)
        if (object == handle) return object->kind == kind ? object : NULL;
    return NULL;
}

struct rt_object *rt_registry_acquire(const void *handle, enum rt_object_kind kind, uint64_t serial)
{
    struct shard *shard = shard_of(handle);
    pthread_mutex_lock(&shard->lock);
    struct rt_object *object = look_up_locked(shard, handle, kind);
    if (object && serial != 0 && object->serial != serial) object = NULL;
    if (object) rt_object_retain(object);
    pthread_mutex_unlock(&shard->lock);
    return object;
}

struct rt_object *rt_registry_find(const void *handle, enum rt_object_kind kind)
{
    struct shard *shard = shard_of(handle);
    pthread_mutex_lock(&shard->lock);
    struct rt_object *object = look_up_locked(shard, handle, kind);
    pthread_mutex_unlock(&shard->lock);
    return object;
}

void rt_object_retain(struct rt_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

void rt_object_release(struct rt_object *object)
{
    if (!object) return;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        object->class->free(object);
}

static int by_serial(const void *a, const void *b)
{
    uint64_t left = (*(struct rt_object *const *)a)->serial;
    uint64_t right = (*(struct rt_object *const *)b)->serial;
    return (left > right) - (left < right);
}

static size_t gather(enum rt_object_kind kind, const struct rt_object *owner,
                     struct rt_object **objects)
{
    size_t count = 0;
    for (int i = 0; i < SHARDS; i++) {
        for (size_t b = 0; b < shards[i].buckets; b++) {
            for (struct rt_object *object = shards[i].bucket[b]; object; object = object->next) {
                if (object->kind != kind || (owner && object->owner != owner)) continue;
                rt_object_retain(object);
                objects[count++] = object;
            }
        }
    }
    return count;
}

bool rt_registry_list(enum rt_object_kind kind, const struct rt_object *owner,
                      struct rt_object ***objects, size_t *count)
{
    size_t all = 0;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_lock(&shards[i].lock);
    for (int i = 0; i < SHARDS; i++)
        all += shards[i].count;
    *count = 0;
    *objects = rt_alloc((all + 1) * sizeof(**objects));
    if (*objects) *count = gather(kind, owner, *objects);
    for (int i = SHARDS; i-- > 0;)
        pthread_mutex_unlock(&shards[i].lock);
    if (!*objects) return false;
    qsort(*objects, *count, sizeof(**objects), by_serial);
    return true;
}

void rt_registry_list_free(struct rt_object **objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rt_object_release(objects[i]);
    rt_free(objects);
}

uint64_t rt_registry_epoch(void)
{
    return atomic_load_explicit(&epoch, memory_order_acquire);
}

void rt_registry_bump(void)
{
    atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel);
}

static void before_fork(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_lock(&shards[i].lock);
}

static void in_parent(void)
{
    for (int i = SHARDS; i-- > 0;)
        pthread_mutex_unlock(&shards[i].lock);
}

static void in_child(void)
{
    for (int i = SHARDS; i-- > 0;)
        pthread_mutex_init(&shards[i].lock, NULL);
    for (int i = 0; i < SHARDS; i++)
        for (size_t b = 0; b < shards[i].buckets; b++)
            for (struct rt_object *object = shards[i].bucket[b]; object; object = object->next)
                if (object->class->after_fork_child) object->class->after_fork_child(object);
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_REGISTRY, &handlers);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Many copies between host and device in one call. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/capture/stream_capture.h"
#include "runtime/memory/copy.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include "acl/acl_rt.h"

struct batch {
    void **to;
    const size_t *rooms;
    void **from;
    const size_t *sizes;
    size_t count;
    const aclrtMemcpyBatchAttr *attributes;
    const size_t *firsts; /* attributes[k] is for the copies from firsts[k] on */
    size_t attribute_count;
};

static aclError check_arrays(const char *who, const struct batch *batch)
{
    const struct {
        const void *array;
        const char *name;
    } arrays[] = {{batch->to, "dsts"},
                  {batch->rooms, "destMaxs"},
                  {batch->from, "srcs"},
                  {batch->attributes, "attrs"},
                  {batch->firsts, "attrsIndexes"}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].array) continue;
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", arrays[i].name);
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->sizes[i] <= batch->rooms[i]) continue;
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "sizes[%zu] is %zu; it must not exceed destMaxs[%zu], %zu", i,
                               batch->sizes[i], i, batch->rooms[i]);
    }
    return ACL_SUCCESS;
}

static aclError check_attributes(const char *who, const struct batch *batch)
{
    if (batch->attribute_count == 0 || batch->attribute_count > batch->count) {
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "numAttrs is %zu; it must lie between 1 and numBatches, %zu",
                               batch->attribute_count, batch->count);
    }
    for (size_t k = 0; k < batch->attribute_count; k++) {
        size_t first = batch->firsts[k];
        bool in_order = k == 0 ? first == 0 : first > batch->firsts[k - 1] && first < batch->count;
        if (!in_order) {
            return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                                   "attrsIndexes[%zu] is %zu; the first must be 0, the others must "
                                   "grow and be less than numBatches, %zu",
                                   k, first, batch->count);
        }
        for (size_t i = 0; i < sizeof batch->attributes[k].rsv; i++) {
            if (batch->attributes[k].rsv[i] == 0) continue;
            return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                                   "attrs[%zu].rsv[%zu] is %d; it must be 0", k, i,
                                   batch->attributes[k].rsv[i]);
        }
    }
    return ACL_SUCCESS;
}

/* Memory that is not known is the host's, on any of its nodes. */
static bool is_device(const aclrtMemLocation *location)
{
    return location->type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

static bool matches(const aclrtMemLocation *said, const aclrtMemLocation *found)
{
    if (is_device(found)) return is_device(said) && said->id == found->id;
    return said->type == ACL_MEM_LOCATION_TYPE_HOST ||
           said->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
}

static aclError check_copy(const char *who, const struct batch *batch, size_t i,
                           const aclrtMemcpyBatchAttr *said)
{
    const void *addresses[] = {batch->to[i], batch->from[i]};
    const aclrtMemLocation *locations[] = {&said->dstLoc, &said->srcLoc};
    static const char *const names[] = {"dsts", "srcs"};
    bool device[2];
    for (int side = 0; side < 2; side++) {
        if (!addresses[side]) {
            return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who, "%s[%zu] is NULL", names[side],
                                   i);
        }
        aclrtPtrAttributes found;
        rt_memory_describe(addresses[side], &found);
        device[side] = is_device(&found.location);
        if (matches(locations[side], &found.location)) continue;
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "%s[%zu], %p, is %s memory; its attribute says type %d of device "
                               "%" PRIu32,
                               names[side], i, addresses[side], device[side] ? "device" : "host",
                               (int)locations[side]->type, locations[side]->id);
    }
    if (device[0] != device[1]) return ACL_SUCCESS;
    return rt_error_report(
        ACL_ERROR_RT_PARAM_INVALID, who,
        "copy %zu is from %s memory to the same; a batch copies between host and "
        "device",
        i, device[0] ? "device" : "host");
}

static aclError check_copies(const char *who, const struct batch *batch, size_t *failed)
{
    size_t k = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (k + 1 < batch->attribute_count && i >= batch->firsts[k + 1]) k++;
        aclError status = check_copy(who, batch, i, &batch->attributes[k]);
        if (status != ACL_SUCCESS) {
            *failed = i;
            return status;
        }
    }
    return ACL_SUCCESS;
}

/* *empty: nothing is to be copied, and nothing else was looked at. */
static aclError check(const char *who, const struct batch *batch, size_t *failed, bool *empty)
{
    *empty = false;
    if (!failed) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "failIndex is NULL");
    *failed = SIZE_MAX;
    if (!batch->sizes) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "sizes is NULL");
    if (batch->count == 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "numBatches is 0; it must be greater than 0");
    }
    *empty = true;
    for (size_t i = 0; i < batch->count && *empty; i++)
        *empty = batch->sizes[i] == 0;
    if (*empty) return ACL_SUCCESS;
    aclError status = check_arrays(who, batch);
    if (status == ACL_SUCCESS) status = check_attributes(who, batch);
    return status == ACL_SUCCESS ? check_copies(who, batch, failed) : status;
}

static bool has_pageable(const struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        size_t size = batch->sizes[i];
        if (size == 0) continue;
        if (!rt_memory_is_known(batch->to[i], size) || !rt_memory_is_known(batch->from[i], size))
            return true;
    }
    return false;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                          size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                          size_t numAttrs, size_t *failIndex)
{
    struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    bool empty;
    aclError status = check(__func__, &batch, failIndex, &empty);
    if (status == ACL_SUCCESS && !empty) status = rt_capture_check_unsafe(__func__);
    if (status != ACL_SUCCESS || empty) return status;
    for (size_t i = 0; i < numBatches; i++) {
        if (rt_check_on()) rt_copy_tell(NULL, __func__, dsts[i], srcs[i], sizes[i]);
        rt_move(dsts[i], srcs[i], sizes[i]);
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                               size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                               size_t numAttrs, size_t *failIndex, aclrtStream stream)
{
    struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    bool empty;
    aclError status = check(__func__, &batch, failIndex, &empty);
    if (status != ACL_SUCCESS) return status;
    struct rt_stream *queue;
    status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS || empty) return status;
    bool wait = has_pageable(&batch);
    if (wait) status = rt_capture_check_pageable(__func__, queue);
    if (wait && status == ACL_SUCCESS) status = rt_stream_check_wait(__func__, queue);
    if (status != ACL_SUCCESS) return status;
    for (size_t i = 0; i < numBatches && status == ACL_SUCCESS; i++) {
        if (sizes[i] > 0) status = rt_copy_queue(queue, dsts[i], srcs[i], sizes[i]);
    }
    if (wait) rt_stream_drain(queue); /* after a failure, too: part of it is queued */
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A rank's connection to the root's service (root_service.h): joining, exchanges, and the thread
 * that hears of ranks that are gone. Communicators that are made from one another share it. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_CONTROL_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/collective/fault.h"
#include "runtime/collective/root_service.h"

struct co_control;

/* Returns when all ranks have joined, with one reference; NULL: fault says why not. */
struct co_control *co_control_join(const struct co_root *root, uint32_t size, uint32_t rank,
                                   int64_t deadline_ms, struct co_fault *fault);
void co_control_retain(struct co_control *control);
/* The last one leaves the root's service in order and joins the thread. */
void co_control_release(struct co_control *control);

/* For the end of the process: leaves in order, for all who share it; nothing can be done with it
 * then. */
void co_control_leave(struct co_control *control);

/* This end of the connection. */
void co_control_address(const struct co_control *control, union co_address *address);

/* Each of `count` members (ranks as joined) has an item for each: mine[i] is for member i,
 * theirs[i] receives what member i has for this rank. Members call it with the same tag, members
 * and item size; different tags may be under way at once, from different threads. */
bool co_control_exchange(struct co_control *control, uint64_t tag, const uint32_t *members,
                         uint32_t count, const void *mine, void *theirs, size_t item,
                         int64_t deadline_ms, struct co_fault *fault);

/* Somebody who wants to hear, from the thread, that a member is gone or has failed. */
struct co_listener {
    struct co_listener *next;
    uint64_t id; /* of failures */
    const uint32_t *members;
    uint32_t count;
    void (*alarm)(struct co_listener *listener, const char *text);
};
/* When the connection to the root is lost already, alarm is called at once. */
void co_control_listen(struct co_control *control, struct co_listener *listener);
/* When it returns alarm is not running and will not be called. */
void co_control_unlisten(struct co_control *control, struct co_listener *listener);

/* Tells listeners of this id on other ranks. */
void co_control_fail(struct co_control *control, uint64_t id, const char *text);

#endif

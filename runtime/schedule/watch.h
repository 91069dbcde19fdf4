/* SPDX-License-Identifier: Apache-2.0 */
/* What the watchman (worker.c) makes of a stream on its list. */
#ifndef ACLNN_CPU_RUNTIME_SCHEDULE_WATCH_H
#define ACLNN_CPU_RUNTIME_SCHEDULE_WATCH_H

#include <stdint.h>

struct rt_stream;

/* The watchman's own of a stream. Written by watch.c alone, under the stream's lock. */
struct rt_stream_watch {
    uint64_t submitted, completed; /* at his last look */
    uint32_t still;                /* looks since something moved */
};

enum rt_watch {
    RT_WATCH_KEEP,
    RT_WATCH_SERVE,     /* tasks have been lying there; it is on the ready list now */
    RT_WATCH_PATIENTLY, /* parked with a deadline: keep it, no need to hurry */
    RT_WATCH_POLLED,    /* parked for something that is looked at now and then: likewise */
    RT_WATCH_EXPIRED,   /* the deadline has passed; as SERVE */
    RT_WATCH_FORGET,    /* off the list, with the list's reference */
};

enum rt_watch rt_watch_inspect(struct rt_stream *stream);

#endif

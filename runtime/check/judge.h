/* SPDX-License-Identifier: Apache-2.0 */
/* Judges what an operation reads and writes, and says what is wrong with it. The caller holds the
 * checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_JUDGE_H
#define ACLNN_CPU_RUNTIME_CHECK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/check/clock.h"
#include "runtime/check/shadow.h"
#include "runtime/check/site.h"
#include "runtime/support/checked.h"

enum rt_check_what {
    RT_CHECK_ACCESS,
    RT_CHECK_RECORD,
    RT_CHECK_WAIT,
    RT_CHECK_SIGNAL,
    RT_CHECK_AWAIT,
    RT_CHECK_FUNCTION,
    RT_CHECK_REPLAY,
};

struct rt_check_step {
    enum rt_check_what what;
    const char *name;
    const struct rt_check_site *site;
    uint64_t serial;
    uint64_t before; /* of an access of the host: later ones are not judged; else UINT64_MAX */
    const void *key; /* the event, number, graph, or the function's argument */
    uint64_t value;  /* of a number; the function */
    enum rt_check_number how;
    bool is_lax, clears;
    uint32_t graph_lane;
    size_t count;
    const struct rt_check_access *accesses;
};

/* A place in a lane, for who judges accesses. */
struct rt_check_place {
    uint32_t slot, stream; /* the stream's number; 0: the host */
    uint64_t epoch;
    const struct rt_check_clock *clock;
};

/* Of an access. */
void rt_check_judge(const struct rt_check_step *step, const struct rt_check_place *place);

/* The block is freed at this site although the use may not have ended. */
void rt_check_judge_early(const struct rt_check_block *block, const struct rt_check_use *use,
                          const struct rt_check_site *site);

#endif

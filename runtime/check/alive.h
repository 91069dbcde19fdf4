/* SPDX-License-Identifier: Apache-2.0 */
/* What a program has made and not given up, by call site, and the last ends of things. The caller
 * holds the checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_ALIVE_H
#define ACLNN_CPU_RUNTIME_CHECK_ALIVE_H

#include <stddef.h>

#include "runtime/check/site.h"
#include "runtime/support/checked.h"

const char *rt_check_thing_name(enum rt_check_thing thing);

void rt_check_alive_add(enum rt_check_thing thing, const void *what, size_t bytes,
                        const struct rt_check_site *site);
void rt_check_alive_remove(const void *what);

/* Of tensors and executors: where the last ones were given up. NULL: it is not remembered. */
void rt_check_alive_note_end(const void *what, const struct rt_check_site *site);
const struct rt_check_site *rt_check_alive_end_of(const void *what);

/* Reports all, a report for each kind of thing and call site, and forgets them. */
void rt_check_alive_report(void);

#endif

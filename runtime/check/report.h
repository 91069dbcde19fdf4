/* SPDX-License-Identifier: Apache-2.0 */
/* What the checker says: a sentence on stderr, a line of JSON in ACLNN_CPU_CHECK_FILE. The caller
 * holds the checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_REPORT_H
#define ACLNN_CPU_RUNTIME_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/check/site.h"

/* Reads ACLNN_CPU_CHECK and its kin. Returns the kinds, a set of enum rt_check_flag. */
unsigned rt_check_settings_read(void);

/* One of the operations, or the allocation, that a report is about. */
struct rt_check_party {
    const char *title; /* "first", "second", "allocated", "freed" */
    const char *name;
    uint64_t serial; /* 0: none */
    uint64_t stream; /* its number; 0: the host */
    const struct rt_check_site *site;
};

struct rt_check_report {
    const char *kind; /* race, memory, init, leak, device */
    const char *rule; /* a word for the record: "use-after-free" */
    const char *text; /* the sentence */
    const char *cure; /* or NULL */
    struct rt_check_party parties[3];
    int count;
};

/* Says it, unless the same pair of sites has been told of for the same rule, or it is suppressed.
 * Whether it was said. */
bool rt_check_report(const struct rt_check_report *report);

/* At the end: how many were found, and the exit status that was asked for. */
void rt_check_report_end(void);
void rt_check_report_exit(void);

#endif

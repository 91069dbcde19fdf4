/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks of the program, kept once each. The caller holds the checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_SITE_H
#define ACLNN_CPU_RUNTIME_CHECK_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_CHECK_FRAMES = 16, RT_CHECK_FRAME_TEXT = 192 };

struct rt_check_site {
    struct rt_check_site *next; /* in its bucket */
    uint64_t hash;
    uint32_t number; /* from 1, in order of appearance */
    int depth;
    void *frames[RT_CHECK_FRAMES]; /* return addresses, the innermost of the program first */
};

/* The frames of the calling thread outside of this library, taken before the lock. */
struct rt_check_stack {
    int depth;
    void *frames[RT_CHECK_FRAMES];
};
void rt_check_stack_take(struct rt_check_stack *stack);

/* The site of these frames; NULL without memory. */
const struct rt_check_site *rt_check_site_of(const struct rt_check_stack *stack);

/* "main+0x1b4 (./program)", or "program+0x11b4" for a function that is not exported. */
void rt_check_site_frame(const struct rt_check_site *site, int frame,
                         char text[RT_CHECK_FRAME_TEXT]);

/* Whether some frame's text has this in it. */
bool rt_check_site_has(const struct rt_check_site *site, const char *text);

#endif

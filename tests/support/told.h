/* SPDX-License-Identifier: Apache-2.0 */
/* What the library writes to stderr while a call runs, with ACLNN_CPU_LOG=plan,calls. */
#ifndef ACLNN_CPU_TESTS_TOLD_H
#define ACLNN_CPU_TESTS_TOLD_H

#include <stdbool.h>

#include "tests/support/cases.h"

enum { TOLD_TEXT = 8192 };

struct told {
    char plan[TOLD_TEXT]; /* all lines of plans */
    char line[CASE_LINE]; /* the call's; "" when there was none */
    int lines;            /* calls that were told */
};

/* Sets the variable: before the library reads it. */
void told_begin(void);
void told_end(void);

/* From the first until the second what is written to stderr is kept. */
void told_listen(void);
void told_hear(struct told *told);

#endif

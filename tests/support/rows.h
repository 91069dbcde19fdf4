/* SPDX-License-Identifier: Apache-2.0 */
/* Every operator as the rig sees it; the rows stand in rows_<family>.c. */
#ifndef ACLNN_CPU_TESTS_ROWS_H
#define ACLNN_CPU_TESTS_ROWS_H

#include "tests/support/rig.h"

/* rows_avg_pool2d_backward.c */
extern const struct rig_operator rig_avg_pool2d_backward;

#endif

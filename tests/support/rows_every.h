/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of api/operators.def as far as the row alone says it: names, phases, whether a tensor
 * is read or written. Its cases name each argument (cases.h); it has no oracle. */
#ifndef ACLNN_CPU_TESTS_ROWS_EVERY_H
#define ACLNN_CPU_TESTS_ROWS_EVERY_H

#include "tests/support/rig.h"

int rows_every_count(void);
const struct rig_operator *rows_every(int i);
const struct rig_operator *rows_every_named(const char *name); /* NULL: there is none */
const struct rig_operator *rows_every_of_word(const char *word);

#endif

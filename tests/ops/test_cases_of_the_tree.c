/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of tests/cases that the oracle can follow: every operator has a file there, whose
 * larger ones are the bench's. */
#include <stdio.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_pooling.h"

RIG_SUITE(cases_of_the_tree);

Test(cases_of_the_tree, each_operator)
{
    enum { LARGEST = 12000, LEAST = 4 };
    for (int i = 0; i < ROWS_POOLING; i++) {
        char file[CASE_WORD + 8];
        snprintf(file, sizeof file, "%s.txt", rows_pooling[i]->word);
        cr_assert(rig_check_file(&rig, rows_pooling[i], file, LARGEST, LEAST), "%s", rig.text);
    }
}

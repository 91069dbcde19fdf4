/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of tests/cases that the oracle can follow: every operator has a file there, whose
 * larger ones are the bench's. */
#include <stdio.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

RIG_SUITE(cases_of_the_tree);

static void check(const struct rig_operator *const *rows, int count)
{
    enum { LARGEST = 12000, LEAST = 4 };
    for (int i = 0; i < count; i++) {
        char file[CASE_WORD + 8];
        snprintf(file, sizeof file, "%s.txt", rows[i]->word);
        cr_assert(rig_check_file(&rig, rows[i], file, LARGEST, LEAST), "%s", rig.text);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        const struct rig_operator *const rows[] = {__VA_ARGS__};                                   \
        check(rows, (int)(sizeof rows / sizeof rows[0]));                                          \
    } while (0)

Test(cases_of_the_tree, average)
{
    CHECK(&rig_avg_pool2d, &rig_avg_pool2d_backward, &rig_avg_pool3d, &rig_avg_pool3d_backward,
          &rig_global_average_pool, &rig_aclnnext_avg_pool_grad);
}

Test(cases_of_the_tree, maximum)
{
    CHECK(&rig_max_pool, &rig_global_max_pool, &rig_max_pool2d_with_indices,
          &rig_max_pool2d_with_indices_backward, &rig_max_pool2d_with_mask,
          &rig_max_pool2d_with_mask_backward, &rig_max_pool3d_with_argmax,
          &rig_max_pool3d_with_argmax_backward, &rig_aclnnext_max_pool_grad,
          &rig_aclnnext_max_pool_backward);
}

Test(cases_of_the_tree, adaptive)
{
    CHECK(&rig_adaptive_avg_pool2d, &rig_adaptive_avg_pool2d_backward, &rig_adaptive_avg_pool3d,
          &rig_adaptive_avg_pool3d_backward, &rig_adaptive_max_pool2d,
          &rig_adaptive_max_pool2d_backward, &rig_adaptive_max_pool3d,
          &rig_adaptive_max_pool3d_backward);
}

Test(cases_of_the_tree, unpooling)
{
    CHECK(&rig_max_unpool2d, &rig_max_unpool2d_backward, &rig_max_unpool3d,
          &rig_max_unpool3d_backward);
}

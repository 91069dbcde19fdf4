/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling: windows, indices, masks, gradients. */
#include "tests/support/rows_pooling.h"

static const struct rig_operator *const rig_rows[] = {ROWS_MAXIMUM, NULL};

#include "tests/fuzz/rig_target.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: windows, whole planes, gradients. */
#include "tests/support/rows_pooling.h"

static const struct rig_operator *const rig_rows[] = {ROWS_AVERAGE, NULL};

#include "tests/fuzz/rig_target.h"

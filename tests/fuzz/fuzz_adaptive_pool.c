/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive pooling: bins, their means and maxima, gradients. */
#include "tests/support/rows_pooling.h"

static const struct rig_operator *const rig_rows[] = {ROWS_ADAPTIVE, NULL};

#include "tests/fuzz/rig_target.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution: forward, transposed, by channel, along time, and the gradients. */
#include "tests/support/rows_conv.h"

static const struct rig_operator *const rig_rows[] = {ROWS_CONVOLUTION, NULL};

#include "tests/fuzz/rig_target.h"

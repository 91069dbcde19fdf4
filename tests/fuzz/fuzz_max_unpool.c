/* SPDX-License-Identifier: Apache-2.0 */
/* Max unpooling and its gradients: any indices. */
#include "tests/support/rows_pooling.h"

static const struct rig_operator *const rig_rows[] = {ROWS_UNPOOL, NULL};

#include "tests/fuzz/rig_target.h"

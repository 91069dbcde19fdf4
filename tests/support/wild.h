/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that no program means. */
#ifndef ACLNN_CPU_TESTS_WILD_H
#define ACLNN_CPU_TESTS_WILD_H

#include <stdint.h>

static const int64_t wild[] = {INT64_MIN,
                               INT64_MIN + 1,
                               -((int64_t)1 << 31),
                               -1,
                               0,
                               1,
                               INT32_MAX,
                               (int64_t)1 << 31,
                               ((int64_t)1 << 32) + 1,
                               (int64_t)1 << 40,
                               (int64_t)1 << 62,
                               INT64_MAX - 1,
                               INT64_MAX};

#endif

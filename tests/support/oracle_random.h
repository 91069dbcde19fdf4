/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 from its definition (Salmon et al., Parallel random numbers: as easy as 1, 2, 3).
 */
#ifndef ACLNN_CPU_TESTS_ORACLE_RANDOM_H
#define ACLNN_CPU_TESTS_ORACLE_RANDOM_H

#include <stdint.h>

struct philox_block {
    uint32_t word[4];
};

struct philox_block oracle_philox(struct philox_block counter, uint64_t key);

#endif

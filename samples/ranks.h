/* SPDX-License-Identifier: Apache-2.0 */
/* How a program becomes one of several ranks. Its number comes from the environment as mpirun and
 * torchrun set it: OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and _SIZE, or RANK and WORLD_SIZE
 * (ranks.sh); without them it is alone. A file carries the root info from rank 0 to the others: on
 * several machines, one that all see. Rank 0 removes it when all have joined. */
#ifndef ACLNN_CPU_SAMPLES_RANKS_H
#define ACLNN_CPU_SAMPLES_RANKS_H

#include <stdint.h>

#include "hccl/hccl.h"

struct ranks {
    uint32_t own, count;
    HcclComm comm;
};

/* Joins the others; waits until all are there. The device must be set. */
void ranks_open(struct ranks *ranks, const char *file);
void ranks_close(struct ranks *ranks);

#endif

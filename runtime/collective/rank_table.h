/* SPDX-License-Identifier: Apache-2.0 */
/* Rank tables: JSON that says which rank runs where. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_RANK_TABLE_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_RANK_TABLE_H

#include "runtime/collective/root_service.h"

/* *size: how many ranks the table has, 0 to *size - 1, each once. root: where that of rank 0
 * listens, and a token made of the table, which keeps programs with other tables apart and is no
 * secret. */
bool co_rank_table(const char *path, uint32_t *size, struct co_root *root, struct co_fault *fault);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors whose size an operation settles when it runs (aclnnNonzero and its kin): destroyed before
 * the host has seen the end of that operation, nobody can ask for the size. The caller holds the
 * checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_SIZES_H
#define ACLNN_CPU_RUNTIME_CHECK_SIZES_H

#include "runtime/check/judge.h"

/* An operation is about to be queued: its place among the others is not known yet. */
void rt_check_sizes_queued(const struct rt_check_step *step, const struct rt_stream *stream);
/* It has been added to a graph: whoever asks for a size does so after a replay. */
void rt_check_sizes_captured(const struct rt_check_step *step);
/* Where it stands. */
void rt_check_sizes_placed(const struct rt_check_step *step, const struct rt_check_place *place);

/* The tensor is destroyed at this site, when the host has seen so much. */
void rt_check_sizes_end(const void *tensor, const struct rt_check_site *site,
                        const struct rt_check_clock *seen);

#endif

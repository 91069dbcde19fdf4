/* SPDX-License-Identifier: Apache-2.0 */
/* gloo's own AllReduce, without us. */
#ifndef ACLNN_CPU_TESTS_BENCH_COLLECTIVE_GLOO_H
#define ACLNN_CPU_TESTS_BENCH_COLLECTIVE_GLOO_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct collective_gloo;

/* Ranks meet in a folder that all see; host: this one's address. NULL: it says why on stderr. */
struct collective_gloo *collective_gloo_new(int rank, int size, const char *folder,
                                            const char *host);
/* The sum over all ranks, in place. */
void collective_gloo_sum(struct collective_gloo *gloo, float *data, size_t count);
void collective_gloo_free(struct collective_gloo *gloo);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine can do at best: plain traffic and plain arithmetic, compiled once per ISA. */
#ifndef ACLNN_CPU_TESTS_BENCH_PROBES_H
#define ACLNN_CPU_TESTS_BENCH_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Dense non-zero data, aligned to 64. */
struct probe_stream {
    char *at;
    size_t bytes;
};

enum { PROBE_INPUTS = 3, PROBE_OUTPUTS = 2 };

/* Reads all inputs and writes all outputs, each in rising order and once, side by side: `block`
 * bytes of the longest output at a time (of the longest input when there is no output), and of the
 * others the share that belongs to them. block is a multiple of 256. */
struct probe_traffic {
    struct probe_stream from[PROBE_INPUTS], to[PROBE_OUTPUTS];
    int inputs, outputs;
    size_t block;
    bool is_streaming; /* write by non-temporal stores */
    bool is_copy;      /* what is written is what was read: one input, one output of its size */
};

struct probe_table {
    const char *isa;
    void (*traffic)(const struct probe_traffic *traffic);
    /* Multiplies and adds from registers only; returns the floating-point operations done. */
    double (*multiply_add)(int64_t rounds);
};

extern const struct probe_table probes_base, probes_avx2, probes_avx512;

/* The tables that this CPU runs, best first; returns how many. */
int probes_available(const struct probe_table *tables[3]);

#endif

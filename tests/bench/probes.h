/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine can do at best: plain traffic and plain arithmetic, compiled once per ISA. */
#ifndef ACLNN_CPU_TESTS_BENCH_PROBES_H
#define ACLNN_CPU_TESTS_BENCH_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads from_bytes and writes to_bytes of dense non-zero data, both in rising order, `block` bytes
 * written at a time and the share of reads that belongs to them. Either may be 0 bytes. Pointers
 * are aligned to 64, block is a multiple of 256. */
struct probe_traffic {
    const char *from;
    char *to;
    size_t from_bytes, to_bytes, block;
    bool is_streaming; /* write past the caches */
    bool is_copy;      /* what is written is what was read; from_bytes equals to_bytes */
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

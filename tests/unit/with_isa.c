/* SPDX-License-Identifier: Apache-2.0 */
/* with_isa ISA PROGRAM [ARGUMENT...]: runs PROGRAM with ACLNN_CPU_ISA=ISA; exits with 77 ("skipped"
 * to CTest) when this CPU does not run that ISA. Random problems are as many as ACLNN_TEST_SCALE
 * says with the best ISA, and a quarter with the others: their kernels are the same source, and
 * other tests hold their bits against each other. */
#include "kernels/kernels.h"
#include "runtime/support/base.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, USAGE = 2 };

/* Its place among those that this CPU runs, best first; -1: it does not. */
static int place_of(const char *isa)
{
    const struct k_table *tables[16];
    size_t count = k_tables(tables, RT_LENGTH(tables));
    for (size_t i = 0; i < count && i < RT_LENGTH(tables); i++) {
        if (strcmp(tables[i]->isa, isa) == 0) return (int)i;
    }
    /* The best one with dot products of bf16. */
    return strcmp(isa, "avx512_bf16") == 0 && k_pairs_bf16() ? (int)count : -1;
}

static void scale_down(void)
{
    char text[32];
    const char *scale = getenv("ACLNN_TEST_SCALE");
    snprintf(text, sizeof(text), "%g", (scale ? atof(scale) : 1) / 4);
    setenv("ACLNN_TEST_SCALE", text, 1);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s ISA PROGRAM [ARGUMENT...]\n", argv[0]);
        return USAGE;
    }
    setenv("ACLNN_CPU_ISA", argv[1], 1);
    const int place = place_of(argv[1]);
    if (place < 0) {
        printf("this CPU does not run %s\n", argv[1]);
        return SKIPPED;
    }
    if (place > 0) scale_down();
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return USAGE;
}

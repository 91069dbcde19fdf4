/* SPDX-License-Identifier: Apache-2.0 */
/* with_isa ISA PROGRAM [ARGUMENT...]: runs PROGRAM with ACLNN_CPU_ISA=ISA; exits with 77 ("skipped"
 * to CTest) when this CPU does not run that ISA. */
#include "kernels/kernels.h"
#include "runtime/base.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, USAGE = 2 };

static bool cpu_runs(const char *isa)
{
    const struct k_table *tables[16];
    size_t count = k_tables(tables, RT_LENGTH(tables));
    for (size_t i = 0; i < count && i < RT_LENGTH(tables); i++) {
        if (strcmp(tables[i]->isa, isa) == 0) return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s ISA PROGRAM [ARGUMENT...]\n", argv[0]);
        return USAGE;
    }
    if (!cpu_runs(argv[1])) {
        printf("this CPU does not run %s\n", argv[1]);
        return SKIPPED;
    }
    setenv("ACLNN_CPU_ISA", argv[1], 1);
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return USAGE;
}

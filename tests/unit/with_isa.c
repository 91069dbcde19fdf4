/* SPDX-License-Identifier: Apache-2.0 */
/* with_isa ISA PROGRAM [ARGUMENT...]: runs PROGRAM with ACLNN_CPU_ISA=ISA; exits with 77 ("skipped"
 * to CTest) when this CPU does not run that ISA. Random problems are as many as ACLNN_TEST_SCALE
 * says with the best ISA, and a quarter with the others: their kernels are the same source, and
 * other tests, in the run of the best, hold their bits against each other. Ends as PROGRAM does,
 * and says last what it took: "CPU time 1.23 s", all its threads and children together. */
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "runtime/support/base.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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
    /* The best one with dot products, of bf16 or of bytes, or with products of tiles. */
    if (strcmp(isa, "avx512_amx") == 0 || strcmp(isa, "neon_i8mm") == 0)
        return k_tiles_int8() ? (int)count : -1;
    if (strcmp(isa, "neon_dot") == 0) return k_dots_int8() ? (int)count : -1;
    return strcmp(isa, "avx512_bf16") == 0 && k_pairs_bf16() ? (int)count : -1;
}

static void scale_down(void)
{
    char text[32];
    const char *scale = getenv("ACLNN_TEST_SCALE");
    snprintf(text, sizeof(text), "%g", (scale ? atof(scale) : 1) / 4);
    setenv("ACLNN_TEST_SCALE", text, 1);
    setenv("ACLNN_TEST_NOT_BEST", "1", 1);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* The program's exit status, or 128 and the signal that ended it, as a shell says it. */
static int run(char *const *arguments)
{
    int status;
    struct rusage used;
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments);
        perror(arguments[0]);
        _exit(USAGE);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &used) != 0) {
        perror(arguments[0]);
        return USAGE;
    }
    printf("CPU time %.2f s\n", seconds(used.ru_utime) + seconds(used.ru_stime));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
    return run(argv + 2);
}

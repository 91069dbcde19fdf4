/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over stored inputs, without a fuzzing engine.
 *
 *     fuzz_x CORPUS.txt...                  runs every input
 *     fuzz_x --unpack FOLDER CORPUS.txt     writes every input as a file of FOLDER, for a live
 * fuzzer fuzz_x --pack FOLDER                  prints FOLDER's files as a corpus
 *
 * A corpus is text: an input per line in hexadecimal; lines that start with # are comments. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/corpus.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input being replayed, for whoever looks at a core or a sanitizer's report. */
static const char *current;
static int current_line;

static void run(void *context, int line, const uint8_t *data, size_t size)
{
    (void)context;
    current_line = line;
    LLVMFuzzerTestOneInput(data, size);
}

static void unpack(void *context, int line, const uint8_t *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%05d", (const char *)context, line);
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(data, 1, size, file) == size;
    if (!file || fclose(file) != 0 || !written) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

static void report(void)
{
    if (current) fprintf(stderr, "while replaying %s:%d\n", current, current_line);
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s CORPUS.txt... | --unpack FOLDER CORPUS.txt | --pack FOLDER\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--pack") == 0) return corpus_pack(argv[2], stdout) ? 0 : 1;
    if (argc == 4 && strcmp(argv[1], "--unpack") == 0)
        return corpus_each(argv[3], unpack, argv[2]) < 0;
    if (argc < 2 || argv[1][0] == '-') return usage(argv[0]);

    int total = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    atexit(report);
    for (int i = 1; i < argc; i++) {
        current = argv[i];
        int ran = corpus_each(argv[i], run, NULL);
        if (ran < 0) return 1;
        total += ran;
    }
    current = NULL;
    printf("%d inputs\n", total);
    return total == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over stored inputs, without a fuzzing engine: each argument is a file or a
 * folder of files. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file being replayed, for whoever looks at a core or a sanitizer's report. */
static const char *current;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    size_t capacity = 4096, size = 0;
    uint8_t *data = malloc(capacity);
    while (data && (size += fread(data + size, 1, capacity - size, file)) == capacity) {
        capacity *= 2;
        uint8_t *grown = realloc(data, capacity);
        if (!grown) free(data);
        data = grown;
    }
    fclose(file);
    if (!data) abort();
    /* A block of exactly this size, so that reading past the input is seen. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) abort();
    memcpy(exact, data, size);
    current = path;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 1;
}

/* How many files ran, -1 when one could not be read. */
static int replay(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(info.st_mode)) return replay_file(path);
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), ran = 0;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        if (ran >= 0 && names[i]->d_name[0] != '.') {
            snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
            int one = replay(inner);
            ran = one < 0 ? -1 : ran + one;
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
    return ran;
}

static void report(void)
{
    if (current) fprintf(stderr, "while replaying %s\n", current);
}

int main(int argc, char **argv)
{
    int total = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    atexit(report);
    for (int i = 1; i < argc; i++) {
        int ran = replay(argv[i]);
        if (ran < 0) return 1;
        total += ran;
    }
    current = NULL;
    printf("%d inputs\n", total);
    if (total == 0) fprintf(stderr, "usage: %s file-or-folder...\n", argv[0]);
    return total == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/data.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oracle.h"

enum { PATH = 192, KEY = 128, RANDOM_BLOCK = 1 << 16, FILES = 256 };

static char values_path[CASE_FLOATS][PATH];
static char kept[FILES][PATH]; /* all that are to be removed; indices by their key */
static int kept_count;

void data_path(const char *what, char *path, size_t size)
{
    snprintf(path, size, "/dev/shm/aclnn_bench_%d_%s", (int)getpid(), what);
}

static void remove_all(void)
{
    while (kept_count > 0)
        unlink(kept[--kept_count]);
}

static void stop(int signal)
{
    remove_all();
    _exit(128 + signal);
}

/* true: the file is new, and the caller makes it. */
static bool keep(const char *path)
{
    for (int i = 0; i < kept_count; i++)
        if (strcmp(kept[i], path) == 0) return false;
    if (kept_count == FILES) unlink(kept[--kept_count]);
    const size_t length = strlen(path);
    if (length >= PATH) abort();
    memcpy(kept[kept_count++], path, length + 1);
    return true;
}

/* ---- values ---- */

/* A block of random values, repeated: far apart enough for a cache not to see it. Magnitudes in
 * [1/16, 1), both signs. */
static bool make_values(enum case_dtype dtype, int64_t elements, const char *path)
{
    static char block[RANDOM_BLOCK * 4];
    size_t size = dtype == CASE_F32 ? 4 : 2;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < RANDOM_BLOCK; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double magnitude = 0x1p-4 + (double)(state >> 40) * (0x1p-24 - 0x1p-28);
        uint32_t bits = (uint32_t)oracle_to_bits(dtype, state & 1 ? magnitude : -magnitude);
        memcpy(block + i * size, &bits, size);
    }
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL;
    for (int64_t done = 0; is_written && done < elements; done += RANDOM_BLOCK)
        is_written = fwrite(block, size, RANDOM_BLOCK, file) == RANDOM_BLOCK;
    if (file != NULL && fclose(file) != 0) is_written = false;
    if (!is_written) fprintf(stderr, "cannot write %s\n", path);
    return is_written;
}

bool data_make_values(const int64_t elements[CASE_FLOATS])
{
    atexit(remove_all);
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    for (int dtype = 0; dtype < CASE_FLOATS; dtype++) {
        if (elements[dtype] == 0) continue;
        data_path(case_dtype_name((enum case_dtype)dtype), values_path[dtype], PATH);
        keep(values_path[dtype]);
        if (!make_values((enum case_dtype)dtype, elements[dtype], values_path[dtype])) return false;
    }
    return true;
}

static void *read_part(const char *path, size_t offset, size_t bytes)
{
    void *part = malloc(bytes);
    FILE *file = fopen(path, "rb");
    bool is_read = part != NULL && file != NULL && fseek(file, (long)offset, SEEK_SET) == 0 &&
                   fread(part, 1, bytes, file) == bytes;
    if (file != NULL) fclose(file);
    if (is_read) return part;
    free(part);
    return NULL;
}

/* Elements of a plane on a tensor's side, whether the operator has that tensor or not. */
static int64_t plane_of(const struct bench_problem *problem, enum case_tensor role)
{
    int64_t dims[BENCH_RANK], plane = 1;
    for (int d = bench_dims(&problem->test, role, dims) - 1; d >= 2; d--)
        plane *= dims[d];
    return plane;
}

bool data_read_plane(const struct bench_problem *problem, enum case_tensor role, int64_t plane,
                     double *values)
{
    enum case_dtype dtype = problem->test.dtype;
    int64_t count = plane_of(problem, role);
    size_t size = dtype == CASE_F32 ? 4 : 2;
    void *bits =
        read_part(problem->values, (size_t)(bench_first_value(role) + plane * count) * size,
                  (size_t)count * size);
    for (int64_t i = 0; bits != NULL && i < count; i++)
        values[i] = oracle_from_bits(dtype, size == 4 ? ((const uint32_t *)bits)[i]
                                                      : ((const uint16_t *)bits)[i]);
    free(bits);
    return bits != NULL;
}

bool data_read_indices(const struct bench_problem *problem, int64_t plane, int32_t *indices)
{
    size_t bytes = (size_t)plane_of(problem, CASE_I) * sizeof *indices;
    void *part = read_part(problem->indices, (size_t)plane * bytes, bytes);
    if (part != NULL) memcpy(indices, part, bytes);
    free(part);
    return part != NULL;
}

/* ---- indices ---- */

/* The taps of every window of a plane, one list behind the other: window w has offset[first[w]] to
 * offset[first[w + 1] - 1]. They are the same in all planes. */
struct taps {
    int64_t windows;
    int32_t *first, *offset;
};

static bool taps_open(const struct oracle_problem *problem, struct taps *taps)
{
    int64_t most = 1;
    for (int axis = 0; axis < ORACLE_AXES; axis++) {
        const struct case_window *w = &problem->axis[axis];
        most *= problem->is_adaptive ? w->input / w->output + 2 : w->kernel;
    }
    taps->windows = problem->outputs;
    taps->first = malloc((size_t)(problem->outputs + 1) * sizeof *taps->first);
    taps->offset = malloc((size_t)(problem->outputs * most) * sizeof *taps->offset);
    if (taps->first == NULL || taps->offset == NULL) return false;
    int32_t count = 0;
    for (int64_t w = 0; w < problem->outputs; w++) {
        taps->first[w] = count;
        struct oracle_box box = oracle_box_of(problem, w);
        for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
            taps->offset[count++] = (int32_t)tap.offset;
    }
    taps->first[problem->outputs] = count;
    return true;
}

static void taps_close(struct taps *taps)
{
    free(taps->first);
    free(taps->offset);
}

/* The first of the largest; there is no NaN. */
static void find_winners(const struct taps *taps, const double *x, int32_t *winner)
{
    for (int64_t w = 0; w < taps->windows; w++) {
        int32_t best = taps->offset[taps->first[w]];
        for (int32_t t = taps->first[w] + 1; t < taps->first[w + 1]; t++)
            if (x[taps->offset[t]] > x[best]) best = taps->offset[t];
        winner[w] = best;
    }
}

/* What max pooling's forward pass gives for x, plane by plane. */
static bool make_indices(const struct bench_problem *problem, const char *path)
{
    const struct test_case *test = &problem->test;
    struct oracle_problem shape =
        test->kernel_length == 0 ? oracle_adaptive_problem_of(test) : oracle_problem_of(test);
    struct taps taps = {0};
    double *x = malloc((size_t)shape.inputs * sizeof *x);
    int32_t *winner = malloc((size_t)shape.outputs * sizeof *winner);
    FILE *file = fopen(path, "wb");
    bool is_made = taps_open(&shape, &taps) && x != NULL && winner != NULL && file != NULL;
    for (int64_t plane = 0; is_made && plane < problem->planes; plane++) {
        is_made = data_read_plane(problem, CASE_X, plane, x);
        if (!is_made) break;
        find_winners(&taps, x, winner);
        is_made =
            fwrite(winner, sizeof *winner, (size_t)shape.outputs, file) == (size_t)shape.outputs;
    }
    if (file != NULL && fclose(file) != 0) is_made = false;
    free(winner);
    free(x);
    taps_close(&taps);
    if (!is_made) fprintf(stderr, "cannot write %s\n", path);
    return is_made;
}

/* Problems with the same windows on the same data share a file. */
static void indices_path(const struct bench_problem *problem, char path[PATH])
{
    const struct test_case *test = &problem->test;
    char key[KEY];
    int length =
        snprintf(key, sizeof key, "%s_%" PRId64, case_dtype_name(test->dtype), problem->planes);
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window w = case_window(test, axis);
        length += snprintf(key + length, sizeof key - (size_t)length,
                           "_%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64,
                           w.input, w.output, w.kernel, w.stride, w.pad, w.dilation);
    }
    data_path(key, path, PATH);
}

bool data_open(struct bench_problem *problem)
{
    static char path[PATH];
    problem->values = values_path[problem->test.dtype];
    problem->indices = "";
    int number = bench_tensor_of(problem, CASE_I);
    if (number < 0 || problem->tensor[number].use != BENCH_READS) return true;
    indices_path(problem, path);
    problem->indices = path;
    return !keep(path) || make_indices(problem, path);
}

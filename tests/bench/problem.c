/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/problem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK = 16, TILE = 64, HUGE_PAGE = 2 << 20, BETWEEN_ROLES = 8209 };

static const char *const format_names[BENCH_FORMATS] = {"nchw", "nhwc", "blocked"};

const char *bench_format_name(enum bench_format format)
{
    return format_names[format];
}

enum bench_format bench_format_of(const char *name)
{
    int format = 0;
    while (format < BENCH_FORMATS && strcmp(name, format_names[format]) != 0)
        format++;
    return (enum bench_format)format;
}

enum bench_format bench_format_of_case(const struct test_case *test)
{
    return case_tensor_layout(test, CASE_X) == CASE_CHANNELS_LAST ? BENCH_NHWC : BENCH_NCHW;
}

static size_t size_of(enum case_dtype dtype)
{
    switch (dtype) {
    case CASE_I8:
    case CASE_U8:
    case CASE_BOOL:
        return 1;
    case CASE_F16:
    case CASE_BF16:
    case CASE_I16:
    case CASE_U16:
        return 2;
    case CASE_F64:
    case CASE_I64:
        return 8;
    default:
        return 4;
    }
}

int bench_dims(const struct test_case *test, enum case_tensor role, int64_t dims[BENCH_RANK])
{
    bool is_large = role == CASE_X || role == CASE_DX;
    dims[0] = test->batch;
    dims[1] = test->channels;
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window window = case_window(test, axis);
        dims[2 + axis] = is_large ? window.input : window.output;
    }
    return 2 + test->axes;
}

bool bench_problem_of(const struct test_case *test, enum bench_format format,
                      struct bench_problem *problem, char *why, size_t why_size)
{
    *problem = (struct bench_problem){.test = *test, .format = format};
    problem->op = bench_operator_find(test->op);
    if (problem->op == NULL || test->dtype >= CASE_FLOATS || !test->batched ||
        test->axes > BENCH_RANK - 2) {
        snprintf(why, why_size,
                 "the bench runs batched floating problems of up to three axes, and not every "
                 "operator");
        return false;
    }
    if (format == BENCH_BLOCKED && test->channels % BLOCK != 0) {
        snprintf(why, why_size, "blocks of 16 do not divide the channels");
        return false;
    }
    problem->planes = test->batch * test->channels;
    const struct bench_operands *operands = bench_operands_of(problem->op->meaning);
    problem->tensors = operands->count;
    for (int i = 0; i < operands->count; i++) {
        struct bench_tensor *tensor = &problem->tensor[i];
        int64_t dims[BENCH_RANK];
        tensor->role = operands->operand[i].tensor;
        tensor->use = operands->operand[i].use;
        tensor->dtype = case_tensor_dtype(test, tensor->role);
        tensor->element_size = size_of(tensor->dtype);
        tensor->plane = 1;
        for (int d = bench_dims(test, tensor->role, dims) - 1; d >= 2; d--)
            tensor->plane *= dims[d];
        tensor->bytes = (size_t)(problem->planes * tensor->plane) * tensor->element_size;
    }
    return true;
}

double bench_bytes(const struct bench_problem *problem)
{
    double bytes = 0;
    for (int i = 0; i < problem->tensors; i++)
        if (problem->tensor[i].use != BENCH_SHAPE) bytes += (double)problem->tensor[i].bytes;
    return bytes;
}

int bench_tensor_of(const struct bench_problem *problem, enum case_tensor role)
{
    for (int i = 0; i < problem->tensors; i++)
        if (problem->tensor[i].role == role) return i;
    return -1;
}

/* Different values in different tensors of a problem, out of one file. */
int64_t bench_first_value(enum case_tensor role)
{
    return (int64_t)role * BETWEEN_ROLES;
}

int64_t bench_values_needed(const struct bench_problem *problem)
{
    int64_t most = 0;
    for (int i = 0; i < problem->tensors; i++) {
        int64_t elements = problem->planes * problem->tensor[i].plane;
        if (elements > most) most = elements;
    }
    return most + bench_first_value(CASE_TENSORS);
}

/* ---- formats ---- */

/* Elements between neighbours along the plane and along a block of channels, and where a plane
 * starts. */
struct place {
    int64_t start, step;
};

static struct place place_of(const struct bench_problem *problem, int64_t plane, int64_t which)
{
    int64_t channels = problem->test.channels;
    int64_t n = which / channels, c = which % channels;
    switch (problem->format) {
    case BENCH_NHWC:
        return (struct place){n * channels * plane + c, channels};
    case BENCH_BLOCKED:
        return (struct place){(n * channels + c / BLOCK * BLOCK) * plane + c % BLOCK, BLOCK};
    default:
        return (struct place){which * plane, 1};
    }
}

#define COPY_AS(type)                                                                              \
    do {                                                                                           \
        const type *source = from;                                                                 \
        type *target = to;                                                                         \
        for (int64_t i = 0; i < count; i++)                                                        \
            target[i * to_step] = source[i * from_step];                                           \
    } while (0)

static void copy_elements(size_t size, int64_t count, const void *from, int64_t from_step, void *to,
                          int64_t to_step)
{
    if (size == 8)
        COPY_AS(uint64_t);
    else if (size == 4)
        COPY_AS(uint32_t);
    else if (size == 2)
        COPY_AS(uint16_t);
    else
        COPY_AS(uint8_t);
}

/* Tile by tile along the plane, so that the lines of a tile stay in the cache for all channels. */
static void pack(const struct bench_problem *problem, const struct bench_tensor *tensor,
                 const void *dense, void *packed)
{
    size_t size = tensor->element_size;
    int64_t channels = problem->test.channels, plane = tensor->plane;
    if (problem->format == BENCH_NCHW) {
        memcpy(packed, dense, tensor->bytes);
        return;
    }
    for (int64_t n = 0; n < problem->test.batch; n++) {
        for (int64_t begin = 0; begin < plane; begin += TILE) {
            int64_t count = plane - begin < TILE ? plane - begin : TILE;
            for (int64_t c = 0; c < channels; c++) {
                int64_t which = n * channels + c;
                struct place place = place_of(problem, plane, which);
                copy_elements(
                    size, count, (const char *)dense + (size_t)(which * plane + begin) * size, 1,
                    (char *)packed + (size_t)(place.start + begin * place.step) * size, place.step);
            }
        }
    }
}

void bench_unpack_plane(const struct bench_problem *problem, int tensor, int64_t which,
                        const void *packed, void *dense)
{
    const struct bench_tensor *t = &problem->tensor[tensor];
    struct place place = place_of(problem, t->plane, which);
    copy_elements(t->element_size, t->plane,
                  (const char *)packed + (size_t)place.start * t->element_size, place.step, dense,
                  1);
}

/* ---- data ---- */

static void *widened(const int32_t *indices, int64_t count)
{
    int64_t *wide = malloc((size_t)count * sizeof *wide);
    for (int64_t i = 0; wide != NULL && i < count; i++)
        wide[i] = indices[i];
    return wide;
}

bool bench_load(const struct bench_problem *problem, int tensor, void *packed, char *why,
                size_t why_size)
{
    const struct bench_tensor *t = &problem->tensor[tensor];
    bool is_index = t->role == CASE_I;
    int64_t elements = problem->planes * t->plane;
    const char *path = is_index ? problem->indices : problem->values;
    size_t stored = is_index ? sizeof(int32_t) : t->element_size;
    size_t skipped = is_index ? 0 : (size_t)bench_first_value(t->role) * stored;
    size_t bytes = skipped + (size_t)elements * stored;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *data = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (data == MAP_FAILED) {
        snprintf(why, why_size, "cannot read %s", path);
        return false;
    }
    void *wide = stored < t->element_size ? widened(data, elements) : NULL;
    pack(problem, t, wide != NULL ? wide : (const char *)data + skipped, packed);
    free(wide);
    munmap(data, bytes);
    return true;
}

void *bench_memory(int tensor, size_t bytes)
{
    static struct {
        void *data;
        size_t size;
    } kept[BENCH_TENSORS + 1]; /* the last one for what is no tensor */
    if (bytes > kept[tensor].size) {
        free(kept[tensor].data);
        kept[tensor].size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        kept[tensor].data = aligned_alloc(HUGE_PAGE, kept[tensor].size);
        if (kept[tensor].data == NULL) abort();
        madvise(kept[tensor].data, kept[tensor].size, MADV_HUGEPAGE);
        memset(kept[tensor].data, 0xFF, kept[tensor].size);
    }
    return kept[tensor].data;
}

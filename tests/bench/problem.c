/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a contender sees it: sizes, formats, and tensors moved between formats. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/bench/contender.h"

enum { BLOCK = 16, TILE = 64, HUGE_PAGE = 2 << 20 };

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

bool bench_problem_of(const struct test_case *test, enum bench_format format,
                      struct bench_problem *problem, char *why, size_t why_size)
{
    *problem = (struct bench_problem){.test = *test, .format = format};
    if (test->axes != 2) {
        snprintf(why, why_size, "the bench runs problems of two axes, not of %d", test->axes);
        return false;
    }
    if (format == BENCH_BLOCKED && test->channels % BLOCK != 0) {
        snprintf(why, why_size, "blocks of 16 do not divide the channels");
        return false;
    }
    problem->planes = test->batch * test->channels;
    problem->dy_plane = case_window(test, 0).output * case_window(test, 1).output;
    problem->dx_plane = case_window(test, 0).input * case_window(test, 1).input;
    problem->element_size = test->dtype == CASE_F32 ? 4 : 2;
    problem->dy_bytes = (size_t)(problem->planes * problem->dy_plane) * problem->element_size;
    problem->dx_bytes = (size_t)(problem->planes * problem->dx_plane) * problem->element_size;
    return true;
}

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

static void copy_elements(size_t size, int64_t count, const void *from, int64_t from_step, void *to,
                          int64_t to_step)
{
    if (size == 4) {
        const uint32_t *source = from;
        uint32_t *target = to;
        for (int64_t i = 0; i < count; i++)
            target[i * to_step] = source[i * from_step];
    } else {
        const uint16_t *source = from;
        uint16_t *target = to;
        for (int64_t i = 0; i < count; i++)
            target[i * to_step] = source[i * from_step];
    }
}

/* Tile by tile along the plane, so that the lines of a tile stay in the cache for all channels. */
void bench_pack(const struct bench_problem *problem, int64_t plane, const void *dense, void *packed)
{
    size_t size = problem->element_size;
    int64_t channels = problem->test.channels;
    if (problem->format == BENCH_NCHW) {
        memcpy(packed, dense, (size_t)(problem->planes * plane) * size);
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

void bench_unpack_plane(const struct bench_problem *problem, int64_t plane, int64_t which,
                        const void *packed, void *dense)
{
    size_t size = problem->element_size;
    struct place place = place_of(problem, plane, which);
    copy_elements(size, plane, (const char *)packed + (size_t)place.start * size, place.step, dense,
                  1);
}

bool bench_load(const struct bench_problem *problem, void *dy, char *why, size_t why_size)
{
    int file = open(problem->data, O_RDONLY | O_CLOEXEC);
    void *data =
        file < 0 ? MAP_FAILED : mmap(NULL, problem->dy_bytes, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (data == MAP_FAILED) {
        snprintf(why, why_size, "cannot read %s", problem->data);
        return false;
    }
    bench_pack(problem, problem->dy_plane, data, dy);
    munmap(data, problem->dy_bytes);
    return true;
}

void *bench_memory(int slot, size_t bytes)
{
    static struct {
        void *data;
        size_t size;
    } kept[2];
    if (bytes > kept[slot].size) {
        free(kept[slot].data);
        kept[slot].size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        kept[slot].data = aligned_alloc(HUGE_PAGE, kept[slot].size);
        if (kept[slot].data == NULL) abort();
        madvise(kept[slot].data, kept[slot].size, MADV_HUGEPAGE);
        memset(kept[slot].data, 0xFF, kept[slot].size);
    }
    return kept[slot].data;
}

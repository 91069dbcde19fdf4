/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over a few lanes of memory: made from a seed, run in order by the calling thread.
 * test_everything.c runs the same programs through streams and graphs. */
#ifndef ACLNN_CPU_TESTS_STRESS_RANDOM_PROGRAM_H
#define ACLNN_CPU_TESTS_STRESS_RANDOM_PROGRAM_H

#include <criterion/criterion.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/support/random.h"

enum {
    LANES = 4,
    WORDS = 64,
    PLANES = 2,
    SIDE = 8, /* of a plane of the operator's gradInput; gradOutput's is half of it */
    OPERATIONS = 40,
    SECTIONS = 5,
    MOST_REPLAYS = 4,
};

/* What one lane works on; device memory. */
struct block {
    uint64_t words[WORDS];
    float gradient[PLANES * SIDE * SIDE];
    float windows[PLANES * SIDE * SIDE / 4];
};

enum what {
    FILLS,     /* windows with bytes */
    COPIES,    /* half of the words to the other half, by way of other memory */
    OPERATES,  /* windows to gradient, by aclnnAvgPool2dBackward */
    EXCHANGES, /* words of another lane to this one's */
    CALLS,     /* a function of the program: stirs words and gradient together */
    WHATS,
};

struct operation {
    enum what what;
    int lane, other;
    uint64_t salt;
};

/* Operations that are submitted, or captured and replayed so many times. */
struct section {
    int first, end;
    bool is_captured;
    int runs;
};

struct program {
    struct operation operations[OPERATIONS];
    struct section sections[SECTIONS];
};

/* One lane's block and the operator's arguments over it. */
struct place {
    struct block *block;
    aclTensor *windows, *self, *gradient;
};

static inline struct place place_open(void)
{
    static const int64_t large[] = {1, PLANES, SIDE, SIDE},
                         small[] = {1, PLANES, SIDE / 2, SIDE / 2};
    void *memory;
    cr_assert_eq(aclrtMalloc(&memory, sizeof(struct block), ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    memset(memory, 0, sizeof(struct block));
    struct block *block = memory;
    struct place place = {.block = block};
    place.windows =
        aclCreateTensor(small, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, small, 4, block->windows);
    place.self =
        aclCreateTensor(large, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, large, 4, block->gradient);
    place.gradient =
        aclCreateTensor(large, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, large, 4, block->gradient);
    cr_assert(place.windows && place.self && place.gradient);
    return place;
}

static inline void place_close(struct place *place)
{
    cr_expect_eq(aclDestroyTensor(place->windows), 0);
    cr_expect_eq(aclDestroyTensor(place->self), 0);
    cr_expect_eq(aclDestroyTensor(place->gradient), 0);
    cr_expect_eq(aclrtFree(place->block), 0);
}

/* The workspace is freed while the operator may be queued. */
static inline void place_operate(const struct place *place, aclrtStream stream)
{
    static const int64_t two[] = {2, 2}, none[] = {0, 0};
    aclIntArray *kernel = aclCreateIntArray(two, 2), *padding = aclCreateIntArray(none, 2);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    void *workspace = NULL;
    cr_assert_eq(aclnnAvgPool2dBackwardGetWorkspaceSize(place->windows, place->self, kernel, kernel,
                                                        padding, false, true, 0, 0, place->gradient,
                                                        &size, &executor),
                 0, "%s", aclGetRecentErrMsg());
    if (size > 0) cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    cr_assert_eq(aclnnAvgPool2dBackward(workspace, size, executor, stream), 0, "%s",
                 aclGetRecentErrMsg());
    if (workspace) cr_assert_eq(aclrtFree(workspace), 0);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(padding);
}

/* Bytes of which floats are neither large nor small. */
static inline int program_byte(const struct operation *operation)
{
    return 0x30 + (int)(operation->salt % 16);
}

static inline void program_stir(struct block *block, uint64_t salt)
{
    for (int i = 0; i < WORDS; i++) {
        uint64_t pair;
        memcpy(&pair, &block->gradient[2 * i], sizeof(pair));
        block->words[i] = (block->words[i] ^ pair ^ salt) * 0x9E3779B97F4A7C15u;
    }
}

static inline void program_run_operation(const struct operation *operation,
                                         const struct place *places, aclrtStream stream)
{
    const struct place *place = &places[operation->lane];
    uint64_t *words = place->block->words;
    switch (operation->what) {
    case FILLS:
        memset(place->block->windows, program_byte(operation), sizeof(place->block->windows));
        break;
    case COPIES:
        memcpy(words, words + WORDS / 2, WORDS / 2 * sizeof(*words));
        break;
    case OPERATES:
        place_operate(place, stream);
        cr_assert_eq(aclrtSynchronizeStream(stream), 0);
        break;
    case EXCHANGES:
        memcpy(words, places[operation->other].block->words, WORDS / 4 * sizeof(*words));
        break;
    default:
        program_stir(place->block, operation->salt);
    }
}

/* Everything in order, one operation after the other. */
static inline void program_run_in_order(const struct program *program, const struct place *places,
                                        aclrtStream stream)
{
    for (int s = 0; s < SECTIONS; s++) {
        const struct section *section = &program->sections[s];
        for (int run = 0; run < section->runs; run++)
            for (int i = section->first; i < section->end; i++)
                program_run_operation(&program->operations[i], places, stream);
    }
}

/* Lane 0 takes no part in what is captured: its functions are callbacks. */
static inline void program_make(struct program *program, struct random *random)
{
    for (int s = 0; s < SECTIONS; s++) {
        struct section *section = &program->sections[s];
        section->first = OPERATIONS * s / SECTIONS;
        section->end = OPERATIONS * (s + 1) / SECTIONS;
        section->is_captured = random_once_in(random, 3);
        section->runs = section->is_captured ? (int)random_between(random, 1, MOST_REPLAYS) : 1;
        int first_lane = section->is_captured;
        for (int i = section->first; i < section->end; i++) {
            struct operation *operation = &program->operations[i];
            operation->what = (enum what)random_below(random, WHATS);
            operation->lane = (int)random_between(random, first_lane, LANES - 1);
            operation->other = (int)random_between(random, first_lane, LANES - 2);
            if (operation->other >= operation->lane) operation->other++;
            operation->salt = random_next(random);
        }
    }
}

#endif

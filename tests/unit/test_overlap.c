/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap of strided views against counting every element's place. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "api/op_check.h"
#include "api/overlap.h"
#include "tests/support/random.h"

enum { MOST_RANK = 6, PLACES = 4096 };

static bool counts_twice(const int64_t *sizes, const int64_t *strides, int rank)
{
    static unsigned char taken[PLACES];
    int64_t at[MOST_RANK] = {0};
    memset(taken, 0, sizeof taken);
    for (;;) {
        int64_t place = 0;
        for (int i = 0; i < rank; i++)
            place += at[i] * strides[i];
        cr_assert_lt(place, PLACES);
        if (taken[place]++) return true;
        int axis = 0;
        while (axis < rank && ++at[axis] == sizes[axis])
            at[axis++] = 0;
        if (axis == rank) return false;
    }
}

static const char *text_of(const int64_t *sizes, const int64_t *strides, int rank)
{
    static char text[256];
    int used = 0;
    for (int i = 0; i < rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %" PRId64 "*%" PRId64, sizes[i],
                         strides[i]);
    return text;
}

Test(overlap, equals_counting, .timeout = 600)
{
    struct random random = {random_test_seed()};
    int found[2] = {0}, together = 0;
    for (int round = 0; round < 200000; round++) {
        int64_t sizes[MOST_RANK], strides[MOST_RANK];
        int rank = (int)random_between(&random, 0, MOST_RANK);
        int64_t most = random_between(&random, 1, 130);
        for (int i = 0; i < rank; i++) {
            sizes[i] = random_between(&random, 1, 5);
            strides[i] = random_between(&random, random_below(&random, 40) > 0, most);
        }
        bool overlaps = counts_twice(sizes, strides, rank);
        cr_assert_eq(op_find_overlap(sizes, strides, rank), overlaps ? OP_MEET : OP_APART, "%s",
                     text_of(sizes, strides, rank));
        found[overlaps]++;
        together += overlaps && rank > 2;
    }
    cr_assert(found[0] > 10000 && found[1] > 10000 && together > 10000,
              "the draw is one-sided: %d apart, %d overlap", found[0], found[1]);
}

static enum op_overlap overlap_of(int rank, const int64_t *sizes, const int64_t *strides)
{
    return op_find_overlap(sizes, strides, rank);
}

#define OVERLAP_OF(rank, sizes, strides)                                                           \
    overlap_of(rank, (const int64_t[rank])sizes, (const int64_t[rank])strides)
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

Test(overlap, layouts_of_any_size)
{
    const int64_t g = 1000000000;
    /* NCHW, its permutations, gaps, slices of every other element */
    cr_expect_eq(OVERLAP_OF(4, LIST(64, 128, 300, 200), LIST(7680000, 60000, 200, 1)), OP_APART);
    cr_expect_eq(OVERLAP_OF(4, LIST(64, 128, 300, 200), LIST(7680000, 1, 25600, 128)), OP_APART);
    cr_expect_eq(OVERLAP_OF(3, LIST(10, g, 7), LIST(20 * g, 2, 2 * g)), OP_APART);
    cr_expect_eq(OVERLAP_OF(3, LIST(1, 1, 1), LIST(0, 0, 0)), OP_APART);
    /* every row begins within the one before; one row too many in the planes */
    cr_expect_eq(OVERLAP_OF(2, LIST(g, 100), LIST(99, 1)), OP_MEET);
    cr_expect_eq(OVERLAP_OF(3, LIST(5, 11, 100), LIST(1000, 100, 1)), OP_MEET);
    cr_expect_eq(OVERLAP_OF(3, LIST(5, 10, 100), LIST(1000, 100, 1)), OP_APART);
    /* interleaved: no stride exceeds what the smaller ones span, and no element meets another */
    cr_expect_eq(OVERLAP_OF(2, LIST(3, g), LIST(1, 3)), OP_APART);
    cr_expect_eq(OVERLAP_OF(2, LIST(2, g), LIST(2 * g + 1, 2)), OP_APART);
    cr_expect_eq(OVERLAP_OF(3, LIST(2, 2, g), LIST(2 * g + 1, 3, 6)), OP_MEET);
    cr_expect_eq(OVERLAP_OF(3, LIST(2, 2, g), LIST(2 * g - 1, 3, 6)), OP_APART);
    /* each pair apart, all together not: 3 + 5 = 8 */
    cr_expect_eq(OVERLAP_OF(3, LIST(2, 2, 2), LIST(3, 5, 8)), OP_MEET);
    cr_expect_eq(OVERLAP_OF(3, LIST(2, 2, 2), LIST(3, 5, 9)), OP_APART);
    cr_expect_eq(OVERLAP_OF(4, LIST(2, 2, 2, 2), LIST(3 * g, 5 * g, 9 * g, 17 * g)), OP_MEET);
}

/* Strides of no layout, which share a place only by their sums: whatever the answer, it is never
 * that they are apart when they are not, and it comes soon. */
Test(overlap, wild_strides_are_never_taken_for_apart, .timeout = 600)
{
    struct random random = {random_test_seed()};
    int undecided = 0;
    for (int round = 0; round < 2000; round++) {
        int64_t sizes[6], strides[6];
        for (int i = 0; i < 6; i++) {
            sizes[i] = random_between(&random, 20, 100);
            strides[i] = random_between(&random, 1000000000000, 1001000000000);
        }
        /* the last is a sum of steps of two others */
        strides[5] = strides[0] * random_between(&random, 1, 19) +
                     strides[1] * random_between(&random, 1, 19);
        enum op_overlap overlap = op_find_overlap(sizes, strides, 6);
        cr_assert_neq(overlap, OP_APART, "%s", text_of(sizes, strides, 6));
        undecided += overlap == OP_UNDECIDED;
    }
    cr_expect_gt(undecided, 0, "the limit was never met");
}

static void expect_output(const int64_t *sizes, const int64_t *strides, uint64_t rank,
                          const char *text)
{
    static char data[4096];
    const int64_t storage = sizeof data;
    aclTensor *tensor =
        aclCreateTensor(sizes, rank, ACL_INT8, strides, 0, ACL_FORMAT_ND, &storage, 1, data);
    cr_assert_eq(op_check_output_view("op", "out", tensor),
                 text ? ACLNN_ERR_PARAM_INVALID : ACLNN_SUCCESS);
    const char *message = aclGetRecentErrMsg();
    cr_expect(!text || (message && strstr(message, text)), "%s", message ? message : "no text");
    cr_assert_eq(op_check_input_view("op", "in", tensor), ACLNN_SUCCESS, "an input may overlap");
    aclDestroyTensor(tensor);
}

Test(overlap, outputs_are_refused_with_a_text)
{
    expect_output((const int64_t[]){2, 2, 2}, (const int64_t[]){3, 5, 9}, 3, NULL);
    expect_output((const int64_t[]){2, 2, 2}, (const int64_t[]){3, 5, 8}, 3, "taken together");
    expect_output((const int64_t[]){3, 2}, (const int64_t[]){1, 2}, 2, "dimensions 0 and 1");
    expect_output((const int64_t[]){1, 2}, (const int64_t[]){1, 0}, 2, "stride 0 at dimension 1");
}

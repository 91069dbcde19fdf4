/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are regrouped, from the definitions. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_shape.h"

/* ---- aclnnChunkCat ---- */

/* An operand's elements, of which each chunk has `width`. */
static int64_t width_of(const struct rig_problem *problem, int operand, int64_t count)
{
    const struct operand *view = &problem->tensor[operand].view;
    int64_t row = 1;
    for (int i = 1; i < view->rank; i++)
        row *= view->dims[i];
    return (view->dims[0] + count - 1) / count * row;
}

static void chunk_cat(struct rig_problem *problem)
{
    const int out = problem->call.first[1];
    const int64_t count = problem->call.number[1], width = problem->tensor[out].view.dims[1];
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        int64_t column = i % width;
        int k = 0;
        while (column >= width_of(problem, k, count))
            column -= width_of(problem, k++, count);
        const int64_t from = i / width * width_of(problem, k, count) + column;
        const bool is_there = from < problem->tensor[k].count;
        oracle_real(problem, out, i, problem->tensor[out].view.dtype,
                    is_there ? oracle_value(problem, k, from) : 0);
    }
}

static struct test_case random_chunks(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int tensors = (int)random_between(random, 1, 5);
    const int64_t count = random_between(random, 1, 6);
    int64_t out[] = {count, 0};
    for (int i = 0; i < tensors; i++) {
        const int rank = (int)random_between(random, 1, 4);
        int64_t dims[4], row = 1;
        for (int k = 0; k < rank; k++)
            dims[k] = random_between(random, random_once_in(random, 30) ? 0 : 1, k == 0 ? 9 : 3);
        for (int k = 1; k < rank; k++)
            row *= dims[k];
        out[1] += (dims[0] + count - 1) / count * row;
        random_tensor(&test, random, "tensors", dtype, dims, rank, false)->place =
            i == 0 ? CASE_FIRST : CASE_NEXT;
    }
    random_number(&test, "dim", 0);
    random_number(&test, "numChunks", (double)count);
    random_tensor(&test, random, "out",
                  dtype != CASE_F32 && random_once_in(random, 3) ? CASE_F32 : dtype, out, 2, true);
    return test;
}

/* ---- aclnnConfusionTranspose ---- */

/* A view with its axes in perm's order: the element of it that lies at `at`. */
static int64_t turned_element(const struct rig_array *perm, const struct operand *view,
                              const int64_t at[RANK])
{
    int64_t own[RANK] = {0};
    for (int i = 0; i < view->rank; i++)
        own[perm->values[i]] = at[i];
    return shape_element(view, own);
}

static void confusion_transpose(struct rig_problem *problem)
{
    const struct rig_array *perm = &problem->call.array[0], *shape = &problem->call.array[1];
    const bool is_first = problem->call.number[0] != 0;
    const struct operand *x = &problem->tensor[0].view;
    struct operand own = *x, turned = {.rank = perm->length};
    if (!is_first) {
        own.rank = shape->length;
        memcpy(own.dims, shape->values, (size_t)own.rank * sizeof *own.dims);
    }
    for (int i = 0; i < turned.rank; i++)
        turned.dims[i] = own.dims[perm->values[i]];
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        int64_t at[RANK] = {0};
        shape_indices(&turned, i, at);
        shape_put(problem, 1, i, 0, turned_element(perm, &own, at));
    }
}

/* The sizes of a shape with one axis in two, or two in one. */
static struct shape regrouped(struct random *random, const struct shape *from)
{
    struct shape to = *from;
    const int at = from->rank > 0 ? (int)random_below(random, from->rank) : 0;
    if (from->rank == 0 || (from->rank < 6 && random_once_in(random, 2))) {
        const int64_t size = from->rank > 0 ? from->dims[at] : 1;
        const int64_t part = size % 2 == 0 && size > 0 ? 2 : 1;
        for (int i = to.rank; i > at; i--)
            to.dims[i] = to.dims[i - 1];
        to.dims[at] = part;
        if (from->rank > 0) to.dims[at + 1] = size / part;
        to.rank++;
    } else if (at + 1 < from->rank) {
        to.dims[at] *= to.dims[at + 1];
        for (int i = at + 1; i + 1 < to.rank; i++)
            to.dims[i] = to.dims[i + 1];
        to.rank--;
    }
    return to;
}

static struct test_case random_turn(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape x = shape_some(random, 0, 6);
    const struct shape shape = regrouped(random, &x);
    const bool is_first = random_once_in(random, 2);
    const struct shape *from = is_first ? &x : &shape;
    struct shape out = shape;
    int64_t perm[RANK];
    for (int i = 0; i < from->rank; i++) {
        const int other = (int)random_below(random, i + 1);
        perm[i] = perm[other];
        perm[other] = i;
    }
    for (int i = 0; !is_first && i < out.rank; i++)
        out.dims[i] = shape.dims[perm[i]];
    shape_tensor(&test, random, "x", dtype, &x, false);
    random_ints(&test, "perm", perm, from->rank);
    random_ints(&test, "shape", shape.dims, shape.rank);
    random_number(&test, "transposeFirst", is_first);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

/* ---- signs ---- */

static void signs(struct rig_problem *problem)
{
    const bool packs = strstr(problem->op->name, "Unpack") == NULL;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        if (!packs) {
            const int64_t byte = oracle_whole_value(problem, 0, i / 8);
            oracle_real(problem, 1, i, problem->tensor[1].view.dtype, byte >> i % 8 & 1 ? 1 : -1);
            continue;
        }
        int64_t byte = 0;
        for (int64_t k = 0; k < 8 && 8 * i + k < problem->tensor[0].count; k++)
            byte |= (int64_t)(oracle_value(problem, 0, 8 * i + k) >= 0) << k;
        oracle_whole(problem, 1, i, CASE_U8, byte);
    }
}

static struct test_case random_signs(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    if (dtype != CASE_F32) dtype = CASE_F16; /* the settings ask for BF16 too */
    struct test_case test = random_start(op, random, dtype);
    const bool packs = strstr(op->name, "Unpack") == NULL;
    const int64_t size = random_between(random, 1, 5);
    const int64_t bytes = size * random_between(random, random_once_in(random, 20) ? 0 : 1, 12);
    const int64_t numbers = bytes == 0 ? 0 : 8 * bytes - random_below(random, 8);
    const int64_t packed[] = {size, bytes / size}, unpacked[] = {size, 8 * bytes / size};
    random_tensor(&test, random, "self", packs ? dtype : CASE_U8, packs ? &numbers : &bytes, 1,
                  false);
    random_number(&test, "size", (double)size);
    if (!packs) random_type(&test, "dtype", dtype);
    random_tensor(&test, random, "out", packs ? CASE_U8 : dtype, packs ? packed : unpacked, 2,
                  true);
    return test;
}

const struct oracle_row oracle_regroup_rows[] = {
    {.name = "aclnnChunkCat",
     .oracle = chunk_cat,
     .random = random_chunks,
     .lines = LINES("chunk_cat f16 tensors=[70x30,5,9x8x7] numChunks=8 out=8x383:f32",
                    "chunk_cat f32 tensors=[3,20x4:s1x20] numChunks=7 out=7x13"),
     .sound = "chunk_cat f32 tensors=[5x3,4] numChunks=2 out=2x11"},
    {.name = "aclnnConfusionTranspose",
     .oracle = confusion_transpose,
     .random = random_turn,
     .lines = LINES("confusion_transpose f16 x=20x30x64 perm=0x2x1x3 shape=20x30x8x8 "
                    "out=20x8x30x8",
                    "confusion_transpose i8 x=20x8x30x8 perm=0x2x1x3 shape=20x30x64 "
                    "transposeFirst=1 out=20x30x64"),
     .sound = "confusion_transpose f32 x=2x3x4 perm=1x0 shape=6x4 out=4x6"},
    {.name = "aclnnSignBitsPack",
     .oracle = signs,
     .random = random_signs,
     .lines = LINES("sign_bits_pack f32 self=14 size=2 out=2x1:u8 data=special",
                    "sign_bits_pack f16 self=80001:s2 size=73 out=73x137:u8 data=special"),
     .sound = "sign_bits_pack f32 self=14 size=2 out=2x1:u8"},
    {.name = "aclnnSignBitsUnpack",
     .oracle = signs,
     .random = random_signs,
     .lines = LINES("sign_bits_unpack f32 self=3:u8 size=2 dtype=f32 out=2x12"),
     .sound = "sign_bits_unpack f32 self=3:u8 size=2 dtype=f32 out=2x12"},
    {.name = NULL},
};

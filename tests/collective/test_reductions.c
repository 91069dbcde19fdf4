/* SPDX-License-Identifier: Apache-2.0 */
/* AllReduce, Reduce, ReduceScatter and ReduceScatterV: types, operations, roots, counts, in place,
 * and the bits of rounding. */
#include "tests/collective/ranks.h"
#include "tests/collective/values.h"

enum { TYPES = HCCL_DATA_TYPE_BFP16 + 1, OPS = HCCL_REDUCE_MIN + 1 };

/* Small numbers, so that no sum or product of eight is rounded in any type. */
static double element(HcclDataType type, HcclReduceOp op, uint32_t rank, uint64_t i)
{
    double x = (double)((rank * 7 + i * 3 + i / 5) % 5);
    if (op == HCCL_REDUCE_PROD) return x > 2 ? 1 : x;
    return value_is_unsigned(type) ? x : x - 2;
}

static double expected(HcclDataType type, HcclReduceOp op, uint32_t size, uint64_t i)
{
    double result = element(type, op, 0, i);
    for (uint32_t r = 1; r < size; r++) {
        double x = element(type, op, r, i);
        if (op == HCCL_REDUCE_SUM) result += x;
        if (op == HCCL_REDUCE_PROD) result *= x;
        if (op == HCCL_REDUCE_MAX && x > result) result = x;
        if (op == HCCL_REDUCE_MIN && x < result) result = x;
    }
    return result;
}

static void *device_memory(struct rank *rank, size_t size)
{
    void *memory = NULL;
    RANK_CALL(rank, aclrtMalloc(&memory, size + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

/* Elements [begin, begin + count) of the problem. */
static void fill(const struct rank *rank, void *to, HcclDataType type, HcclReduceOp op,
                 uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        value_put(type, to, i, element(type, op, rank->id, i));
}

static void compare(struct rank *rank, const char *what, const void *got, HcclDataType type,
                    HcclReduceOp op, uint64_t begin, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double want = expected(type, op, rank->size, begin + i), have = value_get(type, got, i);
        if (have == want) continue;
        RANK_EXPECT(rank, have == want,
                    "%s, type %d, op %d, count %" PRIu64 ": [%" PRIu64 "] %g, not %g", what,
                    (int)type, (int)op, count, i, have, want);
        return;
    }
}

static void all_reduce(struct rank *rank, HcclDataType type, HcclReduceOp op, uint64_t count,
                       bool in_place)
{
    size_t size = count * value_size(type);
    void *from = device_memory(rank, size), *to = in_place ? from : device_memory(rank, size);
    fill(rank, from, type, op, count);
    RANK_CALL(rank, HcclAllReduce(from, to, count, type, op, rank->comm, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    compare(rank, "AllReduce", to, type, op, 0, count);
    if (!in_place) {
        for (uint64_t i = 0; i < count; i++)
            if (value_get(type, from, i) != element(type, op, rank->id, i)) {
                RANK_EXPECT(rank, !"sendBuf has changed", "type %d", (int)type);
                break;
            }
        aclrtFree(to);
    }
    aclrtFree(from);
}

static void reduce(struct rank *rank, HcclDataType type, HcclReduceOp op, uint64_t count,
                   uint32_t root, bool in_place)
{
    size_t size = count * value_size(type);
    void *from = device_memory(rank, size), *to = NULL;
    if (rank->id == root) to = in_place ? from : device_memory(rank, size);
    fill(rank, from, type, op, count);
    RANK_CALL(rank, HcclReduce(from, to, count, type, op, root, rank->comm, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    if (to) compare(rank, "Reduce", to, type, op, 0, count);
    if (to && to != from) aclrtFree(to);
    aclrtFree(from);
}

static void reduce_scatter(struct rank *rank, HcclDataType type, HcclReduceOp op, uint64_t count,
                           bool in_place)
{
    const size_t element_size = value_size(type), begin = rank->id * count;
    char *from = device_memory(rank, count * rank->size * element_size);
    void *to = in_place ? from + begin * element_size : device_memory(rank, count * element_size);
    fill(rank, from, type, op, count * rank->size);
    RANK_CALL(rank, HcclReduceScatter(from, to, count, type, op, rank->comm, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    compare(rank, "ReduceScatter", to, type, op, begin, count);
    if (!in_place) aclrtFree(to);
    aclrtFree(from);
}

/* Uneven, with gaps, and with ranks that get nothing. */
static void reduce_scatter_v(struct rank *rank, HcclDataType type, HcclReduceOp op, uint64_t count)
{
    uint64_t counts[8], displs[8], end = 3;
    for (uint32_t r = 0; r < rank->size; r++) {
        counts[r] = r % 3 == 1 ? 0 : count * (r + 1) / 2;
        displs[r] = end;
        end += counts[r] + r % 2;
    }
    char *from = device_memory(rank, end * value_size(type));
    void *to = device_memory(rank, counts[rank->id] * value_size(type));
    fill(rank, from, type, op, end);
    RANK_CALL(rank, HcclReduceScatterV(from, counts, displs, to, counts[rank->id], type, op,
                                       rank->comm, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    compare(rank, "ReduceScatterV", to, type, op, displs[rank->id], counts[rank->id]);
    aclrtFree(to);
    aclrtFree(from);
}

static void every_type_and_operation(struct rank *rank)
{
    rank_start(rank);
    for (int type = 0; type < TYPES; type++) {
        for (int op = 0; op < OPS; op++) {
            all_reduce(rank, type, op, 0, op % 2);
            all_reduce(rank, type, op, 1, op % 2);
            all_reduce(rank, type, op, 1001, op % 2 == 0);
            reduce(rank, type, op, 37, (uint32_t)(type + op) % rank->size, op % 2);
            reduce_scatter(rank, type, op, 19, op % 2);
            reduce_scatter_v(rank, type, op, 11);
        }
    }
    for (uint32_t root = 0; root < rank->size; root++)
        reduce(rank, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, root, root, root % 2);
    rank_end(rank);
}

static void large(struct rank *rank)
{
    rank_start(rank);
    all_reduce(rank, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 1 << 20, false);
    all_reduce(rank, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_SUM, (1 << 20) + 1, true);
    reduce(rank, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX, 1 << 20, rank->size - 1, true);
    reduce_scatter(rank, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, (1 << 20) / rank->size + 1, false);
    reduce_scatter(rank, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, (1 << 20) / rank->size + 1, true);
    reduce_scatter_v(rank, HCCL_DATA_TYPE_FP64, HCCL_REDUCE_SUM, 100000);
    rank_end(rank);
}

static void large_of_each(struct rank *rank)
{
    rank_start(rank);
    for (int type = 0; type < TYPES; type++)
        for (int op = 0; op < OPS; op++) {
            all_reduce(rank, type, op, 1 << 20, op % 2);
            reduce(rank, type, op, 1 << 20, (uint32_t)(type + op) % rank->size, op % 2 == 0);
            reduce_scatter(rank, type, op, (1 << 20) / rank->size, op % 2);
        }
    rank_end(rank);
}

Test(reductions, every_type_operation_and_number_of_ranks, .timeout = 600)
{
    for (uint32_t size = 1; size <= 8; size++)
        cr_expect_eq(ranks_run(size, every_type_and_operation), 0, "%u ranks", size);
}

Test(reductions, large_counts, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, large), 0);
    cr_expect_eq(ranks_run(3, large), 0);
    cr_expect_eq(ranks_run(8, large), 0);
    const char *scale = getenv("ACLNN_TEST_SCALE"); /* 25 in ./dev test --long */
    if (!scale || strtod(scale, NULL) < 25) return;
    for (uint32_t size = 1; size <= 8; size++)
        cr_expect_eq(ranks_run(size, large_of_each), 0, "%u ranks", size);
}

/* --- bits ----------------------------------------------------------------------------------------
 */

enum { HALVES = 1 << 16 };

/* Any half, the same in every process. */
static uint16_t some_half(uint32_t rank, uint32_t i)
{
    uint32_t x = (i * 2654435761U) ^ (rank * 40503U + 977U);
    x = (x ^ x >> 15) * 2246822519U;
    return (uint16_t)(x ^ x >> 13);
}

/* Piece c of an AllReduce sets out from rank c + 1, and is rounded after each rank. */
static double round_the_ring(HcclDataType type, uint32_t size, uint32_t piece, uint32_t i)
{
    double sum = 0;
    for (uint32_t step = 1; step <= size; step++) {
        uint16_t bits[4] = {some_half((piece + step) % size, i)}; /* as wide as any type */
        double x = value_get(type, bits, 0);
        float exact = (float)sum + (float)x;
        if (step == 1) sum = x;
        if (step > 1)
            sum = type == HCCL_DATA_TYPE_FP16 ? value_half((double)exact)
                                              : value_bfloat((double)exact);
    }
    return sum;
}

static void rounds_each_time(struct rank *rank)
{
    static const HcclDataType types[] = {HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_BFP16};
    rank_start(rank);
    uint16_t *data = device_memory(rank, HALVES * sizeof(*data));
    for (int t = 0; t < 2; t++) {
        for (uint32_t i = 0; i < HALVES; i++)
            data[i] = some_half(rank->id, i);
        RANK_CALL(rank, HcclAllReduce(data, data, HALVES, types[t], HCCL_REDUCE_SUM, rank->comm,
                                      rank->stream));
        RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
        uint32_t each = HALVES / rank->size, more = HALVES % rank->size;
        for (uint32_t i = 0; i < HALVES; i++) {
            uint32_t piece = i < more * (each + 1) ? i / (each + 1) : (i - more) / each;
            double want = round_the_ring(types[t], rank->size, piece, i);
            double have = value_get(types[t], data, i);
            bool is_same = isnan(want) ? isnan(have) : want == have;
            RANK_EXPECT(rank, is_same, "type %d [%u] is %g, not %g", (int)types[t], i, have, want);
        }
        memcpy(rank->shared->bytes, data, rank->id == 0 && t == 0 ? 4096 : 0);
        if (t == 1) continue;
        RANK_CALL(rank, HcclBarrier(rank->comm, rank->stream));
        RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
        RANK_EXPECT(rank, memcmp(rank->shared->bytes, data, 4096) == 0, "other bits than rank 0");
    }
    aclrtFree(data);
    rank_end(rank);
}

Test(reductions, halves_are_rounded_after_each_rank, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, rounds_each_time), 0);
    cr_expect_eq(ranks_run(3, rounds_each_time), 0);
    cr_expect_eq(ranks_run(5, rounds_each_time), 0);
}

static void wraps_and_nans(struct rank *rank)
{
    rank_start(rank);
    int32_t *integers = device_memory(rank, 4 * sizeof(*integers));
    for (int i = 0; i < 4; i++)
        integers[i] = INT32_MAX - i;
    RANK_CALL(rank, HcclAllReduce(integers, integers, 4, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
                                  rank->comm, rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    for (int i = 0; i < 4; i++) {
        int32_t want = (int32_t)((uint32_t)(INT32_MAX - i) * rank->size);
        RANK_EXPECT(rank, integers[i] == want, "%d, not %d", integers[i], want);
    }
    for (int op = HCCL_REDUCE_SUM; op <= HCCL_REDUCE_MIN; op++) {
        float *numbers = (float *)(void *)integers;
        numbers[0] = rank->id == 1 ? NAN : 1;
        numbers[1] = rank->id == 1 ? INFINITY : 1;
        RANK_CALL(rank, HcclAllReduce(numbers, numbers, 2, HCCL_DATA_TYPE_FP32, op, rank->comm,
                                      rank->stream));
        RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
        RANK_EXPECT(rank, isnan(numbers[0]), "op %d: %g", op, (double)numbers[0]);
        RANK_EXPECT(rank, (op == HCCL_REDUCE_MIN) == (numbers[1] == 1), "op %d: %g", op,
                    (double)numbers[1]);
    }
    aclrtFree(integers);
    rank_end(rank);
}

Test(reductions, integers_wrap_and_nans_win, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, wraps_and_nans), 0);
}

/* Ranks whose NaNs, zeros and roundings differ get the same bits nevertheless. */
static void same_bits(struct rank *rank)
{
    enum { COUNT = 30011 };
    rank_start(rank);
    uint32_t *data = device_memory(rank, COUNT * sizeof(*data));
    for (int op = HCCL_REDUCE_SUM; op <= HCCL_REDUCE_MIN; op++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t some = some_half(rank->id, i);
            data[i] = some << 16 | some;
            if (i % 3 == 0) data[i] = 0x7fc00000U | some; /* a NaN */
            if (i % 3 == 1) data[i] = some << 31;         /* a zero */
        }
        RANK_CALL(rank, HcclAllReduce(data, data, COUNT, HCCL_DATA_TYPE_FP32, op, rank->comm,
                                      rank->stream));
        RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
        for (uint32_t begin = 0; begin < COUNT; begin += 15000) {
            const size_t size = sizeof(*data) * (COUNT - begin < 15000 ? COUNT - begin : 15000);
            if (rank->id == 0) memcpy(rank->shared->bytes, data + begin, size);
            for (int turn = 0; turn < 2; turn++) { /* nobody writes while another one compares */
                RANK_CALL(rank, HcclBarrier(rank->comm, rank->stream));
                RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
                if (turn == 1) continue;
                RANK_EXPECT(rank, memcmp(rank->shared->bytes, data + begin, size) == 0,
                            "op %d: other bits than rank 0", op);
            }
        }
    }
    aclrtFree(data);
    rank_end(rank);
}

Test(reductions, all_ranks_have_the_same_bits, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, same_bits), 0);
    cr_expect_eq(ranks_run(5, same_bits), 0);
}

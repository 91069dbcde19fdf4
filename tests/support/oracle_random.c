/* SPDX-License-Identifier: Apache-2.0 */
/* Random operators: the same numbers from an independent Philox, one element at a time. */
#include "tests/support/oracle_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { ELEMENTS = 600 };

/* ---- numbers ---- */

struct philox_block oracle_philox(struct philox_block c, uint64_t key)
{
    for (int round = 0; round < 10; round++) {
        const uint32_t k0 = (uint32_t)key + (uint32_t)round * 0x9E3779B9u;
        const uint32_t k1 = (uint32_t)(key >> 32) + (uint32_t)round * 0xBB67AE85u;
        const uint64_t left = 0xD2511F53ull * c.word[0], right = 0xCD9E8D57ull * c.word[2];
        c = (struct philox_block){{(uint32_t)(right >> 32) ^ c.word[1] ^ k0, (uint32_t)right,
                                   (uint32_t)(left >> 32) ^ c.word[3] ^ k1, (uint32_t)left}};
    }
    return c;
}

struct stream {
    uint64_t seed, offset;
};

static uint32_t word(struct stream s, uint64_t i)
{
    const uint64_t block = i / 4;
    const struct philox_block counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)s.offset, (uint32_t)(s.offset >> 32)}};
    return oracle_philox(counter, s.seed).word[i % 4];
}

static uint64_t pair(struct stream s, uint64_t i)
{
    return word(s, 2 * i) | (uint64_t)word(s, 2 * i + 1) << 32;
}

/* In [0, 1). */
static double fraction(struct stream s, bool is_wide, uint64_t i)
{
    return is_wide ? ldexp((double)(pair(s, i) >> 11), -53) : ldexp(word(s, i) >> 8, -24);
}

/* In (0, 1). */
static double open_fraction(struct stream s, bool is_wide, uint64_t i)
{
    return is_wide ? ldexp((double)(pair(s, i) >> 12) + 0.5, -52) : ldexp(word(s, i) + 0.5, -32);
}

static double normal(struct stream s, bool is_wide, uint64_t i)
{
    const long double pi = 3.141592653589793238462643383279502884L;
    const double radius = sqrt(-2 * log(open_fraction(s, is_wide, i / 2 * 2)));
    const long double turn = 2 * pi * (long double)open_fraction(s, is_wide, i / 2 * 2 + 1);
    return radius * (double)(i % 2 == 0 ? cosl(turn) : sinl(turn));
}

/* ---- arguments ---- */

static int number_index(const struct rig_operator *op, const char *name)
{
    for (int i = 0; op->number[i]; i++)
        if (strcmp(op->number[i], name) == 0) return i;
    return -1;
}

static int64_t number(const struct rig_problem *problem, const char *name)
{
    const int i = number_index(problem->op, name);
    return i < 0 ? 0 : problem->call.number[i];
}

/* A FLOAT or DOUBLE, an aclScalar; `otherwise` if there is none. */
static double real(const struct rig_problem *problem, const char *name, double otherwise)
{
    const int i = number_index(problem->op, name);
    if (i >= 0) return problem->call.real[i];
    if (problem->op->names->scalar[0] && strcmp(problem->op->names->scalar[0], name) == 0)
        return problem->call.scalar[0].value[0].real;
    return otherwise;
}

static int slot_of(const struct rig_operator *op, const char *name)
{
    for (int i = 0; op->tensor[i]; i++)
        if (strcmp(op->tensor[i], name) == 0) return i;
    return -1;
}

static struct stream stream_of(const struct rig_problem *problem)
{
    const int tensor = slot_of(problem->op, "seedTensor");
    struct stream s = {(uint64_t)number(problem, "seed"), (uint64_t)number(problem, "offset")};
    if (tensor < 0) return s;
    s.seed = rig_given(problem, tensor)[0];
    s.offset += rig_given(problem, slot_of(problem->op, "offsetTensor"))[0];
    return s;
}

/* The i-th tensor that is written. */
static int written(const struct rig_problem *problem, int i)
{
    for (int slot = 0; problem->op->tensor[slot]; slot++)
        if (rig_is_output(&problem->op->operand[slot]) && i-- == 0) return slot;
    return -1;
}

/* An operand or a number at the place of element i. */
static double value_at(const struct rig_problem *problem, const char *name, int to, int64_t i)
{
    const int slot = slot_of(problem->op, name);
    if (slot < 0) return real(problem, name, 0);
    return oracle_value(
        problem, slot, oracle_broadcast(&problem->tensor[to].view, i, &problem->tensor[slot].view));
}

enum what { UNIFORM, NORMAL, EXPONENTIAL, WHOLE, TRUTH, PERMUTATION, DRAWS, MASK, APPLY, DROPOUT };

static enum what what_of(const struct rig_operator *op)
{
    return *(const enum what *)op->row->more;
}

/* ---- distributions ---- */

/* The largest number below x that rounds to itself. */
static double below(enum case_dtype dtype, double x)
{
    double next = nextafter(x, -INFINITY);
    for (double step = fabs(x) * 0x1p-60 + 0x1p-200;; step *= 2) {
        const double rounded = oracle_from_bits(dtype, oracle_to_bits(dtype, next));
        if (rounded < x) return rounded;
        next = x - step;
    }
}

static uint64_t numbers_of(enum case_dtype dtype)
{
    const int bits = 8 * (int)operand_element_size(dtype);
    switch (dtype) {
    case CASE_F32:
        return (1ull << 24) + 1;
    case CASE_F64:
        return (1ull << 53) + 1;
    case CASE_F16:
        return (1ull << 11) + 1;
    case CASE_BF16:
        return (1ull << 8) + 1;
    case CASE_BOOL:
        return 2;
    default:
        return dtype == CASE_U8 ? 256 : 1ull << (bits - 1);
    }
}

static void distribution(struct rig_problem *problem)
{
    const int to = written(problem, 0);
    const enum case_dtype dtype = problem->tensor[to].view.dtype;
    const enum what what = what_of(problem->op);
    const struct stream s = stream_of(problem);
    const bool is_wide = dtype == CASE_F64;
    for (int64_t i = 0; i < problem->tensor[to].count; i++) {
        const uint64_t n = (uint64_t)i;
        if (what == UNIFORM) {
            const double a = real(problem, "from", 0), b = real(problem, "to", 0);
            const double limit = a < b ? below(dtype, b) : a;
            double x = a + fraction(s, is_wide, n) * (b - a);
            oracle_real(problem, to, i, dtype, x > limit ? limit : x);
        } else if (what == NORMAL) {
            const double mean = value_at(problem, "mean", to, i);
            const double deviation = value_at(problem, "std", to, i);
            oracle_real(problem, to, i, dtype, mean + deviation * normal(s, is_wide, n));
        } else if (what == EXPONENTIAL) {
            oracle_real(problem, to, i, dtype,
                        -log(open_fraction(s, is_wide, n)) / real(problem, "lambda", 1));
        } else if (what == WHOLE) {
            const bool has_ends = number_index(problem->op, "from") >= 0;
            const int64_t from = number(problem, "from");
            const uint64_t range =
                has_ends ? (uint64_t)number(problem, "to") - (uint64_t)from : numbers_of(dtype);
            const uint64_t more = (uint64_t)((unsigned __int128)pair(s, n) * range >> 64);
            oracle_whole(problem, to, i, CASE_I64, (int64_t)((uint64_t)from + more));
        } else {
            const double p = value_at(problem, "prob", to, i);
            oracle_whole(problem, to, i, CASE_I64, word(s, n) < p * 0x1p32);
        }
    }
}

/* ---- permutations, draws ---- */

struct entry {
    double weight;
    uint64_t key;
    int64_t place;
};

static int by_key(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static void permutation(struct rig_problem *problem)
{
    const struct stream s = stream_of(problem);
    const int64_t n = problem->tensor[0].count;
    struct entry *entries = calloc((size_t)n + 1, sizeof *entries);
    for (int64_t i = 0; i < n; i++)
        entries[i] = (struct entry){0, pair(s, (uint64_t)i), i};
    qsort(entries, (size_t)n, sizeof *entries, by_key);
    for (int64_t i = 0; i < n; i++)
        oracle_whole(problem, 0, i, CASE_I64, entries[i].place);
    free(entries);
}

static void draws(struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    const struct stream s = stream_of(problem);
    const int64_t count = view->dims[view->rank - 1], each = number(problem, "numsamples");
    const int64_t rows = view->rank == 2 ? view->dims[0] : 1;
    const int to = written(problem, 0);
    struct entry *entries = calloc((size_t)count + 1, sizeof *entries);
    for (int64_t row = 0; row < rows; row++) {
        double all = 0;
        for (int64_t i = 0; i < count; i++) {
            const double weight = oracle_value(problem, 0, row * count + i);
            const double v = open_fraction(s, true, (uint64_t)(row * count + i));
            entries[i] = (struct entry){weight / -log(v), 0, i};
            all += weight;
        }
        if (!number(problem, "replacement")) qsort(entries, (size_t)count, sizeof *entries, by_key);
        for (int64_t i = 0; i < each; i++) {
            int64_t place = entries[i < count ? i : 0].place;
            if (number(problem, "replacement")) {
                const double wanted = all * fraction(s, true, (uint64_t)(row * each + i));
                double sum = 0;
                for (place = 0; place < count - 1; place++)
                    if ((sum += oracle_value(problem, 0, row * count + place)) > wanted) break;
            }
            oracle_whole(problem, to, row * each + i, CASE_I64, place);
        }
    }
    free(entries);
}

/* Weights are positive, and their sums finite. */
static void fill_weights(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *self = &problem->tensor[0];
    (void)random;
    for (int64_t i = 0; i < self->count; i++) {
        const double x = fabs(self->values[i]);
        self->bits[i] = oracle_to_bits(self->view.dtype, (x < 1e4 ? x : 0) + 0.25);
    }
}

/* ---- dropout ---- */

static bool stays(struct stream s, double p, int64_t i)
{
    return word(s, (uint64_t)i) >= p * 0x1p32;
}

static void make_mask(struct rig_problem *problem, int to, double p)
{
    const struct stream s = stream_of(problem);
    for (int64_t i = 0; i < problem->tensor[to].count; i++) {
        int byte = 0;
        for (int bit = 0; bit < 8; bit++)
            byte |= stays(s, p, 8 * i + bit) << bit;
        oracle_whole(problem, to, i, CASE_U8, byte);
    }
}

static void dropout(struct rig_problem *problem)
{
    const enum what what = what_of(problem->op);
    const int to = written(problem, 0);
    double p = real(problem, what == DROPOUT ? "p" : "prob", -1);
    if (number_index(problem->op, "train") >= 0 && !number(problem, "train")) p = 0;
    const double scale = p < 0 ? real(problem, "scale", 1) : p == 1 ? 0 : 1 / (1 - p);
    if (what == MASK) {
        make_mask(problem, to, p);
        return;
    }
    if (what == DROPOUT) make_mask(problem, written(problem, 1), p);
    for (int64_t i = 0; i < problem->tensor[to].count; i++) {
        const bool is_kept =
            what == DROPOUT
                ? stays(stream_of(problem), p, i)
                : rig_given(problem, slot_of(problem->op, "mask"))[i / 8] >> (i % 8) & 1;
        const double x = oracle_value(problem, 0, i);
        oracle_real(problem, to, i, problem->tensor[to].view.dtype, is_kept ? x * scale : 0);
    }
}

/* ---- random problems ---- */

/* Every number of the call. */
static void random_numbers(const struct rig_operator *op, struct test_case *test,
                           struct random *random, int64_t elements, enum case_dtype dtype)
{
    const int64_t from = dtype == CASE_BOOL || dtype == CASE_U8 ? 0 : -random_below(random, 100);
    const int64_t to = dtype == CASE_BOOL ? 2 : 1 + random_below(random, 100);
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        const bool is_real = at->kind == OP_FLOAT || at->kind == OP_DOUBLE;
        const bool is_probability = strcmp(at->name, "p") == 0 || strcmp(at->name, "prob") == 0;
        if (strcmp(at->name, "offset") == 0)
            random_number(test, at->name, (double)random_below(random, 1 << 30));
        else if (strcmp(at->name, "from") == 0)
            random_number(test, at->name, (double)from);
        else if (strcmp(at->name, "to") == 0)
            random_number(test, at->name, (double)to);
        else if (is_probability && (is_real || at->kind == OP_COEFFICIENT)) {
            if (is_real)
                random_number(test, at->name, (double)random_below(random, 9) / 8);
            else {
                struct case_argument *p =
                    random_number(test, at->name, (double)random_below(random, 9) / 8);
                p->has_dtype = true;
                p->dtype = CASE_F32;
            }
        } else if (strcmp(at->name, "scale") == 0 || strcmp(at->name, "lambda") == 0)
            random_number(test, at->name, 1 + (double)random_below(random, 9) / 4);
        else if (strcmp(at->name, "count") == 0)
            random_number(test, at->name, (double)elements);
        else if (at->kind == OP_BOOL && strcmp(at->name, "replacement") != 0)
            random_number(test, at->name, random_once_in(random, 2));
        else if (at->kind == OP_TYPE_OF)
            random_type(test, at->name, CASE_F16);
        else if (is_real)
            random_number(test, at->name, (double)random_below(random, 9) / 2);
    }
}

static struct test_case random_random(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const enum what what = what_of(op);
    int64_t dims[CASE_RANK], elements = 1, one[CASE_RANK] = {1};
    int rank = random_shape(random, dims, ELEMENTS);
    if (what == PERMUTATION) {
        rank = 1;
        dims[0] = random_below(random, dtype == CASE_I8 || dtype == CASE_U8 ? 128 : 250);
        random_number(&test, "n", (double)dims[0]);
    }
    if (what == DRAWS) {
        test.data = CASE_PLAIN;
        rank = (int)random_between(random, 1, 2);
        for (int i = 0; i < rank; i++)
            dims[i] = random_between(random, 1, 20);
        elements = random_between(random, 1, dims[rank - 1]);
        random_number(&test, "numsamples", (double)elements);
        random_number(&test, "replacement", random_once_in(random, 2));
    }
    if (what == NORMAL || what == TRUTH) test.data = CASE_PLAIN;
    for (int i = 0; i < rank && what != DRAWS; i++)
        elements *= dims[i];
    int64_t bytes[CASE_RANK] = {(elements + 127) / 128 * 16};
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        const bool is_mask = strncmp(at->name, "mask", 4) == 0 || what == MASK;
        const int slot = slot_of(op, at->name);
        if (at->kind == OP_INTS) random_ints(&test, at->name, dims, rank);
        if (slot < 0 || at->kind == OP_OPTIONAL) continue;
        if (strcmp(at->name, "seedTensor") == 0 || strcmp(at->name, "offsetTensor") == 0)
            random_tensor(&test, random, at->name, CASE_I64, one, 1, false);
        else if (is_mask)
            random_tensor(&test, random, at->name, CASE_U8, bytes, 1,
                          rig_is_output(&op->operand[slot]));
        else if (what == DRAWS && rig_is_output(&op->operand[slot])) {
            dims[rank - 1] = elements;
            random_tensor(&test, random, at->name, CASE_I64, dims, rank, true);
        } else
            random_tensor(&test, random, at->name, dtype, dims, rank,
                          rig_is_output(&op->operand[slot]));
    }
    random_numbers(op, &test, random, elements, dtype);
    return test;
}

#define ROW(names, function, kind, units, least, ...)                                              \
    {                                                                                              \
        .name = names, .oracle = function, .random = random_random, .ulp = units,                  \
        .absolute = least, .lines = (const char *const[]){__VA_ARGS__, NULL},                      \
        .more = &(const enum what)                                                                 \
        {                                                                                          \
            kind                                                                                   \
        }                                                                                          \
    }

const struct oracle_row oracle_random_rows[] = {
    ROW("aclnnInplaceUniform", distribution, UNIFORM, 0, 0,
        "inplace_uniform f32 selfRef=70001 from=0 to=1 seed=5",
        "inplace_uniform bf16 selfRef=9000 from=-1 to=0 seed=5",
        "inplace_uniform f16 selfRef=9000 from=-3 to=5 seed=5",
        "inplace_uniform f64 selfRef=9000 from=2 to=2 seed=5"),
    ROW("aclnnInplaceUniformTensor", distribution, UNIFORM, 0, 0, NULL),
    ROW("aclnnInplaceNormal", distribution, NORMAL, 4, 1e-12,
        "inplace_normal f32 selfRef=70001 mean=0 std=1 seed=5",
        "inplace_normal f64 selfRef=9001 mean=0 std=1 seed=5"),
    ROW("aclnnInplaceNormalTensor aclnnNormalTensorTensor aclnnNormalTensorFloat "
        "aclnnNormalFloatTensor aclnnNormalFloatFloat",
        distribution, NORMAL, 4, 1e-12, NULL),
    ROW("aclnnSimThreadExponential", distribution, EXPONENTIAL, 4, 0,
        "sim_thread_exponential f32 selfRef=70001 count=70001 lambda=2 seed=5"),
    ROW("aclnnInplaceRandom", distribution, WHOLE, 0, 0,
        "inplace_random i64 selfRef=7001 from=-5 to=9 seed=5"),
    ROW("aclnnInplaceRandomTensor aclnnInplaceRandomWithoutFromTo "
        "aclnnInplaceRandomWithoutFromToTensor",
        distribution, WHOLE, 0, 0, NULL),
    ROW("aclnnInplaceBernoulli", distribution, TRUTH, 0, 0,
        "inplace_bernoulli f32 selfRef=70001 prob=0.25 seed=5"),
    ROW("aclnnBernoulli aclnnBernoulliTensor aclnnInplaceBernoulliTensor", distribution, TRUTH, 0,
        0, NULL),
    ROW("aclnnRandperm", permutation, PERMUTATION, 0, 0, "randperm i64 n=40000 seed=5 out=40000"),
    {.name = "aclnnMultinomial aclnnMultinomialTensor",
     .oracle = draws,
     .random = random_random,
     .fill = fill_weights,
     .more = &(const enum what){DRAWS}},
    ROW("aclnnDropoutGenMask", dropout, MASK, 0, 0,
        "dropout_gen_mask u8 shape=70000 prob=0.25 seed=5 out=8752"),
    ROW("aclnnDropoutGenMaskV2 aclnnDropoutGenMaskV2Tensor", dropout, MASK, 0, 0, NULL),
    ROW("aclnnDropoutDoMask aclnnDropoutBackward aclnnDropoutV3Grad", dropout, APPLY, 0, 0, NULL),
    ROW("aclnnDropout aclnnDropoutV3", dropout, DROPOUT, 0, 0, NULL),
    {.name = NULL},
};

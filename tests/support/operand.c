/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle.h"

struct element_type {
    aclDataType type;
    size_t size;
};

static const struct element_type element_types[CASE_DTYPES] = {
    [CASE_F32] = {ACL_FLOAT, 4},  [CASE_F16] = {ACL_FLOAT16, 2},   [CASE_BF16] = {ACL_BF16, 2},
    [CASE_F64] = {ACL_DOUBLE, 8}, [CASE_I8] = {ACL_INT8, 1},       [CASE_U8] = {ACL_UINT8, 1},
    [CASE_I16] = {ACL_INT16, 2},  [CASE_U16] = {ACL_UINT16, 2},    [CASE_I32] = {ACL_INT32, 4},
    [CASE_I64] = {ACL_INT64, 8},  [CASE_BOOL] = {ACL_BOOL, 1},     [CASE_U32] = {ACL_UINT32, 4},
    [CASE_U64] = {ACL_UINT64, 8}, [CASE_C64] = {ACL_COMPLEX64, 8},
};

aclDataType operand_acl_type(enum case_dtype dtype)
{
    return element_types[dtype].type;
}

size_t operand_element_size(enum case_dtype dtype)
{
    return element_types[dtype].size;
}

bool operand_is_channels_last(aclFormat format)
{
    return format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
}

int64_t operand_elements(const struct operand *operand)
{
    int64_t product = 1;
    for (int i = 0; i < operand->rank; i++)
        product *= operand->dims[i];
    return product;
}

size_t operand_bytes(const struct operand *operand)
{
    return (size_t)operand->span * operand_element_size(operand->dtype);
}

/* ---- strides ---- */

/* order lists the axes from the innermost out; gaps widen each step when random is given. */
static void stride_in_order(struct operand *operand, const int *order, struct random *random)
{
    int64_t step = random && random_once_in(random, 3) ? random_between(random, 2, 3) : 1;
    for (int i = 0; i < operand->rank; i++) {
        int64_t extent = operand->dims[order[i]];
        operand->strides[order[i]] = step;
        /* The stride of an axis of extent 1 is never used: give it a wrong one. */
        if (random && extent == 1) {
            const int64_t wrong = random_below(random, 100000);
            operand->strides[order[i]] = wrong % 8 == 0 ? INT64_MAX - wrong / 8 % 2 : wrong;
        }
        step *= extent > 0 ? extent : 1;
        if (random) step += random_below(random, 4) * random_below(random, 3);
    }
}

static void shuffle(int *order, int count, struct random *random)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)random_below(random, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void choose_strides(struct operand *operand, enum case_layout layout, uint64_t seed)
{
    struct random random = {seed * 2};
    int order[OPERAND_RANK], rank = operand->rank;
    if (rank > 0) random.state += (uint64_t)operand->dims[rank - 1];
    for (int i = 0; i < rank; i++)
        order[i] = rank - 1 - i;
    const bool is_last = operand_is_channels_last(operand->format) && !operand->keeps_order;
    if (layout == CASE_CHANNELS_LAST || is_last) {
        int channel = operand->channels_at, at = 0;
        order[at++] = channel;
        for (int i = rank - 1; i >= 0; i--) {
            if (i != channel) order[at++] = i;
        }
    }
    if (layout == CASE_STRIDED) shuffle(order, rank, &random);
    stride_in_order(operand, order, layout == CASE_STRIDED ? &random : NULL);
    if (layout == CASE_BROADCAST && rank > 0) {
        int64_t mask = random_between(&random, 1, (1 << rank) - 1);
        for (int i = 0; i < rank; i++) {
            if (mask >> i & 1) operand->strides[i] = 0;
        }
    }
}

static int64_t touched_span(const struct operand *operand)
{
    int64_t last = operand->offset;
    for (int i = 0; i < operand->rank; i++) {
        if (operand->dims[i] == 0) return 0;
        last += (operand->dims[i] - 1) * operand->strides[i];
    }
    return last + 1;
}

void operand_reshape(struct operand *operand, const int64_t *dims, int rank,
                     enum case_layout layout, uint64_t seed)
{
    for (int i = 0; i < OPERAND_RANK; i++)
        operand->dims[i] = i < rank ? dims[i] : 1;
    operand->rank = rank;
    choose_strides(operand, layout, seed);
    operand->span = operand->storage = touched_span(operand);
}

static const aclFormat formats[CASE_FORMATS] = {
    [CASE_NCHW] = ACL_FORMAT_NCHW, [CASE_NCL] = ACL_FORMAT_NCL,     [CASE_ND] = ACL_FORMAT_ND,
    [CASE_NHWC] = ACL_FORMAT_NHWC, [CASE_NCDHW] = ACL_FORMAT_NCDHW, [CASE_NDHWC] = ACL_FORMAT_NDHWC,
};

static aclFormat format_of(const struct test_case *test)
{
    static const aclFormat by_rank[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    if (test->format != CASE_BY_RANK) return formats[test->format];
    int rank = test->axes + 1 + test->batched;
    return rank >= 3 && rank <= 5 ? by_rank[rank - 3] : ACL_FORMAT_ND;
}

struct operand operand_with(const struct test_case *test, enum case_tensor tensor,
                            enum case_dtype dtype, enum case_layout layout)
{
    bool is_small = tensor != CASE_X && tensor != CASE_DX;
    struct operand operand = {
        .dtype = dtype,
        .type = operand_acl_type(dtype),
        .format = format_of(test),
        .offset = test->offset,
        .channels_at = test->batched,
    };
    int64_t dims[OPERAND_RANK];
    int rank = 0;
    if (test->batched) dims[rank++] = test->batch;
    dims[rank++] = test->channels;
    for (int i = 0; i < test->axes; i++)
        dims[rank++] = is_small ? case_window(test, i).output : test->input[i];
    static const uint64_t salt[CASE_TENSORS] = {
        [CASE_X] = 50021, [CASE_Y] = 70003, [CASE_I] = 90001};
    operand_reshape(&operand, dims, rank, layout, (test->seed + salt[tensor]) * 2 + is_small);
    return operand;
}

struct operand operand_of_argument(const struct test_case *test,
                                   const struct case_argument *argument)
{
    const enum case_dtype dtype = argument->has_dtype ? argument->dtype : test->dtype;
    struct operand operand = {.dtype = dtype,
                              .type = operand_acl_type(dtype),
                              .format = ACL_FORMAT_ND,
                              .offset = argument->offset,
                              .channels_at = argument->rank > 1};
    operand_reshape(&operand, argument->dims, argument->rank, argument->layout,
                    test->seed * CASE_ARGUMENTS + (uint64_t)(argument - test->argument));
    operand.channels_at = 0;    /* no more is known of its dimensions */
    operand.keeps_order = true; /* the line has the descriptor's */
    if (argument->format != CASE_BY_RANK) operand.format = formats[argument->format];
    if (!argument->has_strides) return operand;
    memcpy(operand.strides, argument->strides, sizeof argument->strides);
    operand.span = operand.storage = touched_span(&operand);
    return operand;
}

struct operand operand_of(const struct test_case *test, enum case_tensor tensor)
{
    return operand_with(test, tensor, case_tensor_dtype(test, tensor),
                        case_tensor_layout(test, tensor));
}

/* ---- descriptor ---- */

/* values in the order of the descriptor */
static void in_order(const struct operand *operand, const int64_t *values, int64_t *ordered)
{
    bool is_last = operand_is_channels_last(operand->format) && !operand->keeps_order;
    int at = 0, moved = is_last ? operand->channels_at : -1;
    for (int i = 0; i < operand->rank; i++) {
        if (i != moved) ordered[at++] = values[i];
    }
    if (at < operand->rank) ordered[at] = values[moved];
}

void operand_open(struct operand *operand)
{
    int64_t dims[OPERAND_RANK], strides[OPERAND_RANK];
    in_order(operand, operand->dims, dims);
    in_order(operand, operand->strides, strides);
    operand->tensor = aclCreateTensor(dims, (uint64_t)operand->rank, operand->type,
                                      operand->no_strides ? NULL : strides, operand->offset,
                                      operand->format, &operand->storage, 1, operand->data);
}

void operand_close(struct operand *operand)
{
    aclDestroyTensor(operand->tensor);
    operand->tensor = NULL;
}

/* ---- elements ---- */

/* Bits lie in the low bytes: this is for little-endian machines, as the library is. */
static uint64_t load_bits(const struct operand *operand, int64_t element)
{
    size_t size = operand_element_size(operand->dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)operand->data + (size_t)element * size, size);
    return bits;
}

static void store_bits(const struct operand *operand, int64_t element, uint64_t bits)
{
    size_t size = operand_element_size(operand->dtype);
    memcpy((char *)operand->data + (size_t)element * size, &bits, size);
}

/* Walks the view in row-major order: the element's number after each call of walk_next. */
struct walk {
    const struct operand *operand;
    int64_t index[OPERAND_RANK], element, left;
};

static struct walk walk_start(const struct operand *operand)
{
    return (struct walk){
        .operand = operand, .element = operand->offset, .left = operand_elements(operand)};
}

static void walk_next(struct walk *walk)
{
    const struct operand *operand = walk->operand;
    walk->left--;
    for (int i = operand->rank - 1; i >= 0; i--) {
        if (walk->index[i] + 1 < operand->dims[i]) { /* strides of extents of 1 may be anything */
            walk->element += operand->strides[i];
            walk->index[i]++;
            return;
        }
        walk->element -= walk->index[i] * operand->strides[i];
        walk->index[i] = 0;
    }
}

void operand_poison(const struct operand *operand, unsigned char byte)
{
    if (operand->span > 0) memset(operand->data, byte, operand_bytes(operand));
}

/* How often the view reaches each element of the span, up to 2; release with free. */
static unsigned char *count_reached(const struct operand *operand)
{
    unsigned char *reached = calloc((size_t)operand->span + 1, 1);
    if (!reached) abort();
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk)) {
        if (reached[walk.element] < 2) reached[walk.element]++;
    }
    return reached;
}

bool operand_overlaps(const struct operand *operand)
{
    unsigned char *reached = count_reached(operand);
    bool overlaps = false;
    for (int64_t i = 0; i < operand->span; i++)
        overlaps |= reached[i] > 1;
    free(reached);
    return overlaps;
}

bool operand_gaps_hold(const struct operand *operand, unsigned char byte)
{
    if (operand->span == 0 || operand_elements(operand) == operand->span) return true;
    size_t size = operand_element_size(operand->dtype);
    unsigned char *reached = count_reached(operand);
    bool holds = true;
    for (size_t i = 0; i < operand_bytes(operand); i++) {
        if (!reached[i / size] && ((const unsigned char *)operand->data)[i] != byte) holds = false;
    }
    free(reached);
    return holds;
}

void operand_write(const struct operand *operand, const double *values)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk))
        store_bits(operand, walk.element, oracle_to_bits(operand->dtype, *values++));
}

void operand_read(const struct operand *operand, double *values)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk))
        *values++ = oracle_from_bits(operand->dtype, load_bits(operand, walk.element));
}

void operand_read_raw(const struct operand *operand, uint64_t *bits)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk))
        *bits++ = load_bits(operand, walk.element);
}

void operand_read_bits(const struct operand *operand, uint64_t *bits)
{
    const uint64_t nan = oracle_to_bits(operand->dtype, (double)NAN);
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk)) {
        uint64_t found = load_bits(operand, walk.element);
        *bits++ = oracle_is_nan(operand->dtype, found) ? nan : found;
    }
}

void operand_write_bits(const struct operand *operand, const uint64_t *bits)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk))
        store_bits(operand, walk.element, *bits++);
}

/* ---- data ---- */

static double special_value(enum case_dtype dtype, struct random *random)
{
    double smallest = oracle_ulp(dtype, 0), largest = oracle_largest(dtype);
    const double values[] = {
        NAN,           -NAN,      INFINITY,     -INFINITY,      0.0, -0.0, 1,
        smallest,      -smallest, 3 * smallest, largest / 1024, -1,  0.5,  smallest * 9,
        -largest / 512};
    return values[random_below(random, sizeof values / sizeof values[0])];
}

static double random_value(enum case_dtype dtype, enum case_data kind, struct random *random)
{
    if (kind == CASE_HUGE) return oracle_largest(dtype) * random_unit(random);
    if (kind == CASE_SPECIAL && random_once_in(random, 8)) return special_value(dtype, random);
    if (random_once_in(random, 4)) return (double)random_between(random, -4, 4);
    return ldexp(random_unit(random), (int)random_between(random, -4, 4));
}

/* Integers: small ones, ones of any size, and with CASE_SPECIAL any bits at all. */
static uint64_t random_integer(enum case_dtype dtype, enum case_data kind, struct random *random)
{
    uint64_t bits = random_next(random);
    if (dtype == CASE_BOOL) return bits & 1;
    bool is_small = kind == CASE_PLAIN && random_once_in(random, 2);
    if (is_small) return oracle_to_bits(dtype, (double)random_between(random, -5, 9));
    if (kind != CASE_SPECIAL && dtype == CASE_I64) bits &= ~UINT64_C(0) << 11;
    if (kind == CASE_SPECIAL && random_once_in(random, 4))
        bits = oracle_to_bits(dtype, random_once_in(random, 2) ? 0x1p63 : -0x1p63);
    return bits;
}

static uint64_t random_bits(enum case_dtype dtype, enum case_data kind, struct random *random)
{
    if (kind == CASE_TIES) return oracle_to_bits(dtype, (double)random_between(random, 0, 2));
    if (!oracle_is_float(dtype)) return random_integer(dtype, kind, random);
    double value = random_value(dtype, kind, random);
    if (kind == CASE_HUGE && isinf(oracle_round(dtype, value))) value = 1;
    return oracle_to_bits(dtype, value);
}

void operand_randomize(const struct operand *operand, enum case_data kind, struct random *random)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk))
        store_bits(operand, walk.element, random_bits(operand->dtype, kind, random));
}

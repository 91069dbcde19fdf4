/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle.h"

aclDataType operand_acl_type(enum case_dtype dtype)
{
    static const aclDataType types[CASE_DTYPES] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    return types[dtype];
}

size_t operand_element_size(enum case_dtype dtype)
{
    return dtype == CASE_F32 ? 4 : 2;
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
        if (random && extent == 1) operand->strides[order[i]] = random_below(random, 100000);
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
    struct random random = {seed * 2 + (uint64_t)operand->dims[operand->rank - 1]};
    int order[OPERAND_RANK], rank = operand->rank;
    for (int i = 0; i < rank; i++)
        order[i] = rank - 1 - i;
    if (layout == CASE_CHANNELS_LAST) {
        int channel = operand->format == ACL_FORMAT_NCL ? 0 : 1, at = 0;
        order[at++] = channel;
        for (int i = rank - 1; i >= 0; i--) {
            if (i != channel) order[at++] = i;
        }
    }
    if (layout == CASE_STRIDED) shuffle(order, rank, &random);
    stride_in_order(operand, order, layout == CASE_STRIDED ? &random : NULL);
    if (layout == CASE_BROADCAST) {
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

static struct operand make(const struct test_case *test, bool is_output, enum case_layout layout)
{
    struct operand operand = {
        .dtype = test->dtype,
        .format = test->batched ? ACL_FORMAT_NCHW : ACL_FORMAT_NCL,
        .offset = test->offset,
    };
    if (test->batched) operand.dims[operand.rank++] = test->batch;
    operand.dims[operand.rank++] = test->channels;
    for (int i = 0; i < test->axes; i++) {
        operand.dims[operand.rank++] = is_output ? case_window(test, i).output : test->input[i];
    }
    choose_strides(&operand, layout, test->seed * 2 + is_output);
    operand.span = touched_span(&operand);
    return operand;
}

struct operand operand_of_output(const struct test_case *test, enum case_layout layout)
{
    return make(test, true, layout);
}

struct operand operand_of_input(const struct test_case *test, enum case_layout layout)
{
    return make(test, false, layout);
}

/* ---- descriptor ---- */

void operand_open(struct operand *operand)
{
    operand->tensor = aclCreateTensor(
        operand->dims, (uint64_t)operand->rank, operand_acl_type(operand->dtype), operand->strides,
        operand->offset, operand->format, &operand->span, 1, operand->data);
}

void operand_close(struct operand *operand)
{
    aclDestroyTensor(operand->tensor);
    operand->tensor = NULL;
}

/* ---- elements ---- */

static uint32_t load_bits(const struct operand *operand, int64_t element)
{
    uint32_t wide;
    uint16_t narrow;
    if (operand->dtype == CASE_F32) {
        memcpy(&wide, (const char *)operand->data + element * 4, 4);
        return wide;
    }
    memcpy(&narrow, (const char *)operand->data + element * 2, 2);
    return narrow;
}

static void store_bits(const struct operand *operand, int64_t element, uint32_t bits)
{
    uint16_t narrow = (uint16_t)bits;
    if (operand->dtype == CASE_F32)
        memcpy((char *)operand->data + element * 4, &bits, 4);
    else
        memcpy((char *)operand->data + element * 2, &narrow, 2);
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

void operand_read_bits(const struct operand *operand, uint32_t *bits)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk)) {
        uint32_t found = load_bits(operand, walk.element);
        bool is_nan = isnan(oracle_from_bits(operand->dtype, found));
        *bits++ = is_nan ? oracle_to_bits(operand->dtype, (double)NAN) : found;
    }
}

/* ---- data ---- */

static double special_value(enum case_dtype dtype, struct random *random)
{
    double smallest = oracle_ulp(dtype, 0), largest = oracle_largest(dtype);
    const double values[] = {NAN, INFINITY, -INFINITY,    0.0,           -0.0,
                             1,   smallest, -smallest,    3 * smallest,  largest / 1024,
                             -1,  0.5,      smallest * 9, -largest / 512};
    return values[random_below(random, sizeof values / sizeof values[0])];
}

static double random_value(enum case_dtype dtype, enum case_data kind, struct random *random)
{
    if (kind == CASE_HUGE) return oracle_largest(dtype) * random_unit(random);
    if (kind == CASE_SPECIAL && random_once_in(random, 8)) return special_value(dtype, random);
    if (random_once_in(random, 4)) return (double)random_between(random, -4, 4);
    return ldexp(random_unit(random), (int)random_between(random, -4, 4));
}

void operand_randomize(const struct operand *operand, enum case_data kind, struct random *random)
{
    for (struct walk walk = walk_start(operand); walk.left > 0; walk_next(&walk)) {
        double value = random_value(operand->dtype, kind, random);
        if (kind == CASE_HUGE && isinf(oracle_round(operand->dtype, value))) value = 1;
        store_bits(operand, walk.element, oracle_to_bits(operand->dtype, value));
    }
}
